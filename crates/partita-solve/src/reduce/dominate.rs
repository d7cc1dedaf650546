//! Strategies that another one makes needless.

use super::graph::{Graph, GraphNode, NodeId, View};
use crate::problem::FORBIDDEN;

/// A node with more comparisons than this keeps its strategies.
const MOST_WORK: usize = 100_000_000;

/// So many examples of what neighbours pick are tried before all.
const SAMPLES: usize = 6;

/// Drops strategies where another one costs no more, whatever the neighbours do, and holds no more memory.
pub fn strategies(graph: &mut Graph) {
    let mut alive = graph.all_alive();
    for node in 0..graph.nodes.len() {
        let count = graph.nodes[node].costs.len();
        let views: Vec<View> =
            graph.nodes[node].edges.iter().map(|&e| graph.seen_from(e, node as NodeId)).collect();
        let row: usize = views.iter().map(|v| graph.nodes[v.other as usize].costs.len()).sum();
        if count < 2 || count * count * row.max(1) > MOST_WORK {
            continue;
        }
        let samples = samples(&graph.nodes[node], &views, &alive);
        for loser in 0..count {
            let beaten = (0..count).any(|winner| {
                winner != loser
                    && alive[node][winner]
                    && samples.iter().all(|sample| sample[winner] <= sample[loser])
                    && holds_no_more(&graph.nodes[node], winner, loser)
                    && costs_no_more(&graph.nodes[node], &views, &alive, winner, loser)
            });
            alive[node][loser] = !beaten;
        }
    }
    graph.keep(&alive);
}

/// What each strategy of a node costs where its neighbours pick something: a few examples, by which most pairs of strategies are told apart at once.
fn samples(node: &GraphNode, views: &[View], alive: &[Vec<bool>]) -> Vec<Vec<i128>> {
    let picks: Vec<Vec<usize>> = views
        .iter()
        .map(|view| {
            let there = alive[view.other as usize].iter().enumerate().filter(|(_, k)| **k).map(|(n, _)| n);
            let there: Vec<usize> = there.collect();
            let at = |part: usize| there.get(part * there.len().saturating_sub(1) / (SAMPLES - 1)).copied();
            (0..SAMPLES).filter_map(at).collect()
        })
        .collect();
    let sample = |number: usize| {
        let cost = |own: usize| {
            let neighbours =
                views.iter().zip(&picks).filter_map(|(view, picks)| Some((view, *picks.get(number)?)));
            let sum: i128 = neighbours.map(|(view, other)| i128::from(view.cost(own, other))).sum();
            sum + i128::from(node.costs[own])
        };
        (0..node.costs.len()).map(cost).collect()
    };
    (0..SAMPLES).map(sample).collect()
}

fn holds_no_more(node: &GraphNode, winner: usize, loser: usize) -> bool {
    node.loads.iter().all(|load| load.usages[winner] <= load.usages[loser])
}

/// Whether a strategy costs no more than another one against the worst that each neighbour can pick.
fn costs_no_more(node: &GraphNode, views: &[View], alive: &[Vec<bool>], winner: usize, loser: usize) -> bool {
    let mut excess = node.costs[winner] - node.costs[loser];
    for view in views {
        let mut worst = None;
        for (other, _) in alive[view.other as usize].iter().enumerate().filter(|(_, k)| **k) {
            let (with_winner, with_loser) = (view.cost(winner, other), view.cost(loser, other));
            if with_loser >= FORBIDDEN {
                continue;
            }
            if with_winner >= FORBIDDEN {
                return false;
            }
            worst = worst.max(Some(with_winner - with_loser));
        }
        // With no neighbour's strategy allowed the loser is dead anyway, which support finds.
        let Some(worst) = worst else { return false };
        excess += worst;
    }
    excess <= 0
}

/// For a node with one neighbour: given the neighbour's strategy, forbids all but the best trades of cost and memory.
pub fn leaves(graph: &mut Graph) {
    for node in 0..graph.nodes.len() as NodeId {
        let leaf = &graph.nodes[node as usize];
        let [id] = leaf.edges[..] else { continue };
        let count = leaf.costs.len();
        let view = graph.seen_from(id, node);
        let mut needless = Vec::new();
        for other in 0..graph.nodes[view.other as usize].costs.len() {
            let cost = |own: usize| match view.cost(own, other) {
                FORBIDDEN => FORBIDDEN,
                cost => cost + leaf.costs[own],
            };
            let mut kept: Vec<usize> = Vec::new();
            let mut order: Vec<usize> = (0..count).filter(|&own| cost(own) < FORBIDDEN).collect();
            order.sort_by_key(|&own| (cost(own), leaf.loads.iter().map(|l| l.usages[own]).sum::<i64>()));
            for own in order {
                if kept.iter().any(|&winner| holds_no_more(leaf, winner, own)) {
                    needless.push((own, other));
                } else {
                    kept.push(own);
                }
            }
        }
        let edge = &mut graph.edges[id as usize];
        let columns = edge.costs.len() / if edge.nodes[0] == node { count.max(1) } else { 1 };
        for (own, other) in needless {
            let place = if edge.nodes[0] == node { own * columns + other } else { other * count + own };
            edge.costs[place] = FORBIDDEN;
        }
    }
}
