"""Every program partitioned and verified, with the bytes it sends beside XLA's.

    compare_xla.py [--only NAME] [--set examples|programs|xla] [--above] [--seconds N] [--jobs N]

The programs are the tiny examples with their annotations, and, where the corpus is on this machine, `programs` and `xla`
(the latter with `--boundary replicated`, as XLA was asked). For each: ring bytes per device, XLA's where they are known, what
`--verify` says, how many ops run whole on every device, and what the error is where there is one. `--above` shows only what needs looking at.
The exit code is 1 where a program gives other results than one device.
"""

import argparse
import concurrent.futures
import json
import subprocess
import sys
import tempfile

import tools

COUNTED = ("refused", "not run", "different", "above", "whole")


def programs(only, chosen):
    """(set, name, file, options, XLA's ring bytes, whether XLA is wrong)"""
    found = []
    if chosen in (None, "examples"):
        for file in sorted((tools.ROOT / "examples/tiny").glob("*.mlir")):
            if ".none." not in file.name:
                found.append(("examples", file.name.removesuffix(".mlir"), file, [], None, False))
    corpus = tools.corpus()
    if corpus and chosen in (None, "programs"):
        for entry in sorted(json.loads((corpus / "programs/programs.json").read_text()), key=lambda e: e["name"]):
            file = corpus / "programs" / f"{entry['name']}.mlir"
            # What XLA cannot compile, or compiles to something wrong, is nothing to compare with.
            wrong = bool(entry.get("xla_wrong") or entry.get("xla_error"))
            found.append(("programs", entry["name"], file, [], entry.get("xla_ring_bytes"), wrong))
    if corpus and chosen in (None, "xla"):
        for entry in sorted(json.loads((corpus / "xla.json").read_text()), key=lambda e: e["file"]):
            file = corpus / entry["file"]
            replicated = ["--boundary", "replicated"]
            found.append(("xla", file.stem, file, replicated, entry.get("xla_ring_bytes"), False))
    return [program for program in found if only is None or only in program[1]]


def partition(file, options, seconds):
    """The JSON of a partition that is verified; a program that cannot be verified is partitioned still."""
    with tempfile.NamedTemporaryFile(suffix=".mlir") as out:
        command = ["partition", file, *options, "--json", "-o", out.name]
        try:
            run = tools.partita(*command, "--verify", timeout=seconds)
        except subprocess.TimeoutExpired:
            return {**partition_only(command, seconds), "unverified": f"no answer after {seconds} s"}
        if run.returncode not in (0, 1) or not run.stdout:
            return {"error": {"message": f"exit code {run.returncode}: {run.stderr.strip()[-200:]}"}}
        answer = json.loads(run.stdout)
        if answer.get("error", {}).get("code") in ("verify", "memory"):
            return {**partition_only(command, seconds), "unverified": answer["error"]["message"]}
        return answer


def partition_only(command, seconds):
    try:
        return json.loads(tools.partita(*command, timeout=seconds).stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        return {"error": {"message": str(error)[:200]}}


def row(program, answer):
    """The line of a program, and what it counts as."""
    group, name, _, _, theirs, wrong = program
    if "error" in answer:
        return f"{group:8} {name:44} refused: {answer['error']['message']}", {"refused"}
    ours = answer["totals"]["ring_bytes"]
    verify = answer.get("verify")
    if "unverified" in answer:
        said = "not run"
    elif verify["ok"]:
        said = "equal" if verify["max_abs_error"] == 0 else "rounded"
    else:
        said = "DIFFERENT"
    beside = "-" if theirs is None else f"{theirs}"
    above = theirs is not None and not wrong and ours > theirs
    mark = "above" if above else "XLA wrong" if wrong else ""
    replicated = len(answer["replicated"])
    line = f"{group:8} {name:44} {ours:>12} {beside:>12} {said:9} {replicated:>4} whole {mark}"
    if "unverified" in answer:
        line += f" ({answer['unverified'][:160]})"
    if said == "DIFFERENT":
        line += f" {json.dumps(verify['worst'])}"
    words = {"not run": "not run" == said, "different": said == "DIFFERENT", "above": above, "whole": replicated > 0}
    return line.rstrip(), {word for word, holds in words.items() if holds}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="programs whose name contains this")
    parser.add_argument("--set", choices=("examples", "programs", "xla"))
    parser.add_argument("--above", action="store_true", help="show only what differs, is refused, or sends more than XLA's")
    parser.add_argument("--seconds", type=float, default=120, help="give a program so much time")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tools.need_partita()
    chosen = programs(options.only, options.set)
    print(f"{'':8} {'program':44} {'sends':>12} {'XLA sends':>12} results", flush=True)
    sums = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda p: partition(p[2], p[3], options.seconds), chosen)
        for program, answer in zip(chosen, answers):
            line, counts_as = row(program, answer)
            if counts_as - {"whole"} or not options.above:
                print(line, flush=True)
            count = sums.setdefault(program[0], dict.fromkeys(("programs", *COUNTED), 0))
            for word in ("programs", *counts_as):
                count[word] += 1
    for group, count in sums.items():
        print(f"{group}: " + ", ".join(f"{n} {what}" for what, n in count.items()))
    sys.exit(1 if any(count["different"] for count in sums.values()) else 0)


if __name__ == "__main__":
    main()
