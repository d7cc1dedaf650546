//! Walking over index spaces in memory.

use crate::ir::Shape;

/// The positions of an index space in memory, in row-major order of the indices.
#[derive(Clone, Debug)]
pub struct Offsets {
    /// Size and stride of each dimension.
    dims: smallvec::SmallVec<[(i64, i64); 4]>,
    index: Shape,
    next: i64,
    left: usize,
}

impl Offsets {
    /// The positions of a space with sizes and strides (in elements), from position zero on.
    pub fn new(dims: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let dims: smallvec::SmallVec<[(i64, i64); 4]> = dims.into_iter().collect();
        // Part of an empty tensor's dimensions may span more than memory; nobody walks there.
        let left = dims.iter().fold(1usize, |count, (size, _)| count.saturating_mul(*size as usize));
        Offsets { index: smallvec::smallvec![0; dims.len()], dims, next: 0, left }
    }
}

impl Iterator for Offsets {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let current = self.next as usize;
        for (index, (size, stride)) in self.index.iter_mut().zip(&self.dims).rev() {
            *index += 1;
            self.next += stride;
            if *index < *size {
                break;
            }
            *index = 0;
            self.next -= stride * size;
        }
        Some(current)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Offsets {}

/// Goes to the next index of a shape in row-major order; behind the last comes the first again.
pub fn advance(index: &mut [i64], shape: &[i64]) {
    for (index, size) in index.iter_mut().zip(shape).rev() {
        *index += 1;
        if *index < *size {
            return;
        }
        *index = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_dimension_runs_fastest() {
        assert_eq!(Offsets::new([(2, 1), (3, 2)]).collect::<Vec<_>>(), [0, 2, 4, 1, 3, 5]);
        assert_eq!(Offsets::new([]).collect::<Vec<_>>(), [0]);
        assert_eq!(Offsets::new([(2, 1), (0, 1)]).count(), 0);
        assert_eq!(Offsets::new([(3, 0)]).collect::<Vec<_>>(), [0, 0, 0]);
    }
}
