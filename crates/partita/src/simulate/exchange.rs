//! What the collectives of a program do, in terms of the network.

use super::Program;
use crate::device::{Exchange, Shape};
use crate::interpret::{CollectiveOp, DriverOp};
use crate::ir::*;
use crate::ledger::{device_bytes, groups::Groups};
use crate::ops::{Eval, Spread, trip_count};
use crate::partition::Pattern;
use rustc_hash::FxHashMap;

/// The collectives of a program by op.
pub struct Exchanges {
    known: FxHashMap<OpId, Exchange>,
}

impl Exchanges {
    /// Finds the collectives that the first function of a program reaches.
    pub fn new(program: &Program<'_>) -> Exchanges {
        let patterns: FxHashMap<OpId, &Pattern> =
            program.collectives.iter().map(|c| (c.op, &c.pattern)).collect();
        let groups = Groups::new(program.mesh);
        let mut known = FxHashMap::default();
        for id in program.module.reachable_ops() {
            let op = program.module.op(id);
            let Eval::Driver(DriverOp::Collective(kind)) = op.def().eval else { continue };
            let pattern = patterns.get(&id).copied();
            let mut atoms = match pattern {
                Some(pattern) => pattern.atoms(),
                None => groups.of_attributes(op).axes,
            };
            if atoms.is_empty() && pattern.is_none_or(|p| matches!(p, Pattern::Devices(_))) {
                // Groups and pairs that follow no axes may go anywhere.
                atoms = program.mesh.all_atoms().iter().collect();
            }
            let operands: u64 = op.operand_types().map(device_bytes).fold(0, u64::saturating_add);
            let results: u64 = op.result_types().map(device_bytes).fold(0, u64::saturating_add);
            let (shape, bytes) = match kind {
                CollectiveOp::AllGather | CollectiveOp::Broadcast => (Shape::Gather, results),
                CollectiveOp::AllReduce => (Shape::Reduce, operands),
                CollectiveOp::ReduceScatter | CollectiveOp::Reduce => (Shape::Scatter, operands),
                CollectiveOp::AllToAll => (Shape::AllToAll, operands),
                CollectiveOp::Permute => (permute_shape(pattern), operands),
            };
            known.insert(id, Exchange { shape, atoms: atoms.into_iter().collect(), bytes });
        }
        Exchanges { known }
    }

    /// The collective that an op is.
    pub fn get(&self, op: OpId) -> Option<&Exchange> {
        self.known.get(&op)
    }

    /// All collectives in the order of the program, and how often each runs.
    pub fn with_times(&self, module: &Module) -> Vec<(&Exchange, f64)> {
        let mut found = Vec::new();
        if let Some(body) = module.funcs.iter().next().and_then(|f| f.body) {
            self.region(module, body, 1.0, &mut Vec::new(), &mut found);
        }
        found
    }

    fn region<'e>(
        &'e self,
        module: &Module,
        region: RegionId,
        times: f64,
        loops: &mut Vec<OpId>,
        found: &mut Vec<(&'e Exchange, f64)>,
    ) {
        for &id in &module.regions[region].ops {
            if let Some(exchange) = self.known.get(&id) {
                found.push((exchange, times));
                continue;
            }
            let is_loop = matches!(module.op(id).def().spread, Spread::Loop);
            if is_loop {
                loops.push(id);
            }
            let trips = if is_loop { trip_count(module, loops).unwrap_or(1) as f64 } else { 1.0 };
            for &inner in module.regions_of(id) {
                self.region(module, inner, times * trips, loops, found);
            }
            if is_loop {
                loops.pop();
            }
        }
    }
}

/// How far a permutation goes.
fn permute_shape(pattern: Option<&Pattern>) -> Shape {
    match pattern {
        Some(Pattern::Shift { by, .. } | Pattern::Hop { by, .. }) => Shape::Shift(*by),
        Some(_) => Shape::Reorder,
        // What users write themselves is most often a ring.
        None => Shape::Shift(1),
    }
}
