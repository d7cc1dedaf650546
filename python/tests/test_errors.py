"""What cannot be is said in words, with the name of what is wrong."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import partita

X = np.ones((4, 6), "f4")


@pytest.mark.parametrize(
    "shardings, args, words",
    [
        (P("data", "modell"), (X,), "no axis 'modell'"),
        (P("data", None, None), (X,), "3 entries, but the array has 2 dimensions"),
        (({"x": P()},), (X,), "form of the arguments"),
        (("data",), (X,), "neither a `PartitionSpec`"),
        (P("data"), ("text",), "is no array"),
        (P("data", "data"), (X,), "data"),
    ],
)
def test_shardings_that_do_not_fit(mesh, shardings, args, words):
    with pytest.raises(partita.Error, match=words):
        partita.jit(lambda x: x, mesh=mesh, in_shardings=shardings)(*args)


@pytest.mark.parametrize("shardings", [{"x": P()}, (P(), P()), {"y": P(), "z": P()}])
def test_results_of_another_form(mesh, shardings):
    with pytest.raises(partita.Error, match="`out_shardings` does not have the form of the results"):
        partita.jit(lambda x: {"y": x}, mesh=mesh, out_shardings=shardings)(X)


def test_arguments_of_another_form(mesh):
    """The function is called as it is written: what does not fit is the function's own error, as with `jax.jit`."""
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        partita.jit(lambda x, y: x, mesh=mesh)(X)


def test_too_few_devices():
    with pytest.raises(ValueError, match="Number of devices 8 must be"):
        jax.make_mesh((4, 4), ("data", "model"))
    few = AbstractMesh((16,), ("data",), axis_types=(AxisType.Auto,))
    with pytest.raises(partita.Error, match="the mesh has no devices to run on"):
        partita.jit(lambda x: x, mesh=few)(X)


def test_shardings_over_several_meshes(mesh):
    other = Mesh(np.array(jax.devices())[::-1].reshape(2, 4), ("data", "model"))
    named = [NamedSharding(m, P("data")) for m in (mesh, other)]
    with pytest.raises(partita.Error, match="over several meshes"):
        partita.jit(lambda x, y: x, in_shardings=tuple(named))
    fewer = Mesh(mesh.devices[:1], ("data", "model"))
    with pytest.raises(partita.Error, match="over another mesh than the program"):
        partita.jit(lambda x: x, mesh=mesh, in_shardings=NamedSharding(fewer, P("data")))(X)


def test_an_array_that_lies_otherwise_than_said(mesh):
    """As `jax.jit` has it: what is said of an argument and where it was put must agree."""
    with pytest.raises(ValueError, match="does not match the sharding on the respective arg"):
        partita.jit(lambda x: x, mesh=mesh, in_shardings=P("data"))(jax.device_put(X, NamedSharding(mesh, P(None, "data"))))


@pytest.mark.parametrize(
    "plan, words",
    [
        ({"argument": {}}, "`argument` is no field"),
        ({"arguments": {"x": "modell"}}, "modell"),
        ({"arguments": {"y": "data"}}, "y"),
        ("{", "EOF while parsing"),
    ],
)
def test_plans_that_do_not_fit(mesh, plan, words):
    with pytest.raises(partita.Error, match=words):
        partita.jit(lambda x: x, mesh=mesh, plan=plan)(X)


def test_an_unknown_device(mesh):
    with pytest.raises(partita.Error, match="abacus"):
        partita.jit(lambda x: x, mesh=mesh, device="abacus")(X)


def test_no_mesh():
    with pytest.raises(partita.Error, match="there is no mesh"):
        partita.jit(lambda x: x)(X)


def test_callbacks_are_refused(mesh):
    def shows(x):
        jax.debug.print("{}", x)
        return x

    with pytest.raises(partita.Error, match="calls back into Python"):
        partita.jit(shows, mesh=mesh)(X)


def test_collectives_that_are_not_expected(mesh):
    total = partita.jit(jnp.sum, mesh=mesh, in_shardings=P("data"))
    with pytest.raises(AssertionError, match="all_reduce"):
        partita.assert_collectives(total, (X,), {})
    with pytest.raises(AssertionError, match="more than 0"):
        partita.assert_collectives(total, (X,), max_bytes=0)


def test_an_unknown_value(mesh):
    with pytest.raises(partita.Error) as caught:
        partita.lower(partita.jit(lambda x: x + 1, mesh=mesh), X).explain("%99")
    assert caught.value.code == "value"
