//! How shardings of an op's operands and results belong together.

use super::def::OpError;
use super::rule::Rule;
use crate::ir::OpRef;

/// How shardings of an op's operands and results belong together.
#[derive(Clone, Copy)]
pub enum Spread {
    /// By a rule over factors.
    Rule(fn(OpRef<'_>) -> Result<Rule, OpError>, Flow),
    /// Not at all: every dimension is whole, for the reason given.
    Whole(&'static str),
    /// It depends on no operand: each use of it has a sharding of its own.
    Constant,
    /// Each result has the sharding of the operand at its place.
    Pairs,
    /// A loop: operands, arguments of its regions, what its body returns and results, place by place.
    Loop,
    /// What its regions return and the results, place by place.
    Branches,
    /// Operands and the arguments of its region, what that returns and the results.
    Region,
    /// As a region whose inside is local along some axes.
    Manual,
    /// The result has the sharding that the op names.
    Constraint,
    /// Members of one group have one sharding.
    Group,
    /// The sharding passes in one direction only.
    Barrier,
    /// There is nothing to shard: tokens, effects, returns.
    Nothing,
}

/// How eagerly shardings travel through an op with a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Elementwise: first, in both directions.
    Elementwise,
    /// Reshapes, transpositions and edges of control flow: first, in both directions.
    PassThrough,
    /// Slices at computed places: first, but only from operands to results.
    Forward,
    /// Broadcasts: last, and from the result to the operand before the other way.
    Broadcast,
    /// Everything else.
    Ordinary,
}
