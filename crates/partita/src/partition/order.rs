//! Arguments and results whose shards lie on the devices in an order of their own.
//!
//! Inside of a program there is one mesh with one order of devices. What comes in or goes out in an order that contradicts it
//! (`partita.devices`: the device at each position of the mesh, for this tensor) is passed on once, from device to device.

use super::emit::Purpose;
use super::layout::Layout;
use super::ops::reasons;
use super::pattern::{Pattern, Positions};
use super::{Partitioned, Partitioner};
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use crate::sharding::Mesh;

/// The devices of a tensor, where they stand in an order of its own: for each position of the mesh the one that has its shard.
pub(super) fn own_devices(mesh: &Mesh, attrs: &Attrs, span: Span) -> Result<Option<Vec<i64>>, Diagnostic> {
    let Some(attr) = attrs.get(names::PARTITA_DEVICES) else { return Ok(None) };
    let devices = match attr {
        Attr::I64s(list) => list.to_vec(),
        _ => Vec::new(),
    };
    let mut sorted = devices.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..mesh.device_count()) {
        let message = "`partita.devices` does not name every device of the mesh once";
        return Err(
            Diagnostic::new("sharding", span, message).fix("leave it out: `partita` writes it itself")
        );
    }
    Ok(Some(devices))
}

impl Partitioned {
    /// Whether some argument or result lies on the devices in an order that the mesh does not have.
    pub fn has_own_orders(&self) -> bool {
        let attrs = |f: &Func| {
            let mut all = f.arg_attrs.iter().chain(&f.result_attrs);
            all.any(|a| a.get(names::PARTITA_DEVICES).is_some())
        };
        self.module.funcs.iter().any(attrs)
    }
}

impl<'m> Partitioner<'m> {
    /// A shard of an argument or result passed on from its own order of devices to that of the mesh, or back.
    pub(super) fn pass_on(
        &mut self,
        value: ValueId,
        (shard, layout): (ValueId, &Layout),
        attrs: Option<&Attrs>,
        inwards: bool,
    ) -> Result<ValueId, Diagnostic> {
        let Some(attrs) = attrs.filter(|_| !layout.is_replicated()) else { return Ok(shard) };
        let Some(devices) = own_devices(self.mesh, attrs, Span::default())? else { return Ok(shard) };
        let positions = Positions::new(self.mesh);
        let pair = |(position, &own): (usize, &i64)| {
            let inside = positions.device(position as i64);
            if inwards { [own, inside] } else { [inside, own] }
        };
        let pairs: Vec<[i64; 2]> = devices.iter().enumerate().map(pair).collect();
        self.emit.purpose = Purpose { value: Some(value), cause: self.current, reason: reasons::DEVICES };
        Ok(self.emit.permute(shard, Pattern::Devices(pairs.into())))
    }
}
