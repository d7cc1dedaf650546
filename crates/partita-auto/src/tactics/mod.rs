//! Tactics: what experts do, as steps that are taken before the search and that compose in the order they are given.
//!
//! A tactic names no tensors: it finds what it splits by the structure of the program. Each takes the plan so far and adds to it, and
//! the search completes what they leave open.

mod find;

use partita::Diagnostic;
use partita::complete::Estimator;
use partita::complete::Subject;
use partita::complete::{Assignment, Store};
use partita::complete::{ClassId, Space};
use partita::ir::Span;

/// A step that an expert would take over one axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tactic {
    kind: Kind,
    axis: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The batch is split.
    Data,
    /// Parameters are split so that products add up their parts: what is left whole between them is reduced.
    Megatron,
    /// The state of the optimizer is split.
    Zero1,
    /// Gradients too: they are split where the state is, which is what partial sums become anyway.
    Zero2,
    /// Parameters too.
    Zero3,
    /// The batch, the parameters and the state.
    Fsdp,
    /// What is left whole between products is split along the sequence.
    Sequence,
    /// The experts of a mixture.
    Expert,
    /// A dimension that windows move along.
    Spatial,
    /// The stages of a program that is written as stages.
    Pipeline,
}

const KINDS: &[(&str, Kind)] = &[
    ("data", Kind::Data),
    ("megatron", Kind::Megatron),
    ("zero1", Kind::Zero1),
    ("zero2", Kind::Zero2),
    ("zero3", Kind::Zero3),
    ("fsdp", Kind::Fsdp),
    ("sequence", Kind::Sequence),
    ("expert", Kind::Expert),
    ("spatial", Kind::Spatial),
    ("pipeline", Kind::Pipeline),
];

fn error(message: String, fix: impl Into<String>) -> Diagnostic {
    Diagnostic::new("tactic", Span::default(), message).fix(fix)
}

impl Tactic {
    /// Reads `data:x`.
    pub fn parse(text: &str) -> Result<Tactic, Diagnostic> {
        let known = || KINDS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let Some((name, axis)) = text.split_once(':').filter(|(_, axis)| !axis.is_empty()) else {
            return Err(error(
                format!("the tactic `{text}` names no axis"),
                "write it as `data:x`, over an axis `x` of the mesh",
            ));
        };
        match KINDS.iter().find(|(known, _)| *known == name) {
            Some((_, kind)) => Ok(Tactic { kind: *kind, axis: axis.to_string() }),
            None => {
                Err(error(format!("there is no tactic `{name}`"), format!("the tactics are {}", known())))
            }
        }
    }

    /// The plan with this step too.
    pub fn apply(
        &self,
        subject: &Subject<'_>,
        space: &Space,
        estimator: &mut Estimator<'_>,
        plan: &Assignment,
    ) -> Result<Assignment, Diagnostic> {
        let Some(axis) = subject.mesh.axis(&self.axis) else {
            let known: Vec<&str> = subject.mesh.axes().iter().map(|a| &*a.name).collect();
            let message = format!("the tactic is over the axis \"{}\", which the mesh has not", self.axis);
            return Err(error(message, format!("its axes are {}", known.join(", "))).axis(&self.axis));
        };
        let mut plan = plan.clone();
        match self.kind {
            Kind::Data => self.split(&mut plan, axis, find::batch(space), "batch")?,
            Kind::Megatron => {
                let classes = find::products(space, estimator, &plan, axis);
                if classes.is_empty() {
                    return Err(self.nothing("products whose parameters could be split"));
                }
                for class in classes {
                    self.split(&mut plan, axis, Some(class), "")?;
                }
            }
            Kind::Zero1 | Kind::Zero2 => plan.store[axis] = plan.store[axis].max(Store::State),
            Kind::Zero3 => plan.store[axis] = Store::Parameters,
            Kind::Fsdp => {
                self.split(&mut plan, axis, find::batch(space), "batch")?;
                plan.store[axis] = Store::Parameters;
            }
            Kind::Sequence => self.split(&mut plan, axis, find::sequence(space), "sequence")?,
            Kind::Expert => self.split(&mut plan, axis, find::stacked(space, false), "experts")?,
            Kind::Spatial => {
                let class = find::windowed(space, &plan);
                self.split(&mut plan, axis, class, "windows over data")?;
            }
            Kind::Pipeline => self.split(&mut plan, axis, find::stacked(space, true), "stages")?,
        }
        Ok(plan.canonical(space))
    }

    fn split(
        &self,
        plan: &mut Assignment,
        axis: usize,
        class: Option<ClassId>,
        what: &str,
    ) -> Result<(), Diagnostic> {
        let class = class.ok_or_else(|| self.nothing(what))?;
        let entry = (class, axis as u8);
        if !plan.split.contains(&entry) {
            plan.split.push(entry);
        }
        Ok(())
    }

    fn nothing(&self, what: &str) -> Diagnostic {
        let name = KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or("", |(name, _)| *name);
        let message = format!("the tactic `{name}:{}` finds no {what} in the program", self.axis);
        error(message, "leave it out, or name the tensor: `--shard`").axis(&self.axis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tactics_are_read() {
        assert_eq!(Tactic::parse("zero3:x").map(|t| (t.kind, t.axis)), Ok((Kind::Zero3, "x".to_string())));
        for text in ["data", "data:", "magic:x", ""] {
            assert!(Tactic::parse(text).is_err(), "{text}");
        }
    }
}
