"""Strategies as tables: each names its mesh axes and says which logical axis of an array is split over which of them."""
import dataclasses
from typing import Mapping, Sequence

import jax
from jax.sharding import NamedSharding, PartitionSpec

OPEN = "?"  # as a rule: leave the dimension to propagation

Rules = Mapping[str, str | tuple[str, ...]]

# Sizes of the tiny meshes, by number of axes: always eight devices.
TINY_MESH = {1: (8,), 2: (2, 4), 3: (2, 2, 2)}


@dataclasses.dataclass(frozen=True)
class Strategy:
    """Rules for weights, activations and optimizer state (which follows the weights unless it has its own)."""
    axes: tuple[str, ...]
    weights: Rules = dataclasses.field(default_factory=dict)
    activations: Rules = dataclasses.field(default_factory=dict)
    optimizer: Rules | None = None
    inputs: Rules | None = None  # of the batch, if other than of the activations
    open: bool = False           # dimensions without a rule stay open in constraints
    inside: bool = True          # constrain activations inside the step, not only arguments and results

    def optimizer_rules(self) -> Rules:
        return self.weights if self.optimizer is None else self.optimizer

    def input_rules(self) -> Rules:
        return self.activations if self.inputs is None else self.inputs

    def extend(self, weights: Rules = {}, activations: Rules = {}, **changes) -> "Strategy":
        """The same strategy with more rules."""
        return dataclasses.replace(self, weights={**self.weights, **weights},
                                   activations={**self.activations, **activations}, **changes)


def partition_spec(axes: Sequence[str | None], rules: Rules, unnamed=None) -> PartitionSpec:
    """Mesh axes per dimension; a mesh axis is given to the first dimension that asks for it."""
    used, dims = set(), []
    for axis in axes:
        rule = rules.get(axis, ())
        if rule == OPEN:
            dims.append(PartitionSpec.UNCONSTRAINED)
            continue
        names = tuple(n for n in ((rule,) if isinstance(rule, str) else rule) if n not in used)
        used.update(names)
        dims.append(names[0] if len(names) == 1 else names or unnamed)
    return PartitionSpec(*dims)


def divides(shape: Sequence[int], spec: PartitionSpec, mesh) -> bool:
    """Whether the spec cuts the shape into equal parts (JAX asks that of arguments and results)."""
    for size, names in zip(shape, spec):
        parts = 1
        for name in (names,) if isinstance(names, str) else names or ():
            parts *= mesh.shape[name]
        if size % parts:
            return False
    return True


class Constrain:
    """`constrain(x, "batch", "length", "embed")` pins an activation as the strategy says, or does nothing."""

    def __init__(self, strategy: Strategy | None, mesh):
        self.strategy, self.mesh = strategy, mesh

    def __call__(self, x, *axes: str | None):
        assert len(axes) == x.ndim, f"{axes} for an array of rank {x.ndim}"
        if self.strategy is None or not self.strategy.inside:
            return x
        unnamed = PartitionSpec.UNCONSTRAINED if self.strategy.open else None
        spec = partition_spec(axes, self.strategy.activations, unnamed)
        if all(d is None or d is PartitionSpec.UNCONSTRAINED for d in spec):
            return x
        return jax.lax.with_sharding_constraint(x, NamedSharding(self.mesh, spec))

    def mesh_axis(self, axis: str) -> str | None:
        """The mesh axis an activation axis is split over: for `vmap(spmd_axis_name=...)`."""
        return None if self.strategy is None else self.strategy.activations.get(axis)


# --- Strategies shared by the transformers -------------------------------------------------------------------------
# Logical axes of weights: vocab, embed, heads, mlp, table_embed (the width of embedding tables), layers, stage, expert.
# Logical axes of activations: batch, length, residual (the length between blocks), embed, heads, mlp, vocab, ...

_WIDE = {"heads": "model", "mlp": "model", "vocab": "model"}

DATA = Strategy(("data",), activations={"batch": "data"})

# Arguments alone are annotated; the rest is up to propagation.
MEGATRON_BARE = Strategy(("data", "model"), weights=_WIDE, activations={"batch": "data"}, inside=False)

MEGATRON = Strategy(("data", "model"), weights=_WIDE, activations={"batch": "data", **_WIDE})

# Megatron, the residual stream between blocks split along the sequence.
SEQUENCE = MEGATRON.extend(activations={"residual": "model"})

# Long sequences: queries stay split along the sequence, keys and values are gathered.
CONTEXT = Strategy(("data", "seq"), activations={"batch": "data", "length": "seq", "residual": "seq"})

_XY = {"embed": "x", "heads": "y", "mlp": "y", "table_embed": "y"}
_Y = {"heads": "y", "mlp": "y", "vocab": "y"}
TWO_D_ATTEMPT1 = Strategy(("x", "y"), weights=_XY, activations={"embed": "x", **_Y})
TWO_D_ATTEMPT2 = Strategy(("x", "y"), weights=_XY, activations={"batch": "x", **_Y})
TWO_D = Strategy(("x", "y"), weights=_XY, activations={"batch": "x", "embed": "y", **_Y})

# Optimizer state split over the data axis, weights whole (weight-update sharding, "ZeRO-1").
_OVER_DATA = {"embed": "data", "table_embed": "data"}
OPTIMIZER = DATA.extend(optimizer=_OVER_DATA)

# Weights split over the data axis as well ("ZeRO-3").
FSDP = DATA.extend(weights=_OVER_DATA)

# Three axes: batch over two, weights over one of them and Megatron, optimizer state over all three.
MIXED3 = Strategy(
    ("data", "fsdp", "model"),
    weights={"embed": "fsdp", "table_embed": "fsdp", **_WIDE},
    activations={"batch": ("data", "fsdp"), "residual": "model", **_WIDE},
    optimizer={"embed": ("fsdp", "data"), "table_embed": ("fsdp", "data"), **_WIDE})
