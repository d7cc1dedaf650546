//! Rules of ops that move elements about.

use crate::ir::{OpRef, names};
use crate::ops::OpError;
use crate::ops::rule::{Affine, FactorId, Kind, Rule, RuleBuilder, Window, gcd};
use crate::ops::written::written;

type Result<T> = std::result::Result<T, OpError>;

/// `x = stride · o - offset`, without a window.
fn affine(outer: FactorId, stride: i64, offset: i64) -> Affine {
    Affine { outer, window: Window::None, base: 1, stride, dilation: 1, offset }
}

/// A dimension of the operand that is not repeated goes through; all others of the result are free.
pub fn broadcast_in_dim(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let dims = op.ints(names::BROADCAST_DIMENSIONS);
    for out in 0..rule.result_shapes[0].len() {
        let size = rule.result_shapes[0][out];
        let factor = rule.factor(size, Kind::Parallel)?;
        rule.result(0, out, factor);
        if let Some(dim) = dims.iter().position(|d| *d == out as i64)
            && rule.operand_shapes[0][dim] == size
        {
            rule.operand(0, dim, factor);
        }
    }
    Ok(rule.build())
}

/// As `broadcast_in_dim` with the operand's dimensions last.
pub fn broadcast(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let new = rule.result_shapes[0].len() - rule.operand_shapes[0].len();
    for out in 0..rule.result_shapes[0].len() {
        let factor = rule.factor(rule.result_shapes[0][out], Kind::Parallel)?;
        rule.result(0, out, factor);
        if out >= new {
            rule.operand(0, out - new, factor);
        }
    }
    Ok(rule.build())
}

/// Dimensions of both sides are cut into common factors, major to minor. Where the two sides do not have one, each
/// gets a factor of its own until they meet again.
pub fn reshape(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let (input, output) = (rule.operand_shapes[0].clone(), rule.result_shapes[0].clone());
    if input.contains(&0) {
        return Rule::whole(op);
    }
    // What is left of the dimension each side stands at.
    let (mut i, mut o) = (0, 0);
    let (mut left_in, mut left_out) = (1, 1);
    // The products of the factors handed out so far.
    let (mut done_in, mut done_out) = (1i64, 1i64);
    loop {
        while left_in == 1 && i < input.len() {
            left_in = input[i];
            i += 1;
        }
        while left_out == 1 && o < output.len() {
            left_out = output[o];
            o += 1;
        }
        if left_in == 1 && left_out == 1 {
            return Ok(rule.build());
        }
        let common = gcd(left_in, left_out);
        if done_in == done_out && common > 1 {
            let factor = rule.factor(common, Kind::Parallel)?;
            rule.operand(0, i - 1, factor);
            rule.result(0, o - 1, factor);
            (left_in, left_out) = (left_in / common, left_out / common);
            (done_in, done_out) = (done_in * common, done_out * common);
            continue;
        }
        // The side that is behind gets a factor: one that brings it level, if there is one.
        let advance_in = done_in <= done_out && left_in > 1;
        let (left, done, other) =
            if advance_in { (left_in, done_in, done_out) } else { (left_out, done_out, done_in) };
        let size = if other % done == 0 && other > done && left % (other / done) == 0 {
            other / done
        } else if left > common && done != other {
            left / common
        } else {
            left
        };
        let factor = rule.factor(size, Kind::Parallel)?;
        if advance_in {
            rule.operand(0, i - 1, factor);
            (left_in, done_in) = (left_in / size, done_in * size);
        } else {
            rule.result(0, o - 1, factor);
            (left_out, done_out) = (left_out / size, done_out * size);
        }
    }
}

/// Each dimension goes where the permutation sends it.
pub fn transpose(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    for (out, &dim) in op.ints(names::PERMUTATION).iter().enumerate() {
        let factor = rule.factor(rule.result_shapes[0][out], Kind::Parallel)?;
        rule.operand(0, dim as usize, factor);
        rule.result(0, out, factor);
    }
    Ok(rule.build())
}

/// Whole dimensions go through; a part of one is an affine access.
pub fn slice(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let (starts, strides) = (op.ints(names::START_INDICES), op.ints(names::STRIDES));
    for dim in 0..rule.result_shapes[0].len() {
        let size = rule.result_shapes[0][dim];
        let factor = rule.factor(size, Kind::Parallel)?;
        rule.everywhere(dim, factor);
        let from = rule.operand_shapes[0][dim];
        if from != size {
            let own = Window::Factor(rule.factor(from, Kind::Lookup)?);
            let access = affine(factor, strides[dim], -starts[dim]);
            rule.operand_access(0, dim, Affine { window: own, dilation: 0, ..access });
        }
    }
    Ok(rule.build())
}

/// Dimensions taken whole go through. Along the others the operand is looked up.
pub fn dynamic_slice(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    for dim in 0..rule.result_shapes[0].len() {
        let (from, to) = (rule.operand_shapes[0][dim], rule.result_shapes[0][dim]);
        if from == to {
            let factor = rule.factor(to, Kind::Parallel)?;
            rule.operand(0, dim, factor);
            rule.result(0, dim, factor);
        } else {
            let looked_up = rule.factor(from, Kind::Lookup)?;
            rule.operand(0, dim, looked_up);
            let made = rule.factor(to, Kind::Parallel)?;
            rule.result(0, dim, made);
        }
    }
    Ok(rule.build())
}

/// Dimensions updated whole go through. Along the others each shard keeps what falls into it; the update is whole, or reached from
/// where it is known to be written.
pub fn dynamic_update_slice(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let written = written(op);
    for dim in 0..rule.result_shapes[0].len() {
        let (size, update) = (rule.result_shapes[0][dim], rule.operand_shapes[1][dim]);
        let known = size == update || written.is_some();
        let factor = rule.factor(size, if known { Kind::Parallel } else { Kind::Lookup })?;
        rule.operand(0, dim, factor);
        rule.result(0, dim, factor);
        if size == update {
            rule.operand(1, dim, factor);
        } else if let Some(written) = &written {
            rule.operand_access(1, dim, affine(factor, 1, written.starts[dim]));
        } else {
            let whole = rule.factor(update, Kind::Whole)?;
            rule.operand(1, dim, whole);
        }
    }
    Ok(rule.build())
}

/// `(interior + 1) · x = o - low`.
pub fn pad(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let (low, interior) = (op.ints(names::EDGE_PADDING_LOW), op.ints(names::INTERIOR_PADDING));
    for dim in 0..rule.result_shapes[0].len() {
        let size = rule.result_shapes[0][dim];
        let factor = rule.factor(size, Kind::Parallel)?;
        rule.operand(0, dim, factor);
        rule.result(0, dim, factor);
        if rule.operand_shapes[0][dim] != size || low[dim] != 0 || interior[dim] != 0 {
            let base = interior[dim] + 1;
            rule.operand_access(0, dim, Affine { base, ..affine(factor, 1, low[dim]) });
        }
    }
    Ok(rule.build())
}

/// Each operand is the result from its own offset on.
pub fn concatenate(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let joined = op.int(names::DIMENSION).unwrap_or(0) as usize;
    for dim in 0..rule.result_shapes[0].len() {
        let factor = rule.factor(rule.result_shapes[0][dim], Kind::Parallel)?;
        rule.everywhere(dim, factor);
        if dim == joined {
            let mut offset = 0;
            for n in 0..rule.operand_shapes.len() {
                rule.operand_access(n, dim, affine(factor, 1, offset));
                offset += rule.operand_shapes[n][dim];
            }
        }
    }
    Ok(rule.build())
}

/// `x = -o + (n - 1)` along reversed dimensions.
pub fn reverse(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let reversed = op.ints(names::DIMENSIONS);
    for dim in 0..rule.result_shapes[0].len() {
        let size = rule.result_shapes[0][dim];
        let factor = rule.factor(size, Kind::Parallel)?;
        rule.everywhere(dim, factor);
        if reversed.contains(&(dim as i64)) {
            rule.operand_access(0, dim, affine(factor, -1, 1 - size));
        }
    }
    Ok(rule.build())
}

/// Common dimensions go through; the dimension that holds the parts of wider elements is whole.
pub fn bitcast_convert(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let (from, to) = (rule.operand_shapes[0].clone(), rule.result_shapes[0].clone());
    for dim in 0..from.len().max(to.len()) {
        let both = dim < from.len() && dim < to.len();
        let kind = if both { Kind::Parallel } else { Kind::Whole };
        let factor = rule.factor(if dim < to.len() { to[dim] } else { from[dim] }, kind)?;
        rule.everywhere(dim, factor);
    }
    Ok(rule.build())
}

/// Operands that are brought to the shape of the result first: by `broadcast_dimensions`, or from the last dimension
/// on. A dimension of the size of the result's goes through, one of size one is free.
pub fn broadcasting(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let shape = rule.result_shapes[0].clone();
    let given = op.opt_ints(names::BROADCAST_DIMENSIONS);
    for (out, &size) in shape.iter().enumerate() {
        let factor = rule.factor(size, Kind::Parallel)?;
        rule.result(0, out, factor);
        for n in 0..rule.operand_shapes.len() {
            let rank = rule.operand_shapes[n].len();
            let dim = match given {
                Some(dims) if dims.len() == rank && rank < shape.len() => {
                    dims.iter().position(|d| *d == out as i64)
                }
                _ => out.checked_sub(shape.len() - rank.min(shape.len())),
            };
            if let Some(dim) = dim
                && rule.operand_shapes[n].get(dim) == Some(&size)
            {
                rule.operand(n, dim, factor);
            }
        }
    }
    Ok(rule.build())
}

/// The dimension whose size is set is whole; the others go through.
pub fn set_dimension_size(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let set = op.int(names::DIMENSION).unwrap_or(0) as usize;
    for dim in 0..rule.result_shapes[0].len() {
        let kind = if dim == set { Kind::Whole } else { Kind::Parallel };
        let factor = rule.factor(rule.result_shapes[0][dim], kind)?;
        rule.operand(0, dim, factor);
        rule.result(0, dim, factor);
    }
    Ok(rule.build())
}
