//! Functions of single elements: every row of the op table that is one, for every element type that the row takes.

use super::{Generator, Value, array};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, Id, OpId};
use partita::ops::{ElementCx, Eval, OpDef, OpKind};
use partita::value::{Field, Scalar};
use std::sync::LazyLock;

/// A function of elements of one type.
pub(super) struct Function {
    def: &'static OpDef,
    /// The type of all operands.
    elem: Elem,
    result: Elem,
    /// Whether it means something in a prime field.
    over_field: bool,
    /// The op that brings shapes together first.
    broadcasting: Option<&'static str>,
}

static FUNCTIONS: LazyLock<Vec<Function>> =
    LazyLock::new(|| OpKind::all().flat_map(|kind| functions_of(kind.def())).collect());

/// What a row computes element by element: its own verifier says for which types.
fn functions_of(def: &'static OpDef) -> Vec<Function> {
    let Eval::Elementwise(formula) = def.eval else { return Vec::new() };
    if def.attrs.iter().any(|attr| attr.required) {
        return Vec::new();
    }
    let short = def.name.rsplit('.').next().unwrap_or(def.name);
    let broadcasting = OpKind::from_name(&format!("chlo.broadcast_{short}")).map(|kind| kind.def().name);
    let mut functions = Vec::new();
    for elem in Elem::all() {
        let complex = if elem == Elem::F64 { Elem::C128 } else { Elem::C64 };
        let result = [elem, Elem::Bool, elem.real(), complex].into_iter().find_map(|result| {
            let ty = format!("tensor<{elem}>");
            let operands = vec!["%a"; def.operands.min].join(", ");
            let types = vec![ty.as_str(); def.operands.min].join(", ");
            let text = format!(
                "func.func @main(%a: {ty}) -> tensor<{result}> {{\n  \
                 %r = \"{}\"({operands}) : ({types}) -> tensor<{result}>\n  return %r : tensor<{result}>\n}}",
                def.name
            );
            let module = partita::text::parse::parse(&text).ok()?;
            partita::verify::verify(&module).ok()?;
            let cx =
                ElementCx { op: module.op(OpId::from_index(0)), operand: Elem::Field, result: Elem::Field };
            let elements = vec![Scalar::Field(Field::from_i64(3)); def.operands.min];
            let over_field = elem.is_float()
                && match formula(&cx, &elements) {
                    Scalar::Field(_) => result.is_float(),
                    Scalar::Bool(_) => result == Elem::Bool,
                    _ => false,
                };
            Some((result, over_field))
        });
        if let Some((result, over_field)) = result {
            functions.push(Function { def, elem, result, over_field, broadcasting });
        }
    }
    functions
}

/// Functions whose results are near each other where the operands are.
const CONTINUOUS: &[&str] = &[
    "abs",
    "add",
    "asinh",
    "atan",
    "bessel_i1e",
    "cbrt",
    "complex",
    "conj",
    "cosh",
    "cosine",
    "erf",
    "erfc",
    "exponential",
    "exponential_minus_one",
    "imag",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "real",
    "sine",
    "sinh",
    "square",
    "subtract",
    "tanh",
];

/// Those that are not so on complex numbers: they have branch cuts, or order numbers by one part and then by the other.
const JUMPING_ON_COMPLEX: &[&str] = &["asinh", "atan", "maximum", "minimum"];

/// Those that programs are mostly made of.
const COMMON: &[&str] = &["add", "and", "divide", "maximum", "minimum", "multiply", "or", "subtract", "xor"];

impl Function {
    fn short(&self) -> &'static str {
        self.def.name.rsplit('.').next().unwrap_or(self.def.name)
    }

    fn is_continuous(&self) -> bool {
        let jumps = self.elem.is_complex() && JUMPING_ON_COMPLEX.contains(&self.short());
        CONTINUOUS.contains(&self.short()) && !jumps
    }

    /// Whether results of this function of such a value can be compared.
    fn fits(&self, g: &Generator, x: &Value) -> bool {
        self.elem == x.ty.elem
            && match g.arithmetic {
                Arithmetic::Exact => !super::is_rounded(self.result),
                Arithmetic::Field => {
                    self.over_field || !super::is_rounded(self.elem) && !super::is_rounded(self.result)
                }
                Arithmetic::Rounded => x.exact || self.is_continuous(),
            }
    }
}

/// Any other function.
pub(super) fn any(g: &mut Generator) -> Option<()> {
    one_of(g, |function| !COMMON.contains(&function.short()))
}

/// One of those that programs are mostly made of.
pub(super) fn common(g: &mut Generator) -> Option<()> {
    one_of(g, |function| COMMON.contains(&function.short()))
}

fn one_of(g: &mut Generator, wanted: impl Fn(&Function) -> bool) -> Option<()> {
    let x = g.any(|_| true)?;
    let fitting: Vec<&Function> =
        FUNCTIONS.iter().filter(|function| wanted(function) && function.fits(g, &x)).collect();
    if fitting.is_empty() {
        return None;
    }
    let function = *g.rng.pick(&fitting);
    let discrete = g.arithmetic == Arithmetic::Rounded && !function.is_continuous();
    // Shapes are brought together by the op itself, or before.
    let often = if COMMON.contains(&function.short()) { 10 } else { 40 };
    let broadcasting = function.broadcasting.filter(|_| g.rng.chance(often));
    let mut operands = vec![x.clone()];
    while operands.len() < function.def.operands.min {
        let mut ty = x.ty.clone();
        if broadcasting.is_some() {
            ty.shape.iter_mut().for_each(|size| *size = if g.rng.chance(40) { 1 } else { *size });
        }
        let same = broadcasting.is_none() && g.rng.chance(10);
        operands.push(match () {
            () if same => x.clone(),
            () if discrete => g.exact_of_type(&ty),
            () => g.of_type(&ty),
        });
    }
    let first = g.rng.below(operands.len());
    operands.rotate_left(first);
    let ty = x.ty.with_elem(function.result);
    g.emit(broadcasting.unwrap_or(function.def.name), &operands, "", ty, false);
    Some(())
}

/// The bits of floats rounded as a narrower format has them.
pub(super) fn reduce_precision(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.elem.is_float() && v.exact)?;
    if g.arithmetic != Arithmetic::Rounded {
        return None;
    }
    let attributes = format!(
        "exponent_bits = {} : i32, mantissa_bits = {} : i32",
        g.rng.between(4, 8),
        g.rng.between(2, 10)
    );
    let ty = x.ty.clone();
    g.emit("stablehlo.reduce_precision", &[x], &attributes, ty, false);
    Some(())
}

/// A function that is written in a region.
pub(super) fn map(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| !matches!(v.ty.elem, Elem::Bool))?;
    let y = g.of_type(&x.ty);
    let elem = x.ty.elem;
    let op = *g.rng.pick(&["add", "multiply", "subtract"]);
    let region = super::reduce::combine_region(op, elem);
    let dims: Vec<usize> = (0..x.ty.rank()).collect();
    let exact = x.exact && y.exact;
    let ty = x.ty.clone();
    g.emit_all("stablehlo.map", &[x, y], &format!("dimensions = {}", array(&dims)), &region, &[ty], exact);
    Some(())
}

/// A number in the shape of another tensor.
pub(super) fn constant_like(g: &mut Generator) -> Option<()> {
    if g.arithmetic == Arithmetic::Field {
        return None;
    }
    let x = g.any(|v| v.ty.elem.is_float() || matches!(v.ty.elem, Elem::Int(8..)))?;
    let number = if x.ty.elem.is_float() { "1.5" } else { "3" };
    let ty = x.ty.clone();
    let exact = Value { exact: true, ..x };
    g.emit("chlo.constant_like", &[exact], &format!("value = {number} : {}", ty.elem), ty, false);
    Some(())
}
