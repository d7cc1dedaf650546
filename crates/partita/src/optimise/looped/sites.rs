//! Where products could be computed shard by shard.

use crate::interpret::CollectiveOp;
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::linear::Linear;
use crate::ops::rule::Combine;
use crate::ops::{Eval, combine};
use crate::optimise::edit::{collective, collective_kind, for_each_operand};
use crate::optimise::product::Product;
use crate::partition::{Partitioned, Pattern};
use crate::sharding::AtomList;
use rustc_hash::{FxHashMap, FxHashSet};

/// A scattered sum of more products than this is left as it is.
const MOST_TERMS: usize = 8;

/// A collective and the operations that are to be computed with it, shard by shard.
pub(super) struct Site {
    /// The all-gather or the reduce-scatter.
    pub(super) collective: OpId,
    /// The operations, loop by loop: all that use what is gathered, those that wait for others in a loop of their own; or those whose sum is
    /// scattered.
    pub(super) loops: Vec<Vec<Product>>,
    /// Along which atoms.
    pub(super) atoms: AtomList,
    /// How many shards.
    pub(super) parts: i64,
    /// Whether shards go both ways around the ring. What is summed does so in halves.
    pub(super) two_way: bool,
    /// The dimension of the results that is cut for halves of a sum.
    pub(super) halved: Option<usize>,
}

/// The places in a region where there could be a loop, those that send the most first. No operation belongs to two of them.
pub(super) fn sites(partitioned: &Partitioned, region: RegionId) -> Vec<Site> {
    let module = &partitioned.module;
    let ops = &module.regions[region].ops;
    if !ops.iter().any(|op| collective(partitioned, *op).is_some()) {
        return Vec::new();
    }
    let finder = Finder::new(partitioned, ops);
    let mut found: Vec<Site> = ops.iter().filter_map(|op| finder.at(module.op(*op))).collect();
    let whole = |site: &Site| {
        let op = module.op(site.collective);
        op.operand_types().chain(op.result_types()).map(device_bytes).max()
    };
    found.sort_by_key(|site| std::cmp::Reverse(whole(site)));
    let mut taken: FxHashSet<OpId> = FxHashSet::default();
    found.retain(|site| {
        let free = site.products().all(|p| !taken.contains(&p.op));
        if free {
            taken.extend(site.products().map(|p| p.op));
        }
        free
    });
    found
}

impl Site {
    /// The operations of all loops.
    pub(super) fn products(&self) -> impl Iterator<Item = &Product> {
        self.loops.iter().flatten()
    }
}

/// What is known of a region.
struct Finder<'p> {
    partitioned: &'p Partitioned,
    places: FxHashMap<OpId, usize>,
    ops: &'p [OpId],
    counts: IdVec<ValueId, u32>,
    users: FxHashMap<ValueId, Vec<OpId>>,
}

impl<'p> Finder<'p> {
    fn new(partitioned: &'p Partitioned, ops: &'p [OpId]) -> Self {
        let module = &partitioned.module;
        let mut users: FxHashMap<ValueId, Vec<OpId>> = FxHashMap::default();
        for &op in ops {
            module.operands(op).iter().for_each(|v| users.entry(*v).or_default().push(op));
        }
        let places = ops.iter().enumerate().map(|(place, op)| (*op, place)).collect();
        Finder { partitioned, places, ops, counts: module.use_counts(), users }
    }

    /// The loops that a collective could become.
    fn at(&self, op: OpRef<'_>) -> Option<Site> {
        let Pattern::Groups(atoms) = &collective(self.partitioned, op.id)?.pattern else { return None };
        let parts = self.partitioned.mesh.size_of(atoms.iter().copied());
        if parts < 2 || op.operands().len() != 1 {
            return None;
        }
        let (loops, two_way, halved) = match collective_kind(op)? {
            CollectiveOp::AllGather => (self.gathered(op)?, parts % 2 == 0, None),
            CollectiveOp::ReduceScatter => {
                let (products, halved) = self.scattered(op)?;
                (vec![products], parts > 2 && halved.is_some(), halved)
            }
            _ => return None,
        };
        Some(Site { collective: op.id, loops, atoms: atoms.clone(), parts, two_way, halved })
    }

    /// The products with what is gathered, where there is no other use of it: those that wait for none of the others together, and
    /// so on with the rest. Each group sends the shards around anew.
    fn gathered(&self, op: OpRef<'_>) -> Option<Vec<Vec<Product>>> {
        let module = &self.partitioned.module;
        let result = op.op().results.at(0);
        let dim = usize::try_from(op.int(names::ALL_GATHER_DIM)?).ok()?;
        let using = self.users.get(&result)?;
        if using.len() != self.counts[result] as usize {
            return None;
        }
        let product = |user: &OpId| Product::with_parts_of(module, *user, result, dim);
        let mut rest = using.iter().map(product).collect::<Option<Vec<Product>>>()?;
        let mut groups = Vec::new();
        while !rest.is_empty() {
            let waiting = self.waiting(&rest);
            let (later, group): (Vec<Product>, Vec<Product>) =
                rest.into_iter().partition(|product| waiting.contains(&product.op));
            groups.push(group);
            rest = later;
        }
        Some(groups)
    }

    /// The products whose sum is scattered, and the dimension along which that can be halved.
    fn scattered(&self, op: OpRef<'_>) -> Option<(Vec<Product>, Option<usize>)> {
        let module = &self.partitioned.module;
        if combine(op) != Some(Combine::Add) {
            return None;
        }
        let dim = usize::try_from(op.int(names::SCATTER_DIMENSION)?).ok()?;
        let (mut terms, mut pending) = (Vec::new(), vec![op.operands()[0]]);
        while let Some(value) = pending.pop() {
            let by = module.made_by(value).filter(|by| self.places.contains_key(&by.id))?;
            if self.counts[value] != 1 || terms.len() + pending.len() >= MOST_TERMS {
                return None;
            }
            if is_sum(by) {
                pending.extend(by.operands().iter().rev());
            } else {
                terms.push(by.id);
            }
        }
        let mut products: Vec<Product> =
            terms.iter().map(|term| Product::in_blocks(module, *term, dim)).collect::<Option<_>>()?;
        let shape = &op.operand_tensor(0).shape;
        let mut dims: Vec<usize> = (0..shape.len()).filter(|d| *d != dim && shape[*d] % 2 == 0).collect();
        dims.sort_by_key(|d| std::cmp::Reverse(shape[*d]));
        let halved = dims.into_iter().find(|d| {
            let halves: Option<Vec<_>> =
                products.iter().map(|p| Product::in_blocks(module, p.op, *d).map(|p| p.cut)).collect();
            let found = halves.is_some();
            for (product, halves) in products.iter_mut().zip(halves.unwrap_or_default()) {
                product.halves = halves;
            }
            found
        });
        Some((products, halved))
    }

    /// Those of several operations that wait for another of them.
    fn waiting(&self, products: &[Product]) -> FxHashSet<OpId> {
        let own: FxHashSet<OpId> = products.iter().map(|p| p.op).collect();
        let places = || own.iter().filter_map(|op| self.places.get(op)).copied();
        let (Some(first), Some(last)) = (places().min(), places().max()) else { return FxHashSet::default() };
        waiting(&self.partitioned.module, &self.ops[first..=last], &own)
    }
}

/// Those of some operations that wait for another of them, as it is in a list of operations.
pub(super) fn waiting(module: &Module, ops: &[OpId], own: &FxHashSet<OpId>) -> FxHashSet<OpId> {
    let (mut after, mut found) = (FxHashSet::default(), FxHashSet::default());
    if own.len() < 2 {
        return found;
    }
    for &op in ops {
        let mut waits = false;
        for_each_operand(module, op, |v| {
            if let ValueDef::Result(def, _) = module.values[v].def {
                waits |= after.contains(&def);
            }
        });
        if waits && own.contains(&op) {
            found.insert(op);
        }
        if waits || own.contains(&op) {
            after.insert(op);
        }
    }
    found
}

/// Whether an operation adds two operands, none of them with another sign.
fn is_sum(op: OpRef<'_>) -> bool {
    matches!(op.def().eval, Eval::Elementwise(_))
        && op.def().traits.commutative
        && (op.def().linear)(op, Combine::Add) == Linear::Together(0b11)
}
