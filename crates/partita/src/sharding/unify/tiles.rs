//! Tile shardings over the common mesh.

use super::sources::{inner_grid, not_together};
use super::{Subject, Unifier, maximal_mesh};
use crate::diagnostic::Diagnostic;
use crate::ir::sdy::{AxisRef, DimSharding, MeshAttr, MeshRef, TensorSharding};
use crate::ir::*;
use crate::sharding::common::{CommonError, Part};
use crate::sharding::digits::list_of;
use crate::sharding::gspmd::{ArraySharding, NamedAxis, Subgroup, TileKind, TileSharding};

impl Unifier {
    /// The sharding of one array; nothing where it says nothing.
    pub(super) fn array(
        &mut self,
        module: &mut Module,
        array: &ArraySharding,
        subject: &Subject,
    ) -> Option<TensorSharding> {
        let mut sharding = self.sharding(vec![DimSharding::default(); subject.rank]);
        self.order = None;
        match &array.kind {
            TileKind::Replicated => {}
            // Inside a manual region nothing is left to say.
            TileKind::Unknown | TileKind::Manual => return None,
            TileKind::Unreduced => {
                let all: Vec<Part> = (0..self.common.grid().axes.len()).map(|axis| (axis, None)).collect();
                sharding.unreduced = self.axis_refs(module, &all);
            }
            TileKind::Maximal(device) => {
                sharding.mesh = MeshRef::Symbol(maximal_mesh(module, *device));
                sharding.dims.clear();
            }
            TileKind::Tiled(tiles) => {
                let dims = tiles.grid.len() - tiles.subgroups.len();
                if dims != subject.rank {
                    self.wrong_rank(subject, dims);
                    return None;
                }
                let grid = inner_grid(tiles);
                let manual = tiles.subgroups.contains(&Subgroup::Manual);
                let parts = match self.common.parts_in_any_order(&tiles.devices, grid) {
                    // Where nothing is manual it makes no difference inside of the program which device does what.
                    Ok((parts, other)) if !other || !manual => {
                        self.order = other.then(|| list_of(&tiles.devices));
                        parts
                    }
                    found => {
                        let error = found.err().unwrap_or(CommonError::Order);
                        self.errors.push(not_together(tiles, &error, subject.span));
                        return None;
                    }
                };
                for (n, parts) in parts.iter().enumerate() {
                    let axes = self.axis_refs(module, parts);
                    if n < dims {
                        sharding.dims[n].axes = axes;
                    } else if tiles.subgroups[n - dims] == Subgroup::Unreduced {
                        sharding.unreduced.extend(axes);
                    }
                }
            }
            TileKind::Named(named) => {
                if named.dims.len() != subject.rank {
                    self.wrong_rank(subject, named.dims.len());
                    return None;
                }
                let mut intern = |axes: &[NamedAxis]| -> Vec<AxisRef> {
                    let axis =
                        |(name, part): &NamedAxis| AxisRef { name: module.strings.intern(name), part: *part };
                    axes.iter().map(axis).collect()
                };
                let axes =
                    named.axes.iter().map(|(n, s)| (intern(&[(n.clone(), None)])[0].name, *s)).collect();
                let mesh = MeshAttr { axes, device_ids: named.device_ids.clone() };
                for (dim, (axes, open)) in sharding.dims.iter_mut().zip(&named.dims) {
                    *dim = DimSharding { axes: intern(axes), open: *open, priority: None };
                }
                sharding.replicated = intern(&named.replicated);
                sharding.unreduced = intern(&named.unreduced);
                sharding.mesh = MeshRef::Inline(Box::new(mesh));
                self.translate(module, &mut sharding, subject.span);
            }
        }
        Some(sharding)
    }

    fn wrong_rank(&mut self, subject: &Subject, dims: usize) {
        let message =
            format!("`{}` has {} dimensions, but its sharding has {dims}", subject.name, subject.rank);
        let fix = "give the grid one size per dimension of the tensor";
        self.errors
            .push(Diagnostic::new("sharding", subject.span, message).value(subject.name.clone()).fix(fix));
    }

    /// Notes what a call at the edge of a manual region says.
    pub(super) fn manual_call(&mut self, module: &mut Module, op: OpId, text: Option<Sym>, begins: bool) {
        let span = module.ops[op].span;
        let array = match text.and_then(|text| self.tiles.get(&text)).map(|tile| &tile.sharding) {
            Some(TileSharding::Array(array)) => array.clone(),
            // What comes out is open where nothing is said.
            None if !begins => ArraySharding { kind: TileKind::Unknown, group: None, metadata: None },
            _ => {
                let message = "a call at the edge of a manual region has no sharding";
                let fix =
                    "give it `mhlo.sharding`: `{manual}` where the region begins, the tiles where it ends";
                self.errors.push(Diagnostic::new("manual-region", span, message).fix(fix));
                return;
            }
        };
        if begins {
            let axes = self.manual_part(module, &array, span);
            self.manual.begins.insert(op, axes);
        } else {
            let subject = Subject::of(module, module.ops[op].results.at(0), span);
            let sharding = self.array(module, &array, &subject).unwrap_or_else(|| self.open(subject.rank));
            self.manual.ends.insert(op, sharding);
        }
    }

    /// The manual axes of a sharding: all of them, or those of its manual group.
    fn manual_part(&mut self, module: &mut Module, array: &ArraySharding, span: Span) -> Vec<Sym> {
        let grid = self.common.grid();
        let parts: Vec<Part> = match &array.kind {
            TileKind::Tiled(tiles) => {
                let dims = tiles.grid.len() - tiles.subgroups.len();
                let parts = self.common.parts(&tiles.devices, inner_grid(tiles)).unwrap_or_default();
                let manual = |n: &usize| *n >= dims && tiles.subgroups[*n - dims] == Subgroup::Manual;
                (0..parts.len()).filter(manual).flat_map(|n| parts[n].clone()).collect()
            }
            TileKind::Manual => (0..grid.axes.len()).map(|axis| (axis, None)).collect(),
            // A region without manual axes is one all the same.
            _ => return Vec::new(),
        };
        if parts.is_empty() || parts.iter().any(|(_, part)| part.is_some()) {
            let message = "the manual axes of the region are no whole axes of the mesh";
            self.errors.push(Diagnostic::new("manual-region", span, message));
        }
        let mut axes: Vec<usize> = parts.iter().map(|p| p.0).collect();
        axes.sort_unstable();
        axes.into_iter().map(|axis| module.strings.intern(&self.common.grid().axes[axis].0)).collect()
    }
}
