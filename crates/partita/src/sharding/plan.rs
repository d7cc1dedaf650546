//! Plans: shardings for a whole program, kept beside it.
//!
//! A plan says for a mesh how arguments, results and values between them are split. What a search found can be
//! kept as one, and given again with the same program.

use super::Mesh;
use super::apply::{Completion, Options};
use super::import::boundary_sharding;
use super::spec::{MeshSpec, OnValue, Scope, ShardSpec};
use crate::diagnostic::Diagnostic;
use crate::ir::sdy::{AxisRef, DimSharding, TensorSharding};
use crate::ir::{Attrs, Module, Span};

/// Shardings for a program. Each is a name and the text of one entry per dimension, as `_,model`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// Names and sizes of the axes, major to minor; nothing where the program's own mesh is meant.
    pub mesh: Vec<(String, i64)>,
    /// Arguments by name, `arg3` or the one JAX gave.
    pub arguments: Vec<(String, String)>,
    /// Results by name, `result0` or the one JAX gave.
    pub results: Vec<(String, String)>,
    /// Values by name, `%42`: annotations that propagation starts from ([`OnValue::Annotation`]).
    pub constraints: Vec<(String, String)>,
    /// Values that completion by cost splits, for propagation to go on from.
    pub choices: Vec<NamedChoice>,
    /// The way to find the shardings that the plan leaves out; the default one where it says nothing.
    pub complete: Option<Completion>,
}

/// A choice of completion by the name of its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedChoice {
    /// The value, `%42` or `@f:%42`.
    pub value: String,
    /// The number of the value among those with this name: a function that is called several times has several.
    pub copy: usize,
    /// One entry per dimension, as `_,model`.
    pub spec: String,
}

impl Plan {
    /// The plan of a program that was completed by these choices: its mesh, the annotations of its arguments and results, and the choices.
    pub fn of(module: &Module, mesh: &Mesh, choices: Vec<NamedChoice>) -> Plan {
        let named = |attrs: &[Attrs], word: &str| -> Vec<(String, String)> {
            let sharding = |(n, attrs): (usize, &Attrs)| {
                let sharding = boundary_sharding(attrs)?;
                // What the text of a plan cannot say stays with the program.
                let plain = sharding.replicated.is_empty() && sharding.unreduced.is_empty();
                plain.then(|| (format!("{word}{n}"), spec_text(module, sharding)))
            };
            attrs.iter().enumerate().filter_map(sharding).collect()
        };
        let func = module.funcs.iter().next();
        Plan {
            mesh: mesh.axes().iter().map(|axis| (axis.name.clone(), axis.size)).collect(),
            arguments: func.map_or_else(Vec::new, |func| named(&func.arg_attrs, "arg")),
            results: func.map_or_else(Vec::new, |func| named(&func.result_attrs, "result")),
            constraints: Vec::new(),
            choices,
            complete: Some(Completion::Propagate),
        }
    }

    /// Adds what the plan says to the options. A mesh and a way to complete shardings that are given there already stay.
    pub fn add_to(&self, options: &mut Options) -> Result<(), Diagnostic> {
        if options.mesh.is_none() && !self.mesh.is_empty() {
            options.mesh = Some(self.mesh_spec()?);
        }
        options.complete = options.complete.or(self.complete);
        options.choices.extend_from_slice(&self.choices);
        let mut shards = Vec::new();
        for (list, scope) in [
            (&self.arguments, Scope::Arguments),
            (&self.results, Scope::Results),
            (&self.constraints, Scope::Values),
        ] {
            for (name, dims) in list {
                let said = format!("the plan (`{name}`: `{dims}`)");
                let spec = ShardSpec::new(said, name, scope, dims)?;
                shards.push(ShardSpec { on_value: OnValue::Annotation, ..spec });
            }
        }
        // What is said on the command line comes behind, so that what contradicts is told of it and not of the plan.
        options.shards.splice(..0, shards);
        Ok(())
    }

    fn mesh_spec(&self) -> Result<MeshSpec, Diagnostic> {
        let error = |message: String, axis: &str, fix: &str| {
            Diagnostic::new("option", Span::default(), message).axis(axis).fix(fix)
        };
        for (n, (name, size)) in self.mesh.iter().enumerate() {
            if *size < 1 || name.is_empty() {
                let message = format!("the axis \"{name}\" of the plan's mesh has the size {size}");
                return Err(error(message, name, "write an axis as `[\"data\", 2]`"));
            }
            if self.mesh[..n].iter().any(|a| a.0 == *name) {
                let message = format!("the plan's mesh names the axis \"{name}\" twice");
                return Err(error(message, name, "give each axis a name of its own"));
            }
        }
        Ok(MeshSpec { axes: self.mesh.clone() })
    }
}

/// A sharding as `--shard` reads it.
fn spec_text(module: &Module, sharding: &TensorSharding) -> String {
    let axis = |axis: &AxisRef| {
        let part = axis.part.map_or_else(String::new, |(pre, size)| format!(":({pre}){size}"));
        format!("{}{part}", &module.strings[axis.name])
    };
    let dim = |dim: &DimSharding| {
        let open = dim.open.then(|| "?".to_string());
        let parts: Vec<String> = dim.axes.iter().map(axis).chain(open).collect();
        let parts = if parts.is_empty() { "_".to_string() } else { parts.join("+") };
        dim.priority.map_or(parts.clone(), |priority| format!("{parts}@{priority}"))
    };
    sharding.dims.iter().map(dim).collect::<Vec<_>>().join(",")
}
