//! How numbers are computed with, and so how results compare.

use partita::Module;
use partita::ir::{Elem, Type};
use partita::ops::OpKind;

/// How the numbers of a program are computed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// There are no floats: everything is exact as it is.
    Exact,
    /// Floats stand for elements of a prime field: sums, products and quotients are exact in any order.
    Field,
    /// Floats round: results compare within a bound.
    Rounded,
}

impl Arithmetic {
    /// The arithmetic of a program: what its first line says, or else the strictest that it allows.
    pub fn of(text: &str, module: &Module) -> Arithmetic {
        if text.lines().next().is_some_and(|line| line.trim() == "// arithmetic: rounded") {
            return Arithmetic::Rounded;
        }
        let has_meaning = |kind: OpKind| {
            !matches!(
                kind,
                OpKind::Fft
                    | OpKind::Cholesky
                    | OpKind::TriangularSolve
                    | OpKind::BitcastConvert
                    | OpKind::CustomCall
            )
        };
        let tensors = module.values.iter().filter_map(|v| match &module.types[v.ty] {
            Type::Tensor(ty) => Some(ty.elem),
            _ => None,
        });
        let elems: Vec<Elem> = tensors.collect();
        if !elems.iter().any(|elem| elem.is_float() || elem.is_complex()) {
            return Arithmetic::Exact;
        }
        let complex = elems.iter().any(|elem| elem.is_complex());
        let meaningful = module.ops.iter().all(|op| has_meaning(op.kind));
        if complex || !meaningful { Arithmetic::Rounded } else { Arithmetic::Field }
    }
}
