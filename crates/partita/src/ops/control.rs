//! Control flow, tuples, tokens and barriers.

use super::def::{Count, OpDef, Traits};

pub static AFTER_ALL: OpDef = OpDef {
    name: "stablehlo.after_all",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static CASE: OpDef = OpDef {
    name: "stablehlo.case",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static CREATE_TOKEN: OpDef = OpDef {
    name: "stablehlo.create_token",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static GET_TUPLE_ELEMENT: OpDef = OpDef {
    name: "stablehlo.get_tuple_element",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static IF: OpDef = OpDef {
    name: "stablehlo.if",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static OPTIMIZATION_BARRIER: OpDef = OpDef {
    name: "stablehlo.optimization_barrier",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static RETURN: OpDef = OpDef {
    name: "stablehlo.return",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    traits: Traits { terminator: true, effect: false, commutative: false },
    ..OpDef::BASE
};

pub static TUPLE: OpDef = OpDef {
    name: "stablehlo.tuple",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static WHILE: OpDef = OpDef {
    name: "stablehlo.while",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
