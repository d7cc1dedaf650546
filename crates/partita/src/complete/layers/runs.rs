//! Where a program does the same again and again: stretches of operations that repeat.

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Operations `start..end`, the same every `period` of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) period: usize,
}

impl Run {
    /// How many whole periods it has.
    pub(super) fn count(&self) -> usize {
        (self.end - self.start) / self.period
    }
}

/// So many operations in a row are looked for further back, at so many of the places where they stood last.
const GRAM: usize = 12;
const PLACES: usize = 16;

/// What may be a period is compared at so many points before it is compared in full.
const SAMPLES: usize = 5;

/// All comparisons together are at most so many times the operations.
const EFFORT: usize = 64;

/// The stretches of a sequence that consist of at least so many periods, none of which overlap but for their first.
pub(super) fn runs(sequence: &[u32], fewest: usize) -> Vec<Run> {
    let grams: Vec<u64> = sequence.windows(GRAM).map(hash).collect();
    let mut found = Vec::new();
    let mut places: FxHashMap<u64, SmallVec<[u32; PLACES]>> = FxHashMap::default();
    // Where what repeats after so many operations is over.
    let mut over: FxHashMap<usize, usize> = FxHashMap::default();
    let mut effort = EFFORT * sequence.len();
    let (mut at, mut noted) = (0, 0);
    while at < grams.len() && effort > 0 {
        let mut longest: Option<Run> = None;
        for &place in places.get(&grams[at]).into_iter().flatten() {
            let (place, period) = (place as usize, at - place as usize);
            // Most of what begins alike is not a whole period long: samples tell before all is compared.
            let ends_alike = |n: usize| at + n < grams.len() && grams[at + n] == grams[place + n];
            let is_period = (1..SAMPLES).all(|n| ends_alike(n * period.saturating_sub(GRAM) / (SAMPLES - 1)));
            if !is_period {
                continue;
            }
            let end = over.entry(period).or_default();
            if *end <= at {
                let pairs = sequence[at..].iter().zip(&sequence[place..]);
                *end = at + pairs.take_while(|(a, b)| a == b).count();
                effort = effort.saturating_sub(*end - at);
            }
            let run = Run { start: place, end: *end, period };
            if run.count() >= fewest && longest.is_none_or(|known| run.end > known.end) {
                longest = Some(run);
            }
        }
        found.extend(longest);
        let next = longest.map_or(at + 1, |run| run.end);
        // What repeats is known by its first periods: what comes later is more of it.
        let until = longest.map_or(next, |run| at + run.period).min(grams.len());
        for (place, gram) in grams.iter().enumerate().take(until).skip(noted.max(at)) {
            let known = places.entry(*gram).or_default();
            if known.len() == PLACES {
                known.remove(0);
            }
            known.push(place as u32);
        }
        noted = until;
        at = next;
    }
    found
}

fn hash(gram: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    gram.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_repeat_are_found_whole() {
        // Something of its own, a layer of 20 five times, something else, and half of another layer three times.
        let layer: Vec<u32> = (100..120).collect();
        let mut sequence: Vec<u32> = (0..15).collect();
        (0..5).for_each(|_| sequence.extend(&layer));
        sequence.extend(30..40);
        (0..3).for_each(|_| sequence.extend(200..213));
        let found = runs(&sequence, 3);
        let expected = [Run { start: 15, end: 115, period: 20 }, Run { start: 125, end: 164, period: 13 }];
        assert_eq!(found, expected);
        assert_eq!(found.iter().map(Run::count).collect::<Vec<_>>(), [5, 3]);
    }

    #[test]
    fn what_stands_twice_in_a_layer_is_no_period() {
        // A layer begins and ends with the same fourteen operations.
        let norm: Vec<u32> = (0..14).collect();
        let layer: Vec<u32> =
            norm.iter().copied().chain(50..70).chain(norm.iter().copied()).chain(80..90).collect();
        let sequence: Vec<u32> = (0..4).flat_map(|_| layer.clone()).collect();
        assert_eq!(runs(&sequence, 3), [Run { start: 0, end: 4 * layer.len(), period: layer.len() }]);
    }

    #[test]
    fn one_operation_over_and_over_takes_no_longer() {
        let sequence = vec![7; 100_000];
        assert_eq!(runs(&sequence, 3), [Run { start: 0, end: 100_000, period: 1 }]);
    }
}
