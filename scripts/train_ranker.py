"""Trains the network that orders the decisions of the search, on searches of Partita itself.

    train_ranker.py [--programs DIR] [--steps N]     trains; writes weights.txt and check.txt of the ranker
    train_ranker.py --evaluate [--programs DIR]      how often the ranker that is there is right, on models that it was not trained on

Variants of the example models (`variants.py`) are lowered without annotations and searched without the ranker. For the plans that a search went on from most often it says what
the ranker sees of them, and for each decision that was open there the least cost of a plan with it (`partita auto --record --lessons`). The network learns to give high scores to
those with the least. The features are computed by Partita, here and when it searches; only the network is written twice, and `check.txt` keeps both the same.

Programs and lessons are kept in DIR, and made where they are not there. Everything follows from the seeds.
"""

import argparse
import collections
import json
import math
import pathlib
import tempfile
import time

import tools
import variants

RANKER = tools.ROOT / "crates/partita-auto/src/ranker"

TRAINED_ON = ["decoder_scanned", "decoder_unrolled", "encoder", "moe", "vit", "unet3d", "graphnet", "pipeline_gpipe"]
HELD_OUT = ["gpt3", "moe_hybrid", "conformer", "multimodal", "metnet", "pipeline_circular", "conformer_pipelined"]

# Of the network: as in network.rs.
WIDTH, HIDDEN, ROUNDS = 16, 32, 2

# Plans of one search, and how sharply the least cost is told from others.
LESSONS, SHARP = 24, 30

# Against learning the models by heart: how small weights are kept, and what is added to all that is seen.
DECAY, NOISE = 3e-5, 0.1

# Two costs are the same.
SAME = 1.001


def lessons_of(case, folder):
    """What a search says of one case."""
    key = f"{case.program.model}-{case.program.batch}-{case.program.width}-{case.program.layers}-{case.mesh}-{case.device}-{case.memory}"
    file = folder / f"{key}.json"
    if not file.exists():
        done = tools.partita("auto", case.program.file(folder), *case.options(), "--no-ranker", "--record", "--lessons", LESSONS, "--estimates", 20000)
        lines = [line for line in done.stderr.splitlines() if '"lessons"' in line]
        if not lines:
            raise RuntimeError(f"{key}: {done.stderr[-500:]}")
        file.write_text(lines[0])
    said = json.loads(file.read_text())
    for lesson in said["lessons"]:
        lesson["least"] = [math.inf if move[2] is None else move[2] for move in lesson["moves"]]
    # Where no decision makes a plan better, there is nothing to put first.
    said["lessons"] = [one for one in said["lessons"] if one["least"] and min(one["least"]) < one["cost"] / SAME]
    return said


def collect(models, folder, programs, settings, seed):
    """(model, what a search said) of all cases."""
    found = []
    for model in models:
        start = time.time()
        before = len(found)
        found += [(model, lessons_of(case, folder)) for case in variants.cases(model, seed, programs, settings)]
        count = sum(len(said["lessons"]) for _, said in found[before:])
        print(f"{model}: {len(found) - before} searches, {count} plans to learn from, {time.time() - start:.0f} s", flush=True)
    return found


def arrays(found):
    """All lessons as arrays, padded to the largest."""
    import numpy as np

    lessons = [(number, one) for number, (_, said) in enumerate(found) for one in said["lessons"]]
    classes = max(len(one["classes"]) for _, one in lessons)
    moves = max(len(one["moves"]) for _, one in lessons)
    features = len(lessons[0][1]["classes"][0]), len(lessons[0][1]["moves"][0][1])
    bytes_, work = (np.zeros((len(found), classes, classes), np.float32) for _ in range(2))
    for number, (_, said) in enumerate(found):
        for source, to, shared, done in said["edges"]:
            bytes_[number, to, source], work[number, to, source] = shared, done
    x = np.zeros((len(lessons), classes, features[0]), np.float32)
    mean = np.zeros((len(lessons), 1, classes), np.float32)
    # A decision about no class is taken by the mean of all, which comes after them.
    pick = np.full((len(lessons), moves), classes)
    y = np.zeros((len(lessons), moves, features[1]), np.float32)
    good = np.zeros((len(lessons), moves), np.float32)
    mask = np.zeros((len(lessons), moves), np.float32)
    for n, (_, one) in enumerate(lessons):
        count = len(one["classes"])
        x[n, :count] = one["classes"]
        mean[n, 0, :count] = 1 / count
        for m, (class_, own, _) in enumerate(one["moves"]):
            y[n, m] = own
            if class_ is not None:
                pick[n, m] = class_
        least = np.array(one["least"])
        good[n, :len(least)] = (least.min() / least) ** SHARP
        mask[n, :len(least)] = 1
    graph = np.array([number for number, _ in lessons])
    return dict(x=x, mean=mean, pick=pick, y=y, good=good, mask=mask), dict(bytes=bytes_, work=work), graph


def chosen(data, which):
    """Some of all lessons."""
    lessons, graphs, graph = data
    return {name: array[which] for name, array in lessons.items()} | {name: array[graph[which]] for name, array in graphs.items()}


def scores(weights, seen):
    """The network: as in network.rs."""
    import jax.numpy as jnp

    relu = lambda v: jnp.maximum(v, 0)
    state = relu(seen["x"] @ weights["enter"] + weights["enter_bias"])
    for n in range(ROUNDS):
        heard = jnp.concatenate([state, seen["bytes"] @ state, seen["work"] @ state], -1)
        state = relu(heard @ weights[f"round{n}"] + weights[f"round{n}_bias"])
    state = jnp.concatenate([state, seen["mean"] @ state], -2)
    own = jnp.take_along_axis(state, seen["pick"][..., None], -2)
    hidden = relu(jnp.concatenate([own, seen["y"]], -1) @ weights["decide"] + weights["decide_bias"])
    return (hidden @ weights["score"])[..., 0]


def initial(features, seed):
    import numpy as np

    rng = np.random.default_rng(seed)
    sizes = {"enter": (features[0], WIDTH), "decide": (WIDTH + features[1], HIDDEN), "score": (HIDDEN, 1)}
    sizes |= {f"round{n}": (3 * WIDTH, WIDTH) for n in range(ROUNDS)}
    weights = {name: rng.normal(0, (2 / size[0]) ** 0.5, size).astype(np.float32) for name, size in sizes.items()}
    return weights | {f"{name}_bias": np.zeros((1, sizes[name][1]), np.float32) for name in sizes if name != "score"}


def train(found, steps, seed):
    """Weights that put the best decisions first."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    data = arrays(found)
    count, classes, moves = *data[0]["x"].shape[:2], data[0]["y"].shape[1]
    weights = initial((data[0]["x"].shape[-1], data[0]["y"].shape[-1]), seed)
    parameters = sum(w.size for w in weights.values())
    print(f"{count} plans, at most {classes} classes and {moves} decisions; {parameters} weights", flush=True)

    def loss(weights, batch):
        # How good a decision is that is drawn by the scores: any of those that are equally good will do.
        log = jax.nn.log_softmax(jnp.where(batch["mask"] > 0, scores(weights, batch), -1e9))
        decay = sum(jnp.sum(w * w) for w in weights.values())
        return -jnp.mean(jax.nn.logsumexp(log, -1, b=batch["good"])) + DECAY * decay

    @jax.jit
    def step(weights, first, second, number, rate, batch):
        value, slope = jax.value_and_grad(loss)(weights, batch)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slope)
        second = jax.tree.map(lambda m, g: 0.999 * m + 0.001 * g * g, second, slope)
        move = lambda w, m, v: w - rate * (m / (1 - 0.9**number)) / (jnp.sqrt(v / (1 - 0.999**number)) + 1e-8)
        return value, jax.tree.map(move, weights, first, second), first, second

    rng = np.random.default_rng(seed)
    first = second = jax.tree.map(np.zeros_like, weights)
    start, losses = time.time(), []
    for number in range(1, steps + 1):
        batch = chosen(data, rng.integers(0, count, 32))
        for name in ("x", "y"):
            batch[name] += NOISE * rng.standard_normal(batch[name].shape, np.float32)
        rate = 3e-3 * 0.5 * (1 + math.cos(math.pi * number / steps))
        value, weights, first, second = step(weights, first, second, float(number), rate, batch)
        losses.append(float(value))
        if number % max(1, steps // 10) == 0:
            print(f"step {number}: loss {np.mean(losses[-200:]):.4f}, {time.time() - start:.0f} s", flush=True)
    return jax.tree.map(np.asarray, weights)


def scores_of(weights, found):
    """The scores of the decisions of all lessons."""
    import jax
    import numpy as np

    data = arrays(found)
    some = np.array_split(np.arange(len(data[2])), math.ceil(len(data[2]) / 64))
    return np.concatenate([jax.jit(scores)(weights, chosen(data, which)) for which in some])


def matrices(named):
    """Matrices as the ranker reads them."""
    lines = []
    for name, matrix in named.items():
        lines.append(f"{name} {matrix.shape[0]} {matrix.shape[1]}")
        lines += [" ".join(f"{number:.6g}" for number in row) for row in matrix]
    return "\n".join(lines) + "\n"


def write(weights, found):
    import numpy as np

    note = "# Written by scripts/train_ranker.py: "
    (RANKER / "weights.txt").write_text(f"{note}the weights of the ranker.\n{matrices(weights)}")
    said = min((said for _, said in found if said["lessons"]), key=lambda said: len(said["edges"]))
    lesson = next((one for one in said["lessons"] if any(move[0] is None for move in one["moves"])), said["lessons"][0])
    check = {
        "edges": np.array(said["edges"]),
        "classes": np.array(lesson["classes"]),
        "moves": np.array([[-1 if class_ is None else class_, *own] for class_, own, _ in lesson["moves"]]),
        "scores": scores_of(read(), [("", said | {"lessons": [lesson]})])[0][:, None],
    }
    (RANKER / "check.txt").write_text(f"{note}what the ranker sees of a plan, and the scores that it gives.\n{matrices(check)}")


def read():
    """The weights that are there."""
    import numpy as np

    lines = [line for line in (RANKER / "weights.txt").read_text().splitlines() if not line.startswith("#")]
    weights = {}
    while lines:
        name, rows, _ = lines.pop(0).split()
        weights[name] = np.array([list(map(float, lines.pop(0).split())) for _ in range(int(rows))], np.float32)
    return weights


def luck(decisions, good, first):
    """How likely it is that one of the good decisions is among the first, in any order."""
    return 1 - math.comb(decisions - good, first) / math.comb(decisions, min(first, decisions)) if first < decisions else 1.0


def evaluate(found, weights):
    """Prints how often a decision of the best plan is among the first that are tried, for plans that lead there."""
    import numpy as np

    given = scores_of(weights, found)
    firsts = (1, 3, 5)
    rows = collections.defaultdict(list)
    number = 0
    for model, said in found:
        for lesson in said["lessons"]:
            least = np.array(lesson["least"])
            good = least <= least.min() * SAME
            ranked = np.argsort(-given[number][: len(least)], kind="stable")
            number += 1
            if lesson["leads"]:
                hits = [good[ranked[:k]].any() for k in firsts] + [good[:k].any() for k in firsts] + [luck(len(good), good.sum(), k) for k in firsts]
                rows[model].append([len(least), *hits])
    print("| model | plans | open decisions | ranker: first, 3, 5 | by work: first, 3, 5 | any order: first, 3, 5 |\n|---|---|---|---|---|---|")
    rows["all"] = [row for model in rows for row in rows[model]]
    for model, list_ in rows.items():
        mean = np.mean(list_, 0)
        parts = [", ".join(f"{100 * part:.0f} %" for part in mean[n : n + 3]) for n in (1, 4, 7)]
        print(f"| {model} | {len(list_)} | {mean[0]:.0f} | {' | '.join(parts)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, help="where programs and lessons are kept")
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    tools.need_partita()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.programs or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if not args.evaluate:
            found = collect(TRAINED_ON, folder, 8, 5, args.seed)
            write(train(found, args.steps, args.seed), found)
            evaluate(found, read())
        evaluate(collect(HELD_OUT, folder, 4, 5, args.seed), read())


if __name__ == "__main__":
    main()
