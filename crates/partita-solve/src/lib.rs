//! Picks one strategy per node of a graph so that the sum of node and edge costs is least, while at no time more memory is
//! held than there is.
//!
//! ```
//! use partita_solve::{Edge, Limits, Node, Problem, solve};
//!
//! let node = |costs: [i64; 2], usages: [i64; 2]| Node { interval: (0, 1), costs: costs.into(), usages: usages.into() };
//! let nodes = vec![node([0, 5], [8, 1]), node([0, 3], [8, 1])];
//! let edges = vec![Edge { nodes: (0, 1), costs: vec![0, 1, 1, 0] }];
//! let problem = Problem::new(nodes, edges, 10)?;
//! let outcome = solve(&problem, Limits { moves: Some(100), ..Limits::default() }, |_| {});
//! assert_eq!((outcome.cost, outcome.lower_bound, outcome.solution), (4, 4, vec![0, 1]));
//! # Ok::<(), partita_solve::Malformed>(())
//! ```

mod branch;
mod closest;
mod dual;
mod forest;
mod json;
mod local;
mod model;
mod prices;
mod problem;
mod project;
mod random;
mod read;
mod reduce;
mod repair;
mod solve;
mod state;
mod timeline;

pub use problem::{Edge, Evaluation, FORBIDDEN, Malformed, Node, Problem};
pub use read::{Unreadable, read};
pub use solve::{Limits, Outcome, Progress, StopReason, solve};
