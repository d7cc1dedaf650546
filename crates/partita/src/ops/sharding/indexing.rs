//! Rules of lookups.

use super::combine;
use super::iota::known_indices;
use crate::ir::{OpRef, names};
use crate::ops::OpError;
use crate::ops::rule::{Affine, Kind, Rule, RuleBuilder, Window};
use crate::ops::written::written;

type Result<T> = std::result::Result<T, OpError>;

/// Batches of indices give batches of results; windows taken whole go through; along the other dimensions the operand
/// is looked up.
pub fn gather(op: OpRef<'_>) -> Result<Rule> {
    let Some(dims) = op.gather_dims() else { return Rule::whole(op) };
    let mut rule = RuleBuilder::new(op);
    let taken = |d: usize| !dims.collapsed_slice_dims.contains(&(d as i64));
    let not_taken =
        |d: i64| dims.collapsed_slice_dims.contains(&d) || dims.operand_batching_dims.contains(&d);
    let mut windows = (0..rule.operand_shapes[0].len()).filter(|d| !not_taken(*d as i64));
    let own = known_indices(op).own;
    let mut batch = 0;
    for out in 0..rule.result_shapes[0].len() {
        let size = rule.result_shapes[0][out];
        if dims.offset_dims.contains(&(out as i64)) {
            let Some(dim) = windows.next() else { return Rule::whole(op) };
            let from = rule.operand_shapes[0][dim];
            let made = rule.factor(size, Kind::Parallel)?;
            rule.result(0, out, made);
            if from == size {
                rule.operand(0, dim, made);
            } else {
                let looked_up = rule.factor(from, Kind::Lookup)?;
                rule.operand(0, dim, looked_up);
            }
        } else {
            let index = if batch < dims.index_vector_dim { batch } else { batch + 1 };
            batch += 1;
            let factor = rule.factor(size, Kind::Parallel)?;
            rule.result(0, out, factor);
            rule.operand(1, index as usize, factor);
            if let Some(n) = dims.start_indices_batching_dims.iter().position(|d| *d == index) {
                rule.operand(0, dims.operand_batching_dims[n] as usize, factor);
            }
            for (dim, _) in own.iter().filter(|(dim, place)| *place == index as usize && !taken(*dim)) {
                rule.operand(0, *dim, factor);
            }
        }
    }
    for &dim in &dims.collapsed_slice_dims {
        if own.iter().any(|(own, _)| *own == dim as usize) {
            continue;
        }
        let factor = rule.factor(rule.operand_shapes[0][dim as usize], Kind::Lookup)?;
        rule.operand(0, dim as usize, factor);
    }
    index_vector(&mut rule, 1, dims.index_vector_dim)?;
    Ok(rule.build())
}

/// Windows written whole go through with the updates; along the other dimensions each shard keeps what falls into it.
/// Indices can be split where the updates combine.
pub fn scatter(op: OpRef<'_>) -> Result<Rule> {
    let Some(dims) = op.scatter_dims() else { return Rule::whole(op) };
    let mut rule = RuleBuilder::new(op);
    let inputs = rule.result_shapes.len();
    let (indices, updates) = (inputs, inputs + 1);
    let combined = combine(op).map_or(Kind::Whole, Kind::Reduce);
    let known = known_indices(op);
    let own = &known.own;
    let placed = written(op);
    let not_written =
        |d: i64| dims.inserted_window_dims.contains(&d) || dims.input_batching_dims.contains(&d);
    let mut windows = (0..rule.operand_shapes[0].len()).filter(|d| !not_written(*d as i64));
    let mut batch = 0;
    for dim in 0..rule.operand_shapes[updates].len() {
        let size = rule.operand_shapes[updates][dim];
        if dims.update_window_dims.contains(&(dim as i64)) {
            let Some(to) = windows.next() else { return Rule::whole(op) };
            let written = rule.operand_shapes[0][to];
            // A window that is written from a computed index on is not where it seems, even if it is as large as the dimension.
            let moved = dims.scatter_dims_to_operand_dims.contains(&(to as i64)) && !known.zero.contains(&to);
            let fixed = written == size && !moved;
            let kind = if fixed || placed.is_some() { Kind::Parallel } else { Kind::Lookup };
            let factor = rule.factor(written, kind)?;
            for n in 0..inputs {
                rule.operand(n, to, factor);
                rule.result(n, to, factor);
            }
            if let Some(placed) = placed.as_ref().filter(|_| !fixed) {
                let (base, dilation, offset) = (1, 1, placed.starts[to]);
                let window = Window::None;
                let access = Affine { outer: factor, window, base, stride: 1, dilation, offset };
                rule.operand_access(updates, dim, access);
                continue;
            }
            let own = if fixed { factor } else { rule.factor(size, Kind::Whole)? };
            (0..inputs).for_each(|n| rule.operand(updates + n, dim, own));
        } else {
            let index = if batch < dims.index_vector_dim { batch } else { batch + 1 };
            batch += 1;
            let batching = dims.scatter_indices_batching_dims.iter().position(|d| *d == index);
            let alone = own.iter().find(|(_, place)| *place == index as usize);
            let apart = batching.is_some() || alone.is_some();
            let factor = rule.factor(size, if apart { Kind::Parallel } else { combined })?;
            if let Some(&(to, _)) = alone {
                for n in 0..inputs {
                    rule.operand(n, to, factor);
                    rule.result(n, to, factor);
                }
            }
            rule.operand(indices, index as usize, factor);
            (0..inputs).for_each(|n| rule.operand(updates + n, dim, factor));
            if let Some(n) = batching {
                let to = dims.input_batching_dims[n] as usize;
                for n in 0..inputs {
                    rule.operand(n, to, factor);
                    rule.result(n, to, factor);
                }
            }
        }
    }
    for &dim in &dims.inserted_window_dims {
        if own.iter().any(|(own, _)| *own == dim as usize) {
            continue;
        }
        let factor = rule.factor(rule.operand_shapes[0][dim as usize], Kind::Lookup)?;
        for n in 0..inputs {
            rule.operand(n, dim as usize, factor);
            rule.result(n, dim as usize, factor);
        }
    }
    index_vector(&mut rule, indices, dims.index_vector_dim)?;
    Ok(rule.build())
}

/// Batches and all dimensions but the one that is looked up go through; that one is replaced by the indices'.
pub fn torch_index_select(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let at = |name| op.int(name).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let (dim, batches) = (at(names::DIM), at(names::BATCH_DIMS));
    let (data, indices) = (rule.operand_shapes[0].clone(), rule.operand_shapes[1].clone());
    let own = indices.len().saturating_sub(batches);
    if dim >= data.len() || batches > dim || rule.result_shapes[0].len() + 1 != data.len() + own {
        return Rule::whole(op);
    }
    for (d, &size) in data.iter().enumerate() {
        if d == dim {
            let factor = rule.factor(size, Kind::Lookup)?;
            rule.operand(0, d, factor);
            for i in 0..own {
                let factor = rule.factor(indices[batches + i], Kind::Parallel)?;
                rule.operand(1, batches + i, factor);
                rule.result(0, dim + i, factor);
            }
            continue;
        }
        let factor = rule.factor(size, Kind::Parallel)?;
        rule.operand(0, d, factor);
        if d < batches {
            rule.operand(1, d, factor);
        }
        rule.result(0, if d < dim { d } else { d + own - 1 }, factor);
    }
    Ok(rule.build())
}

/// The dimension that holds the parts of one index.
fn index_vector(rule: &mut RuleBuilder, indices: usize, dim: i64) -> Result<()> {
    let dim = dim as usize;
    if let Some(&size) = rule.operand_shapes[indices].get(dim) {
        let factor = rule.factor(size, Kind::Whole)?;
        rule.operand(indices, dim, factor);
    }
    Ok(())
}
