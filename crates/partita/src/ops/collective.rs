//! Communication between devices and with the host.

use super::def::{Count, OpDef};

pub static ALL_GATHER: OpDef = OpDef {
    name: "stablehlo.all_gather",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static ALL_REDUCE: OpDef = OpDef {
    name: "stablehlo.all_reduce",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static ALL_TO_ALL: OpDef = OpDef {
    name: "stablehlo.all_to_all",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static ASYNC_DONE: OpDef = OpDef {
    name: "stablehlo.async_done",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static ASYNC_START: OpDef = OpDef {
    name: "stablehlo.async_start",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static COLLECTIVE_BROADCAST: OpDef = OpDef {
    name: "stablehlo.collective_broadcast",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static COLLECTIVE_PERMUTE: OpDef = OpDef {
    name: "stablehlo.collective_permute",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static INFEED: OpDef = OpDef {
    name: "stablehlo.infeed",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static OUTFEED: OpDef = OpDef {
    name: "stablehlo.outfeed",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static PARTITION_ID: OpDef = OpDef {
    name: "stablehlo.partition_id",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static RECV: OpDef = OpDef {
    name: "stablehlo.recv",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static REDUCE_SCATTER: OpDef = OpDef {
    name: "stablehlo.reduce_scatter",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static REPLICA_ID: OpDef = OpDef {
    name: "stablehlo.replica_id",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static SEND: OpDef = OpDef {
    name: "stablehlo.send",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
