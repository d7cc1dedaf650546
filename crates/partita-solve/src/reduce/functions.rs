//! Nodes whose strategy follows from a neighbour's.

use super::graph::{Graph, Load, Member, NodeId, add, add_all, transpose};
use crate::problem::FORBIDDEN;

/// How many times larger the tables of a merged node may become: a node that many follow would fill memory.
const MOST_GROWTH: usize = 3;

/// Merges every node into a neighbour that decides it, unless that makes the costs to others much larger.
pub fn merge(graph: &mut Graph) {
    let mut queue: Vec<u32> = (0..graph.edges.len() as u32).collect();
    while let Some(id) = queue.pop() {
        if graph.edges[id as usize].costs.is_empty() {
            continue;
        }
        let [u, v] = graph.edges[id as usize].nodes;
        for (leader, follower) in [(u, v), (v, u)] {
            let leading = graph.nodes[leader as usize].costs.len();
            let following = graph.nodes[follower as usize].costs.len();
            let leaf = graph.nodes[follower as usize].edges.len() == 1;
            if !leaf && leading > MOST_GROWTH * following {
                continue;
            }
            if let Some(function) = function(graph, id, leader) {
                let first_new = graph.edges.len() as u32;
                merge_into(graph, id, leader, follower, &function);
                queue.extend(graph.nodes[leader as usize].edges.iter().filter(|&&e| e >= first_new));
                break;
            }
        }
    }
}

/// The strategy at the other end of an edge for each strategy of the leader, where there is just one each.
fn function(graph: &Graph, id: u32, leader: NodeId) -> Option<Vec<usize>> {
    let view = graph.seen_from(id, leader);
    let others = graph.nodes[view.other as usize].costs.len();
    (0..graph.nodes[leader as usize].costs.len())
        .map(|own| {
            let mut allowed = (0..others).filter(|&other| view.cost(own, other) < FORBIDDEN);
            let only = allowed.next()?;
            allowed.next().is_none().then_some(only)
        })
        .collect()
}

fn merge_into(graph: &mut Graph, id: u32, leader: NodeId, follower: NodeId, function: &[usize]) {
    let view = graph.seen_from(id, leader);
    let between: Vec<i64> = function.iter().enumerate().map(|(own, &other)| view.cost(own, other)).collect();
    graph.remove_edge(id);
    let gone = std::mem::take(&mut graph.nodes[follower as usize].costs);
    for edge in std::mem::take(&mut graph.nodes[follower as usize].edges) {
        move_edge(graph, edge, leader, follower, gone.len(), function);
    }
    let members = std::mem::take(&mut graph.nodes[follower as usize].members);
    let loads = std::mem::take(&mut graph.nodes[follower as usize].loads);
    let node = &mut graph.nodes[leader as usize];
    for ((cost, between), &other) in node.costs.iter_mut().zip(between).zip(function) {
        *cost = add(*cost, add(between, gone[other]));
    }
    node.members.extend(members.into_iter().map(|member| Member {
        node: member.node,
        strategies: function.iter().map(|&other| member.strategies[other]).collect(),
    }));
    node.loads.extend(loads.into_iter().map(|load| Load {
        moments: load.moments,
        usages: function.iter().map(|&other| load.usages[other]).collect(),
    }));
}

/// Gives an edge of the follower to the leader.
fn move_edge(graph: &mut Graph, id: u32, leader: NodeId, follower: NodeId, rows: usize, function: &[usize]) {
    let edge = &mut graph.edges[id as usize];
    let costs = std::mem::take(&mut edge.costs);
    let outward = edge.nodes[0] == follower;
    let other = edge.nodes[usize::from(outward)];
    graph.nodes[other as usize].edges.retain(|&e| e != id);
    let columns = graph.nodes[other as usize].costs.len();
    let costs = if outward { costs } else { transpose(&costs, rows) };
    let moved: Vec<i64> =
        function.iter().flat_map(|&row| &costs[row * columns..(row + 1) * columns]).copied().collect();
    let existing = graph.nodes[leader as usize].edges.iter().copied().find(|&e| {
        let nodes = graph.edges[e as usize].nodes;
        nodes.contains(&other)
    });
    match existing {
        None => graph.insert_edge([leader, other], moved),
        Some(edge) => {
            let edge = &mut graph.edges[edge as usize];
            if edge.nodes[0] == leader {
                add_all(&mut edge.costs, &moved);
            } else {
                add_all(&mut edge.costs, &transpose(&moved, columns));
            }
        }
    }
}
