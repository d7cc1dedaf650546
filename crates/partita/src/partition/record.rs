//! What is remembered of every collective: who talks to whom, and which op of the input needed it, and why.

use super::pattern::{Pattern, Positions};
use crate::ir::*;
use crate::sharding::Mesh;
use crate::value::{Scalar, Tensor};
use rustc_hash::FxHashMap;

/// A collective of the per-device program.
#[derive(Clone, Debug)]
pub struct Collective {
    /// The op of the per-device program.
    pub op: OpId,
    /// Who talks to whom.
    pub pattern: Pattern,
    /// The value of the input that moves.
    pub value: Option<ValueId>,
    /// The op of the input that needs it.
    pub cause: Option<OpId>,
    /// Why.
    pub reason: &'static str,
    /// Whether it makes a value whole on every device on the way between two layouts that split it.
    pub replicates: bool,
}

/// Writes the groups and pairs of devices of collectives out as attributes: the only step that grows with the number of devices.
pub(super) fn expand(module: &mut Module, mesh: &Mesh, collectives: &[Collective]) {
    let positions = Positions::new(mesh);
    let mut known: FxHashMap<&Pattern, (Sym, Attr)> = FxHashMap::default();
    for Collective { op, pattern, .. } in collectives {
        let (name, attr) = known.entry(pattern).or_insert_with(|| {
            let (name, rows): (Sym, Vec<Vec<i64>>) = match pattern {
                Pattern::Groups(atoms) => (names::REPLICA_GROUPS, positions.groups(atoms)),
                _ => {
                    let pairs = positions.pairs(pattern).into_iter().map(Vec::from).collect();
                    (names::SOURCE_TARGET_PAIRS, pairs)
                }
            };
            let shape = [rows.len() as i64, rows.first().map_or(2, Vec::len) as i64];
            let ids: Vec<i64> = rows.into_iter().flatten().collect();
            let ty = TensorType::new(Elem::Int(64), shape);
            (name, Attr::Elements(Box::new(Tensor::from_fn(ty, |i| Scalar::Int(ids[i])))))
        });
        module.ops[*op].attrs.set(*name, attr.clone());
    }
}
