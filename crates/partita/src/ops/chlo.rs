//! The ops of CHLO that JAX emits: functions that StableHLO expands.

use super::def::{Count, OpDef};

pub static ASIN_ACOS_KERNEL: OpDef =
    OpDef { name: "chlo._asin_acos_kernel", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ACOS: OpDef = OpDef { name: "chlo.acos", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ACOSH: OpDef = OpDef { name: "chlo.acosh", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ASIN: OpDef = OpDef { name: "chlo.asin", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ASINH: OpDef = OpDef { name: "chlo.asinh", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ATAN: OpDef = OpDef { name: "chlo.atan", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ATANH: OpDef = OpDef { name: "chlo.atanh", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static BESSEL_I1E: OpDef =
    OpDef { name: "chlo.bessel_i1e", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static CONJ: OpDef = OpDef { name: "chlo.conj", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static CONSTANT_LIKE: OpDef =
    OpDef { name: "chlo.constant_like", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static COSH: OpDef = OpDef { name: "chlo.cosh", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static DIGAMMA: OpDef =
    OpDef { name: "chlo.digamma", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ERF: OpDef = OpDef { name: "chlo.erf", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ERF_INV: OpDef =
    OpDef { name: "chlo.erf_inv", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ERFC: OpDef = OpDef { name: "chlo.erfc", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static IS_INF: OpDef = OpDef { name: "chlo.is_inf", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static IS_NEG_INF: OpDef =
    OpDef { name: "chlo.is_neg_inf", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static IS_POS_INF: OpDef =
    OpDef { name: "chlo.is_pos_inf", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static LGAMMA: OpDef = OpDef { name: "chlo.lgamma", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static SINH: OpDef = OpDef { name: "chlo.sinh", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static SQUARE: OpDef = OpDef { name: "chlo.square", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static TAN: OpDef = OpDef { name: "chlo.tan", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static TOP_K: OpDef = OpDef { name: "chlo.top_k", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static CONSTANT: OpDef =
    OpDef { name: "chlo.constant", doc: "", operands: Count::exactly(0), ..OpDef::BASE };

pub static BROADCAST_ADD: OpDef =
    OpDef { name: "chlo.broadcast_add", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_AND: OpDef =
    OpDef { name: "chlo.broadcast_and", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_ATAN2: OpDef =
    OpDef { name: "chlo.broadcast_atan2", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_COMPARE: OpDef =
    OpDef { name: "chlo.broadcast_compare", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_COMPLEX: OpDef =
    OpDef { name: "chlo.broadcast_complex", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_DIVIDE: OpDef =
    OpDef { name: "chlo.broadcast_divide", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_MAXIMUM: OpDef =
    OpDef { name: "chlo.broadcast_maximum", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_MINIMUM: OpDef =
    OpDef { name: "chlo.broadcast_minimum", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_MULTIPLY: OpDef =
    OpDef { name: "chlo.broadcast_multiply", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_NEXT_AFTER: OpDef =
    OpDef { name: "chlo.broadcast_next_after", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_OR: OpDef =
    OpDef { name: "chlo.broadcast_or", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_POLYGAMMA: OpDef =
    OpDef { name: "chlo.broadcast_polygamma", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_POWER: OpDef =
    OpDef { name: "chlo.broadcast_power", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_REMAINDER: OpDef =
    OpDef { name: "chlo.broadcast_remainder", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_SHIFT_LEFT: OpDef =
    OpDef { name: "chlo.broadcast_shift_left", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_SHIFT_RIGHT_ARITHMETIC: OpDef = OpDef {
    name: "chlo.broadcast_shift_right_arithmetic",
    doc: "",
    operands: Count::exactly(2),
    ..OpDef::BASE
};

pub static BROADCAST_SHIFT_RIGHT_LOGICAL: OpDef =
    OpDef { name: "chlo.broadcast_shift_right_logical", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_SUBTRACT: OpDef =
    OpDef { name: "chlo.broadcast_subtract", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_XOR: OpDef =
    OpDef { name: "chlo.broadcast_xor", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_ZETA: OpDef =
    OpDef { name: "chlo.broadcast_zeta", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static MULHI: OpDef = OpDef { name: "chlo.mulhi", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static NEXT_AFTER: OpDef =
    OpDef { name: "chlo.next_after", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static POLYGAMMA: OpDef =
    OpDef { name: "chlo.polygamma", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static ZETA: OpDef = OpDef { name: "chlo.zeta", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static BROADCAST_SELECT: OpDef =
    OpDef { name: "chlo.broadcast_select", doc: "", operands: Count::exactly(3), ..OpDef::BASE };

pub static RAGGED_DOT: OpDef = OpDef {
    name: "chlo.ragged_dot",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};

pub static SCAN: OpDef = OpDef {
    name: "chlo.scan",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    ..OpDef::BASE
};
