"""Shardy's propagation and rules, run through jaxlib, beside Partita's, on one program."""

import re
import tempfile

import tools

KEY = "compare.key"


def walk(operation, visit):
    for region in operation.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                visit(inner.operation)
                walk(inner.operation, visit)


def functions(module):
    return {op.name.value: op for op in module.body.operations if op.operation.name == "func.func"}


def one_function(module):
    """Inlines all calls and drops what is left over; gives the function."""
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext

    known = functions(module)
    main = known.get("main") or next(iter(known.values()))
    while True:
        calls = []
        walk(main.operation, lambda op: calls.append(op) if op.name in ("func.call", "call") else None)
        if not calls:
            break
        for call in calls:
            callee = known[ir.FlatSymbolRefAttr(call.attributes["callee"]).value]
            with ir.InsertionPoint(call), ir.Location.unknown():
                results = _jax_mlir_ext.inlined_func_call(callee.operation, list(call.operands))
            for old, new in zip(call.results, results):
                old.replace_all_uses_with(new)
            call.erase()
    for function in known.values():
        if function is not main:
            function.operation.erase()
    return main


def axes(sharding):
    """The axes of each dimension, as text."""
    from jaxlib.mlir.dialects import sdy

    def name(axis):
        axis = sdy.AxisRefAttr(axis)
        if axis.sub_axis_info is None:
            return axis.name
        part = sdy.SubAxisInfoAttr(axis.sub_axis_info)
        return f"{axis.name}:({part.pre_size}){part.size}"

    dims = sdy.TensorShardingAttr(sharding).dimension_shardings
    return [",".join(name(axis) for axis in sdy.DimensionShardingAttr(dim).axes) for dim in dims]


def shardings(function):
    """The shardings of arguments, results and operations with a key; how often each key stands there."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import sdy

    found, copies = {}, {}
    for kind, name in (("arg", "arg_attrs"), ("result", "res_attrs")):
        if name in function.attributes:
            for n, attrs in enumerate(function.attributes[name]):
                attrs = ir.DictAttr(attrs)
                if "sdy.sharding" in attrs:
                    found[kind, n] = axes(attrs["sdy.sharding"])

    def visit(op):
        if KEY not in op.attributes:
            return
        key = ir.IntegerAttr(op.attributes[KEY]).value
        copies[key] = copies.get(key, 0) + 1
        if "sharding" in op.attributes and op.name.startswith("sdy."):
            found[key, 0] = axes(op.attributes["sharding"])
        for name in ("sdy.sharding", "out_shardings"):
            if name in op.attributes:
                for n, sharding in enumerate(sdy.TensorShardingPerValueAttr(op.attributes[name]).shardings):
                    found[key, n] = axes(sharding)

    walk(function.operation, visit)
    return found, copies


def rules(function):
    """The rule of each operation with a key, as text."""
    from jaxlib.mlir import ir

    found = {}

    def visit(op):
        if KEY in op.attributes and "sdy.sharding_rule" in op.attributes:
            text = str(op.attributes["sdy.sharding_rule"])
            found[ir.IntegerAttr(op.attributes[KEY]).value] = re.sub(r"^#sdy.op_sharding_rule<|(, custom)?>$", "", text)

    walk(function.operation, visit)
    return found


def axes_of_text(sharding):
    """As `axes`, from Shardy's text: `<@mesh, [{"x", "y":(1)2}, {}]>`."""
    dims = re.search(r"\[(.*?)\]", sharding).group(1)
    return [",".join(re.findall(r'"[^"]+"(?::\(\d+\)\d+)?', dim)).replace('"', "") for dim in re.findall(r"\{(.*?)\}", dims)]


def partita(text, keys):
    """Partita's shardings and rules of a program; `keys` has all results with dimensions: name, key and number."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        mesh = [] if "sdy.mesh" in text else ["--mesh", "one=1"]
        answer, _, _ = tools.partita_json("propagate", file.name, *mesh)
    shardings = answer["shardings"]
    found = {("arg", n): axes_of_text(sharding) for n, sharding in enumerate(shardings["arguments"])}
    found |= {("result", n): axes_of_text(sharding) for n, sharding in enumerate(shardings["results"])}
    # Regions that are no part of each other use names again: for each name, in the order of the text.
    waiting = {}
    for name, key, n in keys:
        waiting.setdefault(name, []).append((key, n))
    rule_texts = {}
    for value in shardings["values"]:
        if waiting.get(value["value"]):
            key, n = waiting[value["value"]].pop(0)
            found[key, n] = axes_of_text(value["sharding"])
            if "rule" in value:
                rule_texts[key] = value["rule"]
    return found, rule_texts


def both(text, pipeline):
    """The names of the operations by key, Shardy's function after a pipeline, and Partita's shardings and rules."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.passmanager import PassManager

    module = ir.Module.parse(text)
    function = one_function(module)
    names = {}

    def mark(op):
        if len(op.results):
            op.attributes[KEY] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), len(names))
            names[len(names)] = op.name

    walk(function.operation, mark)
    for op in list(module.body.operations):
        # Other meshes of the file from which a test was taken.
        if op.operation.name == "sdy.mesh" and not re.search(rf"@{op.sym_name.value}\b", str(function)):
            op.operation.erase()
    state, keys = ir.AsmState(module.operation), []

    def name(op):
        key = ir.IntegerAttr(op.attributes[KEY]).value if KEY in op.attributes else None
        ranked = [(n, value) for n, value in enumerate(op.results) if getattr(value.type, "rank", 0)]
        keys.extend((value.get_name(state), key, n) for n, value in ranked)

    walk(function.operation, name)
    found, rule_texts = partita(module.operation.get_asm(), keys)
    PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
    return names, next(iter(functions(module).values())), found, rule_texts, module
