//! Products of matrices in memory, by strides: the one place that calls the GEMM library.

use crate::pool::Pool;
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

/// Products of fewer multiplications are not split.
const WORTH_SPLITTING: usize = 1 << 22;

/// A part of a split product has at least so many rows or columns.
const PART: usize = 128;

/// [`multiply`] by all threads that have nothing else to do.
///
/// Each element is summed in blocks whose size follows from the number of products alone, so that the parts give what the whole gives.
///
/// # Safety
///
/// As [`multiply`].
pub(crate) unsafe fn multiply_together(
    elem: Elem,
    sizes: Sizes,
    to: Matrix<*mut u8>,
    left: Matrix<*const u8>,
    right: Matrix<*const u8>,
    add: bool,
    pool: &mut Pool,
) {
    let work = sizes.rows.saturating_mul(sizes.columns).saturating_mul(sizes.sum);
    let along_rows = sizes.rows >= sizes.columns;
    let longer = if along_rows { sizes.rows } else { sizes.columns };
    let shorter = if along_rows { sizes.columns } else { sizes.rows };
    let parts =
        if work < WORTH_SPLITTING || shorter < 16 { 1 } else { (longer / PART).min(pool.crew.hands()) };
    if parts <= 1 {
        // SAFETY: what the caller promises.
        return unsafe { multiply(elem, sizes, to, left, right, add) };
    }
    let part = longer.div_ceil(parts).next_multiple_of(64);
    let (to, left, right) = (Shared(to), Shared(left), Shared(right));
    pool.each(longer.div_ceil(part), &|n, _| {
        let (first, count) = (n * part, part.min(longer - n * part));
        let width = elem.bytes() as isize;
        let moved = |step: isize| first as isize * step * width;
        let (Shared(mut to), Shared(mut left), Shared(mut right)) = (to, left, right);
        let mut sizes = sizes;
        // SAFETY: what the caller promises; the parts of the result do not overlap.
        unsafe {
            if along_rows {
                to.first = to.first.offset(moved(to.rows));
                left.first = left.first.offset(moved(left.rows));
                sizes.rows = count;
            } else {
                to.first = to.first.offset(moved(to.columns));
                right.first = right.first.offset(moved(right.columns));
                sizes.columns = count;
            }
            multiply(elem, sizes, to, left, right, add);
        }
    });
}

/// A matrix that several threads read, or write parts of.
#[derive(Clone, Copy)]
struct Shared<P>(Matrix<P>);

// SAFETY: a place in memory; those who use it promise not to write where others read or write.
unsafe impl<P> Send for Shared<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for Shared<P> {}

/// `to = left · right`, or `to += left · right`, on this thread.
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
    // SAFETY: what the caller promises. One thread: the library's own threads would know nothing of devices.
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
    use std::sync::Arc;

    #[test]
    fn parts_give_what_the_whole_gives() {
        for (rows, columns, sum) in [(300, 70, 1100), (70, 300, 1100), (513, 384, 40), (128, 1000, 513)] {
            let fill = |count: usize, seed: u32| -> Vec<f32> {
                (0..count as u32)
                    .map(|n| ((n ^ seed).wrapping_mul(2654435761) >> 8) as f32 / 1e6 - 8.0)
                    .collect()
            };
            let (a, b) = (fill(rows * sum, 1), fill(sum * columns, 2));
            let product = |pool: &mut Pool| {
                let mut c = vec![0f32; rows * columns];
                let sizes = Sizes { rows, columns, sum };
                let to = Matrix { first: c.as_mut_ptr().cast(), rows: columns as isize, columns: 1 };
                let left = Matrix { first: a.as_ptr().cast(), rows: sum as isize, columns: 1 };
                let right = Matrix { first: b.as_ptr().cast(), rows: columns as isize, columns: 1 };
                // SAFETY: the vectors hold the matrices.
                unsafe { multiply_together(Elem::F32, sizes, to, left, right, false, pool) };
                c
            };
            let alone = product(&mut Pool::default());
            let crew: Arc<crate::crew::Crew> = Arc::default();
            let since = crew.news();
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| crew.wait(since, &mut Vec::new()));
                }
                while crew.hands() < 4 {
                    std::thread::yield_now();
                }
                let together = product(&mut Pool::new(crew.clone(), Arc::default()));
                crew.announce();
                assert_eq!(alone, together, "{rows} {columns} {sum}");
            });
        }
    }

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
