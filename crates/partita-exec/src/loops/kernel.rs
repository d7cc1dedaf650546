//! Functions of elements as loops over slices, compiled for several instruction sets.
//!
//! A function of elements is a type with an associated function ([`Unary`], [`Binary`], [`Ternary`]). [`Kernel`]s are plain function
//! pointers, chosen once for the processor that the program runs on.

use std::marker::PhantomData;
use std::sync::LazyLock;

/// A loop over so many elements: from up to three sources to a target.
///
/// Calling one is unsafe: all pointers are valid for so many elements of the types that the function takes and gives, aligned for them,
/// and the target overlaps no source.
pub(crate) type Kernel = unsafe fn(*mut u8, [*const u8; 3], usize);

/// A function of one element.
pub(crate) trait Unary {
    /// What it takes.
    type From: Copy;
    /// What it gives.
    type To: Copy;
    /// The function.
    fn apply(x: Self::From) -> Self::To;
}

/// A function of two elements of one type.
pub(crate) trait Binary {
    /// What it takes.
    type From: Copy;
    /// What it gives.
    type To: Copy;
    /// The function.
    fn apply(x: Self::From, y: Self::From) -> Self::To;
}

/// A function of three elements.
pub(crate) trait Ternary {
    /// What it takes first.
    type First: Copy;
    /// What it takes besides.
    type Rest: Copy;
    /// What it gives.
    type To: Copy;
    /// The function.
    fn apply(x: Self::First, y: Self::Rest, z: Self::Rest) -> Self::To;
}

/// A loop that can be compiled for an instruction set.
pub(crate) trait Loop {
    /// # Safety
    ///
    /// As for [`Kernel`].
    unsafe fn run(to: *mut u8, from: [*const u8; 3], count: usize);
}

/// The loop of a [`Unary`].
pub(crate) struct Map1<F>(PhantomData<F>);
/// The loop of a [`Binary`].
pub(crate) struct Map2<F>(PhantomData<F>);
/// The loop of a [`Ternary`].
pub(crate) struct Map3<F>(PhantomData<F>);

impl<F: Unary> Loop for Map1<F> {
    #[inline(always)]
    unsafe fn run(to: *mut u8, from: [*const u8; 3], count: usize) {
        // SAFETY: what the caller of a kernel promises.
        let (to, x) = unsafe { (target::<F::To>(to, count), source::<F::From>(from[0], count)) };
        for (to, x) in to.iter_mut().zip(x) {
            *to = F::apply(*x);
        }
    }
}

impl<F: Binary> Loop for Map2<F> {
    #[inline(always)]
    unsafe fn run(to: *mut u8, from: [*const u8; 3], count: usize) {
        // SAFETY: what the caller of a kernel promises.
        let (to, x, y) = unsafe {
            (target::<F::To>(to, count), source::<F::From>(from[0], count), source::<F::From>(from[1], count))
        };
        for ((to, x), y) in to.iter_mut().zip(x).zip(y) {
            *to = F::apply(*x, *y);
        }
    }
}

impl<F: Ternary> Loop for Map3<F> {
    #[inline(always)]
    unsafe fn run(to: *mut u8, from: [*const u8; 3], count: usize) {
        // SAFETY: what the caller of a kernel promises.
        let (to, x, y, z) = unsafe {
            (
                target::<F::To>(to, count),
                source::<F::First>(from[0], count),
                source::<F::Rest>(from[1], count),
                source::<F::Rest>(from[2], count),
            )
        };
        for (((to, x), y), z) in to.iter_mut().zip(x).zip(y).zip(z) {
            *to = F::apply(*x, *y, *z);
        }
    }
}

/// # Safety
///
/// The pointer is valid and aligned for so many elements.
#[inline(always)]
pub(crate) unsafe fn source<'a, T>(pointer: *const u8, count: usize) -> &'a [T] {
    // SAFETY: what the caller promises.
    unsafe { std::slice::from_raw_parts(pointer.cast(), count) }
}

/// # Safety
///
/// The pointer is valid and aligned for so many elements, and nothing else reaches them.
#[inline(always)]
pub(crate) unsafe fn target<'a, T>(pointer: *mut u8, count: usize) -> &'a mut [T] {
    // SAFETY: what the caller promises.
    unsafe { std::slice::from_raw_parts_mut(pointer.cast(), count) }
}

/// What the processor can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    /// What every processor of its family can.
    Base,
    /// 256 bits at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512 bits at a time.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// What this processor can do.
pub(crate) static LEVEL: LazyLock<Level> = LazyLock::new(|| {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq");
        let middle = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        if wide && middle {
            return Level::Avx512;
        }
        if middle {
            return Level::Avx2;
        }
    }
    Level::Base
});

/// # Safety
///
/// As for [`Kernel`].
unsafe fn base<L: Loop>(to: *mut u8, from: [*const u8; 3], count: usize) {
    // SAFETY: what the caller promises.
    unsafe { L::run(to, from, count) }
}

/// # Safety
///
/// As for [`Kernel`], and the processor has the features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<L: Loop>(to: *mut u8, from: [*const u8; 3], count: usize) {
    // SAFETY: what the caller promises.
    unsafe { L::run(to, from, count) }
}

/// # Safety
///
/// As for [`Kernel`], and the processor has the features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
unsafe fn avx512<L: Loop>(to: *mut u8, from: [*const u8; 3], count: usize) {
    // SAFETY: what the caller promises.
    unsafe { L::run(to, from, count) }
}

/// The loop compiled for this processor.
pub(crate) fn compiled<L: Loop>() -> Kernel {
    match *LEVEL {
        Level::Base => base::<L>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<L>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<L>,
    }
}
