//! Rules of Fourier transforms, linear algebra and random numbers.

use crate::ir::{OpRef, names};
use crate::ops::OpError;
use crate::ops::rule::{Kind, Rule, RuleBuilder};

type Result<T> = std::result::Result<T, OpError>;

/// Dimensions that all tensors have in front go through; behind them each tensor is whole.
pub fn batches(op: OpRef<'_>, own: usize) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let Some(first) = rule.operand_shapes.first().cloned() else { return Rule::whole(op) };
    let shapes = || rule.operand_shapes.iter().chain(&rule.result_shapes);
    let common = |d: &usize| shapes().all(|s| s.is_empty() || s.get(*d) == Some(&first[*d]));
    let batch = (0..first.len().saturating_sub(own)).take_while(common).count();
    for (dim, &size) in first.iter().enumerate().take(batch) {
        let factor = rule.factor(size, Kind::Parallel)?;
        rule.everywhere(dim, factor);
    }
    for n in 0..rule.operand_shapes.len() {
        for dim in batch..rule.operand_shapes[n].len() {
            let factor = rule.factor(rule.operand_shapes[n][dim], Kind::Whole)?;
            rule.operand(n, dim, factor);
        }
    }
    for n in 0..rule.result_shapes.len() {
        for dim in batch..rule.result_shapes[n].len() {
            let factor = rule.factor(rule.result_shapes[n][dim], Kind::Whole)?;
            rule.result(n, dim, factor);
        }
    }
    Ok(rule.build())
}

/// The leading dimensions go through, the last ones are whole but lie alike on both sides.
fn square(op: OpRef<'_>, whole: usize) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let shape = rule.operand_shapes[0].clone();
    let batch = shape.len().saturating_sub(whole);
    for (dim, &size) in shape.iter().enumerate() {
        let factor = rule.factor(size, if dim < batch { Kind::Parallel } else { Kind::Whole })?;
        rule.everywhere(dim, factor);
        if rule.result_shapes.iter().any(|s| s.get(dim).is_some_and(|r| *r != size)) {
            rule.block(factor);
        }
    }
    Ok(rule.build())
}

/// All but the transformed dimensions go through.
pub fn fft(op: OpRef<'_>) -> Result<Rule> {
    square(op, op.ints(names::FFT_LENGTH).len())
}

/// All but the last two dimensions go through.
pub fn cholesky(op: OpRef<'_>) -> Result<Rule> {
    square(op, 2)
}

/// Batches go through, and so do the right-hand sides: each is solved on its own.
pub fn triangular_solve(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let shape = rule.result_shapes[0].clone();
    let Some(batch) = shape.len().checked_sub(2) else { return Rule::whole(op) };
    for (dim, &size) in shape.iter().enumerate().take(batch) {
        let factor = rule.factor(size, Kind::Parallel)?;
        rule.everywhere(dim, factor);
    }
    let (solved, free) = if op.flag(names::LEFT_SIDE) { (batch, batch + 1) } else { (batch + 1, batch) };
    let sides = rule.factor(shape[free], Kind::Parallel)?;
    rule.operand(1, free, sides);
    rule.result(0, free, sides);
    let unknowns = rule.factor(shape[solved], Kind::Whole)?;
    rule.operand(0, batch, unknowns);
    rule.operand(1, solved, unknowns);
    rule.result(0, solved, unknowns);
    let columns = rule.factor(rule.operand_shapes[0][batch + 1], Kind::Whole)?;
    rule.operand(0, batch + 1, columns);
    Ok(rule.build())
}

/// The state is whole; every element of the output is made from its own place.
pub fn rng_bit_generator(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    for dim in 0..rule.operand_shapes[0].len() {
        let factor = rule.factor(rule.operand_shapes[0][dim], Kind::Whole)?;
        rule.operand(0, dim, factor);
        rule.result(0, dim, factor);
        rule.block(factor);
    }
    for dim in 0..rule.result_shapes[1].len() {
        let factor = rule.factor(rule.result_shapes[1][dim], Kind::Parallel)?;
        rule.result(1, dim, factor);
    }
    Ok(rule.build())
}
