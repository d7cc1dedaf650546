"""Conformer trained to predict codes of masked frames (BigSSL-like, 8B); scanned, and pipelined with GPipe stages."""
import jax
import jax.numpy as jnp

from . import layers, optim, pipeline, sharding
from .pipelined import MIXED3, PIPELINE, PIPELINE_OPEN
from .program import Array, Config, Model, stack

_TINY = dict(frames=32, features=8, codes=32, embed=16, mlp=32, heads=4, head=4, window=3, dtype=jnp.float32)
_REAL = dict(layers=36, frames=1024, features=80, codes=1024, embed=3072, mlp=12288, heads=16, head=192, window=5, batch=512,
             dtype=jnp.bfloat16, mesh={1: (128,), 2: (16, 8), 3: (4, 8, 4)})
_MEDIUM = dict(layers=4, frames=128, features=32, codes=256, embed=192, mlp=768, heads=4, head=48, window=5, batch=16, dtype=jnp.float32)
SCANNED = {"tiny": Config(layers=2, batch=8, stages=1, **_TINY), "medium": Config(stages=1, **_MEDIUM), "real": Config(stages=1, **_REAL)}
PIPELINED = {"tiny": Config(layers=4, batch=8, stages=4, layer_unit=4, micro_batches=4, **_TINY),
             "medium": Config(stages=4, layer_unit=4, micro_batches=4, **_MEDIUM),
             "real": Config(stages=4, layer_unit=4, micro_batches=16, **{**_REAL, "mesh": {2: (32, 4), 3: (4, 8, 4)}})}


def block_params(cfg):
    return {
        "ff1_norm": layers.norm_params(cfg.embed), "ff1": layers.mlp_params(cfg.embed, cfg.mlp),
        "attention_norm": layers.norm_params(cfg.embed), "attention": layers.attention_params(cfg.embed, cfg.heads, cfg.head),
        "conv_norm": layers.norm_params(cfg.embed),
        "conv_in": Array((cfg.embed, 2, cfg.embed), ("embed", None, "mlp"), fan_in=cfg.embed),
        "conv": layers.conv_params((cfg.window,), 1, cfg.embed, (None, "mlp")),
        "conv_mid_norm": layers.norm_params(cfg.embed, "mlp"),
        "conv_out": Array((cfg.embed, cfg.embed), ("mlp", "embed")),
        "ff2_norm": layers.norm_params(cfg.embed), "ff2": layers.mlp_params(cfg.embed, cfg.mlp),
        "norm": layers.norm_params(cfg.embed),
    }


def convolution(p, x, c):
    """Gated pointwise, depthwise along time, pointwise."""
    y = c(jnp.einsum("bsm,mgh->bsgh", x, p["conv_in"].astype(x.dtype)), "batch", "length", None, "mlp")
    y = y[:, :, 0] * jax.nn.sigmoid(y[:, :, 1])
    y = c(layers.conv(p["conv"], y, groups=y.shape[-1]), "batch", "length", "mlp")
    y = layers.swish(layers.norm(p["conv_mid_norm"], y))
    return jnp.einsum("bsh,hm->bsm", y, p["conv_out"].astype(x.dtype))


def block(p, x, c):
    """Half a feed forward, attention, convolution, half a feed forward."""
    residual = lambda x: c(x, "batch", "residual", "embed")
    with jax.named_scope("ff1"):
        x = residual(x + 0.5 * layers.mlp(p["ff1"], layers.norm(p["ff1_norm"], x), c))
    with jax.named_scope("attention"):
        x = residual(x + layers.attention(p["attention"], layers.norm(p["attention_norm"], x), c))
    with jax.named_scope("convolution"):
        x = residual(x + convolution(p, layers.norm(p["conv_norm"], x), c))
    with jax.named_scope("ff2"):
        x = residual(x + 0.5 * layers.mlp(p["ff2"], layers.norm(p["ff2_norm"], x), c))
        return layers.norm(p["norm"], x)


def params(cfg):
    blocks = stack(block_params(cfg), cfg.layers // cfg.stages, "layers")
    return {"stem1": layers.conv_params((3,), cfg.features, cfg.embed, (None, "stem")),
            "stem2": layers.conv_params((3,), cfg.embed, cfg.embed, ("stem", None)),
            "mask": Array((cfg.embed,), (None,), "zeros"),
            "blocks": blocks if cfg.stages == 1 else stack(blocks, cfg.stages, "stage"),
            "codes": Array((cfg.codes, cfg.embed), ("vocab", "table_embed"), fan_in=cfg.embed)}


def batch(cfg):
    frames = lambda high: Array((cfg.batch, cfg.frames // 4), ("batch", "length"), high, jnp.int32)
    return {"features": Array((cfg.batch, cfg.frames, cfg.features), ("batch", "length", None), fan_in=1),
            "codes": frames(cfg.codes), "masked": frames(2)}


def loss(params, batch, cfg, c):
    """Frames at a quarter of their rate, masked, encoded; codes are to be predicted."""
    with jax.named_scope("stem"):
        x = jax.nn.relu(layers.conv(params["stem1"], batch["features"].astype(cfg.dtype), stride=2))
        x = layers.conv(params["stem2"], x, stride=2)
        x = jnp.where(batch["masked"][..., None] > 0, params["mask"].astype(x.dtype), x)
        x = c(x, "batch", "residual", "embed")
    body = lambda p, x: block(p, x, c)
    if cfg.stages == 1:
        x = layers.scan_layers(body, params["blocks"], x)
    else:
        axes = ("batch", "residual", "embed")
        stage = lambda p, x: layers.scan_layers(body, p, x, remat=False)
        x = c(pipeline.split(x, cfg.micro_batches), None, *axes)
        with jax.named_scope("pipeline"):
            x = pipeline.gpipe(stage, params["blocks"], x, cfg.stages, c, axes)
        x = c(pipeline.join(x), *axes)
    with jax.named_scope("codes"):
        return layers.cross_entropy(layers.logits(params["codes"], x, c), batch["codes"])


_PAPER = "BigSSL-like Conformer, 7.9B"
MODELS = [
    Model("conformer", _PAPER, SCANNED, params, batch, loss,
          {"data": sharding.DATA, "megatron": sharding.MEGATRON, "2d": sharding.TWO_D,
           "mixed3": sharding.MIXED3}, optim.adam(), optim.momentum()),
    Model("conformer_pipelined", _PAPER + ", pipelined", PIPELINED, params, batch, loss,
          {"pipeline_open": PIPELINE_OPEN, "pipeline": PIPELINE, "mixed3": MIXED3}, optim.adam(), optim.momentum()),
]
