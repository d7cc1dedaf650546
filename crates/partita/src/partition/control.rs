//! Loops, branches and other ops with regions that run as they stand.

use super::Partitioner;
use super::layout::Layout;
use super::ops::reasons;
use crate::diagnostic::Diagnostic;
use crate::ir::module::NewOp;
use crate::ir::*;

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
        let input = self.input;
        let Some(&last) = input.regions[region].ops.last() else { return Ok(()) };
        let mut new = NewOp::new(input.ops[last].kind);
        for (&value, layout) in input.operands(last).iter().zip(layouts) {
            new.operands.push(self.request(value, layout, reason)?);
        }
        new.loc = input.ops[last].loc;
        self.emit.add(new);
        Ok(())
    }

    /// A loop: what it carries lies in one layout, before, inside and after. A carry that is only added to may stay partial.
    pub(super) fn loop_op(&mut self, op: OpRef<'m>) -> Result<(), Diagnostic> {
        let mut layouts: Vec<Layout> = op.results().map(|v| self.home(v)).collect();
        for (n, layout) in layouts.iter_mut().enumerate() {
            if let Some(partial) = self.unreduced.carry(op.id, n) {
                for dim in layout.dims.iter_mut() {
                    *dim = super::unreduced::without(self.mesh, dim, partial.atoms);
                }
                // Sizes of whole dimensions are those of the tensor.
                for (dim, &size) in layout.dims.iter_mut().zip(self.shape(op.operands()[n])) {
                    *dim = super::layout::DimLayout::canonical(self.mesh, size, dim.atoms.clone());
                }
                layout.partial = Some(partial);
            }
        }
        let mut new = NewOp::new(op.kind());
        for (n, &operand) in op.operands().iter().enumerate() {
            new.operands.push(self.request(operand, &layouts[n], reasons::CARRY)?);
        }
        for (n, &region) in op.regions().iter().enumerate() {
            let opened = self.open_region(self.input.regions[region].args, &layouts, true);
            self.region_ops(region)?;
            self.current = Some(op.id);
            // The condition returns a scalar.
            match n {
                0 => self.return_from(region, &[Layout::replicated(&[])], reasons::CARRY)?,
                _ => self.return_from(region, &layouts, reasons::CARRY)?,
            }
            self.close_region();
            new.regions.push(opened);
        }
        self.finish_control(op, new, layouts)
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
            let opened = self.open_region(self.input.regions[region].args, &[], false);
            self.region_ops(region)?;
            self.current = Some(op.id);
            self.return_from(region, &layouts, reasons::BRANCH)?;
            self.close_region();
            new.regions.push(opened);
        }
        self.finish_control(op, new, layouts)
    }

    fn finish_control(
        &mut self,
        op: OpRef<'m>,
        mut new: NewOp,
        layouts: Vec<Layout>,
    ) -> Result<(), Diagnostic> {
        new.attrs = op.op().attrs.clone();
        new.attrs.remove(names::SDY_SHARDING);
        new.attrs.remove(names::MHLO_SHARDING);
        new.loc = op.op().loc;
        for (result, layout) in op.results().zip(&layouts) {
            let ty = self.local_type(result, layout);
            new.result_types.push(self.emit.module.types.intern(ty));
        }
        let id = self.emit.add(new);
        let results = self.emit.module.ops[id].results;
        for ((old, new), layout) in op.results().zip(results.iter()).zip(layouts) {
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
        self.finish_control(op, new, layouts)
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
