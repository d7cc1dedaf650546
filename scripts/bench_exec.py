"""The embedded executor beside XLA's back end for CPUs: one command prints every figure of docs/executor.md.

    bench_exec.py [--runs N] [--parts steps,devices,verify,random] [NAME …]

`steps`: training steps as JAX writes them, `gpt2` (12 layers, width 768, 4 x 128 tokens, Adam, f32), `resnet50` (8 images of 224 x 224, momentum) and the tiny
examples, on one thread and on two. Both engines live in processes of their own and run in turns, so that what else the machine does meets both alike; each step
goes on from what the one before gave. Median milliseconds, and the most memory that the runs took beyond what was there before the inputs were made.
`devices`: the work (processor time) of the step of `gpt2` with 8 x 128 tokens on eight virtual devices, by data and by Megatron's scheme, beside one device.
`verify`: the time of `partita partition --verify` for every tiny example. `random`: random programs checked per second.

Needs `cargo build --release -p partita-cli -p partita-random -p partita-exec --example time` (or the programs under CARGO_TARGET_DIR).
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
TINY = ROOT / "examples/tiny"


def gpt2(jax, jnp, batch=4):
    layers, width, heads, length, vocab = 12, 768, 12, 128, 50257
    shape = jax.ShapeDtypeStruct
    f32 = lambda *dims: shape(dims, jnp.float32)
    layer = dict(
        scale1=f32(width), bias1=f32(width), qkv=f32(width, 3, heads, width // heads), qkv_bias=f32(3, heads, width // heads), out=f32(width, width), out_bias=f32(width),
        scale2=f32(width), bias2=f32(width), up=f32(width, 4 * width), up_bias=f32(4 * width), down=f32(4 * width, width), down_bias=f32(width),
    )  # fmt: skip
    params = dict(
        tokens=f32(vocab, width), positions=f32(length, width), layers=[dict(layer) for _ in range(layers)], scale=f32(width), bias=f32(width)
    )

    def norm(x, scale, bias):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias

    def loss(params, tokens, targets):
        x = params["tokens"][tokens] + params["positions"]
        mask = jnp.tril(jnp.ones((length, length), bool))
        for p in params["layers"]:
            y = jnp.einsum("blw,wphd->blphd", norm(x, p["scale1"], p["bias1"]), p["qkv"]) + p["qkv_bias"]
            q, k, v = (y[:, :, part] for part in range(3))
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8.0
            weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
            y = jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, length, width)
            x = x + y @ p["out"] + p["out_bias"]
            y = jax.nn.gelu(norm(x, p["scale2"], p["bias2"]) @ p["up"] + p["up_bias"])
            x = x + y @ p["down"] + p["down_bias"]
        logits = norm(x, params["scale"], params["bias"]) @ params["tokens"].T
        logp = jax.nn.log_softmax(logits)
        return -jnp.take_along_axis(logp, targets[..., None], -1).mean()

    def step(params, m, v, count, tokens, targets):
        value, grads = jax.value_and_grad(loss)(params, tokens, targets)
        count = count + 1
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, grads)
        a, b = 1 - 0.9**count, 1 - 0.999**count
        params = jax.tree.map(lambda p, m, v: p - 1e-4 * (m / a) / (jnp.sqrt(v / b) + 1e-8), params, m, v)
        return params, m, v, count, value

    ids = shape((batch, length), jnp.int32)
    return step, (params, params, params, shape((), jnp.float32), ids, ids), (0, 1, 2)


def resnet50(jax, jnp, batch=8, size=224):
    shape = jax.ShapeDtypeStruct
    f32 = lambda *dims: shape(dims, jnp.float32)
    params = dict(stem=f32(7, 7, 3, 64), blocks=[], head=f32(2048, 1000))
    plan, width = [], 64
    for stage, (count, inner) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for n in range(count):
            stride = 2 if n == 0 and stage > 0 else 1
            block = dict(a=f32(1, 1, width, inner), b=f32(3, 3, inner, inner), c=f32(1, 1, inner, 4 * inner))
            block |= {f"{k}{w}": f32(c) for k in ("scale", "bias") for w, c in (("a", inner), ("b", inner), ("c", 4 * inner))}
            if n == 0:
                block["skip"] = f32(1, 1, width, 4 * inner)
            params["blocks"].append(block)
            plan.append(stride)
            width = 4 * inner

    def conv(x, w, stride=1):
        return jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def norm(x, scale, bias):
        mean = x.mean((0, 1, 2))
        variance = (x * x).mean((0, 1, 2)) - mean * mean
        return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias

    def loss(params, images, labels):
        x = jax.nn.relu(conv(images, params["stem"], 2))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for p, stride in zip(params["blocks"], plan):
            y = jax.nn.relu(norm(conv(x, p["a"]), p["scalea"], p["biasa"]))
            y = jax.nn.relu(norm(conv(y, p["b"], stride), p["scaleb"], p["biasb"]))
            y = norm(conv(y, p["c"]), p["scalec"], p["biasc"])
            x = jax.nn.relu(y + (conv(x, p["skip"], stride) if "skip" in p else x))
        logits = x.mean((1, 2)) @ params["head"]
        return -(jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, 1000)).sum(-1).mean()

    def step(params, velocity, images, labels):
        value, grads = jax.value_and_grad(loss)(params, images, labels)
        velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, grads)
        params = jax.tree.map(lambda p, v: p - 0.1 * v, params, velocity)
        return params, velocity, value

    return step, (params, params, f32(batch, size, size, 3), shape((batch,), jnp.int32)), (0, 1)


MODELS = {"gpt2": gpt2, "resnet50": resnet50}


def lower(name, folder, **sizes):
    import jax
    import jax.numpy as jnp

    step, shapes, donated = MODELS[name](jax, jnp, **sizes)
    lowered = jax.jit(step, donate_argnums=donated, keep_unused=True).lower(*shapes)
    path = pathlib.Path(folder) / f"{name}.mlir"
    path.write_text(lowered.as_text(debug_info=True))
    return path


def xla_side(path):
    """Runs a program on XLA, a run for each line that comes in, as `time` does."""
    import jax
    import numpy as np
    from jaxlib import xla_client

    def status(name):
        return int(re.search(name + r":\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])

    text = pathlib.Path(path).read_text()
    device = jax.devices()[0]
    executable = device.client.compile_and_load(text, [device], xla_client.CompileOptions())
    main = re.search(r"func public @main\((.*?)\) -> ", text, re.S)[1]
    arguments = re.findall(r"%arg\d+: tensor<([^>]*)>(?: loc\([^)]*\))?(?: \{([^}]*)\})?", main)
    before = status("VmRSS")
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    rng = np.random.default_rng(0)
    dtypes = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "ui32": np.uint32, "i1": np.bool_, "bf16": jax.numpy.bfloat16}

    def array(ty):
        *dims, elem = ty.split("x")
        dims = [int(d) for d in dims]
        values = rng.integers(-8, 9, dims, np.int8) / np.float32(256) if "f" in elem else rng.integers(0, 4 if elem != "i1" else 2, dims)
        return jax.device_put(np.asarray(values, dtypes[elem]))

    takes = [re.search(r"tf.aliasing_output = (\d+)", attributes or "") for _, attributes in arguments]
    inputs = [array(ty) for ty, _ in arguments]
    jax.block_until_ready(inputs)
    for _ in sys.stdin:
        start, worked = time.perf_counter(), time.process_time()
        results = [shards[0] for shards in executable.execute_sharded(inputs).disassemble_into_single_device_arrays()]
        jax.block_until_ready(results)
        answer = {"us": round(1e6 * (time.perf_counter() - start)), "work_ms": round(1e3 * (time.process_time() - worked))}
        print(json.dumps(answer), flush=True)
        inputs = [results[int(take[1])] if take else given for take, given in zip(takes, inputs)]
        del results
    print(json.dumps({"memory_kb": status("VmHWM") - before}))


class Side:
    """A process that runs a program once for each line it gets."""

    def __init__(self, threads, *command):
        one = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        environment = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": one if threads == 1 else "", "OMP_NUM_THREADS": str(threads)}
        cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[:threads]))
        command = ["taskset", "-c", cores, *map(str, command)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args}: {self.process.stderr.read()[-2000:]}")
        return json.loads(line)

    def run(self):
        print(file=self.process.stdin, flush=True)
        return self.answer()

    def end(self):
        self.process.stdin.close()
        memory = self.answer()["memory_kb"]
        self.process.wait()
        return memory / 1024


def timer(path, threads, devices=1):
    return Side(threads, BUILT / "examples/time", path, threads, devices)


def beside(path, threads, runs):
    """Median milliseconds and memory of both engines."""
    sides = [timer(path, threads), Side(threads, sys.executable, __file__, "--xla-side", path)]
    times = [[side.run()["us"]] for side in sides]
    # What is short is run often, for half a second at least.
    runs = max(runs, min(400, 500_000 // max(1, times[0][0])))
    for _ in range(runs):
        for side, list in zip(sides, times):
            list.append(side.run()["us"])
    return [(statistics.median(list[1:]) / 1e3, side.end()) for list, side in zip(times, sides)]


def steps(names, runs):
    print("| program | threads | embedded, ms | XLA, ms | ratio | embedded, MB | XLA, MB | ratio |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or [*MODELS, *sorted(path.name.split(".")[0] for path in TINY.glob("*.none.sdy.mlir"))]:
            path = lower(name, folder) if name in MODELS else TINY / f"{name}.none.sdy.mlir"
            for threads in 1, 2:
                (ours, memory), (theirs, other) = beside(path, threads, runs)
                row = f"{ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} | {memory:.0f} | {other:.0f} | {memory / max(1, other):.2f}"
                print(f"| {name} | {threads} | {row} |", flush=True)


# Megatron's scheme on GPT-2: heads and hidden features are split, and the vocabulary.
MEGATRON = {"qkv": "_,_,model,_", "qkv_bias": "_,model,_", "out": "model,_", "up": "_,model", "up_bias": "model", "down": "model,_"}


def devices(runs):
    print("| step of gpt2, 8 x 128 tokens | work, ms | beside one device | memory, MB |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        whole = lower("gpt2", folder, batch=8)
        layers = [f"--shard=*['layers']*['{name}']={sharding}" for name, sharding in MEGATRON.items()]
        ways = {
            "data=8": ["--mesh", "data=8", "--shard=tokens=data,_", "--shard=targets=data,_"],
            "data=2, model=4": ["--mesh", "data=2,model=4", "--shard=tokens=data,_", "--shard=targets=data,_", "--shard=*['tokens']=model,_", *layers],
        }
        programs = {"one device": (whole, 1)}
        for n, (way, options) in enumerate(ways.items()):
            out = pathlib.Path(folder) / f"{n}.mlir"
            subprocess.run([BUILT / "partita", "partition", whole, "-o", out, *options], check=True, stdout=subprocess.DEVNULL)
            programs[way] = (out, 8)
        # One after the other: eight devices hold as many copies of the weights as their sharding says, which is more than fits beside another run.
        base = None
        for way, (path, count) in programs.items():
            side = timer(path, 2, count)
            work = statistics.median([side.run()["work_ms"] for _ in range(runs + 1)][1:])
            base = base or work
            print(f"| {way} | {work:.0f} | {work / base:.2f} | {side.end():.0f} |", flush=True)


def verify():
    times = {}
    for path in sorted(TINY.glob("*.mlir")):
        start = time.perf_counter()
        subprocess.run([BUILT / "partita", "partition", path, "-o", os.devnull, "--verify"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times[path.name] = time.perf_counter() - start
    print("| `partition --verify`, slowest of the tiny examples | s |\n|---|---|")
    for name in sorted(times, key=times.get)[: -9 : -1]:
        print(f"| {name} | {times[name]:.2f} |")
    print(f"| median of {len(times)} | {statistics.median(times.values()):.2f} |")


def random():
    count = 10_000
    start = time.perf_counter()
    subprocess.run([BUILT / "partita-random", "--programs", str(count), "--seed", "1", "--threads", "1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(f"| random programs checked per second and core |\n|---|\n| {count / (time.perf_counter() - start):.0f} |")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--xla-side":
        return xla_side(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--parts", default="steps,devices,verify,random")
    args = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = "cpu"
    parts = {"steps": lambda: steps(args.names, args.runs), "devices": lambda: devices(args.runs), "verify": verify, "random": random}
    for part in args.parts.split(","):
        parts[part]()
        print()


if __name__ == "__main__":
    main()
