//! Lookups in a split dimension: every device moves the index into the whole dimension first, as the op says, and then takes or
//! writes what falls into its own shard.

use super::Partitioner;
use super::split::{Split, Subject};
use crate::ir::attr::Comparison;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::OpKind;
use crate::ops::lookup::{IndexPlace, Lookup, LookupAccess};
use crate::ops::rule::{Access, Combine, DimMap, Kind};
use crate::sharding::AtomList;
use crate::value::Scalar;

/// What is to be done to the result of an op that looked up in shards.
#[derive(Default)]
pub(super) struct Places {
    /// Where elements of the result were found on another device.
    found: Vec<Found>,
    /// Dimensions of the results that are wider than the shard, and by how much at each end.
    wider: Vec<(usize, i64)>,
}

/// Which elements of a result were found here.
struct Found {
    /// The index in the shard of the first element, of the shape of the index.
    local: ValueId,
    /// The dimensions of the result along which `local` varies, in order.
    along: Vec<i64>,
    /// The dimension of the result that holds the window.
    window: Option<usize>,
    /// The size of the shard.
    block: i64,
}

impl Places {
    /// Makes the types of results as wide as the op gives them.
    pub(super) fn widen(&self, results: &mut [TensorType]) {
        for &(dim, margin) in &self.wider {
            results.iter_mut().for_each(|ty| ty.shape[dim] += 2 * margin);
        }
    }
}

impl<'m> Partitioner<'m> {
    /// Makes the indices of lookups in split dimensions local.
    pub(super) fn local_places(&mut self, subject: &Subject<'m>, split: &Split, new: &mut NewOp) -> Places {
        let mut places = Places::default();
        let lookups = (subject.op.def().lookups)(subject.op);
        if lookups.is_empty() {
            return places;
        }
        let layout = split.layout(self.mesh, &subject.rule.operands[0], &subject.op.operand_tensor(0).shape);
        if lookups.iter().all(|l| layout.dims[l.dim].atoms.is_empty()) {
            return places;
        }
        self.sign_indices(&lookups, new);
        for lookup in &lookups {
            let dim = &layout.dims[lookup.dim];
            // A window that takes the dimension whole, at a place that is known, goes with its shards.
            let factors = &subject.rule.operands[0][lookup.dim].factors;
            let together = factors.iter().all(|f| subject.rule.factor(*f).kind == Kind::Parallel);
            // What is written at a known place is there as this shard needs it.
            let placed = |m: &DimMap| m.access != Access::Direct && factors.iter().any(|f| m.follows(*f));
            if !dim.atoms.is_empty() && subject.rule.operands.iter().flatten().any(placed) {
                let index = self.index_value(lookup.index, new);
                let ty = self.emit.type_of(index);
                let zero = self.emit.splat(ty.clone(), Scalar::zero(ty.elem));
                self.set_index_value(lookup.index, zero, new);
                continue;
            }
            if dim.atoms.is_empty() || lookup.window > 1 && together {
                continue;
            }
            self.local_place(subject, lookup, &dim.atoms, dim.block, new, &mut places);
        }
        places
    }

    /// Indices become signed and wide enough: a local index may lie before the shard.
    fn sign_indices(&mut self, lookups: &[Lookup], new: &mut NewOp) {
        let place = |l: &Lookup| match l.index {
            IndexPlace::Operand(_) => None,
            IndexPlace::Component { operand, .. } => Some(operand),
        };
        let together = lookups.iter().find_map(place);
        // Scalar indices of one op have one type; they are the last operands.
        let first = match (together, lookups.first().map(|l| (l.index, l.dim))) {
            (Some(operand), _) => operand..operand + 1,
            (None, Some((IndexPlace::Operand(n), dim))) => n - dim..new.operands.len(),
            (None, _) => return,
        };
        for n in first {
            let ty = self.emit.type_of(new.operands[n]);
            let wide = match ty.elem {
                Elem::Int(bits) if bits <= 32 => Elem::Int(32),
                Elem::Uint(bits) if bits < 32 => Elem::Int(32),
                _ => Elem::Int(64),
            };
            if ty.elem == Elem::Uint(64) {
                // What no signed index holds lies far outside, and stays there.
                let far = self.emit.splat(ty.clone(), Scalar::Int(i64::MAX / 2));
                new.operands[n] = self.emit.combine(Combine::Minimum, new.operands[n], far);
            }
            if ty.elem != wide {
                new.operands[n] =
                    self.emit.op(OpKind::Convert, &[new.operands[n]], vec![], ty.with_elem(wide));
            }
        }
    }

    fn local_place(
        &mut self,
        subject: &Subject<'m>,
        lookup: &Lookup,
        atoms: &AtomList,
        block: i64,
        new: &mut NewOp,
        places: &mut Places,
    ) {
        let size = subject.op.operand_tensor(0).shape[lookup.dim];
        let factors = &subject.rule.operands[0][lookup.dim].factors;
        let partial = factors.iter().any(|f| subject.combine(*f).is_some());
        let index = self.index_value(lookup.index, new);
        let ty = self.emit.type_of(index);
        // The window is moved inside the whole dimension before anything is made local.
        let inside = match lookup.access {
            LookupAccess::WriteInside => index,
            LookupAccess::Read(_) | LookupAccess::Write => {
                let low = self.emit.splat(TensorType::scalar(ty.elem), Scalar::Int(0));
                let high = self.emit.splat(TensorType::scalar(ty.elem), Scalar::Int(size - lookup.window));
                self.emit.op(OpKind::Clamp, &[low, index, high], vec![], ty.clone())
            }
        };
        let start = self.emit.offset(atoms, block);
        let start = self.emit.op(OpKind::Convert, &[start], vec![], TensorType::scalar(ty.elem));
        let start = self.emit.broadcast(start, ty.clone());
        let local = self.emit.op(OpKind::Subtract, &[inside, start], vec![], ty.clone());
        // A window may stand over the end of the shard: there is room for it.
        let margin = match lookup.access {
            LookupAccess::Read(_) | LookupAccess::WriteInside => lookup.window - 1,
            LookupAccess::Write => lookup.window,
        };
        let mut moved = local;
        if margin > 0 {
            // All results of an op that writes come of an operand each.
            for n in 0..subject.op.results().len() {
                new.operands[n] = self.emit.pad(new.operands[n], lookup.dim, margin, margin);
            }
            let margin = self.emit.splat(ty.clone(), Scalar::Int(margin));
            moved = self.emit.combine(Combine::Add, local, margin);
        }
        self.set_index_value(lookup.index, moved, new);
        match lookup.access {
            // Each batch finds its own: nothing is missing anywhere.
            LookupAccess::Read(_) if !partial => {}
            LookupAccess::Read(window) => {
                let along = match lookup.index {
                    IndexPlace::Operand(_) => Vec::new(),
                    IndexPlace::Component { .. } => {
                        let offsets =
                            subject.op.gather_dims().map(|d| d.offset_dims.clone()).unwrap_or_default();
                        let rank = subject.op.result_tensor(0).rank() as i64;
                        (0..rank).filter(|d| !offsets.contains(d)).collect()
                    }
                };
                places.found.push(Found { local, along, window, block });
            }
            LookupAccess::Write | LookupAccess::WriteInside => places.wider.push((lookup.dim, margin)),
        }
    }

    /// An index, without the dimension of index vectors.
    fn index_value(&mut self, place: IndexPlace, new: &NewOp) -> ValueId {
        match place {
            IndexPlace::Operand(n) => new.operands[n],
            IndexPlace::Component { operand, along, at } => {
                let value = new.operands[operand];
                let mut shape = self.emit.type_of(value).shape;
                if along == shape.len() {
                    return value;
                }
                let component = self.emit.slice(value, along, at, 1);
                shape.remove(along);
                self.emit.reshape(component, shape)
            }
        }
    }

    fn set_index_value(&mut self, place: IndexPlace, value: ValueId, new: &mut NewOp) {
        match place {
            IndexPlace::Operand(n) => new.operands[n] = value,
            IndexPlace::Component { operand, along, at } => {
                let all = new.operands[operand];
                let shape = self.emit.type_of(all).shape;
                if along == shape.len() {
                    new.operands[operand] = value;
                    return;
                }
                let mut one = shape.clone();
                one[along] = 1;
                let value = self.emit.reshape(value, one);
                let mut parts = Vec::with_capacity(3);
                if at > 0 {
                    parts.push(self.emit.slice(all, along, 0, at));
                }
                parts.push(value);
                if at + 1 < shape[along] {
                    parts.push(self.emit.slice(all, along, at + 1, shape[along] - at - 1));
                }
                new.operands[operand] = self.emit.concatenate(&parts, along);
            }
        }
    }

    /// Leaves of results what was found in the shard, and cuts off the room beside it.
    pub(super) fn settle_places(&mut self, places: &Places, values: &mut [ValueId]) {
        for &(dim, margin) in &places.wider {
            for value in values.iter_mut() {
                let size = self.emit.type_of(*value).shape[dim] - 2 * margin;
                *value = self.emit.slice(*value, dim, margin, size);
            }
        }
        for found in &places.found {
            let ty = self.emit.type_of(values[0]);
            let index = ty.with_elem(self.emit.type_of(found.local).elem);
            let dims = vec![(names::BROADCAST_DIMENSIONS, Attr::i64s(found.along.iter().copied()))];
            let mut place = self.emit.op(OpKind::BroadcastInDim, &[found.local], dims, index.clone());
            if let Some(window) = found.window {
                let dim = vec![(names::IOTA_DIMENSION, Attr::i64(window as i64))];
                let within = self.emit.op(OpKind::Iota, &[], dim, index.clone());
                place = self.emit.combine(Combine::Add, place, within);
            }
            let above = self.emit.compare(place, 0, Comparison::Ge);
            let below = self.emit.compare(place, found.block, Comparison::Lt);
            let here = self.emit.combine(Combine::And, above, below);
            let nothing = self.emit.splat(ty.clone(), Scalar::zero(ty.elem));
            values[0] = self.emit.op(OpKind::Select, &[here, values[0], nothing], vec![], ty);
        }
    }
}
