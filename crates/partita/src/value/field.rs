//! The integers modulo a prime: numbers whose sums, products and quotients are exact in any order.
//!
//! A program that computes with floats can be run over this field instead (see [`crate::interpret::reinterpret`]). Then two
//! ways of computing the same polynomial in the inputs agree to the last bit, and two polynomials that differ
//! agree by accident about once in 2^61 times their degree. Wrapping integers would be exact as well, but cannot divide,
//! and products of even numbers soon vanish in them.
//!
//! What has no meaning here gets one that is at least a function: elements are ordered as
//! signed numbers, and exponentials and their like scramble.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// 2^61 - 1, a Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;
/// The largest of the numbers that count as positive.
const HALF: u64 = PRIME / 2;

/// An element: a number below the prime.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Field(u64);

impl Field {
    /// An integer.
    pub fn from_i64(value: i64) -> Field {
        let size = Field(value.unsigned_abs() % PRIME);
        if value < 0 { -size } else { size }
    }

    /// An unsigned integer.
    pub fn from_u64(value: u64) -> Field {
        Field(value % PRIME)
    }

    /// A float: exactly that fraction, since two has an inverse. The infinities are the lowest and the highest element, so that they
    /// stay neutral for maximum and minimum; NaN is some element.
    pub fn from_f64(value: f64) -> Field {
        if value.is_nan() {
            return Field(HALF / 3);
        }
        if value.is_infinite() {
            return if value > 0.0 { Field(HALF) } else { Field(HALF + 1) };
        }
        let bits = value.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, power) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | (1 << 52), exponent - 1075) };
        // Two has the order 61: its powers repeat.
        let size = Field::from_u64(mantissa) * Field(1 << power.rem_euclid(61));
        if value < 0.0 { -size } else { size }
    }

    /// From the bits that [`Field::bits`] gives; other bits are brought into range.
    pub fn from_bits(bits: u64) -> Field {
        Field(bits % PRIME)
    }

    /// The number that it is.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The number as a signed one, from minus half the prime to half.
    pub fn signed(self) -> i64 {
        if self.0 > HALF { self.0 as i64 - PRIME as i64 } else { self.0 as i64 }
    }

    /// The element that this one times gives one; zero for zero.
    pub fn inverse(self) -> Field {
        let mut result = Field(1);
        let mut base = self;
        let mut exponent = PRIME - 2;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * base;
            }
            base = base * base;
            exponent >>= 1;
        }
        result
    }

    /// Some other element, by a function that the key tells from others and that is far from linear.
    pub fn scrambled(self, key: u64) -> Field {
        let x = self + Field::from_bits(key);
        x * x * x
    }
}

impl Ord for Field {
    fn cmp(&self, other: &Self) -> Ordering {
        self.signed().cmp(&other.signed())
    }
}

impl PartialOrd for Field {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for Field {
    type Output = Field;
    fn add(self, other: Field) -> Field {
        let sum = self.0 + other.0;
        Field(if sum >= PRIME { sum - PRIME } else { sum })
    }
}

impl Neg for Field {
    type Output = Field;
    fn neg(self) -> Field {
        Field(if self.0 == 0 { 0 } else { PRIME - self.0 })
    }
}

impl Sub for Field {
    type Output = Field;
    fn sub(self, other: Field) -> Field {
        self + -other
    }
}

impl Mul for Field {
    type Output = Field;
    fn mul(self, other: Field) -> Field {
        let product = u128::from(self.0) * u128::from(other.0);
        // 2^61 is one here: the high part counts as it is.
        let sum = (product >> 61) as u64 + (product as u64 & PRIME);
        Field(if sum >= PRIME { sum - PRIME } else { sum })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let (a, b) = (Field::from_i64(-7), Field::from_i64(12));
        assert_eq!(a * b.inverse() * b, a);
        assert_eq!(Field::from_f64(0.125) * Field::from_i64(8), Field::from_i64(1));
        assert_eq!(Field::from_f64(-1.5) + Field::from_f64(2.0), Field::from_f64(0.5));
        assert_eq!(Field::from_f64(0.0), Field::default());
        assert_eq!(Field::default().inverse(), Field::default());
    }

    #[test]
    fn products_stay_in_range() {
        let largest = Field::from_i64(-1);
        assert_eq!(largest * largest, Field::from_i64(1));
        assert_eq!((largest + largest).signed(), -2);
        assert_eq!(Field::from_u64(PRIME), Field::default());
        let many = Field::from_bits(0x1234_5678_9abc_def0);
        assert!((many * many).bits() < PRIME);
    }

    #[test]
    fn infinities_are_neutral() {
        for value in [-3.5, 0.0, 1e30] {
            assert!(Field::from_f64(value) >= Field::from_f64(f64::NEG_INFINITY));
            assert!(Field::from_f64(value) <= Field::from_f64(f64::INFINITY));
        }
    }
}
