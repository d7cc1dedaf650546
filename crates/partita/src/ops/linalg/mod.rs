//! Fourier transforms and linear algebra.

pub(crate) mod cholesky;
mod fft;
mod fourier;
pub(crate) mod matrix;
pub(crate) mod triangular;

pub(crate) use cholesky::CHOLESKY;
pub(crate) use fourier::FFT;
pub(crate) use triangular::TRIANGULAR_SOLVE;
