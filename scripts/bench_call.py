"""What a call costs beyond the program: a function of `partita.jit` beside the same one of `jax.jit`.

    bench_call.py [--calls N]

Small functions on eight virtual CPU devices, arrays where the program has them. Calls alternate, each waited for; what is measured is the time until the call
returns. Prints a table of medians in microseconds. Needs the Python package.
"""

import argparse
import os
import statistics
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import partita


def microseconds(step, args):
    start = time.perf_counter()
    results = step(*args)
    taken = time.perf_counter() - start
    jax.block_until_ready(results)
    return 1e6 * taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000)
    calls = parser.parse_args().calls
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    split = NamedSharding(mesh, P("x"))
    step = lambda params, x: jax.tree.map(lambda p: p * 2 + x, params)
    print("| arrays | partita.jit, µs | jax.jit, µs | more, µs |\n|---|---|---|---|")
    for count in (1, 10, 100):
        args = jax.device_put(({f"w{n}": jnp.ones(8) for n in range(count)}, jnp.ones(8)), split)
        steps = partita.jit(step, in_shardings=split, out_shardings=split), jax.jit(step, in_shardings=split, out_shardings=split)
        for _ in range(50):
            for each in steps:
                microseconds(each, args)
        pairs = [[microseconds(each, args) for each in steps] for _ in range(int(calls / count**0.5))]
        mine, other = (statistics.median(side) for side in zip(*pairs))
        print(f"| {count + 1} in, {count} out | {mine:.0f} | {other:.0f} | {mine - other:.0f} |", flush=True)


if __name__ == "__main__":
    main()
