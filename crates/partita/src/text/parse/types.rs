//! Types.

use super::{PResult, Parser};
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use crate::text::lexer::Tok;

impl<'t> Parser<'t> {
    /// A type, interned.
    pub(super) fn type_id(&mut self) -> PResult<TypeId> {
        if self.at_word("tensor") {
            return self.tensor_id();
        }
        if let Some(id) = self.type_alias()? {
            return Ok(id);
        }
        let ty = self.ty()?;
        Ok(self.module.types.intern(ty))
    }

    /// `tensor<…>`, looked up by its text: a program has few distinct types and names them often.
    fn tensor_id(&mut self) -> PResult<TypeId> {
        let start = self.tok.start as usize;
        let length = self.text.as_bytes()[start..].iter().take(256).position(|&b| b == b'>');
        let key = length.map(|n| &self.text[start..=start + n]);
        if let Some(key) = key
            && let Some(&id) = self.tensor_types.get(key)
        {
            self.seek((start + key.len()) as u32);
            return Ok(id);
        }
        let ty = self.tensor()?;
        let id = self.module.types.intern(Type::Tensor(ty));
        // `complex<f32>` ends at the second `>`: such a type is not found by its first.
        if let Some(key) = key
            && self.last_end as usize == start + key.len()
        {
            self.tensor_types.insert(key, id);
        }
        Ok(id)
    }

    pub(super) fn ty(&mut self) -> PResult<Type> {
        self.nested(|p| p.type_body())
    }

    fn type_body(&mut self) -> PResult<Type> {
        match self.tok.kind {
            Tok::Punct(b'(') => self.function_type(),
            Tok::Ident => match self.text_of(self.tok) {
                "tensor" => Ok(Type::Tensor(self.tensor()?)),
                "tuple" => {
                    self.next();
                    Ok(Type::Tuple(self.angle_types()?))
                }
                "index" => {
                    self.next();
                    Ok(Type::Index)
                }
                "none" => {
                    self.next();
                    Ok(Type::None)
                }
                "complex" => Ok(Type::Scalar(self.element()?)),
                "vector" | "memref" | "tf32" => {
                    let start = self.tok.start;
                    self.next();
                    self.skip_angles()?;
                    Ok(Type::Opaque(self.text[start as usize..self.last_end as usize].into()))
                }
                text if Elem::from_name(text).is_some() => Ok(Type::Scalar(self.element()?)),
                _ => Err(self.expected("a type")),
            },
            Tok::Bang => match self.text_of(self.tok) {
                "!stablehlo.token" => {
                    self.next();
                    Ok(Type::Token)
                }
                "!stablehlo.future" => {
                    self.next();
                    Ok(Type::Future(self.angle_types()?))
                }
                text if text.starts_with("!quant.") => Err(quantized(self.tok.span())),
                text => {
                    if let Some(id) = self.type_alias()? {
                        return Ok(self.module.types[id].clone());
                    }
                    Err(Box::new(
                        self.error(format!("the type `{text}` is not known"))
                            .fix("values are tensors, tuples or tokens"),
                    ))
                }
            },
            _ => Err(self.expected("a type")),
        }
    }

    /// `!name`, where it is an alias.
    fn type_alias(&mut self) -> PResult<Option<TypeId>> {
        if self.tok.kind != Tok::Bang {
            return Ok(None);
        }
        let Some(&(id, size)) = self.type_aliases.get(self.text_of(self.tok)) else { return Ok(None) };
        self.expand(size, self.tok.span())?;
        self.next();
        Ok(Some(id))
    }

    fn angle_types(&mut self) -> PResult<Vec<Type>> {
        self.expect(b'<')?;
        let mut types = Vec::new();
        self.list_until(b'>', |p| {
            types.push(p.ty()?);
            Ok(())
        })?;
        Ok(types)
    }

    /// `(t, t) -> t` or `(t, t) -> (t, t)`.
    pub(super) fn function_type(&mut self) -> PResult<Type> {
        let (inputs, results) = self.function_type_ids()?;
        let types = &self.module.types;
        let get = |ids: Vec<TypeId>| ids.into_iter().map(|id| types[id].clone()).collect();
        Ok(Type::Function(get(inputs), get(results)))
    }

    /// As [`Parser::function_type`], the types interned.
    pub(super) fn function_type_ids(&mut self) -> PResult<(Vec<TypeId>, Vec<TypeId>)> {
        let mut inputs = Vec::new();
        self.expect(b'(')?;
        self.list_until(b')', |p| {
            inputs.push(p.type_id()?);
            Ok(())
        })?;
        self.expect_arrow()?;
        let mut results = Vec::new();
        if self.eat(b'(') {
            self.list_until(b')', |p| {
                results.push(p.type_id()?);
                Ok(())
            })?;
        } else {
            results.push(self.type_id()?);
        }
        Ok((inputs, results))
    }

    /// `tensor<2x3xf32>`. Shapes are read from the bytes: to the lexer `2x3` would be one odd word.
    pub(super) fn tensor(&mut self) -> PResult<TensorType> {
        let start = self.tok.start;
        self.next();
        if !self.at(b'<') {
            return Err(self.expected("`<`"));
        }
        let text = self.text.as_bytes();
        let mut i = self.tok.end as usize;
        let mut shape = Shape::new();
        loop {
            while text.get(i).is_some_and(u8::is_ascii_whitespace) {
                i += 1;
            }
            let digits = i;
            while text.get(i).is_some_and(u8::is_ascii_digit) {
                i += 1;
            }
            let span = Span { start: digits as u32, end: i.max(digits + 1).min(text.len()) as u32 };
            match text.get(i) {
                Some(b'x') if i > digits => {
                    let Ok(size) = self.text[digits..i].parse::<i64>() else {
                        return Err(Box::new(Diagnostic::new(
                            "too-large",
                            span,
                            "this dimension does not fit 64 bits",
                        )));
                    };
                    if shape.len() >= 64 {
                        return Err(self.error_at(span, "a tensor has at most 64 dimensions"));
                    }
                    shape.push(size);
                    i += 1;
                }
                Some(b'?' | b'*') => {
                    let message = if text[i] == b'?' {
                        "dynamic dimensions are not supported"
                    } else {
                        "unranked tensors are not supported"
                    };
                    return Err(Box::new(
                        Diagnostic::new("dynamic-shape", span, message)
                            .label("the size must be a number")
                            .fix("lower the program with static shapes"),
                    ));
                }
                _ => break,
            }
        }
        self.seek(i as u32);
        let elem = self.element()?;
        if self.eat(b',') {
            let span = self.tok.span();
            let encoding = self.text_of(self.tok);
            let message = if encoding == "#stablehlo.bounds" || encoding == "#stablehlo.type_extensions" {
                "bounded dimensions are not supported".to_string()
            } else {
                format!("the tensor encoding `{encoding}` is not supported")
            };
            return Err(Box::new(
                Diagnostic::new("dynamic-shape", span, message).fix("lower the program with static shapes"),
            ));
        }
        self.expect(b'>')?;
        let ty = TensorType { elem, shape };
        if ty.checked_count().is_none() {
            let message = format!("`{ty}` has more elements than memory can address");
            return Err(Box::new(Diagnostic::new("too-large", self.span_from(start), message)));
        }
        Ok(ty)
    }

    fn element(&mut self) -> PResult<Elem> {
        if self.tok.kind == Tok::Bang && self.text_of(self.tok).starts_with("!quant.") {
            return Err(quantized(self.tok.span()));
        }
        let start = self.tok.start;
        let name = self.word("an element type such as `f32`")?;
        if name == "complex" {
            self.expect(b'<')?;
            let part = self.word("`f32` or `f64`")?;
            self.expect(b'>')?;
            return match part {
                "f32" => Ok(Elem::C64),
                "f64" => Ok(Elem::C128),
                _ => Err(self.error_at(self.span_from(start), format!("`complex<{part}>` is not supported"))),
            };
        }
        if name == "index" {
            return Err(Box::new(
                Diagnostic::new(
                    "dynamic-shape",
                    self.span_from(start),
                    "tensors of `index` are not supported",
                )
                .label("they hold the sizes of dynamic shapes")
                .fix("lower the program with static shapes, or write sizes as `i64`"),
            ));
        }
        Elem::from_name(name).ok_or_else(|| {
            Box::new(
                Diagnostic::new(
                    "unknown-type",
                    self.span_from(start),
                    format!("`{name}` is not an element type"),
                )
                .label("expected i1, i2 … i64, ui2 … ui64, f4E2M1FN … f64, bf16 or complex"),
            )
        })
    }

    /// Skips `<…>` with everything in it, where it follows.
    pub(super) fn skip_angles(&mut self) -> PResult<()> {
        if !self.at(b'<') {
            return Ok(());
        }
        let mut depth = 0;
        loop {
            match self.tok.kind {
                Tok::Punct(b'<' | b'(' | b'[' | b'{') => depth += 1,
                Tok::Punct(b'>' | b')' | b']' | b'}') => depth -= 1,
                Tok::Eof => return Err(self.expected("`>`")),
                _ => {}
            }
            self.next();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// `!name = type`.
    pub(super) fn type_alias_definition(&mut self) -> PResult<()> {
        let token = self.next();
        self.expect(b'=')?;
        let (before, start) = (self.expanded, self.tok.start);
        let id = self.type_id()?;
        let size = (self.last_end - start) as usize + self.expanded - before;
        self.type_aliases.insert(self.text_of(token), (id, size));
        Ok(())
    }
}

fn quantized(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new("quantized", span, "quantized types are not supported")
            .label("this element type is quantized")
            .fix("lower the program with integer types, for example by `stablehlo-legalize-quant-to-math`"),
    )
}
