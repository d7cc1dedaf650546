//! Groups of devices as axes of a mesh: `#stablehlo.replica_group_mesh_axes<…>`.

use super::Printer;
use crate::ir::Attr;
use crate::ir::attr::MeshAxes;
use crate::ir::sdy::{AxisRef, MeshAttr, MeshRef};
use crate::value::Tensor;
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn mesh_axes(&mut self, axes: &MeshAxes) {
        self.text("#stablehlo.replica_group_mesh_axes<mesh = ");
        match &axes.mesh {
            MeshRef::Symbol(name) => self.symbol(*name),
            MeshRef::Inline(mesh) => self.stablehlo_mesh(mesh),
        }
        self.text(", axes = [");
        self.commas(&axes.axes, |p, axis| p.axis_ref(axis));
        self.text("]>");
    }

    fn stablehlo_mesh(&mut self, mesh: &MeshAttr) {
        self.text("#stablehlo.mesh<axes=[");
        self.commas(&mesh.axes, |p, (name, size)| {
            p.text("<name = ");
            p.string(*name);
            write!(p.out, ", size = {size}>").unwrap_or_default();
        });
        self.text("]");
        if let Some(ids) = &mesh.device_ids {
            self.text(", device_ids=");
            self.attr(&Attr::Elements(Box::new(Tensor::from_i64s(ids))));
        }
        self.text(">");
    }

    fn axis_ref(&mut self, axis: &AxisRef) {
        self.text("#stablehlo.axis_ref<name = ");
        self.string(axis.name);
        if let Some((before, size)) = axis.part {
            write!(self.out, ", sub_axis_info = ({before}){size}").unwrap_or_default();
        }
        self.text(">");
    }
}
