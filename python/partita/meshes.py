"""Meshes and partition specs, between JAX's words and Partita's."""

from __future__ import annotations

import math
from collections.abc import Sequence

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec

from partita.errors import Error

# A mesh with devices to run on, or only its axes: for more devices than there are, to see what a program would send.
AnyMesh = Mesh | AbstractMesh
# The profiles of devices by what JAX calls their kind, in small letters: the first whose name begins so.
_PROFILES = {
    "cpu": "cpu",
    "tpu v3": "tpu-v3",
    "tpu v4": "tpu-v4",
    "tpu v5 lite": "tpu-v5e",
    "tpu v5e": "tpu-v5e",
    "tpu v5": "tpu-v5p",
    "tpu v6": "tpu-v6e",
    "nvidia a100": "a100",
    "nvidia h100": "h100",
}
# A part of an axis: its name, the product of the sizes of the parts before it, and its size.
Part = tuple[str, int, int]
# An axis, or a part of one: its name, and what is before the part with its size.
Axis = tuple[str, tuple[int, int] | None]
# What a sharding says of one dimension: its axes, and whether more may be added.
Said = tuple[list[Axis], bool]
# How one dimension lies: the parts that split it, major to minor, and how many elements a device holds.
Placed = tuple[list[Part], int]


def current_mesh() -> Mesh | None:
    """The mesh of `jax.set_mesh`, where there is one."""
    mesh = jax.sharding.get_mesh()
    return None if mesh.empty else mesh


def profile_of(mesh: AnyMesh) -> str | None:
    """What is known of the devices of a mesh: computing and sending have other prices on each kind."""
    if not isinstance(mesh, Mesh):
        return None
    kind = mesh.devices.flat[0].device_kind.lower()
    return next((profile for name, profile in _PROFILES.items() if kind.startswith(name)), None)


def mesh_of(shardings: Sequence[object]) -> AnyMesh | None:
    """The mesh that named shardings are over."""
    found = {s.mesh for s in shardings if isinstance(s, NamedSharding)}
    if len(found) > 1:
        raise Error("the shardings are over several meshes: use one mesh for a program")
    return next(iter(found), None)


def dimensions(said: object, rank: int, mesh: AnyMesh, what: str) -> list[Said]:
    """The dimensions of a sharding or spec, over the axes of a mesh."""
    spec = said.spec if isinstance(said, NamedSharding) else said
    if not isinstance(spec, PartitionSpec):
        raise Error(f"{what}: {said!r} is neither a `PartitionSpec` nor a `NamedSharding`")
    own: Sequence[str] = mesh.axis_names
    inside: dict[str, list[Axis]] | None = {name: [(name, None)] for name in own}
    if isinstance(said, NamedSharding):
        own, inside = said.mesh.axis_names, axes_inside(said.mesh, mesh)
    if inside is None:
        raise Error(f"{what}: its sharding is over another mesh than the program, or other devices")
    if len(spec) > rank:
        raise Error(f"{what}: `{spec}` has {len(spec)} entries, but the array has {rank} dimension{'s' * (rank != 1)}")
    found: list[Said] = []
    for entry in tuple(spec) + (None,) * (rank - len(spec)):
        if entry is PartitionSpec.UNCONSTRAINED:
            found.append(([], True))
            continue
        axes = list(entry) if isinstance(entry, tuple) else [] if entry is None else [entry]
        for axis in axes:
            if axis not in inside:
                names = ", ".join(map(repr, own))
                raise Error(f"{what}: the mesh has no axis {axis!r}; its axes are {names}")
        found.append(([part for axis in axes for part in inside[axis]], False))
    return found


def with_axes(mesh: AnyMesh, sizes: tuple[int, ...], names: tuple[str, ...]) -> AnyMesh:
    """The same devices in the same order, under other axes that are left to the compiler."""
    if isinstance(mesh, Mesh):
        return Mesh(np.asarray(mesh.devices).reshape(sizes), names)
    return AbstractMesh(sizes, names, axis_types=(AxisType.Auto,) * len(names))


def axes_inside(other: AnyMesh, mesh: AnyMesh) -> dict[str, list[Axis]] | None:
    """The axes of another mesh over the same devices as axes, or parts of axes, of this one, major to minor.

    Nothing where the meshes are over different devices, or cut them at places that do not go together.
    """
    if other.size != mesh.size:
        return None
    if isinstance(other, Mesh) and isinstance(mesh, Mesh) and set(other.devices.flat) != set(mesh.devices.flat):
        return None
    found: dict[str, list[Axis]] = {}
    for name, high, low in _spans(other):
        found[name] = []
        for axis, top, bottom in _spans(mesh):
            upper, lower = min(high, top), max(low, bottom)
            if upper <= lower:
                continue
            if top % upper or upper % lower or lower % bottom:
                return None
            found[name].append((axis, None if (upper, lower) == (top, bottom) else (top // upper, upper // lower)))
    return found


def in_own_order(said: object, mesh: AnyMesh) -> bool:
    """Whether a sharding is over a mesh that has the devices in another order."""
    other = said.mesh if isinstance(said, NamedSharding) else None
    return isinstance(other, Mesh) and isinstance(mesh, Mesh) and list(other.devices.flat) != list(mesh.devices.flat)


def reordered(mesh: Mesh, like: Mesh) -> Mesh:
    """A mesh with the axes that it has, and the devices as another one has them in order."""
    return Mesh(np.asarray(like.devices).reshape(mesh.devices.shape), mesh.axis_names)


def _spans(mesh: AnyMesh) -> list[tuple[str, int, int]]:
    """Every axis of more than one device with how far apart its ends and its neighbours stand in the order of devices."""
    spans, apart = [], mesh.size
    for name, size in mesh.shape.items():
        spans.append((str(name), apart, apart // size))
        apart //= size
    return spans


def parts_of(placed: Sequence[Placed]) -> list[Part]:
    return [part for parts, _ in placed for part in parts]


class Places:
    """Where arrays lie on a mesh, as JAX says it.

    JAX has whole axes only. Where a program splits something by a part of an axis, the axes are taken apart: the mesh is then another one
    over the same devices.
    """

    def __init__(self, mesh: AnyMesh, tensors: Sequence[Sequence[Placed]]):
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
        self.mesh = mesh if names == list(mesh.axis_names) else with_axes(mesh, tuple(sizes), tuple(names))

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
