//! Values while a program runs: a tensor in memory, or a view of one that only strides tell apart.
//!
//! Transposes, broadcasts, slices and most reshapes are views: they cost nothing and share the elements. A splat is a view of
//! one element whose strides are all zero, so that kernels need not know about it.

use crate::copy::copy_box;
use crate::pool::Pool;
use partita::ir::{Elem, Shape, TensorType};
use partita::value::tensor::strides as row_major;
use partita::value::{Tensor, TensorBuilder};

/// Elements in memory, reached by strides.
pub(crate) struct Array {
    /// The memory; its shape does not matter.
    storage: Tensor,
    /// The sizes.
    pub(crate) shape: Shape,
    /// By how many elements the position grows with each index; zero repeats, negative runs backwards.
    pub(crate) strides: Shape,
    /// The position of the first element.
    offset: i64,
}

impl Clone for Array {
    /// Sizes and strides are copied as memory, not one by one: this is done for every operand of every step.
    fn clone(&self) -> Array {
        Array {
            storage: self.storage.clone(),
            shape: Shape::from_slice(&self.shape),
            strides: Shape::from_slice(&self.strides),
            offset: self.offset,
        }
    }
}

impl Array {
    /// All elements of a tensor.
    pub(crate) fn new(tensor: Tensor) -> Array {
        let shape: Shape = tensor.shape().into();
        let strides = if tensor.is_splat() { smallvec::smallvec![0; shape.len()] } else { row_major(&shape) };
        Array { storage: tensor, shape, strides, offset: 0 }
    }

    /// The element type.
    pub(crate) fn elem(&self) -> Elem {
        self.storage.elem()
    }

    /// Bytes of one element.
    pub(crate) fn width(&self) -> usize {
        self.storage.elem().bytes()
    }

    /// How many elements.
    pub(crate) fn count(&self) -> usize {
        if self.shape.contains(&0) { 0 } else { self.shape.iter().product::<i64>() as usize }
    }

    /// Type and shape.
    pub(crate) fn ty(&self) -> TensorType {
        TensorType::new(self.elem(), self.shape.iter().copied())
    }

    /// Where the first element stands. Nothing may be read through it where there are no elements.
    pub(crate) fn pointer(&self) -> *const u8 {
        if self.count() == 0 {
            return std::ptr::NonNull::<u128>::dangling().as_ptr().cast_const().cast();
        }
        self.storage.element_bytes(self.offset as usize).as_ptr()
    }

    /// The bytes of the element at a position given by strides.
    pub(crate) fn element(&self, position: i64) -> &[u8] {
        self.storage.element_bytes((self.offset + position) as usize)
    }

    /// Where the element at a position given by strides stands.
    pub(crate) fn place(&self, position: i64) -> *const u8 {
        self.element(position).as_ptr()
    }

    /// Whether all elements are one and the same in memory.
    pub(crate) fn is_constant(&self) -> bool {
        self.strides.iter().zip(&self.shape).all(|(stride, size)| *stride == 0 || *size == 1)
    }

    /// Whether the elements stand in row-major order without gaps.
    pub(crate) fn is_row_major(&self) -> bool {
        let expected = row_major(&self.shape);
        self.storage.dense_bytes().is_some()
            && (0..self.shape.len()).all(|d| self.shape[d] <= 1 || self.strides[d] == expected[d])
    }

    /// Whether the elements are all that its memory holds, in row-major order.
    fn is_whole(&self) -> bool {
        self.offset == 0 && self.is_row_major() && self.storage.len() == self.count()
    }

    /// The same memory with other sizes and strides, some elements further on.
    pub(crate) fn view(&self, shape: Shape, strides: Shape, further: i64) -> Array {
        let offset = if self.storage.is_splat() { 0 } else { self.offset + further };
        let strides = if self.storage.is_splat() { smallvec::smallvec![0; shape.len()] } else { strides };
        Array { storage: self.storage.clone(), shape, strides, offset }
    }

    /// Like [`Array::view`], giving up this one.
    pub(crate) fn into_view(self, shape: Shape, strides: Shape, further: i64) -> Array {
        if self.storage.is_splat() {
            let strides = smallvec::smallvec![0; shape.len()];
            return Array { storage: self.storage, shape, strides, offset: 0 };
        }
        Array { storage: self.storage, shape, strides, offset: self.offset + further }
    }

    /// The same elements in row-major order under another shape; nothing where no strides reach them so.
    pub(crate) fn reshaped(&self, shape: &[i64]) -> Option<Array> {
        let strides = reshape_strides(&self.shape, &self.strides, shape)?;
        Some(self.view(shape.into(), strides, 0))
    }

    /// Several dimensions as one: its size and stride, where they are a straight walk. The stride of a single index is zero.
    pub(crate) fn walk(&self, dims: &[usize]) -> Option<(i64, i64)> {
        let (mut size, mut stride) = (1, 0);
        for &d in dims.iter().rev() {
            if self.shape[d] == 1 {
                continue;
            }
            if size == 1 {
                stride = self.strides[d];
            } else if self.strides[d] != stride * size {
                return None;
            }
            size *= self.shape[d];
        }
        Some((size, stride))
    }

    /// The same bits as another type of the same width.
    pub(crate) fn with_elem(&self, elem: Elem) -> Array {
        Array { storage: self.storage.with_elem(elem), ..self.clone() }
    }

    /// The elements as a tensor: shared where they stand in order already.
    pub(crate) fn tensor(&self, pool: &mut Pool) -> Tensor {
        self.clone().into_tensor(pool)
    }

    /// The elements as a tensor, giving up this view of them.
    pub(crate) fn into_tensor(self, pool: &mut Pool) -> Tensor {
        if self.storage.is_splat() || (self.is_constant() && self.count() > 0) {
            return self.storage.repeat_element(self.offset as usize, self.shape);
        }
        if self.is_whole() {
            return if self.storage.shape() == &self.shape[..] {
                self.storage
            } else {
                self.storage.reshape(self.shape)
            };
        }
        let copy = self.copied(pool);
        pool.recycle(self.storage);
        copy
    }

    /// A copy of the elements, in row-major order.
    pub(crate) fn copied(&self, pool: &mut Pool) -> Tensor {
        self.copy(pool).finish()
    }

    fn copy(&self, pool: &mut Pool) -> TensorBuilder {
        let mut copy = pool.tensor(self.ty());
        let strides = row_major(&self.shape);
        let to = copy.bytes_mut().as_mut_ptr();
        // SAFETY: the box is this array, which lies in its storage, and all of the fresh memory of the copy.
        unsafe { copy_box(self.width(), &self.shape, (self.pointer(), &self.strides), (to, &strides)) };
        copy
    }

    /// This array in row-major order: itself, or a copy.
    pub(crate) fn into_row_major(self, pool: &mut Pool) -> Array {
        if self.is_row_major() {
            return self;
        }
        let copy = Array::new(self.copied(pool));
        pool.recycle(self.storage);
        copy
    }

    /// The memory to write over: what this array has alone where it has exactly the elements of its type, else a copy.
    pub(crate) fn into_builder(mut self, pool: &mut Pool) -> TensorBuilder {
        if self.is_own_memory() {
            return self.into_tensor(pool).into_builder();
        }
        let copy = self.copy(pool);
        pool.recycle(self.storage);
        copy
    }

    /// Whether the memory is exactly the elements in order and nobody else has it, so that it can be written over.
    pub(crate) fn is_own_memory(&mut self) -> bool {
        self.is_whole() && self.storage.unshared_bytes_mut().is_some()
    }

    /// All of the memory.
    pub(crate) fn into_memory(self) -> Tensor {
        self.storage
    }

    /// Gives up the array; its memory is used again where nobody else has it.
    pub(crate) fn recycle(self, pool: &mut Pool) {
        pool.recycle(self.storage);
    }
}

/// The strides of a view under another shape of as many elements, where there are such.
///
/// Runs of dimensions are matched by their products; within a run the old dimensions must be one straight walk.
pub(crate) fn reshape_strides(from: &[i64], strides: &[i64], to: &[i64]) -> Option<Shape> {
    if from.contains(&0) {
        return Some(smallvec::smallvec![0; to.len()]);
    }
    let mut result: Shape = smallvec::smallvec![0; to.len()];
    let (mut i, mut j) = (0, 0);
    while i < from.len() || j < to.len() {
        let (first_i, first_j) = (i, j);
        let (mut a, mut b) = (1, 1);
        // The shortest run of both whose products are equal.
        loop {
            if a == b && (i > first_i || j > first_j) {
                break;
            }
            if a <= b && i < from.len() {
                a *= from[i];
                i += 1;
            } else if j < to.len() {
                b *= to[j];
                j += 1;
            } else {
                a *= from[i];
                i += 1;
            }
        }
        let run = first_i..i;
        let mut straight: Option<(i64, i64)> = None;
        for d in run.rev().filter(|d| from[*d] != 1) {
            straight = Some(match straight {
                None => (strides[d], strides[d] * from[d]),
                Some((inner, next)) if strides[d] == next => (inner, next * from[d]),
                Some(_) => return None,
            });
        }
        let mut stride = straight.map_or(0, |(inner, _)| inner);
        for d in (first_j..j).rev() {
            result[d] = stride;
            stride *= to[d];
        }
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strides(from: &[i64], strides: &[i64], to: &[i64]) -> Option<Vec<i64>> {
        reshape_strides(from, strides, to).map(|s| s.to_vec())
    }

    #[test]
    fn reshapes_are_views_where_runs_are_straight() {
        assert_eq!(strides(&[2, 6], &[6, 1], &[2, 2, 3]), Some(vec![6, 3, 1]));
        assert_eq!(strides(&[2, 2, 3], &[6, 3, 1], &[12]), Some(vec![1]));
        assert_eq!(strides(&[3, 2], &[1, 3], &[6]), None);
        assert_eq!(strides(&[3, 2], &[1, 3], &[3, 1, 2]).map(|s| (s[0], s[2])), Some((1, 3)));
        assert_eq!(strides(&[4, 6], &[0, 1], &[2, 2, 6]), Some(vec![0, 0, 1]));
        assert_eq!(strides(&[4, 6], &[0, 1], &[24]), None);
        assert_eq!(strides(&[1, 1], &[5, 5], &[]), Some(vec![]));
        assert_eq!(strides(&[], &[], &[1, 1]).map(|s| s.len()), Some(2));
        assert_eq!(strides(&[0, 3], &[3, 1], &[5, 0]), Some(vec![0, 0]));
    }
}
