//! Dimensions along which the order of elements matters: what an op makes of the one that its rule calls a scan.

use super::rule::Combine;
use super::sharding;
use crate::ir::OpRef;

/// What an op makes of a scanned dimension.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ordered {
    /// Nothing that shards could do their part of: such a dimension is not split.
    Unknown,
    /// The results combine the elements up to each place, from the first on or, backward, from the last.
    Running {
        /// How they are combined.
        combine: Combine,
        /// Whether from the last element on.
        backward: bool,
    },
    /// The first results are the elements that rank highest, in order, and the second ones their places. Of equal elements the one
    /// that stands first ranks higher; floats rank in IEEE 754's total order.
    Ranked {
        /// Whether the largest rank highest.
        largest: bool,
    },
    /// As many operands as there are results are ranked together, by the first of them; the results are what ranks highest, in order,
    /// and of equal elements the one that stands first. As many scalars follow, which rank below everything.
    RankedTogether,
}

/// What a row says of the scanned dimension of an op.
pub type Ordering = fn(OpRef<'_>) -> Ordered;

/// Nothing is known of it.
pub fn unknown(_: OpRef<'_>) -> Ordered {
    Ordered::Unknown
}

/// The largest elements come first.
pub fn largest(_: OpRef<'_>) -> Ordered {
    Ordered::Ranked { largest: true }
}

/// Windows that end at each place, or start there, and are as long as the dimension.
pub fn windows(op: OpRef<'_>) -> Ordered {
    let found = (0..op.operand_tensor(0).rank()).find_map(|dim| sharding::reduce::running(op, dim));
    let combine = sharding::combine(op).unwrap_or(Combine::Region);
    match found {
        Some(direction) => Ordered::Running { combine, backward: direction == Direction::Backward },
        None => Ordered::Unknown,
    }
}

/// From which end a dimension is run along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the first element on.
    Forward,
    /// From the last element on.
    Backward,
}
