"""The embedded executor beside XLA's back end for CPUs, one thread each.

    bench_exec.py [--runs N] [NAME …]

Training steps as JAX writes them: `gpt2` (12 layers, width 768, 4 x 128 tokens, Adam, f32) and `resnet50` (8 images of 224 x 224, momentum). Prints a
table: median milliseconds of both, the ratio, and the most memory of both processes in megabytes. Each side runs in a process of its own, pinned to
one core. Needs `cargo build --release -p partita-exec --example time`.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMER = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/time"


def gpt2(jax, jnp):
    layers, width, heads, batch, length, vocab = 12, 768, 12, 4, 128, 50257
    shape = jax.ShapeDtypeStruct
    f32 = lambda *dims: shape(dims, jnp.float32)
    layer = dict(
        scale1=f32(width), bias1=f32(width), qkv=f32(width, 3 * width), qkv_bias=f32(3 * width), out=f32(width, width), out_bias=f32(width),
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
            y = norm(x, p["scale1"], p["bias1"]) @ p["qkv"] + p["qkv_bias"]
            q, k, v = (part.reshape(batch, length, heads, width // heads) for part in jnp.split(y, 3, -1))
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


def xla_side(path, runs):
    """Runs a program on one thread of XLA and prints what `time` prints."""
    import resource
    import time

    import jax
    import jax.numpy as jnp
    import numpy as np

    step, shapes, donated = MODELS[pathlib.Path(path).stem](jax, jnp)
    executable = jax.jit(step, donate_argnums=donated, keep_unused=True).lower(*shapes).compile()
    rng = np.random.default_rng(0)

    def array(leaf):
        floats = jnp.issubdtype(leaf.dtype, jnp.floating)
        values = rng.integers(-8, 9, leaf.shape, np.int8) / np.float32(256) if floats else rng.integers(0, 4, leaf.shape)
        return np.asarray(values, leaf.dtype)

    arrays = jax.tree.map(array, shapes)
    times = []
    for _ in range(runs + 1):
        inputs = jax.block_until_ready(jax.device_put(arrays))
        start = time.perf_counter()
        jax.block_until_ready(executable(*inputs))
        times.append(round(1e6 * (time.perf_counter() - start)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"run_us": times[1:], "peak_kb": peak}))


def lower(name, folder):
    import jax
    import jax.numpy as jnp

    step, shapes, donated = MODELS[name](jax, jnp)
    lowered = jax.jit(step, donate_argnums=donated, keep_unused=True).lower(*shapes)
    path = pathlib.Path(folder) / f"{name}.mlir"
    path.write_text(lowered.as_text())
    return path


def one_core(*command):
    environment = os.environ | {
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(["taskset", "-c", "0", *map(str, command)], capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--xla-side":
        return xla_side(sys.argv[2], int(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = "cpu"
    print("| program | embedded, ms | XLA, ms | ratio | embedded, MB | XLA, MB |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in args.names or MODELS:
            path = lower(name, folder)
            ours = one_core(TIMER, path, args.runs + 1)
            theirs = one_core(sys.executable, __file__, "--xla-side", path, args.runs)
            mine, other = statistics.median(ours["run_us"][1:]) / 1e3, statistics.median(theirs["run_us"]) / 1e3
            memory = f"{ours['peak_kb'] // 1024} | {theirs['peak_kb'] // 1024}"
            print(f"| {name} | {mine:.0f} | {other:.0f} | {mine / other:.2f} | {memory} |", flush=True)


if __name__ == "__main__":
    main()
