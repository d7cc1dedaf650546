"""How fast the search gets better: the cost of the best plan against the number of plans that were looked at.

    search.py [--programs DIR] [--seeds N] [--estimates N] [--svg OUT.svg] [MODEL …]

Variants of the example models, without annotations, are searched as the command does it, without the learned ranker, without bounds, and without grouping layers that are alike, each
with several seeds. Costs are those of the quick judge, which the search orders plans by, as multiples of the least that any of the searches found. Prints a table of medians over seeds, and
draws them.
"""

import argparse
import json
import math
import pathlib
import statistics
import tempfile

import tools
from variants import Case, Variant

WAYS = {
    "as it is": [],
    "no ranker": ["--no-ranker"],
    "no bounds": ["--no-bounds"],
    "no grouping": ["--no-grouping"],
    "none of these": ["--no-ranker", "--no-bounds", "--no-grouping"],
}
COLOURS = ["#1b6ca8", "#c8553d", "#4f9d69", "#8a6bb0", "#c9a227"]

# None of these models was the ranker trained on.
CASES = {
    "gpt3": Case(Variant("gpt3", 1, 1, 12), "x=4,y=4", "tpu-v4", "32768M"),
    "moe_hybrid": Case(Variant("moe_hybrid", 1, 1, 2), "x=16,y=8", "tpu-v4", "32768M"),
    "conformer": Case(Variant("conformer", 1, 1, 4), "x=16,y=8", "tpu-v4", "8192M"),
    "multimodal": Case(Variant("multimodal", 1, 1, 4), "x=16,y=8", "h100", "20480M"),
    "metnet": Case(Variant("metnet", 1, 1, 3), "x=8,y=4", "h100", "40960M"),
    "pipeline_circular": Case(Variant("pipeline_circular", 1, 1, 1), "x=32,y=8", "h100", "81920M"),
}

# Where the curves are read off.
MARKS = (10, 30, 100, 300, 1000, 3000)


def curve(file, case, options, seed, estimates):
    """The least cost after each plan, endless before one fits into memory."""
    # A search that is to tell something ends after the quick judge.
    done = tools.partita("auto", file, *case.options(), *options, "--record", "--lessons", 1, "--seed", seed, "--estimates", estimates, "--time-limit", 600)
    lines = [json.loads(line) for line in done.stderr.splitlines() if '"estimated"' in line]
    if not lines:
        raise RuntimeError(done.stderr[-500:])
    limit = int(case.memory.removesuffix("M")) * 2**20
    first = next((n for n, line in enumerate(lines) if line["memory"] <= limit), len(lines))
    return [line["best"] if n >= first else math.inf for n, line in enumerate(lines)]


def at(costs, number):
    """The cost after so many plans; a search that ended has what it found."""
    return costs[min(number, len(costs)) - 1]


def median(curves, number):
    return statistics.median(at(costs, number) for costs in curves)


def found_after(curves, goal):
    """How many plans it took to come within a hundredth of the best, in the median; nothing where it mostly did not."""
    after = lambda costs: next((n + 1 for n, cost in enumerate(costs) if cost <= 1.01 * goal), math.inf)
    middle = statistics.median(after(costs) for costs in curves)
    return None if middle == math.inf else round(middle)


def table(results, estimates):
    marks = [mark for mark in MARKS if mark < estimates] + [estimates]
    print(f"| model | search | {' | '.join(f'{mark:,}' for mark in marks)} | within 1 % after |\n|---|---|{'---|' * len(marks)}---|")
    for model, ways in results.items():
        best = min(costs[-1] for curves in ways.values() for costs in curves)
        for way, curves in ways.items():
            after = found_after(curves, best)
            cells = [f"{median(curves, mark) / best:.2f}".replace("inf", "—") for mark in marks]
            print(f"| {model} | {way} | {' | '.join(cells)} | {'—' if after is None else f'{after:,}'} |")


def panel(model, ways, estimates, left, top, width, height):
    """One diagram: plans looked at (logarithmic) against cost as a multiple of the best, up to four."""
    best = min(costs[-1] for curves in ways.values() for costs in curves)
    x = lambda number: left + width * math.log(number) / math.log(estimates)
    y = lambda cost: top + height * (1 - math.log2(min(4, max(1, cost / best))) / 2)
    parts = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#bbb"/>',
             f'<text x="{left}" y="{top - 6}" font-weight="bold">{model}</text>']
    for power in range(int(math.log10(estimates)) + 1):
        parts.append(f'<text x="{x(10**power):.0f}" y="{top + height + 13}" text-anchor="middle">{10**power:,}</text>')
    for multiple in (1, 2, 4):
        parts.append(f'<text x="{left - 4}" y="{y(multiple * best) + 4:.0f}" text-anchor="end">{multiple}</text>')
    for colour, curves in zip(COLOURS, ways.values()):
        points, last = [], None
        for number in sorted({round(estimates ** (n / 120)) for n in range(121)}):
            now = f"{y(median(curves, number)):.1f}"
            if last is not None and now != last:
                points.append(f"{x(number):.1f},{last}")
            if now != last or number == estimates:
                points.append(f"{x(number):.1f},{now}")
            last = now
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    return parts


def drawing(results, estimates):
    width, height, across = 220, 140, 3
    parts = []
    for n, (model, ways) in enumerate(results.items()):
        parts += panel(model, ways, estimates, 40 + n % across * (width + 50), 50 + n // across * (height + 50), width, height)
    for n, (way, colour) in enumerate(zip(WAYS, COLOURS)):
        parts.append(f'<text x="{40 + 130 * n}" y="18" fill="{colour}" font-weight="bold">{way}</text>')
    size = 20 + min(across, len(results)) * (width + 50), 60 + math.ceil(len(results) / across) * (height + 50)
    style = 'font-family="sans-serif" font-size="11"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" {style}><rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--programs", type=pathlib.Path, help="where the programs are kept")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--estimates", type=int, default=6000)
    parser.add_argument("--svg", type=pathlib.Path, help="where to draw the curves")
    args = parser.parse_args()
    tools.need_partita()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.programs or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        results = {}
        for model in args.models or CASES:
            case = CASES[model]
            file = case.program.file(folder)
            results[model] = {
                way: [curve(file, case, options, seed, args.estimates) for seed in range(args.seeds)] for way, options in WAYS.items()
            }
    table(results, args.estimates)
    if args.svg:
        args.svg.write_text(drawing(results, args.estimates))


if __name__ == "__main__":
    main()
