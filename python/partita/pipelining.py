"""Pipelines: a loop in which every stage works on another part of the batch.

All stages are one function, so the pipeline is that function applied along a leading dimension of stages, and a buffer with that dimension
that moves on by one stage in every step. Split over an axis of a mesh, the move becomes one permute between neighbours, and
everything else stays where it is; other axes may split the stages themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec

from partita.errors import Error


def pipeline(
    stage_fn: Callable[[Any, Any], Any], stages: int, microbatches: int, repeats: int = 1, *, axis: str | None = None
) -> Callable[[Any, Any], Any]:
    """Makes one stage of a model into a pipeline of `stages`, each of which runs `repeats` times.

    `stage_fn(params, x)` computes one stage: arrays like `x`. The pipeline takes parameters with a leading dimension of `stages * repeats`, in the
    order in which they apply, and a batch that falls into `microbatches`. With one repeat it is GPipe's schedule; with more, stage `s` has the
    layers `s`, `s + stages`, …, and what leaves the last stage enters the first again, which makes the bubbles shorter. `axis` is the axis of the
    mesh that splits the stages.

    >>> import jax.numpy as jnp
    >>> run = pipeline(lambda weight, x: x * weight + 1.0, stages=2, microbatches=4)
    >>> run(jnp.array([2.0, 3.0]), jnp.arange(8.0)).tolist()
    [4.0, 10.0, 16.0, 22.0, 28.0, 34.0, 40.0, 46.0]
    """
    for name, value in (("stages", stages), ("microbatches", microbatches), ("repeats", repeats)):
        if value < 1:
            raise Error(f"a pipeline needs at least one of `{name}`, not {value}")
    if repeats > 1 and microbatches % stages:
        raise Error(f"with repeats, the {microbatches} microbatches must be a multiple of the {stages} stages")

    def run(params: Any, batch: Any) -> Any:
        for leaf in jax.tree.leaves(params):
            if leaf.shape[:1] != (stages * repeats,):
                raise Error(f"parameters need a leading dimension of {stages * repeats}, one layer for each stage and repeat; one has the shape {leaf.shape}")
        for leaf in jax.tree.leaves(batch):
            if not leaf.shape or leaf.shape[0] % microbatches:
                raise Error(f"a batch of shape {leaf.shape} does not fall into {microbatches} microbatches")
        # Layer r·stages + s belongs to stage s: stages first, then repeats.
        by_stage = jax.tree.map(lambda p: jnp.swapaxes(p.reshape(repeats, stages, *p.shape[1:]), 0, 1), params)
        by_stage = jax.tree.map(_split, by_stage)
        # The index of a microbatch goes inside: a split of the batch then is one of every microbatch.
        parts = jax.tree.map(lambda x: jnp.swapaxes(x.reshape(-1, microbatches, *x.shape[1:]), 0, 1), batch)
        state = jax.tree.map(lambda x: jnp.zeros((stages, *x.shape[1:]), x.dtype), parts)
        numbers = jnp.arange(stages)

        def microbatch(busy: jax.Array) -> jax.Array:
            return busy // (stages * repeats) * stages + busy % stages if repeats > 1 else busy

        def step(state: Any, time: jax.Array) -> tuple[Any, Any]:
            # How long each stage has been busy tells its repeat.
            busy = jnp.maximum(time - numbers, 0)
            repeat = (busy // stages) % repeats
            enter = jnp.minimum(microbatch(time), microbatches - 1)
            entering = jax.tree.map(lambda x: lax.dynamic_index_in_dim(x, enter, 0, keepdims=True), parts)
            shifted = jax.tree.map(lambda x: jnp.roll(x, 1, axis=0), state)
            first = (numbers == 0) & (repeat == 0)
            state = jax.tree.map(lambda new, old: jnp.where(_along(first, old), new, old), entering, shifted)
            current = jax.tree.map(lambda p: jax.vmap(lambda own, r: lax.dynamic_index_in_dim(own, r, 0, keepdims=False))(p, repeat), by_stage)
            state = jax.tree.map(_split, jax.vmap(stage_fn)(current, jax.tree.map(_split, state)))
            # All stages are kept, each where it is: what left the last one is taken after the loop, at once.
            return state, state

        steps = repeats * microbatches + stages - 1
        _, states = lax.scan(step, state, jnp.arange(steps))
        left = jax.tree.map(lambda x: x[:, -1], states)
        # When the last stage ends the last repeat of each microbatch.
        number = jnp.arange(microbatches)
        if repeats > 1:
            done = number // stages * (stages * repeats) + (repeats - 1) * stages + number % stages + stages - 1
            results = jax.tree.map(lambda x: x[done], left)
        else:
            results = jax.tree.map(lambda x: x[stages - 1 :], left)
        return jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1).reshape(-1, *x.shape[2:]), results)

    def _split(x: jax.Array) -> jax.Array:
        if axis is None:
            return x
        spec = PartitionSpec(axis, *[PartitionSpec.UNCONSTRAINED] * (x.ndim - 1))
        return lax.with_sharding_constraint(x, spec)

    return run


def _along(mask: jax.Array, like: jax.Array) -> jax.Array:
    return mask.reshape(-1, *[1] * (like.ndim - 1))
