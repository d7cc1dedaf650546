"""What the examples send and hold at their real sizes, partitioned by Partita and by XLA.

    compare_sizes.py [NAME[.STRATEGY] …] [--programs DIR] [--layers N] [--compile] [--seconds N]

Every model is lowered at its real size for the mesh that it names (nothing is executed), or read from a folder. XLA partitions the same text; its program is
taken right after its partitioner, brought to StableHLO, and both are measured by one ruler (`crates/partita/examples/measure.rs`): ring bytes, and the
most that values hold by their lives, donated buffers once. `--layers` lowers fewer layers of full width, for models whose layers are written one by one. `--compile` has XLA
compile both programs, its partitioner off, and shows what its own buffer assignment comes to. Prints a table; the exit code is 1 where Partita's figure is above XLA's.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tools

GIB = 1 << 30


def lowered(folder, names, layers):
    """The programs that were asked for, lowered into a folder."""
    for name in names or [None]:
        model, _, strategy = (name or "").partition(".")
        command = [sys.executable, tools.ROOT / "examples/lower.py", "--size", "real", "--notation", "sdy", "--out", folder]
        command += ["--layers", str(layers)] if layers else []
        command += ["--strategy", strategy] if strategy else []
        subprocess.run([*command, *([model] if model else [])], check=True, stdout=subprocess.DEVNULL)


def programs(folder, names):
    """(name, file, devices) of the annotated programs in a folder."""
    for file in sorted(pathlib.Path(folder).glob("*.sdy.mlir")):
        model, size, strategy = file.name.removesuffix(".sdy.mlir").split(".")
        name = f"{model}.{strategy}"
        if strategy == "none" or (names and not any(wanted in (model, name) for wanted in names)):
            continue
        with file.open() as lines:
            mesh = next(line for line in lines if "sdy.mesh" in line)
        devices = 1
        for size in re.findall(r'"=(\d+)', mesh):
            devices *= int(size)
        yield name, file, devices


def measure(file, devices):
    """What a per-device program sends and holds."""
    command = ["cargo", "run", "--release", "--quiet", "-p", "partita", "--example", "measure", "--", file, str(devices)]
    if "PARTITA_MEASURE" in os.environ:
        command = [os.environ["PARTITA_MEASURE"], file, str(devices)]
    lines = subprocess.run(command, cwd=tools.ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: int(number) for name, number in (line.split() for line in lines)}


def xla_in_a_process_of_its_own(mode, file, devices, out, seconds):
    """XLA ends the process on some programs."""
    command = [sys.executable, __file__, f"--{mode}", str(file), str(devices), str(out)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, f"no answer after {seconds} s"
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [""]
        return None, "the process ends" if done.returncode < 0 else lines[-1][:120]
    return json.loads(done.stdout or "null"), None


def compile_options(devices):
    import jaxlib.xla_client as xla_client
    import numpy as np

    options = xla_client.CompileOptions()
    build = options.executable_build_options
    options.num_partitions = build.num_partitions = devices
    build.use_spmd_partitioning = True
    options.device_assignment = xla_client.DeviceAssignment.create(np.arange(devices, dtype=np.int32)[None, :])
    return options


def xla_partition(file, devices, out):
    """Writes the program that XLA's partitioner makes, as StableHLO."""
    import jax  # registers custom calls
    import jaxlib._hlo as hlo
    import jaxlib._jax as _jax
    import jaxlib.xla_client as xla_client
    from jaxlib.mlir import ir

    text = pathlib.Path(file).read_text()
    options = compile_options(devices)
    build = options.executable_build_options
    build.use_shardy_partitioner = True
    with tools.mlir_context():
        main = next(f for f in ir.Module.parse(text).body.operations if str(f.attributes["sym_name"]) == '"main"')
        free = [["sdy.sharding" not in ir.DictAttr(entry) for entry in ir.ArrayAttr(main.attributes[side])] for side in ("arg_attrs", "res_attrs")]
    # As JAX has it, propagation chooses where nothing is annotated.
    build.allow_spmd_sharding_propagation_to_parameters, build.allow_spmd_sharding_propagation_to_output = free
    # Named groups lose the order of devices on the way to StableHLO.
    options.env_option_overrides = [("xla_enable_rgv3_materialization", False)]
    with tempfile.TemporaryDirectory() as dump:
        debug = build.debug_options
        debug.xla_enable_hlo_passes_only = "spmd-partitioner"
        debug.xla_dump_to, debug.xla_dump_hlo_as_text, debug.xla_dump_hlo_pass_re = dump, True, "spmd-partitioning"
        # No other pass runs, so that the backend fails in the end, and on some programs ends the process.
        compiler = os.fork()
        if compiler == 0:
            with tools.quiet_errors():
                client = xla_client.make_cpu_client(num_devices=devices)
                try:
                    client.compile_and_load(text, list(client.devices()), options)
                finally:
                    os._exit(0)
        os.waitpid(compiler, 0)
        after = next(iter(pathlib.Path(dump).glob("*after_spmd-partitioning*.txt")), None)
        if after is None:
            sys.exit("its partitioner ends the process")
        after = after.read_text()
    computation = hlo.XlaComputation(hlo.hlo_module_from_text(after).as_serialized_hlo_module_proto())
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    stablehlo = stablehlo if isinstance(stablehlo, str) else stablehlo.decode()
    with tools.mlir_context():
        module = ir.Module.parse(stablehlo)
        forward_copies(module)
        donate(module)
        pathlib.Path(out).write_text(module.operation.get_asm())


def forward_copies(module):
    """Copies of HLO's have no op in StableHLO; they are what they copy."""
    from jaxlib.mlir import ir

    copies = []

    def visit(op):
        if op.name == "mhlo.copy":
            copies.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for copy in copies:
        copy.results[0].replace_all_uses_with(copy.operands[0])
        copy.erase()


def donate(module):
    """Says on arguments whose room results take, as JAX does; HLO says it on the module."""
    from jaxlib.mlir import ir

    attributes = module.operation.attributes
    if "mhlo.input_output_alias" not in attributes:
        return
    main = next(f for f in module.body.operations if str(f.attributes["sym_name"]) == '"main"')
    arguments = [{a.name: a.attr for a in ir.DictAttr(entry)} for entry in ir.ArrayAttr(main.attributes["arg_attrs"])]
    for entry in ir.ArrayAttr(attributes["mhlo.input_output_alias"]):
        argument = int(re.search(r"parameter_number = (\d+)", str(entry))[1])
        result = re.search(r"output_index = array<i64: (\d+)>", str(entry))
        index = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), int(result[1]) if result else 0)
        arguments[argument]["tf.aliasing_output"] = index
    main.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(entry) for entry in arguments])
    del attributes["mhlo.input_output_alias"]


def xla_memory(file, devices):
    """What XLA's buffer assignment comes to for a per-device program."""
    import jax  # registers custom calls
    import jaxlib.xla_client as xla_client

    options = compile_options(devices)
    build = options.executable_build_options
    build.use_shardy_partitioner = False
    build.debug_options.xla_disable_hlo_passes = "spmd-partitioner"
    # The machine code is not looked at.
    options.env_option_overrides = [("xla_backend_optimization_level", "0")]
    client = xla_client.make_cpu_client(num_devices=devices)
    stats = client.compile_and_load(pathlib.Path(file).read_text(), list(client.devices()), options).get_compiled_memory_stats()
    used = stats.argument_size_in_bytes + stats.output_size_in_bytes + stats.temp_size_in_bytes - stats.alias_size_in_bytes
    print(json.dumps(used))


def row(name, file, devices, folder, options):
    """The line of a program, and whether a figure is above XLA's."""
    ours, theirs = folder / "ours.mlir", folder / "xla.mlir"
    answer, _, _ = tools.partita_json("partition", file, "-o", ours)
    sends, holds = answer["totals"]["ring_bytes"], answer["memory"]["peak"]
    cells, above = [name, str(devices)], []
    _, failed = xla_in_a_process_of_its_own("partition", file, devices, theirs, options.seconds)
    if failed:
        cells += [gib(sends), f"({failed})", gib(holds), "-"]
    else:
        found = measure(theirs, devices)
        # The conversion must not have lost a loop's trip count.
        known = "" if found["unknown_trips"] == 0 else " at least"
        cells += [gib(sends), gib(found["ring_bytes"]) + known, gib(holds), gib(found["peak"])]
        above = [sends > found["ring_bytes"], holds > found["peak"]]
    if options.compile:
        for program in (ours, theirs):
            used, failed = xla_in_a_process_of_its_own("memory", program, devices, "-", options.seconds)
            cells.append(gib(used) if used else "-")
    return cells, above


def gib(count):
    return f"{count / GIB:.2f}"


def main():
    if len(sys.argv) == 5 and sys.argv[1] in ("--partition", "--memory"):
        mode, file, devices, out = sys.argv[1:]
        return xla_partition(file, int(devices), out) if mode == "--partition" else xla_memory(file, int(devices))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME[.STRATEGY]")
    parser.add_argument("--programs", type=pathlib.Path, help="a folder of programs that are lowered already")
    parser.add_argument("--layers", type=int)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--seconds", type=float, default=900, help="give XLA so much time")
    options = parser.parse_args()
    tools.need_partita()
    heads = ["program", "devices", "sends", "XLA sends", "holds", "XLA holds"]
    heads += ["compiled", "XLA's compiled"] if options.compile else []
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)
    above = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        if options.programs is None:
            lowered(folder / "programs", options.names, options.layers)
        for name, file, devices in programs(options.programs or folder / "programs", options.names):
            cells, over = row(name, file, devices, folder, options)
            print(f"| {' | '.join(cells)} |" + (" above" if any(over) else ""), flush=True)
            above += any(over)
    print(f"GiB per device; {above} above XLA's")
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()
