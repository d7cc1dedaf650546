"""Whether XLA compiles and runs what Partita writes, with XLA's own partitioner switched off.

    engine.py [--examples N] [FILE.mlir …]

Every program of `tests/partition` (or the files that are named) is partitioned, compiled by jaxlib for as many virtual CPU devices as its mesh
has, and run; results must be those that `partita run` gives on one device. Arrays are cut to shards and put together here, by
nothing but the attributes in the text. Besides, N of the tiny examples are compiled.
"""

import argparse
import itertools
import pathlib
import re
import tempfile

import tools

import jax
import jaxlib.xla_client as xla_client
import ml_dtypes
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib.mlir import ir

# Sums of floats are added up in another order; in ulp of the largest magnitude of a tensor.
LIMIT = 64


class Signature:
    """What a per-device program says of the global arrays it is for."""

    def __init__(self, text):
        with tools.mlir_context():
            module = ir.Module.parse(text)
            mesh = ir.StringAttr(module.operation.attributes["partita.mesh"]).value
            self.axes = {name: int(size) for name, size in re.findall(r'"([^"]*)"=(\d+)', mesh)}
            order = re.search(r"device_ids=\[([\d, ]*)\]", mesh)
            self.devices = int(np.prod(list(self.axes.values())))
            self.order = [int(d) for d in order[1].split(",")] if order else list(range(self.devices))
            function = next(op for op in module.body.operations if op.operation.name == "func.func")
            self.arguments = self.tensors(function, "arg_attrs")
            self.results = self.tensors(function, "res_attrs")

    def tensors(self, function, name):
        """(dtype and shape as text, axes of each dimension) of every argument or result."""
        if name not in function.attributes:
            return []
        found = []
        for attributes in ir.ArrayAttr(function.attributes[name]):
            attributes = ir.DictAttr(attributes)
            type_text = str(attributes["partita.global_type"])
            sharding = ir.StringAttr(attributes["partita.sharding"]).value
            dims = re.findall(r"\{([^}]*)\}", sharding)
            axes = [re.findall(r'"([^"]*)"(?::\((\d+)\)(\d+))?', dim) for dim in dims]
            shape, dtype = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", type_text).groups()
            found.append(([int(n) for n in shape.split("x")[:-1]], dtype, axes))
        return found

    def place(self, position, shape, axes):
        """Where the shard at a position of the mesh begins, and how large shards are."""
        coordinates, rest = {}, position
        for name, size in reversed(self.axes.items()):
            rest, coordinates[name] = divmod(rest, size)
        start, block = [], []
        for size, dim in zip(shape, axes):
            index, parts = 0, 1
            for name, pre, part in dim:
                whole = self.axes[name]
                before, count = (int(pre), int(part)) if part else (1, whole)
                index = index * count + coordinates[name] // (whole // (before * count)) % count
                parts *= count
            block.append(-(-size // parts))
            start.append(index * block[-1])
        return start, block


DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i8": np.int8, "ui32": np.uint32, "ui8": np.uint8, "i1": np.bool_, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "complex<f32>": np.complex64, "complex<f64>": np.complex128}

# What XLA's CPU has no code for, or gives numbers of its own: these programs are partitioned here and run by Partita only.
NOT_ON_CPU = {"top_k_call.mlir": "mhlo.topk", "ragged_rows.mlir": "ragged_dot", "shape_as_operand.mlir": "rng",
              "fft_of_infinities.mlir": "what is not a number"}


def sample(shape, dtype, rng):
    """Small exact values."""
    if dtype == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if "f" in dtype:
        return (rng.integers(-8, 9, shape) / 8).astype(DTYPES[dtype])
    return rng.integers(0, 4, shape).astype(DTYPES[dtype])


def compile_for(client, text, signature):
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    count = signature.devices
    options.num_replicas = build.num_replicas = 1
    options.num_partitions = build.num_partitions = count
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = False
    build.debug_options.xla_disable_hlo_passes = "spmd-partitioner"
    options.device_assignment = xla_client.DeviceAssignment.create(np.arange(count, dtype=np.int32)[None, :])
    return client.compile_and_load(text, client.devices()[:count], options)


def run(executable, signature, arrays):
    """Global arrays through a per-device program."""
    # Partition k runs on the k-th device; which position of the mesh that is, the order of its devices says.
    position_of = {device: position for position, device in enumerate(signature.order)}
    mesh = Mesh(np.array(executable.local_devices()), ("devices",))
    inputs = []
    for array, (shape, _, axes) in zip(arrays, signature.arguments):
        shards = []
        for partition, device in enumerate(mesh.devices):
            start, block = signature.place(position_of[partition], shape, axes)
            shard = np.zeros(block, array.dtype)
            part = array[tuple(slice(s, s + b) for s, b in zip(start, block))]
            shard[tuple(slice(0, n) for n in part.shape)] = part
            shards.append(jax.device_put(shard, device))
        # The executable looks at the buffers alone; what they are called together does not matter.
        spec = PartitionSpec("devices") if shards[0].ndim else PartitionSpec()
        whole = (signature.devices * shards[0].shape[0], *shards[0].shape[1:]) if shards[0].ndim else ()
        inputs.append(jax.make_array_from_single_device_arrays(whole, NamedSharding(mesh, spec), shards))
    outputs = executable.execute_sharded(inputs).disassemble_into_single_device_arrays()
    results = []
    for shards, (shape, dtype, axes) in zip(outputs, signature.results):
        result = np.zeros(shape, np.asarray(shards[0]).dtype)
        for partition, shard in enumerate(shards):
            start, _ = signature.place(position_of[partition], shape, axes)
            room = result[(..., *(slice(s, s + n) for s, n in zip(start, shard.shape)))]
            room[...] = np.asarray(shard)[tuple(slice(0, n) for n in room.shape)]
        results.append(result)
    return results


def check(client, file, folder, execute):
    """The reason of a failure, or None."""
    out = folder / "out.mlir"
    done = tools.partita("partition", file, "-o", out)
    if done.returncode:
        return done.stderr.strip()[:300]
    text = out.read_text()
    signature = Signature(text)
    executable = compile_for(client, text, signature)
    if not execute:
        return None
    rng = np.random.default_rng(7)
    arrays = [sample(shape, dtype, rng) for shape, dtype, _ in signature.arguments]
    np.savez(folder / "in.npz", **{f"arg{n}": array for n, array in enumerate(arrays)})
    done = tools.partita("run", file, "--inputs", folder / "in.npz", "--outputs", folder / "one.npz")
    if done.returncode:
        return None if "partition the program to run it" in done.stderr else done.stderr.strip()[:300]
    results = run(executable, signature, arrays)
    return tools.compare_results({f"out{n}": r for n, r in enumerate(results)}, tools.load(folder / "one.npz"), LIMIT)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--examples", type=int, default=8, help="compile so many of the tiny examples")
    options = parser.parse_args()
    tools.need_partita()
    client = xla_client.make_cpu_client(num_devices=64)
    files = options.files or sorted((tools.ROOT / "tests/partition").glob("*.mlir"))
    files = [file for file in files if file.name not in NOT_ON_CPU]
    examples = [] if options.files else [f for f in (tools.ROOT / "examples/tiny").glob("*.sdy.mlir") if ".none." not in f.name]
    # Megatron's first: there is one of most models.
    examples.sort(key=lambda file: (".megatron." not in file.name, file.name))
    tasks = [(file, True) for file in files] + [(file, False) for file in itertools.islice(examples, options.examples)]
    passed, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for file, execute in tasks:
            try:
                reason = check(client, file, pathlib.Path(folder), execute)
            except Exception as error:  # XLA refuses programs with errors of many types
                reason = f"{type(error).__name__}: {str(error)[:600]}"
            if reason:
                failures.append((file.name, reason))
            else:
                passed += 1
    tools.finish(passed, failures)


if __name__ == "__main__":
    main()
