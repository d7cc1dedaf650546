//! What a program shows and sends out while it runs.

use super::Device;
use crate::ir::Elem;
use crate::value::{Scalar, Tensor};
use std::fmt::Write;

/// Something that leaves the program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Output<'a> {
    /// `interpreter.print`.
    Print {
        /// The value's name, `%0`.
        name: String,
        /// The value.
        tensor: &'a Tensor,
    },
    /// `interpreter.probe`.
    Probe {
        /// The name of the probe.
        id: &'a str,
        /// How often the probe was passed before.
        iteration: u32,
        /// The value.
        tensor: &'a Tensor,
    },
    /// `stablehlo.outfeed`.
    Outfeed {
        /// The device.
        device: Device,
        /// The values.
        tensors: &'a [Tensor],
    },
    /// `stablehlo.send` to the host that no device received.
    HostSend {
        /// The channel.
        channel: i64,
        /// The values.
        tensors: &'a [Tensor],
    },
}

/// A tensor as `interpreter.print` shows it: the type, then the elements in nested brackets.
pub fn render_tensor(tensor: &Tensor) -> String {
    let mut text = format!("{} {{", tensor.ty());
    let shape = tensor.shape();
    if shape.is_empty() {
        text.push_str(&render_element(tensor.elem(), tensor.item()));
    } else if tensor.is_empty() {
        text.push_str("[]");
    } else {
        render_rows(tensor, shape, 0, 1, &mut text);
        text.push('\n');
    }
    text.push('}');
    text
}

/// The rows of one dimension, from an element on. Ranks are small, so recursion is safe.
fn render_rows(tensor: &Tensor, shape: &[i64], first: usize, indent: usize, text: &mut String) {
    let Some((&size, inner)) = shape.split_first() else { return };
    let step: usize = inner.iter().product::<i64>() as usize;
    let new_line = |text: &mut String, indent: usize| {
        text.push('\n');
        (0..indent).for_each(|_| text.push_str("  "));
    };
    new_line(text, indent);
    text.push('[');
    for i in 0..size as usize {
        if i > 0 {
            text.push_str(if inner.is_empty() { ", " } else { "," });
        }
        if inner.is_empty() {
            text.push_str(&render_element(tensor.elem(), tensor.get(first + i)));
        } else {
            render_rows(tensor, inner, first + i * step, indent + 1, text);
        }
    }
    if !inner.is_empty() {
        new_line(text, indent);
    }
    text.push(']');
}

/// One element.
pub(super) fn render_element(elem: Elem, value: Scalar) -> String {
    let float = |v: f64| {
        if !v.is_finite() {
            return format!("{v}").to_lowercase();
        }
        let digits = if elem.real() == Elem::F64 { 15 } else { 6 };
        let text = format!("{v:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        let mut out = String::new();
        write!(out, "{mantissa}e{sign}{:02}", exponent.abs()).unwrap_or_default();
        out
    };
    match value {
        Scalar::Bool(b) => b.to_string(),
        Scalar::Int(v) => v.to_string(),
        Scalar::Uint(v) => v.to_string(),
        Scalar::Float(v) => float(v),
        Scalar::Complex(v) => format!("[{}, {}]", float(v.re), float(v.im)),
        Scalar::Field(v) => v.signed().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::TensorType;

    #[test]
    fn tensors_are_shown_in_nested_brackets() {
        let ty = TensorType::new(Elem::Int(32), [2, 2]);
        let text = render_tensor(&Tensor::from_fn(ty, |i| Scalar::Int(i as i64)));
        assert_eq!(text, "tensor<2x2xi32> {\n  [\n    [0, 1],\n    [2, 3]\n  ]\n}");
        let scalar = Tensor::scalar(Elem::F32, Scalar::Float(1.5));
        assert_eq!(render_tensor(&scalar), "tensor<f32> {1.500000e+00}");
    }
}
