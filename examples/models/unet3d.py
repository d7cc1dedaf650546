"""3-D U-Net for volumes too large for one device: convolutions down and up with skip connections, spatial sharding."""
import jax
import jax.numpy as jnp

from . import layers, optim
from .program import Array, Config, Model
from .sharding import Strategy

CONFIGS = {
    "tiny": Config(layers=2, size=16, inputs=1, channels=(4, 8, 8), classes=3, batch=2, dtype=jnp.float32),
    "medium": Config(layers=2, size=32, inputs=1, channels=(8, 16, 32), classes=3, batch=2, dtype=jnp.float32),
    "real": Config(layers=5, size=256, inputs=1, channels=(32, 64, 128, 256, 320, 320), classes=3, batch=16, dtype=jnp.bfloat16,
                   mesh={1: (16,), 2: (8, 4), 3: (16, 4, 2)}),
}
SPACE = ("batch", "depth", "height", "width", "channels")


def pair_params(inputs, outputs):
    return {"conv1": layers.conv_params((3,) * 3, inputs, outputs), "norm1": layers.norm_params(outputs, None, bias=True),
            "conv2": layers.conv_params((3,) * 3, outputs, outputs), "norm2": layers.norm_params(outputs, None, bias=True)}


def params(cfg):
    ch = cfg.channels[:cfg.layers + 1]
    p = {"stem": pair_params(cfg.inputs, ch[0]), "head": layers.conv_params((1,) * 3, ch[0], cfg.classes, ("in", None))}
    for i in range(1, len(ch)):
        p[f"down_{i}"] = pair_params(ch[i - 1], ch[i])
        p[f"up_{i}"] = pair_params(2 * ch[i - 1], ch[i - 1]) | {"grow": layers.conv_params((2,) * 3, ch[i], ch[i - 1])}
    return p


def batch(cfg):
    volume = (cfg.batch, cfg.size, cfg.size, cfg.size)
    return {"volume": Array((*volume, cfg.inputs), (*SPACE[:4], None), fan_in=1),
            "labels": Array(volume, SPACE[:4], cfg.classes, jnp.int32)}


def instance_norm(p, x):
    y = x.astype(jnp.float32)
    y = y - jnp.mean(y, (1, 2, 3), keepdims=True)
    y = y * jax.lax.rsqrt(jnp.mean(y * y, (1, 2, 3), keepdims=True) + 1e-5)
    return (y * p["scale"] + p["bias"]).astype(x.dtype)


def pair(p, x, c, stride=1):
    x = c(layers.conv(p["conv1"], x, stride=stride), *SPACE)
    x = jax.nn.relu(instance_norm(p["norm1"], x))
    x = c(layers.conv(p["conv2"], x), *SPACE)
    return jax.nn.relu(instance_norm(p["norm2"], x))


def pool(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), "VALID")


def dice(scores, labels, classes):
    """One minus the overlap of prediction and label, averaged over classes."""
    chance = jax.nn.softmax(scores.astype(jnp.float32))
    truth = jax.nn.one_hot(labels, classes)
    overlap, size = jnp.sum(chance * truth, (1, 2, 3)), jnp.sum(chance + truth, (1, 2, 3))
    return 1 - jnp.mean((2 * overlap + 1e-3) / (size + 1e-3))


def loss(params, batch, cfg, c):
    x = c(batch["volume"].astype(cfg.dtype), *SPACE[:4], None)
    with jax.named_scope("stem"):
        levels = [pair(params["stem"], x, c)]
    for i in range(1, cfg.layers + 1):
        with jax.named_scope(f"down_{i}"):
            # The first step pools, the others stride.
            x = pool(levels[-1]) if i == 1 else levels[-1]
            levels.append(pair(params[f"down_{i}"], x, c, stride=1 if i == 1 else 2))
    x = levels.pop()
    for i in range(cfg.layers, 0, -1):
        with jax.named_scope(f"up_{i}"):
            x = c(layers.upsample(params[f"up_{i}"]["grow"], x), *SPACE)
            x = pair(params[f"up_{i}"], jnp.concatenate([levels.pop(), x], -1), c)
    with jax.named_scope("head"):
        scores = c(layers.conv(params["head"], x), *SPACE[:4], None)
        return dice(scores, batch["labels"], cfg.classes) + layers.cross_entropy(scores, batch["labels"])


STRATEGIES = {
    "data_spatial": Strategy(("data", "depth"), activations={"batch": "data", "depth": "depth"}),
    "spatial": Strategy(("depth",), activations={"depth": "depth"}),
    "spatial2d": Strategy(("depth", "height"), activations={"depth": "depth", "height": "height"}),
    "mixed3": Strategy(("data", "depth", "height"), activations={"batch": "data", "depth": "depth", "height": "height"},
                       optimizer={"out": "data"}),
}

MODELS = [Model("unet3d", "3-D U-Net on volumes of 256^3", CONFIGS, params, batch, loss, STRATEGIES, optim.momentum())]
