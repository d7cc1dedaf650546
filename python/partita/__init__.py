"""Write a model for one device, run it on many.

Partita completes a few sharding annotations, rewrites the program into one that every device of a mesh runs, and says what that
costs and why. XLA compiles and runs the result::

    mesh = jax.make_mesh((2, 4), ("data", "model"))
    step = partita.jit(train_step, mesh=mesh, in_shardings=(specs, P("data")), donate_argnums=0)
    state, loss = step(state, batch)

`jit` is called as `jax.jit` is. `lower` gives the partitioned program with its ledger, `specs` the completed shardings for use with plain
`jax.jit`, `auto` finds the best ones without being told any, `pipeline` makes stages of a model into a pipeline, and `assert_collectives` guards what a
model sends in its own tests.
"""

from partita.api import Jitted, jit, lower, specs
from partita.errors import Error
from partita.formats import read
from partita.lowered import Lowered
from partita.pipelining import pipeline
from partita.planning import Automapped, Plan, auto, automap
from partita.testing import assert_collectives
from partita.uneven import UnevenArray

__all__ = [
    "Automapped", "Error", "Jitted", "Lowered", "Plan", "UnevenArray", "assert_collectives", "auto", "automap", "jit", "lower", "pipeline", "read", "specs",
]  # fmt: skip
