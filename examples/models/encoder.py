"""BERT-like encoder with masked-token and next-sentence losses (the dense encoders of MLPerf v1.1, and BERT-large)."""
import jax
import jax.numpy as jnp

from . import layers, optim, sharding
from .program import Array, Config, Model, stack

# The MLPerf entries give parameters and chips; depth and width are chosen to match (12 layers embed^2).
_BIG = dict(vocab=32000, length=512, masked=76, batch=1024, dtype=jnp.bfloat16)
CONFIGS = {
    "tiny": Config(layers=2, vocab=64, embed=16, mlp=64, heads=4, head=4, length=16, masked=4, batch=8, dtype=jnp.float32),
    "medium": Config(layers=4, vocab=1024, embed=256, mlp=1024, heads=8, head=32, length=128, masked=16, batch=16, dtype=jnp.float32),
    "real": Config(layers=62, embed=16384, mlp=65536, heads=128, head=128, mesh={1: (1024,), 2: (32, 32), 3: (8, 4, 32)}, **_BIG),
    "480b": Config(layers=95, embed=20480, mlp=81920, heads=160, head=128, mesh={1: (1024,), 2: (64, 32), 3: (16, 4, 32)}, **_BIG),
    "large": Config(layers=24, embed=1024, mlp=4096, heads=16, head=64, mesh={1: (64,), 2: (8, 8), 3: (4, 4, 4)}, **_BIG),
}


def params(cfg):
    return {
        "embedding": layers.embedding_params(cfg.vocab, cfg.embed),
        "positions": Array((cfg.length, cfg.embed), (None, "table_embed"), fan_in=cfg.embed),
        "segments": Array((2, cfg.embed), (None, "table_embed"), fan_in=cfg.embed),
        "embed_norm": layers.norm_params(cfg.embed, bias=True),
        "layers": stack(layers.block_params(cfg.embed, cfg.heads, cfg.head, cfg.mlp, bias=True), cfg.layers, "layers"),
        "pooler": Array((cfg.embed, cfg.embed), ("embed", None)),
        "next_sentence": Array((cfg.embed, 2), (None, None)),
        "masked_dense": Array((cfg.embed, cfg.embed), ("embed", None)),
        "masked_norm": layers.norm_params(cfg.embed, None, bias=True),
        "masked_bias": Array((cfg.vocab,), ("vocab",), "zeros"),
    }


def batch(cfg):
    ints = lambda shape, high: Array(shape, ("batch", "length")[:len(shape)], high, jnp.int32)
    masked = lambda high: Array((cfg.batch, cfg.masked), ("batch", None), high, jnp.int32)
    return {"tokens": ints((cfg.batch, cfg.length), cfg.vocab), "segment_ids": ints((cfg.batch, cfg.length), 2),
            "masked_at": masked(cfg.length), "masked_tokens": masked(cfg.vocab), "is_next": ints((cfg.batch,), 2)}


def loss(params, batch, cfg, c):
    with jax.named_scope("embed"):
        x = layers.embed(params["embedding"], batch["tokens"], c, cfg.dtype)
        x = x + params["positions"].astype(x.dtype) + params["segments"].astype(x.dtype)[batch["segment_ids"]]
        x = c(layers.norm(params["embed_norm"], x), "batch", "residual", "embed")
    x = layers.scan_layers(lambda p, x: layers.block(p, x, c), params["layers"], x)
    with jax.named_scope("next_sentence"):
        pooled = jnp.tanh(x[:, 0] @ params["pooler"].astype(x.dtype))
        next_loss = layers.cross_entropy(pooled @ params["next_sentence"].astype(x.dtype), batch["is_next"])
    with jax.named_scope("masked_tokens"):
        picked = jnp.take_along_axis(x, batch["masked_at"][..., None], axis=1)
        picked = layers.gelu(c(picked, "batch", None, "embed") @ params["masked_dense"].astype(x.dtype))
        scores = layers.logits(params["embedding"], layers.norm(params["masked_norm"], picked), c)
        scores = scores + params["masked_bias"].astype(x.dtype)
        return layers.cross_entropy(scores, batch["masked_tokens"]) + next_loss


STRATEGIES = {"data": sharding.DATA, "megatron": sharding.MEGATRON, "2d": sharding.TWO_D,
              "optimizer": sharding.OPTIMIZER, "mixed3": sharding.MIXED3}

MODELS = [Model("encoder", "MLPerf v1.1 open division, 200B and 480B dense encoders", CONFIGS, params, batch, loss,
                STRATEGIES, optim.adam(clip=1.0), optim.momentum())]
