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
