//! What a run gives back: for files, for people and for programs.

use crate::npz::npy::for_each_chunk;
use partita::interpret::Value;
use partita::ir::Elem;
use partita::value::{Scalar, Tensor};
use serde_json::{Value as Json, json};

/// How many elements of a result are shown.
const SHOWN: usize = 8;

/// The largest result whose checksum is computed; only a splat that was never in memory can be larger.
const LARGEST_SUMMED: usize = 1 << 36;

/// A tensor that a program returned.
pub struct NamedResult {
    /// `out0`, or `out0.1` inside a tuple.
    pub name: String,
    /// The function that returned it.
    pub function: String,
    /// Its value.
    pub tensor: Tensor,
}

/// Numbers the tensors that a function returned, on from those there are.
pub fn collect(function: &str, values: Vec<Value>, first: usize, into: &mut Vec<NamedResult>) -> usize {
    let count = values.len();
    for (number, value) in values.into_iter().enumerate() {
        add(function, format!("out{}", first + number), value, into);
    }
    first + count
}

fn add(function: &str, name: String, value: Value, into: &mut Vec<NamedResult>) {
    match value {
        Value::Tensor(tensor) => into.push(NamedResult { name, function: function.to_string(), tensor }),
        Value::Tuple(parts) | Value::Future(parts) => {
            for (i, part) in parts.into_iter().enumerate() {
                add(function, format!("{name}.{i}"), part, into);
            }
        }
        Value::Token => {}
    }
}

impl NamedResult {
    /// `out0: tensor<2x3xf32> = [1, 2.5, …]`.
    pub fn summary(&self) -> String {
        let tensor = &self.tensor;
        let head = format!("{}: {} = ", self.name, tensor.ty());
        if tensor.shape().is_empty() {
            return head + &element_text(tensor.elem(), tensor.item());
        }
        let mut shown: Vec<String> =
            (0..tensor.len().min(SHOWN)).map(|i| element_text(tensor.elem(), tensor.get(i))).collect();
        if tensor.len() > SHOWN {
            shown.push("…".to_string());
        }
        format!("{head}[{}]", shown.join(", "))
    }

    /// Type, checksum of the bytes, least and greatest element.
    pub fn json(&self) -> Json {
        let range = range(&self.tensor);
        json!({
            "name": self.name,
            "function": self.function,
            "type": self.tensor.ty().to_string(),
            "checksum": checksum(&self.tensor),
            "min": range.map(|(least, _)| number(least)),
            "max": range.map(|(_, greatest)| number(greatest)),
        })
    }
}

/// The CRC-32 of the elements as NumPy has them in memory: `zlib.crc32(array.tobytes())`.
fn checksum(tensor: &Tensor) -> Option<String> {
    if tensor.ty().bytes() > LARGEST_SUMMED {
        return None;
    }
    let mut crc = rawzip::Crc32::new();
    let done: Result<(), std::convert::Infallible> = for_each_chunk(tensor, |chunk| {
        crc.update(chunk);
        Ok(())
    });
    done.ok().map(|()| format!("crc32:{:08x}", crc.checksum()))
}

/// The least and the greatest element. Either is NaN where an element is; complex numbers have no order.
fn range(tensor: &Tensor) -> Option<(Scalar, Scalar)> {
    if tensor.is_empty() || tensor.elem().is_complex() {
        return None;
    }
    if let Some(value) = tensor.as_splat() {
        return Some((value, value));
    }
    let nan = |value: Scalar| value.real().is_nan();
    let less = |a: Scalar, b: Scalar| match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a < b,
        (Scalar::Uint(a), Scalar::Uint(b)) => a < b,
        (a, b) => a.real() < b.real(),
    };
    let first = tensor.get(0);
    Some(tensor.iter().fold((first, first), |(least, greatest), value| {
        (
            if !nan(least) && (nan(value) || less(value, least)) { value } else { least },
            if !nan(greatest) && (nan(value) || less(greatest, value)) { value } else { greatest },
        )
    }))
}

/// A number, or a string where JSON has no such number.
pub fn number(value: Scalar) -> Json {
    match value {
        Scalar::Bool(b) => json!(b),
        Scalar::Int(v) => json!(v),
        Scalar::Uint(v) => json!(v),
        Scalar::Float(v) if v.is_finite() => json!(v),
        Scalar::Float(v) => json!(float_text(Elem::F64, v)),
        Scalar::Field(v) => json!(v.signed()),
        Scalar::Complex(_) => Json::Null,
    }
}

fn element_text(elem: Elem, value: Scalar) -> String {
    match value {
        Scalar::Bool(b) => b.to_string(),
        Scalar::Int(v) => v.to_string(),
        Scalar::Uint(v) => v.to_string(),
        Scalar::Float(v) => float_text(elem, v),
        Scalar::Field(v) => v.signed().to_string(),
        Scalar::Complex(v) => {
            let sign = if v.im.is_sign_negative() { '-' } else { '+' };
            format!("{}{sign}{}i", float_text(elem.real(), v.re), float_text(elem.real(), v.im.abs()))
        }
    }
}

/// The shortest digits that give the number back in its own precision.
fn float_text(elem: Elem, value: f64) -> String {
    if value.is_nan() {
        return "nan".to_string();
    }
    let plain = value == 0.0 || value.is_infinite() || (1e-5..1e7).contains(&value.abs());
    match (plain, elem == Elem::F64) {
        (true, true) => value.to_string(),
        (true, false) => (value as f32).to_string(),
        (false, true) => format!("{value:e}"),
        (false, false) => format!("{:e}", value as f32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita::ir::TensorType;

    fn result(tensor: Tensor) -> NamedResult {
        NamedResult { name: "out0".to_string(), function: "main".to_string(), tensor }
    }

    #[test]
    fn results_are_short() {
        let ty = TensorType::new(Elem::F32, [3, 4]);
        let many = result(Tensor::from_fn(ty, |i| Scalar::Float(i as f64 / 10.0)));
        assert_eq!(many.summary(), "out0: tensor<3x4xf32> = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, …]");
        assert_eq!(
            result(Tensor::scalar(Elem::Int(32), Scalar::Int(-7))).summary(),
            "out0: tensor<i32> = -7"
        );
        let empty = Tensor::splat(TensorType::new(Elem::F32, [0]), Scalar::Float(0.0));
        assert_eq!(result(empty).summary(), "out0: tensor<0xf32> = []");
    }

    #[test]
    fn numbers_are_shown_in_their_own_precision() {
        assert_eq!(float_text(Elem::F32, f64::from(0.1f32)), "0.1");
        assert_eq!(float_text(Elem::F64, 0.1), "0.1");
        assert_eq!(float_text(Elem::F32, 1e30), "1e30");
        assert_eq!(float_text(Elem::F32, f64::NEG_INFINITY), "-inf");
        // The bytes of 1.5f32 and -2f32.
        let bytes = [0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0];
        let complex = Tensor::from_bytes(TensorType::scalar(Elem::C64), &bytes).expect("as many bytes");
        assert_eq!(element_text(Elem::C64, complex.item()), "1.5-2i");
    }

    #[test]
    fn json_has_the_checksum_numpy_users_can_compute() {
        let ty = TensorType::new(Elem::Int(32), [3]);
        let dense = result(Tensor::from_fn(ty, |i| Scalar::Int(i as i64))).json();
        // zlib.crc32(numpy.arange(3, dtype="int32").tobytes())
        assert_eq!(dense["checksum"], "crc32:1d760e7a");
        assert_eq!((&dense["min"], &dense["max"]), (&json!(0), &json!(2)));
        let splat = result(Tensor::splat(TensorType::new(Elem::F32, [5000]), Scalar::Float(f64::NAN))).json();
        assert_eq!(splat["min"], "nan");
    }

    #[test]
    fn tuples_are_numbered_inside() {
        let scalar = || Value::Tensor(Tensor::scalar(Elem::Bool, Scalar::Bool(true)));
        let values = vec![scalar(), Value::Token, Value::Tuple(vec![scalar(), scalar()])];
        let mut results = Vec::new();
        assert_eq!(collect("f", values, 1, &mut results), 4);
        let names: Vec<&str> = results.iter().map(|r| &*r.name).collect();
        assert_eq!(names, ["out1", "out3.0", "out3.1"]);
    }
}
