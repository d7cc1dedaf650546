//! The attributes of Shardy.

use super::{PResult, Parser};
use crate::ir::sdy::{AxesMove, AxisRef, DimSharding, MeshAttr, MeshRef, SdyAttr, SdyKind, TensorSharding};
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
                let list = self.sdy_bare(SdyKind::PerValue)?;
                self.expect(b'>')?;
                list
            }
            "op_sharding_rule" => {
                self.skip_angles()?;
                let text = &self.text[start as usize..self.last_end as usize];
                let body = text.find('<').map_or("", |open| &text[open + 1..text.len() - 1]);
                SdyAttr::Rule(body.into())
            }
            "" => match self.sdy_wrapped_kind() {
                Some(kind) => {
                    self.expect(b'<')?;
                    self.next();
                    let attr = self.sdy_bare(kind)?;
                    self.expect(b'>')?;
                    attr
                }
                None => return self.sdy_opaque(start),
            },
            _ => return self.sdy_opaque(start),
        };
        Ok(Attr::Sdy(Box::new(attr)))
    }

    /// The kind of the attribute whose `<` is looked at, where the name stands inside: `#sdy<manual_axes{…}>`.
    fn sdy_wrapped_kind(&self) -> Option<SdyKind> {
        let name = crate::text::lexer::lex(self.text, self.tok.end);
        match self.text_of(name) {
            "manual_axes" => Some(SdyKind::ManualAxes),
            "axis_ref_list" => Some(SdyKind::Axes),
            "list_of_axis_ref_lists" => Some(SdyKind::AxesPerDim),
            "all_to_all_param_list" => Some(SdyKind::Moves),
            _ => None,
        }
    }

    /// An attribute that no op here needs is kept as it is.
    fn sdy_opaque(&mut self, start: u32) -> PResult<Attr> {
        self.skip_angles()?;
        Ok(Attr::Opaque(self.text[start as usize..self.last_end as usize].into()))
    }

    /// An attribute without its name, as the pretty forms of Shardy's ops write it.
    pub(super) fn sdy_bare(&mut self, kind: SdyKind) -> PResult<SdyAttr> {
        Ok(match kind {
            SdyKind::Sharding => SdyAttr::Sharding(self.sdy_sharding()?),
            SdyKind::PerValue => SdyAttr::PerValue(self.sdy_list(b'[', b']', Self::sdy_sharding)?),
            SdyKind::ManualAxes => SdyAttr::ManualAxes(self.sdy_list(b'{', b'}', Self::string)?),
            SdyKind::Axes => SdyAttr::Axes(self.sdy_axes()?),
            SdyKind::AxesPerDim => SdyAttr::AxesPerDim(self.sdy_list(b'[', b']', Self::sdy_axes)?),
            SdyKind::Moves => SdyAttr::Moves(self.sdy_list(b'[', b']', Self::sdy_move)?),
        })
    }

    fn sdy_list<T>(
        &mut self,
        open: u8,
        close: u8,
        mut item: impl FnMut(&mut Self) -> PResult<T>,
    ) -> PResult<Vec<T>> {
        self.expect(open)?;
        let mut list = Vec::new();
        self.list_until(close, |p| {
            list.push(item(p)?);
            Ok(())
        })?;
        Ok(list)
    }

    /// `<["x"=2, "y"=4], device_ids=[…]>`.
    pub(super) fn sdy_mesh(&mut self) -> PResult<MeshAttr> {
        self.expect(b'<')?;
        let axes = self.sdy_list(b'[', b']', |p| {
            let name = p.string()?;
            p.expect(b'=')?;
            Ok((name, p.integer()?))
        })?;
        let mut mesh = MeshAttr { axes, device_ids: None };
        if self.eat(b',') {
            self.expect_word("device_ids")?;
            self.expect(b'=')?;
            mesh.device_ids = Some(self.integer_list()?);
        }
        self.expect(b'>')?;
        Ok(mesh)
    }

    /// `<@mesh, [{"x"}, {?}], replicated={…}, unreduced={…}>`.
    fn sdy_sharding(&mut self) -> PResult<TensorSharding> {
        self.expect(b'<')?;
        let mesh = match self.tok.kind {
            Tok::Symbol => MeshRef::Symbol(self.symbol()?),
            _ => {
                self.expect_word("mesh")?;
                MeshRef::Inline(Box::new(self.sdy_mesh()?))
            }
        };
        self.expect(b',')?;
        let dims = self.sdy_list(b'[', b']', Self::sdy_dim)?;
        let mut sharding = TensorSharding { mesh, dims, replicated: Vec::new(), unreduced: Vec::new() };
        while self.eat(b',') {
            if sharding.replicated.is_empty() && self.eat_word("replicated") {
                self.expect(b'=')?;
                sharding.replicated = self.sdy_axes()?;
            } else if sharding.unreduced.is_empty() && self.eat_word("unreduced") {
                self.expect(b'=')?;
                sharding.unreduced = self.sdy_axes()?;
            } else {
                return Err(self.expected("`replicated` or `unreduced`, each once"));
            }
        }
        self.expect(b'>')?;
        Ok(sharding)
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
        if self.tok.kind == Tok::Ident {
            let digits = self.text_of(self.tok).strip_prefix('p').unwrap_or("");
            let plain =
                digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
            match digits.parse() {
                Ok(priority) if plain => dim.priority = Some(priority),
                _ => return Err(self.expected("a priority such as `p1`")),
            }
            self.next();
        }
        Ok(dim)
    }

    /// `{"x", "y":(1)2}`.
    fn sdy_axes(&mut self) -> PResult<Vec<AxisRef>> {
        self.sdy_list(b'{', b'}', Self::sdy_axis)
    }

    /// `"x"` or `"x":(2)4`.
    fn sdy_axis(&mut self) -> PResult<AxisRef> {
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

    /// `{"x"}: 0->2`.
    fn sdy_move(&mut self) -> PResult<AxesMove> {
        let axes = self.sdy_axes()?;
        self.expect(b':')?;
        let from = self.integer()?;
        self.expect_arrow()?;
        Ok(AxesMove { axes, from, to: self.integer()? })
    }
}
