"""Plans that are found for a function, and functions that run by them."""

import json
import os
import signal
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

import partita

RANDOM = np.random.RandomState(0)
PARAMS = {"in": RANDOM.randn(32, 128).astype("f4"), "out": RANDOM.randn(128, 32).astype("f4")}
BATCH = RANDOM.randn(64, 32).astype("f4")
# Where only splitting both weights and batch pays.
LARGE = {name: jax.ShapeDtypeStruct(shape, "float32") for name, shape in (("in", (4096, 16384)), ("out", (16384, 4096)))}
LARGE_BATCH = jax.ShapeDtypeStruct((65536, 4096), "float32")


def mlp(params, x):
    return jnp.tanh(x @ params["in"]) @ params["out"]


def train(params, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean(mlp(p, x) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def same(found, expected):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-4, atol=1e-5), found, expected)


@pytest.fixture
def plan(mesh):
    return partita.auto(train, mesh, PARAMS, BATCH, device="tpu-v4", progress=False)


def test_a_plan_says_what_it_costs_and_what_others_cost(plan):
    assert set(plan) == {"schema", "mesh", "arguments", "results", "constraints", "complete"}
    assert plan["mesh"] == [["data", 2], ["model", 4]]
    assert plan.cost["step_seconds"] > 0 and plan.cost["peak_memory"] > 0
    assert plan.search["stop_reason"] == "exhausted" and plan.search["judged"] > len(plan.alternatives)
    assert plan.alternatives and all(other.cost["step_seconds"] >= 0 and other["arguments"] is not None for other in plan.alternatives)
    assert "sdy.mesh" in plan.annotated and "alternative 1: " in str(plan)


def test_jit_applies_a_plan_and_plain_jax_its_shardings(mesh, plan):
    expected = train(PARAMS, BATCH)
    same(partita.jit(train, mesh=mesh, plan=plan)(PARAMS, BATCH), expected)
    same(jax.jit(train, in_shardings=plan.in_shardings, out_shardings=plan.out_shardings)(PARAMS, BATCH), expected)
    assert jax.tree.structure(plan.in_shardings) == jax.tree.structure((PARAMS, BATCH))


def test_a_plan_is_kept_read_back_edited_and_compared(mesh, plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    again = partita.Plan.read(tmp_path / "plan.json")
    assert again == plan == json.loads(plan.to_json()) and str(again.diff(plan)) == "no difference"
    again["arguments"]["params['in']"] = "_,model"
    again["arguments"]["params['out']"] = "model,_"
    again["results"], again["constraints"] = {}, []
    same(partita.jit(train, mesh=mesh, plan=again)(PARAMS, BATCH), train(PARAMS, BATCH))
    with pytest.raises(partita.Error, match="was not found for a function"):
        again.lower()


def test_plans_are_timed_on_the_devices_and_the_fastest_is_the_answer(mesh):
    plan = partita.auto(train, mesh, PARAMS, BATCH, measure=3, progress=False)
    timed = [other.measured for other in (plan, *plan.alternatives) if other.measured]
    assert 1 < len(timed) <= 3 and timed == sorted(timed) and plan.measured == timed[0]
    assert "(measured: " in str(plan) and "sdy.mesh" in plan.annotated
    same(partita.jit(train, mesh=mesh, plan=plan)(PARAMS, BATCH), train(PARAMS, BATCH))
    step = partita.automap(train, mesh=mesh, measure=2, progress=False, donate_argnums=0)
    same(step(jax.tree.map(jnp.asarray, PARAMS), BATCH), train(PARAMS, BATCH))
    with pytest.raises(partita.Error, match="no devices to run on"):
        partita.auto(mlp, AbstractMesh((2,), ("data",)), LARGE, LARGE_BATCH, measure=1, progress=False)


def test_a_large_model_is_split():
    plan = partita.auto(mlp, AbstractMesh((2, 4), ("data", "model")), LARGE, LARGE_BATCH, device="tpu-v4", progress=False)
    assert any("model" in spec for spec in plan["arguments"].values())
    assert any("data" in spec for spec in plan["arguments"].values())


def test_a_decision_is_explained_by_the_best_plan_without_it():
    cost = lambda seconds, sent: dict(step_seconds=seconds, compute_seconds=1e-3, communication_seconds=seconds - 1e-3, ring_bytes=sent, peak_memory=10**6)
    plan, alike, other = (partita.Plan(arguments={"w": "_,model"}, constraints=[{"value": "%3", "spec": spec}]) for spec in ("data,_", "data,_", "_,model"))
    plan.cost, alike.cost, other.cost = cost(2e-3, 10**6), cost(2e-3, 10**6), cost(5e-3, 4 * 10**6)
    other.decisions = ["x dim 1 over model"]
    plan.alternatives = [alike, other]
    said = plan.explain("%3")
    assert said["sharding"] == "data,_" and said["alternative"]["sharding"] == "_,model"
    assert said["alternative"]["more"]["step_seconds"] == pytest.approx(3e-3)
    assert str(said).splitlines() == [
        "%3 is split as `data,_`.",
        "The best plan in which it is split as `_,model` takes 3 ms more a step: 0 ms more computing, 3 ms more sending (3 MB more), and 0 MB more of memory.",
        "It decides: x dim 1 over model.",
    ]
    assert str(plan.explain("w")) == "w is split as `_,model`.\nNo plan that was judged in full splits it otherwise."
    assert "nobody is left to propagation" in str(plan.explain("nobody"))


def test_what_is_fixed_stays(mesh):
    plan = partita.auto(mlp, mesh, PARAMS, BATCH, fix=({"in": P(None, "model"), "out": None}, None), progress=False)
    assert plan.in_shardings[0]["in"].is_equivalent_to(NamedSharding(mesh, P(None, "model")), 2)
    jitted = partita.jit(mlp, mesh=mesh, in_shardings=({"in": P("data"), "out": None}, None))
    assert partita.auto(jitted, mesh, PARAMS, BATCH, progress=False).in_shardings[0]["in"].is_equivalent_to(NamedSharding(mesh, P("data")), 2)
    with pytest.raises(partita.Error, match="has its shardings already"):
        partita.auto(jitted, mesh, PARAMS, BATCH, fix=P())


def test_tactics_come_first(mesh):
    jitted = partita.jit(train, mesh=mesh, donate_argnums=0)
    plan = partita.auto(jitted, mesh, LARGE, LARGE_BATCH, tactics=["megatron:model"], device="tpu-v4", progress=False)
    assert "model" in plan["arguments"]["params['in']"]
    with pytest.raises(partita.Error):
        partita.auto(mlp, mesh, PARAMS, BATCH, tactics=["luck:data"])


def test_automap_searches_once_and_takes_arrays_from_wherever_they_lie(mesh):
    @partita.automap(mesh=mesh, progress=False, donate_argnums=0)
    def step(params, x):
        return train(params, x)

    state, one = jax.tree.map(jnp.asarray, PARAMS), PARAMS
    batch = jax.device_put(BATCH, NamedSharding(mesh, P(None, "data")))
    for _ in range(5):
        state, loss = step(state, batch)
        one, expected = jax.jit(train)(one, BATCH)
    same((state, loss), (one, expected))
    assert len(step._plans) == 1
    assert step.plan(PARAMS, BATCH) is step.plan(state, batch)


def test_too_little_memory():
    with pytest.raises(partita.Error, match="no plan that was found fits.*\n?.*") as caught:
        partita.auto(mlp, AbstractMesh((8,), ("x",)), LARGE, LARGE_BATCH, memory=1 << 20, progress=False)
    assert caught.value.code == "memory" and "devices would hold it" in str(caught.value)


@pytest.mark.parametrize("limit", [-1, float("nan"), float("inf")])
def test_a_time_limit_that_is_none(mesh, limit):
    with pytest.raises(partita.Error, match="no number of seconds"):
        partita.auto(mlp, mesh, PARAMS, BATCH, time_limit=limit)


def long_search(**options):
    """A search that takes some seconds: many layers of many kinds."""

    def deep(weights, x):
        for n, w in enumerate(weights):
            x = jnp.tanh(x @ w) * (n + 1)
        return x

    sizes = [4096 + 128 * n for n in range(13)]
    weights = [jax.ShapeDtypeStruct(pair, "float32") for pair in zip(sizes, sizes[1:])]
    return partita.auto(deep, AbstractMesh((4, 4, 4), ("x", "y", "z")), weights, jax.ShapeDtypeStruct((4096, 4096), "float32"), device="tpu-v4", **options)


def test_control_c_takes_the_best_so_far():
    seen, sent = [], []

    def press(looked, judged, best):
        seen.append((looked, judged, best))
        if looked and not sent:
            sent.append(time.monotonic())
            threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()

    plan = long_search(progress=press)
    assert sent, "the search ended before it was seen"
    assert plan.search["stop_reason"] == "interrupted" and plan["arguments"]
    assert seen == sorted(seen, key=lambda entry: entry[:2])


def test_an_exception_of_the_progress_ends_the_search():
    def fail(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        long_search(progress=fail)
