//! Runs that devices add to a split dimension: [`super::fetch`] the other way round. A device has something to add to each index of a
//! run, and every shard gets the sum of what all devices add to it. Each step of fetching has one that undoes it: what was taken
//! of the pieces of all hops is put there, pieces go back to the shards they would come from, and are added up.

use super::emit::Emit;
use super::fetch::{Exchange, Hop, Piece, Request, Wanted};
use super::layout::DimLayout;
use super::price::{Price, payload_bytes};
use crate::ir::{Elem, ValueId};
use crate::ops::OpKind;
use crate::ops::rule::Combine;
use crate::sharding::Mesh;
use crate::value::Scalar;

/// Adds the runs of all devices up. What a device has beside the ends of the dimension must be zero.
pub(super) fn deliver(
    emit: &mut Emit<'_>,
    value: ValueId,
    dim: usize,
    layout: &DimLayout,
    size: i64,
    run: Wanted,
) -> ValueId {
    let mut ty = emit.type_of(value);
    let row = ty.count() as u64 / run.length.max(1) as u64;
    let request = Request::new(emit.mesh, layout, size, run);
    match request.exchange(ty.elem, row).0 {
        Exchange::Nothing => {
            ty.shape[dim] = layout.block;
            emit.splat(ty.clone(), Scalar::zero(ty.elem))
        }
        Exchange::Hops(hops) => {
            let joined = put(emit, &request, value, dim, &hops);
            let mut before = 0;
            let mut sum = None;
            for hop in &hops {
                let piece = emit.slice(joined, dim, before, hop.size);
                before += hop.size;
                let piece = send(emit, &request, piece, dim, hop);
                sum = Some(sum.map_or(piece, |sum| emit.combine(Combine::Add, sum, piece)));
            }
            sum.unwrap_or(value)
        }
        Exchange::Gather => {
            let all = layout.block * request.parts;
            let Wanted { stride, offset, length } = run;
            let ends = [offset, offset + stride * (request.parts - 1)];
            let low = (-ends[0].min(ends[1])).clamp(0, length);
            let high = (ends[0].max(ends[1]) + length - all).clamp(0, length);
            let start = emit.offset(&layout.atoms, stride);
            let start = emit.index_op(OpKind::Add, start, offset + low);
            let placed = emit.place_at(value, dim, start, low + all + high);
            let placed = emit.slice(placed, dim, low, all);
            emit.reduce_scatter(placed, dim, &layout.atoms, Combine::Add)
        }
    }
}

/// What [`deliver`] costs where one index of the dimension is `row` elements.
pub(super) fn deliver_price(
    mesh: &Mesh,
    elem: Elem,
    row: u64,
    layout: &DimLayout,
    size: i64,
    run: Wanted,
) -> Price {
    let block = payload_bytes(elem, row.saturating_mul(layout.block.max(0) as u64));
    Request::new(mesh, layout, size, run).exchange(elem, row).1.plus(Price::local(block))
}

/// A run where it stands in the pieces of all hops.
fn put(emit: &mut Emit<'_>, request: &Request<'_>, value: ValueId, dim: usize, hops: &[Hop]) -> ValueId {
    let placing = request.placing(hops);
    let room = placing.low + placing.total + placing.high;
    let placed = match placing.fixed {
        Some(place) => emit.pad(value, dim, place, room - place - request.wanted.length),
        None => {
            let place = request.emit_place(emit, hops, placing.low);
            emit.place_at(value, dim, place, room)
        }
    };
    emit.slice(placed, dim, placing.low, placing.total)
}

/// A piece in the shard that it belongs to.
fn send(emit: &mut Emit<'_>, request: &Request<'_>, piece: ValueId, dim: usize, hop: &Hop) -> ValueId {
    let piece = match hop.by {
        0 => piece,
        _ => request.pass(emit, piece, dim, hop, |by, first, end| (-by, first + by, end + by)),
    };
    let size = hop.size;
    let block = request.layout.block;
    match request.piece(emit, hop) {
        Piece::At(start) => emit.pad(piece, dim, start, block - size - start),
        Piece::Computed(start) => emit.place_at(piece, dim, start, block),
    }
}
