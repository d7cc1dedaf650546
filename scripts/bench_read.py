"""How fast Partita reads and verifies a program, beside jaxlib and XLA, in one table.

    bench_read.py [--file FILE.mlir] [--devices N] [--repetitions R] [--scale] [--megabytes M]

Without a file the 24-layer decoder of the examples is lowered. `partita check` reads and verifies; `jaxlib parse` does the same
in MLIR; `jaxlib text to HLO` is the time from handing the text to XLA's compiler until its partitioning pipeline starts.
`--scale` reads the functions of the program again and again, up to many megabytes of text, and shows time and memory.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import tools


def lower_example(folder):
    command = [sys.executable, tools.ROOT / "examples/lower.py", "--size", "real", "--layers", "24", "--strategy", "megatron"]
    command += ["--notation", "sdy", "--out", folder, "decoder_unrolled"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(pathlib.Path(folder).glob("*.mlir"))


def check(file):
    """Seconds to parse and to verify, seconds of processor time in all, and the most memory held, in bytes.

    The memory is no less than what this script holds when it starts the command: it must not have loaded jaxlib yet.
    """
    process = subprocess.Popen([tools.PARTITA, "check", "--json", file], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    answer = json.loads(output)
    if process.returncode != 0:
        sys.exit(f"{file}: {answer['error']['message']}")
    timing = answer["timing_us"]
    return timing["parse"] / 1e6, timing["verify"] / 1e6, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def jaxlib_parse(text):
    from jaxlib.mlir import ir

    with tools.mlir_context():
        start = time.perf_counter()
        ir.Module.parse(text)
        return time.perf_counter() - start


def text_to_hlo(text, devices):
    """Seconds from the call of the compiler to the start of XLA's pipeline of partitioning passes, by its own profile."""
    from jaxlib import _profiler, xla_client
    from jaxlib._profile_data import ProfileData
    import numpy as np

    client = xla_client.make_cpu_client(num_devices=devices)
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    options.num_partitions = build.num_partitions = devices
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = "sdy." in text
    # Nothing behind the pipeline is of interest; skipping its passes makes the backend fail, which is no matter.
    build.debug_options.xla_enable_hlo_passes_only = "spmd-partitioner"
    options.device_assignment = xla_client.DeviceAssignment.create(np.arange(devices, dtype=np.int32)[None, :])
    settings = _profiler.ProfileOptions()
    settings.host_tracer_level, settings.python_tracer_level = 2, 0
    session = _profiler.ProfilerSession(settings)
    with _profiler.TraceMe("bench_read"):
        try:
            client.compile_and_load(text, list(client.devices()), options)
        except Exception:
            pass
    profile = ProfileData.from_serialized_xspace(session.stop())
    events = [event for plane in profile.planes for line in plane.lines for event in line.events]
    start = min(e.start_ns for e in events if e.name == "bench_read")
    return (min(e.start_ns for e in events if e.name.startswith("spmd-partitioner (")) - start) / 1e9


def compare(file, devices, repetitions):
    text = file.read_text()
    rows = {
        "partita check": [sum(check(file)[:2]) for _ in range(max(repetitions, 9))],
        "jaxlib parse": [jaxlib_parse(text) for _ in range(repetitions)],
        "jaxlib text to HLO": [text_to_hlo(text, devices) for _ in range(repetitions)],
    }
    ours = rows["partita check"]
    print(f"{file.name}: {len(text.splitlines())} lines, {len(text) / 1e6:.2f} MB")
    print(f"{'':<22}{'best ms':>10}{'median ms':>11}{'MB/s':>8}{'times partita (best, median)':>32}")
    for name, seconds in rows.items():
        best, median = min(seconds), statistics.median(seconds)
        ratio = f"{best / min(ours):.1f}, {median / statistics.median(ours):.1f}"
        print(f"{name:<22}{best * 1e3:>10.2f}{median * 1e3:>11.2f}{len(text) / best / 1e6:>8.0f}{ratio:>32}")


def repeated(text, size):
    """A module with the functions of a program again and again, each time under other names, of about this size."""
    start, end = text.index("{\n", text.index("module")) + 2, text.rindex("}")
    head, body, tail = text[:start], text[start:end], text[end:]
    meshes = "".join(re.findall(r"^ *sdy\.mesh .*\n", body, re.MULTILINE))
    body = re.sub(r"^ *sdy\.mesh .*\n", "", body, flags=re.MULTILINE)
    names = re.findall(r"func\.func (?:\w+ )?@([\w$.-]+)\(", body)
    name = re.compile(r"@(" + "|".join(map(re.escape, names)) + r")\b")
    copies = max(1, (size - len(head) - len(tail)) // len(body))
    parts = (name.sub(rf"@\1_{i}", body) for i in range(copies))
    return head + meshes + "".join(parts) + tail


def scale(file, largest):
    text = file.read_text()
    print(f"{'text MB':>8}{'parse s':>9}{'verify s':>10}{'MB/s':>7}{'CPU s':>8}{'peak MB':>9}{'peak / text':>13}")
    with tempfile.TemporaryDirectory() as folder:
        size = 1
        while size <= largest:
            big = pathlib.Path(folder) / "big.mlir"
            big.write_text(repeated(text, size * 1_000_000))
            size_on_disk = big.stat().st_size
            parse, verify, cpu, peak = check(big)
            row = f"{size_on_disk / 1e6:>8.1f}{parse:>9.3f}{verify:>10.3f}{size_on_disk / (parse + verify) / 1e6:>7.0f}"
            print(f"{row}{cpu:>8.3f}{peak / 1e6:>9.0f}{peak / size_on_disk:>13.2f}", flush=True)
            size *= 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=pathlib.Path)
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--scale", action="store_true", help="read ever larger texts too")
    parser.add_argument("--megabytes", type=int, default=100, help="the largest of them")
    args = parser.parse_args()
    tools.need_partita()
    with tempfile.TemporaryDirectory() as folder:
        file = args.file or lower_example(folder)
        if args.scale:
            scale(file, args.megabytes)
            print()
        compare(file, args.devices, args.repetitions)


if __name__ == "__main__":
    main()
