//! What it takes to lay out windows one beside the other, on devices that multiply matrices and nothing else: a convolution is a product there of all windows of its input with
//! its kernel, and input that is read in many windows is written as many times.

use crate::ir::OpRef;
use crate::ops::rule::{Access, Affine, FactorId, Kind, Window};
use crate::ops::{Spread, Unit};

/// How fast windows are laid out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Windows {
    /// Along how many dimensions they move.
    pub dims: usize,
    /// Runs of elements per second: what lies together in the input, those of one point.
    pub runs: f64,
    /// Elements of them per second.
    pub elements: f64,
}

/// Seconds to lay out the windows of one product.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Laying {
    /// For their runs, however long.
    pub runs: f64,
    /// For their elements.
    pub elements: f64,
}

impl Laying {
    /// What the windows take that a product reads of its first operand, at the rates for windows that move along as many dimensions, or nearly as many.
    pub fn of(op: OpRef<'_>, rates: &[Windows]) -> Option<Laying> {
        let (false, Unit::Matrix, Spread::Rule(rule, _)) =
            (rates.is_empty(), op.def().unit(), op.def().spread)
        else {
            return None;
        };
        let rule = rule(op).ok()?;
        let first = rule.operands.first()?;
        let inside = |access: &Access| match access {
            Access::Affine(Affine { window: Window::Factor(factor), .. }) => Some(*factor),
            _ => None,
        };
        let inside: Vec<FactorId> = first.iter().filter_map(|dim| inside(&dim.access)).collect();
        let rates = rates.iter().min_by_key(|known| known.dims.abs_diff(inside.len()))?;
        if inside.is_empty() {
            return None;
        }
        let (mut runs, mut elements) = (1.0, 1.0);
        for (n, factor) in rule.factors.iter().enumerate() {
            let id = FactorId(n as u8);
            if first.iter().any(|dim| dim.follows(id)) {
                let in_run = matches!(factor.kind, Kind::Reduce(_)) && !inside.contains(&id);
                runs *= if in_run { 1.0 } else { factor.size as f64 };
                elements *= factor.size as f64;
            }
        }
        Some(Laying { runs: runs / rates.runs, elements: elements / rates.elements })
    }

    /// All of it.
    pub fn seconds(self) -> f64 {
        self.runs + self.elements
    }
}
