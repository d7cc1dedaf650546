//! One op on shards.

use super::choose::{Outcome, Question, Supply, initial_values};
use super::emit::{INDEX, identity};
use super::layout::Layout;
use super::shift::Shift;
use super::split::{Split, Subject};
use super::values::Bound;
use super::windows::Source;
use super::{Partitioner, reshard};
use crate::diagnostic::Diagnostic;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::edge::Edge;
use crate::ops::local::Local;
use crate::ops::ordered::Ordered;
use crate::ops::rule::{Access, Combine, Kind, TensorMap};
use crate::ops::{Flow, OpKind, Spread};
use crate::sharding::AtomList;
use crate::value::Scalar;
use smallvec::SmallVec;

/// So many uses of a value are looked at for ops that are alike.
const USES: usize = 16;

/// Why values move, for the ledger.
pub(super) mod reasons {
    pub(crate) const OPERAND: &str = "an operand is brought to where the op is computed";
    pub(crate) const WHOLE: &str = "the op cannot be split along this dimension: its operands are gathered";
    pub(crate) const WINDOW: &str = "windows reach into neighbouring shards";
    pub(crate) const CONTRIBUTION: &str = "windows add to neighbouring shards";
    pub(crate) const ORDER: &str = "shards of an ordered dimension exchange what they found";
    pub(crate) const COMBINE: &str = "partial results are combined";
    pub(crate) const CARRY: &str = "a value carried by a loop is brought to the loop's sharding";
    pub(crate) const BRANCH: &str = "the branches' results are brought to one sharding";
    pub(crate) const ANNOTATION: &str = "an annotation asks for this sharding";
    pub(crate) const DEVICES: &str = "its devices stand in another order than those of the mesh";
    pub(crate) const RETURN: &str = "a result of the program is brought to its sharding";
}

impl<'m> Partitioner<'m> {
    /// An op with a rule: split as is cheapest.
    pub(super) fn rule_op(&mut self, subject: &Subject<'m>, question: Question) -> Result<(), Diagnostic> {
        let op = subject.op;
        let choice = self.choose(subject, question);
        let split = &choice.split;
        if choice.stuck {
            if self.in_stages(subject)? {
                return Ok(());
            }
            let rule = subject.rule;
            self.gathered.push((op.id, format!("its rule does not let it be split so: {rule}")));
        }
        let values = self.split_op(subject, split)?;
        self.done.extend(subject.cut.as_ref().map(|cut| cut.op.id));
        // What is cut down at once is not made without the op before it.
        let whole = if subject.cut.is_some() { 0 } else { self.remade_whole(op) };
        for (n, (result, value)) in subject.outcomes().into_iter().zip(values).enumerate() {
            let layout = split.result(self.mesh, subject, n);
            let pending = layout.partial.is_some();
            self.bind(result, layout, value);
            self.whole[result] = whole;
            let gathered = self.gathered_before(subject, split, result);
            self.larger.extend(gathered.map(|price| (result, price)));
            // What is combined later stays as it is; the rest is brought home when somebody asks for it there.
            if pending && self.unreduced.stays(result).is_empty() {
                let wanted = self.destination(result);
                let value = self.request(result, &wanted, reasons::COMBINE)?;
                self.bind(result, wanted, value);
            }
        }
        Ok(())
    }

    /// The question of how to split an op, given the layouts its results have at home and those they are wanted in.
    pub(super) fn question(
        &self,
        op: OpRef<'m>,
        layouts: impl Fn(ValueId) -> (Layout, Layout),
    ) -> Option<(Subject<'m>, Question)> {
        let (id, rule, flow) = self.shardings.graph.op_rule(op.id)?;
        let input = self.input;
        let mut subject = Subject::new(op, rule, flow);
        let by_windows = |map: &TensorMap| map.iter().any(|m| m.access != Access::Direct);
        if op.def().edge != Edge::Unknown && subject.ordered == Ordered::Unknown {
            let maps = op.operands().iter().zip(&rule.operands);
            let through = |(v, map): (&ValueId, &TensorMap)| {
                Some(*v).filter(|_| by_windows(map)).and_then(|v| self.read_through(v))
            };
            subject.reads = maps.map(through).collect();
            subject.cut = self.added_through(op, rule);
        }
        let behind = |shift: &Shift<'m>| {
            let value = shift.op.operands()[0];
            (shift.rule, input.values[value].ty, self.supply(value))
        };
        let types = op.operands().iter().copied().chain(subject.outcomes()).map(|v| input.values[v].ty);
        let question = Question {
            rule: id,
            kind: op.kind(),
            ordered: subject.ordered,
            operands: op.operands().iter().map(|v| self.supply(*v)).collect(),
            results: subject
                .outcomes()
                .into_iter()
                .map(|v| {
                    let (home, wanted) = layouts(v);
                    let unreduced = &self.unreduced;
                    Outcome {
                        home,
                        wanted,
                        stays: unreduced.stays(v),
                        share: unreduced.share(v),
                        carried: unreduced.is_carried(v),
                    }
                })
                .collect(),
            types: types.collect(),
            barred: self.joined(op),
            repetitions: self.repetitions(op.operands()),
            reads: subject.reads.iter().map(|r| r.as_ref().map(behind)).collect(),
            cut: subject.cut.as_ref().map(|cut| cut.rule),
            alike: self.alike(&subject),
        };
        Some((subject, question))
    }

    /// In which layouts a value is there, or can be made of what is.
    pub(super) fn supply(&self, value: ValueId) -> Supply {
        let layouts: SmallVec<[Layout; 1]> = self.versions(value).map(|v| v.layout.clone()).collect();
        let whole = if layouts.iter().any(Layout::is_replicated) { 0 } else { self.whole[value] };
        Supply { layouts, whole, gathered: self.larger.get(&value).copied() }
    }

    /// How many ops use each operand just as this one does, beside values that are to lie as those beside it here; nothing where it
    /// is the only one. It counts for ops that reduce and for elementwise ops: others are as well split as the operand is.
    fn alike(&self, subject: &Subject<'m>) -> SmallVec<[u64; 2]> {
        let (op, input) = (subject.op, self.input);
        let reduces = subject.rule.factors.iter().any(|f| matches!(f.kind, Kind::Reduce(_)));
        if !(reduces || subject.flow == Flow::Elementwise) || op.operands().len() < 2 {
            return SmallVec::new();
        }
        let values = |op: OpRef<'m>| op.operands().iter().copied().chain(op.results());
        let types = |op: OpRef<'m>| values(op).map(|v| input.values[v].ty);
        let alike = |(n, operand): (usize, &ValueId)| {
            let same = |(user, place): &&(OpId, u32)| {
                let user = input.op(*user);
                *place as usize == n
                    && user.kind() == op.kind()
                    && types(user).eq(types(op))
                    && values(user).zip(values(op)).all(|(a, b)| a == b || self.home(a) == self.home(b))
            };
            (self.uses.of(*operand).iter().take(USES).filter(same).count() as u64).max(1)
        };
        let counts: SmallVec<[u64; 2]> = op.operands().iter().enumerate().map(alike).collect();
        if counts.iter().all(|n| *n == 1) { SmallVec::new() } else { counts }
    }

    /// A value made of constants, in a layout.
    pub(super) fn lazy(&mut self, op: OpRef<'m>, layout: &Layout) -> Result<ValueId, Diagnostic> {
        let ty = op.result_tensor(0);
        let complete = layout.reduced();
        let value = self.lazy_complete(op, &complete)?;
        // Nothing has to be done to a constant that adds nothing.
        if let (Some(partial), Some(Attr::Elements(tensor))) = (layout.partial, op.attr(names::VALUE))
            && tensor.as_splat().is_some_and(|s| Some(s) == identity(partial.combine, ty.elem))
        {
            return Ok(value);
        }
        Ok(reshard::reshard(&mut self.emit, &mut self.planner, value, ty, &complete, layout))
    }

    fn lazy_complete(&mut self, op: OpRef<'m>, layout: &Layout) -> Result<ValueId, Diagnostic> {
        let ty = op.result_tensor(0);
        let local = layout.local(ty);
        if let Some(Attr::Elements(tensor)) = op.attr(names::VALUE)
            && let Some(element) = tensor.as_splat()
        {
            return Ok(self.emit.splat(local, element));
        }
        if let Some((subject, question)) = self.question(op, |_| (layout.clone(), layout.clone())) {
            let choice = self.choose(&subject, question);
            let split = &choice.split;
            let value = self.split_op(&subject, split)?.swap_remove(0);
            let made = split.result(self.mesh, &subject, 0);
            return Ok(reshard::reshard(&mut self.emit, &mut self.planner, value, ty, &made, layout));
        }
        if let Some(dim) = op.int(names::IOTA_DIMENSION) {
            return Ok(self.iota(op, dim as usize, layout, local));
        }
        let value = self.copy_whole(op)?.swap_remove(0);
        let whole = Layout::replicated(&ty.shape);
        Ok(reshard::reshard(&mut self.emit, &mut self.planner, value, ty, &whole, layout))
    }

    /// Each element is its own index: the index in the shard plus where the shard starts. Only integers hold these exactly, so that floats come last.
    fn iota(&mut self, op: OpRef<'m>, dim: usize, layout: &Layout, local: TensorType) -> ValueId {
        let attrs = vec![(names::IOTA_DIMENSION, Attr::i64(dim as i64))];
        if layout.dims[dim].atoms.is_empty() {
            return self.emit.op(op.kind(), &[], attrs, local);
        }
        let counts = matches!(local.elem, Elem::Int(_) | Elem::Uint(_) | Elem::Field);
        let whole = if counts { local.clone() } else { local.with_elem(INDEX) };
        let value = self.emit.op(op.kind(), &[], attrs, whole.clone());
        let offset = self.emit.offset(&layout.dims[dim].atoms, local.shape[dim]);
        let offset = self.emit.op(OpKind::Convert, &[offset], vec![], TensorType::scalar(whole.elem));
        let offset = self.emit.broadcast(offset, whole.clone());
        let value = self.emit.combine(Combine::Add, value, offset);
        if counts { value } else { self.emit.op(OpKind::Convert, &[value], vec![], local) }
    }

    /// Runs an op whole on every device.
    pub(super) fn whole(&mut self, op: OpRef<'m>, why: &str) -> Result<(), Diagnostic> {
        let split = |p: &Self, v: ValueId| p.versions(v).next().is_some_and(|v| !v.layout.is_replicated());
        if op.operands().iter().any(|v| split(self, *v))
            || op.results().any(|v| !self.home(v).is_replicated())
        {
            self.gathered.push((op.id, why.to_string()));
        }
        let values = self.copy_whole(op)?;
        for (result, value) in op.results().zip(values) {
            let whole = self.replicated(result);
            self.bind(result, whole, value);
        }
        Ok(())
    }

    fn copy_whole(&mut self, op: OpRef<'m>) -> Result<Vec<ValueId>, Diagnostic> {
        let mut new = NewOp::new(op.kind());
        for &operand in op.operands() {
            let layout = self.replicated(operand);
            new.operands.push(self.request(operand, &layout, reasons::WHOLE)?);
        }
        new.result_types = op.results().map(|v| self.input.values[v].ty).collect();
        new.attrs = op.op().attrs.clone();
        self.finish(op, new)
    }

    /// Adds a copy of an op with new operands, attributes and result types.
    pub(super) fn finish(&mut self, op: OpRef<'m>, mut new: NewOp) -> Result<Vec<ValueId>, Diagnostic> {
        new.attrs.remove(names::SDY_SHARDING);
        new.attrs.remove(names::MHLO_SHARDING);
        new.loc = op.op().loc;
        self.keep_collective(op, &mut new)?;
        for &region in op.regions() {
            let copy = self.copy_region(region)?;
            new.regions.push(copy);
        }
        let id = self.emit.add(new);
        Ok(self.emit.module.ops[id].results.iter().collect())
    }

    /// A region of scalars, such as the body of a reduction, as it is.
    pub(super) fn copy_region(&mut self, region: RegionId) -> Result<RegionId, Diagnostic> {
        let args: Vec<ValueId> = self.input.regions[region].args.iter().collect();
        let layouts: Vec<Layout> = args.iter().map(|v| self.replicated(*v)).collect();
        let copy = self.open_region(&args, &layouts, 1);
        self.region_ops(region)?;
        let returned: Vec<Layout> = self.returned(region).iter().map(|v| self.replicated(*v)).collect();
        self.return_from(region, &returned, reasons::OPERAND)?;
        self.close_region();
        Ok(copy)
    }

    /// The op on shards. Its results lie as the split says.
    pub(super) fn split_op(
        &mut self,
        subject: &Subject<'m>,
        split: &Split,
    ) -> Result<Vec<ValueId>, Diagnostic> {
        let Subject { op, rule, .. } = *subject;
        let mut new = NewOp::new(op.kind());
        let mut sources = Vec::with_capacity(op.operands().len());
        for (n, &operand) in op.operands().iter().enumerate() {
            let source = match rule.operands[n].iter().all(|map| map.access == Access::Direct) {
                true => Source::of(split.operand(self.mesh, subject, n)),
                false => self.source(subject, split, n, &self.supply(operand)),
            };
            let from = source.shift(subject, n).map_or(operand, |shift| shift.op.operands()[0]);
            new.operands.push(self.request(from, &source.layout, reasons::OPERAND)?);
            sources.push(source);
        }
        self.mask_padding(subject, split, &mut new)?;
        let scanned = self.scan(subject, split, &mut new);
        let reached = self.reach(subject, split, &sources, &mut new)?;
        let contributions = self.contribute(subject, split, &mut new);
        if op.def().edge == Edge::Others && !reached.is_empty() {
            return Ok(vec![self.pick_operands(subject, split, &new)]);
        }
        let places = self.local_places(subject, split, &mut new);
        let operands: Vec<TensorType> = new.operands.iter().map(|v| self.emit.type_of(*v)).collect();
        let local = |(n, ty): (usize, &Type)| {
            let ty = ty.as_tensor().cloned().unwrap_or_else(|| TensorType::scalar(Elem::Bool));
            split.layout(self.mesh, &rule.results[n], &ty.shape).local(&ty)
        };
        let mut results: Vec<TensorType> = op.result_types().enumerate().map(local).collect();
        places.widen(&mut results);
        if let Some(scanned) = &scanned {
            scanned.narrow(&mut results);
        }
        if let Some(contributions) = &contributions {
            contributions.stretch(&mut results);
        }
        for ty in &results {
            new.result_types.push(self.emit.module.types.intern(Type::Tensor(ty.clone())));
        }
        new.attrs = match split.is_none() {
            true => op.op().attrs.clone(),
            false => {
                let local = Local { op, operands: &operands, results: &results, reached: &reached };
                (op.def().localise)(&local).unwrap_or_else(|| op.op().attrs.clone())
            }
        };
        let given = new.operands.clone();
        let mut values = self.finish(op, new)?;
        self.settle_places(&places, &mut values);
        match &contributions {
            Some(contributions) => self.settle_contributions(subject, contributions, &mut values),
            None => values.iter_mut().for_each(|value| *value = self.cut_whole(subject, &[], *value)),
        }
        if let Some(scanned) = &scanned {
            values = self.join_scans(op, scanned, &given, values)?;
        }
        let folded = split.reduced(subject).filter(|(combine, _)| *combine == Combine::Region);
        let gathered: AtomList =
            folded.flat_map(|(_, f)| split.factors[usize::from(f.0)].atoms.iter().copied()).collect();
        if gathered.is_empty() { Ok(values) } else { self.fold_gathered(op, values, &gathered) }
    }

    /// Puts into the padding of reduced dimensions what changes nothing.
    fn mask_padding(
        &mut self,
        subject: &Subject<'m>,
        split: &Split,
        new: &mut NewOp,
    ) -> Result<(), Diagnostic> {
        let Subject { op, rule, .. } = *subject;
        for n in 0..op.operands().len() {
            let ty = op.operand_tensor(n);
            for (dim, map) in rule.operands[n].iter().enumerate() {
                let reduces = |f: &crate::ops::rule::FactorId| match rule.factor(*f).kind {
                    Kind::Reduce(combine) => Some(combine),
                    _ => None,
                };
                // What windows reach beside the ends is filled in after it is fetched.
                let direct = map.access == Access::Direct;
                let Some(combine) = map.factors.iter().find_map(reduces).filter(|_| direct) else { continue };
                let layout = split.operand(self.mesh, subject, n).dims.swap_remove(dim);
                if layout.atoms.is_empty() || !layout.is_padded(self.mesh, ty.shape[dim]) {
                    continue;
                }
                let atoms = layout.atoms;
                let value = new.operands[n];
                new.operands[n] = match self.neutral(op, n, combine, ty.elem)? {
                    Neutral::Constant(scalar) => self.emit.mask(value, dim, &atoms, ty.shape[dim], scalar),
                    Neutral::Value(other) => self.emit.mask_with(value, dim, &atoms, ty.shape[dim], other),
                };
            }
        }
        Ok(())
    }

    /// What padding must hold so that reducing over it changes nothing: the factors of a product are zero; what a region folds
    /// is its initial value.
    fn neutral(
        &mut self,
        op: OpRef<'m>,
        operand: usize,
        combine: Combine,
        elem: Elem,
    ) -> Result<Neutral, Diagnostic> {
        if op.regions().is_empty() {
            return Ok(Neutral::Constant(Scalar::zero(elem)));
        }
        match (identity(combine, elem), initial_values(op)) {
            (Some(scalar), _) => Ok(Neutral::Constant(scalar)),
            (None, Some(first)) => {
                let initial = op.operands()[first + operand];
                let value = self.request(initial, &Layout::replicated(&[]), reasons::OPERAND)?;
                Ok(Neutral::Value(value))
            }
            (None, None) => Ok(Neutral::Constant(Scalar::zero(elem))),
        }
    }

    /// Partial results that only the op's own region can combine: all of them are gathered and folded again.
    fn fold_gathered(
        &mut self,
        op: OpRef<'m>,
        values: Vec<ValueId>,
        atoms: &AtomList,
    ) -> Result<Vec<ValueId>, Diagnostic> {
        let Some(first) = initial_values(op) else { return Ok(values) };
        self.emit.purpose =
            super::emit::Purpose { value: op.results().next(), cause: Some(op.id), reason: reasons::COMBINE };
        let mut new = NewOp::new(op.kind());
        for &value in &values {
            let ty = self.emit.type_of(value);
            new.result_types.push(self.emit.module.types.intern(Type::Tensor(ty.clone())));
            let mut row = ty.clone();
            row.shape.insert(0, 1);
            let row = self.emit.op(OpKind::Reshape, &[value], vec![], row);
            new.operands.push(self.emit.all_gather(row, 0, atoms));
        }
        for &initial in &op.operands()[first..] {
            let value = self.request(initial, &Layout::replicated(&[]), reasons::OPERAND)?;
            new.operands.push(value);
        }
        new.attrs = op.op().attrs.clone();
        new.attrs.set(names::DIMENSIONS, Attr::i64s([0]));
        self.finish(op, new)
    }

    /// Whether an op is made of constants alone, so that each use of it can be written where it is needed.
    pub(super) fn is_lazy(&self, op: OpRef<'m>) -> bool {
        if op.results().len() != 1 {
            return false;
        }
        let lazy = |v: &ValueId| matches!(self.bound[*v], Bound::Lazy(..));
        match op.def().spread {
            Spread::Constant => true,
            Spread::Rule(_, Flow::Broadcast) => {
                op.operands().iter().all(|v| lazy(v) || self.shape(*v).is_empty() && !self.is_partial(*v))
            }
            Spread::Rule(_, flow) => {
                // What computes nothing of its own can as well be written several times.
                let cheap = matches!(flow, Flow::Elementwise | Flow::PassThrough)
                    || (op.def().work)(op).flops == 0.0 && op.regions().is_empty();
                cheap && !op.operands().is_empty() && op.operands().iter().all(lazy)
            }
            _ => false,
        }
    }

    /// Whether a value is still to be combined where it was made.
    pub(super) fn is_partial(&self, value: ValueId) -> bool {
        self.versions(value).next().is_some_and(|v| v.layout.partial.is_some())
    }
}

/// What changes nothing when it is folded in.
enum Neutral {
    Constant(Scalar),
    Value(ValueId),
}
