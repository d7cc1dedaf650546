"""Trains every tiny example by `partita.jit` on eight devices, beside `jax.jit` on one.

    train.py [--steps N] [NAME[.STRATEGY] …]

One step, and then N of them with the state fed back and given away, must give the same parameters, optimizer state and loss. The tolerance is
relative to the largest magnitude of each array: 1e-4 after one step, and 1e-3 after all of them, for training lets rounding grow. Where one
device itself ends further off when its inputs are off by one unit in the last place (a token routed to another expert), twice that is allowed. Needs the
Python package (`pip install .`, or `scripts/python`, which leaves it in target/python).
"""

import argparse
import os
import pathlib
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))

import jax
import numpy as np
from check import worst
from models import MODELS, build

import partita

AFTER_ONE, AFTER_ALL = 1e-4, 1e-3


def train(step, inputs, steps):
    """The results of the first step and of the last."""
    params, state, batch = inputs
    first = None
    for _ in range(steps):
        params, state, loss = step(params, state, batch)
        if first is None:
            first = jax.tree.map(np.asarray, (params, state, loss))
    return first, jax.tree.map(np.asarray, (params, state, loss))


def nudged(array):
    """Floats off by one unit in the last place."""
    return np.nextafter(array, np.asarray(np.inf, array.dtype)) if array.dtype == np.float32 else array


def partitioned(name, strategy):
    model = MODELS[name]
    axes = model.strategies[strategy].axes
    mesh = jax.make_mesh(model.mesh_shape("tiny", strategy), axes, axis_types=(jax.sharding.AxisType.Auto,) * len(axes))
    program = build(model, "tiny", strategy, mesh=mesh)
    return partita.jit(
        program.step, mesh=mesh, in_shardings=program.in_shardings, out_shardings=program.out_shardings, donate_argnums=(0, 1)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME[.STRATEGY]")
    parser.add_argument("--steps", type=int, default=20)
    args = parser.parse_args()
    wanted = [name.partition(".")[::2] for name in args.names] or [(name, "") for name in MODELS]
    failed = 0
    for name, only in wanted:
        one = build(MODELS[name], "tiny")
        inputs = one.inputs(np.random.default_rng(0))
        copies = lambda nudge=False: jax.tree.map(lambda a: jax.numpy.array(nudged(a) if nudge else a, copy=True), inputs)
        first, last = train(one.jit(), copies(), args.steps)
        allowed = max(AFTER_ALL, 2 * worst(train(one.jit(), copies(nudge=True), args.steps)[1], last))
        for strategy in [only] if only else MODELS[name].strategies:
            start = time.time()
            found_first, found_last = train(partitioned(name, strategy), copies(), args.steps)
            errors = worst(found_first, first), worst(found_last, last)
            good = errors[0] <= AFTER_ONE and errors[1] <= allowed
            failed += not good
            print(f"{'ok    ' if good else 'FAILED'} {name}.{strategy}: {errors[0]:.1e} after one step, {errors[1]:.1e} after {args.steps}, "
                  f"{time.time() - start:.1f} s", flush=True)
    print(f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
