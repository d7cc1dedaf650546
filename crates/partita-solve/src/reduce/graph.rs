//! A strategy graph that is being made smaller.

use super::Hopeless;
use crate::model::Model;
use crate::problem::{FORBIDDEN, Problem};
use crate::timeline::Timeline;
use rustc_hash::FxHashMap;

/// A node of the graph.
pub type NodeId = u32;

/// Memory that a node holds over some moments, per strategy.
#[derive(Clone)]
pub struct Load {
    /// The moments, half-open.
    pub moments: (u32, u32),
    /// How much, per strategy.
    pub usages: Vec<i64>,
}

/// A node of the problem that a node of the graph decides.
#[derive(Clone)]
pub struct Member {
    /// The node of the problem.
    pub node: u32,
    /// Its strategy, per strategy of the graph's node.
    pub strategies: Vec<u32>,
}

/// A decision.
#[derive(Clone)]
pub struct GraphNode {
    /// What each strategy costs. Empty where the node was merged into another.
    pub costs: Vec<i64>,
    /// What it decides.
    pub members: Vec<Member>,
    /// What memory it holds.
    pub loads: Vec<Load>,
    /// Its edges.
    pub edges: Vec<u32>,
}

/// What two strategies cost together, a row per strategy of the first node.
#[derive(Clone)]
pub struct GraphEdge {
    /// The two nodes.
    pub nodes: [NodeId; 2],
    /// The costs; empty where the edge is gone.
    pub costs: Vec<i64>,
}

/// The graph. There is at most one edge between two nodes, and no loop.
#[derive(Clone)]
pub struct Graph {
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    /// How many moments there are.
    pub moments: usize,
    pub usage_limit: i64,
}

/// Adds costs, one of which may be forbidden.
pub fn add(a: i64, b: i64) -> i64 {
    if a >= FORBIDDEN || b >= FORBIDDEN { FORBIDDEN } else { a + b }
}

impl Graph {
    /// The graph of a problem as it stands.
    pub fn new(problem: &Problem) -> Graph {
        let holds = problem.nodes().iter().map(|n| n.interval).filter(|(from, to)| from < to);
        let timeline = Timeline::new(holds);
        let nodes = problem.nodes().iter().enumerate().map(|(index, node)| {
            let (from, to) = node.interval;
            let load = Load { moments: timeline.moments(node.interval), usages: node.usages.clone() };
            GraphNode {
                costs: node.costs.iter().map(|&c| c.min(FORBIDDEN)).collect(),
                members: vec![Member {
                    node: index as u32,
                    strategies: (0..node.costs.len() as u32).collect(),
                }],
                loads: if from < to { vec![load] } else { Vec::new() },
                edges: Vec::new(),
            }
        });
        let mut graph = Graph {
            nodes: nodes.collect(),
            edges: Vec::new(),
            moments: timeline.len(),
            usage_limit: problem.usage_limit(),
        };
        graph.add_edges(problem);
        graph
    }

    fn add_edges(&mut self, problem: &Problem) {
        let mut known: FxHashMap<[NodeId; 2], u32> = FxHashMap::default();
        for edge in problem.edges() {
            let (u, v) = edge.nodes;
            if u == v {
                let costs = &mut self.nodes[u as usize].costs;
                let step = costs.len() + 1;
                for (cost, &own) in costs.iter_mut().zip(edge.costs.iter().step_by(step)) {
                    *cost = add(*cost, own);
                }
                continue;
            }
            if let Some(&id) = known.get(&[u, v]) {
                add_all(&mut self.edges[id as usize].costs, &edge.costs);
            } else if let Some(&id) = known.get(&[v, u]) {
                let turned = transpose(&edge.costs, self.nodes[v as usize].costs.len());
                add_all(&mut self.edges[id as usize].costs, &turned);
            } else {
                known.insert([u, v], self.edges.len() as u32);
                let costs = edge.costs.iter().map(|&c| c.min(FORBIDDEN)).collect();
                self.insert_edge([u, v], costs);
            }
        }
    }

    /// Adds an edge between two nodes that have none.
    pub fn insert_edge(&mut self, nodes: [NodeId; 2], costs: Vec<i64>) {
        let id = self.edges.len() as u32;
        self.edges.push(GraphEdge { nodes, costs });
        for node in nodes {
            self.nodes[node as usize].edges.push(id);
        }
    }

    /// Takes an edge out.
    pub fn remove_edge(&mut self, id: u32) {
        let edge = &mut self.edges[id as usize];
        edge.costs = Vec::new();
        for node in edge.nodes {
            self.nodes[node as usize].edges.retain(|&e| e != id);
        }
    }

    /// An edge seen from one of its nodes: the other node, and the costs with a row per strategy of `node`.
    pub fn seen_from(&self, id: u32, node: NodeId) -> View<'_> {
        let edge = &self.edges[id as usize];
        let columns = self.nodes[edge.nodes[1] as usize].costs.len();
        if edge.nodes[0] == node {
            View { other: edge.nodes[1], costs: &edge.costs, row: columns, column: 1 }
        } else {
            View { other: edge.nodes[0], costs: &edge.costs, row: 1, column: columns }
        }
    }

    /// Keeps only the strategies that are marked, everywhere.
    pub fn keep(&mut self, alive: &[Vec<bool>]) {
        let whole = |mask: &[bool]| mask.iter().all(|&k| k);
        for edge in &mut self.edges {
            let [rows, columns] = edge.nodes.map(|n| &alive[n as usize]);
            if edge.costs.is_empty() || (whole(rows) && whole(columns)) {
                continue;
            }
            let mut kept = Vec::new();
            for (row, _) in edge.costs.chunks(columns.len()).zip(rows).filter(|(_, keep)| **keep) {
                kept.extend(row.iter().zip(columns).filter(|(_, keep)| **keep).map(|(cost, _)| *cost));
            }
            edge.costs = kept;
        }
        for (node, mask) in self.nodes.iter_mut().zip(alive).filter(|(_, mask)| !whole(mask)) {
            retain(&mut node.costs, mask);
            for member in &mut node.members {
                retain(&mut member.strategies, mask);
            }
            for load in &mut node.loads {
                retain(&mut load.usages, mask);
            }
        }
    }

    /// Drops strategies of the graph's model that are marked. Where a node has no others, no solution is left.
    pub fn drop_strategies(&mut self, model: &Model, needless: &[bool]) -> Result<(), Hopeless> {
        if (0..model.len()).any(|node| needless[model.strategies(node)].iter().all(|mark| *mark)) {
            return Err(Hopeless::Forbidden);
        }
        let mut alive = self.all_alive();
        for (node, &origin) in model.origin.iter().enumerate() {
            let marks = &needless[model.strategies(node)];
            for (alive, needless) in alive[origin as usize].iter_mut().zip(marks) {
                *alive = !needless;
            }
        }
        self.keep(&alive);
        Ok(())
    }

    /// A mark for every strategy of every node.
    pub fn all_alive(&self) -> Vec<Vec<bool>> {
        self.nodes.iter().map(|node| vec![true; node.costs.len()]).collect()
    }

    /// Something that falls as long as the graph gets smaller: nodes, strategies and edges that are left.
    pub fn size(&self) -> (usize, usize, usize) {
        let nodes = self.nodes.iter().filter(|n| !n.costs.is_empty());
        let strategies = nodes.clone().map(|n| n.costs.len()).sum();
        (nodes.count(), strategies, self.edges.iter().filter(|e| !e.costs.is_empty()).count())
    }
}

/// An edge seen from one of its nodes.
pub struct View<'g> {
    /// The node at the other end.
    pub other: NodeId,
    costs: &'g [i64],
    row: usize,
    column: usize,
}

impl View<'_> {
    /// What two strategies cost together.
    pub fn cost(&self, own: usize, other: usize) -> i64 {
        self.costs[own * self.row + other * self.column]
    }
}

/// Adds up two matrices of the same shape.
pub fn add_all(sum: &mut [i64], costs: &[i64]) {
    for (sum, &cost) in sum.iter_mut().zip(costs) {
        *sum = add(*sum, cost);
    }
}

/// A matrix with rows as columns; `columns` is how many the result's rows have rows to fill, its row count.
pub fn transpose(costs: &[i64], columns: usize) -> Vec<i64> {
    let mut turned = Vec::with_capacity(costs.len());
    for column in 0..columns {
        turned.extend(costs.iter().skip(column).step_by(columns.max(1)));
    }
    turned
}

fn retain<T>(values: &mut Vec<T>, mask: &[bool]) {
    let mut marks = mask.iter();
    values.retain(|_| marks.next().copied().unwrap_or(false));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Edge, Node};

    #[test]
    fn a_node_of_which_all_is_needless_ends_the_search() {
        let node = || Node { interval: (0, 0), costs: vec![1, 2], usages: vec![0, 0] };
        let edge = Edge { nodes: (0, 1), costs: vec![0, 5, 5, 0] };
        let problem = Problem::new(vec![node(), node()], vec![edge], 10).expect("a problem");
        let mut graph = Graph::new(&problem);
        let model = Model::new(&graph);
        assert_eq!(graph.drop_strategies(&model, &[true, true, false, false]), Err(Hopeless::Forbidden));
        // Nothing was dropped: no edge leads to a node that is empty.
        assert_eq!(graph.size(), (2, 4, 1));
        assert_eq!(graph.drop_strategies(&model, &[true, false, false, false]), Ok(()));
        assert_eq!(graph.size(), (2, 3, 1));
    }
}
