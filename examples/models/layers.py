"""Layers shared by the models. A `*_params` function declares arrays, its partner computes; `c` is the Constrain."""
import jax
import jax.numpy as jnp

from .program import Array


def norm_params(width: int, axis="embed", bias=False):
    p = {"scale": Array((width,), (axis,), "ones")}
    return p | {"bias": Array((width,), (axis,), "zeros")} if bias else p


def norm(p, x):
    """Layer norm where there is a bias, else division by the root of the mean square."""
    y = x.astype(jnp.float32)
    if "bias" in p:
        y = y - jnp.mean(y, -1, keepdims=True)
    y = y * jax.lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-6) * p["scale"]
    return (y + p["bias"] if "bias" in p else y).astype(x.dtype)


def dropout(x, key, rate: float):
    """Without a key, nothing is dropped."""
    if key is None:
        return x
    keep = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(keep, x / (1 - rate), jnp.zeros((), x.dtype))


# --- attention -----------------------------------------------------------------------------------------------------

def attention_params(embed: int, heads: int, head: int, bias=False):
    p = {f"w{n}": Array((embed, heads, head), ("embed", "heads", None), fan_in=embed) for n in "qkv"}
    p["wo"] = Array((heads, head, embed), ("heads", None, "embed"))
    if bias:
        p |= {f"b{n}": Array((heads, head), ("heads", None), "zeros") for n in "qkv"}
        p["bo"] = Array((embed,), ("embed",), "zeros")
    return p


def attention(p, x, c, causal=False, key=None, rate=0.1):
    """Multi-head attention over x [batch, length, embed]; queries have the axis "length", keys and values "keys"."""
    def project(name, length):
        y = jnp.einsum("bsm,mnd->bsnd", x, p["w" + name].astype(x.dtype))
        if "b" + name in p:
            y = y + p["b" + name].astype(y.dtype)
        return c(y, "batch", length, "heads", None)
    q, k, v = project("q", "length"), project("k", "keys"), project("v", "keys")
    logits = jnp.einsum("bsnd,btnd->bnst", q * jnp.asarray(q.shape[-1] ** -0.5, q.dtype), k).astype(jnp.float32)
    if causal:
        rows, cols = (jax.lax.broadcasted_iota(jnp.int32, logits.shape[-2:], d) for d in (0, 1))
        logits = jnp.where(rows >= cols, logits, -1e9)
    weights = jnp.exp(logits - jax.lax.stop_gradient(jnp.max(logits, -1, keepdims=True)))
    weights = (weights / jnp.sum(weights, -1, keepdims=True)).astype(x.dtype)
    weights = dropout(weights, key, rate)
    y = c(jnp.einsum("bnst,btnd->bsnd", weights, v), "batch", "length", "heads", None)
    y = jnp.einsum("bsnd,ndm->bsm", y, p["wo"].astype(y.dtype))
    return y + p["bo"].astype(y.dtype) if "bo" in p else y


# --- feed forward --------------------------------------------------------------------------------------------------

def gelu(x):
    return 0.5 * x * (1.0 + jnp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def swish(x):
    return x / (1.0 + jnp.exp(-x))


def mlp_params(embed: int, mlp: int, gated=False, bias=False):
    p = {"w1": Array((embed, mlp), ("embed", "mlp")), "w2": Array((mlp, embed), ("mlp", "embed"))}
    if gated:
        p["wg"] = Array((embed, mlp), ("embed", "mlp"))
    if bias:
        p |= {"b1": Array((mlp,), ("mlp",), "zeros"), "b2": Array((embed,), ("embed",), "zeros")}
    return p


def mlp(p, x, c):
    """Two matrices with a non-linearity between; gated or with biases as declared."""
    h = c(jnp.einsum("bsm,mh->bsh", x, p["w1"].astype(x.dtype)), "batch", "length", "mlp")
    if "b1" in p:
        h = h + p["b1"].astype(x.dtype)
    h = gelu(h) if "b1" in p else swish(h)
    if "wg" in p:
        h = h * c(jnp.einsum("bsm,mh->bsh", x, p["wg"].astype(x.dtype)), "batch", "length", "mlp")
    y = jnp.einsum("bsh,hm->bsm", h, p["w2"].astype(x.dtype))
    return y + p["b2"].astype(x.dtype) if "b2" in p else y


# --- a transformer block, and stacks of it -------------------------------------------------------------------------

def block_params(embed: int, heads: int, head: int, mlp: int, gated=False, bias=False):
    return {"norm1": norm_params(embed, bias=bias), "attention": attention_params(embed, heads, head, bias),
         "norm2": norm_params(embed, bias=bias), "mlp": mlp_params(embed, mlp, gated, bias)}


def block(p, x, c, causal=False, keys=(None, None, None), rate=0.1):
    """Pre-norm attention and feed forward, each added to the residual stream."""
    with jax.named_scope("attention"):
        y = attention(p["attention"], norm(p["norm1"], x), c, causal, key=keys[0], rate=rate)
        x = c(x + dropout(y, keys[1], rate), "batch", "residual", "embed")
    with jax.named_scope("mlp"):
        y = mlp(p["mlp"], norm(p["norm2"], x), c)
        return c(x + dropout(y, keys[2], rate), "batch", "residual", "embed")


def scan_layers(body, params, x, remat=True):
    """x through `body` once per entry of the stacked params; with remat only the inputs of layers are kept."""
    body = jax.checkpoint(body, prevent_cse=False) if remat else body
    return jax.lax.scan(lambda x, p: (body(p, x), None), x, params)[0]


# --- embeddings and losses -----------------------------------------------------------------------------------------

def embedding_params(vocab: int, embed: int):
    return Array((vocab, embed), ("vocab", "table_embed"), fan_in=embed)


def embed(table, tokens, c, dtype):
    return c(table.astype(dtype)[tokens], "batch", "residual", "embed")


def logits(table, x, c):
    return c(jnp.einsum("bsm,vm->bsv", x, table.astype(x.dtype)), "batch", "length", "vocab")


def cross_entropy(scores, labels):
    """Mean negative log likelihood; works on scores split along their last dimension."""
    scores = scores.astype(jnp.float32)
    top = jax.lax.stop_gradient(jnp.max(scores, -1, keepdims=True))
    log_sum = jnp.log(jnp.sum(jnp.exp(scores - top), -1)) + top[..., 0]
    index = jax.lax.broadcasted_iota(labels.dtype, scores.shape, scores.ndim - 1)
    picked = jnp.sum(jnp.where(index == labels[..., None], scores, 0.0), -1)
    return jnp.mean(log_sum - picked)


def token_batch(batch: int, length: int, vocab: int):
    return {name: Array((batch, length), ("batch", "length"), vocab, jnp.int32) for name in ("tokens", "targets")}


# --- convolutions (channels last) ----------------------------------------------------------------------------------

def conv_params(window: tuple[int, ...], inputs: int, outputs: int, axes=("in", "out")):
    return {"kernel": Array((*window, inputs, outputs), (*(None for _ in window), *axes)),
            "bias": Array((outputs,), (axes[1],), "zeros")}


def conv(p, x, stride=1, dilation=1, groups=1):
    """Convolution of x [batch, *space, channels] with 'same' padding."""
    rank = x.ndim - 2
    space = "DHW"[-rank:]
    layout = ("N" + space + "C", space + "IO", "N" + space + "C")
    y = jax.lax.conv_general_dilated(x, p["kernel"].astype(x.dtype), (stride,) * rank, "SAME", rhs_dilation=(dilation,) * rank,
                                     dimension_numbers=layout, feature_group_count=groups)
    return y + p["bias"].astype(x.dtype)


def upsample(p, x, factor=2):
    """Transposed convolution: every spatial dimension `factor` times larger."""
    rank = x.ndim - 2
    space = "DHW"[-rank:]
    y = jax.lax.conv_transpose(x, p["kernel"].astype(x.dtype), (factor,) * rank, "SAME",
                               dimension_numbers=("N" + space + "C", space + "IO", "N" + space + "C"))
    return y + p["bias"].astype(x.dtype)
