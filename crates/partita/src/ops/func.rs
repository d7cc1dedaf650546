//! Calls and returns.

use super::def::{Count, OpDef, Traits};

pub static CALL: OpDef = OpDef {
    name: "func.call",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static RETURN: OpDef = OpDef {
    name: "func.return",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    traits: Traits { terminator: true, effect: false, commutative: false },
    ..OpDef::BASE
};
