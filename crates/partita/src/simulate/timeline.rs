//! The timeline of one device: one stream that computes, and the sides of the network beside it.
//!
//! Ops run in the order of the program. A collective starts there as soon as its operands and its sides of the network are free; where
//! it runs beside computing the device goes on, and waits where a result of it is first used. A loop is run through twice: the
//! first round, and one that stands for all others, which begins with what the first one left under way.

use super::exchange::Exchanges;
use super::fuse::{self, Fused};
use super::roofline::Roofline;
use super::{Event, Lane, OpTime, Program, Simulation};
use crate::device::{Exchange, Placement, Profile, Shape};
use crate::ir::*;
use crate::ops::{Spread, Unit, trip_count};
use crate::sharding::AtomSet;
use rustc_hash::FxHashMap;

/// Inside so many loops others are run through once: each is run through twice as often as the one around it.
const DEEP: usize = 3;

pub(super) fn run(
    program: &Program<'_>,
    profile: &Profile,
    placement: &Placement,
    exchanges: &Exchanges,
) -> Simulation {
    let module = program.module;
    let roofline = Roofline::new(profile, program.mesh.device_count());
    let mut timeline = Timeline {
        program,
        profile,
        placement,
        exchanges,
        fused: fuse::fuse(module, &roofline),
        roofline,
        ready: IdVec::filled(0.0, module.values.len()),
        now: 0.0,
        sides: vec![0.0; 2 * placement.lengths.len()],
        sum: Sum::default(),
        blocks: FxHashMap::default(),
        durations: FxHashMap::default(),
        loops: Vec::new(),
        times: 1.0,
        records: true,
        ops: Vec::new(),
        events: Vec::new(),
        unknown_trips: false,
    };
    if let Some(body) = module.funcs.iter().next().and_then(|f| f.body) {
        timeline.region(body);
    }
    let Timeline { now, sum, ops, events, unknown_trips, .. } = timeline;
    Simulation {
        step_seconds: now,
        compute_seconds: sum.compute,
        communication_seconds: sum.communication,
        exposed_communication_seconds: sum.exposed,
        flops: sum.flops,
        ops,
        events,
        unknown_trips,
        ..Simulation::default()
    }
}

/// What was done since the beginning of something.
#[derive(Clone, Copy, Default)]
struct Sum {
    compute: f64,
    communication: f64,
    exposed: f64,
    flops: f64,
}

impl Sum {
    fn add(&mut self, other: Sum, times: f64) {
        self.compute += other.compute * times;
        self.communication += other.communication * times;
        self.exposed += other.exposed * times;
        self.flops += other.flops * times;
    }
}

/// An op with regions that was run through: what it takes as a whole.
#[derive(Clone, Copy, Default)]
struct Block {
    seconds: f64,
    sum: Sum,
}

struct Timeline<'t> {
    program: &'t Program<'t>,
    profile: &'t Profile,
    placement: &'t Placement,
    exchanges: &'t Exchanges,
    /// What ops take that are joined with their neighbours.
    fused: Fused,
    roofline: Roofline<'t>,
    /// When each value is there.
    ready: IdVec<ValueId, f64>,
    /// How far the device is.
    now: f64,
    /// When each side of the network is free, one way and the other.
    sides: Vec<f64>,
    sum: Sum,
    /// Ops with regions that were run through already. Deep inside others each is so once.
    blocks: FxHashMap<OpId, Block>,
    /// How long collectives take that were met already, and whether they go both ways.
    durations: FxHashMap<(Shape, AtomSet, u64), (f64, bool)>,
    /// The loops that the walk is inside of, innermost last.
    loops: Vec<OpId>,
    /// How often what is walked through runs.
    times: f64,
    /// Whether this is the first walk through a region.
    records: bool,
    ops: Vec<OpTime>,
    events: Vec<Event>,
    unknown_trips: bool,
}

impl Timeline<'_> {
    /// Runs a region and waits for what it returns, but for what is still under way in a loop.
    fn region(&mut self, region: RegionId) {
        for &id in &self.program.module.regions[region].ops {
            self.op(id);
        }
    }

    fn op(&mut self, id: OpId) {
        let op = self.program.module.op(id);
        if let Some(exchange) = self.exchanges.get(id) {
            return self.collective(op, exchange);
        }
        if op.def().traits.terminator {
            // Inside a loop the next round waits where it needs what is returned.
            if self.loops.is_empty() {
                self.wait(op.operands());
            }
            return;
        }
        if op.def().runs_regions() {
            return self.block(op);
        }
        match op.def().unit() {
            Unit::Nowhere => self.compute(op, self.roofline.turning(op), 0.0),
            Unit::Elements | Unit::Fold => self.compute(op, self.fused.seconds[id], 0.0),
            Unit::Matrix | Unit::Memory => {
                let cost = self.roofline.alone(op, self.fused.added_to[id]);
                self.compute(op, cost.seconds, cost.flops);
            }
        }
    }

    /// Waits until values are there.
    fn wait(&mut self, values: &[ValueId]) {
        let ready = values.iter().map(|&v| self.ready[v]).fold(self.now, f64::max);
        self.sum.exposed += ready - self.now;
        self.now = ready;
    }

    fn compute(&mut self, op: OpRef<'_>, seconds: f64, flops: f64) {
        if seconds > 0.0 {
            self.wait(op.operands());
            self.record(op.id, self.now, seconds, Lane::Compute);
        }
        // What takes no time by itself is not there before its operands are.
        let operands = op.operands().iter().map(|&v| self.ready[v]).fold(0.0, f64::max);
        self.now += seconds;
        self.sum.compute += seconds;
        self.sum.flops += flops;
        for result in op.results() {
            self.ready[result] = operands.max(if seconds > 0.0 { self.now } else { 0.0 });
        }
    }

    fn collective(&mut self, op: OpRef<'_>, exchange: &Exchange) {
        let key = (exchange.shape, exchange.atoms, exchange.bytes);
        let (placement, mesh, profile) = (self.placement, self.program.mesh, self.profile);
        let (seconds, both_ways) = *self.durations.entry(key).or_insert_with(|| {
            let seconds = placement.seconds(mesh, profile, exchange);
            (seconds, placement.goes_both_ways(mesh, profile, exchange))
        });
        let beside = profile.asynchronous.takes(exchange.shape);
        if !beside {
            self.wait(op.operands());
        }
        let sides = placement.used_sides(exchange.atoms);
        let way = |n: &usize| match exchange.shape {
            Shape::Shift(by) if !both_ways => n.is_multiple_of(2) == (by > 0),
            _ => true,
        };
        let count = self.sides.len();
        let used = || (0..count).filter(|n| sides >> (n / 2) & 1 == 1).filter(way);
        let operands = op.operands().iter().map(|&v| self.ready[v]).fold(self.now, f64::max);
        let start = used().map(|n| self.sides[n]).fold(operands, f64::max);
        let end = start + seconds;
        used().for_each(|n| self.sides[n] = end);
        self.sum.communication += seconds;
        self.record(op.id, start, seconds, Lane::Network(sides));
        for result in op.results() {
            self.ready[result] = end;
        }
        if !beside {
            self.sum.exposed += end - self.now;
            self.now = end;
        }
    }

    /// An op with regions. What a loop begins with may still be under way, and so may what it gives.
    fn block(&mut self, op: OpRef<'_>) {
        if !matches!(op.def().spread, Spread::Loop) {
            self.wait(op.operands());
        }
        let start = self.now;
        let known = self.blocks.get(&op.id).copied().filter(|_| self.loops.len() >= DEEP);
        let block = known.unwrap_or_else(|| self.run_through(op));
        if self.blocks.insert(op.id, block).is_none() && self.records {
            let event = Event { op: op.id, start, seconds: block.seconds, lane: Lane::Control };
            self.events.push(event);
        }
        // The clock of what was run through stands at its last round.
        let end = start + block.seconds;
        let later = if known.is_none() { end - self.now } else { 0.0 };
        self.sides.iter_mut().for_each(|free| *free += later);
        let loops_on = known.is_none() && matches!(op.def().spread, Spread::Loop);
        let returned = if loops_on { self.returned(op) } else { &[] };
        for (n, result) in op.results().enumerate() {
            let ready = returned.get(n).map_or(end, |v| self.ready[*v] + later);
            self.ready[result] = ready.max(end);
        }
        self.now = end;
        self.sum.add(block.sum, 1.0);
    }

    /// Runs through the regions of an op from now on.
    fn run_through(&mut self, op: OpRef<'_>) -> Block {
        let start = self.now;
        let before = std::mem::take(&mut self.sum);
        let block = match op.def().spread {
            Spread::Loop => self.rounds(op),
            Spread::Branches => {
                let sides = self.sides.clone();
                let mut longest = Block::default();
                for &region in op.regions() {
                    (self.now, self.sum) = (start, Sum::default());
                    self.sides.clone_from(&sides);
                    self.whole_region(region);
                    if self.now - start >= longest.seconds {
                        longest = Block { seconds: self.now - start, sum: self.sum };
                    }
                }
                (self.now, self.sides) = (start + longest.seconds, sides);
                longest
            }
            _ => {
                for &region in op.regions() {
                    let args: Vec<ValueId> = self.program.module.regions[region].args.iter().collect();
                    for (&arg, &operand) in args.iter().zip(op.operands()) {
                        self.ready[arg] = self.ready[operand];
                    }
                    self.whole_region(region);
                }
                Block { seconds: self.now - start, sum: self.sum }
            }
        };
        self.sum = before;
        block
    }

    /// Runs a region and waits for what it returns.
    fn whole_region(&mut self, region: RegionId) {
        self.region(region);
        if let Some(&last) = self.program.module.regions[region].ops.last() {
            self.wait(self.program.module.operands(last));
        }
    }

    /// All rounds of a loop: the first, and one that stands for the others.
    fn rounds(&mut self, op: OpRef<'_>) -> Block {
        let start = self.now;
        self.loops.push(op.id);
        let trips = trip_count(self.program.module, &self.loops);
        self.unknown_trips |= trips.is_none();
        let trips = trips.unwrap_or(1) as f64;
        let outside = self.times;
        self.times *= trips;
        let mut block = Block::default();
        if trips > 0.0 {
            self.round(op, op.operands());
            let first = self.now - start;
            block.sum = self.sum;
            self.times = outside;
            let mut rest = 0.0;
            if trips > 1.0 {
                let records = std::mem::replace(&mut self.records, false);
                let (returned, middle) = (self.returned(op), self.now);
                self.sum = Sum::default();
                self.round(op, returned);
                rest = self.now - middle;
                block.sum.add(self.sum, trips - 1.0);
                self.records = records;
            }
            block.seconds = first + (trips - 1.0) * rest;
        }
        self.times = outside;
        self.loops.pop();
        block
    }

    /// One round of a loop: condition and body, with these values.
    fn round(&mut self, op: OpRef<'_>, carried: &[ValueId]) {
        for &region in op.regions() {
            let args: Vec<ValueId> = self.program.module.regions[region].args.iter().collect();
            for (&arg, &value) in args.iter().zip(carried) {
                self.ready[arg] = self.ready[value];
            }
            self.region(region);
        }
    }

    /// What the body of a loop returns.
    fn returned<'m>(&self, op: OpRef<'m>) -> &'m [ValueId] {
        let last = op.regions().last().and_then(|&body| op.module.regions[body].ops.last());
        last.map_or(&[], |&last| op.module.operands(last))
    }

    fn record(&mut self, op: OpId, start: f64, seconds: f64, lane: Lane) {
        if self.records {
            let is_collective = lane != Lane::Compute;
            self.ops.push(OpTime { op, seconds, times: self.times, is_collective });
            self.events.push(Event { op, start, seconds, lane });
        }
    }
}
