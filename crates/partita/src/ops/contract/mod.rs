//! Contractions: dot products and convolution.

pub(crate) mod convolution;
mod dot;
mod einsum;
mod forms;
mod matmul;
mod wide;

use super::def::{AttrDef, AttrKind, Count, Eval, OpDef, optional, required};
use crate::ir::{EnumKind, names};
use crate::ops::edge::Edge;
use crate::ops::forms::with_attr;
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::ops::unit::Unit;
use crate::ops::{linear, local};
use crate::text::form::Form;

pub(crate) const PRECISION: AttrDef = optional(names::PRECISION_CONFIG, AttrKind::Enums(EnumKind::Precision));

pub static DOT: OpDef = OpDef {
    name: "stablehlo.dot",
    doc: "Dot product of vectors and matrices.",
    form: Form::Custom(forms::parse_dot, forms::print_dot),
    operands: Count::exactly(2),
    attrs: &[PRECISION],
    verify: dot::verify_dot,
    infer: Some(dot::infer_dot),
    eval: Eval::Kernel(dot::eval_dot),
    unit: Unit::Matrix,
    work: dot::dot_work,
    spread: Spread::Rule(sharding::contract::dot, Flow::Ordinary),
    linear: linear::contraction,
    ..OpDef::BASE
};

pub static DOT_GENERAL: OpDef = OpDef {
    name: "stablehlo.dot_general",
    doc: "Dot products over any dimensions of two tensors, for each index of shared batch dimensions.",
    form: Form::Custom(forms::parse_dot_general, forms::print_dot_general),
    operands: Count::exactly(2),
    attrs: &[
        required(names::DOT_DIMENSION_NUMBERS, AttrKind::Dot),
        PRECISION,
        optional(names::ALGORITHM, AttrKind::DotAlgorithm),
    ],
    verify: dot::verify_dot_general,
    infer: Some(dot::infer_dot_general),
    eval: Eval::Kernel(dot::eval_dot_general),
    unit: Unit::Matrix,
    work: dot::dot_general_work,
    spread: Spread::Rule(sharding::contract::dot_general, Flow::Ordinary),
    linear: linear::contraction,
    ..OpDef::BASE
};

pub static EINSUM: OpDef = OpDef {
    name: "stablehlo.einsum",
    doc: "Sum of products of two tensors, with a letter for each dimension.",
    form: with_attr!(Operand, Operand; "config" = names::EINSUM_CONFIG),
    operands: Count::exactly(2),
    attrs: &[required(names::EINSUM_CONFIG, AttrKind::Str)],
    verify: einsum::verify,
    infer: Some(einsum::infer),
    eval: Eval::Kernel(einsum::eval),
    unit: Unit::Matrix,
    work: einsum::work,
    spread: Spread::Rule(sharding::contract::einsum, Flow::Ordinary),
    linear: linear::contraction,
    ..OpDef::BASE
};

pub static UNARY_EINSUM: OpDef = OpDef {
    name: "stablehlo.unary_einsum",
    doc: "Sum over and reordering of dimensions, with a letter for each.",
    form: with_attr!(Operand; "config" = names::EINSUM_CONFIG),
    operands: Count::exactly(1),
    attrs: &[required(names::EINSUM_CONFIG, AttrKind::Str)],
    verify: einsum::verify,
    infer: Some(einsum::infer),
    eval: Eval::Kernel(einsum::eval),
    work: einsum::work,
    spread: Spread::Rule(sharding::contract::einsum, Flow::Ordinary),
    ..OpDef::BASE
};

pub static CONVOLUTION: OpDef = OpDef {
    name: "stablehlo.convolution",
    doc: "Dot products of a kernel with the windows of a tensor.",
    form: Form::Custom(forms::parse_convolution, forms::print_convolution),
    operands: Count::exactly(2),
    attrs: &[
        optional(names::WINDOW_STRIDES, AttrKind::I64s),
        optional(names::PADDING, AttrKind::Elements),
        optional(names::LHS_DILATION, AttrKind::I64s),
        optional(names::RHS_DILATION, AttrKind::I64s),
        optional(names::WINDOW_REVERSAL, AttrKind::Bools),
        required(names::DIMENSION_NUMBERS, AttrKind::Conv),
        required(names::FEATURE_GROUP_COUNT, AttrKind::I64),
        required(names::BATCH_GROUP_COUNT, AttrKind::I64),
        PRECISION,
    ],
    verify: convolution::verify,
    infer: Some(convolution::infer),
    eval: Eval::Kernel(convolution::eval),
    unit: Unit::Matrix,
    work: convolution::work,
    spread: Spread::Rule(sharding::contract::convolution, Flow::Ordinary),
    edge: Edge::Zero,
    linear: linear::contraction,
    localise: local::convolution,
    ..OpDef::BASE
};
