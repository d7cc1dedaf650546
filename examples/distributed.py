"""Trains a small transformer on several processes, as on several hosts: every process runs this program.

    python examples/distributed.py --processes 2 --devices 4        # starts both processes here
    python examples/distributed.py --coordinator HOST:PORT --processes 2 --process 0 …   # or start each where it belongs

Every process has some of the devices; together they are one mesh, on which `partita.jit` trains as on one host. With CPUs the processes talk by
gloo; on GPUs and TPUs JAX uses their own networks, and nothing here changes. Where a process ends early, the others notice within
`--timeout` seconds and end too, with an error that names it.
"""

import argparse
import os
import pathlib
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def train(args) -> list[float]:
    """The losses of some steps of training."""
    import jax

    if args.processes > 1:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(args.coordinator, args.processes, args.process, heartbeat_timeout_seconds=args.timeout)
    import numpy as np
    from models import MODELS, build

    import partita

    model = MODELS["decoder_unrolled"]
    axes = model.strategies[args.strategy].axes
    mesh = jax.make_mesh(model.mesh_shape("tiny", args.strategy), axes, axis_types=(jax.sharding.AxisType.Auto,) * len(axes))
    program = build(model, "tiny", args.strategy, mesh=mesh)
    step = partita.jit(
        program.step, mesh=mesh, in_shardings=program.in_shardings, out_shardings=program.out_shardings, donate_argnums=(0, 1)
    )
    # Every process makes the same arrays, and keeps what belongs to its devices.
    params, state, batch = jax.device_put(program.inputs(np.random.default_rng(0)), program.in_shardings)
    losses = []
    for _ in range(args.steps):
        params, state, loss = step(params, state, batch)
        losses.append(float(loss))
        if args.process == 0:
            print(f"loss {losses[-1]:.6f}", flush=True)
        time.sleep(args.pause)
    if args.processes > 1:
        jax.distributed.shutdown()
    return losses


def start(args) -> int:
    """Starts all processes on this host, and waits for them; the exit code of the first that fails."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, __file__, *sys.argv[1:], "--coordinator", f"127.0.0.1:{port}"]
    running = {n: subprocess.Popen([*command, "--process", str(n)]) for n in range(args.processes)}
    failed = 0
    while running:
        time.sleep(0.1)
        for n, process in list(running.items()):
            if process.poll() is not None:
                del running[n]
                if process.returncode:
                    print(f"process {n} ended with {process.returncode}", file=sys.stderr, flush=True)
                failed = failed or process.returncode
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--devices", type=int, default=8, help="virtual CPU devices of each process")
    parser.add_argument("--coordinator", help="HOST:PORT of the first process")
    parser.add_argument("--process", type=int, help="the number of this process")
    parser.add_argument("--strategy", default="megatron")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between steps")
    parser.add_argument("--timeout", type=int, default=20, help="seconds after which a process that does not answer is given up")
    args = parser.parse_args()
    if args.process is None and args.processes > 1:
        sys.exit(start(args))
    args.process = args.process or 0
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={args.devices}"
    sys.path.insert(0, str(HERE))
    train(args)


if __name__ == "__main__":
    main()
