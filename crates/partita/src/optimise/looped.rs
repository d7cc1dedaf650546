//! A gather and the product that needs it become a loop, and so do a product and the reduce-scatter of what it gives.
//!
//! A device that has gathered an operand along one of its dimensions computes with each shard of it alike. It can as well begin with its
//! own shard, while the next one comes from its neighbour, and so on around the ring: computing hides what is sent, and the gathered
//! operand is never there as a whole. A product that is reduce-scattered is computed block by block, each added to the sum that comes by.
//! Which dimension means what stands in the rule of the operation: what only one operand has gives a block of the result, what is
//! contracted adds to it.

use super::edit::{Channels, collective, collective_kind, regions, sort, use_counts};
use super::target::{Target, durations};
use crate::device::{Exchange, Shape};
use crate::interpret::CollectiveOp;
use crate::ir::attr::Comparison;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::rule::{Access, Combine, FactorId, Kind, Rule};
use crate::ops::{OpKind, Spread, combine};
use crate::partition::{Emit, Partitioned, Pattern, Purpose, remove_unused};
use crate::sharding::AtomList;
use crate::value::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop of at most so many rounds is written out.
const WRITTEN_OUT: i64 = 4;

/// Operations of fewer steps per byte are no products of matrices.
const LEAST_INTENSITY: f64 = 4.0;

/// A collective and the operations that are to be computed with it, shard by shard.
pub(super) struct Site {
    /// The all-gather or the reduce-scatter.
    pub(super) collective: OpId,
    /// The operations.
    pub(super) products: Vec<Product>,
    atoms: AtomList,
    /// How many shards.
    parts: i64,
}

/// An operation that is computed shard by shard.
pub(super) struct Product {
    /// The operation.
    pub(super) op: OpId,
    /// The dimension of each operand that is cut; nothing for one that is needed whole.
    cut: Vec<Option<usize>>,
    /// The operand that comes in shards.
    arrives: Option<usize>,
    /// The dimension of the result that a shard gives a block of; nothing where all are added.
    block: Option<usize>,
}

/// Makes loops: wherever there can be one, or, where it is known what the program runs on, where it takes less time.
pub(super) fn run(partitioned: &mut Partitioned, target: Option<&Target>) {
    let times = target.map(|target| durations(partitioned, &target.simulate(partitioned)));
    let mut changed = false;
    for region in regions(&partitioned.module) {
        for site in sites(partitioned, region) {
            let better = match target.zip(times.as_ref()) {
                Some((target, times)) => site.is_faster(partitioned, target, times),
                None => true,
            };
            // Loops before this one may have tied its products together.
            let ops = &partitioned.module.regions[region].ops;
            if better && !depend(&partitioned.module, ops, &site.products) {
                replace(partitioned, region, &site);
                changed |= sort(&mut partitioned.module, region);
            }
        }
    }
    if changed {
        remove_unused(partitioned);
    }
}

/// The places in a region where there could be a loop. No operation belongs to two of them.
fn sites(partitioned: &Partitioned, region: RegionId) -> Vec<Site> {
    let module = &partitioned.module;
    let ops = &module.regions[region].ops;
    let counts = use_counts(module);
    let mut users: FxHashMap<ValueId, Vec<OpId>> = FxHashMap::default();
    for &op in ops {
        module.operands(op).iter().for_each(|v| users.entry(*v).or_default().push(op));
    }
    let mut taken: FxHashSet<OpId> = FxHashSet::default();
    let mut found = Vec::new();
    for &id in ops {
        let Some(known) = collective(partitioned, id) else { continue };
        let (Pattern::Groups(atoms), op) = (&known.pattern, module.op(id)) else { continue };
        let parts = partitioned.mesh.size_of(atoms.iter().copied());
        let &[operand] = op.operands() else { continue };
        let products = match collective_kind(op) {
            Some(CollectiveOp::AllGather) => {
                let result = op.op().results.at(0);
                let Some(dim) = op.int(names::ALL_GATHER_DIM).and_then(|d| usize::try_from(d).ok()) else {
                    continue;
                };
                let using = users.get(&result).map_or(&[][..], Vec::as_slice);
                if using.len() != counts[result] as usize {
                    continue;
                }
                let product = |user: &OpId| Product::gathered(module, *user, result, dim);
                using.iter().map(product).collect::<Option<Vec<Product>>>()
            }
            Some(CollectiveOp::ReduceScatter)
                if combine(op) == Some(Combine::Add) && counts[operand] == 1 =>
            {
                let Some(dim) = op.int(names::SCATTER_DIMENSION).and_then(|d| usize::try_from(d).ok()) else {
                    continue;
                };
                let by = module.made_by(operand).filter(|by| ops.contains(&by.id));
                by.and_then(|by| Product::scattered(module, by.id, dim)).map(|product| vec![product])
            }
            _ => None,
        };
        let Some(products) = products.filter(|list| !list.is_empty() && parts > 1) else { continue };
        if products.iter().any(|p| taken.contains(&p.op)) || depend(module, ops, &products) {
            continue;
        }
        taken.extend(products.iter().map(|p| p.op));
        found.push(Site { collective: id, products, atoms: atoms.clone(), parts });
    }
    found
}

/// Whether one of several operations waits for another.
fn depend(module: &Module, ops: &[OpId], products: &[Product]) -> bool {
    let mut after: FxHashSet<OpId> = FxHashSet::default();
    let own: FxHashSet<OpId> = products.iter().map(|p| p.op).collect();
    if own.len() < 2 {
        return own.len() < products.len();
    }
    for &op in ops {
        let mut waits = false;
        super::edit::for_each_operand(module, op, |v| {
            if let ValueDef::Result(def, _) = module.values[v].def {
                waits |= after.contains(&def);
            }
        });
        if waits && own.contains(&op) {
            return true;
        }
        if waits || own.contains(&op) {
            after.insert(op);
        }
    }
    own.len() < products.len()
}

impl Site {
    /// Whether shards go both ways around the ring. A shard that is summed does so in halves.
    fn is_two_way(&self, module: &Module) -> bool {
        match collective_kind(module.op(self.collective)) {
            Some(CollectiveOp::AllGather) => self.parts % 2 == 0,
            _ => {
                let block = self.products[0].block;
                let shard = module.op(self.collective).result_tensor(0);
                block.is_some_and(|dim| shard.shape[dim] % 2 == 0) && self.parts > 2
            }
        }
    }

    /// Whether a loop takes less time than computing after sending, or sending after computing, where nothing else is done
    /// meanwhile.
    fn is_faster(&self, partitioned: &Partitioned, target: &Target, times: &IdVec<OpId, f64>) -> bool {
        let module = &partitioned.module;
        let op = module.op(self.collective);
        let gathers = collective_kind(op) == Some(CollectiveOp::AllGather);
        let bytes = device_bytes(if gathers { op.operand_type(0) } else { op.result_type(0) });
        let two_way = self.is_two_way(module);
        let atoms = self.atoms.iter().copied().collect();
        let at_once = if two_way && !gathers { bytes / 2 } else { bytes };
        let exchange = Exchange { shape: Shape::Shift(1), atoms, bytes: at_once };
        let send = target.placement.seconds(&partitioned.mesh, &target.profile, &exchange);
        let compute: f64 = self.products.iter().map(|p| times[p.op]).sum();
        let (rounds, first) = if two_way && gathers { (self.parts / 2, send) } else { (self.parts, 0.0) };
        let rounds = rounds as f64;
        let looped = first + (rounds - 1.0) * send.max(compute / rounds) + compute / rounds;
        looped < compute + times[self.collective]
    }
}

impl Product {
    /// An operation on what is gathered along a dimension.
    fn gathered(module: &Module, op: OpId, gathered: ValueId, dim: usize) -> Option<Product> {
        let rule = plain_rule(module.op(op))?;
        let mut places = module.operands(op).iter().enumerate().filter(|(_, v)| **v == gathered);
        let (arrives, _) = places.next()?;
        let factor = only_factor(&rule, arrives, dim)?;
        if places.next().is_some() {
            return None;
        }
        let mut product = Product::along(&rule, factor, op)?;
        product.arrives = Some(arrives);
        Some(product)
    }

    /// An operation whose result is scattered along a dimension.
    fn scattered(module: &Module, op: OpId, dim: usize) -> Option<Product> {
        let rule = plain_rule(module.op(op))?;
        let &[factor] = &rule.results.first()?.get(dim)?.factors[..] else { return None };
        Product::along(&rule, factor, op).filter(|product| product.block == Some(dim))
    }

    /// An operation in parts along a factor.
    fn along(rule: &Rule, factor: FactorId, op: OpId) -> Option<Product> {
        let place = |map: &[crate::ops::rule::DimMap]| {
            let mut dims = (0..map.len()).filter(|d| map[*d].follows(factor));
            let first = dims.next();
            if dims.next().is_some() { Err(()) } else { Ok(first) }
        };
        let cut: Result<Vec<Option<usize>>, ()> = rule.operands.iter().map(|map| place(map)).collect();
        let block = place(rule.results.first()?).ok()?;
        match rule.factors[usize::from(factor.0)].kind {
            Kind::Parallel if block.is_some() => {}
            Kind::Reduce(Combine::Add) if block.is_none() => {}
            _ => return None,
        }
        Some(Product { op, cut: cut.ok()?, arrives: None, block })
    }
}

/// The rule of an operation with one result that computes much, and whose dimensions are each one factor.
fn plain_rule(op: OpRef<'_>) -> Option<Rule> {
    let Spread::Rule(rule, _) = op.def().spread else { return None };
    let work = (op.def().work)(op);
    if op.results().len() != 1 || !op.regions().is_empty() || work.flops < LEAST_INTENSITY * work.bytes {
        return None;
    }
    let rule = rule(op).ok()?;
    let mut maps = rule.operands.iter().chain(&rule.results).flatten();
    maps.all(|map| map.access == Access::Direct && map.factors.len() <= 1).then_some(rule)
}

/// The factor that a dimension of an operand is.
fn only_factor(rule: &Rule, operand: usize, dim: usize) -> Option<FactorId> {
    match &rule.operands.get(operand)?.get(dim)?.factors[..] {
        &[factor] => Some(factor),
        _ => None,
    }
}

/// Writes a loop in place of a collective and its products.
fn replace(partitioned: &mut Partitioned, region: RegionId, site: &Site) {
    let Some(known) = collective(partitioned, site.collective).cloned() else { return };
    let mesh = partitioned.mesh.clone();
    let module = std::mem::take(&mut partitioned.module);
    let channels = Channels::after(&module).last();
    let scratch_loc = module.ops[site.products[0].op].loc;
    let mut emit = Emit::new(module, &mesh, channels);
    emit.loc = scratch_loc;
    emit.purpose = Purpose { value: known.value, cause: known.cause, reason: known.reason };
    let scratch = emit.module.add_region();
    emit.open(scratch);
    let two_way = site.is_two_way(&emit.module);
    let mut ring = Ring { emit: &mut emit, site, two_way };
    let scatters = collective_kind(ring.emit.module.op(site.collective)) == Some(CollectiveOp::ReduceScatter);
    let new = if scatters { vec![ring.scatter()] } else { ring.gather() };
    emit.close();
    partitioned.collectives.append(&mut emit.collectives);
    partitioned.module = emit.module;
    let module = &mut partitioned.module;
    let old: Vec<ValueId> = match scatters {
        true => vec![module.ops[site.collective].results.at(0)],
        false => site.products.iter().map(|p| module.ops[p.op].results.at(0)).collect(),
    };
    let written = std::mem::take(&mut module.regions[scratch].ops);
    let ops = &mut module.regions[region].ops;
    let last = if scatters { site.collective } else { site.products[site.products.len() - 1].op };
    if let Some(place) = ops.iter().position(|op| *op == last) {
        ops.splice(place..place, written);
    }
    let renamed: FxHashMap<ValueId, ValueId> = old.into_iter().zip(new).collect();
    module.replace_operands(|value| renamed.get(&value).copied());
    let gone: FxHashSet<OpId> = site.products.iter().map(|p| p.op).chain([site.collective]).collect();
    module.regions[region].ops.retain(|op| !gone.contains(op));
    partitioned.collectives.retain(|c| !gone.contains(&c.op));
}

/// Shards going around a ring.
struct Ring<'e, 'm, 's> {
    emit: &'e mut Emit<'m>,
    site: &'s Site,
    two_way: bool,
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

    /// One product with the shard of a number, or with a half of it.
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
            let value = match (cut, arrived) {
                (Some(_), Some(arrived)) if product.arrives == Some(n) => arrived,
                (Some(dim), _) => {
                    let block = self.emit.type_of(operand).shape[*dim] / parts;
                    let mut start = self.emit.index_op(OpKind::Multiply, number, block);
                    let size = if half.is_some() { block / 2 } else { block };
                    if let Some(half @ 1..) = half {
                        start = self.emit.index_op(OpKind::Add, start, half * size);
                    }
                    self.emit.slice_at(operand, *dim, start, size)
                }
                (None, _) => operand,
            };
            new.operands.push(value);
        }
        let mut ty = self.emit.type_of(op.results.at(0));
        if let Some(dim) = product.block {
            ty.shape[dim] /= if half.is_some() { 2 * parts } else { parts };
        }
        new.result_types.push(self.emit.module.types.intern(Type::Tensor(ty)));
        (new.attrs, new.loc, new.span) = (op.attrs, op.loc, op.span);
        let new = self.emit.add(new);
        self.emit.module.ops[new].results.at(0)
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
        if self.two_way {
            // The first shard that comes the other way is the one before the device's own.
            state.push(self.from(own, -1));
        }
        let streams = state.len();
        for product in &site.products {
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
                for (n, product) in site.products.iter().enumerate() {
                    let part = ring.part(product, Some(state[stream]), number, None);
                    next[streams + n] = ring.put(product, next[streams + n], part, number);
                }
            }
            next
        });
        state[streams..].to_vec()
    }

    /// A product whose result is scattered: what is summed goes around, and each device adds its part for the one it ends at.
    fn scatter(&mut self) -> ValueId {
        let site = self.site;
        let product = &site.products[0];
        let Some(dim) = product.block else { return self.emit.module.operands(site.collective)[0] };
        // A sum starts at the device before the one that it is for, seen backwards, and passes all others on its way; its halves
        // go opposite ways.
        let streams: &[(i64, Option<i64>)] =
            if self.two_way { &[(1, Some(0)), (-1, Some(1))] } else { &[(1, None)] };
        let zero = self.emit.index(0);
        let mut state = Vec::new();
        for &(way, half) in streams {
            let number = self.shard_number(zero, way > 0, way);
            state.push(self.part(product, None, number, half));
        }
        let state = self.rounds(site.parts - 1, state, |ring, round, state, _| {
            let moved: Vec<ValueId> =
                streams.iter().zip(state).map(|((way, _), sum)| ring.from(*sum, *way)).collect();
            let mut next = Vec::new();
            for (&(way, half), moved) in streams.iter().zip(moved) {
                let number = ring.shard_number(round, way > 0, 2 * way);
                let part = ring.part(product, None, number, half);
                next.push(ring.emit.combine(Combine::Add, moved, part));
            }
            next
        });
        self.emit.concatenate(&state, dim)
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
