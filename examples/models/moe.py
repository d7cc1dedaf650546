"""Mixture of experts with GShard's top-2 gating: sparse (GShard M4) and with large dense layers (GSPMD's hybrid)."""
import jax
import jax.numpy as jnp

from . import layers, optim, sharding
from .decoder import language_loss
from .program import Array, Config, Model, stack
from .sharding import Strategy

# Layers come in pairs: dense feed forward, then experts.
_M4 = dict(vocab=64000, embed=1024, mlp=8192, expert_mlp=8192, heads=16, head=128, length=1024, dtype=jnp.bfloat16)
SPARSE = {
    "tiny": Config(layers=2, layer_unit=2, experts=8, groups=8, vocab=64, embed=16, mlp=32, expert_mlp=32, heads=4, head=4, length=8,
                   batch=8, dtype=jnp.float32),
    "medium": Config(layers=4, layer_unit=2, experts=8, groups=8, expert_mlp=1024, vocab=1024, embed=256, mlp=1024, heads=8, head=32, length=128, batch=16, dtype=jnp.float32),
    "real": Config(layers=36, layer_unit=2, experts=2048, groups=2048, batch=4096, mesh={1: (2048,), 2: (512, 4), 3: (2, 256, 4)}, **_M4),
    "37b": Config(layers=36, layer_unit=2, experts=128, groups=512, batch=4096, mesh={1: (128,), 2: (32, 4), 3: (2, 16, 4)}, **_M4),
}
HYBRID = {
    "tiny": Config(**{**vars(SPARSE["tiny"]), "experts": 4, "groups": 4, "mlp": 64}),
    "medium": Config(**{**vars(SPARSE["medium"]), "experts": 4, "groups": 4, "mlp": 2048}),
    "real": Config(layers=32, layer_unit=2, experts=64, groups=64, vocab=32000, embed=4096, mlp=16384, expert_mlp=16384, heads=64,
                   head=128, length=1024, batch=512, dtype=jnp.bfloat16, mesh={1: (64,), 2: (64, 8), 3: (2, 32, 8)}),
}


def experts_params(cfg):
    return {"gate": Array((cfg.embed, cfg.experts), ("gate_embed", None)),
            "w1": Array((cfg.experts, cfg.embed, cfg.expert_mlp), ("expert", "expert_embed", "expert_mlp"), fan_in=cfg.embed),
            "w2": Array((cfg.experts, cfg.expert_mlp, cfg.embed), ("expert", "expert_mlp", "expert_embed"), fan_in=cfg.expert_mlp)}


def top2(probabilities, capacity: int):
    """Where every token goes: combine weights [group, token, expert, slot], and GShard's auxiliary loss."""
    experts = probabilities.shape[-1]

    def choose(p):
        return jax.nn.one_hot(jnp.argmax(p, -1), experts, dtype=jnp.float32)
    first = choose(probabilities)
    second = choose(probabilities * (1 - first))
    # Places in the experts' buffers, in the order of tokens; second choices queue behind all first ones.
    place1 = jnp.cumsum(first, 1) - first
    place2 = jnp.cumsum(second, 1) - second + jnp.sum(first, 1, keepdims=True)
    weight1, weight2 = (jnp.sum(probabilities * m, -1) for m in (first, second))
    total = weight1 + weight2 + 1e-9
    combine = 0.0
    for mask, place, weight in ((first, place1, weight1), (second, place2, weight2)):
        mask = mask * (place < capacity)
        slot = jnp.sum(place * mask, -1).astype(jnp.int32)
        combine += ((weight / total)[..., None] * mask)[..., None] * jax.nn.one_hot(slot, capacity)[:, :, None, :]
    balance = jnp.mean(jnp.mean(first, 1) * jnp.mean(probabilities, 1)) * experts**2
    return combine, balance


def experts(p, x, cfg, c):
    """x [batch, length, embed] through two experts per token."""
    tokens = x.reshape(cfg.groups, -1, cfg.embed)
    tokens = c(tokens, "group", None, "embed")
    gates = jnp.einsum("gsm,me->gse", tokens.astype(jnp.float32), p["gate"])
    capacity = max(4, 2 * tokens.shape[1] // cfg.experts)
    combine, balance = top2(jax.nn.softmax(c(gates, "group", None, None)), capacity)
    combine = c(combine, "group", None, None, None)
    dispatch = (combine > 0).astype(x.dtype)
    y = c(jnp.einsum("gsec,gsm->egcm", dispatch, tokens), "expert", "group", None, "embed")
    h = c(jnp.einsum("egcm,emh->egch", y, p["w1"].astype(x.dtype)), "expert", "group", None, "expert_mlp")
    y = jnp.einsum("egch,ehm->egcm", jax.nn.relu(h), p["w2"].astype(x.dtype))
    y = c(y, "expert", "group", None, "embed")
    y = c(jnp.einsum("gsec,egcm->gsm", combine.astype(x.dtype), y), "group", None, "embed")
    return c(y.reshape(x.shape), "batch", "residual", "embed"), balance


def params(cfg):
    pair = {"dense": layers.block_params(cfg.embed, cfg.heads, cfg.head, cfg.mlp),
            "norm1": layers.norm_params(cfg.embed), "attention": layers.attention_params(cfg.embed, cfg.heads, cfg.head),
            "norm2": layers.norm_params(cfg.embed), "experts": experts_params(cfg)}
    return {"embedding": layers.embedding_params(cfg.vocab, cfg.embed), "final_norm": layers.norm_params(cfg.embed),
            "pairs": stack(pair, cfg.layers // 2, "layers")}


def batch(cfg):
    return layers.token_batch(cfg.batch, cfg.length, cfg.vocab)


def loss(params, batch, cfg, c):
    def pair(p, carry):
        x, balance = carry
        with jax.named_scope("dense"):
            x = layers.block(p["dense"], x, c, causal=True)
        with jax.named_scope("sparse"):
            x = c(x + layers.attention(p["attention"], layers.norm(p["norm1"], x), c, causal=True),
                  "batch", "residual", "embed")
            y, more = experts(p["experts"], layers.norm(p["norm2"], x), cfg, c)
        return x + y, balance + more
    balance = 0.0

    def run(x):
        nonlocal balance
        x, balance = layers.scan_layers(pair, params["pairs"], (x, jnp.zeros(())))
        return x
    main = language_loss(params, batch, cfg, c, run)
    return main + 0.01 * balance


# Tokens and experts share the axis: dispatch and combine become all-to-alls.
EXPERT = Strategy(("expert",), weights={"expert": "expert"},
                  activations={"batch": "expert", "group": "expert", "expert": "expert"})
_Y = {"heads": "y", "mlp": "y", "expert_mlp": "y", "vocab": "y"}
# Experts over x, the feed forward of each over y, attention in the 2-D scheme.
HYBRID_2D = Strategy(("x", "y"), weights={"expert": "x", "embed": "x", "table_embed": "y", **_Y},
                     activations={"batch": "x", "group": "x", "expert": "x", "embed": "y", **_Y})
_MODEL = {"heads": "model", "mlp": "model", "expert_mlp": "model", "vocab": "model"}
MIXED3 = Strategy(("data", "expert", "model"), weights={"expert": "expert", **_MODEL},
                  activations={"batch": ("data", "expert"), "group": ("expert", "data"), "expert": "expert", **_MODEL},
                  optimizer={"expert": "expert", "embed": ("data", "expert"), "table_embed": ("data", "expert"),
                             "expert_embed": "data", **_MODEL})
EXPERT_MODEL = Strategy(("expert", "model"), weights={"expert": "expert", **_MODEL},
                        activations={"batch": "expert", "group": "expert", "expert": "expert", **_MODEL})

MODELS = [
    Model("moe", "GShard-M4-like, 36 layers, 2048 experts, 619B", SPARSE, params, batch, loss,
          {"data": sharding.DATA.extend(activations={"group": "data"}), "expert": EXPERT, "expert_model": EXPERT_MODEL,
           "mixed3": MIXED3}, optim.adafactor(), optim.momentum()),
    Model("moe_hybrid", "hybrid of experts and large dense layers, 144B", HYBRID, params, batch, loss,
          {"2d": HYBRID_2D, "expert_model": EXPERT_MODEL, "mixed3": MIXED3}, optim.adam(), optim.momentum()),
]
