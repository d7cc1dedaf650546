//! In which order nodes run.
//!
//! The worklist is a stack: what a change touches runs next, definitions and early uses first.

use super::NodeId;
use super::graph::{Graph, NodeKind};
use super::rule::FlowRule;
use super::step::{Direction, Scratch, StepNode, step};
use crate::ir::ids::{Id, IdVec};
use crate::ops::Flow;
use crate::sharding::Mesh;

/// How many stages there are: see [`direction`].
const STAGES: usize = 5;

/// Runs everything to the fixed point; gives the number of node runs.
pub(super) fn run(mesh: &Mesh, graph: &mut Graph) -> u64 {
    let mut runner =
        Runner { worklist: Worklist::new(graph.nodes.len()), scratch: Scratch::default(), now: 0, runs: 0 };
    let wakes: Vec<[Wake; 2]> = graph.rules.iter().map(|r| [Wake::of(r, false), Wake::of(r, true)]).collect();
    let priorities = graph.priorities();
    for (round, &priority) in priorities.iter().enumerate() {
        if round > 0 {
            graph.admit(priority);
        }
        for stage in 0..STAGES {
            for id in graph.nodes.ids().rev() {
                let node = &graph.nodes[id];
                let awake = match node.kind {
                    NodeKind::Barrier(_) => stage == 0,
                    _ => wakes[node.rule as usize][usize::from(node.single_use)].at(stage, round > 0),
                };
                if awake {
                    runner.worklist.push(id);
                }
            }
            runner.drain(mesh, graph, stage);
        }
    }
    runner.runs
}

/// Runs every node once more with everything allowed, and tells whether anything changed. Nothing does after
/// [`run`]: tests ask.
#[cfg(test)]
pub(super) fn is_fixed_point(mesh: &Mesh, graph: &mut Graph) -> bool {
    let mut runner =
        Runner { worklist: Worklist::new(graph.nodes.len()), scratch: Scratch::default(), now: 0, runs: 0 };
    graph.nodes.ids().all(|id| {
        runner.run_node(mesh, graph, id, STAGES - 1);
        runner.scratch.changed.is_empty()
    })
}

/// At which stages a node can do something that it could not do at the one before.
#[derive(Clone, Copy)]
struct Wake {
    /// At a stage, if the stages before have run.
    new: [bool; STAGES],
    /// At a stage at all.
    any: [bool; STAGES],
}

impl Wake {
    fn of(rule: &FlowRule, single_use: bool) -> Wake {
        let at = |stage, f| direction(NodeKind::Edge, rule, single_use, stage, f);
        let some = |test: &dyn Fn(usize) -> bool| (0..rule.factors.len()).any(test);
        let any = std::array::from_fn(|stage| some(&|f| at(stage, f) != Direction::None));
        let new = std::array::from_fn(|stage| match stage {
            0 => any[0],
            _ => some(&|f| at(stage, f) != Direction::None && at(stage, f) != at(stage - 1, f)),
        });
        Wake { new, any }
    }

    fn at(self, stage: usize, again: bool) -> bool {
        if again { self.any[stage] } else { self.new[stage] }
    }
}

struct Runner {
    worklist: Worklist,
    scratch: Scratch,
    now: u32,
    runs: u64,
}

impl Runner {
    fn drain(&mut self, mesh: &Mesh, graph: &mut Graph, stage: usize) {
        while let Some(id) = self.worklist.pop() {
            self.runs += 1;
            self.run_node(mesh, graph, id, stage);
            for &slot in &self.scratch.changed {
                // Uses come in program order; pushed from the last, the first runs first.
                for &user in graph.uses.of(slot).iter().rev() {
                    if user != id {
                        self.worklist.push(user);
                    }
                }
            }
        }
    }

    fn run_node(&mut self, mesh: &Mesh, graph: &mut Graph, id: NodeId, stage: usize) {
        let Graph { nodes, rules, slots, tensors, .. } = graph;
        let node = &nodes[id];
        let rule = &rules[node.rule as usize];
        let range = node.first as usize..node.first as usize + node.count as usize;
        let direction = |f: usize| direction(node.kind, rule, node.single_use, stage, f);
        let node = StepNode { id, rule, tensors: &tensors[range] };
        step(mesh, slots, &node, direction, &mut self.now, &mut self.scratch);
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
