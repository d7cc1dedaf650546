//! The ops of Shardy.
//!
//! All but the regions are the identity on whole tensors: they say how values lie on devices. Whether the
//! axes they name exist and fit is a matter of the mesh, and checked where shardings are read.

use super::check::{ensure, same_length};
use super::def::{AttrKind, Count, Eval, OpDef, OpError, Traits, no_work, optional, required};
use super::spread::Spread;
use super::{OpKind, forms};
use crate::interpret::{DriverOp, EvalError};
use crate::ir::sdy::{AxesMove, SdyAttr, SdyKind};
use crate::ir::{Attr, OpRef, Sym, Type, names};
use crate::text::form::Piece::{self, AttrDict, Lit, Operand};
use crate::text::form::{Form, Types};
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;

type ParseResult = Result<(), Box<crate::Diagnostic>>;

/// A row of an op that gives back its operand, lying elsewhere.
const IDENTITY: OpDef = OpDef {
    operands: Count::exactly(1),
    infer: Some(operand_type),
    eval: Eval::Driver(DriverOp::Identity),
    work: no_work,
    spread: Spread::Whole("it has a sharding of its own on either side"),
    ..OpDef::BASE
};

const SHARDING: AttrKind = AttrKind::Sdy(SdyKind::Sharding);
const AXES: AttrKind = AttrKind::Sdy(SdyKind::Axes);
const AXES_PER_DIM: AttrKind = AttrKind::Sdy(SdyKind::AxesPerDim);

/// `: t`.
const TYPE: [Piece; 3] = [AttrDict, Lit(" : "), Piece::Types(Types::Same)];

/// `%x <@mesh, […]> : t`.
const SHARDING_FORM: Form =
    Form::Pieces(&[Operand, Lit(" "), Piece::Attr(names::SHARDING), TYPE[0], TYPE[1], TYPE[2]]);

/// `AXES %x out_sharding=<@mesh, […]> : t`.
macro_rules! collective_form {
    ($axes:expr) => {
        Form::Pieces(&[
            Piece::Attr($axes),
            Lit(" "),
            Operand,
            Lit(" out_sharding="),
            Piece::Attr(names::OUT_SHARDING),
            TYPE[0],
            TYPE[1],
            TYPE[2],
        ])
    };
}

pub static ALL_GATHER: OpDef = OpDef {
    name: "sdy.all_gather",
    doc: "Takes axes from the ends of dimensions: every device then holds what they split.",
    form: collective_form!(names::GATHERING_AXES),
    attrs: &[required(names::GATHERING_AXES, AXES_PER_DIM), required(names::OUT_SHARDING, SHARDING)],
    verify: |op| axes_for_each_dimension(op, names::GATHERING_AXES),
    ..IDENTITY
};

pub static ALL_REDUCE: OpDef = OpDef {
    name: "sdy.all_reduce",
    doc: "Adds up partial results along axes.",
    form: collective_form!(names::REDUCTION_AXES),
    attrs: &[required(names::REDUCTION_AXES, AXES), required(names::OUT_SHARDING, SHARDING)],
    ..IDENTITY
};

pub static ALL_SLICE: OpDef = OpDef {
    name: "sdy.all_slice",
    doc: "Splits dimensions further along axes; every device keeps its part.",
    form: collective_form!(names::SLICING_AXES),
    attrs: &[required(names::SLICING_AXES, AXES_PER_DIM), required(names::OUT_SHARDING, SHARDING)],
    verify: |op| axes_for_each_dimension(op, names::SLICING_AXES),
    ..IDENTITY
};

pub static ALL_TO_ALL: OpDef = OpDef {
    name: "sdy.all_to_all",
    doc: "Moves axes from dimensions to other dimensions.",
    form: collective_form!(names::PARAMS),
    attrs: &[required(names::PARAMS, AttrKind::Sdy(SdyKind::Moves)), required(names::OUT_SHARDING, SHARDING)],
    verify: verify_all_to_all,
    ..IDENTITY
};

pub static COLLECTIVE_PERMUTE: OpDef = OpDef {
    name: "sdy.collective_permute",
    doc: "Exchanges shards so that other axes split the tensor into the same parts.",
    form: Form::Pieces(&[
        Operand,
        Lit(" out_sharding="),
        Piece::Attr(names::OUT_SHARDING),
        TYPE[0],
        TYPE[1],
        TYPE[2],
    ]),
    attrs: &[required(names::OUT_SHARDING, SHARDING)],
    ..IDENTITY
};

pub static CONSTANT: OpDef = OpDef {
    name: "sdy.constant",
    doc: "A constant that each use may shard in its own way.",
    form: forms::CONSTANT,
    attrs: &[required(names::VALUE, AttrKind::Elements)],
    infer: Some(constant_type),
    eval: Eval::Kernel(|op, _| match op.attr(names::VALUE) {
        Some(Attr::Elements(tensor)) => Ok(vec![tensor.as_ref().clone()]),
        _ => Err(EvalError::new("the constant has no value")),
    }),
    spread: Spread::Constant,
    ..OpDef::BASE
};

pub static DATA_FLOW_EDGE: OpDef = OpDef {
    name: "sdy.data_flow_edge",
    doc: "Stands for all values that an op with regions passes on as one, and holds their sharding.",
    form: Form::Pieces(&[
        Operand,
        Piece::Optional(names::SHARDING, &[Lit(" sharding="), Piece::Attr(names::SHARDING)]),
        TYPE[0],
        TYPE[1],
        TYPE[2],
    ]),
    attrs: &[optional(names::SHARDING, SHARDING)],
    spread: Spread::Pairs,
    ..IDENTITY
};

pub static FUNC_DATA_FLOW_EDGE: OpDef = OpDef {
    name: "sdy.func_data_flow_edge",
    doc: "Stands for an argument or a result of a function, inside it and where it is called.",
    form: forms::UNARY,
    spread: Spread::Pairs,
    ..IDENTITY
};

pub static MANUAL_COMPUTATION: OpDef = OpDef {
    name: "sdy.manual_computation",
    doc: "A region written for one device along some axes, with its own collectives.",
    form: Form::Custom(parse_manual_computation, print_manual_computation),
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::exactly(1),
    region_end: OpKind::SdyReturn,
    attrs: &[
        required(names::IN_SHARDINGS, AttrKind::Sdy(SdyKind::PerValue)),
        required(names::OUT_SHARDINGS, AttrKind::Sdy(SdyKind::PerValue)),
        required(names::MANUAL_AXES, AttrKind::Sdy(SdyKind::ManualAxes)),
    ],
    verify: verify_manual_computation,
    eval: Eval::Driver(DriverOp::ManualRegion),
    work: no_work,
    traits: Traits { isolated: true, ..Traits::NONE },
    spread: Spread::Manual,
    ..OpDef::BASE
};

pub static NAMED_COMPUTATION: OpDef = OpDef {
    name: "sdy.named_computation",
    doc: "A group of operations with a name.",
    form: Form::Custom(parse_named_computation, print_named_computation),
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::exactly(1),
    region_end: OpKind::SdyReturn,
    attrs: &[
        required(names::NAME, AttrKind::Str),
        optional(names::IN_SHARDINGS, AttrKind::Sdy(SdyKind::PerValue)),
        optional(names::OUT_SHARDINGS, AttrKind::Sdy(SdyKind::PerValue)),
    ],
    verify: verify_named_computation,
    eval: Eval::Driver(DriverOp::Region),
    work: no_work,
    traits: Traits { isolated: true, ..Traits::NONE },
    spread: Spread::Region,
    ..OpDef::BASE
};

pub static PROPAGATION_BARRIER: OpDef = OpDef {
    name: "sdy.propagation_barrier",
    doc: "Lets shardings pass in one direction only, or not at all.",
    form: Form::Custom(parse_barrier, print_barrier),
    attrs: &[required(names::ALLOWED_DIRECTION, AttrKind::I32)],
    verify: verify_barrier,
    spread: Spread::Barrier,
    ..IDENTITY
};

pub static REDUCE_SCATTER: OpDef = OpDef {
    name: "sdy.reduce_scatter",
    doc: "Adds up partial results along axes, and splits dimensions along the same axes.",
    form: collective_form!(names::REDUCE_SCATTER_AXES),
    attrs: &[required(names::REDUCE_SCATTER_AXES, AXES_PER_DIM), required(names::OUT_SHARDING, SHARDING)],
    verify: |op| axes_for_each_dimension(op, names::REDUCE_SCATTER_AXES),
    ..IDENTITY
};

pub static REPLICATED_TO_UNREDUCED: OpDef = OpDef {
    name: "sdy.replicated_to_unreduced",
    doc: "Makes a partial result of a value that is the same along axes.",
    form: collective_form!(names::AXES),
    attrs: &[required(names::AXES, AXES), required(names::OUT_SHARDING, SHARDING)],
    verify: |op| match op.attr(names::AXES) {
        Some(Attr::Sdy(attr)) if **attr == SdyAttr::Axes(Vec::new()) => {
            Err(OpError::new("`axes` is empty; it must name at least one axis"))
        }
        _ => Ok(()),
    },
    ..IDENTITY
};

pub static RESHARD: OpDef = OpDef {
    name: "sdy.reshard",
    doc: "Lays a tensor out in another way.",
    form: SHARDING_FORM,
    attrs: &[required(names::SHARDING, SHARDING)],
    spread: Spread::Constraint,
    ..IDENTITY
};

pub static RETURN: OpDef = OpDef {
    name: "sdy.return",
    doc: "Ends a region of an op of Shardy.",
    form: forms::RETURN_ATTRS_FIRST,
    operands: Count::ANY,
    results: Count::exactly(0),
    eval: Eval::Driver(DriverOp::Return),
    work: no_work,
    traits: Traits { terminator: true, ..Traits::NONE },
    spread: Spread::Nothing,
    ..OpDef::BASE
};

pub static SHARDED_TO_UNREDUCED: OpDef = OpDef {
    name: "sdy.sharded_to_unreduced",
    doc: "Turns axes that split dimensions into axes along which the value is a partial result.",
    form: collective_form!(names::AXES),
    attrs: &[required(names::AXES, AXES_PER_DIM), required(names::OUT_SHARDING, SHARDING)],
    verify: |op| axes_for_each_dimension(op, names::AXES),
    ..IDENTITY
};

pub static SHARDING_CONSTRAINT: OpDef = OpDef {
    name: "sdy.sharding_constraint",
    doc: "Asks that a value, or the uses of the result, be sharded as given.",
    form: SHARDING_FORM,
    attrs: &[required(names::SHARDING, SHARDING)],
    // One without uses still speaks about its operand.
    traits: Traits { effect: true, lays_out_operand: true, ..Traits::NONE },
    spread: Spread::Constraint,
    ..IDENTITY
};

pub static SHARDING_GROUP: OpDef = OpDef {
    name: "sdy.sharding_group",
    doc: "Asks that all values of a group be sharded in the same way.",
    form: Form::Pieces(&[
        Operand,
        Lit(" group_id="),
        Piece::Attr(names::GROUP_ID),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Operands),
    ]),
    operands: Count::exactly(1),
    results: Count::exactly(0),
    attrs: &[required(names::GROUP_ID, AttrKind::I64)],
    verify: |op| super::check::tensor_operand(op, 0).map(|_| ()),
    eval: Eval::Kernel(|_, _| Ok(Vec::new())),
    work: no_work,
    traits: Traits { effect: true, ..Traits::NONE },
    spread: Spread::Group,
    ..OpDef::BASE
};

// --- types ---

fn operand_type(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    Ok(vec![op.operand_type(0).clone()])
}

fn constant_type(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    match op.attr(names::VALUE) {
        Some(Attr::Elements(tensor)) => Ok(vec![Type::Tensor(tensor.ty().clone())]),
        _ => Err(OpError::new("the attribute `value` must be a constant `dense<…>`")),
    }
}

// --- constraints ---

/// That a list of axes per dimension has one entry per dimension.
fn axes_for_each_dimension(op: OpRef<'_>, name: Sym) -> Result<(), OpError> {
    let rank = super::check::tensor_operand(op, 0)?.shape.len();
    let Some(Attr::Sdy(attr)) = op.attr(name) else { return Ok(()) };
    let SdyAttr::AxesPerDim(dims) = &**attr else { return Ok(()) };
    let name = &op.module.strings[name];
    ensure!(
        dims.len() == rank,
        "`{name}` has {} lists of axes, but the tensor has {rank} dimensions",
        dims.len()
    );
    Ok(())
}

fn verify_all_to_all(op: OpRef<'_>) -> Result<(), OpError> {
    let rank = super::check::tensor_operand(op, 0)?.shape.len();
    let Some(Attr::Sdy(attr)) = op.attr(names::PARAMS) else { return Ok(()) };
    let SdyAttr::Moves(moves) = &**attr else { return Ok(()) };
    ensure!(!moves.is_empty(), "the list of moves is empty");
    let mut seen = vec![false; rank];
    let mut last_source = -1;
    for AxesMove { from, to, .. } in moves {
        for (what, dimension) in [("the source", *from), ("the target", *to)] {
            super::check::dimension_in_range(what, dimension, rank)?;
            let twice = std::mem::replace(&mut seen[dimension as usize], true);
            ensure!(!twice, "dimension {dimension} stands twice in the moves {from}->{to} and others");
        }
        ensure!(
            *from > last_source,
            "the sources must ascend, but dimension {from} comes after {last_source}"
        );
        last_source = *from;
    }
    Ok(())
}

const DIRECTIONS: [&str; 4] = ["NONE", "FORWARD", "BACKWARD", "BOTH"];
const BOTH: i64 = 3;

fn verify_barrier(op: OpRef<'_>) -> Result<(), OpError> {
    let direction = op.int(names::ALLOWED_DIRECTION).unwrap_or(-1);
    ensure!((0..=BOTH).contains(&direction), "the direction {direction} is not one of 0 (NONE) to 3 (BOTH)");
    ensure!(direction != BOTH, "the direction BOTH would make the barrier useless");
    Ok(())
}

fn verify_manual_computation(op: OpRef<'_>) -> Result<(), OpError> {
    one_sharding_each(op)?;
    let body = op.region(0);
    same_length("the region", body.args.len(), "the list of operands", op.operands().len())?;
    let returned = returned_values(op)?.len();
    same_length("`sdy.return`", returned, "the list of results", op.results().len())
}

fn verify_named_computation(op: OpRef<'_>) -> Result<(), OpError> {
    one_sharding_each(op)?;
    let body = op.region(0);
    let returned = returned_values(op)?;
    same_length("the region", body.args.len(), "the list of operands", op.operands().len())?;
    same_length("`sdy.return`", returned.len(), "the list of results", op.results().len())?;
    for (n, (inside, outside)) in body.args.iter().zip(op.operand_types()).enumerate() {
        let inside = op.module.type_of(inside);
        ensure!(
            inside == outside,
            "argument {n} of the region is `{inside}`, but operand {n} is `{outside}`"
        );
    }
    for (n, (&inside, outside)) in returned.iter().zip(op.result_types()).enumerate() {
        let inside = op.module.type_of(inside);
        ensure!(inside == outside, "the region returns `{inside}` for result {n}, which is `{outside}`");
    }
    Ok(())
}

/// That there is a sharding for each operand and result, where there are any.
fn one_sharding_each(op: OpRef<'_>) -> Result<(), OpError> {
    let lists = [
        (names::IN_SHARDINGS, "operands", op.operands().len()),
        (names::OUT_SHARDINGS, "results", op.results().len()),
    ];
    for (name, what, count) in lists {
        let Some(Attr::Sdy(attr)) = op.attr(name) else { continue };
        let SdyAttr::PerValue(list) = &**attr else { continue };
        let name = &op.module.strings[name];
        ensure!(list.len() == count, "`{name}` has {} shardings for {count} {what}", list.len());
    }
    Ok(())
}

/// The values that the body returns; it must end with `sdy.return`.
fn returned_values<'m>(op: OpRef<'m>) -> Result<&'m [crate::ir::ValueId], OpError> {
    let last = op.region(0).ops.last().map(|id| op.module.op(*id));
    match last {
        Some(last) if std::ptr::eq(last.def(), &RETURN) => Ok(last.operands()),
        _ => Err(OpError::new("the region must end with `sdy.return`")),
    }
}

// --- forms ---

/// `%x allowed_direction=FORWARD : t`.
fn parse_barrier(op: &mut OpParser<'_, '_>) -> ParseResult {
    op.operand()?;
    op.lit("allowed_direction=")?;
    let expected = op.expected("one of NONE, FORWARD, BACKWARD");
    let word = op.word("one of NONE, FORWARD, BACKWARD")?;
    let Some(direction) = DIRECTIONS.iter().position(|d| *d == word) else { return Err(expected) };
    op.set(names::ALLOWED_DIRECTION, Attr::Int(direction as i64, crate::ir::attr::IntType::I32));
    op.attr_dict()?;
    op.lit(":")?;
    let ty = op.type_id()?;
    op.set_operand_types([ty]);
    op.set_results([ty]);
    Ok(())
}

fn print_barrier(p: &mut OpPrinter<'_, '_>) {
    let direction = p.op.int(names::ALLOWED_DIRECTION).and_then(|d| usize::try_from(d).ok());
    p.text(" ");
    p.operands();
    p.text(" allowed_direction=");
    p.text(direction.and_then(|d| DIRECTIONS.get(d)).unwrap_or(&"NONE"));
    p.attr_dict_except(&[names::ALLOWED_DIRECTION]);
    p.text(" : ");
    p.type_of(p.op.operands()[0]);
}

/// `(%x) in_shardings=[…] out_shardings=[…] manual_axes={…} (%y: t) {…} : (t) -> t`.
fn parse_manual_computation(op: &mut OpParser<'_, '_>) -> ParseResult {
    parse_operands(op)?;
    op.lit("in_shardings=")?;
    op.bare_attr(names::IN_SHARDINGS)?;
    op.lit("out_shardings=")?;
    op.bare_attr(names::OUT_SHARDINGS)?;
    op.lit("manual_axes=")?;
    op.bare_attr(names::MANUAL_AXES)?;
    parse_body(op)
}

fn print_manual_computation(p: &mut OpPrinter<'_, '_>) {
    print_operands(p);
    p.text(" in_shardings=");
    p.bare_attr(names::IN_SHARDINGS);
    p.text(" out_shardings=");
    p.bare_attr(names::OUT_SHARDINGS);
    p.text(" manual_axes=");
    p.bare_attr(names::MANUAL_AXES);
    print_body(p, &[names::IN_SHARDINGS, names::OUT_SHARDINGS, names::MANUAL_AXES]);
}

/// `<"name">(%x) in_shardings=[…] out_shardings=[…] (%y: t) {…} : (t) -> t`.
fn parse_named_computation(op: &mut OpParser<'_, '_>) -> ParseResult {
    op.lit("<")?;
    op.bare_attr(names::NAME)?;
    op.lit(">")?;
    parse_operands(op)?;
    for (word, name) in [("in_shardings", names::IN_SHARDINGS), ("out_shardings", names::OUT_SHARDINGS)] {
        if op.eat_word(word) {
            op.lit("=")?;
            op.bare_attr(name)?;
        }
    }
    parse_body(op)
}

fn print_named_computation(p: &mut OpPrinter<'_, '_>) {
    p.text("<");
    p.bare_attr(names::NAME);
    p.text(">");
    print_operands(p);
    for (word, name) in [(" in_shardings=", names::IN_SHARDINGS), (" out_shardings=", names::OUT_SHARDINGS)] {
        if p.op.attr(name).is_some() {
            p.text(word);
            p.bare_attr(name);
        }
    }
    print_body(p, &[names::NAME, names::IN_SHARDINGS, names::OUT_SHARDINGS]);
}

/// `(%x, %y)`.
fn parse_operands(op: &mut OpParser<'_, '_>) -> ParseResult {
    op.lit("(")?;
    op.list_until(b')', |op| op.operand())
}

fn print_operands(p: &mut OpPrinter<'_, '_>) {
    p.text("(");
    p.operands();
    p.text(")");
}

/// `(%y: t) {…} {…} : (t) -> t`: the region, the other attributes, the types.
fn parse_body(op: &mut OpParser<'_, '_>) -> ParseResult {
    op.lit("(")?;
    let mut args = Vec::new();
    op.list_until(b')', |op| {
        args.push(op.typed_region_arg()?);
        Ok(())
    })?;
    op.region_with_args(&args)?;
    op.attr_dict()?;
    op.lit(":")?;
    op.function_type()
}

fn print_body(p: &mut OpPrinter<'_, '_>, shown: &[Sym]) {
    let region = p.op.region_id(0);
    p.text(" (");
    p.commas(p.op.region(0).args.iter(), |p, arg| p.region_arg(arg));
    p.text(") ");
    p.region_without_args(region);
    p.attr_dict_except(shown);
    p.text(" : ");
    p.function_type();
}
