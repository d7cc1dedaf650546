//! Reductions, windows, sorting and mapping: ops with a function of scalars.

use super::def::{Count, OpDef};

pub static MAP: OpDef = OpDef {
    name: "stablehlo.map",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static REDUCE: OpDef = OpDef {
    name: "stablehlo.reduce",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static REDUCE_WINDOW: OpDef = OpDef {
    name: "stablehlo.reduce_window",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static SELECT_AND_SCATTER: OpDef = OpDef {
    name: "stablehlo.select_and_scatter",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static SORT: OpDef = OpDef {
    name: "stablehlo.sort",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
