//! The pretty forms of `reduce`.
//!
//! A body of one commutative operation on the two values is named: `applies stablehlo.add`. Any other follows
//! as a region: `reducer(%x: t, %y: t) {…}`.

use crate::diagnostic::Diagnostic;
use crate::ir::module::NewOp;
use crate::ir::{LocId, OpRef, TensorType, Type, ValueName, names};
use crate::ops::{Count, OpKind};
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;
use smallvec::smallvec;

type PResult<T> = Result<T, Box<Diagnostic>>;

/// `(%x init: %c), … across dimensions = [0] {…} : (…) -> …` with one of the two bodies.
pub(super) fn parse_reduce(p: &mut OpParser<'_, '_>) -> PResult<()> {
    loop {
        p.lit("(")?;
        p.operand()?;
        p.lit("init:")?;
        p.operand()?;
        p.lit(")")?;
        if !p.eat(b',') {
            break;
        }
    }
    p.unzip_operands();
    let applied = if p.eat_word("applies") { Some(parse_applied(p)?) } else { None };
    p.lit("across dimensions =")?;
    p.bare_attr(names::DIMENSIONS)?;
    p.attr_dict()?;
    p.lit(":")?;
    p.function_type()?;
    match applied {
        Some(kind) => {
            let loc = p.trailing_loc()?;
            imply_body(p, kind, loc)
        }
        None => parse_reducer(p),
    }
}

/// The name behind `applies`.
fn parse_applied(p: &mut OpParser<'_, '_>) -> PResult<OpKind> {
    let name = p.word("an operation such as `stablehlo.add`")?;
    match OpKind::from_name(name) {
        Some(kind) if can_be_applied(kind) => Ok(kind),
        _ => Err(p.error(format!("`{name}` is not a commutative operation on two values"))),
    }
}

fn can_be_applied(kind: OpKind) -> bool {
    let def = kind.def();
    def.dialect() == "stablehlo"
        && def.traits.commutative
        && def.operands == Count::exactly(2)
        && def.results == Count::exactly(1)
        && def.regions == Count::exactly(0)
}

/// The region that `applies` stands for: the operation on both arguments, and its result returned.
fn imply_body(p: &mut OpParser<'_, '_>, kind: OpKind, loc: LocId) -> PResult<()> {
    let Some(elem) = p.operand_tensor(0).map(|t| t.elem) else {
        return Err(p.error("the first input must be a tensor"));
    };
    let span = p.span;
    let region = p.add_region();
    let module = p.module();
    let ty = module.types.intern(Type::Tensor(TensorType::scalar(elem)));
    let args = module.add_region_args(region, [(ty, ValueName::None, loc); 2]);
    let applied = module.add_op(NewOp {
        operands: args.iter().collect(),
        result_types: smallvec![ty],
        loc,
        span,
        ..NewOp::new(kind)
    });
    let result = module.ops[applied].results.at(0);
    let end = module.add_op(NewOp { operands: smallvec![result], loc, span, ..NewOp::new(OpKind::Return) });
    module.regions[region].ops = vec![applied, end];
    Ok(())
}

/// `reducer(%x: t, %y: t) (%z: t, %w: t) {…}`: a pair for each input.
fn parse_reducer(p: &mut OpParser<'_, '_>) -> PResult<()> {
    p.lit("reducer")?;
    let (mut args, mut others) = (Vec::new(), Vec::new());
    while p.eat(b'(') {
        args.push(p.typed_region_arg()?);
        p.lit(",")?;
        others.push(p.typed_region_arg()?);
        p.lit(")")?;
    }
    args.append(&mut others);
    p.region_with_args(&args)
}

pub(super) fn print_reduce(p: &mut OpPrinter<'_, '_>) {
    let op = p.op;
    let operands = op.operands();
    let (inputs, inits) = operands.split_at(operands.len() / 2);
    p.commas(inputs.iter().zip(inits), |p, (input, init)| {
        p.text("(");
        p.value(*input);
        p.text(" init: ");
        p.value(*init);
        p.text(")");
    });
    let applied = applied(op);
    if let Some(kind) = applied {
        p.text(" applies ");
        p.text(kind.def().name);
    }
    p.text(" across dimensions = ");
    p.integers(op.ints(names::DIMENSIONS));
    p.attr_dict_except(&[names::DIMENSIONS]);
    p.text(" : ");
    p.function_type();
    if applied.is_some() {
        return;
    }
    let Some(&region) = op.regions().first() else { return };
    p.line();
    p.text(" reducer");
    let args: Vec<_> = op.region(0).args.iter().collect();
    let (lefts, rights) = args.split_at(args.len() / 2);
    for (left, right) in lefts.iter().zip(rights) {
        p.text("(");
        p.region_arg(*left);
        p.text(", ");
        p.region_arg(*right);
        p.text(") ");
    }
    p.text(" ");
    p.region_without_args(region);
}

/// The operation that the body consists of, where the short form can say that.
fn applied(op: OpRef<'_>) -> Option<OpKind> {
    let module = op.module;
    let region = &module.regions[*op.regions().first()?];
    let [only, end] = region.ops[..] else { return None };
    let (only, end) = (module.op(only), module.op(end));
    let input = op.operands().first().and_then(|v| module.tensor_type(*v))?;
    let scalar = TensorType::scalar(input.elem);
    let all_scalar = only
        .operand_types()
        .chain(only.result_types())
        .all(|ty| ty.as_tensor().is_some_and(|t| *t == scalar));
    let eligible = can_be_applied(only.kind())
        && only.op().attrs.is_empty()
        && all_scalar
        && region.args.iter().eq(only.operands().iter().copied())
        && end.kind() == OpKind::Return
        && end.op().attrs.is_empty()
        && only.results().eq(end.operands().iter().copied());
    eligible.then(|| only.kind())
}
