//! Operations that are alike, and what they cost.

use super::reduce::{self, Sink};
use super::tally;
use crate::cut::{Axes, Cut, axes, parts};
use crate::machine::Machine;
use crate::space::views::{View, ViewFactor, ViewKey, Views};
use crate::space::{KindId, Space, TensorKind};
use crate::subject::Subject;
use partita::ir::{Id, OpRef};
use partita::ledger::device_bytes;
use partita::ops::rule::{Kind, Window};
use partita::ops::{Flow, Spread};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Price {
    pub(super) compute: f64,
    pub(super) communication: f64,
}

/// Operations that are alike.
pub(super) struct Node {
    view: Rc<View>,
    tensors: SmallVec<[Option<KindId>; 4]>,
    /// Where partial results are combined, and which part of that is due to one of these operations.
    sink: Option<(KindId, f64)>,
    /// How often they run in all.
    times: f64,
    /// Seconds that one takes on one device, all of it.
    seconds: f64,
}

/// Collects the operations of a program.
pub(super) fn collect(
    subject: &Subject<'_>,
    space: &Space,
    views: &mut Views,
    machine: &Machine,
) -> Vec<Node> {
    let module = subject.module();
    let sinks = reduce::sinks(subject, views);
    type Key = (ViewKey, SmallVec<[Option<KindId>; 4]>, Option<(KindId, u32)>);
    let mut known: FxHashMap<Key, usize> = FxHashMap::default();
    let mut nodes: Vec<Node> = Vec::new();
    for id in subject.graph.node_ids() {
        let node = subject.graph.node(id);
        let Some(op) = node.op.map(|op| module.op(op)) else { continue };
        let times = subject.executions[op.id];
        if times == 0 {
            continue;
        }
        let (key, view) = views.of(subject, id);
        let kind = |slot: &Option<partita::propagate::SlotId>| space.slot_kinds[(*slot)?.index()];
        let tensors: SmallVec<[Option<KindId>; 4]> = subject.graph.tensors_of(id).iter().map(kind).collect();
        let sink = sinks[op.id].and_then(|Sink { value, parts }| {
            let slot = subject.graph.value_slot(value)?;
            Some((space.slot_kinds[slot.index()]?, parts))
        });
        let at = tally(&mut known, &mut nodes, (key, tensors.clone(), sink), || Node {
            view,
            tensors,
            sink: sink.map(|(kind, parts)| (kind, 1.0 / f64::from(parts))),
            times: 0.0,
            seconds: seconds(op, machine),
        });
        nodes[at].times += times as f64;
    }
    nodes
}

/// How long an operation takes on one device. What goes element by element is joined with its neighbours and writes its
/// result at most.
fn seconds(op: OpRef<'_>, machine: &Machine) -> f64 {
    let Spread::Rule(_, flow) = op.def().spread else { return 0.0 };
    let work = (op.def().work)(op);
    let results: f64 = op.result_types().map(|t| device_bytes(t) as f64).sum();
    match flow {
        Flow::Elementwise | Flow::Broadcast => 0.5 * results / machine.memory_bandwidth,
        Flow::PassThrough => 0.25 * results / machine.memory_bandwidth,
        Flow::Forward | Flow::Ordinary => {
            f64::max(work.flops / machine.matrix, work.bytes / machine.memory_bandwidth)
        }
    }
}

/// Bytes of one part of a tensor.
pub(super) fn local_bytes(kind: &TensorKind, cut: Cut, sizes: &[i64]) -> u64 {
    let part = |(d, n): (usize, &i64)| {
        let parts = parts(sizes, cut.of(d)).max(1);
        (n + parts - 1) / parts
    };
    kind.shape.iter().enumerate().map(part).product::<i64>().max(0) as u64 * kind.bits / 8
}

impl Node {
    /// The kinds whose splits the price depends on.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Option<KindId>> {
        self.tensors.iter().copied().chain(self.sink.map(|(kind, _)| Some(kind)))
    }

    /// What the operations cost where their tensors, and the value their partial results add up to, are split like this.
    pub(super) fn price(&self, space: &Space, machine: &Machine, sizes: &[i64], cuts: &[Cut]) -> Price {
        let used: Axes = cuts.iter().fold(0, |set, cut| set | cut.all());
        let mut split = 1.0;
        let mut sent = 0.0;
        for axis in axes(used).filter(|axis| *axis < sizes.len()) {
            let ask = Ask { node: self, space, machine, sizes, cuts, axis };
            let (speed, seconds) = ask.best();
            split *= speed;
            sent += seconds;
        }
        Price { compute: self.times * self.seconds / split, communication: self.times * sent }
    }
}

/// The question how one axis is used.
struct Ask<'a> {
    node: &'a Node,
    space: &'a Space,
    machine: &'a Machine,
    sizes: &'a [i64],
    cuts: &'a [Cut],
    axis: usize,
}

impl Ask<'_> {
    /// How many times faster the work is done, and the seconds spent on sending, where the axis splits the best factor.
    fn best(&self) -> (f64, f64) {
        let has = |f: &&ViewFactor| {
            f.kind != Kind::Whole
                && f.places.iter().any(|p| {
                    p.leads
                        && self.node.tensors[usize::from(p.tensor)].is_some()
                        && self.cuts[usize::from(p.tensor)].of(usize::from(p.dim)) >> self.axis & 1 == 1
                })
        };
        let factors = self.node.view.factors.iter().filter(has).map(Some).chain([None]);
        let mut best = (f64::INFINITY, 1.0, 0.0);
        for factor in factors {
            let parts = self.sizes[self.axis] as f64;
            let speed = match factor {
                Some(f) if f.size > 0 => f64::min(parts, f.size as f64),
                Some(_) => parts,
                None => 1.0,
            };
            let sent = self.sent(factor);
            let total = sent + self.node.seconds / speed;
            if total < best.0 {
                best = (total, speed, sent);
            }
        }
        (best.1, best.2)
    }

    /// Seconds that sending takes where the axis splits a factor.
    fn sent(&self, factor: Option<&ViewFactor>) -> f64 {
        let parts = self.sizes[self.axis] as f64;
        let moving = (parts - 1.0) / parts;
        let mut bytes = 0.0;
        let mut count = 0.0;
        let operands = self.node.view.operands.min(self.node.tensors.len());
        for (t, kind) in self.node.tensors.iter().enumerate() {
            let Some(kind) = *kind else { continue };
            let local = self.local(t, kind);
            let has = self.cuts[t].dim(self.axis);
            let place = factor.and_then(|f| f.places.iter().find(|p| usize::from(p.tensor) == t && p.leads));
            let wants = place.map(|p| usize::from(p.dim));
            if t < operands {
                let send = match (has, wants) {
                    (None, _) => 0.0,
                    (Some(a), Some(b)) if a == b => {
                        halo(place.and_then(|p| p.affine), self.space.kind(kind), b, parts) * local
                    }
                    (Some(_), Some(_)) => local * moving,
                    (Some(_), None) => local * (parts - 1.0),
                };
                bytes += send;
                count += f64::from(send > 0.0);
                continue;
            }
            let partial = factor.is_some_and(|f| matches!(f.kind, Kind::Reduce(_) | Kind::Lookup));
            let send = match (has, wants) {
                (Some(a), Some(b)) if a == b => 0.0,
                (Some(_), Some(_)) => local * moving,
                (None, Some(_)) => local * moving,
                (_, None) if partial && factor.is_some() => self.combined(t, kind, moving),
                (_, None) => 0.0,
            };
            bytes += send;
            count += f64::from(send > 0.0);
        }
        bytes / self.machine.bandwidth[self.axis] + count * self.machine.start
    }

    /// Bytes sent to combine partial results.
    fn combined(&self, t: usize, kind: KindId, moving: f64) -> f64 {
        let parts = self.sizes[self.axis] as f64;
        let at = self.node.tensors.len();
        let (kind, cut, share) = match self.node.sink {
            Some((sink, share)) if self.cuts.len() > at => (sink, self.cuts[at], share),
            _ => (kind, self.cuts[t], 1.0),
        };
        let local = local_bytes(self.space.kind(kind), cut, self.sizes) as f64;
        match cut.dim(self.axis) {
            // A part of the sum is all that is wanted.
            Some(_) => share * local * parts * moving,
            None => share * 2.0 * local * moving,
        }
    }

    fn local(&self, t: usize, kind: KindId) -> f64 {
        local_bytes(self.space.kind(kind), self.cuts[t], self.sizes) as f64
    }
}

/// The part of a shard that comes from neighbours, where a dimension is reached by an affine access.
fn halo(affine: Option<partita::ops::rule::Affine>, kind: &TensorKind, dim: usize, parts: f64) -> f64 {
    let Some(affine) = affine else { return 0.0 };
    let window = match affine.window {
        Window::None => 0,
        Window::Size(size) => (size - 1) * affine.dilation,
        Window::Factor(_) => affine.dilation,
    };
    let reach =
        (window.abs() + affine.offset.abs()) as f64 + f64::from(affine.stride < 0) * kind.shape[dim] as f64;
    let block = (kind.shape[dim] as f64 / parts).max(1.0);
    (reach / block).min(1.0)
}
