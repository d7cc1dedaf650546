//! Elementwise arithmetic, comparison and selection.
//!
//! The rows stand here; the formulas on elements in the files beside it. Other families build on the formulas:
//! `chlo.broadcast_add` is `add` after a broadcast.

pub(crate) mod arithmetic;
pub(crate) mod bits;
pub(crate) mod compare;
pub(crate) mod complex;
pub(crate) mod constraints;
pub(crate) mod functions;
pub(crate) mod pick;
mod precision;

use super::def::{AttrDef, AttrKind, Count, Eval, Formula, OpDef, OpError, Traits};
use super::def::{elementwise_work, optional, required};
use super::forms;
use crate::ir::{EnumKind, OpRef, Type, names};
use crate::ops::linear;
use crate::ops::rule::{Combine, Rule};
use crate::ops::spread::{Flow, Spread};
use crate::text::form::Piece::{Attr, AttrDict, Lit, Operand, Operands, Optional};
use crate::text::form::{Form, Piece, Types};
use constraints::{
    any_numbers, anything, bits_or_bools, floats, floats_or_complex, integers, same_type, signed_numbers,
};

type Check = fn(OpRef<'_>) -> Result<(), OpError>;
type Infer = fn(OpRef<'_>) -> Result<Vec<Type>, OpError>;

/// A row for a function of one element that keeps the type.
const fn unary(name: &'static str, doc: &'static str, takes: Check, formula: Formula) -> OpDef {
    OpDef {
        name,
        doc,
        form: forms::UNARY,
        operands: Count::exactly(1),
        infer: Some(same_type),
        verify: takes,
        eval: Eval::Elementwise(formula),
        work: elementwise_work,
        spread: Spread::Rule(Rule::pointwise, Flow::Elementwise),
        ..OpDef::BASE
    }
}

/// A row for a function whose accuracy programs may ask for.
const fn function(name: &'static str, doc: &'static str, formula: Formula) -> OpDef {
    const ACCURACY: &[AttrDef] = &[optional(names::RESULT_ACCURACY, AttrKind::Any)];
    OpDef { attrs: ACCURACY, ..unary(name, doc, floats_or_complex, formula) }
}

/// A row for a function of one element with a type of its own.
const fn retyped(
    name: &'static str,
    doc: &'static str,
    takes: Check,
    infer: Infer,
    formula: Formula,
) -> OpDef {
    OpDef { infer: Some(infer), ..unary(name, doc, takes, formula) }
}

/// A row for a function of two elements of the same type.
const fn binary(name: &'static str, doc: &'static str, takes: Check, formula: Formula) -> OpDef {
    OpDef { form: forms::BINARY, operands: Count::exactly(2), ..unary(name, doc, takes, formula) }
}

/// A row for a function of two elements whose order does not matter.
const fn commutative(name: &'static str, doc: &'static str, takes: Check, formula: Formula) -> OpDef {
    let traits = Traits { commutative: true, ..Traits::NONE };
    OpDef { traits, ..binary(name, doc, takes, formula) }
}

pub static ABS: OpDef = retyped(
    "stablehlo.abs",
    "The magnitude of each element.",
    signed_numbers,
    constraints::real_type,
    arithmetic::abs,
);

pub static CBRT: OpDef = function("stablehlo.cbrt", "The cube root of each element.", functions::cbrt);

pub static CEIL: OpDef =
    unary("stablehlo.ceil", "Each element rounded up to an integer.", floats, functions::ceil);

pub static CONVERT: OpDef = OpDef {
    infer: None,
    verify: constraints::convert,
    linear: linear::widening,
    ..unary("stablehlo.convert", "Each element in another type.", anything, pick::convert)
};

pub static COSINE: OpDef = function("stablehlo.cosine", "The cosine of each element.", functions::cosine);

pub static COUNT_LEADING_ZEROS: OpDef = unary(
    "stablehlo.count_leading_zeros",
    "How many leading bits of each element are zero.",
    integers,
    bits::count_leading_zeros,
);

pub static EXPONENTIAL: OpDef =
    function("stablehlo.exponential", "The exponential of each element.", functions::exponential);

pub static EXPONENTIAL_MINUS_ONE: OpDef = function(
    "stablehlo.exponential_minus_one",
    "The exponential of each element minus one, exact near zero.",
    functions::exponential_minus_one,
);

pub static FLOOR: OpDef =
    unary("stablehlo.floor", "Each element rounded down to an integer.", floats, functions::floor);

pub static IMAG: OpDef = OpDef {
    linear: linear::sum,
    ..retyped(
        "stablehlo.imag",
        "The imaginary part of each element.",
        floats_or_complex,
        constraints::real_type,
        pick::imag,
    )
};

pub static IS_FINITE: OpDef = OpDef {
    form: forms::FUNCTION,
    ..retyped(
        "stablehlo.is_finite",
        "Whether each element is neither infinite nor NaN.",
        floats,
        constraints::bool_type,
        functions::is_finite,
    )
};

pub static LOG: OpDef = function("stablehlo.log", "The natural logarithm of each element.", functions::log);

pub static LOG_PLUS_ONE: OpDef = function(
    "stablehlo.log_plus_one",
    "The natural logarithm of one plus each element, exact near zero.",
    functions::log_plus_one,
);

pub static LOGISTIC: OpDef =
    function("stablehlo.logistic", "The logistic function of each element.", functions::logistic);

pub static NEGATE: OpDef = OpDef {
    linear: linear::sum,
    ..unary("stablehlo.negate", "Each element with the opposite sign.", any_numbers, arithmetic::negate)
};

pub static NOT: OpDef = unary("stablehlo.not", "Each element's complement.", bits_or_bools, bits::not);

pub static POPCNT: OpDef =
    unary("stablehlo.popcnt", "How many bits of each element are one.", integers, bits::popcnt);

pub static REAL: OpDef = OpDef {
    linear: linear::sum,
    ..retyped(
        "stablehlo.real",
        "The real part of each element.",
        floats_or_complex,
        constraints::real_type,
        pick::real,
    )
};

pub static REDUCE_PRECISION: OpDef = OpDef {
    form: Form::Custom(precision::parse, precision::print),
    attrs: &[required(names::EXPONENT_BITS, AttrKind::I32), required(names::MANTISSA_BITS, AttrKind::I32)],
    ..unary(
        "stablehlo.reduce_precision",
        "Each element rounded as a narrower float would hold it.",
        precision::verify,
        precision::reduce,
    )
};

pub static ROUND_NEAREST_AFZ: OpDef = unary(
    "stablehlo.round_nearest_afz",
    "Each element rounded to the nearest integer, ties away from zero.",
    floats,
    functions::round_afz,
);

pub static ROUND_NEAREST_EVEN: OpDef = unary(
    "stablehlo.round_nearest_even",
    "Each element rounded to the nearest integer, ties to even.",
    floats,
    functions::round_even,
);

pub static RSQRT: OpDef =
    function("stablehlo.rsqrt", "One over the square root of each element.", functions::rsqrt);

pub static SIGN: OpDef =
    unary("stablehlo.sign", "The sign of each element.", signed_numbers, arithmetic::sign);

pub static SINE: OpDef = function("stablehlo.sine", "The sine of each element.", functions::sine);

pub static SQRT: OpDef = function("stablehlo.sqrt", "The square root of each element.", functions::sqrt);

pub static TAN: OpDef = function("stablehlo.tan", "The tangent of each element.", functions::tan);

pub static TANH: OpDef =
    function("stablehlo.tanh", "The hyperbolic tangent of each element.", functions::tanh);

pub static UNIFORM_DEQUANTIZE: OpDef = OpDef {
    name: "stablehlo.uniform_dequantize",
    doc: "Quantized elements as floats.",
    form: forms::UNARY,
    operands: Count::exactly(1),
    eval: Eval::Refuse("quantized types are not supported"),
    spread: Spread::Rule(Rule::pointwise, Flow::Elementwise),
    ..OpDef::BASE
};

pub static UNIFORM_QUANTIZE: OpDef = OpDef {
    name: "stablehlo.uniform_quantize",
    doc: "Floats as quantized elements.",
    form: forms::UNARY,
    operands: Count::exactly(1),
    eval: Eval::Refuse("quantized types are not supported"),
    spread: Spread::Rule(Rule::pointwise, Flow::Elementwise),
    ..OpDef::BASE
};

pub static ADD: OpDef = OpDef {
    linear: linear::sum,
    ..commutative("stablehlo.add", "Sums of elements; booleans: or.", anything, arithmetic::add)
};

pub static AND: OpDef = OpDef {
    linear: linear::itself::<{ Combine::And as u8 }>,
    ..commutative("stablehlo.and", "Bitwise or logical and.", bits_or_bools, bits::and)
};

pub static ATAN2: OpDef =
    binary("stablehlo.atan2", "The angle of the point (rhs, lhs).", floats_or_complex, functions::atan2);

pub static COMPARE: OpDef = OpDef {
    form: Form::Pieces(&[
        Attr(names::COMPARISON_DIRECTION),
        Lit(", "),
        Operand,
        Lit(", "),
        Operand,
        Optional(names::COMPARE_TYPE, &[Lit(", "), Attr(names::COMPARE_TYPE)]),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Function),
    ]),
    attrs: &[
        required(names::COMPARISON_DIRECTION, AttrKind::Enum(EnumKind::Comparison)),
        optional(names::COMPARE_TYPE, AttrKind::Enum(EnumKind::CompareType)),
    ],
    infer: Some(constraints::bool_type),
    ..binary("stablehlo.compare", "Whether elements compare so.", compare::verify, compare::compare)
};

pub static COMPLEX: OpDef = OpDef {
    form: Form::Pieces(&[Operands, AttrDict, Lit(" : "), Piece::Types(Types::Complex)]),
    infer: Some(constraints::complex_type),
    linear: linear::sum,
    ..binary(
        "stablehlo.complex",
        "Complex numbers from their parts.",
        constraints::complex_parts,
        pick::complex,
    )
};

pub static DIVIDE: OpDef = OpDef {
    linear: linear::quotient,
    ..binary("stablehlo.divide", "Quotients of elements.", any_numbers, arithmetic::divide)
};

pub static MAXIMUM: OpDef = OpDef {
    linear: linear::itself::<{ Combine::Maximum as u8 }>,
    ..commutative("stablehlo.maximum", "The larger of two elements.", anything, arithmetic::maximum)
};

pub static MINIMUM: OpDef = OpDef {
    linear: linear::itself::<{ Combine::Minimum as u8 }>,
    ..commutative("stablehlo.minimum", "The smaller of two elements.", anything, arithmetic::minimum)
};

pub static MULTIPLY: OpDef = OpDef {
    linear: linear::product,
    ..commutative(
        "stablehlo.multiply",
        "Products of elements; booleans: and.",
        anything,
        arithmetic::multiply,
    )
};

pub static OR: OpDef = OpDef {
    linear: linear::itself::<{ Combine::Or as u8 }>,
    ..commutative("stablehlo.or", "Bitwise or logical or.", bits_or_bools, bits::or)
};

pub static POWER: OpDef =
    binary("stablehlo.power", "Elements to the power of others.", any_numbers, functions::power);

pub static REMAINDER: OpDef = binary(
    "stablehlo.remainder",
    "What division leaves, with the sign of the dividend.",
    any_numbers,
    arithmetic::remainder,
);

pub static SHIFT_LEFT: OpDef = binary("stablehlo.shift_left", "Bits moved up.", integers, bits::shift_left);

pub static SHIFT_RIGHT_ARITHMETIC: OpDef = binary(
    "stablehlo.shift_right_arithmetic",
    "Bits moved down, copies of the sign filling in.",
    integers,
    bits::shift_right_arithmetic,
);

pub static SHIFT_RIGHT_LOGICAL: OpDef = binary(
    "stablehlo.shift_right_logical",
    "Bits moved down, zeros filling in.",
    integers,
    bits::shift_right_logical,
);

pub static SUBTRACT: OpDef = OpDef {
    linear: linear::sum,
    ..binary("stablehlo.subtract", "Differences of elements.", any_numbers, arithmetic::subtract)
};

pub static XOR: OpDef = OpDef {
    linear: linear::itself::<{ Combine::Xor as u8 }>,
    ..commutative("stablehlo.xor", "Bitwise or logical exclusive or.", bits_or_bools, bits::xor)
};

pub static CLAMP: OpDef = OpDef {
    form: Form::Pieces(&[
        Operand,
        Lit(", "),
        Operand,
        Lit(", "),
        Operand,
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Same),
    ]),
    operands: Count::exactly(3),
    infer: Some(constraints::clamp_type),
    ..binary("stablehlo.clamp", "Elements brought between two bounds.", constraints::clamp, arithmetic::clamp)
};

pub static SELECT: OpDef = OpDef {
    form: Form::Pieces(&[Operands, AttrDict, Lit(" : "), Piece::Types(Types::Select)]),
    operands: Count::exactly(3),
    infer: Some(constraints::select_type),
    linear: linear::picks,
    ..binary("stablehlo.select", "Elements of one tensor or another.", constraints::select, pick::select)
};
