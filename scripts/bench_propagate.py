"""How fast Partita propagates shardings, beside Shardy and XLA, in tables.

    bench_propagate.py [--file SDY.mlir [--mhlo MHLO.mlir]] [--repetitions R] [--scale] [--layers 2 24 96 192] [--ops N]

Without a file the 24-layer decoder of the examples is lowered in both notations. Shardy's time is that of
`sdy-propagation-pipeline` in jaxlib; `shardy-xla` and `sharding-propagation` are XLA's passes inside its compiler, by its own
profile. Partita's time is the best of many runs, with the building of its graph. `--scale` shows how time grows with the
number of layers and of devices, and the memory of a long program.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import shardy
import tools


def lower(folder, notation, layers):
    command = [sys.executable, tools.ROOT / "examples/lower.py", "--size", "real", "--layers", str(layers)]
    command += ["--strategy", "megatron", "--notation", notation, "--out", folder, "decoder_unrolled"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(pathlib.Path(folder).glob(f"*.{notation}.mlir"))


def partita(file, runs=25):
    """Seconds of the steps, nodes, and the most memory held, in bytes."""
    process = subprocess.Popen([shardy.EXAMPLE, file, str(runs)], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{file}: exit code {process.returncode}")
    fields = [line.split("\t") for line in output.splitlines()]
    seconds = {f[1]: int(f[2]) / 1e6 for f in fields if f[0] == "time"}
    nodes = next(int(f[1]) for f in fields if f[0] == "size")
    return seconds, nodes, usage.ru_maxrss * 1024


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
    """Seconds that XLA's compiler spends in a pass, by its own profile."""
    from jaxlib import _profiler, xla_client
    from jaxlib._profile_data import ProfileData
    import numpy as np

    client = xla_client.make_cpu_client(num_devices=devices)
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    options.num_partitions = build.num_partitions = devices
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = "sdy." in text
    # Nothing behind the pass is of interest; skipping the others makes the backend fail, which is no matter.
    build.debug_options.xla_enable_hlo_passes_only = f"spmd-partitioner,{name}"
    options.device_assignment = xla_client.DeviceAssignment.create(np.arange(devices, dtype=np.int32)[None, :])
    settings = _profiler.ProfileOptions()
    settings.host_tracer_level, settings.python_tracer_level = 2, 0
    session = _profiler.ProfilerSession(settings)
    try:
        client.compile_and_load(text, list(client.devices()), options)
    except Exception:
        pass
    profile = ProfileData.from_serialized_xspace(session.stop())
    events = [event for plane in profile.planes for line in plane.lines for event in line.events]
    found = [e.duration_ns / 1e9 for e in events if re.match(rf"(HLO )?(pass )?{name}\b", e.name)]
    return max(found) if found else None


def devices_of(text):
    sizes = re.search(r"sdy\.mesh @\w+ = <\[(.*?)\]", text)
    product = 1
    for size in re.findall(r"=(\d+)", sizes.group(1)) if sizes else []:
        product *= int(size)
    return product


def compare(file, mhlo, repetitions):
    text = file.read_text()
    devices = devices_of(text)
    seconds, nodes, _ = partita(file)
    ours = seconds["propagate"]
    rows = {"Shardy, sdy-propagation-pipeline": [shardy_pipeline(text) for _ in range(repetitions)]}
    rows["XLA, shardy-xla"] = [xla_pass(text, "shardy-xla", devices) for _ in range(repetitions)]
    if mhlo:
        other = mhlo.read_text()
        rows["XLA, sharding-propagation"] = [xla_pass(other, "sharding-propagation", devices) for _ in range(repetitions)]
    print(f"{file.name}: {len(text.splitlines())} lines, {nodes} nodes, {devices} devices")
    print(f"{'':<34}{'best ms':>10}{'median ms':>11}{'times Partita':>15}")
    print(f"{'Partita, propagate':<34}{ours * 1e3:>10.2f}{'':>11}{1:>15}")
    for name, times in rows.items():
        times = [t for t in times if t is not None]
        if times:
            print(f"{name:<34}{min(times) * 1e3:>10.2f}{statistics.median(times) * 1e3:>11.2f}{min(times) / ours:>15.1f}")


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
    lines = ['sdy.mesh @mesh = <["x"=2, "y"=4]>', "func.func @main("]
    lines[1] += '%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {'
    last = "%a"
    for i in range(0, ops, 4):
        kind = "tensor<64x64xf32>"
        lines.append(f"%{i} = stablehlo.dot_general {last}, %b, contracting_dims = [1] x [0] : ({kind}, {kind}) -> {kind}")
        lines.append(f"%{i + 1} = stablehlo.tanh %{i} : {kind}")
        lines.append(f"%{i + 2} = stablehlo.transpose %{i + 1}, dims = [1, 0] : ({kind}) -> {kind}")
        lines.append(f"%{i + 3} = stablehlo.add %{i + 2}, {last} : {kind}")
        last = f"%{i + 3}"
    lines += [f"return {last} : tensor<64x64xf32>", "}"]
    return "\n".join(lines)


def scale(file, layers, ops):
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "program.mlir"
        print(f"{'layers':>10}{'nodes':>10}{'ms':>10}{'us per node':>13}")
        for count in layers:
            seconds, nodes, _ = partita(lower(f"{folder}/{count}", "sdy", count))
            print(f"{count:>10}{nodes:>10}{seconds['propagate'] * 1e3:>10.2f}{seconds['propagate'] / nodes * 1e6:>13.2f}", flush=True)
        print(f"\n{'devices':>10}{'nodes':>10}{'ms':>10}")
        for devices in (8, 64, 512, 4096, 65536):
            place.write_text(with_devices(file.read_text(), devices))
            seconds, nodes, _ = partita(place)
            print(f"{devices:>10}{nodes:>10}{seconds['propagate'] * 1e3:>10.2f}", flush=True)
        place.write_text(long_program(ops))
        seconds, nodes, peak = partita(place, 1)
        print(f"\n{ops} ops: {nodes} nodes, {seconds['propagate']:.2f} s, {peak / 1e9:.2f} GB at most, text and module included")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=pathlib.Path)
    parser.add_argument("--mhlo", type=pathlib.Path)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--scale", action="store_true", help="show how time and memory grow")
    parser.add_argument("--layers", type=int, nargs="*", default=[2, 24, 96, 192])
    parser.add_argument("--ops", type=int, default=1_000_000)
    options = parser.parse_args()
    shardy.need_example()
    with tempfile.TemporaryDirectory() as folder:
        file, mhlo = options.file, options.mhlo
        if not file:
            file, mhlo = lower(f"{folder}/sdy", "sdy", 24), lower(f"{folder}/mhlo", "mhlo", 24)
        if options.scale:
            scale(file, options.layers, options.ops)
            print()
        compare(file, mhlo, options.repetitions)


if __name__ == "__main__":
    main()
