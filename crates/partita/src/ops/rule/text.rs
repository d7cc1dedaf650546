//! The one-line form of a rule, written and read.

mod parse;

use super::{Access, DimMap, Factor, FactorId, Kind, Rule, TensorMap, Window};
use std::fmt;

/// `([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduce={k:add}`. Letters are the factors, sizes in their order; factors
/// of one dimension stand side by side, an affine access is written out (`2i+k-1`), and `1` is a dimension without
/// factors. Angle brackets hold what a dimension is reached by, but not split along: `2i+<3>` a window of three,
/// `2i+<k>` one as large as the factor `k`, `i+0<k>+1` the indices `k` of the dimension itself. Reading the text gives the same rule.
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
    if a.base != 1 {
        f.write_str("(")?;
    }
    let outer = Term { scale: a.stride, of: TermOf::factor(map, a.outer) };
    let window = match a.window {
        Window::None => None,
        Window::Size(size) => Some(TermOf::Size(size)),
        Window::Factor(id) => Some(TermOf::factor(map, id)),
    };
    match window.map(|of| Term { scale: a.dilation, of }) {
        None => write!(f, "{outer}")?,
        // Factors stand in the order in which they split the dimension.
        Some(window) if map.factors.len() > 1 && map.factors[0] != a.outer => write!(f, "{window}{outer:+}")?,
        Some(window) => write!(f, "{outer}{window:+}")?,
    }
    // Without anything to its right a factor would read as direct.
    if a.offset != 0 || (a.window, a.base, a.stride) == (Window::None, 1, 1) {
        write!(f, "{:+}", -a.offset)?;
    }
    if a.base != 1 {
        write!(f, ")/{}", a.base)?;
    }
    Ok(())
}

/// A part of an affine access: something times a number.
struct Term {
    scale: i64,
    of: TermOf,
}

/// What is scaled.
enum TermOf {
    /// A factor along which the dimension is split.
    Factor(FactorId),
    /// A factor along which it is not.
    Unsplit(FactorId),
    /// A window that is no factor.
    Size(i64),
}

impl TermOf {
    fn factor(map: &DimMap, id: FactorId) -> TermOf {
        if map.factors.contains(&id) { TermOf::Factor(id) } else { TermOf::Unsplit(id) }
    }
}

/// With a sign in front of it always (`{:+}`), or only where it is negative.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scale {
            scale if scale < 0 => f.write_str("-")?,
            _ if f.sign_plus() => f.write_str("+")?,
            _ => {}
        }
        if self.scale.abs() != 1 {
            write!(f, "{}", self.scale.abs())?;
        }
        match self.of {
            TermOf::Factor(id) => write!(f, "{}", Name(id)),
            TermOf::Unsplit(id) => write!(f, "<{}>", Name(id)),
            TermOf::Size(size) => write!(f, "<{size}>"),
        }
    }
}
