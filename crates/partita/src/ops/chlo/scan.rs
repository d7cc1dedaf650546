//! A loop over one dimension of its inputs that carries values along.

use crate::diagnostic::Diagnostic;
use crate::interpret::{EvalError, RegionCaller};
use crate::ir::{Attr, Elem, OpRef, TensorType, Type, names};
use crate::ops::Spread;
use crate::ops::check::{dimension_in_range, ensure, tensor_operand};
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, Traits, moving_work, optional, required};
use crate::text::form::Form;
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;
use crate::value::{Scalar, Tensor, TensorBuilder};

pub static SCAN: OpDef = OpDef {
    name: "chlo.scan",
    doc: "Runs its body over the slices of the inputs along a dimension, carrying values from one to the next.",
    form: Form::Custom(parse, print),
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::exactly(1),
    attrs: &[
        required(names::DIMENSION, AttrKind::I64),
        optional(names::IS_ASSOCIATIVE, AttrKind::Bool),
        optional(names::IS_REVERSE, AttrKind::Bool),
        optional(names::SCAN_DIM_SIZE, AttrKind::I64),
        required(names::OPERAND_SEGMENT_SIZES, AttrKind::Any),
        required(names::RESULT_SEGMENT_SIZES, AttrKind::Any),
    ],
    infer: Some(infer),
    verify,
    eval: Eval::Regions(eval),
    traits: Traits { isolated: true, ..Traits::NONE },
    work: moving_work,
    spread: Spread::Whole("its body may do anything with what it carries"),
    ..OpDef::BASE
};

/// Attributes that the short form shows by its shape.
const SHOWN: &[crate::ir::Sym] =
    &[names::DIMENSION, names::OPERAND_SEGMENT_SIZES, names::RESULT_SEGMENT_SIZES];

fn segments(sizes: [usize; 2]) -> Attr {
    let ty = TensorType::new(Elem::Int(32), [2]);
    Attr::DenseArray(Box::new(Tensor::from_fn(ty, |i| Scalar::Int(sizes[i] as i64))))
}

/// `(%inputs) inits (%inits) dimension=0 attributes {…} { … } : (…) -> (…)`.
fn parse(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    op.lit("(")?;
    op.list_until(b')', |op| op.operand())?;
    let inputs = op.operand_count();
    op.lit("inits (")?;
    op.list_until(b')', |op| op.operand())?;
    let carries = op.operand_count() - inputs;
    op.lit("dimension =")?;
    let dimension = op.integer()?;
    op.set(names::DIMENSION, Attr::i64(dimension));
    if op.eat_word("attributes") {
        op.attr_dict()?;
    }
    op.region()?;
    op.lit(":")?;
    op.function_type()?;
    let Some(outputs) = op.result_count().checked_sub(carries) else {
        return Err(op.error(format!("{carries} values are carried, but there are fewer results")));
    };
    op.set(names::OPERAND_SEGMENT_SIZES, segments([inputs, carries]));
    op.set(names::RESULT_SEGMENT_SIZES, segments([outputs, carries]));
    Ok(())
}

fn print(p: &mut OpPrinter<'_, '_>) {
    let operands = p.op.operands();
    let inputs = input_count(p.op).unwrap_or(0).min(operands.len());
    p.text("(");
    p.commas(&operands[..inputs], |p, v| p.value(*v));
    p.text(") inits (");
    p.commas(&operands[inputs..], |p, v| p.value(*v));
    p.text(") dimension=");
    p.bare_attr(names::DIMENSION);
    // The space stands there also where no attributes follow.
    p.text(" ");
    p.attributes_except(SHOWN);
    p.text(" ");
    p.region(p.op.region_id(0));
    p.text(" : ");
    p.function_type();
}

/// The first of two segment sizes, where they are two that are not negative.
fn first_segment(op: OpRef<'_>, name: crate::ir::Sym, total: usize) -> Result<usize, OpError> {
    let sizes = match op.attr(name) {
        Some(Attr::DenseArray(sizes)) => sizes.to_i64s(),
        Some(Attr::I64s(sizes)) => sizes.to_vec(),
        _ => Vec::new(),
    };
    match sizes[..] {
        [a, b] if a >= 0 && b >= 0 && a.checked_add(b) == Some(total as i64) => Ok(a as usize),
        _ => {
            let name = &op.module.strings[name];
            Err(OpError::new(format!("`{name}` must be two numbers that add up to {total}")))
        }
    }
}

/// How many operands are inputs; the others are what is carried.
fn input_count(op: OpRef<'_>) -> Result<usize, OpError> {
    first_segment(op, names::OPERAND_SEGMENT_SIZES, op.operands().len())
}

/// How many steps the scan takes.
fn steps(op: OpRef<'_>, inputs: usize) -> Result<i64, OpError> {
    let dimension = op.int(names::DIMENSION).unwrap_or(0);
    let mut steps = op.int(names::SCAN_DIM_SIZE);
    for n in 0..inputs {
        let ty = tensor_operand(op, n)?;
        dimension_in_range("the dimension of the scan", dimension, ty.rank())?;
        let size = ty.shape[dimension as usize];
        let expected = *steps.get_or_insert(size);
        ensure!(
            size == expected,
            "input {n} has {size} slices along dimension {dimension}, but the scan takes {expected} steps"
        );
    }
    match steps {
        Some(steps) if steps >= 0 => Ok(steps),
        Some(steps) => Err(OpError::new(format!("a scan cannot take {steps} steps"))),
        None => {
            Err(OpError::new("without inputs the number of steps is unknown")
                .fix("give it as `scan_dim_size`"))
        }
    }
}

/// The type of one slice of an input.
fn slice_type(ty: &TensorType, dimension: usize) -> TensorType {
    let mut slice = ty.clone();
    slice.shape.remove(dimension);
    slice
}

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let inputs = input_count(op)?;
    let outputs = first_segment(op, names::RESULT_SEGMENT_SIZES, op.op().results.len())?;
    ensure!(inputs > 0 || outputs > 0, "a scan needs at least one input or output");
    let carries = op.operands().len() - inputs;
    let dimension = op.int(names::DIMENSION).unwrap_or(0);
    ensure!(dimension >= 0, "the dimension of the scan is {dimension}, which is negative");
    steps(op, inputs)?;
    let region = op.region(0);
    ensure!(
        region.args.len() == op.operands().len(),
        "the body must take {} arguments, one per operand, but it takes {}",
        op.operands().len(),
        region.args.len()
    );
    for (n, arg) in region.args.iter().enumerate() {
        let mut expected = tensor_operand(op, n)?.clone();
        if n < inputs {
            expected = slice_type(&expected, dimension as usize);
        }
        let (found, expected) = (op.module.type_of(arg), Type::Tensor(expected));
        ensure!(*found == expected, "argument {n} of the body is `{found}`, but it must be `{expected}`");
    }
    let returned = returned_types(op);
    ensure!(
        returned.len() == outputs + carries,
        "the body must return {outputs} outputs and {carries} carried values, but it returns {}",
        returned.len()
    );
    for (n, ty) in returned[outputs..].iter().enumerate() {
        let carried = op.operand_type(inputs + n);
        ensure!(
            *ty == carried,
            "carried value {n} starts as `{carried}`, but the body returns `{ty}` for it"
        );
    }
    Ok(())
}

/// The types of what the body returns.
fn returned_types(op: OpRef<'_>) -> Vec<&Type> {
    let last = op.region(0).ops.last();
    last.map_or_else(Vec::new, |&last| op.module.op(last).operand_types().collect())
}

fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let inputs = input_count(op)?;
    let steps = steps(op, inputs)?;
    let dimension = op.int(names::DIMENSION).unwrap_or(0) as usize;
    let outputs = first_segment(op, names::RESULT_SEGMENT_SIZES, op.op().results.len())?;
    let mut types = Vec::new();
    for (n, ty) in returned_types(op).into_iter().enumerate() {
        let Type::Tensor(ty) = ty else {
            return Err(OpError::new(format!("the body returns `{ty}`, which is not a tensor")));
        };
        let mut ty = ty.clone();
        if n < outputs {
            ensure!(
                dimension <= ty.rank(),
                "output {n} cannot be stacked along dimension {dimension}: its slices have {} dimensions",
                ty.rank()
            );
            ty.shape.insert(dimension, steps);
        }
        types.push(Type::Tensor(ty));
    }
    Ok(types)
}

fn eval(caller: &mut RegionCaller<'_, '_>, op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let wrong = |e: OpError| EvalError::new(e.message);
    let inputs = input_count(op).map_err(wrong)?;
    let steps = steps(op, inputs).map_err(wrong)?;
    let dimension = op.int(names::DIMENSION).unwrap_or(0) as usize;
    let outputs = op.op().results.len() - (args.len() - inputs);
    let mut stacked: Vec<TensorBuilder> =
        (0..outputs).map(|n| TensorBuilder::new(op.result_tensor(n).clone())).collect();
    let mut carried = args[inputs..].to_vec();
    let reverse = op.flag(names::IS_REVERSE);
    for step in 0..steps {
        let place = if reverse { steps - 1 - step } else { step };
        let mut body_args: Vec<Tensor> =
            args[..inputs].iter().map(|input| slice(input, dimension, place)).collect();
        body_args.append(&mut carried);
        let mut returned = caller.call(op.region_id(0), &body_args)?;
        carried = returned.split_off(outputs);
        for (whole, part) in stacked.iter_mut().zip(&returned) {
            insert(whole, part, dimension, place);
        }
    }
    Ok(stacked.into_iter().map(TensorBuilder::finish).chain(carried).collect())
}

/// The number of elements before and after a dimension of a shape.
fn around(shape: &[i64], dimension: usize) -> (usize, usize) {
    let count = |sizes: &[i64]| sizes.iter().product::<i64>() as usize;
    (count(&shape[..dimension]), count(&shape[dimension + 1..]))
}

/// One slice of a tensor, its dimension left out.
fn slice(tensor: &Tensor, dimension: usize, place: i64) -> Tensor {
    let ty = slice_type(tensor.ty(), dimension);
    if let Some(value) = tensor.as_splat() {
        return Tensor::splat(ty, value);
    }
    let (outer, inner) = around(tensor.shape(), dimension);
    let size = tensor.shape()[dimension] as usize;
    let mut part = TensorBuilder::new(ty);
    for o in 0..outer {
        part.copy_run(o * inner, tensor, (o * size + place as usize) * inner, inner);
    }
    part.finish()
}

/// Writes one slice into a tensor.
fn insert(whole: &mut TensorBuilder, part: &Tensor, dimension: usize, place: i64) {
    let (outer, inner) = around(&whole.ty().shape, dimension);
    let size = whole.ty().shape[dimension] as usize;
    for o in 0..outer {
        whole.copy_run((o * size + place as usize) * inner, part, o * inner, inner);
    }
}
