"""GPT-3-style decoder: 24 unrolled layers, every array its own argument, Adam (the program Automap was measured on)."""
import jax
import jax.numpy as jnp

from . import layers, optim, sharding
from .decoder import language_loss
from .program import Array, Config, Model

CONFIGS = {
    "tiny": Config(layers=2, vocab=64, embed=16, mlp=64, heads=4, head=4, length=8, batch=8, dtype=jnp.float32, steps=1),
    "medium": Config(layers=4, vocab=1024, embed=256, mlp=1024, heads=8, head=32, length=128, batch=16, dtype=jnp.float32, steps=1),
    "real": Config(layers=24, vocab=50304, embed=2048, mlp=8192, heads=16, head=128, length=1024, batch=64,
                   dtype=jnp.bfloat16, steps=4, mesh={1: (16,), 2: (4, 4), 3: (2, 2, 4)}),
}


def params(cfg):
    p = {"embedding": layers.embedding_params(cfg.vocab, cfg.embed),
         "positions": Array((cfg.length, cfg.embed), (None, "table_embed"), fan_in=cfg.embed),
         "final_norm": layers.norm_params(cfg.embed, bias=True)}
    return p | {f"layer_{i}": layers.block_params(cfg.embed, cfg.heads, cfg.head, cfg.mlp, bias=True)
                for i in range(cfg.layers)}


def batch(cfg):
    return layers.token_batch(cfg.batch, cfg.length, cfg.vocab) | {"key": Array((2,), (None,), 1 << 16, jnp.uint32)}


def micro_loss(params, batch, key, cfg, c):
    """The loss of one micro-batch, with dropout."""
    def run(x):
        x = x + params["positions"].astype(x.dtype)
        for i in range(cfg.layers):
            with jax.named_scope(f"layer_{i}"):
                keys = jax.random.split(jax.random.fold_in(key, i), 3)
                x = layers.block(params[f"layer_{i}"], x, c, causal=True, keys=keys)
        return x
    return language_loss(params, batch, cfg, c, run)


def loss(params, batch, cfg, c):
    """The mean over micro-batches, unrolled: they are strided so that each is split as the batch is."""
    total = 0.0
    for i in range(cfg.steps):
        with jax.named_scope(f"micro_batch_{i}"):
            part = {n: batch[n].reshape(-1, cfg.steps, cfg.length)[:, i] for n in ("tokens", "targets")}
            total += micro_loss(params, part, jax.random.fold_in(batch["key"], i), cfg, c)
    return total / cfg.steps


STRATEGIES = {"megatron": sharding.MEGATRON, "megatron_bare": sharding.MEGATRON_BARE, "mixed3": sharding.MIXED3}

MODELS = [Model("gpt3", "Automap: GPT-3-style, 24 layers with Adam, 1.3B", CONFIGS, params, batch, loss, STRATEGIES,
                optim.adam(clip=1.0, decay=0.1, warmup=100))]
