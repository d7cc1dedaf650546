"""What the search finds for the example models at their real sizes, beside the plans of the papers.

    zoo.py [MODEL …] [--programs DIR] [--device D …] [--time-limit SEC]

Each model is lowered without annotations and given to `partita auto` on a mesh of its published size, and lowered with each of its strategies, which are simulated on as many devices. The
plan that is found must fit into memory where one of the strategies does, and take no longer than the fastest of those that fit. Prints a table; the exit code is 1 where a plan is slower.
"""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

import tools

# Models and the meshes that plans are searched for.
MODELS = {
    "gpt3": "data=4,model=4",
    "decoder_scanned": "data=16,model=32",
    "encoder": "data=32,model=32",
    "moe": "data=512,model=4",
    "moe_hybrid": "data=64,model=8",
    "conformer": "data=16,model=8",
    "vit": "data=32,model=4",
    "metnet": "data=4,model=4",
    "unet3d": "data=8,model=4",
    "graphnet": "data=8,model=4",
    "multimodal": "data=64,model=8",
    "pipeline_gpipe": "data=32,model=8",
    "pipeline_circular": "data=32,model=8",
    "conformer_pipelined": "data=32,model=4",
}


def lowered(folder, model):
    """The files of a model by strategy, made where they are not there yet."""
    found = {file.name.split(".")[-3]: file for file in folder.glob(f"{model}.*.sdy.mlir")}
    if "none" not in found:
        command = [sys.executable, tools.ROOT / "examples/lower.py", "--size", "real", "--notation", "sdy", "--out", folder, model]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
        found = {file.name.split(".")[-3]: file for file in folder.glob(f"{model}.*.sdy.mlir")}
    return found


def devices(mesh):
    return math.prod(int(axis.split("=")[1]) for axis in mesh.split(","))


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--programs", type=pathlib.Path, help="where the programs are kept")
    parser.add_argument("--device", action="append", help="a kind of device; tpu-v4 and h100 where nothing is said")
    parser.add_argument("--time-limit", type=float, default=60)
    args = parser.parse_args()
    tools.need_partita()
    slower = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.programs or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        print("| model | devices | best expert plan | its step | plan found | its step | memory | search |\n|---|---|---|---|---|---|---|---|")
        for model in args.models or MODELS:
            files, mesh = lowered(folder, model), MODELS[model]
            for device in args.device or ["tpu-v4", "h100"]:
                found = tools.answer("auto", files["none"], "--mesh", mesh, "--device", device, "--margin", "0", "--time-limit", args.time_limit)
                expert = best_expert(files, devices(mesh), device)
                theirs = f"{expert[0]} | {expert[1]['step_seconds'] * 1e3:,.1f} ms" if expert else "none fits |"
                where = f"{model} | {devices(mesh)} {device}"
                if "error" in found:
                    slower += expert is not None
                    print(f"| {where} | {theirs} | {found['error']['message']} | | | |", flush=True)
                    continue
                lost = expert is not None and found["cost"] > expert[1]["step_seconds"]
                slower += lost
                print(f"| {where} | {theirs} | {'; '.join(found['decisions'])} | {found['cost'] * 1e3:,.1f} ms{' SLOWER' if lost else ''} | "
                      f"{found['peak_memory'] / 2**30:.1f} GiB | {found['seconds']:.0f} s |", flush=True)
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
