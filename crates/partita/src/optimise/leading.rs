//! Gathers and scatters along the leading dimension.
//!
//! Some engines exchange whole pieces of memory. What a collective joins or cuts must then be outermost there, and where it is another
//! dimension, the engine turns the whole array element by element, and what uses it turns it back. Here the shards get a leading dimension of
//! their own instead: what moves in memory are rows as long as a shard has them, on one side of the collective only.

use super::edit::{Channels, collective_kind, regions};
use crate::interpret::CollectiveOp;
use crate::ir::*;
use crate::ops::combine;
use crate::ops::rule::Combine;
use crate::partition::{Collective, Emit, Partitioned, Pattern, Purpose};
use crate::sharding::AtomList;
use rustc_hash::FxHashMap;

/// Gives the shards of every gather and scatter a leading dimension.
pub(super) fn run(partitioned: &mut Partitioned) {
    let mesh = partitioned.mesh.clone();
    let module = std::mem::take(&mut partitioned.module);
    let channels = Channels::after(&module).last();
    let mut emit = Emit::new(module, &mesh, channels);
    let mut turned: FxHashMap<OpId, ValueId> = FxHashMap::default();
    for region in regions(&emit.module) {
        let ops = std::mem::take(&mut emit.module.regions[region].ops);
        emit.open(region);
        for op in ops {
            let known = partitioned.collectives.binary_search_by_key(&op, |c| c.op).ok();
            let known = known.map(|n| &partitioned.collectives[n]);
            match known.and_then(|known| Some((known, Inner::new(&emit.module, known)?))) {
                Some((known, inner)) => {
                    turned.insert(op, inner.write(&mut emit, known));
                }
                None => emit.module.regions[region].ops.push(op),
            }
        }
        emit.close();
    }
    partitioned.collectives.retain(|c| !turned.contains_key(&c.op));
    partitioned.collectives.append(&mut emit.collectives);
    let mut module = emit.module;
    let renamed: FxHashMap<ValueId, ValueId> =
        turned.into_iter().map(|(op, new)| (module.ops[op].results.at(0), new)).collect();
    module.replace_operands(|value| renamed.get(&value).copied());
    partitioned.module = module;
}

/// A collective that joins or cuts a dimension further in.
struct Inner {
    operand: ValueId,
    dim: usize,
    atoms: AtomList,
    /// How partial results are combined; nothing where they are gathered.
    sum: Option<Combine>,
}

impl Inner {
    fn new(module: &Module, known: &Collective) -> Option<Inner> {
        let op = module.op(known.op);
        let (Pattern::Groups(atoms), &[operand]) = (&known.pattern, op.operands()) else { return None };
        let (dim, sum) = match collective_kind(op)? {
            CollectiveOp::AllGather => (op.int(names::ALL_GATHER_DIM)?, None),
            CollectiveOp::ReduceScatter => (op.int(names::SCATTER_DIMENSION)?, Some(combine(op)?)),
            _ => return None,
        };
        let dim = usize::try_from(dim).ok()?;
        let outer = op.operand_type(0).as_tensor()?.shape.get(..dim)?;
        outer.iter().any(|size| *size != 1).then(|| Inner { operand, dim, atoms: atoms.clone(), sum })
    }

    /// Writes the collective anew: what stands for its result.
    fn write(&self, emit: &mut Emit<'_>, known: &Collective) -> ValueId {
        emit.loc = emit.module.ops[known.op].loc;
        emit.purpose = Purpose { value: known.value, cause: known.cause, reason: known.reason };
        let parts = emit.mesh.size_of(self.atoms.iter().copied());
        let (dim, shape) = (self.dim, emit.type_of(self.operand).shape);
        let rank = shape.len();
        let result = match self.sum {
            Some(sum) => {
                let apart = shape[..dim].iter().copied().chain([parts, shape[dim] / parts]);
                let apart = emit.reshape(self.operand, apart.chain(shape[dim + 1..].iter().copied()));
                let leading = emit.transpose(apart, [dim].into_iter().chain(0..dim).chain(dim + 1..=rank));
                let own = emit.reduce_scatter(leading, 0, &self.atoms, sum);
                let mut shape = shape;
                shape[dim] /= parts;
                emit.reshape(own, shape)
            }
            None => {
                let leading = emit.reshape(self.operand, [1].into_iter().chain(shape.iter().copied()));
                let all = emit.all_gather(leading, 0, &self.atoms);
                let apart = emit.transpose(all, (1..=dim).chain([0]).chain(dim + 1..=rank));
                let mut shape = shape;
                shape[dim] *= parts;
                emit.reshape(apart, shape)
            }
        };
        if let Some(new) = emit.collectives.last_mut() {
            new.replicates = known.replicates;
        }
        result
    }
}
