"""`partita.jit` and what goes with it."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import pathlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, ParamSpec, TypedDict, TypeVar, Unpack, overload

import jax
import numpy as np
from jax._src.array import ArrayImpl
from jax._src.config import trace_context
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from partita import _native
from partita.embedding import DeviceProgram, call_p
from partita.errors import Error
from partita.lowered import Lowered
from partita.meshes import AnyMesh, axes_inside, current_mesh, dimensions, in_own_order, is_uneven, mesh_of, padded_shape, profile_of, reordered
from partita.tracing import Options, Traced, abstract, as_tuple, automatic, static_names, trace
from partita.uneven import UnevenArray

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# A plan for a whole program: a dict, its JSON, or the path of a file with it.
AnyPlan = Mapping[str, Any] | str | os.PathLike

_SPECS = (PartitionSpec, NamedSharding)


def plan_text(plan: AnyPlan) -> str:
    """A plan as JSON."""
    if isinstance(plan, Mapping):
        return json.dumps(plan)
    if isinstance(plan, os.PathLike) or not plan.lstrip().startswith("{"):
        return pathlib.Path(plan).read_text()
    return plan


def _is_spec(value: Any) -> bool:
    return value is None or isinstance(value, _SPECS)


def _broadcast(prefix: Any, tree: Any, what: str) -> list[Any]:
    """A sharding for every leaf of a tree, from a tree that may end earlier."""
    try:
        return jax.tree_util.tree_leaves(
            jax.tree.map(lambda spec, part: jax.tree.map(lambda _: (spec,), part), prefix, tree, is_leaf=_is_spec),
            is_leaf=lambda leaf: isinstance(leaf, tuple) and len(leaf) == 1 and _is_spec(leaf[0]),
        )
    except (ValueError, TypeError) as error:
        raise Error(f"`{what}` does not have the form of the {'arguments' if what == 'in_shardings' else 'results'}: {error}") from error


class JitOptions(TypedDict, total=False):
    """What `jit` takes beside the function."""

    mesh: AnyMesh | None
    in_shardings: Any
    out_shardings: Any
    static_argnums: int | Sequence[int] | None
    static_argnames: str | Sequence[str] | None
    donate_argnums: int | Sequence[int] | None
    donate_argnames: str | Sequence[str] | None
    plan: AnyPlan | None
    device: str | None
    memory: int | None
    zero: bool


@overload
def jit(fn: Callable[Arguments, Result], **options: Unpack[JitOptions]) -> Jitted[Arguments, Result]: ...
@overload
def jit(fn: None = None, **options: Unpack[JitOptions]) -> Callable[[Callable[Arguments, Result]], Jitted[Arguments, Result]]: ...
def jit(
    fn: Callable[..., Any] | None = None,
    *,
    mesh: AnyMesh | None = None,
    in_shardings: Any = None,
    out_shardings: Any = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Sequence[str] | None = None,
    plan: AnyPlan | None = None,
    device: str | None = None,
    memory: int | None = None,
    zero: bool = False,
) -> Any:
    """Makes a function run on all devices of a mesh, as `jax.jit` does, partitioned by Partita.

    Shardings are `PartitionSpec`s or `NamedSharding`s, in pytrees that may end earlier than those of the arguments and results. What is
    not said is completed. The mesh is the one that is named, else that of the shardings, else that of `jax.set_mesh`.

    `plan` is one that was kept: a dict as `{"arguments": {"params['w']": "_,model"}, "results": {…}, "constraints": [{"value": "%42", "spec": "data,_"}]}`, its
    JSON, or the path of a file with it. `device` names what the program is for (`"tpu-v5e"`, or the path of a profile), by which computing and sending
    are weighed; it is found from the mesh's devices otherwise. `memory` is how many bytes a device may hold, where that is not what the device has: weights are gathered again
    where they would take more. With `zero`, optimizer state and weight update are sharded over the data-parallel axes.

    >>> import jax.numpy as jnp
    >>> from jax.sharding import PartitionSpec as P
    >>> mesh = jax.make_mesh((2, 4), ("data", "model"))
    >>> mlp = jit(lambda w, x: jnp.tanh(x @ w["in"]) @ w["out"], mesh=mesh, in_shardings=({"in": P(None, "model"), "out": P("model")}, P("data")))
    >>> result = mlp({"in": jnp.ones((8, 16)), "out": jnp.ones((16, 8))}, jnp.ones((4, 8)))
    >>> result.shape, result.sharding.spec
    ((4, 8), P('data',))
    """
    if fn is None:
        return functools.partial(
            jit, mesh=mesh, in_shardings=in_shardings, out_shardings=out_shardings, static_argnums=static_argnums,
            static_argnames=static_argnames, donate_argnums=donate_argnums, donate_argnames=donate_argnames, plan=plan, device=device,
            memory=memory, zero=zero,
        )  # fmt: skip
    options = Options(
        *(as_tuple(v) for v in (static_argnums, static_argnames, donate_argnums, donate_argnames)),
    )
    return Jitted(fn, mesh, in_shardings, out_shardings, options, plan, device, memory, zero)


def lower(fn: Callable, *args: Any, **kwargs: Any) -> Lowered:
    """The partitioned program of a function for these arguments; `fn` is one of `partita.jit`, or any under `jax.set_mesh`.

    Shapes will do for arguments, and a `jax.sharding.AbstractMesh` for a mesh: nothing runs.

    >>> from jax.sharding import AbstractMesh, PartitionSpec as P
    >>> total = jit(lambda x: x.sum(), mesh=AbstractMesh((1024,), ("data",)), in_shardings=P("data"))
    >>> lowered = lower(total, jax.ShapeDtypeStruct((1 << 20,), "float32"))
    >>> lowered.ledger()["totals"]["by_kind"]["all_reduce"]["count"]
    1
    >>> lowered.memory()["arguments"]
    4096
    """
    jitted = fn if isinstance(fn, Jitted) else jit(fn)
    return jitted.lower(*args, **kwargs)


def specs(fn: Callable, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The completed `PartitionSpec`s of all arguments and results, for plain `jax.jit`.

    >>> from jax.sharding import PartitionSpec as P
    >>> product = jit(lambda w, x: x @ w, mesh=jax.make_mesh((8,), ("model",)), in_shardings=(P(None, "model"), None))
    >>> specs(product, jax.ShapeDtypeStruct((8, 16), "float32"), jax.ShapeDtypeStruct((4, 8), "float32"))
    ((P(None, 'model'), P()), P(None, 'model'))
    """
    return lower(fn, *args, **kwargs).specs()


@dataclasses.dataclass(frozen=True)
class Asked:
    """A program, and what is said of it."""

    traced: Traced
    mesh: AnyMesh
    inputs: list[jax.ShapeDtypeStruct]
    # A spec for every argument and every result; nothing where nothing is said.
    in_specs: list[Any]
    out_specs: list[Any]
    # The same as the native part takes it: text, file, mesh, arguments and results.
    said: tuple[str, str, list[tuple[str, int]], list[Any], list[Any]]


class Jitted(Generic[Arguments, Result]):
    """A function that runs partitioned."""

    # Whether an array that lies on the mesh already says how it is to be split.
    _takes_placement = True

    def __init__(
        self, fn: Callable[Arguments, Result], mesh: AnyMesh | None, in_shardings: Any, out_shardings: Any, options: Options,
        plan: AnyPlan | None = None, device: str | None = None, memory: int | None = None, zero: bool = False,
    ):  # fmt: skip
        functools.update_wrapper(self, fn)
        self._fn = fn
        self._mesh = mesh
        self._in_shardings = in_shardings
        self._out_shardings = out_shardings
        self._options = options
        self._plan = None if plan is None else plan_text(plan)
        self._device = device
        self._memory = memory
        self._zero = zero
        self._static_numbers, self._static_names = static_names(fn, options)
        # The mesh, where no context and no argument can make it another one.
        self._own_mesh = mesh or mesh_of(jax.tree.leaves((in_shardings, out_shardings), is_leaf=_is_spec))
        self._compiled: dict[Any, Compiled] = {}
        self._last: tuple[Any, Any] = (None, None)

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        if self._static_numbers or self._static_names:
            statics, args_left, kwargs_left = self._without_statics(args, kwargs)
        else:
            statics, args_left, kwargs_left = None, args, kwargs
        leaves, tree = jax.tree.flatten((args_left, kwargs_left))
        around = trace_context(), None if self._own_mesh else current_mesh()
        key = (statics, tree, around, *map(_key, leaves))
        last_key, compiled = self._last
        # A loop calls the same program again and again: its key is made of the same objects, which are compared sooner than hashed.
        if key != last_key:
            compiled = self._compiled.get(key)
            if compiled is None:
                compiled = Compiled(self._lower(args, kwargs, leaves, tree))
                self._compiled[key] = compiled
            self._last = key, compiled
        return compiled(leaves)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The partitioned program for arguments like these; `jax.ShapeDtypeStruct`s will do."""
        _, args_left, kwargs_left = self._without_statics(args, kwargs)
        leaves, tree = jax.tree.flatten((args_left, kwargs_left))
        return self._lower(args, kwargs, leaves, tree)

    def _without_statics(self, args: tuple, kwargs: dict) -> tuple[Any, tuple, dict]:
        statics = tuple((n, args[n]) for n in self._static_numbers if n < len(args))
        named = tuple((name, kwargs[name]) for name in self._static_names if name in kwargs)
        left = tuple(arg for n, arg in enumerate(args) if n not in self._static_numbers)
        return (statics, named), left, {k: v for k, v in kwargs.items() if k not in self._static_names}

    def _lower(self, args: tuple, kwargs: dict, leaves: list, tree: Any) -> Lowered:
        asked = self._ask(args, kwargs, leaves, tree)
        mesh = asked.mesh
        program = _native.partition(*asked.said, self._plan_for(asked), self._device or profile_of(mesh), self._memory, self._zero)
        elsewhere = {
            n: sharding for n, (sharding, spec) in enumerate(zip(map(_committed, leaves), asked.in_specs))
            if sharding is not None and (spec is None or in_own_order(spec, mesh))
        }  # fmt: skip
        return_to = {n: spec.mesh for n, spec in enumerate(asked.out_specs) if in_own_order(spec, mesh)}
        return Lowered(asked.traced, program, automatic(mesh), asked.inputs, tree, elsewhere, return_to)

    def _plan_for(self, asked: Asked) -> str | None:
        """The plan that a program is partitioned by, as JSON."""
        return self._plan

    def _ask(self, args: tuple, kwargs: dict, leaves: list, tree: Any) -> Asked:
        """Traces the function, and finds what is said of its arguments and results."""
        abstracts = [abstract(leaf) for leaf in leaves]
        mesh = self._find_mesh(leaves)
        left_args, left_kwargs = jax.tree.unflatten(tree, abstracts)
        given = iter(left_args)
        all_args = tuple(arg if n in self._static_numbers else next(given) for n, arg in enumerate(args))
        all_kwargs = {k: left_kwargs.get(k, v) if k not in self._static_names else v for k, v in kwargs.items()}
        traced = trace(self._fn, self._options, mesh, all_args, all_kwargs)
        in_specs = self._in_specs(leaves, left_args, left_kwargs, mesh)
        out_specs: list[Any] = [None] * len(traced.results)
        if self._out_shardings is not None:
            out_specs = [spec[0] for spec in _broadcast(self._out_shardings, jax.tree.unflatten(traced.out_tree, traced.results), "out_shardings")]
        said = lambda specs, types, names, word: [
            (n, f"`{word}` of `{name}`", dimensions(spec, len(_physical(ty).shape), mesh, f"`{word}` of `{name}`"))
            for n, (spec, ty, name) in enumerate(zip(specs, types, names, strict=True)) if spec is not None
        ]  # fmt: skip
        return Asked(
            traced, mesh, abstracts, in_specs, out_specs,
            (
                traced.text,
                f"<{traced.name}>",
                [(str(name), size) for name, size in mesh.shape.items()],
                said(in_specs, abstracts, traced.arguments, "in_shardings"),
                said(out_specs, traced.results, traced.result_names, "out_shardings"),
            ),
        )  # fmt: skip

    def _find_mesh(self, leaves: list) -> AnyMesh:
        mesh = self._own_mesh or current_mesh() or mesh_of([_committed(leaf) for leaf in leaves])
        if mesh is None:
            raise Error("there is no mesh: name one with `mesh=`, in a `NamedSharding`, or by `jax.set_mesh`")
        return mesh

    def _in_specs(self, leaves: list, args: tuple, kwargs: dict, mesh: AnyMesh) -> list[Any]:
        """A spec for every argument: the one that is said, else the one its array has."""
        specs: list[Any] = [None] * len(leaves)
        if self._in_shardings is not None:
            # A sequence has a sharding for each argument, as a tuple of arguments has it.
            prefix = tuple(self._in_shardings) if isinstance(self._in_shardings, list) else self._in_shardings
            positional = [spec[0] for spec in _broadcast(prefix, args, "in_shardings")]
            specs[: len(positional)] = positional
        for n, leaf in enumerate(leaves if self._takes_placement else []):
            sharding = _committed(leaf)
            known = isinstance(sharding, NamedSharding) and axes_inside(sharding.mesh, mesh) is not None
            if specs[n] is None and known and not in_own_order(sharding, mesh):
                specs[n] = sharding
            if in_own_order(specs[n], mesh) and sharding is not None and not sharding.is_equivalent_to(specs[n], leaf.ndim):
                raise Error(f"an argument lies as {sharding} says, but `in_shardings` says {specs[n]}")
        return specs


def _committed(leaf: Any) -> Any:
    """Where an argument lies, if it was put there."""
    placed = isinstance(leaf, UnevenArray) or (isinstance(leaf, jax.Array) and leaf.committed)
    return leaf.sharding if placed else None


def _key(leaf: Any) -> Any:
    """What of an argument decides which program runs."""
    if type(leaf) is ArrayImpl:
        # Asked for every leaf of every call: arrays of one type share their abstract value.
        return leaf.aval, leaf.sharding if leaf._committed else None
    if isinstance(leaf, jax.Array):
        return leaf.shape, leaf.dtype, getattr(leaf, "weak_type", False), leaf.sharding if leaf.committed else None
    if isinstance(leaf, np.ndarray):
        return leaf.shape, leaf.dtype
    if isinstance(leaf, UnevenArray):
        return leaf.shape, leaf.dtype, leaf.sharding
    return type(leaf)


def _physical(ty: jax.ShapeDtypeStruct) -> jax.ShapeDtypeStruct:
    """The array that stands for one of keys."""
    if not jax.dtypes.issubdtype(ty.dtype, jax.dtypes.prng_key):
        return ty
    data = jax.eval_shape(jax.random.key_data, ty)
    return jax.ShapeDtypeStruct(data.shape, data.dtype)


class Compiled:
    """A partitioned program as a function from the leaves of the arguments to the results."""

    def __init__(self, lowered: Lowered):
        self.lowered = lowered
        traced, places = lowered._traced, lowered.places
        if not isinstance(places.mesh, Mesh):
            raise Error("the mesh has no devices to run on: `lower` and `specs` work with an `AbstractMesh`, calls need a `jax.sharding.Mesh`")
        in_types = [_physical(ty) for ty in lowered._inputs]
        out_types = [_physical(ty) for ty in traced.results]
        local = tuple(
            jax.ShapeDtypeStruct(tuple(block for _, block in placed), ty.dtype) for placed, ty in zip(lowered.results, out_types)
        )
        program = DeviceProgram(lowered.as_text(), traced.name, local)
        in_specs = tuple(places.spec(placed) for placed in lowered.arguments)
        out_specs = [places.spec(placed) for placed in lowered.results]
        named = lambda spec: NamedSharding(places.mesh, spec)
        self._run = jax.jit(
            jax.shard_map(
                lambda *shards: call_p.bind(*shards, program=program),
                mesh=places.mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False,
            ),
            in_shardings=tuple(map(named, in_specs)),
            out_shardings=[named(spec) for spec in out_specs],
            donate_argnums=tuple(n for n, donated in enumerate(traced.donated) if donated),
        )  # fmt: skip
        # What must be done to single arguments and results; mostly nothing.
        self._before = [
            (n, functools.partial(_enter, padded_shape(ty.shape, placed), named(spec)))
            for n, (logical, ty, placed, spec) in enumerate(zip(lowered._inputs, in_types, lowered.arguments, in_specs))
            if logical is not ty or is_uneven(ty.shape, placed) or _lies_elsewhere(lowered._elsewhere.get(n), named(spec), len(ty.shape))
        ]
        self._after = [
            (n, functools.partial(_leave, logical, tuple(ty.shape), None if like is None else NamedSharding(reordered(places.mesh, like), spec)))
            for n, (logical, ty, placed, spec) in enumerate(zip(traced.results, out_types, lowered.results, out_specs))
            for like in [lowered._return_to.get(n)]
            if logical is not ty or is_uneven(ty.shape, placed) or like is not None
        ]
        self._out_tree = traced.out_tree
        self._padded = [(padded_shape(ty.shape, placed), ty.dtype, named(spec)) for ty, placed, spec in zip(in_types, lowered.arguments, in_specs)]

    def seconds(self, steps: int) -> float:
        """How long the fastest of some steps takes, on small numbers."""
        fastest = float("inf")
        for _ in range(steps + 1):
            # Made anew each time: a step may take the memory of its arguments.
            leaves = [jax.device_put((np.arange(np.prod(shape, dtype=int)) % 3).reshape(shape).astype(dtype), place) for shape, dtype, place in self._padded]
            jax.block_until_ready(leaves)
            start = time.perf_counter()
            jax.block_until_ready(self._run(*leaves))
            fastest = min(fastest, time.perf_counter() - start)
        return fastest

    def __call__(self, leaves: list) -> Any:
        for n, enter in self._before:
            leaves[n] = enter(leaves[n])
        results = self._run(*leaves)
        for n, leave in self._after:
            results[n] = leave(results[n])
        return jax.tree.unflatten(self._out_tree, results)


def _lies_elsewhere(placed: Any, wanted: NamedSharding, rank: int) -> bool:
    return placed is not None and not placed.is_equivalent_to(wanted, rank)


def _enter(padded: tuple[int, ...], sharding: NamedSharding, leaf: Any) -> jax.Array:
    """An argument as the program takes it: keys as their numbers, and filled up to whole shards."""
    if isinstance(leaf, UnevenArray):
        leaf = leaf.padded
    elif isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if leaf.shape != padded:
        leaf = np.pad(np.asarray(leaf), [(0, to - size) for size, to in zip(leaf.shape, padded)])
    return jax.device_put(leaf, sharding)


def _leave(logical: jax.ShapeDtypeStruct, shape: tuple[int, ...], own: NamedSharding | None, result: jax.Array) -> Any:
    """A result as the function gives it, on the devices in the order that was asked for."""
    if own is not None:
        result = jax.device_put(result, own)
    if result.shape != shape:
        return UnevenArray(result, shape)
    if jax.dtypes.issubdtype(logical.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(result, impl=logical.dtype._impl.name)
    return result
