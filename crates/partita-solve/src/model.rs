//! The reduced graph, laid out for search: flat arrays, costs as floating point, equal tables stored once.

use crate::problem::FORBIDDEN;
use crate::reduce::{Graph, Load};
use crate::timeline::sum_over_time;
use rustc_hash::FxHashMap;

/// Costs from here on mean that something forbidden was picked.
pub const NEVER: f64 = 0.5e18;

/// A node's view of one of its edges.
#[derive(Clone, Copy)]
pub struct Link {
    /// The node at the other end.
    pub other: u32,
    /// Where the table with a row per own strategy begins.
    pub own_rows: u32,
    /// Where the table with a row per strategy of the other node begins.
    pub other_rows: u32,
}

/// Memory that a node holds above its least, over some moments.
#[derive(Clone, Copy)]
pub struct Hold {
    /// The first moment.
    pub from: u32,
    /// One past the last.
    pub to: u32,
    /// Where the amounts per strategy begin in [`Model::amounts`].
    pub amounts: u32,
}

/// A graph to search.
pub struct Model {
    /// Where the strategies of each node begin, and one past the last.
    pub first: Vec<u32>,
    /// The cost of each strategy.
    pub unary: Vec<f64>,
    first_link: Vec<u32>,
    links: Vec<Link>,
    /// For each link the one in the opposite direction.
    pub opposite: Vec<u32>,
    /// All tables, one after the other.
    pub tables: Vec<f64>,
    first_hold: Vec<u32>,
    holds: Vec<Hold>,
    /// What each hold holds, per strategy.
    pub amounts: Vec<i64>,
    /// What may be held above the least, per moment.
    pub free: Vec<i64>,
    /// What follows from each node: a node of the problem, and its strategy per strategy of the node.
    members: Vec<Vec<(u32, Vec<u32>)>>,
    /// The node of the graph that each node was.
    pub origin: Vec<u32>,
    /// What nodes without a choice cost.
    pub constant: f64,
    /// The strategies of the problem's nodes where there is no choice.
    decided: Vec<u32>,
    /// For each moment of the graph its moment here, at or after it.
    renumbered: Vec<u32>,
    /// The moment of the graph that is the tightest of each moment.
    tightest: Vec<u32>,
}

impl Model {
    /// Lays out a graph.
    pub fn new(graph: &Graph) -> Model {
        let mut renumbered = vec![u32::MAX; graph.nodes.len()];
        let mut model = Model {
            first: vec![0],
            unary: Vec::new(),
            first_link: vec![0],
            links: Vec::new(),
            opposite: Vec::new(),
            tables: Vec::new(),
            first_hold: vec![0],
            holds: Vec::new(),
            amounts: Vec::new(),
            free: Vec::new(),
            members: Vec::new(),
            origin: Vec::new(),
            constant: 0.0,
            decided: Vec::new(),
            renumbered: Vec::new(),
            tightest: Vec::new(),
        };
        // Nodes with one strategy have lost all their edges.
        let has_choice = |n: &usize| graph.nodes[*n].costs.len() > 1;
        let kept: Vec<usize> = (0..graph.nodes.len()).filter(has_choice).collect();
        for (new, &old) in kept.iter().enumerate() {
            renumbered[old] = new as u32;
        }
        let moments = Moments::new(graph);
        let mut pool = Pool::default();
        for &old in &kept {
            let node = &graph.nodes[old];
            model.unary.extend(node.costs.iter().map(|&c| c as f64));
            model.first.push(model.unary.len() as u32);
            for &edge in &node.edges {
                let view = graph.seen_from(edge, old as u32);
                let (own, others) = (node.costs.len(), graph.nodes[view.other as usize].costs.len());
                let own_rows = (0..own).flat_map(|a| (0..others).map(move |b| (a, b)));
                let other_rows = (0..others).flat_map(|b| (0..own).map(move |a| (a, b)));
                model.links.push(Link {
                    other: renumbered[view.other as usize],
                    own_rows: pool.place(own_rows.map(|(a, b)| view.cost(a, b)).collect()),
                    other_rows: pool.place(other_rows.map(|(a, b)| view.cost(a, b)).collect()),
                });
            }
            model.first_link.push(model.links.len() as u32);
            model.add_holds(&node.loads, &moments);
        }
        model.find_opposites();
        model.tables = pool.tables;
        model.free = moments.free;
        model.renumbered = moments.renumbered;
        model.tightest = moments.tightest;
        model.decided = vec![0; graph.nodes.iter().map(|node| node.members.len()).sum()];
        for node in graph.nodes.iter().filter(|node| node.costs.len() == 1) {
            model.constant += node.costs[0] as f64;
            for member in &node.members {
                model.decided[member.node as usize] = member.strategies[0];
            }
        }
        for &old in &kept {
            let members = graph.nodes[old].members.iter();
            model.members.push(members.map(|m| (m.node, m.strategies.clone())).collect());
        }
        model.origin = kept.iter().map(|&old| old as u32).collect();
        model
    }

    fn find_opposites(&mut self) {
        let mut waiting: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        self.opposite = vec![0; self.links.len()];
        for node in 0..self.len() {
            for id in self.link_ids(node) {
                let other = self.links[id].other;
                match waiting.remove(&(other, node as u32)) {
                    Some(back) => {
                        self.opposite[id] = back as u32;
                        self.opposite[back] = id as u32;
                    }
                    None => {
                        waiting.insert((node as u32, other), id);
                    }
                }
            }
        }
    }

    fn add_holds(&mut self, loads: &[Load], moments: &Moments) {
        let mut by_span: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut sums: Vec<((u32, u32), Vec<i64>)> = Vec::new();
        for load in loads {
            let span = moments.renumber(load.moments);
            let least = load.usages.iter().copied().min().unwrap_or(0);
            if span.0 >= span.1 || load.usages.iter().all(|&u| u == least) {
                continue;
            }
            let place = *by_span.entry(span).or_insert_with(|| {
                sums.push((span, vec![0; load.usages.len()]));
                sums.len() - 1
            });
            for (sum, usage) in sums[place].1.iter_mut().zip(&load.usages) {
                *sum += usage - least;
            }
        }
        for ((from, to), amounts) in sums {
            self.holds.push(Hold { from, to, amounts: self.amounts.len() as u32 });
            self.amounts.extend(amounts);
        }
        self.first_hold.push(self.holds.len() as u32);
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// How many moments memory is checked at.
    pub fn moments(&self) -> usize {
        self.free.len()
    }

    /// Where the strategies of a node stand in arrays over all strategies.
    pub fn strategies(&self, node: usize) -> std::ops::Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    /// The edges of a node.
    pub fn links(&self, node: usize) -> &[Link] {
        &self.links[self.link_ids(node)]
    }

    /// Where the links of a node stand among all links.
    pub fn link_ids(&self, node: usize) -> std::ops::Range<usize> {
        self.first_link[node] as usize..self.first_link[node + 1] as usize
    }

    /// A link among all links.
    pub fn link(&self, id: u32) -> Link {
        self.links[id as usize]
    }

    /// How many links there are: twice the edges.
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// What a node holds.
    pub fn holds(&self, node: usize) -> &[Hold] {
        &self.holds[self.first_hold[node] as usize..self.first_hold[node + 1] as usize]
    }

    /// A row of a table: `width` costs.
    pub fn row(&self, table: u32, index: usize, width: usize) -> &[f64] {
        let start = table as usize + index * width;
        &self.tables[start..start + width]
    }

    /// What a choice costs; at least [`NEVER`] where something is forbidden.
    pub fn cost(&self, choice: &[u32]) -> f64 {
        let mut cost = self.constant;
        for (node, &own) in choice.iter().enumerate() {
            cost += self.unary[self.first[node] as usize + own as usize];
            for link in self.links(node).iter().filter(|link| (link.other as usize) < node) {
                let width = self.strategies(link.other as usize).len();
                cost += self.row(link.own_rows, own as usize, width)[choice[link.other as usize] as usize];
            }
        }
        cost
    }

    /// What a choice holds above the least, per moment.
    pub fn held(&self, choice: &[u32]) -> Vec<i64> {
        let holds = choice.iter().enumerate().flat_map(|(node, &own)| {
            self.holds(node)
                .iter()
                .map(move |hold| ((hold.from, hold.to), self.amounts[(hold.amounts + own) as usize]))
        });
        sum_over_time(self.moments(), holds)
    }

    /// Prices per moment of the graph, from prices per moment of the model.
    pub fn export_prices(&self, prices: &[f64]) -> Vec<f64> {
        let mut exported = vec![0.0; self.renumbered.len()];
        for (&moment, &price) in self.tightest.iter().zip(prices) {
            exported[moment as usize] = price;
        }
        exported
    }

    /// Prices per moment of the model, from prices per moment of the graph.
    pub fn import_prices(&self, prices: &[f64]) -> Vec<f64> {
        let mut imported = vec![0.0; self.moments()];
        for (&moment, &price) in self.renumbered.iter().zip(prices) {
            if let Some(sum) = imported.get_mut(moment as usize) {
                *sum += price;
            }
        }
        imported
    }

    /// What follows from a node: nodes of the problem, each with its strategy per strategy of the node.
    pub fn members(&self, node: usize) -> &[(u32, Vec<u32>)] {
        &self.members[node]
    }

    /// The choice for the problem's own nodes.
    pub fn expand(&self, choice: &[u32]) -> Vec<u32> {
        let mut expanded = self.decided.clone();
        for (members, &own) in self.members.iter().zip(choice) {
            for (node, strategies) in members {
                expanded[*node as usize] = strategies[own as usize];
            }
        }
        expanded
    }
}

/// Tables, each stored once.
#[derive(Default)]
struct Pool {
    tables: Vec<f64>,
    known: FxHashMap<Vec<i64>, u32>,
}

impl Pool {
    fn place(&mut self, costs: Vec<i64>) -> u32 {
        let tables = &mut self.tables;
        *self.known.entry(costs).or_insert_with_key(|costs| {
            let start = tables.len() as u32;
            tables.extend(costs.iter().map(|&c| c.min(FORBIDDEN) as f64));
            start
        })
    }
}

/// Moments that still matter once what is held in any case is taken off the limit.
struct Moments {
    /// The new moment at or after each old one.
    renumbered: Vec<u32>,
    tightest: Vec<u32>,
    free: Vec<i64>,
}

impl Moments {
    fn new(graph: &Graph) -> Moments {
        let loads = || graph.nodes.iter().flat_map(|n| &n.loads);
        let least = |l: &Load| l.usages.iter().copied().min().unwrap_or(0);
        let most = |l: &Load| l.usages.iter().copied().max().unwrap_or(0);
        let low = sum_over_time(graph.moments, loads().map(|l| (l.moments, least(l))));
        let high = sum_over_time(graph.moments, loads().map(|l| (l.moments, most(l))));
        let mut changes = vec![false; graph.moments + 1];
        for load in loads().filter(|l| least(l) < most(l)) {
            changes[load.moments.0 as usize] = true;
            changes[load.moments.1 as usize] = true;
        }
        let mut renumbered = Vec::with_capacity(graph.moments + 1);
        let mut free: Vec<i64> = Vec::new();
        let mut tightest = Vec::new();
        // Moments in a row where the same nodes choose are one: the tightest.
        let mut open = false;
        for moment in 0..graph.moments {
            open &= !changes[moment];
            let here = graph.usage_limit - low[moment];
            if high[moment] <= graph.usage_limit {
                renumbered.push(free.len() as u32 - u32::from(open));
                continue;
            }
            match (free.last_mut(), tightest.last_mut()) {
                (Some(last), Some(place)) if open => {
                    if here < *last {
                        (*last, *place) = (here, moment as u32);
                    }
                }
                _ => {
                    free.push(here);
                    tightest.push(moment as u32);
                }
            }
            open = true;
            renumbered.push(free.len() as u32 - 1);
        }
        renumbered.push(free.len() as u32);
        Moments { renumbered, tightest, free }
    }

    fn renumber(&self, (from, to): (u32, u32)) -> (u32, u32) {
        (self.renumbered[from as usize], self.renumbered[to as usize])
    }
}
