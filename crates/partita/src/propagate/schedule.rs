//! In which order nodes run.
//!
//! The worklist is a stack: what a change touches runs next, definitions and early uses first.

use super::graph::{Graph, NodeKind};
use super::rule::FlowRule;
use super::step::{Direction, step};
use super::{NodeId, SlotId};
use crate::ir::ids::{Id, IdVec};
use crate::ops::Flow;
use crate::sharding::Mesh;

/// How many stages there are: see [`direction`].
const STAGES: usize = 5;

/// Runs everything to the fixed point; gives the number of node runs.
pub(super) fn run(mesh: &Mesh, graph: &mut Graph) -> u64 {
    let mut runs = 0;
    let mut now = 0;
    let priorities = graph.priorities();
    for (round, &priority) in priorities.iter().enumerate() {
        if round > 0 {
            graph.admit(priority);
        }
        for stage in 0..STAGES {
            let mut worklist = Worklist::new(graph.nodes.len());
            for id in graph.nodes.ids().rev() {
                if awakened(graph, id, stage, round > 0) {
                    worklist.push(id);
                }
            }
            while let Some(id) = worklist.pop() {
                runs += 1;
                run_node(mesh, graph, id, stage, &mut now, &mut worklist);
            }
        }
    }
    runs
}

/// Whether a node can do something at a stage that it could not do before.
fn awakened(graph: &Graph, id: NodeId, stage: usize, again: bool) -> bool {
    let node = &graph.nodes[id];
    let rule = &graph.rules[node.rule as usize];
    (0..rule.factors.len()).any(|f| {
        let new = direction(node.kind, rule, node.single_use, stage, f);
        new != Direction::None
            && (stage == 0 || again || new != direction(node.kind, rule, node.single_use, stage - 1, f))
    })
}

fn run_node(
    mesh: &Mesh,
    graph: &mut Graph,
    id: NodeId,
    stage: usize,
    now: &mut u32,
    worklist: &mut Worklist,
) {
    let Graph { nodes, rules, slots, tensors, uses, .. } = graph;
    let node = &nodes[id];
    let rule = &rules[node.rule as usize];
    let range = node.first as usize..(node.first as usize + node.count as usize);
    let (kind, single_use) = (node.kind, node.single_use);
    let direction = |f: usize| direction(kind, rule, single_use, stage, f);
    let mut changed: smallvec::SmallVec<[SlotId; 4]> = Default::default();
    step(mesh, slots, (id, rule, &tensors[range]), direction, now, |slot| changed.push(slot));
    for slot in changed {
        // Uses come in program order; pushed from the last, the first runs first.
        for &user in uses.of(slot).iter().rev() {
            if user != id {
                worklist.push(user);
            }
        }
    }
}

/// In which direction shardings travel along a factor of a node at a stage. Later stages allow what earlier ones do:
/// 0. through elementwise ops, reshapes and control flow whose operands have no other use;
/// 1. through all of those;
/// 2. along factors that take no communication, through broadcasts only backward;
/// 3. along all factors, through broadcasts only backward;
/// 4. everywhere.
fn direction(kind: NodeKind, rule: &FlowRule, single_use: bool, stage: usize, factor: usize) -> Direction {
    if let NodeKind::Barrier(direction) = kind {
        return direction;
    }
    let first = match rule.flow {
        Flow::Elementwise | Flow::PassThrough => Direction::Both,
        Flow::Forward => Direction::Forward,
        Flow::Broadcast | Flow::Ordinary => Direction::None,
    };
    let later = if rule.flow == Flow::Broadcast { Direction::Backward } else { Direction::Both };
    match stage {
        0 if single_use => first,
        0 => Direction::None,
        1 => first,
        2 if rule.factors[factor].free => first.union(later),
        2 => first,
        3 => later,
        _ => Direction::Both,
    }
}

/// A stack of nodes in which each stands at most once.
struct Worklist {
    stack: Vec<NodeId>,
    waiting: IdVec<NodeId, bool>,
}

impl Worklist {
    fn new(nodes: usize) -> Self {
        Worklist { stack: Vec::new(), waiting: IdVec::filled(false, nodes) }
    }

    fn push(&mut self, id: NodeId) {
        debug_assert!(id.index() < self.waiting.len());
        if !std::mem::replace(&mut self.waiting[id], true) {
            self.stack.push(id);
        }
    }

    fn pop(&mut self) -> Option<NodeId> {
        let id = self.stack.pop()?;
        self.waiting[id] = false;
        Some(id)
    }
}
