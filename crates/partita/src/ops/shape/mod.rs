//! Ops that make tensors and move elements about without computing: shapes, slices, padding.

pub(crate) mod bitcast;
pub(crate) mod broadcast;
pub(crate) mod concatenate;
pub(crate) mod create;
pub(crate) mod pad;
pub(crate) mod permute;
pub(crate) mod size;
pub(crate) mod slice;

use super::def::{AttrKind, Count, Eval, OpDef, Traits, no_work, required, result_work};
use super::forms;
use crate::ir::names;
use crate::ops::edge::Edge;
use crate::ops::forms::with_attr;
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::ops::unit::Unit;
use crate::ops::{linear, local, lookup};
use crate::text::form::Piece::{Attr, AttrDict, Lit, Operand, OperandsComma};
use crate::text::form::{Form, Piece, Types};

pub static CONSTANT: OpDef = OpDef {
    name: "stablehlo.constant",
    doc: "A tensor that is known when the program is written.",
    form: Form::Custom(create::parse_constant, create::print_constant),
    attrs: &[required(names::VALUE, AttrKind::Elements)],
    infer: Some(create::infer_constant),
    eval: Eval::Kernel(create::eval_constant),
    unit: Unit::Nowhere,
    spread: Spread::Constant,
    ..OpDef::BASE
};

pub static IOTA: OpDef = OpDef {
    name: "stablehlo.iota",
    doc: "Each element is its own index in one dimension.",
    form: Form::Pieces(&[
        Lit("dim = "),
        Attr(names::IOTA_DIMENSION),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Results),
    ]),
    attrs: &[required(names::IOTA_DIMENSION, AttrKind::I64)],
    verify: create::verify_iota,
    eval: Eval::Kernel(create::eval_iota),
    unit: Unit::Elements,
    spread: Spread::Constant,
    ..OpDef::BASE
};

pub static BITCAST_CONVERT: OpDef = OpDef {
    name: "stablehlo.bitcast_convert",
    doc: "The same bits read as another element type.",
    form: forms::FUNCTION,
    operands: Count::exactly(1),
    verify: bitcast::verify,
    eval: Eval::Kernel(bitcast::eval),
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::bitcast_convert, Flow::Ordinary),
    traits: Traits { format: true, ..Traits::NONE },
    ..OpDef::BASE
};

pub static BROADCAST: OpDef = OpDef {
    name: "stablehlo.broadcast",
    doc: "Copies of a tensor along new leading dimensions.",
    form: with_attr!(Operand; "sizes" = names::BROADCAST_SIZES),
    operands: Count::exactly(1),
    attrs: &[required(names::BROADCAST_SIZES, AttrKind::I64s)],
    infer: Some(broadcast::infer_broadcast),
    eval: Eval::Kernel(broadcast::eval_broadcast),
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::broadcast, Flow::Broadcast),
    linear: linear::moves_first,
    localise: local::broadcast,
    ..OpDef::BASE
};

pub static BROADCAST_IN_DIM: OpDef = OpDef {
    name: "stablehlo.broadcast_in_dim",
    doc: "A tensor repeated along new or unit dimensions.",
    form: with_attr!(Operand; "dims" = names::BROADCAST_DIMENSIONS),
    operands: Count::exactly(1),
    attrs: &[required(names::BROADCAST_DIMENSIONS, AttrKind::I64s)],
    verify: broadcast::verify_in_dim,
    eval: Eval::Kernel(broadcast::eval_in_dim),
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::broadcast_in_dim, Flow::Broadcast),
    linear: linear::moves_first,
    ..OpDef::BASE
};

pub static GET_DIMENSION_SIZE: OpDef = OpDef {
    name: "stablehlo.get_dimension_size",
    doc: "The size of one dimension.",
    form: with_attr!(Operand; "dim" = names::DIMENSION),
    operands: Count::exactly(1),
    attrs: &[required(names::DIMENSION, AttrKind::I64)],
    infer: Some(size::infer_get),
    eval: Eval::Kernel(size::eval_get),
    unit: Unit::Nowhere,
    work: no_work,
    spread: Spread::Nothing,
    ..OpDef::BASE
};

pub static SET_DIMENSION_SIZE: OpDef = OpDef {
    name: "stablehlo.set_dimension_size",
    doc: "A tensor cut to a size in one dimension.",
    form: with_attr!(Operand, Operand; "dim" = names::DIMENSION),
    operands: Count::exactly(2),
    attrs: &[required(names::DIMENSION, AttrKind::I64)],
    verify: size::verify_set,
    eval: Eval::Kernel(size::eval_set),
    spread: Spread::Rule(sharding::shape::set_dimension_size, Flow::Ordinary),
    ..OpDef::BASE
};

pub static RESHAPE: OpDef = OpDef {
    name: "stablehlo.reshape",
    doc: "The same elements in the same order under another shape.",
    form: forms::FUNCTION,
    operands: Count::exactly(1),
    verify: permute::verify_reshape,
    eval: Eval::Kernel(permute::eval_reshape),
    unit: Unit::Nowhere,
    spread: Spread::Rule(sharding::shape::reshape, Flow::PassThrough),
    linear: linear::moves_first,
    ..OpDef::BASE
};

pub static REVERSE: OpDef = OpDef {
    name: "stablehlo.reverse",
    doc: "The elements in reverse order along some dimensions.",
    form: Form::Pieces(&[
        Operand,
        Lit(", dims = "),
        Attr(names::DIMENSIONS),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Same),
    ]),
    operands: Count::exactly(1),
    attrs: &[required(names::DIMENSIONS, AttrKind::I64s)],
    infer: Some(permute::infer_reverse),
    eval: Eval::Kernel(permute::eval_reverse),
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::reverse, Flow::Ordinary),
    edge: Edge::Nothing,
    linear: linear::moves_first,
    ..OpDef::BASE
};

pub static TRANSPOSE: OpDef = OpDef {
    name: "stablehlo.transpose",
    doc: "The dimensions in another order.",
    form: with_attr!(Operand; "dims" = names::PERMUTATION),
    operands: Count::exactly(1),
    attrs: &[required(names::PERMUTATION, AttrKind::I64s)],
    infer: Some(permute::infer_transpose),
    eval: Eval::Kernel(permute::eval_transpose),
    unit: Unit::Nowhere,
    spread: Spread::Rule(sharding::shape::transpose, Flow::PassThrough),
    linear: linear::moves_first,
    ..OpDef::BASE
};

pub static SLICE: OpDef = OpDef {
    name: "stablehlo.slice",
    doc: "A box of elements, perhaps with steps.",
    form: Form::Custom(slice::parse_slice, slice::print_slice),
    operands: Count::exactly(1),
    attrs: &[
        required(names::START_INDICES, AttrKind::I64s),
        required(names::LIMIT_INDICES, AttrKind::I64s),
        required(names::STRIDES, AttrKind::I64s),
    ],
    infer: Some(slice::infer_slice),
    eval: Eval::Kernel(slice::eval_slice),
    unit: Unit::Elements,
    work: result_work,
    spread: Spread::Rule(sharding::shape::slice, Flow::Ordinary),
    edge: Edge::Nothing,
    linear: linear::moves_first,
    localise: local::slice,
    ..OpDef::BASE
};

pub static DYNAMIC_SLICE: OpDef = OpDef {
    name: "stablehlo.dynamic_slice",
    doc: "A box of elements from an index that is computed.",
    form: Form::Pieces(&[
        Operand,
        Lit(", "),
        OperandsComma,
        Lit("sizes = "),
        Attr(names::SLICE_SIZES),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Function),
    ]),
    operands: Count::at_least(1),
    attrs: &[required(names::SLICE_SIZES, AttrKind::I64s)],
    infer: Some(slice::infer_dynamic_slice),
    eval: Eval::Kernel(slice::eval_dynamic_slice),
    unit: Unit::Elements,
    work: result_work,
    spread: Spread::Rule(sharding::shape::dynamic_slice, Flow::Forward),
    lookups: lookup::dynamic_slice,
    linear: linear::moves_first,
    localise: local::dynamic_slice,
    ..OpDef::BASE
};

pub static DYNAMIC_UPDATE_SLICE: OpDef = OpDef {
    name: "stablehlo.dynamic_update_slice",
    doc: "A tensor with a box of elements replaced, from an index that is computed.",
    form: forms::FUNCTION,
    operands: Count::at_least(2),
    infer: Some(slice::infer_dynamic_update_slice),
    eval: Eval::Kernel(slice::eval_dynamic_update_slice),
    work: slice::update_work,
    spread: Spread::Rule(sharding::shape::dynamic_update_slice, Flow::Forward),
    lookups: lookup::dynamic_update_slice,
    edge: Edge::Kept,
    linear: linear::moves_two,
    ..OpDef::BASE
};

pub static PAD: OpDef = OpDef {
    name: "stablehlo.pad",
    doc: "A tensor with more elements, or fewer, around and between its own.",
    form: Form::Pieces(&[
        Operand,
        Lit(", "),
        Operand,
        Lit(", low = "),
        Attr(names::EDGE_PADDING_LOW),
        Lit(", high = "),
        Attr(names::EDGE_PADDING_HIGH),
        Lit(", interior = "),
        Attr(names::INTERIOR_PADDING),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Function),
    ]),
    operands: Count::exactly(2),
    attrs: &[
        required(names::EDGE_PADDING_LOW, AttrKind::I64s),
        required(names::EDGE_PADDING_HIGH, AttrKind::I64s),
        required(names::INTERIOR_PADDING, AttrKind::I64s),
    ],
    infer: Some(pad::infer),
    eval: Eval::Kernel(pad::eval),
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::pad, Flow::Ordinary),
    edge: Edge::Operand(1),
    localise: local::pad,
    linear: linear::moves_two,
    ..OpDef::BASE
};

pub static CONCATENATE: OpDef = OpDef {
    name: "stablehlo.concatenate",
    doc: "Tensors one after another along a dimension.",
    form: Form::Pieces(&[
        OperandsComma,
        Lit("dim = "),
        Attr(names::DIMENSION),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Function),
    ]),
    operands: Count::at_least(1),
    attrs: &[required(names::DIMENSION, AttrKind::I64)],
    infer: Some(concatenate::infer),
    eval: Eval::Kernel(concatenate::eval),
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::concatenate, Flow::Ordinary),
    edge: Edge::Others,
    linear: linear::moves_all,
    ..OpDef::BASE
};
