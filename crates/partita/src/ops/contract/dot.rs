//! `dot` and `dot_general`.

use super::matmul::{Axis, Contraction, contract, products};
use crate::interpret::EvalError;
use crate::ir::attr::{DotDims, EnumAttr, Precision, PrecisionType};
use crate::ir::{Attr, OpRef, TensorType, Type, names};
use crate::ops::check::{
    dimension_in_range, ensure, precision_config_has_two, same_length, tensor_operand, tensor_result,
};
use crate::ops::{OpError, Work, bytes_moved};
use crate::value::Tensor;
use crate::value::tensor::strides;

// --- constraints ---

pub(super) fn verify_dot_general(op: OpRef<'_>) -> Result<(), OpError> {
    let (lhs, rhs) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    let Some(dims) = op.dot_dims() else { return Ok(()) };
    verify_dot_dims(lhs, rhs, dims)?;
    ensure!(
        lhs.elem == rhs.elem || (lhs.elem.is_float() && rhs.elem.is_float()),
        "the operands hold {} and {}, but they must hold the same",
        lhs.elem,
        rhs.elem
    );
    tensor_result(op, 0)?;
    precision_config_has_two(op)?;
    verify_algorithm(op)
}

fn verify_dot_dims(lhs: &TensorType, rhs: &TensorType, dims: &DotDims) -> Result<(), OpError> {
    let sides = [
        ("lhs", lhs, &dims.lhs_batch, &dims.lhs_contracting),
        ("rhs", rhs, &dims.rhs_batch, &dims.rhs_contracting),
    ];
    let counts = |what: &str, left: usize, right: usize| {
        same_length(&format!("lhs_{what}_dimensions"), left, &format!("rhs_{what}_dimensions"), right)
    };
    counts("batching", dims.lhs_batch.len(), dims.rhs_batch.len())?;
    counts("contracting", dims.lhs_contracting.len(), dims.rhs_contracting.len())?;
    for (side, ty, batch, contracting) in sides {
        let mut seen = vec![false; ty.rank()];
        for (what, list) in [("batching", batch), ("contracting", contracting)] {
            for &d in list {
                dimension_in_range(&format!("{side}_{what}_dimensions"), d, ty.rank())?;
                ensure!(
                    !std::mem::replace(&mut seen[d as usize], true),
                    "dimension {d} of {side} stands twice among its batching and contracting dimensions"
                );
            }
        }
    }
    let pairs = [
        ("batching", &dims.lhs_batch, &dims.rhs_batch),
        ("contracting", &dims.lhs_contracting, &dims.rhs_contracting),
    ];
    for (what, left, right) in pairs {
        for (&l, &r) in left.iter().zip(right) {
            let (ls, rs) = (lhs.shape[l as usize], rhs.shape[r as usize]);
            ensure!(
                ls == rs,
                "{what} dimension {l} of lhs has size {ls}, but dimension {r} of rhs has size {rs}"
            );
        }
    }
    Ok(())
}

fn verify_algorithm(op: OpRef<'_>) -> Result<(), OpError> {
    let Some(Attr::DotAlgorithm(algorithm)) = op.attr(names::ALGORITHM) else { return Ok(()) };
    let types: [(&str, PrecisionType); 3] = [
        ("lhs_precision_type", algorithm.lhs_precision_type),
        ("rhs_precision_type", algorithm.rhs_precision_type),
        ("accumulation_type", algorithm.accumulation_type),
    ];
    for (what, ty) in types {
        ensure!(ty.is_float(), "{what} of the algorithm is {}, but it must be a float type", ty.name());
    }
    let counts = [
        ("lhs_component_count", algorithm.lhs_component_count),
        ("rhs_component_count", algorithm.rhs_component_count),
        ("num_primitive_operations", algorithm.num_primitive_operations),
    ];
    for (what, count) in counts {
        ensure!(count > 0, "{what} of the algorithm is {count}, but it must be positive");
    }
    if let Some(Attr::Array(precisions)) = op.attr(names::PRECISION_CONFIG) {
        let default = Attr::Enum(EnumAttr::Precision(Precision::Default));
        if precisions.iter().any(|p| *p != default) {
            return Err(OpError::new(
                "an algorithm is given, so the precision of both operands must be DEFAULT",
            )
            .fix("leave the precision or the algorithm out"));
        }
    }
    Ok(())
}

pub(super) fn verify_dot(op: OpRef<'_>) -> Result<(), OpError> {
    let (lhs, rhs) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    for (side, ty) in [("lhs", lhs), ("rhs", rhs)] {
        ensure!(
            matches!(ty.rank(), 1 | 2),
            "{side} has {} dimensions, but only vectors and matrices have a dot product",
            ty.rank()
        );
    }
    let (ls, rs) = (lhs.shape[lhs.rank() - 1], rhs.shape[0]);
    ensure!(ls == rs, "the last dimension of lhs has size {ls}, but the first of rhs has size {rs}");
    tensor_result(op, 0)?;
    precision_config_has_two(op)
}

// --- types ---

/// The result's shape follows; its element type is free (a wider one asks for a wider sum).
pub(super) fn infer_dot_general(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let Some(dims) = op.dot_dims() else { return Err(OpError::new("it has no dimension numbers")) };
    Ok(vec![result_type(op, dims).into()])
}

pub(super) fn infer_dot(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    Ok(vec![result_type(op, &dot_dims(op)).into()])
}

fn result_type(op: OpRef<'_>, dims: &DotDims) -> TensorType {
    let (lhs, rhs) = (op.operand_tensor(0), op.operand_tensor(1));
    let batch = dims.lhs_batch.iter().map(|d| lhs.shape[*d as usize]);
    let rows = kept(lhs, &dims.lhs_batch, &dims.lhs_contracting).map(|d| lhs.shape[d]);
    let columns = kept(rhs, &dims.rhs_batch, &dims.rhs_contracting).map(|d| rhs.shape[d]);
    TensorType::new(op.result_tensor(0).elem, batch.chain(rows).chain(columns))
}

/// The dimensions of an operand that are neither batch nor summed.
fn kept(ty: &TensorType, batch: &[i64], contracting: &[i64]) -> impl Iterator<Item = usize> {
    (0..ty.rank()).filter(move |d| !batch.contains(&(*d as i64)) && !contracting.contains(&(*d as i64)))
}

/// `dot` as a `dot_general`: it sums over the last dimension of the left and the first of the right operand.
fn dot_dims(op: OpRef<'_>) -> DotDims {
    let last = op.operand_tensor(0).rank() as i64 - 1;
    DotDims { lhs_contracting: vec![last], rhs_contracting: vec![0], ..DotDims::default() }
}

// --- evaluation ---

pub(super) fn eval_dot_general(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let Some(dims) = op.dot_dims() else { return Err(EvalError::new("no dimension numbers")) };
    eval_dims(op, dims, operands)
}

pub(super) fn eval_dot(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    eval_dims(op, &dot_dims(op), operands)
}

fn eval_dims(op: OpRef<'_>, dims: &DotDims, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let c = contraction(op.operand_tensor(0), op.operand_tensor(1), op.result_tensor(0), dims);
    Ok(vec![contract(&c, &operands[0], &operands[1], op.result_tensor(0))])
}

fn contraction(lhs: &TensorType, rhs: &TensorType, out: &TensorType, dims: &DotDims) -> Contraction {
    let (lhs_strides, rhs_strides) = (strides(&lhs.shape), strides(&rhs.shape));
    // The dimensions of the result come in the order batch, rows, columns.
    let mut out_strides = strides(&out.shape).into_iter();
    let mut out = || out_strides.next().unwrap_or(0);
    let pair = |l: &i64, r: &i64, out: i64| {
        let (l, r) = (*l as usize, *r as usize);
        Axis { size: lhs.shape[l], lhs: lhs_strides[l], rhs: rhs_strides[r], out }
    };
    let batch = dims.lhs_batch.iter().zip(&dims.rhs_batch).map(|(l, r)| pair(l, r, out())).collect();
    let rows = kept(lhs, &dims.lhs_batch, &dims.lhs_contracting)
        .map(|d| Axis { size: lhs.shape[d], lhs: lhs_strides[d], rhs: 0, out: out() })
        .collect();
    let columns = kept(rhs, &dims.rhs_batch, &dims.rhs_contracting)
        .map(|d| Axis { size: rhs.shape[d], lhs: 0, rhs: rhs_strides[d], out: out() })
        .collect();
    let sum = dims.lhs_contracting.iter().zip(&dims.rhs_contracting).map(|(l, r)| pair(l, r, 0)).collect();
    Contraction { batch, rows, columns, sum }
}

// --- work ---

/// One multiplication and one addition per product.
pub(super) fn dot_general_work(op: OpRef<'_>) -> Work {
    op.dot_dims().map_or_else(Work::default, |dims| work(op, dims))
}

pub(super) fn dot_work(op: OpRef<'_>) -> Work {
    work(op, &dot_dims(op))
}

fn work(op: OpRef<'_>, dims: &DotDims) -> Work {
    let c = contraction(op.operand_tensor(0), op.operand_tensor(1), op.result_tensor(0), dims);
    Work { flops: 2.0 * products(&c), bytes: bytes_moved(op) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Elem;
    use crate::value::Scalar;

    /// The formula of the specification, index by index.
    fn by_definition(lhs: &Tensor, rhs: &Tensor, out: &TensorType, dims: &DotDims) -> Tensor {
        use crate::value::tensor::for_each_index;
        let lhs_kept: Vec<_> = kept(lhs.ty(), &dims.lhs_batch, &dims.lhs_contracting).collect();
        let rhs_kept: Vec<_> = kept(rhs.ty(), &dims.rhs_batch, &dims.rhs_contracting).collect();
        let sums: Vec<i64> = dims.lhs_contracting.iter().map(|d| lhs.shape()[*d as usize]).collect();
        let position = |shape: &[i64], index: &[i64]| -> usize {
            index.iter().zip(strides(shape)).map(|(i, s)| i * s).sum::<i64>() as usize
        };
        let mut values = Vec::new();
        for_each_index(&out.shape, |_, at| {
            let (batch, rest) = at.split_at(dims.lhs_batch.len());
            let (rows, columns) = rest.split_at(lhs_kept.len());
            let mut sum = 0.0;
            for_each_index(&sums, |_, k| {
                let mut l = vec![0; lhs.shape().len()];
                let mut r = vec![0; rhs.shape().len()];
                for (n, b) in batch.iter().enumerate() {
                    l[dims.lhs_batch[n] as usize] = *b;
                    r[dims.rhs_batch[n] as usize] = *b;
                }
                lhs_kept.iter().zip(rows).for_each(|(d, i)| l[*d] = *i);
                rhs_kept.iter().zip(columns).for_each(|(d, i)| r[*d] = *i);
                for (n, i) in k.iter().enumerate() {
                    l[dims.lhs_contracting[n] as usize] = *i;
                    r[dims.rhs_contracting[n] as usize] = *i;
                }
                let (a, b) = (lhs.get(position(lhs.shape(), &l)), rhs.get(position(rhs.shape(), &r)));
                sum += a.real() * b.real();
            });
            values.push(Scalar::Float(sum));
        });
        Tensor::from_fn(out.clone(), |i| values[i])
    }

    fn numbers(shape: &[i64], elem: Elem) -> Tensor {
        let ty = TensorType::new(elem, shape.iter().copied());
        Tensor::from_fn(ty, |i| Scalar::Float(((i * 37 + 11) % 23) as f64 - 9.0))
    }

    #[test]
    fn any_order_of_dimensions_gives_the_sums_of_the_specification() {
        let dims = DotDims {
            lhs_batch: vec![3],
            rhs_batch: vec![0],
            lhs_contracting: vec![2, 0],
            rhs_contracting: vec![1, 3],
        };
        let (lhs, rhs) = (numbers(&[3, 5, 2, 4], Elem::F32), numbers(&[4, 2, 7, 3], Elem::F32));
        let out = TensorType::new(Elem::F32, [4, 5, 7]);
        let c = contraction(lhs.ty(), rhs.ty(), &out, &dims);
        assert_eq!(contract(&c, &lhs, &rhs, &out), by_definition(&lhs, &rhs, &out, &dims));
        assert_eq!(products(&c), 4.0 * 5.0 * 7.0 * 6.0);
    }

    #[test]
    fn every_remainder_of_rows_and_columns_is_computed() {
        let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
        for rows in 0..9 {
            for columns in 0..9 {
                let (lhs, rhs) = (numbers(&[rows, 3], Elem::F64), numbers(&[3, columns], Elem::F64));
                let out = TensorType::new(Elem::F64, [rows, columns]);
                let c = contraction(lhs.ty(), rhs.ty(), &out, &dims);
                assert_eq!(contract(&c, &lhs, &rhs, &out), by_definition(&lhs, &rhs, &out, &dims));
            }
        }
    }

    #[test]
    fn sums_over_nothing_are_zero_and_splats_stay_splats() {
        let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
        let out = TensorType::new(Elem::F32, [2, 2]);
        let (lhs, rhs) = (numbers(&[2, 0], Elem::F32), numbers(&[0, 2], Elem::F32));
        let c = contraction(lhs.ty(), rhs.ty(), &out, &dims);
        assert_eq!(contract(&c, &lhs, &rhs, &out), Tensor::splat(out, Scalar::Float(0.0)));

        let huge = TensorType::new(Elem::F32, [1 << 20, 1 << 10]);
        let out = TensorType::new(Elem::F32, [1 << 20, 1 << 20]);
        let lhs = Tensor::splat(huge.clone(), Scalar::Float(2.0));
        let rhs = Tensor::splat(TensorType::new(Elem::F32, [1 << 10, 1 << 20]), Scalar::Float(3.0));
        let c = contraction(lhs.ty(), rhs.ty(), &out, &dims);
        assert_eq!(contract(&c, &lhs, &rhs, &out).as_splat(), Some(Scalar::Float(6144.0)));
    }

    #[test]
    fn integers_wrap_and_booleans_are_any_of_all() {
        let dims = DotDims { lhs_contracting: vec![0], rhs_contracting: vec![0], ..DotDims::default() };
        let bytes = TensorType::new(Elem::Int(8), [2]);
        let lhs = Tensor::from_fn(bytes.clone(), |_| Scalar::Int(100));
        let out = TensorType::scalar(Elem::Int(8));
        let c = contraction(&bytes, &bytes, &out, &dims);
        assert_eq!(contract(&c, &lhs, &lhs, &out).item(), Scalar::Int(20_000).fit(Elem::Int(8)));

        let flags = TensorType::new(Elem::Bool, [3]);
        let lhs = Tensor::from_fn(flags.clone(), |i| Scalar::Bool(i > 0));
        let out = TensorType::scalar(Elem::Bool);
        let c = contraction(&flags, &flags, &out, &dims);
        assert_eq!(contract(&c, &lhs, &lhs, &out).item(), Scalar::Bool(true));
    }
}
