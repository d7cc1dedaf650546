"""Checkpoints of a partitioned training loop are restored on another mesh."""

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import partita

PARAMS = {"w": np.random.RandomState(0).randn(16, 32).astype("f4"), "b": np.zeros(32, "f4")}
BATCH = np.random.RandomState(1).randn(8, 16).astype("f4")
SPECS = {"w": P(None, "model"), "b": P("model")}


def step(params, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] + p["b"]) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def loop(shape):
    mesh = jax.make_mesh(shape, ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    return mesh, partita.jit(step, mesh=mesh, in_shardings=(SPECS, P("data")), out_shardings=(SPECS, None))


def test_a_checkpoint_goes_to_another_mesh(tmp_path):
    _, before = loop((2, 4))
    params, _ = before(PARAMS, BATCH)
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(tmp_path / "state", params)
        checkpointer.wait_until_finished()
        mesh, after = loop((4, 2))
        like = jax.tree.map(lambda p, s: jax.ShapeDtypeStruct(p.shape, p.dtype, sharding=NamedSharding(mesh, s)), params, SPECS)
        restored = checkpointer.restore(tmp_path / "state", like)
    found, loss = after(restored, BATCH)
    expected, expected_loss = step(step(PARAMS, BATCH)[0], BATCH)
    np.testing.assert_allclose(loss, expected_loss, rtol=1e-5)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(np.asarray(a), b, atol=1e-5), found, expected)
    assert found["w"].sharding == NamedSharding(mesh, P(None, "model"))
