"""A partitioned program, and everything there is to tell about it."""

from __future__ import annotations

import functools
import html
import json
from typing import Any

import jax

from partita.meshes import AnyMesh, Placed, Places
from partita.tracing import Traced


class Table(dict):
    """A plain dict that shows itself as a table, in a terminal and in a notebook."""

    def __init__(self, data: dict, words: str):
        super().__init__(data)
        self._words = words

    def __str__(self) -> str:
        return self._words

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._words)}</pre>"


class Lowered:
    """A function of JAX as the program that every device of a mesh runs."""

    def __init__(self, traced: Traced, program: Any, mesh: AnyMesh, inputs: list[jax.ShapeDtypeStruct], in_tree: Any, elsewhere: set[int]):
        self._traced = traced
        self._program = program
        self._inputs = inputs
        self._in_tree = in_tree
        # Arguments that lie neither where somebody said nor anywhere on the mesh.
        self._elsewhere = elsewhere
        self.arguments: list[list[Placed]] = program.arguments
        self.results: list[list[Placed]] = program.results
        self.places = Places(mesh, [*self.arguments, *self.results])

    @functools.cached_property
    def _report(self) -> dict:
        return json.loads(self._program.report_json())

    def as_text(self) -> str:
        """The program of one device, as StableHLO."""
        return self._program.text

    def ledger(self) -> Table:
        """Every collective with its kind, axes, bytes, line and reason, and the sums: `ledger()["totals"]["ring_bytes"]`."""
        fields = ("devices", "mesh", "collectives", "totals", "replicated")
        return Table({field: self._report[field] for field in fields}, self._program.report_words())

    def memory(self) -> dict[str, int]:
        """Bytes of one device: its arguments, its results, and the most at any time."""
        return dict(self._report["memory"])

    def shardings(self) -> dict:
        """The sharding of every argument and result, by name."""
        spec = self.places.spec
        return {
            "arguments": {name: spec(placed) for name, placed in zip(self._traced.arguments, self.arguments)},
            "results": {name: spec(placed) for name, placed in zip(self._traced.result_names, self.results)},
        }

    def specs(self) -> tuple[Any, Any]:
        """The `PartitionSpec`s of the arguments and of the results, each in the form of its pytree."""
        arguments = [self.places.spec(placed) for placed in self.arguments]
        results = [self.places.spec(placed) for placed in self.results]
        args, _kwargs = jax.tree.unflatten(self._in_tree, arguments)
        return args, jax.tree.unflatten(self._traced.out_tree, results)

    def explain(self, name: str) -> Table:
        """Why a value is sharded as it is: an argument by its name (`params['w']`), or a value of the program (`%42`)."""
        if name in self._traced.arguments:
            name = f"arg{self._traced.arguments.index(name)}"
        data, words = self._program.explain(name)
        return Table(json.loads(data), words)

    def verify(self, seed: int = 0, memory_limit: int | None = None) -> dict:
        """Runs the program on one device and on all devices of the mesh, by Partita's own engine, and compares."""
        return json.loads(self._program.verify(seed, memory_limit))

    def __repr__(self) -> str:
        totals = self._report["totals"]
        return f"Lowered({self._traced.name}, {self._report['devices']} devices, {totals['ring_bytes']} ring bytes)"


