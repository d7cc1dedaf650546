//! Which values to make anew: planned for all of a region at once, from what it holds at each of its operations.

use super::lives::{Gap, Lives};
use super::{Again, Effort, memory};
use crate::ir::{Module, RegionId, ValueId};
use rustc_hash::FxHashSet;
use std::collections::BinaryHeap;

/// Values that take less than this part of what is missing are kept.
const TOO_SMALL: f64 = 1e-4;

/// What is missing is found in so many steps.
const STEPS: u64 = 8;

/// Values of a region to make anew, so that it holds so much less at most. None of them is what another is made of.
///
/// It is brought down step by step, so that the places at which it holds the most choose first, and no further once one of them is in the way.
pub(super) fn find(
    module: &Module,
    region: RegionId,
    effort: Effort,
    hopeless: &FxHashSet<ValueId>,
    missing: u64,
) -> Vec<Again> {
    let lives = Lives::new(module, region);
    let memory = memory(module);
    let held: Vec<u64> = module.regions[region].ops.iter().map(|op| memory.held[*op]).collect();
    let most = held.iter().copied().max().unwrap_or(0);
    let mut gaps = lives.gaps(module, &memory, (TOO_SMALL * missing as f64) as u64);
    gaps.retain(|gap| !hopeless.contains(&gap.value));
    gaps.sort_by_key(|gap| (gap.behind, *gap));
    let mut plan =
        Plan { held, gaps, found: Vec::new(), values: FxHashSet::default(), from: FxHashSet::default() };
    let again = |gap: &Gap| lives.again(module, gap, effort, &memory);
    for step in 1..=STEPS {
        if !plan.bring_down(most.saturating_sub(missing.saturating_mul(step) / STEPS), again) {
            break;
        }
    }
    plan.found
}

/// What is to be made anew, as far as it is decided.
struct Plan {
    /// What the region holds at each place.
    held: Vec<u64>,
    /// What may be made anew yet, by where it begins.
    gaps: Vec<Gap>,
    found: Vec<Again>,
    /// What is made anew, and what that is made of.
    values: FxHashSet<ValueId>,
    from: FxHashSet<ValueId>,
}

impl Plan {
    /// Keeps less, from the first place to the last, wherever more is held than allowed: the largest values are not kept that are not used there. Gives whether that is enough everywhere.
    fn bring_down(&mut self, goal: u64, again: impl Fn(&Gap) -> Option<Again>) -> bool {
        let mut open: BinaryHeap<(Gap, usize)> = BinaryHeap::new();
        let mut gone = vec![false; self.gaps.len()];
        let (mut next, mut enough) = (0, true);
        for place in 0..self.held.len() {
            while self.gaps.get(next).is_some_and(|gap| gap.behind < place) {
                open.push((self.gaps[next], next));
                next += 1;
            }
            while self.held[place] > goal {
                let Some((gap, number)) = open.pop() else {
                    enough = false;
                    break;
                };
                if gap.until <= place || self.from.contains(&gap.value) {
                    continue;
                }
                let Some(again) = again(&gap) else {
                    gone[number] = true;
                    continue;
                };
                // To make it anew takes room as well, and must not be worse there than it is here to keep it.
                let worse =
                    again.aside > 0 && self.held[gap.until].saturating_add(again.aside) >= self.held[place];
                if worse || again.from.iter().any(|value| self.values.contains(value)) {
                    continue;
                }
                gone[number] = true;
                self.held[gap.behind + 1..gap.until]
                    .iter_mut()
                    .for_each(|held| *held = held.saturating_sub(gap.bytes));
                self.held[gap.until] = self.held[gap.until].saturating_add(again.aside);
                self.values.insert(gap.value);
                self.from.extend(again.from.iter().copied());
                self.found.push(again);
            }
        }
        let mut numbers = gone.into_iter();
        self.gaps.retain(|_| numbers.next() != Some(true));
        enough
    }
}
