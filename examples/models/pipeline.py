"""Pipelines as sharded loops: all stages are computed at once, a buffer [stage, ...] shifts between iterations."""
import jax
import jax.numpy as jnp


def split(x, count: int):
    """[batch, ...] as micro-batches [count, batch / count, ...], each spread over the whole batch."""
    return x.reshape(-1, count, *x.shape[1:]).swapaxes(0, 1)


def join(x):
    return x.swapaxes(0, 1).reshape(-1, *x.shape[2:])


def _vectorised(stage, c):
    return jax.vmap(jax.checkpoint(stage, prevent_cse=False), spmd_axis_name=c.mesh_axis("stage"))


def _feed(buffer, x):
    """The buffer with x in the place of the first stage's input."""
    first = jax.lax.broadcasted_iota(jnp.int32, buffer.shape, 0) == 0
    return jnp.where(first, x[None], buffer)


def gpipe(stage, params, x, stages: int, c, axes):
    """x [micro_batch, ...] through `stages` stages, params [stage, ...]: iteration t has micro-batch t - s at stage s."""
    padded = jnp.concatenate([x, jnp.zeros((stages - 1, *x.shape[1:]), x.dtype)])
    shift = [(1, -1, 0)] + [(0, 0, 0)] * (x.ndim - 1)

    def iteration(buffer, fresh):
        buffer = _feed(jax.lax.pad(buffer, jnp.zeros((), x.dtype), shift), fresh)
        buffer = _vectorised(stage, c)(params, c(buffer, "stage", *axes))
        buffer = c(buffer, "stage", *axes)
        return buffer, buffer[-1]
    _, outputs = jax.lax.scan(iteration, jnp.zeros((stages, *x.shape[1:]), x.dtype), padded)
    return outputs[stages - 1:]


def circular(stage, params, x, stages: int, repeats: int, c, axes):
    """As gpipe, every stage visited `repeats` times: params [stage, repeat, ...], the buffer goes round."""
    count = x.shape[0]
    assert count % stages == 0, "micro-batches must fill whole rounds"

    def one(p, x, repeat):
        return stage(jax.tree.map(lambda w: jax.lax.dynamic_index_in_dim(w, repeat, 0, keepdims=False), p), x)

    def iteration(buffer, t):
        busy = jnp.maximum(t - jax.lax.iota(jnp.int32, stages), 0)
        repeat = (busy // stages) % repeats
        micro_batch = jnp.minimum(t // (repeats * stages) * stages + t % stages, count - 1)
        fresh = jax.lax.dynamic_index_in_dim(x, micro_batch, 0, keepdims=False)
        buffer = jnp.roll(buffer, 1, axis=0)
        buffer = jnp.where(repeat[0] == 0, _feed(buffer, fresh), buffer)
        buffer = _vectorised(one, c)(params, c(buffer, "stage", *axes), repeat)
        buffer = c(buffer, "stage", *axes)
        return buffer, buffer[-1]
    times = jnp.arange(repeats * count + stages - 1, dtype=jnp.int32)
    _, outputs = jax.lax.scan(iteration, jnp.zeros((stages, *x.shape[1:]), x.dtype), times)
    # Micro-batch i leaves the last stage for good at this iteration.
    done = [(i // stages) * repeats * stages + (repeats - 1) * stages + i % stages + stages - 1 for i in range(count)]
    return outputs[jnp.array(done)]
