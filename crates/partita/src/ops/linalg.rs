//! Fourier transforms and linear algebra.

use super::def::{Count, OpDef};

pub static CHOLESKY: OpDef =
    OpDef { name: "stablehlo.cholesky", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static FFT: OpDef = OpDef { name: "stablehlo.fft", doc: "", operands: Count::exactly(1), ..OpDef::BASE };

pub static TRIANGULAR_SOLVE: OpDef =
    OpDef { name: "stablehlo.triangular_solve", doc: "", operands: Count::exactly(2), ..OpDef::BASE };
