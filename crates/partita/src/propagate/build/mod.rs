//! From a program to its graph.

mod constrain;
mod control;
mod order;
mod rules;
mod unite;

use super::graph::{Graph, Node, NodeKind};
use super::rule::FlowRule;
use super::state::{Slot, SlotId};
use crate::diagnostic::Diagnostic;
use crate::inline::Inlined;
use crate::ir::ids::IdVec;
use crate::ir::sdy::{SdyAttr, TensorSharding};
use crate::ir::*;
use crate::ops::rule::MAX_FACTORS;
use crate::ops::{CallRules, Flow, Spread};
use crate::sharding::import::{Subject, boundary_sharding, from_sdy, result_sharding};
use crate::sharding::{AtomSet, Mesh, Sharding};
use constrain::Constraints;
use order::Order;
use rules::RuleMemo;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use unite::Union;

impl Graph {
    /// The graph of a program, with its annotations.
    pub fn build(program: &Inlined, mesh: &Mesh, calls: &CallRules) -> Result<Graph, Vec<Diagnostic>> {
        let module = &program.module;
        // Each value has one, and constants one for each use: this is enough for most programs.
        let most_slots = 2 * module.values.len();
        let mut builder = Builder {
            module,
            mesh,
            calls,
            graph: Graph {
                nodes: IdVec::new(),
                rules: Vec::new(),
                slots: IdVec::with_capacity(most_slots),
                tensors: Vec::new(),
                uses: Lists::default(),
                values: IdVec::filled(None, module.values.len()),
                results: Vec::new(),
                manual_inputs: FxHashMap::default(),
                op_rules: IdVec::filled(None, module.ops.len()),
            },
            constant: IdVec::filled(false, module.values.len()),
            use_count: IdVec::filled(0, module.values.len()),
            order: Order::of(module),
            union: Union::of(module),
            constraints: Constraints::of(module),
            alike: FxHashMap::default(),
            memo: RuleMemo::default(),
            manual: AtomSet::EMPTY,
            place: None,
            errors: Vec::new(),
        };
        builder.function();
        let Builder { mut graph, errors, .. } = builder;
        if !errors.is_empty() {
            return Err(errors);
        }
        graph.uses = Lists::new(graph.slots.len(), |tell| {
            for (id, node) in graph.nodes.enumerate() {
                let tensors = node.first as usize..(node.first + node.count) as usize;
                graph.tensors[tensors].iter().flatten().for_each(|slot| tell(*slot, id));
            }
        });
        Ok(graph)
    }
}

struct Builder<'m> {
    module: &'m Module,
    mesh: &'m Mesh,
    calls: &'m CallRules,
    graph: Graph,
    /// Values made of constants alone.
    constant: IdVec<ValueId, bool>,
    use_count: IdVec<ValueId, u32>,
    order: Order,
    union: Union,
    constraints: Constraints,
    /// The first member of each group whose members need only be alike.
    alike: FxHashMap<i64, ValueId>,
    memo: RuleMemo,
    /// The manual axes of the regions around.
    manual: AtomSet,
    /// The operation at hand and the region it stands in.
    place: Option<(RegionId, OpId)>,
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
            let Some(slot) = self.fresh(arg) else { continue };
            if let Some(sharding) = func.arg_attrs.get(n).and_then(boundary_sharding) {
                self.annotate(slot, sharding, &self.module.value_name(arg), func.span);
            }
        }
        self.region(body);
        let Some(&last) = self.module.regions[body].ops.last() else { return };
        self.place = Some((body, last));
        for (n, &value) in self.module.operands(last).iter().enumerate() {
            let shared = self.union.donor(n).and_then(|arg| self.graph.values[arg]);
            let rank = self.module.tensor_type(value).map_or(0, |t| t.rank());
            let slot = shared.or_else(|| self.slot_of_rank(rank));
            self.graph.results.push(slot);
            let Some(slot) = slot else { continue };
            if let Some(sharding) = func.result_attrs.get(n).and_then(boundary_sharding) {
                self.annotate(slot, sharding, &format!("result {n}"), func.span);
            }
            let source = self.operand(value);
            self.edge(self.module.values[value].ty, &[source], slot, Some(last));
        }
    }

    /// The slot of a value, new where nothing it belongs together with has one; nothing where it has no dimensions.
    fn fresh(&mut self, value: ValueId) -> Option<SlotId> {
        let leader = self.union.leader(value);
        if self.graph.values[leader].is_none() {
            let rank = self.module.tensor_type(value)?.rank();
            self.graph.values[leader] = self.slot_of_rank(rank);
        }
        self.graph.values[value] = self.graph.values[leader];
        self.graph.values[value]
    }

    fn slot_of_rank(&mut self, rank: usize) -> Option<SlotId> {
        (1..=MAX_FACTORS).contains(&rank).then(|| self.graph.slots.push(Slot::open(rank, self.manual)))
    }

    /// The slot that a use of a value has: a constant has one per use, and a value may be constrained before it is
    /// used.
    fn operand(&mut self, value: ValueId) -> Option<SlotId> {
        if !self.constant[value] {
            if let Some(place) = self.place
                && let Some(constrained) = self.constraints.stand_in(value, place)
            {
                return self.fresh(constrained);
            }
            return self.graph.values[value];
        }
        if self.graph.values[value].is_some() {
            return self.lone(value);
        }
        self.materialise(value)
    }

    /// A slot of its own for one more use of a constant.
    fn lone(&mut self, value: ValueId) -> Option<SlotId> {
        let rank = self.module.tensor_type(value)?.rank();
        self.slot_of_rank(rank)
    }

    /// The first use of a value made of constants: what it is made of follows its sharding. Further uses stand for
    /// copies, which need no more than a slot.
    fn materialise(&mut self, value: ValueId) -> Option<SlotId> {
        let first = self.lone(value)?;
        self.graph.values[value] = Some(first);
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            let ValueDef::Result(op, _) = self.module.values[value].def else { continue };
            let op = self.module.op(op);
            let Some(rule) = self.rule_of(op) else { continue };
            let mut tensors: SmallVec<[Option<SlotId>; 4]> = SmallVec::new();
            for &operand in op.operands() {
                let slot = self.constant[operand].then(|| self.lone(operand)).flatten();
                if slot.is_some() && self.graph.values[operand].is_none() {
                    self.graph.values[operand] = slot;
                    pending.push(operand);
                }
                tensors.push(slot);
            }
            tensors.extend(op.results().map(|v| self.graph.values[v]));
            if tensors.iter().flatten().count() > 1 {
                self.add_node(NodeKind::Op, Some(op.id), rule, &tensors, true);
            }
        }
        Some(first)
    }

    fn operands(&mut self, op: OpRef<'m>) -> SmallVec<[Option<SlotId>; 4]> {
        op.operands().iter().map(|v| self.operand(*v)).collect()
    }

    fn annotate(&mut self, slot: SlotId, sharding: &TensorSharding, name: &str, span: Span) {
        let rank = self.graph.slots[slot].rank();
        let sharding = match from_sdy(self.module, self.mesh, sharding, &Subject { name, span, rank }) {
            Ok(sharding) => sharding,
            Err(error) => return self.errors.push(error),
        };
        match self.graph.slots[slot].annotation.as_deref() {
            Some(known) if *known != sharding => {
                let message =
                    format!("`{name}` has one sharding with other values, which are annotated differently");
                let error = Diagnostic::new("sharding", span, message).value(name.to_string());
                self.errors.push(error.fix("annotate one value of the group"));
            }
            Some(_) => {}
            None => self.graph.slots[slot].annotate(&sharding, 0),
        }
    }

    fn add_node(
        &mut self,
        kind: NodeKind,
        op: Option<OpId>,
        rule: u32,
        tensors: &[Option<SlotId>],
        single_use: bool,
    ) {
        let first = self.graph.tensors.len() as u32;
        self.graph.tensors.extend_from_slice(tensors);
        self.graph.nodes.push(Node { kind, op, rule, first, count: tensors.len() as u32, single_use });
    }

    /// An edge from sources to a target of the same shape.
    fn edge(&mut self, ty: TypeId, sources: &[Option<SlotId>], target: SlotId, op: Option<OpId>) {
        let rule = self.identity(ty, sources.len());
        let mut tensors: SmallVec<[Option<SlotId>; 4]> = sources.iter().copied().collect();
        tensors.push(Some(target));
        self.add_node(NodeKind::Edge, op, rule, &tensors, true);
    }

    /// An edge from sources to a value, where it has dimensions.
    fn edge_between(&mut self, op: OpRef<'m>, sources: &[Option<SlotId>], target: ValueId) {
        if let Some(slot) = self.graph.values[target] {
            self.edge(self.module.values[target].ty, sources, slot, Some(op.id));
        }
    }

    fn add_rule(&mut self, rule: FlowRule) -> u32 {
        self.graph.rules.push(rule);
        self.graph.rules.len() as u32 - 1
    }

    fn region(&mut self, region: RegionId) {
        let module = self.module;
        for op in self.order.region(module, region) {
            self.place = Some((region, op));
            self.op(module.op(op));
        }
    }

    fn op(&mut self, op: OpRef<'m>) {
        match op.def().spread {
            Spread::Nothing => {}
            Spread::Group => self.alike(op),
            Spread::Constant => self.mark_constant(op),
            Spread::Rule(..) if self.made_of_constants(op) => self.mark_constant(op),
            Spread::Rule(..) | Spread::Whole(_) => {
                self.fresh_results(op);
                let Some(rule) = self.rule_of(op) else { return };
                let mut tensors = self.operands(op);
                tensors.extend(op.results().map(|v| self.graph.values[v]));
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
            Spread::Branches => self.branches(op),
            Spread::Region => self.called_region(op),
            Spread::Manual => self.manual_region(op),
        }
    }

    fn fresh_results(&mut self, op: OpRef<'m>) {
        for (n, result) in op.results().enumerate() {
            let Some(slot) = self.fresh(result) else { continue };
            let named = || {
                [names::OUT_SHARDING, names::SHARDING].into_iter().find_map(|name| sharding_attr(op, name))
            };
            let sharding = match result_sharding(&op.op().attrs, n) {
                Some(sharding) => Some(sharding),
                None if n == 0 => named(),
                None => None,
            };
            if let Some(sharding) = sharding {
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
        // An annotated constant, or one that belongs to a group, is a tensor like any other.
        if op.attr(names::SDY_SHARDING).is_some() || op.results().any(|r| self.union.is_member(r)) {
            return self.fresh_results(op);
        }
        for result in op.results() {
            self.constant[result] = true;
        }
    }

    fn operands_used_once(&self, op: OpRef<'m>) -> bool {
        op.operands().iter().all(|v| {
            let scalar = self.module.tensor_type(*v).is_none_or(|t| t.rank() == 0);
            scalar || self.constant[*v] || self.use_count[*v] == 1
        })
    }
}

/// The sharding that an attribute of an op is.
fn sharding_attr(op: OpRef<'_>, name: Sym) -> Option<&TensorSharding> {
    match op.attr(name) {
        Some(Attr::Sdy(sdy)) => match &**sdy {
            SdyAttr::Sharding(sharding) => Some(sharding),
            _ => None,
        },
        _ => None,
    }
}

/// The shardings that an attribute of an op lists.
fn sharding_list(op: OpRef<'_>, name: Sym) -> &[TensorSharding] {
    match op.attr(name) {
        Some(Attr::Sdy(sdy)) => match &**sdy {
            SdyAttr::PerValue(list) => list,
            _ => &[],
        },
        _ => &[],
    }
}

/// How many atoms at the head of each dimension belong to a set.
fn heads(sharding: &Sharding, set: AtomSet) -> SmallVec<[u8; 4]> {
    let head = |atoms: &[crate::sharding::Atom]| atoms.iter().take_while(|a| set.contains(**a)).count() as u8;
    sharding.dims.iter().map(|d| head(&d.atoms)).collect()
}
