//! Operations that are alike, and what they cost.

use super::reduce::{self, Sink};
use super::tally;
use crate::complete::cut::{Axes, Cut, axes, parts};
use crate::complete::machine::Machine;
use crate::complete::space::views::{Place, View, ViewFactor, ViewId};
use crate::complete::space::{KindId, Space, TensorKind};
use crate::complete::subject::Subject;
use crate::device::Laying;
use crate::ir::{Id, OpRef};
use crate::ledger::device_bytes;
use crate::ops::rule::{Kind, Window};
use crate::ops::{Flow, Spread};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Price {
    pub(super) compute: f64,
    pub(super) communication: f64,
}

/// Operations that are alike.
pub(super) struct Node {
    pub(super) view: Arc<View>,
    pub(super) tensors: SmallVec<[Option<KindId>; 4]>,
    /// Where partial results are combined, and which part of that is due to one of these operations.
    pub(super) sink: Option<(KindId, f64)>,
    /// How often they run in all.
    pub(super) times: f64,
    /// Reshards of each tensor each time one runs: what is loop-invariant is resharded before the loop.
    reshards: SmallVec<[f64; 4]>,
    /// What one takes on one device, all of it.
    pub(super) work: Work,
}

/// Collects the operations of a program.
pub(super) fn collect(subject: &Subject<'_>, space: &Space, machine: &Machine) -> Vec<Node> {
    let module = subject.module();
    let sinks = reduce::sinks(subject, &space.views);
    type Key = (ViewId, SmallVec<[Option<KindId>; 4]>, Option<(KindId, u32)>);
    let mut known: FxHashMap<Key, usize> = FxHashMap::default();
    let mut nodes: Vec<Node> = Vec::new();
    for id in subject.graph.node_ids() {
        let node = subject.graph.node(id);
        let Some(op) = node.op.map(|op| module.op(op)) else { continue };
        let times = subject.executions[op.id];
        if times == 0 {
            continue;
        }
        let kind = |slot: &Option<crate::propagate::SlotId>| space.slot_kinds[(*slot)?.index()];
        let tensors: SmallVec<[Option<KindId>; 4]> = subject.graph.tensors_of(id).iter().map(kind).collect();
        let sink = sinks[op.id].and_then(|Sink { value, parts }| {
            let slot = subject.graph.value_slot(value)?;
            Some((space.slot_kinds[slot.index()]?, parts))
        });
        let at = tally(&mut known, &mut nodes, (space.views.id(id), tensors.clone(), sink), || Node {
            view: space.views.of(id).clone(),
            reshards: SmallVec::from_elem(0.0, tensors.len()),
            tensors,
            sink: sink.map(|(kind, parts)| (kind, 1.0 / f64::from(parts))),
            times: 0.0,
            work: Work::of(op, machine),
        });
        nodes[at].times += times as f64;
        let has_rule = matches!(op.def().spread, Spread::Rule(..));
        for (n, all) in nodes[at].reshards.iter_mut().enumerate() {
            let operand = op.operands().get(n).filter(|_| has_rule);
            let each = operand.map_or(1.0, |operand| subject.invariants.reshards(module, op.id, *operand));
            *all += each * times as f64;
        }
    }
    for node in &mut nodes {
        node.reshards.iter_mut().for_each(|all| *all /= node.times);
    }
    nodes
}

/// Seconds of an operation, by what divides them.
#[derive(Clone, Copy)]
pub(in crate::complete) struct Work {
    /// What is done faster wherever the operation is split.
    computing: f64,
    /// Windows that are laid out for a product: what its first operand does not have divides nothing of it.
    laying: Laying,
}

impl Work {
    /// How long an operation takes on one device. What goes element by element is joined with its neighbours and writes its
    /// result at most.
    pub(in crate::complete) fn of(op: OpRef<'_>, machine: &Machine) -> Work {
        let laying = Laying::of(op, &machine.windows).unwrap_or_default();
        let Spread::Rule(_, flow) = op.def().spread else { return Work { computing: 0.0, laying } };
        let work = (op.def().work)(op);
        let results: f64 = op.result_types().map(|t| device_bytes(t) as f64).sum();
        let computing = match flow {
            Flow::Elementwise | Flow::Broadcast => 0.5 * results / machine.memory_bandwidth,
            Flow::PassThrough => 0.25 * results / machine.memory_bandwidth,
            Flow::Forward | Flow::Ordinary => {
                f64::max(work.flops / machine.matrix, work.bytes / machine.memory_bandwidth)
            }
        };
        Work { computing, laying }
    }

    /// What is left of it where an axis of this size splits a factor.
    pub(super) fn split(mut self, factor: Option<&ViewFactor>, size: i64) -> Work {
        let faster = speed(factor, size);
        self.computing /= faster;
        let in_first = |f: &&ViewFactor| f.places.iter().any(|place| place.tensor == 0);
        if let Some(factor) = factor.filter(in_first) {
            self.laying.elements /= faster;
            let in_run = |place: &Place| place.tensor == 0 && place.affine.is_none();
            if !(matches!(factor.kind, Kind::Reduce(_)) && factor.places.iter().any(in_run)) {
                self.laying.runs /= faster;
            }
        }
        self
    }

    pub(in crate::complete) fn seconds(self) -> f64 {
        self.computing + self.laying.seconds()
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

    /// What the operations cost where their tensors, and the value their partial results add up to, are split like this. One axis after the other
    /// splits the factor that costs least, given what those before it split.
    pub(super) fn price(&self, ways: &Ways<'_>, cuts: &[Cut]) -> Price {
        let (_, work, sent) = self.best_response(ways, cuts);
        Price { compute: self.times * work.seconds(), communication: self.times * sent }
    }

    /// The factor that each axis splits, the work that is left, and the seconds of sending, where tensors are cut like this.
    pub(super) fn best_response(&self, ways: &Ways<'_>, cuts: &[Cut]) -> (Chosen<'_>, Work, f64) {
        let used: Axes = cuts.iter().fold(0, |set, cut| set | cut.all());
        let (mut chosen, mut work, mut sent) = (Chosen::new(), self.work, 0.0);
        for axis in axes(used).filter(|axis| *axis < ways.sizes.len()) {
            let mut best = (f64::INFINITY, None, work, 0.0);
            for factor in self.split_by(axis, cuts).map(Some).chain([None]) {
                chosen.push((axis, factor));
                let left = work.split(factor, ways.sizes[axis]);
                let seconds = self.sent(ways, &chosen, cuts);
                let total = seconds - sent + left.seconds();
                if total < best.0 {
                    best = (total, factor, left, seconds);
                }
                chosen.pop();
            }
            chosen.push((axis, best.1));
            work = best.2;
            sent = best.3;
        }
        (chosen, work, sent)
    }

    /// The factors that an axis splits in some tensor.
    fn split_by(&self, axis: usize, cuts: &[Cut]) -> impl Iterator<Item = &ViewFactor> {
        self.view.factors.iter().filter(move |factor| {
            let splits = |place: &Place| {
                place.leads
                    && self.tensors[usize::from(place.tensor)].is_some()
                    && cuts[usize::from(place.tensor)].of(usize::from(place.dim)) >> axis & 1 == 1
            };
            factor.kind != Kind::Whole && factor.places.iter().any(splits)
        })
    }

    /// Seconds that sending takes where axes split factors.
    fn sent(&self, ways: &Ways<'_>, chosen: &[(usize, Option<&ViewFactor>)], cuts: &[Cut]) -> f64 {
        let moved: f64 = (0..self.tensors.len()).map(|t| ways.moved(self, chosen, t, cuts[t])).sum();
        let combined = |(axis, factor): &(usize, Option<&ViewFactor>)| -> f64 {
            let one = |sum: Sum| {
                let at = if self.sink.is_some() { self.tensors.len() } else { sum.tensor };
                ways.combined(&sum, *axis, cuts[at])
            };
            self.combines(*factor).into_iter().map(one).sum()
        };
        moved + chosen.iter().map(combined).sum::<f64>()
    }
}

/// Axes and the factors that they split.
pub(super) type Chosen<'n> = SmallVec<[(usize, Option<&'n ViewFactor>); 4]>;

/// How many times faster work is done that an axis splits along a factor.
fn speed(factor: Option<&ViewFactor>, size: i64) -> f64 {
    match factor {
        Some(f) if f.size > 0 => f64::min(size as f64, f.size as f64),
        Some(_) => size as f64,
        None => 1.0,
    }
}

/// Partial results that are combined: the tensor that they are parts of, its kind where they end up, and the share of that.
pub(super) struct Sum {
    pub(super) tensor: usize,
    pub(super) kind: KindId,
    share: f64,
}

impl Node {
    /// What is combined where a factor is split.
    pub(super) fn combines(&self, factor: Option<&ViewFactor>) -> SmallVec<[Sum; 1]> {
        let mut sums = SmallVec::new();
        let Some(factor) = factor.filter(|f| matches!(f.kind, Kind::Reduce(_) | Kind::Lookup)) else {
            return sums;
        };
        let results = self.view.operands.min(self.tensors.len())..self.tensors.len();
        for tensor in results {
            let leads = factor.places.iter().any(|p| usize::from(p.tensor) == tensor && p.leads);
            if let (Some(own), false) = (self.tensors[tensor], leads) {
                let (kind, share) = self.sink.unwrap_or((own, 1.0));
                sums.push(Sum { tensor, kind, share });
            }
        }
        sums
    }
}

/// What is sent along the axes of a mesh.
pub(super) struct Ways<'a> {
    pub(super) space: &'a Space,
    pub(super) machine: &'a Machine,
    pub(super) sizes: &'a [i64],
}

impl Ways<'_> {
    /// Seconds that it takes to bring an operand to where axes split factors, or a result home, for a tensor that is cut like this, on average over the runs of the operation.
    pub(super) fn moved(
        &self,
        node: &Node,
        chosen: &[(usize, Option<&ViewFactor>)],
        t: usize,
        cut: Cut,
    ) -> f64 {
        let Some(kind) = node.tensors[t] else { return 0.0 };
        let mut local = local_bytes(self.space.kind(kind), cut, self.sizes) as f64;
        let is_operand = t < node.view.operands.min(node.tensors.len());
        let (mut seconds, mut gathered) = (0.0, SmallVec::<[usize; 4]>::new());
        for (axis, factor) in chosen {
            let parts = self.sizes[*axis] as f64;
            let place = factor.and_then(|f| f.places.iter().find(|p| usize::from(p.tensor) == t && p.leads));
            let moving = (parts - 1.0) / parts;
            let sent = match (is_operand, cut.dim(*axis), place.map(|p| usize::from(p.dim))) {
                (true, Some(has), Some(wants)) if has == wants => {
                    halo(place.and_then(|p| p.affine), self.space.kind(kind), wants, parts) * local
                }
                (true, Some(_), Some(_)) => local * moving,
                (true, Some(_), None) => {
                    gathered.push(*axis);
                    0.0
                }
                (false, has, Some(made)) if has != Some(made) => local * moving,
                _ => 0.0,
            };
            seconds += self.seconds(sent, *axis);
        }
        // Slow links carry what is least: what is gathered along them first.
        gathered.sort_by(|a, b| self.machine.bandwidth[*a].total_cmp(&self.machine.bandwidth[*b]));
        for axis in gathered {
            let parts = self.sizes[axis] as f64;
            seconds += self.seconds(local * (parts - 1.0), axis);
            local *= parts;
        }
        seconds * node.reshards[t]
    }

    /// Seconds that it takes to combine partial results along an axis into a tensor that is cut like this.
    pub(super) fn combined(&self, sum: &Sum, axis: usize, cut: Cut) -> f64 {
        let parts = self.sizes[axis] as f64;
        let moving = (parts - 1.0) / parts;
        let local = local_bytes(self.space.kind(sum.kind), cut, self.sizes) as f64;
        let sent = match cut.dim(axis) {
            // A part of the sum is all that is wanted.
            Some(_) => sum.share * local * parts * moving,
            None => sum.share * 2.0 * local * moving,
        };
        self.seconds(sent, axis)
    }

    fn seconds(&self, bytes: f64, axis: usize) -> f64 {
        if bytes > 0.0 { bytes / self.machine.bandwidth[axis] + self.machine.start } else { 0.0 }
    }
}

/// The part of a shard that comes from neighbours, where a dimension is reached by an affine access.
fn halo(affine: Option<crate::ops::rule::Affine>, kind: &TensorKind, dim: usize, parts: f64) -> f64 {
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
