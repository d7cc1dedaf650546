//! Random numbers.

use super::def::{Count, OpDef};

pub static RNG: OpDef = OpDef {
    name: "stablehlo.rng",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static RNG_BIT_GENERATOR: OpDef = OpDef {
    name: "stablehlo.rng_bit_generator",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
