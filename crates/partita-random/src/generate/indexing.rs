//! Gather and scatter, of any dimension numbers.

use super::contract::dims;
use super::reduce::{SET, combine_regions, combiners};
use super::window::combines_inexactly;
use super::{Generator, MAX_COUNT, Value, array, is_rounded};
use partita::ir::{Elem, TensorType};

/// Windows of a tensor at places that a tensor of indices names.
struct Windows {
    /// Sizes of the windows in all dimensions of the tensor.
    sizes: Vec<i64>,
    /// Dimensions of the tensor that go along with one of the indices.
    batching: Vec<usize>,
    /// Dimensions of size one in the windows that are left out.
    collapsed: Vec<usize>,
    /// Which dimension each number of an index vector is for.
    map: Vec<usize>,
    /// Shape of the indices.
    indices: Vec<i64>,
    /// The dimension of the indices that holds the vectors.
    vector: usize,
    /// The dimensions of the indices that `batching` go along with.
    indices_batching: Vec<usize>,
    /// Shape of all windows together.
    shape: Vec<i64>,
    /// Where the dimensions of one window stand in it.
    window_dims: Vec<usize>,
}

impl Windows {
    fn new(g: &mut Generator, operand: &[i64]) -> Option<Windows> {
        let rank = operand.len();
        let (mut batching, mut collapsed, mut offset) = (vec![], vec![], vec![]);
        for d in 0..rank {
            match g.rng.below(10) {
                0 | 1 => batching.push(d),
                2..=5 => collapsed.push(d),
                _ => offset.push(d),
            }
        }
        let mut map = collapsed.clone();
        map.extend(offset.iter().copied().filter(|_| g.rng.chance(50)));
        let order = g.rng.permutation(map.len());
        let map: Vec<usize> = order.iter().map(|&n| map[n]).collect();
        let mut sizes = vec![1; rank];
        for &d in &offset {
            sizes[d] =
                if !map.contains(&d) || g.rng.chance(40) { operand[d] } else { g.rng.between(1, operand[d]) };
            if !map.contains(&d) && g.rng.chance(30) {
                sizes[d] = g.rng.between(1, operand[d]);
            }
        }
        // The indices: those that go along, some of their own, in any order, and the vector.
        let own_count = g.rng.below(3);
        let own = g.random_shape(own_count);
        let mut kinds: Vec<(i64, Option<usize>)> = batching.iter().map(|&d| (operand[d], Some(d))).collect();
        kinds.extend(own.into_iter().map(|size| (size, None)));
        let order = g.rng.permutation(kinds.len());
        let kinds: Vec<_> = order.iter().map(|&n| kinds[n]).collect();
        let implicit = map.len() == 1 && g.rng.chance(30);
        let vector = if implicit || g.rng.chance(60) { kinds.len() } else { g.rng.below(kinds.len() + 1) };
        let mut indices: Vec<i64> = kinds.iter().map(|(size, _)| *size).collect();
        if !implicit {
            indices.insert(vector, map.len() as i64);
        }
        let position = |d: usize| {
            let n = kinds.iter().position(|(_, along)| *along == Some(d))?;
            Some(if !implicit && n >= vector { n + 1 } else { n })
        };
        let indices_batching = batching.iter().map(|&d| position(d)).collect::<Option<Vec<_>>>()?;
        let total = kinds.len() + offset.len();
        let mut window_dims = g.rng.sample(total, offset.len());
        window_dims.sort_unstable();
        let (mut batch, mut window) = (kinds.iter().map(|k| k.0), offset.iter().map(|&d| sizes[d]));
        let shape: Vec<i64> = (0..total)
            .filter_map(|d| if window_dims.contains(&d) { window.next() } else { batch.next() })
            .collect();
        let fits = |shape: &[i64]| shape.len() <= 4 && shape.iter().product::<i64>() <= MAX_COUNT;
        (fits(&shape) && fits(&indices)).then_some(Windows {
            sizes,
            batching,
            collapsed,
            map,
            indices,
            vector,
            indices_batching,
            shape,
            window_dims,
        })
    }

    /// An empty index vector cannot be a tensor that is worth passing around: it is a constant.
    fn indices(&self, g: &mut Generator) -> Value {
        let elem = *g.rng.pick(&[Elem::Int(32), Elem::Int(32), Elem::Int(64)]);
        g.exact_of_type(&TensorType::new(elem, self.indices.clone()))
    }
}

pub(super) fn gather(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let windows = Windows::new(g, &x.ty.shape)?;
    if windows.map.is_empty() {
        return None;
    }
    let indices = windows.indices(g);
    let numbers = dims(&[
        ("offset_dims", &windows.window_dims),
        ("collapsed_slice_dims", &windows.collapsed),
        ("operand_batching_dims", &windows.batching),
        ("start_indices_batching_dims", &windows.indices_batching),
        ("start_index_map", &windows.map),
    ]);
    let numbers =
        format!("dimension_numbers = #stablehlo.gather<{numbers}, index_vector_dim = {}>", windows.vector);
    let ty = TensorType::new(x.ty.elem, windows.shape);
    if g.rng.chance(5) {
        let sizes = g.numbers(&windows.sizes);
        if sizes.ty.elem == indices.ty.elem {
            g.emit("stablehlo.dynamic_gather", &[x, indices, sizes], &numbers, ty, false);
        }
        return Some(());
    }
    let attributes = format!("{numbers}, slice_sizes = {}", array(&windows.sizes));
    g.emit("stablehlo.gather", &[x, indices], &attributes, ty, false);
    Some(())
}

pub(super) fn scatter(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let windows = Windows::new(g, &x.ty.shape)?;
    if windows.map.is_empty() {
        return None;
    }
    let indices = windows.indices(g);
    let numbers = dims(&[
        ("update_window_dims", &windows.window_dims),
        ("inserted_window_dims", &windows.collapsed),
        ("input_batching_dims", &windows.batching),
        ("scatter_indices_batching_dims", &windows.indices_batching),
        ("scatter_dims_to_operand_dims", &windows.map),
    ]);
    let attributes = format!(
        "scatter_dimension_numbers = #stablehlo.scatter<{numbers}, index_vector_dim = {}>",
        windows.vector
    );
    // One tensor that is written to, or two with one region for both.
    let mut inputs = vec![x];
    if g.rng.chance(20) {
        let elem = *g.rng.pick(&g.elems);
        let ty = inputs[0].ty.with_elem(elem);
        inputs.push(g.of_type(&ty));
    }
    let updates: Vec<Value> = inputs
        .iter()
        .map(|input| g.of_type(&TensorType::new(input.ty.elem, windows.shape.clone())))
        .collect();
    let sets = g.rng.chance(30);
    let parts: Vec<(Elem, &str)> = inputs
        .iter()
        .map(|input| (input.ty.elem, if sets { SET } else { *g.rng.pick(combiners(g, input.ty.elem)) }))
        .collect();
    let rounds = parts
        .iter()
        .any(|(elem, combiner)| *combiner != SET && combines_inexactly(combiner) && is_rounded(*elem));
    let exact = !rounds && inputs.iter().chain(&updates).chain([&indices]).all(|v| v.exact);
    let region = combine_regions(&parts);
    let results: Vec<TensorType> = inputs.iter().map(|v| v.ty.clone()).collect();
    let operands: Vec<Value> = inputs.into_iter().chain([indices]).chain(updates).collect();
    g.emit_all("stablehlo.scatter", &operands, &attributes, &region, &results, exact);
    Some(())
}
