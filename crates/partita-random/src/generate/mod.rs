//! Random well-typed programs.
//!
//! A program is a random walk: an op is picked, operands are taken from the values at hand (or made for it), and its
//! results join them. So every program is well typed by construction, and the verifier confirms it. The text is in MLIR's
//! generic form, one op per line.
//!
//! A program has an [`Arithmetic`], which says how its results compare. With rounding, ops that are not continuous
//! (comparisons, sorting, rounding to integers) take only values that were not rounded before.

mod constants;
mod contract;
mod control;
mod elementwise;
mod functions;
mod indexing;
mod manual;
mod mesh;
mod numeric;
mod other_forms;
mod reduce;
mod shape;
mod window;

use crate::arithmetic::Arithmetic;
use crate::rng::Rng;
use mesh::RandomMesh;
use partita::ir::{Elem, Mini, TensorType};
use std::collections::HashSet;
use std::fmt::Write;

/// Tensors of the programs have at most so many elements.
const MAX_COUNT: i64 = 400;
/// And at most so many dimensions.
const MAX_RANK: usize = 4;

/// A program returns at most so many values that nothing uses.
const MAX_RESULTS: usize = 6;

/// What makes an op. Nothing where there is no good one with the values at hand.
type Maker = fn(&mut Generator) -> Option<()>;

/// Every maker, with how often it is tried.
static MAKERS: &[(usize, Maker)] = &[
    (20, functions::common),
    (16, functions::any),
    (1, functions::reduce_precision),
    (1, functions::map),
    (1, functions::constant_like),
    (4, elementwise::compare),
    (4, elementwise::select),
    (2, elementwise::clamp),
    (5, elementwise::convert),
    (10, shape::broadcast),
    (6, shape::transpose),
    (10, shape::reshape),
    (3, shape::iota),
    (4, shape::reverse),
    (6, shape::slice),
    (6, shape::pad),
    (6, shape::concatenate),
    (4, shape::dynamic_slice),
    (4, shape::dynamic_update_slice),
    (2, shape::bitcast),
    (14, contract::dot),
    (6, window::convolution),
    (12, reduce::reduce),
    (4, reduce::arg_reduce),
    (4, reduce::sort),
    (4, window::pool),
    (3, window::cumulative),
    (3, window::select_and_scatter),
    (5, indexing::gather),
    (5, indexing::scatter),
    (4, control::counted_loop),
    (3, control::branches),
    (2, control::call),
    (6, control::constraint),
    (1, control::barrier),
    (1, control::group),
    (1, control::named),
    (3, manual::region),
    (9, manual::collective),
    (2, manual::device),
    (1, control::explicit),
    (1, numeric::random_bits),
    (2, numeric::fourier),
    (2, numeric::cholesky),
    (2, numeric::triangular_solve),
    (2, numeric::batch_norm),
    (1, numeric::random_numbers),
    (1, numeric::library),
    (1, other_forms::broadcast),
    (1, other_forms::dynamic_reshape),
    (1, other_forms::dynamic_iota),
    (1, other_forms::dimension_size),
    (2, other_forms::product),
    (2, other_forms::ragged_dot),
    (2, other_forms::index_select),
    (4, other_forms::top_k),
    (1, other_forms::scan),
    (1, other_forms::tuple),
    (1, other_forms::tokens),
];

/// A value of the program being made.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    name: String,
    ty: TensorType,
    /// Whether it is the same on one device and on many, to the last bit.
    exact: bool,
}

/// A program being made.
pub(crate) struct Generator {
    rng: Rng,
    arithmetic: Arithmetic,
    mesh: RandomMesh,
    /// Sizes of dimensions that the program likes: so shapes fit each other.
    sizes: Vec<i64>,
    /// Element types that the program likes.
    elems: Vec<Elem>,
    /// Types of the arguments.
    args: Vec<TensorType>,
    /// Values that can be used here.
    scope: Vec<Value>,
    /// The text of the region being made.
    body: String,
    /// The text of other functions.
    functions: String,
    /// Names of values that some op uses.
    used: HashSet<String>,
    names: usize,
    ops: usize,
    /// How deep in regions this is.
    depth: usize,
    /// Whether a value may come from a new argument of the program.
    can_take_arguments: bool,
}

/// The program of a seed, as text.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let arithmetic = *rng.pick(&[
        Arithmetic::Exact,
        Arithmetic::Exact,
        Arithmetic::Field,
        Arithmetic::Field,
        Arithmetic::Rounded,
    ]);
    let mesh = RandomMesh::new(&mut rng);
    let sizes = (0..2 + rng.below(3)).map(|_| *rng.pick(&[1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13]));
    let sizes = sizes.collect();
    let elems = palette(&mut rng, arithmetic);
    let mut generator = Generator {
        rng,
        arithmetic,
        mesh,
        sizes,
        elems,
        args: Vec::new(),
        scope: Vec::new(),
        body: String::new(),
        functions: String::new(),
        used: HashSet::new(),
        names: 0,
        ops: 0,
        depth: 0,
        can_take_arguments: true,
    };
    generator.program()
}

/// Floats of all sizes; what they hold does not matter in a field.
const FLOATS: &[Elem] =
    &[Elem::F64, Elem::F16, Elem::Mini(Mini::F8E4M3FN), Elem::Mini(Mini::F8E5M2), Elem::Mini(Mini::F6E3M2FN)];

/// The element types a program uses.
fn palette(rng: &mut Rng, arithmetic: Arithmetic) -> Vec<Elem> {
    let all: Vec<Elem> = match arithmetic {
        Arithmetic::Exact => [Elem::Int(64), Elem::Int(64), Elem::Int(32), Elem::Int(32)]
            .into_iter()
            .chain(Elem::all().filter(|e| !is_rounded(*e) && *e != Elem::Field))
            .collect(),
        Arithmetic::Field => [Elem::F32, Elem::F32, Elem::F32, Elem::BF16]
            .into_iter()
            .chain(FLOATS.iter().copied())
            .chain([Elem::Bool, Elem::Int(32), Elem::Uint(8)])
            .collect(),
        Arithmetic::Rounded => [Elem::F32, Elem::F32, Elem::C64, Elem::BF16]
            .into_iter()
            .chain([Elem::F16, Elem::F64, Elem::C64, Elem::C128, Elem::Int(32), Elem::Uint(32), Elem::Bool])
            .collect(),
    };
    // The first is one of the main ones, so that there is something to compute with.
    let mut elems = vec![*rng.pick(&all[..4])];
    for _ in 0..rng.below(3) {
        elems.push(*rng.pick(&all));
    }
    elems
}

impl Generator {
    fn program(&mut self) -> String {
        for _ in 0..1 + self.rng.below(3) {
            let ty = self.random_type();
            self.argument(ty);
        }
        let ops = if self.rng.chance(30) { 1 + self.rng.below(4) } else { 3 + self.rng.below(20) };
        self.fill(ops);
        let others = self.rng.below(2) + usize::from(self.scope.iter().all(|v| self.used.contains(&v.name)));
        let mut results = self.results(others.max(usize::from(self.ops == 0)));
        if results.is_empty() {
            results.extend(self.scope.first().cloned());
        }
        let mut text = String::new();
        if self.arithmetic == Arithmetic::Rounded {
            text.push_str("// arithmetic: rounded\n");
        }
        let _ = writeln!(text, "{}\n{}func.func @main(", self.mesh.declaration(), self.functions);
        for n in 0..self.args.len() {
            let ty = self.args[n].clone();
            let comma = if n + 1 < self.args.len() { "," } else { "" };
            let _ = writeln!(text, "    %arg{n}: {ty}{}{comma}", self.boundary(&ty));
        }
        text.push_str("    ) -> (");
        for (n, value) in results.iter().enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            let _ = write!(text, "{comma}{}{}", value.ty, self.boundary(&value.ty));
        }
        text.push_str(") {\n");
        text.push_str(&self.body);
        let _ = writeln!(text, "  return {} : {}\n}}", names(&results), types(&results));
        text
    }

    /// The sharding of an argument or result, or nothing.
    fn boundary(&mut self, ty: &TensorType) -> String {
        if !self.rng.chance(70) {
            return String::new();
        }
        format!(" {{sdy.sharding = #sdy.sharding{}}}", self.mesh.sharding(&mut self.rng, ty.rank()))
    }

    /// Makes so many ops, or fewer where none can be made.
    fn fill(&mut self, ops: usize) {
        let target = self.ops + ops;
        for _ in 0..4 * ops {
            if self.ops >= target {
                break;
            }
            let maker = self.rng.weighted(MAKERS.iter().map(|(weight, _)| *weight));
            // A maker that finds nothing to do leaves nothing behind but values that others may use.
            let _ = MAKERS[maker].1(self);
        }
    }

    /// Values to return: those that nothing uses, so that little of the program is dead, and some others.
    fn results(&mut self, others: usize) -> Vec<Value> {
        let unused = |v: &&Value| !self.used.contains(&v.name) && !v.name.starts_with("%arg");
        let mut results: Vec<Value> =
            self.scope.iter().rev().filter(unused).take(MAX_RESULTS).cloned().collect();
        for _ in 0..others {
            results.extend(self.recent(|_| true));
        }
        results
    }

    /// A value that exists, of those that are wanted; later ones more often.
    fn recent(&mut self, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        let found: Vec<usize> = (0..self.scope.len()).filter(|&n| wanted(&self.scope[n])).collect();
        if found.is_empty() {
            return None;
        }
        let n = self.rng.below(found.len()).max(self.rng.below(found.len()));
        Some(self.scope[found[n]].clone())
    }

    fn random_shape(&mut self, rank: usize) -> Vec<i64> {
        let mut shape: Vec<i64> = Vec::new();
        for _ in 0..rank {
            let size = if self.rng.chance(10) { 1 } else { *self.rng.pick(&self.sizes) };
            let size = if shape.iter().product::<i64>() * size > MAX_COUNT { 1 } else { size };
            shape.push(size);
        }
        shape
    }

    fn random_type(&mut self) -> TensorType {
        let elem = *self.rng.pick(&self.elems);
        let rank = *self.rng.pick(&[0, 1, 1, 2, 2, 2, 2, 3, 3, 4]);
        let shape = self.random_shape(rank);
        TensorType::new(elem, shape)
    }

    /// A new argument of the program; where that cannot be, a constant.
    fn argument(&mut self, ty: TensorType) -> Value {
        if !self.can_take_arguments {
            return self.constant(ty);
        }
        let value = Value { name: format!("%arg{}", self.args.len()), ty: ty.clone(), exact: true };
        self.args.push(ty);
        self.scope.push(value.clone());
        value
    }

    /// A value of a type: one that exists, or one made for it.
    fn of_type(&mut self, ty: &TensorType) -> Value {
        if self.rng.chance(80)
            && let Some(value) = self.recent(|v| v.ty == *ty)
        {
            return value;
        }
        self.made(ty)
    }

    /// As [`Generator::of_type`], but never a value that was rounded.
    fn exact_of_type(&mut self, ty: &TensorType) -> Value {
        match self.recent(|v| v.ty == *ty && v.exact) {
            Some(value) if self.rng.chance(80) => value,
            _ => self.made_exact(ty),
        }
    }

    /// A new value of a type.
    fn made(&mut self, ty: &TensorType) -> Value {
        // A value of a smaller shape, repeated: the most common way for shapes to meet.
        if self.rng.chance(40)
            && let Some(value) = self.recent(|v| v.ty.elem == ty.elem && v.ty.rank() <= ty.rank())
            && let Some(dims) = embedding(&value.ty.shape, &ty.shape)
        {
            return self.emit_broadcast(&value, &dims, ty);
        }
        self.made_exact(ty)
    }

    fn made_exact(&mut self, ty: &TensorType) -> Value {
        match self.rng.below(10) {
            0 => self.constant(ty.clone()),
            1 if ty.rank() > 0 && shape::counts(ty.elem) => self.emit_iota(ty),
            _ => self.argument(ty.clone()),
        }
    }

    /// Some value: one that exists, or a new argument.
    fn any(&mut self, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        if let Some(value) = self.recent(&wanted) {
            return Some(value);
        }
        for _ in 0..4 {
            let ty = self.random_type();
            let trial = Value { name: String::new(), ty: ty.clone(), exact: true };
            if wanted(&trial) {
                return Some(self.argument(ty));
            }
        }
        None
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    /// Writes an op in generic form, and gives its results.
    fn emit_all(
        &mut self,
        op: &str,
        operands: &[Value],
        attributes: &str,
        regions: &str,
        results: &[TensorType],
        exact: bool,
    ) -> Vec<Value> {
        let name = self.name();
        let values: Vec<Value> = results
            .iter()
            .enumerate()
            .map(|(n, ty)| {
                let name = if results.len() == 1 { name.clone() } else { format!("{name}#{n}") };
                // Integers computed from exact values are exact whatever the arithmetic.
                Value { name, ty: ty.clone(), exact: exact || self.arithmetic != Arithmetic::Rounded }
            })
            .collect();
        let count = if results.len() == 1 { String::new() } else { format!(":{}", results.len()) };
        let attributes = if attributes.is_empty() { String::new() } else { format!(" <{{{attributes}}}>") };
        let regions = if regions.is_empty() { String::new() } else { format!(" ({regions})") };
        let _ = writeln!(
            self.body,
            "  {name}{count} = \"{op}\"({}){attributes}{regions} : ({}) -> ({})",
            names(operands),
            types(operands),
            types(&values),
        );
        self.ops += 1;
        self.used.extend(operands.iter().map(|v| v.name.clone()));
        self.scope.extend(values.iter().cloned());
        values
    }

    /// Writes an op of one result that is exact if all operands are and the op does not round.
    fn emit(
        &mut self,
        op: &str,
        operands: &[Value],
        attributes: &str,
        result: TensorType,
        rounds: bool,
    ) -> Value {
        let exact = operands.iter().all(|v| v.exact) && !(rounds && is_rounded(result.elem));
        let mut values = self.emit_all(op, operands, attributes, "", &[result], exact);
        values.swap_remove(0)
    }

    /// Makes ops in a region of their own: gives its text, and what `finish` gives. Values made in it are gone afterwards.
    fn region<T>(&mut self, ops: usize, args: &[Value], finish: impl FnOnce(&mut Self) -> T) -> (String, T) {
        let outer = std::mem::take(&mut self.body);
        let visible = self.scope.len();
        let arguments = self.args.len();
        self.depth += 1;
        self.scope.extend(args.iter().cloned());
        self.fill(ops);
        let given = finish(self);
        self.depth -= 1;
        let text = std::mem::replace(&mut self.body, outer);
        self.scope.truncate(visible);
        // Arguments of the program stay.
        for n in arguments..self.args.len() {
            let ty = self.args[n].clone();
            self.scope.push(Value { name: format!("%arg{n}"), ty, exact: true });
        }
        (text, given)
    }
}

/// Whether sums and products of this type round.
fn is_rounded(elem: Elem) -> bool {
    elem.is_float() || elem.is_complex()
}

/// Positions of the dimensions of a shape in a larger one, in order and as early as they fit.
fn embedding(small: &[i64], large: &[i64]) -> Option<Vec<usize>> {
    let mut dims = Vec::new();
    let mut next = 0;
    for &size in small {
        let found = (next..large.len()).find(|&d| large[d] == size || size == 1)?;
        dims.push(found);
        next = found + 1;
    }
    Some(dims)
}

/// `%a, %b`.
fn names(values: &[Value]) -> String {
    values.iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// `tensor<2xf32>, tensor<i32>`.
fn types(values: &[Value]) -> String {
    values.iter().map(|v| v.ty.to_string()).collect::<Vec<_>>().join(", ")
}

/// `array<i64: 1, 2>`.
fn array<T: std::fmt::Display>(items: &[T]) -> String {
    if items.is_empty() {
        return "array<i64>".into();
    }
    format!("array<i64: {}>", items.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
}
