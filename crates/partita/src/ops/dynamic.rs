//! Ops whose parameters are operands; they run where their types are static.

use super::def::{Count, OpDef};

pub static DYNAMIC_BROADCAST_IN_DIM: OpDef = OpDef {
    name: "stablehlo.dynamic_broadcast_in_dim",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static DYNAMIC_CONV: OpDef = OpDef {
    name: "stablehlo.dynamic_conv",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static DYNAMIC_GATHER: OpDef = OpDef {
    name: "stablehlo.dynamic_gather",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static DYNAMIC_IOTA: OpDef = OpDef {
    name: "stablehlo.dynamic_iota",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static DYNAMIC_PAD: OpDef = OpDef {
    name: "stablehlo.dynamic_pad",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static DYNAMIC_RESHAPE: OpDef = OpDef {
    name: "stablehlo.dynamic_reshape",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static REAL_DYNAMIC_SLICE: OpDef = OpDef {
    name: "stablehlo.real_dynamic_slice",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
