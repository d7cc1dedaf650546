//! Strategies that no solution can have.

use super::Hopeless;
use super::graph::Graph;
use crate::problem::FORBIDDEN;
use crate::timeline::sum_over_time;

/// Drops strategies that are forbidden, alone or with every strategy of a neighbour.
pub fn forbidden(graph: &mut Graph) -> Result<(), Hopeless> {
    let mut alive: Vec<Vec<bool>> =
        graph.nodes.iter().map(|n| n.costs.iter().map(|&c| c < FORBIDDEN).collect()).collect();
    let mut queue: Vec<u32> = (0..graph.edges.len() as u32).collect();
    let mut queued = vec![true; graph.edges.len()];
    while let Some(id) = queue.pop() {
        queued[id as usize] = false;
        let edge = &graph.edges[id as usize];
        if edge.costs.is_empty() {
            continue;
        }
        let [u, v] = edge.nodes;
        for (node, other) in [(u, v), (v, u)] {
            let view = graph.seen_from(id, node);
            let mut changed = false;
            for strategy in 0..alive[node as usize].len() {
                let supported = |(o, &k): (usize, &bool)| k && view.cost(strategy, o) < FORBIDDEN;
                if alive[node as usize][strategy] && !alive[other as usize].iter().enumerate().any(supported)
                {
                    alive[node as usize][strategy] = false;
                    changed = true;
                }
            }
            if changed {
                for &next in &graph.nodes[node as usize].edges {
                    if next != id && !queued[next as usize] {
                        queued[next as usize] = true;
                        queue.push(next);
                    }
                }
            }
        }
    }
    finish(graph, &alive, Hopeless::Forbidden)
}

/// Drops strategies that do not fit in memory even when all other nodes hold their least.
pub fn memory(graph: &mut Graph) -> Result<(), Hopeless> {
    let loads = graph.nodes.iter().flat_map(|n| &n.loads);
    let least = loads.map(|l| (l.moments, l.usages.iter().copied().min().unwrap_or(0)));
    let free: Vec<i64> =
        sum_over_time(graph.moments, least).iter().map(|held| graph.usage_limit - held).collect();
    if free.iter().any(|&f| f < 0) {
        return Err(Hopeless::Memory);
    }
    let free = RangeMinimum::new(free);
    let mut alive = graph.all_alive();
    for (node, alive) in graph.nodes.iter().zip(&mut alive) {
        for load in &node.loads {
            let least = load.usages.iter().copied().min().unwrap_or(0);
            let most = least + free.minimum(load.moments);
            for (mark, &usage) in alive.iter_mut().zip(&load.usages) {
                *mark &= usage <= most;
            }
        }
    }
    finish(graph, &alive, Hopeless::Memory)
}

fn finish(graph: &mut Graph, alive: &[Vec<bool>], otherwise: Hopeless) -> Result<(), Hopeless> {
    let emptied = |mask: &Vec<bool>| !mask.is_empty() && !mask.contains(&true);
    if alive.iter().any(emptied) {
        return Err(otherwise);
    }
    graph.keep(alive);
    Ok(())
}

/// The least of any range of values, each in constant time.
struct RangeMinimum {
    levels: Vec<Vec<i64>>,
}

impl RangeMinimum {
    fn new(values: Vec<i64>) -> RangeMinimum {
        let mut levels = vec![values];
        let mut width = 1;
        while let Some(last) = levels.last()
            && last.len() > width
        {
            levels.push(last.iter().zip(&last[width..]).map(|(&a, &b)| a.min(b)).collect());
            width *= 2;
        }
        RangeMinimum { levels }
    }

    /// `i64::MAX / 2` for an empty range.
    fn minimum(&self, (from, to): (u32, u32)) -> i64 {
        let Some(level) = (to.saturating_sub(from)).checked_ilog2() else { return i64::MAX / 2 };
        let row = &self.levels[level as usize];
        row[from as usize].min(row[to as usize - (1 << level)])
    }
}
