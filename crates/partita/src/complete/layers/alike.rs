//! Which operations of a program do the same.

use crate::ir::{Attr, Attrs, Module, OpId, Sym};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Of operations with the same kinds and types, so many with different attributes are told apart at once.
const VARIANTS: usize = 64;

/// A number for each operation: the same for those that do the same with tensors of the same types.
pub(super) fn fingerprints(module: &Module, ops: &[OpId]) -> Vec<u32> {
    let mut known: FxHashMap<u64, SmallVec<[(OpId, u32); 1]>> = FxHashMap::default();
    let mut next = 0;
    let number = |op: &OpId| {
        let variants = known.entry(kinds_and_types(module, *op)).or_default();
        if let Some((_, number)) = variants.iter().find(|(other, _)| same_attributes(module, *op, *other)) {
            return *number;
        }
        next += 1;
        if variants.len() < VARIANTS {
            variants.push((*op, next));
        }
        next
    };
    ops.iter().map(number).collect()
}

fn kinds_and_types(module: &Module, op: OpId) -> u64 {
    let mut hasher = FxHasher::default();
    for op in module.within(op) {
        let data = &module.ops[op];
        data.kind.hash(&mut hasher);
        let values = module.operands(op).iter().copied().chain(data.results.iter());
        values.for_each(|value| module.values[value].ty.hash(&mut hasher));
    }
    hasher.finish()
}

/// Whether attributes are the same but for the elements of constants: layers have numbers that random numbers are made from.
fn same_attributes(module: &Module, a: OpId, b: OpId) -> bool {
    let same_attr = |a: &(Sym, Attr), b: &(Sym, Attr)| {
        a.0 == b.0 && (matches!((&a.1, &b.1), (Attr::Elements(_), Attr::Elements(_))) || a.1 == b.1)
    };
    let same =
        |a: &Attrs, b: &Attrs| a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_attr(a, b));
    let attrs = |op: OpId| module.within(op).map(|op| &module.ops[op].attrs);
    let mut others = attrs(b);
    attrs(a).all(|a| others.next().is_some_and(|b| same(a, b))) && others.next().is_none()
}
