//! Lookups: gather and scatter.

use super::def::{Count, OpDef};

pub static GATHER: OpDef = OpDef {
    name: "stablehlo.gather",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static SCATTER: OpDef = OpDef {
    name: "stablehlo.scatter",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static TORCH_INDEX_SELECT: OpDef = OpDef {
    name: "stablehlo.torch_index_select",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
