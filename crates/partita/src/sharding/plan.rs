//! Plans: shardings for a whole program, kept beside it.
//!
//! A plan says for a mesh how arguments, results and values between them are split. What a search found can be
//! kept as one, and given again with the same program.

use super::apply::{Completion, Options};
use super::spec::{MeshSpec, OnValue, Scope, ShardSpec};
use crate::diagnostic::Diagnostic;
use crate::ir::Span;

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
    /// The way to find the shardings that the plan leaves out; the default one where it says nothing.
    pub complete: Option<Completion>,
}

impl Plan {
    /// Adds what the plan says to the options. A mesh and a way to complete shardings that are given there already stay.
    pub fn add_to(&self, options: &mut Options) -> Result<(), Diagnostic> {
        if options.mesh.is_none() && !self.mesh.is_empty() {
            options.mesh = Some(self.mesh_spec()?);
        }
        options.complete = options.complete.or(self.complete);
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
