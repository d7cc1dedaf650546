//! Copies between boxes of elements in memory.

use smallvec::SmallVec;

/// Elements of a tile that is read along one dimension and written along another.
const TILE: usize = 16;

/// Memory that several threads write, each another part of it.
#[derive(Clone, Copy)]
pub(crate) struct Target(pub(crate) *mut u8);

// SAFETY: a place in memory; those who write there promise that their parts do not overlap.
unsafe impl Send for Target {}
// SAFETY: as above.
unsafe impl Sync for Target {}

impl Target {
    /// Where the memory starts.
    pub(crate) fn get(self) -> *mut u8 {
        self.0
    }
}

/// Memory that several threads read.
#[derive(Clone, Copy)]
pub(crate) struct Source(pub(crate) *const u8);

// SAFETY: a place in memory that nobody writes to meanwhile, as those who use it promise.
unsafe impl Send for Source {}
// SAFETY: as above.
unsafe impl Sync for Source {}

impl Source {
    /// Where the memory starts.
    pub(crate) fn get(self) -> *const u8 {
        self.0
    }
}

/// Copies a box of elements of so many bytes from one place to another.
///
/// # Safety
///
/// All elements that the strides (in elements) reach from both pointers are valid, to be read and to be written, and the two sets do not
/// overlap. No two indices reach the same element of the target.
pub(crate) unsafe fn copy_box(width: usize, shape: &[i64], from: (*const u8, &[i64]), to: (*mut u8, &[i64])) {
    if shape.contains(&0) {
        return;
    }
    let dims = collapse(shape, from.1, to.1);
    // SAFETY: what the caller promises; the dimensions were only merged.
    unsafe {
        match width {
            1 => copy_dims::<u8>(&dims, from.0.cast(), to.0.cast()),
            2 => copy_dims::<u16>(&dims, from.0.cast(), to.0.cast()),
            4 => copy_dims::<u32>(&dims, from.0.cast(), to.0.cast()),
            8 => copy_dims::<u64>(&dims, from.0.cast(), to.0.cast()),
            // Complex numbers of two `f64` stand on multiples of eight bytes only within a row.
            _ => copy_dims::<[u64; 2]>(&dims, from.0.cast(), to.0.cast()),
        }
    }
}

/// One dimension of a copy: its size, and its strides in source and target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Dim {
    size: usize,
    from: isize,
    to: isize,
}

/// The dimensions, outermost first, without those of size one, neighbours merged where both sides walk straight on.
fn collapse(shape: &[i64], from: &[i64], to: &[i64]) -> SmallVec<[Dim; 6]> {
    let mut dims: SmallVec<[Dim; 6]> = SmallVec::new();
    for d in 0..shape.len() {
        if shape[d] == 1 {
            continue;
        }
        let next = Dim { size: shape[d] as usize, from: from[d] as isize, to: to[d] as isize };
        match dims.last_mut() {
            Some(last)
                if last.from == next.from * next.size as isize && last.to == next.to * next.size as isize =>
            {
                *last = Dim { size: last.size * next.size, ..next };
            }
            _ => dims.push(next),
        }
    }
    dims
}

/// # Safety
///
/// As [`copy_box`].
unsafe fn copy_dims<T: Copy>(dims: &[Dim], from: *const T, to: *mut T) {
    let Some((&last, outer)) = dims.split_last() else {
        // SAFETY: a box without dimensions is one element.
        unsafe { *to = *from };
        return;
    };
    // Reading across and writing along would touch a new line of memory with each element: go by tiles.
    let across = outer.iter().rposition(|d| d.from == 1 && last.from != 1);
    let (tiled, rest): (Option<Dim>, SmallVec<[Dim; 6]>) = match across {
        Some(d) => {
            (Some(outer[d]), outer.iter().enumerate().filter(|(n, _)| *n != d).map(|(_, d)| *d).collect())
        }
        None => (None, outer.into()),
    };
    // Rows of the next dimension follow each other without looking at the others.
    let (rows, rest) = match rest.split_last() {
        Some((rows, rest)) => (*rows, rest),
        None => (Dim { size: 1, from: 0, to: 0 }, &rest[..]),
    };
    let mut index: SmallVec<[usize; 6]> = SmallVec::from_elem(0, rest.len());
    let (mut read, mut write) = (0isize, 0isize);
    loop {
        for row in 0..rows.size as isize {
            // SAFETY: `read` and `write` are the offsets of an index of the box.
            unsafe {
                let (from, to) = (from.offset(read + row * rows.from), to.offset(write + row * rows.to));
                match tiled {
                    Some(other) => copy_tiles(last, other, from, to),
                    None => copy_row(last, from, to),
                }
            }
        }
        let mut d = rest.len();
        loop {
            if d == 0 {
                return;
            }
            d -= 1;
            index[d] += 1;
            read += rest[d].from;
            write += rest[d].to;
            if index[d] < rest[d].size {
                break;
            }
            read -= rest[d].from * rest[d].size as isize;
            write -= rest[d].to * rest[d].size as isize;
            index[d] = 0;
        }
    }
}

/// # Safety
///
/// All elements of the row are valid on both sides.
#[inline]
unsafe fn copy_row<T: Copy>(row: Dim, from: *const T, to: *mut T) {
    // SAFETY: what the caller promises.
    unsafe {
        match (row.from, row.to) {
            // Short rows are moved in registers: a call takes longer.
            (1, 1) => match row.size {
                4 => to.cast::<[T; 4]>().write_unaligned(from.cast::<[T; 4]>().read_unaligned()),
                8 => to.cast::<[T; 8]>().write_unaligned(from.cast::<[T; 8]>().read_unaligned()),
                16 => to.cast::<[T; 16]>().write_unaligned(from.cast::<[T; 16]>().read_unaligned()),
                size => std::ptr::copy_nonoverlapping(from, to, size),
            },
            (0, 1) => std::slice::from_raw_parts_mut(to, row.size).fill(*from),
            (step, 1) => {
                for i in 0..row.size as isize {
                    *to.offset(i) = *from.offset(i * step);
                }
            }
            (step, other) => {
                for i in 0..row.size as isize {
                    *to.offset(i * other) = *from.offset(i * step);
                }
            }
        }
    }
}

/// # Safety
///
/// All elements of both dimensions are valid on both sides.
unsafe fn copy_tiles<T: Copy>(along: Dim, across: Dim, from: *const T, to: *mut T) {
    for first in (0..across.size).step_by(TILE) {
        for start in (0..along.size).step_by(TILE) {
            for i in first..(first + TILE).min(across.size) {
                let (i, size) = (i as isize, TILE.min(along.size - start));
                let start = start as isize;
                let tile = Dim { size, ..along };
                // SAFETY: a part of a row of the box.
                unsafe {
                    copy_row(
                        tile,
                        from.offset(i * across.from + start * along.from),
                        to.offset(i * across.to + start * along.to),
                    );
                }
            }
        }
    }
}
