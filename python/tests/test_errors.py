"""What cannot be is said in words, with the name of what is wrong."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
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
