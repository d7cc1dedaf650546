//! Prices for memory, and a bound below which no solution can cost.
//!
//! Every moment gets a price for the memory held then. With prices, the limit can be forgotten: the cheapest choice of the
//! priced graph, less the value of the limit, is a lower bound of the cheapest choice that fits. That choice is itself
//! bounded from below by passing costs along edges (sequential tree-reweighted messages): each node collects what its
//! edges must cost at least for each of its strategies, and hands a share on to the nodes after it.

use crate::forest::least_sum;
use crate::model::{Model, NEVER};

/// Bits behind the point where a bound is computed exactly.
const FRACTION: u32 = 30;
/// Whole numbers below this are the same in floating point.
const EXACT: f64 = (1u64 << 53) as f64;
/// By how much a cost below `NEVER` can be rounded at most.
const ROUNDED: i128 = 64;

/// Prices and messages.
pub struct Dual<'m> {
    model: &'m Model,
    /// What a unit of memory costs, per moment.
    pub prices: Vec<f64>,
    /// The costs of strategies with their memory priced.
    pub priced: Vec<f64>,
    /// For each link what its edge has handed to the node's strategies, negative where it took.
    messages: Vec<f64>,
    first_message: Vec<u32>,
    /// Room for what a node collects.
    collected: Vec<f64>,
    /// Room for what a node gives an edge.
    given: Vec<f64>,
    /// Strategies that no solution within `gap` of the bound has.
    pub needless: Vec<bool>,
    gap: f64,
}

impl<'m> Dual<'m> {
    /// No prices, no messages.
    pub fn new(model: &'m Model) -> Dual<'m> {
        let mut first_message = Vec::with_capacity(model.link_count());
        let mut total = 0u32;
        for node in 0..model.len() {
            for _ in model.links(node) {
                first_message.push(total);
                total += model.strategies(node).len() as u32;
            }
        }
        Dual {
            model,
            prices: vec![0.0; model.moments()],
            priced: model.unary.clone(),
            messages: vec![0.0; total as usize],
            first_message,
            collected: Vec::new(),
            given: Vec::new(),
            needless: vec![false; model.unary.len()],
            gap: f64::INFINITY,
        }
    }

    /// Brings the priced costs up to date with the prices.
    pub fn reprice(&mut self) {
        reprice(self.model, &self.prices, &mut self.priced);
    }

    /// Passes costs along all edges forth and back, and gives the lower bound of the priced graph less the value of the
    /// limit.
    pub fn pass(&mut self) -> f64 {
        for node in 0..self.model.len() {
            self.visit(node, |other, node| other > node);
        }
        let mut bound = 0.0;
        for node in (0..self.model.len()).rev() {
            bound += self.visit(node, |other, node| other < node);
        }
        let value: f64 =
            self.prices.iter().zip(&self.model.free).map(|(price, &free)| price * free as f64).sum();
        bound - value + self.model.constant
    }

    /// Marks strategies that no solution of at most the given cost has. `bound` is what the last pass gave.
    pub fn mark_needless(&mut self, bound: f64, cost: f64) {
        // The sums are rounded; the margin is far above what rounding can add up to.
        self.gap = cost - bound + bound.abs() * 1e-9;
        self.pass();
        self.gap = f64::INFINITY;
    }

    /// Collects at a node and hands on to the nodes ahead; gives the least cost that stays at the node.
    fn visit(&mut self, node: usize, ahead: impl Fn(usize, usize) -> bool) -> f64 {
        let model = self.model;
        let range = model.strategies(node);
        let width = range.len();
        let links = model.links(node);
        let first = model.link_ids(node).start;
        let mut collected = std::mem::take(&mut self.collected);
        let mut given = std::mem::take(&mut self.given);
        collected.clear();
        collected.extend_from_slice(&self.priced[range.clone()]);
        for index in 0..links.len() {
            let start = self.first_message[first + index] as usize;
            for (sum, message) in collected.iter_mut().zip(&self.messages[start..start + width]) {
                *sum += message;
            }
        }
        let least = collected.iter().copied().fold(f64::INFINITY, f64::min);
        if self.gap < f64::INFINITY {
            for (mark, cost) in self.needless[range.clone()].iter_mut().zip(&collected) {
                *mark |= cost - least > self.gap;
            }
        }
        let forward = links.iter().filter(|link| ahead(link.other as usize, node)).count();
        let share = 1.0 / forward.max(links.len() - forward).max(1) as f64;
        for (index, link) in links.iter().enumerate().filter(|(_, link)| ahead(link.other as usize, node)) {
            let start = self.first_message[first + index] as usize;
            let mine = &mut self.messages[start..start + width];
            for (message, sum) in mine.iter_mut().zip(&collected) {
                *message -= share * sum;
            }
            // What the edge has to give the other node: its least over this node's strategies.
            given.clear();
            given.extend(mine.iter().map(|message| -message));
            let others = model.strategies(link.other as usize).len();
            let back = self.first_message[model.opposite[first + index] as usize] as usize;
            for (other, message) in self.messages[back..back + others].iter_mut().enumerate() {
                *message = least_sum(&given, model.row(link.other_rows, other, width));
            }
        }
        let left = 1.0 - share * forward as f64;
        self.collected = collected;
        self.given = given;
        left * least
    }

    /// The bound of the present prices and messages, in exact arithmetic. No solution costs less, whatever they are.
    pub fn certified_bound(&self) -> i128 {
        self.exact_bound().map_or(0, |bound| bound.max(0))
    }

    /// Nothing where the numbers are too large. Everything is counted in units of `2^-FRACTION`.
    fn exact_bound(&self) -> Option<i128> {
        let model = self.model;
        let exact = |value: f64| -> Option<i128> {
            let scaled = (value * (1u64 << FRACTION) as f64).round();
            (scaled.abs() < 1e33).then_some(scaled as i128)
        };
        let messages = self.messages.iter().map(|&m| exact(m)).collect::<Option<Vec<i128>>>()?;
        let prices = self.prices.iter().map(|&p| exact(p)).collect::<Option<Vec<i128>>>()?;
        let mut until = vec![0; prices.len() + 1];
        let mut bound = exact(model.constant)?;
        for (moment, (price, &free)) in prices.iter().zip(&model.free).enumerate() {
            until[moment + 1] = price.checked_add(until[moment])?;
            bound = bound.checked_sub(price.checked_mul(i128::from(free))?)?;
        }
        let mut costs: Vec<i128> = Vec::new();
        for node in 0..model.len() {
            let range = model.strategies(node);
            let width = range.len();
            costs.clear();
            for &cost in &model.unary[range] {
                costs.push(exact(cost)?);
            }
            for hold in model.holds(node) {
                let price = until[hold.to as usize] - until[hold.from as usize];
                for (cost, &amount) in costs.iter_mut().zip(&model.amounts[hold.amounts as usize..]) {
                    *cost = cost.checked_add(price.checked_mul(i128::from(amount))?)?;
                }
            }
            for (id, link) in model.link_ids(node).zip(model.links(node)) {
                let mine = &messages[self.first_message[id] as usize..][..width];
                for (cost, message) in costs.iter_mut().zip(mine) {
                    *cost = cost.checked_add(*message)?;
                }
                if (link.other as usize) < node {
                    let others = model.strategies(link.other as usize).len();
                    let back = self.first_message[model.opposite[id] as usize] as usize;
                    let theirs = &messages[back..back + others];
                    let mut least = i128::MAX;
                    for (own, message) in mine.iter().enumerate() {
                        for (&cost, other) in model.row(link.own_rows, own, others).iter().zip(theirs) {
                            least = least.min(exact(cost)? - message - other);
                        }
                    }
                    bound = bound.checked_add(least)?;
                }
            }
            bound = bound.checked_add(costs.iter().copied().min()?)?;
        }
        // Larger costs than floating point can tell apart were rounded once each when the model was laid out.
        let rounded =
            model.unary.iter().chain(&model.tables).any(|&cost| cost.abs() >= EXACT && cost < NEVER);
        if rounded || model.constant >= EXACT {
            let terms = (1 + model.len() + model.link_count()) as i128;
            bound -= (ROUNDED * terms) << FRACTION;
        }
        // Costs are whole, so a bound rounds up.
        Some(-((-bound) >> FRACTION))
    }

    /// A choice that the messages suggest: node after node, given the nodes before.
    pub fn decode(&self, choice: &mut [u32]) {
        let model = self.model;
        let mut costs = Vec::new();
        for node in 0..model.len() {
            let range = model.strategies(node);
            let width = range.len();
            costs.clear();
            costs.extend_from_slice(&self.priced[range]);
            for (index, link) in model.links(node).iter().enumerate() {
                let start = self.first_message[model.link_ids(node).start + index] as usize;
                let add = if (link.other as usize) < node {
                    model.row(link.other_rows, choice[link.other as usize] as usize, width)
                } else {
                    &self.messages[start..start + width]
                };
                for (cost, add) in costs.iter_mut().zip(add) {
                    *cost += add;
                }
            }
            let best = (0..width).min_by(|&a, &b| costs[a].total_cmp(&costs[b]));
            choice[node] = best.unwrap_or(0) as u32;
        }
    }
}

/// The costs of strategies with the memory they hold at the given prices.
pub fn reprice(model: &Model, prices: &[f64], priced: &mut [f64]) {
    let mut until = Vec::with_capacity(prices.len() + 1);
    let mut sum = 0.0;
    until.push(0.0);
    for price in prices {
        sum += price;
        until.push(sum);
    }
    priced.copy_from_slice(&model.unary);
    for node in 0..model.len() {
        let range = model.strategies(node);
        for hold in model.holds(node) {
            let price = until[hold.to as usize] - until[hold.from as usize];
            if price > 0.0 {
                let amounts = &model.amounts[hold.amounts as usize..][..range.len()];
                for (cost, &amount) in priced[range.clone()].iter_mut().zip(amounts) {
                    *cost += price * amount as f64;
                }
            }
        }
    }
}
