//! The ops of Shardy.

use super::def::{Count, OpDef, Traits};

pub static ALL_GATHER: OpDef = OpDef {
    name: "sdy.all_gather",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static ALL_REDUCE: OpDef = OpDef {
    name: "sdy.all_reduce",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static ALL_SLICE: OpDef = OpDef {
    name: "sdy.all_slice",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static ALL_TO_ALL: OpDef = OpDef {
    name: "sdy.all_to_all",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static COLLECTIVE_PERMUTE: OpDef = OpDef {
    name: "sdy.collective_permute",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static CONSTANT: OpDef = OpDef {
    name: "sdy.constant",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static DATA_FLOW_EDGE: OpDef = OpDef {
    name: "sdy.data_flow_edge",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static FUNC_DATA_FLOW_EDGE: OpDef = OpDef {
    name: "sdy.func_data_flow_edge",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static MANUAL_COMPUTATION: OpDef = OpDef {
    name: "sdy.manual_computation",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static NAMED_COMPUTATION: OpDef = OpDef {
    name: "sdy.named_computation",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static PROPAGATION_BARRIER: OpDef = OpDef {
    name: "sdy.propagation_barrier",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static REDUCE_SCATTER: OpDef = OpDef {
    name: "sdy.reduce_scatter",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static REPLICATED_TO_UNREDUCED: OpDef = OpDef {
    name: "sdy.replicated_to_unreduced",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static RESHARD: OpDef = OpDef {
    name: "sdy.reshard",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static RETURN: OpDef = OpDef {
    name: "sdy.return",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    traits: Traits { terminator: true, effect: false, commutative: false },
    ..OpDef::BASE
};

pub static SHARDED_TO_UNREDUCED: OpDef = OpDef {
    name: "sdy.sharded_to_unreduced",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static SHARDING_CONSTRAINT: OpDef = OpDef {
    name: "sdy.sharding_constraint",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static SHARDING_GROUP: OpDef = OpDef {
    name: "sdy.sharding_group",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
