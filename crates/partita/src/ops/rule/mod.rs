//! Sharding rules: how the dimensions of an op's operands and results belong together.
//!
//! A rule names *factors*. Every dimension of every tensor is reached from factors: directly (one factor, or
//! several for a reshape, major to minor), or by an affine access (windows, slices, concatenation). Splitting a
//! factor over devices splits every dimension that has it; the kind of the factor says what that takes.
//! Propagation, partitioning, cost and search read rules and know no ops.

mod text;

use super::def::OpError;
use crate::ir::OpRef;
use smallvec::{SmallVec, smallvec};

/// A factor of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FactorId(pub u8);

/// The most factors a rule may have.
pub const MAX_FACTORS: usize = 200;

/// A factor: a range of indices that can be split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factor {
    /// How many indices.
    pub size: i64,
    /// What splitting it takes.
    pub kind: Kind,
    /// Shardings do not travel along it, though it stands in several tensors.
    pub blocked: bool,
}

/// What splitting a factor takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing: each shard is computed on its own (an affine access may still need a halo).
    Parallel,
    /// It stands in operands only; shards give partial results that are combined.
    Reduce(Combine),
    /// Coordinates along it come from data: clamp globally, mask locally.
    Lookup,
    /// Results depend on what stands before them along the dimension: local work and a small exchange.
    Scan,
    /// It must not be split.
    Whole,
}

/// How partial results are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combine {
    /// Their sum.
    Add,
    /// Their product.
    Multiply,
    /// The largest.
    Maximum,
    /// The smallest.
    Minimum,
    /// All of them (bitwise for integers).
    And,
    /// Any of them (bitwise for integers).
    Or,
    /// Exclusive or.
    Xor,
    /// By the op's own region; the partial results are gathered.
    Region,
}

impl Combine {
    /// All of them.
    pub const ALL: [Combine; 8] = [
        Combine::Add,
        Combine::Multiply,
        Combine::Maximum,
        Combine::Minimum,
        Combine::And,
        Combine::Or,
        Combine::Xor,
        Combine::Region,
    ];

    /// Its name in the text of a rule.
    pub fn name(self) -> &'static str {
        match self {
            Combine::Add => "add",
            Combine::Multiply => "multiply",
            Combine::Maximum => "maximum",
            Combine::Minimum => "minimum",
            Combine::And => "and",
            Combine::Or => "or",
            Combine::Xor => "xor",
            Combine::Region => "region",
        }
    }
}

/// How a dimension is reached from factors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DimMap {
    /// The factors along which it is split, major to minor; none for a dimension of size one.
    pub factors: SmallVec<[FactorId; 2]>,
    /// How.
    pub access: Access,
}

impl DimMap {
    /// Whether indices of the dimension follow from a factor, be it split along it or not.
    pub fn follows(&self, factor: FactorId) -> bool {
        let by_access = match self.access {
            Access::Direct => false,
            Access::Affine(a) => a.outer == factor || a.window == Window::Factor(factor),
        };
        by_access || self.factors.contains(&factor)
    }
}

/// How the index `x` of a dimension follows from the indices of its factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// `x` is the indices of the factors, major to minor, in mixed radix.
    Direct,
    /// `base · x = stride · o + dilation · k - offset`, where `o` is the outer factor and `k` runs over a window.
    /// Windows, slices, padding, concatenation and reversal are all of this form.
    Affine(Affine),
}

/// The numbers of an affine access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Affine {
    /// The factor that is walked along.
    pub outer: FactorId,
    /// The window.
    pub window: Window,
    /// What `x` is multiplied with.
    pub base: i64,
    /// What `o` is multiplied with; negative where the order is reversed.
    pub stride: i64,
    /// What `k` is multiplied with.
    pub dilation: i64,
    /// What is taken away.
    pub offset: i64,
}

/// The window of an affine access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Window {
    /// There is none: `k` is zero.
    None,
    /// Its size; no tensor has it as a dimension.
    Size(i64),
    /// A factor: another operand has it as a dimension. One that is looked up is the dimension itself: where that is split in its
    /// own blocks, each result is found by the device that has it.
    Factor(FactorId),
}

/// The dimensions of one tensor.
pub type TensorMap = SmallVec<[DimMap; 4]>;

/// The rule of one operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The factors.
    pub factors: Vec<Factor>,
    /// The dimensions of each operand; empty for what is no tensor.
    pub operands: Vec<TensorMap>,
    /// The dimensions of each result.
    pub results: Vec<TensorMap>,
}

impl Rule {
    /// The factor with this id.
    pub fn factor(&self, id: FactorId) -> &Factor {
        &self.factors[usize::from(id.0)]
    }

    /// Operands first, then results.
    pub fn tensors(&self) -> impl DoubleEndedIterator<Item = &TensorMap> {
        self.operands.iter().chain(&self.results)
    }

    /// Every dimension on its own, none of them to be split: always right, never good.
    pub fn whole(op: OpRef<'_>) -> Result<Rule, OpError> {
        let mut rule = RuleBuilder::new(op);
        for n in 0..rule.operand_shapes.len() {
            for dim in 0..rule.operand_shapes[n].len() {
                let factor = rule.factor(rule.operand_shapes[n][dim], Kind::Whole)?;
                rule.operand(n, dim, factor);
            }
        }
        for n in 0..rule.result_shapes.len() {
            for dim in 0..rule.result_shapes[n].len() {
                let factor = rule.factor(rule.result_shapes[n][dim], Kind::Whole)?;
                rule.result(n, dim, factor);
            }
        }
        Ok(rule.build())
    }

    /// Every dimension of the result stands in every operand that has dimensions: elementwise ops.
    pub fn pointwise(op: OpRef<'_>) -> Result<Rule, OpError> {
        let mut rule = RuleBuilder::new(op);
        let shape = rule.result_shapes.first().cloned().unwrap_or_default();
        for (dim, &size) in shape.iter().enumerate() {
            let factor = rule.factor(size, Kind::Parallel)?;
            rule.everywhere(dim, factor);
        }
        Ok(rule.build())
    }
}

/// Puts a rule together.
pub struct RuleBuilder {
    rule: Rule,
    /// The shapes of the operands; empty for what is no tensor.
    pub operand_shapes: Vec<SmallVec<[i64; 4]>>,
    /// The shapes of the results.
    pub result_shapes: Vec<SmallVec<[i64; 4]>>,
}

impl RuleBuilder {
    /// A rule without factors.
    pub fn new(op: OpRef<'_>) -> Self {
        let shape = |t: &crate::ir::Type| t.as_tensor().map(|t| t.shape.clone()).unwrap_or_default();
        let operand_shapes: Vec<_> = op.operand_types().map(shape).collect();
        let result_shapes: Vec<_> = op.result_types().map(shape).collect();
        let empty = |shape: &SmallVec<[i64; 4]>| -> TensorMap {
            shape.iter().map(|_| DimMap { factors: smallvec![], access: Access::Direct }).collect()
        };
        let rule = Rule {
            factors: Vec::new(),
            operands: operand_shapes.iter().map(empty).collect(),
            results: result_shapes.iter().map(empty).collect(),
        };
        RuleBuilder { rule, operand_shapes, result_shapes }
    }

    /// A new factor.
    pub fn factor(&mut self, size: i64, kind: Kind) -> Result<FactorId, OpError> {
        if self.rule.factors.len() >= MAX_FACTORS {
            return Err(OpError::new(format!(
                "its sharding rule would need more than {MAX_FACTORS} factors"
            )));
        }
        let id = FactorId(self.rule.factors.len() as u8);
        self.rule.factors.push(Factor { size, kind, blocked: false });
        Ok(id)
    }

    /// Keeps shardings from travelling along a factor.
    pub fn block(&mut self, factor: FactorId) {
        self.rule.factors[usize::from(factor.0)].blocked = true;
    }

    /// Adds a factor to a dimension of an operand, minor to those it has.
    pub fn operand(&mut self, n: usize, dim: usize, factor: FactorId) {
        self.rule.operands[n][dim].factors.push(factor);
    }

    /// Adds a factor to a dimension of a result, minor to those it has.
    pub fn result(&mut self, n: usize, dim: usize, factor: FactorId) {
        self.rule.results[n][dim].factors.push(factor);
    }

    /// Adds a factor to a dimension of all operands that have dimensions, and of all results.
    pub fn everywhere(&mut self, dim: usize, factor: FactorId) {
        for tensor in self.rule.operands.iter_mut().chain(&mut self.rule.results) {
            if let Some(map) = tensor.get_mut(dim) {
                map.factors.push(factor);
            }
        }
    }

    /// Says how a dimension of an operand is reached from its factors.
    pub fn operand_access(&mut self, n: usize, dim: usize, affine: Affine) {
        self.rule.operands[n][dim].access = Access::Affine(affine);
    }

    /// Says how a dimension of a result is reached from its factors.
    pub fn result_access(&mut self, n: usize, dim: usize, affine: Affine) {
        self.rule.results[n][dim].access = Access::Affine(affine);
    }

    /// The rule.
    pub fn build(self) -> Rule {
        self.rule
    }
}

/// The greatest number that divides both.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
