//! The attributes of Shardy.

use super::{PResult, Parser};
use crate::ir::sdy::{AxisRef, DimSharding, MeshAttr, MeshRef, SdyAttr, TensorSharding};
use crate::ir::*;
use crate::text::lexer::Tok;

impl<'t> Parser<'t> {
    /// `#sdy.sharding<…>` and its like; the token that is looked at names it.
    pub(super) fn sdy_attr(&mut self, mnemonic: &str) -> PResult<Attr> {
        let start = self.next().start;
        let attr = match mnemonic {
            "mesh" => SdyAttr::Mesh(self.sdy_mesh()?),
            "sharding" => SdyAttr::Sharding(self.sdy_sharding()?),
            "sharding_per_value" => {
                self.expect(b'<')?;
                let list = self.sdy_sharding_list()?;
                self.expect(b'>')?;
                SdyAttr::PerValue(list)
            }
            "op_sharding_rule" => {
                self.skip_angles()?;
                let text = &self.text[start as usize..self.last_end as usize];
                let body = text.find('<').map_or("", |open| &text[open + 1..text.len() - 1]);
                SdyAttr::Rule(body.into())
            }
            "" if self.text[self.tok.end as usize..].starts_with("manual_axes") => {
                self.expect(b'<')?;
                self.next();
                let axes = self.sdy_manual_axes()?;
                self.expect(b'>')?;
                SdyAttr::ManualAxes(axes)
            }
            _ => {
                self.skip_angles()?;
                return Ok(Attr::Opaque(self.text[start as usize..self.last_end as usize].into()));
            }
        };
        Ok(Attr::Sdy(Box::new(attr)))
    }

    /// `<["x"=2, "y"=4], device_ids=[…]>`.
    pub(super) fn sdy_mesh(&mut self) -> PResult<MeshAttr> {
        let mut mesh = MeshAttr::default();
        self.expect(b'<')?;
        self.expect(b'[')?;
        self.list_until(b']', |p| {
            let name = p.string()?;
            p.expect(b'=')?;
            mesh.axes.push((name, p.integer()?));
            Ok(())
        })?;
        if self.eat(b',') {
            self.expect_word("device_ids")?;
            self.expect(b'=')?;
            mesh.device_ids = Some(self.integer_list()?);
        }
        self.expect(b'>')?;
        Ok(mesh)
    }

    /// `<@mesh, [{"x"}, {?}], replicated={…}, unreduced={…}>`.
    pub(super) fn sdy_sharding(&mut self) -> PResult<TensorSharding> {
        self.expect(b'<')?;
        let mesh = match self.tok.kind {
            Tok::Symbol => MeshRef::Symbol(self.symbol()?),
            _ => {
                self.expect_word("mesh")?;
                MeshRef::Inline(Box::new(self.sdy_mesh()?))
            }
        };
        self.expect(b',')?;
        let mut sharding =
            TensorSharding { mesh, dims: Vec::new(), replicated: Vec::new(), unreduced: Vec::new() };
        self.expect(b'[')?;
        self.list_until(b']', |p| {
            sharding.dims.push(p.sdy_dim()?);
            Ok(())
        })?;
        while self.eat(b',') {
            let slot = if self.eat_word("replicated") {
                &mut sharding.replicated
            } else if self.eat_word("unreduced") {
                &mut sharding.unreduced
            } else {
                return Err(self.expected("`replicated` or `unreduced`"));
            };
            self.expect(b'=')?;
            self.expect(b'{')?;
            let mut axes = Vec::new();
            self.list_until(b'}', |p| {
                axes.push(p.sdy_axis()?);
                Ok(())
            })?;
            *slot = axes;
        }
        self.expect(b'>')?;
        Ok(sharding)
    }

    /// `[<@mesh, …>, <@mesh, …>]`.
    pub(super) fn sdy_sharding_list(&mut self) -> PResult<Vec<TensorSharding>> {
        self.expect(b'[')?;
        let mut list = Vec::new();
        self.list_until(b']', |p| {
            list.push(p.sdy_sharding()?);
            Ok(())
        })?;
        Ok(list)
    }

    /// `{"x", "y":(1)2, ?}p1`.
    fn sdy_dim(&mut self) -> PResult<DimSharding> {
        let mut dim = DimSharding::default();
        self.expect(b'{')?;
        self.list_until(b'}', |p| {
            if dim.open {
                return Err(p.expected("`}` after `?`"));
            }
            if p.eat(b'?') {
                dim.open = true;
                return Ok(());
            }
            dim.axes.push(p.sdy_axis()?);
            Ok(())
        })?;
        if self.tok.kind == Tok::Ident && self.tok.start == self.last_end {
            let text = self.text_of(self.tok);
            let Some(priority) = text.strip_prefix('p').and_then(|n| n.parse::<u32>().ok()) else {
                return Err(self.expected("a priority such as `p1`"));
            };
            self.next();
            dim.priority = Some(i64::from(priority));
        }
        Ok(dim)
    }

    /// `"x"` or `"x":(2)4`.
    pub(super) fn sdy_axis(&mut self) -> PResult<AxisRef> {
        let name = self.string()?;
        let mut part = None;
        if self.eat(b':') {
            self.expect(b'(')?;
            let pre = self.integer()?;
            self.expect(b')')?;
            part = Some((pre, self.integer()?));
        }
        Ok(AxisRef { name, part })
    }

    /// `{"x", "y"}`.
    pub(super) fn sdy_manual_axes(&mut self) -> PResult<Vec<Sym>> {
        self.expect(b'{')?;
        let mut axes = Vec::new();
        self.list_until(b'}', |p| {
            axes.push(p.string()?);
            Ok(())
        })?;
        Ok(axes)
    }
}
