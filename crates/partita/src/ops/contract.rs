//! Contractions: dot products and convolution.

use super::def::{Count, OpDef};

pub static DOT: OpDef = OpDef { name: "stablehlo.dot", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static DOT_GENERAL: OpDef =
    OpDef { name: "stablehlo.dot_general", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static EINSUM: OpDef =
    OpDef { name: "stablehlo.einsum", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static CONVOLUTION: OpDef =
    OpDef { name: "stablehlo.convolution", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static UNARY_EINSUM: OpDef =
    OpDef { name: "stablehlo.unary_einsum", doc: "", operands: Count::exactly(1), ..OpDef::BASE };
