"""Image and text towers, each sharded in its own way, trained to agree on pairs (contrastive, as in BASIC and ALIGN)."""
import dataclasses

import jax
import jax.numpy as jnp

from . import layers, optim, vit
from .program import Array, Config, Model, map_arrays, stack
from .sharding import Strategy

_TINY = dict(layers=2, embed=16, mlp=32, heads=4, head=4, batch=8, dtype=jnp.float32)
_MEDIUM = dict(layers=3, embed=256, mlp=1024, heads=8, head=32, batch=32, dtype=jnp.float32)
_REAL = dict(batch=8192, dtype=jnp.bfloat16)
CONFIGS = {
    "tiny": Config(image=Config(image=16, patch=4, **_TINY), text=Config(vocab=64, length=8, **_TINY), layers=2, joint=16, batch=8),
    "medium": Config(image=Config(image=64, patch=8, **_MEDIUM), text=Config(vocab=1024, length=32, **_MEDIUM), layers=3, joint=128, batch=32),
    "real": Config(image=Config(layers=48, image=224, patch=14, embed=1664, mlp=8192, heads=16, head=104, **_REAL),
                   text=Config(layers=36, vocab=32768, length=64, embed=4096, mlp=16384, heads=32, head=128, **_REAL),
                   layers=None, joint=1024, batch=8192, mesh={2: (64, 8), 3: (16, 4, 8)}),
}
TOWERS = ("image", "text")


class Tower:
    """Constrains under the tower's own rules: axis "batch" of the image tower is the logical axis "image.batch"."""

    def __init__(self, name, c):
        self.name, self.c = name, c

    def __call__(self, x, *axes):
        return self.c(x, *(a and f"{self.name}.{a}" for a in axes))


def rename(name, tree):
    return map_arrays(lambda a: dataclasses.replace(a, axes=tuple(x and f"{name}.{x}" for x in a.axes)), tree)


def towers(cfg):
    """Both configurations; one depth for both where it is given."""
    for name in TOWERS:
        tower = Config(**vars(getattr(cfg, name)))
        tower.layers = cfg.layers or tower.layers
        yield name, tower


def params(cfg):
    image, text = (tower for _, tower in towers(cfg))
    text_params = {
        "embedding": layers.embedding_params(text.vocab, text.embed),
        "positions": Array((text.length, text.embed), (None, "table_embed"), fan_in=text.embed),
        "layers": stack(layers.block_params(text.embed, text.heads, text.head, text.mlp), text.layers, "layers"),
        "final_norm": layers.norm_params(text.embed)}
    project = lambda tower: {"project": Array((tower.embed, cfg.joint), ("embed", None))}
    return {"image": rename("image", vit.tower_params(image) | project(image)),
            "text": rename("text", text_params | project(text)),
            "temperature": Array((), (), "ones")}


def batch(cfg):
    image, text = (tower for _, tower in towers(cfg))
    return {"images": rename("image", vit.image_batch(image)),
            "tokens": rename("text", Array((text.batch, text.length), ("batch", "length"), text.vocab, jnp.int32))}


def text_tower(params, tokens, cfg, c):
    x = layers.embed(params["embedding"], tokens, c, cfg.dtype) + params["positions"].astype(cfg.dtype)
    x = layers.scan_layers(lambda p, x: layers.block(p, x, c, causal=True), params["layers"], x)
    return jnp.mean(layers.norm(params["final_norm"], x), 1)


def unit(x):
    x = x.astype(jnp.float32)
    return x * jax.lax.rsqrt(jnp.sum(jnp.square(x), -1, keepdims=True) + 1e-6)


def loss(params, batch, cfg, c):
    run = {"image": (vit.tower, batch["images"]), "text": (text_tower, batch["tokens"])}
    codes = {}
    for name, tower in towers(cfg):
        with jax.named_scope(name):
            f, inputs = run[name]
            x = f(params[name], inputs, tower, Tower(name, c))
            codes[name] = c(unit(x @ params[name]["project"].astype(x.dtype)), "pairs", None)
    with jax.named_scope("contrast"):
        scores = c(codes["image"] @ codes["text"].T * jnp.exp(params["temperature"]), "pairs", None)
        same = jax.lax.iota(jnp.int32, cfg.batch)
        return 0.5 * (layers.cross_entropy(scores, same) + layers.cross_entropy(scores.T, same))


_TEXT = {"text.batch": "data", "text.heads": "model", "text.mlp": "model", "text.vocab": "model"}
_TEXT_WEIGHTS = {k: v for k, v in _TEXT.items() if k != "text.batch"}
STRATEGIES = {
    # Images over all devices by batch, text by Megatron.
    "data_megatron": Strategy(("data", "model"), weights=_TEXT_WEIGHTS,
                              activations={"image.batch": ("data", "model"), "pairs": ("data", "model"), **_TEXT}),
    # Images by rows.
    "spatial_megatron": Strategy(("data", "model"), weights=_TEXT_WEIGHTS,
                                 activations={"image.batch": "data", "image.height": "model", "pairs": "data", **_TEXT}),
    # Images with weights over fsdp, text by Megatron with the sequence split between blocks, pairs over all.
    "mixed3": Strategy(("data", "fsdp", "model"), weights={"image.embed": "fsdp", "text.embed": "fsdp", **_TEXT_WEIGHTS},
                       activations={**_TEXT, "image.batch": ("data", "fsdp", "model"), "text.batch": ("data", "fsdp"),
                                    "text.residual": "model", "pairs": ("data", "fsdp", "model")}),
}

MODELS = [Model("multimodal", "contrastive image + text (BASIC-like: ViT-G image tower, 7B text tower)", CONFIGS, params, batch,
                loss, STRATEGIES, optim.adafactor(), optim.momentum())]
