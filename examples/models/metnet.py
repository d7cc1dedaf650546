"""MetNet-2-like forecasting model: dilated residual convolutions over a large map, conditioned on the lead time."""
import jax
import jax.numpy as jnp

from . import layers, optim
from .program import Array, Config, Model
from .sharding import Strategy

CONFIGS = {
    "tiny": Config(layers=1, height=32, width=32, inputs=4, channels=8, hidden=8, leads=6, bins=8, dilations=(1, 4),
                   crop=16, batch=4, dtype=jnp.float32),
    "medium": Config(layers=1, height=64, width=64, inputs=16, channels=96, hidden=64, leads=24, bins=32, dilations=(1, 2, 4, 8), crop=32,
                     batch=4, dtype=jnp.float32),
    "real": Config(layers=3, height=512, width=512, inputs=793, channels=384, hidden=2048, leads=721, bins=512,
                   dilations=(1, 2, 4, 8, 16, 32, 64, 128), crop=128, batch=16, dtype=jnp.bfloat16,
                   mesh={1: (16,), 2: (4, 4), 3: (16, 4, 4), "data_model": (16, 4)}),
}
SPACE = ("batch", "height", "width", "channels")


def block_params(cfg):
    return {"conv1": layers.conv_params((3, 3), cfg.channels, cfg.channels),
            "conv2": layers.conv_params((3, 3), cfg.channels, cfg.channels),
            "norm": layers.norm_params(cfg.channels, None),
            "modulate": Array((cfg.hidden, 2, cfg.channels), (None, None, "out"), fan_in=cfg.hidden)}


def params(cfg):
    p = {"lead": Array((cfg.leads, cfg.hidden), (None, None), fan_in=1),
         "lead_dense": Array((cfg.hidden, cfg.hidden), (None, None)),
         "stem": layers.conv_params((3, 3), cfg.inputs, cfg.channels),
         "shrink": layers.conv_params((3, 3), cfg.channels, cfg.channels),
         "grow": layers.conv_params((2, 2), cfg.channels, cfg.channels),
         "head": layers.conv_params((1, 1), cfg.channels, cfg.bins)}
    return p | {f"block_{i}_{d}": block_params(cfg) for i in range(cfg.layers) for d in cfg.dilations}


def batch(cfg):
    return {"maps": Array((cfg.batch, cfg.height, cfg.width, cfg.inputs), ("batch", "height", "width", None), fan_in=1),
            "lead": Array((cfg.batch,), ("batch",), cfg.leads, jnp.int32),
            "rain": Array((cfg.batch, cfg.crop, cfg.crop), ("batch", "height", "width"), cfg.bins, jnp.int32)}


def block(p, x, lead, dilation, c):
    """Two dilated convolutions; scale and shift of each channel depend on the lead time."""
    change = jnp.einsum("bk,kgc->bgc", lead, p["modulate"].astype(x.dtype))[:, :, None, None]
    y = c(layers.conv(p["conv1"], x, dilation=dilation), *SPACE)
    y = layers.norm(p["norm"], y) * (1 + change[:, 0]) + change[:, 1]
    y = c(layers.conv(p["conv2"], jax.nn.relu(y), dilation=dilation), *SPACE)
    return c(x + y, *SPACE)


def loss(params, batch, cfg, c):
    """At half resolution through all blocks, back to full, cropped to the middle, one distribution per pixel."""
    lead = jax.nn.relu(params["lead"].astype(cfg.dtype)[batch["lead"]] @ params["lead_dense"].astype(cfg.dtype))
    with jax.named_scope("stem"):
        x = jax.nn.relu(layers.conv(params["stem"], c(batch["maps"].astype(cfg.dtype), *SPACE[:3], None)))
        x = c(layers.conv(params["shrink"], c(x, *SPACE), stride=2), *SPACE)
    run = jax.checkpoint(block, static_argnums=(3, 4), prevent_cse=True)
    for i in range(cfg.layers):
        for dilation in cfg.dilations:
            with jax.named_scope(f"block_{i}_{dilation}"):
                x = run(params[f"block_{i}_{dilation}"], x, lead, dilation, c)
    with jax.named_scope("head"):
        x = c(layers.upsample(params["grow"], x), *SPACE)
        top, left = (cfg.height - cfg.crop) // 2, (cfg.width - cfg.crop) // 2
        x = x[:, top:top + cfg.crop, left:left + cfg.crop]
        return layers.cross_entropy(c(layers.conv(params["head"], x), *SPACE), batch["rain"])


# Rows over one axis; rows and columns; both with a data axis.
STRATEGIES = {
    "data_model": Strategy(("data", "model"), weights={"out": "model"}, activations={"batch": "data", "channels": "model"}),
    "spatial": Strategy(("height",), activations={"height": "height"}),
    "spatial2d": Strategy(("height", "width"), activations={"height": "height", "width": "width"}),
    "mixed3": Strategy(("data", "height", "width"), activations={"batch": "data", "height": "height", "width": "width"},
                       optimizer={"out": "data"}),
}

MODELS = [Model("metnet", "MetNet-2-like, maps of 512 x 512, 384 channels", CONFIGS, params, batch, loss,
                STRATEGIES, optim.adam(), optim.momentum())]
