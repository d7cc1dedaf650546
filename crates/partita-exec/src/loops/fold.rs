//! Folding elements: the kernels of reductions.
//!
//! Sums go in a fixed number of lanes, so that they vectorise and are the same on every processor. Narrow floats are summed in `f32`.

use super::kernel::{LEVEL, Level, source, target};
use super::number::{Bits, Half, Number};
use half::{bf16, f16};
use partita::ir::Elem;
use partita::ops::rule::Combine;
use std::marker::PhantomData;

/// How many running results a row is folded into.
const LANES: usize = 32;

/// Folds elements into a running result, or into as many as there are elements: the result, the elements, how many.
///
/// Calling one is unsafe: both pointers are valid for what is read and written, aligned, and do not overlap.
pub(crate) type Fold = unsafe fn(*mut u8, *const u8, usize);

/// The kernels of one way to combine.
#[derive(Clone, Copy)]
pub(crate) struct Folder {
    /// What running results are stored as.
    pub(crate) running: Elem,
    /// Folds a row into one result.
    pub(crate) row: Fold,
    /// Folds each element into a result of its own.
    pub(crate) each: Fold,
}

trait Combiner {
    type Element: Copy;
    type Running: Copy;
    fn lift(x: Self::Element) -> Self::Running;
    fn combine(a: Self::Running, b: Self::Running) -> Self::Running;
}

/// A combiner of elements that are stored as what they run as.
struct Plain<F>(PhantomData<F>);

trait Function {
    type Element: Copy;
    fn combine(a: Self::Element, b: Self::Element) -> Self::Element;
}

impl<F: Function> Combiner for Plain<F> {
    type Element = F::Element;
    type Running = F::Element;
    #[inline(always)]
    fn lift(x: F::Element) -> F::Element {
        x
    }
    #[inline(always)]
    fn combine(a: F::Element, b: F::Element) -> F::Element {
        F::combine(a, b)
    }
}

/// A combiner of narrow floats that runs in `f32`.
struct Widened<T, F>(PhantomData<(T, F)>);

impl<T: Half, F: Function<Element = f32>> Combiner for Widened<T, F> {
    type Element = T;
    type Running = f32;
    #[inline(always)]
    fn lift(x: T) -> f32 {
        x.to_single()
    }
    #[inline(always)]
    fn combine(a: f32, b: f32) -> f32 {
        F::combine(a, b)
    }
}

macro_rules! functions {
    ($class:ident: $($name:ident = $method:ident;)*) => {$(
        struct $name<T>(PhantomData<T>);
        impl<T: $class> Function for $name<T> {
            type Element = T;
            #[inline(always)]
            fn combine(a: T, b: T) -> T { a.$method(b) }
        }
    )*};
}

functions! { Number: Sum = add; Product = multiply; Largest = maximum; Smallest = minimum; }
functions! { Bits: All = and; Any = or; Odd = xor; }

#[inline(always)]
unsafe fn fold_row<C: Combiner>(result: *mut u8, elements: *const u8, count: usize) {
    // SAFETY: what the caller of a fold promises.
    let (result, x) =
        unsafe { (&mut target::<C::Running>(result, 1)[0], source::<C::Element>(elements, count)) };
    let mut running = *result;
    let (blocks, rest) = x.as_chunks::<LANES>();
    if let Some((first, blocks)) = blocks.split_first() {
        let mut lanes: [C::Running; LANES] = first.map(|x| C::lift(x));
        for block in blocks {
            for (lane, x) in lanes.iter_mut().zip(block) {
                *lane = C::combine(*lane, C::lift(*x));
            }
        }
        let mut width = LANES;
        while width > 1 {
            width /= 2;
            for i in 0..width {
                lanes[i] = C::combine(lanes[i], lanes[i + width]);
            }
        }
        running = C::combine(running, lanes[0]);
    }
    for x in rest {
        running = C::combine(running, C::lift(*x));
    }
    *result = running;
}

#[inline(always)]
unsafe fn fold_each<C: Combiner>(results: *mut u8, elements: *const u8, count: usize) {
    // SAFETY: what the caller of a fold promises.
    let (results, x) =
        unsafe { (target::<C::Running>(results, count), source::<C::Element>(elements, count)) };
    for (result, x) in results.iter_mut().zip(x) {
        *result = C::combine(*result, C::lift(*x));
    }
}

macro_rules! compile_for {
    ($($(#[$attribute:meta])* $row:ident $each:ident;)*) => {$(
        /// # Safety
        ///
        /// As for [`Fold`], and the processor has the features.
        $(#[$attribute])*
        unsafe fn $row<C: Combiner>(result: *mut u8, elements: *const u8, count: usize) {
            // SAFETY: what the caller promises.
            unsafe { fold_row::<C>(result, elements, count) }
        }
        /// # Safety
        ///
        /// As for [`Fold`], and the processor has the features.
        $(#[$attribute])*
        unsafe fn $each<C: Combiner>(results: *mut u8, elements: *const u8, count: usize) {
            // SAFETY: what the caller promises.
            unsafe { fold_each::<C>(results, elements, count) }
        }
    )*};
}

compile_for! {
    row_base each_base;
    #[cfg(target_arch = "x86_64")] #[target_feature(enable = "avx2,fma")]
    row_avx2 each_avx2;
    #[cfg(target_arch = "x86_64")] #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
    row_avx512 each_avx512;
}

fn compiled<C: Combiner>(running: Elem) -> Folder {
    match *LEVEL {
        Level::Base => Folder { running, row: row_base::<C>, each: each_base::<C> },
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Folder { running, row: row_avx2::<C>, each: each_avx2::<C> },
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Folder { running, row: row_avx512::<C>, each: each_avx512::<C> },
    }
}

/// The kernels that fold elements of a type in a known way, where there are any.
pub(crate) fn folder(how: Combine, elem: Elem) -> Option<Folder> {
    macro_rules! number {
        ($t:ty) => {
            match how {
                Combine::Add => Some(compiled::<Plain<Sum<$t>>>(elem)),
                Combine::Multiply => Some(compiled::<Plain<Product<$t>>>(elem)),
                Combine::Maximum => Some(compiled::<Plain<Largest<$t>>>(elem)),
                Combine::Minimum => Some(compiled::<Plain<Smallest<$t>>>(elem)),
                _ => None,
            }
        };
    }
    macro_rules! narrow {
        ($t:ty) => {
            match how {
                Combine::Add => Some(compiled::<Widened<$t, Sum<f32>>>(Elem::F32)),
                Combine::Multiply => Some(compiled::<Widened<$t, Product<f32>>>(Elem::F32)),
                Combine::Maximum => Some(compiled::<Widened<$t, Largest<f32>>>(Elem::F32)),
                Combine::Minimum => Some(compiled::<Widened<$t, Smallest<f32>>>(Elem::F32)),
                _ => None,
            }
        };
    }
    macro_rules! integer {
        ($t:ty) => {
            number!($t).or(match how {
                Combine::And => Some(compiled::<Plain<All<$t>>>(elem)),
                Combine::Or => Some(compiled::<Plain<Any<$t>>>(elem)),
                Combine::Xor => Some(compiled::<Plain<Odd<$t>>>(elem)),
                _ => None,
            })
        };
    }
    match elem {
        Elem::F32 => number!(f32),
        Elem::F64 => number!(f64),
        Elem::BF16 => narrow!(bf16),
        Elem::F16 => narrow!(f16),
        Elem::Bool => match how {
            Combine::Add | Combine::Maximum | Combine::Or => Some(compiled::<Plain<Any<u8>>>(elem)),
            Combine::Multiply | Combine::Minimum | Combine::And => Some(compiled::<Plain<All<u8>>>(elem)),
            Combine::Xor => Some(compiled::<Plain<Odd<u8>>>(elem)),
            Combine::Region => None,
        },
        Elem::Int(8) => integer!(i8),
        Elem::Int(16) => integer!(i16),
        Elem::Int(32) => integer!(i32),
        Elem::Int(64) => integer!(i64),
        Elem::Uint(8) => integer!(u8),
        Elem::Uint(16) => integer!(u16),
        Elem::Uint(32) => integer!(u32),
        Elem::Uint(64) => integer!(u64),
        _ => None,
    }
}
