"""How long a step takes by the plan that is found without annotations, beside those of experts, on the CPU engine.

    bench_auto.py [--profile cpu.toml] [--size medium] [--rounds N] [--runs N] [MODEL …]

For each example model a plan is searched for eight devices with a profile of this machine (`partita simulate --calibrate` makes one where none is named), on meshes of all
shapes, hardly slower than the fastest that there is (`--margin 0.01`). It runs beside up to three of the model's strategies, and beside the plan that splits the batch over all devices and nothing else. Runs alternate, so that what
else the machine does meets all alike; each plan is loaded several times, for one program takes longer or shorter by a tenth for as long as it stays loaded; and the fastest run of each counts. Prints them, and the ratios of the plan found to the best expert and to the plan that splits the batch.
"""

import argparse
import math
import pathlib
import sys
import tempfile

import rank
import tools
import zoo

import jax

sys.path.insert(0, str(tools.ROOT / "examples"))
from models import MODELS

DEVICES = 8

# So many of the plans found are timed, and the fastest of them counts.
MEASURED = 12

# A plan that takes so many times as long as the fastest is loaded once only.
HOPELESS = 4


def searched(name, file, profile, *options):
    """The plan that the command finds, as a file; nothing where it finds none."""
    out = file.with_suffix(f".{name}.json")
    said = tools.answer("auto", file, "--device", profile, "--save-plan", out, *options)
    return None if "error" in said else (out, said)


def plans_of(name, folder, size, profile, client):
    """The plan found, that of the batch alone, and those of experts, ready to run; and how long the search took."""
    file = rank.lowered(f"{name}.none", folder, size)
    # Searched as it is run: a plan that makes its results where its arguments lie may not be the best where it cannot.
    file.write_text(rank.with_arguments_kept(file.read_text()))
    plan, said = searched("found", file, profile, "--devices", DEVICES, "--margin", 0.01, "--time-limit", 30, "--measure", MEASURED)
    batch = searched("batch", file, profile, "--mesh", f"data={DEVICES}", "--tactic", "data:data", "--estimates", 1, "--judgements", 1)
    model, plans = MODELS[name], []
    for number, found in enumerate([plan, batch and batch[0]]):
        # The program of each plan has a file of its own.
        own = file.with_suffix(f".{number}.mlir")
        own.write_text(file.read_text())
        plans.append(found and rank.Plan(name, own, profile, client, "--plan", found))
    experts = []
    for strategy in model.strategies:
        if math.prod(model.mesh_shape(size, strategy)) == DEVICES and len(experts) < 3:
            experts.append(rank.Plan(strategy, rank.lowered(f"{name}.{strategy}", folder, size), profile, client))
    return plans[0], plans[1], experts, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--profile", type=pathlib.Path)
    parser.add_argument("--size", default="medium")
    parser.add_argument("--rounds", type=int, default=3, help="how often each plan is loaded")
    parser.add_argument("--runs", type=int, default=4, help="how often it then runs")
    args = parser.parse_args()
    tools.need_partita()
    client = jax.devices("cpu")[0].client
    names = args.models or [name for name, model in MODELS.items() if args.size in model.configs]
    print("| model | search, s | plan found | its step, ms | best of experts | its step, ms | ratio | the batch alone, ms | ratio |\n|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        profile = args.profile or rank.calibrated(folder)
        for name in names:
            found, batch, experts, said = plans_of(name, folder, args.size, profile, client)
            plans = [plan for plan in (found, batch, *experts) if plan]
            for again in range(args.rounds):
                if again:
                    fastest = min(plan.seconds for plan in plans)
                    plans = [plan for plan in plans if plan.seconds < HOPELESS * fastest]
                    for plan in plans:
                        plan.load()
                for run in range(args.runs):
                    for plan in plans if run % 2 else reversed(plans):
                        plan.run()
            best = min(experts, key=lambda plan: plan.seconds)
            mine, theirs = found.seconds, best.seconds
            alone = f"{1e3 * batch.seconds:.0f} | {mine / batch.seconds:.2f}" if batch else "none | "
            print(f"| {name} | {said['seconds']:.0f} | {zoo.described(said)} | {1e3 * mine:.0f} | {best.name} | {1e3 * theirs:.0f} | {mine / theirs:.2f} | {alone} |", flush=True)


if __name__ == "__main__":
    main()
