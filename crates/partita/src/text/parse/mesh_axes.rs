//! Groups of devices as axes of a mesh: `#stablehlo.replica_group_mesh_axes<…>`.

use super::{PResult, Parser};
use crate::ir::attr::MeshAxes;
use crate::ir::sdy::{AxisRef, MeshAttr, MeshRef};
use crate::ir::{Attr, Sym, names};
use crate::text::lexer::Tok;

impl Parser<'_> {
    /// `<mesh = …, axes = […]>`.
    pub(super) fn mesh_axes(&mut self) -> PResult<MeshAxes> {
        let start = self.tok.start;
        let (mut mesh, mut axes) = (None, Vec::new());
        self.fields(|p, field| {
            match field {
                "mesh" => mesh = Some(p.mesh_ref()?),
                "axes" => {
                    p.expect(b'[')?;
                    p.list_until(b']', |p| {
                        axes.push(p.axis_ref()?);
                        Ok(())
                    })?;
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match mesh {
            Some(mesh) => Ok(MeshAxes { mesh, axes }),
            None => Err(self.error_at(self.span_from(start), "the field `mesh` is missing")),
        }
    }

    /// `@mesh` or `#stablehlo.mesh<axes=[…], device_ids=…>`.
    fn mesh_ref(&mut self) -> PResult<MeshRef> {
        if self.tok.kind == Tok::Symbol {
            return Ok(MeshRef::Symbol(self.symbol()?));
        }
        self.hash_name("#stablehlo.mesh")?;
        let mut mesh = MeshAttr::default();
        self.fields(|p, field| {
            match field {
                "axes" => {
                    p.expect(b'[')?;
                    p.list_until(b']', |p| {
                        mesh.axes.push(p.mesh_axis()?);
                        Ok(())
                    })?;
                }
                "device_ids" => {
                    let span = p.tok.span();
                    let Attr::Elements(ids) = p.attribute()? else {
                        return Err(p.error_at(span, "expected a list `dense<…>`"));
                    };
                    mesh.device_ids = Some(ids.to_i64s());
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(MeshRef::Inline(Box::new(mesh)))
    }

    /// `<name = "x", size = 2>`, with or without its own name before it.
    fn mesh_axis(&mut self) -> PResult<(Sym, i64)> {
        if self.tok.kind == Tok::Hash {
            self.hash_name("#stablehlo.mesh_axis")?;
        }
        let (mut name, mut size) = (names::EMPTY, 0);
        self.fields(|p, field| {
            match field {
                "name" => name = p.string()?,
                "size" => size = p.integer()?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok((name, size))
    }

    /// `#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>`.
    fn axis_ref(&mut self) -> PResult<AxisRef> {
        self.hash_name("#stablehlo.axis_ref")?;
        let mut axis = AxisRef { name: names::EMPTY, part: None };
        self.fields(|p, field| {
            match field {
                "name" => axis.name = p.string()?,
                "sub_axis_info" => {
                    p.expect(b'(')?;
                    let before = p.integer()?;
                    p.expect(b')')?;
                    axis.part = Some((before, p.integer()?));
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(axis)
    }

    /// The name of an attribute that must stand here.
    fn hash_name(&mut self, name: &str) -> PResult<()> {
        if self.tok.kind == Tok::Hash && self.text_of(self.tok) == name {
            self.next();
            return Ok(());
        }
        Err(self.expected(&format!("`{name}`")))
    }
}
