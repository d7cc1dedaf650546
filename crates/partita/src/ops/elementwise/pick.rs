//! Formulas that choose, convert, take apart and put together.

use crate::ops::ElementCx;
use crate::value::Scalar;
use num_complex::Complex64;

/// The element in the type of the result.
pub(crate) fn convert(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    x[0].convert(cx.result)
}

/// The real part.
pub(crate) fn real(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    Scalar::Float(x[0].complex().re)
}

/// The imaginary part.
pub(crate) fn imag(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    Scalar::Float(x[0].complex().im)
}

/// The complex number with these parts.
pub(crate) fn complex(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    Scalar::Complex(Complex64::new(x[0].real(), x[1].real()))
}

/// The second where the first is true, else the third.
pub(crate) fn select(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    if x[0].is_true() { x[1] } else { x[2] }
}
