"""What Partita's simulator says of runs that were published, beside what was measured.

    published.py [ROW …] [--keep DIR] [--verbose]

Every row is one of the example models at the size, with the sharding, the batch and the mesh that were published; it is lowered (nothing is executed), partitioned
and simulated. Of each device generation two rows fix a constant each: what part of its peak a device reaches in computing, and what part its network does (`efficiency` in the profiles).
The others are predicted. Prints a table; the exit code is 1 where a predicted row is more than 20 % off, or their median more than 10 %.
"""

import argparse
import dataclasses
import pathlib
import statistics
import sys
import tempfile

import tools

sys.path.insert(0, str(tools.ROOT / "examples"))


@dataclasses.dataclass(frozen=True)
class Row:
    """A published run: tokens per second, or the part of the peak with what is computed again."""
    name: str
    device: str
    model: str
    size: str
    mesh: dict
    changes: dict
    topology: str
    tokens_per_second: float | None = None
    utilization: float | None = None     # hardware flops, where that was published
    model_utilization: float | None = None
    fits: str = ""                       # the constant that this row fixes
    strategy: str = "2d"
    adam: bool = False


# Sizes and throughput as published with the code of the models; batch, cores and mesh beside them.
ROWS = [
    Row("DenseLm128B8x8", "tpu-v3", "decoder_scanned", "128b", {"x": 8, "y": 16}, {"batch": 16}, "2x8x8",
        tokens_per_second=3.7e3, fits="network"),
    Row("DenseLm128B16x16", "tpu-v3", "decoder_scanned", "128b", {"x": 16, "y": 32}, {"batch": 128}, "2x16x16",
        tokens_per_second=18e3, fits="compute"),
    Row("DenseLm175B32x32", "tpu-v3", "decoder_scanned", "175b", {"x": 64, "y": 32}, {"batch": 1024}, "2x32x32",
        tokens_per_second=51.5e3),
    Row("DenseLm12kWide41B16x16", "tpu-v3", "decoder_scanned", "44b", {"x": 16, "y": 32}, {"batch": 256}, "2x16x16",
        tokens_per_second=53.8e3, adam=True),
    Row("MLPerf encoder 480B", "tpu-v4", "encoder", "480b", {"x": 64, "y": 32}, {}, "8x16x16", utilization=0.63),
    Row("MLPerf encoder 200B", "tpu-v4", "encoder", "real", {"x": 32, "y": 32}, {}, "8x8x16", utilization=0.63),
    Row("Pax 128B", "tpu-v4", "decoder_scanned", "175b", {"x": 64, "y": 4}, {"batch": 1024, "layers": 71, "length": 1024}, "4x8x8",
        model_utilization=0.485),
    Row("Pax 512B", "tpu-v4", "decoder_scanned", "175b", {"x": 64, "y": 16},
        {"batch": 4096, "layers": 102, "embed": 20480, "mlp": 81920, "heads": 160, "length": 1024}, "8x8x16", model_utilization=0.49),
]


def lower(row, folder):
    """The program of a row as a file, and the tokens of one step."""
    import jax
    import lower as examples
    from models import MODELS, build, optim

    model = MODELS[row.model]
    config = type(model.configs[row.size])(**{**vars(model.configs[row.size]), **row.changes})
    config.mesh = {len(row.mesh): tuple(row.mesh.values())}
    changes = {"optimizer": optim.adam()} if row.adam else {}
    model = dataclasses.replace(model, configs={"row": config}, **changes)
    jax.config.update("jax_use_shardy_partitioner", True)
    jax.clear_caches()
    program = build(model, "row", row.strategy)
    text = program.jit().trace(*program.args()).lower(lowering_platforms=("cpu",)).as_text(debug_info=True)
    file = pathlib.Path(folder) / (row.name.replace(" ", "_") + ".mlir")
    file.write_text(text)
    return file, config.batch * config.length


def simulate(row, folder):
    """What the simulator says of a row."""
    file, tokens = lower(row, folder)
    said, _, _ = tools.partita_json("simulate", file, "--device", row.device, "--topology", row.topology,
                                    "--tokens", tokens, "--memory-limit", "1T")
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows whose names contain this (all if none is named)")
    parser.add_argument("--keep", type=pathlib.Path, help="where to leave the programs")
    args = parser.parse_args()
    tools.need_partita()
    off = []
    print("| run | device | published | simulated | off | step | waiting | of peak, model / hardware | memory |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or temporary
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        for row in ROWS:
            if args.rows and not any(part in row.name for part in args.rows):
                continue
            said = simulate(row, folder)
            model, hardware = said["model_flops_utilization"], said["hardware_flops_utilization"]
            if row.tokens_per_second:
                published, found, show = row.tokens_per_second, said["tokens_per_second"], "{:,.0f} tokens/s"
            elif row.utilization:
                published, found, show = row.utilization, hardware, "{:.1%} hardware"
            else:
                published, found, show = row.model_utilization, model, "{:.1%} model"
            error = found / published - 1
            if not row.fits:
                off.append(abs(error))
            print(f"| {row.name} | {row.device} | {show.format(published)} | {show.format(found)} | {error:+.1%}"
                  f"{' (fixes ' + row.fits + ')' if row.fits else ''} | {said['step_seconds']:.2f} s | "
                  f"{said['exposed_communication_seconds'] / said['step_seconds']:.0%} | {model:.1%} / {hardware:.1%} | "
                  f"{said['peak_memory'] / 2**30:.1f} GiB |", flush=True)
    if off:
        print(f"\npredicted rows: {statistics.median(off):.1%} off in the median, {max(off):.1%} at most")
        return statistics.median(off) > 0.10 or max(off) > 0.20
    return 0


if __name__ == "__main__":
    sys.exit(main())
