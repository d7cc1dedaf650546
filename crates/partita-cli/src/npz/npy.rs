//! The NPY format: a small Python dictionary that says type and shape, then the elements.

use partita::ir::{Elem, Shape, TensorType};
use partita::value::{Tensor, TensorBuilder, tensor};
use std::fmt;
use std::io::{self, Read, Write};

const MAGIC: &[u8] = b"\x93NUMPY";

/// A longer header is refused. NumPy itself reads at most 10,000 bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// What an array is made of, in NumPy's terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dtype {
    /// `b`, `i`, `u`, `f`, `c`, or `V` for types that NumPy does not know itself.
    kind: char,
    /// Bytes of one element.
    size: usize,
    big_endian: bool,
}

/// What the header of an array says.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// What it is made of.
    pub dtype: Dtype,
    /// Whether the first index runs fastest.
    pub fortran_order: bool,
    /// The sizes.
    pub shape: Shape,
}

impl Dtype {
    /// Reads `<f4`, `|b1` and the like.
    fn parse(text: &str) -> Option<Dtype> {
        let (order, rest) = match text.as_bytes().first()? {
            b'<' | b'>' | b'|' | b'=' => text.split_at(1),
            _ => ("|", text),
        };
        let kind = rest.chars().next().filter(|k| "biufcV?".contains(*k))?;
        let (kind, size) = match kind {
            '?' => ('b', 1),
            kind => (kind, rest[1..].parse().ok()?),
        };
        Some(Dtype { kind, size, big_endian: order == ">" })
    }

    /// The type that arrays of an element type are stored with.
    fn of(elem: Elem) -> Dtype {
        let kind = match elem {
            Elem::Bool => 'b',
            Elem::Int(2 | 4) | Elem::Uint(2 | 4) | Elem::Mini(_) | Elem::BF16 | Elem::Field => 'V',
            Elem::Int(_) => 'i',
            Elem::Uint(_) => 'u',
            Elem::F16 | Elem::F32 | Elem::F64 => 'f',
            Elem::C64 | Elem::C128 => 'c',
        };
        Dtype { kind, size: elem.bytes(), big_endian: false }
    }

    /// Whether an array of this type holds elements of a tensor. The package `ml_dtypes`, which gives NumPy the
    /// narrow types, stores them as raw bytes (`V`), or as `f1`; a plain byte will do for a narrow integer.
    fn holds(self, elem: Elem) -> bool {
        let stored = Dtype::of(elem);
        let alternative = match elem {
            Elem::Int(2 | 4) => Some('i'),
            Elem::Uint(2 | 4) => Some('u'),
            Elem::Mini(_) => Some('f'),
            _ => None,
        };
        self.size == stored.size && (self.kind == stored.kind || Some(self.kind) == alternative)
    }

    /// Bytes that a number of the other byte order has in reverse.
    fn word(self) -> usize {
        if self.kind == 'c' { self.size / 2 } else { self.size }
    }

    fn descr(self) -> String {
        let order = match (self.size, self.big_endian) {
            (1, _) => '|',
            (_, true) => '>',
            (_, false) => '<',
        };
        format!("{order}{}{}", self.kind, self.size)
    }
}

/// The name NumPy users know.
impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.size.saturating_mul(8);
        match self.kind {
            'b' => f.write_str("bool"),
            'i' => write!(f, "int{bits}"),
            'u' => write!(f, "uint{bits}"),
            'f' => write!(f, "float{bits}"),
            'c' => write!(f, "complex{bits}"),
            _ => f.write_str(&self.descr()),
        }
    }
}

/// The NumPy name of an element type.
pub fn dtype_name(elem: Elem) -> String {
    match elem {
        Elem::BF16 => "bfloat16".to_string(),
        Elem::Int(bits @ (2 | 4)) => format!("int{bits}"),
        Elem::Uint(bits @ (2 | 4)) => format!("uint{bits}"),
        Elem::Mini(_) => elem.name().to_lowercase().replacen('f', "float", 1).replacen('e', "_e", 1),
        _ => Dtype::of(elem).to_string(),
    }
}

/// A shape as Python writes it.
pub fn shape_text(shape: &[i64]) -> String {
    let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
    format!("({}{})", sizes.join(", "), if shape.len() == 1 { "," } else { "" })
}

impl Header {
    /// Whether an array with this header is a tensor of this type.
    pub fn fits(&self, ty: &TensorType) -> bool {
        self.dtype.holds(ty.elem) && self.shape == ty.shape
    }

    /// Reads magic, version and dictionary; also gives how many bytes they took.
    pub fn read(from: &mut impl Read) -> Result<(Header, u64), String> {
        let short = |_| "it is too short for an NPY array".to_string();
        let mut start = [0; 8];
        from.read_exact(&mut start).map_err(short)?;
        if !start.starts_with(MAGIC) {
            return Err("it is not an NPY array: the first bytes are not `\\x93NUMPY`".to_string());
        }
        let (length, before) = match start[6] {
            1 => {
                let mut length = [0; 2];
                from.read_exact(&mut length).map_err(short)?;
                (usize::from(u16::from_le_bytes(length)), 10)
            }
            2 | 3 => {
                let mut length = [0; 4];
                from.read_exact(&mut length).map_err(short)?;
                (u32::from_le_bytes(length) as usize, 12)
            }
            version => return Err(format!("its NPY version {version} is not known")),
        };
        if length > LONGEST_HEADER {
            return Err(format!("its NPY header claims {length} bytes; at most {LONGEST_HEADER} are read"));
        }
        let mut text = vec![0; length];
        from.read_exact(&mut text).map_err(short)?;
        let text = String::from_utf8_lossy(&text);
        let header = Dictionary { rest: &text }
            .header()
            .ok_or_else(|| format!("its NPY header is not one that is read: {}", text.trim()))?;
        Ok((header, (before + length) as u64))
    }

    /// Reads the elements of a tensor that this header [fits](Header::fits).
    pub fn read_tensor(&self, ty: &TensorType, from: &mut impl Read) -> io::Result<Tensor> {
        let transposed = self.fortran_order && ty.rank() > 1;
        let stored =
            if transposed { TensorType::new(ty.elem, ty.shape.iter().rev().copied()) } else { ty.clone() };
        let mut builder = TensorBuilder::new(stored.clone());
        from.read_exact(builder.bytes_mut())?;
        let word = self.dtype.word();
        if self.dtype.big_endian && word > 1 {
            builder.bytes_mut().chunks_exact_mut(word).for_each(<[u8]>::reverse);
        }
        let tensor = if ty.elem.bits() < 8 {
            // Brings patterns that the type cannot hold into range.
            Tensor::from_bytes(stored, builder.bytes_mut()).unwrap_or_else(|| builder.finish())
        } else {
            builder.finish()
        };
        Ok(if transposed { transpose(&tensor, ty) } else { tensor })
    }
}

/// The tensor with its dimensions in reverse order, which makes it of type `ty`.
fn transpose(stored: &Tensor, ty: &TensorType) -> Tensor {
    let mut strides = tensor::strides(stored.shape());
    strides.reverse();
    let mut builder = TensorBuilder::new(ty.clone());
    tensor::for_each_index(&ty.shape, |position, index| {
        let from: i64 = index.iter().zip(&strides).map(|(i, stride)| i * stride).sum();
        builder.copy(position, stored, from as usize);
    });
    builder.finish()
}

/// Writes a tensor, header and elements.
pub fn write(out: &mut impl Write, tensor: &Tensor) -> io::Result<()> {
    let descr = Dtype::of(tensor.elem()).descr();
    let shape = shape_text(tensor.shape());
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The elements begin at a multiple of 64, and a newline stands before them.
    let before = MAGIC.len() + 4;
    let padded = (before + header.len() + 1).next_multiple_of(64);
    header.extend(std::iter::repeat_n(' ', padded - before - header.len() - 1));
    header.push('\n');
    let length =
        u16::try_from(header.len()).map_err(|_| io::Error::other("the shape has too many dimensions"))?;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for_each_chunk(tensor, |chunk| out.write_all(chunk))
}

/// Gives the bytes of a tensor in order; a splat is never written out in memory.
pub fn for_each_chunk<E>(tensor: &Tensor, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    const CHUNK: usize = 1 << 12;
    if let Some(bytes) = tensor.dense_bytes() {
        return take(bytes);
    }
    let element = tensor.element_bytes(0);
    let chunk = element.repeat(tensor.len().min(CHUNK));
    let mut left = tensor.len();
    while left > 0 {
        let now = left.min(CHUNK);
        take(&chunk[..now * element.len()])?;
        left -= now;
    }
    Ok(())
}

/// Reads the Python dictionary of a header.
struct Dictionary<'t> {
    rest: &'t str,
}

impl<'t> Dictionary<'t> {
    fn header(&mut self) -> Option<Header> {
        let mut dtype = None;
        let mut fortran_order = None;
        let mut shape = None;
        self.expect("{")?;
        while !self.eat("}") {
            match self.string()? {
                "descr" => {
                    self.expect(":")?;
                    dtype = Some(Dtype::parse(self.string()?)?);
                }
                "fortran_order" => {
                    self.expect(":")?;
                    fortran_order = Some(self.boolean()?);
                }
                "shape" => {
                    self.expect(":")?;
                    shape = Some(self.shape()?);
                }
                _ => return None,
            }
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        self.rest.trim().is_empty().then_some(())?;
        Some(Header { dtype: dtype?, fortran_order: fortran_order?, shape: shape? })
    }

    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Option<()> {
        self.eat(token).then_some(())
    }

    fn string(&mut self) -> Option<&'t str> {
        let quote = if self.eat("'") { '\'' } else { self.expect("\"").map(|()| '"')? };
        let (text, rest) = self.rest.split_once(quote)?;
        self.rest = rest;
        Some(text)
    }

    fn boolean(&mut self) -> Option<bool> {
        if self.eat("True") { Some(true) } else { self.expect("False").map(|()| false) }
    }

    fn shape(&mut self) -> Option<Shape> {
        let mut shape = Shape::new();
        self.expect("(")?;
        while !self.eat(")") {
            self.rest = self.rest.trim_start();
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = self.rest.split_at(digits);
            shape.push(number.parse().ok()?);
            self.rest = rest;
            // Python 2 wrote long integers with a letter.
            self.eat("L");
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Some(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita::value::Scalar;

    fn header(text: &str) -> Option<Header> {
        Dictionary { rest: text }.header()
    }

    #[test]
    fn headers_are_read() {
        let read = header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n");
        let dtype = Dtype { kind: 'f', size: 4, big_endian: false };
        assert_eq!(read, Some(Header { dtype, fortran_order: false, shape: [2, 3].into_iter().collect() }));
        let read = header("{\"shape\": (), \"fortran_order\": True, \"descr\": \">c16\"}").expect("read");
        assert!(read.shape.is_empty() && read.fortran_order && read.dtype.big_endian);
        assert_eq!(
            header("{'descr': '|b1', 'fortran_order': False, 'shape': (7L,)}").map(|h| h.shape.len()),
            Some(1)
        );
    }

    #[test]
    fn headers_that_are_not_understood_are_refused() {
        for text in [
            "",
            "{",
            "{}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
            "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
            "{'descr': '<U5', 'fortran_order': False, 'shape': (2,)}",
            "{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
            "{'descr': '\u{e9}', 'fortran_order': False, 'shape': (2,)}",
            "{'descr': '<f4', 'fortran_order': False}",
        ] {
            assert_eq!(header(text), None, "{text}");
        }
    }

    #[test]
    fn every_element_type_survives_a_round_trip() {
        for elem in Elem::all() {
            let ty = TensorType::new(elem, [2, 3]);
            let tensor = Tensor::from_fn(ty.clone(), |i| Scalar::from_i64(elem, i as i64 % 2));
            let mut bytes = Vec::new();
            write(&mut bytes, &tensor).expect("written");
            assert_eq!((bytes.len() - tensor.to_bytes().len()) % 64, 0);
            let mut from = &bytes[..];
            let (header, _) = Header::read(&mut from).expect("header");
            assert!(header.fits(&ty), "{elem}");
            assert_eq!(header.read_tensor(&ty, &mut from).expect("elements"), tensor, "{elem}");
        }
    }

    #[test]
    fn types_do_not_fit_each_other() {
        let fits = |descr: &str, elem: Elem| Dtype::parse(descr).is_some_and(|d| d.holds(elem));
        assert!(fits("<V2", Elem::BF16) && fits("|V1", Elem::Int(4)) && fits("|i1", Elem::Int(4)));
        assert!(fits("<f1", Elem::Mini(partita::ir::Mini::F8E5M2)) && fits("|?", Elem::Bool));
        assert!(!fits("<f2", Elem::BF16) && !fits("<i4", Elem::Uint(32)) && !fits("<f8", Elem::F32));
        assert!(!fits("|u1", Elem::Bool));
    }

    #[test]
    fn fortran_order_and_big_endian_are_turned_around() {
        let ty = TensorType::new(Elem::Int(16), [2, 3]);
        let dtype = Dtype { kind: 'i', size: 2, big_endian: true };
        let header = Header { dtype, fortran_order: true, shape: ty.shape.clone() };
        // Columns one after the other: (0, 3), (1, 4), (2, 5).
        let bytes: Vec<u8> = [0u16, 3, 1, 4, 2, 5].iter().flat_map(|v| v.to_be_bytes()).collect();
        let tensor = header.read_tensor(&ty, &mut &bytes[..]).expect("elements");
        assert_eq!(tensor.to_i64s(), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn names_are_the_ones_of_numpy() {
        assert_eq!(dtype_name(Elem::Mini(partita::ir::Mini::F8E4M3FN)), "float8_e4m3fn");
        assert_eq!(dtype_name(Elem::C64), "complex64");
        assert_eq!(dtype_name(Elem::Bool), "bool");
        assert_eq!(shape_text(&[3]), "(3,)");
        assert_eq!(shape_text(&[]), "()");
    }
}
