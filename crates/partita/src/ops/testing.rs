//! The ops of StableHLO's own tests: checks, and programs run side by side.

use super::def::{Count, OpDef};

pub static EXPECT_ALMOST_EQ: OpDef = OpDef {
    name: "check.expect_almost_eq",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static EXPECT_ALMOST_EQ_CONST: OpDef = OpDef {
    name: "check.expect_almost_eq_const",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static EXPECT_CLOSE: OpDef = OpDef {
    name: "check.expect_close",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static EXPECT_EQ: OpDef = OpDef {
    name: "check.expect_eq",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static EXPECT_EQ_CONST: OpDef = OpDef {
    name: "check.expect_eq_const",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static EXPECT_SERIALIZED_EQ: OpDef = OpDef {
    name: "check.expect_serialized_eq",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static PRINT: OpDef = OpDef {
    name: "interpreter.print",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static PROBE: OpDef = OpDef {
    name: "interpreter.probe",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static RUN_PARALLEL: OpDef = OpDef {
    name: "interpreter.run_parallel",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
