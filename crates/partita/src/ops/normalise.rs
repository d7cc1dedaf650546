//! Batch normalisation.

use super::def::{Count, OpDef};
use super::sharding;
use super::spread::{Flow, Spread};

pub static BATCH_NORM_GRAD: OpDef = OpDef {
    name: "stablehlo.batch_norm_grad",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    spread: Spread::Rule(sharding::reduce::batch_norm, Flow::Ordinary),
    ..OpDef::BASE
};

pub static BATCH_NORM_INFERENCE: OpDef = OpDef {
    name: "stablehlo.batch_norm_inference",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    spread: Spread::Rule(sharding::reduce::batch_norm_inference, Flow::Ordinary),
    ..OpDef::BASE
};

pub static BATCH_NORM_TRAINING: OpDef = OpDef {
    name: "stablehlo.batch_norm_training",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    spread: Spread::Rule(sharding::reduce::batch_norm, Flow::Ordinary),
    ..OpDef::BASE
};
