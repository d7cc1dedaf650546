"""Optimizers, each as two functions: the state it keeps per parameter, and one update."""
import dataclasses
import math
from typing import Any, Callable

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Optimizer:
    name: str
    state: Callable[[Any], Any]                      # declared parameters -> declared state
    update: Callable[[Any, Any, Any], tuple]         # parameters, state, gradients -> new parameters, new state


def _arrays():
    from . import program  # declared there; imported late as that module needs this one
    return program


def _like(params, fill):
    p = _arrays()
    return p.map_arrays(lambda a: dataclasses.replace(a, fill=fill), params)


def _count():
    return _arrays().Array((), (), fill=8, dtype=jnp.int32)


def _unzip(tree, like, n):
    """A tree of n-tuples as n trees."""
    leaves = jax.tree.leaves(tree, is_leaf=lambda x: isinstance(x, tuple))
    shape = jax.tree.structure(like)
    return tuple(jax.tree.unflatten(shape, [leaf[i] for leaf in leaves]) for i in range(n))


def global_norm_scale(grads, limit: float):
    """The factor that brings the norm of all gradients down to the limit."""
    norm = jnp.sqrt(sum(jnp.sum(jnp.square(g.astype(jnp.float32))) for g in jax.tree.leaves(grads)))
    return jnp.minimum(1.0, limit / (norm + 1e-6))


def momentum(rate=0.05, decay=0.9) -> Optimizer:
    """Stochastic gradient descent with momentum."""
    def update(params, state, grads):
        def one(p, m, g):
            m = decay * m + g
            return p - rate * m, m
        new, m = _unzip(jax.tree.map(one, params, state["momentum"], grads), params, 2)
        return new, {"momentum": m}
    return Optimizer("momentum", lambda params: {"momentum": _like(params, "zeros")}, update)


def adam(rate=1e-3, b1=0.9, b2=0.99, eps=1e-6, clip: float | None = None, decay=0.0, warmup: int = 0) -> Optimizer:
    """Adam with bias correction; optionally clipping by global norm, decoupled weight decay and a warm-up."""
    def state(params):
        return {"count": _count(), "m": _like(params, "zeros"), "v": _like(params, "positive")}

    def update(params, state, grads):
        count = state["count"] + 1
        t = count.astype(jnp.float32)
        scale = None if clip is None else global_norm_scale(grads, clip)
        unbias_m, unbias_v = 1 / (1 - b1**t), 1 / (1 - b2**t)
        lr = rate * jnp.minimum(1.0, t / warmup) * jax.lax.rsqrt(jnp.maximum(t / warmup, 1.0)) if warmup else rate

        def one(p, m, v, g):
            g = g.astype(jnp.float32) if scale is None else g.astype(jnp.float32) * scale
            m = b1 * m + (1 - b1) * g
            v = b2 * v + (1 - b2) * g * g
            step = m * unbias_m / (jnp.sqrt(v * unbias_v) + eps)
            return p - lr * (step + decay * p if decay and p.ndim > 1 else step), m, v
        new, m, v = _unzip(jax.tree.map(one, params, state["m"], state["v"], grads), params, 3)
        return new, {"count": count, "m": m, "v": v}
    return Optimizer("adam", state, update)


def adafactor(rate=1e-2, b2=0.99, eps=1e-30) -> Optimizer:
    """Adafactor: the second moment of a matrix kept as row and column means; plain for vectors; clipped updates."""
    def state(params):
        p = _arrays()

        def drop(a, dim):
            keep = lambda xs: tuple(x for i, x in enumerate(xs) if i != dim % len(xs))
            return p.Array(keep(a.shape), keep(a.axes), "positive")
        rows = p.map_arrays(lambda a: drop(a, -1) if len(a.shape) > 1 else dataclasses.replace(a, fill="positive"), params)
        cols = p.map_arrays(lambda a: drop(a, -2) if len(a.shape) > 1 else p.Array((), (), "positive"), params)
        return {"rows": rows, "cols": cols}

    def update(params, state, grads):
        def one(p, r, c, g):
            g = g.astype(jnp.float32)
            square = jnp.square(g) + eps
            if g.ndim > 1:
                r = b2 * r + (1 - b2) * jnp.mean(square, -1)
                c = b2 * c + (1 - b2) * jnp.mean(square, -2)
                u = g * jax.lax.rsqrt(r / jnp.mean(r, -1, keepdims=True))[..., None] * jax.lax.rsqrt(c)[..., None, :]
            else:
                r = b2 * r + (1 - b2) * square
                u = g * jax.lax.rsqrt(r)
            u = u / jnp.maximum(1.0, jnp.sqrt(jnp.sum(jnp.square(u)) / float(math.prod(u.shape))))
            return p - rate * u, r, c
        new, r, c = _unzip(jax.tree.map(one, params, state["rows"], state["cols"], grads), params, 3)
        return new, {"rows": r, "cols": c}
    return Optimizer("adafactor", state, update)


ADAM = adam()
