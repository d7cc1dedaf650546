//! Edges that couple nothing.

use super::graph::Graph;
use crate::problem::FORBIDDEN;

/// Takes out edges whose cost is a sum over the two nodes, and gives the parts to the nodes.
pub fn fold(graph: &mut Graph) {
    for id in 0..graph.edges.len() as u32 {
        let edge = &graph.edges[id as usize];
        let [u, v] = edge.nodes;
        let columns = graph.nodes[v as usize].costs.len();
        let Some(first) = edge.costs.get(..columns) else { continue };
        if edge.costs.is_empty() || !is_sum(&edge.costs, columns) {
            continue;
        }
        let corner = first[0];
        // The first column's least goes to the second node, so that neither node's cost becomes negative.
        let rows = edge.costs.chunks(columns).map(|row| row[0]);
        let least = rows.clone().min().unwrap_or(corner);
        let to_first: Vec<i64> = rows.map(|cost| cost - least).collect();
        let to_second: Vec<i64> = first.iter().map(|cost| cost - corner + least).collect();
        for (node, part) in [(u, to_first), (v, to_second)] {
            for (cost, part) in graph.nodes[node as usize].costs.iter_mut().zip(part) {
                *cost += part;
            }
        }
        graph.remove_edge(id);
    }
}

fn is_sum(costs: &[i64], columns: usize) -> bool {
    let first = &costs[..columns];
    first.iter().all(|&c| c < FORBIDDEN)
        && costs
            .chunks(columns)
            .all(|row| row[0] < FORBIDDEN && row.iter().zip(first).all(|(&c, &f)| c - f == row[0] - first[0]))
}
