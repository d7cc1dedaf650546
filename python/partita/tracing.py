"""From a function of JAX and its arguments to a program in text."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.sharding import AxisType, Mesh
from jax.tree_util import keystr

from partita.errors import Error
from partita.meshes import AnyMesh, with_axes
from partita.uneven import UnevenArray

# Calls back into this process: text alone cannot carry them.
_CALLBACKS = ("xla_ffi_python_cpu_callback", "xla_ffi_python_gpu_callback", "xla_python_cpu_callback", "xla_python_gpu_callback")


@dataclasses.dataclass(frozen=True)
class Options:
    """What is said of a function besides its shardings, in the words of `jax.jit`."""

    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
    donate_argnums: tuple[int, ...] = ()
    donate_argnames: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Traced:
    """A program for one device."""

    text: str
    name: str
    # The names of the arguments, as `params['w']`, with whether they are given away.
    arguments: list[str]
    donated: list[bool]
    results: list[jax.ShapeDtypeStruct]
    result_names: list[str]
    out_tree: Any


def as_tuple(value: int | str | Sequence | None) -> tuple:
    """One thing, several or none, as a tuple."""
    return () if value is None else (value,) if isinstance(value, (int, str)) else tuple(value)


def static_names(fn: Callable, options: Options) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The static arguments of a function, by position and by name: each by both where the signature tells."""
    numbers, names = set(options.static_argnums), set(options.static_argnames)
    with contextlib.suppress(ValueError, TypeError):
        parameters = list(inspect.signature(fn).parameters.values())
        positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        numbers = {n % len(positional) if n < 0 else n for n in numbers}
        names |= {positional[n] for n in numbers if n < len(positional)}
        numbers |= {n for n, name in enumerate(positional) if name in names}
    return tuple(sorted(numbers)), tuple(sorted(names))


def abstract(leaf: Any) -> jax.ShapeDtypeStruct:
    """The shape and type of an argument; where it lies is said elsewhere."""
    if isinstance(leaf, UnevenArray):
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
    if isinstance(leaf, (jax.Array, jax.ShapeDtypeStruct)):
        # Arrays of keys have no weak types.
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=getattr(leaf, "weak_type", False))
    try:
        aval = jax.typeof(leaf)
    except TypeError as error:
        raise Error(f"an argument of type `{type(leaf).__name__}` is no array: make it static, or an array") from error
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def trace(fn: Callable, options: Options, mesh: AnyMesh, args: tuple, kwargs: dict) -> Traced:
    """Traces a function under a mesh, and lowers it for one device."""
    jitted = jax.jit(
        fn,
        static_argnums=options.static_argnums or None,
        static_argnames=options.static_argnames or None,
        donate_argnums=options.donate_argnums or None,
        donate_argnames=options.donate_argnames or None,
        keep_unused=True,
    )
    mesh = automatic(mesh)
    with jax.set_mesh(mesh) if isinstance(mesh, Mesh) else jax.sharding.use_abstract_mesh(mesh):
        lowered = jitted.lower(*args, **kwargs)
    text = lowered.as_text(debug_info=True)
    for call in _CALLBACKS:
        if call in text:
            name = getattr(fn, "__name__", "the function")
            raise Error(f"`{name}` calls back into Python, which a partitioned program cannot: leave out callbacks and debug prints")
    infos = jax.tree_util.tree_flatten_with_path(lowered.args_info)[0]
    out_infos, out_tree = jax.tree_util.tree_flatten_with_path(lowered.out_info)
    return Traced(
        text=text,
        name=getattr(fn, "__name__", "program"),
        arguments=[argument_name(fn, path) for path, _ in infos],
        donated=[info.donated for _, info in infos],
        results=[jax.ShapeDtypeStruct(info.shape, info.dtype) for _, info in out_infos],
        result_names=["result" + keystr(path) for path, _ in out_infos],
        out_tree=out_tree,
    )


def argument_name(fn: Callable, path: tuple) -> str:
    """What an argument is called: `params['w']`, where the signature tells, else `args[0]['w']`."""
    where, first, *rest = path
    number = getattr(where, "idx", 0)
    if number == 1:
        return str(getattr(first, "key", first)) + keystr(tuple(rest))
    position = getattr(first, "idx", 0)
    with contextlib.suppress(ValueError, TypeError):
        parameters = [p for p in inspect.signature(fn).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if position < len(parameters):
            return parameters[position].name + keystr(tuple(rest))
    return f"args[{position}]" + keystr(tuple(rest))


@functools.lru_cache(maxsize=64)
def automatic(mesh: AnyMesh) -> AnyMesh:
    """The mesh with all its axes left to the compiler."""
    if all(kind == AxisType.Auto for kind in mesh.axis_types):
        return mesh
    return with_axes(mesh, mesh.axis_sizes, mesh.axis_names)
