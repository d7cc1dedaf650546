//! Locations: `loc("model.py":3:4)`, `loc("name"(#loc1))`, `loc(callsite(… at …))`, `loc(fused[…])`.
//!
//! MLIR prints their aliases at the end of the file; the parser reads them before the module.

use super::{PResult, Parser};
use crate::ir::*;
use crate::text::lexer::{Tok, lex};

/// A `#loc1 = loc(…)` definition.
#[derive(Clone, Copy)]
pub(super) enum LocAlias {
    /// Where its `loc` stands.
    At(u32),
    /// It is being read: using it now would never end.
    Open,
    Done(LocId),
}

impl<'t> Parser<'t> {
    /// Reads all `#name = loc(…)` definitions behind the module. They are in an order in which each uses only
    /// earlier ones, so a long chain of them needs no recursion.
    pub(super) fn collect_loc_aliases(&mut self) -> PResult<()> {
        let bytes = self.text.as_bytes();
        let mut found = Vec::new();
        // Look at lines from the end until one is something else.
        let mut end = bytes.len();
        while end > self.tok.end as usize {
            let start = bytes[..end].iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
            let line = &self.text[start..end];
            if line.starts_with('#') {
                let name = lex(self.text, start as u32);
                let equals = lex(self.text, name.end);
                let word = lex(self.text, equals.end);
                if name.kind == Tok::Hash && equals.kind == Tok::Punct(b'=') && self.text_of(word) == "loc" {
                    self.loc_aliases.insert(self.text_of(name), LocAlias::At(word.start));
                    found.push(name.start);
                }
            } else if !line.trim().is_empty() && !line.starts_with("//") {
                break;
            }
            end = start.saturating_sub(1);
        }
        let back = self.tok.start;
        for &position in found.iter().rev() {
            self.seek(position);
            self.loc_alias()?;
        }
        self.seek(back);
        Ok(())
    }

    /// `loc(…)`, where it follows.
    pub(super) fn optional_loc(&mut self) -> PResult<LocId> {
        if self.at_word("loc") { self.loc() } else { Ok(LocTable::unknown()) }
    }

    pub(super) fn loc(&mut self) -> PResult<LocId> {
        self.expect_word("loc")?;
        self.expect(b'(')?;
        let loc = self.loc_body()?;
        self.expect(b')')?;
        Ok(loc)
    }

    fn loc_body(&mut self) -> PResult<LocId> {
        self.nested(|p| p.loc_inner())
    }

    fn loc_inner(&mut self) -> PResult<LocId> {
        let loc = match self.tok.kind {
            Tok::Hash => return self.loc_alias(),
            Tok::Str => {
                let text = self.string()?;
                if self.eat(b':') {
                    let line = self.position()?;
                    self.expect(b':')?;
                    let column = self.position()?;
                    let mut end = None;
                    if self.eat_word("to") {
                        // `to :col` stays on the line.
                        let end_line = if self.at(b':') { line } else { self.position()? };
                        self.expect(b':')?;
                        end = Some((end_line, self.position()?));
                    }
                    Loc::File(text, line, column, end)
                } else if self.eat(b'(') {
                    let child = self.loc_body()?;
                    self.expect(b')')?;
                    Loc::Name(text, child)
                } else {
                    Loc::Name(text, LocTable::unknown())
                }
            }
            Tok::Ident => match self.text_of(self.tok) {
                "unknown" => {
                    self.next();
                    Loc::Unknown
                }
                "callsite" => {
                    self.next();
                    self.expect(b'(')?;
                    let callee = self.loc_body()?;
                    self.expect_word("at")?;
                    let caller = self.loc_body()?;
                    self.expect(b')')?;
                    Loc::CallSite { callee, caller }
                }
                "fused" => {
                    self.next();
                    let start = self.tok.end as usize;
                    let mut metadata = None;
                    if self.at(b'<') {
                        self.skip_angles()?;
                        metadata = Some(self.text[start..self.last_end as usize - 1].into());
                    }
                    self.expect(b'[')?;
                    let mut parts = Vec::new();
                    self.list_until(b']', |p| {
                        parts.push(p.loc_body()?);
                        Ok(())
                    })?;
                    Loc::Fused(metadata, parts.into())
                }
                _ => return Err(self.expected("a location")),
            },
            _ => return Err(self.expected("a location")),
        };
        Ok(self.module.locs.intern(loc))
    }

    fn position(&mut self) -> PResult<u32> {
        let span = self.tok.span();
        u32::try_from(self.integer()?).map_err(|_| self.error_at(span, "this is not a line or column"))
    }

    /// `#loc1`.
    fn loc_alias(&mut self) -> PResult<LocId> {
        let token = self.next();
        let name = self.text_of(token);
        match self.loc_aliases.get(name) {
            Some(LocAlias::Done(id)) => Ok(*id),
            Some(&LocAlias::At(position)) => {
                self.loc_aliases.insert(name, LocAlias::Open);
                let back = self.last_end;
                self.seek(position);
                let loc = self.loc();
                self.seek(back);
                let loc = loc?;
                self.loc_aliases.insert(name, LocAlias::Done(loc));
                Ok(loc)
            }
            Some(LocAlias::Open) => {
                Err(self.error_at(token.span(), format!("`{name}` is defined by itself")))
            }
            None => Err(self.error_at(token.span(), format!("the location `{name}` is not defined"))),
        }
    }

    /// `#name = loc(…)` or `#name = attribute`.
    pub(super) fn alias_definition(&mut self) -> PResult<()> {
        let token = self.next();
        let name = self.text_of(token);
        self.expect(b'=')?;
        if self.at_word("loc") {
            let at = self.tok.start;
            if !matches!(self.loc_aliases.get(name), Some(LocAlias::Done(_))) {
                self.loc_aliases.insert(name, LocAlias::Open);
                let loc = self.loc()?;
                self.loc_aliases.insert(name, LocAlias::Done(loc));
                return Ok(());
            }
            // Read already where it was used: skip it.
            self.seek(at);
            self.next();
            return self.skip_parens();
        }
        let before = self.expanded;
        let start = self.tok.start;
        let attr = self.attribute()?;
        let size = (self.last_end - start) as usize + self.expanded - before;
        self.attr_aliases.insert(name, (attr, size));
        Ok(())
    }

    /// Skips `(…)` with everything in it.
    fn skip_parens(&mut self) -> PResult<()> {
        let mut depth = 0;
        loop {
            match self.tok.kind {
                Tok::Punct(b'(') => depth += 1,
                Tok::Punct(b')') => depth -= 1,
                Tok::Eof => return Err(self.expected("`)`")),
                _ => {}
            }
            self.next();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
