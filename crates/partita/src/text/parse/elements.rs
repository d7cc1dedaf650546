//! `dense<…> : tensor<…>` and the elements in it.

use super::{PResult, Parser};
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use crate::text::lexer::{Tok, Token};
use crate::value::{Scalar, Tensor, TensorBuilder};
use num_complex::Complex64;
use smallvec::SmallVec;

impl<'t> Parser<'t> {
    pub(super) fn dense(&mut self) -> PResult<Attr> {
        let start = self.next().start;
        self.expect(b'<')?;
        let content = self.tok.start;
        // The type stands behind the elements but is needed to read them.
        while !self.at(b'>') {
            if matches!(self.tok.kind, Tok::Eof | Tok::Bad) {
                return Err(self.expected("`>`"));
            }
            self.next();
        }
        self.next();
        self.expect(b':')?;
        let type_start = self.tok.start;
        if self.at_index_tensor() {
            // Layouts hold numbers of type `index`; nothing computes with them.
            self.next();
            self.skip_angles()?;
            return Ok(Attr::Opaque(self.text[start as usize..self.last_end as usize].into()));
        }
        let ty = match self.ty()? {
            Type::Tensor(ty) => ty,
            Type::Opaque(_) => {
                return Ok(Attr::Opaque(self.text[start as usize..self.last_end as usize].into()));
            }
            _ => return Err(self.error_at(self.span_from(type_start), "constants are tensors")),
        };
        let behind = self.last_end;
        self.seek(content);
        let tensor = self.elements(ty);
        if tensor.is_ok() && !self.at(b'>') {
            return Err(self.expected("`>`"));
        }
        let tensor = tensor?;
        self.seek(behind);
        Ok(Attr::Elements(Box::new(tensor)))
    }

    /// Whether `tensor<…xindex>` follows.
    fn at_index_tensor(&self) -> bool {
        let text = &self.text.as_bytes()[self.tok.start as usize..];
        let end = text.iter().take(256).position(|&b| b == b'>').unwrap_or(0);
        text.starts_with(b"tensor<") && text[..end].ends_with(b"index")
    }

    fn elements(&mut self, ty: TensorType) -> PResult<Tensor> {
        match self.tok.kind {
            Tok::Punct(b'>') => {
                if ty.count() != 0 {
                    let message = format!("`{ty}` has {} elements, but none are given", ty.count());
                    return Err(self.error_at(self.tok.span(), message));
                }
                Ok(TensorBuilder::new(ty).finish())
            }
            Tok::Str => self.hex_elements(ty),
            Tok::Punct(b'[') => {
                // Each element takes at least two characters of text, so the text bounds the memory.
                let room = (self.text.len() - self.tok.start as usize) / 2 + 1;
                if ty.count() > room {
                    let message = format!("`{ty}` has {} elements, but fewer are given", ty.count());
                    return Err(self.error_at(self.tok.span(), message));
                }
                let mut builder = TensorBuilder::new(ty.clone());
                let mut filled = 0;
                self.element_list(&ty, 0, &mut builder, &mut filled)?;
                Ok(builder.finish())
            }
            _ => {
                let token = self.tok;
                let value = self.element_value(ty.elem)?;
                let tensor = Tensor::splat(ty.clone(), value);
                Ok(match self.nan_bytes(ty.elem, value, token) {
                    Some(bytes) => Tensor::splat_from_bytes(ty, &bytes).unwrap_or(tensor),
                    None => tensor,
                })
            }
        }
    }

    fn element_list(
        &mut self,
        ty: &TensorType,
        dim: usize,
        builder: &mut TensorBuilder,
        filled: &mut usize,
    ) -> PResult<()> {
        let start = self.tok.start;
        if dim >= ty.rank() {
            return Err(self.error_at(self.tok.span(), format!("`{ty}` has only {} dimensions", ty.rank())));
        }
        self.expect(b'[')?;
        let mut count = 0;
        self.list_until(b']', |p| {
            count += 1;
            if count > ty.shape[dim] {
                let message =
                    format!("dimension {dim} of `{ty}` has {} elements, but more are given", ty.shape[dim]);
                return Err(p.error_at(p.tok.span(), message));
            }
            if dim + 1 < ty.rank() {
                return p.element_list(ty, dim + 1, builder, filled);
            }
            let token = p.tok;
            let value = p.element_value(ty.elem)?;
            builder.set(*filled, value);
            if let Some(bytes) = p.nan_bytes(ty.elem, value, token) {
                builder.bytes_mut()[*filled * bytes.len()..][..bytes.len()].copy_from_slice(&bytes);
            }
            *filled += 1;
            Ok(())
        })?;
        if count != ty.shape[dim] {
            let message =
                format!("dimension {dim} of `{ty}` has {} elements, but {count} are given", ty.shape[dim]);
            return Err(self.error_at(self.span_from(start), message));
        }
        Ok(())
    }

    /// `"0x…"`: the bytes of all elements, or of the one that all are equal to.
    fn hex_elements(&mut self, ty: TensorType) -> PResult<Tensor> {
        let token = self.next();
        let literal = self.text_of(token);
        let hex = literal[1..literal.len() - 1].strip_prefix("0x");
        let bytes = hex.and_then(|hex| decode_hex(hex.as_bytes()));
        let Some(bytes) = bytes else {
            return Err(self.error_at(token.span(), "expected an even number of hex digits after `0x`"));
        };
        if bytes.len() == ty.elem.bytes()
            && let Some(splat) = Tensor::splat_from_bytes(ty.clone(), &bytes)
        {
            return Ok(splat);
        }
        let expected = ty.bytes();
        Tensor::from_bytes(ty.clone(), &bytes).ok_or_else(|| {
            let message = format!("`{ty}` takes {expected} bytes, but {} are given", bytes.len());
            self.error_at(token.span(), message)
        })
    }

    /// One element: `1`, `-1.5`, `true`, `(1.0, 2.0)`, or the bits of a float in hex.
    pub(super) fn element_value(&mut self, elem: Elem) -> PResult<Scalar> {
        if elem.is_complex() {
            if !self.at(b'(') {
                // MLIR allows a real number for a complex splat.
                let re = self.element_value(elem.real())?;
                return Ok(Scalar::Complex(Complex64::new(re.real(), 0.0)));
            }
            self.next();
            let re = self.element_value(elem.real())?;
            self.expect(b',')?;
            let im = self.element_value(elem.real())?;
            self.expect(b')')?;
            return Ok(Scalar::Complex(Complex64::new(re.real(), im.real())));
        }
        if elem == Elem::Bool && self.tok.kind == Tok::Ident {
            return Ok(Scalar::Bool(self.boolean()?));
        }
        let start = self.tok.start;
        let negative = self.eat(b'-');
        if !matches!(self.tok.kind, Tok::Int | Tok::Float) {
            return Err(self.expected(&format!("an element of type {elem}")));
        }
        let token = self.next();
        let text = self.text_of(token);
        self.parse_element(elem, negative, text, Span { start, end: token.end })
    }

    /// The bytes of a NaN written in hex, which a scalar does not keep.
    fn nan_bytes(&self, elem: Elem, value: Scalar, token: Token) -> Option<SmallVec<[u8; 8]>> {
        match value {
            Scalar::Float(v) if v.is_nan() => {
                let bits = u64::from_str_radix(self.text_of(token).strip_prefix("0x")?, 16).ok()?;
                Some(SmallVec::from_slice(&bits.to_le_bytes()[..elem.bytes()]))
            }
            _ => None,
        }
    }

    /// The element that a number stands for.
    pub(super) fn parse_element(
        &self,
        elem: Elem,
        negative: bool,
        text: &str,
        span: Span,
    ) -> PResult<Scalar> {
        let out_of_range = || {
            let sign = if negative { "-" } else { "" };
            let message = format!("`{sign}{text}` is not a value of type {elem}");
            Box::new(Diagnostic::new("out-of-range", span, message))
        };
        let hex = text.strip_prefix("0x");
        if elem.is_float() {
            return match hex {
                // The bits of the float itself.
                Some(hex) => {
                    let bits = u64::from_str_radix(hex, 16).map_err(|_| out_of_range())?;
                    if negative || (elem.bits() < 64 && bits >> elem.bits() != 0) {
                        return Err(out_of_range());
                    }
                    let tensor =
                        Tensor::from_bytes(TensorType::scalar(elem), &bits.to_le_bytes()[..elem.bytes()]);
                    tensor.map(|t| t.item()).ok_or_else(out_of_range)
                }
                None => {
                    let value = parse_float(elem, text).ok_or_else(out_of_range)?;
                    Ok(Scalar::Float(if negative { -value } else { value }))
                }
            };
        }
        let magnitude = match hex {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => text.parse::<i128>(),
        };
        let value = magnitude.map_err(|_| out_of_range())?;
        let value = if negative { -value } else { value };
        match elem {
            Elem::Bool => match value {
                0 => Ok(Scalar::Bool(false)),
                1 | -1 => Ok(Scalar::Bool(true)),
                _ => Err(out_of_range()),
            },
            Elem::Int(bits) => {
                // A pattern above the largest signed value is its two's complement, as MLIR reads it.
                if value < -(1i128 << (bits - 1)) || value >= 1i128 << bits {
                    return Err(out_of_range());
                }
                Ok(Scalar::Int(value as i64).fit(elem))
            }
            Elem::Uint(bits) if (0..1i128 << bits).contains(&value) => Ok(Scalar::Uint(value as u64)),
            _ => Err(out_of_range()),
        }
    }
}

/// A decimal number rounded once to the element type.
fn parse_float(elem: Elem, text: &str) -> Option<f64> {
    match elem {
        // By way of f64 a decimal could be rounded twice.
        Elem::F32 => text.parse::<f32>().ok().map(f64::from),
        _ => text.parse::<f64>().ok(),
    }
}

fn decode_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let nibble = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks_exact(2).map(|pair| Some(nibble(pair[0])? << 4 | nibble(pair[1])?)).collect()
}
