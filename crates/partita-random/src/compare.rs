//! Whether results are the same, where floats round.

use partita::ir::Elem;
use partita::value::{Scalar, Tensor};

/// The partitioned result may be so many times as far from the exact one as the result of one device.
const TIMES: f64 = 4.0;
/// And besides so many units in the last place of the largest element.
const UNITS: f64 = 8.0;

/// Says how `found` differs from `one`, the result of one device, beyond what rounding explains. `wide` is the result of
/// one device with floats of 64 bits.
pub(crate) fn rounded(found: &Tensor, one: &Tensor, wide: &Tensor) -> Option<String> {
    let elem = one.elem();
    if !(elem.is_float() || elem.is_complex()) {
        return exact(found, one);
    }
    let largest = wide.iter().map(size).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let error = |t: &Tensor| (0..t.len()).map(|i| distance(t.get(i), wide.get(i))).fold(0.0, f64::max);
    let (mine, theirs) = (error(found), error(one));
    let allowed = TIMES * theirs + UNITS * unit(elem.real()) * largest;
    (mine > allowed).then(|| format!("is off by {mine:e}, one device by {theirs:e}; {allowed:e} is allowed"))
}

/// Says how two tensors differ.
pub(crate) fn exact(found: &Tensor, expected: &Tensor) -> Option<String> {
    let differs = (0..expected.len()).find(|&i| found.element_bytes(i) != expected.element_bytes(i))?;
    let (found, expected) = (found.get(differs), expected.get(differs));
    Some(format!("differs at element {differs}: {found:?} instead of {expected:?}"))
}

/// How far a number is from another; nothing that is not finite is far from what is not finite either.
fn distance(a: Scalar, b: Scalar) -> f64 {
    let (a, b) = (a.complex(), b.complex());
    if a == b || !(b.re.is_finite() && b.im.is_finite()) {
        return 0.0;
    }
    let distance = (a - b).norm();
    if distance.is_nan() { f64::INFINITY } else { distance }
}

fn size(a: Scalar) -> f64 {
    a.complex().norm()
}

/// The unit in the last place of one.
fn unit(elem: Elem) -> f64 {
    match elem {
        Elem::F64 => f64::EPSILON,
        Elem::F32 => f64::from(f32::EPSILON),
        Elem::F16 => 1.0 / 1024.0,
        _ => 1.0 / 128.0,
    }
}
