"""How far Partita's sharding rules are those of Shardy, op by op.

    compare_rules.py [--all] [FILE.mlir …]

Without files the example programs and, where it is on this machine, the corpus are taken. Rules are compared as Shardy
sees them: which factors stand in which dimension, their sizes and kinds, whatever their names. For each kind of op the
number of rules that are the same is shown, and one example of each way in which they differ; `--all` shows every one.
"""

import argparse
import collections
import pathlib
import re

import shardy
import tools

FACTOR = re.compile(r"[a-z](?:_\d+)?")


def normal(text):
    """A rule with its factors numbered in the order in which they stand, as data."""
    match = re.match(r"\((.*)\)\s*->\s*\((.*?)\)(?: \{(.*?)\})?((?: \w+=\{.*?\})*)$", text)
    if not match:
        return text
    operands, results, sizes, sets = match.groups(default="")
    number = {}

    def side(text):
        tensors = []
        for tensor in re.findall(r"\[(.*?)\]", text):
            dims = [FACTOR.findall(dim) for dim in tensor.split(",")] if tensor.strip() else []
            tensors.append(tuple(tuple(number.setdefault(f, len(number)) for f in dim) for dim in dims))
        return tuple(tensors)

    tensors = side(operands), side(results)
    size = {number[f]: int(n) for f, n in re.findall(r"([a-z](?:_\d+)?)=(\d+)", sizes) if f in number}
    kinds = {
        name: frozenset(number[f] for f in FACTOR.findall(members) if f in number)
        for name, members in re.findall(r"(\w+)=\{(.*?)\}", sets)
    }
    # A factor of size one cannot be split: whether it has a number and a kind makes no difference.
    ones = {f for f, n in size.items() if n == 1}
    strip = lambda side: tuple(tuple(tuple(f for f in dim if f not in ones) for dim in t) for t in side)
    order = {}
    renumber = lambda side: tuple(tuple(tuple(order.setdefault(f, len(order)) for f in dim) for dim in t) for t in side)
    tensors = tuple(renumber(strip(s)) for s in tensors)
    size = {order[f]: n for f, n in size.items() if f in order}
    kinds = {name: frozenset(order[f] for f in members if f in order) for name, members in kinds.items()}
    return tensors, tuple(sorted(size.items())), frozenset((k, v) for k, v in kinds.items() if v)


def as_shardy(text):
    """A rule of Partita in Shardy's words: without windows and offsets. What is reached by them takes neighbours' data, which
    Shardy calls a permutation, as it does scans."""
    match = re.match(r"(.*?) (\{.*?\})(.*)$", text)
    tensors, sizes, sets = match.groups()
    sets = dict(re.findall(r"(\w+)=\{(.*?)\}", sets))
    moved = set(FACTOR.findall(sets.get("scan", "")))
    others = {f for name in ("reduce", "lookup", "whole") for f in FACTOR.findall(re.sub(r":\w+", "", sets.get(name, "")))}

    def dim(text):
        split = re.sub(r"<.*?>", "", text)
        if re.search(r"[-+/<]|\d[a-z]", re.sub(r"_\d+", "", text)):
            moved.update(f for f in FACTOR.findall(split) if f not in others)
        return "".join(FACTOR.findall(split)) or "1"

    def tensor(match):
        return "[" + ", ".join(dim(d) for d in match.group(1).split(",") if d.strip()) + "]"

    tensors = re.sub(r"\[(.*?)\]", tensor, tensors)
    words = {"reduction": re.sub(r":\w+", "", sets.get("reduce", "")), "need_replication": sets.get("whole", "")}
    words |= {"permutation": ", ".join(sorted(moved)), "blocked_propagation": sets.get("blocked", "")}
    return f"{tensors} {sizes}" + "".join(f" {name}={{{members}}}" for name, members in words.items() if members)


def how(ours, theirs):
    """In what two rules differ."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return "form"
    parts = [name for name, a, b in zip(("factors", "sizes", "kinds"), ours, theirs) if a != b]
    return " and ".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="show every rule that differs")
    options = parser.parse_args()
    tools.need_partita()
    files = options.files or sorted((tools.ROOT / "examples/tiny").glob("*.none.sdy.mlir"))
    if not options.files and tools.corpus():
        files += sorted((tools.corpus() / "shardy").glob("*.mlir"))
    same, known, examples = collections.Counter(), collections.Counter(), {}
    for file in files:
        try:
            with tools.mlir_context():
                text = file.read_text()
                names, function, _, ours, _module = shardy.both(text, "func.func(sdy-populate-op-sharding-rules)")
                theirs = shardy.rules(function)
        except Exception as error:  # jaxlib and Partita refuse programs with errors of many types
            print(f"refused {file.name}: {str(error).splitlines()[0][:160]}")
            continue
        for key in set(ours) & set(theirs):
            name = names[key]
            known[name] += 1
            a, b = normal(as_shardy(ours[key])), normal(theirs[key])
            if a == b:
                same[name] += 1
                continue
            examples.setdefault((name, how(a, b)), []).append((ours[key], theirs[key]))
    for name in sorted(known):
        print(f"{same[name]:6} of {known[name]:6} {name}")
        for (op, difference), pairs in sorted(examples.items()):
            if op == name:
                print(f"            {len(pairs)} differ in {difference}")
                for ours, theirs in pairs if options.all else pairs[:1]:
                    print(f"              Partita {ours}\n              Shardy  {theirs}")


if __name__ == "__main__":
    main()
