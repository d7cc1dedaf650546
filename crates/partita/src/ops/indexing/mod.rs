//! Lookups: gather and scatter.

pub(crate) mod gather;
mod scatter;
mod torch;
pub(crate) mod windows;

use super::def::{AttrKind, Count, Eval, OpDef, optional, required};
use crate::ir::names;
use crate::ops::edge::Edge;
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::ops::{linear, local, lookup};

pub static GATHER: OpDef = OpDef {
    name: "stablehlo.gather",
    doc: "Windows of a tensor from indices that are computed.",
    operands: Count::exactly(2),
    attrs: &[
        required(names::DIMENSION_NUMBERS, AttrKind::Gather),
        required(names::SLICE_SIZES, AttrKind::I64s),
        optional(names::INDICES_ARE_SORTED, AttrKind::Bool),
    ],
    infer: Some(gather::infer),
    eval: Eval::Kernel(gather::eval),
    work: gather::work,
    spread: Spread::Rule(sharding::indexing::gather, Flow::Ordinary),
    lookups: lookup::gather,
    linear: linear::moves_first,
    localise: local::gather,
    ..OpDef::BASE
};

pub static SCATTER: OpDef = OpDef {
    name: "stablehlo.scatter",
    doc: "Tensors with windows combined with updates, at indices that are computed.",
    operands: Count::at_least(3),
    results: Count::at_least(1),
    regions: Count::exactly(1),
    attrs: &[
        required(names::SCATTER_DIMENSION_NUMBERS, AttrKind::Scatter),
        optional(names::INDICES_ARE_SORTED, AttrKind::Bool),
        optional(names::UNIQUE_INDICES, AttrKind::Bool),
    ],
    infer: Some(scatter::infer),
    eval: Eval::Regions(scatter::eval),
    work: scatter::work,
    spread: Spread::Rule(sharding::indexing::scatter, Flow::Ordinary),
    lookups: lookup::scatter,
    edge: Edge::Kept,
    linear: linear::scatters,
    ..OpDef::BASE
};

pub static TORCH_INDEX_SELECT: OpDef = OpDef {
    name: "stablehlo.torch_index_select",
    doc: "Slices of a tensor along one dimension, chosen by indices.",
    operands: Count::exactly(2),
    attrs: &[required(names::DIM, AttrKind::I64), required(names::BATCH_DIMS, AttrKind::I64)],
    infer: Some(torch::infer),
    eval: Eval::Kernel(torch::eval),
    work: gather::work,
    spread: Spread::Rule(sharding::indexing::torch_index_select, Flow::Ordinary),
    ..OpDef::BASE
};
