//! Random numbers of a distribution.
//!
//! The specification leaves open how they are made. Here they depend on nothing but the operation's place among those
//! of its kind and the index of the element, so that a run can be repeated, also on many devices: an operation in a
//! loop gives the same numbers in every turn.

use super::philox::philox;
use crate::interpret::EvalError;
use crate::ir::attr::{EnumAttr, RngDistribution};
use crate::ir::{Elem, EnumKind, OpRef, names};
use crate::ops::Spread;
use crate::ops::check::{ensure, tensor_operand, tensor_result};
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, Traits, elementwise_work, required};
use crate::ops::forms::with_attr;
use crate::value::scalar::round;
use crate::value::{Scalar, Tensor, special};

pub static RNG: OpDef = OpDef {
    name: "stablehlo.rng",
    doc: "Random numbers of a uniform or normal distribution.",
    form: with_attr!(Operand, Operand, Operand; "distribution" = names::RNG_DISTRIBUTION),
    operands: Count::exactly(3),
    attrs: &[required(names::RNG_DISTRIBUTION, AttrKind::Enum(EnumKind::RngDistribution))],
    verify,
    eval: Eval::Kernel(eval),
    work: elementwise_work,
    traits: Traits { effect: true, format: true, ..Traits::NONE },
    spread: Spread::Whole("its numbers depend on the order in which they are drawn"),
    ..OpDef::BASE
};

fn is_normal(op: OpRef<'_>) -> bool {
    op.enumeration(names::RNG_DISTRIBUTION) == Some(EnumAttr::RngDistribution(RngDistribution::Normal))
}

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let (a, b, shape) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?, tensor_operand(op, 2)?);
    let result = tensor_result(op, 0)?;
    for (n, ty) in [a, b].into_iter().enumerate() {
        ensure!(ty.rank() == 0, "operand {n} must have no dimensions, but it is `{ty}`");
    }
    ensure!(!a.elem.is_complex(), "random numbers cannot be complex");
    ensure!(
        a.elem == b.elem && a.elem == result.elem,
        "operands and result must have the same elements, but they have {}, {} and {}",
        a.elem,
        b.elem,
        result.elem
    );
    ensure!(
        !is_normal(op) || a.elem.is_float(),
        "numbers of a normal distribution must be floats, but the elements are {}",
        a.elem
    );
    ensure!(
        shape.rank() == 1 && shape.elem.is_int(),
        "the shape must be given as one dimension of integers, but it is `{shape}`"
    );
    ensure!(
        shape.shape[0] == result.rank() as i64,
        "the shape has {} entries, but the result has {} dimensions",
        shape.shape[0],
        result.rank()
    );
    Ok(())
}

fn eval(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let ty = op.result_tensor(0);
    let asked = args[2].to_i64s();
    if asked != ty.shape.as_slice() {
        return Err(EvalError::new(format!("the shape asked for is {asked:?}, but the result is `{ty}`")));
    }
    let before = op.module.ops.ids().take_while(|id| *id != op.id);
    let place = before.filter(|id| op.module.ops[*id].kind == op.op().kind).count();
    let key = [place as u32, 0];
    let (a, b) = (args[0].item(), args[1].item());
    let normal = is_normal(op);
    let numbers = Tensor::from_fn(ty.clone(), |i| {
        let [low, high, ..] = philox(key, i as u128);
        let bits = u64::from(low) | u64::from(high) << 32;
        if normal { normal_number(a, b, bits) } else { uniform_number(ty.elem, a, b, bits) }
    });
    Ok(vec![numbers])
}

/// A number of the half-open interval from 0 to 1, of 52 bits.
fn fraction(bits: u64) -> f64 {
    (bits >> 12) as f64 * 2f64.powi(-52)
}

fn normal_number(mean: Scalar, deviation: Scalar, bits: u64) -> Scalar {
    // The middle of the step, so that neither end of the interval is met.
    let centred = 2.0 * (fraction(bits) + 2f64.powi(-53)) - 1.0;
    let standard = std::f64::consts::SQRT_2 * special::erf_inv(centred);
    Scalar::Float(mean.real() + deviation.real() * standard)
}

/// A number from `a` on and below `b`.
fn uniform_number(elem: Elem, a: Scalar, b: Scalar, bits: u64) -> Scalar {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => {
            let number = round(elem, a + (b - a) * fraction(bits));
            // Rounding may have met the upper end.
            Scalar::Float(if number >= b && a < b { special::next_after(elem, b, a) } else { number })
        }
        (Scalar::Uint(a), Scalar::Uint(b)) => Scalar::Uint(a.wrapping_add(bits % b.wrapping_sub(a).max(1))),
        (Scalar::Int(a), Scalar::Int(b)) => {
            let width = (b.wrapping_sub(a) as u64).max(1);
            Scalar::Int(a.wrapping_add((bits % width) as i64))
        }
        (a, _) => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_numbers_stay_below_the_upper_end() {
        let one = uniform_number(Elem::F32, Scalar::Float(0.0), Scalar::Float(1.0), u64::MAX);
        assert!(one.real() < 1.0);
        for bits in [0, 1, u64::MAX, 123_456_789] {
            let n = uniform_number(Elem::Int(8), Scalar::Int(-3), Scalar::Int(4), bits).as_i64();
            assert!((-3..4).contains(&n));
        }
    }

    #[test]
    fn normal_numbers_are_finite() {
        for bits in [0, u64::MAX] {
            assert!(normal_number(Scalar::Float(0.0), Scalar::Float(1.0), bits).real().is_finite());
        }
    }
}
