//! Operations that are there already are not written again.

use super::pattern::Pattern;
use crate::ir::module::NewOp;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// The operations that can be shared, for each open region; inner regions see outer ones.
#[derive(Default)]
pub(super) struct Shared {
    scopes: Vec<Scope>,
}

#[derive(Default)]
struct Scope {
    ops: FxHashMap<u64, SmallVec<[OpId; 1]>>,
    /// What values are where they have been sent to.
    sent: FxHashMap<(ValueId, Pattern), ValueId>,
}

impl Shared {
    pub(super) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    /// Forgets the scopes deeper than this for a while.
    pub(super) fn leave(&mut self, depth: usize) -> Shared {
        Shared { scopes: self.scopes.split_off(depth) }
    }

    pub(super) fn enter(&mut self, inner: Shared) {
        self.scopes.extend(inner.scopes);
    }

    /// An operation that is the same.
    pub(super) fn find(&self, module: &Module, new: &NewOp, hash: u64) -> Option<OpId> {
        let same = |id: &&OpId| {
            let op = &module.ops[**id];
            op.kind == new.kind
                && module.operands(**id) == &new.operands[..]
                && module.op(**id).results().map(|v| module.values[v].ty).eq(new.result_types.iter().copied())
                && op.attrs == new.attrs
        };
        self.scopes.iter().rev().filter_map(|s| s.ops.get(&hash)).flatten().find(same).copied()
    }

    /// A value that was sent before, where it came to.
    pub(super) fn find_sent(&self, sent: &(ValueId, Pattern)) -> Option<ValueId> {
        self.scopes.iter().rev().find_map(|s| s.sent.get(sent)).copied()
    }

    pub(super) fn insert_sent(&mut self, sent: (ValueId, Pattern), received: ValueId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.sent.insert(sent, received);
        }
    }

    pub(super) fn insert(&mut self, hash: u64, op: OpId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.ops.entry(hash).or_default().push(op);
        }
    }
}

/// What operations that are the same have in common; nothing for those that cannot be shared.
pub(super) fn share_hash(new: &NewOp) -> Option<u64> {
    let traits = &new.kind.def().traits;
    if !new.regions.is_empty() || new.result_types.is_empty() || traits.effect || traits.terminator {
        return None;
    }
    let mut hasher = FxHasher::default();
    (new.kind, &new.operands, &new.result_types).hash(&mut hasher);
    match new.attrs.share_key() {
        Some(key) => key.hash(&mut hasher),
        None => {
            for (name, attr) in new.attrs.iter() {
                name.hash(&mut hasher);
                if let Attr::Elements(tensor) = attr
                    && !tensor.is_empty()
                {
                    tensor.element_bytes(0).hash(&mut hasher);
                }
            }
        }
    }
    Some(hasher.finish())
}
