"""Vision transformer: patches by a strided convolution, a class token, learned positions (ViT-G/14, and ViT-22B)."""
import jax
import jax.numpy as jnp

from . import layers, optim, sharding
from .program import Array, Config, Model, stack
from .sharding import Strategy

CONFIGS = {
    "tiny": Config(layers=2, image=16, patch=4, classes=16, embed=16, mlp=32, heads=4, head=4, batch=8, dtype=jnp.float32),
    "medium": Config(layers=4, image=64, patch=8, classes=64, embed=256, mlp=1024, heads=8, head=32, batch=32, dtype=jnp.float32),
    "real": Config(layers=48, image=224, patch=14, classes=1000, embed=1664, mlp=8192, heads=16, head=104, batch=4096,
                   dtype=jnp.bfloat16, mesh={1: (128,), 2: (32, 4), 3: (8, 4, 4), "spatial": (32, 4)}),
    "22b": Config(layers=48, image=224, patch=14, classes=1000, embed=6144, mlp=24576, heads=48, head=128, batch=4096,
                  dtype=jnp.bfloat16, mesh={1: (512,), 2: (64, 16), 3: (16, 4, 16), "spatial": (64, 4)}),
}


def tower_params(cfg):
    patches = (cfg.image // cfg.patch) ** 2
    return {"patches": layers.conv_params((cfg.patch, cfg.patch), 3, cfg.embed, (None, "stem")),
            "class_token": Array((1, 1, cfg.embed), (None, None, None)),
            "positions": Array((patches + 1, cfg.embed), (None, "table_embed"), fan_in=cfg.embed),
            "layers": stack(layers.block_params(cfg.embed, cfg.heads, cfg.head, cfg.mlp, bias=True), cfg.layers, "layers"),
            "final_norm": layers.norm_params(cfg.embed, bias=True)}


def params(cfg):
    return tower_params(cfg) | {"head": Array((cfg.embed, cfg.classes), ("embed", "vocab"))}


def image_batch(cfg):
    return Array((cfg.batch, cfg.image, cfg.image, 3), ("batch", "height", "width", None), fan_in=1)


def batch(cfg):
    return {"images": image_batch(cfg), "labels": Array((cfg.batch,), ("batch",), cfg.classes, jnp.int32)}


def tower(params, images, cfg, c):
    """Images to one vector each: the class token after all layers."""
    with jax.named_scope("patches"):
        kernel = params["patches"]
        x = jax.lax.conv_general_dilated(images.astype(cfg.dtype), kernel["kernel"].astype(cfg.dtype), (cfg.patch,) * 2, "VALID",
                                         dimension_numbers=("NHWC", "HWIO", "NHWC")) + kernel["bias"].astype(cfg.dtype)
        x = c(x, "batch", "height", "width", "stem")
        x = x.reshape(x.shape[0], -1, cfg.embed)
        token = jnp.broadcast_to(params["class_token"].astype(x.dtype), (x.shape[0], 1, cfg.embed))
        x = jnp.concatenate([token, x], 1) + params["positions"].astype(x.dtype)
        x = c(x, "batch", "residual", "embed")
    x = layers.scan_layers(lambda p, x: layers.block(p, x, c), params["layers"], x)
    return layers.norm(params["final_norm"], x[:, 0])


def loss(params, batch, cfg, c):
    x = tower(params, batch["images"], cfg, c)
    with jax.named_scope("head"):
        scores = c(x @ params["head"].astype(x.dtype), "batch", "vocab")
        return layers.cross_entropy(scores, batch["labels"])


# Rows of the image over "space"; after the patches everything is split over both axes by batch.
SPATIAL = Strategy(("data", "space"), activations={"batch": "data", "height": "space"})
STRATEGIES = {"data": sharding.DATA, "megatron": sharding.MEGATRON,
              "spatial": SPATIAL, "mixed3": sharding.MIXED3}

MODELS = [Model("vit", "ViT-G/14 (1.8B) and ViT-22B", CONFIGS, params, batch, loss, STRATEGIES, optim.adafactor(), optim.momentum())]
