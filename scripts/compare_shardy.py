"""How far Partita's completed shardings are those of Shardy: of the dimensions that either of the two splits, the share
on which both agree, for each program.

    compare_shardy.py [--differences] [--least PERCENT] [FILE.mlir …]

Without files the example programs are taken. Calls are inlined before, every operation gets a number, and shardings are
compared by it. Constants are left out: both split them for each use. With `--least` the exit code tells whether every
program reaches a share.
"""

import argparse
import pathlib
import sys

import shardy
import tools


def compare(text):
    """(agreeing dimensions, dimensions, differences)"""
    with tools.mlir_context():
        names, function, ours, _, _module = shardy.both(text, "sdy-propagation-pipeline")
        theirs, copies = shardy.shardings(function)
    agreeing, total, differences = 0, 0, []
    for key in sorted(set(ours) | set(theirs), key=str):
        if key[0] not in ("arg", "result") and (names[key[0]].endswith("constant") or copies.get(key[0]) != 1):
            continue
        left, right = ours.get(key), theirs.get(key)
        rank = len(left or right or [])
        left, right = left or [""] * rank, right or [""] * rank
        pairs = [(a, b) for a, b in zip(left, right) if a or b]
        same = sum(a == b for a, b in pairs)
        agreeing, total = agreeing + same, total + len(pairs)
        if same < len(pairs):
            differences.append((*key, names.get(key[0], ""), left, right))
    return agreeing, total, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--differences", action="store_true", help="show each difference: Partita's sharding, then Shardy's")
    parser.add_argument("--least", type=float, default=0.0, help="fail below this share, in percent")
    options = parser.parse_args()
    tools.need_partita()
    examples = (tools.ROOT / "examples/tiny").glob("*.sdy.mlir")
    files = options.files or sorted(f for f in examples if ".none." not in f.name)
    below = 0
    for file in files:
        try:
            agreeing, total, differences = compare(file.read_text())
        except Exception as error:  # jaxlib and Partita refuse programs with errors of many types
            print(f"   refused {file.name}: {str(error).splitlines()[0][:160]}")
            continue
        share = 100 * agreeing / total if total else 100.0
        below += share < options.least
        print(f"{share:8.2f} % {agreeing:6} of {total:6} {file.name}", flush=True)
        if options.differences:
            for place, n, name, ours, theirs in differences:
                print(f"             {place} {n} {name}: {ours} {theirs}")
    sys.exit(1 if below else 0)


if __name__ == "__main__":
    main()
