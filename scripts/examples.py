"""Whether Partita computes what JAX computes: every tiny example on one device, on the same inputs.

    examples.py [MODEL…]        all models, or just these

`examples/expected.py` runs the JAX programs and keeps inputs and results; `partita run` runs the text. All annotated
variants of a model mean the same program, so each must give the same results.
"""

import collections
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import time

import tools

# Allowed difference, in ulp of the largest magnitude of a tensor: sums are added up in another order than XLA's.
LIMIT = 64


def run(task):
    file, inputs, folder = task
    outputs = pathlib.Path(folder) / f"{file.stem}.out.npz"
    start = time.monotonic()
    done = tools.partita("run", file, "--inputs", inputs, "--outputs", outputs)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        return float("inf"), (done.stderr or done.stdout).strip()[:600], seconds
    error, reason = tools.compare_results(tools.load(outputs), tools.load(inputs), LIMIT)
    outputs.unlink()
    return error, reason, seconds


def main():
    tools.need_partita()
    models = collections.defaultdict(list)
    for file in sorted((tools.ROOT / "examples/tiny").glob("*.mlir")):
        models[file.name.split(".")[0]].append(file)
    chosen = sys.argv[1:] or list(models)
    passed, failures = 0, []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        expected = [sys.executable, tools.ROOT / "examples/expected.py", "--out", folder, *chosen]
        subprocess.run(expected, check=True, stdout=subprocess.DEVNULL)
        print(f"{'model':<24}{'programs':>9}{'same':>7}{'worst ulp':>11}{'seconds':>9}")
        for model in chosen:
            inputs = pathlib.Path(folder) / f"{model}.npz"
            results = list(pool.map(run, [(file, inputs, folder) for file in models[model]]))
            failed = [(file.name, reason) for file, (_, reason, _) in zip(models[model], results) if reason]
            passed += len(results) - len(failed)
            failures += failed
            worst, seconds = max(r[0] for r in results), sum(r[2] for r in results)
            print(f"{model:<24}{len(results):>9}{len(results) - len(failed):>7}{worst:>11.1f}{seconds:>9.1f}", flush=True)
    tools.finish(passed, failures)


if __name__ == "__main__":
    main()
