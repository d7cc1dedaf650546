//! Which results of a program must be equal however its sums are split.
//!
//! An element that is computed from the same numbers by the same op is the same on any device. What differs is the order of
//! sums and products: an op that reduces, and what follows from it. Such a sum is still exact where no step of it can
//! round: all numbers are multiples of one power of two and small beside it (a [`Grid`]), as the inputs of a
//! verification are. The analysis walks the program once, loops until nothing changes.

use super::compare::{largest, precision};
use crate::ir::*;
use crate::ops::linear::Linear;
use crate::ops::rule::{Access, Combine, Kind, Window};
use crate::ops::{Spread, rule::Rule};
use crate::value::Tensor;

/// Numbers that are all multiples of a power of two, and not large.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Grid {
    /// The exponent of the power.
    unit: f64,
    /// No magnitude is larger.
    bound: f64,
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Fact {
    /// It may be rounded differently.
    inexact: bool,
    /// It may be kept in parts that are added up later.
    partial: bool,
    grid: Option<Grid>,
}

/// For each result of the only function of a program: whether it must be equal on any mesh, on these inputs. Where not one engine runs
/// everything, an op that rounds may round differently.
pub fn exact_results(module: &Module, args: &[Tensor], one_engine: bool) -> Vec<bool> {
    let Some(func) = module.funcs.iter().next() else { return Vec::new() };
    let Some(body) = func.body else { return vec![false; func.results.len()] };
    let mut walk = Walk { module, one_engine, facts: IdVec::filled(Fact::default(), module.values.len()) };
    for (value, arg) in module.regions[body].args.iter().zip(args) {
        walk.facts[value].grid = grid_of(arg);
    }
    walk.region(body);
    walk.returned(body).iter().map(|fact| !fact.inexact).collect()
}

struct Walk<'m> {
    module: &'m Module,
    one_engine: bool,
    facts: IdVec<ValueId, Fact>,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId) {
        let module = self.module;
        for &op in &module.regions[region].ops {
            let op = module.op(op);
            match op.def().spread {
                Spread::Loop => self.repeat(op),
                Spread::Branches => self.branch(op),
                Spread::Region => self.enter(op),
                _ => self.ordinary(op),
            }
        }
    }

    fn returned(&self, region: RegionId) -> Vec<Fact> {
        let last = self.module.regions[region].ops.last();
        let operands = last.map_or(&[][..], |op| self.module.operands(*op));
        operands.iter().map(|v| self.facts[*v]).collect()
    }

    /// A loop: what is carried, until nothing changes. Nothing is said of its sizes, which grow.
    fn repeat(&mut self, op: OpRef<'_>) {
        let &[condition, body] = op.regions() else { return self.ordinary(op) };
        let mut carried: Vec<Fact> =
            op.operands().iter().map(|v| Fact { grid: None, ..self.facts[*v] }).collect();
        loop {
            for region in [condition, body] {
                for (arg, fact) in self.module.regions[region].args.iter().zip(&carried) {
                    self.facts[arg] = *fact;
                }
                self.region(region);
            }
            // How often it runs decides everything.
            let unsure = self.returned(condition).iter().any(|f| f.inexact);
            let next: Vec<Fact> = self
                .returned(body)
                .iter()
                .zip(&carried)
                .map(|(new, old)| Fact {
                    inexact: old.inexact || new.inexact || unsure,
                    partial: old.partial || new.partial,
                    grid: None,
                })
                .collect();
            if next == carried {
                break;
            }
            carried = next;
        }
        for (result, fact) in op.results().zip(carried) {
            self.facts[result] = fact;
        }
    }

    fn branch(&mut self, op: OpRef<'_>) {
        let unsure = op.operands().iter().any(|v| self.facts[*v].inexact);
        let mut joined: Vec<Fact> = Vec::new();
        for &region in op.regions() {
            self.region(region);
            let returned = self.returned(region);
            joined = match joined.is_empty() {
                true => returned,
                false => joined.iter().zip(&returned).map(|(a, b)| either(*a, *b)).collect(),
            };
        }
        for (result, fact) in op.results().zip(joined) {
            self.facts[result] = Fact { inexact: fact.inexact || unsure, ..fact };
        }
    }

    /// A region that runs once.
    fn enter(&mut self, op: OpRef<'_>) {
        let &[region] = op.regions() else { return self.ordinary(op) };
        for (arg, operand) in self.module.regions[region].args.iter().zip(op.operands()) {
            self.facts[arg] = self.facts[*operand];
        }
        self.region(region);
        for (result, fact) in op.results().zip(self.returned(region)) {
            self.facts[result] = fact;
        }
    }

    fn ordinary(&mut self, op: OpRef<'_>) {
        let inexact = op.operands().iter().any(|v| self.facts[*v].inexact);
        let reduces = !moves(op) && sums(op).is_some_and(|n| n > 1.0);
        let linear = (op.def().linear)(op, Combine::Add);
        let mask = match linear {
            Linear::No => 0,
            Linear::Together(mask) | Linear::Each(mask) => mask,
        };
        let operand = |n: usize| op.operands().get(n).map(|v| self.facts[*v]).unwrap_or_default();
        let partial = reduces || (0..64).any(|n| mask >> n & 1 == 1 && operand(n).partial);
        let grid = self.grid(op, linear);
        // What is done in stages is rounded between them.
        let staged = (op.def().stages)(op).len() > 1;
        let apart = !self.one_engine && !moves(op);
        for result in op.results() {
            let rounds =
                self.module.tensor_type(result).is_some_and(|t| t.elem.is_float() || t.elem.is_complex());
            let fits = self.module.tensor_type(result).and_then(|ty| grid.filter(|g| g.fits(ty.elem)));
            // A value that is kept in parts and rounded may be rounded in each of them.
            let rounded = ((partial || apart) && fits.is_none() || staged) && rounds;
            self.facts[result] = Fact { inexact: inexact || rounded, partial, grid: fits };
        }
    }

    /// What the numbers that an op makes are multiples of, and how large.
    fn grid(&self, op: OpRef<'_>, linear: Linear) -> Option<Grid> {
        if let Some(Attr::Elements(value)) = op.attr(names::VALUE)
            && op.operands().is_empty()
        {
            return grid_of(value);
        }
        let grids = |mask: u64| -> Option<Vec<Grid>> {
            let among = op.operands().iter().enumerate().filter(|(n, _)| *n < 64 && mask >> n & 1 == 1);
            among.map(|(_, v)| self.facts[*v].grid).collect()
        };
        let count = sums(op)?;
        match linear {
            Linear::No => None,
            Linear::Together(mask) => {
                let grids = grids(mask)?;
                let unit = grids.iter().map(|g| g.unit).fold(f64::INFINITY, f64::min);
                let bound = grids.iter().map(|g| g.bound).sum::<f64>();
                Some(Grid { unit, bound: bound * count })
            }
            // A product of two; a quotient is linear in one of them only and is no such.
            Linear::Each(0b11) => match grids(0b11)?.as_slice() {
                [a, b] => Some(Grid { unit: a.unit + b.unit, bound: a.bound * b.bound * count }),
                _ => None,
            },
            Linear::Each(_) => None,
        }
    }
}

impl Grid {
    /// Whether every such number, and every sum of parts of it, is one of the format.
    fn fits(self, elem: Elem) -> bool {
        // Complex products are sums of two.
        self.bound.max(1.0).log2() - self.unit + 1.0 <= precision(elem) && self.bound <= largest(elem)
    }
}

fn either(a: Fact, b: Fact) -> Fact {
    let grid =
        a.grid.zip(b.grid).map(|(a, b)| Grid { unit: a.unit.min(b.unit), bound: a.bound.max(b.bound) });
    Fact { inexact: a.inexact || b.inexact, partial: a.partial || b.partial, grid }
}

/// Whether an op only puts elements elsewhere: it does so however parts of them are combined.
fn moves(op: OpRef<'_>) -> bool {
    (op.def().linear)(op, Combine::Region) != Linear::No
}

/// How many elements are combined to one at most, where the order is not the op's own; nothing where it is not known.
fn sums(op: OpRef<'_>) -> Option<f64> {
    let Spread::Rule(rule, _) = op.def().spread else { return Some(1.0) };
    let rule: Rule = rule(op).ok()?;
    let reduced = rule.factors.iter().map(|factor| match factor.kind {
        Kind::Reduce(Combine::Add | Combine::Multiply) => factor.size.max(1) as f64,
        Kind::Reduce(Combine::Region) if computes(op) => factor.size.max(1) as f64,
        Kind::Scan if computes(op) => factor.size.max(1) as f64,
        _ => 1.0,
    });
    let windows = rule.tensors().flatten().map(|dim| match dim.access {
        Access::Affine(affine) => match affine.window {
            Window::Size(size) if computes(op) => size.max(1) as f64,
            _ => 1.0,
        },
        Access::Direct => 1.0,
    });
    Some(reduced.chain(windows).product())
}

/// Whether a region of an op makes floats of floats, and not only picks some.
fn computes(op: OpRef<'_>) -> bool {
    let module = op.module;
    let makes = |id: &OpId| {
        let op = module.op(*id);
        let float =
            op.result_types().filter_map(Type::as_tensor).any(|t| t.elem.is_float() || t.elem.is_complex());
        let extreme =
            [Combine::Maximum, Combine::Minimum].iter().any(|c| (op.def().linear)(op, *c) != Linear::No);
        float && !op.operands().is_empty() && !extreme && !moves(op)
    };
    op.regions().iter().any(|region| module.regions[*region].ops.iter().any(makes))
}

/// What the elements of a tensor are multiples of, and how large they are.
fn grid_of(value: &Tensor) -> Option<Grid> {
    let len = if value.is_splat() { value.len().min(1) } else { value.len() };
    let mut grid = Grid { unit: f64::INFINITY, bound: 0.0 };
    for i in 0..len {
        let value = value.get(i).complex();
        for part in [value.re, value.im] {
            if !part.is_finite() {
                return None;
            }
            if part != 0.0 {
                grid.unit = grid.unit.min(lowest_bit(part));
                grid.bound = grid.bound.max(part.abs());
            }
        }
    }
    if grid.unit.is_infinite() {
        grid.unit = 0.0;
    }
    Some(grid)
}

/// The exponent of the lowest bit of a number that is not zero.
fn lowest_bit(value: f64) -> f64 {
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (exponent, fraction) =
        if exponent == 0 { (-1074, fraction) } else { (exponent - 1075, fraction | 1 << 52) };
    f64::from(exponent + fraction.trailing_zeros() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::sample;

    fn exact(body: &str, result: &str) -> bool {
        let text =
            format!("func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>) -> {result} {{\n{body}\n}}");
        let module = crate::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}"));
        let args = [[8, 16], [16, 4]].map(|shape| sample(TensorType::new(Elem::F32, shape), 0, 0));
        exact_results(&module, &args, true)[0]
    }

    const DOT: &str = "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>";

    #[test]
    fn sums_of_small_numbers_are_exact() {
        assert!(exact(&format!("{DOT}\nreturn %0 : tensor<8x4xf32>"), "tensor<8x4xf32>"));
    }

    #[test]
    fn functions_of_elements_are_exact_and_sums_of_them_are_not() {
        let body = "%0 = stablehlo.exponential %a : tensor<8x16xf32>";
        assert!(exact(&format!("{body}\nreturn %0 : tensor<8x16xf32>"), "tensor<8x16xf32>"));
        let sum = "%1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>";
        assert!(!exact(&format!("{body}\n{sum}\nreturn %1 : tensor<8x4xf32>"), "tensor<8x4xf32>"));
        let compared =
            "%2 = stablehlo.compare GT, %1, %1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>";
        assert!(!exact(&format!("{body}\n{sum}\n{compared}\nreturn %2 : tensor<8x4xi1>"), "tensor<8x4xi1>"));
    }

    #[test]
    fn sums_that_may_overflow_on_the_way_are_not_exact() {
        let scaled = |c: &str| {
            let body = DOT.replace("%a, %b", "%1, %b");
            let product = "%1 = stablehlo.multiply %a, %c : tensor<8x16xf32>";
            format!(
                "%c = stablehlo.constant dense<{c}> : tensor<8x16xf32>\n{product}\n{body}\nreturn %0 : tensor<8x4xf32>"
            )
        };
        assert!(exact(&scaled("0x4F000000"), "tensor<8x4xf32>"));
        assert!(!exact(&scaled("0x7F000000"), "tensor<8x4xf32>"));
    }

    #[test]
    fn what_may_be_scaled_before_it_is_summed_is_not_exact() {
        let scaled = "%c = stablehlo.constant dense<0.1> : tensor<8x4xf32>\n%1 = stablehlo.multiply %0, %c : tensor<8x4xf32>";
        assert!(!exact(&format!("{DOT}\n{scaled}\nreturn %1 : tensor<8x4xf32>"), "tensor<8x4xf32>"));
        let scaled = scaled.replace("0.1", "0.5");
        assert!(exact(&format!("{DOT}\n{scaled}\nreturn %1 : tensor<8x4xf32>"), "tensor<8x4xf32>"));
    }
}
