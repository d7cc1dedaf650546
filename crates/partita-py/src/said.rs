//! What Python says of the mesh and of the tensors of a program.

use partita::sharding::apply::Options;
use partita::sharding::spec::{DimSpec, MeshSpec, OnValue, Scope, ShardSpec};

/// How one dimension is split: axes or parts of axes, and whether more may be added.
pub type Dimension = (Vec<(String, Option<(i64, i64)>)>, bool);

/// A tensor and its sharding: its number, what messages call it, and its dimensions.
pub type Said = (usize, String, Vec<Dimension>);

/// The same as the command line says it.
pub fn options(mesh: Vec<(String, i64)>, arguments: Vec<Said>, results: Vec<Said>) -> Options {
    let specs = |list: Vec<Said>, scope: Scope, word: &str| -> Vec<ShardSpec> {
        let spec = |(number, said, dims): Said| {
            let dim = |(axes, open): Dimension| DimSpec { axes, open, priority: None };
            let dims = dims.into_iter().map(dim).collect();
            ShardSpec { said, target: format!("{word}{number}"), scope, dims, on_value: OnValue::Constraint }
        };
        list.into_iter().map(spec).collect()
    };
    let mut shards = specs(arguments, Scope::Arguments, "arg");
    shards.extend(specs(results, Scope::Results, "result"));
    Options { mesh: Some(MeshSpec { axes: mesh }), shards, ..Options::default() }
}
