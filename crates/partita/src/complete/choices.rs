//! Choices of completion: the values it splits, from which propagation finds all other shardings.
//!
//! A plan records them by name, so that a program can be completed again as it was by any later version of the cost model.

use super::by_cost::Completed;
use super::cut::{Cut, axes};
use super::space::Space;
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

/// A value that completion splits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The value.
    pub value: ValueId,
    /// The axes that split its dimensions.
    pub cut: Cut,
}

/// The choices by which values between the annotations are cut as their kinds are.
pub(super) fn choices(subject: &Subject<'_>, space: &Space, cuts: &[Cut]) -> Vec<Choice> {
    let graph = &subject.graph;
    let arguments = subject.arguments.iter().map(|argument| graph.value_slot(*argument));
    let boundary = arguments.chain(graph.result_slots().iter().copied()).flatten();
    let mut seen: FxHashSet<SlotId> = boundary.collect();
    let mut found = Vec::new();
    for value in subject.module().values.ids() {
        let Some(slot) = graph.value_slot(value).filter(|slot| seen.insert(*slot)) else { continue };
        let Some(kind) = space.kind_of(slot).filter(|_| graph.annotation(slot).is_none()) else { continue };
        let cut = cuts[kind.0 as usize];
        if cut != Cut::default() {
            found.push(Choice { value, cut });
        }
    }
    found
}

/// The shardings that propagation finds from the annotations of a graph and from choices.
pub(super) fn propagated(mut graph: Graph, mesh: &Mesh, choices: &[Choice]) -> Propagated {
    for Choice { value, cut } in choices {
        let Some(slot) = graph.value_slot(*value) else { continue };
        for dim in 0..graph.rank(slot) {
            let split = axes(cut.of(dim)).filter_map(|axis| mesh.axes().get(axis));
            let atoms: AtomList = split.flat_map(|axis| axis.atoms()).collect();
            if !atoms.is_empty() {
                graph.choose(slot, dim, &atoms);
            }
        }
    }
    propagate::complete(graph, mesh.clone())
}

/// Names choices as a plan keeps them. `input` is the program before inlining, whose names users know.
pub fn named(program: &Inlined, input: &Module, mesh: &Mesh, choices: &[Choice]) -> Vec<NamedChoice> {
    let cuts: FxHashMap<ValueId, Cut> = choices.iter().map(|choice| (choice.value, choice.cut)).collect();
    let mut copies: FxHashMap<String, usize> = FxHashMap::default();
    let mut found = Vec::with_capacity(choices.len());
    for value in program.module.values.ids() {
        let name = program.input_name(input, value);
        let copy = copies.entry(name.clone()).or_default();
        if let Some(cut) = cuts.get(&value) {
            let rank = program.module.tensor_type(value).map_or(0, |ty| ty.rank());
            let dims: Vec<String> = (0..rank).map(|dim| dim_text(mesh, *cut, dim)).collect();
            found.push(NamedChoice { value: name, copy: *copy, spec: dims.join(",") });
        }
        *copy += 1;
    }
    found
}

fn dim_text(mesh: &Mesh, cut: Cut, dim: usize) -> String {
    let names: Vec<&str> = axes(cut.of(dim)).map(|axis| mesh.axes()[axis].name.as_str()).collect();
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
        Ok(Choice { value, cut })
    };
    choices.iter().map(find).collect()
}
