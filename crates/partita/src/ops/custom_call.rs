//! Calls of code outside the program, and composites.

use super::def::{Count, OpDef};

pub static COMPOSITE: OpDef = OpDef {
    name: "stablehlo.composite",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static CUSTOM_CALL: OpDef = OpDef {
    name: "stablehlo.custom_call",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
