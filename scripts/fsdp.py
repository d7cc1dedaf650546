"""Ring bytes of plain FSDP over the real-size examples, beside the least that FSDP needs.

    fsdp.py [NAME …] [--programs DIR] [--write DIR] [--layers N] [--devices N] [--xla] [--seconds N] [--markdown]

Every example without annotations is lowered at its real size, or read from a folder, and annotated for a mesh of one axis, `fsdp`: weights and optimizer state on their
largest dimension that divides by the axis (the first of equals), the batch on dimension 0, results that take a donated argument's room as that argument; nothing else. The axis has
`--devices` devices, or as many as one micro-batch has rows where these are fewer. `--write` keeps the annotated programs; XLA (`--xla`) gets the same text.

The minimum is the sum over weights of (g-1)/g of their bytes, g the size of the axis, in the type of use: the narrower type where the weight is converted to one, its own otherwise.
It counts an all-gather for the forward and backward pass together, a second one where the weight is used in a rematerialised computation (by the locations of its uses), and a
reduce-scatter of the gradient, in the same type, or in the weight's own where gradients of several micro-batches are summed up in it. A weight without a dimension that divides is replicated, and counts an all-reduce of its gradient. Tables that are only looked
up count as any other weight. Micro-batches and loop iterations add nothing, and neither does optimizer state. It is the minimum of this method, not of the program: sharding the
computation by something else than the batch, such as experts, may send less, so that ratios below 1 occur.
Prints a table; the exit code is 1 where Partita sends more than 1.05 times the minimum.
"""

import argparse
import math
import pathlib
import sys
import tempfile

import bare
import compare_sizes
import tools

# Ops whose result has elements of their first operand only.
VIEWS = {"stablehlo.slice", "stablehlo.dynamic_slice", "stablehlo.gather", "stablehlo.reshape", "stablehlo.transpose"}


def micro_batches(model):
    """Micro-batches of a step at the real size."""
    sys.path.insert(0, str(tools.ROOT / "examples"))
    from models import MODELS

    config = MODELS[model].configs["real"]
    return getattr(config, "micro_batches", getattr(config, "steps", 1))


def sharded_dimension(name, shape, size):
    """Dimension of an argument that is sharded, or None."""
    candidates = [0] if name.startswith("batch") else range(len(shape))
    dividing = [d for d in candidates if d < len(shape) and shape[d] and shape[d] % size == 0]
    return max(dividing, key=lambda d: (shape[d], -d), default=None)


def uses(value, functions):
    """Ops that use a value, through views of it, loops and calls, each with the calls that lead to it."""
    from jaxlib.mlir import ir

    seen, left = set(), [(value, ())]
    while left:
        value, calls = left.pop()
        if (value, calls) in seen:
            continue
        seen.add((value, calls))
        for use in value.uses:
            op, index = use.owner.operation, use.operand_number
            if op.name == "func.call":
                callee = functions[ir.FlatSymbolRefAttr(op.attributes["callee"]).value]
                left.append((callee.regions[0].blocks[0].arguments[index], (*calls, op)))
            elif op.name == "func.return" and calls:
                left.append((calls[-1].results[index], calls[:-1]))
            elif op.name == "stablehlo.while":
                left.append((op.regions[1].blocks[0].arguments[index], calls))
            elif op.name == "stablehlo.optimization_barrier":
                left.append((op.results[index], calls))
            elif op.name in VIEWS and index == 0:
                left.append((op.results[0], calls))
            else:
                yield op, calls


def minimum(weight, dimension, size, functions, accumulates):
    """Ring bytes that FSDP needs at least for a weight."""
    from jaxlib.mlir import ir

    kind = ir.RankedTensorType(weight.type)
    own = bits = kind.element_type.width
    rematerialised = False
    for op, calls in uses(weight, functions):
        rematerialised |= any("remat" in str(one.location) for one in (op, *calls))
        if op.name == "stablehlo.convert":
            to = ir.RankedTensorType(op.results[0].type).element_type
            bits = min(bits, to.width) if isinstance(to, ir.FloatType) else bits
    gathers = 1 if dimension is None or not rematerialised else 2
    return math.prod(kind.shape) * (gathers * bits + (own if accumulates else bits)) / 8 * (size - 1) / size


def annotated(text, model, devices):
    """Text of a program with the shardings of FSDP, the size of the axis, and the minimum in bytes."""
    from jaxlib.mlir import ir

    with tools.mlir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        functions = {ir.StringAttr(f.attributes["sym_name"]).value: f for f in module.body.operations}
        main = functions["main"]
        arguments = [(str(a.location).removeprefix('loc("'), a) for a in main.regions[0].blocks[0].arguments]
        rows = max(ir.RankedTensorType(a.type).shape[0] for name, a in arguments if name.startswith("batch"))
        # No more devices than a micro-batch has rows.
        size, least = math.gcd(devices, rows // micro_batches(model)), 0
        sides = {side: [{a.name: a.attr for a in ir.DictAttr(e)} for e in ir.ArrayAttr(main.attributes[side])] for side in ("arg_attrs", "res_attrs")}
        for (name, argument), entry in zip(arguments, sides["arg_attrs"]):
            shape = ir.RankedTensorType(argument.type).shape
            chosen = sharded_dimension(name, shape, size)
            dimensions = ", ".join('{"fsdp"}' if d == chosen else "{}" for d in range(len(shape)))
            entry["sdy.sharding"] = ir.Attribute.parse(f"#sdy.sharding<@mesh, [{dimensions}]>")
            if "tf.aliasing_output" in entry:
                sides["res_attrs"][ir.IntegerAttr(entry["tf.aliasing_output"]).value]["sdy.sharding"] = entry["sdy.sharding"]
            least += minimum(argument, chosen, size, functions, micro_batches(model) > 1) if name.startswith("params") else 0
        for side, entries in sides.items():
            main.attributes[side] = ir.ArrayAttr.get([ir.DictAttr.get(entry) for entry in entries])
        mesh = {"sym_name": ir.StringAttr.get("mesh"), "mesh": ir.Attribute.parse(f'#sdy.mesh<["fsdp"={size}]>')}
        ir.Operation.create("sdy.mesh", attributes=mesh, ip=ir.InsertionPoint.at_block_begin(module.body))
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True), size, least


def row(model, file, size, least, options):
    """Cells of a program, and its ratio."""
    cost, seconds, _ = tools.partita_json("partition", file)
    propagate, _, _ = tools.partita_json("partition", file, "--complete", "propagate")
    sends = [cost["totals"]["ring_bytes"], propagate["totals"]["ring_bytes"], least]
    cells = [model, str(size), *(f"{count / 1e9:.3f}" for count in sends), f"{sends[0] / least:.3f}"]
    if options.xla:
        out = file.with_suffix(".xla")
        _, failed = compare_sizes.xla_in_a_process_of_its_own("partition", file, size, out, options.seconds)
        found = None if failed else compare_sizes.measure(out, size)
        cells.append(f"({failed})" if failed else f"{found['ring_bytes'] / 1e9:.3f}" + ("+" if found["unknown_trips"] else ""))
    return [*cells, compare_sizes.gib(cost["memory"]["peak"]), f"{seconds:.2f}"], sends[0] / least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--programs", type=pathlib.Path, help="a folder of programs that are lowered already")
    parser.add_argument("--write", type=pathlib.Path, help="a folder for the annotated programs")
    parser.add_argument("--layers", type=int, help="lower so many layers")
    parser.add_argument("--devices", type=int, default=64)
    parser.add_argument("--xla", action="store_true", help="have XLA partition the same text")
    parser.add_argument("--seconds", type=float, default=900, help="give XLA so much time")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    tools.need_partita()
    heads = ["model", "devices", "cost GB", "propagate GB", "minimum GB", "ratio", *(["XLA GB"] if options.xla else []), "peak GiB", "seconds"]
    print(bare.line(heads, options.markdown) + (f"\n{'|---' * len(heads)}|" if options.markdown else ""), flush=True)
    ratios = []
    with tempfile.TemporaryDirectory() as scratch:
        source, folder = options.programs or pathlib.Path(scratch) / "programs", options.write or pathlib.Path(scratch) / "fsdp"
        folder.mkdir(parents=True, exist_ok=True)
        if options.programs is None:
            compare_sizes.lowered(source, [f"{name}.none" for name in options.names or [""]], options.layers)
        for file in sorted(source.glob("*.none.sdy.mlir")):
            model, target = file.name.split(".")[0], folder / file.name.replace(".none.", ".fsdp_all.")
            if options.names and model not in options.names:
                continue
            text, size, least = annotated(file.read_text(), model, options.devices)
            target.write_text(text)
            cells, ratio = row(model, target, size, least, options)
            print(bare.line(cells, options.markdown), flush=True)
            ratios.append(ratio)
    above = sum(ratio > bare.LIMIT for ratio in ratios)
    print(f"{len(ratios)} models, {above} above {bare.LIMIT}, geometric mean {bare.geometric_mean(ratios):.3f}")
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()
