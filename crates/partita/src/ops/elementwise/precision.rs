//! `reduce_precision`: rounding as a float of other widths would hold the value.

use super::constraints;
use crate::diagnostic::Diagnostic;
use crate::ir::attr::IntType;
use crate::ir::{Attr, Elem, OpRef, names};
use crate::ops::check::ensure;
use crate::ops::{ElementCx, OpError};
use crate::text::form::Types;
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;
use crate::value::Scalar;

/// `%x, format = e5m10 : t`.
pub(super) fn parse(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    op.operand()?;
    op.lit(", format =")?;
    let word = op.word("a format such as `e5m10`")?;
    let widths = word.strip_prefix('e').and_then(|rest| rest.split_once('m'));
    let widths = widths.and_then(|(e, m)| Some((e.parse::<i32>().ok()?, m.parse::<i32>().ok()?)));
    let Some((exponent, mantissa)) = widths else {
        return Err(op.error(format!("`{word}` is not a format such as `e5m10`")));
    };
    op.set(names::EXPONENT_BITS, Attr::Int(exponent.into(), IntType::I32));
    op.set(names::MANTISSA_BITS, Attr::Int(mantissa.into(), IntType::I32));
    op.attr_dict()?;
    op.lit(":")?;
    op.types(Types::Same)
}

/// The same back.
pub(super) fn print(op: &mut OpPrinter<'_, '_>) {
    op.text(" ");
    op.operands();
    op.text(", format = e");
    op.bare_attr(names::EXPONENT_BITS);
    op.text("m");
    op.bare_attr(names::MANTISSA_BITS);
    op.attr_dict_except(&[names::EXPONENT_BITS, names::MANTISSA_BITS]);
    op.text(" : ");
    op.types(Types::Same);
}

/// Floats, and widths that a float can have.
pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    constraints::floats(op)?;
    let exponent = op.int(names::EXPONENT_BITS).unwrap_or(0);
    ensure!(exponent >= 1, "`exponent_bits` is {exponent}, but a float has at least one");
    let mantissa = op.int(names::MANTISSA_BITS).unwrap_or(0);
    ensure!(mantissa >= 0, "`mantissa_bits` is {mantissa}, but it cannot be negative");
    Ok(())
}

/// A float's layout: widths of exponent and mantissa.
#[derive(Clone, Copy)]
struct Layout {
    exponent: u32,
    mantissa: u32,
}

/// The element rounded to the widths of the op.
pub(super) fn reduce(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    let width = |name| cx.op.int(name).unwrap_or(0).clamp(0, 64) as u32;
    let to = Layout { exponent: width(names::EXPONENT_BITS), mantissa: width(names::MANTISSA_BITS) };
    let v = x[0].real();
    Scalar::Float(match cx.operand {
        Elem::F64 => f64::from_bits(round(v.to_bits(), Layout { exponent: 11, mantissa: 52 }, to)),
        Elem::F16 => {
            let bits = half::f16::from_f64(v).to_bits();
            let bits = round(bits.into(), Layout { exponent: 5, mantissa: 10 }, to);
            half::f16::from_bits(bits as u16).to_f64()
        }
        Elem::BF16 => {
            let bits = half::bf16::from_f64(v).to_bits();
            let bits = round(bits.into(), Layout { exponent: 8, mantissa: 7 }, to);
            half::bf16::from_bits(bits as u16).to_f64()
        }
        // Narrower floats are exact in `f32`.
        _ => {
            let bits = round((v as f32).to_bits().into(), Layout { exponent: 8, mantissa: 23 }, to);
            f64::from(f32::from_bits(bits as u32))
        }
    })
}

/// Rounds a bit pattern. Values too large become infinite, values too small zero; subnormal numbers of the
/// narrower layout count as too small.
fn round(bits: u64, from: Layout, to: Layout) -> u64 {
    let sign = bits & 1 << (from.exponent + from.mantissa);
    let mut magnitude = bits ^ sign;
    let infinity = ((1u64 << from.exponent) - 1) << from.mantissa;
    if magnitude > infinity {
        // Without a mantissa there is no NaN.
        return if to.mantissa == 0 { sign | infinity } else { bits };
    }
    if to.mantissa < from.mantissa {
        let dropped = from.mantissa - to.mantissa;
        // Half a unit less one, plus one where the last bit kept is odd: ties go to even.
        let odd = magnitude >> dropped & 1;
        magnitude += (1 << (dropped - 1)) - 1 + odd;
        magnitude = magnitude >> dropped << dropped;
    }
    if to.exponent < from.exponent {
        let bias = |layout: Layout| (1u64 << (layout.exponent - 1)) - 1;
        let exponent = magnitude >> from.mantissa;
        if exponent > bias(from) + bias(to) {
            magnitude = infinity;
        } else if exponent <= bias(from) - bias(to) {
            magnitude = 0;
        }
    }
    sign | magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_half(v: f32) -> f32 {
        let single = Layout { exponent: 8, mantissa: 23 };
        let half = Layout { exponent: 5, mantissa: 10 };
        f32::from_bits(round(v.to_bits().into(), single, half) as u32)
    }

    #[test]
    fn floats_round_as_the_narrower_format() {
        assert_eq!(as_half(1.0 + 1.0 / 2048.0), 1.0);
        assert_eq!(as_half(1.0 + 3.0 / 2048.0), 1.0 + 2.0 / 1024.0);
        assert_eq!(as_half(65519.0), 65504.0);
        assert_eq!(as_half(65520.0), f32::INFINITY);
        assert_eq!(as_half(-1e9), f32::NEG_INFINITY);
        assert_eq!(as_half(1e-6), 0.0);
        assert!(as_half(f32::NAN).is_nan());
    }
}
