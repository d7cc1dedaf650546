//! One op on shards.

use super::choose::{Question, Split, choose, initial_values, layout_of, scatterable};
use super::emit::identity;
use super::layout::Layout;
use super::{Bound, Partitioner};
use crate::diagnostic::Diagnostic;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::rule::{Combine, Kind, Rule};
use crate::ops::{Flow, OpKind, Spread};
use crate::sharding::{Atom, AtomList};
use crate::value::Scalar;

impl<'m> Partitioner<'m> {
    /// An op with a rule: split as its results are to lie, its results brought there.
    pub(super) fn rule_op(&mut self, op: OpRef<'m>, rule: &Rule, flow: Flow) -> Result<(), Diagnostic> {
        if op.operand_types().chain(op.result_types()).any(|t| t.as_tensor().is_none()) {
            return self.whole(op, "it has operands or results that are no tensors");
        }
        let lying: Vec<Option<Layout>> = op
            .operands()
            .iter()
            .map(|v| match &self.bound[*v] {
                Bound::Laid(layout, _) => Some(layout.clone()),
                _ => None,
            })
            .collect();
        let lying: Vec<Option<&Layout>> = lying.iter().map(Option::as_ref).collect();
        let wanted: Vec<Option<Layout>> = op.results().map(|v| Some(self.wanted(v))).collect();
        let split = choose(&Question { mesh: self.mesh, op, rule, flow, operands: &lying, results: &wanted });
        let unsplit = split.iter().all(|s| s.is_empty());
        if unsplit && wanted.iter().flatten().any(|l| !l.used().is_empty()) {
            self.gathered.push((op.id, format!("no factor of its rule can be split: {rule}")));
        }
        let values = self.split_op(op, rule, &split, &wanted)?;
        for (result, (layout, value)) in op.results().zip(values) {
            self.bound[result] = Bound::Laid(layout, value);
            let layout = self.wanted(result);
            let value = self.request(result, &layout)?;
            self.bound[result] = Bound::Laid(layout, value);
        }
        Ok(())
    }

    /// A value made of constants, in a layout.
    pub(super) fn lazy(&mut self, op: OpRef<'m>, layout: &Layout) -> Result<ValueId, Diagnostic> {
        let ty = op.result_tensor(0);
        let local = layout.local(ty);
        if let Some(Attr::Elements(tensor)) = op.attr(names::VALUE)
            && let Some(element) = tensor.as_splat()
        {
            return Ok(self.emit.splat(local, element));
        }
        if let Spread::Rule(rule, flow) = op.def().spread {
            let rule = rule(op).map_err(|e| Diagnostic::new("rule", op.op().span, e.message))?;
            let lying = vec![None; op.operands().len()];
            let wanted = [Some(layout.clone())];
            let question =
                Question { mesh: self.mesh, op, rule: &rule, flow, operands: &lying, results: &wanted };
            let split = choose(&question);
            let (made, value) = self.split_op(op, &rule, &split, &wanted)?.swap_remove(0);
            return Ok(super::reshard(&mut self.emit, &mut self.planner, value, ty, &made, layout));
        }
        if let Some(dim) = op.int(names::IOTA_DIMENSION) {
            return Ok(self.iota(op, dim as usize, layout, local));
        }
        let mut new = NewOp::new(op.kind());
        new.attrs = op.op().attrs.clone();
        new.result_types.push(self.emit.module.types.intern(Type::Tensor(ty.clone())));
        new.loc = op.op().loc;
        let id = self.emit.add(new);
        let value = self.emit.module.ops[id].results.at(0);
        let whole = Layout::replicated(&ty.shape);
        Ok(super::reshard(&mut self.emit, &mut self.planner, value, ty, &whole, layout))
    }

    /// Each element is its own index: the index in the shard plus where the shard starts.
    fn iota(&mut self, op: OpRef<'m>, dim: usize, layout: &Layout, local: TensorType) -> ValueId {
        let attrs = vec![(names::IOTA_DIMENSION, Attr::i64(dim as i64))];
        let value = self.emit.op(op.kind(), &[], attrs, local.clone());
        if layout.dims[dim].atoms.is_empty() {
            return value;
        }
        let offset = self.emit.offset(&layout.dims[dim].atoms, local.shape[dim]);
        let offset = self.emit.op(OpKind::Convert, &[offset], vec![], TensorType::scalar(local.elem));
        let offset = self.emit.broadcast(offset, local);
        self.emit.combine(Combine::Add, value, offset)
    }

    /// Runs an op whole on every device.
    pub(super) fn whole(&mut self, op: OpRef<'m>, why: &str) -> Result<(), Diagnostic> {
        if op.results().any(|v| !self.wanted(v).used().is_empty()) {
            self.gathered.push((op.id, why.to_string()));
        }
        let mut new = NewOp::new(op.kind());
        for &operand in op.operands() {
            let layout = self.replicated(operand);
            new.operands.push(self.request(operand, &layout)?);
        }
        new.result_types = op.results().map(|v| self.input.values[v].ty).collect();
        let values = self.finish(op, new)?;
        for (result, value) in op.results().zip(values) {
            let whole = self.replicated(result);
            self.bind(result, whole, value);
            let layout = self.wanted(result);
            let value = self.request(result, &layout)?;
            self.bind(result, layout, value);
        }
        Ok(())
    }

    /// Adds a copy of an op with new operands and result types.
    fn finish(&mut self, op: OpRef<'m>, mut new: NewOp) -> Result<Vec<ValueId>, Diagnostic> {
        if new.attrs.is_empty() {
            new.attrs = op.op().attrs.clone();
        }
        new.attrs.remove(names::SDY_SHARDING);
        new.attrs.remove(names::MHLO_SHARDING);
        new.loc = op.op().loc;
        for &region in op.regions() {
            let copy = self.copy_region(region)?;
            new.regions.push(copy);
        }
        let id = self.emit.add(new);
        Ok(self.emit.module.ops[id].results.iter().collect())
    }

    /// A region of scalars, such as the body of a reduction, as it is.
    fn copy_region(&mut self, region: RegionId) -> Result<RegionId, Diagnostic> {
        let args = self.input.regions[region].args;
        let layouts: Vec<Layout> = args.iter().map(|v| self.replicated(v)).collect();
        let copy = self.open_region(args, &layouts);
        self.region_ops(region)?;
        let returned: Vec<Layout> = self.returned(region).iter().map(|v| self.replicated(*v)).collect();
        self.return_from(region, &returned)?;
        self.close_region();
        Ok(copy)
    }

    /// The op on shards, partial results combined: its results lie as the split says, or split further where
    /// combining can leave each device the part it is to have.
    fn split_op(
        &mut self,
        op: OpRef<'m>,
        rule: &Rule,
        split: &Split,
        wanted: &[Option<Layout>],
    ) -> Result<Vec<(Layout, ValueId)>, Diagnostic> {
        let mut new = NewOp::new(op.kind());
        for (n, &operand) in op.operands().iter().enumerate() {
            let layout = layout_of(self.mesh, &rule.operands[n], &op.operand_tensor(n).shape, split);
            let mut value = self.request(operand, &layout)?;
            let ty = op.operand_tensor(n);
            for (dim, map) in rule.operands[n].iter().enumerate() {
                let [factor] = map.factors[..] else { continue };
                if let Kind::Reduce(combine) = rule.factor(factor).kind
                    && layout.dims[dim].is_padded(self.mesh, ty.shape[dim])
                    && let Some(neutral) = neutral(op, combine, ty.elem)
                {
                    value = self.emit.mask(value, dim, &layout.dims[dim].atoms, ty.shape[dim], neutral);
                }
            }
            new.operands.push(value);
        }
        let combined: Vec<(Combine, usize)> = (0..rule.factors.len())
            .filter_map(|f| match rule.factors[f].kind {
                Kind::Reduce(combine) if !split[f].is_empty() => Some((combine, f)),
                _ => None,
            })
            .collect();
        // Every device would add the initial value: it is added once, at the end.
        let mut initial = None;
        if let (Some(&(combine, _)), Some(first)) = (combined.first(), initial_values(op)) {
            let ty = op.operand_tensor(first).clone();
            if let Some(neutral) = identity(combine, ty.elem) {
                initial = Some(std::mem::replace(&mut new.operands[first], self.emit.splat(ty, neutral)));
            }
        }
        for (n, ty) in op.result_types().enumerate() {
            let Type::Tensor(ty) = ty else { continue };
            let local = layout_of(self.mesh, &rule.results[n], &ty.shape, split).local(ty);
            new.result_types.push(self.emit.module.types.intern(Type::Tensor(local)));
        }
        new.attrs = self.local_attrs(op, rule, split);
        let values = self.finish(op, new)?;
        // Partial results of one kind are combined at once, over all atoms.
        let mut kinds: Vec<(Combine, AtomList)> = Vec::new();
        for (combine, f) in combined {
            match kinds.iter_mut().find(|(kind, _)| *kind == combine) {
                Some((_, atoms)) => atoms.extend_from_slice(&split[f]),
                None => kinds.push((combine, split[f].clone())),
            }
        }
        let mut results = Vec::with_capacity(values.len());
        for (n, mut value) in values.into_iter().enumerate() {
            let ty = op.result_tensor(n);
            let mut layout = layout_of(self.mesh, &rule.results[n], &ty.shape, split);
            for (combine, atoms) in &kinds {
                let target = wanted.get(n).and_then(Option::as_ref);
                value = self.combine_partial(value, ty, &mut layout, target, atoms, *combine);
                if let Some(initial) = initial {
                    let ty = self.emit.type_of(value);
                    let initial = self.emit.broadcast(initial, ty);
                    value = self.emit.combine(*combine, value, initial);
                }
            }
            results.push((layout, value));
        }
        Ok(results)
    }

    /// Partial results over atoms combined. Atoms that are to split a dimension anyway scatter it as they combine; the
    /// others reduce what is left.
    fn combine_partial(
        &mut self,
        mut value: ValueId,
        ty: &TensorType,
        layout: &mut Layout,
        wanted: Option<&Layout>,
        atoms: &[Atom],
        combine: Combine,
    ) -> ValueId {
        let mut rest: AtomList = atoms.iter().copied().collect();
        for dim in 0..ty.rank() {
            let Some(wanted) = wanted else { break };
            let partial = rest.iter().copied().collect();
            let scattered = scatterable(self.mesh, ty, layout, wanted, dim, partial);
            if !scattered.is_empty() {
                value = self.emit.reduce_scatter(value, dim, &scattered, combine);
                layout.dims[dim].atoms.extend_from_slice(&scattered);
                layout.dims[dim].block /= self.mesh.size_of(scattered.iter().copied());
                rest.retain(|a| !scattered.contains(a));
            }
        }
        if rest.is_empty() { value } else { self.emit.all_reduce(value, &rest, combine) }
    }

    /// Attributes that hold sizes of dimensions, for shards.
    fn local_attrs(&self, op: OpRef<'m>, rule: &Rule, split: &Split) -> Attrs {
        let mut attrs = op.op().attrs.clone();
        if op.operands().is_empty() || split.iter().all(|s| s.is_empty()) {
            return attrs;
        }
        let ty = op.operand_tensor(0);
        let local = layout_of(self.mesh, &rule.operands[0], &ty.shape, split).local(ty);
        for name in [names::SLICE_SIZES, names::LIMIT_INDICES] {
            let Some(sizes) = op.opt_ints(name) else { continue };
            let sizes = sizes
                .iter()
                .enumerate()
                .map(|(d, &size)| if ty.shape.get(d) == Some(&size) { local.shape[d] } else { size });
            attrs.set(name, Attr::i64s(sizes));
        }
        attrs
    }
}

/// What padding must hold so that reducing over it changes nothing: the factors of a product are zero.
fn neutral(op: OpRef<'_>, combine: Combine, elem: Elem) -> Option<Scalar> {
    if op.regions().is_empty() { Some(Scalar::zero(elem)) } else { identity(combine, elem) }
}
