//! Rules of reductions, windows and ordered dimensions.

use super::{combine, combine_in, padding};
use crate::ir::attr::{Comparison, EnumAttr};
use crate::ir::{OpRef, names};
use crate::ops::OpError;
use crate::ops::ordered::Direction;
use crate::ops::rule::{Affine, Combine, Kind, Rule, RuleBuilder, Window};
use smallvec::SmallVec;

type Result<T> = std::result::Result<T, OpError>;

/// Reduced dimensions stand in the inputs only.
pub fn reduce(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let inputs = op.operands().len() / 2;
    let reduced = op.ints(names::DIMENSIONS);
    let combine = combine(op).unwrap_or(Combine::Region);
    let mut out = 0;
    for dim in 0..rule.operand_shapes[0].len() {
        let is_reduced = reduced.contains(&(dim as i64));
        let kind = if is_reduced { Kind::Reduce(combine) } else { Kind::Parallel };
        let factor = rule.factor(rule.operand_shapes[0][dim], kind)?;
        (0..inputs).for_each(|n| rule.operand(n, dim, factor));
        if !is_reduced {
            (0..inputs).for_each(|n| rule.result(n, out, factor));
            out += 1;
        }
    }
    Ok(rule.build())
}

/// Dimensions without a window go through, cumulative ones are scans, the others are reached by windows.
pub fn reduce_window(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let inputs = op.operands().len() / 2;
    for dim in 0..rule.result_shapes[0].len() {
        let at = |name, default| op.opt_ints(name).map_or(default, |list| list[dim]);
        let (size, stride) = (at(names::WINDOW_DIMENSIONS, 1), at(names::WINDOW_STRIDES, 1));
        let (base, dilation) = (at(names::BASE_DILATIONS, 1), at(names::WINDOW_DILATIONS, 1));
        let (low, high) = padding(op, dim);
        let plain = stride == 1 && base == 1 && dilation == 1;
        let running = running(op, dim).is_some();
        let untouched = plain && size == 1 && (low, high) == (0, 0);
        let kind = if running { Kind::Scan } else { Kind::Parallel };
        let factor = rule.factor(rule.result_shapes[0][dim], kind)?;
        for n in 0..inputs {
            rule.operand(n, dim, factor);
            rule.result(n, dim, factor);
            if !running && !untouched {
                let window = Window::Size(size);
                rule.operand_access(
                    n,
                    dim,
                    Affine { outer: factor, window, base, stride, dilation, offset: low },
                );
            }
        }
    }
    Ok(rule.build())
}

/// Which way windows run along a dimension: each is as long as the dimension, and they end, or start, one place after the other.
pub fn running(op: OpRef<'_>, dim: usize) -> Option<Direction> {
    let at = |name| op.opt_ints(name).map_or(1, |list| list[dim]);
    let size = at(names::WINDOW_DIMENSIONS);
    let plain = [names::WINDOW_STRIDES, names::BASE_DILATIONS, names::WINDOW_DILATIONS].map(at) == [1; 3];
    if !plain || size < 2 || size != op.operand_tensor(0).shape[dim] {
        return None;
    }
    match padding(op, dim) {
        (low, 0) if low == size - 1 => Some(Direction::Forward),
        (0, high) if high == size - 1 => Some(Direction::Backward),
        _ => None,
    }
}

/// Every index of the source is a window, by which the operand is read and the result is added to. Windows can be computed apart if
/// what each selects follows from an order and if sums of what they add can be added up.
pub fn select_and_scatter(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let adds =
        combine_in(op, 1) == Some(Combine::Add) && op.result_tensor(0).elem == op.operand_tensor(0).elem;
    let kind = if adds && selects_by_order(op) { Kind::Parallel } else { Kind::Whole };
    for dim in 0..rule.result_shapes[0].len() {
        let at = |name| op.opt_ints(name).map_or(1, |list| list[dim]);
        let (size, stride) = (at(names::WINDOW_DIMENSIONS), at(names::WINDOW_STRIDES));
        let (low, high) = padding(op, dim);
        let untouched = size == 1 && stride == 1 && (low, high) == (0, 0);
        let kind = if untouched { Kind::Parallel } else { kind };
        let factor = rule.factor(rule.operand_shapes[1][dim], kind)?;
        rule.operand(0, dim, factor);
        rule.operand(1, dim, factor);
        rule.result(0, dim, factor);
        if !untouched {
            let window = Window::Size(size);
            let access = Affine { outer: factor, window, base: 1, stride, dilation: 1, offset: low };
            rule.operand_access(0, dim, access);
            rule.result_access(0, dim, access);
        }
    }
    Ok(rule.build())
}

/// Whether the function that selects compares its two arguments by their order.
fn selects_by_order(op: OpRef<'_>) -> bool {
    let region = op.region(0);
    let &[inner, last] = &region.ops[..] else { return false };
    let compare = op.module.op(inner);
    let Some(EnumAttr::Comparison(direction)) = compare.enumeration(names::COMPARISON_DIRECTION) else {
        return false;
    };
    !matches!(direction, Comparison::Eq | Comparison::Ne)
        && compare.operands().iter().copied().eq(region.args.iter())
        && op.module.operands(last).iter().copied().eq(compare.results())
}

/// The sorted dimension is a scan; the others go through.
pub fn sort(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let shape = rule.result_shapes[0].clone();
    let dimension = op.int(names::DIMENSION).unwrap_or(-1);
    let sorted = if dimension < 0 { dimension + shape.len() as i64 } else { dimension } as usize;
    let alone = shape.iter().enumerate().all(|(d, size)| d == sorted || *size == 1);
    for (dim, &size) in shape.iter().enumerate() {
        let kind = if dim == sorted { Kind::Scan } else { Kind::Parallel };
        let factor = rule.factor(size, kind)?;
        rule.everywhere(dim, factor);
        if dim == sorted && alone {
            rule.block(factor);
        }
    }
    Ok(rule.build())
}

/// Statistics per feature over everything else: the feature goes through, the rest is whole.
pub fn batch_norm(op: OpRef<'_>) -> Result<Rule> {
    per_feature(op, Kind::Whole)
}

/// With given statistics every dimension goes through.
pub fn batch_norm_inference(op: OpRef<'_>) -> Result<Rule> {
    per_feature(op, Kind::Parallel)
}

fn per_feature(op: OpRef<'_>, others: Kind) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let feature = op.int(names::FEATURE_INDEX).unwrap_or(0) as usize;
    let shape = rule.operand_shapes[0].clone();
    for (dim, &size) in shape.iter().enumerate() {
        let factor = rule.factor(size, if dim == feature { Kind::Parallel } else { others })?;
        let place = |of: &[i64]| match of.len() {
            1 if shape.len() != 1 => (dim == feature).then_some(0),
            _ => (dim < of.len()).then_some(dim),
        };
        for n in 0..rule.operand_shapes.len() {
            if let Some(d) = place(&rule.operand_shapes[n]) {
                rule.operand(n, d, factor);
            }
        }
        for n in 0..rule.result_shapes.len() {
            if let Some(d) = place(&rule.result_shapes[n]) {
                rule.result(n, d, factor);
            }
        }
    }
    Ok(rule.build())
}

/// The last dimension is ranked: the operand's by scan, the results' is made.
pub fn top_k(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let Some(last) = rule.operand_shapes.first().and_then(|s| s.len().checked_sub(1)) else {
        return Rule::whole(op);
    };
    if rule.result_shapes.iter().any(|s| s.len() != last + 1) {
        return Rule::whole(op);
    }
    for dim in 0..last {
        let factor = rule.factor(rule.operand_shapes[0][dim], Kind::Parallel)?;
        rule.everywhere(dim, factor);
    }
    let ranked = rule.factor(rule.operand_shapes[0][last], Kind::Scan)?;
    rule.operand(0, last, ranked);
    let made = rule.factor(rule.result_shapes.first().map_or(1, |s| s[last]), Kind::Whole)?;
    (0..rule.result_shapes.len()).for_each(|n| rule.result(n, last, made));
    Ok(rule.build())
}

/// As `top_k`, along whichever dimension shrinks, with operands that are ranked together.
pub fn approximate_top_k(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let (Some(from), Some(to)) = (rule.operand_shapes.first().cloned(), rule.result_shapes.first().cloned())
    else {
        return Rule::whole(op);
    };
    let alike =
        |shapes: &[SmallVec<[i64; 4]>], shape: &[i64]| shapes.iter().all(|s| s.is_empty() || s[..] == *shape);
    if from.len() != to.len() || !alike(&rule.operand_shapes, &from) || !alike(&rule.result_shapes, &to) {
        return Rule::whole(op);
    }
    for dim in 0..from.len() {
        if from[dim] == to[dim] {
            let factor = rule.factor(from[dim], Kind::Parallel)?;
            rule.everywhere(dim, factor);
            continue;
        }
        let ranked = rule.factor(from[dim], Kind::Scan)?;
        let made = rule.factor(to[dim], Kind::Whole)?;
        for n in 0..rule.operand_shapes.len() {
            if !rule.operand_shapes[n].is_empty() {
                rule.operand(n, dim, ranked);
            }
        }
        (0..rule.result_shapes.len()).for_each(|n| rule.result(n, dim, made));
    }
    Ok(rule.build())
}
