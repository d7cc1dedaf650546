//! Operations that compute much and can be computed in parts.

use crate::ir::*;
use crate::ops::Spread;
use crate::ops::rule::{Access, Combine, DimMap, FactorId, Kind, Rule};

/// Operations of fewer steps per byte are no products of matrices.
const LEAST_INTENSITY: f64 = 4.0;

/// An operation that is computed in parts.
pub(super) struct Product {
    /// The operation.
    pub(super) op: OpId,
    /// The dimension of each operand that is cut; nothing for one that is needed whole.
    pub(super) cut: Vec<Option<usize>>,
    /// The operand that comes in parts.
    pub(super) arrives: Option<usize>,
    /// The dimension of the result that a part gives a block of; nothing where all are added.
    pub(super) block: Option<usize>,
    /// The dimension of each operand that is cut for a half of the result.
    pub(super) halves: Vec<Option<usize>>,
}

impl Product {
    /// An operation on an operand that comes in parts along a dimension.
    pub(super) fn with_parts_of(module: &Module, op: OpId, operand: ValueId, dim: usize) -> Option<Product> {
        let rule = plain_rule(module.op(op))?;
        let mut places = module.operands(op).iter().enumerate().filter(|(_, v)| **v == operand);
        let (arrives, _) = places.next()?;
        let factor = only_factor(rule.operands.get(arrives)?, dim)?;
        if places.next().is_some() {
            return None;
        }
        let mut product = Product::along(&rule, factor, op)?;
        product.arrives = Some(arrives);
        Some(product)
    }

    /// An operation whose result is made in blocks along a dimension.
    pub(super) fn in_blocks(module: &Module, op: OpId, dim: usize) -> Option<Product> {
        let rule = plain_rule(module.op(op))?;
        let factor = only_factor(rule.results.first()?, dim)?;
        Product::along(&rule, factor, op).filter(|product| product.block == Some(dim))
    }

    /// An operation in parts along a factor.
    fn along(rule: &Rule, factor: FactorId, op: OpId) -> Option<Product> {
        let cut: Option<Vec<_>> = rule.operands.iter().map(|map| place_of(map, factor)).collect();
        let block = place_of(rule.results.first()?, factor)?;
        match rule.factors[usize::from(factor.0)].kind {
            Kind::Parallel if block.is_some() => {}
            Kind::Reduce(Combine::Add) if block.is_none() => {}
            _ => return None,
        }
        Some(Product { op, cut: cut?, arrives: None, block, halves: Vec::new() })
    }
}

/// The rule of an operation with one result that computes much, and whose dimensions are each one factor.
fn plain_rule(op: OpRef<'_>) -> Option<Rule> {
    let Spread::Rule(rule, _) = op.def().spread else { return None };
    let work = (op.def().work)(op);
    if op.results().len() != 1 || !op.regions().is_empty() || work.flops < LEAST_INTENSITY * work.bytes {
        return None;
    }
    let rule = rule(op).ok()?;
    let mut maps = rule.operands.iter().chain(&rule.results).flatten();
    maps.all(|map| map.access == Access::Direct && map.factors.len() <= 1).then_some(rule)
}

/// The factor that a dimension of a tensor is.
pub(super) fn only_factor(tensor: &[DimMap], dim: usize) -> Option<FactorId> {
    match &tensor.get(dim)?.factors[..] {
        &[factor] => Some(factor),
        _ => None,
    }
}

/// The dimension of a tensor that a factor reaches, if there is one; nothing at all where there are several.
pub(super) fn place_of(tensor: &[DimMap], factor: FactorId) -> Option<Option<usize>> {
    let mut dims = (0..tensor.len()).filter(|d| tensor[*d].follows(factor));
    let first = dims.next();
    dims.next().is_none().then_some(first)
}
