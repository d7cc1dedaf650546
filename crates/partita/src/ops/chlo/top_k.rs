//! The largest elements of each row.

use crate::interpret::EvalError;
use crate::ir::{Elem, OpRef, TensorType, Type, names};
use crate::ops::check::{element_among, ensure, tensor_operand};
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, Work, bytes_moved, optional, required};
use crate::ops::elementwise::compare::total_order;
use crate::ops::spread::{Flow, Spread};
use crate::ops::{local, ordered, sharding};
use crate::text::form::Piece::{Attr, AttrDict, Lit, Operand, Optional};
use crate::text::form::{Form, Piece, Types};
use crate::value::{Scalar, Tensor, TensorBuilder};
use std::cmp::Ordering;

pub static TOP_K: OpDef = OpDef {
    name: "chlo.top_k",
    doc: "The `k` largest elements along the last dimension, in falling order, and their places.",
    form: Form::Pieces(&[
        Lit("("),
        Operand,
        Lit(", k = "),
        Attr(names::K),
        Optional(names::IS_STABLE, &[Lit(", is_stable = "), Attr(names::IS_STABLE)]),
        Lit(")"),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Arrow),
    ]),
    operands: Count::exactly(1),
    results: Count::exactly(2),
    attrs: &[required(names::K, AttrKind::I64), optional(names::IS_STABLE, AttrKind::Bool)],
    infer: Some(infer),
    verify,
    eval: Eval::Kernel(eval),
    work,
    spread: Spread::Rule(sharding::reduce::top_k, Flow::Ordinary),
    localise: local::top_k,
    ordered: ordered::largest,
    ..OpDef::BASE
};

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    element_among(op, 0, "numbers with an order", |e| !e.is_complex())?;
    let operand = tensor_operand(op, 0)?;
    ensure!(operand.rank() >= 1, "the operand must have at least one dimension");
    let (last, k) = (operand.shape[operand.rank() - 1], op.int(names::K).unwrap_or(0));
    ensure!(k >= 0, "`k` must not be negative, but it is {k}");
    ensure!(k <= last, "`k` is {k}, but the last dimension of the operand has only {last} elements");
    Ok(())
}

fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let mut values = tensor_operand(op, 0)?.clone();
    if let (Some(last), Some(k)) = (values.shape.last_mut(), op.int(names::K)) {
        *last = k;
    }
    let indices = values.with_elem(Elem::Int(32));
    Ok(vec![Type::Tensor(values), Type::Tensor(indices)])
}

fn eval(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (values, indices) = (op.result_tensor(0), op.result_tensor(1));
    let (values, indices) = ordered(Wanted::Largest, &args[0], values, indices);
    Ok(vec![values, indices])
}

/// Which elements come first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The largest, NaN before them.
    Largest,
    /// The smallest, NaN behind them.
    Smallest,
}

/// The first elements of each row in order, and where they stood. Equal elements stay in order.
pub(crate) fn ordered(
    wanted: Wanted,
    operand: &Tensor,
    values_type: &TensorType,
    indices_type: &TensorType,
) -> (Tensor, Tensor) {
    let row = operand.shape().last().map_or(1, |&n| n as usize);
    let k = values_type.shape.last().map_or(1, |&n| n as usize);
    let mut values = TensorBuilder::new(values_type.clone());
    let mut indices = TensorBuilder::new(indices_type.clone());
    let mut places: Vec<usize> = Vec::with_capacity(row);
    for start in (0..operand.len()).step_by(row.max(1)) {
        places.clear();
        places.extend(0..row);
        let before = |a: &usize, b: &usize| -> Ordering {
            let order = total_order(operand.get(start + a), operand.get(start + b));
            let order = order.unwrap_or(Ordering::Equal);
            let order = if wanted == Wanted::Largest { order.reverse() } else { order };
            order.then(a.cmp(b))
        };
        if k > 0 && k < row {
            places.select_nth_unstable_by(k - 1, before);
        }
        places.truncate(k);
        places.sort_unstable_by(before);
        for (i, &place) in places.iter().enumerate() {
            let to = start / row.max(1) * k + i;
            values.copy(to, operand, start + place);
            indices.set(to, Scalar::from_i64(indices_type.elem, place as i64));
        }
    }
    (values.finish(), indices.finish())
}

fn work(op: OpRef<'_>) -> Work {
    let elements = op.operand_tensor(0).count() as f64;
    let k = op.int(names::K).unwrap_or(1).max(2) as f64;
    Work { flops: elements * k.log2(), bytes: bytes_moved(op) }
}
