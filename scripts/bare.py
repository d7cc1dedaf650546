"""Ring bytes and peak memory of the real-size examples with arguments and results annotated and nothing inside.

    bare.py [NAME[.STRATEGY] …] [--programs DIR] [--write DIR] [--flops] [--times] [--xla] [--seconds N] [--markdown]

Every annotated example is lowered at its real size, or read from a folder, and stripped of its inner annotations: sharding constraints, shardings on ops, and shardings on arguments and
results of functions other than `@main`. Programs without any, and those with manual computations, are skipped. Partita completes the bare program by cost and by propagation,
and the annotated one by cost. `--flops` adds what a device computes in the bare program over what it computes in the annotated one: ring bytes compare like with like only where it is
near 1, since replicated computation sends less. `--times` adds the simulated time of a step of both on tpu-v4, in seconds, and `--xla` what XLA sends on the bare text. `strict` says whether `--strict` accepts the annotated and the bare program; LOST where it accepts only the annotated one. `--write` keeps the
bare programs under their names. Prints a table; the exit code is 1 where the bare program sends more than 1.05 times what the annotated one sends, or is lost to `--strict`.
"""

import argparse
import math
import pathlib
import sys
import tempfile

import compare_sizes
import tools

LIMIT = 1.05
HEADS = ["program", "bare GB", "propagate GB", "annotated GB", "ratio", "bare GiB", "annotated GiB", "seconds", "strict"]


def inner_annotations(module):
    """Sharding constraints, other ops that have shardings, and functions other than `@main`; None where a manual computation is."""
    from jaxlib.mlir import ir

    constraints, annotated, functions, manual = [], [], [], []

    def visit(op):
        if op.name == "sdy.manual_computation":
            manual.append(op)
        elif op.name == "sdy.sharding_constraint":
            constraints.append(op)
        elif op.name == "func.func":
            functions.extend([op] if str(op.attributes["sym_name"]) != '"main"' else [])
        elif "sdy.sharding" in op.attributes:
            annotated.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return None if manual else (constraints, annotated, functions)


def strip_function(function):
    """Removes the shardings of a function's arguments and results; gives how many there were."""
    from jaxlib.mlir import ir

    removed = 0
    for side in ("arg_attrs", "res_attrs"):
        if side not in function.attributes:
            continue
        entries = [{a.name: a.attr for a in ir.DictAttr(entry)} for entry in ir.ArrayAttr(function.attributes[side])]
        removed += sum(entry.pop("sdy.sharding", None) is not None for entry in entries)
        function.attributes[side] = ir.ArrayAttr.get([ir.DictAttr.get(entry) for entry in entries])
    return removed


def stripped(text):
    """The program without inner annotations; None where it has none, or has a manual computation."""
    from jaxlib.mlir import ir

    with tools.mlir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        found = inner_annotations(module)
        if found is None:
            return None
        constraints, annotated, functions = found
        for constraint in constraints:
            constraint.results[0].replace_all_uses_with(constraint.operands[0])
            constraint.erase()
        for op in annotated:
            del op.attributes["sdy.sharding"]
        removed = len(constraints) + len(annotated) + sum(map(strip_function, functions))
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True) if removed else None


def partitioned(file, *options):
    """JSON answer of Partita, its processor time, and whether `--strict` accepts the program."""
    try:
        answer, seconds, _ = tools.partita_json("partition", file, "--strict", *options)
        return answer, seconds, True
    except RuntimeError:
        answer, seconds, _ = tools.partita_json("partition", file, *options)
        return answer, seconds, False


def flops(file):
    """Floating-point operations of one device, whether or not the program fits into its memory."""
    answer, _, _ = tools.partita_json("simulate", file, "--device", "tpu-v4", "--memory-limit", "1000000G")
    return answer["flops"]


def step_seconds(file):
    """Simulated time of a step, whether or not the program fits into memory."""
    answer, _, _ = tools.partita_json("simulate", file, "--device", "tpu-v4", "--memory-limit", "1000000G")
    return answer["step_seconds"]


def xla_gigabytes(file, seconds):
    """What XLA sends on the same text, or why that is not known."""
    devices = next(count for _, of, count in compare_sizes.programs(file.parent, []) if of == file)
    out = file.with_suffix(".xla")
    _, failed = compare_sizes.xla_in_a_process_of_its_own("partition", file, devices, out, seconds)
    found = None if failed else compare_sizes.measure(out, devices)
    return f"({failed})" if failed else f"{found['ring_bytes'] / 1e9:.3f}" + ("+" if found["unknown_trips"] else "")


def row(name, annotated, bare, options):
    """Cells of a program, its ratio, and whether `--strict` accepts only the annotated program."""
    kept, _, kept_strict = partitioned(annotated)
    cost, seconds, cost_strict = partitioned(bare)
    propagate, _, _ = tools.partita_json("partition", bare, "--complete", "propagate")
    sends = [answer["totals"]["ring_bytes"] for answer in (cost, propagate, kept)]
    ratio = sends[0] / sends[2] if sends[2] else math.inf if sends[0] else 1.0
    lost = kept_strict and not cost_strict
    verdicts = "/".join("yes" if passes else "no" for passes in (kept_strict, cost_strict))
    cells = [name, *(f"{count / 1e9:.3f}" for count in sends), f"{ratio:.3f}"]
    cells += [compare_sizes.gib(answer["memory"]["peak"]) for answer in (cost, kept)]
    cells += [f"{seconds:.2f}", verdicts + (" LOST" if lost else "")]
    if options.flops:
        cells.append(f"{flops(bare) / flops(annotated):.3f}")
    if options.times:
        cells += [f"{step_seconds(file):.3f}" for file in (bare, annotated)]
    if options.xla:
        cells.append(xla_gigabytes(bare, options.seconds))
    return cells, ratio, lost


def line(cells, markdown):
    """A line of the table, as Markdown or aligned."""
    if markdown:
        return f"| {' | '.join(cells)} |"
    return f"{cells[0]:36}" + "".join(f"{cell:>15}" for cell in cells[1:])


def geometric_mean(ratios):
    """Geometric mean of the ratios that have a logarithm."""
    logs = [math.log(ratio) for ratio in ratios if 0 < ratio < math.inf]
    return math.exp(sum(logs) / len(logs)) if logs else 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME[.STRATEGY]")
    parser.add_argument("--programs", type=pathlib.Path, help="a folder of programs that are lowered already")
    parser.add_argument("--write", type=pathlib.Path, help="a folder for the bare programs")
    parser.add_argument("--flops", action="store_true", help="simulate both programs as well, which takes as long again")
    parser.add_argument("--times", action="store_true", help="simulate a step of both programs")
    parser.add_argument("--xla", action="store_true", help="have XLA partition the bare text")
    parser.add_argument("--seconds", type=float, default=900, help="give XLA so much time")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    tools.need_partita()
    ratios, losses = [], 0
    heads = HEADS + ["flops"] * options.flops + ["bare s", "annotated s"] * options.times + ["XLA GB"] * options.xla
    print(line(heads, options.markdown) + (f"\n{'|---' * len(heads)}|" if options.markdown else ""), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.write or pathlib.Path(scratch) / "bare"
        folder.mkdir(parents=True, exist_ok=True)
        source = options.programs or pathlib.Path(scratch) / "programs"
        if options.programs is None:
            compare_sizes.lowered(source, options.names, None)
        for name, file, _ in compare_sizes.programs(source, options.names):
            text = stripped(file.read_text())
            if text is None:
                continue
            (folder / file.name).write_text(text)
            cells, ratio, lost = row(name, file, folder / file.name, options)
            print(line(cells, options.markdown), flush=True)
            ratios.append(ratio)
            losses += lost
    above = sum(ratio > LIMIT for ratio in ratios)
    print(f"{len(ratios)} programs, {above} above {LIMIT}, geometric mean {geometric_mean(ratios):.3f}, {losses} lost to --strict")
    sys.exit(1 if above or losses else 0)


if __name__ == "__main__":
    main()
