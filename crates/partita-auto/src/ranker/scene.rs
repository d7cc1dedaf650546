//! What a ranker sees of a plan: parts and ratios, never names or sizes.

use crate::search::Move;
use partita::complete::Estimate;
use partita::complete::Machine;
use partita::complete::{Assignment, Store};
use partita::complete::{ClassId, Role, Space};
use partita::complete::{axes, parts};

/// Numbers that describe a class.
pub const CLASS_FEATURES: usize = 16;

/// Numbers that describe a decision.
pub const MOVE_FEATURES: usize = 27;

/// What one class shares with another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Edge {
    /// The other.
    pub from: usize,
    /// The one.
    pub to: usize,
    /// The part of its bytes that are in tensors which have both.
    pub bytes: f32,
    /// The part of its products that have both.
    pub work: f32,
}

/// What a ranker sees of one plan.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// The classes that are worth a decision.
    pub classes: Vec<[f32; CLASS_FEATURES]>,
    /// The decisions that are open: the class, where one is split, and what they are like.
    pub moves: Vec<(Option<usize>, [f32; MOVE_FEATURES])>,
}

/// Bytes by what they are to the program.
#[derive(Clone, Copy, Default)]
struct Bytes {
    stay: f64,
    data: f64,
    values: f64,
}

impl Bytes {
    fn add(&mut self, role: Role, bytes: f64) {
        match role {
            Role::Parameter | Role::State => self.stay += bytes,
            Role::Data => self.data += bytes,
            Role::Value => self.values += bytes,
        }
    }

    /// The parts of a whole.
    fn of(&self, all: &Bytes) -> [f32; 3] {
        [part(self.stay, all.stay), part(self.data, all.data), part(self.values, all.values)]
    }
}

/// What does not depend on a plan.
pub struct Surroundings<'s> {
    space: &'s Space,
    machine: &'s Machine,
    sizes: Vec<i64>,
    classes: Vec<ClassId>,
    /// For each class of the space its place in `classes`.
    place: Vec<Option<usize>>,
    fixed: Vec<[f32; CLASS_FEATURES]>,
    /// What the classes share.
    pub edges: Vec<Edge>,
    all: Bytes,
    state: f64,
}

impl<'s> Surroundings<'s> {
    /// What surrounds the plans that take decisions for some classes.
    pub fn new(
        space: &'s Space,
        machine: &'s Machine,
        sizes: &[i64],
        classes: &[ClassId],
    ) -> Surroundings<'s> {
        let mut place = vec![None; space.classes.len()];
        classes.iter().enumerate().for_each(|(n, class)| place[usize::from(class.0)] = Some(n));
        let mut all = Bytes::default();
        let mut state = 0.0;
        for kind in &space.kinds {
            let bytes = kind.bytes() as f64 * kind.count as f64;
            all.add(kind.role, bytes);
            state += if kind.role == Role::State { bytes } else { 0.0 };
        }
        let mut surroundings = Surroundings {
            space,
            machine,
            sizes: sizes.to_vec(),
            classes: classes.to_vec(),
            place,
            fixed: Vec::new(),
            edges: Vec::new(),
            all,
            state,
        };
        surroundings.describe_classes();
        surroundings.connect();
        surroundings
    }

    /// What a class is like, whatever the plan.
    fn describe_classes(&mut self) {
        let mut own = vec![Bytes::default(); self.classes.len()];
        // Where in its tensors a class stands, from 0 at the front to 1 at the back, by bytes.
        let mut stands = vec![(0.0, 0.0); self.classes.len()];
        for kind in &self.space.kinds {
            let bytes = kind.bytes() as f64 * kind.count as f64;
            for (dim, class) in kind.classes.iter().enumerate() {
                let Some(n) = class.and_then(|c| self.place[usize::from(c.0)]) else { continue };
                if !kind.classes[..dim].contains(class) {
                    own[n].add(kind.role, bytes);
                }
                if kind.shape.len() > 1 {
                    stands[n].0 += bytes * dim as f64 / (kind.shape.len() - 1) as f64;
                    stands[n].1 += bytes;
                }
            }
        }
        let features = |(n, id): (usize, &ClassId)| {
            let class = self.space.class(*id);
            let [stay, data, values] = own[n].of(&self.all);
            let is = |test: fn(Role) -> bool| {
                flag(class.arguments.iter().any(|(argument, _)| test(self.space.roles[*argument])))
            };
            [
                self.space.product_share(*id, &[]) as f32,
                class.share as f32,
                stay,
                data,
                values,
                flag(self.space.conflict(*id, *id)),
                flag(class.stacked),
                flag(class.windowed),
                flag(class.groups > 1),
                is(Role::stays),
                is(|role| role == Role::Data),
                flag(class.arguments.is_empty()),
                part(stands[n].0, stands[n].1),
                part(class.arguments.len() as f64, self.space.roles.len() as f64),
                // What the plan did with it.
                0.0,
                0.0,
            ]
        };
        self.fixed = self.classes.iter().enumerate().map(features).collect();
    }

    /// What classes share.
    fn connect(&mut self) {
        let count = self.classes.len();
        let (mut bytes, mut work) = (vec![0.0; count * count], vec![0.0; count * count]);
        let share = |table: &mut Vec<f64>, set: &[usize], amount: f64| {
            for a in set {
                for b in set {
                    table[a * count + b] += amount;
                }
            }
        };
        let places = |classes: &mut dyn Iterator<Item = ClassId>| {
            let mut set: Vec<usize> = classes.filter_map(|c| self.place[usize::from(c.0)]).collect();
            set.sort_unstable();
            set.dedup();
            set
        };
        for kind in &self.space.kinds {
            let set = places(&mut kind.classes.iter().filter_map(|c| *c));
            share(&mut bytes, &set, kind.bytes() as f64 * kind.count as f64);
        }
        for (classes, amount) in self.space.products() {
            share(&mut work, &places(&mut classes.iter().copied()), *amount);
        }
        for to in 0..count {
            for from in (0..count).filter(|from| *from != to) {
                let of = |table: &[f64]| part(table[to * count + from], table[to * count + to]);
                let edge = Edge { from, to, bytes: of(&bytes), work: of(&work) };
                if edge.bytes > 0.0 || edge.work > 0.0 {
                    self.edges.push(edge);
                }
            }
        }
    }

    /// What a ranker sees of a plan that costs this and leaves these decisions open.
    pub fn scene(&self, plan: &Assignment, estimate: &Estimate, moves: &[Move]) -> Scene {
        let mut classes = self.fixed.clone();
        for (features, id) in classes.iter_mut().zip(&self.classes) {
            let now = parts(&self.sizes, plan.axes(*id));
            features[CLASS_FEATURES - 2] = ratio(now as f64, 1.0);
            features[CLASS_FEATURES - 1] = ratio(self.space.class(*id).size as f64, now as f64);
        }
        let whole = self.describe_plan(plan, estimate);
        let axes: Vec<Axis> =
            (0..self.sizes.len()).map(|axis| Axis::new(self, plan, estimate, axis)).collect();
        let describe = |next: &Move| match *next {
            Move::Split(class, axis) => {
                let place = self.place[usize::from(class.0)];
                let axis = &axes[usize::from(axis)];
                (place, joined(&axis.splitting(self, plan, class, place), &axis.features, &whole))
            }
            Move::Store(axis, store) => {
                let axis = &axes[usize::from(axis)];
                (None, joined(&axis.storing(self, store), &axis.features, &whole))
            }
        };
        Scene { classes, moves: moves.iter().map(describe).collect() }
    }

    /// What the plan is like as a whole.
    fn describe_plan(&self, plan: &Assignment, estimate: &Estimate) -> [f32; PLAN] {
        let limit = self.machine.memory as f64;
        let open = |axis: &usize| !plan.uses(*axis);
        let log = |size: &i64| (*size as f64).max(1.0).log2();
        let free: f64 = (0..self.sizes.len()).filter(open).map(|axis| log(&self.sizes[axis])).sum();
        [
            ratio(estimate.memory as f64, limit) * 2.0,
            flag(estimate.memory > self.machine.memory),
            part(estimate.communication, estimate.compute + estimate.communication),
            part(free, self.sizes.iter().map(log).sum()),
            ratio(self.all.stay, limit) * 2.0,
            part(self.state, self.all.stay),
        ]
    }
}

/// Numbers that describe a plan as a whole.
const PLAN: usize = 6;

/// Numbers that describe an axis.
const AXIS: usize = 10;

/// Numbers that describe a decision beside the axis and the plan.
const OWN: usize = MOVE_FEATURES - AXIS - PLAN;

/// An axis of the mesh, as a plan uses it.
struct Axis {
    number: usize,
    features: [f32; AXIS],
    /// The classes that it splits.
    there: Vec<ClassId>,
    /// For each class the bytes of its tensors that the axis does not split yet, and the same of products.
    bytes: Vec<Bytes>,
    products: Vec<f32>,
    /// The bytes of all tensors that it does not split.
    left: Bytes,
}

impl Axis {
    fn new(around: &Surroundings<'_>, plan: &Assignment, estimate: &Estimate, number: usize) -> Axis {
        let space = around.space;
        let on_axis = plan.split.iter().filter(|(_, axis)| usize::from(*axis) == number);
        let there: Vec<ClassId> = on_axis.map(|(class, _)| *class).collect();
        let mut bytes = vec![Bytes::default(); around.classes.len()];
        let mut left = Bytes::default();
        for kind in &space.kinds {
            if kind.classes.iter().flatten().any(|class| there.contains(class)) {
                continue;
            }
            let amount = kind.bytes() as f64 * kind.count as f64;
            left.add(kind.role, amount);
            for (dim, class) in kind.classes.iter().enumerate() {
                let Some(n) = class.and_then(|c| around.place[usize::from(c.0)]) else { continue };
                if !kind.classes[..dim].contains(class) {
                    bytes[n].add(kind.role, amount);
                }
            }
        }
        let mut products = vec![0.0; around.classes.len()];
        for (set, share) in space.products() {
            if set.iter().any(|class| there.contains(class)) {
                continue;
            }
            for n in set.iter().filter_map(|class| around.place[usize::from(class.0)]) {
                products[n] += *share as f32;
            }
        }
        let stays = |class: &ClassId| {
            space.class(*class).arguments.iter().any(|(argument, _)| space.roles[*argument].stays())
        };
        let machine = around.machine;
        let speed = machine.bandwidth[number];
        let fastest = machine.bandwidth.iter().copied().fold(0.0, f64::max);
        let features = [
            ratio(around.sizes[number] as f64, 1.0),
            ratio(speed, fastest),
            flag(!there.is_empty()),
            flag(there.iter().any(stays)),
            flag(there.iter().any(|class| !stays(class))),
            plan.store[number] as u8 as f32 / 2.0,
            // How long it takes to send what stays, what is computed, and nothing at all, beside computing.
            ratio(around.all.stay / speed, estimate.compute),
            ratio(around.all.values / speed, estimate.compute),
            ratio(machine.start, estimate.compute),
            around.space.products().iter().fold(0.0, |sum, (set, share)| {
                sum + if set.iter().any(|class| there.contains(class)) { *share as f32 } else { 0.0 }
            }),
        ];
        Axis { number, features, there, bytes, products, left }
    }

    fn splitting(
        &self,
        around: &Surroundings<'_>,
        plan: &Assignment,
        id: ClassId,
        place: Option<usize>,
    ) -> [f32; OWN] {
        let class = around.space.class(id);
        let set = plan.axes(id);
        let then = parts(&around.sizes, set) * around.sizes[self.number];
        let [stay, data, values] = place.map_or([0.0; 3], |n| self.bytes[n].of(&around.all));
        [
            0.0,
            0.0,
            ratio(class.size as f64, then as f64),
            flag(then > 0 && class.size % then == 0),
            flag(self.there.iter().any(|other| around.space.conflict(*other, id))),
            place.map_or(0.0, |n| self.products[n]),
            stay,
            data,
            values,
            axes(set).count() as f32 / 2.0,
            // Bytes of the class that the axis can still split.
            place.map_or(0.0, |n| {
                let own = self.bytes[n];
                part(own.stay + own.data + own.values, class.bytes as f64)
            }),
        ]
    }

    fn storing(&self, around: &Surroundings<'_>, store: Store) -> [f32; OWN] {
        let [stay, data, values] = self.left.of(&around.all);
        let mut own = [0.0; OWN];
        own[0] = flag(store == Store::State);
        own[1] = flag(store == Store::Parameters);
        [own[6], own[7], own[8]] = [stay, data, values];
        own
    }
}

fn joined(own: &[f32; OWN], axis: &[f32; AXIS], plan: &[f32; PLAN]) -> [f32; MOVE_FEATURES] {
    let mut all = [0.0; MOVE_FEATURES];
    all.iter_mut().zip(own.iter().chain(axis).chain(plan)).for_each(|(to, from)| *to = *from);
    all
}

fn flag(is: bool) -> f32 {
    if is { 1.0 } else { 0.0 }
}

/// A part of a whole; none of nothing.
fn part(of: f64, whole: f64) -> f32 {
    if whole > 0.0 { (of / whole) as f32 } else { 0.0 }
}

/// How many times one is the other, in powers of 256; at most two of them.
fn ratio(one: f64, other: f64) -> f32 {
    const LEAST: f64 = 1e-30;
    let powers = (one.max(LEAST) / other.max(LEAST)).log2() / 8.0;
    if powers.is_nan() { 0.0 } else { powers.clamp(-2.0, 2.0) as f32 }
}
