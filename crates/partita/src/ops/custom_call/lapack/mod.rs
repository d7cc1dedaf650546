//! Routines of LAPACK as JAX calls them on CPUs: `lapack_sgetrf_ffi`, and so on for other letters.
//!
//! Matrices are what the shapes say: the order of elements in memory, which the calls carry as layouts, is not
//! looked at. Everything is computed in double precision. Conventions (signs of Householder vectors, pivots
//! counted from one, order of eigenvalues) are those of LAPACK.

mod eigen_general;
mod eigen_symmetric;
mod householder;
mod lu;
pub(super) mod qr;
mod schur;
mod svd;
mod tridiagonal;

use super::config::{character, number};
use super::targets::shape;
use crate::interpret::EvalError;
use crate::ir::attr::Transpose;
use crate::ir::{Elem, OpRef, TensorType, Type, names};
use crate::ops::check::{ensure, tensor_operand};
use crate::ops::def::OpError;
use crate::ops::linalg::cholesky;
use crate::ops::linalg::matrix::{Matrix, Number, load_list, matrix_shape, store_list};
use crate::ops::linalg::triangular::{System, solve};
use crate::value::{Scalar, Tensor, TensorBuilder};
use num_complex::Complex64;

/// One routine.
struct Routine {
    /// The names, each with its letter.
    names: &'static [&'static str],
    /// How many operands.
    operands: usize,
    /// How many operations it takes, in multiples of rows times columns times the smaller of the two.
    flops: f64,
    /// The types of the results.
    infer: fn(OpRef<'_>, &Sizes) -> Result<Vec<TensorType>, OpError>,
    /// The computation on one matrix of the batch, for real and for complex numbers.
    real: fn(&mut Batch<'_>) -> Result<(), EvalError>,
    complex: fn(&mut Batch<'_>) -> Result<(), EvalError>,
}

/// A routine for real and complex numbers, from one generic function.
macro_rules! routine {
    ($operands:literal, $flops:expr, [$($name:literal),*], $infer:expr, $run:ident) => {
        Routine {
            names: &[$($name),*],
            operands: $operands,
            flops: $flops,
            infer: $infer,
            real: $run::<f64>,
            complex: $run::<Complex64>,
        }
    };
}

static ROUTINES: &[Routine] = &[
    routine!(1, 2.0 / 3.0, ["sgetrf", "dgetrf", "cgetrf", "zgetrf"], infer_getrf, getrf),
    routine!(1, 1.0 / 3.0, ["spotrf", "dpotrf", "cpotrf", "zpotrf"], infer_potrf, potrf),
    routine!(2, 1.0, ["strsm", "dtrsm", "ctrsm", "ztrsm"], infer_trsm, trsm),
    routine!(1, 4.0 / 3.0, ["sgeqrf", "dgeqrf", "cgeqrf", "zgeqrf"], infer_geqrf, geqrf),
    routine!(2, 4.0 / 3.0, ["sorgqr", "dorgqr", "cungqr", "zungqr"], infer_orgqr, orgqr),
    routine!(2, 4.0 / 3.0, ["sgeqp3", "dgeqp3", "cgeqp3", "zgeqp3"], infer_geqp3, geqp3),
    routine!(1, 9.0, ["ssyevd", "dsyevd", "cheevd", "zheevd"], infer_syevd, syevd),
    routine!(1, 4.0 / 3.0, ["ssytrd", "dsytrd", "chetrd", "zhetrd"], infer_sytrd, sytrd),
    routine!(1, 20.0, ["sgesdd", "dgesdd", "cgesdd", "zgesdd"], infer_gesdd, gesdd),
    routine!(1, 20.0, ["sgesvd", "dgesvd", "cgesvd", "zgesvd"], infer_gesdd, gesdd),
    routine!(1, 10.0 / 3.0, ["sgehrd", "dgehrd", "cgehrd", "zgehrd"], infer_gehrd, gehrd),
    routine!(4, 0.0, ["sgtsv", "dgtsv", "cgtsv", "zgtsv"], infer_gtsv, gtsv),
    Routine {
        names: &["sgees", "dgees", "cgees", "zgees"],
        operands: 1,
        flops: 25.0,
        infer: infer_gees,
        real: schur::gees_real,
        complex: schur::gees_complex,
    },
    Routine {
        names: &["sgeev", "dgeev", "cgeev", "zgeev"],
        operands: 1,
        flops: 27.0,
        infer: infer_geev,
        real: eigen_general::geev_real,
        complex: eigen_general::geev_complex,
    },
];

/// `sgetrf` from `lapack_sgetrf_ffi`.
fn short_name(target: &str) -> Option<&str> {
    target.strip_prefix("lapack_")?.strip_suffix("_ffi")
}

fn routine(target: &str) -> Option<&'static Routine> {
    let short = short_name(target)?;
    ROUTINES.iter().find(|r| r.names.contains(&short))
}

/// Whether a call target is one of the routines.
pub(super) fn is_routine(target: &str) -> bool {
    routine(target).is_some()
}

fn called(op: OpRef<'_>) -> Option<(&'static Routine, Elem)> {
    let target = op.str(names::CALL_TARGET_NAME)?;
    let elem = match short_name(target)?.as_bytes().first()? {
        b's' => Elem::F32,
        b'd' => Elem::F64,
        b'c' => Elem::C64,
        _ => Elem::C128,
    };
    Some((routine(target)?, elem))
}

/// How many operations a call takes.
pub(super) fn flops(op: OpRef<'_>) -> f64 {
    called(op).map_or(0.0, |(routine, _)| cubic(op, routine.flops))
}

/// A multiple of rows times columns times the smaller of the two, for each matrix of the first operand.
pub(super) fn cubic(op: OpRef<'_>, factor: f64) -> f64 {
    let Some(ty) = op.operand_types().next().and_then(Type::as_tensor) else { return 0.0 };
    let (rows, cols) = matrix_shape(&ty.shape);
    factor * ty.count() as f64 * rows.min(cols) as f64
}

/// The sizes of the first operand.
struct Sizes {
    elem: Elem,
    batch: Vec<i64>,
    rows: i64,
    cols: i64,
}

impl Sizes {
    /// A tensor with the batch dimensions before its own.
    fn tensor(&self, elem: Elem, shape: &[i64]) -> TensorType {
        TensorType::new(elem, self.batch.iter().chain(shape).copied())
    }

    /// The type of the status, one number per matrix.
    fn info(&self) -> TensorType {
        self.tensor(Elem::Int(32), &[])
    }

    fn square(&self) -> Result<i64, OpError> {
        ensure!(
            self.rows == self.cols,
            "the matrices must be square, but they have {} rows and {} columns",
            self.rows,
            self.cols
        );
        Ok(self.rows)
    }

    /// The matrices of the first operand.
    fn matrices(&self) -> TensorType {
        self.tensor(self.elem, &[self.rows, self.cols])
    }
}

pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let Some((routine, elem)) = called(op) else { return Ok(()) };
    let results = op.op().results.len();
    shape(op, routine.operands, results)?;
    let first = tensor_operand(op, 0)?;
    ensure!(first.elem == elem, "by its name the routine takes {elem}, but operand 0 holds {}", first.elem);
    // The operands of `gtsv` are vectors, three of them, before the matrices.
    let matrices = tensor_operand(op, if routine.operands == 4 { 3 } else { 0 })?;
    ensure!(matrices.rank() >= 2, "matrices need two dimensions, but `{matrices}` has {}", matrices.rank());
    let batch = matrices.rank() - 2;
    let (rows, cols) = matrix_shape(&matrices.shape);
    let batch = matrices.shape[..batch].to_vec();
    let sizes = Sizes { elem, batch, rows: rows as i64, cols: cols as i64 };
    let follows = (routine.infer)(op, &sizes)?;
    ensure!(follows.len() == results, "the routine gives {} results, but {results} are named", follows.len());
    for (n, (given, follows)) in op.result_types().zip(follows).enumerate() {
        let follows = Type::Tensor(follows);
        ensure!(*given == follows, "result {n} is `{given}`, but from the operands follows `{follows}`");
    }
    Ok(())
}

/// One call: operands, results to be filled, and which matrix of the batch it is about.
struct Batch<'a> {
    op: OpRef<'a>,
    args: &'a [Tensor],
    results: Vec<TensorBuilder>,
    n: usize,
}

impl Batch<'_> {
    fn matrix<T: Number>(&self, operand: usize) -> Matrix<T> {
        Matrix::load(&self.args[operand], self.n)
    }

    fn list<T: Number>(&self, operand: usize) -> Vec<T> {
        load_list(&self.args[operand], self.n)
    }

    fn put_matrix<T: Number>(&mut self, result: usize, matrix: &Matrix<T>) {
        matrix.store(&mut self.results[result], self.n);
    }

    fn put_list<T: Number>(&mut self, result: usize, list: &[T]) {
        store_list(list, &mut self.results[result], self.n);
    }

    fn put_integers(&mut self, result: usize, list: &[usize]) {
        for (i, value) in list.iter().enumerate() {
            self.results[result].set(self.n * list.len() + i, Scalar::Int(*value as i64));
        }
    }

    fn character(&self, name: &str) -> Option<char> {
        character(self.op, name)
    }

    /// Whether the lower triangle is meant.
    fn lower(&self) -> bool {
        self.character("uplo") != Some('U')
    }
}

pub(super) fn eval(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let Some((routine, elem)) = called(op) else {
        return Err(EvalError::new("this is not a routine of LAPACK"));
    };
    let run = if elem.is_complex() { routine.complex } else { routine.real };
    let matrices = args.last().map_or(&[][..], Tensor::shape);
    let matrices = if routine.operands == 4 { matrices } else { args[0].shape() };
    let count = crate::ops::linalg::matrix::batch_count(matrices);
    let results =
        (0..op.op().results.len()).map(|n| TensorBuilder::new(op.result_tensor(n).clone())).collect();
    let mut batch = Batch { op, args, results, n: 0 };
    for n in 0..count {
        batch.n = n;
        run(&mut batch)?;
    }
    Ok(batch.results.into_iter().map(TensorBuilder::finish).collect())
}

// --- factorisations ---

fn infer_getrf(_: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    Ok(vec![s.matrices(), s.tensor(Elem::Int(32), &[s.rows.min(s.cols)]), s.info()])
}

fn getrf<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let mut a = b.matrix::<T>(0);
    let (pivots, info) = lu::factor(&mut a);
    b.put_matrix(0, &a);
    b.put_integers(1, &pivots);
    b.put_integers(2, &[info]);
    Ok(())
}

fn infer_potrf(_: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    s.square()?;
    Ok(vec![s.matrices(), s.info()])
}

fn potrf<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let (a, lower) = (b.matrix::<T>(0), b.lower());
    // The other triangle stays as it was.
    let (result, info) = match cholesky::factor(&a, lower) {
        Ok(factor) => {
            let merged = a.map(|i, j, old| if i == j || (i > j) == lower { factor[(i, j)] } else { old });
            (merged, 0)
        }
        Err(column) => (a, column),
    };
    b.put_matrix(0, &result);
    b.put_integers(1, &[info]);
    Ok(())
}

fn infer_trsm(op: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let n = s.square()?;
    let b = tensor_operand(op, 1)?;
    ensure!(b.elem == s.elem, "the operands hold {} and {}, but they must hold the same", s.elem, b.elem);
    let side = usize::from(character(op, "side") == Some('R'));
    ensure!(b.rank() == s.batch.len() + 2, "both operands must have the same number of dimensions");
    ensure!(b.shape[..s.batch.len()] == s.batch[..], "both operands must have the same batch dimensions");
    let size = b.shape[s.batch.len() + side];
    ensure!(size == n, "the triangular matrices have size {n}, but dimension {side} of the others is {size}");
    Ok(vec![b.clone()])
}

fn trsm<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let system = System {
        left: b.character("side") != Some('R'),
        lower: b.lower(),
        unit_diagonal: b.character("diag") == Some('U'),
        transpose: match b.character("trans_x") {
            Some('T') => Transpose::Transpose,
            Some('C') => Transpose::Adjoint,
            _ => Transpose::No,
        },
    };
    let x = solve::<T>(system, &b.matrix(0), b.matrix(1));
    b.put_matrix(0, &x);
    Ok(())
}

fn infer_geqrf(_: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    Ok(vec![s.matrices(), s.tensor(s.elem, &[s.rows.min(s.cols)])])
}

fn geqrf<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let mut a = b.matrix::<T>(0);
    let factors = qr::factor(&mut a);
    b.put_matrix(0, &a);
    b.put_list(1, &factors);
    Ok(())
}

fn infer_orgqr(op: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let factors = tensor_operand(op, 1)?;
    let count = factors.shape.last().copied().unwrap_or(0);
    ensure!(
        *factors == s.tensor(s.elem, &[count]),
        "the factors must be a list for each matrix, not `{factors}`"
    );
    ensure!(
        s.rows >= s.cols && s.cols >= count,
        "{count} vectors of {} elements do not make {} columns",
        s.rows,
        s.cols
    );
    Ok(vec![s.matrices()])
}

fn orgqr<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let q = qr::form_q(&b.matrix::<T>(0), &b.list(1));
    b.put_matrix(0, &q);
    Ok(())
}

fn infer_geqp3(op: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let pivots = s.tensor(Elem::Int(32), &[s.cols]);
    let given = tensor_operand(op, 1)?;
    ensure!(*given == pivots, "the pivots must be `{pivots}`, but they are `{given}`");
    Ok(vec![s.matrices(), pivots, s.tensor(s.elem, &[s.rows.min(s.cols)])])
}

fn geqp3<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let mut a = b.matrix::<T>(0);
    let fixed: Vec<bool> = b.list::<f64>(1).iter().map(|p| *p != 0.0).collect();
    let (pivots, factors) = qr::factor_with_pivots(&mut a, &fixed);
    b.put_matrix(0, &a);
    b.put_integers(1, &pivots);
    b.put_list(2, &factors);
    Ok(())
}

// --- symmetric eigenvalues ---

fn infer_syevd(_: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let n = s.square()?;
    Ok(vec![s.matrices(), s.tensor(s.elem.real(), &[n]), s.info()])
}

fn syevd<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let (a, lower) = (b.matrix::<T>(0), b.lower());
    let (values, vectors, info) = eigen_symmetric::decompose(&a, lower);
    b.put_matrix(0, &vectors);
    b.put_list(1, &values);
    b.put_integers(2, &[info]);
    Ok(())
}

fn infer_sytrd(_: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let n = s.square()?;
    let less = (n - 1).max(0);
    let real = s.elem.real();
    Ok(vec![s.matrices(), s.tensor(real, &[n]), s.tensor(real, &[less]), s.tensor(s.elem, &[less]), s.info()])
}

fn sytrd<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let reduced = tridiagonal::reduce(&b.matrix::<T>(0), b.lower());
    b.put_matrix(0, &reduced.packed);
    b.put_list(1, &reduced.diagonal);
    b.put_list(2, &reduced.off_diagonal);
    b.put_list(3, &reduced.factors);
    b.put_integers(4, &[0]);
    Ok(())
}

// --- singular values ---

fn infer_gesdd(op: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let small = s.rows.min(s.cols);
    let (left, right) = match character(op, "mode") {
        Some('S') => (small, small),
        _ => (s.rows, s.cols),
    };
    Ok(vec![
        s.matrices(),
        s.tensor(s.elem.real(), &[small]),
        s.tensor(s.elem, &[s.rows, left]),
        s.tensor(s.elem, &[right, s.cols]),
        s.info(),
    ])
}

fn gesdd<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let a = b.matrix::<T>(0);
    let mode = b.character("mode");
    let (values, left, right) = svd::decompose(&a, mode != Some('S'));
    b.put_matrix(0, &a);
    b.put_list(1, &values);
    if mode != Some('N') {
        b.put_matrix(2, &left);
        b.put_matrix(3, &right.adjoint());
    }
    b.put_integers(4, &[0]);
    Ok(())
}

// --- Hessenberg and Schur forms, general eigenvalues ---

fn infer_gehrd(op: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let n = s.square()?;
    let (low, high) = (number(op, "low").unwrap_or(1), number(op, "high").unwrap_or(n));
    ensure!(
        n == 0 || (1 <= low && low <= high && high <= n),
        "rows {low} to {high} are not rows of a matrix of size {n}"
    );
    Ok(vec![s.matrices(), s.tensor(s.elem, &[(n - 1).max(0)]), s.info()])
}

fn gehrd<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let mut a = b.matrix::<T>(0);
    let low = number(b.op, "low").unwrap_or(1).max(1) as usize - 1;
    let high = number(b.op, "high").map_or(a.rows(), |high| high.max(0) as usize);
    let factors = schur::hessenberg(&mut a, low, high);
    b.put_matrix(0, &a);
    b.put_list(1, &factors);
    b.put_integers(2, &[0]);
    Ok(())
}

fn infer_gees(op: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let n = s.square()?;
    ensure!(character(op, "sort") != Some('S'), "eigenvalues of the Schur form cannot be sorted here");
    let mut types = vec![s.matrices(), s.matrices(), s.tensor(s.elem, &[n])];
    if !s.elem.is_complex() {
        types.push(s.tensor(s.elem, &[n]));
    }
    types.extend([s.info(), s.info()]);
    Ok(types)
}

fn infer_geev(_: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let n = s.square()?;
    let complex = match s.elem.real() {
        Elem::F64 => Elem::C128,
        _ => Elem::C64,
    };
    let mut types = vec![s.tensor(s.elem, &[n])];
    if !s.elem.is_complex() {
        types.push(s.tensor(s.elem, &[n]));
    }
    types.extend([s.tensor(complex, &[n, n]), s.tensor(complex, &[n, n]), s.info()]);
    Ok(types)
}

// --- tridiagonal systems ---

fn infer_gtsv(op: OpRef<'_>, s: &Sizes) -> Result<Vec<TensorType>, OpError> {
    let sides = tensor_operand(op, 3)?.elem;
    ensure!(sides == s.elem, "the operands hold {} and {sides}, but they must hold the same", s.elem);
    let mut types = Vec::new();
    for n in 0..3 {
        let given = tensor_operand(op, n)?;
        let size = given.shape.last().copied().unwrap_or(0);
        ensure!(
            *given == s.tensor(s.elem, &[size]) && (size == s.rows || (n != 1 && size == s.rows - 1)),
            "operand {n} must be a diagonal of matrices of size {}, but it is `{given}`",
            s.rows
        );
        types.push(given.clone());
    }
    types.extend([s.matrices(), s.info()]);
    Ok(types)
}

fn gtsv<T: Number>(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let (mut lower, mut diagonal, mut upper) = (b.list::<T>(0), b.list::<T>(1), b.list::<T>(2));
    let mut x = b.matrix::<T>(3);
    // A lower diagonal as long as the main one starts with an element outside the matrix.
    let outside = usize::from(lower.len() == diagonal.len() && !diagonal.is_empty());
    let info = tridiagonal::solve(&mut lower[outside..], &mut diagonal, &mut upper, &mut x);
    b.put_list(0, &lower);
    b.put_list(1, &diagonal);
    b.put_list(2, &upper);
    b.put_matrix(3, &x);
    b.put_integers(4, &[info]);
    Ok(())
}
