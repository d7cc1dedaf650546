//! Choices of completion: the values it splits, from which propagation finds all other shardings.
//!
//! A plan records them by name, so that a program can be completed again as it was by any later version of the cost model.

use super::by_cost::Completed;
use super::cut::{Cut, axes};
use super::space::Space;
use super::space::views::Place;
use super::subject::Subject;
use crate::Diagnostic;
use crate::inline::Inlined;
use crate::ir::{Module, Span, ValueId};
use crate::ops::CallRules;
use crate::propagate::{self, Graph, Propagated, SlotId};
use crate::sharding::plan::NamedChoice;
use crate::sharding::spec::{Scope, ShardSpec};
use crate::sharding::{AtomList, Mesh};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value whose sharding completion chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The value.
    pub value: ValueId,
    /// The axes that split its dimensions.
    pub cut: Cut,
    /// Propagation splits it no further.
    pub closed: bool,
}

/// The choices by which values between the annotations are cut as their kinds are.
pub(super) fn choices(subject: &Subject<'_>, space: &Space, cuts: &[Cut]) -> Vec<Choice> {
    let graph = &subject.graph;
    let mut seen: FxHashSet<SlotId> = subject.boundary_slots().collect();
    let mut found = Vec::new();
    for value in subject.module().values.ids() {
        let Some(slot) = graph.value_slot(value).filter(|slot| seen.insert(*slot)) else { continue };
        let Some(kind) = space.kind_of(slot).filter(|_| graph.annotation(slot).is_none()) else { continue };
        let cut = cuts[kind.0 as usize];
        if cut != Cut::default() {
            found.push(Choice { value, cut, closed: false });
        }
    }
    found
}

/// The choices by which weights are gathered before loops: what is made of one annotated tensor alone is split no further than the graph says. Empty where no
/// such value is an operand in a loop that it does not change in.
pub(super) fn gathered_before_loops(subject: &Subject<'_>, space: &Space, cuts: &[Cut]) -> Vec<Choice> {
    let (module, graph) = (subject.module(), &subject.graph);
    let invariants = &subject.invariants;
    let outside: FxHashMap<SlotId, SlotId> = invariants
        .carried()
        .filter_map(|(carry, outside)| Some((graph.value_slot(carry)?, graph.value_slot(outside)?)))
        .collect();
    let boundary: FxHashSet<SlotId> = subject.boundary_slots().collect();
    let is_free = |slot: SlotId| {
        graph.annotation(slot).is_none() && !boundary.contains(&slot) && !outside.contains_key(&slot)
    };
    let cut = |slot: SlotId| space.kind_of(slot).map_or(Cut::default(), |kind| cuts[kind.0 as usize]);
    let (mut closed, mut in_loops) = (FxHashSet::default(), false);
    for id in graph.node_ids() {
        let (view, tensors) = (space.views.of(id), graph.tensors_of(id));
        let (operands, results) = tensors.split_at(view.operands.min(tensors.len()));
        let is_weight = |slot: &Option<SlotId>| slot.is_some_and(|slot| space.has_one_source(slot));
        if let Some(op) = graph.node(id).op.filter(|op| graph.op_rule(*op).is_some()) {
            let used = operands.iter().zip(module.operands(op)).filter(|(slot, _)| is_weight(slot));
            in_loops |= used.into_iter().any(|(_, value)| invariants.is_outside(module, op, *value));
        }
        let &[Some(result)] = results else { continue };
        if !is_weight(&Some(result)) || !is_free(result) {
            continue;
        }
        let loses = |from: &Place, to: &Place| {
            let has = operands[usize::from(from.tensor)].map_or(Cut::default(), cut);
            has.of(usize::from(from.dim)) & !cut(result).of(usize::from(to.dim)) != 0
        };
        let is_operand = |place: &&Place| place.leads && usize::from(place.tensor) < operands.len();
        let is_gathered = view.factors.iter().any(|factor| {
            let to = factor.places.iter().find(|place| usize::from(place.tensor) == operands.len());
            to.is_some_and(|to| factor.places.iter().filter(is_operand).any(|from| loses(from, to)))
        });
        // What comes of it is not split from elsewhere either.
        let is_closed = |slot: &SlotId| closed.contains(outside.get(slot).unwrap_or(slot));
        if is_gathered || operands.iter().flatten().any(is_closed) {
            closed.insert(result);
        }
    }
    if !in_loops {
        return Vec::new();
    }
    let choose = |value: ValueId| {
        let slot = graph.value_slot(value).filter(|slot| closed.remove(slot))?;
        Some(Choice { value, cut: cut(slot), closed: true })
    };
    module.values.ids().filter_map(choose).collect()
}

/// The shardings that propagation finds from the annotations of a graph and from choices.
pub(super) fn propagated(mut graph: Graph, mesh: &Mesh, choices: &[Choice]) -> Propagated {
    for Choice { value, cut, closed } in choices {
        let Some(slot) = graph.value_slot(*value) else { continue };
        for dim in 0..graph.rank(slot) {
            let split = axes(cut.of(dim)).filter_map(|axis| mesh.axes().get(axis));
            let atoms: AtomList = split.flat_map(|axis| axis.atoms()).collect();
            if !atoms.is_empty() {
                graph.choose(slot, dim, &atoms);
            }
            if *closed {
                graph.close(slot, dim);
            }
        }
    }
    propagate::complete(graph, mesh.clone())
}

/// Names choices as a plan keeps them. `input` is the program before inlining, whose names users know.
pub fn named(program: &Inlined, input: &Module, mesh: &Mesh, choices: &[Choice]) -> Vec<NamedChoice> {
    let by_value: FxHashMap<ValueId, &Choice> = choices.iter().map(|choice| (choice.value, choice)).collect();
    let mut copies: FxHashMap<String, usize> = FxHashMap::default();
    let mut found = Vec::with_capacity(choices.len());
    for value in program.module.values.ids() {
        let name = program.input_name(input, value);
        let copy = copies.entry(name.clone()).or_default();
        if let Some(choice) = by_value.get(&value) {
            let rank = program.module.tensor_type(value).map_or(0, |ty| ty.rank());
            let dims: Vec<String> = (0..rank).map(|dim| dim_text(mesh, choice, dim)).collect();
            found.push(NamedChoice { value: name, copy: *copy, spec: dims.join(",") });
        }
        *copy += 1;
    }
    found
}

/// A dimension as `--shard` has it: one that stays open ends in `?`.
fn dim_text(mesh: &Mesh, choice: &Choice, dim: usize) -> String {
    let names = axes(choice.cut.of(dim)).map(|axis| mesh.axes()[axis].name.as_str());
    let names: Vec<&str> = names.chain((!choice.closed).then_some("?")).collect();
    if names.is_empty() { "_".to_string() } else { names.join("+") }
}

/// Completes the shardings of a program by the choices of a plan and by propagation.
pub fn replay(
    program: &Inlined,
    input: &Module,
    mesh: Mesh,
    choices: &[NamedChoice],
) -> Result<Completed, Vec<Diagnostic>> {
    let graph = Graph::build(program, &mesh, &CallRules::default())?;
    let choices = find(program, input, &mesh, choices).map_err(|error| vec![error])?;
    Ok(Completed::by_choices(propagated(graph, &mesh, &choices), choices))
}

/// Finds the values that the choices of a plan name.
fn find(
    program: &Inlined,
    input: &Module,
    mesh: &Mesh,
    choices: &[NamedChoice],
) -> Result<Vec<Choice>, Diagnostic> {
    let mut copies: FxHashMap<String, Vec<ValueId>> =
        choices.iter().map(|choice| (choice.value.clone(), Vec::new())).collect();
    for value in program.module.values.ids() {
        if let Some(copies) = copies.get_mut(&program.input_name(input, value)) {
            copies.push(value);
        }
    }
    let find = |choice: &NamedChoice| {
        let refuse = |why: String| {
            let message = format!("the plan chooses `{}` for `{}`, {why}", choice.spec, choice.value);
            Diagnostic::new("plan", Span::default(), message)
                .value(choice.value.clone())
                .fix("make the plan again: it is for another program or another mesh")
        };
        let value = copies.get(&choice.value).and_then(|copies| copies.get(choice.copy));
        let &value = value.ok_or_else(|| refuse("which the program does not have".into()))?;
        let spec = ShardSpec::new("the plan".into(), &choice.value, Scope::Values, &choice.spec)?;
        let rank = program.module.tensor_type(value).map_or(0, |ty| ty.rank());
        if spec.dims.len() != rank {
            return Err(refuse(format!("which has {rank} dimensions")));
        }
        let mut cut = Cut::default();
        for (dim, spec) in spec.dims.iter().enumerate() {
            for (name, part) in &spec.axes {
                let axis = mesh.axes().iter().position(|axis| axis.name == *name).filter(|_| part.is_none());
                let axis = axis.ok_or_else(|| refuse(format!("but the mesh has no axis \"{name}\"")))?;
                cut.add(dim, axis);
            }
        }
        Ok(Choice { value, cut, closed: spec.dims.iter().all(|dim| !dim.open) })
    };
    choices.iter().map(find).collect()
}
