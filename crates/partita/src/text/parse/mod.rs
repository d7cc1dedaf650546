//! The parser: MLIR text of StableHLO programs to a [`Module`].
//!
//! Hand-written recursive descent over a lexer that makes one token at a time. Recursion is bounded by
//! [`MAX_DEPTH`], so that hostile nesting gives an error and not a crash.

mod attrs;
mod elements;
mod locs;
mod mesh_axes;
mod module;
mod ops;
mod sdy;
mod types;

pub use ops::OpParser;

use super::lexer::{Tok, Token, lex, unescape};
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How deep regions, attributes, types and locations may nest.
pub const MAX_DEPTH: u32 = 200;

/// After so many errors the parser stops.
const MAX_ERRORS: usize = 20;

/// How many nodes of attributes and types aliases may expand to in one file.
const MAX_EXPANDED: usize = 1 << 22;

/// The largest text that is read.
pub const MAX_TEXT: usize = u32::MAX as usize / 2;

pub(crate) type PResult<T> = Result<T, Box<Diagnostic>>;

/// Reads a module, or says everything that is wrong with the text.
pub fn parse(text: &str) -> Result<Module, Vec<Diagnostic>> {
    if text.len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", text.len());
        return Err(vec![Diagnostic::new("too-large", Span::default(), message)]);
    }
    let mut parser = Parser::new(text);
    if let Err(error) = parser.file() {
        parser.errors.push(*error);
    }
    if parser.errors.is_empty() { Ok(parser.module) } else { Err(parser.errors) }
}

/// What a `%name` stands for.
#[derive(Clone, Copy)]
enum Binding {
    /// The results of an operation, or one block argument.
    Values(ValueId, u32),
    /// The definition had an error; uses of it are not reported again.
    Poisoned,
}

/// The key of a `%name`: numbers, by far the most common, need no hashing.
#[derive(Clone, Copy)]
enum NameKey<'t> {
    Number(u32),
    Text(&'t str),
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    /// The token that is looked at.
    tok: Token,
    /// Where the last consumed token ended.
    last_end: u32,
    depth: u32,
    module: Module,
    errors: Vec<Diagnostic>,
    numbered: Vec<Option<Binding>>,
    named: FxHashMap<&'t str, Binding>,
    /// Names to forget at the end of each open scope, each with what it stood for before.
    scopes: Vec<Vec<(NameKey<'t>, Option<Binding>)>>,
    /// Values made before this one are hidden by an isolated region.
    visible_from: usize,
    tensor_types: FxHashMap<&'t str, TypeId>,
    /// Attributes of operations, by what equal ones have in common: programs repeat them.
    shared_attrs: FxHashMap<u64, Attrs>,
    /// Attributes by alias, each with its size.
    attr_aliases: FxHashMap<&'t str, (Attr, usize)>,
    loc_aliases: FxHashMap<&'t str, locs::LocAlias>,
    type_aliases: FxHashMap<&'t str, (TypeId, usize)>,
    /// How much aliases have been expanded to: doubling them again and again must not fill the memory.
    expanded: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Parser {
            text,
            tok: lex(text, 0),
            last_end: 0,
            depth: 0,
            module: Module::new(),
            errors: Vec::new(),
            numbered: Vec::new(),
            named: FxHashMap::default(),
            scopes: Vec::new(),
            visible_from: 0,
            tensor_types: FxHashMap::default(),
            shared_attrs: FxHashMap::default(),
            attr_aliases: FxHashMap::default(),
            loc_aliases: FxHashMap::default(),
            type_aliases: FxHashMap::default(),
            expanded: 0,
        }
    }

    // --- tokens ---

    fn text_of(&self, token: Token) -> &'t str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Takes the token that is looked at.
    fn next(&mut self) -> Token {
        let token = self.tok;
        self.last_end = token.end;
        self.tok = lex(self.text, token.end);
        token
    }

    /// Goes to another place in the text.
    fn seek(&mut self, position: u32) {
        self.last_end = position;
        self.tok = lex(self.text, position);
    }

    fn at(&self, punct: u8) -> bool {
        self.tok.kind == Tok::Punct(punct)
    }

    fn at_word(&self, word: &str) -> bool {
        self.tok.kind == Tok::Ident && self.text_of(self.tok) == word
    }

    fn eat(&mut self, punct: u8) -> bool {
        let found = self.at(punct);
        if found {
            self.next();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, punct: u8) -> PResult<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(punct)))) }
    }

    fn expect_word(&mut self, word: &str) -> PResult<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn expect_arrow(&mut self) -> PResult<()> {
        if self.tok.kind == Tok::Arrow {
            self.next();
            return Ok(());
        }
        Err(self.expected("`->`"))
    }

    fn expect_kind(&mut self, kind: Tok, what: &str) -> PResult<Token> {
        if self.tok.kind == kind { Ok(self.next()) } else { Err(self.expected(what)) }
    }

    /// An identifier and its text.
    fn word(&mut self, what: &str) -> PResult<&'t str> {
        let token = self.expect_kind(Tok::Ident, what)?;
        Ok(self.text_of(token))
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.tok.kind {
            Tok::Eof => "the end of the text".to_string(),
            Tok::Bad if self.text_of(self.tok).starts_with('"') => {
                return self.error("this string is not closed").into();
            }
            _ => {
                let text = self.text_of(self.tok);
                let short: String = text.chars().take(40).collect();
                if short.len() < text.len() { format!("`{short}…`") } else { format!("`{short}`") }
            }
        };
        Box::new(self.error(format!("expected {what}, found {found}")).label(format!("expected {what}")))
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new("syntax", self.tok.span(), message)
    }

    fn error_at(&self, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::new("syntax", span, message))
    }

    fn span_from(&self, start: u32) -> Span {
        Span { start, end: self.last_end.max(start) }
    }

    /// Runs a nested production, one level deeper.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(Box::new(Diagnostic::new("too-deep", self.tok.span(), message)));
        }
        self.depth += 1;
        let result = production(self);
        self.depth -= 1;
        result
    }

    /// Accounts for the use of an alias of some size.
    fn expand(&mut self, size: usize, span: Span) -> PResult<()> {
        self.expanded = self.expanded.saturating_add(size);
        if self.expanded > MAX_EXPANDED {
            let message = "the aliases of this file expand to too much";
            return Err(Box::new(Diagnostic::new("too-large", span, message)));
        }
        Ok(())
    }

    /// `item, item, …` up to a closing character, which is taken.
    fn list_until(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> PResult<()>) -> PResult<()> {
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(close) {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(self.expected(&format!("`,` or `{}`", char::from(close))));
            }
        }
    }

    /// A signed integer that fits 64 bits.
    fn integer(&mut self) -> PResult<i64> {
        let start = self.tok.start;
        let negative = self.eat(b'-');
        let token = self.expect_kind(Tok::Int, "an integer")?;
        let text = self.text_of(token);
        let magnitude = match text.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => text.parse::<i128>(),
        };
        let value = magnitude.ok().map(|m| if negative { -m } else { m });
        match value.and_then(|v| i64::try_from(v).ok()) {
            Some(v) => Ok(v),
            None => Err(self.error_at(self.span_from(start), "this integer does not fit 64 bits")),
        }
    }

    /// `[1, 2, 3]`.
    fn integer_list(&mut self) -> PResult<Vec<i64>> {
        self.expect(b'[')?;
        let mut list = Vec::new();
        self.list_until(b']', |p| {
            list.push(p.integer()?);
            Ok(())
        })?;
        Ok(list)
    }

    fn string_bytes(&mut self) -> PResult<Vec<u8>> {
        let token = self.expect_kind(Tok::Str, "a string")?;
        Ok(unescape(self.text_of(token)))
    }

    /// A string that must be UTF-8.
    fn string(&mut self) -> PResult<Sym> {
        let start = self.tok.start;
        let bytes = self.string_bytes()?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(self.module.strings.intern(text)),
            Err(_) => Err(self.error_at(self.span_from(start), "this string is not UTF-8")),
        }
    }

    /// `@name` or `@"name"`.
    fn symbol(&mut self) -> PResult<Sym> {
        let token = self.expect_kind(Tok::Symbol, "a symbol such as `@main`")?;
        let text = &self.text_of(token)[1..];
        if text.starts_with('"') {
            let bytes = unescape(text);
            return match std::str::from_utf8(&bytes) {
                Ok(name) => Ok(self.module.strings.intern(name)),
                Err(_) => Err(self.error_at(token.span(), "this symbol is not UTF-8")),
            };
        }
        Ok(self.module.strings.intern(text))
    }

    // --- values ---

    fn name_key(&self, token: Token) -> NameKey<'t> {
        let text = &self.text_of(token)[1..];
        match canonical_number(text) {
            // A number the text does not pay for would make a huge table.
            Some(n) if (n as usize) < self.text.len() / 16 => NameKey::Number(n),
            _ => NameKey::Text(text),
        }
    }

    fn value_name(&mut self, token: Token) -> ValueName {
        let text = &self.text_of(token)[1..];
        match canonical_number(text) {
            Some(n) => ValueName::Number(n),
            None => ValueName::Name(self.module.strings.intern(text)),
        }
    }

    /// What a name stands for here.
    fn lookup(&self, key: NameKey<'t>) -> Option<Binding> {
        let binding = match key {
            NameKey::Number(n) => self.numbered.get(n as usize).copied().flatten(),
            NameKey::Text(text) => self.named.get(text).copied(),
        };
        match binding {
            Some(Binding::Values(first, _)) if first.index() < self.visible_from => None,
            visible => visible,
        }
    }

    fn define(&mut self, token: Token, binding: Binding) -> PResult<()> {
        let key = self.name_key(token);
        if matches!(self.lookup(key), Some(Binding::Values(..))) && matches!(binding, Binding::Values(..)) {
            let message = format!("`{}` is defined twice", self.text_of(token));
            return Err(Box::new(
                Diagnostic::new("redefinition", token.span(), message).fix("give one of them another name"),
            ));
        }
        let before = match key {
            NameKey::Number(n) => {
                if self.numbered.len() <= n as usize {
                    self.numbered.resize(n as usize + 1, None);
                }
                self.numbered[n as usize].replace(binding)
            }
            NameKey::Text(text) => self.named.insert(text, binding),
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((key, before));
        }
        Ok(())
    }

    fn open_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    fn close_scope(&mut self) {
        for (key, before) in self.scopes.pop().unwrap_or_default().into_iter().rev() {
            match (key, before) {
                (NameKey::Number(n), before) => self.numbered[n as usize] = before,
                (NameKey::Text(text), Some(before)) => {
                    self.named.insert(text, before);
                }
                (NameKey::Text(text), None) => {
                    self.named.remove(text);
                }
            }
        }
    }

    /// A use of a value: `%0` or `%0#1`. Nothing where its definition was in error.
    fn value_use(&mut self) -> PResult<Option<ValueId>> {
        let token = self.expect_kind(Tok::Value, "a value such as `%0`")?;
        let binding = self.lookup(self.name_key(token));
        let mut index = 0;
        // The number follows without a space: `%0#1`.
        if self.tok.kind == Tok::Hash && self.tok.start == token.end {
            let text = &self.text_of(self.tok)[1..];
            let Ok(n) = text.parse::<u32>() else {
                return Err(self.expected("a result number such as `#1`"));
            };
            index = n;
            self.next();
        }
        match binding {
            Some(Binding::Values(first, count)) if index < count => {
                Ok(Some(ValueId::from_index(first.index() + index as usize)))
            }
            Some(Binding::Values(_, count)) => {
                let message =
                    format!("`{}` has {count} results; there is no `#{index}`", self.text_of(token));
                Err(self.error_at(self.span_from(token.start), message))
            }
            Some(Binding::Poisoned) => Ok(None),
            None => {
                let message = format!("`{}` is not defined here", self.text_of(token));
                Err(Box::new(
                    Diagnostic::new("undefined-value", token.span(), message)
                        .label("used here")
                        .fix("define it before this line; values of a region are not visible outside it"),
                ))
            }
        }
    }

    // --- regions and operations ---

    /// The same attributes as an earlier operation has, where one has them.
    fn shared(&mut self, attrs: Attrs) -> Attrs {
        let Some(key) = attrs.share_key() else { return attrs };
        let known = self.shared_attrs.entry(key).or_insert_with(|| attrs.clone());
        if *known == attrs { known.clone() } else { attrs }
    }

    /// Keeps an error and goes on behind the operation that started at `start`.
    fn report_and_recover(&mut self, error: Box<Diagnostic>, start: u32) -> PResult<()> {
        // Where the input ends there is nothing to go on with.
        if self.errors.len() + 1 >= MAX_ERRORS || self.tok.kind == Tok::Eof || error.code == "too-deep" {
            return Err(error);
        }
        let reached = self.tok.start.max(start + 1);
        self.errors.push(*error);
        // Rescan from the start of the operation: it ends at a line that starts outside all brackets.
        let mut depth = 0i64;
        let mut position = start;
        loop {
            let token = lex(self.text, position);
            let new_line = self.text.as_bytes()[position as usize..token.start as usize].contains(&b'\n');
            if token.kind == Tok::Eof || (depth <= 0 && new_line && token.start >= reached) {
                self.seek(token.start);
                return Ok(());
            }
            match token.kind {
                Tok::Punct(b'(' | b'{' | b'[') => depth += 1,
                Tok::Punct(b')' | b']') => depth -= 1,
                Tok::Punct(b'}') => {
                    depth -= 1;
                    if depth < 0 && token.start >= reached {
                        self.seek(token.start);
                        return Ok(());
                    }
                }
                _ => {}
            }
            position = token.end;
        }
    }

    /// The operations of a region up to its `}`, which is taken.
    fn region_ops(&mut self, region: RegionId) -> PResult<()> {
        let mut ops = Vec::new();
        let result = self.nested(|p| {
            while !p.eat(b'}') {
                if p.tok.kind == Tok::Eof {
                    return Err(p.expected("`}`"));
                }
                let start = p.tok.start;
                match p.operation() {
                    Ok(op) => ops.extend(op),
                    Err(error) => p.report_and_recover(error, start)?,
                }
            }
            Ok(())
        });
        ops.shrink_to_fit();
        self.module.regions[region].ops = ops;
        result
    }

    /// `%a, %b:2 = op …`.
    fn operation(&mut self) -> PResult<Option<OpId>> {
        let mut names: SmallVec<[(Token, u32); 1]> = SmallVec::new();
        if self.tok.kind == Tok::Value {
            loop {
                let token = self.expect_kind(Tok::Value, "a value such as `%0`")?;
                let mut count = 1;
                if self.eat(b':') {
                    let span = self.tok.span();
                    count =
                        u32::try_from(self.integer()?).ok().filter(|n| (1..1 << 20).contains(n)).ok_or_else(
                            || self.error_at(span, "the number of results must be between 1 and a million"),
                        )?;
                }
                names.push((token, count));
                if !self.eat(b',') {
                    break;
                }
            }
            self.expect(b'=')?;
        }
        let result = self.op_body(&names);
        if result.is_err() {
            for (token, _) in &names {
                // Later uses of these names are not errors of their own.
                let _ = self.define(*token, Binding::Poisoned);
            }
        }
        result
    }

    /// Binds result names to the results of an operation.
    fn bind_results(&mut self, op: OpId, names: &[(Token, u32)]) -> PResult<()> {
        let results = self.module.ops[op].results;
        let named: u32 = names.iter().map(|(_, n)| n).sum();
        if !names.is_empty() && named as usize != results.len() {
            let name = self.module.op(op).def().name;
            let message = format!("`{name}` has {} results, but {named} are named", results.len());
            return Err(self.error_at(names[0].0.span(), message));
        }
        let mut position = 0;
        for (token, count) in names {
            let name = self.value_name(*token);
            for i in 0..*count {
                self.module.values[results.at(position + i as usize)].name = name;
            }
            self.define(*token, Binding::Values(results.at(position), *count))?;
            position += *count as usize;
        }
        Ok(())
    }
}

/// The number a name consists of; `%007` is another name than `%7`.
fn canonical_number(text: &str) -> Option<u32> {
    let canonical = text.len() == 1 || !text.starts_with('0');
    if canonical && text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}
