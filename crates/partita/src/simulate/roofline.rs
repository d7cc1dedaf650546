//! What an op takes by itself: the slower of computing, and of reading and writing memory.

use crate::device::{Laying, Profile};
use crate::ir::{Elem, OpRef};
use crate::ledger::device_bytes;
use crate::ops::ordered::Ordered;
use crate::ops::rule::{FactorId, Rule, TensorMap};
use crate::ops::{Spread, Unit};

/// What one device does in a second.
pub(super) struct Roofline<'p> {
    profile: &'p Profile,
    part: f64,
    vector: f64,
    memory: f64,
    turn: Option<f64>,
}

/// What an op takes.
#[derive(Clone, Copy, Default)]
pub(super) struct Cost {
    /// How long.
    pub(super) seconds: f64,
    /// Operations of the matrix unit.
    pub(super) flops: f64,
}

impl<'p> Roofline<'p> {
    pub(super) fn new(profile: &'p Profile, devices: i64) -> Self {
        let part = profile.part_of(devices);
        Roofline {
            profile,
            part,
            vector: profile.vector * part * profile.compute_efficiency,
            memory: profile.memory_bandwidth * part * profile.compute_efficiency,
            turn: profile.memory_turn.map(|rate| rate * part * profile.compute_efficiency),
        }
    }

    /// Ops on elements, joined: so many operations, and so many bytes read and written.
    pub(super) fn elements(&self, flops: f64, bytes: f64) -> f64 {
        if flops == 0.0 && bytes == 0.0 {
            return 0.0;
        }
        self.profile.operation_start + (flops / self.vector).max(bytes / self.memory)
    }

    /// How much some operations and bytes are of what they are part of.
    pub(super) fn weight(&self, flops: f64, bytes: f64) -> f64 {
        flops / self.vector + bytes / self.memory
    }

    /// Whether products are joined with what cuts out their operands and what adds their results.
    pub(super) fn fuses_products(&self) -> bool {
        self.profile.fuses
    }

    /// An op that runs by itself, and reads so many bytes besides its operands.
    pub(super) fn alone(&self, op: OpRef<'_>, besides: f64) -> Cost {
        let mut work = (op.def().work)(op);
        work.bytes += besides;
        if let Ordered::Running { .. } = (op.def().ordered)(op) {
            // Each element is combined with what came before it, whatever the window.
            work.flops = work
                .flops
                .min(op.result_types().filter_map(|t| t.as_tensor()).map(|t| t.count() as f64).sum());
        }
        if op.def().unit() != Unit::Matrix {
            return Cost { seconds: self.elements(work.flops, work.bytes), flops: 0.0 };
        }
        let elem =
            op.operand_types().filter_map(|t| t.as_tensor()).map(|t| t.elem).next().unwrap_or(Elem::F32);
        let peak = self.profile.matrix_peak(elem) * self.part * self.profile.compute_efficiency;
        let computing = work.flops * self.padding(op) / peak;
        let seconds = self.profile.operation_start + computing.max(work.bytes / self.memory);
        Cost { seconds: seconds + self.turning(op) + self.laying(op), flops: work.flops }
    }

    /// How long it takes to bring arrays into another order of dimensions: the operands of a product whose dimensions are not those of the pairs of
    /// matrices first and then those of a matrix, and what an op gives on in another order than it has it.
    pub(super) fn turning(&self, op: OpRef<'_>) -> f64 {
        let (Some(rate), Spread::Rule(rule, _)) = (self.turn, op.def().spread) else { return 0.0 };
        let Ok(rule) = rule(op) else { return 0.0 };
        let turned: u64 = match op.def().unit() {
            Unit::Matrix => {
                let kept = |n: &usize| !in_order(&rule, *n);
                (0..rule.operands.len()).filter(kept).map(|n| device_bytes(op.operand_type(n))).sum()
            }
            Unit::Nowhere if changes_order(&rule) => device_bytes(op.operand_type(0)),
            _ => 0,
        };
        2.0 * turned as f64 / rate
    }

    /// How long it takes to lay out the windows of a product.
    fn laying(&self, op: OpRef<'_>) -> f64 {
        let laying = Laying::of(op, &self.profile.windows);
        laying.map_or(0.0, |laying| laying.seconds() / (self.part * self.profile.compute_efficiency))
    }

    /// How much more the matrix unit does, for it works on whole tiles.
    fn padding(&self, op: OpRef<'_>) -> f64 {
        let tile = self.profile.tile;
        if tile == [1; 3] {
            return 1.0;
        }
        let Spread::Rule(rule, _) = op.def().spread else { return 1.0 };
        let Ok(rule) = rule(op) else { return 1.0 };
        let Product { rows, depth, columns } = Product::of(&rule);
        let padded = |size: i64, tile: i64| {
            (size.max(1) as u64).div_ceil(tile as u64) as f64 * tile as f64 / size.max(1) as f64
        };
        // The shorter side is held in the unit, the longer one passes through it.
        let (long, short) = (rows.max(columns), rows.min(columns));
        padded(long, tile[0]) * padded(depth, tile[1]) * padded(short, tile[2])
    }
}

/// Whether an operand of a product has the dimensions that all tensors have first, and then the sides and the depth of its matrices one
/// after the other.
fn in_order(rule: &Rule, operand: usize) -> bool {
    let everywhere = |factor: FactorId| {
        let has = |dims: &TensorMap| dims.iter().any(|dim| dim.follows(factor));
        let deep = !rule.results.iter().all(has);
        (rule.operands.iter().all(has) && !deep, deep)
    };
    let dims = rule.operands[operand].iter().filter_map(|dim| dim.factors.first());
    // Of a dimension: pairs, or side, or depth.
    let kinds: Vec<(bool, bool)> = dims.map(|factor| everywhere(*factor)).collect();
    let changes = kinds.windows(2).filter(|two| two[0] != two[1]).count();
    let pairs_first = kinds.iter().skip_while(|kind| kind.0).all(|kind| !kind.0);
    pairs_first && changes <= 1 + usize::from(kinds.first().is_some_and(|kind| kind.0))
}

/// Whether a result has the dimensions of its operand, those longer than one, in another order.
fn changes_order(rule: &Rule) -> bool {
    let order = |tensor: Option<&TensorMap>| -> Vec<FactorId> {
        let dims = tensor.into_iter().flatten().flat_map(|dim| dim.factors.iter().copied());
        dims.filter(|factor| rule.factors[usize::from(factor.0)].size > 1).collect()
    };
    let (from, to) = (order(rule.operands.first()), order(rule.results.first()));
    from.len() == to.len() && from != to
}

/// A product of matrices, or of many pairs of them.
struct Product {
    rows: i64,
    depth: i64,
    columns: i64,
}

impl Product {
    /// The sizes of the product that a rule stands for: what only one operand has is a side of the result, what the result has
    /// not is the depth, and what all have says how many products there are.
    fn of(rule: &Rule) -> Product {
        let has = |tensor: Option<&TensorMap>, factor| {
            tensor.is_some_and(|dims| dims.iter().any(|dim| dim.follows(factor)))
        };
        let mut product = Product { rows: 1, depth: 1, columns: 1 };
        for (n, factor) in rule.factors.iter().enumerate() {
            let id = FactorId(n as u8);
            let left = has(rule.operands.first(), id);
            let right = has(rule.operands.get(1), id);
            let out = has(rule.results.first(), id);
            let side = match (left, right, out) {
                (true, false, true) => &mut product.rows,
                (false, true, true) => &mut product.columns,
                (_, _, false) => &mut product.depth,
                _ => continue,
            };
            *side = side.saturating_mul(factor.size);
        }
        product
    }
}
