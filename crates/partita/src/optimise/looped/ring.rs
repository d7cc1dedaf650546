//! Writes loops in place of collectives and their products.

use super::sites::Site;
use crate::interpret::CollectiveOp;
use crate::ir::attr::Comparison;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::OpKind;
use crate::ops::rule::Combine;
use crate::optimise::edit::{Channels, collective, collective_kind};
use crate::optimise::product::Product;
use crate::partition::{Emit, Partitioned, Pattern, Purpose};
use crate::value::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop of at most so many rounds is written out.
const WRITTEN_OUT: i64 = 4;

/// Writes loops in place of a collective and its products.
pub(super) fn replace(partitioned: &mut Partitioned, region: RegionId, site: &Site) {
    let Some(known) = collective(partitioned, site.collective).cloned() else { return };
    let scatters =
        collective_kind(partitioned.module.op(site.collective)) == Some(CollectiveOp::ReduceScatter);
    let mesh = partitioned.mesh.clone();
    for products in &site.loops {
        let module = std::mem::take(&mut partitioned.module);
        let channels = Channels::after(&module).last();
        let loc = module.ops[products[0].op].loc;
        let mut emit = Emit::new(module, &mesh, channels);
        emit.loc = loc;
        emit.purpose = Purpose { value: known.value, cause: known.cause, reason: known.reason };
        let scratch = emit.module.add_region();
        emit.open(scratch);
        let mut ring = Ring { emit: &mut emit, site, products };
        let new = if scatters { vec![ring.scatter()] } else { ring.gather() };
        emit.close();
        partitioned.collectives.append(&mut emit.collectives);
        partitioned.module = emit.module;
        let module = &mut partitioned.module;
        let result_of = |op: OpId| module.ops[op].results.at(0);
        let old: Vec<ValueId> = match scatters {
            true => vec![result_of(site.collective)],
            false => products.iter().map(|p| result_of(p.op)).collect(),
        };
        let written = std::mem::take(&mut module.regions[scratch].ops);
        let ops = &mut module.regions[region].ops;
        let last = if scatters { site.collective } else { products[products.len() - 1].op };
        if let Some(place) = ops.iter().position(|op| *op == last) {
            ops.splice(place..place, written);
        }
        let renamed: FxHashMap<ValueId, ValueId> = old.into_iter().zip(new).collect();
        module.replace_operands(|value| renamed.get(&value).copied());
    }
    let gone: FxHashSet<OpId> = site.products().map(|p| p.op).chain([site.collective]).collect();
    partitioned.module.regions[region].ops.retain(|op| !gone.contains(op));
    partitioned.collectives.retain(|c| !gone.contains(&c.op));
}

/// Shards going around a ring.
struct Ring<'e, 'm, 's> {
    emit: &'e mut Emit<'m>,
    site: &'s Site,
    products: &'s [Product],
}

impl Ring<'_, '_, '_> {
    /// What the neighbour has, so many places further.
    fn from(&mut self, value: ValueId, by: i64) -> ValueId {
        let pattern = Pattern::Shift { atoms: self.site.atoms.clone(), by, wrap: true };
        self.emit.permute(value, pattern)
    }

    /// The number of the shard so many rounds, counted by a value, after one that is so far from the device's own.
    fn shard_number(&mut self, round: ValueId, forward: bool, first: i64) -> ValueId {
        let parts = self.site.parts;
        let own = self.emit.coordinate(&self.site.atoms.clone());
        // Never negative, for a remainder has the sign of what is divided.
        let base = self.emit.index_op(OpKind::Add, own, first.rem_euclid(parts) + parts);
        let ty = self.emit.type_of(base);
        let kind = if forward { OpKind::Add } else { OpKind::Subtract };
        let sum = self.emit.op(kind, &[base, round], vec![], ty);
        self.emit.index_op(OpKind::Remainder, sum, parts)
    }

    /// One product with the shard of a number, or with a half of it along another dimension.
    fn part(
        &mut self,
        product: &Product,
        arrived: Option<ValueId>,
        number: ValueId,
        half: Option<i64>,
    ) -> ValueId {
        let (parts, op) = (self.site.parts, self.emit.module.ops[product.op].clone());
        let operands: Vec<ValueId> = self.emit.module.operands(product.op).to_vec();
        let mut new = NewOp::new(op.kind);
        for (n, (operand, cut)) in operands.into_iter().zip(&product.cut).enumerate() {
            let mut value = match (cut, arrived) {
                (Some(_), Some(arrived)) if product.arrives == Some(n) => arrived,
                (Some(dim), _) => {
                    let block = self.emit.type_of(operand).shape[*dim] / parts;
                    let start = self.emit.index_op(OpKind::Multiply, number, block);
                    self.emit.slice_at(operand, *dim, start, block)
                }
                (None, _) => operand,
            };
            if let (Some(half), Some(Some(dim))) = (half, product.halves.get(n)) {
                let size = self.emit.type_of(value).shape[*dim] / 2;
                value = self.emit.slice(value, *dim, half * size, size);
            }
            new.operands.push(value);
        }
        let mut ty = self.emit.type_of(op.results.at(0));
        if let Some(dim) = product.block {
            ty.shape[dim] /= parts;
        }
        if let (Some(_), Some(dim)) = (half, self.site.halved) {
            ty.shape[dim] /= 2;
        }
        new.result_types.push(self.emit.module.types.intern(Type::Tensor(ty)));
        (new.attrs, new.loc, new.span) = (op.attrs, op.loc, op.span);
        let new = self.emit.add(new);
        self.emit.module.ops[new].results.at(0)
    }

    /// What a device adds to the sum for the shard of a number: its products, each added to the one before.
    fn terms(&mut self, sum: Option<ValueId>, number: ValueId, half: Option<i64>) -> ValueId {
        let mut sum = sum;
        for product in self.products {
            let part = self.part(product, None, number, half);
            sum = Some(match sum {
                Some(sum) => self.emit.combine(Combine::Add, sum, part),
                None => part,
            });
        }
        sum.unwrap_or(number)
    }

    /// A part of a result put where it belongs, or added.
    fn put(&mut self, product: &Product, sum: ValueId, part: ValueId, number: ValueId) -> ValueId {
        match product.block {
            Some(dim) => {
                let block = self.emit.type_of(part).shape[dim];
                let start = self.emit.index_op(OpKind::Multiply, number, block);
                let rank = self.emit.type_of(sum).rank();
                let starts: Vec<Option<ValueId>> = (0..rank).map(|d| (d == dim).then_some(start)).collect();
                self.emit.dynamic_update_slice(sum, part, &starts)
            }
            None => self.emit.combine(Combine::Add, sum, part),
        }
    }

    fn zeros(&mut self, like: ValueId) -> ValueId {
        let ty = self.emit.type_of(like);
        let elem = ty.elem;
        self.emit.splat(ty, Scalar::zero(elem))
    }

    /// All products with a gathered operand.
    fn gather(&mut self) -> Vec<ValueId> {
        let site = self.site;
        let own = self.emit.module.operands(site.collective)[0];
        let mut state: Vec<ValueId> = vec![own];
        if self.site.two_way {
            // The first shard that comes the other way is the one before the device's own.
            state.push(self.from(own, -1));
        }
        let streams = state.len();
        for product in self.products {
            let result = self.emit.module.ops[product.op].results.at(0);
            let zeros = self.zeros(result);
            state.push(zeros);
        }
        let rounds = site.parts / streams as i64;
        let state = self.rounds(rounds, state, |ring, round, state, last| {
            let mut next = state.to_vec();
            if !last {
                for (n, by) in [1, -1].into_iter().take(streams).enumerate() {
                    next[n] = ring.from(state[n], by);
                }
            }
            for (stream, first) in [0, -1].into_iter().take(streams).enumerate() {
                let number = ring.shard_number(round, stream == 0, first);
                for (n, product) in ring.products.iter().enumerate() {
                    let part = ring.part(product, Some(state[stream]), number, None);
                    next[streams + n] = ring.put(product, next[streams + n], part, number);
                }
            }
            next
        });
        state[streams..].to_vec()
    }

    /// Products whose sum is scattered: what is summed goes around, and each device adds its part for the one it ends at.
    fn scatter(&mut self) -> ValueId {
        let site = self.site;
        // A sum starts at the device before the one that it is for, seen backwards, and passes all others on its way; its halves
        // go opposite ways.
        let streams: &[(i64, Option<i64>)] =
            if site.two_way { &[(1, Some(0)), (-1, Some(1))] } else { &[(1, None)] };
        let zero = self.emit.index(0);
        let mut state = Vec::new();
        for &(way, half) in streams {
            let number = self.shard_number(zero, way > 0, way);
            state.push(self.terms(None, number, half));
        }
        let state = self.rounds(site.parts - 1, state, |ring, round, state, _| {
            let moved: Vec<ValueId> =
                streams.iter().zip(state).map(|((way, _), sum)| ring.from(*sum, *way)).collect();
            let mut next = Vec::new();
            for (&(way, half), moved) in streams.iter().zip(moved) {
                let number = ring.shard_number(round, way > 0, 2 * way);
                next.push(ring.terms(Some(moved), number, half));
            }
            next
        });
        match (site.halved, &state[..]) {
            (Some(dim), [_, _]) => self.emit.concatenate(&state, dim),
            _ => state[0],
        }
    }

    /// Does something so many times, the last time apart: written out, or as a loop.
    fn rounds(
        &mut self,
        rounds: i64,
        mut state: Vec<ValueId>,
        mut each: impl FnMut(&mut Self, ValueId, &[ValueId], bool) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        if rounds <= WRITTEN_OUT {
            for round in 0..rounds {
                let number = self.emit.index(round);
                state = each(self, number, &state, round == rounds - 1);
            }
            return state;
        }
        // What does not change with the rounds is made before the loop.
        self.emit.coordinate(&self.site.atoms.clone());
        let zero = self.emit.index(0);
        let mut new = NewOp::new(OpKind::While);
        new.loc = self.emit.loc;
        new.operands = [zero].into_iter().chain(state).collect();
        new.result_types = new.operands.iter().map(|v| self.emit.module.values[*v].ty).collect();
        for body in [false, true] {
            let region = self.emit.module.add_region();
            let args: Vec<_> = new.result_types.iter().map(|ty| (*ty, ValueName::None, new.loc)).collect();
            let args: Vec<ValueId> = self.emit.module.add_region_args(region, args).iter().collect();
            self.emit.open(region);
            let mut end = NewOp::new(OpKind::Return);
            end.loc = new.loc;
            if body {
                end.operands.push(self.emit.index_op(OpKind::Add, args[0], 1));
                end.operands.extend(each(self, args[0], &args[1..], false));
            } else {
                end.operands.push(self.emit.compare(args[0], rounds - 1, Comparison::Lt));
            }
            self.emit.add(end);
            self.emit.close();
            new.regions.push(region);
        }
        let op = self.emit.add(new);
        let results: Vec<ValueId> = self.emit.module.ops[op].results.iter().collect();
        let number = self.emit.index(rounds - 1);
        each(self, number, &results[1..], true)
    }
}
