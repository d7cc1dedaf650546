"""Transformer pipelined as vectorised stages with a shifting buffer: GPipe and circular schedules."""
import jax
import jax.numpy as jnp

from . import decoder, layers, optim, pipeline
from .program import Config, Model, stack
from .sharding import Strategy

_TINY = dict(vocab=64, embed=16, mlp=32, heads=4, head=4, length=8, batch=16, dtype=jnp.float32, gated=False)
_MEDIUM = dict(vocab=1024, embed=256, mlp=1024, heads=8, head=32, length=128, batch=32, dtype=jnp.float32, gated=False)
# A narrow model of 6.6B parameters (GSPMD 5.2 has 6.47B); stage x data and stage x data x model.
_REAL = dict(vocab=32000, embed=4096, mlp=16384, heads=32, head=128, length=1024, batch=512, dtype=jnp.bfloat16, gated=False,
             mesh={1: (8,), 2: (32, 8), 3: (8, 8, 4)})
GPIPE = {"tiny": Config(layers=4, stages=4, repeats=1, layer_unit=4, micro_batches=4, **_TINY),
         "medium": Config(layers=4, stages=4, repeats=1, layer_unit=4, micro_batches=8, **_MEDIUM),
         "real": Config(layers=32, stages=8, repeats=1, layer_unit=8, micro_batches=32, **_REAL)}
CIRCULAR = {"tiny": Config(layers=8, stages=4, repeats=2, layer_unit=8, micro_batches=4, **_TINY),
            "medium": Config(layers=8, stages=4, repeats=2, layer_unit=8, micro_batches=4, **{**_MEDIUM, "batch": 16}),
            "real": Config(layers=32, stages=8, repeats=4, layer_unit=32, micro_batches=16, **_REAL)}


def params(cfg):
    p = stack(decoder.block_params(cfg), cfg.layers // (cfg.stages * cfg.repeats), "layers")
    if cfg.repeats > 1:
        p = stack(p, cfg.repeats, "repeat")
    return decoder.outer_params(cfg) | {"stages": stack(p, cfg.stages, "stage")}


def loss(params, batch, cfg, c):
    def stage(p, x):
        return layers.scan_layers(lambda p, x: layers.block(p, x, c, causal=True), p, x, remat=False)

    def run(x):
        axes = ("batch", "residual", "embed")
        x = c(pipeline.split(x, cfg.micro_batches), None, *axes)
        with jax.named_scope("pipeline"):
            if cfg.repeats > 1:
                x = pipeline.circular(stage, params["stages"], x, cfg.stages, cfg.repeats, c, axes)
            else:
                x = pipeline.gpipe(stage, params["stages"], x, cfg.stages, c, axes)
        return c(pipeline.join(c(x, None, *axes)), *axes)
    return decoder.language_loss(params, batch, cfg, c, run)


# Only the stage dimension of the buffer is pinned; all others are open.
PIPELINE_OPEN = Strategy(("data", "stage"), weights={"stage": "stage"}, activations={"stage": "stage"},
                         inputs={"batch": "data"}, open=True)
PIPELINE = Strategy(("data", "stage"), weights={"stage": "stage"}, activations={"stage": "stage", "batch": "data"})
_MODEL = {"heads": "model", "mlp": "model", "vocab": "model"}
MIXED3 = Strategy(("stage", "data", "model"), weights={"stage": "stage", **_MODEL},
                  activations={"stage": "stage", "batch": "data", **_MODEL},
                  optimizer={"stage": "stage", "embed": "data", "table_embed": "data", **_MODEL})
STRATEGIES = {"pipeline_open": PIPELINE_OPEN, "pipeline": PIPELINE, "mixed3": MIXED3}

MODELS = [
    Model("pipeline_gpipe", "GSPMD 5.2, narrow model (6.47B there, 6.57B here), GPipe schedule", GPIPE, params, decoder.batch, loss, STRATEGIES,
          optim.adam(), optim.momentum()),
    Model("pipeline_circular", "the same in the circular schedule", CIRCULAR, params, decoder.batch, loss, STRATEGIES,
          optim.adam(), optim.momentum()),
]
