"""Runs the tiny programs on one device and keeps what went in and came out, as DIR/NAME.npz.

    python examples/expected.py --out DIR [NAME...]

One file per model serves all its strategies and notations: arg0, arg1, ... are the arguments of @main in order
(made from a seed), out0, out1, ... its results. NAME is a model or a tiny file of it.
"""
import argparse
import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from models import MODELS, build


def one_device(name: str, seed: int = 0):
    """Inputs and results of a tiny model on one device: (params, opt_state, batch) and (params, opt_state, loss)."""
    program = build(MODELS[name], "tiny")
    inputs = program.inputs(np.random.default_rng(seed))
    return inputs, jax.device_get(program.jit()(*jax.tree.map(jax.numpy.asarray, inputs)))


def check(name: str, inputs, outputs):
    """Everything is finite, and every parameter moved: no gradient was lost on the way."""
    for path, value in jax.tree_util.tree_leaves_with_path(outputs):
        assert np.all(np.isfinite(np.asarray(value, np.float32))), f"{name}: {jax.tree_util.keystr(path)} is not finite"
    moved = jax.tree_util.tree_map_with_path(
        lambda path, old, new: None if np.any(old != new) else jax.tree_util.keystr(path), inputs[0], outputs[0])
    still = jax.tree.leaves(moved)
    assert not still, f"{name}: parameters without effect: {still}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="models, or tiny files of them (all if none is named)")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(pathlib.Path(n).name.split(".")[0] for n in args.names or MODELS):
        inputs, outputs = one_device(name, args.seed)
        check(name, inputs, outputs)
        arrays = {f"arg{i}": x for i, x in enumerate(jax.tree.leaves(inputs))}
        arrays |= {f"out{i}": np.asarray(x) for i, x in enumerate(jax.tree.leaves(outputs))}
        np.savez(args.out / f"{name}.npz", **arrays)
        print(f"{name}: {len(arrays)} arrays, loss {outputs[2]:.6f}", flush=True)


if __name__ == "__main__":
    main()
