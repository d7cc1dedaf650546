//! Floats of four, six and eight bits: one description per format, one conversion each way.

use crate::ir::Mini;

/// What the largest bit patterns of a format mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    /// Infinities and NaNs as in IEEE 754.
    Ieee,
    /// No infinities; NaN has all bits below the sign set.
    Fn,
    /// No infinities and no NaN: every pattern is finite.
    Finite,
    /// No infinities, no negative zero; its pattern is the only NaN.
    Fnuz,
}

struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    specials: Specials,
}

fn format(mini: Mini) -> Format {
    let (exponent_bits, mantissa_bits, bias, specials) = match mini {
        Mini::F4E2M1FN => (2, 1, 1, Specials::Finite),
        Mini::F6E2M3FN => (2, 3, 1, Specials::Finite),
        Mini::F6E3M2FN => (3, 2, 3, Specials::Finite),
        Mini::F8E3M4 => (3, 4, 3, Specials::Ieee),
        Mini::F8E4M3 => (4, 3, 7, Specials::Ieee),
        Mini::F8E4M3B11FNUZ => (4, 3, 11, Specials::Fnuz),
        Mini::F8E4M3FN => (4, 3, 7, Specials::Fn),
        Mini::F8E4M3FNUZ => (4, 3, 8, Specials::Fnuz),
        Mini::F8E5M2 => (5, 2, 15, Specials::Ieee),
        Mini::F8E5M2FNUZ => (5, 2, 16, Specials::Fnuz),
        // Handled apart: no sign, no mantissa, no zero.
        Mini::F8E8M0FNU => (8, 0, 127, Specials::Fn),
    };
    Format { exponent_bits, mantissa_bits, bias, specials }
}

/// The value of a bit pattern.
pub fn to_f64(mini: Mini, bits: u8) -> f64 {
    if mini == Mini::F8E8M0FNU {
        return if bits == 0xFF { f64::NAN } else { 2f64.powi(i32::from(bits) - 127) };
    }
    let f = format(mini);
    let width = 1 + f.exponent_bits + f.mantissa_bits;
    let negative = bits >> (width - 1) & 1 == 1;
    let magnitude = u32::from(bits) & ((1 << (width - 1)) - 1);
    let exponent = magnitude >> f.mantissa_bits;
    let mantissa = magnitude & ((1 << f.mantissa_bits) - 1);
    let top = (1 << f.exponent_bits) - 1;
    match f.specials {
        Specials::Ieee if exponent == top => {
            let infinity = if negative { f64::NEG_INFINITY } else { f64::INFINITY };
            return if mantissa == 0 { infinity } else { f64::NAN };
        }
        Specials::Fn if magnitude == (1 << (width - 1)) - 1 => return f64::NAN,
        Specials::Fnuz if negative && magnitude == 0 => return f64::NAN,
        _ => {}
    }
    let scale = 2f64.powi(exponent.max(1) as i32 - f.bias - f.mantissa_bits as i32);
    let implicit = if exponent == 0 { 0 } else { 1 << f.mantissa_bits };
    let value = f64::from(mantissa + implicit) * scale;
    if negative { -value } else { value }
}

/// The nearest bit pattern, ties to even. Overflow gives infinity or, without one, NaN; formats that have
/// neither saturate.
pub fn from_f64(mini: Mini, value: f64) -> u8 {
    if mini == Mini::F8E8M0FNU {
        return to_e8m0(value);
    }
    let f = format(mini);
    let width = 1 + f.exponent_bits + f.mantissa_bits;
    let sign = if value.is_sign_negative() { 1u32 << (width - 1) } else { 0 };
    let all = (1u32 << (width - 1)) - 1;
    let top = ((1u32 << f.exponent_bits) - 1) << f.mantissa_bits;
    let (nan, overflow, largest) = match f.specials {
        Specials::Ieee => (sign | top | 1 << (f.mantissa_bits - 1), sign | top, top - 1),
        Specials::Fn => (sign | all, sign | all, all - 1),
        Specials::Finite => (1 << (width - 1), sign | all, all),
        Specials::Fnuz => (1 << (width - 1), 1 << (width - 1), all),
    };
    if value.is_nan() {
        return nan as u8;
    }
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return overflow as u8;
    }
    if magnitude == 0.0 {
        return if f.specials == Specials::Fnuz { 0 } else { sign as u8 };
    }
    // The exponent of the result's unit in the last place, then round the quotient to an integer.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - f.bias);
    let unit = exponent - f.mantissa_bits as i32;
    let steps = (magnitude * 2f64.powi(-unit)).round_ties_even() as u32;
    // `steps` counts from zero in units: adding it to the exponent field carries into the next binade.
    let field = (exponent + f.bias - 1) as u32;
    let bits = (field << f.mantissa_bits) + steps;
    if bits > largest {
        return overflow as u8;
    }
    if bits == 0 && f.specials == Specials::Fnuz {
        return 0;
    }
    (sign | bits) as u8
}

fn to_e8m0(value: f64) -> u8 {
    if value == 0.0 {
        // There is no zero: the smallest value is the nearest.
        return 0;
    }
    if value.is_nan() || value < 0.0 || value.is_infinite() {
        return 0xFF;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    let half = 1u64 << 51;
    // Ties go to the even exponent field.
    let field = exponent + 127;
    let up = fraction > half || (fraction == half && field & 1 == 1);
    let field = field + i32::from(up);
    match field {
        f if f < 0 => 0,
        f if f > 0xFE => 0xFF,
        f => f as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Elem;

    #[test]
    fn every_pattern_survives_the_way_to_f64_and_back() {
        for elem in Elem::all() {
            let Elem::Mini(mini) = elem else { continue };
            for bits in 0..=((1u16 << elem.bits()) - 1) as u8 {
                let value = to_f64(mini, bits);
                if !value.is_nan() {
                    assert_eq!(from_f64(mini, value), bits, "{mini:?} {bits:#x} {value}");
                }
            }
        }
    }

    #[test]
    fn rounding_goes_to_the_nearest_even() {
        assert_eq!(to_f64(Mini::F8E4M3FN, from_f64(Mini::F8E4M3FN, 448.0)), 448.0);
        assert_eq!(to_f64(Mini::F8E4M3FN, from_f64(Mini::F8E4M3FN, 17.0)), 16.0);
        assert_eq!(to_f64(Mini::F8E4M3FN, from_f64(Mini::F8E4M3FN, 19.0)), 20.0);
        assert!(to_f64(Mini::F8E4M3FN, from_f64(Mini::F8E4M3FN, 1e9)).is_nan());
        assert_eq!(to_f64(Mini::F8E5M2, from_f64(Mini::F8E5M2, 1e9)), f64::INFINITY);
        assert_eq!(to_f64(Mini::F4E2M1FN, from_f64(Mini::F4E2M1FN, 100.0)), 6.0);
        assert_eq!(to_f64(Mini::F8E8M0FNU, from_f64(Mini::F8E8M0FNU, 4.0)), 4.0);
    }
}
