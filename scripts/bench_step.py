"""The time of a training step on the same engine: partitioned by Partita, and by XLA itself.

    bench_step.py [--pairs N] [--again] [--write] [NAME.STRATEGY …]

Both run the same JAX function on eight virtual CPU devices, through `partita.jit` and `jax.jit`. Steps alternate, so that what else the machine does
meets both alike; medians of at least 15 pairs. Each program has a process of its own, and what was measured is kept in target/bench_step.json: a run that
was ended goes on where it was, and `--again` forgets. Prints a table, and the geometric mean of the ratios; `--write` puts both into
docs/python.md. Needs the Python package.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "target/bench_step.json"
PAGE, BEGIN, END = ROOT / "docs/python.md", "<!-- step times -->\n", "<!-- end of step times -->"

# One strategy of each kind of parallelism.
DEFAULT = [
    "decoder_unrolled.megatron", "decoder_unrolled.fsdp", "decoder_scanned.2d", "encoder.optimizer", "gpt3.megatron", "moe.expert",
    "vit.data", "conformer.megatron", "metnet.spatial", "unet3d.spatial", "graphnet.edges", "multimodal.data_megatron", "pipeline_gpipe.pipeline",
    "pipeline_circular.pipeline", "decoder_unrolled.mixed3",
]  # fmt: skip


def steps(name, strategy, size="medium"):
    """The step of a model by both partitioners, and its inputs, which stay as they are."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
    sys.path.insert(0, str(ROOT / "examples"))
    import jax
    import numpy as np
    from models import MODELS, build

    import partita

    model = MODELS[name]
    axes = model.strategies[strategy].axes
    mesh = jax.make_mesh(model.mesh_shape(size, strategy), axes, axis_types=(jax.sharding.AxisType.Auto,) * len(axes))
    program = build(model, size, strategy, mesh=mesh)
    shardings = dict(in_shardings=program.in_shardings, out_shardings=program.out_shardings)
    inputs = jax.device_put(program.inputs(np.random.default_rng(0)), program.in_shardings)
    return partita.jit(program.step, mesh=mesh, **shardings), jax.jit(program.step, **shardings), inputs


def measure(program, pairs):
    """The median seconds of a step: Partita's, and XLA's."""
    ours, theirs, inputs = steps(*program.split("."))
    import jax

    def seconds(step):
        start = time.perf_counter()
        jax.block_until_ready(step(*inputs))
        return time.perf_counter() - start

    for _ in range(2):
        seconds(ours), seconds(theirs)
    # Who goes first alternates too.
    runs = [(seconds(ours), seconds(theirs)) if n % 2 else (seconds(theirs), seconds(ours))[::-1] for n in range(pairs)]
    return [statistics.median(side) for side in zip(*runs)]


def table(measured):
    rows = [f"| {name} | {1e3 * mine:.0f} | {1e3 * other:.0f} | {mine / other:.2f} |" for name, (mine, other) in measured.items()]
    ratios = [mine / other for mine, other in measured.values()]
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    head = ["| program | Partita, ms | XLA, ms | ratio |", "|---|---|---|---|"]
    return "\n".join([*head, *rows, "", f"Geometric mean {mean:.2f}, largest {max(ratios):.2f}."])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME.STRATEGY", default=DEFAULT)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.one, args.pairs)))
        return
    kept = json.loads(KEPT.read_text()) if KEPT.exists() and not args.again else {}
    measured = {}
    for name in args.names:
        key = f"{name} {args.pairs}"
        if key not in kept:
            done = subprocess.run([sys.executable, __file__, "--one", name, "--pairs", str(args.pairs)], stdout=subprocess.PIPE, text=True, check=True)
            kept[key] = json.loads(done.stdout.splitlines()[-1])
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps(kept))
        measured[name] = kept[key]
        mine, other = measured[name]
        print(f"{name}: {1e3 * mine:.0f} ms, XLA {1e3 * other:.0f} ms, ratio {mine / other:.3f}", file=sys.stderr, flush=True)
    found = table(measured)
    print(found)
    if args.write:
        page = PAGE.read_text()
        before, _, rest = page.partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{found}\n\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
