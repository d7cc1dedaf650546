//! Arithmetic of the element types, as the reference interpreter has it to the last bit.
//!
//! The reference computes on `f64` and `i64` and rounds when it stores. For `+ - * /` and the square root of formats of 32 bits and
//! fewer that is what `f32` gives (24 bits are at least twice 11 plus two); integers wrap in any width.

use half::{bf16, f16};

/// Numbers that are compared, added and multiplied.
pub(crate) trait Number: Copy + PartialOrd + 'static {
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The difference.
    fn subtract(self, other: Self) -> Self;
    /// The product.
    fn multiply(self, other: Self) -> Self;
    /// The quotient.
    fn divide(self, other: Self) -> Self;
    /// What division leaves.
    fn remainder(self, other: Self) -> Self;
    /// The larger.
    fn maximum(self, other: Self) -> Self;
    /// The smaller.
    fn minimum(self, other: Self) -> Self;
    /// The opposite.
    fn negate(self) -> Self;
    /// The magnitude.
    fn magnitude(self) -> Self;
    /// The sign.
    fn sign(self) -> Self;
}

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl Number for $float {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn subtract(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn multiply(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn divide(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn remainder(self, other: Self) -> Self { self % other }
            // Of two zeros the positive one is larger: equal numbers have equal bits but for the sign of zero.
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                let equal = <$float>::from_bits(self.to_bits() & other.to_bits());
                let larger = if self > other || self.is_nan() { self } else { other };
                if self == other { equal } else { larger }
            }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                let equal = <$float>::from_bits(self.to_bits() | other.to_bits());
                let smaller = if self < other || self.is_nan() { self } else { other };
                if self == other { equal } else { smaller }
            }
            #[inline(always)]
            fn negate(self) -> Self { -self }
            #[inline(always)]
            fn magnitude(self) -> Self { self.abs() }
            #[inline(always)]
            fn sign(self) -> Self {
                let one = (1.0 as $float).copysign(self);
                if self == 0.0 || self.is_nan() { self } else { one }
            }
        }
    )*};
}

floats!(f32 f64);

/// A 16-bit float from `f32`, rounded to nearest, ties to even.
pub(crate) trait Half: Copy + PartialOrd + 'static {
    /// The nearest.
    fn from_single(x: f32) -> Self;
    /// The same number.
    fn to_single(self) -> f32;
}

impl Half for bf16 {
    #[inline(always)]
    fn from_single(x: f32) -> Self {
        let bits = x.to_bits();
        let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
        let quiet = (bits >> 16) | 0x40;
        bf16::from_bits(if x.is_nan() { quiet } else { rounded } as u16)
    }
    #[inline(always)]
    fn to_single(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
}

impl Half for f16 {
    #[inline(always)]
    fn from_single(x: f32) -> Self {
        f16::from_f32(x)
    }
    #[inline(always)]
    fn to_single(self) -> f32 {
        self.to_f32()
    }
}

macro_rules! halves {
    ($($half:ty)*) => {$(
        impl Number for $half {
            #[inline(always)]
            fn add(self, other: Self) -> Self { Self::from_single(self.to_single() + other.to_single()) }
            #[inline(always)]
            fn subtract(self, other: Self) -> Self { Self::from_single(self.to_single() - other.to_single()) }
            #[inline(always)]
            fn multiply(self, other: Self) -> Self { Self::from_single(self.to_single() * other.to_single()) }
            #[inline(always)]
            fn divide(self, other: Self) -> Self { Self::from_single(self.to_single() / other.to_single()) }
            #[inline(always)]
            fn remainder(self, other: Self) -> Self { Self::from_single(self.to_single() % other.to_single()) }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                Self::from_single(Number::maximum(self.to_single(), other.to_single()))
            }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                Self::from_single(Number::minimum(self.to_single(), other.to_single()))
            }
            #[inline(always)]
            fn negate(self) -> Self { Self::from_bits(self.to_bits() ^ 0x8000) }
            #[inline(always)]
            fn magnitude(self) -> Self { Self::from_bits(self.to_bits() & 0x7fff) }
            #[inline(always)]
            fn sign(self) -> Self { Self::from_single(self.to_single().sign()) }
        }
    )*};
}

halves!(bf16 f16);

macro_rules! integers {
    ($($int:ty, $by_zero:expr, $sign:expr, $magnitude:expr;)*) => {$(
        impl Number for $int {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn subtract(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn multiply(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn divide(self, other: Self) -> Self {
                if other == 0 { $by_zero } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn remainder(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self { self.max(other) }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self { self.min(other) }
            #[inline(always)]
            fn negate(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn magnitude(self) -> Self { $magnitude(self) }
            #[inline(always)]
            fn sign(self) -> Self { $sign(self) }
        }
    )*};
}

integers! {
    i8, -1, i8::signum, i8::wrapping_abs;
    i16, -1, i16::signum, i16::wrapping_abs;
    i32, -1, i32::signum, i32::wrapping_abs;
    i64, -1, i64::signum, i64::wrapping_abs;
    u8, u8::MAX, |x: u8| x, |x: u8| x;
    u16, u16::MAX, |x: u16| x, |x: u16| x;
    u32, u32::MAX, |x: u32| x, |x: u32| x;
    u64, u64::MAX, |x: u64| x, |x: u64| x;
}

/// Whole numbers, bit by bit.
pub(crate) trait Bits: Copy + 'static {
    /// All bits turned.
    fn not(self) -> Self;
    /// Bits that are one in both.
    fn and(self, other: Self) -> Self;
    /// Bits that are one in either.
    fn or(self, other: Self) -> Self;
    /// Bits that are one in exactly one.
    fn xor(self, other: Self) -> Self;
    /// Bits moved up.
    fn shift_left(self, by: Self) -> Self;
    /// Bits moved down, zeros following.
    fn shift_right(self, by: Self) -> Self;
    /// Bits moved down, the sign following.
    fn shift_right_signed(self, by: Self) -> Self;
    /// How many are one.
    fn ones(self) -> Self;
    /// How many stand before the first one.
    fn leading_zeros(self) -> Self;
}

macro_rules! bits {
    ($($int:ty, $unsigned:ty, $signed:ty;)*) => {$(
        impl Bits for $int {
            #[inline(always)]
            fn not(self) -> Self { !self }
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)]
            fn shift_left(self, by: Self) -> Self {
                let shifted = self << ((by as $unsigned) & (<$int>::BITS as $unsigned - 1));
                if (by as $unsigned) < <$int>::BITS as $unsigned { shifted } else { 0 }
            }
            #[inline(always)]
            fn shift_right(self, by: Self) -> Self {
                let shifted = (self as $unsigned) >> ((by as $unsigned) & (<$int>::BITS as $unsigned - 1));
                if (by as $unsigned) < <$int>::BITS as $unsigned { shifted as $int } else { 0 }
            }
            #[inline(always)]
            fn shift_right_signed(self, by: Self) -> Self {
                let by = (by as $unsigned).min(<$int>::BITS as $unsigned - 1);
                ((self as $signed) >> by) as $int
            }
            #[inline(always)]
            fn ones(self) -> Self { self.count_ones() as $int }
            #[inline(always)]
            fn leading_zeros(self) -> Self { <$int>::leading_zeros(self) as $int }
        }
    )*};
}

bits! {
    i8, u8, i8; i16, u16, i16; i32, u32, i32; i64, u64, i64;
    u8, u8, i8; u16, u16, i16; u32, u32, i32; u64, u64, i64;
}

/// A boolean in memory: a byte that is zero or one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(transparent)]
pub(crate) struct Flag(pub(crate) u8);

impl Flag {
    /// A boolean.
    #[inline(always)]
    pub(crate) fn new(value: bool) -> Flag {
        Flag(u8::from(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf16_rounds_to_even_and_keeps_nan() {
        for bits in (0..=u32::MAX).step_by(65_537 / 3) {
            let x = f32::from_bits(bits);
            let (found, expected) = (<bf16 as Half>::from_single(x), bf16::from_f32(x));
            assert!(found == expected || found.is_nan() && expected.is_nan(), "{x}");
        }
    }

    #[test]
    fn shifts_by_the_width_leave_nothing() {
        assert_eq!(1i32.shift_left(32), 0);
        assert_eq!((-1i32).shift_right(-1), 0);
        assert_eq!((-8i64).shift_right_signed(64), -1);
        assert_eq!(0x80u8.shift_right_signed(7), 0xff);
    }
}
