//! Rules in the form propagation works on: which factor stands where, and nothing else.

use crate::ops::Flow;
use crate::ops::rule::{Access, Kind, Rule};
use smallvec::SmallVec;

/// A rule, compiled.
#[derive(Clone, Debug)]
pub(super) struct FlowRule {
    pub(super) factors: SmallVec<[FlowFactor; 8]>,
    /// Operands, then results.
    pub(super) tensors: SmallVec<[FlowTensor; 4]>,
    pub(super) operand_count: usize,
    pub(super) flow: Flow,
}

#[derive(Clone, Debug)]
pub(super) struct FlowFactor {
    pub(super) size: i64,
    /// Splitting it takes no communication at all.
    pub(super) free: bool,
    pub(super) blocked: bool,
}

#[derive(Clone, Debug)]
pub(super) struct FlowTensor {
    /// The factors of each dimension, major to minor.
    pub(super) dims: SmallVec<[SmallVec<[u8; 2]>; 4]>,
    /// The product of the sizes of all its factors.
    pub(super) size: i64,
}

impl FlowRule {
    pub(super) fn new(rule: &Rule, flow: Flow) -> FlowRule {
        let affine = |id: u8| {
            let has = |map: &crate::ops::rule::DimMap| {
                map.access != Access::Direct && map.factors.iter().any(|f| f.0 == id)
            };
            rule.tensors().any(|t| t.iter().any(has))
        };
        let factors = rule
            .factors
            .iter()
            .enumerate()
            .map(|(i, f)| FlowFactor {
                size: f.size,
                free: matches!(f.kind, Kind::Parallel | Kind::Lookup) && !affine(i as u8),
                blocked: f.blocked,
            })
            .collect();
        let tensors = rule
            .tensors()
            .map(|map| {
                let dims: SmallVec<[SmallVec<[u8; 2]>; 4]> =
                    map.iter().map(|d| d.factors.iter().map(|f| f.0).collect()).collect();
                let ids = dims.iter().flatten();
                let size = ids.fold(1i64, |n, f| n.saturating_mul(rule.factors[usize::from(*f)].size));
                FlowTensor { dims, size }
            })
            .collect();
        FlowRule { factors, tensors, operand_count: rule.operands.len(), flow }
    }

    /// Any number of tensors of one shape with one sharding: edges of control flow.
    pub(super) fn identity(shape: &[i64], operands: usize) -> FlowRule {
        let factors = shape.iter().map(|&size| FlowFactor { size, free: true, blocked: false }).collect();
        let dims: SmallVec<[SmallVec<[u8; 2]>; 4]> =
            (0..shape.len() as u8).map(|d| SmallVec::from_slice(&[d])).collect();
        let size = shape.iter().fold(1i64, |n, s| n.saturating_mul(*s));
        let tensors = std::iter::repeat_n(FlowTensor { dims, size }, operands + 1).collect();
        FlowRule { factors, tensors, operand_count: operands, flow: Flow::PassThrough }
    }
}
