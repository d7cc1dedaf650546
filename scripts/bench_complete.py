"""How long completion by cost takes beside propagation alone, from text to text.

    bench_complete.py [FILE …] [--layers 12 48 192] [--devices 64 4096 65536] [--axes 1 2 3 4] [--runs N] [--markdown]

Times `partita partition FILE -o OUT` with `--complete cost` and with `--complete propagate`; the best of some runs of each, in turn. Of files it prints a row each, and the geometric mean. Without any, decoders under plain FSDP show how
the time grows: with the layers of an unrolled one, and with the devices and the axes of the mesh of a scanned one. With several axes weights are split over all but the last, and the batch over all. An empty list (`--layers`) leaves some out.
"""

import argparse
import math
import pathlib
import re
import subprocess
import tempfile
import time

import compare_sizes
import fsdp
import tools

# Sizes of axes, by their number.
SIZES = {1: [64], 2: [8, 8], 3: [4, 4, 4], 4: [4, 4, 2, 2]}

HEADS = ["program", "ops", "devices", "propagate ms", "cost ms", "ratio"]


def seconds(file, method):
    start = time.perf_counter()
    subprocess.run([tools.PARTITA, "partition", file, "--complete", method, "-o", "/dev/null"], check=True, capture_output=True)
    return time.perf_counter() - start


def row(name, file, runs):
    """Cells of a program, and how many times as long completion by cost takes."""
    text = pathlib.Path(file).read_text()
    devices = math.prod(int(n) for n in re.findall(r"=(\d+)", re.search(r"sdy\.mesh @\w+ = <\[(.*?)\]", text).group(1)))
    ops = len(re.findall(r"^\s*%\S+ = ", text, re.MULTILINE))
    times = {"propagate": math.inf, "cost": math.inf}
    for _ in range(runs):
        for method, best in times.items():
            times[method] = min(best, seconds(file, method))
    ratio = times["cost"] / times["propagate"]
    return [name, f"{ops:,}", f"{devices:,}", *(f"{1e3 * t:.0f}" for t in times.values()), f"{ratio:.2f}"], ratio


def with_axes(text, sizes):
    """A program over one axis with several in its place: integers are split over all of them, weights over all but the last."""
    names = [f"a{n}" for n in range(len(sizes))]
    mesh = ", ".join(f'"{name}"={size}' for name, size in zip(names, sizes))
    text = re.sub(r'sdy\.mesh @mesh = <\[.*?\]>', f"sdy.mesh @mesh = <[{mesh}]>", text)
    joined = lambda axes: "{" + ", ".join(f'"{axis}"' for axis in axes) + "}"
    weight, batch = joined(names[:-1] or names), joined(names)
    annotated = re.compile(r'(tensor<(?:\d+x)+(\w+)> \{(?:(?!tensor<).)*?)\{"fsdp"\}')
    return annotated.sub(lambda m: m[1] + (batch if m[2].startswith(("i", "ui")) else weight), text)


def plain_fsdp(model, layers, folder):
    """Text of a model with so many layers, annotated for 64 devices."""
    compare_sizes.lowered(folder, [f"{model}.none"], layers)
    return fsdp.annotated(next(folder.glob("*.none.sdy.mlir")).read_text(), model, 64)[0]


def growth(options, folder):
    """(name, file) of programs that grow."""
    for layers in options.layers:
        file = folder / f"layers{layers}.mlir"
        file.write_text(plain_fsdp("decoder_unrolled", layers, folder / str(layers)))
        yield f"decoder_unrolled, {layers} layers", file
    text = plain_fsdp("decoder_scanned", None, folder / "scanned") if options.devices or options.axes else ""
    for devices in options.devices:
        file = folder / f"devices{devices}.mlir"
        file.write_text(text.replace('"fsdp"=64', f'"fsdp"={devices}'))
        yield "decoder_scanned", file
    for axes in options.axes:
        file = folder / f"axes{axes}.mlir"
        file.write_text(with_axes(text, SIZES[axes]))
        yield f"decoder_scanned, {axes} axes", file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--layers", type=int, nargs="*", default=[12, 48, 192])
    parser.add_argument("--devices", type=int, nargs="*", default=[64, 4096, 65536])
    parser.add_argument("--axes", type=int, nargs="*", default=[1, 2, 3, 4], choices=SIZES)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    tools.need_partita()
    line = lambda cells: f"| {' | '.join(cells)} |" if options.markdown else f"{cells[0]:44}" + "".join(f"{c:>14}" for c in cells[1:])
    print(line(HEADS) + (f"\n{'|---' * len(HEADS)}|" if options.markdown else ""), flush=True)
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        named = [(pathlib.Path(f).name.removesuffix(".mlir"), f) for f in options.files]
        for name, file in named or growth(options, pathlib.Path(folder)):
            cells, ratio = row(name, file, options.runs)
            print(line(cells), flush=True)
            ratios.append(ratio)
    print(f"{len(ratios)} programs, geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()
