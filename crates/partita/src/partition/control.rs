//! Loops, branches and other ops with regions that run as they stand.

use super::Partitioner;
use super::layout::Layout;
use super::ops::reasons;
use crate::diagnostic::Diagnostic;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::trip_count;

/// How often a loop is taken to run where its text does not say.
const UNKNOWN_ROUNDS: u64 = 16;

/// How often a loop runs, or is taken to run. Where nothing is known that is often enough for everything to be moved out.
pub(super) fn rounds(input: &Module, op: OpId) -> u64 {
    trip_count(input, &[op]).unwrap_or(UNKNOWN_ROUNDS).max(2)
}

impl<'m> Partitioner<'m> {
    /// All operations of a region but the one that ends it.
    pub(super) fn region_ops(&mut self, region: RegionId) -> Result<(), Diagnostic> {
        let input = self.input;
        for &id in &input.regions[region].ops {
            let op = input.op(id);
            if !op.def().traits.terminator {
                self.emit.loc = op.op().loc;
                self.current = Some(id);
                self.op(op)?;
            }
        }
        Ok(())
    }

    /// What a region of the input returns.
    pub(super) fn returned(&self, region: RegionId) -> &'m [ValueId] {
        let input = self.input;
        input.regions[region].ops.last().map_or(&[], |op| input.operands(*op))
    }

    /// Ends the innermost region with what a region of the input returns, in layouts.
    pub(super) fn return_from(
        &mut self,
        region: RegionId,
        layouts: &[Layout],
        reason: &'static str,
    ) -> Result<(), Diagnostic> {
        self.return_values(region, self.returned(region), layouts, reason)
    }

    /// Ends the innermost region as a region of the input is ended, with some values.
    fn return_values(
        &mut self,
        region: RegionId,
        values: &[ValueId],
        layouts: &[Layout],
        reason: &'static str,
    ) -> Result<(), Diagnostic> {
        let mut shards = Vec::with_capacity(values.len());
        for (&value, layout) in values.iter().zip(layouts) {
            shards.push(self.request(value, layout, reason)?);
        }
        self.end_region(region, &shards);
        Ok(())
    }

    /// Ends the innermost region as a region of the input is ended, with these values.
    pub(super) fn end_region(&mut self, region: RegionId, shards: &[ValueId]) {
        let input = self.input;
        let Some(&last) = input.regions[region].ops.last() else { return };
        let mut new = NewOp::new(input.ops[last].kind);
        new.operands = shards.iter().copied().collect();
        new.loc = input.ops[last].loc;
        self.emit.add(new);
    }

    /// A loop: what it carries lies in one layout, before, inside and after. A carry that is only added to may stay partial; one that
    /// never changes is not carried at all.
    pub(super) fn loop_op(&mut self, op: OpRef<'m>) -> Result<(), Diagnostic> {
        let &[condition, body] = op.regions() else { return self.whole(op, "it is no loop") };
        let regions = [condition, body].map(|r| self.input.regions[r].args);
        let changes = |n: &usize| self.returned(body).get(*n) != Some(&regions[1].at(*n));
        let (carried, fixed): (Vec<usize>, Vec<usize>) = (0..op.operands().len()).partition(changes);
        let results: Vec<ValueId> = op.results().collect();
        for n in fixed {
            for value in [regions[0].at(n), regions[1].at(n), results[n]] {
                self.bound[value] = self.bound[op.operands()[n]].clone();
            }
        }
        let layouts: Vec<Layout> = carried.iter().map(|n| self.carried_layout(op, *n)).collect();
        let mut new = NewOp::new(op.kind());
        for (&n, layout) in carried.iter().zip(&layouts) {
            new.operands.push(self.request(op.operands()[n], layout, reasons::CARRY)?);
        }
        let rounds = rounds(self.input, op.id);
        for (region, args) in [condition, body].into_iter().zip(regions) {
            let args: Vec<ValueId> = carried.iter().map(|n| args.at(*n)).collect();
            let opened = self.open_region(&args, &layouts, rounds);
            self.region_ops(region)?;
            self.current = Some(op.id);
            let returned = self.returned(region);
            if region == condition {
                self.return_values(region, returned, &[Layout::replicated(&[])], reasons::CARRY)?;
            } else {
                let returned: Vec<ValueId> = carried.iter().map(|n| returned[*n]).collect();
                self.return_values(region, &returned, &layouts, reasons::CARRY)?;
            }
            self.close_region();
            new.regions.push(opened);
        }
        let results: Vec<ValueId> = carried.iter().map(|n| results[*n]).collect();
        self.finish_control(op, &results, new, layouts)
    }

    /// How a loop carries a value.
    fn carried_layout(&self, op: OpRef<'m>, n: usize) -> Layout {
        let result = op.results().nth(n).unwrap_or(op.operands()[n]);
        let home = self.home(result);
        match self.unreduced.carry(op.id, n) {
            Some(partial) => home.pending(self.mesh, self.shape(result), partial),
            None => home,
        }
    }

    /// Branches: what they return lies in one layout. The predicate is the same on every device.
    pub(super) fn branches(&mut self, op: OpRef<'m>) -> Result<(), Diagnostic> {
        let layouts: Vec<Layout> = op.results().map(|v| self.home(v)).collect();
        let mut new = NewOp::new(op.kind());
        for &operand in op.operands() {
            let layout = self.replicated(operand);
            new.operands.push(self.request(operand, &layout, reasons::OPERAND)?);
        }
        for &region in op.regions() {
            let opened = self.open_region(&[], &[], 1);
            self.region_ops(region)?;
            self.current = Some(op.id);
            self.return_from(region, &layouts, reasons::BRANCH)?;
            self.close_region();
            new.regions.push(opened);
        }
        let results: Vec<ValueId> = op.results().collect();
        self.finish_control(op, &results, new, layouts)
    }

    /// Adds an op with regions and says what became of these results of the input's.
    fn finish_control(
        &mut self,
        op: OpRef<'m>,
        old: &[ValueId],
        mut new: NewOp,
        layouts: Vec<Layout>,
    ) -> Result<(), Diagnostic> {
        new.attrs = op.op().attrs.clone();
        new.attrs.remove(names::SDY_SHARDING);
        new.attrs.remove(names::MHLO_SHARDING);
        new.loc = op.op().loc;
        for (&result, layout) in old.iter().zip(&layouts) {
            let ty = self.local_type(result, layout);
            new.result_types.push(self.emit.module.types.intern(ty));
        }
        let id = self.emit.add(new);
        let results = self.emit.module.ops[id].results;
        for ((&old, new), layout) in old.iter().zip(results.iter()).zip(layouts) {
            self.bind(old, layout, new);
        }
        Ok(())
    }

    /// Each result is the operand at its place, as `optimization_barrier` has it.
    pub(super) fn pairs(&mut self, op: OpRef<'m>) -> Result<(), Diagnostic> {
        let layouts: Vec<Layout> = op.results().map(|v| self.home(v)).collect();
        let mut new = NewOp::new(op.kind());
        for (&operand, layout) in op.operands().iter().zip(&layouts) {
            new.operands.push(self.request(operand, layout, reasons::OPERAND)?);
        }
        let results: Vec<ValueId> = op.results().collect();
        self.finish_control(op, &results, new, layouts)
    }

    /// A region that only groups operations: they are written where it stands.
    pub(super) fn inlined_region(&mut self, op: OpRef<'m>) -> Result<(), Diagnostic> {
        let Some(&region) = op.regions().first() else { return Ok(()) };
        for (&operand, arg) in op.operands().iter().zip(self.input.regions[region].args.iter()) {
            let layout = self.home(arg);
            let value = self.request(operand, &layout, reasons::ANNOTATION)?;
            self.bind(arg, layout, value);
        }
        self.region_ops(region)?;
        self.current = Some(op.id);
        for (&value, result) in self.returned(region).iter().zip(op.results()) {
            let layout = self.home(result);
            let value = self.request(value, &layout, reasons::ANNOTATION)?;
            self.bind(result, layout, value);
        }
        Ok(())
    }
}
