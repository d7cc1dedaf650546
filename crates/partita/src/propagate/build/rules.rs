//! The rule of each op, made once for all ops that are alike.

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use crate::ops::rule::{Combine, Rule};
use crate::ops::{Flow, KnownIndices, OpError, OpKind, Spread, combine, known_indices};
use crate::propagate::rule::FlowRule;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Of ops with one kind and types, so many with different attributes are remembered.
const VARIANTS: usize = 8;

/// Rules that are known already.
#[derive(Default)]
pub(super) struct RuleMemo {
    /// By kind and types: ops with their rules.
    ops: FxHashMap<Key, SmallVec<[Known; 1]>>,
    /// Edges by type and number of sources; the flag is for constraints.
    edges: FxHashMap<(TypeId, usize, bool), u32>,
}

type Key = (OpKind, SmallVec<[TypeId; 6]>);

/// A row's rule.
type Make = fn(OpRef<'_>) -> Result<Rule, OpError>;

/// An op, what its rule takes from beyond types and attributes, and its rule.
type Known = (OpId, (Option<Combine>, KnownIndices), u32);

impl<'m> Builder<'m> {
    /// The rule of an edge between tensors of one type.
    pub(super) fn identity(&mut self, ty: TypeId, sources: usize) -> u32 {
        self.edge_rule(ty, sources, false)
    }

    /// The rule of a constraint: as an elementwise op.
    pub(super) fn constraint_rule(&mut self, ty: TypeId) -> u32 {
        self.edge_rule(ty, 1, true)
    }

    fn edge_rule(&mut self, ty: TypeId, sources: usize, constraint: bool) -> u32 {
        if let Some(&known) = self.memo.edges.get(&(ty, sources, constraint)) {
            return known;
        }
        let shape = self.module.types[ty].as_tensor().map(|t| t.shape.clone()).unwrap_or_default();
        let mut rule = FlowRule::identity(&shape, sources);
        if constraint {
            rule.flow = Flow::Elementwise;
        }
        let id = self.add_rule(rule);
        self.memo.edges.insert((ty, sources, constraint), id);
        id
    }

    /// The rule of an op; nothing where shardings do not pass it.
    pub(super) fn rule_of(&mut self, op: OpRef<'m>) -> Option<u32> {
        let (rule, flow): (Make, Flow) = match op.def().spread {
            Spread::Rule(rule, flow) => (rule, flow),
            Spread::Whole(_) => (Rule::whole, Flow::Ordinary),
            _ => return None,
        };
        let id = match self.calls.own_rule(op) {
            Some(own) => self.compiled(op, own, flow),
            None => self.common_rule(op, rule, flow),
        };
        self.graph.op_rules[op.id] = id;
        id
    }

    fn common_rule(&mut self, op: OpRef<'m>, rule: Make, flow: Flow) -> Option<u32> {
        let types = op.operands().iter().copied().chain(op.results());
        let key: Key = (op.kind(), types.map(|v| self.module.values[v].ty).collect());
        let combined = if op.regions().is_empty() { None } else { combine(op) };
        let facts = (combined, known_indices(op));
        if let Some(variants) = self.memo.ops.get(&key) {
            let alike = |(other, theirs, _): &&Known| {
                let other = self.module.op(*other);
                *theirs == facts && op.def().attrs.iter().all(|a| op.attr(a.name) == other.attr(a.name))
            };
            if let Some((_, _, known)) = variants.iter().find(alike) {
                return Some(*known);
            }
        }
        // A rule says how many shards fit: sizes that are not known say nothing.
        let known = |t: &Type| t.as_tensor().is_none_or(|t| t.shape.iter().all(|s| *s >= 0));
        if !op.operand_types().chain(op.result_types()).all(known) {
            return None;
        }
        let id = self.compiled(op, rule(op), flow)?;
        let variants = self.memo.ops.entry(key).or_default();
        if variants.len() < VARIANTS {
            variants.push((op.id, facts, id));
        }
        Some(id)
    }

    fn compiled(&mut self, op: OpRef<'m>, rule: Result<Rule, OpError>, flow: Flow) -> Option<u32> {
        match rule {
            Ok(rule) => Some(self.add_rule(FlowRule::new(rule, flow))),
            Err(error) => {
                let message = format!("`{}`: {}", op.def().name, error.message);
                self.errors.push(Diagnostic::new("rule", op.op().span, message));
                None
            }
        }
    }
}
