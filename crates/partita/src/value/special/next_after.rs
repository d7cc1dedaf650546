//! The neighbour of a number in its format.

use crate::ir::Elem;
use crate::value::minifloat;

/// The next number after `x` in the direction of `y` that the format can hold; `y` itself where they are
/// equal.
pub fn next_after(elem: Elem, x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        return y;
    }
    let up = y > x;
    match elem {
        Elem::F32 => f64::from(if up { (x as f32).next_up() } else { (x as f32).next_down() }),
        Elem::F16 => {
            let bits = step(half::f16::from_f64(x).to_bits(), up);
            half::f16::from_bits(bits).to_f64()
        }
        Elem::BF16 => {
            let bits = step(half::bf16::from_f64(x).to_bits(), up);
            half::bf16::from_bits(bits).to_f64()
        }
        // So few that all are looked at.
        Elem::Mini(mini) => {
            let all = (0..1u16 << elem.bits()).map(|bits| minifloat::to_f64(mini, bits as u8));
            if up {
                all.filter(|v| *v > x).fold(f64::NAN, f64::min)
            } else {
                all.filter(|v| *v < x).fold(f64::NAN, f64::max)
            }
        }
        _ => {
            if up {
                x.next_up()
            } else {
                x.next_down()
            }
        }
    }
}

/// One step up or down in a format of sign and magnitude. The two zeros are one.
fn step(bits: u16, up: bool) -> u16 {
    const SIGN: u16 = 0x8000;
    let negative = bits & SIGN != 0;
    match bits & !SIGN {
        0 => 1 | if up { 0 } else { SIGN },
        _ if up == negative => bits - 1,
        _ => bits + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Mini;

    #[test]
    fn steps_are_the_smallest_of_each_format() {
        assert_eq!(next_after(Elem::F32, 1.0, 2.0), 1.0 + f64::from(f32::EPSILON));
        assert_eq!(next_after(Elem::F64, 1.0, 0.0), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(next_after(Elem::BF16, 1.0, 2.0), 1.0 + 2f64.powi(-7));
        assert_eq!(next_after(Elem::F16, -0.0, -1.0), -(2f64.powi(-24)));
        assert_eq!(next_after(Elem::F16, -1.0, 0.0), -1.0 + 2f64.powi(-11));
        assert_eq!(next_after(Elem::Mini(Mini::F8E4M3FN), 16.0, 100.0), 18.0);
        assert_eq!(next_after(Elem::F32, 3.0, 3.0), 3.0);
        assert!(next_after(Elem::F32, f64::NAN, 3.0).is_nan());
    }
}
