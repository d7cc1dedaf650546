//! Runs of a split dimension that a device needs from its neighbours: the one mechanism behind halos and changed blocks.
//!
//! At coordinate `c` along the atoms of a dimension a device holds the block from `c·b` and wants the indices from
//! `c·stride + offset`. What it wants of the shard `h` places further along is the *hop* `h`: one permute, which sends as
//! much as the neediest receiver takes, or two, of which the second goes to those alone that take more than half of it.
//! Every device cuts what it sends so that the pieces of neighbouring shards meet; put one behind the other they hold what
//! is wanted in one run. Where runs go backwards, shards first change places with those at the other end.

use super::emit::Emit;
use super::layout::DimLayout;
use super::pattern::Pattern;
use super::price::{Price, payload_bytes, ring_bytes, scaled};
use crate::ir::{Elem, TensorType, ValueId};
use crate::ops::OpKind;
use crate::sharding::{AtomList, Mesh};
use crate::value::{Scalar, Tensor};
use smallvec::SmallVec;
use std::ops::Range;

/// What each device wants of a dimension: at coordinate `c` the `length` indices from `c·stride + offset`. What lies outside
/// of the dimension is undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wanted {
    pub(super) stride: i64,
    pub(super) offset: i64,
    pub(super) length: i64,
}

/// More hops than this are not worth their collectives.
const MAX_HOPS: i64 = 64;

/// What moves from the shards that are `by` places further along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) by: i64,
    /// How many indices are sent.
    pub(super) size: i64,
    /// The coordinates that want some of them.
    pub(super) first: i64,
    pub(super) end: i64,
    /// The half of them that many of these do not want.
    rest: Option<Rest>,
}

/// A part of what a hop sends that goes to fewer.
#[derive(Clone, Copy, Debug)]
struct Rest {
    size: i64,
    /// Whether it stands behind what all want, or before it.
    behind: bool,
    /// The coordinates that want some of it.
    first: i64,
    end: i64,
}

impl Hop {
    /// What is sent one behind the other: how many indices, and the coordinates that want some of them.
    fn sent(&self) -> SmallVec<[(i64, i64, i64); 2]> {
        let Some(rest) = self.rest else { return SmallVec::from_slice(&[(self.size, self.first, self.end)]) };
        let all = (self.size - rest.size, self.first, self.end);
        let some = (rest.size, rest.first, rest.end);
        SmallVec::from_slice(&if rest.behind { [all, some] } else { [some, all] })
    }
}

/// How wanted runs come about.
pub(super) enum Exchange {
    /// Nothing of the dimension is wanted.
    Nothing,
    Hops(Vec<Hop>),
    Gather,
}

/// A dimension and what is wanted of it.
pub(super) struct Request<'a> {
    pub(super) layout: &'a DimLayout,
    pub(super) parts: i64,
    size: i64,
    pub(super) wanted: Wanted,
    /// Whether shards change places with those at the other end first. Coordinates then count from the end.
    mirrored: bool,
}

/// How runs lie among the pieces of all hops, one behind the other.
pub(super) struct Placing {
    /// Room that runs take before the pieces, and behind them.
    pub(super) low: i64,
    pub(super) high: i64,
    /// The size of the pieces together.
    pub(super) total: i64,
    /// Where all runs start, counted from the room before the pieces, where they start alike.
    pub(super) fixed: Option<i64>,
}

/// Where a piece stands in a shard; moved inwards where it would pass an end.
pub(super) enum Piece {
    At(i64),
    Computed(ValueId),
}

/// Gives each device the run of a dimension that it wants. The dimension has the global size `size`.
pub(super) fn fetch(
    emit: &mut Emit<'_>,
    value: ValueId,
    dim: usize,
    layout: &DimLayout,
    size: i64,
    wanted: Wanted,
) -> ValueId {
    let mut ty = emit.type_of(value);
    let row = ty.count() as u64 / layout.block.max(1) as u64;
    let (request, exchange, _) = best(emit.mesh, ty.elem, row, layout, size, wanted);
    let value = match request.mirrored {
        true => emit.permute(value, Pattern::Mirror(layout.atoms.clone())),
        false => value,
    };
    match exchange {
        Exchange::Nothing => {
            ty.shape[dim] = wanted.length;
            emit.splat(ty.clone(), Scalar::zero(ty.elem))
        }
        Exchange::Hops(hops) => {
            let pieces: Vec<ValueId> =
                hops.iter().map(|hop| request.receive(emit, value, dim, hop)).collect();
            let joined = emit.concatenate(&pieces, dim);
            request.take(emit, joined, dim, &hops)
        }
        Exchange::Gather => {
            let all = emit.all_gather(value, dim, &layout.atoms);
            request.take_of_all(emit, all, dim)
        }
    }
}

/// What [`fetch`] costs where one index of the dimension is `row` elements.
pub(super) fn fetch_price(
    mesh: &Mesh,
    elem: Elem,
    row: u64,
    layout: &DimLayout,
    size: i64,
    wanted: Wanted,
) -> Price {
    best(mesh, elem, row, layout, size, wanted).2
}

/// The cheapest way: as shards lie, or mirrored.
fn best<'a>(
    mesh: &Mesh,
    elem: Elem,
    row: u64,
    layout: &'a DimLayout,
    size: i64,
    wanted: Wanted,
) -> (Request<'a>, Exchange, Price) {
    let plain = Request::new(mesh, layout, size, wanted);
    let parts = plain.parts;
    let (exchange, price) = plain.exchange(elem, row);
    if wanted.stride >= 0 || price.collectives == 0 {
        return (plain, exchange, price);
    }
    let Wanted { stride, offset, length } = wanted;
    let wanted = Wanted { stride: -stride, offset: offset + stride * (parts - 1), length };
    let mirrored = Request { wanted, mirrored: true, ..plain };
    let (other_exchange, other_price) = mirrored.exchange(elem, row);
    let shard = payload_bytes(elem, row.saturating_mul(layout.block.max(0) as u64));
    let mirror = Price::collective(ring_bytes(mesh, &Pattern::Mirror(layout.atoms.clone()), shard));
    let other_price = other_price.plus(mirror);
    if other_price.cost() < price.cost() {
        (mirrored, other_exchange, other_price)
    } else {
        (plain, exchange, price)
    }
}

/// The run that each device along atoms wants, of a dimension that every device has whole.
pub(super) fn cut(
    emit: &mut Emit<'_>,
    value: ValueId,
    dim: usize,
    atoms: &AtomList,
    wanted: Wanted,
) -> ValueId {
    let mut ty = emit.type_of(value);
    if let Some(element) = emit.as_splat(value) {
        ty.shape[dim] = wanted.length;
        return emit.splat(ty, element);
    }
    let layout = DimLayout { atoms: atoms.clone(), block: ty.shape[dim] };
    let Wanted { stride, offset, length } = wanted;
    let ends = [offset, offset + stride * (layout.parts(emit.mesh) - 1)];
    let low = (-ends[0].min(ends[1])).clamp(0, length);
    let high = (ends[0].max(ends[1]) + length - ty.shape[dim]).clamp(0, length);
    let padded = emit.pad(value, dim, low, high);
    let start = emit.offset(atoms, stride);
    let start = emit.index_op(OpKind::Add, start, offset + low);
    emit.slice_at(padded, dim, start, length)
}

impl<'a> Request<'a> {
    /// What is wanted of a dimension, as it lies.
    pub(super) fn new(mesh: &Mesh, layout: &'a DimLayout, size: i64, wanted: Wanted) -> Self {
        Request { layout, parts: layout.parts(mesh), size, wanted, mirrored: false }
    }
}

impl Request<'_> {
    /// The device's coordinate.
    pub(super) fn coordinate(&self, emit: &mut Emit<'_>) -> ValueId {
        let coordinate = emit.coordinate(&self.layout.atoms);
        if !self.mirrored {
            return coordinate;
        }
        let last = emit.index(self.parts - 1);
        let index = emit.type_of(coordinate);
        emit.op(OpKind::Subtract, &[last, coordinate], vec![], index)
    }

    /// Where the run of a coordinate starts.
    fn start(&self, coordinate: i64) -> i64 {
        coordinate * self.wanted.stride + self.wanted.offset
    }

    /// How many indices a coordinate wants of the shard `by` places further along; zero or less for none.
    fn need(&self, coordinate: i64, by: i64) -> i64 {
        let block = self.layout.block;
        let shard = (coordinate + by) * block;
        let start = self.start(coordinate) - shard;
        block.min(start + self.wanted.length).min(self.size - shard) - start.max(0)
    }

    /// The cheapest way.
    pub(super) fn exchange(&self, elem: Elem, row: u64) -> (Exchange, Price) {
        let bytes = |indices: i64| payload_bytes(elem, row.saturating_mul(indices.max(0) as u64));
        let taken = Price::local(bytes(self.wanted.length));
        if self.size <= 0 || self.layout.block <= 0 || self.wanted.length <= 0 {
            return (Exchange::Nothing, taken);
        }
        let gathered = Price::collective(bytes(self.layout.block * (self.parts - 1))).plus(taken);
        let mut price = taken;
        let mut hops = Vec::new();
        let (low, high) = self.hop_range();
        if high - low > MAX_HOPS {
            return (Exchange::Gather, gathered);
        }
        for by in low..=high {
            let Some(hop) = self.hop(by) else { continue };
            price = price.plus(Price::local(bytes(hop.size)));
            if by != 0 {
                for (size, first, end) in hop.sent() {
                    price = price.plus(Price::collective(scaled(bytes(size), end - first, self.parts)));
                }
            }
            hops.push(hop);
        }
        if hops.is_empty() {
            (Exchange::Nothing, taken)
        } else if self.parts > 1 && price.cost() >= gathered.cost() {
            (Exchange::Gather, gathered)
        } else {
            (Exchange::Hops(hops), price)
        }
    }

    /// The least and the greatest hop that some coordinate may need. How far away a run lies is linear in the coordinate,
    /// so the ends say it all.
    fn hop_range(&self) -> (i64, i64) {
        let (block, last) = (self.layout.block, self.parts - 1);
        let places = |index: i64, coordinate: i64| index.div_euclid(block) - coordinate;
        let ends = [0, last].map(|c| {
            let start = self.start(c);
            (places(start, c), places(start + self.wanted.length - 1, c))
        });
        (ends[0].0.min(ends[1].0).max(-last), ends[0].1.max(ends[1].1).min(last))
    }

    /// What moves in a hop. The need is concave in the coordinate, so its maximum and where it is above zero are found
    /// by bisection.
    fn hop(&self, by: i64) -> Option<Hop> {
        let (first, end) = ((-by).max(0), self.parts.min(self.parts - by));
        if first >= end {
            return None;
        }
        let best =
            first + bisect(end - 1 - first, |k| self.need(first + k + 1, by) <= self.need(first + k, by));
        let size = self.need(best, by);
        if size <= 0 {
            return None;
        }
        let left = first + bisect(best - first, |k| self.need(first + k, by) > 0);
        let right = best + bisect(end - best, |k| self.need(best + k, by) <= 0);
        let rest = self.rest(by, size, left..right, best);
        Some(Hop { by, size, first: left, end: right, rest })
    }

    /// What is sent apart: half of what the neediest takes, where a quarter of the receivers or more do without it. Those who take
    /// less must take it from the same end of what is sent.
    fn rest(&self, by: i64, size: i64, wants: Range<i64>, best: i64) -> Option<Rest> {
        let (block, half) = (self.layout.block, size / 2);
        let first = wants.start + bisect(best - wants.start, |k| self.need(wants.start + k, by) > half);
        let end = best + bisect(wants.end - best, |k| self.need(best + k, by) <= half);
        if by == 0 || half == 0 || (end - first) * 4 > (wants.end - wants.start) * 3 {
            return None;
        }
        // Where a run starts in the shard is linear in the coordinate: the ends say it all.
        let ends = [wants.start, wants.end - 1];
        let start = |c: i64| self.start(c) - (c + by) * block;
        let from_start = ends.iter().all(|c| start(*c) <= 0);
        let to_end =
            ends.iter().all(|c| start(*c) + self.wanted.length >= block && (c + by + 1) * block <= self.size);
        (from_start || to_end).then_some(Rest { size: size - half, behind: from_start, first, end })
    }

    /// Where the piece of a hop stands in the shard that has it.
    pub(super) fn piece(&self, emit: &mut Emit<'_>, hop: &Hop) -> Piece {
        let Wanted { stride, offset, .. } = self.wanted;
        let block = self.layout.block;
        // As seen by the sender: its receiver is `by` places back, and wants this place of its shard.
        let base = offset - hop.by * stride;
        if stride == block || self.parts == 1 || hop.size == block {
            return Piece::At(base.clamp(0, block - hop.size));
        }
        let coordinate = self.coordinate(emit);
        let start = emit.index_op(OpKind::Multiply, coordinate, stride - block);
        Piece::Computed(emit.index_op(OpKind::Add, start, base))
    }

    /// The piece of a hop.
    fn receive(&self, emit: &mut Emit<'_>, value: ValueId, dim: usize, hop: &Hop) -> ValueId {
        let piece = match self.piece(emit, hop) {
            Piece::At(start) => emit.slice(value, dim, start, hop.size),
            Piece::Computed(start) => emit.slice_at(value, dim, start, hop.size),
        };
        if hop.by == 0 {
            return piece;
        }
        self.pass(emit, piece, dim, hop, |by, first, end| match self.mirrored {
            false => (by, first, end),
            true => (-by, self.parts - end, self.parts - first),
        })
    }

    /// Sends the piece of a hop; `way` says how far and to whom, given that of the hop.
    pub(super) fn pass(
        &self,
        emit: &mut Emit<'_>,
        piece: ValueId,
        dim: usize,
        hop: &Hop,
        way: impl Fn(i64, i64, i64) -> (i64, i64, i64),
    ) -> ValueId {
        let mut start = 0;
        let mut passed: SmallVec<[ValueId; 2]> = SmallVec::new();
        for (size, first, end) in hop.sent() {
            let part = emit.slice(piece, dim, start, size);
            let (by, first, end) = way(hop.by, first, end);
            passed
                .push(emit.permute(part, Pattern::Hop { atoms: self.layout.atoms.clone(), by, first, end }));
            start += size;
        }
        emit.concatenate(&passed, dim)
    }

    /// Where the run of a coordinate starts in the pieces of all hops; nothing where nothing of the dimension is wanted.
    fn place(&self, coordinate: i64, hops: &[Hop]) -> Option<i64> {
        let block = self.layout.block;
        let start = self.start(coordinate);
        let inside = start.max(0);
        let by = inside / block - coordinate;
        let mut before = 0;
        for hop in hops {
            if hop.by == by && inside < self.size && start + self.wanted.length > 0 {
                return Some(before + (inside % block + hop.size - block).max(0) + start - inside);
            }
            before += hop.size;
        }
        None
    }

    /// The coordinates among which every different place is found.
    fn telling(&self) -> std::ops::Range<i64> {
        // With a stride of one block all runs that start inside start alike.
        let outside = (-self.wanted.offset).max(0) / self.layout.block.max(1) + 2;
        0..if self.wanted.stride == self.layout.block { outside.min(self.parts) } else { self.parts }
    }

    /// How runs lie among the pieces of all hops.
    pub(super) fn placing(&self, hops: &[Hop]) -> Placing {
        let places = || self.telling().filter_map(|c| self.place(c, hops));
        let (least, most) = (places().min().unwrap_or(0), places().max().unwrap_or(0));
        let total: i64 = hops.iter().map(|h| h.size).sum();
        let low = (-least).max(0);
        let high = (most + self.wanted.length - total).max(0);
        Placing { low, high, total, fixed: (least == most).then_some(least + low) }
    }

    /// The wanted run of the pieces of all hops.
    fn take(&self, emit: &mut Emit<'_>, joined: ValueId, dim: usize, hops: &[Hop]) -> ValueId {
        let length = self.wanted.length;
        let placing = self.placing(hops);
        let padded = emit.pad(joined, dim, placing.low, placing.high);
        if let Some(place) = placing.fixed {
            return emit.slice(padded, dim, place, length);
        }
        let place = self.emit_place(emit, hops, placing.low);
        emit.slice_at(padded, dim, place, length)
    }

    /// What [`Request::place`] says, computed by the device, plus a number.
    pub(super) fn emit_place(&self, emit: &mut Emit<'_>, hops: &[Hop], plus: i64) -> ValueId {
        let block = self.layout.block;
        let coordinate = self.coordinate(emit);
        let start = emit.index_op(OpKind::Multiply, coordinate, self.wanted.stride);
        let start = emit.index_op(OpKind::Add, start, self.wanted.offset);
        let inside = emit.index_op(OpKind::Maximum, start, 0);
        let shard = emit.index_op(OpKind::Divide, inside, block);
        let index = emit.type_of(coordinate);
        let by = emit.op(OpKind::Subtract, &[shard, coordinate], vec![], index.clone());
        let nearest = emit.index_op(OpKind::Subtract, by, hops[0].by);
        let mut befores = Vec::new();
        let mut sizes = Vec::new();
        let mut before = 0;
        for by in hops[0].by..=hops[hops.len() - 1].by {
            let size = hops.iter().find(|h| h.by == by).map_or(0, |h| h.size);
            befores.push(before + plus);
            sizes.push(size - block);
            before += size;
        }
        let before = lookup(emit, &befores, nearest);
        let size = lookup(emit, &sizes, nearest);
        let within = emit.index_op(OpKind::Remainder, inside, block);
        let within = emit.op(OpKind::Add, &[within, size], vec![], index.clone());
        let within = emit.index_op(OpKind::Maximum, within, 0);
        let outside = emit.op(OpKind::Subtract, &[start, inside], vec![], index.clone());
        let place = emit.op(OpKind::Add, &[before, within], vec![], index.clone());
        emit.op(OpKind::Add, &[place, outside], vec![], index)
    }

    /// The wanted run of all shards.
    fn take_of_all(&self, emit: &mut Emit<'_>, all: ValueId, dim: usize) -> ValueId {
        let Wanted { stride, offset, length } = self.wanted;
        let ends = [self.start(0), self.start(self.parts - 1)];
        let (least, most) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let low = (-least).clamp(0, length);
        let high = (most + length - self.layout.block * self.parts).clamp(0, length);
        let padded = emit.pad(all, dim, low, high);
        let coordinate = self.coordinate(emit);
        let start = emit.index_op(OpKind::Multiply, coordinate, stride);
        let start = emit.index_op(OpKind::Add, start, offset + low);
        emit.slice_at(padded, dim, start, length)
    }
}

/// A number of a list, at a computed place.
fn lookup(emit: &mut Emit<'_>, numbers: &[i64], place: ValueId) -> ValueId {
    if numbers.iter().all(|n| *n == numbers[0]) {
        return emit.index(numbers[0]);
    }
    let elem = emit.type_of(place).elem;
    let ty = TensorType::new(elem, [numbers.len() as i64]);
    let table = emit.constant(Tensor::from_fn(ty, |i| Scalar::Int(numbers[i])));
    let one = emit.dynamic_slice(table, &[Some(place)], &[1]);
    emit.reshape(one, [])
}

/// The first number below `end` for which something holds that then holds for all greater ones; `end` where there is none.
fn bisect(end: i64, holds: impl Fn(i64) -> bool) -> i64 {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
