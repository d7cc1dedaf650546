//! The program as a graph of slots and nodes.

use super::rule::FlowRule;
use super::state::{Slot, SlotId, Slots};
use super::step::Direction;
use super::{NodeId, Reason};
use crate::diagnostic::Diagnostic;
use crate::inline::Inlined;
use crate::ir::ids::{Id, IdVec};
use crate::ir::sdy::TensorSharding;
use crate::ir::*;
use crate::ops::{Flow, OpKind, Spread};
use crate::sharding::import::{Subject, boundary_sharding, from_sdy, result_sharding};
use crate::sharding::{AtomList, Mesh};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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

/// The propagation graph of a program.
pub struct Graph {
    pub(super) nodes: IdVec<NodeId, Node>,
    pub(super) rules: Vec<FlowRule>,
    pub(super) slots: Slots,
    /// The slots of all nodes, operands then results; nothing for what has no dimensions.
    pub(super) tensors: Vec<Option<SlotId>>,
    pub(super) uses: Uses,
    /// The slot of each value. A constant has one per use; here stands the first.
    pub(super) values: IdVec<ValueId, Option<SlotId>>,
    /// The slots of the function's results.
    pub(super) results: Vec<Option<SlotId>>,
}

/// Which nodes touch a slot.
#[derive(Default)]
pub(super) struct Uses {
    start: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Uses {
    pub(super) fn of(&self, slot: SlotId) -> &[NodeId] {
        &self.nodes[self.start[slot.index()] as usize..self.start[slot.index() + 1] as usize]
    }

    fn build(slots: usize, nodes: &IdVec<NodeId, Node>, tensors: &[Option<SlotId>]) -> Uses {
        let mut start = vec![0u32; slots + 2];
        let pairs = || {
            nodes.enumerate().flat_map(|(id, node)| {
                let range = node.first as usize..(node.first + node.count) as usize;
                tensors[range].iter().flatten().map(move |slot| (id, *slot))
            })
        };
        for (_, slot) in pairs() {
            start[slot.index() + 2] += 1;
        }
        for i in 2..start.len() {
            start[i] += start[i - 1];
        }
        let mut list = vec![NodeId(0); start[slots + 1] as usize];
        for (id, slot) in pairs() {
            list[start[slot.index() + 1] as usize] = id;
            start[slot.index() + 1] += 1;
        }
        start.pop();
        Uses { start, nodes: list }
    }
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

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
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

    /// The atoms of a dimension, and why each is there.
    pub fn dimension(&self, slot: SlotId, dim: usize) -> (&AtomList, &[Reason]) {
        (&self.slots[slot].dims[dim], &self.slots[slot].reasons[dim])
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

    /// The graph of a program, with its annotations.
    pub fn build(program: &Inlined, mesh: &Mesh) -> Result<Graph, Vec<Diagnostic>> {
        let module = &program.module;
        let mut builder = Builder {
            module,
            mesh,
            graph: Graph {
                nodes: IdVec::new(),
                rules: Vec::new(),
                slots: IdVec::new(),
                tensors: Vec::new(),
                uses: Uses::default(),
                values: IdVec::filled(None, module.values.len()),
                results: Vec::new(),
            },
            constant: IdVec::filled(false, module.values.len()),
            use_count: IdVec::filled(0, module.values.len()),
            memo: FxHashMap::default(),
            errors: Vec::new(),
        };
        builder.function();
        let Builder { mut graph, errors, .. } = builder;
        if !errors.is_empty() {
            return Err(errors);
        }
        graph.uses = Uses::build(graph.slots.len(), &graph.nodes, &graph.tensors);
        Ok(graph)
    }
}

struct Builder<'m> {
    module: &'m Module,
    mesh: &'m Mesh,
    graph: Graph,
    /// Values made of constants alone.
    constant: IdVec<ValueId, bool>,
    use_count: IdVec<ValueId, u32>,
    /// Rules of ops without attributes, by kind and types.
    memo: FxHashMap<(OpKind, SmallVec<[TypeId; 6]>), u32>,
    errors: Vec<Diagnostic>,
}

impl<'m> Builder<'m> {
    fn function(&mut self) {
        let Some(func) = self.module.funcs.iter().next() else { return };
        let Some(body) = func.body else { return };
        for op in self.module.ops.ids() {
            for &operand in self.module.operands(op) {
                self.use_count[operand] += 1;
            }
        }
        for (n, arg) in self.module.regions[body].args.iter().enumerate() {
            if let Some(slot) = self.fresh(arg) {
                self.graph.values[arg] = Some(slot);
                if let Some(sharding) = boundary_sharding(&func.arg_attrs[n]) {
                    self.annotate(slot, sharding, &self.module.value_name(arg), func.span);
                }
            }
        }
        self.region(body);
        let Some(&last) = self.module.regions[body].ops.last() else { return };
        for (n, &value) in self.module.operands(last).iter().enumerate() {
            let Some(shape) = self.module.tensor_type(value).map(|t| t.shape.clone()) else {
                self.graph.results.push(None);
                continue;
            };
            let slot = self.slot_of_rank(shape.len());
            self.graph.results.push(slot);
            let Some(slot) = slot else { continue };
            if let Some(sharding) = boundary_sharding(&func.result_attrs[n]) {
                self.annotate(slot, sharding, &format!("result {n}"), func.span);
            }
            let source = self.operand(value);
            self.edge(&shape, &[source], slot, Some(last));
        }
    }

    /// A new slot for a value; nothing where it has no dimensions.
    fn fresh(&mut self, value: ValueId) -> Option<SlotId> {
        let rank = self.module.tensor_type(value)?.rank();
        self.slot_of_rank(rank)
    }

    fn slot_of_rank(&mut self, rank: usize) -> Option<SlotId> {
        (rank > 0).then(|| self.graph.slots.push(Slot::open(rank)))
    }

    /// The slot that a use of a value has: a constant has one per use.
    fn operand(&mut self, value: ValueId) -> Option<SlotId> {
        if !self.constant[value] {
            return self.graph.values[value];
        }
        let slot = self.fresh(value)?;
        self.graph.values[value].get_or_insert(slot);
        Some(slot)
    }

    fn annotate(&mut self, slot: SlotId, sharding: &TensorSharding, name: &str, span: Span) {
        let rank = self.graph.slots[slot].dims.len();
        match from_sdy(self.module, self.mesh, sharding, &Subject { name, span, rank }) {
            Ok(sharding) => self.graph.slots[slot].annotate(&sharding, 0),
            Err(error) => self.errors.push(error),
        }
    }

    fn add_node(
        &mut self,
        kind: NodeKind,
        op: Option<OpId>,
        rule: u32,
        tensors: &[Option<SlotId>],
        single: bool,
    ) {
        let first = self.graph.tensors.len() as u32;
        self.graph.tensors.extend_from_slice(tensors);
        self.graph.nodes.push(Node {
            kind,
            op,
            rule,
            first,
            count: tensors.len() as u32,
            single_use: single,
        });
    }

    /// An edge from sources to a target of the same shape.
    fn edge(&mut self, shape: &[i64], sources: &[Option<SlotId>], target: SlotId, op: Option<OpId>) {
        let rule = self.add_rule(FlowRule::identity(shape, sources.len()));
        let mut tensors: SmallVec<[Option<SlotId>; 4]> = sources.iter().copied().collect();
        tensors.push(Some(target));
        self.add_node(NodeKind::Edge, op, rule, &tensors, true);
    }

    fn add_rule(&mut self, rule: FlowRule) -> u32 {
        self.graph.rules.push(rule);
        self.graph.rules.len() as u32 - 1
    }

    fn region(&mut self, region: RegionId) {
        let module = self.module;
        for &op in &module.regions[region].ops {
            self.op(module.op(op));
        }
    }

    fn op(&mut self, op: OpRef<'m>) {
        match op.def().spread {
            Spread::Nothing | Spread::Group => {}
            Spread::Constant => self.mark_constant(op),
            Spread::Rule(..) if self.made_of_constants(op) => self.mark_constant(op),
            Spread::Rule(rule, flow) => {
                self.fresh_results(op);
                let Some(rule) = self.rule_of(op, rule, flow) else { return };
                let operands: SmallVec<[Option<SlotId>; 4]> =
                    op.operands().iter().map(|v| self.operand(*v)).collect();
                let results = op.results().map(|v| self.graph.values[v]);
                let tensors: SmallVec<[Option<SlotId>; 6]> = operands.into_iter().chain(results).collect();
                if tensors.iter().flatten().count() > 1 {
                    let single = self.operands_used_once(op);
                    self.add_node(NodeKind::Op, Some(op.id), rule, &tensors, single);
                }
            }
            Spread::Constraint => self.constraint(op),
            Spread::Barrier => self.barrier(op),
            Spread::Pairs => {
                self.fresh_results(op);
                for (n, result) in op.results().enumerate() {
                    let source = op.operands().get(n).and_then(|v| self.operand(*v));
                    self.edge_between(op, &[source], result);
                }
            }
            Spread::Loop => self.loop_op(op),
            Spread::Branches => {
                for &region in op.regions() {
                    self.region(region);
                }
                self.fresh_results(op);
                for (n, result) in op.results().enumerate() {
                    let sources: SmallVec<[Option<SlotId>; 4]> =
                        op.regions().iter().map(|r| self.returned(*r, n)).collect();
                    self.edge_between(op, &sources, result);
                }
            }
            Spread::Region | Spread::Manual => self.called_region(op),
        }
    }

    fn fresh_results(&mut self, op: OpRef<'m>) {
        for (n, result) in op.results().enumerate() {
            let slot = self.fresh(result);
            self.graph.values[result] = slot;
            if let (Some(slot), Some(sharding)) = (slot, result_sharding(&op.op().attrs, n)) {
                self.annotate(slot, sharding, &self.module.value_name(result), op.op().span);
            }
        }
    }

    /// Whether an op that only moves or maps elements has nothing but constants to work on, or broadcasts a scalar.
    fn made_of_constants(&self, op: OpRef<'m>) -> bool {
        let Spread::Rule(_, flow) = op.def().spread else { return false };
        if op.attr(names::SDY_SHARDING).is_some() || op.operands().is_empty() {
            return false;
        }
        let scalar = |v: ValueId| self.module.tensor_type(v).is_some_and(|t| t.rank() == 0);
        match flow {
            Flow::Broadcast => op.operands().iter().all(|v| self.constant[*v] || scalar(*v)),
            Flow::Elementwise | Flow::PassThrough => op.operands().iter().all(|v| self.constant[*v]),
            _ => false,
        }
    }

    fn mark_constant(&mut self, op: OpRef<'m>) {
        for result in op.results() {
            self.constant[result] = true;
        }
        // An annotated constant is a tensor like any other.
        if op.attr(names::SDY_SHARDING).is_some() {
            op.results().for_each(|r| self.constant[r] = false);
            self.fresh_results(op);
        }
    }

    fn operands_used_once(&self, op: OpRef<'m>) -> bool {
        op.operands().iter().all(|v| {
            let scalar = self.module.tensor_type(*v).is_none_or(|t| t.rank() == 0);
            scalar || self.constant[*v] || self.use_count[*v] == 1
        })
    }

    fn rule_of(
        &mut self,
        op: OpRef<'m>,
        rule: fn(OpRef<'_>) -> Result<crate::ops::rule::Rule, crate::ops::OpError>,
        flow: Flow,
    ) -> Option<u32> {
        let plain = op.def().attrs.is_empty() && op.regions().is_empty();
        let key = plain.then(|| {
            let types = op.operands().iter().copied().chain(op.results());
            (op.kind(), types.map(|v| self.module.values[v].ty).collect::<SmallVec<[TypeId; 6]>>())
        });
        if let Some(key) = &key
            && let Some(&known) = self.memo.get(key)
        {
            return Some(known);
        }
        match rule(op) {
            Ok(rule) => {
                let id = self.add_rule(FlowRule::new(&rule, flow));
                if let Some(key) = key {
                    self.memo.insert(key, id);
                }
                Some(id)
            }
            Err(error) => {
                let message = format!("`{}`: {}", op.def().name, error.message);
                self.errors.push(Diagnostic::new("rule", op.op().span, message));
                None
            }
        }
    }

    /// An edge from sources to a value, where it has dimensions.
    fn edge_between(&mut self, op: OpRef<'m>, sources: &[Option<SlotId>], target: ValueId) {
        let Some(slot) = self.graph.values[target] else { return };
        let Some(shape) = self.module.tensor_type(target).map(|t| t.shape.clone()) else { return };
        self.edge(&shape, sources, slot, Some(op.id));
    }

    /// The slot of the n-th value that a region returns.
    fn returned(&mut self, region: RegionId, n: usize) -> Option<SlotId> {
        let last = *self.module.regions[region].ops.last()?;
        let value = *self.module.operands(last).get(n)?;
        self.operand(value)
    }

    /// Carries agree on one sharding: result, arguments of body and condition share a slot.
    fn loop_op(&mut self, op: OpRef<'m>) {
        self.fresh_results(op);
        for &region in op.regions() {
            for (arg, result) in self.module.regions[region].args.iter().zip(op.results()) {
                self.graph.values[arg] = self.graph.values[result];
            }
        }
        for &region in op.regions() {
            self.region(region);
        }
        let Some(&body) = op.regions().last() else { return };
        for (n, result) in op.results().enumerate() {
            let init = op.operands().get(n).and_then(|v| self.operand(*v));
            let next = self.returned(body, n);
            self.edge_between(op, &[init, next], result);
        }
    }

    fn constraint(&mut self, op: OpRef<'m>) {
        let result = op.op().results.at(0);
        let slot = self.fresh(result);
        self.graph.values[result] = slot;
        let (Some(slot), Some(Attr::Sdy(sdy))) = (slot, op.attr(names::SHARDING)) else { return };
        let sdy::SdyAttr::Sharding(sharding) = &**sdy else { return };
        self.annotate(slot, sharding, &self.module.value_name(result), op.op().span);
        let input = op.operands()[0];
        // What is constrained lies that way from the start, unless it is used otherwise too.
        if !self.constant[input]
            && let Some(source) = self.graph.values[input]
            && self.graph.slots[source].annotation.is_none()
            && sharding.dims.iter().all(|d| !d.open)
            && self.only_constraint(input, sharding)
        {
            self.annotate(source, sharding, &self.module.value_name(input), op.op().span);
        }
        let source = self.operand(input);
        let Some(shape) = self.module.tensor_type(result).map(|t| t.shape.clone()) else { return };
        let mut rule = FlowRule::identity(&shape, 1);
        rule.flow = Flow::Elementwise;
        let rule = self.add_rule(rule);
        let single = self.use_count[input] == 1;
        self.add_node(NodeKind::Op, Some(op.id), rule, &[source, Some(slot)], single);
    }

    /// Whether no other constraint of a value says something else.
    fn only_constraint(&self, value: ValueId, sharding: &TensorSharding) -> bool {
        if self.use_count[value] == 1 {
            return true;
        }
        self.module.ops.ids().all(|op| {
            let op = self.module.op(op);
            !matches!(op.def().spread, Spread::Constraint)
                || !op.operands().contains(&value)
                || matches!(op.attr(names::SHARDING), Some(Attr::Sdy(s)) if matches!(&**s, sdy::SdyAttr::Sharding(o) if o == sharding))
        })
    }

    fn barrier(&mut self, op: OpRef<'m>) {
        self.fresh_results(op);
        let result = op.op().results.at(0);
        let Some(slot) = self.graph.values[result] else { return };
        let Some(shape) = self.module.tensor_type(result).map(|t| t.shape.clone()) else { return };
        let direction = match op.int(names::ALLOWED_DIRECTION) {
            Some(1) => Direction::Forward,
            Some(2) => Direction::Backward,
            Some(3) => Direction::Both,
            _ => Direction::None,
        };
        let source = self.operand(op.operands()[0]);
        let rule = self.add_rule(FlowRule::identity(&shape, 1));
        self.add_node(NodeKind::Barrier(direction), Some(op.id), rule, &[source, Some(slot)], true);
    }

    /// A region that takes the operands and gives the results.
    fn called_region(&mut self, op: OpRef<'m>) {
        let Some(&region) = op.regions().first() else { return };
        for (n, arg) in self.module.regions[region].args.iter().enumerate() {
            self.graph.values[arg] = self.fresh(arg);
            let source = op.operands().get(n).and_then(|v| self.operand(*v));
            self.edge_between(op, &[source], arg);
        }
        self.region(region);
        self.fresh_results(op);
        for (n, result) in op.results().enumerate() {
            let source = self.returned(region, n);
            self.edge_between(op, &[source], result);
        }
    }
}
