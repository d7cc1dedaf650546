//! What a plan costs at least, whatever is decided beyond it.
//!
//! A relaxation of the strategy graph: each operation takes what is best for it alone, and so does each tensor. For what an operation and a tensor do not agree
//! on, the tensor pays the operation: a price for each way to lie, the same for all plans, set so that the bound of the empty plan is high. What a plan
//! splits already, tensors keep; what it does not split they may split in any way.

use crate::complete::cut::Cut;
use partita_solve::{Edge, Problem};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How often all prices are set anew.
const SWEEPS: usize = 40;

/// Bounds of plans.
pub struct Relaxation {
    operations: Vec<Operation>,
    /// For each kind of tensor how it may lie, and what it gets for that from all operations.
    tensors: Vec<(Vec<Cut>, Vec<f64>)>,
    /// What operations cost at least where their tensors are split like this, and what tensors do.
    known: FxHashMap<(u32, SmallVec<[Cut; 4]>), f64>,
    known_tensors: FxHashMap<(u32, Cut), f64>,
}

/// A kind of operation.
struct Operation {
    /// The work that each strategy leaves.
    work: Vec<f64>,
    links: Vec<Link>,
}

/// What an operation sends to a tensor or gets from it.
struct Link {
    tensor: usize,
    /// A row for each strategy, with what is sent for each way in which the tensor may lie.
    sent: Vec<f64>,
    /// What the operation pays for each way.
    pays: Vec<f64>,
}

impl Relaxation {
    pub(super) fn new(problem: &Problem, cuts: &[Vec<Cut>], tick: f64) -> Relaxation {
        let seconds = |costs: &[i64]| -> Vec<f64> { costs.iter().map(|cost| *cost as f64 * tick).collect() };
        let nodes = &problem.nodes()[cuts.len()..];
        let mut operations: Vec<Operation> =
            nodes.iter().map(|node| Operation { work: seconds(&node.costs), links: Vec::new() }).collect();
        for Edge { nodes: (operation, tensor), costs } in problem.edges() {
            let (operation, tensor) = (*operation as usize - cuts.len(), *tensor as usize);
            let (links, sent) = (&mut operations[operation].links, seconds(costs));
            // What has a tensor twice sees it lie in one way.
            match links.iter_mut().find(|link| link.tensor == tensor) {
                Some(link) => link.sent.iter_mut().zip(sent).for_each(|(sum, sent)| *sum += sent),
                None => links.push(Link { tensor, sent, pays: vec![0.0; cuts[tensor].len()] }),
            }
        }
        let tensors = cuts.iter().map(|ways| (ways.clone(), vec![0.0; ways.len()])).collect();
        let (known, known_tensors) = (FxHashMap::default(), FxHashMap::default());
        let mut relaxation = Relaxation { operations, tensors, known, known_tensors };
        (0..SWEEPS).for_each(|_| relaxation.sweep());
        relaxation
    }

    /// Sets all prices anew. An operation with its tensors is a star, whose best choice is known for each way in which one of its tensors lies; it hands that out in
    /// equal shares (block-coordinate ascent: the bound does not fall).
    fn sweep(&mut self) {
        for Operation { work, links } in &mut self.operations {
            let shares = links.len() as f64;
            let mut others: Vec<Vec<f64>> = Vec::with_capacity(links.len());
            let mut sums = work.clone();
            let mut least: Vec<Vec<f64>> = Vec::with_capacity(links.len());
            for link in links.iter_mut() {
                let gets = &mut self.tensors[link.tensor].1;
                gets.iter_mut().zip(&link.pays).for_each(|(gets, pays)| *gets -= pays);
                others.push(gets.clone());
            }
            for (link, others) in links.iter().zip(&others) {
                let row = |row: &[f64]| {
                    row.iter().zip(others).map(|(sent, other)| sent + other).fold(f64::INFINITY, f64::min)
                };
                let rows: Vec<f64> = link.sent.chunks(others.len()).map(row).collect();
                sums.iter_mut().zip(&rows).for_each(|(sum, least)| *sum += least);
                least.push(rows);
            }
            for ((link, others), least) in links.iter_mut().zip(&others).zip(&least) {
                let mut best = vec![f64::INFINITY; others.len()];
                for ((row, sum), own) in link.sent.chunks(others.len()).zip(&sums).zip(least) {
                    for (best, sent) in best.iter_mut().zip(row) {
                        *best = best.min(sum - own + sent);
                    }
                }
                for ((pays, best), other) in link.pays.iter_mut().zip(best).zip(others) {
                    *pays = (best + other) / shares - other;
                }
            }
            for link in links.iter() {
                let gets = &mut self.tensors[link.tensor].1;
                gets.iter_mut().zip(&link.pays).for_each(|(gets, pays)| *gets += pays);
            }
        }
    }

    /// Seconds that a plan takes at least by the quick judge, and all those with further decisions, where tensors are split at least like this.
    pub fn bound(&mut self, cuts: &[Cut]) -> f64 {
        let Relaxation { operations, tensors, known, known_tensors } = self;
        let keeps = |way: Cut, least: Cut| way.contains(least);
        let mut sum = 0.0;
        for (n, operation) in operations.iter().enumerate() {
            let own = operation.links.iter().map(|link| cuts[link.tensor]).collect();
            sum += *known.entry((n as u32, own)).or_insert_with_key(|(_, own)| {
                let mut sums = operation.work.clone();
                for (link, least) in operation.links.iter().zip(own) {
                    let ways = &tensors[link.tensor].0;
                    for (sum, row) in sums.iter_mut().zip(link.sent.chunks(ways.len())) {
                        let left =
                            row.iter().zip(&link.pays).zip(ways).filter(|(_, way)| keeps(**way, *least));
                        *sum += left.map(|((sent, pays), _)| sent - pays).fold(f64::INFINITY, f64::min);
                    }
                }
                sums.into_iter().fold(f64::INFINITY, f64::min)
            });
        }
        for (n, (ways, gets)) in tensors.iter().enumerate() {
            sum += *known_tensors.entry((n as u32, cuts[n])).or_insert_with_key(|(_, least)| {
                let left = ways.iter().zip(gets).filter(|(way, _)| keeps(**way, *least));
                left.map(|(_, gets)| *gets).fold(f64::INFINITY, f64::min)
            });
        }
        sum
    }
}
