//! Tuples are taken apart: what an op gives as one tuple it gives as several results, and the element of a tuple is the value
//! that was put there. A tuple is put together again only where something takes it whole.

use super::Inliner;
use crate::interpret::DriverOp;
use crate::ir::module::NewOp;
use crate::ir::sdy::SdyAttr;
use crate::ir::*;
use crate::ops::{Eval, OpKind};
use std::rc::Rc;

/// What became of a value.
#[derive(Clone)]
pub(super) enum Copied {
    /// One value.
    Value(ValueId),
    /// The parts of a tuple.
    Parts(Rc<[Copied]>),
}

impl Inliner<'_> {
    /// Copies an op that makes a tuple or takes one apart, if that is all it does.
    pub(super) fn copy_tuple(&mut self, func: FuncId, op: OpId, to: RegionId, caller: Option<LocId>) -> bool {
        let made = self.input.ops[op].results;
        let copied = match self.input.op(op).def().eval {
            Eval::Driver(DriverOp::Tuple) => {
                let parts = self.input.operands(op).iter().map(|v| self.map[*v].clone());
                parts.collect::<Option<Rc<[Copied]>>>().map(Copied::Parts)
            }
            Eval::Driver(DriverOp::GetTupleElement) => self.element(func, op, to, caller),
            _ => None,
        };
        let found = copied.is_some();
        if found {
            self.map[made.at(0)] = copied;
        }
        found
    }

    /// The part that an element of a tuple is, where its parts are known.
    fn element(&mut self, func: FuncId, op: OpId, to: RegionId, caller: Option<LocId>) -> Option<Copied> {
        let op = self.input.op(op);
        let Some(Copied::Parts(parts)) = &self.map[op.operands()[0]] else { return None };
        let part = parts.get(usize::try_from(op.int(names::INDEX)?).ok()?)?.clone();
        let Copied::Value(value) = part else { return Some(part) };
        let result = op.op().results.at(0);
        // Programs speak of the elements of what gives a tuple by the names they have apart.
        let (_, stands_for) = self.origin[value];
        if matches!(self.input.type_of(stands_for), Type::Tuple(_)) {
            self.origin[value] = (func, result);
            if caller.is_none() {
                self.module.values[value].name = self.input.values[result].name;
            }
        }
        let Some(mut new) = self.constraint(op) else { return Some(Copied::Value(value)) };
        new.operands.push(value);
        new.result_types.push(self.input.values[result].ty);
        new.loc = self.called_from(op.op().loc, caller);
        new.span = op.op().span;
        let copy = self.add(new, to);
        self.origin.push((func, result));
        Some(Copied::Value(self.module.ops[copy].results.at(0)))
    }

    /// A value as one: the parts of a tuple are put together.
    pub(super) fn whole(
        &mut self,
        func: FuncId,
        value: ValueId,
        to: RegionId,
        loc: LocId,
    ) -> Option<ValueId> {
        let copied = self.map[value].clone()?;
        Some(self.packed((func, value), &copied, to, loc))
    }

    fn packed(&mut self, origin: (FuncId, ValueId), copied: &Copied, to: RegionId, loc: LocId) -> ValueId {
        let parts = match copied {
            Copied::Value(value) => return *value,
            Copied::Parts(parts) => parts,
        };
        let mut new = NewOp::new(OpKind::Tuple);
        new.operands = parts.iter().map(|part| self.packed(origin, part, to, loc)).collect();
        let types = new.operands.iter().map(|v| self.module.type_of(*v).clone()).collect();
        new.result_types.push(self.module.types.intern(Type::Tuple(types)));
        new.loc = loc;
        let tuple = self.add(new, to);
        self.origin.push(origin);
        self.module.ops[tuple].results.at(0)
    }

    fn add(&mut self, new: NewOp, to: RegionId) -> OpId {
        let op = self.module.add_op(new);
        self.module.regions[to].ops.push(op);
        op
    }

    /// Gives an op that has one tuple of tensors as its result several results instead, where it may have so many.
    pub(super) fn split_results(&mut self, op: OpId, new: &mut NewOp) -> bool {
        let op = self.input.op(op);
        let (Eval::Kernel(_), [only]) = (op.def().eval, &op.result_types().collect::<Vec<_>>()[..]) else {
            return false;
        };
        let Type::Tuple(parts) = only else { return false };
        if !op.def().results.holds(parts.len()) || !parts.iter().all(|p| p.as_tensor().is_some()) {
            return false;
        }
        new.result_types = parts.iter().map(|part| self.module.types.intern(part.clone())).collect();
        // It says what the types say, and no more than they did.
        if let Some(shape) = self.input.strings.find("xla_shape") {
            new.attrs.remove(shape);
        }
        true
    }

    /// Binds a tuple to the results that are its parts now.
    pub(super) fn bind_parts(&mut self, func: FuncId, tuple: ValueId, results: IdRange<ValueId>) {
        self.map[tuple] = Some(Copied::Parts(results.iter().map(Copied::Value).collect()));
        results.iter().for_each(|_| {
            self.origin.push((func, tuple));
        });
    }

    /// The sharding that an op names for its result, as an op of its own; nothing where it names none.
    fn constraint(&mut self, op: OpRef<'_>) -> Option<NewOp> {
        if let Some(Attr::Sdy(sdy)) = op.attr(names::SDY_SHARDING)
            && let SdyAttr::PerValue(list) = &**sdy
        {
            let mut new = NewOp::new(OpKind::SdyShardingConstraint);
            new.attrs.set(names::SHARDING, Attr::Sdy(Box::new(SdyAttr::Sharding(list.first()?.clone()))));
            return Some(new);
        }
        let tiles = op.attr(names::MHLO_SHARDING)?.clone();
        let mut new = NewOp::new(OpKind::CustomCall);
        new.attrs.set(names::CALL_TARGET_NAME, Attr::Str(self.module.strings.intern("Sharding")));
        new.attrs.set(names::MHLO_SHARDING, tiles);
        Some(new)
    }
}
