//! The one-line form of a rule, written and read.

mod parse;

use super::{Access, DimMap, Factor, FactorId, Kind, Rule, TensorMap, Window};
use std::fmt;

/// `([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduce={k:add}`. Letters are the factors; factors of one
/// dimension stand side by side, an affine access is written out (`2i+k-1`), and `1` is a dimension without factors.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tensors = |f: &mut fmt::Formatter<'_>, list: &[TensorMap]| {
            f.write_str("(")?;
            for (i, tensor) in list.iter().enumerate() {
                f.write_str(if i > 0 { ", [" } else { "[" })?;
                for (dim, map) in tensor.iter().enumerate() {
                    f.write_str(if dim > 0 { ", " } else { "" })?;
                    write_dim(f, map)?;
                }
                f.write_str("]")?;
            }
            f.write_str(")")
        };
        tensors(f, &self.operands)?;
        f.write_str("->")?;
        tensors(f, &self.results)?;
        f.write_str(" {")?;
        for (i, factor) in self.factors.iter().enumerate() {
            write!(f, "{}{}={}", if i > 0 { ", " } else { "" }, Name(FactorId(i as u8)), factor.size)?;
        }
        f.write_str("}")?;
        self.write_set(f, "reduce", |x| match x.kind {
            Kind::Reduce(combine) => Some(combine.name()),
            _ => None,
        })?;
        self.write_set(f, "lookup", |x| (x.kind == Kind::Lookup).then_some(""))?;
        self.write_set(f, "scan", |x| (x.kind == Kind::Scan).then_some(""))?;
        self.write_set(f, "whole", |x| (x.kind == Kind::Whole).then_some(""))?;
        self.write_set(f, "blocked", |x| x.blocked.then_some(""))
    }
}

impl Rule {
    fn write_set(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: &str,
        member: impl Fn(&Factor) -> Option<&'static str>,
    ) -> fmt::Result {
        let mut separator = format!(" {name}={{");
        for (i, factor) in self.factors.iter().enumerate() {
            let Some(detail) = member(factor) else { continue };
            write!(f, "{separator}{}", Name(FactorId(i as u8)))?;
            if !detail.is_empty() {
                write!(f, ":{detail}")?;
            }
            separator = ", ".into();
        }
        if separator == ", " { f.write_str("}") } else { Ok(()) }
    }
}

/// A factor by its letter: `i`, `j`, … `z`, then `i_1`, `j_1`, …
struct Name(FactorId);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LETTERS: u8 = b'z' - b'i' + 1;
        let (letter, round) = (self.0.0 % LETTERS, self.0.0 / LETTERS);
        write!(f, "{}", char::from(b'i' + letter))?;
        if round > 0 { write!(f, "_{round}") } else { Ok(()) }
    }
}

fn write_dim(f: &mut fmt::Formatter<'_>, map: &DimMap) -> fmt::Result {
    let Access::Affine(a) = map.access else {
        if map.factors.is_empty() {
            return f.write_str("1");
        }
        return map.factors.iter().try_for_each(|id| write!(f, "{}", Name(*id)));
    };
    let scaled = |f: &mut fmt::Formatter<'_>, scale: i64, name: &dyn fmt::Display| match scale {
        1 => write!(f, "{name}"),
        -1 => write!(f, "-{name}"),
        s => write!(f, "{s}{name}"),
    };
    if a.base != 1 {
        f.write_str("(")?;
    }
    scaled(f, a.stride, &Name(a.outer))?;
    match a.window {
        Window::None => {}
        Window::Size(size) => {
            write!(f, "{}", if a.dilation < 0 { "" } else { "+" })?;
            scaled(f, a.dilation, &format_args!("<{size}>"))?;
        }
        Window::Factor(id) => {
            write!(f, "{}", if a.dilation < 0 { "" } else { "+" })?;
            scaled(f, a.dilation, &Name(id))?;
        }
    }
    if a.offset != 0 {
        write!(f, "{:+}", -a.offset)?;
    }
    if a.base != 1 {
        write!(f, ")/{}", a.base)?;
    }
    Ok(())
}
