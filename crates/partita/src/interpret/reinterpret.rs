//! A program over other element types: the same operations on the same shapes, with other numbers.
//!
//! The results of such a program say something about the original: over a prime field ([`Elem::Field`]) whether sums and products
//! were the right ones whatever their order.

use crate::ir::{Attr, Elem, Id, Module, OpId, Sym};
use crate::value::Tensor;

/// A copy of a module with element types replaced, in the types of values and in constants. A constant of a type that
/// changes is converted by `convert`, which is given the new type.
pub fn reinterpret(
    module: &Module,
    elem: impl Fn(Elem) -> Elem,
    convert: impl Fn(&Tensor, Elem) -> Tensor,
) -> Module {
    let mut module = module.clone();
    module.types.replace_elements(&elem);
    for n in 0..module.ops.len() {
        let op = &mut module.ops[OpId::from_index(n)];
        let changed: Vec<(Sym, Attr)> = op
            .attrs
            .iter()
            .filter_map(|(name, attr)| match attr {
                Attr::Elements(tensor) if elem(tensor.elem()) != tensor.elem() => {
                    Some((*name, Attr::Elements(Box::new(convert(tensor, elem(tensor.elem()))))))
                }
                _ => None,
            })
            .collect();
        changed.into_iter().for_each(|(name, attr)| op.attrs.set(name, attr));
    }
    module
}

/// A tensor in another element type, each element converted.
pub fn converted(tensor: &Tensor, to: Elem) -> Tensor {
    let ty = tensor.ty().with_elem(to);
    match tensor.as_splat() {
        Some(value) => Tensor::splat(ty, value.convert(to)),
        None => Tensor::from_fn(ty, |i| tensor.get(i).convert(to)),
    }
}

/// The program over a prime field instead of floats. It must have no complex numbers, and no op that has a meaning for floats only
/// (Fourier transforms, factorisations, bits of floats).
pub fn over_field(module: &Module) -> Module {
    reinterpret(module, exact, converted)
}

/// The type that stands for another in a program over a prime field.
pub fn exact(elem: Elem) -> Elem {
    if elem.is_float() { Elem::Field } else { elem }
}
