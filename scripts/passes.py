#!/usr/bin/env python3
"""What the passes change in the per-device programs of the examples: collectives, bytes sent, bytes held.

    scripts/passes.py [--only NAME] [--verify]

Each line is one example with one pass: without it, and with it. PARTITA names the command, `target/release/partita` by default.
"""
import argparse
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTITA = os.environ.get("PARTITA", ROOT / "target/release/partita")

# The pass, the options without it, and those with it.
PASSES = [
    ("zero", ["--passes", "schedule"], ["--passes", "schedule", "--zero"]),
    ("sums", ["--passes", "schedule"], ["--passes", "sums,schedule"]),
    ("narrow", ["--passes", "schedule"], ["--passes", "narrow,schedule"]),
    ("combine", ["--passes", "schedule"], ["--passes", "schedule,combine"]),
    ("hoist", ["--passes", "schedule"], ["--passes", "hoist,schedule"]),
    ("prefetch", ["--passes", "schedule"], ["--passes", "prefetch,schedule"]),
    ("looped-einsum", ["--passes", "schedule"], ["--passes", "looped-einsum,schedule"]),
    ("split", ["--passes", "schedule"], ["--passes", "split,schedule"]),
    ("hierarchy", ["--passes", "schedule"], ["--passes", "hierarchy,schedule"]),
]


def partition(path, options):
    run = subprocess.run([PARTITA, "partition", path, "--json", *options], capture_output=True, text=True)
    return json.loads(run.stdout)


def figures(report):
    count = sum(kind["count"] for kind in report["totals"]["by_kind"].values())
    memory = report["memory"]
    return count, report["totals"]["ring_bytes"], memory["arguments"], memory["peak"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="examples whose name contains this")
    parser.add_argument("--verify", action="store_true", help="run the program with the pass, and compare with one device")
    args = parser.parse_args()
    print(f"{'example':34} {'pass':14} {'collectives':>13} {'bytes sent':>17} {'arguments':>17} {'peak':>17}")
    for path in sorted((ROOT / "examples/tiny").glob("*.sdy.mlir")):
        name = path.name.removesuffix(".sdy.mlir")
        if args.only not in name or name.endswith(".none"):
            continue
        for word, without, with_it in PASSES:
            before = partition(path, without)
            after = partition(path, with_it + (["--verify"] if args.verify else []))
            if "error" in after:
                print(f"{name:34} {word:14} {after['error']['message']}")
                continue
            pairs = list(zip(figures(before), figures(after)))
            if all(a == b for a, b in pairs):
                continue
            cells = [f"{a} → {b}" for a, b in pairs]
            proof = "" if not args.verify else "  verified" if after["verify"]["ok"] else "  WRONG"
            print(f"{name:34} {word:14} {cells[0]:>13} {cells[1]:>17} {cells[2]:>17} {cells[3]:>17}{proof}")


if __name__ == "__main__":
    main()
