//! `partita explain`.

use super::sharding::{self, Sharded, ShardingArgs};
use crate::device::DeviceArgs;
use crate::error::Failure;
use crate::report::completion::compared;
use crate::{input, output};
use partita::complete::Alternative;
use partita::diagnostic::line_column;
use partita::ir::{OpId, ValueId};
use partita::propagate::Propagated;
use partita::propagate::explain::{Chain, Conflict, Explanation, Hop, Tensor, rule_text};
use partita::sharding::{Atom, export};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Say why a value is sharded as it is
#[derive(clap::Args)]
pub struct Args {
    /// The program, as StableHLO text
    file: PathBuf,

    /// The value, as `%42`, `arg3` or `@f:%0#2`
    value: String,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    sharding: ShardingArgs,
}

/// Prints the way of every axis back to the annotation, and the conflicts on it.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    let compiler = args.sharding.compiler(&args.device)?;
    let sharded = sharding::completed(input::load(&args.file)?, &compiler)?;
    let explained = explain(&sharded, &args.value)?;
    if json { output::print_json(&explained.json()) } else { output::print(&explained.words()) }
}

/// Why a value is sharded as it is.
pub struct Explained<'s> {
    view: View<'s>,
    value: ValueId,
    found: Explanation,
}

/// Explains the value with a name of the input.
pub fn explain<'s>(sharded: &'s Sharded, name: &str) -> Result<Explained<'s>, Failure> {
    let value = find(sharded, name)?;
    let Some(found) = sharded.of.shardings.explain(value) else {
        let message = format!("`{name}` has no dimensions, so nothing splits it");
        return Err(Failure::new("value", message).file(sharded.program.file.clone()));
    };
    Ok(Explained { view: View { sharded }, value, found })
}

impl Explained<'_> {
    /// The ways of the axes and their conflicts, as JSON.
    pub fn json(&self) -> Value {
        let Explained { view, value, found } = self;
        json!({
            "schema": 1,
            "value": view.value(*value),
            "sharding": view.sharding(*value),
            "propagated_sharding": view.by_propagation(*value),
            "runner_up_sharding": view.by_runner_up(*value),
            "chains": found.chains.iter().map(|c| view.chain_json(c)).collect::<Vec<_>>(),
            "conflicts": found.conflicts.iter().map(|c| view.conflict_json(c)).collect::<Vec<_>>(),
        })
    }

    /// The same in words.
    pub fn words(&self) -> String {
        let Explained { view, value, found } = self;
        let mut text = format!("{}: {}\n", view.value(*value), view.sharding(*value));
        if found.chains.is_empty() {
            text.push_str("\nNothing splits it: no axis came to it from an annotation.\n");
        }
        for chain in &found.chains {
            text.push_str(&view.chain(chain));
        }
        if let Some(decision) = &view.sharded.of.decision {
            let others = [
                ("the runner-up", view.by_runner_up(*value)),
                ("propagation alone", view.by_propagation(*value)),
            ];
            let others: Vec<_> = others.into_iter().filter_map(|(of, lies)| Some((of, lies?))).collect();
            for (of, lies) in &others {
                text.push_str(&format!("\nin the program of {of}: {lies}"));
            }
            if !others.is_empty() {
                text.push_str(&format!("\nall choices by cost together: {}\n", compared(decision)));
            }
        }
        if !found.conflicts.is_empty() {
            text.push_str("\nconflicts on the way:\n");
        }
        for conflict in &found.conflicts {
            text.push_str(&view.conflict(conflict));
        }
        text
    }
}

/// The value with a name of the input.
fn find(sharded: &Sharded, name: &str) -> Result<ValueId, Failure> {
    let module = &sharded.of.inlined.module;
    let input = &sharded.program.module;
    let body = module.funcs.iter().next().and_then(|f| f.body);
    let args = body.map(|b| module.regions[b].args);
    for (n, arg) in args.into_iter().flat_map(|a| a.iter()).enumerate() {
        let jax = module.locs.name(module.values[arg].loc).map(|s| &module.strings[s]);
        if name == format!("arg{n}") || jax == Some(name) {
            return Ok(arg);
        }
    }
    let wanted = if name.starts_with(['%', '@']) { name.to_string() } else { format!("%{name}") };
    let mut values = module.values.ids();
    let found = values.find(|v| sharded.of.inlined.input_name(input, *v) == wanted);
    // `--shard` on a value is a constraint behind it, which its uses read.
    found.map(|value| sharded.of.inlined.constrained(value)).ok_or_else(|| {
        Failure::new("value", format!("the program has no value `{name}`"))
            .file(sharded.program.file.clone())
            .fix("name it as the text does: `%42`, `%5#1` for one of several results, `@f:%0` in a function that is called")
    })
}

struct View<'s> {
    sharded: &'s Sharded,
}

impl View<'_> {
    fn value(&self, value: ValueId) -> String {
        self.sharded.of.inlined.input_name(&self.sharded.program.module, value)
    }

    fn sharding(&self, value: ValueId) -> String {
        self.sharding_in(&self.sharded.of.shardings, value)
    }

    /// The sharding that propagation alone gives a value, where completion by cost gives it another.
    fn by_propagation(&self, value: ValueId) -> Option<String> {
        let decision = self.sharded.of.decision.as_ref()?;
        self.other(&decision.propagated, value)
    }

    /// The sharding of a value in the second best program by cost, where that is another.
    fn by_runner_up(&self, value: ValueId) -> Option<String> {
        self.other(self.sharded.of.decision.as_ref()?.second.as_ref()?, value)
    }

    fn other(&self, program: &Alternative, value: ValueId) -> Option<String> {
        let other = self.sharding_in(&program.shardings, value);
        (other != self.sharding(value)).then_some(other)
    }

    fn sharding_in(&self, found: &Propagated, value: ValueId) -> String {
        let inlined = &self.sharded.of.inlined;
        let mesh = export::mesh_symbol(&inlined.module).map_or("mesh", |s| &inlined.module.strings[s]);
        match found.graph.value_slot(value) {
            Some(slot) => export::text(&found.mesh, mesh, &found.sharding(slot)),
            None => format!("<@{mesh}, []>"),
        }
    }

    fn tensor(&self, tensor: Tensor) -> String {
        match tensor {
            Tensor::Value(value) => self.value(value),
            Tensor::Result(n) => format!("result{n}"),
            Tensor::Unnamed => "(a constant)".to_string(),
        }
    }

    fn axes(&self, atoms: &[Atom]) -> String {
        export::axes_text(&self.sharded.of.shardings.mesh, atoms)
    }

    /// The line of the input, and the user's own source where it is known.
    fn place(&self, op: OpId) -> (usize, Option<String>) {
        let module = &self.sharded.of.inlined.module;
        let data = &module.ops[op];
        let (line, _) = line_column(&self.sharded.program.text, data.span.start);
        (line, module.source_line(data.loc))
    }

    fn through(&self, op: OpId) -> String {
        let module = &self.sharded.of.inlined.module;
        let (line, source) = self.place(op);
        let source = source.map(|s| format!(", {s}")).unwrap_or_default();
        let rule = rule_text(module, op).map(|r| format!("\n        rule {r}")).unwrap_or_default();
        format!("{} (line {line}{source}){rule}", module.op(op).def().name)
    }

    fn chain(&self, chain: &Chain) -> String {
        let mut text = format!("\ndimension {}, axis {}:\n", chain.dim, self.axes(&chain.atoms));
        for hop in &chain.hops {
            let at = format!("{} dimension {}", self.tensor(hop.tensor), hop.dim);
            text.push_str(&match (hop.op, hop.step) {
                (Some(op), _) => format!("  {at}: through {}\n", self.through(op)),
                (None, Some(_)) => format!("  {at}: through an edge of control flow\n"),
                (None, None) if hop.chosen => format!("  {at}: chosen by cost\n"),
                (None, None) => format!("  {at}: annotated in the program\n"),
            });
        }
        text
    }

    fn chain_json(&self, chain: &Chain) -> Value {
        let hop = |hop: &Hop| {
            let module = &self.sharded.of.inlined.module;
            let place = hop.op.map(|op| self.place(op));
            json!({
                "value": self.tensor(hop.tensor),
                "dimension": hop.dim,
                "annotation": hop.step.is_none() && !hop.chosen,
                "chosen": hop.chosen,
                "op": hop.op.map(|op| module.op(op).def().name),
                "rule": hop.op.and_then(|op| rule_text(module, op)),
                "line": place.as_ref().map(|p| p.0),
                "location": place.and_then(|p| p.1),
                "step": hop.step,
            })
        };
        json!({
            "dimension": chain.dim,
            "axis": self.axes(&chain.atoms),
            "hops": chain.hops.iter().map(hop).collect::<Vec<_>>(),
        })
    }

    fn conflict(&self, conflict: &Conflict) -> String {
        let side = |(tensor, dim, atoms): &(Tensor, usize, partita::sharding::AtomList)| {
            format!("{} dimension {dim} over {}", self.tensor(*tensor), self.axes(atoms))
        };
        let op = conflict.op.map_or_else(|| "an edge of control flow".to_string(), |op| self.through(op));
        format!("  {} and {}\n      at {op}\n", side(&conflict.sides[0]), side(&conflict.sides[1]))
    }

    fn conflict_json(&self, conflict: &Conflict) -> Value {
        let module = &self.sharded.of.inlined.module;
        let sides = conflict.sides.iter().map(|(tensor, dim, atoms)| {
            json!({"value": self.tensor(*tensor), "dimension": dim, "axes": self.axes(atoms)})
        });
        let place = conflict.op.map(|op| self.place(op));
        json!({
            "op": conflict.op.map(|op| module.op(op).def().name),
            "line": place.as_ref().map(|p| p.0),
            "location": place.and_then(|p| p.1),
            "sides": sides.collect::<Vec<_>>(),
        })
    }
}
