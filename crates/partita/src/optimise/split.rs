//! A product and the huge all-reduce of it, in parts.
//!
//! A sum over devices cannot start before the product is there, and what needs the sum waits for all of it. In parts, the first is sent while
//! the next is computed. Along which dimensions that can be done stands in the rule of the product.

use super::edit::{collective_kind, rewrite};
use super::product::Product;
use super::target::Target;
use crate::interpret::CollectiveOp;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::{OpKind, combine};
use crate::partition::{Collective, Emit, Partitioned, Pattern, remove_unused};
use crate::sharding::AtomList;
use rustc_hash::FxHashMap;

/// In how many parts it may be done.
const PARTS: [i64; 3] = [8, 4, 2];

/// Splits all-reduces of products in two, or, where it is known what the program runs on, those that are large there in as many parts as take the
/// least time. Those that are alike are tried once.
pub(super) fn run(partitioned: &mut Partitioned, target: Option<&Target>) {
    let counts = partitioned.module.use_counts();
    let sites: Vec<(OpId, Site)> = partitioned
        .collectives
        .iter()
        .filter_map(|c| Some((c.op, Site::new(&partitioned.module, &counts, c, target)?)))
        .collect();
    let mut chosen = Chosen::default();
    match target {
        None => {
            chosen.extend(sites.iter().filter_map(|(op, site)| Some((*op, (site.dim, *site.parts.last()?)))))
        }
        Some(target) => {
            let mut known: FxHashMap<&Site, Option<i64>> = FxHashMap::default();
            for (op, site) in &sites {
                let best = *known.entry(site).or_insert_with(|| {
                    let mut judge = target.judge(partitioned);
                    let mut best = None;
                    for &parts in &site.parts {
                        let mut tried = partitioned.clone();
                        split(&mut tried, &Chosen::from_iter([(*op, (site.dim, parts))]));
                        if judge.prefers(&tried) {
                            best = Some(parts);
                            judge = target.judge(&tried);
                        }
                    }
                    best
                });
                chosen.extend(best.map(|parts| (*op, (site.dim, parts))));
            }
        }
    }
    if !chosen.is_empty() {
        split(partitioned, &chosen);
    }
}

/// All-reduces that are split: along which dimension, and in how many parts.
type Chosen = FxHashMap<OpId, (usize, i64)>;

/// An all-reduce of a product: what those have in common that take the same time.
#[derive(PartialEq, Eq, Hash)]
struct Site {
    kind: OpKind,
    operands: Vec<TypeId>,
    /// The dimension of the result along which it is split.
    dim: usize,
    atoms: AtomList,
    /// In how many parts it can be done, the most first.
    parts: Vec<i64>,
}

impl Site {
    fn new(
        module: &Module,
        counts: &IdVec<ValueId, u32>,
        known: &Collective,
        target: Option<&Target>,
    ) -> Option<Site> {
        let op = module.op(known.op);
        let (Pattern::Groups(atoms), &[operand]) = (&known.pattern, op.operands()) else { return None };
        if collective_kind(op) != Some(CollectiveOp::AllReduce) || counts[operand] != 1 {
            return None;
        }
        combine(op)?;
        let by = module.made_by(operand)?;
        let shape = &op.operand_tensor(0).shape;
        let least = target.map_or(0, |target| target.profile.combine_bytes).max(1);
        let most = i64::try_from(device_bytes(op.operand_type(0)) / least).unwrap_or(i64::MAX);
        let parts_along = |dim: usize| -> Vec<i64> {
            PARTS.into_iter().filter(|parts| *parts <= most && shape[dim] % parts == 0).collect()
        };
        // The outermost dimension is put together again without moving anything.
        let dim = (0..shape.len())
            .find(|d| !parts_along(*d).is_empty() && Product::in_blocks(module, by.id, *d).is_some())?;
        let operands = by.operands().iter().map(|v| module.values[*v].ty).collect();
        Some(Site { kind: by.op().kind, operands, dim, atoms: atoms.clone(), parts: parts_along(dim) })
    }
}

/// Writes products and their sums in parts.
fn split(partitioned: &mut Partitioned, chosen: &Chosen) {
    rewrite(partitioned, |emit, known| {
        let &(dim, parts) = chosen.get(&known.op)?;
        let Pattern::Groups(atoms) = &known.pattern else { return None };
        let op = emit.module.op(known.op);
        let (how, by) = (combine(op)?, emit.module.made_by(op.operands()[0])?);
        let product = Product::in_blocks(&emit.module, by.id, dim)?;
        let sums: Vec<ValueId> = (0..parts)
            .map(|number| {
                let part = part_of(emit, &product, number, parts);
                emit.all_reduce(part, atoms, how)
            })
            .collect();
        Some(emit.concatenate(&sums, dim))
    });
    remove_unused(partitioned);
}

/// A part of a product.
fn part_of(emit: &mut Emit<'_>, product: &Product, number: i64, parts: i64) -> ValueId {
    let op = emit.module.ops[product.op].clone();
    let operands: Vec<ValueId> = emit.module.operands(product.op).to_vec();
    let mut new = NewOp::new(op.kind);
    for (operand, cut) in operands.into_iter().zip(&product.cut) {
        new.operands.push(match cut {
            Some(dim) => {
                let size = emit.type_of(operand).shape[*dim] / parts;
                emit.slice(operand, *dim, number * size, size)
            }
            None => operand,
        });
    }
    let mut ty = emit.type_of(op.results.at(0));
    if let Some(dim) = product.block {
        ty.shape[dim] /= parts;
    }
    new.result_types.push(emit.module.types.intern(Type::Tensor(ty)));
    (new.attrs, new.loc, new.span) = (op.attrs, op.loc, op.span);
    let new = emit.add(new);
    emit.module.ops[new].results.at(0)
}
