"""Whether the programs of the corpus that come with inputs and results compute those results, on one device.

    programs.py [NAME…]
"""

import concurrent.futures
import pathlib
import sys
import tempfile

import tools

# Allowed difference, in ulp of the largest magnitude of a tensor.
LIMIT = 64

# Programs whose results are not unique, with the reason.
EXCEPTIONS = {}


def run(program):
    with tempfile.TemporaryDirectory() as folder:
        outputs = pathlib.Path(folder) / "out.npz"
        data = program.with_suffix(".npz")
        done = tools.partita("run", program, "--inputs", data, "--outputs", outputs)
        if done.returncode != 0:
            return float("inf"), (done.stderr or done.stdout).strip()[:600]
        return tools.compare_results(tools.load(outputs), tools.load(data), LIMIT)


def main():
    root = tools.corpus()
    if root is None:
        print("there are no corpora on this machine")
        return
    tools.need_partita()
    programs = [p for p in sorted((root / "programs").glob("*.mlir")) if p.with_suffix(".npz").exists()]
    programs = [p for p in programs if p.stem not in EXCEPTIONS and (len(sys.argv) == 1 or p.stem in sys.argv[1:])]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, programs))
    errors = sorted((error, program.stem) for program, (error, reason) in zip(programs, results) if not reason)
    for error, name in errors[-5:]:
        print(f"{name:<32}{error:>8.1f} ulp of the maximum")
    for name, reason in EXCEPTIONS.items():
        print(f"left out: {name} ({reason})")
    failures = [(program.stem, reason) for program, (_, reason) in zip(programs, results) if reason]
    tools.finish(len(programs) - len(failures), failures)


if __name__ == "__main__":
    main()
