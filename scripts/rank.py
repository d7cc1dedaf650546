"""Whether plans rank alike in simulation and on the CPU engine, and whether XLA's temporaries are what the simulator says.

    rank.py [--profile cpu.toml] [--size medium] [--runs N] [NAME.STRATEGY …]

Plans of the examples are partitioned for eight virtual devices, simulated with a profile of this machine (`partita simulate --calibrate` makes one where none is
named), and run by XLA with its own partitioner off. Runs alternate between plans, so that what else the machine does meets all alike; the fastest run of each
counts. Prints a table, Spearman's correlation (times within 5 % of each other count as equal), and how far temporaries are off.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import tools
import engine

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

PLANS = [
    "decoder_unrolled.data", "decoder_unrolled.megatron", "decoder_unrolled.fsdp", "decoder_unrolled.sequence", "decoder_unrolled.2d", "decoder_scanned.2d",
    "decoder_scanned.2d_attempt1", "decoder_scanned.megatron", "encoder.data", "encoder.megatron", "gpt3.megatron", "moe.expert", "vit.data", "vit.megatron",
    "conformer.megatron", "multimodal.data_megatron", "pipeline_gpipe.pipeline",
]  # fmt: skip


def ranks(values, tie):
    """Ranks, those within a tie of each other alike."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found, start = [0.0] * len(values), 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] <= values[order[start]] * (1 + tie):
            end += 1
        for i in order[start:end + 1]:
            found[i] = (start + end) / 2
        start = end + 1
    return found


def spearman(a, b, tie=0.05):
    a, b = ranks(a, tie), ranks(b, tie)
    mean_a, mean_b = statistics.fmean(a), statistics.fmean(b)
    both = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    return both / (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5


def lowered(name, folder, size):
    """The file of `model.strategy`."""
    model, strategy = name.split(".")
    command = [sys.executable, tools.ROOT / "examples/lower.py", "--size", size, "--strategy", strategy, "--notation", "sdy", "--out", folder, model]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(pathlib.Path(folder).glob(f"{model}.*.{strategy}.sdy.mlir"))


def with_arguments_kept(text):
    """A program whose arguments stay as they are, so that they can be used again."""
    return text.replace("tf.aliasing_output", "kept.aliasing_output").replace("jax.buffer_donor", "kept.buffer_donor")


class Plan:
    """A plan that can be run again and again."""

    def __init__(self, name, file, profile, client, *options):
        self.name = name
        out = file.with_suffix(".spmd.mlir")
        said, _, _ = tools.partita_json("partition", file, "-o", out, "--device", profile, *options)
        text = out.read_text()
        signature = engine.Signature(text)
        stats = engine.compile_for(client, text, signature).get_compiled_memory_stats()
        self.temporaries = stats.temp_size_in_bytes
        memory = said["memory"]
        donated = min(text.count("tf.aliasing_output"), 1) * stats.alias_size_in_bytes
        self.said_temporaries = memory["peak"] - memory["arguments"] - (memory["results"] - donated)
        kept = with_arguments_kept(text)
        out.write_text(kept)
        self.simulated, _, _ = tools.partita_json("simulate", out, "--device", profile)
        self.client, self.text, self.signature, self.runs = client, kept, signature, []
        self.load()

    def load(self):
        """Compiles the program and makes its inputs, anew where that was done already: where memory lies is luck, and makes a tenth of the time."""
        signature, before, self.runs = self.signature, self.runs, []
        self.executable = engine.compile_for(self.client, self.text, signature)
        rng = np.random.default_rng(0)
        mesh = Mesh(np.array(self.executable.local_devices()), ("devices",))
        self.inputs = []
        for shape, dtype, axes in signature.arguments:
            _, block = signature.place(0, shape, axes)
            shards = [jax.device_put(engine.sample(block, dtype, rng), device) for device in mesh.devices]
            whole = (len(shards) * block[0], *block[1:]) if block else ()
            spec = PartitionSpec("devices") if block else PartitionSpec()
            self.inputs.append(jax.make_array_from_single_device_arrays(whole, NamedSharding(mesh, spec), shards))
        self.run()
        self.runs = before

    def run(self):
        start = time.perf_counter()
        for shards in self.executable.execute_sharded(self.inputs).disassemble_into_single_device_arrays():
            jax.block_until_ready(shards)
        self.runs.append(time.perf_counter() - start)

    @property
    def seconds(self):
        return min(self.runs)


def calibrated(folder):
    """A profile of this machine."""
    profile = pathlib.Path(folder) / "cpu.toml"
    done = tools.partita("simulate", "--calibrate", "-o", profile)
    if done.returncode:
        sys.exit(done.stderr)
    return profile


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plans", nargs="*", metavar="NAME.STRATEGY")
    parser.add_argument("--profile", type=pathlib.Path)
    parser.add_argument("--size", default="medium")
    parser.add_argument("--runs", type=int, default=10)
    args = parser.parse_args()
    tools.need_partita()
    client = jax.devices("cpu")[0].client
    with tempfile.TemporaryDirectory() as folder:
        profile = args.profile
        if profile is None:
            profile = calibrated(folder)
            print(profile.read_text())
        plans = [Plan(name, lowered(name, folder, args.size), profile, client) for name in args.plans or PLANS]
        for _ in range(args.runs):
            for plan in plans:
                plan.run()
    print("| plan | measured, ms | simulated, ms | temporaries by XLA, MiB | simulated, MiB |\n|---|---|---|---|---|")
    for plan in sorted(plans, key=lambda plan: plan.seconds):
        print(f"| {plan.name} | {1e3 * plan.seconds:.0f} | {1e3 * plan.simulated['step_seconds']:.0f} | "
              f"{plan.temporaries / 2**20:.1f} | {plan.said_temporaries / 2**20:.1f} |")
    measured, simulated = [p.seconds for p in plans], [p.simulated["step_seconds"] for p in plans]
    off = [abs(p.said_temporaries / p.temporaries - 1) for p in plans if p.temporaries]
    print(f"\n{len(plans)} plans, slowest {max(measured) / min(measured):.1f} times the fastest; Spearman {spearman(measured, simulated):.3f}; "
          f"temporaries {statistics.median(off):.0%} off in the median, {max(off):.0%} at most")


if __name__ == "__main__":
    main()
