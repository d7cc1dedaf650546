//! Arguments whose room results take.

use crate::ir::module::Func;
use crate::ir::{Attr, names};

/// A result takes the room of an argument only where their shards are alike, which annotations can prevent. Where they are not, the argument is
/// still given away, and what takes its room is up to the engine.
pub(super) fn keep_what_fits(func: &mut Func) {
    for n in 0..func.arg_attrs.len() {
        let taken_by = func.taken_by(n).and_then(|result| func.results.get(result));
        let fits = taken_by == func.inputs.get(n);
        let attrs = &mut func.arg_attrs[n];
        if !fits && attrs.remove(names::TF_ALIASING_OUTPUT).is_some() {
            attrs.set(names::JAX_BUFFER_DONOR, Attr::Bool(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{FuncId, Id, Module};

    #[test]
    fn results_with_other_shards_take_no_room() {
        let text = "func.func @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<8xf32> {tf.aliasing_output = 1 : i32})
            -> (tensor<8xf32>, tensor<8xf32>) {
            return %b, %b : tensor<8xf32>, tensor<8xf32>
        }";
        let mut module: Module = crate::text::parse(text).unwrap_or_else(|e| panic!("{e:?}"));
        let func = &mut module.funcs[FuncId::from_index(0)];
        keep_what_fits(func);
        let given = |n: usize| func.arg_attrs[n].get(names::JAX_BUFFER_DONOR).is_some();
        let taken = |n: usize| func.arg_attrs[n].get(names::TF_ALIASING_OUTPUT).is_some();
        assert!(given(0) && !taken(0));
        assert!(!given(1) && taken(1));
    }
}
