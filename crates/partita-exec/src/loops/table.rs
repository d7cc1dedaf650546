//! Which kernel computes an elementwise op on a type. What has none is computed by the formula of its row.

use super::kernel::{Binary, Kernel, Map1, Map2, Map3, Ternary, Unary, compiled, source, target};
use super::math::{self, Function};
use super::number::{Bits, Flag, Half, Number};
use half::{bf16, f16};
use partita::ir::attr::{CompareType, Comparison, EnumAttr};
use partita::ir::{Elem, OpRef, names};
use partita::ops::OpKind;
use std::marker::PhantomData;

/// The kernel of an operation, where there is one.
pub(crate) fn kernel(op: OpRef<'_>) -> Option<Kernel> {
    let (from, to) = (op.operand_tensor(0).elem, op.result_tensor(0).elem);
    match op.kind() {
        OpKind::Select => select(op.operand_tensor(1).elem),
        OpKind::Convert => convert(from, to),
        OpKind::Compare => compare(op, from),
        OpKind::IsFinite => is_finite(from),
        OpKind::And | OpKind::Or | OpKind::Xor | OpKind::Not if from == Elem::Bool => flags(op.kind()),
        OpKind::Add | OpKind::Maximum if from == Elem::Bool => flags(OpKind::Or),
        OpKind::Multiply | OpKind::Minimum if from == Elem::Bool => flags(OpKind::And),
        OpKind::And
        | OpKind::Or
        | OpKind::Xor
        | OpKind::Not
        | OpKind::Popcnt
        | OpKind::CountLeadingZeros
        | OpKind::ShiftLeft
        | OpKind::ShiftRightArithmetic
        | OpKind::ShiftRightLogical => bits(op.kind(), from),
        kind => arithmetic(kind, from).or_else(|| function(kind, from)),
    }
}

/// Calls a macro with the type of numbers that an element type is.
macro_rules! with_number {
    ($elem:expr, $body:ident) => {
        match $elem {
            Elem::F32 => $body!(f32),
            Elem::F64 => $body!(f64),
            Elem::BF16 => $body!(bf16),
            Elem::F16 => $body!(f16),
            Elem::Int(8) => $body!(i8),
            Elem::Int(16) => $body!(i16),
            Elem::Int(32) => $body!(i32),
            Elem::Int(64) => $body!(i64),
            Elem::Uint(8) => $body!(u8),
            Elem::Uint(16) => $body!(u16),
            Elem::Uint(32) => $body!(u32),
            Elem::Uint(64) => $body!(u64),
            _ => return None,
        }
    };
}

/// Defines functions of elements, for all types of a trait.
macro_rules! define {
    (unary $class:ident: $($name:ident = $method:ident;)*) => {$(
        struct $name<T>(PhantomData<T>);
        impl<T: $class> Unary for $name<T> {
            type From = T;
            type To = T;
            #[inline(always)]
            fn apply(x: T) -> T { x.$method() }
        }
    )*};
    (binary $class:ident: $($name:ident = $method:ident;)*) => {$(
        struct $name<T>(PhantomData<T>);
        impl<T: $class> Binary for $name<T> {
            type From = T;
            type To = T;
            #[inline(always)]
            fn apply(x: T, y: T) -> T { x.$method(y) }
        }
    )*};
    (compare: $($name:ident = $operator:tt;)*) => {$(
        struct $name<T>(PhantomData<T>);
        impl<T: Copy + PartialOrd> Binary for $name<T> {
            type From = T;
            type To = Flag;
            #[inline(always)]
            fn apply(x: T, y: T) -> Flag { Flag::new(x $operator y) }
        }
    )*};
}

define! { unary Number: Negate = negate; Abs = magnitude; Sign = sign; }
define! { binary Number:
    Add = add; Subtract = subtract; Multiply = multiply; Divide = divide; Remainder = remainder;
    Maximum = maximum; Minimum = minimum;
}
define! { unary Bits: Not = not; Ones = ones; LeadingZeros = leading_zeros; }
define! { binary Bits:
    And = and; Or = or; Xor = xor;
    ShiftLeft = shift_left; ShiftRight = shift_right; ShiftRightSigned = shift_right_signed;
}
define! { compare: Equal = ==; NotEqual = !=; Less = <; LessEqual = <=; Greater = >; GreaterEqual = >=; }

struct Clamp<T>(PhantomData<T>);
impl<T: Number> Ternary for Clamp<T> {
    type First = T;
    type Rest = T;
    type To = T;
    #[inline(always)]
    fn apply(low: T, x: T, high: T) -> T {
        x.maximum(low).minimum(high)
    }
}

fn arithmetic(kind: OpKind, elem: Elem) -> Option<Kernel> {
    macro_rules! of_type {
        ($t:ty) => {
            Some(match kind {
                OpKind::Add => compiled::<Map2<Add<$t>>>(),
                OpKind::Subtract => compiled::<Map2<Subtract<$t>>>(),
                OpKind::Multiply => compiled::<Map2<Multiply<$t>>>(),
                OpKind::Divide => compiled::<Map2<Divide<$t>>>(),
                OpKind::Remainder => compiled::<Map2<Remainder<$t>>>(),
                OpKind::Maximum => compiled::<Map2<Maximum<$t>>>(),
                OpKind::Minimum => compiled::<Map2<Minimum<$t>>>(),
                OpKind::Negate => compiled::<Map1<Negate<$t>>>(),
                OpKind::Abs => compiled::<Map1<Abs<$t>>>(),
                OpKind::Sign => compiled::<Map1<Sign<$t>>>(),
                OpKind::Clamp => compiled::<Map3<Clamp<$t>>>(),
                _ => return None,
            })
        };
    }
    with_number!(elem, of_type)
}

fn bits(kind: OpKind, elem: Elem) -> Option<Kernel> {
    macro_rules! of_type {
        ($t:ty) => {
            Some(match kind {
                OpKind::And => compiled::<Map2<And<$t>>>(),
                OpKind::Or => compiled::<Map2<Or<$t>>>(),
                OpKind::Xor => compiled::<Map2<Xor<$t>>>(),
                OpKind::Not => compiled::<Map1<Not<$t>>>(),
                OpKind::Popcnt => compiled::<Map1<Ones<$t>>>(),
                OpKind::CountLeadingZeros => compiled::<Map1<LeadingZeros<$t>>>(),
                OpKind::ShiftLeft => compiled::<Map2<ShiftLeft<$t>>>(),
                OpKind::ShiftRightLogical => compiled::<Map2<ShiftRight<$t>>>(),
                OpKind::ShiftRightArithmetic => compiled::<Map2<ShiftRightSigned<$t>>>(),
                _ => return None,
            })
        };
    }
    match elem {
        Elem::Int(8) => of_type!(i8),
        Elem::Int(16) => of_type!(i16),
        Elem::Int(32) => of_type!(i32),
        Elem::Int(64) => of_type!(i64),
        Elem::Uint(8) => of_type!(u8),
        Elem::Uint(16) => of_type!(u16),
        Elem::Uint(32) => of_type!(u32),
        Elem::Uint(64) => of_type!(u64),
        _ => None,
    }
}

struct NotFlag;
impl Unary for NotFlag {
    type From = Flag;
    type To = Flag;
    #[inline(always)]
    fn apply(x: Flag) -> Flag {
        Flag(x.0 ^ 1)
    }
}

/// Booleans are bytes that are zero or one, and stay so under these.
fn flags(kind: OpKind) -> Option<Kernel> {
    Some(match kind {
        OpKind::And => compiled::<Map2<And<u8>>>(),
        OpKind::Or => compiled::<Map2<Or<u8>>>(),
        OpKind::Xor => compiled::<Map2<Xor<u8>>>(),
        OpKind::Not => compiled::<Map1<NotFlag>>(),
        _ => return None,
    })
}

fn compare(op: OpRef<'_>, elem: Elem) -> Option<Kernel> {
    let total = EnumAttr::CompareType(CompareType::TotalOrder);
    if op.enumeration(names::COMPARE_TYPE) == Some(total) && elem.is_float() {
        return None;
    }
    let Some(EnumAttr::Comparison(direction)) = op.enumeration(names::COMPARISON_DIRECTION) else {
        return None;
    };
    macro_rules! of_type {
        ($t:ty) => {
            Some(match direction {
                Comparison::Eq => compiled::<Map2<Equal<$t>>>(),
                Comparison::Ne => compiled::<Map2<NotEqual<$t>>>(),
                Comparison::Lt => compiled::<Map2<Less<$t>>>(),
                Comparison::Le => compiled::<Map2<LessEqual<$t>>>(),
                Comparison::Gt => compiled::<Map2<Greater<$t>>>(),
                Comparison::Ge => compiled::<Map2<GreaterEqual<$t>>>(),
            })
        };
    }
    if elem == Elem::Bool {
        return of_type!(Flag);
    }
    with_number!(elem, of_type)
}

struct Select<T>(PhantomData<T>);
impl<T: Copy> Ternary for Select<T> {
    type First = Flag;
    type Rest = T;
    type To = T;
    #[inline(always)]
    fn apply(which: Flag, yes: T, no: T) -> T {
        if which.0 != 0 { yes } else { no }
    }
}

/// Chosen by the width of an element alone.
fn select(elem: Elem) -> Option<Kernel> {
    match elem.bytes() {
        1 => Some(compiled::<Map3<Select<u8>>>()),
        2 => Some(compiled::<Map3<Select<u16>>>()),
        4 => Some(compiled::<Map3<Select<u32>>>()),
        8 => Some(compiled::<Map3<Select<u64>>>()),
        16 => Some(compiled::<Map3<Select<[u64; 2]>>>()),
        _ => None,
    }
}

struct IsFinite<T>(PhantomData<T>);
impl Unary for IsFinite<f32> {
    type From = f32;
    type To = Flag;
    #[inline(always)]
    fn apply(x: f32) -> Flag {
        Flag::new(x.is_finite())
    }
}
impl Unary for IsFinite<f64> {
    type From = f64;
    type To = Flag;
    #[inline(always)]
    fn apply(x: f64) -> Flag {
        Flag::new(x.is_finite())
    }
}

fn is_finite(elem: Elem) -> Option<Kernel> {
    match elem {
        Elem::F32 => Some(compiled::<Map1<IsFinite<f32>>>()),
        Elem::F64 => Some(compiled::<Map1<IsFinite<f64>>>()),
        _ => None,
    }
}

// --- functions of floats ---

/// A function rounded to `f32`.
struct Single<F>(PhantomData<F>);
impl<F: Function> Unary for Single<F> {
    type From = f32;
    type To = f32;
    #[inline(always)]
    fn apply(x: f32) -> f32 {
        F::apply(f64::from(x)) as f32
    }
}

/// A function rounded to a 16-bit float.
struct Narrow<T, F>(PhantomData<(T, F)>);
impl<T: Half, F: Function> Unary for Narrow<T, F> {
    type From = T;
    type To = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        T::from_single(F::apply(f64::from(x.to_single())) as f32)
    }
}

/// Functions that `f32` and `f64` have themselves, exactly.
macro_rules! exact {
    ($($name:ident = $method:ident;)*) => {$(
        struct $name<T>(PhantomData<T>);
        impl Unary for $name<f32> {
            type From = f32;
            type To = f32;
            #[inline(always)]
            fn apply(x: f32) -> f32 { x.$method() }
        }
        impl Unary for $name<f64> {
            type From = f64;
            type To = f64;
            #[inline(always)]
            fn apply(x: f64) -> f64 { x.$method() }
        }
        impl Unary for $name<bf16> {
            type From = bf16;
            type To = bf16;
            #[inline(always)]
            fn apply(x: bf16) -> bf16 { bf16::from_single(x.to_single().$method()) }
        }
    )*};
}

exact! { Sqrt = sqrt; Floor = floor; Ceil = ceil; RoundAfz = round; RoundEven = round_ties_even; }

struct RsqrtDouble;
impl Unary for RsqrtDouble {
    type From = f64;
    type To = f64;
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        1.0 / x.sqrt()
    }
}

fn function(kind: OpKind, elem: Elem) -> Option<Kernel> {
    macro_rules! exact_of {
        ($t:ty) => {
            match kind {
                OpKind::Sqrt => return Some(compiled::<Map1<Sqrt<$t>>>()),
                OpKind::Floor => return Some(compiled::<Map1<Floor<$t>>>()),
                OpKind::Ceil => return Some(compiled::<Map1<Ceil<$t>>>()),
                OpKind::RoundNearestAfz => return Some(compiled::<Map1<RoundAfz<$t>>>()),
                OpKind::RoundNearestEven => return Some(compiled::<Map1<RoundEven<$t>>>()),
                _ => {}
            }
        };
    }
    macro_rules! rounded {
        ($wrap:ident $(, $t:ty)?) => {
            Some(match kind {
                OpKind::Exponential => compiled::<Map1<$wrap<$($t,)? math::Exp>>>(),
                OpKind::ExponentialMinusOne => compiled::<Map1<$wrap<$($t,)? math::ExpM1>>>(),
                OpKind::Log => compiled::<Map1<$wrap<$($t,)? math::Log>>>(),
                OpKind::LogPlusOne => compiled::<Map1<$wrap<$($t,)? math::Log1p>>>(),
                OpKind::Logistic => compiled::<Map1<$wrap<$($t,)? math::Logistic>>>(),
                OpKind::Tanh => compiled::<Map1<$wrap<$($t,)? math::Tanh>>>(),
                OpKind::Rsqrt => compiled::<Map1<$wrap<$($t,)? math::Rsqrt>>>(),
                _ => return None,
            })
        };
    }
    match elem {
        Elem::F32 => {
            exact_of!(f32);
            match kind {
                OpKind::Sine => Some(sine),
                OpKind::Cosine => Some(cosine),
                OpKind::Power => Some(power),
                _ => rounded!(Single),
            }
        }
        Elem::BF16 => {
            exact_of!(bf16);
            rounded!(Narrow, bf16)
        }
        Elem::F64 => {
            exact_of!(f64);
            (kind == OpKind::Rsqrt).then(compiled::<Map1<RsqrtDouble>>)
        }
        _ => None,
    }
}

struct SmallSine;
impl Unary for SmallSine {
    type From = f32;
    type To = f32;
    #[inline(always)]
    fn apply(x: f32) -> f32 {
        math::sine(f64::from(x)) as f32
    }
}

struct SmallCosine;
impl Unary for SmallCosine {
    type From = f32;
    type To = f32;
    #[inline(always)]
    fn apply(x: f32) -> f32 {
        math::cosine(f64::from(x)) as f32
    }
}

struct PositivePower;
impl Binary for PositivePower {
    type From = f32;
    type To = f32;
    #[inline(always)]
    fn apply(x: f32, y: f32) -> f32 {
        math::power(f64::from(x), f64::from(y)) as f32
    }
}

/// # Safety
///
/// As for [`Kernel`], on `f32`.
unsafe fn sine(to: *mut u8, from: [*const u8; 3], count: usize) {
    // SAFETY: what the caller promises.
    unsafe { angles(compiled::<Map1<SmallSine>>(), f64::sin, to, from, count) }
}

/// # Safety
///
/// As for [`Kernel`], on `f32`.
unsafe fn cosine(to: *mut u8, from: [*const u8; 3], count: usize) {
    // SAFETY: what the caller promises.
    unsafe { angles(compiled::<Map1<SmallCosine>>(), f64::cos, to, from, count) }
}

/// # Safety
///
/// As for [`Kernel`], on `f32`.
unsafe fn angles(small: Kernel, any: fn(f64) -> f64, to: *mut u8, from: [*const u8; 3], count: usize) {
    // SAFETY: what the caller promises.
    let x = unsafe { source::<f32>(from[0], count) };
    if x.iter().all(|x| math::is_small_angle(f64::from(*x))) {
        // SAFETY: what the caller promises.
        return unsafe { small(to, from, count) };
    }
    // SAFETY: what the caller promises.
    let to = unsafe { target::<f32>(to, count) };
    to.iter_mut().zip(x).for_each(|(to, x)| *to = any(f64::from(*x)) as f32);
}

/// # Safety
///
/// As for [`Kernel`], on `f32`.
unsafe fn power(to: *mut u8, from: [*const u8; 3], count: usize) {
    // SAFETY: what the caller promises.
    let (x, y) = unsafe { (source::<f32>(from[0], count), source::<f32>(from[1], count)) };
    if x.iter().all(|x| *x > 0.0 && x.is_finite()) && y.iter().all(|y| y.is_finite()) {
        // SAFETY: what the caller promises.
        return unsafe { compiled::<Map2<PositivePower>>()(to, from, count) };
    }
    // SAFETY: what the caller promises.
    let to = unsafe { target::<f32>(to, count) };
    to.iter_mut()
        .zip(x.iter().zip(y))
        .for_each(|(to, (x, y))| *to = f64::from(*x).powf(f64::from(*y)) as f32);
}

// --- conversions ---

/// A type in which others can be had.
trait Into2<T> {
    fn into2(self) -> T;
}

macro_rules! casts {
    ($($from:ty => $($to:ty)*;)*) => {$($(
        impl Into2<$to> for $from {
            #[inline(always)]
            fn into2(self) -> $to { self as $to }
        }
    )*)*};
}

casts! {
    f32 => f32 f64 i8 i16 i32 i64 u8 u16 u32 u64;
    f64 => f32 f64 i8 i16 i32 i64 u8 u16 u32 u64;
    i8 => f32 f64 i8 i16 i32 i64 u8 u16 u32 u64;
    i32 => f32 f64 i8 i16 i32 i64 u8 u16 u32 u64;
    i64 => f32 f64 i8 i16 i32 i64 u8 u16 u32 u64;
    u8 => f32 f64 i8 i16 i32 i64 u8 u16 u32 u64;
    u32 => f32 f64 i8 i16 i32 i64 u8 u16 u32 u64;
    u64 => f32 f64 i8 i16 i32 i64 u8 u16 u32 u64;
}

macro_rules! from_half {
    ($($half:ty)*) => {$(
        impl Into2<f32> for $half {
            #[inline(always)]
            fn into2(self) -> f32 { self.to_single() }
        }
        impl Into2<f64> for $half {
            #[inline(always)]
            fn into2(self) -> f64 { f64::from(self.to_single()) }
        }
        impl Into2<$half> for f32 {
            #[inline(always)]
            fn into2(self) -> $half { <$half>::from_single(self) }
        }
    )*};
}

from_half!(bf16 f16);

/// Complex numbers are their two parts; of one that becomes real, the first is left.
macro_rules! complex {
    ($($from:ty => $to:ty: $x:ident $value:expr;)*) => {$(
        impl Into2<$to> for $from {
            #[inline(always)]
            fn into2(self) -> $to {
                let $x = self;
                $value
            }
        }
    )*};
}

complex! {
    f32 => [f64; 2]: x [f64::from(x), 0.0];
    f64 => [f64; 2]: x [x, 0.0];
    [f32; 2] => [f64; 2]: x x.map(f64::from);
    [f64; 2] => [f32; 2]: x x.map(|part| part as f32);
    [f64; 2] => f32: x x[0] as f32;
    [f64; 2] => f64: x x[0];
}

struct Cast<A, B>(PhantomData<(A, B)>);
impl<A: Copy + Into2<B>, B: Copy> Unary for Cast<A, B> {
    type From = A;
    type To = B;
    #[inline(always)]
    fn apply(x: A) -> B {
        x.into2()
    }
}

struct FromFlag<B>(PhantomData<B>);
impl<B: Copy> Unary for FromFlag<B>
where
    u8: Into2<B>,
{
    type From = Flag;
    type To = B;
    #[inline(always)]
    fn apply(x: Flag) -> B {
        x.0.into2()
    }
}

struct ToFlag<A>(PhantomData<A>);
impl<A: Copy + PartialEq + Default> Unary for ToFlag<A> {
    type From = A;
    type To = Flag;
    #[inline(always)]
    fn apply(x: A) -> Flag {
        Flag::new(x != A::default())
    }
}

/// The kernel that converts between two types, where there is one.
pub(crate) fn convert(from: Elem, to: Elem) -> Option<Kernel> {
    macro_rules! to_number {
        ($from:ty, $wrap:ident) => {
            match to {
                Elem::F32 => Some(compiled::<Map1<$wrap!($from, f32)>>()),
                Elem::F64 => Some(compiled::<Map1<$wrap!($from, f64)>>()),
                Elem::Int(8) => Some(compiled::<Map1<$wrap!($from, i8)>>()),
                Elem::Int(16) => Some(compiled::<Map1<$wrap!($from, i16)>>()),
                Elem::Int(32) => Some(compiled::<Map1<$wrap!($from, i32)>>()),
                Elem::Int(64) => Some(compiled::<Map1<$wrap!($from, i64)>>()),
                Elem::Uint(8) => Some(compiled::<Map1<$wrap!($from, u8)>>()),
                Elem::Uint(16) => Some(compiled::<Map1<$wrap!($from, u16)>>()),
                Elem::Uint(32) => Some(compiled::<Map1<$wrap!($from, u32)>>()),
                Elem::Uint(64) => Some(compiled::<Map1<$wrap!($from, u64)>>()),
                _ => None,
            }
        };
    }
    macro_rules! cast {
        ($from:ty, $to:ty) => { Cast<$from, $to> };
    }
    macro_rules! from_flag {
        ($from:ty, $to:ty) => { FromFlag<$to> };
    }
    match (from, to) {
        (Elem::F32, Elem::BF16) => Some(compiled::<Map1<Cast<f32, bf16>>>()),
        (Elem::F32, Elem::F16) => Some(compiled::<Map1<Cast<f32, f16>>>()),
        (Elem::BF16, Elem::F32) => Some(compiled::<Map1<Cast<bf16, f32>>>()),
        (Elem::BF16, Elem::F64) => Some(compiled::<Map1<Cast<bf16, f64>>>()),
        (Elem::F16, Elem::F32) => Some(compiled::<Map1<Cast<f16, f32>>>()),
        (Elem::F16, Elem::F64) => Some(compiled::<Map1<Cast<f16, f64>>>()),
        (Elem::F32, Elem::C128) => Some(compiled::<Map1<Cast<f32, [f64; 2]>>>()),
        (Elem::F64, Elem::C128) => Some(compiled::<Map1<Cast<f64, [f64; 2]>>>()),
        (Elem::C64, Elem::C128) => Some(compiled::<Map1<Cast<[f32; 2], [f64; 2]>>>()),
        (Elem::C128, Elem::C64) => Some(compiled::<Map1<Cast<[f64; 2], [f32; 2]>>>()),
        (Elem::C128, Elem::F32) => Some(compiled::<Map1<Cast<[f64; 2], f32>>>()),
        (Elem::C128, Elem::F64) => Some(compiled::<Map1<Cast<[f64; 2], f64>>>()),
        (Elem::F32, Elem::Bool) => Some(compiled::<Map1<ToFlag<f32>>>()),
        (Elem::F64, Elem::Bool) => Some(compiled::<Map1<ToFlag<f64>>>()),
        (Elem::Int(32), Elem::Bool) => Some(compiled::<Map1<ToFlag<i32>>>()),
        (Elem::Uint(8), Elem::Bool) => Some(compiled::<Map1<ToFlag<u8>>>()),
        (Elem::Bool, _) => to_number!(Flag, from_flag),
        (Elem::F32, _) => to_number!(f32, cast),
        (Elem::F64, _) => to_number!(f64, cast),
        (Elem::Int(8), _) => to_number!(i8, cast),
        (Elem::Int(32), _) => to_number!(i32, cast),
        (Elem::Int(64), _) => to_number!(i64, cast),
        (Elem::Uint(8), _) => to_number!(u8, cast),
        (Elem::Uint(32), _) => to_number!(u32, cast),
        (Elem::Uint(64), _) => to_number!(u64, cast),
        _ => None,
    }
}
