"""How fast Partita propagates shardings, beside Shardy and XLA, in one table.

    bench_propagate.py [--file SDY.mlir [--mhlo MHLO.mlir]] [--repetitions R] [--layers 2 24 96 192] [--devices 8 65536] [--ops N]

Without a file the 24-layer decoder of the examples is lowered in both notations. Shardy's time is that of
`sdy-propagation-pipeline` in jaxlib; `shardy-xla` and `sharding-propagation` are XLA's passes inside its compiler, by its own
profile, without the checks between passes. Partita's time is that of `partita propagate`, with the building of its graph. All are the best of
some runs, beside the median. The rows behind show how time grows with the number of layers and of devices, and the memory of a
long program; an empty list (`--layers`) leaves some out.
"""

import argparse
import pathlib
import re
import statistics
import tempfile
import time

import tools


def partita(file, runs):
    """Seconds of some runs, the number of nodes, and the most memory held, in bytes."""
    seconds = []
    for _ in range(runs):
        answer, _, peak = tools.partita_json("propagate", file, "-o", "/dev/null")
        seconds.append(answer["timing_us"]["propagate"] / 1e6)
    return seconds, answer["nodes"], peak


def shardy_pipeline(text):
    from jaxlib.mlir import ir
    from jaxlib.mlir.passmanager import PassManager

    with tools.mlir_context():
        module = ir.Module.parse(text)
        passes = PassManager.parse("builtin.module(sdy-propagation-pipeline)")
        start = time.perf_counter()
        passes.run(module.operation)
        return time.perf_counter() - start


def xla_pass(text, name, devices):
    """Seconds that XLA's compiler spends in a pass, without the verifier that runs inside it."""
    events, _ = tools.xla_profile(text, devices)
    for event in events:
        if event.name == name:
            end = event.start_ns + event.duration_ns
            checks = (e for e in events if e.name == "RunInvariantCheckers" and event.start_ns <= e.start_ns <= end)
            return (event.duration_ns - sum(e.duration_ns for e in checks)) / 1e9
    raise RuntimeError(f"XLA ran no pass {name}")


def devices_of(text):
    sizes = re.search(r"sdy\.mesh @\w+ = <\[(.*?)\]", text)
    product = 1
    for size in re.findall(r"=(\d+)", sizes.group(1)) if sizes else []:
        product *= int(size)
    return product


def with_devices(text, devices):
    """The program over a mesh of another size: its first axis takes what the others leave."""
    mesh = re.search(r"(sdy\.mesh @\w+ = <\[)(.*?)(\])", text)
    axes = re.findall(r'"(\w+)"=(\d+)', mesh.group(2))
    rest = 1
    for _, size in axes[1:]:
        rest *= int(size)
    axes[0] = (axes[0][0], max(1, devices // rest))
    new = ", ".join(f'"{name}"={size}' for name, size in axes)
    return text[: mesh.start(2)] + new + text[mesh.end(2) :]


def long_program(ops):
    """A chain of operations over two arguments, as text."""
    kind = "tensor<64x64xf32>"
    lines = ['sdy.mesh @mesh = <["x"=2, "y"=4]>']
    lines.append(f'func.func @main(%a: {kind} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{?}}]>}}, %b: {kind}) -> {kind} {{')
    last = "%a"
    for i in range(0, ops, 4):
        lines.append(f"%{i} = stablehlo.dot_general {last}, %b, contracting_dims = [1] x [0] : ({kind}, {kind}) -> {kind}")
        lines.append(f"%{i + 1} = stablehlo.tanh %{i} : {kind}")
        lines.append(f"%{i + 2} = stablehlo.transpose %{i + 1}, dims = [1, 0] : ({kind}) -> {kind}")
        lines.append(f"%{i + 3} = stablehlo.add %{i + 2}, {last} : {kind}")
        last = f"%{i + 3}"
    lines += [f"return {last} : {kind}", "}"]
    return "\n".join(lines)


def row(what, seconds, nodes=None, ours=None, peak=None):
    best, median = min(seconds), statistics.median(seconds)
    cells = [f"{best * 1e3:.2f}", f"{median * 1e3:.2f}", f"{best / min(ours):.1f}" if ours else ""]
    cells += [str(nodes), f"{best / nodes * 1e6:.2f}"] if nodes else ["", ""]
    cells.append(f"{peak / 1e9:.2f}" if peak else "")
    print(f"{what:<44}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=pathlib.Path)
    parser.add_argument("--mhlo", type=pathlib.Path)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--layers", type=int, nargs="*", default=[2, 6, 24, 96, 192])
    parser.add_argument("--devices", type=int, nargs="*", default=[8, 64, 512, 4096, 65536])
    parser.add_argument("--ops", type=int, default=1_000_000)
    options = parser.parse_args()
    tools.need_partita()
    with tempfile.TemporaryDirectory() as folder:
        file, mhlo = options.file, options.mhlo
        if not file:
            file = tools.lower_decoder(f"{folder}/sdy")
            mhlo = tools.lower_decoder(f"{folder}/mhlo", "mhlo")
        place = pathlib.Path(folder) / "program.mlir"
        text = file.read_text()
        devices = devices_of(text)
        heads = ("best ms", "median ms", "times ours", "nodes", "us per node", "peak GB")
        print(f"{file.name + f', {devices} devices':<44}" + "".join(f"{head:>12}" for head in heads))
        # Before jaxlib is loaded, which would count as memory.
        ours, nodes, peak = partita(file, max(options.repetitions, 9))
        row("Partita, propagate", ours, nodes, ours, peak)
        for count in options.layers:
            seconds, nodes, peak = partita(tools.lower_decoder(f"{folder}/{count}", "sdy", count), options.repetitions)
            row(f"Partita, decoder of {count} layers", seconds, nodes, peak=peak)
        for count in options.devices:
            place.write_text(with_devices(text, count))
            seconds, nodes, peak = partita(place, options.repetitions)
            row(f"Partita, {count} devices", seconds, nodes, peak=peak)
        if options.ops:
            place.write_text(long_program(options.ops))
            seconds, nodes, peak = partita(place, 1)
            row(f"Partita, {options.ops} operations", seconds, nodes, peak=peak)
        runs = range(options.repetitions)
        row("XLA, shardy-xla", [xla_pass(text, "shardy-xla", devices) for _ in runs], ours=ours)
        if mhlo:
            other = mhlo.read_text()
            row("XLA, sharding-propagation", [xla_pass(other, "sharding-propagation", devices) for _ in runs], ours=ours)
        row("Shardy, sdy-propagation-pipeline", [shardy_pipeline(text) for _ in runs], ours=ours)


if __name__ == "__main__":
    main()
