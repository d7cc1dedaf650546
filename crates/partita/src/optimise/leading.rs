//! Gathers and scatters along the leading dimension.
//!
//! Some engines exchange whole pieces of memory. What a collective joins or cuts must then be outermost there, and where it is another
//! dimension, the engine turns the whole array element by element, and what uses it turns it back. Here the shards get a leading dimension of
//! their own instead: what moves in memory are rows as long as a shard has them, on one side of the collective only.

use super::edit::{collective_kind, rewrite};
use crate::interpret::CollectiveOp;
use crate::ir::*;
use crate::ops::combine;
use crate::ops::rule::Combine;
use crate::partition::{Collective, Emit, Partitioned, Pattern};
use crate::sharding::AtomList;

/// Gives the shards of every gather and scatter a leading dimension.
pub(super) fn run(partitioned: &mut Partitioned) {
    rewrite(partitioned, |emit, known| Some(Inner::new(&emit.module, known)?.write(emit)));
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
    fn write(&self, emit: &mut Emit<'_>) -> ValueId {
        let parts = emit.mesh.size_of(self.atoms.iter().copied());
        let (dim, shape) = (self.dim, emit.type_of(self.operand).shape);
        let rank = shape.len();
        match self.sum {
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
        }
    }
}
