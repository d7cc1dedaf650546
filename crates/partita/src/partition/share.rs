//! Operations that are there already are not written again, but for those that make much of little and were written long ago: a
//! broadcast that the forward pass makes would stay in memory until the backward pass, and costs nothing to make again.

use super::pattern::Pattern;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::OpKind;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Results of so many bytes are no matter.
const SMALL: u64 = 1 << 16;

/// What was written so many operations ago may still be there.
const NEAR: usize = 64;

/// The operations that can be shared, for each open region; inner regions see outer ones.
#[derive(Default)]
pub(super) struct Shared {
    scopes: Vec<Scope>,
}

#[derive(Default)]
struct Scope {
    ops: FxHashMap<u64, SmallVec<[OpId; 1]>>,
    /// What values are where they have been sent to.
    sent: FxHashMap<Sent, ValueId>,
}

/// A value, the collective that only moves it, who talks to whom, and the dimensions that it cuts and joins.
pub(super) type Sent = (ValueId, OpKind, Pattern, [usize; 2]);

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
        let known =
            self.scopes.iter().rev().filter_map(|s| s.ops.get(&hash)).flat_map(|ops| ops.iter().rev());
        let known = known.copied().find(|id| same(&id));
        known.filter(|id| module.ops.len() - id.index() <= NEAR || !makes_much_of_little(module, new))
    }

    /// A value that was sent before, where it came to.
    pub(super) fn find_sent(&self, sent: &Sent) -> Option<ValueId> {
        self.scopes.iter().rev().find_map(|s| s.sent.get(sent)).copied()
    }

    pub(super) fn insert_sent(&mut self, sent: Sent, received: ValueId) {
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

/// Whether an operation makes large results of small operands. What is written out in the program is there anyway.
fn makes_much_of_little(module: &Module, new: &NewOp) -> bool {
    let made: u64 = new.result_types.iter().map(|ty| device_bytes(&module.types[*ty])).sum();
    let given: u64 = new.operands.iter().map(|v| device_bytes(module.type_of(*v))).sum();
    let written_out = || new.attrs.iter().any(|(_, attr)| matches!(attr, Attr::Elements(_)));
    made > SMALL && made / 2 > given && !written_out()
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
