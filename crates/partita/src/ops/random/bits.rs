//! Uniform random bits, equal to those of XLA bit by bit.
//!
//! The state is a key and a counter. Threefry gives two words per count, Philox four; words go to elements of
//! 32 bits one by one, narrower elements take the low part of a word each, wider ones take two words.

use super::philox::philox;
use super::threefry::threefry;
use crate::interpret::EvalError;
use crate::ir::attr::{EnumAttr, RngAlgorithm};
use crate::ir::{Elem, EnumKind, OpRef, Shape, TensorType, names};
use crate::ops::check::{ensure, tensor_operand, tensor_result};
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, Work, bytes_moved, required};
use crate::ops::forms::with_attr;
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::value::tensor::{for_each_index, strides};
use crate::value::{Scalar, Tensor};

pub static RNG_BIT_GENERATOR: OpDef = OpDef {
    name: "stablehlo.rng_bit_generator",
    doc: "Random bits from a state, and the next state.",
    form: with_attr!(Operand; "algorithm" = names::RNG_ALGORITHM),
    operands: Count::exactly(1),
    results: Count::exactly(2),
    attrs: &[required(names::RNG_ALGORITHM, AttrKind::Enum(EnumKind::RngAlgorithm))],
    verify,
    eval: Eval::Kernel(eval),
    work,
    spread: Spread::Rule(sharding::linalg::rng_bit_generator, Flow::Ordinary),
    ..OpDef::BASE
};

fn algorithm(op: OpRef<'_>) -> RngAlgorithm {
    match op.enumeration(names::RNG_ALGORITHM) {
        Some(EnumAttr::RngAlgorithm(RngAlgorithm::ThreeFry)) => RngAlgorithm::ThreeFry,
        // The default of XLA on CPUs.
        _ => RngAlgorithm::Philox,
    }
}

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let state = tensor_operand(op, 0)?;
    ensure!(
        state.elem == Elem::Uint(64) && state.rank() == 1,
        "the state must have one dimension of ui64, but it is `{state}`"
    );
    let (size, algorithm) = (state.shape[0], algorithm(op));
    let sizes: &[i64] = if algorithm == RngAlgorithm::ThreeFry { &[2] } else { &[2, 3] };
    let expected = if algorithm == RngAlgorithm::ThreeFry { "2" } else { "2 or 3" };
    ensure!(
        sizes.contains(&size),
        "the state of {} must have {expected} elements, but it has {size}",
        algorithm.name()
    );
    let next = tensor_result(op, 0)?;
    ensure!(state == next, "the state before is `{state}`, but the state after is `{next}`");
    let output = tensor_result(op, 1)?;
    ensure!(
        output.elem.is_int() || output.elem.is_float(),
        "the output must hold integers or floats, but it holds {}",
        output.elem
    );
    Ok(())
}

fn words(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn eval(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let state: Vec<u64> = args[0].iter().map(|v| v.as_i64() as u64).collect();
    let ty = op.result_tensor(1);
    let (bits, next) = match algorithm(op) {
        RngAlgorithm::ThreeFry => {
            let (bits, counts) = threefry_bits(words(state[0]), state[1], ty);
            (bits, vec![state[0], state[1].wrapping_add(counts)])
        }
        _ => {
            // With two elements the key is also the high half of the counter.
            let high = state.get(2).copied().unwrap_or(state[0]);
            let counter = u128::from(high) << 64 | u128::from(state[1]);
            let (bits, counts) = philox_bits(words(state[0]), counter, ty);
            let counter = counter.wrapping_add(u128::from(counts));
            let mut next = vec![state[0], counter as u64, (counter >> 64) as u64];
            next.truncate(state.len());
            (bits, next)
        }
    };
    let next = Tensor::from_fn(args[0].ty().clone(), |i| Scalar::Uint(next[i]));
    Ok(vec![next, bits])
}

/// Bits by Threefry, and how many counts were used.
///
/// Wide elements take a count each, in order. Others share one in pairs along a dimension: the first of even
/// size, or else the largest one, whose last pair then is not whole.
fn threefry_bits(key: [u32; 2], start: u64, ty: &TensorType) -> (Tensor, u64) {
    let draw = |count: u64| threefry(key, words(start.wrapping_add(count)));
    if ty.elem.bits() == 64 {
        let element = |i: usize| {
            let [low, high] = draw(i as u64);
            u64::from(low) | u64::from(high) << 32
        };
        return (from_bits(ty, element), ty.count() as u64);
    }
    let even = ty.shape.iter().position(|size| size % 2 == 0);
    // The first of the largest.
    let largest = (0..ty.rank()).rev().max_by_key(|&d| ty.shape[d]);
    let Some(split) = even.or(largest) else {
        return (from_bits(ty, |_| u64::from(draw(0)[0])), 1);
    };
    let mut halves: Shape = ty.shape.clone();
    halves[split] = (halves[split] + 1) / 2;
    let counts = halves.iter().product::<i64>() as u64;
    let steps = strides(&halves);
    let mut elements = Vec::with_capacity(ty.count());
    for_each_index(&ty.shape, |_, index| {
        let count: i64 = (0..index.len())
            .map(|d| if d == split { index[d] / 2 * steps[d] } else { index[d] * steps[d] })
            .sum();
        elements.push(draw(count as u64)[(index[split] % 2) as usize]);
    });
    (from_bits(ty, |i| u64::from(elements[i])), counts)
}

/// Bits by Philox, and how many counts were used. Words go to elements in order.
fn philox_bits(key: [u32; 2], start: u128, ty: &TensorType) -> (Tensor, u64) {
    let words_each = if ty.elem.bits() == 64 { 2 } else { 1 };
    let per_count = 4 / words_each;
    let mut drawn = [0; 4];
    let tensor = from_bits(ty, |i| {
        if i % per_count == 0 {
            drawn = philox(key, start.wrapping_add((i / per_count) as u128));
        }
        let first = i % per_count * words_each;
        let high = if words_each == 2 { u64::from(drawn[first + 1]) << 32 } else { 0 };
        u64::from(drawn[first]) | high
    });
    (tensor, ty.count().div_ceil(per_count) as u64)
}

/// A tensor from the low bits of a number for each element, asked for in order.
fn from_bits(ty: &TensorType, mut bits: impl FnMut(usize) -> u64) -> Tensor {
    let size = ty.elem.bytes();
    let mut bytes = Vec::with_capacity(ty.bytes());
    for i in 0..ty.count() {
        bytes.extend_from_slice(&bits(i).to_le_bytes()[..size]);
    }
    // The length fits by construction.
    Tensor::from_bytes(ty.clone(), &bytes).unwrap_or_else(|| Tensor::splat(ty.clone(), Scalar::zero(ty.elem)))
}

fn work(op: OpRef<'_>) -> Work {
    // Some eighty operations for each pair of words.
    let words = op.result_tensor(1).bytes().max(1) as f64 / 4.0;
    Work { flops: 40.0 * words, bytes: bytes_moved(op) }
}
