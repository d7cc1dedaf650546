//! A product of matrices in which one dimension falls into groups of given sizes.
//!
//! With batch dimensions `b`, contracted dimensions `k` and `g` groups:
//! * where the rows `m` are grouped, `[b,m,k] · [g,b,k,n] -> [b,m,n]`: each row meets the matrix of its group;
//! * where `k` is grouped, `[b,m,k] · [b,k,n] -> [g,b,m,n]`: one product per group;
//! * where `b` is grouped, `[b,m,k] · [b,k,n] -> [b,m,n]`: an ordinary product.

use crate::interpret::EvalError;
use crate::ir::attr::RaggedDotDims;
use crate::ir::{Attr, Elem, EnumKind, OpRef, Shape, TensorType, Type, names};
use crate::ops::check::{
    dimension_in_range, dimensions_unique_in_range, element_among, ensure, same_length, tensor_operand,
    tensor_result,
};
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, Work, bytes_moved, optional, required};
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::ops::unit::Unit;
use crate::value::tensor::{for_each_index, strides};
use crate::value::{Scalar, Tensor, TensorBuilder};

pub static RAGGED_DOT: OpDef = OpDef {
    name: "chlo.ragged_dot",
    doc: "A product of matrices with one dimension in groups of different sizes.",
    operands: Count::exactly(3),
    attrs: &[
        optional(names::PRECISION_CONFIG, AttrKind::Enums(EnumKind::ChloPrecision)),
        required(names::RAGGED_DOT_DIMENSION_NUMBERS, AttrKind::RaggedDot),
    ],
    verify,
    eval: Eval::Kernel(eval),
    work,
    unit: Unit::Matrix,
    spread: Spread::Rule(sharding::contract::ragged_dot, Flow::Ordinary),
    ..OpDef::BASE
};

/// Which dimension is in groups.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ragged {
    /// A dimension of the left operand only.
    Row,
    /// The contracted dimension at this place of the list.
    Contracted(usize),
    /// The batch dimension at this place of the list.
    Batch(usize),
}

/// The dimension numbers with what follows from them.
struct Plan<'m> {
    dims: &'m RaggedDotDims,
    ragged: Ragged,
    /// Dimensions of the left operand that are neither contracted nor batch.
    lhs_free: Vec<i64>,
    /// The same on the right, the group dimension left out.
    rhs_free: Vec<i64>,
    /// Dimensions of the left operand that have their own group sizes each, where these are given in full.
    prefix: Vec<i64>,
}

fn plan(op: OpRef<'_>) -> Result<Plan<'_>, OpError> {
    let Some(Attr::RaggedDot(dims)) = op.attr(names::RAGGED_DOT_DIMENSION_NUMBERS) else {
        return Err(OpError::new("the dimension numbers are missing"));
    };
    let (lhs, rhs) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    ensure!(
        dims.lhs_ragged.len() == 1,
        "`lhs_ragged_dimensions` must name one dimension, but it names {}",
        dims.lhs_ragged.len()
    );
    let lhs_ragged = dims.lhs_ragged[0];
    let dot = &dims.dot;
    let ragged = match () {
        () if dot.lhs_batch.contains(&lhs_ragged) => Ragged::Batch(place(&dot.lhs_batch, lhs_ragged)),
        () if dot.lhs_contracting.contains(&lhs_ragged) => {
            Ragged::Contracted(place(&dot.lhs_contracting, lhs_ragged))
        }
        () => Ragged::Row,
    };
    let others = |rank: usize, used: [&[i64]; 3]| {
        (0..rank as i64).filter(|d| used.iter().all(|list| !list.contains(d))).collect::<Vec<_>>()
    };
    let lhs_free = others(lhs.rank(), [&dot.lhs_batch, &dot.lhs_contracting, &[]]);
    let rhs_free = others(rhs.rank(), [&dot.rhs_batch, &dot.rhs_contracting, &dims.rhs_group]);
    let mut prefix = dot.lhs_batch.clone();
    match ragged {
        Ragged::Batch(place) => prefix.truncate(place),
        Ragged::Contracted(place) => prefix.extend(&dot.lhs_contracting[..place]),
        Ragged::Row => prefix.extend(lhs_free.iter().take_while(|d| **d < lhs_ragged)),
    }
    Ok(Plan { dims, ragged, lhs_free, rhs_free, prefix })
}

fn place(list: &[i64], wanted: i64) -> usize {
    list.iter().position(|d| *d == wanted).unwrap_or(0)
}

fn sizes(ty: &TensorType, dims: &[i64]) -> Shape {
    dims.iter().map(|&d| ty.shape[d as usize]).collect()
}

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let (lhs, rhs, groups) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?, tensor_operand(op, 2)?);
    element_among(op, 2, "integers", Elem::is_int)?;
    if let Some(Attr::Array(precision)) = op.attr(names::PRECISION_CONFIG) {
        ensure!(precision.len() <= 2, "`precision_config` has {} entries for two operands", precision.len());
    }
    let plan = plan(op)?;
    let dims = plan.dims;
    for (lhs_name, rhs_name, l, r) in [
        ("lhs_batching_dimensions", "rhs_batching_dimensions", &dims.dot.lhs_batch, &dims.dot.rhs_batch),
        (
            "lhs_contracting_dimensions",
            "rhs_contracting_dimensions",
            &dims.dot.lhs_contracting,
            &dims.dot.rhs_contracting,
        ),
    ] {
        same_length(&format!("`{lhs_name}`"), l.len(), &format!("`{rhs_name}`"), r.len())?;
    }
    let lhs_used: Vec<i64> = dims.dot.lhs_batch.iter().chain(&dims.dot.lhs_contracting).copied().collect();
    let rhs_used: Vec<i64> =
        dims.dot.rhs_batch.iter().chain(&dims.dot.rhs_contracting).chain(&dims.rhs_group).copied().collect();
    dimensions_unique_in_range(
        "the batch and contracted dimensions of the left operand",
        &lhs_used,
        lhs.rank(),
    )?;
    dimensions_unique_in_range(
        "the batch, contracted and group dimensions of the right operand",
        &rhs_used,
        rhs.rank(),
    )?;
    dimension_in_range("the ragged dimension", dims.lhs_ragged[0], lhs.rank())?;
    for (&l, &r) in lhs_used.iter().zip(&rhs_used) {
        let (a, b) = (lhs.shape[l as usize], rhs.shape[r as usize]);
        ensure!(
            a == b,
            "dimension {l} of the left operand has size {a}, but dimension {r} of the right one has size {b}"
        );
    }
    let Some(&group_count) = groups.shape.last() else {
        return Err(OpError::new("the group sizes must have at least one dimension"));
    };
    if groups.rank() != 1 {
        let mut expected = sizes(lhs, &plan.prefix);
        expected.push(group_count);
        ensure!(
            groups.shape == expected,
            "the group sizes have the shape {:?}, but it must be [{group_count}] or {:?}",
            groups.shape.as_slice(),
            expected.as_slice()
        );
    }
    match (plan.ragged, &dims.rhs_group[..]) {
        (Ragged::Row, &[group]) => {
            let size = rhs.shape[group as usize];
            ensure!(
                size == group_count,
                "there are {group_count} group sizes, but the group dimension {group} has size {size}"
            );
        }
        (Ragged::Row, list) => {
            ensure!(
                false,
                "where rows are in groups `rhs_group_dimensions` must name one dimension, not {}",
                list.len()
            );
        }
        (_, list) => ensure!(
            list.is_empty(),
            "`rhs_group_dimensions` must be empty where the ragged dimension is contracted or batch"
        ),
    }
    let mut shape = Shape::new();
    if matches!(plan.ragged, Ragged::Contracted(_)) {
        shape.push(group_count);
    }
    shape.extend(sizes(lhs, &dims.dot.lhs_batch));
    shape.extend(sizes(lhs, &plan.lhs_free));
    shape.extend(sizes(rhs, &plan.rhs_free));
    let result = tensor_result(op, 0)?;
    let follows = Type::Tensor(TensorType { elem: result.elem, shape });
    ensure!(
        *op.result_type(0) == follows,
        "the result is `{result}`, but from the operands follows `{follows}`"
    );
    Ok(())
}

/// The places in a tensor that the indices of some of its dimensions lead to, in row-major order.
fn offsets(ty: &TensorType, dims: &[i64]) -> Vec<usize> {
    let all = strides(&ty.shape);
    let own: Vec<i64> = dims.iter().map(|&d| all[d as usize]).collect();
    let mut list = Vec::new();
    for_each_index(&sizes(ty, dims), |_, index| {
        list.push(index.iter().zip(&own).map(|(i, s)| i * s).sum::<i64>() as usize);
    });
    list
}

/// The group sizes as ends of ranges, one row for each index of the prefix dimensions.
struct Groups {
    ends: Vec<i64>,
    count: usize,
}

impl Groups {
    fn new(sizes: &Tensor) -> Groups {
        let count = sizes.shape().last().map_or(0, |&n| n as usize);
        let mut ends = sizes.to_i64s();
        for row in ends.chunks_mut(count.max(1)) {
            let mut end = 0i64;
            for size in row {
                end = end.saturating_add((*size).max(0));
                *size = end;
            }
        }
        Groups { ends, count }
    }

    /// The group of an index; none behind the last group.
    fn of(&self, row: usize, index: i64) -> Option<usize> {
        // One list for all rows, or a list for each.
        let row = if self.ends.len() == self.count { 0 } else { row };
        let ends = &self.ends[row * self.count..(row + 1) * self.count];
        Some(ends.partition_point(|&end| end <= index)).filter(|&g| g < self.count)
    }
}

fn eval(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let plan = plan(op).map_err(|e| EvalError::new(e.message))?;
    let [lhs, rhs, sizes_of_groups] = args else {
        return Err(EvalError::new("three operands are needed"));
    };
    let dot = &plan.dims.dot;
    let groups = Groups::new(sizes_of_groups);
    let (lhs_batch, rhs_batch) = (offsets(lhs.ty(), &dot.lhs_batch), offsets(rhs.ty(), &dot.rhs_batch));
    let (lhs_free, rhs_free) = (offsets(lhs.ty(), &plan.lhs_free), offsets(rhs.ty(), &plan.rhs_free));
    let lhs_contracted = offsets(lhs.ty(), &dot.lhs_contracting);
    let rhs_contracted = offsets(rhs.ty(), &dot.rhs_contracting);
    let group_stride = match plan.dims.rhs_group[..] {
        [dimension] => strides(rhs.shape())[dimension as usize] as usize,
        _ => 0,
    };
    // A list of indices splits at the ragged dimension into (prefix, ragged index, rest).
    let ragged_dimension = plan.dims.lhs_ragged[0];
    let ragged_size = lhs.shape()[ragged_dimension as usize].max(1) as usize;
    let behind = |list: &[i64]| {
        let place = place(list, ragged_dimension);
        sizes(lhs.ty(), &list[place + 1..]).iter().product::<i64>().max(1) as usize
    };
    let prefixes = |list_len: usize, rest: usize| (list_len / (ragged_size * rest)).max(1);
    let ty = op.result_tensor(0);
    let mut result = TensorBuilder::new(ty.clone());
    let zero = Scalar::zero(ty.elem);
    (0..result.len()).for_each(|i| result.set(i, zero));
    let per_group = lhs_batch.len() * lhs_free.len() * rhs_free.len();
    let mut sums: Vec<Scalar> =
        vec![zero; if matches!(plan.ragged, Ragged::Contracted(_)) { groups.count } else { 1 }];
    for (b, (lb, rb)) in lhs_batch.iter().zip(&rhs_batch).enumerate() {
        for (f, lf) in lhs_free.iter().enumerate() {
            let group = match plan.ragged {
                Ragged::Row => {
                    let rest = behind(&plan.lhs_free);
                    let row = b * prefixes(lhs_free.len(), rest) + f / (ragged_size * rest);
                    groups.of(row, (f / rest % ragged_size) as i64)
                }
                _ => Some(0),
            };
            // Rows behind the last group stay zero.
            let Some(group) = group else { continue };
            for (n, rf) in rhs_free.iter().enumerate() {
                sums.fill(zero);
                for (k, (lc, rc)) in lhs_contracted.iter().zip(&rhs_contracted).enumerate() {
                    let slot = match plan.ragged {
                        Ragged::Contracted(_) => {
                            let rest = behind(&dot.lhs_contracting);
                            let row = b * prefixes(lhs_contracted.len(), rest) + k / (ragged_size * rest);
                            groups.of(row, (k / rest % ragged_size) as i64)
                        }
                        _ => Some(0),
                    };
                    let Some(slot) = slot else { continue };
                    let x = lhs.get(lb + lf + lc);
                    let y = rhs.get(rb + rf + rc + group * group_stride);
                    sums[slot] = multiply_add(sums[slot], x, y);
                }
                let position = (b * lhs_free.len() + f) * rhs_free.len() + n;
                for (g, sum) in sums.iter().enumerate() {
                    result.set(g * per_group + position, *sum);
                }
            }
        }
    }
    Ok(vec![result.finish()])
}

/// `sum + x y` in the class of numbers of the sum.
fn multiply_add(sum: Scalar, x: Scalar, y: Scalar) -> Scalar {
    match sum {
        Scalar::Bool(s) => Scalar::Bool(s || (x.is_true() && y.is_true())),
        Scalar::Int(s) => Scalar::Int(s.wrapping_add(x.as_i64().wrapping_mul(y.as_i64()))),
        Scalar::Uint(s) => Scalar::Uint(s.wrapping_add((x.as_i64() as u64).wrapping_mul(y.as_i64() as u64))),
        Scalar::Float(s) => Scalar::Float(s + x.real() * y.real()),
        Scalar::Complex(s) => Scalar::Complex(s + x.complex() * y.complex()),
        Scalar::Field(s) => Scalar::Field(s + x.field() * y.field()),
    }
}

fn work(op: OpRef<'_>) -> Work {
    let Ok(plan) = plan(op) else { return Work::default() };
    let (lhs, rhs) = (op.operand_tensor(0), op.operand_tensor(1));
    let outside: i64 = sizes(rhs, &plan.rhs_free).iter().product();
    // Every element of the left operand meets each free element of the right one once, in one group.
    Work { flops: 2.0 * lhs.count() as f64 * outside as f64, bytes: bytes_moved(op) }
}
