"""Decoder language models: LaMDA-like (GSPMD's dense LMs; gated feed forward, Adafactor), unrolled and scanned."""
import jax
import jax.numpy as jnp

from . import layers, optim, sharding
from .program import Config, Model, stack

# Sizes of the dense LMs published with GSPMD; "128b" and "64b" differ in depth alone.
_WIDE = dict(vocab=32000, embed=8192, mlp=65536, heads=128, head=128, length=1024, batch=128, dtype=jnp.bfloat16,
             mesh={1: (128,), 2: (16, 32), 3: (4, 8, 16)})
_DEEP = dict(vocab=32000, embed=12288, mlp=49152, heads=96, head=128, length=2048, dtype=jnp.bfloat16, gated=False)
CONFIGS = {
    "tiny": Config(layers=2, vocab=64, embed=32, mlp=64, heads=4, head=8, length=16, batch=8, dtype=jnp.float32, gated=True),
    "medium": Config(layers=4, vocab=1024, embed=256, mlp=1024, heads=8, head=32, length=128, batch=16, dtype=jnp.float32, gated=True),
    "real": Config(layers=32, gated=True, **_WIDE),
    "128b": Config(layers=64, gated=True, **_WIDE),
    "175b": Config(layers=96, batch=1024, mesh={1: (1024,), 2: (64, 32), 3: (8, 8, 32)}, **_DEEP),
    "44b": Config(layers=24, batch=256, mesh={1: (256,), 2: (16, 32), 3: (4, 4, 32)}, **_DEEP),
}

# Dimensions no axis of a 2x4 mesh divides: the annotations cut them unevenly.
UNEVEN = Config(layers=1, vocab=61, embed=24, mlp=50, heads=6, head=4, length=15, batch=5, dtype=jnp.float32, gated=True)


def block_params(cfg):
    return layers.block_params(cfg.embed, cfg.heads, cfg.head, cfg.mlp, cfg.gated)


def outer_params(cfg):
    return {"embedding": layers.embedding_params(cfg.vocab, cfg.embed), "final_norm": layers.norm_params(cfg.embed)}


def unrolled_params(cfg):
    return outer_params(cfg) | {f"layer_{i}": block_params(cfg) for i in range(cfg.layers)}


def scanned_params(cfg):
    return outer_params(cfg) | {"layers": stack(block_params(cfg), cfg.layers, "layers")}


def batch(cfg):
    return layers.token_batch(cfg.batch, cfg.length, cfg.vocab)


def language_loss(params, batch, cfg, c, stack_of_layers):
    """Embedding, the given layers, logits with the embedding's own table, cross entropy."""
    with jax.named_scope("embed"):
        x = layers.embed(params["embedding"], batch["tokens"], c, cfg.dtype)
    x = stack_of_layers(x)
    with jax.named_scope("logits"):
        scores = layers.logits(params["embedding"], layers.norm(params["final_norm"], x), c)
        return layers.cross_entropy(scores, batch["targets"])


def unrolled_loss(params, batch, cfg, c):
    def run(x):
        for i in range(cfg.layers):
            with jax.named_scope(f"layer_{i}"):
                x = layers.block(params[f"layer_{i}"], x, c, causal=True)
        return x
    return language_loss(params, batch, cfg, c, run)


def scanned_loss(params, batch, cfg, c):
    body = lambda p, x: layers.block(p, x, c, causal=True)
    return language_loss(params, batch, cfg, c, lambda x: layers.scan_layers(body, params["layers"], x))


STRATEGIES = {
    "data": sharding.DATA, "megatron": sharding.MEGATRON, "megatron_bare": sharding.MEGATRON_BARE,
    "sequence": sharding.SEQUENCE, "context": sharding.CONTEXT,
    "2d_attempt1": sharding.TWO_D_ATTEMPT1, "2d_attempt2": sharding.TWO_D_ATTEMPT2, "2d": sharding.TWO_D,
    "optimizer": sharding.OPTIMIZER, "fsdp": sharding.FSDP, "mixed3": sharding.MIXED3,
}

_PAPER = "dense LMs published with GSPMD, 69B to 174B (LaMDA-like)"
MODELS = [
    Model("decoder_unrolled", _PAPER, CONFIGS, unrolled_params, batch, unrolled_loss,
          {n: s for n, s in STRATEGIES.items() if "attempt" not in n}, optim.adam()),
    Model("decoder_scanned", _PAPER + "; scan and rematerialisation, Adafactor", CONFIGS, scanned_params, batch,
          scanned_loss, {n: STRATEGIES[n] for n in ("data", "megatron", "2d_attempt1", "2d_attempt2", "2d", "mixed3")},
          optim.adafactor()),
    Model("decoder_uneven", "the same with sizes that do not divide", {"tiny": UNEVEN}, unrolled_params, batch,
          unrolled_loss, {n: STRATEGIES[n] for n in ("data", "megatron", "2d")}, optim.momentum()),
]
