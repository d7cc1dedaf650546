//! A gather and the products that need it become a loop, and so do products and the reduce-scatter of their sum.
//!
//! A device that has gathered an operand along one of its dimensions computes with each shard of it alike. It can as well begin with its
//! own shard, while the next one comes from its neighbour, and so on around the ring: computing hides what is sent, and the gathered
//! operand is never there as a whole. A product that is reduce-scattered is computed block by block, each added to the sum that comes by.
//! Which dimension means what stands in the rule of the operation: what only one operand has gives a block of the result, what is
//! contracted adds to it.

mod ring;
mod sites;

use super::edit::{regions, sort};
use super::product::Product;
use super::target::Target;
use crate::ir::*;
use crate::ops::OpKind;
use crate::partition::{Partitioned, remove_unused};
use crate::sharding::AtomList;
use rustc_hash::{FxHashMap, FxHashSet};
use sites::{Site, sites, waiting};

/// Makes loops: wherever there can be one, or, where it is known what the program runs on, where it takes less time. Loops that are alike
/// in one region are tried once.
pub(super) fn run(partitioned: &mut Partitioned, target: Option<&Target>) {
    let mut changed = false;
    for region in regions(&partitioned.module) {
        let mut sites = sites(partitioned, region);
        if let Some(target) = target.filter(|_| !sites.is_empty()) {
            let judge = target.judge(partitioned);
            let mut known: FxHashMap<Likeness, bool> = FxHashMap::default();
            sites.retain(|site| {
                *known.entry(likeness(&partitioned.module, site)).or_insert_with(|| {
                    let mut tried = partitioned.clone();
                    apply(&mut tried, region, site) && judge.prefers(&tried)
                })
            });
        }
        for site in &sites {
            changed |= apply(partitioned, region, site);
        }
    }
    if changed {
        remove_unused(partitioned);
    }
}

/// Writes the loops of a site, unless other loops have tied its products together.
fn apply(partitioned: &mut Partitioned, region: RegionId, site: &Site) -> bool {
    let module = &partitioned.module;
    let apart = |products: &Vec<Product>| {
        let own: FxHashSet<OpId> = products.iter().map(|p| p.op).collect();
        waiting(module, &module.regions[region].ops, &own).is_empty()
    };
    if !site.loops.iter().all(apart) {
        return false;
    }
    ring::replace(partitioned, region, site);
    sort(&mut partitioned.module, region)
}

/// What sites have in common that take the same time: what is sent, along which atoms, and the operations with it by their types, where they are
/// cut, and what they give.
type Likeness = (Vec<TypeId>, AtomList, Vec<(OpKind, Vec<TypeId>, Vec<Option<usize>>, Option<usize>)>);

fn likeness(module: &Module, site: &Site) -> Likeness {
    let types = |op: OpId| module.operands(op).iter().map(|v| module.values[*v].ty).collect::<Vec<TypeId>>();
    let product = |p: &Product| (module.ops[p.op].kind, types(p.op), p.cut.clone(), p.block);
    (types(site.collective), site.atoms.clone(), site.products().map(product).collect())
}
