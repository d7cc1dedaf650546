//! Ops with windows: convolution, pooling, cumulative ops.

use super::contract::{Window, each, padding};
use super::reduce::{combine_region, combiners};
use super::{Generator, MAX_COUNT, array, is_rounded};
use partita::ir::{Elem, TensorType};

/// A product that multiplies more than this takes too long.
const MAX_PRODUCTS: i64 = 6000;

pub(super) fn convolution(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() >= 2)?;
    let rank = x.ty.rank();
    let order = if g.rng.chance(40) {
        let mut order: Vec<usize> = (0..rank).collect();
        order[1..].rotate_left(1);
        order
    } else {
        g.rng.permutation(rank)
    };
    let (batch, feature, spatial) = (x.ty.shape[order[0]], x.ty.shape[order[1]], &order[2..]);
    let divisors = |n: i64| (1..=n).filter(|d| n % d == 0).collect::<Vec<i64>>();
    let (mut groups, mut batch_groups) = (1, 1);
    match g.rng.below(4) {
        0 => groups = *g.rng.pick(&divisors(feature)),
        1 => batch_groups = *g.rng.pick(&divisors(batch)),
        _ => {}
    }
    let out = groups * batch_groups * g.rng.between(1, 3);
    let mut windows = Vec::new();
    for &dim in spatial {
        let extent = x.ty.shape[dim];
        let size = if g.rng.chance(20) { extent } else { g.rng.between(1, 3) };
        windows.push(Window::new(&mut g.rng, extent, size)?);
    }
    let kernel_order = g.rng.permutation(rank);
    let result_order = g.rng.permutation(rank);
    let mut kernel = vec![0; rank];
    let mut result = vec![0; rank];
    kernel[kernel_order[0]] = feature / groups;
    kernel[kernel_order[1]] = out;
    result[result_order[0]] = batch / batch_groups;
    result[result_order[1]] = out;
    for (n, window) in windows.iter().enumerate() {
        kernel[kernel_order[n + 2]] = window.size;
        result[result_order[n + 2]] = window.count;
    }
    let count: i64 = result.iter().product();
    let products = count * kernel.iter().product::<i64>() / out.max(1);
    if count > MAX_COUNT || products > MAX_PRODUCTS || kernel.iter().product::<i64>() > MAX_COUNT {
        return None;
    }
    let w = g.of_type(&TensorType::new(x.ty.elem, kernel));
    let reversal: Vec<String> = windows.iter().map(|_| g.rng.chance(15).to_string()).collect();
    let reversal =
        if reversal.is_empty() { "array<i1>".into() } else { format!("array<i1: {}>", reversal.join(", ")) };
    let dynamic = !windows.is_empty() && g.rng.chance(5);
    let window = if windows.is_empty() {
        String::new()
    } else {
        let padding = if dynamic { String::new() } else { format!("padding = {}, ", padding(&windows)) };
        format!(
            "window_strides = {}, {padding}lhs_dilation = {}, rhs_dilation = {}, window_reversal = {reversal}, ",
            each(&windows, |w| w.stride),
            each(&windows, |w| w.base),
            each(&windows, |w| w.dilation),
        )
    };
    let attributes = format!(
        "{window}batch_group_count = {batch_groups} : i64, feature_group_count = {groups} : i64, \
         dimension_numbers = #stablehlo.conv<{}x{}->{}>",
        roles(&order, ["b", "f"]),
        roles(&kernel_order, ["i", "o"]),
        roles(&result_order, ["b", "f"]),
    );
    let ty = TensorType::new(g.summed(x.ty.elem), result);
    if dynamic {
        let rows: Vec<String> = windows.iter().map(|w| format!("[{}, {}]", w.low, w.high)).collect();
        let shape = TensorType::new(Elem::Int(32), [windows.len() as i64, 2]);
        let padding = g.emit_constant(&format!("[{}]", rows.join(", ")), shape);
        g.emit("stablehlo.dynamic_conv", &[x, w, padding], &attributes, ty, true);
        return Some(());
    }
    g.emit("stablehlo.convolution", &[x, w], &attributes, ty, true);
    Some(())
}

/// `[b, 0, f]`: what each dimension is, where `order` has the two named ones first.
fn roles(order: &[usize], named: [&str; 2]) -> String {
    let mut roles = vec![String::new(); order.len()];
    for (n, &dim) in order.iter().enumerate() {
        roles[dim] = named.get(n).map_or_else(|| (n - 2).to_string(), |name| name.to_string());
    }
    format!("[{}]", roles.join(", "))
}

pub(super) fn pool(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0 && !v.ty.elem.is_complex())?;
    let mut windows = Vec::new();
    for &extent in &x.ty.shape {
        let size = if g.rng.chance(50) { 1 } else { g.rng.between(1, extent.min(4)) };
        windows.push(if size == 1 && g.rng.chance(60) {
            whole(extent)
        } else {
            Window::new(&mut g.rng, extent, size)?
        });
    }
    reduce_window(g, x, &windows)
}

/// A window of one element that takes every element as it is.
fn whole(extent: i64) -> Window {
    Window { size: 1, stride: 1, low: 0, high: 0, base: 1, dilation: 1, count: extent }
}

/// What cumulative sums, products and maxima arrive as.
pub(super) fn cumulative(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0 && !v.ty.elem.is_complex())?;
    let dim = g.rng.below(x.ty.rank());
    let mut windows: Vec<Window> = x.ty.shape.iter().map(|&extent| whole(extent)).collect();
    let extent = x.ty.shape[dim];
    let (low, high) = if g.rng.chance(70) { (extent - 1, 0) } else { (0, extent - 1) };
    windows[dim] = Window { size: extent, low, high, ..whole(extent) };
    reduce_window(g, x, &windows)
}

fn reduce_window(g: &mut Generator, x: super::Value, windows: &[Window]) -> Option<()> {
    let elem = x.ty.elem;
    let combiner = *g.rng.pick(combiners(g, elem));
    let ty = TensorType::new(elem, windows.iter().map(|w| w.count));
    if ty.count() as i64 > MAX_COUNT {
        return None;
    }
    let initial = g.initial(combiner, elem);
    let attributes = format!(
        "window_dimensions = {}, window_strides = {}, base_dilations = {}, window_dilations = {}, padding = {}",
        each(windows, |w| w.size),
        each(windows, |w| w.stride),
        each(windows, |w| w.base),
        each(windows, |w| w.dilation),
        padding(windows),
    );
    let region = combine_region(combiner, elem);
    let exact = x.exact && initial.exact && !(combines_inexactly(combiner) && is_rounded(elem));
    g.emit_all("stablehlo.reduce_window", &[x, initial], &attributes, &region, &[ty], exact);
    Some(())
}

/// Whether a combiner rounds.
pub(super) fn combines_inexactly(combiner: &str) -> bool {
    !matches!(combiner, "maximum" | "minimum")
}

pub(super) fn select_and_scatter(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0 && v.exact && v.ty.elem != Elem::Bool && !v.ty.elem.is_complex())?;
    let elem = x.ty.elem;
    let (mut sizes, mut strides, mut pads, mut source) = (vec![], vec![], vec![], vec![]);
    for &extent in &x.ty.shape {
        let size = if g.rng.chance(40) { 1 } else { g.rng.between(1, extent.min(3)) };
        let stride = if g.rng.chance(50) { size } else { g.rng.between(1, 2) };
        // The window must see an element of the operand wherever it stands.
        let (low, high) = (g.rng.between(0, size - 1), g.rng.between(0, size - 1));
        sizes.push(size);
        strides.push(stride);
        pads.push(format!("[{low}, {high}]"));
        source.push((extent + low + high - size) / stride + 1);
    }
    let source = g.of_type(&TensorType::new(elem, source));
    let initial = g.initial("add", elem);
    let attributes = format!(
        "window_dimensions = {}, window_strides = {}, padding = dense<[{}]> : tensor<{}x2xi64>",
        array(&sizes),
        array(&strides),
        pads.join(", "),
        sizes.len(),
    );
    let direction = *g.rng.pick(&["GE", "LE"]);
    let region = format!(
        "{{\n  ^bb0(%p: tensor<{elem}>, %q: tensor<{elem}>):\n    \
         %s = stablehlo.compare {direction}, %p, %q : (tensor<{elem}>, tensor<{elem}>) -> tensor<i1>\n    \
         stablehlo.return %s : tensor<i1>\n  }}, {}",
        combine_region("add", elem)
    );
    let exact = source.exact && initial.exact && !is_rounded(elem);
    let ty = x.ty.clone();
    g.emit_all("stablehlo.select_and_scatter", &[x, source, initial], &attributes, &region, &[ty], exact);
    Some(())
}
