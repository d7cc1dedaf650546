//! Products of matrices in memory, by strides: the one place that calls the GEMM library.

use partita::ir::Elem;

/// A matrix in memory: its first element, and by how many elements one walks from row to row and from column to column.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<P> {
    /// The first element.
    pub(crate) first: P,
    /// From row to row.
    pub(crate) rows: isize,
    /// From column to column.
    pub(crate) columns: isize,
}

/// Sizes of a product: rows, columns, and how many products are summed.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    /// Rows of the result.
    pub(crate) rows: usize,
    /// Columns of the result.
    pub(crate) columns: usize,
    /// Products summed for each element.
    pub(crate) sum: usize,
}

/// Whether there are products of matrices of a type. Those of complex numbers are left to the reference: fused multiplications leave
/// more where real and imaginary parts cancel than tests of such products allow.
pub(crate) fn has_product(elem: Elem) -> bool {
    matches!(elem, Elem::F32 | Elem::F64)
}

/// `to = left · right`, or `to += left · right`.
///
/// # Safety
///
/// [`has_product`] of the type; all elements that sizes and strides reach are valid, and those of `to` overlap nothing.
pub(crate) unsafe fn multiply(
    elem: Elem,
    sizes: Sizes,
    to: Matrix<*mut u8>,
    left: Matrix<*const u8>,
    right: Matrix<*const u8>,
    add: bool,
) {
    // SAFETY: what the caller promises.
    unsafe {
        match elem {
            Elem::F32 => typed::<f32>(sizes, to, left, right, add, 1.0),
            _ => typed::<f64>(sizes, to, left, right, add, 1.0),
        }
    }
}

/// # Safety
///
/// As [`multiply`], for elements of this type.
unsafe fn typed<T: Copy + 'static>(
    sizes: Sizes,
    to: Matrix<*mut u8>,
    left: Matrix<*const u8>,
    right: Matrix<*const u8>,
    add: bool,
    one: T,
) {
    // SAFETY: what the caller promises. One thread: devices are spread over the cores, not the parts of a product.
    unsafe {
        gemm::gemm(
            sizes.rows,
            sizes.columns,
            sizes.sum,
            to.first.cast::<T>(),
            to.columns,
            to.rows,
            add,
            left.first.cast::<T>(),
            left.columns,
            left.rows,
            right.first.cast::<T>(),
            right.columns,
            right.rows,
            one,
            one,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product of matrices whose elements stand some elements into their memory.
    fn product(sizes: Sizes, transposed: (bool, bool, bool), places: [usize; 3]) -> Vec<u32> {
        let Sizes { rows, columns, sum } = sizes;
        let fill = |len: usize, place: usize, seed: u32| -> Vec<f32> {
            let value = |n: u32| ((n.wrapping_mul(2654435761).wrapping_add(seed) >> 8) as f32) / 1e6 - 8.0;
            (0..place + len).map(|n| if n < place { 0.0 } else { value((n - place) as u32) }).collect()
        };
        let left = fill(rows * sum, places[0], 1);
        let right = fill(sum * columns, places[1], 2);
        let mut to = vec![0f32; places[2] + rows * columns];
        let strides = |transposed: bool, rows: usize, columns: usize| {
            if transposed { (1, rows as isize) } else { (columns as isize, 1) }
        };
        let matrix = |first: *const u8, (rows, columns)| Matrix { first, rows, columns };
        let (to_rows, to_columns) = strides(transposed.2, rows, columns);
        // SAFETY: the vectors hold the matrices from their places on.
        unsafe {
            multiply(
                Elem::F32,
                sizes,
                Matrix { first: to.as_mut_ptr().add(places[2]).cast(), rows: to_rows, columns: to_columns },
                matrix(left.as_ptr().add(places[0]).cast(), strides(transposed.0, rows, sum)),
                matrix(right.as_ptr().add(places[1]).cast(), strides(transposed.1, sum, columns)),
                false,
            );
        }
        to[places[2]..].iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn products_do_not_depend_on_where_their_operands_stand() {
        let sizes = [1, 2, 3, 4, 8, 15, 16, 17, 32, 64];
        let count = sizes.len();
        for n in 0..count.pow(3) {
            let (rows, columns, sum) = (sizes[n % count], sizes[n / count % count], sizes[n / count / count]);
            for flags in 0..8 {
                let transposed = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
                let sizes = Sizes { rows, columns, sum };
                let first = product(sizes, transposed, [0, 0, 0]);
                for places in [[4, 0, 0], [0, 4, 0], [0, 0, 4], [8, 12, 4], [12, 4, 8]] {
                    assert_eq!(
                        first,
                        product(sizes, transposed, places),
                        "{rows} {columns} {sum} {transposed:?} {places:?}"
                    );
                }
            }
        }
    }
}
