//! Contractions.

use super::{Generator, MAX_COUNT, array};
use crate::rng::Rng;
use partita::ir::{Elem, TensorType};

/// A product that multiplies more than this takes too long.
const MAX_PRODUCTS: i64 = 4000;

pub(super) fn dot(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let rank = x.ty.rank();
    let order = g.rng.permutation(rank);
    let batch = g.rng.below(rank.min(2) + 1) * usize::from(g.rng.chance(50));
    let contracting =
        g.rng.below((rank - batch).min(2) + 1).max(usize::from(batch < rank && g.rng.chance(85)));
    let (left_batch, rest) = order.split_at(batch);
    let (left_contracting, _) = rest.split_at(contracting);
    let free_count = g.rng.below(3usize.saturating_sub(batch + contracting) + 1);
    let free = g.random_shape(free_count);
    // The right operand has the same dimensions in an order of its own.
    let shared: Vec<i64> = left_batch.iter().chain(left_contracting).map(|&d| x.ty.shape[d]).collect();
    let sizes: Vec<i64> = shared.iter().chain(&free).copied().collect();
    let places = if g.rng.chance(50) { (0..sizes.len()).collect() } else { g.rng.permutation(sizes.len()) };
    let mut shape = vec![0; sizes.len()];
    for (&place, &size) in places.iter().zip(&sizes) {
        shape[place] = size;
    }
    let right_free = (0..sizes.len()).filter(|place| !places[..shared.len()].contains(place));
    let left_free = (0..rank).filter(|d| !left_batch.contains(d) && !left_contracting.contains(d));
    let result: Vec<i64> = left_batch
        .iter()
        .map(|&d| x.ty.shape[d])
        .chain(left_free.map(|d| x.ty.shape[d]))
        .chain(right_free.map(|d| shape[d]))
        .collect();
    let count: i64 = result.iter().product();
    let summed: i64 = left_contracting.iter().map(|&d| x.ty.shape[d]).product();
    if result.len() > 4 || shape.len() > 4 || count > MAX_COUNT || count * summed > MAX_PRODUCTS {
        return None;
    }
    let right = TensorType::new(x.ty.elem, shape);
    if right.count() as i64 > MAX_COUNT {
        return None;
    }
    let y = g.of_type(&right);
    let attributes = format!(
        "dot_dimension_numbers = #stablehlo.dot<{}>",
        dims(&[
            ("lhs_batching_dimensions", left_batch),
            ("rhs_batching_dimensions", &places[..batch]),
            ("lhs_contracting_dimensions", left_contracting),
            ("rhs_contracting_dimensions", &places[batch..batch + contracting]),
        ])
    );
    let ty = TensorType::new(g.summed(x.ty.elem), result);
    g.emit("stablehlo.dot_general", &[x, y], &attributes, ty, true);
    Some(())
}

impl Generator {
    /// The type that products of such elements are summed in: theirs, or a wider one.
    pub(super) fn summed(&mut self, elem: Elem) -> Elem {
        match elem {
            Elem::BF16 | Elem::F16 if self.rng.chance(40) => Elem::F32,
            Elem::Int(8 | 16) if self.rng.chance(40) => Elem::Int(32),
            other => other,
        }
    }
}

/// `name = [0, 1], …`, without those that are empty.
pub(super) fn dims(lists: &[(&str, &[usize])]) -> String {
    let lists = lists.iter().filter(|(_, list)| !list.is_empty());
    lists.map(|(name, list)| format!("{name} = {list:?}")).collect::<Vec<_>>().join(", ")
}

/// A window along one dimension.
pub(super) struct Window {
    pub(super) size: i64,
    pub(super) stride: i64,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) base: i64,
    pub(super) dilation: i64,
    /// How many positions it has.
    pub(super) count: i64,
}

impl Window {
    /// A window that has at least one position on a dimension of this size; nothing where the draw has none.
    pub(super) fn new(rng: &mut Rng, extent: i64, size: i64) -> Option<Window> {
        let some = |rng: &mut Rng, percent, low, high| {
            if rng.chance(percent) { rng.between(low, high) } else { low.max(1) }
        };
        let stride = some(rng, 40, 1, 3);
        let base = some(rng, 15, 1, 3);
        let dilation = some(rng, 25, 1, 3);
        let padded = rng.chance(60);
        let (low, high) = if padded { (rng.between(-1, 3), rng.between(-1, 3)) } else { (0, 0) };
        let span = (size - 1) * dilation + 1;
        let room = (extent - 1) * base + 1 + low + high;
        (room >= span).then(|| Window {
            size,
            stride,
            low,
            high,
            base,
            dilation,
            count: (room - span) / stride + 1,
        })
    }
}

/// One number of each window, as an attribute.
pub(super) fn each(windows: &[Window], of: impl Fn(&Window) -> i64) -> String {
    array(&windows.iter().map(of).collect::<Vec<_>>())
}

/// The padding of each window, as an attribute.
pub(super) fn padding(windows: &[Window]) -> String {
    let pairs: Vec<String> = windows.iter().map(|w| format!("[{}, {}]", w.low, w.high)).collect();
    format!("dense<[{}]> : tensor<{}x2xi64>", pairs.join(", "), windows.len())
}
