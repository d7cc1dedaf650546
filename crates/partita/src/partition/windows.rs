//! Dimensions that are reached by windows: a device that computes a run of results fetches the run of each operand that its
//! windows reach, fills in what lies beside the ends, and runs the op on it without padding.

use super::Partitioner;
use super::emit::identity;
use super::fetch::{Wanted, fetch, fetch_price};
use super::layout::DimLayout;
use super::price::Price;
use super::split::{Split, Subject};
use crate::diagnostic::Diagnostic;
use crate::ir::attr::Comparison;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::edge::Edge;
use crate::ops::local::Reached;
use crate::ops::rule::{Access, Affine, DimMap, FactorId, Rule, Window};
use crate::ops::{OpKind, combine};
use crate::sharding::Mesh;
use crate::value::Scalar;

/// What the windows of each device reach of a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reach {
    /// The run that a device needs.
    pub(super) wanted: Wanted,
    /// What is left to pad between the start of the windows and the first element.
    low: i64,
    /// What is left to pad behind the last element.
    high: i64,
}

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

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs().max(1) } else { gcd(b, a % b) }
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
        let stride = step(affine, factor) * block / affine.base;
        Reach { wanted: Wanted { stride, offset: start, length }, low, high }
    }

    /// Whether some device reaches beyond the ends of a dimension of this size.
    fn leaves(&self, parts: i64, size: i64) -> bool {
        let start = |c: i64| c * self.wanted.stride + self.wanted.offset;
        let (a, b) = (start(0), start(parts - 1));
        a.min(b) < 0 || a.max(b) + self.wanted.length > size
    }
}

/// What fetching the runs of all affine dimensions costs.
pub(super) fn price(mesh: &Mesh, subject: &Subject<'_>, split: &Split) -> Price {
    let mut sum = Price::default();
    each(mesh, subject, split, |n, dim, layout, reach| {
        let ty = split.layout(mesh, &subject.rule.operands[n], &subject.op.operand_tensor(n).shape);
        let ty = ty.local(subject.op.operand_tensor(n));
        let row = ty.count() as u64 / layout.block.max(1) as u64;
        let size = subject.op.operand_tensor(n).shape[dim];
        sum = sum.plus(fetch_price(mesh, ty.elem, row, layout, size, reach.wanted));
    });
    sum
}

/// Calls a function with every affine dimension that is split: operand, dimension, how it lies, what is reached.
fn each(
    mesh: &Mesh,
    subject: &Subject<'_>,
    split: &Split,
    mut f: impl FnMut(usize, usize, &DimLayout, Reach),
) {
    for (n, map) in subject.rule.operands.iter().enumerate() {
        for (dim, map) in map.iter().enumerate() {
            let Access::Affine(affine) = map.access else { continue };
            let Some(factor) = split_along(split, &affine) else { continue };
            let along = &split.factors[usize::from(factor.0)];
            let size = subject.op.operand_tensor(n).shape[dim];
            let layout = DimLayout::canonical(mesh, size, along.atoms.clone());
            f(n, dim, &layout, Reach::of(subject.rule, &affine, factor, along.block));
        }
    }
}

impl<'m> Partitioner<'m> {
    /// Fetches what the windows of this device reach.
    pub(super) fn reach(
        &mut self,
        subject: &Subject<'m>,
        split: &Split,
        new: &mut NewOp,
    ) -> Result<Vec<Reached>, Diagnostic> {
        let mut runs = Vec::new();
        each(self.mesh, subject, split, |n, dim, layout, reach| runs.push((n, dim, layout.clone(), reach)));
        let mut reached = Vec::with_capacity(runs.len());
        for (operand, dim, layout, reach) in runs {
            let size = subject.op.operand_tensor(operand).shape[dim];
            self.emit.purpose = super::emit::Purpose {
                value: subject.op.operands().get(operand).copied(),
                cause: Some(subject.op.id),
                reason: super::ops::reasons::WINDOW,
            };
            let mut value = fetch(&mut self.emit, new.operands[operand], dim, &layout, size, reach.wanted);
            if reach.leaves(layout.parts(self.mesh), size) {
                value = self.fill_edges(subject, operand, dim, &layout, size, reach.wanted, value, new)?;
            }
            new.operands[operand] = value;
            reached.push(Reached { operand, dim, low: reach.low, high: reach.high });
        }
        Ok(reached)
    }

    /// Puts what the op finds beside the ends of a dimension there.
    #[allow(clippy::too_many_arguments, reason = "one call, all of them needed")]
    fn fill_edges(
        &mut self,
        subject: &Subject<'m>,
        operand: usize,
        dim: usize,
        layout: &DimLayout,
        size: i64,
        wanted: Wanted,
        value: ValueId,
        new: &NewOp,
    ) -> Result<ValueId, Diagnostic> {
        let ty = self.emit.type_of(value);
        let edge = subject.op.def().edge;
        // Windows leave out what is beside the ends: what changes nothing is as good, and right for any initial value.
        let neutral =
            combine(subject.op).and_then(|c| identity(c, ty.elem)).filter(|_| edge == Edge::Initial);
        let filler = match (edge, edge.filler(subject.op, operand)) {
            (Edge::Zero, _) => self.emit.splat(ty.clone(), Scalar::zero(ty.elem)),
            (Edge::Initial, _) if let Some(neutral) = neutral => self.emit.splat(ty.clone(), neutral),
            (_, Some(n)) => self.emit.broadcast(new.operands[n], ty.clone()),
            _ => return Ok(value),
        };
        let place = self.places_from(&ty, dim, layout, wanted.stride, wanted.offset);
        let above = self.compare_places(place, 0, Comparison::Ge);
        let below = self.compare_places(place, size, Comparison::Lt);
        let inside = self.emit.combine(crate::ops::rule::Combine::And, above, below);
        Ok(self.emit.op(OpKind::Select, &[inside, value, filler], vec![], ty))
    }

    /// The index of each element along a dimension, where a shard starts at `c·stride + offset`.
    fn places_from(
        &mut self,
        ty: &TensorType,
        dim: usize,
        layout: &DimLayout,
        stride: i64,
        offset: i64,
    ) -> ValueId {
        let index = ty.with_elem(Elem::Int(32));
        let along = vec![(names::IOTA_DIMENSION, Attr::i64(dim as i64))];
        let within = self.emit.op(OpKind::Iota, &[], along, index.clone());
        let coordinate = self.emit.coordinate(&layout.atoms);
        let start = self.emit.index_op(OpKind::Multiply, coordinate, stride);
        let start = self.emit.index_op(OpKind::Add, start, offset);
        let start = self.emit.broadcast(start, index);
        self.emit.combine(crate::ops::rule::Combine::Add, within, start)
    }

    fn compare_places(&mut self, place: ValueId, other: i64, how: Comparison) -> ValueId {
        let ty = self.emit.type_of(place);
        let other = self.emit.splat(ty.clone(), Scalar::Int(other));
        let direction = vec![(names::COMPARISON_DIRECTION, Attr::from(how))];
        self.emit.op(OpKind::Compare, &[place, other], direction, ty.with_elem(Elem::Bool))
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
        let place = self.places_from(&ty, dim, &layout, layout.block, 0);
        for n in (0..new.operands.len() - 1).rev() {
            let before = self.compare_places(place, starts[n + 1].1.offset, Comparison::Lt);
            picked = self.emit.op(OpKind::Select, &[before, new.operands[n], picked], vec![], ty.clone());
        }
        picked
    }
}
