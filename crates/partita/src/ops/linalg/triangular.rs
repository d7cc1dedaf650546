//! Systems of linear equations with triangular matrices.

use super::matrix::{Matrix, Number, batch_count, matrix_shape};
use crate::interpret::EvalError;
use crate::ir::attr::{EnumAttr, Transpose};
use crate::ir::{EnumKind, OpRef, Type, names};
use crate::ops::check::{element_among, ensure, tensor_operand};
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, Work, bytes_moved, required};
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::value::{Tensor, TensorBuilder};
use num_complex::Complex64;

pub static TRIANGULAR_SOLVE: OpDef = OpDef {
    name: "stablehlo.triangular_solve",
    doc: "Solves `op(a) x = b` or `x op(a) = b` for triangular matrices `a`.",
    operands: Count::exactly(2),
    attrs: &[
        required(names::LEFT_SIDE, AttrKind::Bool),
        required(names::LOWER, AttrKind::Bool),
        required(names::TRANSPOSE_A, AttrKind::Enum(EnumKind::Transpose)),
        required(names::UNIT_DIAGONAL, AttrKind::Bool),
    ],
    infer: Some(|op| Ok(vec![Type::Tensor(tensor_operand(op, 1)?.clone())])),
    verify,
    eval: Eval::Kernel(eval),
    work,
    spread: Spread::Rule(sharding::linalg::triangular_solve, Flow::Ordinary),
    ..OpDef::BASE
};

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    element_among(op, 0, "floats or complex numbers", |e| e.is_float() || e.is_complex())?;
    let (a, b) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    ensure!(
        a.elem == b.elem,
        "both operands must have the same elements, but they have {} and {}",
        a.elem,
        b.elem
    );
    ensure!(
        a.rank() == b.rank() && a.rank() >= 2,
        "both operands must have the same number of dimensions, at least two, but they have {} and {}",
        a.rank(),
        b.rank()
    );
    let batch = a.rank() - 2;
    for d in 0..batch {
        ensure!(
            a.shape[d] == b.shape[d],
            "the batch dimension {d} has size {} in `a`, but {} in `b`",
            a.shape[d],
            b.shape[d]
        );
    }
    let (rows, cols) = matrix_shape(&a.shape);
    ensure!(rows == cols, "the last two dimensions of `a` must be equal, but they are {rows} and {cols}");
    let left = op.flag(names::LEFT_SIDE);
    let d = if left { batch } else { batch + 1 };
    ensure!(
        b.shape[d] == rows as i64,
        "dimension {d} of `b` has size {}, but the matrices of `a` have size {rows}",
        b.shape[d]
    );
    ensure!(
        op.enumeration(names::TRANSPOSE_A) != Some(EnumAttr::Transpose(Transpose::Invalid)),
        "`transpose_a` must be NO_TRANSPOSE, TRANSPOSE or ADJOINT"
    );
    Ok(())
}

/// What a triangular system is made of besides its matrices.
#[derive(Clone, Copy)]
pub(crate) struct System {
    /// Whether the matrix stands on the left of the unknown.
    pub(crate) left: bool,
    /// Whether the lower triangle of the matrix is read.
    pub(crate) lower: bool,
    /// Whether the diagonal is taken to be one.
    pub(crate) unit_diagonal: bool,
    /// What is done to the matrix first.
    pub(crate) transpose: Transpose,
}

fn eval(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let transpose = match op.enumeration(names::TRANSPOSE_A) {
        Some(EnumAttr::Transpose(transpose)) => transpose,
        _ => Transpose::No,
    };
    let system = System {
        left: op.flag(names::LEFT_SIDE),
        lower: op.flag(names::LOWER),
        unit_diagonal: op.flag(names::UNIT_DIAGONAL),
        transpose,
    };
    Ok(vec![solve_all(system, &args[0], &args[1])])
}

/// Solves each system of a batch.
pub(crate) fn solve_all(system: System, a: &Tensor, b: &Tensor) -> Tensor {
    fn all<T: Number>(system: System, a: &Tensor, b: &Tensor) -> Tensor {
        let mut result = TensorBuilder::new(b.ty().clone());
        for n in 0..batch_count(b.shape()) {
            solve::<T>(system, &Matrix::load(a, n), Matrix::load(b, n)).store(&mut result, n);
        }
        result.finish()
    }
    if a.elem().is_complex() { all::<Complex64>(system, a, b) } else { all::<f64>(system, a, b) }
}

/// Solves one system by substitution.
pub(crate) fn solve<T: Number>(system: System, a: &Matrix<T>, b: Matrix<T>) -> Matrix<T> {
    let n = a.rows();
    let transposed = system.transpose != Transpose::No;
    // `op(a)`, and from the right its transpose: x op(a) = b is op(a)ᵀ xᵀ = bᵀ.
    let element = |i: usize, j: usize| {
        let (i, j) = if system.left { (i, j) } else { (j, i) };
        match system.transpose {
            Transpose::Adjoint => a[(j, i)].conj(),
            Transpose::Transpose => a[(j, i)],
            _ => a[(i, j)],
        }
    };
    let forward = system.lower ^ transposed ^ !system.left;
    let mut x = b;
    let columns = if system.left { x.cols() } else { x.rows() };
    let at = |i: usize, c: usize| if system.left { (i, c) } else { (c, i) };
    for c in 0..columns {
        for step in 0..n {
            let i = if forward { step } else { n - 1 - step };
            let known = if forward { 0..i } else { i + 1..n };
            let sum = known.fold(x[at(i, c)], |sum, k| sum - element(i, k) * x[at(k, c)]);
            x[at(i, c)] = if system.unit_diagonal { sum } else { sum.over(element(i, i)) };
        }
    }
    x
}

fn work(op: OpRef<'_>) -> Work {
    let (n, _) = matrix_shape(&op.operand_tensor(0).shape);
    // Each element of the unknown takes n multiplications and additions on half the matrix.
    Work { flops: op.operand_tensor(1).count() as f64 * n as f64, bytes: bytes_moved(op) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_system_is_solved() {
        let c = |re: f64, im: f64| Complex64::new(re, im);
        let a = Matrix::from_fn(3, 3, |i, j| c(2.0 + (3 * i + j) as f64, i as f64 - 0.5 * j as f64));
        for (left, lower, unit_diagonal, transpose) in [
            (true, true, false, Transpose::No),
            (true, false, true, Transpose::No),
            (false, true, false, Transpose::Transpose),
            (false, false, false, Transpose::Adjoint),
            (true, true, true, Transpose::Adjoint),
            (false, true, false, Transpose::No),
        ] {
            let triangle = a.map(|i, j, x| match i.cmp(&j) {
                std::cmp::Ordering::Equal if unit_diagonal => Complex64::ONE,
                std::cmp::Ordering::Equal => x,
                std::cmp::Ordering::Greater if lower => x,
                std::cmp::Ordering::Less if !lower => x,
                _ => Complex64::ZERO,
            });
            let op = match transpose {
                Transpose::No => triangle,
                Transpose::Adjoint => triangle.adjoint(),
                _ => triangle.adjoint().map(|_, _, x| Number::conj(x)),
            };
            let (rows, cols) = if left { (3, 2) } else { (2, 3) };
            let b = Matrix::from_fn(rows, cols, |i, j| c(i as f64 + 1.0, j as f64));
            let x = solve(System { left, lower, unit_diagonal, transpose }, &a, b.clone());
            let product = if left { op.times(&x) } else { x.times(&op) };
            for i in 0..rows {
                for j in 0..cols {
                    assert!((product[(i, j)] - b[(i, j)]).norm() < 1e-9);
                }
            }
        }
    }
}
