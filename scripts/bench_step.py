"""The time of a training step on the same engine: partitioned by Partita, and by XLA itself.

    bench_step.py [--pairs N] [--size medium] [NAME[.STRATEGY] …]

Both run the same JAX function on eight virtual CPU devices, through `partita.jit` and `jax.jit`. Steps alternate, so that what else the machine does
meets both alike; medians of at least 15 pairs. Prints a table, and the geometric mean of the ratios. Needs the Python package.
"""

import argparse
import math
import os
import pathlib
import statistics
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))

import jax
import numpy as np
from models import MODELS, build

import partita

# One strategy of each kind of parallelism.
DEFAULT = [
    "decoder_unrolled.megatron", "decoder_unrolled.fsdp", "decoder_scanned.2d", "encoder.optimizer", "gpt3.megatron", "moe.expert",
    "vit.data", "conformer.megatron", "metnet.spatial", "unet3d.spatial", "graphnet.edges", "multimodal.data_megatron", "pipeline_gpipe.pipeline",
    "pipeline_circular.pipeline", "decoder_unrolled.mixed3",
]  # fmt: skip


def steps(name, strategy, size):
    """The step of a model by both partitioners, and its inputs, which stay as they are."""
    model = MODELS[name]
    axes = model.strategies[strategy].axes
    mesh = jax.make_mesh(model.mesh_shape(size, strategy), axes, axis_types=(jax.sharding.AxisType.Auto,) * len(axes))
    program = build(model, size, strategy, mesh=mesh)
    shardings = dict(in_shardings=program.in_shardings, out_shardings=program.out_shardings)
    inputs = jax.device_put(program.inputs(np.random.default_rng(0)), program.in_shardings)
    return partita.jit(program.step, mesh=mesh, **shardings), jax.jit(program.step, **shardings), inputs


def seconds(step, inputs):
    start = time.perf_counter()
    jax.block_until_ready(step(*inputs))
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME[.STRATEGY]")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--size", default="medium")
    args = parser.parse_args()
    ratios = []
    print(f"| program | Partita, ms | XLA, ms | ratio |\n|---|---|---|---|")
    for entry in args.names or DEFAULT:
        name, _, only = entry.partition(".")
        for strategy in [only] if only else MODELS[name].strategies:
            ours, theirs, inputs = steps(name, strategy, args.size)
            seconds(ours, inputs), seconds(theirs, inputs)
            pairs = [(seconds(ours, inputs), seconds(theirs, inputs)) for _ in range(args.pairs)]
            mine, other = (statistics.median(side) for side in zip(*pairs))
            ratios.append(mine / other)
            print(f"| {name}.{strategy} | {1e3 * mine:.0f} | {1e3 * other:.0f} | {mine / other:.2f} |", flush=True)
    print(f"\ngeometric mean {math.exp(statistics.fmean(map(math.log, ratios))):.3f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
