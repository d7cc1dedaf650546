//! Operations: the generic form, and pretty forms read from their description in the op table.

use super::{Binding, PResult, Parser};
use crate::diagnostic::Diagnostic;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::{AttrKind, OpDef, OpKind};
use crate::text::form::{Form, Piece, Types};
use crate::text::lexer::{Tok, Token};
use crate::value::Scalar;
use smallvec::SmallVec;

impl<'t> Parser<'t> {
    /// The operation after `%a, %b =`. Nothing where it uses values that were in error.
    pub(super) fn op_body(&mut self, names: &[(Token, u32)]) -> PResult<Option<OpId>> {
        let start = self.tok;
        let generic = start.kind == Tok::Str;
        let name = match start.kind {
            Tok::Str => {
                self.next();
                let text = self.text_of(start);
                &text[1..text.len() - 1]
            }
            _ => self.word("an operation")?,
        };
        let Some(kind) = OpKind::from_name(name) else { return Err(unknown_op(name, start.span())) };
        let mut op = OpParser {
            parser: self,
            def: kind.def(),
            span: start.span(),
            operands: SmallVec::new(),
            operand_types: None,
            result_types: SmallVec::new(),
            attrs: Vec::new(),
            regions: SmallVec::new(),
            loc: None,
            poisoned: false,
        };
        if generic {
            op.generic()?;
        } else {
            match op.def.form {
                Form::Generic => return Err(op.not_pretty()),
                Form::Pieces(pieces) => op.pieces(pieces)?,
                Form::Custom(parse, _) => parse(&mut op)?,
            }
        }
        op.finish(kind, names)
    }
}

fn unknown_op(name: &str, span: Span) -> Box<Diagnostic> {
    let mut error =
        Diagnostic::new("unknown-op", span, format!("`{name}` is not an operation Partita knows"));
    if let Some(near) = nearest(name) {
        error = error.fix(format!("did you mean `{near}`?"));
    }
    Box::new(error)
}

/// The op whose name differs least, where it differs little.
fn nearest(name: &str) -> Option<&'static str> {
    // Calls and returns are written without their dialect.
    let short = ["return", "call"].into_iter();
    let candidates = OpKind::all().map(|k| k.def().name).chain(short);
    candidates.map(|c| (distance(name, c), c)).filter(|(d, _)| *d <= 3).min().map(|(_, c)| c)
}

fn distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 3 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let next = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

/// One operation while it is read: what the pretty forms fill in.
pub struct OpParser<'p, 't> {
    pub(crate) parser: &'p mut Parser<'t>,
    pub(crate) def: &'static OpDef,
    pub(crate) span: Span,
    operands: SmallVec<[Option<ValueId>; 4]>,
    operand_types: Option<SmallVec<[TypeId; 4]>>,
    result_types: SmallVec<[TypeId; 2]>,
    attrs: Vec<(Sym, Attr)>,
    regions: SmallVec<[RegionId; 2]>,
    /// The location, where the form has read it itself.
    loc: Option<LocId>,
    poisoned: bool,
}

impl<'t> OpParser<'_, 't> {
    // --- what custom forms are made of ---

    /// Whether a punctuation character follows; it is taken.
    pub fn eat(&mut self, punct: u8) -> bool {
        self.parser.eat(punct)
    }

    /// Whether a punctuation character follows.
    pub fn at(&self, punct: u8) -> bool {
        self.parser.at(punct)
    }

    /// Whether a word follows; it is taken.
    pub fn eat_word(&mut self, word: &str) -> bool {
        self.parser.eat_word(word)
    }

    /// Whether a symbol such as `@main` follows.
    pub fn at_symbol(&self) -> bool {
        self.parser.tok.kind == Tok::Symbol
    }

    /// Whether a value such as `%0` follows.
    pub fn at_value(&self) -> bool {
        self.parser.tok.kind == Tok::Value
    }

    /// A symbol such as `@main`.
    pub fn symbol(&mut self) -> PResult<Sym> {
        self.parser.symbol()
    }

    /// An identifier.
    pub fn word(&mut self, what: &str) -> PResult<&'t str> {
        self.parser.word(what)
    }

    /// A signed integer.
    pub fn integer(&mut self) -> PResult<i64> {
        self.parser.integer()
    }

    /// `[1, 2]`.
    pub fn integer_list(&mut self) -> PResult<Vec<i64>> {
        self.parser.integer_list()
    }

    /// `item, item, …` up to a closing character, which is taken.
    pub fn list_until(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> PResult<()>) -> PResult<()> {
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(close) {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(self.parser.expected(&format!("`,` or `{}`", char::from(close))));
            }
        }
    }

    /// An error that something else was expected here.
    pub fn expected(&self, what: &str) -> Box<Diagnostic> {
        self.parser.expected(what)
    }

    /// An error at the name of the operation.
    pub fn error(&self, message: impl Into<String>) -> Box<Diagnostic> {
        self.parser.error_at(self.span, message)
    }

    /// Any attribute.
    pub fn attribute(&mut self) -> PResult<Attr> {
        self.parser.attribute()
    }

    /// Any type, interned.
    pub fn type_id(&mut self) -> PResult<TypeId> {
        self.parser.type_id()
    }

    /// `t, t, …`, one at least.
    pub fn type_list(&mut self) -> PResult<SmallVec<[TypeId; 4]>> {
        let mut list = SmallVec::new();
        loop {
            list.push(self.type_id()?);
            if !self.eat(b',') {
                return Ok(list);
            }
        }
    }

    /// A string.
    pub fn string(&mut self) -> PResult<Sym> {
        self.parser.string()
    }

    /// A number of a type that the text does not say again.
    pub fn number(&mut self, elem: Elem) -> PResult<Attr> {
        let value = self.parser.element_value(elem)?;
        Ok(match value {
            Scalar::Float(_) => Attr::float(elem, value),
            other => Attr::Int(other.as_i64(), attr::IntType::Elem(elem)),
        })
    }

    /// The module being built.
    pub fn module(&mut self) -> &mut Module {
        &mut self.parser.module
    }

    /// Sets an attribute.
    pub fn set(&mut self, name: Sym, attr: Attr) {
        self.attrs.push((name, attr));
    }

    /// Sets the types of the results.
    pub fn set_results(&mut self, types: impl IntoIterator<Item = TypeId>) {
        self.result_types = types.into_iter().collect();
    }

    /// How many results the types give so far.
    pub fn result_count(&self) -> usize {
        self.result_types.len()
    }

    /// Sets the types that the text gives to the operands; they are checked against the values.
    pub fn set_operand_types(&mut self, types: impl IntoIterator<Item = TypeId>) {
        self.operand_types = Some(types.into_iter().collect());
    }

    /// Words and punctuation, separated by spaces or not.
    pub fn lit(&mut self, text: &'static str) -> PResult<()> {
        let mut rest = text.trim_start();
        while let Some(first) = rest.bytes().next() {
            if rest.starts_with("->") {
                self.parser.expect_arrow()?;
                rest = rest[2..].trim_start();
            } else if first.is_ascii_alphabetic() {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                self.parser.expect_word(&rest[..end])?;
                rest = rest[end..].trim_start();
            } else {
                self.parser.expect(first)?;
                rest = rest[1..].trim_start();
            }
        }
        Ok(())
    }

    /// One operand.
    pub fn operand(&mut self) -> PResult<()> {
        let value = self.parser.value_use()?;
        self.poisoned |= value.is_none();
        self.operands.push(value);
        Ok(())
    }

    /// How many operands there are so far.
    pub fn operand_count(&self) -> usize {
        self.operands.len()
    }

    /// Moves operands at odd places behind those at even places: `(x init: a), (y init: b)` to `x, y, a, b`.
    pub fn unzip_operands(&mut self) {
        let even = self.operands.iter().step_by(2);
        let odd = self.operands.iter().skip(1).step_by(2);
        self.operands = even.chain(odd).copied().collect();
    }

    /// `{…}`, where it follows.
    pub fn attr_dict(&mut self) -> PResult<()> {
        if self.at(b'{') {
            self.parser.attr_dict_into(&mut self.attrs)?;
        }
        Ok(())
    }

    /// The location at the end of the operation, for forms that give it to operations they imply.
    pub fn trailing_loc(&mut self) -> PResult<LocId> {
        let loc = self.parser.optional_loc()?;
        self.loc = Some(loc);
        Ok(loc)
    }

    /// The tensor type that the text gives to the n-th operand, where it gives one.
    pub fn operand_tensor(&self, n: usize) -> Option<&TensorType> {
        let ty = *self.operand_types.as_ref()?.get(n)?;
        self.parser.module.types[ty].as_tensor()
    }

    /// `(t, t) -> t` for operands and results.
    pub fn function_type(&mut self) -> PResult<()> {
        let (inputs, results) = self.parser.function_type_ids()?;
        self.set_operand_types(inputs);
        self.set_results(results);
        Ok(())
    }

    /// `[1, 2]` or another attribute as its kind is written in pretty forms.
    pub fn bare_attr(&mut self, name: Sym) -> PResult<()> {
        let kind = self.def.attr(name).map(|a| a.kind);
        let attr = match kind {
            Some(AttrKind::I64) => Attr::i64(self.integer()?),
            Some(AttrKind::I32) => Attr::Int(self.integer()?, attr::IntType::I32),
            Some(AttrKind::I64s) => Attr::i64s(self.integer_list()?),
            Some(AttrKind::Bool) => Attr::Bool(self.parser.boolean()?),
            // A colon behind it belongs to the operation, not to the string.
            Some(AttrKind::Str) => Attr::Str(self.parser.string()?),
            Some(AttrKind::Enum(kind)) => {
                let span = self.parser.tok.span();
                let word = self.word(&format!("one of {}", kind.names().join(", ")))?;
                let Some(value) = kind.parse(word) else {
                    let message = format!("`{word}` is not one of {}", kind.names().join(", "));
                    return Err(self.parser.error_at(span, message));
                };
                Attr::Enum(value)
            }
            Some(AttrKind::Sdy(kind)) => Attr::Sdy(Box::new(self.parser.sdy_bare(kind)?)),
            _ => self.attribute()?,
        };
        self.set(name, attr);
        Ok(())
    }

    /// A region whose arguments are already known, `{ … }`; they are bound to the given names.
    pub fn region_with_args(&mut self, args: &[(RegionArg, TypeId)]) -> PResult<()> {
        let region = self.parser.module.add_region();
        self.regions.push(region);
        let floor = self.open_region_scope();
        let result = self.region_body(region, args);
        self.close_region_scope(floor);
        result
    }

    /// Opens the scope of a region, where an isolated one sees only values that are made from here on.
    fn open_region_scope(&mut self) -> usize {
        let before = self.parser.visible_from;
        if self.def.traits.isolated {
            self.parser.visible_from = self.parser.module.values.len();
        }
        self.parser.open_scope();
        before
    }

    fn close_region_scope(&mut self, visible_before: usize) {
        self.parser.close_scope();
        self.parser.visible_from = visible_before;
    }

    fn region_body(&mut self, region: RegionId, args: &[(RegionArg, TypeId)]) -> PResult<()> {
        let p = &mut *self.parser;
        let named: Vec<_> = args.iter().map(|(arg, ty)| (*ty, p.value_name(arg.token), arg.loc)).collect();
        let range = p.module.add_region_args(region, named);
        for (value, (arg, _)) in range.iter().zip(args) {
            p.define(arg.token, Binding::Values(value, 1))?;
        }
        p.expect(b'{')?;
        p.region_ops(region)
    }

    /// The name of a region argument, `%x`.
    pub fn region_arg(&mut self) -> PResult<RegionArg> {
        let token = self.parser.expect_kind(Tok::Value, "the name of an argument")?;
        Ok(RegionArg { token, loc: LocTable::unknown() })
    }

    /// A region argument with its type: `%x: tensor<f32> loc(…)`.
    pub fn typed_region_arg(&mut self) -> PResult<(RegionArg, TypeId)> {
        let mut arg = self.region_arg()?;
        self.parser.expect(b':')?;
        let ty = self.type_id()?;
        arg.loc = self.parser.optional_loc()?;
        Ok((arg, ty))
    }

    /// Adds an empty region, for forms that imply one.
    pub fn add_region(&mut self) -> RegionId {
        let region = self.parser.module.add_region();
        self.regions.push(region);
        region
    }

    /// `{ ^bb0(%x: t): … }` or `{ … }`.
    pub fn region(&mut self) -> PResult<()> {
        let region = self.parser.module.add_region();
        self.regions.push(region);
        let floor = self.open_region_scope();
        let result = self.braced_region(region);
        self.close_region_scope(floor);
        result
    }

    fn braced_region(&mut self, region: RegionId) -> PResult<()> {
        self.parser.expect(b'{')?;
        if self.parser.tok.kind == Tok::Block {
            self.parser.next();
            let mut args = Vec::new();
            if self.eat(b'(') {
                self.list_until(b')', |op| {
                    args.push(op.typed_region_arg()?);
                    Ok(())
                })?;
            }
            self.parser.expect(b':')?;
            let p = &mut *self.parser;
            let named: Vec<_> =
                args.iter().map(|(arg, ty)| (*ty, p.value_name(arg.token), arg.loc)).collect();
            let range = p.module.add_region_args(region, named);
            for (value, (arg, _)) in range.iter().zip(&args) {
                p.define(arg.token, Binding::Values(value, 1))?;
            }
        }
        self.parser.region_ops(region)
    }

    /// The algorithm of a contraction, without the prefix: `<lhs_precision_type = tf32, …>`.
    pub(crate) fn dot_algorithm(&mut self) -> PResult<attr::DotAlgorithm> {
        self.parser.dot_algorithm()
    }

    /// The dimension numbers of a convolution.
    pub(crate) fn conv_dims(&mut self) -> PResult<attr::ConvDims> {
        self.parser.conv_dims()
    }

    /// `true` or `false`.
    pub fn boolean(&mut self) -> PResult<bool> {
        self.parser.boolean()
    }

    // --- the generic form ---

    fn not_pretty(&self) -> Box<Diagnostic> {
        let name = self.def.name;
        Box::new(
            Diagnostic::new("syntax", self.span, format!("`{name}` has no short form"))
                .fix(format!("write it as `\"{name}\"(…) : (…) -> …`")),
        )
    }

    /// `"name"(%a, %b) <{…}> ({…}) {…} : (t, t) -> t`, behind the name.
    fn generic(&mut self) -> PResult<()> {
        self.parser.expect(b'(')?;
        self.list_until(b')', |op| op.operand())?;
        if self.at(b'[') {
            return Err(self.parser.error("successor blocks are not supported").into());
        }
        if self.eat(b'<') {
            self.parser.attr_dict_into(&mut self.attrs)?;
            self.parser.expect(b'>')?;
        }
        if self.eat(b'(') {
            self.list_until(b')', |op| op.region())?;
        }
        self.attr_dict()?;
        self.parser.expect(b':')?;
        self.function_type()
    }

    // --- forms made of pieces ---

    fn pieces(&mut self, pieces: &'static [Piece]) -> PResult<()> {
        for piece in pieces {
            match piece {
                Piece::Lit(text) => self.lit(text)?,
                Piece::Operand => self.operand()?,
                Piece::Operands => {
                    if self.at_value() {
                        self.operand()?;
                        while self.eat(b',') {
                            self.operand()?;
                        }
                    }
                }
                Piece::OperandsComma => {
                    while self.at_value() {
                        self.operand()?;
                        self.parser.expect(b',')?;
                    }
                }
                Piece::Attr(name) => self.bare_attr(*name)?,
                Piece::Optional(_, group) => {
                    let Some(Piece::Lit(first)) = group.first() else { continue };
                    let first = first.trim().as_bytes()[0];
                    let follows = if first.is_ascii_alphabetic() {
                        self.parser.tok.kind == Tok::Ident
                    } else {
                        self.at(first)
                    };
                    if follows {
                        self.pieces(group)?;
                    }
                }
                Piece::AttrDict => self.attr_dict()?,
                Piece::Types(types) => self.types(*types)?,
            }
        }
        Ok(())
    }

    /// The types of operands and results.
    pub fn types(&mut self, types: Types) -> PResult<()> {
        if self.at(b'(') && !matches!(types, Types::Arrow) {
            return self.function_type();
        }
        let count = self.operands.len();
        match types {
            Types::Function => Err(self.expected("`(`")),
            Types::Same | Types::Results => {
                let ty = self.type_id()?;
                self.set_operand_types(std::iter::repeat_n(ty, count));
                self.set_results([ty]);
                Ok(())
            }
            Types::Arrow => {
                let list = self.type_list()?;
                self.set_operand_types(list);
                self.parser.expect_arrow()?;
                if self.eat(b'(') {
                    let mut results = Vec::new();
                    self.list_until(b')', |op| {
                        results.push(op.type_id()?);
                        Ok(())
                    })?;
                    self.set_results(results);
                } else {
                    let result = self.type_id()?;
                    self.set_results([result]);
                }
                Ok(())
            }
            Types::Select => {
                let pred = self.type_id()?;
                self.parser.expect(b',')?;
                let ty = self.type_id()?;
                self.set_operand_types([pred, ty, ty]);
                self.set_results([ty]);
                Ok(())
            }
            Types::Complex => {
                let start = self.parser.tok.start;
                let ty = self.type_id()?;
                let part = match self.parser.module.types[ty].as_tensor() {
                    Some(t) if t.elem.is_complex() => t.with_elem(t.elem.real()),
                    _ => {
                        let span = self.parser.span_from(start);
                        return Err(self.parser.error_at(span, "expected a tensor of complex numbers"));
                    }
                };
                let part = self.parser.module.types.intern(Type::Tensor(part));
                self.set_operand_types(std::iter::repeat_n(part, count));
                self.set_results([ty]);
                Ok(())
            }
            Types::Tuple => {
                let start = self.parser.tok.start;
                let ty = self.type_id()?;
                let Type::Tuple(parts) = self.parser.module.types[ty].clone() else {
                    let span = self.parser.span_from(start);
                    return Err(self.parser.error_at(span, "expected a tuple type"));
                };
                let parts: Vec<_> = parts.into_iter().map(|t| self.parser.module.types.intern(t)).collect();
                self.set_operand_types(parts);
                self.set_results([ty]);
                Ok(())
            }
            Types::Pairwise | Types::Operands => {
                let list = self.type_list()?;
                if types == Types::Pairwise {
                    self.set_results(list.iter().copied());
                }
                self.set_operand_types(list);
                Ok(())
            }
        }
    }

    // --- the end ---

    fn finish(self, kind: OpKind, names: &[(Token, u32)]) -> PResult<Option<OpId>> {
        let loc = match self.loc {
            Some(loc) => loc,
            None => self.parser.optional_loc()?,
        };
        if let Some(types) = &self.operand_types {
            if types.len() != self.operands.len() {
                let message = format!("{} operands, but types for {}", self.operands.len(), types.len());
                return Err(self.error(message));
            }
            for (value, &ty) in self.operands.iter().zip(types) {
                let Some(value) = *value else { continue };
                let module = &self.parser.module;
                if module.values[value].ty != ty {
                    let (name, given) = (module.value_name(value), &module.types[ty]);
                    let message =
                        format!("`{name}` is used as `{given}`, but it is `{}`", module.type_of(value));
                    return Err(Box::new(
                        Diagnostic::new("type-mismatch", self.span, message)
                            .label("the types of the operands do not match their definitions")
                            .value(name),
                    ));
                }
            }
        }
        let mut seen: SmallVec<[Sym; 8]> = SmallVec::new();
        for (name, _) in &self.attrs {
            if seen.contains(name) {
                let message =
                    format!("the attribute `{}` is given twice", &self.parser.module.strings[*name]);
                return Err(self.error(message));
            }
            seen.push(*name);
        }
        if self.poisoned {
            for (token, _) in names {
                self.parser.define(*token, Binding::Poisoned)?;
            }
            return Ok(None);
        }
        let p = self.parser;
        let mut new = NewOp::new(kind);
        new.operands = self.operands.iter().flatten().copied().collect();
        new.result_types = self.result_types;
        new.attrs = p.shared(self.attrs.into());
        new.regions = self.regions;
        new.loc = loc;
        new.span = self.span;
        let id = p.module.add_op(new);
        p.bind_results(id, names)?;
        Ok(Some(id))
    }
}

/// The name of a region argument in the text.
#[derive(Clone, Copy)]
pub struct RegionArg {
    token: Token,
    loc: LocId,
}
