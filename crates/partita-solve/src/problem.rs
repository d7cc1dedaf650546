//! Strategy graphs: what is to be decided, what it costs, and what memory it takes.

use std::fmt;

/// A cost that means: never.
pub const FORBIDDEN: i64 = 1_000_000_000_000_000_000;

/// One decision: a strategy is picked for every node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// When the node holds memory, half-open; an empty interval holds none.
    pub interval: (u32, u32),
    /// What each strategy costs.
    pub costs: Vec<i64>,
    /// What memory each strategy holds over the interval.
    pub usages: Vec<i64>,
}

/// What two strategies cost together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The two nodes.
    pub nodes: (u32, u32),
    /// A row per strategy of the first node, a column per strategy of the second.
    pub costs: Vec<i64>,
}

/// A graph of strategies with a limit on memory, known to be well formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    usage_limit: i64,
}

/// Why nodes and edges are no problem that can be solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// What is wrong, and where.
    pub message: String,
    /// How to mend it.
    pub fix: String,
}

impl Malformed {
    fn new(message: impl Into<String>, fix: impl Into<String>) -> Malformed {
        Malformed { message: message.into(), fix: fix.into() }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.fix)
    }
}

impl std::error::Error for Malformed {}

/// What a choice of strategies costs and holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The sum of all costs.
    pub cost: i128,
    /// The most memory held at any time.
    pub peak_usage: i128,
    /// Whether something forbidden was picked.
    pub forbidden: bool,
}

impl Problem {
    /// Puts a problem together. Edges may be parallel, reversed or loops: their costs add up.
    pub fn new(nodes: Vec<Node>, edges: Vec<Edge>, usage_limit: i64) -> Result<Problem, Malformed> {
        if usage_limit < 0 {
            return Err(Malformed::new(
                format!("the usage limit is {usage_limit}"),
                "give a limit of at least 0",
            ));
        }
        if u32::try_from(nodes.len()).is_err() {
            return Err(Malformed::new("there are more than 2^32 nodes", "give fewer"));
        }
        let mut total_cost: i128 = 0;
        let mut total_usage: i128 = 0;
        for (index, node) in nodes.iter().enumerate() {
            check_node(index, node)?;
            total_cost += largest_allowed(&node.costs);
            total_usage += node.usages.iter().copied().max().map_or(0, i128::from);
        }
        for (index, edge) in edges.iter().enumerate() {
            check_edge(index, edge, &nodes)?;
            total_cost += largest_allowed(&edge.costs);
        }
        if total_cost >= i128::from(FORBIDDEN) {
            return Err(Malformed::new(
                format!(
                    "the largest costs add up to {total_cost}, which cannot be told from a forbidden choice"
                ),
                format!("divide all costs so that their sum stays below {FORBIDDEN}"),
            ));
        }
        if total_usage > i128::from(i64::MAX / 2) {
            return Err(Malformed::new(
                format!("the largest usages add up to {total_usage}, which is more than can be counted"),
                format!("divide the usages and the limit so that their sum stays below {}", i64::MAX / 2),
            ));
        }
        Ok(Problem { nodes, edges, usage_limit })
    }

    /// The decisions.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The costs between decisions.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// What may be held at any time.
    pub fn usage_limit(&self) -> i64 {
        self.usage_limit
    }

    /// What a choice of strategies, one per node, costs and holds.
    ///
    /// # Panics
    /// Where the choice names no strategy of a node.
    pub fn evaluate(&self, choice: &[u32]) -> Evaluation {
        assert_eq!(choice.len(), self.nodes.len(), "one strategy per node");
        let mut cost = 0;
        let mut forbidden = false;
        let mut add = |amount: i64| {
            forbidden |= amount >= FORBIDDEN;
            cost += i128::from(amount);
        };
        for (node, &strategy) in self.nodes.iter().zip(choice) {
            add(node.costs[strategy as usize]);
        }
        for edge in &self.edges {
            let (u, v) = (edge.nodes.0 as usize, edge.nodes.1 as usize);
            let columns = self.nodes[v].costs.len();
            add(edge.costs[choice[u] as usize * columns + choice[v] as usize]);
        }
        Evaluation { cost, peak_usage: self.peak_usage(choice), forbidden }
    }

    fn peak_usage(&self, choice: &[u32]) -> i128 {
        let mut changes: Vec<(u32, i64)> = Vec::new();
        for (node, &strategy) in self.nodes.iter().zip(choice) {
            let (from, to) = node.interval;
            if from < to {
                let usage = node.usages[strategy as usize];
                changes.push((from, usage));
                changes.push((to, -usage));
            }
        }
        // What ends at a time is freed before what begins then is held.
        changes.sort_unstable();
        let mut held: i128 = 0;
        let mut peak = 0;
        for (_, change) in changes {
            held += i128::from(change);
            peak = peak.max(held);
        }
        peak
    }

    /// Whether a choice of strategies forbids nothing and stays within the limit.
    pub fn is_feasible(&self, evaluation: &Evaluation) -> bool {
        !evaluation.forbidden && evaluation.peak_usage <= i128::from(self.usage_limit)
    }
}

fn largest_allowed(costs: &[i64]) -> i128 {
    costs.iter().copied().filter(|&c| c < FORBIDDEN).max().map_or(0, i128::from)
}

fn check_node(index: usize, node: &Node) -> Result<(), Malformed> {
    if node.costs.is_empty() {
        return Err(Malformed::new(format!("node {index} has no strategy"), "give it at least one"));
    }
    if node.costs.len() != node.usages.len() {
        let (costs, usages) = (node.costs.len(), node.usages.len());
        return Err(Malformed::new(
            format!("node {index} has {costs} costs but {usages} usages"),
            "give one of each per strategy",
        ));
    }
    for (what, values) in [("cost", &node.costs), ("usage", &node.usages)] {
        if let Some(strategy) = values.iter().position(|&value| value < 0) {
            return Err(Malformed::new(
                format!("strategy {strategy} of node {index} has the {what} {}", values[strategy]),
                "nothing may be negative",
            ));
        }
    }
    let (from, to) = node.interval;
    if from > to {
        return Err(Malformed::new(
            format!("the interval of node {index} ends before it begins: [{from}, {to})"),
            "give the earlier time first",
        ));
    }
    Ok(())
}

fn check_edge(index: usize, edge: &Edge, nodes: &[Node]) -> Result<(), Malformed> {
    let strategies = |node: u32| {
        nodes.get(node as usize).map(|n| n.costs.len()).ok_or_else(|| {
            Malformed::new(
                format!("edge {index} names node {node}, but there are {}", nodes.len()),
                "nodes are counted from 0",
            )
        })
    };
    let (rows, columns) = (strategies(edge.nodes.0)?, strategies(edge.nodes.1)?);
    if rows * columns != edge.costs.len() {
        return Err(Malformed::new(
            format!(
                "edge {index} has {} costs, but its nodes have {rows} and {columns} strategies",
                edge.costs.len()
            ),
            format!("give {} costs, row by row", rows * columns),
        ));
    }
    if let Some(place) = edge.costs.iter().position(|&cost| cost < 0) {
        return Err(Malformed::new(
            format!("cost {place} of edge {index} is {}", edge.costs[place]),
            "nothing may be negative",
        ));
    }
    Ok(())
}
