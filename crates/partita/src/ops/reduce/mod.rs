//! Reductions, windows, sorting and mapping: ops with a function of scalars.

mod fold;
mod forms;
mod map;
mod reduce_window;
mod select_and_scatter;
mod sort;

use super::def::{AttrKind, Count, Eval, OpDef, optional, required};
use crate::ir::{OpRef, names};
use crate::ops::edge::Edge;
use crate::ops::rule::Rule;
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::ops::unit::Unit;
use crate::ops::{linear, local, ordered};
use crate::text::form::Form;

pub static MAP: OpDef = OpDef {
    name: "stablehlo.map",
    doc: "A function of scalars for each element.",
    operands: Count::at_least(1),
    regions: Count::exactly(1),
    attrs: &[required(names::DIMENSIONS, AttrKind::I64s)],
    verify: map::verify,
    infer: Some(map::infer),
    eval: Eval::Regions(map::eval),
    unit: Unit::Elements,
    work: map::work,
    spread: Spread::Rule(Rule::pointwise, Flow::Elementwise),
    ..OpDef::BASE
};

pub static REDUCE: OpDef = OpDef {
    name: "stablehlo.reduce",
    doc: "Folds some dimensions with a function of two values.",
    form: Form::Custom(forms::parse_reduce, forms::print_reduce),
    operands: Count::at_least(2),
    results: Count::at_least(1),
    regions: Count::exactly(1),
    attrs: &[required(names::DIMENSIONS, AttrKind::I64s)],
    verify: fold::verify,
    infer: Some(fold::infer),
    eval: Eval::Regions(fold::eval),
    unit: Unit::Fold,
    work: fold::work,
    spread: Spread::Rule(sharding::reduce::reduce, Flow::Ordinary),
    linear: linear::folds,
    ..OpDef::BASE
};

pub static REDUCE_WINDOW: OpDef = OpDef {
    name: "stablehlo.reduce_window",
    doc: "Folds each window with a function of two values.",
    operands: Count::at_least(2),
    results: Count::at_least(1),
    regions: Count::exactly(1),
    attrs: &[
        required(names::WINDOW_DIMENSIONS, AttrKind::I64s),
        optional(names::WINDOW_STRIDES, AttrKind::I64s),
        optional(names::BASE_DILATIONS, AttrKind::I64s),
        optional(names::WINDOW_DILATIONS, AttrKind::I64s),
        optional(names::PADDING, AttrKind::Elements),
    ],
    verify: reduce_window::verify,
    infer: Some(reduce_window::infer),
    eval: Eval::Regions(reduce_window::eval),
    work: reduce_window::work,
    spread: Spread::Rule(sharding::reduce::reduce_window, Flow::Ordinary),
    edge: Edge::Initial,
    localise: local::reduce_window,
    ordered: ordered::windows,
    linear: linear::folds,
    ..OpDef::BASE
};

pub static SELECT_AND_SCATTER: OpDef = OpDef {
    name: "stablehlo.select_and_scatter",
    doc: "Selects an element of each window and adds a value to it: the gradient of pooling.",
    operands: Count::exactly(3),
    regions: Count::exactly(2),
    attrs: &[
        optional(names::WINDOW_DIMENSIONS, AttrKind::I64s),
        optional(names::WINDOW_STRIDES, AttrKind::I64s),
        optional(names::PADDING, AttrKind::Elements),
    ],
    verify: select_and_scatter::verify,
    infer: Some(select_and_scatter::infer),
    eval: Eval::Regions(select_and_scatter::eval),
    work: select_and_scatter::work,
    spread: Spread::Rule(sharding::reduce::select_and_scatter, Flow::Ordinary),
    edge: Edge::Nearest,
    adds_to: Some(2),
    localise: local::select_and_scatter,
    ..OpDef::BASE
};

pub static SORT: OpDef = OpDef {
    name: "stablehlo.sort",
    doc: "Sorts tensors together along a dimension.",
    operands: Count::at_least(1),
    results: Count::at_least(1),
    regions: Count::exactly(1),
    attrs: &[optional(names::DIMENSION, AttrKind::I64), optional(names::IS_STABLE, AttrKind::Bool)],
    verify: sort::verify,
    infer: Some(sort::infer),
    eval: Eval::Regions(sort::eval),
    work: sort::work,
    spread: Spread::Rule(sharding::reduce::sort, Flow::Ordinary),
    ..OpDef::BASE
};

/// How many operations a region has besides its terminator.
fn body_ops(op: OpRef<'_>, n: usize) -> f64 {
    op.region(n).ops.len().saturating_sub(1) as f64
}
