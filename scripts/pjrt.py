"""Whether programs run on XLA through its PJRT plug-in, from the command line alone: no Python, no JAX.

    pjrt.py [--examples] [FILE.mlir …]

Where no files are named, plans are timed on it, too (`auto --measure`). Every file (those of `tests/partition`, or with `--examples` the annotated tiny examples) runs partitioned on the plug-in for CPUs, and on one
device by the reference interpreter, on inputs made from the same seed. Floats may differ by what adding up in another order makes of them: by a fixed
limit, or, where the plug-in on one device is further off itself (a division by next to nothing), by four times that.
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import tempfile

import tools
from engine import NOT_ON_CPU

# In ulp of the largest magnitude of a tensor: one step of training, and programs of a few operations.
LIMIT_OF_EXAMPLES, LIMIT = 4096, 64


def check(file, plugin, limit):
    """The reason of a failure, or None."""
    with tempfile.TemporaryDirectory() as folder:
        one, many = (pathlib.Path(folder) / name for name in ("one.npz", "many.npz"))
        done = tools.partita("run", file, "--engine", "reference", "--outputs", one)
        if done.returncode:
            # A program that means something on several devices only.
            return None if "partition the program to run it" in done.stderr else done.stderr.strip()[-300:]
        done = tools.partita("run", file, "--spmd", "--engine", "pjrt", "--plugin", plugin, "--outputs", many)
        if done.returncode:
            return done.stderr.strip()[-300:]
        error, reason = tools.compare_results(tools.load(many), tools.load(one), limit)
        if reason is None:
            return None
        done = tools.partita("run", file, "--engine", "pjrt", "--plugin", plugin, "--outputs", many)
        alone, _ = tools.compare_results(tools.load(many), tools.load(one), limit) if done.returncode == 0 else (0.0, None)
        return None if error <= 4 * alone else reason


def check_measured(file, plugin):
    """Whether the plan that is given is the fastest of those that were timed: the reason of a failure, or None."""
    said, _, _ = tools.partita_json("auto", file, "--devices", 4, "--measure", 3, "--plugin", plugin)
    times = [plan["measured_seconds"] for plan in said["measured"]]
    if len(times) != 3 or None in times or times != sorted(times):
        return f"timed {times}"
    fastest = said["measured"][0]
    return None if (fastest["mesh"], fastest["decisions"]) == (said["mesh"], said["decisions"]) else "the plan is not the fastest"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--examples", action="store_true")
    options = parser.parse_args()
    tools.need_partita()
    plugin = subprocess.run([tools.ROOT / "scripts/plugin"], check=True, capture_output=True, text=True).stdout.strip()
    files, limit = options.files, LIMIT
    if options.examples:
        files = sorted(f for f in (tools.ROOT / "examples/tiny").glob("*.sdy.mlir") if ".none." not in f.name)
        limit = LIMIT_OF_EXAMPLES
    files = files or sorted(f for f in (tools.ROOT / "tests/partition").glob("*.mlir") if f.name not in NOT_ON_CPU)
    failures = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for file, reason in zip(files, pool.map(lambda file: check(file, plugin, limit), files)):
            if reason:
                failures.append((file.name, reason))
    if not options.files:
        reason = check_measured(tools.ROOT / "examples/tiny/moe.none.sdy.mlir", plugin)
        files.append("auto --measure")
        failures += [("auto --measure", reason)] if reason else []
    tools.finish(len(files) - len(failures), failures)


if __name__ == "__main__":
    main()
