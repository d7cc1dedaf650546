//! What a per-device program takes and gives, seen from outside.
//!
//! A per-device program knows its shards only. So that whoever has the file can cut global arrays to shards and put results
//! together again, the mesh stands on the module (`partita.mesh`), and global type and sharding stand on every argument and
//! result (`partita.global_type`, `partita.sharding`; `partita.devices` where its shards lie on the devices in an order of their own). Mesh and shardings are strings, in Shardy's text: engines that know
//! nothing of either read past them.

use super::order::own_devices;
use super::{Layout, Partitioned, Positions};
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use crate::sharding::export;
use crate::sharding::import::{Subject, boundary_sharding, from_sdy, module_mesh};
use crate::sharding::{DimSharding, Mesh, Sharding};
use crate::text;

/// The name shardings give their mesh.
const MESH: &str = "mesh";

/// The mesh of a per-device program, and the global tensors that its arguments and results are shards of.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The mesh.
    pub mesh: Mesh,
    /// The arguments.
    pub arguments: Vec<Global>,
    /// The results.
    pub results: Vec<Global>,
}

/// A tensor and how it lies on the devices.
#[derive(Clone, Debug)]
pub struct Global {
    /// The type of the whole tensor.
    pub ty: TensorType,
    /// How it lies.
    pub layout: Layout,
    /// The device that has the shard of each position of the mesh, where it is not the mesh's.
    pub devices: Option<Vec<i64>>,
}

impl Global {
    /// The device that has the shard of a position.
    pub fn device(&self, positions: &Positions<'_>, position: i64) -> i64 {
        match &self.devices {
            Some(devices) => devices[position as usize],
            None => positions.device(position),
        }
    }
}

impl Partitioned {
    /// Writes mesh, global types and shardings onto the module, its arguments and its results.
    ///
    /// `program` is what was partitioned: its only function has the global types. What is no tensor gets no attributes.
    pub fn annotate(&mut self, program: &Module) {
        let (Some(global), Some(local)) = (program.funcs.iter().next(), self.module.funcs.ids().next())
        else {
            return;
        };
        let module = &mut self.module;
        let mesh = module.strings.intern(&export::mesh_text(&self.mesh));
        module.attrs.set(names::PARTITA_MESH, Attr::Str(mesh));
        let sides = [(&global.inputs, &self.arguments), (&global.results, &self.results)];
        for (side, (types, layouts)) in sides.into_iter().enumerate() {
            for (n, (ty, layout)) in types.iter().zip(layouts).enumerate() {
                let Type::Tensor(ty) = &program.types[*ty] else { continue };
                let sharding = module.strings.intern(&layout.text(&self.mesh));
                let func = &mut module.funcs[local];
                let attrs = if side == 0 { &mut func.arg_attrs } else { &mut func.result_attrs };
                let Some(attrs) = attrs.get_mut(n) else { continue };
                attrs.set(names::PARTITA_GLOBAL_TYPE, Attr::Type(Box::new(Type::Tensor(ty.clone()))));
                attrs.set(names::PARTITA_SHARDING, Attr::Str(sharding));
            }
        }
    }

    /// The signature, where all arguments and results are tensors. `program` is what was partitioned.
    pub fn signature(&self, program: &Module) -> Option<Signature> {
        let func = program.funcs.iter().next()?;
        let globals = |types: &[TypeId], layouts: &[Layout], attrs: &[Attrs]| -> Option<Vec<Global>> {
            let global = |(n, (ty, layout)): (usize, (&TypeId, &Layout))| {
                let ty = program.types[*ty].as_tensor()?.clone();
                let own = attrs.get(n).map(|attrs| own_devices(&self.mesh, attrs, func.span));
                let devices = own.transpose().ok().flatten().flatten();
                Some(Global { ty, layout: layout.clone(), devices })
            };
            types.iter().zip(layouts).enumerate().map(global).collect()
        };
        Some(Signature {
            mesh: self.mesh.clone(),
            arguments: globals(&func.inputs, &self.arguments, &func.arg_attrs)?,
            results: globals(&func.results, &self.results, &func.result_attrs)?,
        })
    }
}

impl Layout {
    /// The layout as a sharding in Shardy's text, `<@mesh, [{"x"}, {}]>`.
    pub fn text(&self, mesh: &Mesh) -> String {
        let dims = self.dims.iter().map(|d| DimSharding { atoms: d.atoms.clone(), ..DimSharding::default() });
        let sharding =
            Sharding { dims: dims.collect(), unreduced: self.partial_atoms(), ..Sharding::default() };
        export::text(mesh, MESH, &sharding)
    }
}

impl Signature {
    /// The signature that stands in the attributes of a per-device program; nothing where there is no mesh on it.
    pub fn read(module: &Module) -> Result<Option<Signature>, Diagnostic> {
        let Some(mesh) = module.attrs.get(names::PARTITA_MESH) else { return Ok(None) };
        let missing = |what: String, span| {
            Diagnostic::new("signature", span, what).fix("write the file with `partita partition`")
        };
        let Some(mesh) = mesh.as_str() else {
            return Err(missing("`partita.mesh` is not a string".into(), Span::default()));
        };
        let Some((func, data)) = module.funcs.enumerate().next() else {
            return Err(missing("the program has no function".into(), Span::default()));
        };
        // Read as a declaration in Shardy's notation, by the parser there is.
        let mut declaration =
            format!("sdy.mesh @{MESH} = {}\nfunc.func private @global(", &module.strings[mesh]);
        let sides =
            [("argument", &data.inputs, &data.arg_attrs), ("result", &data.results, &data.result_attrs)];
        for (side, (word, types, attrs)) in sides.into_iter().enumerate() {
            declaration.push_str(if side == 0 { "" } else { ") -> (" });
            for n in 0..types.len() {
                let text = attrs.get(n).and_then(|attrs| tensor_text(module, attrs));
                let Some(text) = text else {
                    let what = format!(
                        "{word} {n} of `@{}` has no `partita.global_type` and `partita.sharding`",
                        &module.strings[data.name]
                    );
                    return Err(missing(what, data.span));
                };
                declaration.push_str(if n == 0 { "" } else { ", " });
                declaration.push_str(&text);
            }
        }
        declaration.push_str(")\n");
        let declared = text::parse(&declaration).map_err(|errors| {
            let first = errors.first().map_or(String::new(), |e| format!(": {}", e.message));
            missing(format!("mesh and shardings of the program cannot be read{first}"), data.span)
        })?;
        let at = |mut error: Diagnostic| {
            error.span = data.span;
            error
        };
        let (Some(mesh), Some(global)) = (module_mesh(&declared).map_err(at)?, declared.funcs.iter().next())
        else {
            return Err(missing("`partita.mesh` has no axes".into(), data.span));
        };
        let read = |word: &str, locals: &[TypeId], types: &[TypeId], attrs: &[Attrs], own: &[Attrs]| {
            let mut list = Vec::with_capacity(types.len());
            for (n, (ty, attrs)) in types.iter().zip(attrs).enumerate() {
                let name = format!("{word} {n}");
                let Some((ty, sharding)) = declared.types[*ty].as_tensor().zip(boundary_sharding(attrs))
                else {
                    return Err(missing(format!("{name} is no tensor"), data.span));
                };
                let subject = Subject { name: &name, span: data.span, rank: ty.rank() };
                let sharding = from_sdy(&declared, &mesh, sharding, &subject).map_err(at)?;
                let layout = Layout::of(&mesh, &ty.shape, sharding.dims.iter().map(|d| &d.atoms[..]));
                let local = layout.local(ty);
                if module.types[locals[n]].as_tensor() != Some(&local) {
                    let what = format!(
                        "{name} is `{}`, but a shard of `{ty}` as its sharding has it is `{local}`",
                        module.types[locals[n]]
                    );
                    return Err(missing(what, data.span));
                }
                let own = own.get(n).map(|attrs| own_devices(&mesh, attrs, data.span)).transpose()?;
                list.push(Global { ty: ty.clone(), layout, devices: own.flatten() });
            }
            Ok(list)
        };
        debug_assert_eq!(func.index(), 0);
        Ok(Some(Signature {
            arguments: read("argument", &data.inputs, &global.inputs, &global.arg_attrs, &data.arg_attrs)?,
            results: read(
                "result",
                &data.results,
                &global.results,
                &global.result_attrs,
                &data.result_attrs,
            )?,
            mesh,
        }))
    }
}

/// A tensor of the boundary as a declaration has it.
fn tensor_text(module: &Module, attrs: &Attrs) -> Option<String> {
    let Attr::Type(ty) = attrs.get(names::PARTITA_GLOBAL_TYPE)? else { return None };
    let sharding = attrs.get(names::PARTITA_SHARDING)?.as_str()?;
    Some(format!("{ty} {{sdy.sharding = #sdy.sharding{}}}", &module.strings[sharding]))
}
