"""A partitioned program, and everything there is to tell about it."""

from __future__ import annotations

import functools
import json
import os
import re
from typing import Any

import jax
from jax.sharding import Mesh, PartitionSpec, Sharding

from partita.meshes import AnyMesh, Placed, Places
from partita.tables import Table, Words
from partita.tracing import Traced


class Lowered:
    """A function of JAX as the program that every device of a mesh runs."""

    def __init__(
        self, traced: Traced, program: Any, mesh: AnyMesh, inputs: list[jax.ShapeDtypeStruct], in_tree: Any, elsewhere: dict[int, Sharding],
        return_to: dict[int, Mesh],
    ):  # fmt: skip
        self._traced = traced
        self._program = program
        self._inputs = inputs
        self._in_tree = in_tree
        # Where arguments lie of which nobody said it, or in another order of devices.
        self._elsewhere = elsewhere
        # Results that are wanted on the devices in the order of another mesh.
        self._return_to = return_to
        self.arguments: list[list[Placed]] = program.arguments
        self.results: list[list[Placed]] = program.results
        self.places = Places(mesh, [*self.arguments, *self.results])

    @functools.cached_property
    def _report(self) -> dict:
        return json.loads(self._named(self._program.report_json(), quoted=True))

    def _named(self, text: str, quoted: bool = False) -> str:
        """A text with arguments under the names that they have in Python."""
        names = self._traced.arguments

        def name(found: re.Match[str]) -> str:
            number = int(found[1])
            given = names[number] if number < len(names) else found[0]
            return json.dumps(given)[1:-1] if quoted else given

        # An argument of another function stands behind that function's name.
        return re.sub(r"(?<![\w:])%arg(\d+)\b", name, text)

    def as_text(self) -> str:
        """The program of one device, as StableHLO."""
        return self._program.text

    def ledger(self) -> Table:
        """Every collective with its kind, axes, bytes, line and reason, and the sums: `ledger()["totals"]["ring_bytes"]`."""
        fields = ("devices", "mesh", "collectives", "totals", "replicated")
        data = {field: self._report[field] for field in fields}
        largest = sorted(data["collectives"], key=lambda entry: -entry["ring_bytes"])
        rows = [
            (e["ring_bytes"], e["executions"], e["kind"], "+".join(e["axes"]), e["value"], e["reason"], os.path.basename(e["location"] or ""))
            for e in largest
        ]
        notes = [f"{len(rows)} collectives, {data['totals']['ring_bytes']} bytes sent by each of {data['devices']} devices"]
        notes += [f"{e['value']} ({e['op']}) runs whole on every device: {e['reason']}" for e in data["replicated"]]
        return Table(data, ("sent", "times", "collective", "axes", "value", "for", "source"), rows, notes)

    def memory(self) -> dict[str, int]:
        """Bytes of one device: its arguments, its results, and the most at any time."""
        data = self._report["memory"]
        return Table(data, ("of one device", "bytes"), list(data.items()))

    def shardings(self) -> dict[str, dict[str, PartitionSpec]]:
        """The sharding of every argument and result, by name."""
        spec = self.places.spec
        data = {
            "arguments": {name: spec(placed) for name, placed in zip(self._traced.arguments, self.arguments)},
            "results": {name: spec(placed) for name, placed in zip(self._traced.result_names, self.results)},
        }
        rows = [(side[:-1], name, found) for side, named in data.items() for name, found in named.items()]
        return Table(data, ("", "name", "sharding"), rows)

    def specs(self) -> tuple[Any, Any]:
        """The `PartitionSpec`s of the arguments and of the results, each in the form of its pytree."""
        arguments = [self.places.spec(placed) for placed in self.arguments]
        results = [self.places.spec(placed) for placed in self.results]
        args, _kwargs = jax.tree.unflatten(self._in_tree, arguments)
        return args, jax.tree.unflatten(self._traced.out_tree, results)

    def explain(self, name: str) -> Words:
        """Why a value is sharded as it is: an argument by its name (`params['w']`), or a value of the program (`%42`)."""
        if name in self._traced.arguments:
            name = f"arg{self._traced.arguments.index(name)}"
        data, words = self._program.explain(name)
        return Words(json.loads(self._named(data, quoted=True)), self._named(words))

    def verify(self, seed: int = 0, memory_limit: int | None = None) -> dict:
        """Runs the program on one device and on all devices of the mesh, by Partita's own engine, and compares."""
        return json.loads(self._program.verify(seed, memory_limit))

    def __repr__(self) -> str:
        totals = self._report["totals"]
        return f"Lowered({self._traced.name}, {self._report['devices']} devices, {totals['ring_bytes']} ring bytes)"
