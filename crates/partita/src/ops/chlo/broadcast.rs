//! Ops of two or three tensors whose shapes are brought together first, as in NumPy.
//!
//! The formula is that of the op of the same name without `broadcast_`.

use super::compare::compare;
use crate::interpret::EvalError;
use crate::ir::{Elem, EnumKind, OpRef, Shape, TensorType, Type, names};
use crate::ops::OpKind;
use crate::ops::check::{element_among, ensure, tensor_operand};
use crate::ops::def::{
    AttrDef, AttrKind, Count, ElementCx, Eval, OpDef, OpError, Traits, elementwise_work, optional, required,
};
use crate::ops::forms;
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::ops::unit::Unit;
use crate::value::tensor::{for_each_index, strides};
use crate::value::{Scalar, Tensor, TensorBuilder};
use smallvec::SmallVec;

/// A formula for elements, as the rows of elementwise ops have it.
type Formula = fn(&ElementCx<'_>, &[Scalar]) -> Scalar;

const ATTRS: &[AttrDef] = &[optional(names::BROADCAST_DIMENSIONS, AttrKind::I64s)];

const COMMUTATIVE: Traits = Traits { commutative: true, ..Traits::NONE };

/// Two tensors of any one element type.
const BINARY: OpDef = OpDef {
    form: forms::FUNCTION,
    operands: Count::exactly(2),
    attrs: ATTRS,
    infer: Some(|op| infer(op, |elem| elem)),
    verify: same_elements,
    work: elementwise_work,
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::broadcasting, Flow::Elementwise),
    ..OpDef::BASE
};

/// Two tensors of integers or truth values.
const BITS: OpDef = OpDef {
    verify: |op| {
        element_among(op, 0, "integers or truth values", |e| e.is_int() || e == Elem::Bool)?;
        same_elements(op)
    },
    traits: COMMUTATIVE,
    ..BINARY
};

/// Two tensors of integers.
const INTEGERS: OpDef = OpDef {
    verify: |op| {
        element_among(op, 0, "integers", Elem::is_int)?;
        same_elements(op)
    },
    ..BINARY
};

/// Two tensors of floats.
const FLOATS: OpDef = OpDef {
    verify: |op| {
        element_among(op, 0, "floats", Elem::is_float)?;
        same_elements(op)
    },
    ..BINARY
};

pub static BROADCAST_ADD: OpDef = OpDef {
    name: "chlo.broadcast_add",
    doc: "The sum, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Add, op, args)),
    traits: COMMUTATIVE,
    ..BINARY
};

pub static BROADCAST_AND: OpDef = OpDef {
    name: "chlo.broadcast_and",
    doc: "Bitwise and logical and, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::And, op, args)),
    ..BITS
};

pub static BROADCAST_ATAN2: OpDef = OpDef {
    name: "chlo.broadcast_atan2",
    doc: "The angle of a point, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Atan2, op, args)),
    ..BINARY
};

pub static BROADCAST_DIVIDE: OpDef = OpDef {
    name: "chlo.broadcast_divide",
    doc: "The quotient, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Divide, op, args)),
    ..BINARY
};

pub static BROADCAST_MAXIMUM: OpDef = OpDef {
    name: "chlo.broadcast_maximum",
    doc: "The larger element, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Maximum, op, args)),
    traits: COMMUTATIVE,
    ..BINARY
};

pub static BROADCAST_MINIMUM: OpDef = OpDef {
    name: "chlo.broadcast_minimum",
    doc: "The smaller element, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Minimum, op, args)),
    traits: COMMUTATIVE,
    ..BINARY
};

pub static BROADCAST_MULTIPLY: OpDef = OpDef {
    name: "chlo.broadcast_multiply",
    doc: "The product, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Multiply, op, args)),
    traits: COMMUTATIVE,
    ..BINARY
};

pub static BROADCAST_NEXT_AFTER: OpDef = OpDef {
    name: "chlo.broadcast_next_after",
    doc: "The neighbour of the first in the direction of the second, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::ChloNextAfter, op, args)),
    ..FLOATS
};

pub static BROADCAST_OR: OpDef = OpDef {
    name: "chlo.broadcast_or",
    doc: "Bitwise and logical or, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Or, op, args)),
    ..BITS
};

pub static BROADCAST_POLYGAMMA: OpDef = OpDef {
    name: "chlo.broadcast_polygamma",
    doc: "The derivatives of the digamma function, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::ChloPolygamma, op, args)),
    ..FLOATS
};

pub static BROADCAST_POWER: OpDef = OpDef {
    name: "chlo.broadcast_power",
    doc: "The power, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Power, op, args)),
    ..BINARY
};

pub static BROADCAST_REMAINDER: OpDef = OpDef {
    name: "chlo.broadcast_remainder",
    doc: "The remainder, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Remainder, op, args)),
    ..BINARY
};

pub static BROADCAST_SHIFT_LEFT: OpDef = OpDef {
    name: "chlo.broadcast_shift_left",
    doc: "The first shifted left by the second, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::ShiftLeft, op, args)),
    ..INTEGERS
};

pub static BROADCAST_SHIFT_RIGHT_ARITHMETIC: OpDef = OpDef {
    name: "chlo.broadcast_shift_right_arithmetic",
    doc: "The first shifted right by the second, with its sign, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::ShiftRightArithmetic, op, args)),
    ..INTEGERS
};

pub static BROADCAST_SHIFT_RIGHT_LOGICAL: OpDef = OpDef {
    name: "chlo.broadcast_shift_right_logical",
    doc: "The first shifted right by the second, zeros coming in, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::ShiftRightLogical, op, args)),
    ..INTEGERS
};

pub static BROADCAST_SUBTRACT: OpDef = OpDef {
    name: "chlo.broadcast_subtract",
    doc: "The difference, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Subtract, op, args)),
    ..BINARY
};

pub static BROADCAST_XOR: OpDef = OpDef {
    name: "chlo.broadcast_xor",
    doc: "Bitwise and logical exclusive or, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Xor, op, args)),
    ..BITS
};

pub static BROADCAST_ZETA: OpDef = OpDef {
    name: "chlo.broadcast_zeta",
    doc: "The Hurwitz zeta function, after a broadcast.",
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::ChloZeta, op, args)),
    ..FLOATS
};

pub static BROADCAST_COMPARE: OpDef = OpDef {
    name: "chlo.broadcast_compare",
    doc: "A comparison, after a broadcast.",
    attrs: &[
        optional(names::BROADCAST_DIMENSIONS, AttrKind::I64s),
        optional(names::COMPARE_TYPE, AttrKind::Enum(EnumKind::ChloCompareType)),
        required(names::COMPARISON_DIRECTION, AttrKind::Enum(EnumKind::ChloComparison)),
    ],
    infer: Some(|op| infer(op, |_| Elem::Bool)),
    eval: Eval::Kernel(|op, args| Ok(vec![apply(op, compare, args)])),
    ..BINARY
};

pub static BROADCAST_COMPLEX: OpDef = OpDef {
    name: "chlo.broadcast_complex",
    doc: "Complex numbers from their parts, after a broadcast.",
    infer: Some(|op| infer(op, |elem| if elem == Elem::F64 { Elem::C128 } else { Elem::C64 })),
    verify: |op| {
        element_among(op, 0, "f32 or f64", |e| matches!(e, Elem::F32 | Elem::F64))?;
        same_elements(op)
    },
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Complex, op, args)),
    ..BINARY
};

pub static BROADCAST_SELECT: OpDef = OpDef {
    name: "chlo.broadcast_select",
    doc: "Elements of the second or third operand, as the first says, after a broadcast.",
    form: forms::FUNCTION,
    operands: Count::exactly(3),
    infer: Some(|op| {
        let types: Vec<_> = (0..3).map(|n| tensor_operand(op, n)).collect::<Result<_, _>>()?;
        let shape = numpy_shape(&types)?;
        Ok(vec![Type::Tensor(TensorType { elem: types[1].elem, shape })])
    }),
    verify: |op| {
        element_among(op, 0, "truth values", |e| e == Elem::Bool)?;
        let (a, b) = (tensor_operand(op, 1)?.elem, tensor_operand(op, 2)?.elem);
        ensure!(a == b, "both choices must have the same element type, but they have {a} and {b}");
        Ok(())
    },
    eval: Eval::Kernel(|op, args| by_formula_of(OpKind::Select, op, args)),
    work: elementwise_work,
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::broadcasting, Flow::Elementwise),
    ..OpDef::BASE
};

fn same_elements(op: OpRef<'_>) -> Result<(), OpError> {
    let (a, b) = (tensor_operand(op, 0)?.elem, tensor_operand(op, 1)?.elem);
    ensure!(a == b, "the operands must have the same element type, but they have {a} and {b}");
    Ok(())
}

/// The result of a binary op: the common shape with an element type made from that of the operands.
fn infer(op: OpRef<'_>, elem: fn(Elem) -> Elem) -> Result<Vec<Type>, OpError> {
    let types = [tensor_operand(op, 0)?, tensor_operand(op, 1)?];
    let shape = match op.opt_ints(names::BROADCAST_DIMENSIONS) {
        Some(dims) => shape_by_dimensions(types, dims)?,
        None => numpy_shape(&types)?,
    };
    Ok(vec![Type::Tensor(TensorType { elem: elem(types[0].elem), shape })])
}

/// The common shape of operands that are aligned at their last dimensions.
fn numpy_shape(types: &[&TensorType]) -> Result<Shape, OpError> {
    let rank = types.iter().map(|t| t.rank()).max().unwrap_or(0);
    let mut shape: Shape = smallvec::smallvec![1; rank];
    for (n, ty) in types.iter().enumerate() {
        for (d, &size) in (rank - ty.rank()..rank).zip(&ty.shape) {
            shape[d] = common_size(n, d, shape[d], size)?;
        }
    }
    Ok(shape)
}

/// The common shape where the dimensions of the operand with fewer are mapped to those of the other.
fn shape_by_dimensions(types: [&TensorType; 2], dims: &[i64]) -> Result<Shape, OpError> {
    let [a, b] = types;
    let (small, large) = if a.rank() > b.rank() { (b, a) } else { (a, b) };
    ensure!(
        dims.len() == small.rank(),
        "`broadcast_dimensions` has {} entries, but the smaller operand has {} dimensions",
        dims.len(),
        small.rank()
    );
    let mut shape = large.shape.clone();
    for (i, (&d, &size)) in dims.iter().zip(&small.shape).enumerate() {
        crate::ops::check::dimension_in_range("an entry of `broadcast_dimensions`", d, large.rank())?;
        ensure!(
            i == 0 || dims[i - 1] < d,
            "`broadcast_dimensions` must be strictly increasing, but {} stands before {d}",
            dims[i.saturating_sub(1)]
        );
        shape[d as usize] = common_size(1, d as usize, large.shape[d as usize], size)?;
    }
    Ok(shape)
}

/// The size that two become: they are equal, or one of them is one.
fn common_size(operand: usize, dimension: usize, a: i64, b: i64) -> Result<i64, OpError> {
    ensure!(
        a == b || a == 1 || b == 1,
        "operand {operand} has size {b} where dimension {dimension} of the result has size {a}; \
         one of them must be 1, or both the same"
    );
    Ok(if a == 1 { b } else { a })
}

/// Which dimension of the result each dimension of an operand is.
fn result_dimensions(op: OpRef<'_>, operand: &Tensor, rank: usize) -> SmallVec<[usize; 4]> {
    let own = operand.shape().len();
    match op.opt_ints(names::BROADCAST_DIMENSIONS) {
        Some(dims) if own < rank => dims.iter().map(|&d| d as usize).collect(),
        _ => (rank - own..rank).collect(),
    }
}

/// Evaluates with the formula of another op's row.
fn by_formula_of(kind: OpKind, op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    match kind.def().eval {
        Eval::Elementwise(formula) => Ok(vec![apply(op, formula, operands)]),
        _ => Err(EvalError::new(format!("`{}` has no formula for single elements", kind.def().name))),
    }
}

/// Applies a formula to operands that are repeated along the dimensions they lack or have size one in.
fn apply(op: OpRef<'_>, formula: Formula, operands: &[Tensor]) -> Tensor {
    let ty = op.result_tensor(0);
    let cx = ElementCx { op, operand: operands[0].elem(), result: ty.elem };
    let mut elements: SmallVec<[Scalar; 3]> = operands.iter().map(first).collect();
    if operands.iter().all(|t| t.is_splat() || t.len() == 1) {
        return Tensor::splat(ty.clone(), formula(&cx, &elements));
    }
    // How far to step in each operand along each dimension of the result.
    let steps: SmallVec<[Shape; 3]> = operands
        .iter()
        .map(|operand| {
            let mut steps: Shape = smallvec::smallvec![0; ty.rank()];
            let own = strides(operand.shape());
            for (i, d) in result_dimensions(op, operand, ty.rank()).into_iter().enumerate() {
                if operand.shape()[i] != 1 {
                    steps[d] = own[i];
                }
            }
            steps
        })
        .collect();
    let mut result = TensorBuilder::new(ty.clone());
    for_each_index(&ty.shape, |position, index| {
        for ((element, operand), steps) in elements.iter_mut().zip(operands).zip(&steps) {
            let offset: i64 = index.iter().zip(steps).map(|(i, s)| i * s).sum();
            *element = operand.get(offset as usize);
        }
        result.set(position, formula(&cx, &elements));
    });
    result.finish()
}

/// The first element, or a zero where there is none.
fn first(tensor: &Tensor) -> Scalar {
    if tensor.is_empty() && !tensor.is_splat() { Scalar::zero(tensor.elem()) } else { tensor.item() }
}
