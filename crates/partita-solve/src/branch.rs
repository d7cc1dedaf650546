//! Branch and bound: all that is left to try, as far as the bound does not rule it out.
//!
//! Each strategy of one node is tried in turn; with it settled the graph is reduced again, priced again, and its bound compared
//! with the best solution known. Small or nearly decided graphs are solved to the end this way, which proves the best solution
//! optimal, or that there is none.

use crate::model::Model;
use crate::prices::{Priced, find_prices};
use crate::random::Random;
use crate::reduce::{Graph, reduce};
use crate::solve::Incumbent;

/// Passes to price a graph. One more node settled changes little, and prices are carried over.
const PASSES: u32 = 40;

/// A search through all choices.
pub struct Branching<'s, 'p, F> {
    /// The best solution so far, and where better ones go.
    pub incumbent: &'s mut Incumbent<'p>,
    /// Graphs that may still be looked at.
    pub budget: u32,
    /// Solutions that cost less than the best by at most this share of it are not looked for.
    pub gap: f64,
    /// Random decisions.
    pub random: &'s mut Random,
    /// Whether there is time left.
    pub go_on: F,
}

impl<F: Fn() -> bool> Branching<'_, '_, F> {
    /// Looks for solutions of a graph that are better than the best known. True means that none is left.
    pub fn exhaust(&mut self, mut graph: Graph, prices: Option<&[f64]>) -> bool {
        if self.budget == 0 || !(self.go_on)() {
            return false;
        }
        self.budget -= 1;
        if reduce(&mut graph, true).is_err() {
            return true;
        }
        let model = Model::new(&graph);
        if model.len() == 0 {
            self.incumbent.offer(model.expand(&[]));
            return true;
        }
        let start = prices.map_or_else(|| vec![0.0; model.moments()], |prices| model.import_prices(prices));
        let known = self.incumbent.cost();
        let priced = find_prices(&model, start, known, self.gap, self.random, |pass, _| {
            pass < PASSES && (self.go_on)()
        });
        if let Some((_, choice)) = &priced.choice {
            self.incumbent.offer(model.expand(choice));
        }
        if self.incumbent.is_beaten_by(priced.bound, self.gap) {
            return true;
        }
        let prices = model.export_prices(&priced.prices);
        if graph.drop_strategies(&model, &priced.needless).is_err() {
            return true;
        }
        self.branch(&graph, &model, &priced, &prices)
    }

    fn branch(&mut self, graph: &Graph, model: &Model, priced: &Priced, prices: &[f64]) -> bool {
        // The node that decides most about others.
        let weight = |node: &usize| (model.links(*node).len(), model.holds(*node).len());
        let Some(node) = (0..model.len()).max_by_key(weight) else { return true };
        let range = model.strategies(node);
        let left = range.clone().filter(|&s| !priced.needless[s]);
        let mut order: Vec<usize> = left.collect();
        let cost = |s: usize| model.unary[s] + priced.memory_costs[s];
        order.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        for picked in 0..order.len() {
            let mut settled = graph.clone();
            let mut alive = settled.all_alive();
            // The needless ones are gone already.
            let place = order.iter().filter(|&&s| s < order[picked]).count();
            for (strategy, mark) in alive[model.origin[node] as usize].iter_mut().enumerate() {
                *mark = strategy == place;
            }
            settled.keep(&alive);
            if !self.exhaust(settled, Some(prices)) {
                return false;
            }
        }
        true
    }
}
