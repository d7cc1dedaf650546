//! The ops of CHLO that JAX emits: functions that StableHLO expands into many ops.

mod broadcast;
mod compare;
mod constant;
mod functions;
mod ragged_dot;
mod scan;
mod top_k;

pub(crate) use broadcast::*;
pub(crate) use constant::*;
pub(crate) use functions::*;
pub(crate) use ragged_dot::RAGGED_DOT;
pub(crate) use scan::SCAN;
pub(crate) use top_k::{TOP_K, Wanted, ordered};
