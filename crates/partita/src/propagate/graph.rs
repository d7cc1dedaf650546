//! The program as a graph of slots and nodes.

use super::rule::FlowRule;
use super::state::{Slot, SlotId, Slots};
use super::step::Direction;
use super::{NodeId, Reason};
use crate::ir::ids::IdVec;
use crate::ir::{Lists, OpId, ValueId};
use crate::ops::Flow;
use crate::ops::rule::Rule;
use crate::sharding::{Atom, Sharding};
use rustc_hash::FxHashMap;

/// What a node stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// An operation with a rule.
    Op,
    /// An edge of control flow, or a result of the function.
    Edge,
    /// A barrier that lets shardings pass in one direction.
    Barrier(Direction),
}

/// A node: something that relates slots.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it stands for.
    pub kind: NodeKind,
    /// The operation, where there is one.
    pub op: Option<OpId>,
    pub(super) rule: u32,
    pub(super) first: u32,
    pub(super) count: u32,
    /// Whether no operand has another use.
    pub(super) single_use: bool,
}

/// A rule that ops which are alike have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RuleId(u32);

/// The propagation graph of a program.
#[derive(Clone)]
pub struct Graph {
    pub(super) nodes: IdVec<NodeId, Node>,
    pub(super) rules: Vec<FlowRule>,
    pub(super) slots: Slots,
    /// The rule of each operation that has one, also where it relates nothing.
    pub(super) op_rules: IdVec<OpId, Option<u32>>,
    /// The slots of all nodes, operands then results; nothing for what has no dimensions.
    pub(super) tensors: Vec<Option<SlotId>>,
    /// Which nodes touch a slot.
    pub(super) uses: Lists<SlotId, NodeId>,
    /// The slot of each value. A constant has one per use; here stands the first.
    pub(super) values: IdVec<ValueId, Option<SlotId>>,
    /// The slots of the function's results.
    pub(super) results: Vec<Option<SlotId>>,
    /// For each manual region, how its operands lie where they enter it.
    pub(super) manual_inputs: FxHashMap<OpId, Vec<Option<SlotId>>>,
}

impl Graph {
    pub(super) fn slot(&self, slot: SlotId) -> &Slot {
        &self.slots[slot]
    }

    /// The slot of a value, where it has dimensions.
    pub fn value_slot(&self, value: ValueId) -> Option<SlotId> {
        self.values[value]
    }

    /// The slots of the function's results.
    pub fn result_slots(&self) -> &[Option<SlotId>] {
        &self.results
    }

    /// How the operands of a manual region lie where they enter it.
    pub fn manual_inputs(&self, op: OpId) -> &[Option<SlotId>] {
        self.manual_inputs.get(&op).map_or(&[], Vec::as_slice)
    }

    /// How many slots.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// How many dimensions a slot has.
    pub fn rank(&self, slot: SlotId) -> usize {
        self.slots[slot].rank()
    }

    /// What the program says of a slot, where it says something.
    pub fn annotation(&self, slot: SlotId) -> Option<&Sharding> {
        self.slots[slot].annotation.as_deref()
    }

    /// Says how a slot lies, before shardings are completed; in place of what the program says.
    pub fn annotate(&mut self, slot: SlotId, sharding: &Sharding) {
        self.slots[slot].annotate(sharding, 0);
    }

    /// Splits a dimension of a slot by a choice of completion, before shardings are completed; the slot stays open.
    pub fn choose(&mut self, slot: SlotId, dim: usize, atoms: &[Atom]) {
        self.slots[slot].choose(dim, atoms);
    }

    /// Keeps propagation from splitting a dimension of a slot further.
    pub fn close(&mut self, slot: SlotId, dim: usize) {
        self.slots[slot].close(dim);
    }

    /// All nodes.
    pub fn node_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        self.nodes.ids()
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// The rule of an operation and how it flows; nothing where it has none.
    pub fn op_rule(&self, op: OpId) -> Option<(RuleId, &Rule, Flow)> {
        let index = self.op_rules[op]?;
        let rule = &self.rules[index as usize];
        Some((RuleId(index), rule.source.as_ref()?, rule.flow))
    }

    /// How many nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The slots of a node, operands then results.
    pub fn tensors_of(&self, id: NodeId) -> &[Option<SlotId>] {
        let node = &self.nodes[id];
        &self.tensors[node.first as usize..(node.first + node.count) as usize]
    }

    /// The atoms of every dimension.
    pub fn dimensions(&self, slot: SlotId) -> impl Iterator<Item = &[Atom]> {
        self.slots[slot].dims()
    }

    /// The atoms of a dimension, and why each is there.
    pub fn dimension(&self, slot: SlotId, dim: usize) -> (&[Atom], &[Reason]) {
        (self.slots[slot].dim(dim), self.slots[slot].reasons(dim))
    }

    /// All priorities that annotations name, in order; at least zero.
    pub(super) fn priorities(&self) -> Vec<u32> {
        let mut list = vec![0];
        let annotations = self.slots.iter().filter_map(|s| s.annotation.as_deref());
        list.extend(annotations.flat_map(|a| a.dims.iter().map(|d| d.priority)));
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Lets the annotations of a priority take part.
    pub(super) fn admit(&mut self, priority: u32) {
        for id in self.slots.ids() {
            self.slots[id].admit(priority);
        }
    }
}
