//! `einsum` and `unary_einsum`: sums of products with a letter for each dimension.

use super::matmul::{Axis, Contraction, contract, products};
use crate::interpret::EvalError;
use crate::ir::{OpRef, TensorType, Type, names};
use crate::ops::check::{ensure, tensor_operand, tensor_result};
use crate::ops::{OpError, Work, bytes_moved};
use crate::value::tensor::strides;
use crate::value::{Scalar, Tensor};

/// `ab,bc->ac`.
struct Equation {
    inputs: Vec<Vec<u8>>,
    output: Vec<u8>,
}

fn equation(op: OpRef<'_>) -> Result<Equation, OpError> {
    let config = op.str(names::EINSUM_CONFIG).unwrap_or_default();
    let Some((inputs, output)) = config.split_once("->") else {
        return Err(OpError::new(format!("the config `{config}` has no `->`")).fix(
            "write the letters of the operands, `->` and the letters of the result, as in `ab,bc->ac`",
        ));
    };
    let letters = |text: &str| -> Result<Vec<u8>, OpError> {
        let letters: Vec<u8> = text.bytes().filter(|b| *b != b' ').collect();
        ensure!(
            letters.iter().all(u8::is_ascii_alphabetic),
            "the config `{config}` may only have one letter for each dimension"
        );
        Ok(letters)
    };
    let inputs = inputs.split(',').map(letters).collect::<Result<Vec<_>, _>>()?;
    Ok(Equation { inputs, output: letters(output)? })
}

/// The size that a letter stands for.
fn size(op: OpRef<'_>, equation: &Equation, letter: u8) -> Option<i64> {
    let sized = |(n, input): (usize, &Vec<u8>)| {
        let d = input.iter().position(|l| *l == letter)?;
        op.operand_tensor(n).shape.get(d).copied()
    };
    equation.inputs.iter().enumerate().find_map(sized)
}

pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let equation = equation(op)?;
    let (given, operands) = (equation.inputs.len(), op.operands().len());
    ensure!(given == operands, "the config has letters for {given} operands, but there are {operands}");
    for (n, input) in equation.inputs.iter().enumerate() {
        let ty = tensor_operand(op, n)?;
        ensure!(
            input.len() == ty.rank(),
            "the config has {} letters for operand {n}, but it has {} dimensions",
            input.len(),
            ty.rank()
        );
    }
    for (n, input) in equation.inputs.iter().enumerate() {
        for (d, letter) in input.iter().enumerate() {
            let (here, there) = (op.operand_tensor(n).shape[d], size(op, &equation, *letter).unwrap_or(0));
            ensure!(
                here == there,
                "the letter `{}` stands for sizes {there} and {here}",
                char::from(*letter)
            );
        }
    }
    for (n, letter) in equation.output.iter().enumerate() {
        let name = char::from(*letter);
        ensure!(!equation.output[..n].contains(letter), "the result has the letter `{name}` twice");
        ensure!(size(op, &equation, *letter).is_some(), "no operand has the letter `{name}` of the result");
    }
    tensor_result(op, 0)?;
    Ok(())
}

/// The shape of the result follows; its element type is free.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let equation = equation(op)?;
    let shape = equation.output.iter().map(|letter| size(op, &equation, *letter).unwrap_or(0));
    Ok(vec![TensorType::new(op.result_tensor(0).elem, shape).into()])
}

/// A letter that stands several times in one operand walks along the diagonal: its strides add up.
fn stride(letter: u8, letters: &[u8], shape: &[i64]) -> Option<i64> {
    let strides = strides(shape);
    let places = letters.iter().zip(strides).filter(|(l, _)| **l == letter);
    places.map(|(_, stride)| stride).reduce(|a, b| a + b)
}

fn contraction(op: OpRef<'_>, equation: &Equation) -> Contraction {
    let mut c = Contraction::default();
    let mut letters: Vec<u8> = equation.inputs.concat();
    letters.sort_unstable();
    letters.dedup();
    for letter in letters {
        let in_operand = |n: usize| stride(letter, equation.inputs.get(n)?, &op.operand_tensor(n).shape);
        let lhs = in_operand(0);
        let rhs = if op.operands().len() > 1 { in_operand(1) } else { None };
        let out = stride(letter, &equation.output, &op.result_tensor(0).shape);
        let axis = Axis {
            size: size(op, equation, letter).unwrap_or(0),
            lhs: lhs.unwrap_or(0),
            rhs: rhs.unwrap_or(0),
            out: out.unwrap_or(0),
        };
        match (lhs, rhs, out) {
            (_, _, None) => c.sum.push(axis),
            (Some(_), Some(_), Some(_)) => c.batch.push(axis),
            (Some(_), None, Some(_)) => c.rows.push(axis),
            (None, _, Some(_)) => c.columns.push(axis),
        }
    }
    c
}

pub(super) fn eval(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let equation = equation(op).map_err(|e| EvalError::new(e.message))?;
    let c = contraction(op, &equation);
    let lhs = &operands[0];
    // With one operand the other factor of each product is one.
    let one = Tensor::scalar(lhs.elem(), Scalar::one(lhs.elem()));
    let rhs = operands.get(1).unwrap_or(&one);
    Ok(vec![contract(&c, lhs, rhs, op.result_tensor(0))])
}

pub(super) fn work(op: OpRef<'_>) -> Work {
    let Ok(equation) = equation(op) else { return Work::default() };
    let per_product = op.operands().len() as f64;
    Work { flops: per_product * products(&contraction(op, &equation)), bytes: bytes_moved(op) }
}
