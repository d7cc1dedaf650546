//! The Cholesky decomposition.

use super::matrix::{Matrix, Number, batch_count, matrix_shape};
use crate::interpret::EvalError;
use crate::ir::{OpRef, Type, names};
use crate::ops::check::{element_among, ensure, tensor_operand};
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, Work, bytes_moved, optional};
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::text::form::Piece::{Attr, AttrDict, Lit, Operand, Optional};
use crate::text::form::{Form, Piece, Types};
use crate::value::{Tensor, TensorBuilder};
use num_complex::Complex64;

pub static CHOLESKY: OpDef = OpDef {
    name: "stablehlo.cholesky",
    doc: "The triangular factor of each positive-definite matrix; zeros in the other triangle.",
    form: Form::Pieces(&[
        Operand,
        Optional(names::LOWER, &[Lit(", lower = "), Attr(names::LOWER)]),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Same),
    ]),
    operands: Count::exactly(1),
    attrs: &[optional(names::LOWER, AttrKind::Bool)],
    infer: Some(|op| Ok(vec![Type::Tensor(tensor_operand(op, 0)?.clone())])),
    verify,
    eval: Eval::Kernel(eval),
    work,
    spread: Spread::Rule(sharding::linalg::cholesky, Flow::Ordinary),
    ..OpDef::BASE
};

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    element_among(op, 0, "floats or complex numbers", |e| e.is_float() || e.is_complex())?;
    let a = tensor_operand(op, 0)?;
    ensure!(a.rank() >= 2, "the operand must have at least two dimensions, but it has {}", a.rank());
    let (rows, cols) = matrix_shape(&a.shape);
    ensure!(rows == cols, "the last two dimensions must be equal, but they are {rows} and {cols}");
    Ok(())
}

fn eval(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let lower = op.flag(names::LOWER);
    Ok(vec![if args[0].elem().is_complex() {
        all::<Complex64>(&args[0], lower)
    } else {
        all::<f64>(&args[0], lower)
    }])
}

fn all<T: Number>(a: &Tensor, lower: bool) -> Tensor {
    let mut result = TensorBuilder::new(a.ty().clone());
    for n in 0..batch_count(a.shape()) {
        let matrix = Matrix::<T>::load(a, n);
        let factor = match factor(&matrix, lower) {
            Ok(factor) => factor,
            // As XLA has it: no number at all comes out of a matrix that is not positive definite.
            Err(_) => matrix.map(|_, _, _| T::from_re(f64::NAN)),
        };
        factor.store(&mut result, n);
    }
    result.finish()
}

/// The lower factor `L` with `L Lᴴ = A`, or the upper one `U` with `Uᴴ U = A`. Only that triangle of the matrix
/// is read. The error is the column, counted from one, whose pivot was not positive.
pub(crate) fn factor<T: Number>(a: &Matrix<T>, lower: bool) -> Result<Matrix<T>, usize> {
    if !lower {
        return factor(&a.adjoint(), true).map(|l| l.adjoint());
    }
    let n = a.rows();
    let mut l = Matrix::zeros(n, n);
    for j in 0..n {
        let square = (0..j).fold(a[(j, j)].re(), |sum, k| {
            let x: T = l[(j, k)];
            sum - (x.re() * x.re() + x.im() * x.im())
        });
        if square <= 0.0 || square.is_nan() {
            return Err(j + 1);
        }
        let pivot = square.sqrt();
        l[(j, j)] = T::from_re(pivot);
        for i in j + 1..n {
            let sum = (0..j).fold(a[(i, j)], |sum, k| sum - l[(i, k)] * l[(j, k)].conj());
            l[(i, j)] = sum.over(T::from_re(pivot));
        }
    }
    Ok(l)
}

fn work(op: OpRef<'_>) -> Work {
    let shape = &op.operand_tensor(0).shape;
    let (n, _) = matrix_shape(shape);
    Work { flops: batch_count(shape) as f64 * (n as f64).powi(3) / 3.0, bytes: bytes_moved(op) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_to_the_matrix() {
        let rows = [[4.0, 2.0, 3.0], [2.0, 20.0, 26.0], [3.0, 26.0, 70.0]];
        let a = Matrix::<f64>::from_fn(3, 3, |i, j| rows[i][j]);
        let l = factor(&a, true).unwrap();
        let u = factor(&a, false).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                assert!((l.times(&l.adjoint())[(i, j)] - a[(i, j)]).abs() < 1e-13);
                assert!((u.adjoint().times(&u)[(i, j)] - a[(i, j)]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn the_first_bad_pivot_is_named() {
        let a = Matrix::<f64>::from_fn(2, 2, |i, j| if i == j { 1.0 - 2.0 * i as f64 } else { 0.0 });
        assert_eq!(factor(&a, true), Err(2));
    }
}
