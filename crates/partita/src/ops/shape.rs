//! Ops that move elements about without computing: shapes, slices, padding.

use super::def::{Count, OpDef};

pub static CONSTANT: OpDef =
    OpDef { name: "stablehlo.constant", doc: "", operands: Count::exactly(0), ..OpDef::BASE };

pub static IOTA: OpDef =
    OpDef { name: "stablehlo.iota", doc: "", operands: Count::exactly(0), ..OpDef::BASE };

pub static BITCAST_CONVERT: OpDef =
    OpDef { name: "stablehlo.bitcast_convert", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static BROADCAST: OpDef =
    OpDef { name: "stablehlo.broadcast", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static BROADCAST_IN_DIM: OpDef =
    OpDef { name: "stablehlo.broadcast_in_dim", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static GET_DIMENSION_SIZE: OpDef =
    OpDef { name: "stablehlo.get_dimension_size", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static RESHAPE: OpDef =
    OpDef { name: "stablehlo.reshape", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static REVERSE: OpDef =
    OpDef { name: "stablehlo.reverse", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static SLICE: OpDef =
    OpDef { name: "stablehlo.slice", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static TRANSPOSE: OpDef =
    OpDef { name: "stablehlo.transpose", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static PAD: OpDef = OpDef { name: "stablehlo.pad", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static SET_DIMENSION_SIZE: OpDef =
    OpDef { name: "stablehlo.set_dimension_size", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static CONCATENATE: OpDef = OpDef {
    name: "stablehlo.concatenate",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static DYNAMIC_SLICE: OpDef = OpDef {
    name: "stablehlo.dynamic_slice",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static DYNAMIC_UPDATE_SLICE: OpDef = OpDef {
    name: "stablehlo.dynamic_update_slice",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
