//! Functions of floats that vectorise.
//!
//! They compute in `f64` by polynomials whose error is below 2^-40, and round to `f32` at the end: the result is the reference's but
//! for the few values that lie that near the middle between two floats, and never off by more than one in the last place.

/// A function of `f64` that is good enough to be rounded to `f32`.
pub(crate) trait Function {
    /// The function.
    fn apply(x: f64) -> f64;
}

/// Rounds to the nearest integer when added and taken away again, for numbers below 2^51.
const ROUNDER: f64 = 6755399441055744.0;

/// 2 to the power of a whole number between -1000 and 1000.
#[inline(always)]
fn power_of_two(n: f64) -> f64 {
    // The lowest bits of `n + ROUNDER` are those of the integer.
    let bits = (n + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits());
    f64::from_bits((bits.wrapping_add(1023)) << 52)
}

/// The exponential for numbers between -700 and 700.
#[inline(always)]
fn exp_in_range(x: f64) -> f64 {
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let n = (x * LOG2_E + ROUNDER) - ROUNDER;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    // The Taylor series to r^11 is off by less than 2^-46 for |r| < 0.35.
    let mut sum = 1.0 / 39_916_800.0;
    sum = sum * r + 1.0 / 3_628_800.0;
    sum = sum * r + 1.0 / 362_880.0;
    sum = sum * r + 1.0 / 40_320.0;
    sum = sum * r + 1.0 / 5_040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    sum * power_of_two(n)
}

/// Brings a number between two bounds; NaN stays.
#[inline(always)]
fn between(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// The exponential.
pub(crate) struct Exp;
impl Function for Exp {
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        // Beyond these `f32` is zero or infinite.
        exp_in_range(between(x, -200.0, 200.0))
    }
}

/// The exponential minus one.
pub(crate) struct ExpM1;
impl Function for ExpM1 {
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        let near = x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0)))));
        if x.abs() < 1e-3 { near } else { Exp::apply(x) - 1.0 }
    }
}

/// The logistic function.
pub(crate) struct Logistic;
impl Function for Logistic {
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        1.0 / (1.0 + Exp::apply(-x))
    }
}

/// The hyperbolic tangent.
pub(crate) struct Tanh;
impl Function for Tanh {
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        let square = x * x;
        let near = x * (1.0 + square * (-1.0 / 3.0 + square * (2.0 / 15.0 - square * (17.0 / 315.0))));
        let e = exp_in_range(between(2.0 * x, -60.0, 60.0));
        if x.abs() < 1e-2 { near } else { (e - 1.0) / (e + 1.0) }
    }
}

/// The natural logarithm of a positive number that is neither infinite nor below `f64`'s normal range.
#[inline(always)]
fn log_of_normal(x: f64) -> f64 {
    let bits = x.to_bits();
    // Takes half of the octave from above one to below it, so that the series stays short.
    let shifted = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd);
    let exponent = (shifted as i64) >> 52;
    let mantissa = f64::from_bits(bits.wrapping_sub((exponent << 52) as u64));
    let f = (mantissa - 1.0) / (mantissa + 1.0);
    let s = f * f;
    let mut sum = 1.0 / 17.0;
    sum = sum * s + 1.0 / 15.0;
    sum = sum * s + 1.0 / 13.0;
    sum = sum * s + 1.0 / 11.0;
    sum = sum * s + 1.0 / 9.0;
    sum = sum * s + 1.0 / 7.0;
    sum = sum * s + 1.0 / 5.0;
    sum = sum * s + 1.0 / 3.0;
    let near_one = 2.0 * (f + f * s * sum);
    // An integer as a float without a conversion that few processors vectorise.
    let exponent = f64::from_bits((exponent as u64).wrapping_add(ROUNDER.to_bits())) - ROUNDER;
    exponent * std::f64::consts::LN_2 + near_one
}

/// The natural logarithm.
pub(crate) struct Log;
impl Function for Log {
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        let normal = log_of_normal(x);
        let result = if x == 0.0 { f64::NEG_INFINITY } else { normal };
        let result = if x == f64::INFINITY { x } else { result };
        // Sorts by total order see the sign of what is not a number: it is that of the reference.
        let none = if x < 0.0 { -f64::NAN } else { x };
        if x >= 0.0 { result } else { none }
    }
}

/// The natural logarithm of one more.
pub(crate) struct Log1p;
impl Function for Log1p {
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        let near = x * (1.0 - x * (0.5 - x * (1.0 / 3.0 - x * (0.25 - x * 0.2))));
        if x.abs() < 1e-3 { near } else { Log::apply(1.0 + x) }
    }
}

/// One over the square root.
pub(crate) struct Rsqrt;
impl Function for Rsqrt {
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        1.0 / x.sqrt()
    }
}

/// Whether [`sine`] and [`cosine`] are good for a number.
#[inline(always)]
pub(crate) fn is_small_angle(x: f64) -> bool {
    x.abs() < 30_000.0
}

/// The angle less its whole quarter turns, and how many those are.
#[inline(always)]
fn quarter_turns(x: f64) -> (f64, u64) {
    const HIGH: f64 = 1.570_796_251_296_997;
    const LOW: f64 = 7.549_789_415_861_596e-8;
    const LOWEST: f64 = 5.390_302_858_158_119e-15;
    let n = (x * std::f64::consts::FRAC_2_PI + ROUNDER) - ROUNDER;
    let r = ((x - n * HIGH) - n * LOW) - n * LOWEST;
    (r, (n + ROUNDER).to_bits())
}

#[inline(always)]
fn sine_series(r: f64) -> f64 {
    let s = r * r;
    let mut sum = -1.0 / 1_307_674_368_000.0;
    sum = sum * s + 1.0 / 6_227_020_800.0;
    sum = sum * s - 1.0 / 39_916_800.0;
    sum = sum * s + 1.0 / 362_880.0;
    sum = sum * s - 1.0 / 5_040.0;
    sum = sum * s + 1.0 / 120.0;
    sum = sum * s - 1.0 / 6.0;
    r + r * s * sum
}

#[inline(always)]
fn cosine_series(r: f64) -> f64 {
    let s = r * r;
    let mut sum = 1.0 / 20_922_789_888_000.0;
    sum = sum * s - 1.0 / 87_178_291_200.0;
    sum = sum * s + 1.0 / 479_001_600.0;
    sum = sum * s - 1.0 / 3_628_800.0;
    sum = sum * s + 1.0 / 40_320.0;
    sum = sum * s - 1.0 / 720.0;
    sum = sum * s + 1.0 / 24.0;
    sum = sum * s - 0.5;
    1.0 + s * sum
}

#[inline(always)]
fn turned(r: f64, turns: u64) -> f64 {
    let value = if turns & 1 == 0 { sine_series(r) } else { cosine_series(r) };
    if turns & 2 == 0 { value } else { -value }
}

/// The sine of a small angle.
#[inline(always)]
pub(crate) fn sine(x: f64) -> f64 {
    let (r, turns) = quarter_turns(x);
    turned(r, turns)
}

/// The cosine of a small angle.
#[inline(always)]
pub(crate) fn cosine(x: f64) -> f64 {
    let (r, turns) = quarter_turns(x);
    turned(r, turns.wrapping_add(1))
}

/// A positive number to a power.
#[inline(always)]
pub(crate) fn power(x: f64, y: f64) -> f64 {
    Exp::apply(y * log_of_normal(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many floats apart two numbers are, as `f32`.
    fn distance(a: f64, b: f64) -> i64 {
        let rank = |v: f64| {
            let bits = (v as f32).to_bits() as i32;
            i64::from(if bits < 0 { i32::MIN - bits } else { bits })
        };
        if a.is_nan() && b.is_nan() { 0 } else { rank(a).abs_diff(rank(b)) as i64 }
    }

    fn check(found: fn(f64) -> f64, expected: fn(f64) -> f64, from: f32, to: f32) {
        let (mut off, steps) = (0, 20_000);
        let specials = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-30, -1e-30, 1e-42, 3e38];
        let inside = (0..steps).map(|i| from + (to - from) * (i as f32 / steps as f32));
        for x in inside.chain(specials).map(f64::from) {
            let d = distance(found(x), expected(x));
            assert!(d <= 1, "{x}: {} instead of {}", found(x), expected(x));
            off += d;
        }
        assert!(off <= 2, "{off} of {steps} are not rounded as the reference rounds them");
    }

    #[test]
    fn functions_round_as_the_reference_does() {
        check(Exp::apply, f64::exp, -110.0, 95.0);
        check(ExpM1::apply, f64::exp_m1, -3.0, 3.0);
        check(Logistic::apply, |x| 1.0 / (1.0 + (-x).exp()), -100.0, 30.0);
        check(Tanh::apply, f64::tanh, -10.0, 10.0);
        check(Tanh::apply, f64::tanh, -0.05, 0.05);
        check(Log::apply, f64::ln, 1e-3, 1e3);
        check(Log1p::apply, f64::ln_1p, -0.9, 5.0);
        check(Rsqrt::apply, |x| 1.0 / x.sqrt(), 0.0, 1e5);
    }

    #[test]
    fn angles_are_reduced() {
        let steps = 20_000;
        for i in 0..steps {
            let x = f64::from(-30_000.0f32 + 60_000.0 * (i as f32 / steps as f32));
            if is_small_angle(x) {
                assert!((sine(x) - x.sin()).abs() < 1e-12 && (cosine(x) - x.cos()).abs() < 1e-12, "{x}");
            }
        }
    }

    #[test]
    fn powers_of_positive_numbers() {
        for (x, y) in [(2.0, 0.5), (0.999, 1000.0), (1e-20, 1.5), (3.0, -7.0), (7.0, 0.0)] {
            assert!(distance(power(x, y), x.powf(y)) <= 1, "{x} to {y}");
        }
    }
}
