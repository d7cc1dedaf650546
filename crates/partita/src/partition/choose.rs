//! How an op is split: which atoms each factor of its rule gets.

use super::emit::identity;
use super::layout::Layout;
use crate::ir::OpRef;
use crate::ops::Flow;
use crate::ops::rule::{Access, Combine, DimMap, FactorId, Kind, Rule, TensorMap};
use crate::sharding::{AtomList, AtomSet, Mesh};

/// The atoms of each factor.
pub(super) type Split = Vec<AtomList>;

/// Splits the factors of the results as the results are to lie, then those that are reduced, and those that only
/// operands are split along, as the operands lie; an atom splits one factor.
pub(super) fn choose(
    mesh: &Mesh,
    op: OpRef<'_>,
    rule: &Rule,
    flow: Flow,
    operands: &[Option<&Layout>],
    results: &[Option<Layout>],
) -> Split {
    let mut split: Split = vec![AtomList::new(); rule.factors.len()];
    let mut used = AtomSet::EMPTY;
    let wanted = rule.results.iter().zip(results.iter().map(Option::as_ref));
    // Larger operands decide first.
    let mut sources: Vec<_> = rule.operands.iter().zip(operands.iter().copied()).enumerate().collect();
    sources.sort_by_key(|(n, _)| std::cmp::Reverse(op.operand_type(*n).bytes()));
    let lying = sources.into_iter().map(|(_, pair)| pair);
    for (map, layout) in wanted.chain(lying) {
        let Some(layout) = layout else { continue };
        for (dim, access) in map.iter().enumerate() {
            let mut rest = &layout.dims[dim][..];
            for (place, &factor) in access.factors.iter().enumerate() {
                let last = place + 1 == access.factors.len();
                let size = rule.factor(factor).size;
                let mut taken = AtomList::new();
                while let Some((&atom, tail)) = rest.split_first() {
                    let parts = mesh.size_of(taken.iter().copied()) * mesh.atom_size(atom);
                    if !last && size % parts != 0 {
                        break;
                    }
                    taken.push(atom);
                    rest = tail;
                }
                let mine = &mut split[usize::from(factor.0)];
                if mine.is_empty()
                    && splittable(op, rule, flow, factor)
                    && taken.iter().all(|a| !used.contains(*a))
                {
                    taken.iter().for_each(|a| used.insert(*a));
                    *mine = taken;
                }
            }
        }
    }
    drop_strided(mesh, rule, &mut split);
    split
}

/// Whether a factor can be split by running the op on shards.
fn splittable(op: OpRef<'_>, rule: &Rule, flow: Flow, factor: FactorId) -> bool {
    let has = |map: &DimMap| map.factors.contains(&factor);
    let direct = |tensor: &TensorMap| tensor.iter().all(|map| !has(map) || map.access == Access::Direct);
    if !rule.tensors().all(direct) {
        return false;
    }
    // A group of channels is counted in an attribute.
    let grouped =
        flow != Flow::PassThrough && rule.tensors().flatten().any(|map| has(map) && map.factors.len() > 1);
    let from_operand = rule.operands.iter().flatten().any(has);
    match rule.factor(factor).kind {
        Kind::Parallel => !grouped && (from_operand || flow == Flow::Broadcast),
        Kind::Reduce(combine) => !grouped && reducible(op, combine),
        _ => false,
    }
}

/// Whether partial results can be combined: there is a neutral element, and initial values can be left for later.
fn reducible(op: OpRef<'_>, combine: Combine) -> bool {
    let known = op.result_types().all(|t| t.as_tensor().is_some_and(|t| identity(combine, t.elem).is_some()));
    known && combine != Combine::Region && (op.regions().is_empty() || initial_values(op).is_some())
}

/// Where the initial values of a reduction start among its operands.
pub(super) fn initial_values(op: OpRef<'_>) -> Option<usize> {
    let count = op.operands().len();
    let scalars = op.operand_types().skip(count / 2).all(|t| t.as_tensor().is_some_and(|t| t.rank() == 0));
    (count == 2 && op.regions().len() == 1 && scalars).then_some(count / 2)
}

/// A dimension of several factors must be split from its major end without gaps, and evenly.
fn drop_strided(mesh: &Mesh, rule: &Rule, split: &mut Split) {
    let compound =
        |id: FactorId| rule.tensors().flatten().any(|m| m.factors.len() > 1 && m.factors.contains(&id));
    loop {
        let mut changed = false;
        for (i, factor) in rule.factors.iter().enumerate() {
            let parts = mesh.size_of(split[i].iter().copied());
            if compound(FactorId(i as u8)) && factor.size % parts != 0 {
                split[i].clear();
                changed = true;
            }
        }
        for map in rule.tensors().flatten() {
            let mut full = true;
            for id in &map.factors {
                let list = &mut split[usize::from(id.0)];
                if !full && !list.is_empty() {
                    list.clear();
                    changed = true;
                }
                full &= mesh.size_of(list.iter().copied()) == rule.factor(*id).size;
            }
        }
        if !changed {
            return;
        }
    }
}

/// The layout of a tensor whose factors are split so.
pub(super) fn layout_of(map: &TensorMap, split: &Split) -> Layout {
    let dims =
        map.iter().map(|m| m.factors.iter().flat_map(|f| split[usize::from(f.0)].iter().copied()).collect());
    Layout { dims: dims.collect() }
}
