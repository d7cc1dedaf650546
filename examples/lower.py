"""Lowers the example models to StableHLO text, with locations; nothing is executed.

    python examples/lower.py                      the committed tiny programs, into examples/tiny
    python examples/lower.py --list               names, strategies, sizes
    python examples/lower.py --size real --out DIR [NAME...] [--strategy S] [--notation sdy|mhlo] [--layers N]
"""
import argparse
import os
import pathlib
import re
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from jax._src import source_info_util
from models import MODELS, build, sharding

# Locations: one frame, paths from the root of the repository.
jax.config.update("jax_include_full_tracebacks_in_locations", False)
jax.config.update("jax_traceback_in_locations_limit", 1)
jax.config.update("jax_hlo_source_file_canonicalization_regex", re.escape(f"{HERE.parent}/"))
source_info_util.register_exclusion(sharding.__file__)  # a constraint belongs to the line that asks for it


def lower(name: str, size: str, strategy: str, notation: str, layers: int | None = None):
    """The lowered step of one model, as JAX gives it."""
    jax.config.update("jax_use_shardy_partitioner", notation == "sdy")
    jax.clear_caches()  # traces kept from another model would bring its locations along
    program = build(MODELS[name], size, strategy, layers)
    return program.jit().trace(*program.args()).lower(lowering_platforms=("cpu",))


def describe():
    for name, model in MODELS.items():
        print(f"{name}\n    {model.paper}\n    strategies: none {' '.join(model.strategies)}\n"
              f"    sizes: {' '.join(model.configs)}; optimizer: {model.optimizer.name}")


def jobs(args):
    """(model, strategy, notation) to lower."""
    for name in args.names or MODELS:
        if name not in MODELS:
            sys.exit(f"unknown model {name}: one of {', '.join(MODELS)}")
        model = MODELS[name]
        if args.size not in model.configs:
            if args.names:
                sys.exit(f"{name} has the sizes {', '.join(model.configs)}")
            continue
        for strategy in [args.strategy] if args.strategy else ["none", *model.strategies]:
            if strategy != "none" and strategy not in model.strategies:
                if args.names:
                    sys.exit(f"{name} has the strategies none, {', '.join(model.strategies)}")
                continue
            for notation in [args.notation] if args.notation else ["sdy", "mhlo"]:
                if notation == "mhlo" and strategy == "none":
                    continue  # without annotations both notations are the same
                yield name, strategy, notation


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="models (all if none is named)")
    parser.add_argument("--list", action="store_true", help="list models, strategies and sizes")
    parser.add_argument("--size", default="tiny", help="tiny, real, or another size of the model")
    parser.add_argument("--strategy", help="one strategy only")
    parser.add_argument("--notation", choices=["sdy", "mhlo"], help="one notation only")
    parser.add_argument("--layers", type=int, help="another depth")
    parser.add_argument("--out", type=pathlib.Path, help="where to write (tiny: examples/tiny)")
    args = parser.parse_args()
    if args.list:
        return describe()
    if args.out is None and (args.size != "tiny" or args.layers):
        parser.error("--out DIR is needed for anything but the tiny programs")
    out = args.out or HERE / "tiny"
    out.mkdir(parents=True, exist_ok=True)
    for name, strategy, notation in jobs(args):
        start = time.time()
        text = lower(name, args.size, strategy, notation, args.layers).as_text(debug_info=True)
        middle = "" if args.size == "tiny" else f".{args.size}"
        path = out / f"{name}{middle}.{strategy}.{notation}.mlir"
        path.write_text(text)
        print(f"{path.name}: {len(text):,} bytes, {text.count(' = stablehlo.'):,} ops, {time.time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
