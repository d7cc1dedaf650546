//! The program that is to be split, with everything that is read off it once.

use partita::Diagnostic;
use partita::inline::Inlined;
use partita::ir::{FuncId, Id, IdVec, Module, OpId, RegionId, TensorType, TypeId, ValueId};
use partita::ops::{CallRules, Spread, trip_count};
use partita::propagate::{Graph, SlotId};
use partita::sharding::Mesh;
use rustc_hash::FxHashMap;

/// A program over a mesh, before anything is decided.
pub struct Subject<'p> {
    /// The program as one function.
    pub program: &'p Inlined,
    /// The mesh.
    pub mesh: Mesh,
    /// What relates its tensors, with what the program itself says of them.
    pub graph: Graph,
    /// How often each operation runs; none for what is never reached.
    pub executions: IdVec<OpId, u64>,
    /// The type of each slot, where some value has it.
    pub slot_types: Vec<Option<TypeId>>,
    /// The arguments of the program.
    pub arguments: Vec<ValueId>,
    /// The results of the program.
    pub results: Vec<ValueId>,
    /// Values of functions that are called several times, by the name that all copies have.
    copies: FxHashMap<(FuncId, ValueId), Vec<ValueId>>,
}

impl<'p> Subject<'p> {
    /// Reads a program whose shardings are all over one mesh.
    pub fn new(program: &'p Inlined, mesh: Mesh) -> Result<Subject<'p>, Vec<Diagnostic>> {
        let graph = Graph::build(program, &mesh, &CallRules::default())?;
        let module = &program.module;
        let body = module.funcs.iter().next().and_then(|f| f.body);
        let arguments = body.map(|b| module.regions[b].args.iter().collect()).unwrap_or_default();
        let last = body.and_then(|b| module.regions[b].ops.last().copied());
        let results = last.map(|op| module.operands(op).to_vec()).unwrap_or_default();
        let mut executions = IdVec::filled(0, module.ops.len());
        if let Some(body) = body {
            count(module, body, 1, &mut Vec::new(), &mut executions);
        }
        let slot_types = slot_types(module, &graph, &results);
        let copies = copies(program);
        Ok(Subject { program, mesh, graph, executions, slot_types, arguments, results, copies })
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

/// Counts how often the operations of a region run.
fn count(module: &Module, region: RegionId, times: u64, loops: &mut Vec<OpId>, table: &mut IdVec<OpId, u64>) {
    for &id in &module.regions[region].ops {
        table[id] = times;
        let op = module.op(id);
        let is_loop = matches!(op.def().spread, Spread::Loop);
        if is_loop {
            loops.push(id);
        }
        // A loop that does not say how often it runs counts once.
        let trips = if is_loop { trip_count(module, loops).unwrap_or(1) } else { 1 };
        for &inner in op.regions() {
            count(module, inner, times.saturating_mul(trips), loops, table);
        }
        if is_loop {
            loops.pop();
        }
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
