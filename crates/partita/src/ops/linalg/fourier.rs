//! Fourier transforms along the last dimensions of a tensor.

use super::fft::Fft as Line;
use crate::interpret::EvalError;
use crate::ir::attr::{EnumAttr, FftType};
use crate::ir::{Elem, EnumKind, OpRef, TensorType, Type, names};
use crate::ops::check::{element_among, ensure, tensor_operand};
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, Work, bytes_moved, required};
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::ops::stages::Stage;
use crate::text::form::Piece::{Attr, AttrDict, Lit, Operand};
use crate::text::form::{Form, Piece, Types};
use crate::value::{Scalar, Tensor};
use num_complex::Complex64;

pub static FFT: OpDef = OpDef {
    name: "stablehlo.fft",
    doc: "The Fourier transform along up to three last dimensions, or its inverse.",
    form: Form::Pieces(&[
        Operand,
        Lit(", type = "),
        Attr(names::FFT_TYPE),
        Lit(", length = "),
        Attr(names::FFT_LENGTH),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Function),
    ]),
    operands: Count::exactly(1),
    attrs: &[
        required(names::FFT_LENGTH, AttrKind::I64s),
        required(names::FFT_TYPE, AttrKind::Enum(EnumKind::FftType)),
    ],
    infer: Some(infer),
    verify,
    eval: Eval::Kernel(eval),
    work,
    spread: Spread::Rule(sharding::linalg::fft, Flow::Ordinary),
    stages,
    ..OpDef::BASE
};

fn kind(op: OpRef<'_>) -> FftType {
    match op.enumeration(names::FFT_TYPE) {
        Some(EnumAttr::FftType(kind)) => kind,
        _ => FftType::Fft,
    }
}

/// How many numbers a transform of so many real ones gives: the others are their conjugates.
fn half(length: i64) -> i64 {
    if length == 0 { 0 } else { length / 2 + 1 }
}

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let operand = tensor_operand(op, 0)?;
    let lengths = op.ints(names::FFT_LENGTH);
    ensure!(
        (1..=3).contains(&lengths.len()),
        "`fft_length` must have one to three entries, but it has {}",
        lengths.len()
    );
    ensure!(
        lengths.len() <= operand.rank(),
        "`fft_length` has {} entries, but the operand has only {} dimensions",
        lengths.len(),
        operand.rank()
    );
    ensure!(lengths.iter().all(|&n| n >= 0), "`fft_length` must not be negative");
    match kind(op) {
        FftType::Rfft => element_among(op, 0, "f32 or f64", |e| matches!(e, Elem::F32 | Elem::F64))?,
        _ => element_among(op, 0, "complex numbers", Elem::is_complex)?,
    }
    let first = operand.rank() - lengths.len();
    let last = lengths.len() - 1;
    for (i, &length) in lengths.iter().enumerate() {
        let found = operand.shape[first + i];
        let expected = match kind(op) {
            // Transforms between complex tensors go by the sizes of the operand.
            FftType::Fft | FftType::Ifft => continue,
            FftType::Irfft if i == last => half(length),
            _ => length,
        };
        ensure!(
            found == expected,
            "dimension {} of the operand has size {found}, but for a length of {length} it must be {expected}",
            first + i
        );
    }
    Ok(())
}

fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let mut result = tensor_operand(op, 0)?.clone();
    let length = op.ints(names::FFT_LENGTH).last().copied().unwrap_or(0);
    match (kind(op), result.shape.last_mut()) {
        (FftType::Rfft, Some(last)) => {
            *last = half(length);
            result.elem = if result.elem == Elem::F64 { Elem::C128 } else { Elem::C64 };
        }
        (FftType::Irfft, Some(last)) => {
            *last = length;
            result.elem = result.elem.real();
        }
        _ => {}
    }
    Ok(vec![Type::Tensor(result)])
}

/// A transform along several dimensions is one along each of them. Of a transform from or to real numbers only the last dimension has
/// these: it comes first, or last.
fn stages(op: OpRef<'_>) -> Vec<Stage> {
    let (lengths, mut ty) = (op.ints(names::FFT_LENGTH), op.operand_tensor(0).clone());
    let (kind, last) = (kind(op), ty.rank().saturating_sub(1));
    let mut dims: Vec<usize> = (ty.rank().saturating_sub(lengths.len())..ty.rank()).rev().collect();
    if kind == FftType::Irfft {
        dims.reverse();
    }
    let complex = match kind {
        FftType::Fft | FftType::Rfft => FftType::Fft,
        FftType::Ifft | FftType::Irfft => FftType::Ifft,
    };
    let mut stage = |dim: usize| {
        let kind = if dim == last { kind } else { complex };
        let mut length = ty.shape[dim];
        if dim == last && matches!(kind, FftType::Rfft | FftType::Irfft) {
            length = lengths.last().copied().unwrap_or(length);
            ty = TensorType { elem: op.result_tensor(0).elem, shape: ty.shape.clone() };
            ty.shape[dim] = op.result_tensor(0).shape[dim];
        }
        let attrs = vec![
            (names::FFT_LENGTH, crate::ir::Attr::i64s([length])),
            (names::FFT_TYPE, crate::ir::Attr::Enum(EnumAttr::FftType(kind))),
        ];
        Stage { dim, attrs: attrs.into(), result: ty.clone() }
    };
    dims.into_iter().map(&mut stage).collect()
}

fn eval(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (operand, result) = (&args[0], op.result_tensor(0));
    let kind = kind(op);
    let rank = operand.shape().len();
    let dims = rank - op.ints(names::FFT_LENGTH).len()..rank;
    // Real tensors are transformed as complex ones of their own size.
    let full = if kind == FftType::Irfft { &result.shape } else { &operand.ty().shape };
    let mut data = match kind {
        FftType::Irfft => Vec::new(),
        _ => operand.iter().map(Scalar::complex).collect(),
    };
    match kind {
        FftType::Fft | FftType::Rfft => {
            for d in dims.rev() {
                along(full, d, &mut data, Line::forward);
            }
        }
        FftType::Ifft => {
            for d in dims {
                along(full, d, &mut data, Line::inverse);
            }
        }
        FftType::Irfft => {
            let mut given: Vec<Complex64> = operand.iter().map(Scalar::complex).collect();
            for d in dims.start..rank - 1 {
                along(operand.shape(), d, &mut given, Line::inverse);
            }
            data = with_conjugates(&given, operand.shape(), full);
            along(full, rank - 1, &mut data, Line::inverse);
        }
    }
    Ok(vec![match kind {
        FftType::Rfft => {
            let (from, to) = (last_size(full), last_size(&result.shape));
            Tensor::from_fn(result.clone(), |i| Scalar::Complex(data[i / to * from + i % to]))
        }
        FftType::Irfft => Tensor::from_fn(result.clone(), |i| Scalar::Float(data[i].re)),
        _ => Tensor::from_fn(result.clone(), |i| Scalar::Complex(data[i])),
    }])
}

fn last_size(shape: &[i64]) -> usize {
    shape.last().map_or(1, |&n| n.max(1) as usize)
}

/// Lines of real signals in full, from the half that was given.
fn with_conjugates(given: &[Complex64], given_shape: &[i64], full: &[i64]) -> Vec<Complex64> {
    let (from, to) = (last_size(given_shape), last_size(full));
    let count = full.iter().product::<i64>() as usize;
    let at = |i: usize| {
        let (line, k) = (i / to, i % to);
        if k < from { given[line * from + k] } else { given[line * from + (to - k)].conj() }
    };
    (0..count).map(at).collect()
}

/// Transforms all lines along one dimension.
fn along(shape: &[i64], dimension: usize, data: &mut [Complex64], transform: fn(&Line, &mut [Complex64])) {
    let size = shape[dimension] as usize;
    if data.is_empty() || size <= 1 {
        return;
    }
    let stride = shape[dimension + 1..].iter().product::<i64>() as usize;
    let fft = Line::new(size);
    let mut line = vec![Complex64::new(0.0, 0.0); size];
    for block in data.chunks_exact_mut(size * stride) {
        for start in 0..stride {
            (0..size).for_each(|i| line[i] = block[start + i * stride]);
            transform(&fft, &mut line);
            (0..size).for_each(|i| block[start + i * stride] = line[i]);
        }
    }
}

fn work(op: OpRef<'_>) -> Work {
    let lengths = op.ints(names::FFT_LENGTH);
    let points: f64 = lengths.iter().map(|&n| n.max(1) as f64).product();
    let elements = op.operand_tensor(0).count().max(op.result_tensor(0).count()) as f64;
    Work { flops: 5.0 * elements * points.max(2.0).log2(), bytes: bytes_moved(op) }
}
