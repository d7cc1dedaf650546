//! Manual regions: written for one device along some axes, inside of code that is not.
//!
//! A value enters in the layout of its sharding, manual atoms in front. Inside, the types are local along them already, so what
//! is left of the layout is what stands behind them; no layout inside has a manual atom, and so nothing that is written
//! there moves data along one. The operations of the region are written where it stands.

use super::Partitioner;
use super::layout::{DimLayout, Layout};
use super::ops::reasons;
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use crate::propagate::SlotId;
use crate::sharding::manual::{BorderDim, border, manual_atoms};
use crate::sharding::{AtomList, AtomSet, Sharding};

/// A value on its way into or out of a manual region.
struct Crossing {
    /// How propagation has it lie outside.
    slot: Option<SlotId>,
    /// The value outside.
    outer: ValueId,
    /// The value inside.
    inner: ValueId,
}

impl<'m> Partitioner<'m> {
    /// Writes the operations of a manual region.
    pub(super) fn manual_region(&mut self, op: OpRef<'m>) -> Result<(), Diagnostic> {
        let Some(&region) = op.regions().first() else { return Ok(()) };
        let manual = manual_atoms(self.mesh, op);
        let inputs = self.shardings.graph.manual_inputs(op.id);
        for (n, inner) in self.input.regions[region].args.iter().enumerate() {
            let outer = op.operands()[n];
            let slot = inputs.get(n).copied().flatten();
            let (outside, inside) = self.across(op, manual, &Crossing { slot, outer, inner })?;
            let value = self.request(outer, &outside, reasons::ANNOTATION)?;
            self.bind(inner, inside, value);
        }
        self.region_ops(region)?;
        self.current = Some(op.id);
        for (&inner, outer) in self.returned(region).iter().zip(op.results()) {
            let slot = self.shardings.graph.value_slot(outer);
            let (outside, inside) = self.across(op, manual, &Crossing { slot, outer, inner })?;
            let value = self.request(inner, &inside, reasons::ANNOTATION)?;
            self.bind(outer, outside, value);
        }
        Ok(())
    }

    /// How a value lies outside of a manual region and inside of it, where every device holds the same on both sides.
    fn across(
        &self,
        op: OpRef<'m>,
        manual: AtomSet,
        value: &Crossing,
    ) -> Result<(Layout, Layout), Diagnostic> {
        let (global, local) = (self.shape(value.outer), self.shape(value.inner));
        let sharding = match value.slot {
            Some(slot) => self.shardings.sharding(slot),
            None => Sharding::replicated(global.len()),
        };
        let dims = border(self.mesh, manual, &sharding, global, local).map_err(|error| {
            let name = self.input.value_name(value.outer);
            let message = format!("`{name}` cannot cross the border of a manual region: {}", error.message);
            Diagnostic::new("manual-region", op.op().span, message).value(name.to_string()).fix(error.fix)
        })?;
        let (mut outside, mut inside) = (Layout::default(), Layout::default());
        for BorderDim { manual, free, size } in dims {
            // Blocks that do not fill a local dimension would start elsewhere in the global one: it stays whole inside.
            let even = size % self.mesh.size_of(free.iter().copied()) == 0;
            let free = if even { free } else { AtomList::new() };
            let atoms = manual.iter().chain(&free).copied().collect();
            let local = DimLayout::canonical(self.mesh, size, free);
            outside.dims.push(DimLayout { atoms, block: local.block });
            inside.dims.push(local);
        }
        Ok((outside, inside))
    }
}
