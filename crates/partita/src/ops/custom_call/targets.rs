//! The functions that calls may name: one row each.

use super::{config, lapack};
use crate::interpret::{EvalError, checks};
use crate::ir::{Attr, Attrs, Elem, OpRef, TensorType, Type, names};
use crate::ops::check::{ensure, tensor_operand, tensor_result};
use crate::ops::chlo::{Wanted, ordered};
use crate::ops::def::OpError;
use crate::ops::linalg::matrix::{Matrix, Number, batch_count, load_list, store_list};
use crate::ops::local::Local;
use crate::ops::ordered::Ordered;
use crate::value::{Scalar, Tensor, TensorBuilder, special};
use num_complex::Complex64;

/// A function that calls may name.
pub(super) struct Target {
    /// Its name.
    name: &'static str,
    /// One line for people.
    #[allow(dead_code, reason = "documentation kept beside the row")]
    doc: &'static str,
    /// What must hold of a call.
    pub(super) verify: fn(OpRef<'_>) -> Result<(), OpError>,
    /// How many operations that takes.
    pub(super) flops: fn(OpRef<'_>) -> f64,
    /// What it computes.
    pub(super) eval: fn(OpRef<'_>, &[Tensor]) -> Result<Vec<Tensor>, EvalError>,
}

/// The function with this name.
pub(super) fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|t| t.name == name).or_else(|| lapack::is_routine(name).then_some(&LAPACK))
}

static LAPACK: Target = Target {
    name: "lapack_*_ffi",
    doc: "A routine of LAPACK, as JAX calls it on CPUs.",
    verify: lapack::verify,
    flops: lapack::flops,
    eval: lapack::eval,
};

/// A function that gives its operand on: a note to a partitioner, or a move that does not change the value.
const fn identity(name: &'static str, doc: &'static str) -> Target {
    Target { name, doc, verify: verify_identity, flops: |_| 0.0, eval: eval_identity }
}

/// A comparison of two tensors that fails the run.
const fn check(
    name: &'static str,
    doc: &'static str,
    eval: fn(OpRef<'_>, &[Tensor]) -> Result<Vec<Tensor>, EvalError>,
) -> Target {
    Target {
        name,
        doc,
        verify: |op| {
            shape(op, 2, 0)?;
            let (actual, expected) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
            ensure!(actual == expected, "`{actual}` is compared with `{expected}`");
            Ok(())
        },
        flops: per_element,
        eval,
    }
}

static TARGETS: &[Target] = &[
    identity("Sharding", "Says how a value is to be sharded."),
    identity("SPMDFullToShardShape", "Goes from the whole of a value to one device's part of it."),
    identity("SPMDShardToFullShape", "Goes from one device's part of a value to the whole."),
    identity("xla.sdy.FuncResultSharding", "Says how a result of a function is sharded."),
    identity("xla.sdy.GlobalToLocalShape", "Goes from the whole of values to one device's parts of them."),
    identity("xla.sdy.LocalToGlobalShape", "Goes from one device's parts of values to the whole."),
    identity("xla.sdy.PropagationBarrier", "Stops the propagation of shardings."),
    identity("xla.sdy.ShardingGroup", "Puts a value into a group that is sharded alike."),
    identity("InspectSharding", "Shows the sharding of a value to the host."),
    identity("ShardBarrierFrom", "Stops the propagation of shardings from here."),
    identity("ShardBarrierTo", "Stops the propagation of shardings to here."),
    identity("annotate_device_placement", "Says in which memory a value is to be kept."),
    identity("MoveToHost", "Moves a value to the memory of the host."),
    identity("MoveToDevice", "Moves a value to the memory of the device."),
    identity("LayoutConstraint", "Says how a value is laid out in memory."),
    identity("xla.megascale.provide_metadata", "Attaches a note to a value."),
    check("check.expect_eq", "Fails unless two tensors are equal.", |_, args| {
        checks::expect_equal(&args[0], &args[1]).map(|()| Vec::new())
    }),
    check("check.expect_close", "Fails unless two tensors are at most three floats apart.", |_, args| {
        checks::expect_close(&args[0], &args[1], 0, 3).map(|()| Vec::new())
    }),
    check("check.expect_almost_eq", "Fails unless two tensors differ by at most a thousandth.", |_, args| {
        checks::expect_almost_equal(&args[0], &args[1], 1e-3).map(|()| Vec::new())
    }),
    Target {
        name: "mhlo.erf",
        doc: "The error function.",
        verify: |op| {
            shape(op, 1, 1)?;
            ensure!(tensor_operand(op, 0)?.elem.is_float(), "the operand must hold floats");
            same_type(op)
        },
        flops: per_element,
        eval: |_, args| {
            let erf = |x: Scalar| Scalar::Float(special::erf(x.real()));
            Ok(vec![match args[0].as_splat() {
                Some(value) => Tensor::splat(args[0].ty().clone(), erf(value)),
                None => Tensor::from_fn(args[0].ty().clone(), |i| erf(args[0].get(i))),
            }])
        },
    },
    Target {
        name: "TopK",
        doc: "The largest elements along the last dimension and their places.",
        verify: verify_top_k,
        flops: per_element,
        eval: eval_top_k,
    },
    Target {
        name: "mhlo.topk",
        doc: "The largest or smallest elements along the last dimension and their places.",
        verify: verify_top_k,
        flops: per_element,
        eval: eval_top_k,
    },
    Target {
        name: "ApproxTopK",
        doc: "The best elements along a dimension and what belongs to them; exact here.",
        verify: verify_approx_top_k,
        flops: per_element,
        eval: eval_approx_top_k,
    },
    Target {
        name: "PartialReduce",
        doc: "What `ApproxTopK` becomes on some devices.",
        verify: verify_approx_top_k,
        flops: per_element,
        eval: eval_approx_top_k,
    },
    Target {
        name: "X64Combine",
        doc: "Numbers of 64 bits from their low and high halves.",
        verify: |op| {
            shape(op, 2, 1)?;
            let (low, high, whole) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?, tensor_result(op, 0)?);
            ensure!(
                low == high && low.shape == whole.shape && low.elem.bits() == 32 && whole.elem.bits() == 64,
                "halves `{low}` and `{high}` do not make `{whole}`"
            );
            Ok(())
        },
        flops: |_| 0.0,
        eval: |op, args| {
            let words = |t: &Tensor, i: usize| word(t.element_bytes(i));
            let ty = op.result_tensor(0).with_elem(Elem::Uint(64));
            let whole = Tensor::from_fn(ty, |i| Scalar::Uint(words(&args[0], i) | words(&args[1], i) << 32));
            Ok(vec![whole.with_elem(op.result_tensor(0).elem)])
        },
    },
    Target {
        name: "X64SplitLow",
        doc: "The low halves of numbers of 64 bits.",
        verify: verify_split,
        flops: |_| 0.0,
        eval: |op, args| Ok(vec![half(op, &args[0], 0)]),
    },
    Target {
        name: "X64SplitHigh",
        doc: "The high halves of numbers of 64 bits.",
        verify: verify_split,
        flops: |_| 0.0,
        eval: |op, args| Ok(vec![half(op, &args[0], 32)]),
    },
    Target {
        name: "ProductOfElementaryHouseholderReflectors",
        doc: "The orthogonal matrix that Householder vectors and their factors make.",
        verify: |op| {
            shape(op, 2, 1)?;
            let (vectors, factors) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
            let batch = vectors.rank().saturating_sub(2);
            ensure!(
                vectors.rank() >= 2
                    && factors.elem == vectors.elem
                    && factors.rank() == batch + 1
                    && factors.shape[..batch] == vectors.shape[..batch],
                "the factors `{factors}` must be a list for each matrix of `{vectors}`"
            );
            same_type(op)
        },
        flops: |op| lapack::cubic(op, 4.0 / 3.0),
        eval: |_, args| Ok(vec![householder_product(&args[0], &args[1])]),
    },
    Target {
        name: "Qr",
        doc: "The triangular factor of matrices with the Householder vectors below it, and their factors.",
        verify: |op| {
            shape(op, 1, 2)?;
            let (a, packed, factors) = (tensor_operand(op, 0)?, tensor_result(op, 0)?, tensor_result(op, 1)?);
            ensure!(a.rank() >= 2 && a == packed, "the operand is `{a}`, but the first result is `{packed}`");
            let mut follows = a.clone();
            let last = follows.shape.pop().unwrap_or(0);
            let small = follows.shape.pop().unwrap_or(0).min(last);
            follows.shape.push(small);
            ensure!(*factors == follows, "the factors are `{factors}`, but they must be `{follows}`");
            Ok(())
        },
        flops: |op| lapack::cubic(op, 4.0 / 3.0),
        eval: |op, args| Ok(householder_factors(op, &args[0])),
    },
    Target {
        name: "shape_assertion",
        doc: "Fails the run unless its operand is true.",
        verify: |op| {
            ensure!(!op.operands().is_empty(), "the first operand must be what is asserted");
            let asserted = tensor_operand(op, 0)?;
            ensure!(
                asserted.elem == Elem::Bool && asserted.rank() == 0,
                "what is asserted must be `tensor<i1>`, but it is `{asserted}`"
            );
            ensure!(op.op().results.is_empty(), "there must be no results");
            Ok(())
        },
        flops: |_| 0.0,
        eval: |op, args| match args[0].item().is_true() {
            true => Ok(Vec::new()),
            false => {
                let message = op.str_in_dict("error_message").unwrap_or("the assertion does not hold");
                Err(EvalError::new(message))
            }
        },
    },
];

/// One operation for each element of the operands.
fn per_element(op: OpRef<'_>) -> f64 {
    op.operand_types().filter_map(Type::as_tensor).map(|t| t.count() as f64).sum()
}

/// That a call has so many operands and results.
pub(super) fn shape(op: OpRef<'_>, operands: usize, results: usize) -> Result<(), OpError> {
    let (given, made) = (op.operands().len(), op.op().results.len());
    let name = op.str(names::CALL_TARGET_NAME).unwrap_or_default();
    ensure!(given == operands, "`{name}` takes {operands} operands, but {given} are given");
    ensure!(made == results, "`{name}` gives {results} results, but {made} are named");
    Ok(())
}

/// That the only result has the type of the first operand.
fn same_type(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, result) = (tensor_operand(op, 0)?, tensor_result(op, 0)?);
    ensure!(operand == result, "the operand is `{operand}`, but the result is `{result}`");
    Ok(())
}

fn verify_identity(op: OpRef<'_>) -> Result<(), OpError> {
    let (operands, results) = (op.operands().len(), op.op().results.len());
    ensure!(results <= operands, "there are {results} results, but only {operands} operands to give on");
    for (n, (operand, result)) in op.operand_types().zip(op.result_types()).enumerate() {
        let same = match (operand, result) {
            // Between the whole and a part the sizes differ.
            (Type::Tensor(a), Type::Tensor(b)) => a.elem == b.elem && a.rank() == b.rank(),
            (a, b) => a == b,
        };
        ensure!(same, "operand {n} of type `{operand}` cannot be given on as `{result}`");
    }
    Ok(())
}

fn eval_identity(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    for (arg, ty) in args.iter().zip(op.result_types()) {
        if ty.as_tensor() != Some(arg.ty()) {
            let message = format!("on one device a part `{ty}` of `{}` is the whole of it", arg.ty());
            return Err(EvalError::new(message));
        }
    }
    Ok(args[..op.op().results.len()].to_vec())
}

/// The types of the two results, which may also be one tuple.
fn result_pair(op: OpRef<'_>) -> Option<[&Type; 2]> {
    match &op.result_types().collect::<Vec<_>>()[..] {
        [Type::Tuple(parts)] => match &parts[..] {
            [a, b] => Some([a, b]),
            _ => None,
        },
        [a, b] => Some([a, b]),
        _ => None,
    }
}

fn verify_top_k(op: OpRef<'_>) -> Result<(), OpError> {
    let operand = tensor_operand(op, 0)?;
    let Some([Type::Tensor(values), Type::Tensor(places)]) = result_pair(op) else {
        return Err(OpError::new("there must be two results, the values and their places"));
    };
    ensure!(operand.rank() >= 1, "the operand must have at least one dimension");
    let last = operand.rank() - 1;
    ensure!(
        values.elem == operand.elem
            && values.rank() == operand.rank()
            && values.shape[..last] == operand.shape[..last]
            && values.shape[last] <= operand.shape[last],
        "`{values}` cannot be the first elements of each row of `{operand}`"
    );
    ensure!(
        places.shape == values.shape && places.elem.is_int(),
        "the places are `{places}`, but the values are `{values}`"
    );
    Ok(())
}

/// What a call makes of the dimension that its rule calls a scan.
pub(super) fn ordering(op: OpRef<'_>) -> Ordered {
    match op.str(names::CALL_TARGET_NAME).unwrap_or_default() {
        "TopK" | "mhlo.topk" if op.op().results.len() == 2 => {
            Ordered::Ranked { largest: op.flag_in_dict("largest") != Some(false) }
        }
        "ApproxTopK" | "PartialReduce" if op.op().results.len() == 2 => Ordered::RankedTogether,
        _ => Ordered::Unknown,
    }
}

/// A call that names how many elements it ranks names as many as its results hold.
pub(super) fn localise(local: &Local<'_>) -> Option<Attrs> {
    let mut attrs = local.op.op().attrs.clone();
    let (entries, count, dim) = match ordering(local.op) {
        Ordered::Ranked { .. } => (names::MHLO_ATTRIBUTES, Some(names::K), None),
        Ordered::RankedTogether => {
            let dim = config::number(local.op, "reduction_dim").and_then(|d| usize::try_from(d).ok());
            (names::MHLO_BACKEND_CONFIG, local.op.module.strings.find("top_k"), dim)
        }
        _ => return Some(attrs),
    };
    if let Some(Attr::Dict(dict)) = attrs.get(entries)
        && let Some(count) = count
        && let Some(Attr::Int(_, ty)) = dict.get(count)
    {
        let (mut dict, ty) = (dict.clone(), *ty);
        let shape = &local.results.first()?.shape;
        let ranked = shape.get(dim.unwrap_or(shape.len().checked_sub(1)?)).copied()?;
        dict.set(count, Attr::Int(ranked, ty));
        attrs.set(entries, Attr::Dict(dict));
    }
    Some(attrs)
}

fn eval_top_k(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let wanted = match op.flag_in_dict("largest") {
        Some(false) => Wanted::Smallest,
        _ => Wanted::Largest,
    };
    let Some([Type::Tensor(values), Type::Tensor(places)]) = result_pair(op) else {
        return Err(EvalError::new("there must be two results, the values and their places"));
    };
    let (values, places) = ordered(wanted, &args[0], values, places);
    Ok(vec![values, places])
}

fn verify_approx_top_k(op: OpRef<'_>) -> Result<(), OpError> {
    ensure!(op.operands().len() == 4, "there must be keys, values and what ranks below each of them");
    let Some([Type::Tensor(best), Type::Tensor(beside)]) = result_pair(op) else {
        return Err(OpError::new("there must be two results, the keys and their values"));
    };
    let (keys, values) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    ensure!(keys.shape == values.shape, "`{keys}` and `{values}` must have the same shape");
    for n in 2..4 {
        let start = tensor_operand(op, n)?;
        ensure!(start.rank() == 0, "operand {n} must have no dimensions, but it is `{start}`");
    }
    let dimension = config::number(op, "reduction_dim").unwrap_or(-1);
    crate::ops::check::dimension_in_range("`reduction_dim`", dimension, keys.rank())?;
    let k = config::number(op, "top_k").unwrap_or(0);
    let size = keys.shape[dimension as usize];
    ensure!(k <= size, "`top_k` is {k}, but there are only {size} elements");
    ensure!(
        config::flag(op, "aggregate_to_topk") == Some(true),
        "only the final result is computed here: `aggregate_to_topk` must be true"
    );
    for (n, result) in [best, beside].into_iter().enumerate() {
        let mut follows = tensor_operand(op, n)?.clone();
        follows.shape[dimension as usize] = k;
        ensure!(*result == follows, "result {n} is `{result}`, but from the operands follows `{follows}`");
    }
    Ok(())
}

fn eval_approx_top_k(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let dimension = config::number(op, "reduction_dim").unwrap_or(0) as usize;
    // The element that loses against all others says which are wanted: the least where the largest are.
    let wanted = if args[2].item().real() < 0.0 { Wanted::Largest } else { Wanted::Smallest };
    let shape = args[0].shape();
    let size = shape[dimension] as usize;
    let inner = shape[dimension + 1..].iter().product::<i64>() as usize;
    let Some([Type::Tensor(keys_type), Type::Tensor(values_type)]) = result_pair(op) else {
        return Err(EvalError::new("there must be two results, the keys and their values"));
    };
    let k = keys_type.shape[dimension] as usize;
    let mut keys = TensorBuilder::new(keys_type.clone());
    let mut values = TensorBuilder::new(values_type.clone());
    let row_type = TensorType::new(args[0].elem(), [size as i64]);
    let best_type = TensorType::new(args[0].elem(), [k as i64]);
    let places_type = best_type.with_elem(Elem::Int(64));
    for line in 0..keys_type.count() / k.max(1) {
        let (outer, within) = (line / inner, line % inner);
        let from = |i: usize| (outer * size + i) * inner + within;
        let row = Tensor::from_fn(row_type.clone(), |i| args[0].get(from(i)));
        let (_, places) = ordered(wanted, &row, &best_type, &places_type);
        for i in 0..k {
            let (place, to) = (from(places.get(i).as_index() as usize), (outer * k + i) * inner + within);
            keys.copy(to, &args[0], place);
            values.copy(to, &args[1], place);
        }
    }
    Ok(vec![keys.finish(), values.finish()])
}

/// The bytes of an element of up to 64 bits as a number.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn verify_split(op: OpRef<'_>) -> Result<(), OpError> {
    shape(op, 1, 1)?;
    let (whole, half) = (tensor_operand(op, 0)?, tensor_result(op, 0)?);
    ensure!(
        whole.shape == half.shape && whole.elem.bits() == 64 && half.elem.bits() == 32,
        "`{half}` cannot hold halves of `{whole}`"
    );
    Ok(())
}

fn half(op: OpRef<'_>, whole: &Tensor, shift: u32) -> Tensor {
    let ty = op.result_tensor(0);
    let bits = |i: usize| Scalar::Uint(word(whole.element_bytes(i)) >> shift & 0xFFFF_FFFF);
    Tensor::from_fn(ty.with_elem(Elem::Uint(32)), bits).with_elem(ty.elem)
}

fn householder_product(vectors: &Tensor, factors: &Tensor) -> Tensor {
    fn all<T: Number>(vectors: &Tensor, factors: &Tensor) -> Tensor {
        let mut result = TensorBuilder::new(vectors.ty().clone());
        for n in 0..batch_count(vectors.shape()) {
            let factors = load_list::<T>(factors, n);
            lapack::qr::form_q(&Matrix::load(vectors, n), &factors).store(&mut result, n);
        }
        result.finish()
    }
    if vectors.elem().is_complex() {
        all::<Complex64>(vectors, factors)
    } else {
        all::<f64>(vectors, factors)
    }
}

fn householder_factors(op: OpRef<'_>, a: &Tensor) -> Vec<Tensor> {
    fn all<T: Number>(op: OpRef<'_>, a: &Tensor) -> Vec<Tensor> {
        let mut packed = TensorBuilder::new(a.ty().clone());
        let mut factors = TensorBuilder::new(op.result_tensor(1).clone());
        for n in 0..batch_count(a.shape()) {
            let mut matrix = Matrix::<T>::load(a, n);
            store_list(&lapack::qr::factor(&mut matrix), &mut factors, n);
            matrix.store(&mut packed, n);
        }
        vec![packed.finish(), factors.finish()]
    }
    if a.elem().is_complex() { all::<Complex64>(op, a) } else { all::<f64>(op, a) }
}

/// Entries of the dictionaries in which a call keeps its own attributes.
trait CallAttributes<'m> {
    /// A flag of `mhlo.attributes`.
    fn flag_in_dict(self, name: &str) -> Option<bool>;
    /// A string attribute of the call.
    fn str_in_dict(self, name: &str) -> Option<&'m str>;
}

impl<'m> CallAttributes<'m> for OpRef<'m> {
    fn flag_in_dict(self, name: &str) -> Option<bool> {
        let name = self.module.strings.find(name)?;
        match self.attr(names::MHLO_ATTRIBUTES)? {
            Attr::Dict(dict) => dict.get(name)?.as_bool(),
            _ => None,
        }
    }

    fn str_in_dict(self, name: &str) -> Option<&'m str> {
        self.str(self.module.strings.find(name)?)
    }
}
