//! Counted loops: how often the body of a `while` runs, where that stands in the program.
//!
//! The form that JAX prints for `fori_loop` and `scan`: a carried integer starts at a constant, the condition compares it
//! with a constant, and the body adds a constant to it. Constants may come through other carried values that the body
//! gives back as they are.

use super::OpKind;
use crate::ir::attr::{Comparison, EnumAttr};
use crate::ir::*;

/// How far values are followed back to a constant.
const MAX_STEPS: u32 = 32;

/// How often the body of a loop runs, which is the last of these loops and inside of the others; nothing where the program does
/// not say.
pub fn trip_count(module: &Module, loops: &[OpId]) -> Option<u64> {
    let op = module.op(*loops.last()?);
    let &[condition, body] = op.regions() else { return None };
    let test = returned(module, condition, 0)
        .and_then(|v| module.made_by(v).filter(|op| op.kind() == OpKind::Compare))?;
    let Some(EnumAttr::Comparison(direction)) = test.enumeration(names::COMPARISON_DIRECTION) else {
        return None;
    };
    let &[left, right] = test.operands() else { return None };
    // The counter may stand on either side.
    let count = |counter: ValueId, limit: ValueId, direction| {
        let ValueDef::Arg(region, n) = module.values[counter].def else { return None };
        if region != condition {
            return None;
        }
        let start = constant(module, loops, *op.operands().get(n as usize)?, MAX_STEPS)?;
        let step = step(module, loops, body, n as usize)?;
        trips(start, step, direction, constant(module, loops, limit, MAX_STEPS)?)
    };
    count(left, right, direction).or_else(|| count(right, left, mirrored(direction)))
}

/// How often a counter is below a limit, or how else they are compared.
fn trips(start: i64, step: i64, direction: Comparison, limit: i64) -> Option<u64> {
    let (start, step, limit) = (i128::from(start), i128::from(step), i128::from(limit));
    // Everything as `counter < limit` with a counter that grows.
    let (start, step, limit) = match direction {
        Comparison::Lt => (start, step, limit),
        Comparison::Le => (start, step, limit + 1),
        Comparison::Gt => (-start, -step, -limit),
        Comparison::Ge => (-start, -step, -limit + 1),
        Comparison::Ne if step > 0 && start <= limit && (limit - start) % step == 0 => (start, step, limit),
        Comparison::Ne if step < 0 && start >= limit && (start - limit) % step == 0 => {
            (-start, -step, -limit)
        }
        _ => return None,
    };
    if start >= limit {
        return Some(0);
    }
    if step <= 0 {
        return None;
    }
    u64::try_from((limit - start + step - 1) / step).ok()
}

/// `b ? a` for `a ? b`.
fn mirrored(direction: Comparison) -> Comparison {
    match direction {
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
        same => same,
    }
}

/// What the body adds to a carried value.
fn step(module: &Module, loops: &[OpId], body: RegionId, n: usize) -> Option<i64> {
    let carried = module.regions[body].args.iter().nth(n)?;
    let next = returned(module, body, n)?;
    if let Some(add) = module.made_by(next).filter(|op| op.kind() == OpKind::Add) {
        let &[a, b] = add.operands() else { return None };
        let added = if a == carried { b } else { a };
        return if a == carried || b == carried { constant(module, loops, added, MAX_STEPS) } else { None };
    }
    let subtract = module.made_by(next).filter(|op| op.kind() == OpKind::Subtract)?;
    match subtract.operands() {
        &[a, b] if a == carried => constant(module, loops, b, MAX_STEPS)?.checked_neg(),
        _ => None,
    }
}

/// The integer that a value always is.
fn constant(module: &Module, loops: &[OpId], value: ValueId, steps: u32) -> Option<i64> {
    let steps = steps.checked_sub(1)?;
    match module.values[value].def {
        ValueDef::Result(op, _) => {
            let op = module.op(op);
            match op.kind() {
                OpKind::Constant => match op.attr(names::VALUE)? {
                    Attr::Elements(tensor) if tensor.elem().is_int() => Some(
                        tensor.as_splat().or_else(|| (tensor.len() == 1).then(|| tensor.item()))?.as_i64(),
                    ),
                    _ => None,
                },
                OpKind::Convert if module.tensor_type(value)?.elem.is_int() => {
                    constant(module, loops, *op.operands().first()?, steps)
                }
                OpKind::Reshape | OpKind::BroadcastInDim => {
                    constant(module, loops, *op.operands().first()?, steps)
                }
                _ => None,
            }
        }
        // A carried value that the body gives back as it is: what it was at the start.
        ValueDef::Arg(region, n) => {
            let owner = loops.iter().find(|op| module.regions_of(**op).contains(&region))?;
            let owner = module.op(*owner);
            let body = *owner.regions().get(1)?;
            let same =
                returned(module, body, n as usize)? == module.regions[body].args.iter().nth(n as usize)?;
            if same { constant(module, loops, *owner.operands().get(n as usize)?, steps) } else { None }
        }
    }
}

/// What a region returns at a place.
fn returned(module: &Module, region: RegionId, n: usize) -> Option<ValueId> {
    module.operands(*module.regions[region].ops.last()?).get(n).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(start: i64, test: &str, next: &str) -> Option<u64> {
        let text = format!(
            "func.func @main(%n: tensor<i32>) -> tensor<i32> {{
               %start = stablehlo.constant dense<{start}> : tensor<i32>
               %limit = stablehlo.constant dense<10> : tensor<i32>
               %step = stablehlo.constant dense<3> : tensor<i32>
               %0:2 = stablehlo.while(%i = %start, %l = %limit) : tensor<i32>, tensor<i32>
               cond {{
                 %1 = stablehlo.compare {test} : (tensor<i32>, tensor<i32>) -> tensor<i1>
                 stablehlo.return %1 : tensor<i1>
               }} do {{
                 %1 = stablehlo.{next} : tensor<i32>
                 stablehlo.return %1, %l : tensor<i32>, tensor<i32>
               }}
               return %0#0 : tensor<i32>
             }}"
        );
        let module = crate::text::parse(&text).expect("a program");
        let found = module.ops.ids().find(|op| module.ops[*op].kind == OpKind::While);
        trip_count(&module, &[found.expect("a loop")])
    }

    #[test]
    fn loops_as_jax_prints_them_are_counted() {
        assert_eq!(count(0, "LT, %i, %limit", "add %i, %step"), Some(4));
        assert_eq!(count(1, "LT, %i, %limit", "add %step, %i"), Some(3));
        assert_eq!(count(1, "LE, %i, %l", "add %i, %step"), Some(4));
        assert_eq!(count(1, "GT, %l, %i", "add %i, %step"), Some(3));
        assert_eq!(count(16, "GT, %i, %l", "subtract %i, %step"), Some(2));
        assert_eq!(count(1, "NE, %i, %l", "add %i, %step"), Some(3));
        assert_eq!(count(10, "LT, %i, %l", "add %i, %step"), Some(0));
    }

    #[test]
    fn other_loops_are_not() {
        assert_eq!(count(0, "LT, %i, %n", "add %i, %step"), None);
        assert_eq!(count(0, "LT, %i, %l", "add %i, %n"), None);
        assert_eq!(count(0, "LT, %i, %l", "subtract %i, %step"), None);
        assert_eq!(count(0, "NE, %i, %l", "add %i, %step"), None);
        assert_eq!(count(0, "LT, %i, %l", "multiply %i, %step"), None);
    }
}
