//! The decisions that are left: which dimensions of a program must be sharded alike, and which of these sets are alike themselves.
//!
//! Every rule joins the dimensions that share a factor. What is joined over the whole program is a *group*: the batch, the heads of
//! a layer, the vocabulary. Groups that occur in the same places of the same operations (those of the layers of a deep model) are one
//! *class*, found by their structure and not by their names, and one decision is taken for a class: the space does not grow with depth.
//! Two classes that meet in one tensor cannot be split over one axis there: they are in *conflict*.

mod fold;
mod roles;
mod union;
pub(crate) mod views;

pub use roles::Role;

use crate::complete::cut::{Axes, Cut};
use crate::complete::subject::Subject;
use crate::ir::{Id, ValueId};
use crate::ledger::device_bytes;
use crate::ops::rule::{Kind, Window};
use crate::ops::{Spread, Unit};
use crate::propagate::{Propagated, SlotId};
use fold::Fold;
use roles::Roles;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use union::Union;
use views::Views;

/// Groups of dimensions that occur alike, for which one decision is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClassId(pub u16);

/// Tensors that are alike: of one type, with dimensions of the same classes, in the same role.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct KindId(pub u32);

/// What is known of a class.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// How many groups it has: as many as there are layers, where each has one.
    pub groups: usize,
    /// How long its dimensions are: a quarter of its bytes, those of its shortest dimensions, may be in shorter ones.
    pub size: i64,
    /// How many tensors have it.
    pub tensors: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The part of the program's work that is split where the class is.
    pub share: f64,
    /// Arguments of the program with the dimension they have of it.
    pub arguments: Vec<(usize, usize)>,
    /// A value that has it, and the dimension: the largest.
    pub example: Option<(ValueId, usize)>,
    /// Whether windows move along it: convolutions, shifts.
    pub windowed: bool,
    /// Whether parameters are many of a kind along it, each multiplied with its own part of another tensor.
    pub stacked: bool,
    /// Whether it is worth a decision.
    pub relevant: bool,
}

/// What is known of a kind of tensor.
#[derive(Clone, Debug)]
pub struct TensorKind {
    /// Its shape.
    pub shape: SmallVec<[i64; 4]>,
    /// Bytes of an element, in bits.
    pub bits: u64,
    /// The class of each dimension; nothing where it has one index.
    pub classes: SmallVec<[Option<ClassId>; 4]>,
    /// What it is to the program.
    pub role: Role,
    /// How many there are.
    pub count: usize,
    /// The choices that completion has for its tensors.
    pub freedom: Freedom,
}

/// The choices that completion has for a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Freedom {
    /// It keeps this sharding.
    Pinned(Cut),
    /// It is split along these axes only, along whichever dimension.
    Along(Axes),
}

impl Freedom {
    /// The sharding that is kept.
    pub fn pinned(self) -> Option<Cut> {
        match self {
            Freedom::Pinned(cut) => Some(cut),
            Freedom::Along(_) => None,
        }
    }
}

impl TensorKind {
    /// Bytes of one such tensor.
    pub fn bytes(&self) -> u64 {
        self.shape.iter().product::<i64>().max(0) as u64 * self.bits / 8
    }
}

/// The decision space of a program.
#[derive(Clone)]
pub struct Space {
    /// The classes, in the order of the program.
    pub classes: Vec<Class>,
    /// The kinds of tensors.
    pub kinds: Vec<TensorKind>,
    /// The kind of each slot.
    pub slot_kinds: Vec<Option<KindId>>,
    /// What each argument is to the program.
    pub roles: Vec<Role>,
    /// Which classes meet in a tensor.
    conflicts: Vec<bool>,
    /// How many groups there are.
    pub groups: usize,
    /// Products by the classes they can be split along, with their part of the work of all products.
    products: Vec<(SmallVec<[ClassId; 8]>, f64)>,
    /// What relates the tensors of each node.
    pub(crate) views: Views,
    /// The annotated tensors that each slot is made of, where kinds are told apart by them.
    sources: Vec<Source>,
}

/// The annotated tensors that a value is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    /// None that is known: constants, and what stands in loops that were not looked at yet.
    Unknown,
    /// Tensors of one kind, through so many operations; those behind the first are not counted.
    One(KindId, u8),
    /// Several.
    Mixed,
}

impl Source {
    fn with(self, other: Source) -> Source {
        match (self, other) {
            (Source::Unknown, known) | (known, Source::Unknown) => known,
            (Source::One(a, m), Source::One(b, n)) if a == b => Source::One(a, m.max(n)),
            _ => Source::Mixed,
        }
    }

    /// The source of what is computed from this.
    fn behind(self) -> Source {
        match self {
            Source::One(kind, steps) => Source::One(kind, (steps + 1).min(2)),
            other => other,
        }
    }
}

/// A class takes part in this much of the work, or holds this much of the arguments, to be worth a decision.
const WORTH: f64 = 0.01;

/// Sweeps over a program that look for the annotated tensors that values are made of.
const MOST_SWEEPS: usize = 8;

impl Space {
    /// The decision space of a program: with one decision for all groups that are alike, or one for each, as it would be if layers that are alike were not seen to be.
    pub fn new(subject: &Subject<'_>, grouping: bool) -> Space {
        let fold = if grouping { fold::fold } else { fold::apart };
        Space::build(subject, fold, |_| Freedom::Along(Axes::MAX))
    }

    /// The decision space between the annotations of a program: tensors that are annotated are kinds of their own, with their shardings pinned. Other arguments are
    /// pinned as propagation has them, and other results are split along no axis that does not split them there: what callers get in more parts than they expect,
    /// they gather themselves.
    pub fn between_annotations(subject: &Subject<'_>, propagated: &Propagated) -> Space {
        let (graph, mesh) = (&subject.graph, &subject.mesh);
        let found = |slot: SlotId| Cut::of_dims(mesh, propagated.graph.dimensions(slot));
        let mut boundary: FxHashMap<SlotId, Freedom> = FxHashMap::default();
        boundary.extend(
            graph.result_slots().iter().flatten().map(|slot| (*slot, Freedom::Along(found(*slot).all()))),
        );
        let arguments = subject.arguments.iter().filter_map(|argument| graph.value_slot(*argument));
        boundary.extend(arguments.map(|slot| (slot, Freedom::Pinned(found(slot)))));
        Space::build(subject, fold::fold, |slot| match graph.annotation(slot) {
            Some(sharding) => Freedom::Pinned(Cut::of_sharding(mesh, sharding)),
            None => boundary.get(&slot).copied().unwrap_or(Freedom::Along(Axes::MAX)),
        })
    }

    /// The same space in which values that are made of one annotated tensor alone have kinds of their own: the slice of a weight may best be sharded as the weight is, where its gradient, of the
    /// same type, is not.
    pub fn by_source(&self, subject: &Subject<'_>) -> Space {
        let graph = &subject.graph;
        let mut sources: Vec<Source> = vec![Source::Unknown; graph.slot_count()];
        let pinned = |slot: SlotId| {
            self.slot_kinds[slot.index()].filter(|kind| self.kind(*kind).freedom.pinned().is_some())
        };
        for slot in (0..graph.slot_count()).map(SlotId::from_index) {
            sources[slot.index()] = pinned(slot).map_or(Source::Unknown, |kind| Source::One(kind, 0));
        }
        // Each sweep brings sources out of one more loop.
        for _ in 0..MOST_SWEEPS {
            let before = sources.clone();
            for id in graph.node_ids() {
                let (view, tensors) = (self.views.of(id), graph.tensors_of(id));
                let (operands, results) = tensors.split_at(view.operands.min(tensors.len()));
                let sized = operands.iter().flatten().filter(|slot| graph.rank(**slot) > 0);
                let source =
                    sized.fold(Source::Unknown, |all, slot| all.with(sources[slot.index()])).behind();
                for slot in results.iter().flatten().filter(|slot| pinned(**slot).is_none()) {
                    sources[slot.index()] = sources[slot.index()].with(source);
                }
            }
            if sources == before {
                break;
            }
        }
        let mut known: FxHashMap<(KindId, Source), KindId> = FxHashMap::default();
        let mut fine = Space { kinds: Vec::new(), ..self.clone() };
        for slot in (0..graph.slot_count()).map(SlotId::from_index) {
            let Some(old) = self.slot_kinds[slot.index()] else { continue };
            let kind = self.kind(old);
            let source = match sources[slot.index()] {
                source @ Source::One(..) if kind.freedom.pinned().is_none() => source,
                _ => Source::Unknown,
            };
            let new = *known.entry((old, source)).or_insert_with(|| {
                fine.kinds.push(TensorKind { count: 0, ..kind.clone() });
                KindId(fine.kinds.len() as u32 - 1)
            });
            fine.kinds[new.0 as usize].count += subject.times(slot) as usize;
            fine.slot_kinds[slot.index()] = Some(new);
        }
        Space { sources, ..fine }
    }

    /// Returns whether a slot is known to be made of annotated tensors of one kind alone.
    pub(super) fn has_one_source(&self, slot: SlotId) -> bool {
        matches!(self.sources.get(slot.index()), Some(Source::One(..)))
    }

    fn build(
        subject: &Subject<'_>,
        fold: fn(&Subject<'_>, &Dims, &Groups, &Views) -> Fold,
        freedom: impl Fn(SlotId) -> Freedom,
    ) -> Space {
        let graph = &subject.graph;
        let dims = Dims::new(subject);
        let views = Views::new(subject);
        let groups = join(subject, &dims, &views);
        let fold = fold(subject, &dims, &groups, &views);
        let roles = Roles::find(subject, &dims, &groups);
        let class_of = |slot: SlotId, dim: usize| -> Option<ClassId> {
            let group = groups.of[dims.id(slot, dim)];
            (group != NONE).then(|| ClassId(fold.class[group as usize]))
        };
        let mut classes = vec![Class::default(); fold.count];
        let times = dims.times(subject, &groups);
        fold.class
            .iter()
            .zip(&times)
            .for_each(|(c, times)| classes[usize::from(*c)].groups += *times as usize);
        let mut known: FxHashMap<_, KindId> = FxHashMap::default();
        let mut kinds: Vec<TensorKind> = Vec::new();
        let mut slot_kinds = vec![None; graph.slot_count()];
        let mut lengths: Vec<FxHashMap<i64, u64>> = vec![FxHashMap::default(); classes.len()];
        let mut conflicts = vec![false; classes.len() * classes.len()];
        for slot in (0..graph.slot_count()).map(SlotId::from_index) {
            let (Some(id), Some(ty)) = (subject.slot_types[slot.index()], subject.slot_type(slot)) else {
                continue;
            };
            let of: SmallVec<[Option<ClassId>; 4]> =
                (0..graph.rank(slot)).map(|d| class_of(slot, d)).collect();
            let role = roles.of_slot(slot);
            let (bytes, times) = (device_bytes(&subject.module().types[id]), subject.times(slot));
            let all = bytes.saturating_mul(times);
            for (d, class) in of.iter().enumerate().filter_map(|(d, c)| Some((d, (*c)?))) {
                *lengths[usize::from(class.0)].entry(ty.shape[d]).or_default() += all;
                let class = &mut classes[usize::from(class.0)];
                class.tensors += times as usize;
                class.bytes = class.bytes.saturating_add(all);
            }
            for (n, a) in of.iter().enumerate().filter_map(|(n, c)| Some((n, (*c)?))) {
                for b in of[..n].iter().flatten() {
                    conflicts[usize::from(a.0) * classes.len() + usize::from(b.0)] = true;
                    conflicts[usize::from(b.0) * classes.len() + usize::from(a.0)] = true;
                }
            }
            let kind = *known.entry((id, of.clone(), role, freedom(slot))).or_insert_with(|| {
                let bits = if bytes == 0 { 0 } else { bytes * 8 / ty.count().max(1) as u64 };
                let (shape, freedom) = (ty.shape.clone(), freedom(slot));
                kinds.push(TensorKind { shape, bits, classes: of, role, count: 0, freedom });
                KindId(kinds.len() as u32 - 1)
            });
            kinds[kind.0 as usize].count += times as usize;
            slot_kinds[slot.index()] = Some(kind);
        }
        // A carry that never changes is the value outside of the loop under another name.
        for (carry, outside) in subject.invariants.carried() {
            if let (Some(carry), Some(outside)) = (graph.value_slot(carry), graph.value_slot(outside)) {
                slot_kinds[carry.index()] = slot_kinds[outside.index()];
            }
        }
        classes.iter_mut().zip(lengths).for_each(|(class, lengths)| class.size = usual(lengths, class.bytes));
        let mut space = Space {
            classes,
            kinds,
            slot_kinds,
            roles: roles.arguments,
            conflicts,
            groups: times.iter().sum::<u64>() as usize,
            products: Vec::new(),
            views,
            sources: Vec::new(),
        };
        space.name(subject, &class_of);
        space.weigh(subject, &class_of);
        space
    }

    /// Whether two classes meet in a tensor.
    pub fn conflict(&self, a: ClassId, b: ClassId) -> bool {
        self.conflicts[usize::from(a.0) * self.classes.len() + usize::from(b.0)]
    }

    /// A class.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[usize::from(id.0)]
    }

    /// The part of the work of all products that is split along a class and along none of `others`.
    pub fn product_share(&self, class: ClassId, others: &[ClassId]) -> f64 {
        let counts =
            |set: &[ClassId]| set.contains(&class) && !others.iter().any(|other| set.contains(other));
        self.products.iter().filter(|(set, _)| counts(set)).map(|(_, share)| share).sum()
    }

    /// Products by the classes they can be split along, with their part of the work of all products.
    pub fn products(&self) -> &[(SmallVec<[ClassId; 8]>, f64)] {
        &self.products
    }

    /// The kind of a slot.
    pub fn kind_of(&self, slot: SlotId) -> Option<KindId> {
        self.slot_kinds[slot.index()]
    }

    /// A kind of tensor.
    pub fn kind(&self, id: KindId) -> &TensorKind {
        &self.kinds[id.0 as usize]
    }

    /// The classes that are worth a decision, those with most work first.
    pub fn decisions(&self) -> Vec<ClassId> {
        let mut list: Vec<ClassId> =
            (0..self.classes.len()).map(|n| ClassId(n as u16)).filter(|c| self.class(*c).relevant).collect();
        list.sort_by(|a, b| self.class(*b).share.total_cmp(&self.class(*a).share).then(a.cmp(b)));
        list
    }

    /// Finds arguments and an example for each class.
    fn name(&mut self, subject: &Subject<'_>, class_of: &dyn Fn(SlotId, usize) -> Option<ClassId>) {
        let module = subject.module();
        for (n, &argument) in subject.arguments.iter().enumerate() {
            let Some(slot) = subject.graph.value_slot(argument) else { continue };
            for d in 0..subject.graph.rank(slot) {
                if let Some(class) = class_of(slot, d) {
                    self.classes[usize::from(class.0)].arguments.push((n, d));
                }
            }
        }
        let mut largest = vec![0; self.classes.len()];
        for value in module.values.ids() {
            let Some(slot) = subject.graph.value_slot(value) else { continue };
            let bytes = device_bytes(module.type_of(value));
            for d in 0..subject.graph.rank(slot) {
                let Some(class) = class_of(slot, d).map(|c| usize::from(c.0)) else { continue };
                if bytes > largest[class] {
                    largest[class] = bytes;
                    self.classes[class].example = Some((value, d));
                }
            }
        }
    }

    /// Marks the classes that windows move along, and those along which parameters are many of a kind: products are done one by one, each
    /// with a parameter of its own, or with what was cut out of one.
    fn mark(
        &mut self,
        view: &views::View,
        is_product: bool,
        tensors: &[Option<SlotId>],
        class_of: &dyn Fn(SlotId, usize) -> Option<ClassId>,
    ) {
        let is_operand = |place: &views::Place| usize::from(place.tensor) < view.operands;
        for factor in &view.factors {
            let with_each =
                factor.kind == Kind::Parallel && factor.places.iter().filter(|p| is_operand(p)).count() > 1;
            for place in &factor.places {
                let Some(slot) = tensors[usize::from(place.tensor)] else { continue };
                let Some(class) = class_of(slot, usize::from(place.dim)) else { continue };
                let moves = |a: &crate::ops::rule::Affine| a.window != Window::None || a.offset != 0;
                if place.affine.as_ref().is_some_and(moves) {
                    self.classes[usize::from(class.0)].windowed = true;
                }
                if is_product && with_each && is_operand(place) && self.is_weight(slot) {
                    self.classes[usize::from(class.0)].stacked = true;
                }
            }
        }
    }

    /// Whether the dimensions of a tensor are those of a parameter, or some of them in their order.
    fn is_weight(&self, slot: SlotId) -> bool {
        let Some(kind) = self.slot_kinds[slot.index()] else { return false };
        let own = &self.kind(kind).classes;
        let holds = |parameter: &TensorKind| {
            let mut all = parameter.classes.iter();
            own.iter().all(|class| class.is_some() && all.any(|other| other == class))
        };
        own.len() > 2 && self.kinds.iter().any(|k| k.role == Role::Parameter && holds(k))
    }

    /// Finds how much work each class has a part in, and which are worth a decision.
    fn weigh(&mut self, subject: &Subject<'_>, class_of: &dyn Fn(SlotId, usize) -> Option<ClassId>) {
        let module = subject.module();
        let mut total = 0.0;
        let mut shares = vec![0.0; self.classes.len()];
        let mut products: FxHashMap<SmallVec<[ClassId; 8]>, f64> = FxHashMap::default();
        for id in subject.graph.node_ids() {
            let Some(op) = subject.graph.node(id).op.map(|op| module.op(op)) else { continue };
            if !matches!(op.def().spread, Spread::Rule(..)) {
                continue;
            }
            let work = (op.def().work)(op);
            // About as long as it takes: devices compute some hundred operations in the time of one byte.
            let weight = (work.flops / 100.0 + work.bytes) * subject.executions[op.id] as f64;
            total += weight;
            let mut seen: SmallVec<[usize; 8]> = SmallVec::new();
            let view = self.views.of(id).clone();
            let tensors = subject.graph.tensors_of(id);
            let is_product = op.def().unit() == Unit::Matrix;
            self.mark(&view, is_product, tensors, class_of);
            for place in view.factors.iter().flat_map(|f| &f.places) {
                let Some(slot) = tensors[usize::from(place.tensor)] else { continue };
                let Some(class) = class_of(slot, usize::from(place.dim)).map(|c| usize::from(c.0)) else {
                    continue;
                };
                if !seen.contains(&class) {
                    seen.push(class);
                    shares[class] += weight;
                }
            }
            if is_product {
                seen.sort_unstable();
                let set = seen.iter().map(|class| ClassId(*class as u16)).collect();
                *products.entry(set).or_default() += work.flops * subject.executions[op.id] as f64;
            }
        }
        let all: f64 = products.values().sum();
        self.products = products.into_iter().map(|(set, work)| (set, work / all.max(1.0))).collect();
        self.products.sort_by(|a, b| a.0.cmp(&b.0));
        let held_by = |n: usize| {
            device_bytes(module.type_of(subject.arguments[n])).saturating_mul(subject.argument_times(n))
        };
        let held: u64 = (0..subject.arguments.len()).map(held_by).sum();
        for (class, share) in self.classes.iter_mut().zip(shares) {
            class.share = if total > 0.0 { share / total } else { 0.0 };
            let bytes: u64 = class.arguments.iter().map(|(n, _)| held_by(*n)).sum();
            class.relevant =
                class.size > 1 && (class.share > WORTH || bytes as f64 > WORTH * held as f64 && held > 0);
        }
    }
}

/// The length that at most a quarter of the bytes is below, by how many bytes there are of each.
fn usual(lengths: FxHashMap<i64, u64>, bytes: u64) -> i64 {
    let mut lengths: Vec<(i64, u64)> = lengths.into_iter().collect();
    lengths.sort_unstable();
    let mut below = 0u64;
    let reaches = |(_, more): &&(i64, u64)| {
        below = below.saturating_add(*more);
        below > bytes / 4
    };
    lengths.iter().find(reaches).map_or(0, |(length, _)| *length)
}

/// Not in any group.
pub(crate) const NONE: u32 = u32::MAX;

/// The dimensions of all slots, numbered.
pub(crate) struct Dims {
    start: Vec<u32>,
    sizes: Vec<i64>,
}

impl Dims {
    fn new(subject: &Subject<'_>) -> Dims {
        let graph = &subject.graph;
        let (mut start, mut sizes) = (Vec::with_capacity(graph.slot_count() + 1), Vec::new());
        for slot in (0..graph.slot_count()).map(SlotId::from_index) {
            start.push(sizes.len() as u32);
            let shape = subject.slot_type(slot).map(|t| &t.shape);
            sizes.extend((0..graph.rank(slot)).map(|d| shape.and_then(|s| s.get(d)).copied().unwrap_or(0)));
        }
        Dims { start, sizes }
    }

    pub(crate) fn id(&self, slot: SlotId, dim: usize) -> usize {
        self.start[slot.index()] as usize + dim
    }

    /// How many groups of the whole program each group stands for: one that is in something that stands for itself alone is the same for all layers.
    fn times(&self, subject: &Subject<'_>, groups: &Groups) -> Vec<u64> {
        let mut times = vec![u64::MAX; groups.count];
        for slot in (0..subject.graph.slot_count()).map(SlotId::from_index) {
            for group in (0..subject.graph.rank(slot)).map(|d| groups.of[self.id(slot, d)]) {
                if let Some(least) = times.get_mut(group as usize) {
                    *least = subject.times(slot).min(*least);
                }
            }
        }
        times
    }
}

/// Which group each dimension is in.
pub(crate) struct Groups {
    pub(crate) of: Vec<u32>,
    pub(crate) count: usize,
}

/// Joins the dimensions that have a factor in common.
fn join(subject: &Subject<'_>, dims: &Dims, views: &Views) -> Groups {
    let graph = &subject.graph;
    let mut union = Union::new(dims.sizes.len());
    for id in graph.node_ids() {
        let tensors = graph.tensors_of(id);
        for factor in views.of(id).factors.iter().filter(|f| !f.apart && f.size != 1) {
            let mut first = None;
            for place in factor.places.iter().filter(|p| p.leads) {
                let Some(slot) = tensors[usize::from(place.tensor)] else { continue };
                let dim = dims.id(slot, usize::from(place.dim)) as u32;
                match first {
                    Some(first) => union.unite(first, dim),
                    None => first = Some(dim),
                }
            }
        }
    }
    let mut numbers = vec![NONE; dims.sizes.len()];
    let mut of = vec![NONE; dims.sizes.len()];
    let mut count = 0;
    for (dim, group) in of.iter_mut().enumerate().filter(|(dim, _)| dims.sizes[*dim] > 1) {
        let root = union.find(dim as u32) as usize;
        if numbers[root] == NONE {
            numbers[root] = count;
            count += 1;
        }
        *group = numbers[root];
    }
    Groups { of, count: count as usize }
}
