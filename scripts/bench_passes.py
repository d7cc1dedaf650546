"""What the passes do to the time of a step on the CPU engine.

    bench_passes.py [--pairs N] [--size medium] [NAME.STRATEGY …]

Plans of the examples are partitioned for eight virtual devices with the passes that run by default and with none, and run by XLA with its own partitioner off. Runs of the two
alternate, and so does which of them is first. Prints medians, their ratios and the geometric mean of these.
"""

import argparse
import math
import statistics
import tempfile

import jax
import rank
import tools


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plans", nargs="*", metavar="NAME.STRATEGY", default=rank.PLANS)
    parser.add_argument("--size", default="medium")
    parser.add_argument("--pairs", type=int, default=15)
    args = parser.parse_args()
    tools.need_partita()
    client = jax.devices("cpu")[0].client
    ratios = []
    print("| plan | without passes, ms | with passes, ms | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        profile = rank.calibrated(folder)
        for name in args.plans:
            file = rank.lowered(name, folder, args.size)
            plans = [rank.Plan(name, file, profile, client, *options) for options in (("--passes", "none"), ())]
            for pair in range(args.pairs):
                for plan in plans if pair % 2 else reversed(plans):
                    plan.run()
            without, with_them = (statistics.median(plan.runs) for plan in plans)
            ratios.append(with_them / without)
            print(f"| {name} | {1e3 * without:.0f} | {1e3 * with_them:.0f} | {ratios[-1]:.2f} |", flush=True)
    print(f"\nGeometric mean {math.exp(statistics.fmean(map(math.log, ratios))):.3f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
