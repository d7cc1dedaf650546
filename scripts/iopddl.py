#!/usr/bin/env python3
"""Solves the strategy graphs of the ASPLOS / EuroSys 2025 contest and shows the points.

Points for a problem are the best team's cost over our own: above 1 is better than every team. The problems are read from
../shared/iopddl, or from the folder that PARTITA_IOPDDL names. All eight with their time limits take about 20 minutes:

    cargo build --release && scripts/iopddl.py
    scripts/iopddl.py --only B,G --time 5

Every solution is evaluated here once more, straight from the file.
"""

import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORBIDDEN = 10**18

# The model and its mesh, the seconds allowed, and the cost of the best of 20 teams.
PROBLEMS = {
    "A": ("graph network [4,8]", 60, 6548641531),
    "B": ("transformer [4,8]", 60, 532843),
    "C": ("Gemma 1 2B [8,8]", 60, 84102445260),
    "G": ("transformer [2,16]", 120, 217039),
    "K": ("graph network [2,16]", 180, 2274276676),
    "L": ("U-Net [4,8]", 180, 1970993742),
    "P": ("Gemma 1 27B [8,16]", 240, 662197407330),
    "V": ("transformer [2,4,4]", 300, 1632051),
}


def evaluate(problem: dict, choice: list[int]) -> tuple[int, int]:
    """The cost of a choice, and its peak usage."""
    nodes, edges = problem["nodes"], problem["edges"]
    cost = sum(costs[s] for costs, s in zip(nodes["costs"], choice, strict=True))
    for (u, v), costs in zip(edges["nodes"], edges["costs"], strict=True):
        cost += costs[choice[u] * len(nodes["costs"][v]) + choice[v]]
    changes: dict[int, int] = {}
    for (start, end), usages, s in zip(nodes["intervals"], nodes["usages"], choice, strict=True):
        if start < end:
            changes[start] = changes.get(start, 0) + usages[s]
            changes[end] = changes.get(end, 0) - usages[s]
    held = peak = 0
    for moment in sorted(changes):
        held += changes[moment]
        peak = max(peak, held)
    return cost, peak


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PROBLEMS), help="problems, separated by commas")
    parser.add_argument("--time", type=float, help="seconds for each problem instead of its own limit")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=float, default=0.9, help="fail where a problem has fewer points")
    parser.add_argument("--partita", default=str(ROOT / "target" / "release" / "partita"))
    args = parser.parse_args()
    folder = pathlib.Path(os.environ.get("PARTITA_IOPDDL", ROOT.parent / "shared" / "iopddl"))
    if not folder.is_dir():
        print(f"{folder} is not there: nothing to solve")
        return 0

    total, failed = 0.0, False
    print("| problem | model, mesh | seconds | cost | lower bound | gap | points |")
    print("|---|---|---|---|---|---|---|")
    for name in args.only.split(","):
        model, allowed, best = PROBLEMS[name]
        limit = args.time or allowed
        command = [args.partita, "solve", str(folder / f"{name}.json.gz"), "--time-limit", str(limit)]
        command += ["--threads", str(args.threads), "--seed", str(args.seed), "--json"]
        start = time.monotonic()
        result = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
        seconds = time.monotonic() - start
        if "error" in result:
            print(f"| {name} | {model} | {seconds:.1f} | {result['error']['message']} | | | 0 |")
            failed = True
            continue
        with gzip.open(folder / f"{name}.json.gz") as file:
            problem = json.load(file)["problem"]
        cost, peak = evaluate(problem, result["solution"])
        sound = cost == result["cost"] and cost < FORBIDDEN and peak <= problem["usage_limit"]
        points = best / cost if sound and seconds <= limit else 0.0
        bound = result["lower_bound"]
        gap = 100 * (cost - bound) / cost
        print(f"| {name} | {model} | {seconds:.1f} | {cost} | {bound} | {gap:.2f} % | {points:.4f} |", flush=True)
        failed |= points < args.least
        total += points
    print(f"\n{total:.4f} points")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
