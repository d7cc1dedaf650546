//! The program that is to be split, with everything that is read off it once.

use crate::Diagnostic;
use crate::complete::invariant::Invariants;
use crate::complete::layers::{Layers, Part};
use crate::inline::Inlined;
use crate::ir::{FuncId, Id, IdVec, Module, OpId, RegionId, TensorType, TypeId, ValueDef, ValueId};
use crate::ops::{CallRules, Spread, trip_count};
use crate::propagate::{Graph, SlotId};
use crate::sharding::Mesh;
use rustc_hash::FxHashMap;

/// A program over a mesh, before anything is decided: all of it, or a few of its layers that stand for the others.
#[derive(Clone)]
pub struct Subject<'p> {
    /// The program as one function, with those of its layers that are looked at.
    pub program: &'p Inlined,
    /// The program with all of them.
    pub whole: &'p Inlined,
    /// The layers, where few are looked at.
    pub layers: Option<&'p Layers>,
    /// The mesh.
    pub mesh: Mesh,
    /// What relates its tensors, with what the program itself says of them.
    pub graph: Graph,
    /// How often each operation runs, with those it stands for; none for what is never reached.
    pub executions: IdVec<OpId, u64>,
    /// Loop-invariant values.
    pub(super) invariants: Invariants,
    /// The type of each slot, where some value has it.
    pub slot_types: Vec<Option<TypeId>>,
    /// The arguments of the program.
    pub arguments: Vec<ValueId>,
    /// The results of the program.
    pub results: Vec<ValueId>,
    /// Values of functions that are called several times, by the name that all copies have.
    copies: FxHashMap<(FuncId, ValueId), Vec<ValueId>>,
    /// What operations and slots stand for, where few layers are looked at.
    standing: Option<Standing>,
}

/// What is left of a program stands for all of it.
#[derive(Clone)]
struct Standing {
    /// For each operation, also those in others.
    parts: IdVec<OpId, Option<Part>>,
    /// How many tensors each slot stands for.
    slots: Vec<u32>,
}

impl<'p> Subject<'p> {
    /// Reads a program whose shardings are all over one mesh.
    pub fn new(program: &'p Inlined, mesh: Mesh) -> Result<Subject<'p>, Vec<Diagnostic>> {
        Subject::read(program, program, None, mesh)
    }

    /// Reads a few layers of such a program.
    pub fn of_layers(
        whole: &'p Inlined,
        layers: &'p Layers,
        mesh: Mesh,
    ) -> Result<Subject<'p>, Vec<Diagnostic>> {
        Subject::read(&layers.longer.program, whole, Some(layers), mesh)
    }

    fn read(
        program: &'p Inlined,
        whole: &'p Inlined,
        layers: Option<&'p Layers>,
        mesh: Mesh,
    ) -> Result<Subject<'p>, Vec<Diagnostic>> {
        let graph = Graph::build(program, &mesh, &CallRules::default())?;
        let module = &program.module;
        let body = module.funcs.iter().next().and_then(|f| f.body);
        let arguments = body.map(|b| module.regions[b].args.iter().collect()).unwrap_or_default();
        let last = body.and_then(|b| module.regions[b].ops.last().copied());
        let results = last.map(|op| module.operands(op).to_vec()).unwrap_or_default();
        let mut executions = IdVec::filled(0, module.ops.len());
        let mut parts = layers.map(|layers| layers.parts.clone());
        if let Some(body) = body {
            let mut counter =
                Counter { module, loops: Vec::new(), parts: parts.as_mut(), table: &mut executions };
            counter.count(body, 1, None);
        }
        let slot_types = slot_types(module, &graph, &results);
        let copies = copies(program);
        let mut subject = Subject {
            program,
            whole,
            layers,
            mesh,
            graph,
            executions,
            invariants: Invariants::find(module),
            slot_types,
            arguments,
            results,
            copies,
            standing: None,
        };
        subject.standing = parts.map(|parts| Standing { slots: subject.slot_times(&parts), parts });
        Ok(subject)
    }

    /// How many tensors of the whole program a slot stands for.
    pub fn times(&self, slot: SlotId) -> u64 {
        self.standing.as_ref().map_or(1, |standing| u64::from(standing.slots[slot.index()]))
    }

    /// How many arguments of the whole program an argument stands for.
    pub fn argument_times(&self, argument: usize) -> u64 {
        self.layers.map_or(1, |layers| u64::from(layers.arguments[argument].1))
    }

    /// The number of an argument in the whole program.
    pub fn argument_number(&self, argument: usize) -> usize {
        self.layers.map_or(argument, |layers| layers.arguments[argument].0)
    }

    /// How many operations of the whole program an operation stands for.
    pub fn op_times(&self, op: OpId) -> u64 {
        self.part(op).map_or(1, |part| u64::from(part.times))
    }

    fn part(&self, op: OpId) -> Option<Part> {
        self.standing.as_ref().and_then(|standing| standing.parts[op])
    }

    /// How many results of an operation that is used last by another are alive at once. What is handed on from layer to layer, or used where it is made, is there
    /// once; what waits until the program goes through its layers again is there for all of them.
    pub fn times_alive(&self, made: OpId, used: OpId) -> u64 {
        let run = |op: OpId| self.part(op).map(|part| part.run);
        if run(made) == run(used) { 1 } else { self.op_times(made) }
    }

    /// Returns whether the program annotates any tensor.
    pub fn has_annotation(&self) -> bool {
        (0..self.graph.slot_count()).any(|slot| self.graph.annotation(SlotId::from_index(slot)).is_some())
    }

    /// The slots of the arguments and results.
    pub fn boundary_slots(&self) -> impl Iterator<Item = SlotId> {
        let arguments = self.arguments.iter().map(|argument| self.graph.value_slot(*argument));
        arguments.chain(self.graph.result_slots().iter().copied()).flatten()
    }

    /// The values that have one name in the program as it was given, where they are several.
    pub fn copies(&self, value: ValueId) -> &[ValueId] {
        let origin = &self.program.origin;
        let own = (value.index() < origin.len()).then(|| &origin[value]);
        own.and_then(|origin| self.copies.get(origin)).map_or(&[], Vec::as_slice)
    }

    /// The module.
    pub fn module(&self) -> &'p Module {
        &self.program.module
    }

    /// The type of a slot.
    pub fn slot_type(&self, slot: SlotId) -> Option<&TensorType> {
        self.module().types[self.slot_types[slot.index()]?].as_tensor()
    }
}

fn copies(program: &Inlined) -> FxHashMap<(FuncId, ValueId), Vec<ValueId>> {
    let inputs = program.origin.iter().map(|(_, value)| value.index() + 1).max().unwrap_or(0);
    let mut times: IdVec<ValueId, u32> = IdVec::filled(0, inputs);
    program.origin.iter().for_each(|(_, value)| times[*value] += 1);
    let mut found: FxHashMap<_, Vec<ValueId>> = FxHashMap::default();
    for (value, origin) in program.origin.enumerate().filter(|(_, (_, value))| times[*value] > 1) {
        found.entry(*origin).or_default().push(value);
    }
    found
}

/// Counts how often operations run.
struct Counter<'a> {
    module: &'a Module,
    /// The loops around.
    loops: Vec<OpId>,
    /// What operations stand for, to be completed for those in others.
    parts: Option<&'a mut IdVec<OpId, Option<Part>>>,
    table: &'a mut IdVec<OpId, u64>,
}

impl Counter<'_> {
    /// Counts those of a region that runs so often, in an operation that stands for others where that is said.
    fn count(&mut self, region: RegionId, times: u64, around: Option<Part>) {
        let module = self.module;
        for &id in &module.regions[region].ops {
            let own = self.parts.as_deref().and_then(|parts| parts[id]);
            let part = around.or(own);
            if let Some(parts) = &mut self.parts {
                parts[id] = part;
            }
            // What is in another operation is counted with it.
            let more = if around.is_none() { own.map_or(1, |part| u64::from(part.times)) } else { 1 };
            let times = times.saturating_mul(more);
            self.table[id] = times;
            let op = module.op(id);
            let is_loop = matches!(op.def().spread, Spread::Loop);
            if is_loop {
                self.loops.push(id);
            }
            // A loop that does not say how often it runs counts once.
            let trips = if is_loop { trip_count(module, &self.loops).unwrap_or(1) } else { 1 };
            for &inner in op.regions() {
                self.count(inner, times.saturating_mul(trips), part);
            }
            if is_loop {
                self.loops.pop();
            }
        }
    }
}

impl Subject<'_> {
    /// How many tensors each slot stands for, from what operations stand for.
    fn slot_times(&self, parts: &IdVec<OpId, Option<Part>>) -> Vec<u32> {
        let (module, graph) = (self.module(), &self.graph);
        let of = |op: OpId| parts[op].map_or(1, |part| part.times);
        let mut times = vec![1; graph.slot_count()];
        let mut at_least = |slot: Option<SlotId>, least: u32| {
            if let Some(slot) = slot {
                times[slot.index()] = least.max(times[slot.index()]);
            }
        };
        for value in module.values.ids() {
            if let ValueDef::Result(op, _) = module.values[value].def {
                at_least(graph.value_slot(value), of(op));
            }
        }
        // A constant has a slot for each use.
        for id in graph.node_ids() {
            if let Some(op) = graph.node(id).op.filter(|op| graph.op_rule(*op).is_some()) {
                let operands = module.operands(op).iter().zip(graph.tensors_of(id));
                let own = operands.filter(|(value, slot)| graph.value_slot(**value) != **slot);
                own.for_each(|(_, slot)| at_least(*slot, of(op)));
            }
        }
        for (value, slot) in self.results.iter().zip(graph.result_slots()) {
            if let ValueDef::Result(op, _) = module.values[*value].def {
                at_least(*slot, of(op));
            }
        }
        // The result that takes the memory of an argument may be of another layer.
        for (n, value) in self.arguments.iter().enumerate() {
            if let Some(slot) = graph.value_slot(*value) {
                times[slot.index()] = self.argument_times(n) as u32;
            }
        }
        times
    }
}

/// The type of each slot, from the values and the operations that have it.
fn slot_types(module: &Module, graph: &Graph, results: &[ValueId]) -> Vec<Option<TypeId>> {
    let mut types = vec![None; graph.slot_count()];
    for value in module.values.ids() {
        if let Some(slot) = graph.value_slot(value) {
            types[slot.index()] = Some(module.values[value].ty);
        }
    }
    // A constant has a slot for each use.
    for id in graph.node_ids() {
        let Some(op) = graph.node(id).op.filter(|op| graph.op_rule(*op).is_some()) else { continue };
        let op = module.op(op);
        let values = op.operands().iter().copied().chain(op.results());
        for (slot, value) in graph.tensors_of(id).iter().zip(values) {
            if let Some(slot) = slot {
                types[slot.index()].get_or_insert(module.values[value].ty);
            }
        }
    }
    // A result that takes no argument's memory lies by itself.
    for (value, slot) in results.iter().zip(graph.result_slots()) {
        if let Some(slot) = slot {
            types[slot.index()].get_or_insert(module.values[*value].ty);
        }
    }
    types
}
