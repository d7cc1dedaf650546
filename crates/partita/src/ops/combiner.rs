//! Computations that combine values: the regions of `reduce`, `scatter`, `all_reduce` and their like.

use super::check::ensure;
use super::def::OpError;
use crate::ir::{Elem, OpRef, TensorType, Type};

/// That a region takes two lists of elements and gives one such list, `(E0, …, E0, …) -> (E0, …)`, where each
/// input's elements fit into `Ei`. Gives the `Ei`.
pub(crate) fn verify_combiner(op: OpRef<'_>, region: usize, inputs: &[Elem]) -> Result<Vec<Elem>, OpError> {
    let (module, n) = (op.module, inputs.len());
    let body = op.region(region);
    let args: Vec<&Type> = body.args.iter().map(|v| module.type_of(v)).collect();
    ensure!(
        args.len() == 2 * n,
        "the computation must take {} arguments, two for each of {n} inputs, but it takes {}",
        2 * n,
        args.len()
    );
    let mut elems = Vec::with_capacity(n);
    for (i, &arg) in args.iter().enumerate() {
        match arg {
            Type::Tensor(t) if t.rank() == 0 => elems.push(t.elem),
            other => {
                let message =
                    format!("argument {i} of the computation must have no dimensions, but it is `{other}`");
                return Err(OpError::new(message));
            }
        }
    }
    for i in 0..n {
        let (first, second) = (elems[i], elems[n + i]);
        ensure!(
            first == second,
            "the arguments {i} and {} of the computation must have the same type, but they are {first} and {second}",
            n + i
        );
        ensure!(
            is_promotable(inputs[i], first),
            "input {i} holds {}, which cannot be combined as {first}",
            inputs[i]
        );
    }
    elems.truncate(n);
    let results: Vec<&Type> = match body.ops.last() {
        Some(&last) => module.op(last).operand_types().collect(),
        None => Vec::new(),
    };
    ensure!(
        results.len() == n,
        "the computation must give {n} values, one for each input, but it gives {}",
        results.len()
    );
    for (i, (&result, &elem)) in results.iter().zip(&elems).enumerate() {
        let expected = Type::Tensor(TensorType::scalar(elem));
        ensure!(
            *result == expected,
            "value {i} of the computation must be `{expected}` as its arguments are, but it is `{result}`"
        );
    }
    Ok(elems)
}

/// Whether elements of one type may be combined as another: the same kind of number, not narrower.
pub(crate) fn is_promotable(from: Elem, to: Elem) -> bool {
    let same_kind = from == to
        || (from.is_int() && to.is_int())
        || (from.is_float() && to.is_float())
        || (from.is_complex() && to.is_complex());
    same_kind && from.bits() <= to.bits()
}
