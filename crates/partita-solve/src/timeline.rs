//! Times at which memory can run out.
//!
//! Between two times only some nodes begin or end to hold memory. A time whose holders all hold at a neighbouring
//! time too can never be the worst, so only times right before something ends, after something began, are kept.

/// Moments, counted from 0, at which memory is checked.
pub struct Timeline {
    /// For each original time that matters, the first moment at or after it.
    moments: Vec<u32>,
    count: usize,
}

impl Timeline {
    /// The moments that matter for the given intervals.
    pub fn new(intervals: impl Iterator<Item = (u32, u32)> + Clone) -> Timeline {
        let mut ends: Vec<u32> = intervals.clone().flat_map(|(from, to)| [from, to]).collect();
        ends.sort_unstable();
        ends.dedup();
        let place = |time: u32| ends.partition_point(|&t| t < time);
        let mut begins = vec![false; ends.len() + 1];
        let mut finishes = vec![false; ends.len() + 1];
        for (from, to) in intervals {
            begins[place(from)] = true;
            finishes[place(to)] = true;
        }
        // The span from `ends[i]` to `ends[i + 1]` is a moment where something ends after it and, since the last
        // moment, something has begun.
        let mut moments = vec![0; ends.len() + 1];
        let mut count = 0;
        let mut begun = false;
        for index in 0..ends.len() {
            moments[index] = count as u32;
            begun |= begins[index];
            if begun && finishes[index + 1] {
                count += 1;
                begun = false;
            }
        }
        moments[ends.len()] = count as u32;
        Timeline { moments: remap(&ends, &moments), count }
    }

    /// How many moments there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The moments in an interval of original times.
    pub fn moments(&self, (from, to): (u32, u32)) -> (u32, u32) {
        let at = |time: u32| self.moments.get(time as usize).copied().unwrap_or(self.count as u32);
        (at(from), at(to))
    }
}

/// A table over all times from the values at some of them.
fn remap(times: &[u32], values: &[u32]) -> Vec<u32> {
    let last = times.last().map_or(0, |&t| t as usize + 1);
    let mut table = Vec::with_capacity(last);
    for (time, &value) in times.iter().zip(values) {
        table.resize(*time as usize + 1, value);
    }
    table
}

/// Adds up amounts over intervals of moments.
pub fn sum_over_time(len: usize, loads: impl Iterator<Item = ((u32, u32), i64)>) -> Vec<i64> {
    let mut held = vec![0; len + 1];
    for ((from, to), amount) in loads {
        held[from as usize] += amount;
        held[to as usize] -= amount;
    }
    let mut sum = 0;
    for value in &mut held {
        sum += *value;
        *value = sum;
    }
    held.truncate(len);
    held
}
