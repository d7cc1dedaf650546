//! Copies between boxes of elements: slices, transposes, broadcasts and padding are all this.

use super::tensor::strides;
use super::{Tensor, TensorBuilder};
use crate::ir::{Shape, TensorType};

/// How a box of elements lies in a row-major tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// The row-major position of the first element.
    pub start: i64,
    /// By how much the position grows with each dimension of the box; zero repeats, negative runs backwards.
    pub strides: Shape,
}

impl Walk {
    /// All elements of a shape in order.
    pub fn whole(shape: &[i64]) -> Walk {
        Walk { start: 0, strides: strides(shape) }
    }

    /// The elements of a tensor of this shape from an index on, with a step in each dimension.
    pub fn from_index(
        shape: &[i64],
        start: impl IntoIterator<Item = i64>,
        steps: impl IntoIterator<Item = i64>,
    ) -> Walk {
        let strides = strides(shape);
        let start = start.into_iter().zip(&strides).map(|(i, s)| i * s).sum();
        let strides = steps.into_iter().zip(&strides).map(|(step, s)| step * s).collect();
        Walk { start, strides }
    }

    /// The elements of a tensor of this shape from an index on.
    pub fn offset(shape: &[i64], start: impl IntoIterator<Item = i64>) -> Walk {
        Walk::from_index(shape, start, shape.iter().map(|_| 1))
    }
}

/// A new tensor whose elements are those of a box in another; the result of a splat is a splat.
pub fn view(from: &Tensor, walk: &Walk, ty: TensorType) -> Tensor {
    if from.is_splat() {
        return from.reshape(ty.shape);
    }
    let mut result = TensorBuilder::new(ty.clone());
    copy_box(&ty.shape, from, walk, &mut result, &Walk::whole(&ty.shape));
    result.finish()
}

/// Copies a box of elements from one tensor into another of the same element type, bit for bit.
pub fn copy_box(shape: &[i64], from: &Tensor, source: &Walk, to: &mut TensorBuilder, target: &Walk) {
    if shape.contains(&0) {
        return;
    }
    let Some((&width, outer)) = shape.split_last() else {
        to.copy(target.start as usize, from, source.start as usize);
        return;
    };
    let last = outer.len();
    let (source_step, target_step) = (source.strides[last], target.strides[last]);
    let (mut read, mut write) = (source.start, target.start);
    let mut index: Shape = smallvec::smallvec![0; last];
    loop {
        if source_step == 1 && target_step == 1 {
            to.copy_run(write as usize, from, read as usize, width as usize);
        } else {
            for i in 0..width {
                to.copy((write + i * target_step) as usize, from, (read + i * source_step) as usize);
            }
        }
        // The next row: count up the outer index and move both positions along.
        let mut d = last;
        loop {
            if d == 0 {
                return;
            }
            d -= 1;
            index[d] += 1;
            read += source.strides[d];
            write += target.strides[d];
            if index[d] < outer[d] {
                break;
            }
            read -= source.strides[d] * index[d];
            write -= target.strides[d] * index[d];
            index[d] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Elem;
    use crate::value::Scalar;

    fn counting(shape: &[i64]) -> Tensor {
        let ty = TensorType::new(Elem::Int(32), shape.iter().copied());
        Tensor::from_fn(ty, |i| Scalar::Int(i as i64))
    }

    fn ints(shape: &[i64], walk: Walk, from: &Tensor) -> Vec<i64> {
        view(from, &walk, TensorType::new(Elem::Int(32), shape.iter().copied())).to_i64s()
    }

    #[test]
    fn boxes_can_be_transposed_reversed_repeated_and_strided() {
        let t = counting(&[2, 3]);
        let walk = |start, strides: [i64; 2]| Walk { start, strides: strides.into_iter().collect() };
        assert_eq!(ints(&[3, 2], walk(0, [1, 3]), &t), [0, 3, 1, 4, 2, 5]);
        assert_eq!(ints(&[2, 3], walk(5, [-3, -1]), &t), [5, 4, 3, 2, 1, 0]);
        assert_eq!(ints(&[2, 2], walk(3, [0, 1]), &t), [3, 4, 3, 4]);
        assert_eq!(ints(&[2, 2], walk(0, [3, 2]), &t), [0, 2, 3, 5]);
        assert_eq!(ints(&[0, 2], walk(0, [3, 1]), &t), [0; 0]);
    }

    #[test]
    fn a_box_without_dimensions_is_one_element() {
        let t = counting(&[4]);
        assert_eq!(ints(&[], Walk { start: 2, strides: Shape::new() }, &t), [2]);
    }

    #[test]
    fn a_splat_of_any_size_stays_free() {
        let huge = Tensor::splat(TensorType::new(Elem::F32, [1 << 40]), Scalar::Float(1.0));
        let half = view(&huge, &Walk::whole(&[1 << 39]), TensorType::new(Elem::F32, [1 << 39]));
        assert!(half.is_splat() && half.len() == 1 << 39);
    }
}
