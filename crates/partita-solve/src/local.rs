//! Search around a choice that fits: free a region, give it its best choice at some price of memory, keep what helps.

use crate::forest::Forest;
use crate::model::Model;
use crate::random::Random;
use crate::state::State;

/// Regions have up to this many nodes.
const LARGEST_REGION: f64 = 300.0;
/// A region is gone over up to this many times.
const MOST_FORESTS: usize = 3;
/// So often the clock is looked at.
const MOVES_PER_LOOK: u64 = 32;

/// A walk through choices that fit.
pub struct Walk<'m> {
    model: &'m Model,
    state: State<'m>,
    /// The cheapest choice so far, and its cost.
    pub best: (f64, Vec<u32>),
    forest: Forest,
    /// What the memory of each strategy costs at the dual's prices.
    memory_costs: Vec<f64>,
    /// Costs of the region's strategies with memory priced.
    priced: Vec<f64>,
    region: Vec<u32>,
    in_region: Vec<bool>,
    /// The choice that a move proposes; between moves the same as the state's.
    draft: Vec<u32>,
    changed: Vec<u32>,
    random: Random,
    temperature: f64,
}

impl<'m> Walk<'m> {
    /// A walk from a choice that fits.
    pub fn new(model: &'m Model, choice: Vec<u32>, memory_costs: Vec<f64>, seed: u64) -> Walk<'m> {
        let draft = choice.clone();
        let state = State::new(model, choice);
        Walk {
            model,
            best: (state.cost, state.choice.clone()),
            state,
            forest: Forest::new(model),
            memory_costs,
            priced: vec![0.0; model.unary.len()],
            region: Vec::new(),
            in_region: vec![false; model.len()],
            draft,
            changed: Vec::new(),
            random: Random::new(seed),
            temperature: 0.0,
        }
    }

    /// Tries moves while `go_on` holds. The walk accepts choices that cost more, up to about `heat` times the cost at first and
    /// ever less later; at the end it goes back to the best.
    pub fn run(&mut self, moves: u64, heat: f64, go_on: impl Fn() -> bool) {
        for step in 0..moves {
            if step % MOVES_PER_LOOK == 0 && !go_on() {
                break;
            }
            let share = step as f64 / moves as f64;
            self.temperature = self.best.0.abs() * heat * (1.0 - share).powi(3);
            self.step();
        }
        if self.state.cost > self.best.0 {
            self.go_to(self.best.1.clone());
        }
    }

    /// Goes on from another choice that fits.
    pub fn go_to(&mut self, choice: Vec<u32>) {
        self.draft.clone_from(&choice);
        self.state = State::new(self.model, choice);
        self.note();
    }

    fn note(&mut self) {
        if self.state.cost < self.best.0 && self.state.excess() <= 0 {
            self.best = (self.state.cost, self.state.choice.clone());
        }
    }

    fn step(&mut self) {
        let seed = self.random.below(self.model.len());
        let size = LARGEST_REGION.powf(self.random.unit()) as usize + 1;
        self.grow(seed, size);
        self.changed.clear();
        if self.random.unit() < 0.7 {
            let count = self.model.strategies(seed).len();
            let other = (self.state.choice[seed] as usize + 1 + self.random.below(count - 1)) % count;
            self.draft[seed] = other as u32;
            self.changed.push(seed as u32);
            self.region.swap_remove(0);
        }
        let scale = if self.random.below(8) == 0 { 0.0 } else { (4.0 * self.random.unit() - 2.0).exp2() };
        for &node in &self.region {
            for index in self.model.strategies(node as usize) {
                self.priced[index] = self.model.unary[index] + scale * self.memory_costs[index];
            }
        }
        // What one forest leaves out, the next may have.
        for _ in 0..1 + self.random.below(MOST_FORESTS) {
            let bias = 2.0 * self.random.unit() - 1.0;
            self.forest.pick(self.model, &self.region, bias, &mut self.random);
            self.forest.optimise(self.model, &self.priced, &mut self.draft);
        }
        let (state, draft) = (&self.state, &self.draft);
        let differs = |node: &&u32| state.choice[**node as usize] != draft[**node as usize];
        self.changed.extend(self.region.iter().filter(differs));
        let added = self.state.cost_of_draft(&self.changed, &self.draft);
        if added <= -self.temperature * self.random.unit().max(1e-300).ln() && self.commit(added) {
            self.note();
        } else {
            for &node in &self.changed {
                self.draft[node as usize] = self.state.choice[node as usize];
            }
        }
    }

    /// Takes the draft over, if it fits.
    fn commit(&mut self, added: f64) -> bool {
        for index in 0..self.changed.len() {
            let node = self.changed[index] as usize;
            let old = self.state.choice[node];
            self.state.change(node, self.draft[node], 0.0);
            // The old strategy stays in the draft, for the way back.
            self.draft[node] = old;
        }
        let fits = self.state.excess() <= 0;
        if !fits {
            for &node in &self.changed {
                self.state.change(node as usize, self.draft[node as usize], 0.0);
            }
        } else {
            self.state.cost += added;
            for &node in &self.changed {
                self.draft[node as usize] = self.state.choice[node as usize];
            }
        }
        fits
    }

    /// Nodes around a node, itself first, and some others that may trade memory with them.
    fn grow(&mut self, seed: usize, size: usize) {
        self.region.clear();
        self.take(seed);
        let mut next = 0;
        while self.region.len() < size {
            if next == self.region.len() || self.random.below(30) == 0 {
                let stranger = self.random.below(self.model.len());
                self.take(stranger);
                if next == self.region.len() {
                    break;
                }
            }
            let links = self.model.links(self.region[next] as usize);
            next += 1;
            // A node of many edges gives only some of its neighbours, other ones each time.
            let start = if links.is_empty() { 0 } else { self.random.below(links.len()) };
            for link in links[start..].iter().chain(&links[..start]) {
                if self.region.len() >= size {
                    break;
                }
                self.take(link.other as usize);
            }
        }
        for &node in &self.region {
            self.in_region[node as usize] = false;
        }
    }

    fn take(&mut self, node: usize) {
        if !self.in_region[node] {
            self.in_region[node] = true;
            self.region.push(node as u32);
        }
    }
}
