//! Hessenberg and Schur forms.

use super::Batch;
use super::householder::{apply_left, apply_right, column, reflector, set_column};
use crate::interpret::EvalError;
use crate::ops::linalg::matrix::{Matrix, Number};
use num_complex::Complex64;

/// So many steps are allowed for one eigenvalue.
const MAX_STEPS: usize = 60;

/// Every so many steps a shift from nowhere breaks cycles.
const UNUSUAL_STEP: usize = 10;

/// Brings a matrix to Hessenberg form in the rows and columns from `low` to below `high`, with the Householder
/// vectors below the diagonal next to the main one. Gives their factors.
pub(super) fn hessenberg<T: Number>(a: &mut Matrix<T>, low: usize, high: usize) -> Vec<T> {
    let n = a.rows();
    let mut factors = vec![T::ZERO; low];
    for i in low..high.saturating_sub(1).min(n) {
        let first = i + 1;
        let mut v = column(a, i, first..high);
        let tau = reflector(&mut v);
        set_column(a, i, first, &v);
        v[0] = T::ONE;
        apply_right(a, &v, tau, first, 0..high);
        apply_left(a, &v, tau.conj(), first, first..n);
        factors.push(tau);
    }
    factors.resize(n.saturating_sub(1), T::ZERO);
    factors
}

/// The Hessenberg form without the vectors, and the unitary matrix that leads to it.
fn hessenberg_with_vectors<T: Number>(a: &Matrix<T>) -> (Matrix<T>, Matrix<T>) {
    let n = a.rows();
    let mut packed = a.clone();
    let factors = hessenberg(&mut packed, 0, n);
    let mut z = Matrix::identity(n, n);
    for (i, &tau) in factors.iter().enumerate().rev() {
        let mut v = column(&packed, i, i + 1..n);
        v[0] = T::ONE;
        apply_left(&mut z, &v, tau, i + 1, i + 1..n);
    }
    (packed.map(|i, j, x| if i > j + 1 { T::ZERO } else { x }), z)
}

/// A Schur form: the triangular matrix, the unitary one, and zero, or the number of eigenvalues that did not
/// converge.
pub(super) struct Schur<T> {
    pub(super) t: Matrix<T>,
    pub(super) z: Matrix<T>,
    pub(super) info: usize,
}

// --- complex ---

/// The Schur form of a complex matrix, by QR steps with one shift.
pub(super) fn complex_schur(a: &Matrix<Complex64>) -> Schur<Complex64> {
    let (mut t, mut z) = hessenberg_with_vectors(a);
    let n = t.rows();
    let (mut high, mut step) = (n, 0);
    while high > 1 {
        let last = high - 1;
        let small = |k: usize| {
            let near = t[(k - 1, k - 1)].norm() + t[(k, k)].norm();
            t[(k, k - 1)].norm() <= f64::EPSILON * if near == 0.0 { f64::MIN_POSITIVE } else { near }
        };
        let low = (1..high).rev().find(|&k| small(k)).unwrap_or(0);
        if low > 0 {
            t[(low, low - 1)] = Complex64::ZERO;
        }
        if low == last {
            (high, step) = (last, 0);
            continue;
        }
        step += 1;
        if step > MAX_STEPS {
            return Schur { t, z, info: high };
        }
        let shift = if step % UNUSUAL_STEP == 0 {
            t[(last, last)] + t[(last, last - 1)].norm()
        } else {
            nearest_eigenvalue(&t, last)
        };
        qr_step(&mut t, &mut z, low..high, shift);
    }
    Schur { t, z, info: 0 }
}

/// The eigenvalue of the last block of two rows that is nearer to its last element.
fn nearest_eigenvalue(t: &Matrix<Complex64>, last: usize) -> Complex64 {
    let (a, b) = (t[(last - 1, last - 1)], t[(last - 1, last)]);
    let (c, d) = (t[(last, last - 1)], t[(last, last)]);
    let half = (a - d) / 2.0;
    let root = (half * half + b * c).sqrt();
    let (one, other) = (half + root, half - root);
    d + if one.norm() < other.norm() { one } else { other }
}

fn qr_step(
    t: &mut Matrix<Complex64>,
    z: &mut Matrix<Complex64>,
    block: std::ops::Range<usize>,
    shift: Complex64,
) {
    let n = t.rows();
    block.clone().for_each(|i| t[(i, i)] -= shift);
    let mut rotations = Vec::with_capacity(block.len());
    for k in block.start..block.end - 1 {
        let (a, b) = (t[(k, k)], t[(k + 1, k)]);
        let length = a.norm().hypot(b.norm());
        let (c, s) = if length == 0.0 { (Complex64::ONE, Complex64::ZERO) } else { (a / length, b / length) };
        for j in k..n {
            let (x, y) = (t[(k, j)], t[(k + 1, j)]);
            t[(k, j)] = c.conj() * x + s.conj() * y;
            t[(k + 1, j)] = c * y - s * x;
        }
        rotations.push((k, c, s));
    }
    for (k, c, s) in rotations {
        turn_columns(t, k, c, s, (k + 2).min(block.end));
        turn_columns(z, k, c, s, n);
    }
    block.for_each(|i| t[(i, i)] += shift);
}

/// Turns columns `k` and `k + 1` in the first rows.
fn turn_columns(m: &mut Matrix<Complex64>, k: usize, c: Complex64, s: Complex64, rows: usize) {
    for i in 0..rows {
        let (x, y) = (m[(i, k)], m[(i, k + 1)]);
        m[(i, k)] = x * c + y * s;
        m[(i, k + 1)] = y * c.conj() - x * s.conj();
    }
}

// --- real ---

/// The real Schur form: blocks of one row for real eigenvalues, and of two rows with equal diagonal elements for
/// pairs of complex ones. By QR steps with two shifts.
pub(super) fn real_schur(a: &Matrix<f64>) -> Schur<f64> {
    let (mut t, mut z) = hessenberg_with_vectors(a);
    let (mut high, mut step) = (t.rows(), 0);
    while high > 0 {
        let last = high - 1;
        let small = |k: usize| {
            let near = t[(k - 1, k - 1)].abs() + t[(k, k)].abs();
            t[(k, k - 1)].abs() <= f64::EPSILON * if near == 0.0 { f64::MIN_POSITIVE } else { near }
        };
        let low = (1..high).rev().find(|&k| small(k)).unwrap_or(0);
        if low > 0 {
            t[(low, low - 1)] = 0.0;
        }
        if low + 1 >= last {
            if low + 1 == last {
                standardise(&mut t, &mut z, low);
            }
            (high, step) = (low, 0);
            continue;
        }
        step += 1;
        if step > MAX_STEPS {
            return Schur { t, z, info: high };
        }
        let shifts = shifts(&t, last, step % UNUSUAL_STEP == 0);
        double_step(&mut t, &mut z, low, last, shifts);
    }
    Schur { t, z, info: 0 }
}

/// Two shifts, real or conjugate: the eigenvalues of the last block, or, of real ones, the nearer one twice.
fn shifts(t: &Matrix<f64>, last: usize, unusual: bool) -> [Complex64; 2] {
    let (a, b, c, d) = if unusual {
        let s = t[(last, last - 1)].abs() + t[(last - 1, last - 2)].abs();
        let shifted = 0.75 * s + t[(last, last)];
        (shifted, -0.4375 * s, s, shifted)
    } else {
        (t[(last - 1, last - 1)], t[(last - 1, last)], t[(last, last - 1)], t[(last, last)])
    };
    let scale = a.abs() + b.abs() + c.abs() + d.abs();
    if scale == 0.0 {
        return [Complex64::ZERO; 2];
    }
    let (a, b, c, d) = (a / scale, b / scale, c / scale, d / scale);
    let mean = (a + d) / 2.0;
    let det = (a - mean) * (d - mean) - b * c;
    let root = det.abs().sqrt();
    if det >= 0.0 {
        let shift = Complex64::new(mean, root) * scale;
        [shift, shift.conj()]
    } else {
        let nearer =
            if (mean + root - d).abs() <= (mean - root - d).abs() { mean + root } else { mean - root };
        [Complex64::new(nearer * scale, 0.0); 2]
    }
}

fn double_step(t: &mut Matrix<f64>, z: &mut Matrix<f64>, low: usize, last: usize, [s1, s2]: [Complex64; 2]) {
    let n = t.rows();
    // The first column of (T - s1)(T - s2), up to a factor; the step may start where two elements below the
    // diagonal are small.
    let first_column = |t: &Matrix<f64>, m: usize| {
        let scale = (t[(m, m)] - s2.re).abs() + s2.im.abs() + t[(m + 1, m)].abs();
        let below = t[(m + 1, m)] / scale;
        let v = [
            below * t[(m, m + 1)] + (t[(m, m)] - s1.re) * ((t[(m, m)] - s2.re) / scale)
                - s1.im * (s2.im / scale),
            below * (t[(m, m)] + t[(m + 1, m + 1)] - s1.re - s2.re),
            below * t[(m + 2, m + 1)],
        ];
        let sum = v[0].abs() + v[1].abs() + v[2].abs();
        v.map(|x| x / sum)
    };
    let starts_here = |t: &Matrix<f64>, m: usize| {
        let v = first_column(t, m);
        let near = t[(m - 1, m - 1)].abs() + t[(m, m)].abs() + t[(m + 1, m + 1)].abs();
        t[(m, m - 1)].abs() * (v[1].abs() + v[2].abs()) <= f64::EPSILON * v[0].abs() * near
    };
    let start = (low + 1..last - 1).rev().find(|&m| starts_here(t, m)).unwrap_or(low);
    let first = first_column(t, start);
    for k in start..last {
        let size = 3.min(last - k + 1);
        let mut v: Vec<f64> = if k == start { first.to_vec() } else { column(t, k - 1, k..k + size) };
        v.truncate(size);
        let tau = reflector(&mut v);
        if k > start {
            t[(k, k - 1)] = v[0];
            (1..size).for_each(|i| t[(k + i, k - 1)] = 0.0);
        } else if start > low {
            t[(k, k - 1)] *= 1.0 - tau;
        }
        v[0] = 1.0;
        apply_left(t, &v, tau, k, k..n);
        apply_right(t, &v, tau, k, 0..(k + 4).min(last + 1));
        apply_right(z, &v, tau, k, 0..n);
    }
}

/// Brings a block of two rows to its normal form: triangular, or with equal diagonal elements.
fn standardise(t: &mut Matrix<f64>, z: &mut Matrix<f64>, k: usize) {
    let n = t.rows();
    let block = [t[(k, k)], t[(k, k + 1)], t[(k + 1, k)], t[(k + 1, k + 1)]];
    let ([a, b, c, d], cs, sn) = normal_form(block);
    for j in k + 2..n {
        let (x, y) = (t[(k, j)], t[(k + 1, j)]);
        t[(k, j)] = cs * x + sn * y;
        t[(k + 1, j)] = cs * y - sn * x;
    }
    for (m, rows) in [(&mut *t, k), (z, n)] {
        for i in 0..rows {
            let (x, y) = (m[(i, k)], m[(i, k + 1)]);
            m[(i, k)] = cs * x + sn * y;
            m[(i, k + 1)] = cs * y - sn * x;
        }
    }
    (t[(k, k)], t[(k, k + 1)], t[(k + 1, k)], t[(k + 1, k + 1)]) = (a, b, c, d);
}

/// The normal form of a matrix of two rows, and the cosine and sine of the rotation that leads to it.
fn normal_form([mut a, mut b, mut c, mut d]: [f64; 4]) -> ([f64; 4], f64, f64) {
    if c == 0.0 || (a == d && (b < 0.0) != (c < 0.0) && b != 0.0) {
        return ([a, b, c, d], 1.0, 0.0);
    }
    if b == 0.0 {
        return ([d, -c, 0.0, a], 0.0, 1.0);
    }
    let difference = a - d;
    let p = 0.5 * difference;
    let larger = b.abs().max(c.abs());
    let smaller = b.abs().min(c.abs()) * b.signum() * c.signum();
    let scale = p.abs().max(larger);
    let discriminant = p / scale * p + larger / scale * smaller;
    if discriminant >= 4.0 * f64::EPSILON {
        let root = p + (scale.sqrt() * discriminant.sqrt()).copysign(p);
        a = d + root;
        d -= larger / root * smaller;
        let tau = c.hypot(root);
        return ([a, b - c, 0.0, d], root / tau, c / tau);
    }
    // Complex eigenvalues, or real ones that are nearly equal: make the diagonal elements equal.
    let sigma = b + c;
    let tau = sigma.hypot(difference);
    let mut cs = (0.5 * (1.0 + sigma.abs() / tau)).sqrt();
    let mut sn = -(p / (tau * cs)) * sigma.signum();
    let (aa, bb) = (a * cs + b * sn, b * cs - a * sn);
    let (cc, dd) = (c * cs + d * sn, d * cs - c * sn);
    (a, b) = (aa * cs + cc * sn, bb * cs + dd * sn);
    (c, d) = (cc * cs - aa * sn, dd * cs - bb * sn);
    let mean = 0.5 * (a + d);
    (a, d) = (mean, mean);
    if c == 0.0 {
        return ([a, b, c, d], cs, sn);
    }
    if b == 0.0 {
        return ([a, -c, 0.0, d], -sn, cs);
    }
    if (b < 0.0) == (c < 0.0) {
        // Real after all.
        let (root_b, root_c) = (b.abs().sqrt(), c.abs().sqrt());
        let p = (root_b * root_c).copysign(c);
        let tau = 1.0 / (b + c).abs().sqrt();
        let (cs1, sn1) = (root_b * tau, root_c * tau);
        (cs, sn) = (cs * cs1 - sn * sn1, cs * sn1 + sn * cs1);
        return ([mean + p, b - c, 0.0, mean - p], cs, sn);
    }
    ([a, b, c, d], cs, sn)
}

/// The eigenvalues that a real Schur form shows: of a pair first the one above the real axis.
pub(super) fn eigenvalues(t: &Matrix<f64>) -> Vec<Complex64> {
    let n = t.rows();
    let mut values = Vec::with_capacity(n);
    while values.len() < n {
        let k = values.len();
        if k + 1 < n && t[(k + 1, k)] != 0.0 {
            let im = t[(k, k + 1)].abs().sqrt() * t[(k + 1, k)].abs().sqrt();
            let value = Complex64::new(t[(k, k)], im);
            values.extend([value, value.conj()]);
        } else {
            values.push(Complex64::new(t[(k, k)], 0.0));
        }
    }
    values
}

/// A real Schur form as a complex one, which is triangular.
pub(super) fn to_complex(schur: &Schur<f64>, values: &[Complex64]) -> Schur<Complex64> {
    let n = schur.t.rows();
    let complex = |m: &Matrix<f64>| Matrix::from_fn(n, n, |i, j| Complex64::new(m[(i, j)], 0.0));
    let (mut t, mut z) = (complex(&schur.t), complex(&schur.z));
    for k in 0..n.saturating_sub(1) {
        let below = t[(k + 1, k)];
        if below.re == 0.0 {
            continue;
        }
        // The eigenvector of the block goes to the first axis.
        let first = values[k] - t[(k + 1, k + 1)];
        let length = first.norm().hypot(below.norm());
        let (c, s) = (first / length, below / length);
        for j in k..n {
            let (x, y) = (t[(k, j)], t[(k + 1, j)]);
            t[(k, j)] = c.conj() * x + s.conj() * y;
            t[(k + 1, j)] = c * y - s * x;
        }
        turn_columns(&mut t, k, c, s, k + 2);
        turn_columns(&mut z, k, c, s, n);
        t[(k + 1, k)] = Complex64::ZERO;
        (t[(k, k)], t[(k + 1, k + 1)]) = (values[k], values[k + 1]);
    }
    Schur { t, z, info: schur.info }
}

// --- the routines ---

pub(super) fn gees_real(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let schur = real_schur(&b.matrix(0));
    let values = eigenvalues(&schur.t);
    b.put_matrix(0, &schur.t);
    b.put_matrix(1, &schur.z);
    b.put_list(2, &values.iter().map(|v| v.re).collect::<Vec<_>>());
    b.put_list(3, &values.iter().map(|v| v.im).collect::<Vec<_>>());
    b.put_integers(4, &[0]);
    b.put_integers(5, &[schur.info]);
    Ok(())
}

pub(super) fn gees_complex(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let schur = complex_schur(&b.matrix(0));
    let values: Vec<Complex64> = (0..schur.t.rows()).map(|i| schur.t[(i, i)]).collect();
    b.put_matrix(0, &schur.t);
    b.put_matrix(1, &schur.z);
    b.put_list(2, &values);
    b.put_integers(3, &[0]);
    b.put_integers(4, &[schur.info]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close<T: Number>(a: &Matrix<T>, b: &Matrix<T>) {
        for i in 0..a.rows() {
            for j in 0..a.cols() {
                assert!((a[(i, j)] - b[(i, j)]).abs() < 1e-11, "{:?} and {:?}", a[(i, j)], b[(i, j)]);
            }
        }
    }

    fn check<T: Number>(a: &Matrix<T>, schur: &Schur<T>) {
        assert_eq!(schur.info, 0);
        close(&schur.z.times(&schur.t).times(&schur.z.adjoint()), a);
        close(&schur.z.adjoint().times(&schur.z), &Matrix::identity(a.rows(), a.rows()));
    }

    fn examples() -> Vec<Matrix<f64>> {
        let random =
            |n: usize| Matrix::from_fn(n, n, |i, j| ((i * 37 + j * 101 + i * i * j) % 19) as f64 - 9.0);
        let cycle = Matrix::from_fn(6, 6, |i, j| f64::from((j + 1) % 6 == i));
        let defective = Matrix::from_fn(4, 4, |i, j| if i == j { 2.0 } else { f64::from(j == i + 1) });
        vec![random(1), random(2), random(3), random(8), random(15), cycle, defective, Matrix::zeros(3, 3)]
    }

    #[test]
    fn real_forms_are_quasi_triangular() {
        for a in examples() {
            let schur = real_schur(&a);
            check(&a, &schur);
            for i in 0..a.rows() {
                for j in 0..i {
                    let t = &schur.t;
                    assert!(
                        t[(i, j)] == 0.0
                            || (i == j + 1 && t[(i, i)] == t[(j, j)] && t[(i, j)] * t[(j, i)] < 0.0)
                    );
                }
            }
            let values = eigenvalues(&schur.t);
            let complex = to_complex(&schur, &values);
            check(&a.clone_complex(), &complex);
        }
    }

    #[test]
    fn complex_forms_are_triangular() {
        for a in examples() {
            let a =
                a.clone_complex().map(|i, j, x| x + Complex64::new(0.0, (i as f64 - 2.0 * j as f64) / 4.0));
            let schur = complex_schur(&a);
            check(&a, &schur);
            for i in 0..a.rows() {
                for j in 0..i {
                    assert_eq!(schur.t[(i, j)], Complex64::ZERO);
                }
            }
        }
    }

    impl Matrix<f64> {
        fn clone_complex(&self) -> Matrix<Complex64> {
            Matrix::from_fn(self.rows(), self.cols(), |i, j| Complex64::new(self[(i, j)], 0.0))
        }
    }
}
