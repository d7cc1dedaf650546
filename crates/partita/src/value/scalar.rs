//! One element of a tensor, wide enough for any type: arithmetic happens here, storing rounds.
//!
//! Operations on floats of 32 bits and fewer computed in `f64` and rounded once are exactly what the narrow
//! format gives for `+ - * / sqrt` (53 bits are more than twice 24 plus two).

use super::Field;
use crate::ir::Elem;
use num_complex::Complex64;

/// An element of any type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    /// `i1`.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(Complex64),
    /// An element of a prime field.
    Field(Field),
}

impl Scalar {
    /// The zero of a type.
    pub fn zero(elem: Elem) -> Scalar {
        Scalar::from_i64(elem, 0)
    }

    /// The one of a type.
    pub fn one(elem: Elem) -> Scalar {
        Scalar::from_i64(elem, 1)
    }

    /// An integer in a type, wrapped or rounded as the type demands.
    pub fn from_i64(elem: Elem, value: i64) -> Scalar {
        match elem {
            Elem::Bool => Scalar::Bool(value != 0),
            Elem::Int(_) => Scalar::Int(value).fit(elem),
            Elem::Uint(_) => Scalar::Uint(value as u64).fit(elem),
            Elem::C64 | Elem::C128 => Scalar::Complex(Complex64::new(value as f64, 0.0)).fit(elem),
            Elem::Field => Scalar::Field(Field::from_i64(value)),
            _ => Scalar::Float(value as f64).fit(elem),
        }
    }

    /// The value as the element type can hold it: wrapped for integers, rounded for floats. The scalar must
    /// already be of the type's class.
    pub fn fit(self, elem: Elem) -> Scalar {
        match (self, elem) {
            (Scalar::Int(v), Elem::Int(bits)) => {
                let shift = 64 - u32::from(bits);
                Scalar::Int(v << shift >> shift)
            }
            (Scalar::Uint(v), Elem::Uint(bits)) => {
                let shift = 64 - u32::from(bits);
                Scalar::Uint(v << shift >> shift)
            }
            (Scalar::Float(v), _) => Scalar::Float(round(elem, v)),
            (Scalar::Complex(v), _) => {
                Scalar::Complex(Complex64::new(round(elem.real(), v.re), round(elem.real(), v.im)))
            }
            (other, _) => other,
        }
    }

    /// The value as a tensor of a type stores it: fitted, or converted where it is of another class.
    #[inline]
    pub fn stored_as(self, elem: Elem) -> Scalar {
        let same_class = match self {
            Scalar::Bool(_) => elem == Elem::Bool,
            Scalar::Int(_) => matches!(elem, Elem::Int(_)),
            Scalar::Uint(_) => matches!(elem, Elem::Uint(_)),
            Scalar::Float(_) => elem.is_float(),
            Scalar::Complex(_) => elem.is_complex(),
            Scalar::Field(_) => elem == Elem::Field,
        };
        if same_class { self.fit(elem) } else { self.convert(elem) }
    }

    /// The value in another type, as `stablehlo.convert` has it: floats to integers truncate and saturate,
    /// complex numbers lose their imaginary part, any other real part than zero is true.
    pub fn convert(self, to: Elem) -> Scalar {
        match to {
            Elem::Bool => Scalar::Bool(match self {
                Scalar::Bool(b) => b,
                Scalar::Int(v) => v != 0,
                Scalar::Uint(v) => v != 0,
                Scalar::Float(v) => v != 0.0,
                Scalar::Complex(v) => v.re != 0.0,
                Scalar::Field(v) => v != Field::default(),
            }),
            Elem::Int(bits) => match self {
                Scalar::Float(_) | Scalar::Complex(_) => {
                    let (low, high) = (-1i64 << (bits - 1), !(-1i64 << (bits - 1)));
                    Scalar::Int((self.real() as i64).clamp(low, high))
                }
                other => Scalar::Int(other.as_i64()).fit(to),
            },
            Elem::Uint(bits) => match self {
                Scalar::Float(_) | Scalar::Complex(_) => {
                    Scalar::Uint((self.real() as u64).min(u64::MAX >> (64 - bits)))
                }
                other => Scalar::Uint(other.as_i64() as u64).fit(to),
            },
            Elem::C64 | Elem::C128 => match self {
                Scalar::Complex(_) => self.fit(to),
                other => Scalar::Complex(Complex64::new(other.real_in(to.real()), 0.0)),
            },
            Elem::Field => Scalar::Field(self.field()),
            _ => Scalar::Float(self.real_in(to)),
        }
    }

    /// The real part rounded to a float type; integers are rounded once, not by way of `f64`.
    fn real_in(self, elem: Elem) -> f64 {
        match (self, elem) {
            (Scalar::Int(v), Elem::F32) => f64::from(v as f32),
            (Scalar::Uint(v), Elem::F32) => f64::from(v as f32),
            (other, _) => round(elem, other.real()),
        }
    }

    /// The real part as a float.
    pub fn real(self) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(v) => v as f64,
            Scalar::Uint(v) => v as f64,
            Scalar::Float(v) => v,
            Scalar::Complex(v) => v.re,
            Scalar::Field(v) => v.signed() as f64,
        }
    }

    /// The value as a complex number.
    pub fn complex(self) -> Complex64 {
        match self {
            Scalar::Complex(v) => v,
            other => Complex64::new(other.real(), 0.0),
        }
    }

    /// The value as an element of the prime field.
    pub fn field(self) -> Field {
        match self {
            Scalar::Field(v) => v,
            Scalar::Uint(v) => Field::from_u64(v),
            Scalar::Float(_) | Scalar::Complex(_) => Field::from_f64(self.real()),
            other => Field::from_i64(other.as_i64()),
        }
    }

    /// The bits of an integer; floats truncate and saturate.
    pub fn as_i64(self) -> i64 {
        match self {
            Scalar::Bool(b) => i64::from(b),
            Scalar::Int(v) => v,
            Scalar::Uint(v) => v as i64,
            Scalar::Float(v) => v as i64,
            Scalar::Complex(v) => v.re as i64,
            Scalar::Field(v) => v.signed(),
        }
    }

    /// An index: like [`Scalar::as_i64`], but a large unsigned number stays large.
    pub fn as_index(self) -> i64 {
        match self {
            Scalar::Uint(v) => i64::try_from(v).unwrap_or(i64::MAX),
            other => other.as_i64(),
        }
    }

    /// Whether it is true or not zero.
    pub fn is_true(self) -> bool {
        matches!(self.convert(Elem::Bool), Scalar::Bool(true))
    }
}

/// The nearest value a float type can hold.
#[inline]
pub fn round(elem: Elem, value: f64) -> f64 {
    match elem {
        Elem::F64 => value,
        Elem::F32 => f64::from(value as f32),
        Elem::F16 => half::f16::from_f64(value).to_f64(),
        Elem::BF16 => bf16_from_f64(value).to_f64(),
        Elem::Mini(m) => super::minifloat::to_f64(m, super::minifloat::from_f64(m, value)),
        _ => value,
    }
}

/// The nearest `bf16`, rounded once (by way of `f32`, rounding to odd first).
pub fn bf16_from_f64(value: f64) -> half::bf16 {
    let single = value as f32;
    if single.is_nan() || single.is_infinite() || f64::from(single) == value {
        return half::bf16::from_f32(single);
    }
    // Round to odd in f32: the second rounding then sees that something was cut off.
    let toward_zero =
        if f64::from(single).abs() > value.abs() { f32::from_bits(single.to_bits() - 1) } else { single };
    half::bf16::from_f32(f32::from_bits(toward_zero.to_bits() | 1))
}
