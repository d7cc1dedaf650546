//! Control flow, tuples, tokens and barriers.

use super::check::{ensure, region_types, returned_types, same_type_lists, tensor_operand};
use super::def::{AttrKind, Count, Eval, OpDef, OpError, Traits, no_work, required};
use super::forms;
use super::spread::Spread;
use crate::diagnostic::Diagnostic;
use crate::interpret::DriverOp;
use crate::ir::{Elem, OpRef, TensorType, Type, names};
use crate::text::form::Piece::{Attr, AttrDict, Lit, Operand, Operands};
use crate::text::form::{Form, Piece, Types};
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;

pub static AFTER_ALL: OpDef = OpDef {
    name: "stablehlo.after_all",
    doc: "Joins tokens: what follows its token follows all that went before its operands.",
    form: Form::Pieces(&[Operands, AttrDict, Lit(" : "), Piece::Types(Types::Same)]),
    operands: Count::ANY,
    infer: Some(|_| Ok(vec![Type::Token])),
    verify: |op| {
        for (n, ty) in op.operand_types().enumerate() {
            ensure!(*ty == Type::Token, "operand {n} must be a token, but it is `{ty}`");
        }
        Ok(())
    },
    eval: Eval::Driver(DriverOp::Token),
    work: no_work,
    spread: Spread::Nothing,
    ..OpDef::BASE
};

pub static CREATE_TOKEN: OpDef = OpDef {
    name: "stablehlo.create_token",
    doc: "A token that follows nothing.",
    form: RESULT_ONLY,
    infer: Some(|_| Ok(vec![Type::Token])),
    eval: Eval::Driver(DriverOp::Token),
    work: no_work,
    spread: Spread::Nothing,
    ..OpDef::BASE
};

pub static CASE: OpDef = OpDef {
    name: "stablehlo.case",
    doc: "Runs the region whose number the operand gives; the last one where there is no such number.",
    operands: Count::exactly(1),
    results: Count::ANY,
    regions: Count::at_least(1),
    verify: verify_case,
    eval: Eval::Driver(DriverOp::Case),
    work: no_work,
    spread: Spread::Branches,
    ..OpDef::BASE
};

pub static IF: OpDef = OpDef {
    name: "stablehlo.if",
    doc: "Runs the first region where the operand is true, else the second.",
    operands: Count::exactly(1),
    results: Count::ANY,
    regions: Count::exactly(2),
    verify: verify_if,
    eval: Eval::Driver(DriverOp::If),
    work: no_work,
    spread: Spread::Branches,
    ..OpDef::BASE
};

pub static WHILE: OpDef = OpDef {
    name: "stablehlo.while",
    doc: "Runs the second region on the carried values as long as the first region gives true.",
    form: Form::Custom(parse_while, print_while),
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::exactly(2),
    infer: Some(|op| Ok(op.operand_types().cloned().collect())),
    verify: verify_while,
    eval: Eval::Driver(DriverOp::While),
    work: no_work,
    spread: Spread::Loop,
    ..OpDef::BASE
};

pub static RETURN: OpDef = OpDef {
    name: "stablehlo.return",
    doc: "Ends a region with its results.",
    form: forms::RETURN,
    operands: Count::ANY,
    results: Count::exactly(0),
    eval: Eval::Driver(DriverOp::Return),
    work: no_work,
    traits: Traits { terminator: true, ..Traits::NONE },
    spread: Spread::Nothing,
    ..OpDef::BASE
};

pub static OPTIMIZATION_BARRIER: OpDef = OpDef {
    name: "stablehlo.optimization_barrier",
    doc: "Gives its operands on, all of them after all of them.",
    form: Form::Custom(parse_barrier, print_barrier),
    operands: Count::ANY,
    results: Count::ANY,
    infer: Some(|op| Ok(op.operand_types().cloned().collect())),
    verify: |op| {
        for (n, ty) in op.operand_types().enumerate() {
            let fits = matches!(ty, Type::Tensor(_) | Type::Token);
            ensure!(fits, "operand {n} must be a tensor or a token, but it is `{ty}`");
        }
        Ok(())
    },
    eval: Eval::Driver(DriverOp::Identity),
    work: no_work,
    spread: Spread::Pairs,
    ..OpDef::BASE
};

pub static TUPLE: OpDef = OpDef {
    name: "stablehlo.tuple",
    doc: "Packs values into one.",
    form: Form::Pieces(&[Operands, AttrDict, Lit(" : "), Piece::Types(Types::Tuple)]),
    operands: Count::ANY,
    infer: Some(|op| Ok(vec![Type::Tuple(op.operand_types().cloned().collect())])),
    eval: Eval::Driver(DriverOp::Tuple),
    work: no_work,
    spread: Spread::Nothing,
    ..OpDef::BASE
};

pub static GET_TUPLE_ELEMENT: OpDef = OpDef {
    name: "stablehlo.get_tuple_element",
    doc: "One value of a tuple.",
    form: Form::Pieces(&[
        Operand,
        Lit("["),
        Attr(names::INDEX),
        Lit("]"),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Function),
    ]),
    operands: Count::exactly(1),
    attrs: &[required(names::INDEX, AttrKind::I32)],
    infer: Some(infer_get_tuple_element),
    eval: Eval::Driver(DriverOp::GetTupleElement),
    work: no_work,
    spread: Spread::Nothing,
    ..OpDef::BASE
};

/// `{…} : t` for ops without operands.
pub(super) const RESULT_ONLY: Form = Form::Custom(
    |p| {
        p.attr_dict()?;
        p.lit(":")?;
        let ty = p.type_id()?;
        p.set_results([ty]);
        Ok(())
    },
    |p| {
        p.attr_dict_except(&[]);
        p.text(" : ");
        let results = p.op.op().results;
        p.commas(results.iter(), |p, value| p.type_of(value));
    },
);

fn infer_get_tuple_element(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let parts = match op.operand_type(0) {
        Type::Tuple(parts) => parts,
        other => return Err(OpError::new(format!("the operand must be a tuple, but it is `{other}`"))),
    };
    let index = op.int(names::INDEX).unwrap_or(0);
    match usize::try_from(index).ok().and_then(|index| parts.get(index)) {
        Some(part) => Ok(vec![part.clone()]),
        None => {
            let count = parts.len();
            Err(OpError::new(format!("the index is {index}, but the tuple has {count} elements")))
        }
    }
}

/// That the operand which chooses a region is a scalar of a type.
fn chooses_by(op: OpRef<'_>, elem: Elem) -> Result<(), OpError> {
    let (given, expected) = (tensor_operand(op, 0)?, TensorType::scalar(elem));
    ensure!(*given == expected, "the operand must be `{expected}`, but it is `{given}`");
    Ok(())
}

/// That a region takes nothing and gives the results of the operation.
fn branch_gives_results(op: OpRef<'_>, n: usize, what: &str) -> Result<(), OpError> {
    let args = op.region(n).args.len();
    ensure!(args == 0, "{what} must take no arguments, but it takes {args}");
    same_type_lists(
        &format!("{what} returns"),
        &returned_types(op, n)?,
        "the operation gives",
        &op.result_types().collect::<Vec<_>>(),
    )
}

fn verify_if(op: OpRef<'_>) -> Result<(), OpError> {
    chooses_by(op, Elem::Bool)?;
    branch_gives_results(op, 0, "the true branch")?;
    branch_gives_results(op, 1, "the false branch")
}

fn verify_case(op: OpRef<'_>) -> Result<(), OpError> {
    chooses_by(op, Elem::Int(32))?;
    (0..op.regions().len()).try_for_each(|n| branch_gives_results(op, n, &format!("branch {n}")))
}

fn verify_while(op: OpRef<'_>) -> Result<(), OpError> {
    let carried: Vec<&Type> = op.operand_types().collect();
    same_type_lists("the condition takes", &region_types(op, 0), "the loop carries", &carried)?;
    same_type_lists("the body takes", &region_types(op, 1), "the loop carries", &carried)?;
    same_type_lists("the body returns", &returned_types(op, 1)?, "the loop carries", &carried)?;
    let test = Type::Tensor(TensorType::scalar(Elem::Bool));
    match &returned_types(op, 0)?[..] {
        [ty] if **ty == test => Ok(()),
        [ty] => Err(OpError::new(format!("the condition must return `{test}`, but it returns `{ty}`"))),
        list => Err(OpError::new(format!(
            "the condition must return one `{test}`, but it returns {} values",
            list.len()
        ))),
    }
}

/// `(%x = %a, %y = %b) : t, t attributes {…} cond {…} do {…}`.
fn parse_while(p: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    let mut args = Vec::new();
    p.lit("(")?;
    p.list_until(b')', |p| {
        args.push(p.region_arg()?);
        p.lit("=")?;
        p.operand()
    })?;
    let types = if args.is_empty() {
        Default::default()
    } else {
        p.lit(":")?;
        p.type_list()?
    };
    if types.len() != args.len() {
        return Err(p.error(format!(
            "{} values are carried, but types are given for {}",
            args.len(),
            types.len()
        )));
    }
    p.set_operand_types(types.iter().copied());
    p.set_results(types.iter().copied());
    if p.eat_word("attributes") {
        p.attr_dict()?;
    }
    let args: Vec<_> = args.into_iter().zip(types).collect();
    p.lit("cond")?;
    p.region_with_args(&args)?;
    p.lit("do")?;
    p.region_with_args(&args)
}

fn print_while(p: &mut OpPrinter<'_, '_>) {
    let op = p.op;
    p.text("(");
    p.commas(op.region(0).args.iter().zip(op.operands()), |p, (arg, operand)| {
        p.value(arg);
        p.text(" = ");
        p.value(*operand);
    });
    p.text(")");
    if !op.operands().is_empty() {
        p.text(" : ");
        p.commas(op.operands(), |p, operand| p.type_of(*operand));
    }
    p.attributes_except(&[]);
    p.line();
    p.text("cond ");
    p.region_without_args(op.region_id(0));
    p.text(" do ");
    p.region_without_args(op.region_id(1));
}

/// `{…} %a, %b : t, t`, or `()` without operands.
fn parse_barrier(p: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    p.attr_dict()?;
    if p.eat(b'(') {
        return p.lit(")");
    }
    loop {
        p.operand()?;
        if !p.eat(b',') {
            break;
        }
    }
    p.lit(":")?;
    let types = p.type_list()?;
    p.set_operand_types(types.iter().copied());
    p.set_results(types);
    Ok(())
}

fn print_barrier(p: &mut OpPrinter<'_, '_>) {
    p.attr_dict_except(&[]);
    let operands = p.op.operands();
    if operands.is_empty() {
        return p.text("()");
    }
    p.text(" ");
    p.operands();
    p.text(" : ");
    p.commas(operands, |p, value| p.type_of(*value));
}
