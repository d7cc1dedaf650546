//! Constants, and the neutral elements of reductions.

use super::reduce::OWN;
use super::{Generator, Value};
use partita::ir::{Elem, TensorType};

impl Generator {
    /// A constant: one number everywhere, or a small table.
    pub(super) fn constant(&mut self, ty: TensorType) -> Value {
        let table = (1..=2).contains(&ty.rank()) && ty.count() <= 16 && self.rng.chance(60);
        let elements = if table { self.table(ty.elem, &ty.shape) } else { self.literal(ty.elem) };
        self.emit_constant(&elements, ty)
    }

    /// A constant with elements as they are written in the text.
    pub(super) fn emit_constant(&mut self, elements: &str, ty: TensorType) -> Value {
        let attributes = format!("value = dense<{elements}> : {ty}");
        let op = match self.rng.below(100) {
            0 => "chlo.constant",
            1 | 2 => "sdy.constant",
            _ => "stablehlo.constant",
        };
        self.emit(op, &[], &attributes, ty, false)
    }

    fn table(&mut self, elem: Elem, shape: &[i64]) -> String {
        let Some((&size, inner)) = shape.split_first() else { return self.literal(elem) };
        let items: Vec<String> = (0..size).map(|_| self.table(elem, inner)).collect();
        format!("[{}]", items.join(", "))
    }

    /// A small number of a type.
    fn literal(&mut self, elem: Elem) -> String {
        match elem {
            Elem::Bool => self.rng.chance(50).to_string(),
            Elem::Int(bits) => self
                .rng
                .between(-3, 5)
                .clamp(-1 << (bits - 1).min(3), (1 << (bits - 1).min(4)) - 1)
                .to_string(),
            Elem::Uint(bits) => self.rng.between(0, 7).min((1 << bits.min(4)) - 1).to_string(),
            _ if elem.is_complex() => format!("({}, {})", self.literal(Elem::F32), self.literal(Elem::F32)),
            _ => self.rng.pick(&["0.0", "1.0", "-1.0", "0.5", "-1.5", "2.0"]).to_string(),
        }
    }

    /// A tensor without dimensions, as reductions start from: mostly the neutral element.
    pub(super) fn initial(&mut self, combiner: &str, elem: Elem) -> Value {
        if combiner == OWN || self.rng.chance(75) {
            return self.neutral(combiner, elem);
        }
        self.of_type(&TensorType::scalar(elem))
    }

    /// The neutral element of a combiner. What starts from anything else with a combiner of one's own, or with several at once, has no one
    /// outcome: StableHLO lets the initial value enter any number of times, and nobody can take it out again.
    pub(super) fn neutral(&mut self, combiner: &str, elem: Elem) -> Value {
        let ty = TensorType::scalar(elem);
        match neutral(combiner, elem) {
            Some(neutral) => self.emit_constant(&neutral, ty),
            None => self.of_type(&ty),
        }
    }
}

/// The neutral element of a combiner as it is written.
pub(super) fn neutral(combiner: &str, elem: Elem) -> Option<String> {
    let number = |n: i64| match elem {
        Elem::Bool => (n != 0).to_string(),
        _ if elem.is_complex() => format!("({n}.0, 0.0)"),
        _ if elem.is_float() => format!("{n}.0"),
        _ => n.to_string(),
    };
    Some(match combiner {
        "add" | "or" | "xor" | OWN => number(0),
        "multiply" => number(1),
        "and" if elem == Elem::Bool => "true".into(),
        "and" => all_ones(elem)?,
        "maximum" => lowest(elem)?,
        "minimum" => highest(elem)?,
        _ => return None,
    })
}

fn all_ones(elem: Elem) -> Option<String> {
    match elem {
        Elem::Int(_) => Some("-1".into()),
        _ => highest(elem),
    }
}

/// The lowest value of a type as it is written.
pub(super) fn lowest(elem: Elem) -> Option<String> {
    Some(match elem {
        Elem::Bool => "false".into(),
        Elem::Int(bits) => (i64::MIN >> (64 - u32::from(bits))).to_string(),
        Elem::Uint(_) => "0".into(),
        Elem::BF16 => "0xFF80".into(),
        Elem::F16 => "0xFC00".into(),
        Elem::F32 => "0xFF800000".into(),
        Elem::F64 => "0xFFF0000000000000".into(),
        _ => return None,
    })
}

fn highest(elem: Elem) -> Option<String> {
    Some(match elem {
        Elem::Bool => "true".into(),
        Elem::Int(bits) => (i64::MAX >> (64 - u32::from(bits))).to_string(),
        Elem::Uint(bits) => (u64::MAX >> (64 - u32::from(bits))).to_string(),
        Elem::BF16 => "0x7F80".into(),
        Elem::F16 => "0x7C00".into(),
        Elem::F32 => "0x7F800000".into(),
        Elem::F64 => "0x7FF0000000000000".into(),
        _ => return None,
    })
}
