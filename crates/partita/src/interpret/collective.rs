//! What collectives compute, given what each device of a group brings.

use super::groups::{GridSize, source_target_pairs};
use super::{CollectiveOp, EvalError, RegionCaller};
use crate::ir::{Elem, OpRef, RegionId, Sym, TensorType, names};
use crate::value::{Scalar, Tensor, TensorBuilder};

/// What each device of a group gets. `operands` holds what each brings, in the order of the group.
pub fn collective(
    op: OpRef<'_>,
    kind: CollectiveOp,
    size: GridSize,
    group: &[usize],
    operands: &[Vec<Tensor>],
    caller: &mut RegionCaller<'_, '_>,
) -> Result<Vec<Vec<Tensor>>, EvalError> {
    let members = group.len();
    let count = op.op().results.len();
    // The n-th operand of each device.
    let nth = |n: usize| -> Vec<&Tensor> { operands.iter().filter_map(|list| list.get(n)).collect() };
    let mut results: Vec<Vec<Tensor>> = vec![Vec::with_capacity(count); members];
    let mut give_all = |result: Tensor| results.iter_mut().for_each(|list| list.push(result.clone()));
    match kind {
        CollectiveOp::AllGather => {
            let dim = dimension(op, names::ALL_GATHER_DIM)?;
            (0..count).for_each(|n| give_all(concatenate(&nth(n), dim)));
        }
        CollectiveOp::AllReduce => {
            for n in 0..count {
                give_all(reduce(op, n, &nth(n), caller)?);
            }
        }
        CollectiveOp::ReduceScatter => {
            let dim = dimension(op, names::SCATTER_DIMENSION)?;
            for n in 0..count {
                let sum = reduce(op, n, &nth(n), caller)?;
                results.iter_mut().enumerate().for_each(|(i, list)| list.push(part(&sum, dim, i, members)));
            }
        }
        CollectiveOp::AllToAll => {
            let split = dimension(op, names::SPLIT_DIMENSION)?;
            let concat = dimension(op, names::CONCAT_DIMENSION)?;
            for n in 0..count {
                for (receiver, list) in results.iter_mut().enumerate() {
                    let parts: Vec<Tensor> =
                        nth(n).iter().map(|tensor| part(tensor, split, receiver, members)).collect();
                    list.push(concatenate(&parts.iter().collect::<Vec<_>>(), concat));
                }
            }
        }
        CollectiveOp::Broadcast => {
            for n in 0..count {
                let root = root(op, n, members, &operands[0])?;
                give_all(operands[root][n].clone());
            }
        }
        CollectiveOp::Reduce => {
            for n in 0..count {
                let root = root(op, n, members, &operands[0])?;
                let sum = reduce(op, n, &nth(n), caller)?;
                for (i, list) in results.iter_mut().enumerate() {
                    list.push(if i == root { sum.clone() } else { zeros(sum.ty().clone()) });
                }
            }
        }
        CollectiveOp::Permute => {
            let pairs = source_target_pairs(op, size).map_err(EvalError::new)?;
            for (i, list) in results.iter_mut().enumerate() {
                let source = pairs.iter().find(|(_, target)| *target == group[i]).map(|(source, _)| source);
                let place = source.and_then(|source| group.iter().position(|device| device == source));
                let own = &operands[i];
                list.extend((0..count).map(|n| match place {
                    Some(place) => operands[place][n].clone(),
                    None => zeros(own[n].ty().clone()),
                }));
            }
        }
    }
    Ok(results)
}

/// What a device gets that is in no group, where that is allowed.
pub fn outside(op: OpRef<'_>) -> Vec<Tensor> {
    op.result_types().filter_map(|ty| ty.as_tensor()).map(|ty| zeros(ty.clone())).collect()
}

fn zeros(ty: TensorType) -> Tensor {
    let zero = Scalar::zero(ty.elem);
    Tensor::splat(ty, zero)
}

fn dimension(op: OpRef<'_>, name: Sym) -> Result<usize, EvalError> {
    let dim = op.int(name).and_then(|dim| usize::try_from(dim).ok());
    dim.ok_or_else(|| EvalError::new(format!("the attribute `{}` is missing", &op.module.strings[name])))
}

/// The device of the group that sends or receives the n-th operand.
fn root(op: OpRef<'_>, n: usize, members: usize, operands: &[Tensor]) -> Result<usize, EvalError> {
    if !op.flag(names::HAS_DYNAMIC_ROOT) {
        return Ok(0);
    }
    let roots = operands.last().filter(|roots| n < roots.len());
    let root = roots.map_or(-1, |roots| roots.get(n).as_index());
    match usize::try_from(root) {
        Ok(root) if root < members => Ok(root),
        _ => {
            let message = format!("the root of operand {n} is {root}, but the group has {members} devices");
            Err(EvalError::new(message))
        }
    }
}

/// Combines the n-th operand of all devices, in the order of the group.
fn reduce(
    op: OpRef<'_>,
    n: usize,
    tensors: &[&Tensor],
    caller: &mut RegionCaller<'_, '_>,
) -> Result<Tensor, EvalError> {
    let elem = op.result_tensor(n).elem;
    let mut rest = tensors.iter().map(|tensor| convert(tensor, elem));
    let Some(first) = rest.next() else { return Err(EvalError::new("the group is empty")) };
    rest.try_fold(first, |sum, tensor| combine(caller, op.region_id(0), &sum, &tensor))
}

/// Applies a region to each two elements.
fn combine(
    caller: &mut RegionCaller<'_, '_>,
    region: RegionId,
    a: &Tensor,
    b: &Tensor,
) -> Result<Tensor, EvalError> {
    let mut element = |i: usize| -> Result<Scalar, EvalError> {
        let results = caller.call_scalars(region, &[a.get(i), b.get(i)])?;
        results.first().copied().ok_or_else(|| EvalError::new("its region returns nothing"))
    };
    let ty = a.ty().clone();
    if a.is_splat() && b.is_splat() {
        return Ok(Tensor::splat(ty, element(0)?));
    }
    let mut result = TensorBuilder::new(ty);
    for i in 0..result.len() {
        result.set(i, element(i)?);
    }
    Ok(result.finish())
}

/// The tensor in the element type of the computation.
fn convert(tensor: &Tensor, elem: Elem) -> Tensor {
    if tensor.elem() == elem {
        return tensor.clone();
    }
    let ty = tensor.ty().with_elem(elem);
    match tensor.as_splat() {
        Some(value) => Tensor::splat(ty, value.convert(elem)),
        None => Tensor::from_fn(ty, |i| tensor.get(i).convert(elem)),
    }
}

/// Elements before a dimension, along it, and behind it.
fn around(shape: &[i64], dim: usize) -> (usize, usize, usize) {
    let product = |sizes: &[i64]| sizes.iter().product::<i64>() as usize;
    match shape.get(dim) {
        Some(&size) => (product(&shape[..dim]), size as usize, product(&shape[dim + 1..])),
        None => (product(shape), 1, 1),
    }
}

/// The tensors one behind the other along a dimension.
fn concatenate(tensors: &[&Tensor], dim: usize) -> Tensor {
    let Some(first) = tensors.first() else { return zeros(TensorType::scalar(Elem::F32)) };
    let mut ty = first.ty().clone();
    if let Some(size) = ty.shape.get_mut(dim) {
        *size = tensors.iter().map(|tensor| tensor.shape()[dim]).sum();
    }
    if tensors.iter().all(|tensor| tensor.is_splat() && tensor.element_bytes(0) == first.element_bytes(0)) {
        return Tensor::splat(ty, first.item());
    }
    let (outer, total, inner) = around(&ty.shape, dim);
    let mut result = TensorBuilder::new(ty);
    let mut offset = 0;
    for tensor in tensors {
        let run = tensor.shape()[dim] as usize * inner;
        (0..outer).for_each(|i| result.copy_run(i * total * inner + offset, tensor, i * run, run));
        offset += run;
    }
    result.finish()
}

/// One of several equal parts along a dimension.
fn part(tensor: &Tensor, dim: usize, index: usize, count: usize) -> Tensor {
    let mut ty = tensor.ty().clone();
    if let Some(size) = ty.shape.get_mut(dim) {
        *size /= count.max(1) as i64;
    }
    if let Some(value) = tensor.as_splat() {
        return Tensor::splat(ty, value);
    }
    let (outer, size, inner) = around(tensor.shape(), dim);
    let run = size / count.max(1) * inner;
    let mut result = TensorBuilder::new(ty);
    (0..outer).for_each(|i| result.copy_run(i * run, tensor, i * size * inner + index * run, run));
    result.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_put_together_are_the_whole() {
        let ty = TensorType::new(Elem::Int(32), [2, 4, 3]);
        let tensor = Tensor::from_fn(ty, |i| Scalar::Int(i as i64));
        for dim in 0..2 {
            let parts: Vec<Tensor> = (0..2).map(|i| part(&tensor, dim, i, 2)).collect();
            assert_eq!(concatenate(&parts.iter().collect::<Vec<_>>(), dim), tensor);
        }
        assert_eq!(
            part(&tensor, 1, 1, 4).iter().map(|v| v.as_i64()).collect::<Vec<_>>(),
            [3, 4, 5, 15, 16, 17]
        );
    }
}
