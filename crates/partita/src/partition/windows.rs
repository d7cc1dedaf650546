//! Dimensions that are reached by windows: a device that computes a run of results fetches the run of each operand that its
//! windows reach, or cuts it out where it has the dimension whole, fills in what lies beside the ends, and runs the op on it
//! without padding.

use super::Partitioner;
use super::choose::Supply;
use super::emit::{Purpose, identity};
use super::fetch::{Wanted, cut, fetch, fetch_price};
use super::layout::{DimLayout, Layout};
use super::ops::reasons;
use super::ordered::constant;
use super::price::{Price, payload_bytes};
use super::shift::Shift;
use super::split::{Split, Subject};
use crate::diagnostic::Diagnostic;
use crate::ir::attr::Comparison;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::edge::Edge;
use crate::ops::local::Reached;
use crate::ops::rule::{Access, Affine, Combine, DimMap, FactorId, Kind, Rule, TensorMap, Window, gcd};
use crate::ops::written::written;
use crate::ops::{OpKind, combine};
use crate::sharding::{AtomList, Mesh};
use crate::value::Scalar;
use smallvec::SmallVec;

/// What the windows of each device reach of a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reach {
    /// The run that a device needs.
    pub(super) wanted: Wanted,
    /// Nothing from this index on is needed by any result.
    end: i64,
    /// What is left to pad between the start of the windows and the first element.
    low: i64,
    /// What is left to pad behind the last element.
    high: i64,
}

/// A dimension that is reached by windows along a factor that is split.
#[derive(Clone, Debug)]
pub(super) struct ReachedDim {
    pub(super) dim: usize,
    pub(super) size: i64,
    /// How it lies in blocks of its own.
    pub(super) layout: DimLayout,
    pub(super) reach: Reach,
    /// It is split in its own blocks: a device finds of the run of all results what it has.
    held: bool,
}

/// Where the runs of an operand are taken from.
pub(super) struct Source {
    /// How it is to lie.
    pub(super) layout: Layout,
    /// The dimensions that are reached.
    dims: SmallVec<[ReachedDim; 2]>,
    /// Whether they are those of what is shifted to make the operand.
    shifted: bool,
    /// What bringing it there costs.
    pub(super) moved: u64,
    /// What the runs cost from there.
    pub(super) fetched: u64,
}

impl Source {
    /// An operand of which every device takes what it has in a layout.
    pub(super) fn of(layout: Layout) -> Source {
        Source { layout, dims: SmallVec::new(), shifted: false, moved: 0, fetched: 0 }
    }

    fn cost(&self) -> u64 {
        self.moved.saturating_add(self.fetched)
    }

    /// The cheaper of two sources, this one where they cost the same. Of lower bounds, the least of each part: they may be weighed apart.
    fn cheaper(self, other: Source, bounded: bool) -> Source {
        let least = [self.moved.min(other.moved), self.fetched.min(other.fetched)];
        let mut cheaper = if other.cost() < self.cost() { other } else { self };
        if bounded {
            [cheaper.moved, cheaper.fetched] = least;
        }
        cheaper
    }

    /// What shifts the operand after its runs are there.
    pub(super) fn shift<'s, 'm>(&self, subject: &'s Subject<'m>, n: usize) -> Option<&'s Shift<'m>> {
        subject.reads.get(n)?.as_ref().filter(|_| self.shifted)
    }
}

impl ReachedDim {
    /// The same, where indices are moved by a number and the dimension has another size.
    pub(super) fn shifted(&self, mesh: &Mesh, by: i64, size: i64) -> ReachedDim {
        let mut shifted = self.clone();
        shifted.size = size;
        shifted.layout = DimLayout::canonical(mesh, size, self.layout.atoms.clone());
        shifted.reach.wanted.offset += by;
        shifted.reach.end += by;
        shifted
    }
}

/// More dimensions than this are not tried in all ways.
const MAX_WAYS: usize = 4;

/// The factor along which an affine dimension is split, where it is.
pub(super) fn split_along(split: &Split, affine: &Affine) -> Option<FactorId> {
    let is_split = |f: &FactorId| !split.factors[usize::from(f.0)].atoms.is_empty();
    let window = match affine.window {
        Window::Factor(f) => Some(f),
        _ => None,
    };
    Some(affine.outer).filter(is_split).or(window.filter(is_split))
}

/// How far the virtual index moves from one index of a factor to the next.
fn step(affine: &Affine, factor: FactorId) -> i64 {
    if factor == affine.outer { affine.stride } else { affine.dilation }
}

/// Blocks of a factor must be a multiple of this, so that the elements stand alike in the windows of all devices.
pub(super) fn alignment(rule: &Rule, factor: FactorId) -> i64 {
    let one = |map: &DimMap| match map.access {
        Access::Affine(a) if map.follows(factor) && a.base > 1 => a.base / gcd(step(&a, factor), a.base),
        _ => 1,
    };
    rule.operands.iter().flatten().map(one).fold(1, |m, n| m / gcd(m, n) * n)
}

impl Reach {
    /// What windows reach where a factor is split into blocks.
    fn of(rule: &Rule, affine: &Affine, factor: FactorId, block: i64) -> Reach {
        let window = match affine.window {
            Window::None => 1,
            Window::Size(size) => size,
            Window::Factor(f) => rule.factor(f).size,
        };
        let outer = rule.factor(affine.outer).size;
        let (outer, window) = if factor == affine.outer { (block, window) } else { (outer, block) };
        let span = |by: i64, count: i64| by * (count - 1).max(0);
        let (along, within) = (span(affine.stride, outer), span(affine.dilation, window));
        // The virtual indices of the first device, elements standing at the multiples of `base`.
        let first = along.min(0) + within.min(0) - affine.offset;
        let count = along.abs() + within.abs() + 1;
        let start = first.div_euclid(affine.base) + i64::from(first.rem_euclid(affine.base) != 0);
        let last = (first + count - 1).div_euclid(affine.base);
        let length = (last - start + 1).max(0);
        let (low, high) = match length {
            0 => (count, 0),
            _ => (start * affine.base - first, first + count - 1 - last * affine.base),
        };
        let step = step(affine, factor);
        // Blocks may go beyond the end of the factor; nobody asks for what is reached from there.
        let beyond = span(step, rule.factor(factor).size) - span(step, block);
        let end = (first + count - 1 + beyond.max(0)).div_euclid(affine.base) + 1;
        Reach { wanted: Wanted { stride: step * block / affine.base, offset: start, length }, end, low, high }
    }

    /// Whether some device reaches beyond the start and beyond the end of a dimension of this size.
    pub(super) fn leaves(&self, parts: i64, size: i64) -> (bool, bool) {
        let start = |c: i64| c * self.wanted.stride + self.wanted.offset;
        let (a, b) = (start(0), start(parts - 1));
        (a.min(b) < 0, a.max(b) + self.wanted.length > size)
    }
}

/// The dimensions of a tensor that are reached by windows along factors that are split.
pub(super) fn reached_dims(
    mesh: &Mesh,
    rule: &Rule,
    map: &TensorMap,
    shape: &[i64],
    split: &Split,
) -> SmallVec<[ReachedDim; 2]> {
    let mut dims = SmallVec::new();
    for (dim, (map, &size)) in map.iter().zip(shape).enumerate() {
        let Access::Affine(affine) = map.access else { continue };
        let Some(factor) = split_along(split, &affine) else { continue };
        let along = &split.factors[usize::from(factor.0)];
        let layout = DimLayout::canonical(mesh, size, along.atoms.clone());
        let reach = Reach::of(rule, &affine, factor, along.block);
        let held = rule.factor(factor).kind == Kind::Lookup;
        dims.push(ReachedDim { dim, size, layout, reach, held });
    }
    dims
}

impl<'m> Partitioner<'m> {
    /// Where an operand that is there in some layouts is best taken from: dimensions that are reached by windows are fetched from
    /// their blocks or cut out of the whole, of the operand or of what is only shifted to make it. What is there in no layout can be
    /// made anywhere.
    pub(super) fn source(
        &mut self,
        subject: &Subject<'m>,
        split: &Split,
        n: usize,
        supply: &Supply,
    ) -> Source {
        let ty = subject.op.operand_tensor(n);
        let in_blocks = split.operand(self.mesh, subject, n);
        let dims = reached_dims(self.mesh, subject.rule, &subject.rule.operands[n], &ty.shape, split);
        let held = dims.iter().any(|at| at.held);
        let ways = match dims.len().min(MAX_WAYS) {
            _ if held => 0..1,
            0 => 0..1,
            k if constant(subject.op.module, subject.op.operands()[n]).is_some() => (1u32 << k) - 1..1 << k,
            k => 0..1 << k,
        };
        let shift = subject.reads.get(n).and_then(Option::as_ref).filter(|_| !dims.is_empty() && !held);
        let behind = shift.and_then(|shift| {
            let (layout, dims) = shift.operand_dims(self.mesh, &dims, &in_blocks)?;
            let supply = self.supply(shift.op.operands()[0]);
            Some(self.cheapest_source(shift.op.operand_tensor(0), layout, dims, true, ways.clone(), &supply))
        });
        let itself = self.cheapest_source(ty, in_blocks, dims, false, ways, supply);
        // What is read through needs not be made.
        match behind {
            Some(behind) => behind.cheaper(itself, self.planner.has_bounded()),
            None => itself,
        }
    }

    /// The cheapest way to take runs of some dimensions: each way says as bits which of them are cut out of the whole.
    fn cheapest_source(
        &mut self,
        ty: &TensorType,
        in_blocks: Layout,
        dims: SmallVec<[ReachedDim; 2]>,
        shifted: bool,
        ways: std::ops::Range<u32>,
        supply: &Supply,
    ) -> Source {
        let mut best: Option<Source> = None;
        // What is made where it is needed and cut has to be made whole, unless it is the same everywhere.
        let is_made = ways.start == 0 && !dims.is_empty();
        for way in ways {
            let mut layout = in_blocks.clone();
            let whole = |k: usize| way >> k & 1 == 1;
            for (_, at) in dims.iter().enumerate().filter(|(k, _)| whole(*k)) {
                layout.dims[at.dim] = DimLayout::whole(at.size);
            }
            let shard = layout.local(ty);
            let made = if is_made { shard.bytes() as u64 } else { 0 };
            let moved = self.supply_price(ty, supply, &layout).unwrap_or(made);
            let fetched = self.planner.prices.cost(run_price(self.mesh, ty.elem, &shard, &dims, &whole));
            let source = Source { layout, dims: dims.clone(), shifted, moved, fetched };
            best = Some(match best {
                Some(best) => best.cheaper(source, self.planner.has_bounded()),
                None => source,
            });
        }
        best.unwrap_or(Source { layout: in_blocks, dims, shifted, moved: 0, fetched: 0 })
    }

    /// Fetches what the windows of this device reach.
    pub(super) fn reach(
        &mut self,
        subject: &Subject<'m>,
        split: &Split,
        sources: &[Source],
        new: &mut NewOp,
    ) -> Result<Vec<Reached>, Diagnostic> {
        let mut reached = Vec::new();
        for (operand, source) in sources.iter().enumerate() {
            // What is cut out first need not be sent.
            let mut order: SmallVec<[&ReachedDim; 2]> = source.dims.iter().collect();
            order.sort_by_key(|at| !source.layout.dims[at.dim].atoms.is_empty());
            for at in order {
                let value = new.operands[operand];
                let ReachedDim { dim, size, layout: blocks, reach, held } = at;
                new.operands[operand] = if *held {
                    self.found_here(value, at)
                } else if source.layout.dims[*dim].atoms.is_empty() {
                    cut(&mut self.emit, value, *dim, &blocks.atoms, reach.wanted)
                } else {
                    self.emit.purpose = Purpose {
                        value: subject.op.operands().get(operand).copied(),
                        cause: Some(subject.op.id),
                        reason: reasons::WINDOW,
                    };
                    fetch(&mut self.emit, value, *dim, blocks, (*size).min(reach.end), reach.wanted)
                };
            }
            if let Some(shift) = source.shift(subject, operand) {
                new.operands[operand] = self.shift_run(shift, &source.dims, new.operands[operand])?;
            }
            let shape = &subject.op.operand_tensor(operand).shape;
            let map = &subject.rule.operands[operand];
            for at in reached_dims(self.mesh, subject.rule, map, shape, split) {
                let leaves = at.reach.leaves(at.layout.parts(self.mesh), at.size) != (false, false);
                if leaves && !at.held {
                    new.operands[operand] =
                        self.fill_edges(subject, operand, &at, new.operands[operand], new);
                }
                reached.push(Reached { operand, dim: at.dim, low: at.reach.low, high: at.reach.high });
            }
        }
        Ok(reached)
    }

    /// What a device has of the run that all results reach; zeros for the rest.
    fn found_here(&mut self, value: ValueId, at: &ReachedDim) -> ValueId {
        let ReachedDim { dim, layout: DimLayout { atoms, block }, reach, .. } = at;
        let wanted = Wanted { stride: -block, ..reach.wanted };
        let value = cut(&mut self.emit, value, *dim, atoms, wanted);
        let ty = self.emit.type_of(value);
        let place = self.places_from(&ty, *dim, atoms, wanted.stride, wanted.offset);
        let above = self.emit.compare(place, 0, Comparison::Ge);
        let below = self.emit.compare(place, *block, Comparison::Lt);
        let here = self.emit.combine(Combine::And, above, below);
        let zeros = self.emit.splat(ty.clone(), Scalar::zero(ty.elem));
        self.emit.op(OpKind::Select, &[here, value, zeros], vec![], ty)
    }

    /// Puts what the op finds beside the ends of a dimension there.
    fn fill_edges(
        &mut self,
        subject: &Subject<'m>,
        operand: usize,
        at: &ReachedDim,
        value: ValueId,
        new: &NewOp,
    ) -> ValueId {
        let ty = self.emit.type_of(value);
        let edge = subject.op.def().edge;
        // Windows leave out what is beside the ends: what changes nothing is as good, and right for any initial value.
        let neutral =
            combine(subject.op).and_then(|c| identity(c, ty.elem)).filter(|_| edge == Edge::Initial);
        let filler = match (edge, edge.filler(subject.op, operand)) {
            (Edge::Nearest, _) => return self.repeat_ends(at, value),
            (Edge::Kept, _) => self.kept(subject, &ty, new),
            (Edge::Zero, _) => self.emit.splat(ty.clone(), Scalar::zero(ty.elem)),
            (Edge::Initial, _) if let Some(neutral) = neutral => self.emit.splat(ty.clone(), neutral),
            (_, Some(n)) => self.emit.broadcast(new.operands[n], ty.clone()),
            _ => return value,
        };
        let inside = self.inside(&ty, at);
        self.emit.op(OpKind::Select, &[inside, value, filler], vec![], ty)
    }

    /// What changes nothing where it is written into the first operand.
    fn kept(&mut self, subject: &Subject<'m>, ty: &TensorType, new: &NewOp) -> ValueId {
        let written = written(subject.op);
        if let Some(neutral) = written.as_ref().and_then(|w| identity(w.combine?, ty.elem)) {
            return self.emit.splat(ty.clone(), neutral);
        }
        // What is there is put there again: of a dimension that is not split the part that is written.
        let mut value = new.operands[0];
        for (dim, start) in written.iter().flat_map(|w| w.starts.iter().enumerate()) {
            value = self.emit.slice(value, dim, *start, ty.shape[dim]);
        }
        value
    }

    /// Puts the first and the last element of a dimension beside its ends.
    fn repeat_ends(&mut self, at: &ReachedDim, mut value: ValueId) -> ValueId {
        let ty = self.emit.type_of(value);
        let place = self.places(&ty, at);
        let (low, high) = at.reach.leaves(at.layout.parts(self.mesh), at.size);
        let Wanted { stride, offset, .. } = at.reach.wanted;
        let ends = [(low, 0, Comparison::Lt), (high, at.size - 1, Comparison::Gt)];
        for (_, end, beyond) in ends.into_iter().filter(|(leaves, ..)| *leaves) {
            let outside = self.emit.compare(place, end, beyond);
            let start = self.emit.offset(&at.layout.atoms, stride);
            let end = self.emit.index(end - offset);
            let index = self.emit.type_of(start);
            let end = self.emit.op(OpKind::Subtract, &[end, start], vec![], index);
            let one = self.emit.slice_at(value, at.dim, end, 1);
            let repeated = self.repeat(one, ty.clone());
            value = self.emit.op(OpKind::Select, &[outside, repeated, value], vec![], ty.clone());
        }
        value
    }

    /// The elements of dimensions of size one, as often as a type has them.
    pub(super) fn repeat(&mut self, value: ValueId, ty: TensorType) -> ValueId {
        let dims = vec![(names::BROADCAST_DIMENSIONS, Attr::i64s(0..ty.rank() as i64))];
        self.emit.op(OpKind::BroadcastInDim, &[value], dims, ty)
    }

    /// The index of each element of the run that a device has of a dimension.
    pub(super) fn places(&mut self, ty: &TensorType, at: &ReachedDim) -> ValueId {
        let Wanted { stride, offset, .. } = at.reach.wanted;
        self.places_from(ty, at.dim, &at.layout.atoms, stride, offset)
    }

    /// The index of each element along a dimension, where a shard starts at `c·stride + offset`.
    pub(super) fn places_from(
        &mut self,
        ty: &TensorType,
        dim: usize,
        atoms: &AtomList,
        stride: i64,
        offset: i64,
    ) -> ValueId {
        let index = ty.with_elem(Elem::Int(32));
        let along = vec![(names::IOTA_DIMENSION, Attr::i64(dim as i64))];
        let within = self.emit.op(OpKind::Iota, &[], along, index.clone());
        let coordinate = self.emit.coordinate(atoms);
        let start = self.emit.index_op(OpKind::Multiply, coordinate, stride);
        let start = self.emit.index_op(OpKind::Add, start, offset);
        let start = self.emit.broadcast(start, index);
        self.emit.combine(Combine::Add, within, start)
    }

    /// Each element of the result from the operand it stands in: what a concatenation along a split dimension is.
    pub(super) fn pick_operands(&mut self, subject: &Subject<'m>, split: &Split, new: &NewOp) -> ValueId {
        let maps = subject.rule.operands.iter().map(|map| {
            map.iter().enumerate().find_map(|(dim, map)| match map.access {
                Access::Affine(affine) => Some((dim, affine)),
                Access::Direct => None,
            })
        });
        let starts: Vec<(usize, Affine)> = maps.flatten().collect();
        let Some(&(dim, affine)) = starts.first() else { return new.operands[0] };
        let layout = split.factors[usize::from(affine.outer.0)].clone();
        let mut picked = new.operands[new.operands.len() - 1];
        let ty = self.emit.type_of(picked);
        let place = self.places_from(&ty, dim, &layout.atoms, layout.block, 0);
        for n in (0..new.operands.len() - 1).rev() {
            let before = self.emit.compare(place, starts[n + 1].1.offset, Comparison::Lt);
            picked = self.emit.op(OpKind::Select, &[before, new.operands[n], picked], vec![], ty.clone());
        }
        picked
    }
}

/// What the runs of a tensor cost, from shards of this type, whose dimensions are whole or in blocks.
fn run_price(
    mesh: &Mesh,
    elem: Elem,
    shard: &TensorType,
    dims: &[ReachedDim],
    whole: &dyn Fn(usize) -> bool,
) -> Price {
    let mut sizes = shard.shape.clone();
    let mut sum = Price::default();
    // What is cut out first need not be sent.
    for now in [true, false] {
        for (_, at) in dims.iter().enumerate().filter(|(k, _)| whole(*k) == now) {
            let others = |(d, size): (usize, &i64)| if d == at.dim { 1 } else { (*size).max(0) as u64 };
            let row = sizes.iter().enumerate().map(others).fold(1, u64::saturating_mul);
            let Wanted { length, .. } = at.reach.wanted;
            sum = sum.plus(match now || at.held {
                true => Price::local(payload_bytes(elem, row.saturating_mul(length.max(0) as u64))),
                false => fetch_price(mesh, elem, row, &at.layout, at.size.min(at.reach.end), at.reach.wanted),
            });
            sizes[at.dim] = length;
        }
    }
    sum
}
