//! Values made from a seed: inputs for programs that are run without any.
//!
//! They are small and exact, so that sums and products of many of them do not round and two ways of computing the
//! same thing can be compared bit for bit. The same seed, number and type give the same tensor everywhere.

use super::{Scalar, Tensor};
use crate::ir::{Elem, Mini, TensorType};
use num_complex::Complex64;

/// A tensor made from a seed and a number that tells it from others, such as the number of an argument.
///
/// * Floats are multiples of 1/8 from -1 to 1, complex numbers two of them. Where a format cannot hold those:
///   multiples of 1/2 for `f4E2M1FN`; 1/2, 1 or 2 for `f8E8M0FNU`.
/// * Integers are 0, 1, 2 or 3 (0 or 1 for `i2`), and so are good as indices.
/// * Booleans are both.
pub fn sample(ty: TensorType, seed: u64, number: u64) -> Tensor {
    let elem = ty.elem;
    let start = mix(mix(seed) ^ number);
    Tensor::from_fn(ty, |i| element(elem, mix(start.wrapping_add(i as u64))))
}

/// As [`sample`], but harder on programs: half of the integers are from 0 to 2 and good as indices, most others from -2
/// to 9 and often not, and some are any number of the type, so that wrong neutral elements show.
pub fn spread(ty: TensorType, seed: u64, number: u64) -> Tensor {
    let elem = ty.elem;
    let start = mix(mix(seed) ^ number);
    Tensor::from_fn(ty, |i| {
        let bits = mix(start.wrapping_add(i as u64));
        let any = bits & 7 == 0;
        let near = if bits & 8 == 0 { below(bits >> 32, 3) as i64 } else { below(bits >> 32, 12) as i64 - 2 };
        let wide = mix(bits);
        match elem {
            Elem::Int(_) => Scalar::Int(if any { wide as i64 } else { near }).fit(elem),
            Elem::Uint(_) => Scalar::Uint(if any { wide } else { near.unsigned_abs() }).fit(elem),
            _ => element(elem, bits),
        }
    })
}

/// An element from 64 random bits.
fn element(elem: Elem, bits: u64) -> Scalar {
    match elem {
        Elem::Bool => Scalar::Bool(bits >> 63 == 1),
        Elem::Int(2) => Scalar::Int((bits >> 63) as i64),
        Elem::Int(_) => Scalar::Int((bits >> 62) as i64),
        Elem::Uint(_) => Scalar::Uint(bits >> 62),
        Elem::C64 | Elem::C128 => Scalar::Complex(Complex64::new(eighths(bits >> 32), eighths(bits))),
        Elem::Mini(Mini::F4E2M1FN) => Scalar::Float(below(bits >> 32, 5) as f64 / 2.0 - 1.0),
        Elem::Mini(Mini::F8E8M0FNU) => Scalar::Float([0.5, 1.0, 2.0][below(bits >> 32, 3) as usize]),
        _ => Scalar::Float(eighths(bits >> 32)),
    }
}

/// A multiple of 1/8 from -1 to 1, from the low 32 bits.
fn eighths(bits: u64) -> f64 {
    below(bits, 17) as f64 / 8.0 - 1.0
}

/// A number below `n`, from the low 32 bits.
fn below(bits: u64, n: u64) -> u64 {
    ((bits & 0xffff_ffff) * n) >> 32
}

/// Spreads the bits of a counter: the output function of the SplitMix64 generator.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_small_exact_and_of_many_values() {
        for elem in Elem::all() {
            let tensor = sample(TensorType::new(elem, [1000]), 0, 0);
            let mut seen: Vec<f64> = Vec::new();
            for value in tensor.iter() {
                let bound = if elem.is_int() { 3.0 } else { 2.0 };
                assert!(value.real().abs() <= bound, "{elem}: {value:?}");
                assert!(elem.is_float() || elem.is_complex() || value.real() >= 0.0, "{elem}: {value:?}");
                if !seen.contains(&value.real()) {
                    seen.push(value.real());
                }
            }
            assert!(seen.len() >= 2, "{elem}: {seen:?}");
            assert!(seen.iter().all(|v| (v * 8.0).fract() == 0.0), "{elem}: {seen:?}");
        }
    }

    #[test]
    fn seed_and_number_matter() {
        let ty = TensorType::new(Elem::F32, [64]);
        let first = sample(ty.clone(), 0, 0);
        assert_eq!(first, sample(ty.clone(), 0, 0));
        assert_ne!(first, sample(ty.clone(), 1, 0));
        assert_ne!(first, sample(ty, 0, 1));
    }
}
