"""Whether the programs of the corpus that come with inputs and results compute those results, on one device and partitioned on all of theirs.

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


def run(job):
    program, options = job
    with tempfile.TemporaryDirectory() as folder:
        outputs = pathlib.Path(folder) / "out.npz"
        data = program.with_suffix(".npz")
        done = tools.partita("run", program, *options, "--inputs", data, "--outputs", outputs)
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
    jobs = [(program, options) for program in programs for options in ([], ["--spmd"])]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(zip(jobs, pool.map(run, jobs)))
    name = lambda program, options: f"{program.stem} {'on all devices' if options else 'on one device'}"
    errors = sorted((error, name(*job)) for job, (error, reason) in results if not reason)
    for error, job in errors[-5:]:
        print(f"{job:<48}{error:>8.1f} ulp of the maximum")
    for left_out, reason in EXCEPTIONS.items():
        print(f"left out: {left_out} ({reason})")
    failures = [(name(*job), reason) for job, (_, reason) in results if reason]
    tools.finish(len(jobs) - len(failures), failures)


if __name__ == "__main__":
    main()
