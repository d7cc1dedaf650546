//! The logarithm of the gamma function, its derivatives, and the Hurwitz zeta function.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// Euler's constant.
const EULER: f64 = 0.577_215_664_901_532_9;

/// The Bernoulli numbers B₂, B₄, … B₂₄.
const BERNOULLI: [f64; 12] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174_611.0 / 330.0,
    854_513.0 / 138.0,
    -236_364_091.0 / 2730.0,
];

/// From this argument on the asymptotic series are exact to the last digit.
const ASYMPTOTIC: f64 = 12.0;

/// `(ζ(k) - 1) / k` for k = 2, 3, …: the coefficients of `lgamma` around two, up to the sign.
static ZETA_MINUS_ONE: LazyLock<[f64; 32]> =
    LazyLock::new(|| std::array::from_fn(|i| zeta((i + 2) as f64, 2.0) / (i + 2) as f64));

/// The logarithm of the absolute value of the gamma function. Infinite at its poles.
pub fn lgamma(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() {
        return f64::INFINITY;
    }
    if x <= 0.0 {
        if x == x.floor() {
            return f64::INFINITY;
        }
        return (PI / sin_pi(x).abs()).ln() - lgamma(1.0 - x);
    }
    match x {
        _ if x < 0.5 => lgamma_one_plus(x) - x.ln(),
        _ if x < 1.5 => lgamma_one_plus(x - 1.0),
        _ if x < 2.5 => lgamma_two_plus(x - 2.0),
        _ if x < ASYMPTOTIC => {
            let (mut base, mut product) = (x, 1.0);
            while base >= 2.5 {
                base -= 1.0;
                product *= base;
            }
            lgamma_two_plus(base - 2.0) + product.ln()
        }
        _ => {
            let tail = asymptotic(x, |k, b| b / ((2 * k * (2 * k - 1)) as f64 * x));
            ((x - 0.5) * x.ln() - x) + 0.5 * (2.0 * PI).ln() + tail
        }
    }
}

/// `lgamma(2 + z)` for |z| ≤ 1/2 by its Taylor series, which keeps the zero at two exact.
fn lgamma_two_plus(z: f64) -> f64 {
    let series = ZETA_MINUS_ONE.iter().rev().fold(0.0, |sum, c| c - z * sum);
    z * (1.0 - EULER) + z * z * series
}

/// `lgamma(1 + z)` for |z| ≤ 1/2.
fn lgamma_one_plus(z: f64) -> f64 {
    lgamma_two_plus(z) - z.ln_1p()
}

/// `sin(π x)` with the multiple of two taken off first, so that large arguments keep their digits.
fn sin_pi(x: f64) -> f64 {
    let rest = x - 2.0 * (x / 2.0).round();
    (PI * rest).sin()
}

/// `π / tan(π x)`.
fn pi_cot_pi(x: f64) -> f64 {
    let rest = x - x.round();
    PI / (PI * rest).tan()
}

/// The sum over k = 1, 2, … of `term(k, B₂ₖ) / x²ᵏ⁻²`, by Horner's rule.
fn asymptotic(x: f64, term: impl Fn(usize, f64) -> f64) -> f64 {
    let inverse = 1.0 / (x * x);
    BERNOULLI.iter().enumerate().rev().fold(0.0, |sum, (i, &b)| term(i + 1, b) + inverse * sum)
}

/// The logarithmic derivative of the gamma function. NaN at the poles.
pub fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        return if x == x.floor() { f64::NAN } else { digamma(1.0 - x) - pi_cot_pi(x) };
    }
    let (mut shifted, mut sum) = (x, 0.0);
    while shifted < ASYMPTOTIC {
        sum += 1.0 / shifted;
        shifted += 1.0;
    }
    if shifted.is_infinite() {
        return shifted;
    }
    let tail = asymptotic(shifted, |k, b| b / (2 * k) as f64) / (shifted * shifted);
    shifted.ln() - 0.5 / shifted - tail - sum
}

/// The Hurwitz zeta function `Σ (q + n)⁻ˣ` over n = 0, 1, …, by the formula of Euler and Maclaurin.
///
/// It is infinite at x = 1, not defined below, and has poles where q is zero or a negative integer; for other
/// negative q the exponent must be an integer.
pub fn zeta(x: f64, q: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x.is_nan() || q.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    let whole = x == x.floor();
    if q <= 0.0 {
        if q == q.floor() {
            return if whole && x % 2.0 == 0.0 { f64::INFINITY } else { f64::NAN };
        }
        if !whole {
            return f64::NAN;
        }
    }
    if q.is_infinite() {
        return 0.0;
    }
    // The sum up to where the formula is exact. A negative q so far out that the loop would take long
    // starts at the terms around zero, which are all that count.
    let mut sum = 0.0;
    let mut base = if q < -1e6 { q - q.floor() - 1e6 } else { q };
    while base < ASYMPTOTIC.max(x.min(40.0)) {
        let term = base.powf(-x);
        sum += term;
        base += 1.0;
        if base > 1.0 && term < 1e-18 * sum {
            return sum;
        }
    }
    let power = base.powf(-x);
    sum += power * (base / (x - 1.0) + 0.5);
    // Terms B₂ⱼ / (2j)! x (x+1) … (x+2j-2) base⁻ˣ⁻²ʲ⁺¹.
    let mut factor = x * power / base;
    for (j, b) in BERNOULLI.iter().enumerate() {
        let even = (2 * j + 2) as f64;
        factor /= (even - 1.0).max(1.0) * even;
        let term = b * factor;
        sum += term;
        if term.abs() < 1e-18 * sum.abs() {
            break;
        }
        factor *= (x + even - 1.0) * (x + even) / (base * base);
    }
    sum
}

/// The n-th derivative of [`digamma`]; NaN where n is not a natural number.
pub fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return digamma(x);
    }
    if n < 0.0 || n != n.floor() {
        return f64::NAN;
    }
    let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
    sign * lgamma(n + 1.0).exp() * zeta(n + 1.0, x)
}

#[cfg(test)]
mod tests {
    use super::super::assert_close;
    use super::*;

    #[test]
    fn lgamma_of_integers_is_the_logarithm_of_factorials() {
        let mut factorial = 1.0f64;
        for n in 1..=100 {
            assert_close(lgamma(f64::from(n)), factorial.ln(), 1e-15);
            factorial *= f64::from(n);
        }
    }

    #[test]
    fn lgamma_agrees_with_known_values() {
        assert_close(lgamma(0.5), PI.sqrt().ln(), 1e-15);
        assert_close(lgamma(-0.5), (2.0 * PI.sqrt()).ln(), 1e-15);
        assert_close(lgamma(1e-10), 23.025_850_929_882_736, 1e-15);
        assert_close(lgamma(1.0 + 1e-9), -5.772_156_640_792_84e-10, 1e-7);
        assert_close(lgamma(1e10), 220_258_509_288.810_58, 1e-15);
        assert_eq!(lgamma(0.0), f64::INFINITY);
        assert_eq!(lgamma(-3.0), f64::INFINITY);
        assert_eq!(lgamma(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn digamma_agrees_with_known_values() {
        assert_close(digamma(1.0), -EULER, 1e-15);
        assert_close(digamma(0.5), -EULER - 2.0 * 2f64.ln(), 1e-15);
        assert_close(digamma(-0.5), 0.036_489_973_978_576_52, 1e-13);
        assert_close(digamma(100.0), 4.600_161_852_738_087, 1e-15);
        assert!(digamma(-2.0).is_nan());
        assert_eq!(digamma(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn zeta_agrees_with_known_values() {
        assert_close(zeta(2.0, 1.0), PI * PI / 6.0, 1e-15);
        assert_close(zeta(4.0, 1.0), PI.powi(4) / 90.0, 1e-15);
        assert_close(zeta(1.5, 3.25), 1.201_217_311_370_371_7, 1e-14);
        assert_close(zeta(50.0, 2.0), 8.881_784_210_930_816e-16, 1e-15);
        assert_close(zeta(2.0, -0.5), PI * PI / 2.0 + 4.0, 1e-14);
        assert_eq!(zeta(1.0, 5.0), f64::INFINITY);
        assert!(zeta(0.5, 5.0).is_nan());
        assert_eq!(zeta(2.0, -3.0), f64::INFINITY);
    }

    #[test]
    fn polygamma_agrees_with_known_values() {
        assert_close(polygamma(1.0, 1.0), PI * PI / 6.0, 1e-14);
        assert_close(polygamma(2.0, 1.0), -2.404_113_806_319_188_6, 1e-14);
        assert_close(polygamma(0.0, 1.0), -EULER, 1e-15);
        assert!(polygamma(0.5, 1.0).is_nan());
    }
}
