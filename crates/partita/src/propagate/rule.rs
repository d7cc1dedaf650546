//! Rules in the form propagation works on: which factor stands where, and nothing else.

use crate::ops::Flow;
use crate::ops::rule::{Access, Kind, Rule};
use smallvec::SmallVec;

/// A rule, compiled.
#[derive(Clone, Debug)]
pub(super) struct FlowRule {
    pub(super) factors: SmallVec<[FlowFactor; 6]>,
    /// Operands, then results.
    pub(super) tensors: SmallVec<[FlowTensor; 3]>,
    pub(super) operand_count: usize,
    pub(super) flow: Flow,
    /// Dimensions that have one factor in common and nothing else. Where no dimension has more than one factor,
    /// tensors that agree along all of these have nothing to tell each other.
    pub(super) links: Option<Vec<Link>>,
    /// The rule it was made of; nothing for edges.
    pub(super) source: Option<Rule>,
}

/// Two dimensions of two tensors that have one factor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) first: (u16, u8),
    pub(super) second: (u16, u8),
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
    pub(super) dims: SmallVec<[SmallVec<[u8; 4]>; 4]>,
    /// How many atoms at the head of each dimension are not the rule's: those of manual axes. Empty for none.
    pub(super) skip: SmallVec<[u8; 4]>,
    /// The product of the sizes of all its factors.
    pub(super) size: i64,
}

impl FlowRule {
    pub(super) fn new(rule: Rule, flow: Flow) -> FlowRule {
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
                let dims: SmallVec<[SmallVec<[u8; 4]>; 4]> =
                    map.iter().map(|d| d.factors.iter().map(|f| f.0).collect()).collect();
                let ids = dims.iter().flatten();
                let size = ids.fold(1i64, |n, f| n.saturating_mul(rule.factors[usize::from(*f)].size));
                FlowTensor { dims, skip: SmallVec::new(), size }
            })
            .collect();
        let operand_count = rule.operands.len();
        FlowRule { factors, tensors, operand_count, flow, links: None, source: Some(rule) }.linked()
    }

    /// Any number of tensors of one shape with one sharding: edges of control flow.
    pub(super) fn identity(shape: &[i64], operands: usize) -> FlowRule {
        let factors = shape.iter().map(|&size| FlowFactor { size, free: true, blocked: false }).collect();
        let dims: SmallVec<[SmallVec<[u8; 4]>; 4]> =
            (0..shape.len() as u8).map(|d| SmallVec::from_slice(&[d])).collect();
        let size = shape.iter().fold(1i64, |n, s| n.saturating_mul(*s));
        let tensor = FlowTensor { dims, skip: SmallVec::new(), size };
        let tensors = std::iter::repeat_n(tensor, operands + 1).collect();
        FlowRule {
            factors,
            tensors,
            operand_count: operands,
            flow: Flow::PassThrough,
            links: None,
            source: None,
        }
        .linked()
    }

    /// An edge into or out of a manual region: one side has atoms at the head of its dimensions that the other does
    /// not see.
    pub(super) fn manual_edge(shape: &[i64], skip: [SmallVec<[u8; 4]>; 2]) -> FlowRule {
        let mut rule = FlowRule::identity(shape, 1);
        for (tensor, skip) in rule.tensors.iter_mut().zip(skip) {
            tensor.skip = skip;
        }
        rule.links = None;
        rule
    }

    fn linked(mut self) -> FlowRule {
        let single = |t: &FlowTensor| t.dims.iter().all(|d| d.len() <= 1);
        if !self.tensors.iter().all(single) {
            return self;
        }
        let mut first: SmallVec<[Option<(u16, u8)>; 8]> = SmallVec::from_elem(None, self.factors.len());
        let mut links = Vec::new();
        for (t, tensor) in self.tensors.iter().enumerate() {
            for (d, factors) in tensor.dims.iter().enumerate() {
                let Some(&f) = factors.first() else { continue };
                let here = (t as u16, d as u8);
                match first[usize::from(f)] {
                    Some(there) => links.push(Link { first: there, second: here }),
                    None => first[usize::from(f)] = Some(here),
                }
            }
        }
        self.links = Some(links);
        self
    }
}
