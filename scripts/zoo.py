"""What the search finds for the example models at their real sizes, beside the plans of the papers.

    zoo.py [MODEL …] [--programs DIR] [--device D …] [--time-limit SEC]

Each model is lowered without annotations and given to `partita auto` for as many devices as in its paper, on meshes of any shape, and lowered with each of its strategies, which are simulated on as
many. The plan that is found must fit into memory where one of the strategies does, and take no longer than the fastest of those that fit. Prints a table; the exit code is 1 where a plan is slower.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import tools

# Models, and how many devices plans are searched for.
MODELS = {
    "gpt3": 16,
    "decoder_scanned": 512,
    "encoder": 1024,
    "moe": 2048,
    "moe_hybrid": 512,
    "conformer": 128,
    "vit": 128,
    "metnet": 16,
    "unet3d": 32,
    "graphnet": 32,
    "multimodal": 512,
    "pipeline_gpipe": 256,
    "pipeline_circular": 256,
    "conformer_pipelined": 128,
}


def lowered(folder, model):
    """The files of a model by strategy, made where they are not there yet."""
    found = {file.name.split(".")[-3]: file for file in folder.glob(f"{model}.*.sdy.mlir")}
    if "none" not in found:
        command = [sys.executable, tools.ROOT / "examples/lower.py", "--size", "real", "--notation", "sdy", "--out", folder, model]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
        found = {file.name.split(".")[-3]: file for file in folder.glob(f"{model}.*.sdy.mlir")}
    return found


def best_expert(files, count, device):
    """The fastest strategy that fits on so many devices: its name and what is said of it."""
    best = None
    for strategy, file in sorted(files.items()):
        if strategy == "none":
            continue
        said = tools.answer("simulate", file, "--device", device)
        if "error" in said or said["devices"] != count:
            continue
        if best is None or said["step_seconds"] < best[1]["step_seconds"]:
            best = strategy, said
    return best


def described(found):
    """A plan that was found, on a line: its mesh, and what is decided where that is little."""
    mesh, decisions = ", ".join(f"{axis}={size}" for axis, size in found["mesh"]), found["decisions"]
    if any(" as " in decision for decision in decisions):
        return f"{mesh}: by tensor"
    return f"{mesh}: {'; '.join(decisions) if len(decisions) < 7 else f'{len(decisions)} decisions'}"


def bounded(found):
    """What the strategy graph says of a plan: the best choice in it, what none can be below, and how far apart they are."""
    cost, bound = found["graph_cost"], found["lower_bound"]
    if bound is None:
        return "not made"
    if cost is None:
        return f"none fits, {bound * 1e3:,.1f} ms"
    return f"{cost * 1e3:,.1f}, {bound * 1e3:,.1f} ms, {1 - bound / cost:.1%}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--programs", type=pathlib.Path, help="where the programs are kept")
    parser.add_argument("--device", action="append", help="a kind of device; tpu-v4 and h100 where nothing is said")
    parser.add_argument("--time-limit", type=float, default=45)
    args = parser.parse_args()
    tools.need_partita()
    slower = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.programs or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        print("| model | devices | best expert plan | its step | plan found | its step | ratio | memory | graph, bound, gap | search |\n" + "|---" * 10 + "|")
        for model in args.models or MODELS:
            files, count = lowered(folder, model), MODELS[model]
            for device in args.device or ["tpu-v4", "h100"]:
                plan = pathlib.Path(scratch) / "plan.json"
                found = tools.answer("auto", files["none"], "--devices", count, "--device", device, "--margin", "0", "--time-limit", args.time_limit,
                                     "--save-plan", plan)
                expert = best_expert(files, count, device)
                theirs = f"{expert[0]} | {expert[1]['step_seconds'] * 1e3:,.1f} ms" if expert else "none fits |"
                where = f"{model} | {count} {device}"
                if "error" in found:
                    slower += expert is not None
                    print(f"| {where} | {theirs} | {found['error']['message']} | | | | | |", flush=True)
                    continue
                # Simulated as the experts' plans are, whatever the search took it for.
                ours = tools.answer("simulate", files["none"], "--plan", plan, "--device", device)
                ratio = ours["step_seconds"] / expert[1]["step_seconds"] if expert else 0
                slower += ratio > 1
                print(f"| {where} | {theirs} | {described(found)} | {ours['step_seconds'] * 1e3:,.1f} ms | {ratio:.2f} | "
                      f"{ours['memory']['peak'] / 2**30:.1f} GiB | {bounded(found)} | {found['seconds']:.0f} s |", flush=True)
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
