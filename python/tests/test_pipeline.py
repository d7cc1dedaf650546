"""Pipelines compute what their layers compute one after the other, and so do their gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

import partita

RANDOM = np.random.RandomState(1)
LAYERS = RANDOM.randn(8, 16, 16).astype("f4") / 4
BATCH = RANDOM.randn(16, 16).astype("f4")
SCHEDULES = [(8, 4, 1), (4, 8, 2), (2, 4, 4), (1, 2, 8)]


def layer(weight, x):
    return jnp.tanh(x @ weight)


def in_order(weights, x):
    for weight in weights:
        x = layer(weight, x)
    return x


@pytest.mark.parametrize("stages, microbatches, repeats", SCHEDULES)
def test_a_pipeline_is_its_layers_in_order(stages, microbatches, repeats):
    run = partita.pipeline(layer, stages, microbatches, repeats)
    np.testing.assert_allclose(run(LAYERS, BATCH), in_order(LAYERS, BATCH), atol=1e-5)
    gradient = lambda f: jax.grad(lambda w: jnp.sum(f(w, BATCH) ** 2))(LAYERS)
    np.testing.assert_allclose(gradient(run), gradient(in_order), atol=1e-4)


@pytest.mark.parametrize("repeats", [1, 2])
def test_stages_and_data_on_a_mesh(repeats):
    mesh = jax.make_mesh((4, 2), ("stage", "data"), axis_types=(AxisType.Auto,) * 2)
    weights = LAYERS[: 4 * repeats]
    run = partita.jit(partita.pipeline(layer, 4, 8, repeats, axis="stage"), mesh=mesh, in_shardings=(P("stage"), P("data")))
    np.testing.assert_allclose(np.asarray(run(weights, BATCH)), in_order(weights, BATCH), atol=1e-5)
    kinds = run.lower(weights, BATCH).ledger()["totals"]["by_kind"]
    assert kinds["collective_permute"]["executions"] >= 11


@pytest.mark.parametrize(
    "arguments, words",
    [((0, 1), "at least one"), ((4, 6, 2), "multiple of the 4 stages"), ((4, 8), "leading dimension of 4"), ((8, 3), "3 microbatches")],
)
def test_what_does_not_fit(arguments, words):
    with pytest.raises(partita.Error, match=words):
        partita.pipeline(layer, *arguments)(LAYERS, BATCH)
