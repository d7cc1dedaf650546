//! Batch normalisation: the formulas of the specification, feature by feature.

use super::check::{ensure, tensor_operand};
use super::def::{AttrDef, AttrKind, Count, Eval, OpDef, OpError, Work, bytes_moved, required};
use super::sharding;
use super::spread::{Flow, Spread};
use crate::interpret::EvalError;
use crate::ir::{Attr, Elem, OpRef, TensorType, Type, names};
use crate::value::scalar::round;
use crate::value::{Scalar, Tensor, TensorBuilder};

const ATTRS: &[AttrDef] =
    &[required(names::EPSILON, AttrKind::Float), required(names::FEATURE_INDEX, AttrKind::I64)];

pub static BATCH_NORM_GRAD: OpDef = OpDef {
    name: "stablehlo.batch_norm_grad",
    doc: "The gradients of `batch_norm_training`.",
    operands: Count::exactly(5),
    results: Count::exactly(3),
    attrs: ATTRS,
    verify: |op| verify(op, &[("scale", 1), ("mean", 2), ("variance", 3)], Some(("grad_output", 4))),
    infer: Some(|op| Ok(vec![operand(op), per_feature(op), per_feature(op)])),
    eval: Eval::Kernel(eval_grad),
    work: |op| work(op, 14.0),
    spread: Spread::Rule(sharding::reduce::batch_norm, Flow::Ordinary),
    ..OpDef::BASE
};

pub static BATCH_NORM_INFERENCE: OpDef = OpDef {
    name: "stablehlo.batch_norm_inference",
    doc: "Normalises with a given mean and variance of each feature.",
    operands: Count::exactly(5),
    attrs: ATTRS,
    verify: |op| verify(op, &[("scale", 1), ("offset", 2), ("mean", 3), ("variance", 4)], None),
    infer: Some(|op| Ok(vec![operand(op)])),
    eval: Eval::Kernel(eval_inference),
    work: |op| work(op, 4.0),
    spread: Spread::Rule(sharding::reduce::batch_norm_inference, Flow::Ordinary),
    ..OpDef::BASE
};

pub static BATCH_NORM_TRAINING: OpDef = OpDef {
    name: "stablehlo.batch_norm_training",
    doc: "Normalises with the mean and variance that each feature has; gives those too.",
    operands: Count::exactly(3),
    results: Count::exactly(3),
    attrs: ATTRS,
    verify: |op| verify(op, &[("scale", 1), ("offset", 2)], None),
    infer: Some(|op| Ok(vec![operand(op), per_feature(op), per_feature(op)])),
    eval: Eval::Kernel(eval_training),
    work: |op| work(op, 8.0),
    spread: Spread::Rule(sharding::reduce::batch_norm, Flow::Ordinary),
    ..OpDef::BASE
};

// --- constraints and types ---

/// The constraints that the three ops share: some operands have one element for each feature, and one may
/// have the type of the first operand.
fn verify(
    op: OpRef<'_>,
    vectors: &[(&str, usize)],
    like_operand: Option<(&str, usize)>,
) -> Result<(), OpError> {
    let first = tensor_operand(op, 0)?;
    ensure!(first.elem.is_float(), "the operand must hold floats, but it holds {}", first.elem);
    let (rank, feature) = (first.rank() as i64, feature_index(op));
    ensure!(
        (0..rank).contains(&feature),
        "feature_index is {feature}, but the operand has the dimensions 0 to {}",
        rank - 1
    );
    ensure!(
        matches!(op.attr(names::EPSILON), Some(Attr::Float(_, Elem::F32))),
        "epsilon must be a float of type f32"
    );
    let features = first.shape[feature as usize];
    for (what, n) in vectors {
        let ty = tensor_operand(op, *n)?;
        ensure!(ty.elem == first.elem, "{what} holds {}, but the operand holds {}", ty.elem, first.elem);
        ensure!(
            ty.shape[..] == [features],
            "{what} is `{ty}`, but the operand has {features} features in dimension {feature}"
        );
    }
    if let Some((what, n)) = like_operand {
        let ty = tensor_operand(op, n)?;
        ensure!(ty == first, "{what} is `{ty}`, but it must be as the operand, `{first}`");
    }
    Ok(())
}

fn operand(op: OpRef<'_>) -> Type {
    op.operand_type(0).clone()
}

fn per_feature(op: OpRef<'_>) -> Type {
    let ty = op.operand_tensor(0);
    let features = ty.shape.get(feature_index(op) as usize).copied();
    TensorType::new(ty.elem, features).into()
}

fn feature_index(op: OpRef<'_>) -> i64 {
    op.int(names::FEATURE_INDEX).unwrap_or(0)
}

// --- evaluation ---

/// What the formulas need to know about the operand.
struct Features<'a> {
    operand: &'a Tensor,
    /// How many there are.
    count: usize,
    /// Distance in memory from one feature to the next.
    stride: usize,
    /// Elements of each feature.
    elements: f64,
    epsilon: f64,
}

impl<'a> Features<'a> {
    fn new(op: OpRef<'_>, operand: &'a Tensor) -> Self {
        let index = feature_index(op) as usize;
        let shape = operand.shape();
        let count = shape[index] as usize;
        Features {
            operand,
            count,
            stride: shape[index + 1..].iter().product::<i64>() as usize,
            elements: (operand.len() / count.max(1)) as f64,
            epsilon: round(operand.elem(), epsilon(op)),
        }
    }

    /// The feature that the element at a position belongs to.
    fn at(&self, position: usize) -> usize {
        position / self.stride % self.count
    }

    /// Sums a value of each element, feature by feature.
    fn sum(&self, value: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        for position in 0..self.operand.len() {
            let feature = self.at(position);
            sums[feature] += value(position, feature);
        }
        sums
    }

    /// A tensor like the operand.
    fn map(&self, value: impl Fn(usize, usize) -> f64) -> Tensor {
        let mut result = TensorBuilder::new(self.operand.ty().clone());
        for position in 0..result.len() {
            result.set(position, Scalar::Float(value(position, self.at(position))));
        }
        result.finish()
    }

    /// A tensor with an element for each feature.
    fn vector(&self, values: &[f64]) -> Tensor {
        let ty = TensorType::new(self.operand.elem(), [values.len() as i64]);
        Tensor::from_fn(ty, |i| Scalar::Float(values[i]))
    }

    fn x(&self, position: usize) -> f64 {
        self.operand.get(position).real()
    }
}

fn epsilon(op: OpRef<'_>) -> f64 {
    match op.attr(names::EPSILON) {
        Some(Attr::Float(bits, Elem::F32)) => f64::from(f32::from_bits(*bits as u32)),
        _ => 0.0,
    }
}

fn reals(tensor: &Tensor) -> Vec<f64> {
    tensor.iter().map(Scalar::real).collect()
}

/// `scale · (x - mean) / √(variance + ε) + offset`.
fn normalise(f: &Features<'_>, scale: &[f64], offset: &[f64], mean: &[f64], variance: &[f64]) -> Tensor {
    f.map(|at, n| scale[n] * ((f.x(at) - mean[n]) / (variance[n] + f.epsilon).sqrt()) + offset[n])
}

fn eval_inference(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let f = Features::new(op, &operands[0]);
    let [scale, offset, mean, variance] = [1, 2, 3, 4].map(|n| reals(&operands[n]));
    Ok(vec![normalise(&f, &scale, &offset, &mean, &variance)])
}

fn eval_training(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let f = Features::new(op, &operands[0]);
    let [scale, offset] = [1, 2].map(|n| reals(&operands[n]));
    let mean = divided(f.sum(|at, _| f.x(at)), f.elements);
    let variance = divided(f.sum(|at, n| (f.x(at) - mean[n]).powi(2)), f.elements);
    Ok(vec![normalise(&f, &scale, &offset, &mean, &variance), f.vector(&mean), f.vector(&variance)])
}

fn divided(mut values: Vec<f64>, by: f64) -> Vec<f64> {
    values.iter_mut().for_each(|value| *value /= by);
    values
}

fn eval_grad(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let f = Features::new(op, &operands[0]);
    let [scale, mean, variance] = [1, 2, 3].map(|n| reals(&operands[n]));
    let grad_output = |at: usize| operands[4].get(at).real();
    let centred = |at: usize, n: usize| f.x(at) - mean[n];
    let stddev: Vec<f64> = variance.iter().map(|v| (v + f.epsilon).sqrt()).collect();
    let grad_sum = f.sum(|at, _| grad_output(at));
    let centred_sum = f.sum(|at, n| grad_output(at) * centred(at, n));
    let grad_scale = f.sum(|at, n| grad_output(at) * (centred(at, n) / stddev[n]));
    let grad_operand = f.map(|at, n| {
        let spread = centred_sum[n] * centred(at, n) / (variance[n] + f.epsilon);
        let inner = grad_output(at) * f.elements - grad_sum[n] - spread;
        scale[n] / stddev[n] / f.elements * inner
    });
    Ok(vec![grad_operand, f.vector(&grad_scale), f.vector(&grad_sum)])
}

/// So many operations for each element of the operand.
fn work(op: OpRef<'_>, per_element: f64) -> Work {
    Work { flops: per_element * op.operand_tensor(0).count() as f64, bytes: bytes_moved(op) }
}
