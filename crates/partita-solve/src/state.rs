//! A choice with its cost and its memory, kept up to date as strategies change.

use crate::model::{Model, NEVER};

/// A choice in the making.
pub struct State<'m> {
    model: &'m Model,
    /// The strategy of each node.
    pub choice: Vec<u32>,
    /// What it costs.
    pub cost: f64,
    held: Peaks,
}

impl<'m> State<'m> {
    /// A choice.
    pub fn new(model: &'m Model, choice: Vec<u32>) -> State<'m> {
        let held = model.held(&choice);
        let over = held.iter().zip(&model.free).map(|(held, free)| held - free).collect();
        State { model, cost: model.cost(&choice), choice, held: Peaks::new(over) }
    }

    /// How far the worst moment is above the limit; nothing positive for a choice that fits.
    pub fn excess(&self) -> i64 {
        self.held.peak()
    }

    /// The worst moment.
    pub fn worst_moment(&self) -> u32 {
        self.held.peak_place()
    }

    /// What changing a node's strategy would add to the cost.
    pub fn cost_of_change(&self, node: usize, strategy: u32) -> f64 {
        let model = self.model;
        let first = model.first[node] as usize;
        let old = self.choice[node] as usize;
        let mut added = model.unary[first + strategy as usize] - model.unary[first + old];
        let width = model.strategies(node).len();
        for link in model.links(node) {
            let row = model.row(link.other_rows, self.choice[link.other as usize] as usize, width);
            added += row[strategy as usize] - row[old];
        }
        added
    }

    /// What taking over the given nodes' strategies from a draft would add to the cost; at least [`NEVER`] where the draft
    /// has something forbidden. The present choice has nothing forbidden.
    pub fn cost_of_draft(&self, changed: &[u32], draft: &[u32]) -> f64 {
        let model = self.model;
        let mut added = 0.0;
        for &node in changed {
            let node = node as usize;
            let first = model.first[node] as usize;
            let (old, new) = (self.choice[node] as usize, draft[node] as usize);
            added += model.unary[first + new] - model.unary[first + old];
            for link in model.links(node) {
                let other = link.other as usize;
                let (old_other, new_other) = (self.choice[other] as usize, draft[other] as usize);
                if other < node && old_other != new_other {
                    // Seen from the other node.
                    continue;
                }
                let width = model.strategies(other).len();
                let cost = model.row(link.own_rows, new, width)[new_other];
                if cost >= NEVER {
                    return cost;
                }
                added += cost - model.row(link.own_rows, old, width)[old_other];
            }
        }
        added
    }

    /// Changes a node's strategy, which adds the given cost.
    pub fn change(&mut self, node: usize, strategy: u32, added: f64) {
        let old = self.choice[node];
        self.cost += added;
        for hold in self.model.holds(node) {
            let amount = |s: u32| self.model.amounts[(hold.amounts + s) as usize];
            self.held.add(hold.from, hold.to, amount(strategy) - amount(old));
        }
        self.choice[node] = strategy;
    }
}

/// Values over moments, with the largest always known: a tree over ranges, each with what was added to all of it.
struct Peaks {
    leaves: usize,
    /// The largest value below each tree node, with what was added to it as a whole.
    largest: Vec<i64>,
    added: Vec<i64>,
}

impl Peaks {
    fn new(values: Vec<i64>) -> Peaks {
        let leaves = values.len().next_power_of_two();
        let mut largest = vec![i64::MIN / 2; 2 * leaves];
        largest[leaves..leaves + values.len()].copy_from_slice(&values);
        for place in (1..leaves).rev() {
            largest[place] = largest[2 * place].max(largest[2 * place + 1]);
        }
        Peaks { leaves, largest, added: vec![0; 2 * leaves] }
    }

    fn peak(&self) -> i64 {
        self.largest[1]
    }

    fn peak_place(&self) -> u32 {
        let mut place = 1;
        while place < self.leaves {
            place *= 2;
            if self.largest[place + 1] > self.largest[place] {
                place += 1;
            }
        }
        (place - self.leaves) as u32
    }

    fn add(&mut self, from: u32, to: u32, amount: i64) {
        if amount == 0 || from >= to {
            return;
        }
        let (mut low, mut high) = (from as usize + self.leaves, to as usize + self.leaves);
        let (first, last) = (low, high - 1);
        while low < high {
            if low & 1 == 1 {
                self.largest[low] += amount;
                self.added[low] += amount;
                low += 1;
            }
            if high & 1 == 1 {
                high -= 1;
                self.largest[high] += amount;
                self.added[high] += amount;
            }
            low /= 2;
            high /= 2;
        }
        for mut place in [first, last] {
            while place > 1 {
                place /= 2;
                self.largest[place] =
                    self.largest[2 * place].max(self.largest[2 * place + 1]) + self.added[place];
            }
        }
    }
}
