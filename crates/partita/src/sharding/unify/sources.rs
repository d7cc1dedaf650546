//! What a program says of devices: its meshes and its tiles.

use super::{Call, manual};
use crate::diagnostic::Diagnostic;
use crate::ir::sdy::{MeshAttr, MeshRef, SdyAttr};
use crate::ir::*;
use crate::ops::OpKind;
use crate::sharding::common::{CommonError, CommonMesh, NamedGrid};
use crate::sharding::gspmd::{Devices, Subgroup, TileKind, TileSharding, Tiles, parse};
use crate::sharding::import::mesh_error;
use crate::sharding::mesh::{Mesh, MeshError};
use rustc_hash::{FxHashMap, FxHashSet};

/// A sharding in tiles, and where it stands first.
pub(super) struct Tile {
    pub(super) sharding: TileSharding,
    span: Span,
}

/// A mesh of the program, and where it stands first.
pub(super) struct NamedMesh {
    grid: NamedGrid,
    symbol: Option<Sym>,
    span: Span,
}

/// Everything in a program that speaks of devices.
pub(super) struct Sources {
    /// Each text of a tile sharding, in order of appearance.
    pub(super) tiles: FxHashMap<Sym, Tile>,
    order: Vec<Sym>,
    meshes: Vec<NamedMesh>,
    /// The declared mesh that lends the common one its name.
    pub(super) base: Option<Sym>,
    /// Whether calls stand for annotations, or meshes are written in place.
    rewrite: bool,
}

impl Sources {
    pub(super) fn collect(module: &Module) -> Result<Sources, Vec<Diagnostic>> {
        let mut sources = Sources {
            tiles: FxHashMap::default(),
            order: Vec::new(),
            meshes: Vec::new(),
            base: None,
            rewrite: false,
        };
        let mut errors = Vec::new();
        let used = used_meshes(module);
        let any = module.meshes.iter().any(|m| !m.mesh.axes.is_empty() && used.contains(&m.name));
        for decl in module.meshes.iter().filter(|m| !m.mesh.axes.is_empty()) {
            // A mesh that nothing is sharded over counts only where there is no other.
            if used.contains(&decl.name) || (!any && sources.meshes.is_empty()) {
                sources.mesh(module, &decl.mesh, Some(decl.name), decl.span, &mut errors);
            } else {
                sources.rewrite = true;
            }
        }
        for func in module.funcs.iter() {
            for attrs in func.arg_attrs.iter().chain(&func.result_attrs) {
                sources.attrs(module, attrs, func.span, &mut errors);
            }
        }
        for op in module.ops.ids() {
            let op = module.op(op);
            sources.rewrite |= op.kind() == OpKind::CustomCall && Call::of(op).is_some();
            sources.rewrite |= manual::boundary(op).is_some();
            sources.attrs(module, &op.op().attrs, op.op().span, &mut errors);
        }
        if errors.is_empty() { Ok(sources) } else { Err(errors) }
    }

    fn attrs(&mut self, module: &Module, attrs: &Attrs, span: Span, errors: &mut Vec<Diagnostic>) {
        for (name, attr) in attrs.iter() {
            match attr {
                Attr::Str(text) if *name == names::MHLO_SHARDING => {
                    self.rewrite = true;
                    if self.tiles.contains_key(text) {
                        continue;
                    }
                    match parse(&module.strings[*text]) {
                        Ok(sharding) => {
                            self.named_meshes(module, &sharding, span, errors);
                            self.order.push(*text);
                            self.tiles.insert(*text, Tile { sharding: canonical(sharding), span });
                        }
                        Err(error) => {
                            let message = format!("`mhlo.sharding` is not a sharding: {error}");
                            let fix =
                                "write it as `{devices=[2,4]<=[8]}`, `{replicated}`, or as XLA prints it";
                            errors.push(Diagnostic::new("sharding", span, message).fix(fix));
                        }
                    }
                }
                Attr::Sdy(sdy) => {
                    let list = match &**sdy {
                        SdyAttr::Sharding(one) => std::slice::from_ref(one),
                        SdyAttr::PerValue(list) => list,
                        _ => &[],
                    };
                    for sharding in list {
                        if let MeshRef::Inline(mesh) = &sharding.mesh {
                            self.rewrite = true;
                            self.mesh(module, mesh, None, span, errors);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn named_meshes(
        &mut self,
        module: &Module,
        sharding: &TileSharding,
        span: Span,
        errors: &mut Vec<Diagnostic>,
    ) {
        match sharding {
            TileSharding::Tuple(parts) => {
                parts.iter().for_each(|p| self.named_meshes(module, p, span, errors))
            }
            TileSharding::Array(array) => {
                if let TileKind::Named(named) = &array.kind {
                    let grid = NamedGrid { axes: named.axes.clone(), device_ids: named.device_ids.clone() };
                    self.add_mesh(module, grid, None, span, errors);
                }
            }
        }
    }

    fn mesh(
        &mut self,
        module: &Module,
        mesh: &MeshAttr,
        symbol: Option<Sym>,
        span: Span,
        errors: &mut Vec<Diagnostic>,
    ) {
        // A mesh without axes places a tensor on one device, or says nothing.
        if !mesh.axes.is_empty() {
            self.add_mesh(module, grid_of(module, mesh), symbol, span, errors);
        }
    }

    fn add_mesh(
        &mut self,
        module: &Module,
        grid: NamedGrid,
        symbol: Option<Sym>,
        span: Span,
        errors: &mut Vec<Diagnostic>,
    ) {
        if let Some(known) = self.meshes.iter().find(|m| m.grid == grid) {
            // One mesh under two names is to have one.
            self.rewrite |= symbol != known.symbol;
            return;
        }
        if let Err(error) = built(&grid) {
            let name = symbol.map_or("mesh", |s| &module.strings[s]);
            errors.push(mesh_error(name, &error, span));
            return;
        }
        if self.meshes.is_empty() {
            self.base = symbol;
        }
        self.meshes.push(NamedMesh { grid, symbol, span });
    }

    pub(super) fn already_one(&self) -> bool {
        !self.rewrite && self.meshes.len() < 2
    }

    /// Whether there is a mesh, or a grid of tiles.
    pub(super) fn names_devices(&self) -> bool {
        let mut grids = 0;
        self.tiles.values().for_each(|tile| each_tiles(&tile.sharding, &mut |_| grids += 1));
        !self.meshes.is_empty() || grids > 0
    }

    /// The mesh everything is written over.
    pub(super) fn common(&self, module: &Module) -> Result<CommonMesh, Vec<Diagnostic>> {
        let mut arrays = Vec::new();
        for text in &self.order {
            let tile = &self.tiles[text];
            each_tiles(&tile.sharding, &mut |tiles| arrays.push((tiles, tile.span)));
        }
        if let Some(first) = self.meshes.first() {
            let common = CommonMesh::over(first.grid.clone());
            let mut errors = Vec::new();
            for mesh in &self.meshes[1..] {
                if let Err(error) = common.axes_of(&mesh.grid) {
                    let name = mesh.symbol.map(|s| format!(" `@{}`", &module.strings[s])).unwrap_or_default();
                    let message = format!("the mesh{name} cannot be one with the first of the file: {error}");
                    errors.push(
                        Diagnostic::new("mesh", mesh.span, message).fix("use one mesh for all shardings"),
                    );
                }
            }
            for (tiles, span) in arrays {
                if let Err(error) = common.parts_in_any_order(&tiles.devices, inner_grid(tiles)) {
                    errors.push(not_together(tiles, &error, span));
                }
            }
            return if errors.is_empty() { Ok(common) } else { Err(errors) };
        }
        let partitions = module.attrs.get(names::MHLO_NUM_PARTITIONS).and_then(Attr::as_int).unwrap_or(1);
        let largest = arrays.iter().map(|(tiles, _)| tiles.grid.iter().product::<i64>()).max();
        let count = largest.unwrap_or(partitions.max(1));
        let grids: Vec<(&Devices, &[i64])> =
            arrays.iter().map(|(tiles, _)| (&tiles.devices, inner_grid(tiles))).collect();
        CommonMesh::of_tiles(count, &grids)
            .map_err(|(n, error)| vec![not_together(arrays[n].0, &error, arrays[n].1)])
    }
}

/// The names of meshes that shardings are over.
fn used_meshes(module: &Module) -> FxHashSet<Sym> {
    let mut used = FxHashSet::default();
    let mut note = |mesh: &MeshRef| {
        if let MeshRef::Symbol(name) = mesh {
            used.insert(*name);
        }
    };
    let boundary = module.funcs.iter().flat_map(|f| f.arg_attrs.iter().chain(&f.result_attrs));
    for (_, attr) in boundary.chain(module.ops.iter().map(|op| &op.attrs)).flat_map(Attrs::iter) {
        match attr {
            Attr::Sdy(sdy) => match &**sdy {
                SdyAttr::Sharding(one) => note(&one.mesh),
                SdyAttr::PerValue(list) => list.iter().for_each(|s| note(&s.mesh)),
                _ => {}
            },
            Attr::MeshAxes(axes) => note(&axes.mesh),
            _ => {}
        }
    }
    used
}

pub(super) fn not_together(tiles: &Tiles, error: &CommonError, span: Span) -> Diagnostic {
    let message =
        format!("the sharding `{{{tiles}}}` cannot be written over one mesh with the others: {error}");
    Diagnostic::new("sharding", span, message)
        .fix("number the devices of all shardings alike, as axes of one mesh")
}

/// Why a grid is no mesh, where it is none.
fn built(grid: &NamedGrid) -> Result<(), MeshError> {
    let mesh = Mesh::new(grid.axes.iter().map(|(name, size)| (name.as_str(), *size)));
    let mesh = mesh.and_then(|m| match &grid.device_ids {
        Some(ids) => m.with_device_ids(ids.clone()),
        None => Ok(m),
    });
    mesh.map(|_| ())
}

pub(super) fn grid_of(module: &Module, mesh: &MeshAttr) -> NamedGrid {
    NamedGrid {
        axes: mesh.axes.iter().map(|(name, size)| (module.strings[*name].to_string(), *size)).collect(),
        device_ids: mesh.device_ids.clone(),
    }
}

/// Calls `f` with every grid of tiles in a sharding.
fn each_tiles<'s>(sharding: &'s TileSharding, f: &mut dyn FnMut(&'s Tiles)) {
    match sharding {
        TileSharding::Tuple(parts) => parts.iter().for_each(|p| each_tiles(p, f)),
        TileSharding::Array(array) => {
            if let TileKind::Tiled(tiles) = &array.kind {
                f(tiles);
            }
        }
    }
}

/// The grid without trailing dimensions along which everything is the same: what is left over is just that.
pub(super) fn inner_grid(tiles: &Tiles) -> &[i64] {
    let same = tiles.subgroups.iter().rev().take_while(|g| **g == Subgroup::Replicated).count();
    &tiles.grid[..tiles.grid.len() - same]
}

/// Devices that hold the same data, in ascending order: which of them comes first makes no difference.
fn canonical(sharding: TileSharding) -> TileSharding {
    match sharding {
        TileSharding::Tuple(parts) => TileSharding::Tuple(parts.into_iter().map(canonical).collect()),
        TileSharding::Array(mut array) => {
            if let TileKind::Tiled(tiles) = &mut array.kind
                && tiles.subgroups == [Subgroup::Replicated]
                && let Some(&size) = tiles.grid.last()
                && let Devices::List(list) = &mut tiles.devices
            {
                list.chunks_mut(size.max(1) as usize).for_each(<[i64]>::sort_unstable);
            }
            TileSharding::Array(array)
        }
    }
}
