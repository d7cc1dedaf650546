//! Ops that test programs use: checks of results, prints, probes, grids of devices.

use super::check::{ensure, tensor_operand};
use super::def::{AttrKind, Count, Eval, OpDef, OpError, Traits, no_work, optional, required};
use crate::diagnostic::Diagnostic;
use crate::interpret::{DriverOp, EvalError, checks};
use crate::ir::{Attr, Elem, OpRef, Sym, Type, names};
use crate::ops::rule::Rule;
use crate::ops::spread::{Flow, Spread};
use crate::text::form::Form;
use crate::text::form::Piece::{Attr as AttrPiece, AttrDict, Lit, Operand};
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;
use crate::value::Tensor;

const EFFECT: Traits = Traits { effect: true, ..Traits::NONE };

/// A check: it has no results.
const CHECK: OpDef = OpDef {
    results: Count::exactly(0),
    work: no_work,
    traits: EFFECT,
    spread: Spread::Nothing,
    ..OpDef::BASE
};

/// The tolerance of `expect_almost_eq` where none is given.
const TOLERANCE: f64 = 1e-4;

pub static EXPECT_EQ: OpDef = OpDef {
    name: "check.expect_eq",
    doc: "Fails unless two tensors are equal.",
    form: Form::Custom(|p| parse_two(p, &[]), |p| print_two(p, &[])),
    operands: Count::exactly(2),
    verify: same_operand_types,
    eval: Eval::Kernel(|_, operands| done(checks::expect_equal(&operands[0], &operands[1]))),
    ..CHECK
};

pub static EXPECT_EQ_CONST: OpDef = OpDef {
    name: "check.expect_eq_const",
    doc: "Fails unless a tensor is equal to a constant.",
    form: Form::Pieces(&[Operand, Lit(", "), AttrPiece(names::VALUE), AttrDict]),
    operands: Count::exactly(1),
    attrs: &[required(names::VALUE, AttrKind::Elements)],
    verify: constant_has_type,
    eval: Eval::Kernel(|op, operands| done(checks::expect_equal(&operands[0], constant(op)?))),
    ..CHECK
};

pub static EXPECT_ALMOST_EQ: OpDef = OpDef {
    name: "check.expect_almost_eq",
    doc: "Fails unless two tensors differ by at most a tolerance.",
    form: Form::Custom(|p| parse_two(p, TOLERANCE_FIELD), |p| print_two(p, TOLERANCE_FIELD)),
    operands: Count::exactly(2),
    attrs: &[optional(names::TOLERANCE, AttrKind::Float)],
    verify: |op| {
        same_operand_types(op)?;
        holds_floats(op)
    },
    eval: Eval::Kernel(|op, operands| {
        done(checks::expect_almost_equal(&operands[0], &operands[1], tolerance(op)))
    }),
    ..CHECK
};

pub static EXPECT_ALMOST_EQ_CONST: OpDef = OpDef {
    name: "check.expect_almost_eq_const",
    doc: "Fails unless a tensor differs by at most a tolerance from a constant.",
    form: Form::Custom(parse_almost_const, print_almost_const),
    operands: Count::exactly(1),
    attrs: &[required(names::VALUE, AttrKind::Elements), optional(names::TOLERANCE, AttrKind::Float)],
    verify: |op| {
        constant_has_type(op)?;
        holds_floats(op)
    },
    eval: Eval::Kernel(|op, operands| {
        done(checks::expect_almost_equal(&operands[0], constant(op)?, tolerance(op)))
    }),
    ..CHECK
};

pub static EXPECT_CLOSE: OpDef = OpDef {
    name: "check.expect_close",
    doc: "Fails unless as many floats as the bounds allow lie between two tensors' elements.",
    form: Form::Custom(parse_close, print_close),
    operands: Count::exactly(2),
    attrs: &[
        optional(names::MAX_ULP_DIFFERENCE, AttrKind::Any),
        optional(names::MIN_ULP_DIFFERENCE, AttrKind::Any),
    ],
    verify: |op| {
        same_operand_types(op)?;
        holds_floats(op)?;
        for name in [names::MAX_ULP_DIFFERENCE, names::MIN_ULP_DIFFERENCE] {
            let given = op.attr(name);
            let fits = given.is_none_or(|attr| matches!(attr, Attr::Int(..)));
            ensure!(fits, "the attribute `{}` must be an integer", &op.module.strings[name]);
        }
        Ok(())
    },
    eval: Eval::Kernel(|op, operands| {
        let bound = |name: Sym, default: u64| op.int(name).map_or(default, |v| v as u64);
        let (min, max) = (bound(names::MIN_ULP_DIFFERENCE, 0), bound(names::MAX_ULP_DIFFERENCE, 1));
        done(checks::expect_close(&operands[0], &operands[1], min, max))
    }),
    ..CHECK
};

pub static EXPECT_SERIALIZED_EQ: OpDef = OpDef {
    name: "check.expect_serialized_eq",
    doc: "Fails unless a probe saw a tensor.",
    form: Form::Custom(
        |p| {
            p.operand()?;
            p.lit(", probe_id =")?;
            let id = p.string()?;
            p.set(names::PROBE_ID, Attr::Str(id));
            parse_fields(p, ITERATION_FIELD)?;
            parse_operand_type(p)
        },
        |p| {
            p.text(" ");
            p.operands();
            p.text(", probe_id = ");
            p.bare_attr(names::PROBE_ID);
            print_fields(p, ITERATION_FIELD);
            p.attr_dict_except(&[names::PROBE_ID, names::ITERATION]);
            print_operand_type(p);
        },
    ),
    operands: Count::exactly(1),
    attrs: &[required(names::PROBE_ID, AttrKind::Str), optional(names::ITERATION, AttrKind::Any)],
    verify: |op| {
        tensor_operand(op, 0)?;
        let fits = op.attr(names::ITERATION).is_none_or(|attr| matches!(attr, Attr::Int(..)));
        ensure!(fits, "the attribute `iteration` must be an integer");
        Ok(())
    },
    eval: Eval::Driver(DriverOp::ExpectProbe),
    ..CHECK
};

pub static PRINT: OpDef = OpDef {
    name: "interpreter.print",
    doc: "Shows a tensor.",
    form: Form::Custom(
        |p| {
            p.operand()?;
            parse_operand_type(p)
        },
        |p| {
            p.text(" ");
            p.operands();
            p.attr_dict_except(&[]);
            print_operand_type(p);
        },
    ),
    operands: Count::exactly(1),
    verify: |op| tensor_operand(op, 0).map(|_| ()),
    eval: Eval::Driver(DriverOp::Print),
    ..CHECK
};

pub static PROBE: OpDef = OpDef {
    name: "interpreter.probe",
    doc: "Keeps a tensor under a name, and gives it on.",
    form: Form::Custom(
        |p| {
            p.operand()?;
            p.lit(", probe_id =")?;
            let id = p.string()?;
            p.set(names::PROBE_ID, Attr::Str(id));
            p.attr_dict()?;
            p.lit(":")?;
            let ty = p.type_id()?;
            p.set_operand_types([ty]);
            p.set_results([ty]);
            Ok(())
        },
        |p| {
            p.text(" ");
            p.operands();
            p.text(", probe_id = ");
            p.bare_attr(names::PROBE_ID);
            p.attr_dict_except(&[names::PROBE_ID]);
            print_operand_type(p);
        },
    ),
    operands: Count::exactly(1),
    attrs: &[required(names::PROBE_ID, AttrKind::Str)],
    infer: Some(|op| Ok(vec![tensor_operand(op, 0)?.clone().into()])),
    eval: Eval::Driver(DriverOp::Probe),
    work: no_work,
    traits: EFFECT,
    spread: Spread::Rule(Rule::pointwise, Flow::Elementwise),
    ..OpDef::BASE
};

pub static RUN_PARALLEL: OpDef = OpDef {
    name: "interpreter.run_parallel",
    doc: "Runs a grid of devices: a list of partitions for each replica, each with the function it runs.",
    operands: Count::ANY,
    results: Count::ANY,
    attrs: &[optional(names::INFEED, AttrKind::Array), required(names::PROGRAMS, AttrKind::Array)],
    verify: verify_run_parallel,
    eval: Eval::Driver(DriverOp::RunParallel),
    work: no_work,
    traits: EFFECT,
    spread: Spread::Whole("it runs functions that are programs of their own"),
    ..OpDef::BASE
};

fn done(result: Result<(), EvalError>) -> Result<Vec<Tensor>, EvalError> {
    result.map(|()| Vec::new())
}

fn constant(op: OpRef<'_>) -> Result<&Tensor, EvalError> {
    match op.attr(names::VALUE) {
        Some(Attr::Elements(tensor)) => Ok(tensor),
        _ => Err(EvalError::new("the constant is missing")),
    }
}

fn tolerance(op: OpRef<'_>) -> f64 {
    op.attr(names::TOLERANCE).and_then(Attr::as_float).unwrap_or(TOLERANCE)
}

fn same_operand_types(op: OpRef<'_>) -> Result<(), OpError> {
    let (a, b) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    ensure!(a == b, "the operands must have one type, but they are `{a}` and `{b}`");
    Ok(())
}

fn holds_floats(op: OpRef<'_>) -> Result<(), OpError> {
    let elem = tensor_operand(op, 0)?.elem;
    let fits = elem.is_float() || elem.is_complex();
    ensure!(fits, "the operand must hold floats or complex numbers, but it holds {elem}");
    Ok(())
}

fn constant_has_type(op: OpRef<'_>) -> Result<(), OpError> {
    let operand = tensor_operand(op, 0)?;
    if let Some(Attr::Elements(value)) = op.attr(names::VALUE) {
        let constant = value.ty();
        ensure!(operand == constant, "the operand is `{operand}`, but the constant is `{constant}`");
    }
    Ok(())
}

fn verify_run_parallel(op: OpRef<'_>) -> Result<(), OpError> {
    let module = op.module;
    let func_of = |symbol: &Attr| match symbol {
        Attr::Symbol(path) => {
            let name = path.last().copied().unwrap_or(names::EMPTY);
            let func = module.func(name).map(|func| &module.funcs[func]);
            func.ok_or_else(|| OpError::new(format!("there is no function `@{}`", &module.strings[name])))
        }
        _ => Err(OpError::new("the lists must hold symbols such as `@f`")),
    };
    let Some(Attr::Array(rows)) = op.attr(names::PROGRAMS) else { return Ok(()) };
    let mut partitions = None;
    let (mut inputs, mut results) = (Vec::new(), Vec::new());
    for row in rows.iter() {
        let Attr::Array(row) = row else {
            return Err(OpError::new("`programs` must be a list of lists, one for each replica"));
        };
        let expected = *partitions.get_or_insert(row.len());
        ensure!(
            row.len() == expected,
            "each replica must have as many partitions, but one has {expected} and one {}",
            row.len()
        );
        for func in row.iter() {
            let func = func_of(func)?;
            inputs.extend(func.inputs.iter().map(|ty| &module.types[*ty]));
            results.extend(func.results.iter().map(|ty| &module.types[*ty]));
        }
    }
    ensure!(partitions.is_some_and(|n| n > 0), "`programs` must not be empty");
    let operand_types: Vec<&Type> = op.operand_types().collect();
    let result_types: Vec<&Type> = op.result_types().collect();
    super::check::same_type_lists("the operands are", &operand_types, "the programs take", &inputs)?;
    super::check::same_type_lists("the results are", &result_types, "the programs give", &results)?;
    if let Some(Attr::Array(queue)) = op.attr(names::INFEED) {
        ensure!(!queue.is_empty(), "`infeed` must not be empty where it is given");
        for func in queue.iter() {
            let func = func_of(func)?;
            let name = &module.strings[func.name];
            let one_tensor = func.results.len() == 1 && module.types[func.results[0]].as_tensor().is_some();
            ensure!(one_tensor, "`@{name}` feeds a queue, so it must return one tensor");
            ensure!(func.inputs.is_empty(), "`@{name}` feeds a queue, so it must take no arguments");
        }
    }
    Ok(())
}

/// `, name = value` with the type that the value has without being told.
struct Field {
    word: &'static str,
    name: Sym,
    elem: Elem,
}

const TOLERANCE_FIELD: &[Field] = &[Field { word: "tolerance", name: names::TOLERANCE, elem: Elem::F64 }];
const ITERATION_FIELD: &[Field] = &[Field { word: "iter", name: names::ITERATION, elem: Elem::Uint(32) }];
const DISTANCE_FIELDS: &[Field] = &[
    Field { word: "max_ulp_difference", name: names::MAX_ULP_DIFFERENCE, elem: Elem::Uint(64) },
    Field { word: "min_ulp_difference", name: names::MIN_ULP_DIFFERENCE, elem: Elem::Uint(64) },
];

fn parse_fields(p: &mut OpParser<'_, '_>, fields: &'static [Field]) -> Result<(), Box<Diagnostic>> {
    for field in fields {
        if !p.eat(b',') {
            break;
        }
        p.lit(field.word)?;
        p.lit("=")?;
        let value = p.number(field.elem)?;
        p.set(field.name, value);
    }
    Ok(())
}

fn print_fields(p: &mut OpPrinter<'_, '_>, fields: &[Field]) {
    for field in fields {
        if p.op.attr(field.name).is_some() {
            p.text(", ");
            p.text(field.word);
            p.text(" = ");
            p.untyped_number(field.name);
        }
    }
}

/// `{…} : t`, the type of all operands.
fn parse_operand_type(p: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    p.attr_dict()?;
    p.lit(":")?;
    let ty = p.type_id()?;
    let count = p.operand_count();
    p.set_operand_types(std::iter::repeat_n(ty, count));
    Ok(())
}

fn print_operand_type(p: &mut OpPrinter<'_, '_>) {
    p.text(" : ");
    if let Some(&operand) = p.op.operands().first() {
        p.type_of(operand);
    }
}

/// `%a, %b, field = … {…} : t`.
fn parse_two(p: &mut OpParser<'_, '_>, fields: &'static [Field]) -> Result<(), Box<Diagnostic>> {
    p.operand()?;
    p.lit(",")?;
    p.operand()?;
    parse_fields(p, fields)?;
    parse_operand_type(p)
}

fn print_two(p: &mut OpPrinter<'_, '_>, fields: &'static [Field]) {
    p.text(" ");
    p.operands();
    print_fields(p, fields);
    let shown: Vec<Sym> = fields.iter().map(|field| field.name).collect();
    p.attr_dict_except(&shown);
    print_operand_type(p);
}

/// `%a, dense<…> : t, tolerance = … {…}`.
fn parse_almost_const(p: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    p.operand()?;
    p.lit(",")?;
    p.bare_attr(names::VALUE)?;
    parse_fields(p, TOLERANCE_FIELD)?;
    p.attr_dict()
}

fn print_almost_const(p: &mut OpPrinter<'_, '_>) {
    p.text(" ");
    p.operands();
    p.text(", ");
    p.bare_attr(names::VALUE);
    print_fields(p, TOLERANCE_FIELD);
    p.attr_dict_except(&[names::VALUE, names::TOLERANCE]);
}

/// `%a, %b, max_ulp_difference = …, min_ulp_difference = … : {…} t, t`.
fn parse_close(p: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    p.operand()?;
    p.lit(",")?;
    p.operand()?;
    parse_fields(p, DISTANCE_FIELDS)?;
    p.lit(":")?;
    p.attr_dict()?;
    let types = p.type_list()?;
    p.set_operand_types(types);
    Ok(())
}

fn print_close(p: &mut OpPrinter<'_, '_>) {
    p.text(" ");
    p.operands();
    print_fields(p, DISTANCE_FIELDS);
    p.text(" :");
    p.attr_dict_except(&[names::MAX_ULP_DIFFERENCE, names::MIN_ULP_DIFFERENCE]);
    p.text(" ");
    let operands = p.op.operands();
    p.commas(operands, |p, value| p.type_of(*value));
}
