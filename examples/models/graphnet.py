"""Graph network, encode-process-decode with residual message passing (Automap's and PartIR's graph example)."""
import jax
import jax.numpy as jnp

from . import layers, optim
from .program import Array, Config, Model
from .sharding import Strategy

CONFIGS = {
    "tiny": Config(layers=2, nodes=32, edges=96, features=4, outputs=3, embed=16, depth=2, dtype=jnp.float32),
    "medium": Config(layers=4, nodes=1024, edges=8192, features=32, outputs=3, embed=128, depth=2, dtype=jnp.float32),
    "real": Config(layers=24, nodes=2048, edges=65536, features=128, outputs=3, embed=1024, depth=5, dtype=jnp.float32,
                   mesh={1: (32,), 2: (8, 4), 3: (2, 8, 4)}),
}


def dense_params(cfg, inputs, outputs):
    """A perceptron: `depth` hidden layers alternately split along their width, a norm at the end."""
    sizes = [inputs] + [cfg.embed] * cfg.depth + [outputs]
    names = ["features"] + ["hidden" if i % 2 == 0 else None for i in range(cfg.depth)] + [None]
    return {f"w{i}": Array(sizes[i:i + 2], tuple(names[i:i + 2])) for i in range(len(sizes) - 1)} | {
        f"b{i}": Array(sizes[i + 1:i + 2], tuple(names[i + 1:i + 2]), "zeros") for i in range(len(sizes) - 1)}


def dense(p, x, c, rows):
    last = len(p) // 2 - 1
    for i in range(last + 1):
        x = x @ p[f"w{i}"] + p[f"b{i}"]
        if i < last:
            x = c(jax.nn.relu(x), rows, "hidden" if i % 2 == 0 else None)
    return x


def params(cfg):
    e = cfg.embed
    p = {"encode_nodes": dense_params(cfg, cfg.features, e), "encode_edges": dense_params(cfg, cfg.features, e),
         "decode": dense_params(cfg, e, cfg.outputs)}
    for i in range(cfg.layers):
        p[f"step_{i}"] = {"edges": dense_params(cfg, 3 * e, e), "nodes": dense_params(cfg, 2 * e, e),
                          "edge_norm": layers.norm_params(e, None, bias=True), "node_norm": layers.norm_params(e, None, bias=True)}
    return p


def batch(cfg):
    ends = Array((cfg.edges,), ("edges",), cfg.nodes, jnp.int32)
    return {"nodes": Array((cfg.nodes, cfg.features), ("nodes", None), fan_in=1),
            "edges": Array((cfg.edges, cfg.features), ("edges", None), fan_in=1),
            "senders": ends, "receivers": ends,
            "targets": Array((cfg.nodes, cfg.outputs), ("nodes", None), fan_in=1)}


def loss(params, batch, cfg, c):
    with jax.named_scope("encode"):
        nodes = c(dense(params["encode_nodes"], batch["nodes"], c, "nodes"), "nodes", None)
        edges = c(dense(params["encode_edges"], batch["edges"], c, "edges"), "edges", None)
    senders, receivers = batch["senders"], batch["receivers"]

    def step(p, nodes, edges):
        ends = jnp.concatenate([edges, nodes[senders], nodes[receivers]], -1)
        message = layers.norm(p["edge_norm"], dense(p["edges"], c(ends, "edges", None), c, "edges"))
        arrived = c(jax.ops.segment_sum(message, receivers, cfg.nodes), "nodes", None)
        change = dense(p["nodes"], jnp.concatenate([nodes, arrived], -1), c, "nodes")
        nodes = c(nodes + layers.norm(p["node_norm"], change), "nodes", None)
        return nodes, c(edges + message, "edges", None)
    for i in range(cfg.layers):
        with jax.named_scope(f"step_{i}"):
            nodes, edges = jax.checkpoint(step)(params[f"step_{i}"], nodes, edges)
    with jax.named_scope("decode"):
        return jnp.mean(jnp.square(dense(params["decode"], nodes, c, "nodes") - batch["targets"]))


# Edges are many, nodes few: split the edges, sum the messages; or nodes too; or the width of the perceptrons as well.
EDGES = Strategy(("edges",), activations={"edges": "edges"})
STRATEGIES = {
    "edges": EDGES,
    "edges_nodes": EDGES.extend(activations={"nodes": "edges"}),
    "edges_model": Strategy(("edges", "model"), weights={"hidden": "model"}, activations={"edges": "edges", "hidden": "model"}),
    "mixed3": Strategy(("nodes", "edges", "model"), weights={"hidden": "model"},
                       activations={"nodes": "nodes", "edges": ("nodes", "edges"), "hidden": "model"}, optimizer={"hidden": ("model", "edges")}),
}

MODELS = [Model("graphnet", "graph network as in Automap and PartIR, 24 steps, width 1024", CONFIGS, params, batch, loss,
                STRATEGIES, optim.adam(), optim.momentum())]
