//! How an op is split: which atoms each factor of its rule gets.

use super::emit::identity;
use super::layout::{DimLayout, Layout};
use crate::ir::{OpRef, TensorType};
use crate::ops::Flow;
use crate::ops::rule::{Access, Combine, DimMap, FactorId, Kind, Rule, TensorMap};
use crate::sharding::{AtomList, AtomSet, Mesh};

/// The atoms of each factor.
pub(super) type Split = Vec<AtomList>;

/// What an op is given and what is to come of it.
pub(super) struct Question<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) op: OpRef<'a>,
    pub(super) rule: &'a Rule,
    pub(super) flow: Flow,
    /// How the operands lie; nothing for what can be made anywhere.
    pub(super) operands: &'a [Option<&'a Layout>],
    /// How the results are to lie.
    pub(super) results: &'a [Option<Layout>],
}

/// The cheaper of two ways, by the bytes that move: as the results are to lie, or as the operands do.
pub(super) fn choose(question: &Question<'_>) -> Split {
    let [by_results, by_operands] = [true, false].map(|results_first| propose(question, results_first));
    if cost(question, &by_operands) < cost(question, &by_results) { by_operands } else { by_results }
}

/// Gives atoms to factors as the tensors lie, one tensor after the other; an atom splits one factor.
fn propose(question: &Question<'_>, results_first: bool) -> Split {
    let Question { mesh, op, rule, flow, operands, results } = question;
    let mut split: Split = vec![AtomList::new(); rule.factors.len()];
    let mut used = AtomSet::EMPTY;
    let wanted = rule.results.iter().zip(results.iter().map(Option::as_ref));
    // Larger operands decide first.
    let mut sources: Vec<_> = rule.operands.iter().zip(operands.iter().copied()).enumerate().collect();
    sources.sort_by_key(|(n, _)| std::cmp::Reverse(op.operand_type(*n).bytes()));
    let mut tensors: Vec<_> = wanted.collect();
    let position = if results_first { tensors.len() } else { 0 };
    tensors.splice(position..position, sources.into_iter().map(|(_, pair)| pair));
    for (map, layout) in tensors {
        let Some(layout) = layout else { continue };
        for (dim, access) in map.iter().enumerate() {
            let mut rest = &layout.dims[dim].atoms[..];
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
                let free = taken.iter().all(|a| !used.contains(*a));
                if mine.is_empty() && free && splittable(*op, rule, *flow, factor) {
                    taken.iter().for_each(|a| used.insert(*a));
                    *mine = taken;
                }
            }
        }
    }
    drop_strided(mesh, rule, &mut split);
    split
}

/// About how many bytes each device sends for a split: operands brought there, partial results combined, results
/// brought home.
fn cost(question: &Question<'_>, split: &Split) -> i64 {
    let Question { mesh, op, rule, operands, results, .. } = question;
    let mut bytes = 0;
    for (n, lying) in operands.iter().enumerate() {
        if let Some(lying) = lying {
            bytes += move_bytes(
                mesh,
                op.operand_tensor(n),
                lying,
                &layout_of(mesh, &rule.operands[n], &op.operand_tensor(n).shape, split),
            );
        }
    }
    let reduced = |f: usize| matches!(rule.factors[f].kind, Kind::Reduce(_));
    let partial: AtomSet =
        (0..split.len()).filter(|f| reduced(*f)).flat_map(|f| split[f].iter().copied()).collect();
    for (n, wanted) in results.iter().enumerate() {
        let ty = op.result_tensor(n);
        let mut made = layout_of(mesh, &rule.results[n], &ty.shape, split);
        let Some(wanted) = wanted else { continue };
        let local = made.local(ty).bytes() as i64;
        let scattered = scatter_atoms(mesh, ty, &mut made, wanted, partial);
        let groups = |atoms: AtomSet| mesh.size_of(atoms.iter());
        let part = groups(scattered);
        bytes += local / part * (part - 1);
        let rest = groups(partial.minus(scattered));
        bytes += 2 * (local / part) / rest * (rest - 1);
        bytes += move_bytes(mesh, ty, &made, wanted);
    }
    bytes
}

/// Adds to a layout the atoms that combining partial results can scatter to where they are wanted, and gives them.
fn scatter_atoms(
    mesh: &Mesh,
    ty: &TensorType,
    layout: &mut Layout,
    wanted: &Layout,
    partial: AtomSet,
) -> AtomSet {
    let mut scattered = AtomSet::EMPTY;
    for dim in 0..ty.rank() {
        for atom in scatterable(mesh, ty, layout, wanted, dim, partial.minus(scattered)) {
            let mut atoms = layout.dims[dim].atoms.clone();
            atoms.push(atom);
            layout.dims[dim] = DimLayout::canonical(mesh, ty.shape[dim], atoms);
            scattered.insert(atom);
        }
    }
    scattered
}

/// The atoms of a partial result that split a dimension next where it is wanted, evenly.
pub(super) fn scatterable(
    mesh: &Mesh,
    ty: &TensorType,
    layout: &Layout,
    wanted: &Layout,
    dim: usize,
    partial: AtomSet,
) -> AtomList {
    let (have, want) = (&layout.dims[dim].atoms, &wanted.dims[dim].atoms);
    if !want.starts_with(have) || wanted.dims[dim].is_padded(mesh, ty.shape[dim]) {
        return AtomList::new();
    }
    want[have.len()..].iter().copied().take_while(|a| partial.contains(*a)).collect()
}

/// About how many bytes each device sends to bring a tensor from one layout to another: nothing for cutting, what is
/// gathered, or what moves to another dimension.
fn move_bytes(mesh: &Mesh, ty: &TensorType, from: &Layout, to: &Layout) -> i64 {
    let stays = |dim: usize| to.dims[dim].atoms.starts_with(&from.dims[dim].atoms);
    if (0..ty.rank()).all(stays) {
        return 0;
    }
    let (before, after) = (from.local(ty).bytes() as i64, to.local(ty).bytes() as i64);
    // What is gathered is held whole by every device that takes part; what moves is not.
    let gathered = mesh.size_of(from.used().minus(to.used()).iter());
    if gathered > 1 { after.max(before * gathered) / gathered * (gathered - 1) } else { before }
}

/// Whether a factor can be split by running the op on shards.
fn splittable(op: OpRef<'_>, rule: &Rule, flow: Flow, factor: FactorId) -> bool {
    let has = |map: &DimMap| map.follows(factor);
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
pub(super) fn layout_of(mesh: &Mesh, map: &TensorMap, shape: &[i64], split: &Split) -> Layout {
    let dims = map.iter().zip(shape).map(|(m, &size)| {
        let atoms = m.factors.iter().flat_map(|f| split[usize::from(f.0)].iter().copied()).collect();
        DimLayout::canonical(mesh, size, atoms)
    });
    Layout { dims: dims.collect(), partial: None }
}
