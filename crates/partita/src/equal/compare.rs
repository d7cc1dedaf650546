//! How far a result may be from another.

use crate::ir::{Elem, Mini};
use crate::value::{Scalar, Tensor};

/// How much farther from the widened run than the one-device result the partitioned result may be.
const TIMES: f64 = 4.0;

/// So many units in the last place of a tensor's maximum are allowed besides.
const ULPS: f64 = 8.0;

/// By so much less than coarse floats must fine ones make a difference that is only rounding. The unit in the last place shrinks
/// by 2^29 from `f32` to `f64`, and more from narrower formats; the rest is for the luck of single runs.
const SHRINKS: f64 = 1.0 / (1 << 20) as f64;

/// One of so many integers or booleans may differ.
const FLIPS: usize = 1000;

/// The element that differs the most.
#[derive(Clone, Debug)]
pub struct Worst {
    /// Which result of the program.
    pub result: usize,
    /// Where in it.
    pub index: Vec<i64>,
    /// What one device gives.
    pub expected: Scalar,
    /// What the devices of the mesh give.
    pub found: Scalar,
}

/// What came of comparing one result.
pub(super) struct Comparison {
    pub(super) ok: bool,
    pub(super) abs: f64,
    pub(super) rel: f64,
    pub(super) tolerance: f64,
    /// How far the result is from its reference where both are finite.
    pub(super) far: f64,
    /// The largest difference as a part of what is allowed.
    pub(super) excess: f64,
    pub(super) worst: Option<Worst>,
}

/// Whether two tensors are equal in every element. All numbers that are none are alike, and so are both zeros: which of them
/// a sum of nothing but zeros gives depends on what it is padded with.
pub(super) fn equal(a: &Tensor, b: &Tensor) -> bool {
    a.ty() == b.ty() && (0..a.len()).all(|i| distance(a.get(i), b.get(i)) == 0.0)
}

/// Whether what one device gives and what all give is the same but for rounding: whether it is nearer with fine floats than it is, or
/// may be, with coarse ones, as rounding is.
pub(super) fn shrinks(coarse: (&Tensor, &Tensor), fine: (&Tensor, &Tensor)) -> bool {
    let apart = compare(0, coarse.0, coarse.1, Some(fine.0));
    let bound = apart.far.max(apart.tolerance) * SHRINKS;
    fine.0.ty() == fine.1.ty() && (0..fine.0.len()).all(|i| distance(fine.0.get(i), fine.1.get(i)) <= bound)
}

/// Compares a result with that of one device, and where it may be rounded with that of the widened program.
pub(super) fn compare(number: usize, expected: &Tensor, found: &Tensor, wide: Option<&Tensor>) -> Comparison {
    let mut result =
        Comparison { ok: true, abs: 0.0, rel: 0.0, tolerance: 0.0, far: 0.0, excess: 0.0, worst: None };
    if expected.ty() != found.ty() {
        return Comparison { ok: false, excess: f64::INFINITY, ..result };
    }
    let largest = (0..expected.len()).map(|i| magnitude(expected.get(i))).fold(0.0, f64::max);
    if let Some(wide) = wide {
        let distances = (0..wide.len()).map(|i| distance(expected.get(i), wide.get(i)));
        let theirs = distances.filter(|d| d.is_finite()).fold(0.0, f64::max);
        result.tolerance = TIMES * theirs + slack(expected.elem(), largest);
    }
    let reference = wide.unwrap_or(expected);
    let flips_too_often = flips_too_often(expected, found);
    let mut at = None;
    for i in 0..expected.len() {
        let (e, f, r) = (expected.get(i), found.get(i), reference.get(i));
        let difference = distance(e, f);
        if difference.is_finite() {
            result.abs = result.abs.max(difference);
        }
        // Where one device overflows or has no number, so must the others.
        let far = if is_finite(e) && is_finite(r) { distance(f, r) } else { difference };
        if far.is_finite() {
            result.far = result.far.max(far);
        }
        let excess = match () {
            () if difference == 0.0 => 0.0,
            () if flips_too_often => f64::INFINITY,
            () if result.tolerance > 0.0 => far / result.tolerance,
            () => f64::INFINITY,
        };
        if excess > result.excess {
            result.excess = excess;
            at = Some(i);
        }
    }
    result.ok = result.excess <= 1.0;
    result.rel = if largest > 0.0 { result.abs / largest } else { 0.0 };
    result.worst = at.map(|i| Worst {
        result: number,
        index: unravel(i as i64, expected.shape()),
        expected: expected.get(i),
        found: found.get(i),
    });
    result
}

/// Returns whether more integers or booleans differ than may because a comparison or a conversion of rounded numbers falls the other way.
fn flips_too_often(expected: &Tensor, found: &Tensor) -> bool {
    let is_discrete = matches!(expected.elem(), Elem::Bool | Elem::Int(_) | Elem::Uint(_));
    let differ = |i: &usize| distance(expected.get(*i), found.get(*i)) != 0.0;
    is_discrete && (0..expected.len()).filter(differ).count() > expected.len().div_ceil(FLIPS)
}

/// What is allowed besides a multiple of the one-device run's own error.
fn slack(elem: Elem, largest: f64) -> f64 {
    match elem.real() {
        // Where a comparison or a conversion falls the other way, an integer is off by one.
        Elem::Bool | Elem::Int(_) | Elem::Uint(_) | Elem::Field => 1.0,
        real => ULPS * largest.max(f64::MIN_POSITIVE) * epsilon(real),
    }
}

/// The distance of one from the next number.
pub(super) fn epsilon(elem: Elem) -> f64 {
    let bits = match elem {
        Elem::F64 | Elem::C128 => 52,
        Elem::F32 | Elem::C64 => 23,
        Elem::F16 => 10,
        Elem::BF16 => 7,
        Elem::Mini(mini) => match mini {
            Mini::F8E3M4 => 4,
            Mini::F8E4M3 | Mini::F8E4M3B11FNUZ | Mini::F8E4M3FN | Mini::F8E4M3FNUZ | Mini::F6E2M3FN => 3,
            Mini::F8E5M2 | Mini::F8E5M2FNUZ | Mini::F6E3M2FN => 2,
            Mini::F4E2M1FN => 1,
            Mini::F8E8M0FNU => 0,
        },
        Elem::Bool | Elem::Int(_) | Elem::Uint(_) | Elem::Field => 0,
    };
    (-f64::from(bits)).exp2()
}

/// A number that a format holds, and every smaller one: its largest, or less. Integers wrap around instead.
pub(super) fn largest(elem: Elem) -> f64 {
    match elem.real() {
        Elem::F64 => f64::MAX,
        Elem::F32 | Elem::BF16 => f64::from(f32::MAX) * (1.0 - epsilon(elem)),
        Elem::F16 => 65504.0,
        Elem::Mini(_) => 6.0,
        _ => f64::INFINITY,
    }
}

/// How many bits of a number a format holds.
pub(super) fn precision(elem: Elem) -> f64 {
    match elem.real() {
        Elem::Bool => 1.0,
        Elem::Int(bits) => f64::from(bits) - 1.0,
        Elem::Uint(bits) => f64::from(bits),
        // Its arithmetic never rounds.
        Elem::Field => f64::INFINITY,
        real => 1.0 - epsilon(real).log2(),
    }
}

fn magnitude(value: Scalar) -> f64 {
    let size = value.complex().norm();
    if size.is_finite() { size } else { 0.0 }
}

fn is_finite(value: Scalar) -> bool {
    let value = value.complex();
    value.re.is_finite() && value.im.is_finite()
}

/// How far apart two elements are: zero where they are alike, infinity where only one is a number.
fn distance(a: Scalar, b: Scalar) -> f64 {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a.abs_diff(b) as f64,
        (Scalar::Uint(a), Scalar::Uint(b)) => a.abs_diff(b) as f64,
        _ => {
            let (a, b) = (a.complex(), b.complex());
            let part = |a: f64, b: f64| match () {
                () if a == b || (a.is_nan() && b.is_nan()) => 0.0,
                () if a.is_finite() && b.is_finite() => (a - b).abs(),
                () => f64::INFINITY,
            };
            part(a.re, b.re).hypot(part(a.im, b.im))
        }
    }
}

fn unravel(mut place: i64, shape: &[i64]) -> Vec<i64> {
    let mut index: Vec<i64> = shape
        .iter()
        .rev()
        .map(|&n| {
            let i = place % n;
            place /= n;
            i
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::TensorType;

    fn floats(elem: Elem, values: &[f64]) -> Tensor {
        Tensor::from_fn(TensorType::new(elem, [values.len() as i64]), |i| Scalar::Float(values[i]))
    }

    #[test]
    fn exact_results_must_be_equal() {
        let expected = floats(Elem::F32, &[1.0, 0.0, f64::NAN]);
        assert!(compare(0, &expected, &floats(Elem::F32, &[1.0, -0.0, f64::NAN]), None).ok);
        let off = compare(3, &expected, &floats(Elem::F32, &[1.0, 1e-20, f64::NAN]), None);
        assert!(!off.ok);
        assert_eq!(off.worst.map(|w| (w.result, w.index)), Some((3, vec![1])));
        assert!(!compare(0, &expected, &floats(Elem::F32, &[1.0, 0.0, 0.0]), None).ok);
    }

    #[test]
    fn one_integer_in_a_thousand_may_differ_by_one() {
        let ty = TensorType::new(Elem::Int(32), [2000]);
        let ones = |count: usize| Tensor::from_fn(ty.clone(), |i| Scalar::Int(i64::from(i < count)));
        let found = |count: usize| compare(0, &ones(0), &ones(count), Some(&ones(0)));
        assert!(found(2).ok && !found(3).ok);
        assert!(!compare(0, &ones(0), &ones(1), None).ok);
    }

    #[test]
    fn rounded_results_may_be_four_times_as_far() {
        let (expected, wide) = (floats(Elem::F32, &[1.5, 8.0]), floats(Elem::F64, &[1.25, 8.0]));
        let found = |x: f64| compare(0, &expected, &floats(Elem::F32, &[x, 8.0]), Some(&wide));
        assert!(found(2.25).ok && found(0.25).ok);
        assert!(!found(2.5).ok && !found(f64::INFINITY).ok);
        // Eight units in the last place of the largest element, where one device has no error at all.
        let wide = floats(Elem::F64, &[1.5, 8.0]);
        let ulp = 8.0 * f64::from(f32::EPSILON);
        let found = |x: f64| compare(0, &expected, &floats(Elem::F32, &[x, 8.0]), Some(&wide));
        assert!(found(1.5 + 8.0 * ulp).ok && !found(1.5 + 9.0 * ulp).ok);
    }

    #[test]
    fn rounding_shrinks_with_the_format_and_mistakes_do_not() {
        let coarse = (&floats(Elem::F32, &[1.0, 100.0]), &floats(Elem::F32, &[1.0, 100.01]));
        let fine = floats(Elem::F64, &[1.0, 100.0]);
        let shrinks = |x: f64| shrinks(coarse, (&fine, &floats(Elem::F64, &[1.0, 100.0 + x])));
        assert!(shrinks(1e-10) && !shrinks(1e-7) && !shrinks(f64::NAN));
    }
}
