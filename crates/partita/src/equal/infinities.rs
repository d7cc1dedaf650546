//! What follows from infinities, and from what is no number.
//!
//! A program is split by laws of numbers: zero times a number is zero, so that padding does not count in a sum of products; a product
//! with a sum is the sum of the products, so that a sum may stay in parts; a region that combines values does so in any order. The
//! first two do not hold where a factor is infinite or no number, and the third seldom does in regions of a program's own. What one device
//! gives there is not promised of many.

use crate::interpret::{self, RunError, RunOptions, Value};
use crate::ir::*;
use crate::ops::Spread;
use crate::ops::linear::Linear;
use crate::ops::rule::{Combine, Kind};
use crate::value::Tensor;

/// For each result of the only function of a program: whether, on these inputs, an infinity or what is no number leads to it through
/// an operation that is split by a law that holds for finite numbers only. The program runs on the reference interpreter.
pub fn unpromised_results(
    module: &Module,
    args: &[Tensor],
    memory_limit: Option<u64>,
) -> Result<Vec<bool>, RunError> {
    let mut laws: IdVec<OpId, Law> = IdVec::new();
    for op in module.ops.ids() {
        laws.push(law(module.op(op)));
    }
    let mut met: IdVec<OpId, bool> = IdVec::filled(false, module.ops.len());
    let mut look = |op: OpId, operands: &[Tensor], results: &[Tensor]| {
        let breaks: fn(f64) -> bool = match laws[op] {
            Law::Linear => |x| !x.is_finite(),
            Law::AnyOrder => f64::is_nan,
            Law::Other => return,
        };
        met[op] = met[op] || operands.iter().chain(results).any(|tensor| holds(tensor, breaks));
    };
    let values = args.iter().cloned().map(Value::Tensor).collect();
    let mut options = RunOptions { memory_limit, after_op: Some(&mut look), ..RunOptions::default() };
    interpret::run(module, FuncId::from_index(0), values, &mut options)?;
    Ok(follow(module, &met))
}

/// The law for finite numbers that an operation is split by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Law {
    /// A product or a quotient: it is linear, and zero has no effect. Infinities break it.
    Linear,
    /// A combination by a region of the program's own: the order does not matter. It may be an order of numbers, in which infinities
    /// have their places, and often starts from one; what is no number has none.
    AnyOrder,
    /// None, or one that holds for all numbers.
    Other,
}

fn law(op: OpRef<'_>) -> Law {
    if matches!((op.def().linear)(op, Combine::Add), Linear::Each(_)) {
        return Law::Linear;
    }
    let Spread::Rule(rule, _) = op.def().spread else { return Law::Other };
    let combines = |kind: &Kind| matches!(kind, Kind::Reduce(Combine::Region));
    match rule(op) {
        Ok(rule) if rule.factors.iter().any(|factor| combines(&factor.kind)) => Law::AnyOrder,
        _ => Law::Other,
    }
}

/// Whether a tensor of floats holds such a number.
fn holds(tensor: &Tensor, such: fn(f64) -> bool) -> bool {
    let elem = tensor.elem();
    let count = if tensor.is_splat() { tensor.len().min(1) } else { tensor.len() };
    (elem.is_float() || elem.is_complex())
        && (0..count).any(|i| {
            let value = tensor.get(i).complex();
            such(value.re) || such(value.im)
        })
}

/// Which results depend on some operations.
fn follow(module: &Module, met: &IdVec<OpId, bool>) -> Vec<bool> {
    let Some(body) = module.funcs.iter().next().and_then(|func| func.body) else { return Vec::new() };
    let mut reached: IdVec<ValueId, bool> = IdVec::filled(false, module.values.len());
    // Loops carry values back: until nothing changes.
    while region(module, body, false, met, &mut reached) {}
    let returned = module.regions[body].ops.last().map_or(&[][..], |end| module.operands(*end));
    returned.iter().map(|value| reached[*value]).collect()
}

/// Marks what depends on marked operations in a region, or everything where whether it runs does. Whether that was anything new.
fn region(
    module: &Module,
    id: RegionId,
    all: bool,
    met: &IdVec<OpId, bool>,
    reached: &mut IdVec<ValueId, bool>,
) -> bool {
    let mut new = false;
    let mut mark = |reached: &mut IdVec<ValueId, bool>, value: ValueId| {
        new |= !reached[value];
        reached[value] = true;
    };
    if all {
        module.regions[id].args.iter().for_each(|arg| mark(reached, arg));
    }
    let mut inside = false;
    for &op_id in &module.regions[id].ops {
        let op = module.op(op_id);
        let again = !op.regions().is_empty() && op.results().any(|v| reached[v]);
        let mut depends = all || met[op_id] || again || op.operands().iter().any(|v| reached[*v]);
        for &inner in op.regions() {
            inside |= region(module, inner, depends, met, reached);
            let ops = &module.regions[inner].ops;
            depends |= ops.iter().any(|op| met[*op] || module.operands(*op).iter().any(|v| reached[*v]));
        }
        if depends {
            op.results().for_each(|value| mark(reached, value));
        }
    }
    new || inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Scalar;

    #[test]
    fn what_follows_from_an_infinite_factor_is_not_promised() {
        let text = "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.multiply %a, %b : tensor<2xf32>
  %1 = stablehlo.abs %0 : tensor<2xf32>
  %2 = stablehlo.add %a, %a : tensor<2xf32>
  %3 = stablehlo.divide %b, %b : tensor<2xf32>
  return %1, %2, %3, %b : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
";
        let module = crate::text::parse(text).expect("a program");
        let unpromised = |a: f64, b: f64| {
            let args = [a, b]
                .map(|x| Tensor::from_fn(TensorType::new(Elem::F32, [2]), |i| Scalar::Float([1.0, x][i])));
            unpromised_results(&module, &args, None).expect("it runs")
        };
        assert_eq!(unpromised(2.0, 3.0), [false; 4]);
        // Sums of infinities, and infinities that go nowhere, are the same on any number of devices.
        assert_eq!(unpromised(f64::INFINITY, 3.0), [true, false, false, false]);
        // What a quotient makes of numbers may be infinite.
        assert_eq!(unpromised(2.0, 0.0), [false, false, true, false]);
    }

    #[test]
    fn a_region_may_start_from_an_infinity() {
        let text = "func.func @main(%a: tensor<2xf32>, %b: tensor<2xi32>) -> tensor<i32> {
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%a init: %inf), (%b init: %zero) across dimensions = [0] : (tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.select %less, %x, %y : tensor<i1>, tensor<f32>
    %n = stablehlo.select %less, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %m, %n : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}
";
        let module = crate::text::parse(text).expect("a program");
        let unpromised = |x: f64| {
            let a = Tensor::from_fn(TensorType::new(Elem::F32, [2]), |i| Scalar::Float([1.0, x][i]));
            let b = Tensor::from_fn(TensorType::new(Elem::Int(32), [2]), |i| Scalar::Int(i as i64));
            unpromised_results(&module, &[a, b], None).expect("it runs")
        };
        assert_eq!(unpromised(f64::INFINITY), [false]);
        assert_eq!(unpromised(f64::NAN), [true]);
    }
}
