"""Plans that are found: `partita.auto` and `partita.automap`."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypedDict, TypeVar, Unpack, overload

import jax
from jax.sharding import NamedSharding

from partita import _native
from partita.api import AnyPlan, Asked, Compiled, Jitted, jit, plan_text
from partita.errors import Error
from partita.lowered import Lowered
from partita.meshes import AnyMesh, profile_of
from partita.tables import Table, Words
from partita.tracing import automatic

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# Is told how many plans were looked at, how many of them in full, and the seconds of a step by the best of these.
Progress = Callable[[int, int, float | None], None]

# How often plans are timed, the faster half of them each time, and how many steps they run then.
_ROUNDS, _STEPS = 2, 4

_COSTS = ("step_seconds", "compute_seconds", "communication_seconds", "ring_bytes", "peak_memory")


class Plan(dict[str, Any]):
    """How a program is split: a dict as `partita.jit(plan=…)`, `--plan` and JSON have it.

    `plan["arguments"]` and `plan["results"]` have shardings by name, as `"data,_"`, and `plan["constraints"]` those of values between. All of it may be
    edited. A plan that was found also says what it costs and what the next best ones cost.

    >>> plan = Plan.read('{"mesh": [["data", 8]], "arguments": {"x": "data,_"}}')
    >>> other = Plan(plan, arguments={"x": "_,data"})
    >>> plan.diff(other)
               name  this    other
    arguments  x     data,_  _,data
    """

    def __init__(self, *fields: Any, **more: Any):
        super().__init__({"mesh": [], "arguments": {}, "results": {}, "constraints": []})
        self.update(*fields, **more)
        # The simulated cost: seconds of a step, those of computing and of sending, ring bytes and memory of one device.
        self.cost: dict[str, float] = {}
        # Seconds of a step on the devices of the mesh, where plans were timed there.
        self.measured: float | None = None
        # What was decided, in words.
        self.decisions: list[str] = []
        # The lines of the program that send the most, with bytes in rings.
        self.lines: list[tuple[str, int]] = []
        # The next best plans, each with its cost.
        self.alternatives: list[Plan] = []
        # How the search went: plans looked at, plans judged in full, seconds, and why it ended.
        self.search: dict[str, Any] = {}
        self._lower: Callable[[], Lowered] | None = None

    @classmethod
    def read(cls, source: AnyPlan) -> Plan:
        """A plan that was kept: a dict, its JSON, or the path of a file with it."""
        return cls(json.loads(plan_text(source)))

    def to_json(self) -> str:
        """The plan as JSON, one sharding to a line."""
        return json.dumps(self, indent=2) + "\n"

    def save(self, path: str | os.PathLike) -> None:
        """Writes the plan to a file that `read`, `partita.jit(plan=…)` and `--plan` take."""
        pathlib.Path(path).write_text(self.to_json())

    def lower(self) -> Lowered:
        """The program that a plan which was found makes of its function."""
        if self._lower is None:
            raise Error("this plan was not found for a function: give it to `partita.jit(plan=…)`")
        return self._lower()

    @property
    def annotated(self) -> str:
        """The program for one device with the shardings of the plan, completed, as StableHLO."""
        return self.lower()._program.annotated()

    @functools.cached_property
    def _shardings(self) -> tuple[Any, Any]:
        lowered = self.lower()
        named = lambda specs: jax.tree.map(lambda spec: NamedSharding(lowered.places.mesh, spec), specs)
        arguments, results = lowered.specs()
        return named(arguments), named(results)

    @property
    def in_shardings(self) -> Any:
        """The shardings of the arguments, for plain `jax.jit`."""
        return self._shardings[0]

    @property
    def out_shardings(self) -> Any:
        """The shardings of the results, for plain `jax.jit`."""
        return self._shardings[1]

    def diff(self, other: Mapping[str, Any]) -> Table:
        """What another plan has otherwise."""
        data = {side: _differences(_named(self, side), _named(other, side)) for side in ("arguments", "results", "constraints")}
        rows = [(side, name, *pair) for side, named in data.items() for name, pair in named.items()]
        return Table(data, ("", "name", "this", "other"), rows, [] if rows else ["no difference"])

    def explain(self, name: str) -> Words:
        """Why an argument, a result or a value is split as it is: what the best plan costs that splits it otherwise."""
        said = lambda plan: next((_named(plan, side)[name] for side in ("arguments", "results", "constraints") if name in _named(plan, side)), None)
        mine = said(self)
        other = next((plan for plan in self.alternatives if said(plan) != mine), None)
        data: dict[str, Any] = {"name": name, "sharding": mine, "cost": self.cost, "alternative": None}
        words = [f"{name} is {_split(mine)}."]
        if other is None:
            words.append("No plan that was judged in full splits it otherwise." if self.alternatives else "No other plan was judged in full.")
        else:
            more = {key: other.cost[key] - self.cost[key] for key in _COSTS}
            mine_at = dict(self.lines)
            lines = [(line, sent, mine_at.get(line, 0)) for line, sent in other.lines if sent > mine_at.get(line, 0)]
            data["alternative"] = {"sharding": said(other), "cost": other.cost, "more": more, "decisions": other.decisions, "lines": lines}
            words += [
                f"The best plan in which it is {_split(said(other))} takes {_more(more['step_seconds'] * 1e3, 'ms')} a step: "
                f"{_more(more['compute_seconds'] * 1e3, 'ms')} computing, {_more(more['communication_seconds'] * 1e3, 'ms')} sending "
                f"({_more(more['ring_bytes'] / 1e6, 'MB')}), and {_more(more['peak_memory'] / 1e6, 'MB')} of memory.",
                f"It decides: {'; '.join(other.decisions) or 'nothing is split'}.",
                *(f"{line} sends {sent / 1e6:.1f} MB, {here / 1e6:.1f} by this plan." for line, sent, here in lines),
            ]
        return Words(data, "\n".join(words))

    def _table(self) -> Table:
        rows = [(side[:-1], name, spec) for side in ("arguments", "results", "constraints") for name, spec in _named(self, side).items()]
        seconds = lambda plan: f"{plan.cost['step_seconds'] * 1e3:.3f} ms" + (f" (measured: {plan.measured * 1e3:.3f} ms)" if plan.measured else "")
        notes = [f"{seconds(self)} a step, {self.cost['peak_memory'] / 1e6:.1f} MB on a device"] if self.cost else []
        notes += [f"alternative {n}: {seconds(plan)}, {'; '.join(plan.decisions) or 'nothing is split'}" for n, plan in enumerate(self.alternatives, 1)]
        return Table(dict(self), ("", "name", "sharding"), rows, notes)

    def __str__(self) -> str:
        return str(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def _named(plan: Mapping[str, Any], side: str) -> dict[str, str]:
    """The shardings of one side of a plan, by name."""
    found = plan.get(side) or {}
    return {entry["value"]: entry["spec"] for entry in found} if isinstance(found, Sequence) else dict(found)


def _differences(mine: dict[str, str], other: dict[str, str]) -> dict[str, tuple[str | None, str | None]]:
    names = [*mine, *(name for name in other if name not in mine)]
    return {name: (mine.get(name), other.get(name)) for name in names if mine.get(name) != other.get(name)}


def _split(spec: str | None) -> str:
    return f"split as `{spec}`" if spec and spec.strip("_,") else "not split" if spec is not None else "left to propagation"


def _more(amount: float, unit: str) -> str:
    return f"{abs(amount):.3g} {unit} {'more' if amount >= 0 else 'less'}"


class AutoOptions(TypedDict, total=False):
    """What `automap` takes beside the function."""

    mesh: AnyMesh | None
    device: str | None
    memory: int | None
    fix: Any
    tactics: Sequence[str]
    time_limit: float
    seed: int
    measure: int
    progress: Progress | bool | None
    static_argnums: int | Sequence[int] | None
    static_argnames: str | Sequence[str] | None
    donate_argnums: int | Sequence[int] | None
    donate_argnames: str | Sequence[str] | None


def auto(
    fn: Callable[..., Any],
    mesh: AnyMesh | None,
    *args: Any,
    device: str | None = None,
    memory: int | None = None,
    fix: Any = None,
    tactics: Sequence[str] = (),
    time_limit: float = 60.0,
    seed: int = 0,
    measure: int = 0,
    progress: Progress | bool | None = None,
    **kwargs: Any,
) -> Plan:
    """Finds how a function is best split over a mesh, for arguments like these; shapes will do.

    `device` names what it is to run on (`"tpu-v5e"`), found from the mesh otherwise, and `memory` the bytes that a device can hold. `fix` has shardings that
    are to stay, as `in_shardings` of `jit` has them, and `tactics` what is to be done first, as `["data:x", "zero2:x"]`. Where `fn` is a function of `partita.jit`,
    its shardings stay as well. With `measure` so many of the best plans are timed on the devices of the mesh, and the fastest is the answer. Ctrl-C ends the search with the best plan so far. `progress` is called with how far the search is; by default a terminal shows it.

    >>> import jax.numpy as jnp
    >>> from jax.sharding import AbstractMesh
    >>> mlp = lambda w, x: jnp.tanh(x @ w["in"]) @ w["out"]
    >>> shape = lambda *dims: jax.ShapeDtypeStruct(dims, "float32")
    >>> weights = {"in": shape(4096, 16384), "out": shape(16384, 4096)}
    >>> plan = auto(mlp, AbstractMesh((8,), ("model",)), weights, shape(4096, 4096), device="tpu-v4")
    >>> plan.cost["step_seconds"] < 0.01, plan.search["stop_reason"]
    (True, 'exhausted')
    >>> args, result = plan.lower().specs()
    """
    options: dict[str, Any] = dict(device=device, memory=memory, tactics=tactics, time_limit=time_limit, seed=seed, measure=measure, progress=progress)
    jitted = fn if isinstance(fn, Jitted) else jit(fn, mesh=mesh, in_shardings=fix)
    if isinstance(fn, Jitted) and fix is not None:
        raise Error("`fix` is for plain functions: a function of `partita.jit` has its shardings already")
    return Automapped(jitted, mesh, **options).plan(*args, **kwargs)


@overload
def automap(fn: Callable[Arguments, Result], **options: Unpack[AutoOptions]) -> Automapped[Arguments, Result]: ...
@overload
def automap(fn: None = None, **options: Unpack[AutoOptions]) -> Callable[[Callable[Arguments, Result]], Automapped[Arguments, Result]]: ...
def automap(fn: Callable[..., Any] | None = None, **options: Unpack[AutoOptions]) -> Any:
    """Makes a function run on all devices of a mesh, split as a search finds best.

    The search runs once for every new combination of shapes, as `auto` does it and with its options; those of `jit` on static and donated arguments are
    taken too.

    >>> import jax.numpy as jnp
    >>> @automap(mesh=jax.make_mesh((8,), ("x",)), progress=False)
    ... def double(x):
    ...     return x * 2
    >>> double(jnp.ones((64, 64))).shape
    (64, 64)
    """
    if fn is None:
        return functools.partial(automap, **options)
    own: dict[str, Any] = dict(options)
    mesh = own.pop("mesh", None)
    searching = {key: own.pop(key) for key in ("device", "memory", "tactics", "time_limit", "seed", "measure", "progress") if key in own}
    return Automapped(jit(fn, mesh=mesh, in_shardings=own.pop("fix", None), **own), mesh, **searching)


class Automapped(Jitted[Arguments, Result]):
    """A function that runs partitioned by the best plan that was found."""

    # Arrays are moved to where the plan has them: the first ones need not know.
    _takes_placement = False

    def __init__(
        self, jitted: Jitted[Arguments, Result], mesh: AnyMesh | None, *, device: str | None = None, memory: int | None = None,
        tactics: Sequence[str] = (), time_limit: float = 60.0, seed: int = 0, measure: int = 0, progress: Progress | bool | None = None,
    ):  # fmt: skip
        super().__init__(
            jitted._fn, mesh or jitted._mesh, jitted._in_shardings, jitted._out_shardings, jitted._options, device=device or jitted._device,
            memory=memory or jitted._memory,
        )
        if not 0 <= time_limit < float("inf"):
            raise Error("`time_limit` is no number of seconds: write it as `time_limit=60`")
        self._search: dict[str, Any] = dict(memory=self._memory, tactics=list(tactics), time_limit=float(time_limit), seed=seed)
        if measure and jax.process_count() > 1:
            raise Error("`measure` is for one process: several would measure different times, and run different programs")
        self._measure = measure
        self._progress = progress
        self._plans: dict[Any, Plan] = {}

    def plan(self, *args: Any, **kwargs: Any) -> Plan:
        """The plan for arguments like these."""
        _, args_left, kwargs_left = self._without_statics(args, kwargs)
        leaves, tree = jax.tree.flatten((args_left, kwargs_left))
        asked = self._ask(args, kwargs, leaves, tree)
        found = self._find(asked)
        for plan in (found, *found.alternatives):
            plan._lower = plan._lower or functools.partial(self._lower_by, plan, args, kwargs, asked.inputs, tree)
        return found

    def _lower_by(self, plan: Plan, args: tuple, kwargs: dict, leaves: list, tree: Any) -> Lowered:
        """The program by a plan as it is now, edited perhaps."""
        jitted = Jitted(self._fn, self._mesh, self._in_shardings, self._out_shardings, self._options, plan, self._device, self._memory)
        return jitted._lower(args, kwargs, leaves, tree)

    def _compiled_by(self, asked: Asked, plan: Plan) -> Compiled:
        """The program by a plan, for arguments that lie where it wants them."""
        program = _native.partition(*asked.said, plan_text(plan), self._device or profile_of(asked.mesh), self._memory)
        return Compiled(Lowered(asked.traced, program, automatic(asked.mesh), asked.inputs, None, {}, {}))

    def _plan_for(self, asked: Asked) -> str | None:
        return plan_text(self._find(asked))

    def _find(self, asked: Asked) -> Plan:
        text, _, mesh, arguments, results = asked.said
        key = text, str(mesh), str(arguments), str(results)
        if key not in self._plans:
            with _Line(self._progress) as progress:
                found = _native.find(*asked.said, device=self._device or profile_of(asked.mesh), progress=progress, **self._search)
            plans = _best(found)
            if self._measure:
                _time([plans[n] for n in found.promising], self._measure, functools.partial(self._compiled_by, asked))
                # A sort keeps the order of what is alike: of those that were not timed.
                plans.sort(key=_measured)
            plans[0].alternatives = plans[1:]
            self._plans[key] = plans[0]
        return self._plans[key]


def _best(found: _native.FoundPlans) -> list[Plan]:
    """The plans that were judged in full, the best first."""
    report = json.loads(found.json)
    plans = [Plan(json.loads(text)) for text in found.plans]
    search = {key: report[key] for key in ("evaluations", "judged", "seconds", "stop_reason")}
    for plan, said in zip(plans, [report, *report["alternatives"]]):
        plan.cost = {key: said.get(key, said["cost"]) for key in _COSTS}
        plan.decisions = said["decisions"]
        plan.lines = [(line, sent) for line, sent in said["lines"]]
        plan.search = search
    return plans


def _measured(plan: Plan) -> float:
    return plan.measured or float("inf")


def _time(plans: list[Plan], count: int, compile: Callable[[Plan], Compiled]) -> None:
    """Times the first plans that are different programs, several times: each time the faster half of those before runs again."""
    programs: dict[str, tuple[Plan, Compiled]] = {}
    for plan in plans:
        if len(programs) < count:
            compiled = compile(plan)
            programs.setdefault(compiled.lowered.as_text(), (plan, compiled))
    left = list(programs.values())
    for _ in range(_ROUNDS):
        for plan, compiled in left:
            plan.measured = min(compiled.seconds(_STEPS), _measured(plan))
        left.sort(key=lambda pair: _measured(pair[0]))
        left = left[: (len(left) + 1) // 2]


class _Line:
    """Progress on one line of a terminal, or whatever the user wants told."""

    def __init__(self, wanted: Progress | bool | None):
        self._shows = wanted is True or (wanted is None and sys.stderr.isatty())
        self._told = wanted if callable(wanted) else None

    def __enter__(self) -> Progress | None:
        return self._told or (self._show if self._shows else None)

    def _show(self, looked: int, judged: int, best: float | None) -> None:
        step = "" if best is None else f", {best * 1e3:.3f} ms a step"
        print(f"\r{looked} plans looked at, {judged} in full{step} (Ctrl-C takes the best)\x1b[K", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self._shows:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
