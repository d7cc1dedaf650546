//! Elementwise arithmetic, comparison and selection.

use super::def::{Count, OpDef};

pub static ABS: OpDef = OpDef { name: "stablehlo.abs", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static CBRT: OpDef =
    OpDef { name: "stablehlo.cbrt", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static CEIL: OpDef =
    OpDef { name: "stablehlo.ceil", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static CONVERT: OpDef =
    OpDef { name: "stablehlo.convert", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static COSINE: OpDef =
    OpDef { name: "stablehlo.cosine", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static COUNT_LEADING_ZEROS: OpDef =
    OpDef { name: "stablehlo.count_leading_zeros", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static EXPONENTIAL: OpDef =
    OpDef { name: "stablehlo.exponential", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static EXPONENTIAL_MINUS_ONE: OpDef =
    OpDef { name: "stablehlo.exponential_minus_one", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static FLOOR: OpDef =
    OpDef { name: "stablehlo.floor", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static IMAG: OpDef =
    OpDef { name: "stablehlo.imag", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static IS_FINITE: OpDef =
    OpDef { name: "stablehlo.is_finite", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static LOG: OpDef = OpDef { name: "stablehlo.log", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static LOG_PLUS_ONE: OpDef =
    OpDef { name: "stablehlo.log_plus_one", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static LOGISTIC: OpDef =
    OpDef { name: "stablehlo.logistic", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static NEGATE: OpDef =
    OpDef { name: "stablehlo.negate", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static NOT: OpDef = OpDef { name: "stablehlo.not", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static POPCNT: OpDef =
    OpDef { name: "stablehlo.popcnt", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static REAL: OpDef =
    OpDef { name: "stablehlo.real", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static REDUCE_PRECISION: OpDef =
    OpDef { name: "stablehlo.reduce_precision", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ROUND_NEAREST_AFZ: OpDef =
    OpDef { name: "stablehlo.round_nearest_afz", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ROUND_NEAREST_EVEN: OpDef =
    OpDef { name: "stablehlo.round_nearest_even", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static RSQRT: OpDef =
    OpDef { name: "stablehlo.rsqrt", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static SIGN: OpDef =
    OpDef { name: "stablehlo.sign", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static SINE: OpDef =
    OpDef { name: "stablehlo.sine", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static SQRT: OpDef =
    OpDef { name: "stablehlo.sqrt", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static TAN: OpDef = OpDef { name: "stablehlo.tan", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static TANH: OpDef =
    OpDef { name: "stablehlo.tanh", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static UNIFORM_DEQUANTIZE: OpDef =
    OpDef { name: "stablehlo.uniform_dequantize", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static UNIFORM_QUANTIZE: OpDef =
    OpDef { name: "stablehlo.uniform_quantize", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static ADD: OpDef = OpDef { name: "stablehlo.add", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static AND: OpDef = OpDef { name: "stablehlo.and", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static ATAN2: OpDef =
    OpDef { name: "stablehlo.atan2", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static COMPARE: OpDef =
    OpDef { name: "stablehlo.compare", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static COMPLEX: OpDef =
    OpDef { name: "stablehlo.complex", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static DIVIDE: OpDef =
    OpDef { name: "stablehlo.divide", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static MAXIMUM: OpDef =
    OpDef { name: "stablehlo.maximum", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static MINIMUM: OpDef =
    OpDef { name: "stablehlo.minimum", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static MULTIPLY: OpDef =
    OpDef { name: "stablehlo.multiply", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static OR: OpDef = OpDef { name: "stablehlo.or", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static POWER: OpDef =
    OpDef { name: "stablehlo.power", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static REMAINDER: OpDef =
    OpDef { name: "stablehlo.remainder", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static SHIFT_LEFT: OpDef =
    OpDef { name: "stablehlo.shift_left", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static SHIFT_RIGHT_ARITHMETIC: OpDef =
    OpDef { name: "stablehlo.shift_right_arithmetic", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static SHIFT_RIGHT_LOGICAL: OpDef =
    OpDef { name: "stablehlo.shift_right_logical", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static SUBTRACT: OpDef =
    OpDef { name: "stablehlo.subtract", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static XOR: OpDef = OpDef { name: "stablehlo.xor", doc: "", operands: Count::exactly(2), ..OpDef::BASE };

pub static CLAMP: OpDef =
    OpDef { name: "stablehlo.clamp", doc: "", operands: Count::exactly(3), ..OpDef::BASE };

pub static SELECT: OpDef =
    OpDef { name: "stablehlo.select", doc: "", operands: Count::exactly(3), ..OpDef::BASE };
