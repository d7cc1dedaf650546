//! Special functions in double precision: the error function, the gamma function and its relatives, the
//! Bessel function of order one, and the inverse functions of complex numbers.
//!
//! Results are right to a few units in the last place of `f64`, so that rounding to a narrower type is, up to
//! ties, correct rounding.

mod bessel;
mod complex;
mod error_function;
mod gamma;
mod next_after;

pub use bessel::bessel_i1e;
pub use complex::{acos, acosh, asin, asin_acos_kernel, asinh, atan, atanh, cosh, sinh, tan};
pub use error_function::{erf, erf_inv, erfc};
pub use gamma::{digamma, lgamma, polygamma, zeta};
pub use next_after::next_after;

/// That two numbers differ by at most a relative error, for tests.
#[cfg(test)]
#[track_caller]
fn assert_close(found: f64, expected: f64, relative: f64) {
    let close = found == expected
        || (found.is_nan() && expected.is_nan())
        || (found - expected).abs() <= relative * expected.abs();
    assert!(close, "{found:e} instead of {expected:e}");
}
