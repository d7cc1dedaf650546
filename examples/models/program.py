"""A model as declarations (arrays with logical axes, a loss), and the training step built from them."""
import dataclasses
from types import SimpleNamespace as Config
from typing import Any, Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec

from . import optim
from .sharding import TINY_MESH, Constrain, Strategy, divides, partition_spec


@dataclasses.dataclass(frozen=True)
class Array:
    """A parameter or input: its shape, one logical axis per dimension, and what to fill it with in tests.

    fill: "normal" (scaled by fan_in, the product of all but the last dimension unless given), "ones", "zeros",
    "positive", or an integer n: whole numbers 0..n-1.
    """
    shape: tuple[int, ...]
    axes: tuple[str | None, ...]
    fill: str | int = "normal"
    dtype: Any = jnp.float32
    fan_in: int | None = None

    def __post_init__(self):
        assert len(self.shape) == len(self.axes), (self.shape, self.axes)

    def abstract(self) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(self.shape, self.dtype)

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        if isinstance(self.fill, int):
            return rng.integers(0, self.fill, self.shape).astype(self.dtype)
        noise = rng.standard_normal(self.shape)
        if self.fill == "normal":
            noise /= np.sqrt(self.fan_in or np.prod(self.shape[:-1]) or 1)
        else:
            noise = {"ones": 1.0, "zeros": 0.0, "positive": 0.01}[self.fill] + 0.05 * noise
        return np.asarray(np.abs(noise) if self.fill == "positive" else noise).astype(self.dtype)


def is_array(x) -> bool:
    return isinstance(x, Array)


def map_arrays(f: Callable[[Array], Any], tree):
    return jax.tree.map(f, tree, is_leaf=is_array)


def stack(tree, count: int, axis: str):
    """Every array of the tree `count` times over, along a new first axis."""
    return map_arrays(lambda a: dataclasses.replace(
        a, shape=(count, *a.shape), axes=(axis, *a.axes), fan_in=a.fan_in or int(np.prod(a.shape[:-1])) or 1), tree)


@dataclasses.dataclass(frozen=True)
class Model:
    """One example: everything the tools need to know about it."""
    name: str
    paper: str
    configs: Mapping[str, Config]                      # "tiny", "medium" (seconds on CPUs), "real" and further sizes
    params: Callable[[Config], Any]                    # pytree of Array
    batch: Callable[[Config], dict[str, Array]]
    loss: Callable[[Any, dict, Config, Constrain], jax.Array]
    strategies: Mapping[str, Strategy]
    optimizer: optim.Optimizer = optim.ADAM
    tiny_optimizer: optim.Optimizer | None = None      # a smaller one where the optimizer would be most of the text

    def config(self, size: str, layers: int | None = None) -> Config:
        config = Config(**vars(self.configs[size]))
        if layers is not None:
            unit = getattr(config, "layer_unit", 1)
            if layers < 1 or layers % unit:
                raise ValueError(f"{self.name} takes layers in multiples of {unit}")
            config.layers = layers
        return config

    def mesh_shape(self, size: str, strategy: str) -> tuple[int, ...]:
        """Tiny and medium: eight devices. Otherwise the `mesh` of the configuration: by strategy, or by number of axes."""
        count = len(self.strategies[strategy].axes)
        if size in ("tiny", "medium"):
            return TINY_MESH[count]
        mesh = self.configs[size].mesh
        return mesh.get(strategy) or mesh[count]

    def mesh(self, size: str, strategy: str) -> AbstractMesh | None:
        if strategy == "none":
            return None
        axes = self.strategies[strategy].axes
        return AbstractMesh(self.mesh_shape(size, strategy), axes, axis_types=(AxisType.Auto,) * len(axes))


@dataclasses.dataclass(frozen=True)
class Program:
    """A training step, its abstract arguments (params, opt_state, batch) and where they live."""
    step: Callable
    arrays: tuple
    mesh: Any
    in_shardings: Any
    out_shardings: Any

    def args(self):
        return map_arrays(Array.abstract, self.arrays)

    def inputs(self, rng: np.random.Generator):
        """Sample arguments, all in range, for a run at tiny size."""
        return map_arrays(lambda a: a.sample(rng), self.arrays)

    def jit(self):
        shardings = {} if self.mesh is None else dict(in_shardings=self.in_shardings, out_shardings=self.out_shardings)
        return jax.jit(self.step, donate_argnums=(0, 1), keep_unused=True, **shardings)


def build(model: Model, size: str, strategy: str = "none", layers: int | None = None, mesh=None) -> Program:
    """The step of a model at a size; `mesh` replaces the abstract mesh of the strategy (to run on real devices)."""
    config = model.config(size, layers)
    mesh = mesh or model.mesh(size, strategy)
    plan = None if strategy == "none" else model.strategies[strategy]
    constrain = Constrain(plan, mesh)
    params, batch = model.params(config), model.batch(config)
    optimizer = size == "tiny" and model.tiny_optimizer or model.optimizer
    state = optimizer.state(params)

    def shard(array: Array, rules) -> NamedSharding:
        spec = partition_spec(array.axes, rules)
        # Uneven arguments are refused by JAX: they stay whole and are constrained on first use.
        return NamedSharding(mesh, spec if divides(array.shape, spec, mesh) else PartitionSpec())

    def pin(value, array: Array, rules):
        spec = partition_spec(array.axes, rules)
        if divides(array.shape, spec, mesh):
            return value
        return jax.lax.with_sharding_constraint(value, NamedSharding(mesh, spec))

    def step(params_, opt_state, batch_):
        if plan is not None:
            params_ = jax.tree.map(lambda v, a: pin(v, a, plan.weights), params_, params)
            batch_ = jax.tree.map(lambda v, a: pin(v, a, plan.input_rules()), batch_, batch)
        loss, grads = jax.value_and_grad(lambda p: model.loss(p, batch_, config, constrain))(params_)
        new_params, new_state = optimizer.update(params_, opt_state, grads)
        return new_params, new_state, loss

    step.__name__ = model.name
    # The names of the arguments in the text: params['...'], opt_state['...'], batch['...'].
    named = lambda params, opt_state, batch: step(params, opt_state, batch)
    named.__name__ = model.name
    arrays = (params, state, batch)
    if plan is None:
        return Program(named, arrays, None, None, None)
    kept = (map_arrays(lambda a: shard(a, plan.weights), params),
            map_arrays(lambda a: shard(a, plan.optimizer_rules()), state))
    ins = (*kept, map_arrays(lambda a: shard(a, plan.input_rules()), batch))
    return Program(named, arrays, mesh, ins, (*kept, NamedSharding(mesh, PartitionSpec())))
