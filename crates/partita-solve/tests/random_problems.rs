//! Small random problems, compared with trying everything.

use partita_solve::{Edge, FORBIDDEN, Limits, Node, Problem, StopReason, solve};

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn random_problem(numbers: &mut Numbers) -> Problem {
    let cost = |numbers: &mut Numbers, forbidden: u64| match numbers.below(10) {
        n if n < forbidden => FORBIDDEN,
        n if n < 6 => 0,
        _ => numbers.below(50) as i64,
    };
    let count = 1 + numbers.below(7);
    let nodes: Vec<Node> = (0..count)
        .map(|_| {
            let strategies = 1 + numbers.below(4);
            let from = numbers.below(8) as u32;
            Node {
                interval: (from, from + numbers.below(5) as u32),
                costs: (0..strategies).map(|_| cost(numbers, 1)).collect(),
                usages: (0..strategies).map(|_| numbers.below(20) as i64).collect(),
            }
        })
        .collect();
    let edges = (0..numbers.below(2 * count))
        .map(|_| {
            let (u, v) = (numbers.below(count) as usize, numbers.below(count) as usize);
            let entries = nodes[u].costs.len() * nodes[v].costs.len();
            Edge { nodes: (u as u32, v as u32), costs: (0..entries).map(|_| cost(numbers, 3)).collect() }
        })
        .collect();
    Problem::new(nodes, edges, 10 + numbers.below(40) as i64).expect("well formed")
}

/// The least cost of any solution, and the least excess over the limit of any choice without something forbidden.
fn try_everything(problem: &Problem) -> (Option<i128>, Option<i128>) {
    let mut choice = vec![0u32; problem.nodes().len()];
    let mut least_cost: Option<i128> = None;
    let mut least_excess: Option<i128> = None;
    loop {
        let evaluation = problem.evaluate(&choice);
        if !evaluation.forbidden {
            let excess = (evaluation.peak_usage - i128::from(problem.usage_limit())).max(0);
            least_excess = Some(least_excess.map_or(excess, |least| least.min(excess)));
        }
        if problem.is_feasible(&evaluation) {
            least_cost = Some(least_cost.map_or(evaluation.cost, |least| least.min(evaluation.cost)));
        }
        let Some(node) =
            (0..choice.len()).find(|&n| (choice[n] as usize) + 1 < problem.nodes()[n].costs.len())
        else {
            return (least_cost, least_excess);
        };
        choice[node] += 1;
        choice[..node].fill(0);
    }
}

#[test]
fn small_problems_are_solved_exactly() {
    let mut numbers = Numbers(1);
    let mut kinds = [0; 3];
    for index in 0..3000 {
        let problem = random_problem(&mut numbers);
        let (least_cost, least_excess) = try_everything(&problem);
        let outcome = solve(&problem, Limits { moves: Some(10), ..Limits::default() }, |_| {});
        match least_cost {
            Some(cost) => {
                kinds[0] += 1;
                assert!(outcome.feasible, "problem {index} has a solution: {problem:?}");
                assert_eq!(outcome.cost, cost, "problem {index}: {problem:?}");
                assert_eq!(outcome.lower_bound, cost, "problem {index}: {problem:?}");
                assert_eq!(outcome.stop_reason, StopReason::Optimal, "problem {index}");
            }
            None => {
                kinds[1 + usize::from(least_excess.is_some())] += 1;
                assert!(!outcome.feasible);
                assert_eq!(outcome.stop_reason, StopReason::Infeasible, "problem {index}: {problem:?}");
                let evaluation = problem.evaluate(&outcome.solution);
                assert_eq!(evaluation.forbidden, least_excess.is_none(), "problem {index}: {problem:?}");
            }
        }
    }
    assert!(kinds.iter().all(|&count| count > 100), "all kinds of problems occur: {kinds:?}");
}

#[test]
fn the_same_seed_gives_the_same_solution() {
    let mut numbers = Numbers(9);
    for seed in 0..20 {
        let problem = random_problem(&mut numbers);
        let run = || {
            let limits = Limits { moves: Some(50), seed, ..Limits::default() };
            solve(&problem, limits, |_| {}).solution
        };
        assert_eq!(run(), run());
    }
}
