//! The discrete Fourier transform of one line of any length.

use num_complex::Complex64;
use std::f64::consts::PI;

/// Lengths with a larger prime factor are transformed by a convolution.
const LARGEST_FACTOR: usize = 61;

/// A transform of a certain length with its tables.
pub(super) struct Fft {
    len: usize,
    method: Method,
}

enum Method {
    /// By the factors of the length, with the powers of its root of unity.
    Factors(Vec<usize>, Vec<Complex64>),
    /// By Bluestein's convolution.
    Convolution(Box<Bluestein>),
}

/// `exp(-2πi k / n)`, exact at the quarters.
fn root(k: usize, n: usize) -> Complex64 {
    let eighths = 8.0 * k as f64 / n as f64;
    if eighths.fract() == 0.0 && eighths % 2.0 == 0.0 {
        return match eighths as usize % 8 {
            0 => Complex64::new(1.0, 0.0),
            2 => Complex64::new(0.0, -1.0),
            4 => Complex64::new(-1.0, 0.0),
            _ => Complex64::new(0.0, 1.0),
        };
    }
    let (sin, cos) = (2.0 * PI * (k as f64 / n as f64)).sin_cos();
    Complex64::new(cos, -sin)
}

/// The prime factors of a number, fours before twos.
fn factors(mut n: usize) -> Vec<usize> {
    let mut list = Vec::new();
    for p in std::iter::once(4).chain(2..) {
        while n.is_multiple_of(p) && n > 1 {
            list.push(p);
            n /= p;
        }
        if n <= 1 {
            break;
        }
        if p != 4 && p * p > n {
            list.push(n);
            break;
        }
    }
    list
}

impl Fft {
    /// A transform of a length that is not zero.
    pub(super) fn new(len: usize) -> Fft {
        let factors = factors(len);
        let method = if factors.iter().all(|&p| p <= LARGEST_FACTOR) {
            Method::Factors(factors, (0..len).map(|k| root(k, len)).collect())
        } else {
            Method::Convolution(Box::new(Bluestein::new(len)))
        };
        Fft { len, method }
    }

    /// Replaces a line by its transform.
    pub(super) fn forward(&self, line: &mut [Complex64]) {
        match &self.method {
            Method::Factors(factors, roots) => {
                let input = line.to_vec();
                split(line, &input, 1, factors, roots);
            }
            Method::Convolution(bluestein) => bluestein.transform(line),
        }
    }

    /// Replaces a line by its inverse transform.
    pub(super) fn inverse(&self, line: &mut [Complex64]) {
        line.iter_mut().for_each(|z| *z = z.conj());
        self.forward(line);
        let scale = 1.0 / self.len as f64;
        line.iter_mut().for_each(|z| *z = z.conj() * scale);
    }
}

/// Transforms every `stride`-th element of the input: first the interleaved lines of the first factor, then
/// their combination. The recursion is as deep as there are factors.
fn split(
    output: &mut [Complex64],
    input: &[Complex64],
    stride: usize,
    factors: &[usize],
    roots: &[Complex64],
) {
    let Some((&p, rest)) = factors.split_first() else {
        output[0] = input[0];
        return;
    };
    let m = output.len() / p;
    for (q, part) in output.chunks_exact_mut(m).enumerate() {
        split(part, &input[q * stride..], stride * p, rest, roots);
    }
    let mut terms = [Complex64::new(0.0, 0.0); LARGEST_FACTOR];
    for k in 0..m {
        for q in 0..p {
            terms[q] = output[q * m + k];
        }
        for j in 0..p {
            let step = (j * m + k) * stride % roots.len();
            let mut place = 0;
            let mut sum = terms[0];
            for term in &terms[1..p] {
                place = (place + step) % roots.len();
                sum += term * roots[place];
            }
            output[j * m + k] = sum;
        }
    }
}

/// A transform as a convolution with `exp(πi k²/n)`, whose length is free to be a power of two.
struct Bluestein {
    chirp: Vec<Complex64>,
    kernel: Vec<Complex64>,
    inner: Fft,
}

impl Bluestein {
    fn new(n: usize) -> Bluestein {
        // exp(-πi k²/n): the square is reduced exactly before it becomes an angle.
        let square = |k: usize| ((k as u128 * k as u128) % (2 * n as u128)) as usize;
        let chirp: Vec<Complex64> = (0..n).map(|k| root(square(k), 2 * n)).collect();
        let size = (2 * n - 1).next_power_of_two();
        let inner = Fft::new(size);
        let mut kernel = vec![Complex64::new(0.0, 0.0); size];
        kernel[0] = chirp[0].conj();
        for k in 1..n {
            kernel[k] = chirp[k].conj();
            kernel[size - k] = chirp[k].conj();
        }
        inner.forward(&mut kernel);
        Bluestein { chirp, kernel, inner }
    }

    fn transform(&self, line: &mut [Complex64]) {
        let mut work = vec![Complex64::new(0.0, 0.0); self.kernel.len()];
        for ((slot, value), chirp) in work.iter_mut().zip(line.iter()).zip(&self.chirp) {
            *slot = value * chirp;
        }
        self.inner.forward(&mut work);
        work.iter_mut().zip(&self.kernel).for_each(|(a, b)| *a *= b);
        self.inner.inverse(&mut work);
        for ((value, result), chirp) in line.iter_mut().zip(&work).zip(&self.chirp) {
            *value = result * chirp;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_definition(line: &[Complex64]) -> Vec<Complex64> {
        let n = line.len();
        (0..n).map(|k| (0..n).map(|i| line[i] * root(i * k % n, n)).sum()).collect()
    }

    #[test]
    fn transforms_of_all_kinds_of_lengths_follow_the_definition() {
        for n in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 30, 61, 67, 100, 128, 134, 243, 1009] {
            let line: Vec<_> = (0..n)
                .map(|i| Complex64::new((i * 7 % 11) as f64 - 5.0, (i * i % 13) as f64 - 6.0))
                .collect();
            let fft = Fft::new(n);
            let mut transformed = line.clone();
            fft.forward(&mut transformed);
            for (a, b) in transformed.iter().zip(by_definition(&line)) {
                assert!((a - b).norm() < 1e-11 * n as f64, "length {n}: {a} instead of {b}");
            }
            fft.inverse(&mut transformed);
            for (a, b) in transformed.iter().zip(&line) {
                assert!((a - b).norm() < 1e-12 * n as f64);
            }
        }
    }

    #[test]
    fn factors_multiply_to_the_number() {
        for n in 1..500 {
            assert_eq!(factors(n).iter().product::<usize>(), n);
        }
    }
}
