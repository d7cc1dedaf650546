//! Functions of one or two tensors of the same shape, element by element.

use crate::ir::{Elem, OpRef, Type};
use crate::ops::check::{element_among, ensure, tensor_operand};
use crate::ops::def::{Count, ElementCx, Eval, OpDef, OpError, Traits, elementwise_work};
use crate::ops::rule::Rule;
use crate::ops::spread::{Flow, Spread};
use crate::text::form::Piece::{AttrDict, Lit, Operand};
use crate::text::form::{Form, Piece, Types};
use crate::value::{Scalar, special};
use num_complex::Complex64;

/// `%x : t -> t`.
const UNARY_FORM: Form = Form::Pieces(&[Operand, AttrDict, Lit(" : "), Piece::Types(Types::Arrow)]);

/// `%x, %y : t, t -> t`.
const BINARY_FORM: Form =
    Form::Pieces(&[Operand, Lit(", "), Operand, AttrDict, Lit(" : "), Piece::Types(Types::Arrow)]);

/// A function of one tensor of floats.
const UNARY: OpDef = OpDef {
    form: UNARY_FORM,
    operands: Count::exactly(1),
    infer: Some(same_type),
    verify: |op| element_among(op, 0, "floats", Elem::is_float),
    work: elementwise_work,
    spread: Spread::Rule(Rule::pointwise, Flow::Elementwise),
    ..OpDef::BASE
};

/// A function of one tensor of floats or complex numbers.
const UNARY_OR_COMPLEX: OpDef = OpDef {
    verify: |op| element_among(op, 0, "floats or complex numbers", |e| e.is_float() || e.is_complex()),
    ..UNARY
};

/// A question about one tensor of floats.
const PREDICATE: OpDef =
    OpDef { infer: Some(|op| Ok(vec![Type::Tensor(tensor_operand(op, 0)?.with_elem(Elem::Bool))])), ..UNARY };

/// A function of two tensors of floats.
const BINARY: OpDef = OpDef {
    form: BINARY_FORM,
    operands: Count::exactly(2),
    infer: Some(same_type),
    verify: |op| {
        element_among(op, 0, "floats", Elem::is_float)?;
        same_operands(op)
    },
    work: elementwise_work,
    spread: Spread::Rule(Rule::pointwise, Flow::Elementwise),
    ..OpDef::BASE
};

fn same_type(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    Ok(vec![Type::Tensor(tensor_operand(op, 0)?.clone())])
}

fn same_operands(op: OpRef<'_>) -> Result<(), OpError> {
    let (a, b) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    ensure!(a == b, "the operands must have the same type, but they are `{a}` and `{b}`");
    Ok(())
}

/// A formula for reals and one for complex numbers.
fn either(x: Scalar, real: fn(f64) -> f64, complex: fn(Complex64) -> Complex64) -> Scalar {
    match x {
        Scalar::Complex(z) => Scalar::Complex(complex(z)),
        other => Scalar::Float(real(other.real())),
    }
}

/// The high half of the product of two integers of the same type.
fn mulhi(cx: &ElementCx<'_>, args: &[Scalar]) -> Scalar {
    let bits = cx.result.bits();
    match (args[0], args[1]) {
        (Scalar::Uint(a), Scalar::Uint(b)) => Scalar::Uint(((u128::from(a) * u128::from(b)) >> bits) as u64),
        (a, b) => Scalar::Int(((i128::from(a.as_i64()) * i128::from(b.as_i64())) >> bits) as i64),
    }
}

pub static ASIN_ACOS_KERNEL: OpDef = OpDef {
    name: "chlo._asin_acos_kernel",
    doc: "What the inverse sine and cosine of complex numbers have in common.",
    verify: |op| element_among(op, 0, "complex numbers", Elem::is_complex),
    eval: Eval::Elementwise(|_, args| Scalar::Complex(special::asin_acos_kernel(args[0].complex()))),
    ..UNARY
};

pub static ACOS: OpDef = OpDef {
    name: "chlo.acos",
    doc: "The inverse cosine.",
    eval: Eval::Elementwise(|_, args| either(args[0], f64::acos, special::acos)),
    ..UNARY_OR_COMPLEX
};

pub static ACOSH: OpDef = OpDef {
    name: "chlo.acosh",
    doc: "The inverse hyperbolic cosine.",
    eval: Eval::Elementwise(|_, args| either(args[0], f64::acosh, special::acosh)),
    ..UNARY_OR_COMPLEX
};

pub static ASIN: OpDef = OpDef {
    name: "chlo.asin",
    doc: "The inverse sine.",
    eval: Eval::Elementwise(|_, args| either(args[0], f64::asin, special::asin)),
    ..UNARY_OR_COMPLEX
};

pub static ASINH: OpDef = OpDef {
    name: "chlo.asinh",
    doc: "The inverse hyperbolic sine.",
    eval: Eval::Elementwise(|_, args| either(args[0], f64::asinh, special::asinh)),
    ..UNARY_OR_COMPLEX
};

pub static ATAN: OpDef = OpDef {
    name: "chlo.atan",
    doc: "The inverse tangent.",
    eval: Eval::Elementwise(|_, args| either(args[0], f64::atan, special::atan)),
    ..UNARY_OR_COMPLEX
};

pub static ATANH: OpDef = OpDef {
    name: "chlo.atanh",
    doc: "The inverse hyperbolic tangent.",
    eval: Eval::Elementwise(|_, args| either(args[0], f64::atanh, special::atanh)),
    ..UNARY_OR_COMPLEX
};

pub static BESSEL_I1E: OpDef = OpDef {
    name: "chlo.bessel_i1e",
    doc: "The modified Bessel function of order one times `exp(-|x|)`.",
    eval: Eval::Elementwise(|_, args| Scalar::Float(special::bessel_i1e(args[0].real()))),
    ..UNARY
};

pub static CONJ: OpDef = OpDef {
    name: "chlo.conj",
    doc: "The complex conjugate.",
    eval: Eval::Elementwise(|_, args| either(args[0], |x| x, |z| z.conj())),
    ..UNARY_OR_COMPLEX
};

pub static COSH: OpDef = OpDef {
    name: "chlo.cosh",
    doc: "The hyperbolic cosine.",
    eval: Eval::Elementwise(|_, args| either(args[0], f64::cosh, special::cosh)),
    ..UNARY_OR_COMPLEX
};

pub static DIGAMMA: OpDef = OpDef {
    name: "chlo.digamma",
    doc: "The logarithmic derivative of the gamma function.",
    eval: Eval::Elementwise(|_, args| Scalar::Float(special::digamma(args[0].real()))),
    ..UNARY
};

pub static ERF: OpDef = OpDef {
    name: "chlo.erf",
    doc: "The error function.",
    eval: Eval::Elementwise(|_, args| Scalar::Float(special::erf(args[0].real()))),
    ..UNARY
};

pub static ERF_INV: OpDef = OpDef {
    name: "chlo.erf_inv",
    doc: "The inverse of the error function.",
    eval: Eval::Elementwise(|_, args| Scalar::Float(special::erf_inv(args[0].real()))),
    ..UNARY
};

pub static ERFC: OpDef = OpDef {
    name: "chlo.erfc",
    doc: "One minus the error function.",
    eval: Eval::Elementwise(|_, args| Scalar::Float(special::erfc(args[0].real()))),
    ..UNARY
};

pub static IS_INF: OpDef = OpDef {
    name: "chlo.is_inf",
    doc: "Whether an element is infinite.",
    eval: Eval::Elementwise(|_, args| Scalar::Bool(args[0].real().is_infinite())),
    ..PREDICATE
};

pub static IS_NEG_INF: OpDef = OpDef {
    name: "chlo.is_neg_inf",
    doc: "Whether an element is minus infinity.",
    eval: Eval::Elementwise(|_, args| Scalar::Bool(args[0].real() == f64::NEG_INFINITY)),
    ..PREDICATE
};

pub static IS_POS_INF: OpDef = OpDef {
    name: "chlo.is_pos_inf",
    doc: "Whether an element is plus infinity.",
    eval: Eval::Elementwise(|_, args| Scalar::Bool(args[0].real() == f64::INFINITY)),
    ..PREDICATE
};

pub static LGAMMA: OpDef = OpDef {
    name: "chlo.lgamma",
    doc: "The logarithm of the absolute value of the gamma function.",
    eval: Eval::Elementwise(|_, args| Scalar::Float(special::lgamma(args[0].real()))),
    ..UNARY
};

pub static SINH: OpDef = OpDef {
    name: "chlo.sinh",
    doc: "The hyperbolic sine.",
    eval: Eval::Elementwise(|_, args| either(args[0], f64::sinh, special::sinh)),
    ..UNARY_OR_COMPLEX
};

pub static SQUARE: OpDef = OpDef {
    name: "chlo.square",
    doc: "The element times itself.",
    eval: Eval::Elementwise(|_, args| {
        let square = |z: Complex64| Complex64::new((z.re - z.im) * (z.re + z.im), 2.0 * z.re * z.im);
        either(args[0], |x| x * x, square)
    }),
    ..UNARY_OR_COMPLEX
};

pub static TAN: OpDef = OpDef {
    name: "chlo.tan",
    doc: "The tangent.",
    eval: Eval::Elementwise(|_, args| either(args[0], f64::tan, special::tan)),
    ..UNARY_OR_COMPLEX
};

pub static MULHI: OpDef = OpDef {
    name: "chlo.mulhi",
    doc: "The high half of the product of two integers.",
    verify: |op| {
        element_among(op, 0, "integers", Elem::is_int)?;
        same_operands(op)
    },
    eval: Eval::Elementwise(mulhi),
    traits: Traits { commutative: true, ..Traits::NONE },
    ..BINARY
};

pub static NEXT_AFTER: OpDef = OpDef {
    name: "chlo.next_after",
    doc: "The next number of the type after the first operand in the direction of the second.",
    eval: Eval::Elementwise(|cx, args| {
        Scalar::Float(special::next_after(cx.operand, args[0].real(), args[1].real()))
    }),
    ..BINARY
};

pub static POLYGAMMA: OpDef = OpDef {
    name: "chlo.polygamma",
    doc: "The n-th derivative of the digamma function, n being the first operand.",
    eval: Eval::Elementwise(|_, args| Scalar::Float(special::polygamma(args[0].real(), args[1].real()))),
    ..BINARY
};

pub static ZETA: OpDef = OpDef {
    name: "chlo.zeta",
    doc: "The Hurwitz zeta function.",
    eval: Eval::Elementwise(|_, args| Scalar::Float(special::zeta(args[0].real(), args[1].real()))),
    ..BINARY
};
