"""A per-device program as a function of JAX.

The program is called inside a `shard_map` over all axes of the mesh, where JAX and XLA leave everything to the function. So it runs by the
way every function of `jax.jit` takes: its dispatch, its donation, its arrays, on one process or many, on any platform.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import jax
from jax._src import core
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import func
from jax.extend.core import Primitive


@dataclasses.dataclass(frozen=True, eq=False)
class DeviceProgram:
    """StableHLO of one device, and what it returns there."""

    text: str
    name: str
    results: tuple[jax.ShapeDtypeStruct, ...]


call_p = Primitive("partita_call")
call_p.multiple_results = True


@call_p.def_abstract_eval
def _results(*_arguments: core.AbstractValue, program: DeviceProgram) -> list[core.ShapedArray]:
    return [core.ShapedArray(result.shape, result.dtype) for result in program.results]


def _lower(ctx: mlir.LoweringRuleContext, *arguments: ir.Value, program: DeviceProgram) -> Sequence[ir.Value]:
    with ctx.module_context.context:
        module = ir.Module.parse(program.text)
        for function in module.body.operations:
            # What stands on arguments and results is about the whole program, and that is JAX's here.
            for attributes in ("arg_attrs", "res_attrs"):
                if attributes in function.attributes:
                    del function.attributes[attributes]
    name = mlir.merge_mlir_modules(
        ctx.module_context.module, program.name, module, dst_symtab=ctx.module_context.symbol_table
    )
    types = [mlir.aval_to_ir_type(ctx.module_context, result) for result in ctx.avals_out]
    return func.CallOp(types, ir.FlatSymbolRefAttr.get(name), arguments).results


mlir.register_lowering(call_p, _lower)
