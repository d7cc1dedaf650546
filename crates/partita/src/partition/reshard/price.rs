//! What a step costs.

use super::super::fetch::{Wanted, fetch_price};
use super::super::layout::Layout;
use super::super::pattern::Pattern;
use super::super::price::{Price, all_reduce_bytes, payload_bytes, ring_bytes};
use super::step::Step;
use crate::ir::{Elem, TensorType};
use crate::ops::rule::Combine;
use crate::sharding::{Atom, AtomList, Mesh};

/// Whether engines combine these elements in a collective. Others are moved first and combined locally.
pub(super) fn reduces_in_collectives(combine: Combine, elem: Elem) -> bool {
    match combine {
        Combine::Add | Combine::Multiply | Combine::Maximum | Combine::Minimum => true,
        Combine::And | Combine::Or => elem == Elem::Bool,
        Combine::Xor | Combine::Region => false,
    }
}

/// Whether combining a value with itself gives the value.
pub(super) fn is_idempotent(combine: Combine) -> bool {
    matches!(combine, Combine::Maximum | Combine::Minimum | Combine::And | Combine::Or)
}

/// The bytes of a shard.
pub(in super::super) fn shard_bytes(ty: &TensorType, layout: &Layout) -> u64 {
    let count = layout.dims.iter().fold(1u64, |count, d| count.saturating_mul(d.block.max(0) as u64));
    payload_bytes(ty.elem, count)
}

/// The price of a step from a layout.
pub(super) fn price(mesh: &Mesh, ty: &TensorType, now: &Layout, step: &Step) -> Price {
    let bytes = shard_bytes(ty, now);
    // A shard whose block of a dimension is another.
    let with_block = |dim: usize, block: i64| {
        let others = now.dims.iter().enumerate().filter(|(d, _)| *d != dim);
        let row = others.fold(1u64, |count, (_, d)| count.saturating_mul(d.block.max(0) as u64));
        payload_bytes(ty.elem, row.saturating_mul(block.max(0) as u64))
    };
    let size = |atoms: &AtomList| mesh.size_of(atoms.iter().copied());
    // What is padded or cut before it is sent is copied.
    let fitted = |dim: usize, block: i64| {
        let fits = now.dims[dim].block == block;
        let sent = with_block(dim, block);
        (sent, Price::local(if fits { 0 } else { sent }))
    };
    match step {
        Step::Gather { dim, atoms, block } => {
            let gathered = now.dims[*dim].block * size(atoms);
            let ring = ring_bytes(mesh, &groups(atoms), with_block(*dim, gathered));
            let cut = if gathered == *block { 0 } else { with_block(*dim, *block) };
            Price::collective(ring).plus(Price::local(cut))
        }
        Step::Slice { dim, atoms, block } => {
            let needed = block * size(atoms);
            let padded = if needed > now.dims[*dim].block { with_block(*dim, needed) } else { 0 };
            Price::local(padded + with_block(*dim, *block))
        }
        Step::Assemble(ends) => {
            let with = |now: &Layout, block: &dyn Fn(&AtomList, i64, i64) -> i64| {
                let mut layout = now.clone();
                for (dim, atoms, after) in ends {
                    let dim = &mut layout.dims[*dim];
                    dim.block = block(atoms, dim.block, *after);
                }
                shard_bytes(ty, &layout)
            };
            let atoms: AtomList = ends.iter().flat_map(|(_, atoms, _)| atoms.iter().copied()).collect();
            let ring = all_reduce_bytes(mesh, &groups(&atoms), with(now, &|_, _, after| after));
            let placed = with(now, &|atoms, block, _| block.saturating_mul(size(atoms)));
            Price::collective(ring).plus(Price::local(placed))
        }
        Step::AllToAll { from, to } => {
            let block = |d: usize| match to.iter().find(|(dim, ..)| *dim == d) {
                Some((_, atoms, block)) => block * size(atoms),
                None => now.dims[d].block,
            };
            let count = (0..now.dims.len()).fold(1u64, |n, d| n.saturating_mul(block(d).max(0) as u64));
            let sent = payload_bytes(ty.elem, count);
            let fits = to.iter().all(|(d, ..)| block(*d) == now.dims[*d].block);
            let whole = from.iter().all(|(d, atoms, block)| now.dims[*d].block * size(atoms) == *block);
            let single = from.len() == 1 && to.len() == 1;
            let copies = u64::from(!fits) + u64::from(!whole) + if single { 0 } else { 2 };
            let atoms: AtomList = to.iter().flat_map(|(_, atoms, _)| atoms.iter().copied()).collect();
            let ring = ring_bytes(mesh, &groups(&atoms), sent);
            Price::collective(ring).plus(Price::local(sent.saturating_mul(copies)))
        }
        Step::Permute { pattern, .. } => Price::collective(ring_bytes(mesh, pattern, bytes)),
        Step::Reblock { dim, block } => {
            let row = now.dims.iter().enumerate().filter(|(d, _)| d != dim);
            let row = row.fold(1u64, |count, (_, d)| count.saturating_mul(d.block.max(0) as u64));
            fetch_price(mesh, ty.elem, row, &now.dims[*dim], ty.shape[*dim], reblocked(*block))
        }
        Step::ReduceScatter { dim, atoms, combine, block } => {
            let (sent, fit) = fitted(*dim, block * size(atoms));
            let direct = reduces_in_collectives(*combine, ty.elem);
            let local = Price::local(if direct { 0 } else { sent });
            Price::collective(ring_bytes(mesh, &groups(atoms), sent)).plus(fit).plus(local)
        }
        Step::AllReduce { atoms, combine } if reduces_in_collectives(*combine, ty.elem) => {
            Price::collective(all_reduce_bytes(mesh, &groups(atoms), bytes))
        }
        Step::AllReduce { atoms, .. } => {
            let gathered = bytes.saturating_mul(size(atoms) as u64);
            Price::collective(ring_bytes(mesh, &groups(atoms), gathered)).plus(Price::local(gathered))
        }
        Step::Mask { combine, .. } => Price::local(if is_idempotent(*combine) { 0 } else { bytes }),
        Step::Blank(_) => Price::default(),
    }
}

/// What every device wants of a dimension whose blocks are to be of another size.
pub(super) fn reblocked(block: i64) -> Wanted {
    Wanted { stride: block, offset: 0, length: block }
}

fn groups(atoms: &[Atom]) -> Pattern {
    Pattern::Groups(atoms.iter().copied().collect())
}
