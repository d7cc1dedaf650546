//! The operations of a block that are needed, and who reads what.

use crate::loops::folder;
use partita::Module;
use partita::ir::{IdVec, OpId, OpRef, RegionId, Shape, ValueId};
use partita::ops::{Eval, OpKind, combine};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an operation can be in a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// A function of elements.
    Elementwise,
    /// The fold at the end of a loop.
    Fold,
    /// Not part of a loop.
    Other,
}

/// The operations of a block.
pub(super) struct Ops<'c> {
    module: &'c Module,
    /// For each value the one that it is another name of.
    same: &'c IdVec<ValueId, ValueId>,
    /// The operations that are needed, in program order.
    pub(super) list: Vec<OpId>,
    pub(super) class: Vec<Class>,
    /// Where each operation stands in the list.
    pub(super) place: FxHashMap<OpId, usize>,
    users: FxHashMap<ValueId, Vec<usize>>,
    /// Values that regions of operations read, or that the block returns.
    seen_elsewhere: FxHashSet<ValueId>,
    captures: FxHashMap<OpId, Vec<ValueId>>,
}

impl<'c> Ops<'c> {
    /// Looks at a block; `is_given` says whether a value is there without an operation that makes it.
    pub(super) fn new(
        module: &'c Module,
        region: RegionId,
        same: &'c IdVec<ValueId, ValueId>,
        is_given: impl Fn(ValueId) -> bool,
    ) -> Ops<'c> {
        let mut ops = Ops {
            module,
            same,
            list: Vec::new(),
            class: Vec::new(),
            place: FxHashMap::default(),
            users: FxHashMap::default(),
            seen_elsewhere: FxHashSet::default(),
            captures: FxHashMap::default(),
        };
        let Some((&end, body)) = module.regions[region].ops.split_last() else { return ops };
        let mut needed: FxHashSet<ValueId> = module.operands(end).iter().map(|v| same[*v]).collect();
        ops.seen_elsewhere.extend(&needed);
        for &id in body.iter().rev() {
            let op = module.op(id);
            let named_again = op.results().all(|v| same[v] != v || is_given(v));
            let wanted =
                op.has_effect() || op.op().results.is_empty() || op.results().any(|v| needed.contains(&v));
            if !wanted || (named_again && !op.op().results.is_empty()) {
                continue;
            }
            let captured = captures(module, op, |value| same[value]);
            needed.extend(op.operands().iter().map(|v| same[*v]));
            needed.extend(&captured);
            ops.seen_elsewhere.extend(&captured);
            if !captured.is_empty() {
                ops.captures.insert(id, captured);
            }
            ops.list.push(id);
        }
        ops.list.reverse();
        for (n, &id) in ops.list.iter().enumerate() {
            let op = module.op(id);
            ops.place.insert(id, n);
            ops.class.push(class(op));
            for value in op.operands() {
                let users = ops.users.entry(same[*value]).or_default();
                if users.last() != Some(&n) {
                    users.push(n);
                }
            }
        }
        ops
    }

    /// The values that an operation's regions read from outside of them.
    pub(super) fn captures(&self, op: OpId) -> &[ValueId] {
        self.captures.get(&op).map_or(&[], |list| list)
    }

    /// The operands, by the names that count.
    pub(super) fn operands(&self, op: OpId) -> impl Iterator<Item = ValueId> + '_ {
        self.module.operands(op).iter().map(|v| self.same[*v])
    }

    /// The results.
    pub(super) fn results(&self, op: OpId) -> impl Iterator<Item = ValueId> + use<> {
        self.module.ops[op].results.iter()
    }

    /// The places of the operations that read the result of an elementwise one, where nothing else does.
    pub(super) fn inside_users(&self, n: usize) -> Option<&[usize]> {
        let value = self.module.ops[self.list[n]].results.at(0);
        if self.seen_elsewhere.contains(&value) {
            return None;
        }
        self.users.get(&value).map(|list| &list[..])
    }

    /// Whether an operation reads the result of another element by element and in no other way.
    pub(super) fn reads_as_element(&self, user: usize, n: usize) -> bool {
        let value = self.module.ops[self.list[n]].results.at(0);
        match self.class[user] {
            Class::Elementwise => true,
            Class::Fold => self.operands(self.list[user]).nth(1) != Some(value),
            Class::Other => false,
        }
    }

    /// The shape that an operation in a loop goes over.
    pub(super) fn shape(&self, n: usize) -> &'c Shape {
        let op = self.module.op(self.list[n]);
        match self.class[n] {
            Class::Fold => &op.operand_tensor(0).shape,
            _ => &op.result_tensor(0).shape,
        }
    }

    /// Whether a value has a shape.
    pub(super) fn has_shape(&self, value: ValueId, shape: &Shape) -> bool {
        self.module.tensor_type(value).is_some_and(|ty| ty.shape == *shape)
    }

    /// Whether a value is the result of a function of elements.
    pub(super) fn is_elementwise(&self, value: ValueId) -> bool {
        match self.module.values[value].def {
            partita::ir::ValueDef::Result(op, _) => {
                self.place.get(&op).is_some_and(|n| self.class[*n] == Class::Elementwise)
            }
            partita::ir::ValueDef::Arg(..) => false,
        }
    }

    /// Whether anything outside of some operations reads a value.
    pub(super) fn leaves(&self, value: ValueId, inside: &FxHashSet<usize>) -> bool {
        self.seen_elsewhere.contains(&value)
            || self.users.get(&value).is_some_and(|users| users.iter().any(|n| !inside.contains(n)))
    }

    /// Whether anything reads a value.
    pub(super) fn is_read(&self, value: ValueId) -> bool {
        self.seen_elsewhere.contains(&value) || self.users.contains_key(&value)
    }

    /// The operations that read a value.
    pub(super) fn users(&self, value: ValueId) -> impl Iterator<Item = OpId> + '_ {
        self.users.get(&value).into_iter().flatten().map(|n| self.list[*n])
    }

    /// What operations read that they do not make themselves, each once.
    pub(super) fn outside_reads(&self, group: &[OpId]) -> Vec<ValueId> {
        let made: FxHashSet<ValueId> = group.iter().flat_map(|op| self.results(*op)).collect();
        let mut seen = FxHashSet::default();
        let mut list = Vec::new();
        for &op in group {
            for value in self.operands(op).chain(self.captures(op).iter().copied()) {
                if !made.contains(&value) && seen.insert(value) {
                    list.push(value);
                }
            }
        }
        list
    }
}

/// What an operation can be in a loop.
fn class(op: OpRef<'_>) -> Class {
    let tensors = op.operand_types().chain(op.result_types()).all(|ty| ty.as_tensor().is_some());
    if !tensors || op.op().results.len() != 1 {
        return Class::Other;
    }
    if let Eval::Elementwise(_) = op.def().eval {
        let shape = &op.result_tensor(0).shape;
        let fits = |n: usize| op.operand_tensor(n).rank() == 0 || op.operand_tensor(n).shape == *shape;
        let count = op.operands().len();
        return if (1..=3).contains(&count) && (0..count).all(fits) {
            Class::Elementwise
        } else {
            Class::Other
        };
    }
    if op.kind() == OpKind::Reduce && op.operands().len() == 2 {
        let elem = op.operand_tensor(0).elem;
        let same = op.result_tensor(0).elem == elem && op.operand_tensor(1).elem == elem;
        if same && combine(op).is_some_and(|how| folder(how, elem).is_some()) {
            return Class::Fold;
        }
    }
    Class::Other
}

/// The values that an operation's regions read from outside of them, each once, by the names that count.
pub(crate) fn captures(module: &Module, op: OpRef<'_>, name: impl Fn(ValueId) -> ValueId) -> Vec<ValueId> {
    let mut regions: Vec<RegionId> = op.regions().to_vec();
    let mut made: FxHashSet<ValueId> = FxHashSet::default();
    let mut reads: Vec<ValueId> = Vec::new();
    while let Some(region) = regions.pop() {
        made.extend(module.regions[region].args.iter());
        for &inner in &module.regions[region].ops {
            reads.extend(module.operands(inner).iter().map(|v| name(*v)));
            made.extend(module.ops[inner].results.iter());
            regions.extend(module.regions_of(inner));
        }
    }
    reads.sort_unstable();
    reads.dedup();
    reads.retain(|v| !made.contains(v));
    reads
}
