//! The modified Bessel function of the first kind.

use std::f64::consts::PI;

/// `exp(-|x|) I₁(x)`: the modified Bessel function of order one, scaled so that it does not overflow.
pub fn bessel_i1e(x: f64) -> f64 {
    let a = x.abs();
    let scaled = match a {
        // All terms are positive: nothing cancels.
        _ if a < 30.0 => (-a).exp() * power_series(a),
        _ if a.is_infinite() => 0.0,
        _ => asymptotic_series(a),
    };
    scaled.copysign(x)
}

/// `Σ (x/2)²ᵏ⁺¹ / (k! (k+1)!)`.
fn power_series(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut sum, mut k) = (x / 2.0, x / 2.0, 1.0);
    while term > 1e-17 * sum {
        term *= quarter / (k * (k + 1.0));
        sum += term;
        k += 1.0;
    }
    sum
}

/// `1/√(2πx) · (1 - (4-1)/(8x) + (4-1)(4-9)/(2! (8x)²) - …)`.
fn asymptotic_series(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0f64, 1.0f64);
    for k in 1..40 {
        let odd = f64::from(2 * k - 1);
        let next = -term * (4.0 - odd * odd) / (f64::from(k) * 8.0 * x);
        // The series diverges in the end: the smallest term is the last that helps.
        if next.abs() >= term.abs() || next.abs() < 1e-17 {
            break;
        }
        term = next;
        sum += term;
    }
    sum / (2.0 * PI * x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::assert_close;
    use super::*;

    #[test]
    fn values_agree_with_tables() {
        assert_close(bessel_i1e(1.0), 0.207_910_415_349_708_44, 1e-15);
        assert_close(bessel_i1e(-5.0), -0.163_972_266_944_542_38, 1e-15);
        assert_close(bessel_i1e(100.0), 0.039_744_153_025_130_26, 1e-15);
        assert_eq!(bessel_i1e(0.0), 0.0);
        assert!(bessel_i1e(f64::NAN).is_nan());
    }

    #[test]
    fn the_two_series_meet() {
        assert_close((-30f64).exp() * power_series(30.0), asymptotic_series(30.0), 1e-15);
    }
}
