//! The types that contractions compute in: wide enough for every element type.

use crate::ir::Elem;
use crate::value::{Field, Scalar};
use num_complex::{Complex32, Complex64};
use std::num::Wrapping;
use std::ops::{Add, Mul};

/// A number that products are summed in.
pub(super) trait Wide: Copy + Default + PartialEq + Add<Output = Self> + Mul<Output = Self> {
    /// From an element of a tensor.
    fn from_scalar(value: Scalar) -> Self;
    /// To an element of a tensor.
    fn to_scalar(self) -> Scalar;
}

impl Wide for f64 {
    fn from_scalar(value: Scalar) -> Self {
        value.real()
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Float(self)
    }
}

/// Integers wrap around, so that cutting the sum to a narrow type is the same as summing in it. The sum of
/// booleans is above zero where one of them is true.
impl Wide for Wrapping<i64> {
    fn from_scalar(value: Scalar) -> Self {
        Wrapping(value.as_i64())
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Int(self.0)
    }
}

impl Wide for Complex64 {
    fn from_scalar(value: Scalar) -> Self {
        value.complex()
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Complex(self)
    }
}

/// Complex numbers of two `f32` are multiplied and summed as such, step by step as the specification has it: in
/// a wider type the cancellation within a product would come out visibly different from what others compute.
impl Wide for Complex32 {
    fn from_scalar(value: Scalar) -> Self {
        let value = value.complex();
        Complex32::new(value.re as f32, value.im as f32)
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Complex(Complex64::new(f64::from(self.re), f64::from(self.im)))
    }
}

impl Wide for Field {
    fn from_scalar(value: Scalar) -> Self {
        value.field()
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Field(self)
    }
}

/// Which of the wide types serves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    Int,
    Float,
    Complex32,
    Complex64,
    Field,
}

impl Width {
    /// The type for operands and results of some element types.
    pub(super) fn of(elems: &[Elem]) -> Width {
        if elems.contains(&Elem::Field) {
            Width::Field
        } else if elems.contains(&Elem::C128) {
            Width::Complex64
        } else if elems.contains(&Elem::C64) {
            Width::Complex32
        } else if elems.iter().any(|e| e.is_float()) {
            Width::Float
        } else {
            Width::Int
        }
    }
}

/// Calls a function that is generic in the wide type with the one that the element types need.
macro_rules! with_wide {
    ($elems:expr, $function:ident($($arg:expr),* $(,)?)) => {
        match $crate::ops::contract::wide::Width::of($elems) {
            $crate::ops::contract::wide::Width::Int => $function::<std::num::Wrapping<i64>>($($arg),*),
            $crate::ops::contract::wide::Width::Field => $function::<$crate::value::Field>($($arg),*),
            $crate::ops::contract::wide::Width::Float => $function::<f64>($($arg),*),
            $crate::ops::contract::wide::Width::Complex32 => $function::<num_complex::Complex32>($($arg),*),
            $crate::ops::contract::wide::Width::Complex64 => $function::<num_complex::Complex64>($($arg),*),
        }
    };
}
pub(super) use with_wide;
