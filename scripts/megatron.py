"""Whether the search finds Megatron by itself, on the program that Automap was measured on.

    megatron.py [--programs DIR] [--layers N] [--only TEXT]

Lowers variants of the GPT-3-style training step (24 layers, Adam, 1,150 arguments, about 26 GB on one device): arguments in other orders, names stripped, other
widths and head counts, other seeds. Each is given to `partita auto` without annotations for devices of 16 GB; the program that comes of the plan must send exactly what the
expert's annotations make it send: the same collectives, as often, over the same axes, with the same bytes. Prints a table; the exit code is 1 where one differs.
"""

import argparse
import collections
import pathlib
import random
import sys
import tempfile
import time

import tools

sys.path.insert(0, str(tools.ROOT / "examples"))

BASE = dict(layers=24, vocab=50304, embed=2048, mlp=8192, heads=16, head=128, length=256, batch=8, steps=4)

# (name, changes of the configuration, order of the arguments, names, seed of the search, mesh)
VARIANTS = [(f"{mesh} {name}", changes, order, names, seed, mesh)
            for mesh in ("model=4", "data=2,model=4")
            for name, changes, order, names, seed in [
                ("as it is", {}, None, True, 0),
                ("seed 1", {}, None, True, 1),
                ("seed 2", {}, None, True, 2),
                ("arguments in another order", {}, 1, True, 0),
                ("arguments in a third order", {}, 2, True, 3),
                ("no names", {}, None, False, 0),
                ("no names, another order", {}, 3, False, 4),
                ("32 heads", dict(heads=32, head=64), None, True, 0),
                ("wide", dict(embed=2560, mlp=10240, heads=20), None, True, 0),
                ("narrow, no names", dict(embed=1536, mlp=6144, heads=12, layers=40), 4, False, 5),
            ]]


def lowered(folder, changes, order, names, strategy, layers):
    """The file of one variant, made where it is not there yet."""
    settings = BASE | changes | ({"layers": layers} if layers else {})
    key = "-".join(f"{k}{v}" for k, v in sorted(settings.items()))
    file = folder / f"{strategy}-{key}-{order}-{names}.mlir"
    if file.exists():
        return file
    import jax
    import jax.numpy as jnp
    import lower
    from models import MODELS, build

    model = MODELS["gpt3"]
    model.configs["automap"] = lower_config(settings, jnp)
    jax.clear_caches()
    program = build(model, "automap", strategy)
    step = program.jit()
    if order is None:
        trace = step.trace(*program.args())
    else:
        leaves, tree = jax.tree.flatten(program.args())
        places = list(range(len(leaves)))
        random.Random(order).shuffle(places)

        def shuffled(*flat):
            back = [None] * len(flat)
            for value, place in zip(flat, places):
                back[place] = value
            return program.step(*jax.tree.unflatten(tree, back))

        kept = len(jax.tree.leaves(program.args()[:2]))
        donated = [n for n, place in enumerate(places) if place < kept]
        trace = jax.jit(shuffled, donate_argnums=donated, keep_unused=True).trace(*[leaves[p] for p in places])
    text = trace.lower(lowering_platforms=("tpu",)).as_text(debug_info=names)
    file.write_text(text)
    return file


def lower_config(settings, jnp):
    from models.program import Config
    return Config(dtype=jnp.bfloat16, mesh={2: (2, 4)}, **settings)


def collectives(report):
    """What is sent: (kind, axes, bytes, times)."""
    key = lambda c: (c["kind"], tuple(c["axes"]), c["operand_bytes"], c["executions"])
    return collections.Counter(map(key, report["collectives"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, help="where the programs are kept")
    parser.add_argument("--layers", type=int, help="another depth")
    parser.add_argument("--only", default="", help="only variants with this in their name")
    args = parser.parse_args()
    tools.need_partita()
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.programs or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        plan = pathlib.Path(scratch) / "plan.json"
        print("| variant | search | plans | sends | expert sends | memory | same |\n|---|---|---|---|---|---|---|")
        experts = {}
        for name, changes, order, names, seed, mesh in VARIANTS:
            if args.only not in name:
                continue
            program = lowered(folder, changes, order, names, "none", args.layers)
            expert = lowered(folder, changes, None, True, "megatron", args.layers)
            start = time.time()
            found = tools.answer("auto", program, "--mesh", mesh, "--device", "tpu-v3", "--memory", "16G", "--seed", seed, "--save-plan", plan)
            if "error" in found:
                failed += 1
                print(f"| {name} | {found['error']['message']} |")
                continue
            ours = tools.answer("partition", program, "--plan", plan)
            if (expert, mesh) not in experts:
                experts[expert, mesh] = tools.answer("partition", expert, "--mesh", mesh if "data" in mesh else f"data=1,{mesh}")
            theirs = experts[expert, mesh]
            same = collectives(ours) == collectives(theirs)
            failed += not same
            print(f"| {name} | {found['seconds']:.1f} s | {found['evaluations']} + {found['judged']} | {ours['totals']['ring_bytes']:,} | "
                  f"{theirs['totals']['ring_bytes']:,} | {ours['memory']['peak'] >> 20} MiB | {'yes' if same else 'NO'} |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
