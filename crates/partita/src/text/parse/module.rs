//! The top of a file: aliases, the module, functions and meshes, in the pretty and the generic form.

use super::{Binding, PResult, Parser};
use crate::diagnostic::Diagnostic;
use crate::ir::module::ModuleLoc;
use crate::ir::sdy::SdyAttr;
use crate::ir::*;
use crate::text::lexer::{Tok, Token};

/// An argument of a function: its name where it has one, type and location.
type Argument = (Option<Token>, TypeId, LocId);

impl<'t> Parser<'t> {
    /// A whole file.
    pub(super) fn file(&mut self) -> PResult<()> {
        let mut seen_module = false;
        loop {
            match self.tok.kind {
                Tok::Eof => return Ok(()),
                Tok::Hash => self.alias_definition()?,
                Tok::Bang => self.type_alias_definition()?,
                Tok::Ident | Tok::Str if self.at_op("module") || self.at_op("builtin.module") => {
                    if seen_module {
                        return Err(self.error("a second module; a file holds one").into());
                    }
                    seen_module = true;
                    self.collect_loc_aliases()?;
                    self.module_op()?;
                }
                Tok::Ident | Tok::Str if !seen_module => {
                    // Functions without a module around them, as MLIR allows.
                    self.collect_loc_aliases()?;
                    self.top_level_op()?;
                }
                Tok::Punct(b'{') if self.text[self.tok.start as usize..].starts_with("{-#") => {
                    return Err(Box::new(
                        self.error("resources at the end of a file are not read")
                            .fix("print the constants in the text: JAX does unless asked otherwise"),
                    ));
                }
                _ => return Err(self.expected("`module`")),
            }
        }
    }

    /// Whether an operation of this name follows, in either form.
    fn at_op(&self, name: &str) -> bool {
        matches!(self.tok.kind, Tok::Ident | Tok::Str) && self.text_of(self.tok).trim_matches('"') == name
    }

    fn module_op(&mut self) -> PResult<()> {
        if self.next().kind == Tok::Str {
            let mut attrs = self.generic_attrs()?;
            self.expect(b'(')?;
            self.module_body()?;
            self.expect(b')')?;
            let others = self.generic_tail()?;
            self.module.name = take_str(&mut attrs, names::SYM_NAME);
            self.module.attrs = attrs.iter().chain(others.iter()).cloned().collect();
        } else {
            if self.tok.kind == Tok::Symbol {
                self.module.name = Some(self.symbol()?);
            }
            if self.eat_word("attributes") {
                self.module.attrs = self.attr_dict()?;
            }
            self.module_body()?;
        }
        self.module.loc = ModuleLoc(self.optional_loc()?);
        Ok(())
    }

    fn module_body(&mut self) -> PResult<()> {
        self.expect(b'{')?;
        while !self.eat(b'}') {
            let start = self.tok.start;
            if let Err(error) = self.top_level_op() {
                self.report_and_recover(error, start)?;
            }
        }
        Ok(())
    }

    /// One operation of the module.
    fn top_level_op(&mut self) -> PResult<()> {
        let generic = self.tok.kind == Tok::Str;
        if self.at_op("func.func") {
            self.next();
            self.open_scope();
            let result = if generic { self.generic_func() } else { self.func() };
            self.close_scope();
            result
        } else if self.at_op("sdy.mesh") {
            self.next();
            if generic { self.generic_mesh() } else { self.mesh_decl() }
        } else if self.at_op("module") || self.at_op("builtin.module") {
            Err(self.error("modules inside modules are not read").into())
        } else {
            Err(self.expected("`func.func` or `sdy.mesh`"))
        }
    }

    fn func(&mut self) -> PResult<()> {
        let visibility = match () {
            () if self.eat_word("public") => Visibility::Public,
            () if self.eat_word("private") => Visibility::Private,
            () if self.eat_word("nested") => Visibility::Nested,
            () => Visibility::Default,
        };
        let start = self.tok.start;
        let name = self.symbol()?;
        let span = self.span_from(start);
        let mut args: Vec<Argument> = Vec::new();
        let mut arg_attrs = Vec::new();
        self.expect(b'(')?;
        self.list_until(b')', |p| {
            let token = if p.tok.kind == Tok::Value {
                let token = p.next();
                p.expect(b':')?;
                Some(token)
            } else {
                None
            };
            let ty = p.type_id()?;
            arg_attrs.push(p.optional_attr_dict()?);
            args.push((token, ty, p.optional_loc()?));
            Ok(())
        })?;
        let mut results = Vec::new();
        let mut result_attrs = Vec::new();
        if self.tok.kind == Tok::Arrow {
            self.next();
            if self.eat(b'(') {
                self.list_until(b')', |p| {
                    results.push(p.type_id()?);
                    result_attrs.push(p.optional_attr_dict()?);
                    Ok(())
                })?;
            } else {
                results.push(self.type_id()?);
                result_attrs.push(Attrs::default());
            }
        }
        let attrs = if self.eat_word("attributes") { self.attr_dict()? } else { Attrs::default() };
        let inputs = args.iter().map(|(_, ty, _)| *ty).collect();
        let body = if self.eat(b'{') { Some(self.func_body(&args, span)?) } else { None };
        let loc = self.optional_loc()?;
        self.add_func(Func {
            name,
            visibility,
            inputs,
            results,
            arg_attrs,
            result_attrs,
            attrs,
            body,
            loc,
            span,
        })
    }

    /// The operations of a function up to its `}`.
    fn func_body(&mut self, args: &[Argument], span: Span) -> PResult<RegionId> {
        let region = self.module.add_region();
        let mut named = Vec::with_capacity(args.len());
        for (token, ty, loc) in args {
            let Some(token) = token else {
                return Err(self.error_at(span, "an argument of a function with a body needs a name"));
            };
            named.push((*ty, self.value_name(*token), *loc));
        }
        let range = self.module.add_region_args(region, named);
        for (value, (token, ..)) in range.iter().zip(args) {
            if let Some(token) = token {
                self.define(*token, Binding::Values(value, 1))?;
            }
        }
        self.region_ops(region)?;
        Ok(region)
    }

    fn add_func(&mut self, func: Func) -> PResult<()> {
        let (name, span) = (func.name, func.span);
        if self.module.add_func(func).is_some() {
            return Ok(());
        }
        let message = format!("the function `@{}` is defined twice", &self.module.strings[name]);
        Err(Box::new(Diagnostic::new("redefinition", span, message)))
    }

    /// `() <{sym_name = "f", function_type = …}> ({ ^bb0(…): … }) : () -> ()`.
    fn generic_func(&mut self) -> PResult<()> {
        let start = self.last_end;
        let mut attrs = self.generic_attrs()?;
        let span = Span { start: start.saturating_sub(11), end: start };
        let mut args: Vec<Argument> = Vec::new();
        let mut body = None;
        self.expect(b'(')?;
        self.expect(b'{')?;
        if self.tok.kind == Tok::Block {
            self.next();
            if self.eat(b'(') {
                self.list_until(b')', |p| {
                    let token = p.expect_kind(Tok::Value, "the name of an argument")?;
                    p.expect(b':')?;
                    args.push((Some(token), p.type_id()?, p.optional_loc()?));
                    Ok(())
                })?;
            }
            self.expect(b':')?;
            body = Some(self.func_body(&args, span)?);
        } else if !self.eat(b'}') {
            body = Some(self.func_body(&args, span)?);
        }
        self.expect(b')')?;
        let others = self.generic_tail()?;
        let loc = self.optional_loc()?;
        let Some(name) = take_str(&mut attrs, names::SYM_NAME) else {
            return Err(self.error_at(span, "a function needs a name: `sym_name`"));
        };
        let Some(Attr::Type(ty)) = attrs.remove(names::FUNCTION_TYPE) else {
            return Err(self.error_at(span, "a function needs its type: `function_type`"));
        };
        let Type::Function(inputs, results) = *ty else {
            return Err(self.error_at(span, "`function_type` must be the type of a function"));
        };
        let visibility = take_str(&mut attrs, names::SYM_VISIBILITY);
        let visibility = match visibility.map(|v| &self.module.strings[v]) {
            Some("public") => Visibility::Public,
            Some("private") => Visibility::Private,
            Some("nested") => Visibility::Nested,
            _ => Visibility::Default,
        };
        let arg_attrs = self.attrs_list(attrs.remove(names::ARG_ATTRS), inputs.len(), span)?;
        let result_attrs = self.attrs_list(attrs.remove(names::RES_ATTRS), results.len(), span)?;
        let mut intern = |types: Vec<Type>| -> Vec<TypeId> {
            types.into_iter().map(|t| self.module.types.intern(t)).collect()
        };
        let (inputs, results) = (intern(inputs), intern(results));
        if body.is_some() && !args.iter().map(|(_, ty, _)| *ty).eq(inputs.iter().copied()) {
            return Err(self.error_at(span, "the arguments do not have the types of `function_type`"));
        }
        let attrs = attrs.iter().chain(others.iter()).cloned().collect();
        self.add_func(Func {
            name,
            visibility,
            inputs,
            results,
            arg_attrs,
            result_attrs,
            attrs,
            body,
            loc,
            span,
        })
    }

    /// One dictionary per argument or result.
    fn attrs_list(&self, list: Option<Attr>, count: usize, span: Span) -> PResult<Vec<Attrs>> {
        let Some(list) = list else { return Ok(vec![Attrs::default(); count]) };
        let dicts: Option<Vec<Attrs>> = match list {
            Attr::Array(items) if items.len() == count => items
                .into_iter()
                .map(|item| match item {
                    Attr::Dict(attrs) => Some(*attrs),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        dicts.ok_or_else(|| {
            self.error_at(span, format!("expected a list of {count} dictionaries of attributes"))
        })
    }

    fn mesh_decl(&mut self) -> PResult<()> {
        let start = self.tok.start;
        let name = self.symbol()?;
        let span = self.span_from(start);
        self.expect(b'=')?;
        let mesh = self.sdy_mesh()?;
        let attrs = self.optional_attr_dict()?;
        self.add_mesh(name, mesh, attrs, span)
    }

    fn generic_mesh(&mut self) -> PResult<()> {
        let start = self.last_end;
        let mut attrs = self.generic_attrs()?;
        let others = self.generic_tail()?;
        let span = Span { start: start.saturating_sub(10), end: start };
        let name = take_str(&mut attrs, names::SYM_NAME);
        match (name, attrs.remove(names::MESH)) {
            (Some(name), Some(Attr::Sdy(attr))) => match *attr {
                SdyAttr::Mesh(mesh) => self.add_mesh(name, mesh, others, span),
                _ => Err(self.error_at(span, "`mesh` must be `#sdy.mesh<…>`")),
            },
            _ => Err(self.error_at(span, "a mesh needs `sym_name` and `mesh`")),
        }
    }

    fn add_mesh(&mut self, name: Sym, mesh: sdy::MeshAttr, attrs: Attrs, span: Span) -> PResult<()> {
        let loc = self.optional_loc()?;
        if self.module.meshes.iter().any(|m| m.name == name) {
            let message = format!("the mesh `@{}` is defined twice", &self.module.strings[name]);
            return Err(Box::new(Diagnostic::new("redefinition", span, message)));
        }
        let before_func = self.module.funcs.len() as u32;
        self.module.meshes.push(MeshDecl { name, mesh, attrs, loc, span, before_func });
        Ok(())
    }

    /// `() <{…}>` of a generic operation without operands.
    fn generic_attrs(&mut self) -> PResult<Attrs> {
        self.expect(b'(')?;
        self.expect(b')')?;
        if !self.eat(b'<') {
            return Ok(Attrs::default());
        }
        let attrs = self.attr_dict()?;
        self.expect(b'>')?;
        Ok(attrs)
    }

    /// `{…} : () -> ()`.
    fn generic_tail(&mut self) -> PResult<Attrs> {
        let attrs = self.optional_attr_dict()?;
        self.expect(b':')?;
        self.function_type_ids()?;
        Ok(attrs)
    }
}

fn take_str(attrs: &mut Attrs, name: Sym) -> Option<Sym> {
    attrs.remove(name).and_then(|a| a.as_str())
}
