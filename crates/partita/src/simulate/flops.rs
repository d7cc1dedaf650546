//! Operations of a program as it was written.

use crate::ir::*;
use crate::ops::{Spread, Unit, trip_count};

/// What JAX calls the part of a program that is computed a second time to save memory.
const AGAIN: &str = "rematted_computation";

/// Operations of the matrix unit in the first function of a program for one device: what its model takes. What JAX marks as
/// computed again does not count.
pub fn model_flops(module: &Module) -> f64 {
    let mut walk = Walk { module, loops: Vec::new(), again: computed_again(module) };
    module.funcs.iter().next().and_then(|f| f.body).map_or(0.0, |body| walk.region(body))
}

/// For each location whether what stands there is computed again.
fn computed_again(module: &Module) -> IdVec<LocId, bool> {
    let mut again = IdVec::new();
    // Locations are interned children first.
    for (_, loc) in module.locs.enumerate() {
        let is_again = match loc {
            Loc::Unknown | Loc::File(..) => false,
            Loc::Name(name, child) => module.strings[*name].contains(AGAIN) || again[*child],
            Loc::CallSite { callee, caller } => again[*callee] || again[*caller],
            Loc::Fused(_, parts) => parts.iter().any(|part| again[*part]),
        };
        again.push(is_again);
    }
    again
}

struct Walk<'m> {
    module: &'m Module,
    loops: Vec<OpId>,
    again: IdVec<LocId, bool>,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId) -> f64 {
        let module = self.module;
        let mut sum = 0.0;
        for &id in &module.regions[region].ops {
            let op = module.op(id);
            if op.def().unit() == Unit::Matrix {
                if !self.again[op.op().loc] {
                    sum += (op.def().work)(op).flops;
                }
                continue;
            }
            if !op.def().runs_regions() {
                continue;
            }
            let is_loop = matches!(op.def().spread, Spread::Loop);
            if is_loop {
                self.loops.push(id);
            }
            let trips = if is_loop { trip_count(module, &self.loops).unwrap_or(1) as f64 } else { 1.0 };
            let inner: Vec<f64> = op.regions().iter().map(|&r| self.region(r)).collect();
            // Of branches one runs.
            sum += match op.def().spread {
                Spread::Branches => inner.into_iter().fold(0.0, f64::max),
                _ => inner.into_iter().sum::<f64>() * trips,
            };
            if is_loop {
                self.loops.pop();
            }
        }
        sum
    }
}
