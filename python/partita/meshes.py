"""Meshes and partition specs, between JAX's words and Partita's."""

from __future__ import annotations

import math
from collections.abc import Sequence

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from partita.errors import Error

# A part of an axis: its name, the product of the sizes of the parts before it, and its size.
Part = tuple[str, int, int]
# How one dimension lies: the parts that split it, major to minor, and how many elements a device holds.
Placed = tuple[list[Part], int]


def current_mesh() -> Mesh | None:
    """The mesh of `jax.set_mesh`, where there is one."""
    mesh = jax.sharding.get_mesh()
    return None if mesh.empty else mesh


def mesh_of(shardings: Sequence[object]) -> Mesh | None:
    """The mesh that named shardings are over."""
    found = {s.mesh for s in shardings if isinstance(s, NamedSharding)}
    if len(found) > 1:
        raise Error("the shardings are over several meshes: use one mesh for a program")
    return next(iter(found), None)


def dimensions(said: object, rank: int, mesh: Mesh, what: str) -> list[tuple[list[str], bool]]:
    """The dimensions of a sharding or spec: the names of their axes, and whether more may be added."""
    spec = said.spec if isinstance(said, NamedSharding) else said
    if not isinstance(spec, PartitionSpec):
        raise Error(f"{what}: {said!r} is neither a `PartitionSpec` nor a `NamedSharding`")
    if isinstance(said, NamedSharding) and not same_devices(said.mesh, mesh):
        raise Error(f"{what}: its sharding is over another mesh than the program")
    if len(spec) > rank:
        raise Error(f"{what}: `{spec}` has {len(spec)} entries, but the array has {rank} dimension{'s' * (rank != 1)}")
    found: list[tuple[list[str], bool]] = []
    for entry in tuple(spec) + (None,) * (rank - len(spec)):
        if entry is PartitionSpec.UNCONSTRAINED:
            found.append(([], True))
            continue
        axes = list(entry) if isinstance(entry, tuple) else [] if entry is None else [entry]
        for axis in axes:
            if axis not in mesh.shape:
                names = ", ".join(map(repr, mesh.axis_names))
                raise Error(f"{what}: the mesh has no axis {axis!r}; its axes are {names}")
        found.append((axes, False))
    return found


def same_devices(one: Mesh, other: Mesh) -> bool:
    """Whether two meshes have the same axes over the same devices."""
    return one.axis_names == other.axis_names and one.devices.shape == other.devices.shape and (one.devices == other.devices).all()


def parts_of(placed: Sequence[Placed]) -> list[Part]:
    return [part for parts, _ in placed for part in parts]


class Places:
    """Where arrays lie on a mesh, as JAX says it.

    JAX has whole axes only. Where a program splits something by a part of an axis, the axes are taken apart: the mesh is then another one
    over the same devices.
    """

    def __init__(self, mesh: Mesh, tensors: Sequence[Sequence[Placed]]):
        cuts: dict[str, set[int]] = {name: {1, size} for name, size in mesh.shape.items()}
        for name, pre, size in (part for placed in tensors for part in parts_of(placed)):
            cuts[name] |= {pre, pre * size}
        self._pieces: dict[str, list[tuple[str, int, int]]] = {}
        names: list[str] = []
        sizes: list[int] = []
        for name in mesh.axis_names:
            bounds = sorted(cuts[name])
            pieces = [(f"{name}.{n}" if len(bounds) > 2 else name, low, high) for n, (low, high) in enumerate(zip(bounds, bounds[1:]))]
            # An axis of size one has no pieces, and none are needed to name it.
            self._pieces[name] = pieces or [(name, 1, 1)]
            names += [piece for piece, _, _ in self._pieces[name]]
            sizes += [high // low for _, low, high in self._pieces[name]]
        whole = names == list(mesh.axis_names)
        self.mesh = mesh if whole else Mesh(np.asarray(mesh.devices).reshape(sizes), tuple(names))

    def spec(self, placed: Sequence[Placed]) -> PartitionSpec:
        """The spec of an array."""
        entries: list[object] = []
        for parts, _ in placed:
            axes = tuple(
                piece for name, pre, size in parts for piece, low, high in self._pieces[name] if pre <= low and high <= pre * size
            )
            entries.append(axes[0] if len(axes) == 1 else axes or None)
        while entries and entries[-1] is None:
            entries.pop()
        return PartitionSpec(*entries)


def padded_shape(shape: Sequence[int], placed: Sequence[Placed]) -> tuple[int, ...]:
    """The shape of an array whose shards are all of one size."""
    return tuple(
        block * math.prod(size for _, _, size in parts) if parts else length
        for length, (parts, block) in zip(shape, placed, strict=True)
    )


def is_uneven(shape: Sequence[int], placed: Sequence[Placed]) -> bool:
    """Whether the shards of an array are of several sizes."""
    return padded_shape(shape, placed) != tuple(shape)
