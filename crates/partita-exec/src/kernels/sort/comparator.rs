//! Comparators as tables.
//!
//! A comparator takes the elements of two places. What it makes of one of them alone is a key, if it makes the same of the other
//! and compares the two; what it makes of such comparisons and constants depends on nothing else. So all of it is a function of how the keys of
//! two places compare, in one of four ways each, and is evaluated once for each combination, by the formulas of the rows.

use partita::Module;
use partita::ir::attr::{CompareType, EnumAttr};
use partita::ir::{Elem, OpId, OpRef, ValueId, names};
use partita::ops::{ElementCx, Eval, Formula, OpKind};
use partita::value::Scalar;
use partita::value::tensor::write;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A key that is in no order with any: what is not a number, where numbers compare as numbers.
pub(super) const NO_NUMBER: i64 = i64::MIN;

/// A table has an entry for each combination of outcomes, so there are no more keys than this.
const MAX_KEYS: usize = 4;

/// The ways in which two keys compare: less, equal, greater, not at all.
const OUTCOMES: usize = 4;

/// A comparator that compares keys.
pub(super) struct Comparator {
    /// What is computed of the elements of one place: registers that hold the elements first.
    nodes: Vec<Node>,
    keys: Vec<Key>,
    /// For each key and the outcomes of it and all before it, the first most significant: what the comparator gives, where that
    /// decides it.
    levels: Vec<Vec<Option<bool>>>,
    /// For each key whether it descends, where elements are in the order of the first key that differs.
    lexicographic: Option<Vec<bool>>,
}

/// What is known of an element, or computed of it.
enum Node {
    /// The element of the operand with the same number.
    Element,
    /// A constant, with its bits.
    Constant(Scalar, [u8; 16]),
    Step(Step),
}

/// A formula on registers.
struct Step {
    op: OpId,
    formula: Formula,
    from: SmallVec<[usize; 3]>,
    operand: Elem,
    result: Elem,
}

/// A register that is compared.
#[derive(PartialEq)]
struct Key {
    node: usize,
    /// Whether floats are compared in their total order, or as numbers, some of which do not compare.
    total: bool,
    partial: bool,
}

/// What a value of the comparator depends on.
#[derive(Clone)]
enum Value {
    /// Nothing.
    Constant(Scalar, Elem),
    /// The elements of one place: a node. The first place is the left one.
    Side { left: bool, node: usize },
    /// How keys compare: a register of the rest of the comparator.
    Outcome(usize),
}

/// What is done with outcomes.
enum Rest {
    Constant(Scalar),
    /// A key of one place compared with that of the other.
    Compare {
        step: Step,
        key: usize,
        swapped: bool,
    },
    Step(Step),
}

impl Comparator {
    /// The table of a sort's comparator; nothing where it does anything else than to compare keys.
    pub(super) fn of(op: OpRef<'_>) -> Option<Comparator> {
        let module = op.module;
        let region = op.region(0);
        let operands = op.operands().len();
        let mut reader = Reader {
            module,
            values: FxHashMap::default(),
            nodes: (0..operands).map(|_| Node::Element).collect(),
            keys: Vec::new(),
            rest: Vec::new(),
        };
        for (n, arg) in region.args.iter().enumerate() {
            reader.values.insert(arg, Value::Side { left: n % 2 == 0, node: n / 2 });
        }
        let (end, body) = region.ops.split_last()?;
        for op in body {
            reader.operation(module.op(*op))?;
        }
        let &[result] = module.operands(*end) else { return None };
        let Value::Outcome(result) = reader.value(result)? else { return None };
        let Reader { nodes, keys, rest, .. } = reader;
        if keys.is_empty() || keys.len() > MAX_KEYS {
            return None;
        }
        let levels = levels(&keys, |outcomes| evaluate(module, &rest, result, outcomes));
        let lexicographic = lexicographic(&levels);
        Some(Comparator { nodes, keys, levels, lexicographic })
    }

    /// For each key whether it descends, where elements are in the order of the first key that differs.
    pub(super) fn lexicographic(&self) -> Option<&[bool]> {
        self.lexicographic.as_deref()
    }

    /// For each key whether there may be some that do not compare.
    pub(super) fn partial(&self) -> impl Iterator<Item = bool> + '_ {
        self.keys.iter().map(|key| key.partial)
    }

    /// Whether the comparator holds of two places, whose keys stand in columns.
    pub(super) fn less(&self, columns: &[Vec<i64>], a: usize, b: usize) -> bool {
        let mut at = 0;
        for ((column, key), level) in columns.iter().zip(&self.keys).zip(&self.levels) {
            let (a, b) = (column[a], column[b]);
            let outcome = if key.partial && (a == NO_NUMBER || b == NO_NUMBER) {
                3
            } else {
                (a.cmp(&b) as i8 + 1) as usize
            };
            at = at * OUTCOMES + outcome;
            if let Some(decided) = level[at] {
                return decided;
            }
        }
        false
    }

    /// What computes keys.
    pub(super) fn keys<'c>(&'c self, module: &'c Module) -> Keys<'c> {
        let cx = |node: &Node| match node {
            Node::Step(step) => Some(step.cx(module)),
            _ => None,
        };
        let value = |node: &Node| match node {
            Node::Constant(value, _) => *value,
            _ => Scalar::Bool(false),
        };
        Keys {
            comparator: self,
            contexts: self.nodes.iter().map(cx).collect(),
            registers: self.nodes.iter().map(value).collect(),
        }
    }
}

/// Computes the keys of one place after the other.
pub(super) struct Keys<'c> {
    comparator: &'c Comparator,
    contexts: Vec<Option<ElementCx<'c>>>,
    registers: Vec<Scalar>,
}

impl Keys<'_> {
    /// How many keys a place has.
    pub(super) fn count(&self) -> usize {
        self.comparator.keys.len()
    }

    /// Computes the keys of some elements, and gives each with its number.
    pub(super) fn compute(&mut self, elements: &[Scalar], mut give: impl FnMut(usize, i64)) {
        for (register, element) in self.registers.iter_mut().zip(elements) {
            *register = *element;
        }
        for (n, (node, cx)) in self.comparator.nodes.iter().zip(&self.contexts).enumerate() {
            if let (Node::Step(step), Some(cx)) = (node, cx) {
                self.registers[n] = step.run(cx, &self.registers);
            }
        }
        for (n, key) in self.comparator.keys.iter().enumerate() {
            give(n, ordered(self.registers[key.node], key.total));
        }
    }
}

impl Step {
    fn cx<'m>(&self, module: &'m Module) -> ElementCx<'m> {
        ElementCx { op: module.op(self.op), operand: self.operand, result: self.result }
    }

    fn run(&self, cx: &ElementCx<'_>, registers: &[Scalar]) -> Scalar {
        let args: SmallVec<[Scalar; 3]> = self.from.iter().map(|register| registers[*register]).collect();
        (self.formula)(cx, &args).stored_as(self.result)
    }
}

/// An integer that is in order as an element is.
fn ordered(value: Scalar, total: bool) -> i64 {
    match value {
        Scalar::Bool(value) => i64::from(value),
        Scalar::Int(value) => value,
        Scalar::Uint(value) => (value ^ 1 << 63) as i64,
        Scalar::Float(value) if !total && value.is_nan() => NO_NUMBER,
        Scalar::Float(value) => {
            // Both zeros are one number.
            let bits = (if total { value } else { value + 0.0 }).to_bits() as i64;
            bits ^ ((bits >> 63) as u64 >> 1) as i64
        }
        // Nothing of these is a key.
        Scalar::Complex(_) | Scalar::Field(_) => 0,
    }
}

/// Reads a comparator.
struct Reader<'m> {
    module: &'m Module,
    values: FxHashMap<ValueId, Value>,
    nodes: Vec<Node>,
    keys: Vec<Key>,
    rest: Vec<Rest>,
}

impl Reader<'_> {
    /// What a value depends on; values from outside must be constants.
    fn value(&mut self, id: ValueId) -> Option<Value> {
        if let Some(value) = self.values.get(&id) {
            return Some(value.clone());
        }
        let value = constant(self.module.made_by(id)?)?;
        self.values.insert(id, value.clone());
        Some(value)
    }

    fn operation(&mut self, op: OpRef<'_>) -> Option<()> {
        let result = op.results().next()?;
        if op.op().results.len() != 1 || !op.regions().is_empty() || op.result_tensor(0).rank() != 0 {
            return None;
        }
        let Some(formula) = op.def().formula() else {
            self.values.insert(result, constant(op)?);
            return Some(());
        };
        let operands: Vec<Value> = op.operands().iter().map(|v| self.value(*v)).collect::<Option<_>>()?;
        let elem = op.operand_tensor(0).elem;
        let step = |from| Step { op: op.id, formula, from, operand: elem, result: op.result_tensor(0).elem };
        let sides: SmallVec<[bool; 3]> = operands.iter().filter_map(Value::side).collect();
        let outcomes = operands.iter().any(|value| matches!(value, Value::Outcome(_)));
        let value = match (sides.first(), outcomes) {
            (Some(&left), false) if sides.iter().all(|side| *side == left) => {
                let from = operands.iter().map(|value| self.node_of(value)).collect::<Option<_>>()?;
                Value::Side { left, node: self.node(step(from)) }
            }
            (Some(_), false) => {
                let key = self.key(op, &operands, elem)?;
                let swapped = !sides[0];
                self.rest.push(Rest::Compare { step: step(SmallVec::new()), key, swapped });
                Value::Outcome(self.rest.len() - 1)
            }
            (None, _) => {
                let from = operands.iter().map(|value| self.outcome_of(value)).collect::<Option<_>>()?;
                self.rest.push(Rest::Step(step(from)));
                Value::Outcome(self.rest.len() - 1)
            }
            // It depends on an element, and on how it compares.
            (Some(_), true) => return None,
        };
        self.values.insert(result, value);
        Some(())
    }

    /// The key of which two places are compared, where an operation does so.
    fn key(&mut self, op: OpRef<'_>, operands: &[Value], elem: Elem) -> Option<usize> {
        let &[Value::Side { node, .. }, Value::Side { node: other, .. }] = operands else { return None };
        let comparable = matches!(elem, Elem::Bool | Elem::Int(_) | Elem::Uint(_)) || elem.is_float();
        if op.kind() != OpKind::Compare || node != other || !comparable {
            return None;
        }
        let total =
            op.enumeration(names::COMPARE_TYPE) == Some(EnumAttr::CompareType(CompareType::TotalOrder));
        let key = Key { node, total, partial: elem.is_float() && !total };
        Some(self.keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        }))
    }

    fn node_of(&mut self, value: &Value) -> Option<usize> {
        match value {
            Value::Side { node, .. } => Some(*node),
            Value::Constant(value, elem) => {
                let mut bits = [0; 16];
                write(*elem, &mut bits, 0, *value);
                let same = |node: &Node| matches!(node, Node::Constant(_, known) if *known == bits);
                Some(self.nodes.iter().position(same).unwrap_or_else(|| {
                    self.nodes.push(Node::Constant(*value, bits));
                    self.nodes.len() - 1
                }))
            }
            Value::Outcome(_) => None,
        }
    }

    /// The node of a formula: the same for both places where they do the same.
    fn node(&mut self, step: Step) -> usize {
        let module = self.module;
        let same = |node: &Node| {
            let Node::Step(known) = node else { return false };
            let (a, b) = (&module.ops[known.op], &module.ops[step.op]);
            a.kind == b.kind && a.attrs == b.attrs && known.from == step.from && known.result == step.result
        };
        self.nodes.iter().position(same).unwrap_or_else(|| {
            self.nodes.push(Node::Step(step));
            self.nodes.len() - 1
        })
    }

    fn outcome_of(&mut self, value: &Value) -> Option<usize> {
        match value {
            Value::Outcome(register) => Some(*register),
            Value::Constant(value, _) => {
                self.rest.push(Rest::Constant(*value));
                Some(self.rest.len() - 1)
            }
            Value::Side { .. } => None,
        }
    }
}

impl Value {
    fn side(&self) -> Option<bool> {
        match self {
            Value::Side { left, .. } => Some(*left),
            _ => None,
        }
    }
}

/// The scalar that an operation without operands makes.
fn constant(op: OpRef<'_>) -> Option<Value> {
    match op.def().eval {
        Eval::Kernel(kernel) if op.operands().is_empty() && op.result_tensor(0).rank() == 0 => {
            let tensors = kernel(op, &[]).ok()?;
            Some(Value::Constant(tensors.first()?.item(), op.result_tensor(0).elem))
        }
        _ => None,
    }
}

/// What a comparator gives where keys compare in these ways.
fn evaluate(module: &Module, rest: &[Rest], result: usize, outcomes: &[usize]) -> bool {
    let mut registers: Vec<Scalar> = Vec::with_capacity(rest.len());
    for part in rest {
        let value = match part {
            Rest::Constant(value) => *value,
            Rest::Step(step) => step.run(&step.cx(module), &registers),
            Rest::Compare { step, key, swapped } => {
                // Two elements that compare so.
                let elem = step.operand;
                let (zero, one) = (Scalar::zero(elem), Scalar::one(elem));
                let (left, right) = match outcomes[*key] {
                    0 => (zero, one),
                    1 => (zero, zero),
                    2 => (one, zero),
                    _ => (Scalar::Float(f64::NAN), zero),
                };
                let args = if *swapped { [right, left] } else { [left, right] };
                (step.formula)(&step.cx(module), &args)
            }
        };
        registers.push(value);
    }
    registers[result].is_true()
}

/// The tables of a comparator, from the whole one to that of the first key.
fn levels(keys: &[Key], evaluate: impl Fn(&[usize]) -> bool) -> Vec<Vec<Option<bool>>> {
    let size = OUTCOMES.pow(keys.len() as u32);
    let mut outcomes = vec![0; keys.len()];
    let mut last: Vec<Option<bool>> = Vec::with_capacity(size);
    for mut n in 0..size {
        for outcome in outcomes.iter_mut().rev() {
            *outcome = n % OUTCOMES;
            n /= OUTCOMES;
        }
        last.push(Some(evaluate(&outcomes)));
    }
    let mut levels = vec![last];
    for key in keys.iter().skip(1).rev() {
        // What all outcomes of a key agree on is decided before it. The fourth is one of partial keys only.
        let possible = if key.partial { OUTCOMES } else { OUTCOMES - 1 };
        let below = &levels[levels.len() - 1];
        let agreed = below
            .chunks(OUTCOMES)
            .map(|chunk| chunk[0].filter(|_| chunk[..possible].iter().all(|c| *c == chunk[0])));
        let level = agreed.collect();
        levels.push(level);
    }
    levels.reverse();
    levels
}

/// For each key whether it descends, where the first that differs decides, and equal ones are not less.
fn lexicographic(levels: &[Vec<Option<bool>>]) -> Option<Vec<bool>> {
    let mut descending = Vec::with_capacity(levels.len());
    let mut equal = 0;
    for level in levels {
        let at = equal * OUTCOMES;
        match (level[at], level[at + 2]) {
            (Some(true), Some(false)) => descending.push(false),
            (Some(false), Some(true)) => descending.push(true),
            _ => return None,
        }
        equal = at + 1;
    }
    let last = levels.last()?;
    (last[equal] == Some(false)).then_some(descending)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of a comparator of floats and integers, and what it says of some pairs of them.
    fn less(body: &str, pairs: [[(f64, i64); 2]; 4]) -> Option<(Option<Vec<bool>>, [bool; 4])> {
        let text = format!(
            r#"func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) -> tensor<4xf32> {{
  %k = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = "stablehlo.sort"(%a, %b) <{{dimension = 0 : i64, is_stable = true}}> ({{
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    {body}
    stablehlo.return %r : tensor<i1>
  }}) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0 : tensor<4xf32>
}}"#
        );
        let module = partita::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}"));
        let sort = module.ops.ids().map(|id| module.op(id)).find(|op| op.kind() == OpKind::Sort)?;
        let comparator = Comparator::of(sort)?;
        let mut keys = comparator.keys(&module);
        let holds = pairs.map(|pair| {
            let mut columns = vec![Vec::new(); keys.count()];
            for (x, i) in pair {
                keys.compute(&[Scalar::Float(x), Scalar::Int(i)], |key, value| columns[key].push(value));
            }
            comparator.less(&columns, 0, 1)
        });
        drop(keys);
        Some((comparator.lexicographic, holds))
    }

    const PAIRS: [[(f64, i64); 2]; 4] =
        [[(1.0, 0), (2.0, 0)], [(0.0, 1), (-0.0, 2)], [(f64::NAN, 0), (1.0, 0)], [(2.0, 0), (1.0, 5)]];

    #[test]
    fn numbers_and_bits_are_in_different_orders() {
        let body = "%r = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>";
        assert_eq!(less(body, PAIRS), Some((Some(vec![false]), [true, false, false, false])));
        let body = "%r = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>";
        assert_eq!(less(body, PAIRS), Some((Some(vec![true]), [false, true, true, true])));
    }

    #[test]
    fn the_second_key_decides_where_the_first_is_equal() {
        let body = "%p = stablehlo.abs %x : tensor<f32>
    %q = stablehlo.abs %y : tensor<f32>
    %l = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %g = stablehlo.compare GT, %q, %p : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %e = stablehlo.compare EQ, %l, %g : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %s = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = stablehlo.select %e, %s, %l : tensor<i1>, tensor<i1>";
        assert_eq!(less(body, PAIRS), Some((Some(vec![true, false]), [false, true, false, true])));
    }

    #[test]
    fn what_is_no_order_has_a_table_and_what_looks_elsewhere_has_none() {
        let body = "%r = stablehlo.compare LE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>";
        assert_eq!(less(body, PAIRS), Some((None, [true, true, false, false])));
        let body = "%r = stablehlo.compare LT, %x, %k : (tensor<f32>, tensor<f32>) -> tensor<i1>";
        assert_eq!(less(body, PAIRS), None);
        let body = "%p = stablehlo.abs %x : tensor<f32>
    %r = stablehlo.compare LT, %p, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>";
        assert_eq!(less(body, PAIRS), None);
    }
}
