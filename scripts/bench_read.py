"""How fast Partita reads and verifies a program, beside jaxlib and XLA, in one table.

    bench_read.py [--file FILE.mlir] [--devices N] [--repetitions R] [--scale] [--megabytes M]

Without a file the 24-layer decoder of the examples is lowered. `partita check` reads and verifies; `jaxlib parse` does the same
in MLIR; `jaxlib text to HLO` is the time from handing the text to XLA's compiler until its partitioning pipeline starts.
`--scale` reads the functions of the program again and again, up to many megabytes of text, and shows time and memory.
"""

import argparse
import pathlib
import re
import statistics
import tempfile
import time

import tools


def check(file):
    """Seconds to parse and to verify, seconds of processor time in all, and the most memory held, in bytes."""
    answer, cpu, peak = tools.partita_json("check", file)
    return answer["timing_us"]["parse"] / 1e6, answer["timing_us"]["verify"] / 1e6, cpu, peak


def jaxlib_parse(text):
    from jaxlib.mlir import ir

    with tools.mlir_context():
        start = time.perf_counter()
        ir.Module.parse(text)
        return time.perf_counter() - start


def text_to_hlo(text, devices):
    """Seconds from the call of the compiler to the start of XLA's pipeline of partitioning passes, by its own profile."""
    events, start = tools.xla_profile(text, devices)
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
        file = args.file or tools.lower_decoder(folder)
        if args.scale:
            scale(file, args.megabytes)
            print()
        compare(file, args.devices, args.repetitions)


if __name__ == "__main__":
    main()
