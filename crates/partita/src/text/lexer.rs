//! Tokens of MLIR text, made one at a time.

use crate::ir::Span;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok {
    Eof,
    /// `module`, `stablehlo.add`.
    Ident,
    /// `%0`.
    Value,
    /// `@main` or `@"main"`.
    Symbol,
    /// `#loc1`, `#stablehlo.dot`.
    Hash,
    /// `!stablehlo.token`.
    Bang,
    /// `^bb0`.
    Block,
    Int,
    Float,
    Str,
    Arrow,
    ColonColon,
    /// Any other single character.
    Punct(u8),
    /// Not a token: an unknown character or an unfinished string.
    Bad,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Tok,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    pub(crate) fn span(self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

/// Which bytes names are made of.
const IDENT: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0u8;
    while b.is_ascii() {
        table[b as usize] = b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
        b += 1;
    }
    table
};

fn is_ident(b: u8) -> bool {
    IDENT[usize::from(b)]
}

fn is_suffix(b: u8) -> bool {
    is_ident(b) || b == b'-'
}

/// The token at or after a position; whitespace and comments before it are skipped.
pub(crate) fn lex(text: &str, from: u32) -> Token {
    let s = text.as_bytes();
    let mut i = from as usize;
    let start = loop {
        match s.get(i) {
            None => return Token { kind: Tok::Eof, start: s.len() as u32, end: s.len() as u32 },
            Some(b' ' | b'\n' | b'\t' | b'\r') => i += 1,
            Some(b'/') if s.get(i + 1) == Some(&b'/') => {
                while s.get(i).is_some_and(|&b| b != b'\n') {
                    i += 1;
                }
            }
            Some(_) => break i,
        }
    };
    let first = s[start];
    let mut end = start + 1;
    let run = |mut end: usize, accept: fn(u8) -> bool| {
        while s.get(end).is_some_and(|&b| accept(b)) {
            end += 1;
        }
        end
    };
    let kind = match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
            end = run(end, is_ident);
            Tok::Ident
        }
        b'%' | b'#' | b'!' | b'^' | b'@' => {
            let kind = match first {
                b'%' => Tok::Value,
                b'#' => Tok::Hash,
                b'!' => Tok::Bang,
                b'^' => Tok::Block,
                _ => Tok::Symbol,
            };
            match s.get(end) {
                Some(b'"') if first == b'@' => match string_end(s, end) {
                    Some(after) => {
                        end = after;
                        kind
                    }
                    None => Tok::Bad,
                },
                Some(&b) if is_suffix(b) => {
                    let accept =
                        if first == b'%' || first == b'@' || first == b'^' { is_suffix } else { is_ident };
                    end = run(end, accept);
                    // `#` and `!` may stand before `<`, as in `#stablehlo<…>`; a name was read either way.
                    kind
                }
                _ if first == b'#' => Tok::Punct(b'#'),
                _ => Tok::Bad,
            }
        }
        b'0'..=b'9' => {
            if first == b'0' && s.get(end) == Some(&b'x') && s.get(end + 1).is_some_and(u8::is_ascii_hexdigit)
            {
                end = run(end + 1, |b| b.is_ascii_hexdigit());
                Tok::Int
            } else {
                end = run(end, |b| b.is_ascii_digit());
                if s.get(end) == Some(&b'.') {
                    end = run(end + 1, |b| b.is_ascii_digit());
                    if matches!(s.get(end), Some(b'e' | b'E')) {
                        let sign = usize::from(matches!(s.get(end + 1), Some(b'+' | b'-')));
                        if s.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                            end = run(end + 1 + sign, |b| b.is_ascii_digit());
                        }
                    }
                    Tok::Float
                } else {
                    Tok::Int
                }
            }
        }
        b'"' => match string_end(s, start) {
            Some(after) => {
                end = after;
                Tok::Str
            }
            None => {
                end = s.len();
                Tok::Bad
            }
        },
        b'-' if s.get(end) == Some(&b'>') => {
            end += 1;
            Tok::Arrow
        }
        b':' if s.get(end) == Some(&b':') => {
            end += 1;
            Tok::ColonColon
        }
        b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b':' | b'=' | b'-' | b'+' | b'*'
        | b'/' | b'?' | b'|' | b'.' => Tok::Punct(first),
        _ => {
            // One whole character, so that messages never cut one in two.
            end = start + text[start..].chars().next().map_or(1, char::len_utf8);
            Tok::Bad
        }
    };
    Token { kind, start: start as u32, end: end as u32 }
}

/// Just behind the closing quote of the string that opens at `start`.
fn string_end(s: &[u8], start: usize) -> Option<usize> {
    let mut i = start + 1;
    loop {
        match s.get(i)? {
            b'"' => return Some(i + 1),
            b'\\' => i += 2,
            b'\n' => return None,
            _ => i += 1,
        }
    }
}

/// The bytes a string literal stands for. `\xx` is a byte in hex, as MLIR has it.
pub(crate) fn unescape(literal: &str) -> Vec<u8> {
    let body = &literal.as_bytes()[1..literal.len() - 1];
    let mut bytes = Vec::with_capacity(body.len());
    let mut i = 0;
    let hex = |b: u8| char::from(b).to_digit(16);
    while i < body.len() {
        if body[i] != b'\\' {
            bytes.push(body[i]);
            i += 1;
            continue;
        }
        let next = body.get(i + 1).copied().unwrap_or(b'\\');
        let pair = (hex(next), body.get(i + 2).copied().and_then(hex));
        match (next, pair) {
            (b'\\' | b'"', _) => {
                bytes.push(next);
                i += 2;
            }
            (_, (Some(high), Some(low))) => {
                bytes.push((high * 16 + low) as u8);
                i += 3;
            }
            (b'n', _) => {
                bytes.push(b'\n');
                i += 2;
            }
            (b't', _) => {
                bytes.push(b'\t');
                i += 2;
            }
            _ => {
                bytes.push(b'\\');
                i += 1;
            }
        }
    }
    bytes
}

/// A string literal for these bytes.
pub(crate) fn escape(bytes: &[u8], out: &mut String) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => out.push_str("\\22"),
                '\\' => out.push_str("\\\\"),
                ' '..='~' => out.push(c),
                c => {
                    let mut buffer = [0; 4];
                    for b in c.encode_utf8(&mut buffer).bytes() {
                        out.push_str(&format!("\\{b:02X}"));
                    }
                }
            }
        }
        for b in chunk.invalid() {
            out.push_str(&format!("\\{b:02X}"));
        }
    }
    out.push('"');
}
