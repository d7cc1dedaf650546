//! Dense tensors, row-major, and splats that take no memory.

use super::{Field, Scalar, minifloat, scalar};
use crate::ir::{Elem, Shape, TensorType};
use num_complex::Complex64;
use std::cell::Cell;
use std::sync::Arc;

/// The bytes of one element, enough for the widest type and aligned for it.
#[derive(Clone, Copy, Default)]
#[repr(align(16))]
struct ElementBytes([u8; 16]);

/// A tensor. Cloning shares the elements.
#[derive(Clone)]
pub struct Tensor {
    ty: TensorType,
    data: Data,
}

#[derive(Clone)]
enum Data {
    /// Every element is the same.
    Splat(ElementBytes),
    Dense(Arc<Buffer>),
}

/// Bytes aligned for every element type.
struct Buffer {
    words: Vec<u128>,
    len: usize,
}

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
}

/// Bytes that tensors hold which were made on this thread, less those that were freed on it. The difference
/// between two moments says what a computation keeps in memory.
pub fn held_bytes() -> i64 {
    HELD.get()
}

impl Buffer {
    fn new(words: Vec<u128>, len: usize) -> Buffer {
        HELD.set(HELD.get() + len as i64);
        Buffer { words, len }
    }

    fn zeroed(len: usize) -> Buffer {
        Buffer::new(vec![0; len.div_ceil(16)], len)
    }

    fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.len]
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        Buffer::new(self.words.clone(), self.len)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // While a thread ends its counter may be gone already.
        let _ = HELD.try_with(|held| held.set(held.get() - self.len as i64));
    }
}

fn load<T: bytemuck::AnyBitPattern>(bytes: &[u8], index: usize) -> T {
    let size = std::mem::size_of::<T>();
    bytemuck::pod_read_unaligned(&bytes[index * size..(index + 1) * size])
}

fn store<T: bytemuck::NoUninit>(bytes: &mut [u8], index: usize, value: T) {
    let size = std::mem::size_of::<T>();
    bytes[index * size..(index + 1) * size].copy_from_slice(bytemuck::bytes_of(&value));
}

/// The element at an index of raw bytes.
#[inline(always)]
pub fn read(elem: Elem, bytes: &[u8], i: usize) -> Scalar {
    match elem {
        Elem::Bool => Scalar::Bool(bytes[i] != 0),
        Elem::Int(2 | 4 | 8) => Scalar::Int(i64::from(bytes[i] as i8)),
        Elem::Int(16) => Scalar::Int(i64::from(load::<i16>(bytes, i))),
        Elem::Int(32) => Scalar::Int(i64::from(load::<i32>(bytes, i))),
        Elem::Int(_) => Scalar::Int(load(bytes, i)),
        Elem::Uint(2 | 4 | 8) => Scalar::Uint(u64::from(bytes[i])),
        Elem::Uint(16) => Scalar::Uint(u64::from(load::<u16>(bytes, i))),
        Elem::Uint(32) => Scalar::Uint(u64::from(load::<u32>(bytes, i))),
        Elem::Uint(_) => Scalar::Uint(load(bytes, i)),
        Elem::Mini(m) => Scalar::Float(minifloat::to_f64(m, bytes[i])),
        Elem::BF16 => Scalar::Float(load::<half::bf16>(bytes, i).to_f64()),
        Elem::F16 => Scalar::Float(load::<half::f16>(bytes, i).to_f64()),
        Elem::F32 => Scalar::Float(f64::from(load::<f32>(bytes, i))),
        Elem::F64 => Scalar::Float(load(bytes, i)),
        Elem::C64 => {
            let [re, im] = load::<[f32; 2]>(bytes, i);
            Scalar::Complex(Complex64::new(f64::from(re), f64::from(im)))
        }
        Elem::C128 => {
            let [re, im] = load::<[f64; 2]>(bytes, i);
            Scalar::Complex(Complex64::new(re, im))
        }
        Elem::Field => Scalar::Field(Field::from_bits(load(bytes, i))),
    }
}

/// Stores an element, converted as [`Scalar::fit`] does; a scalar of another class converts first.
#[inline(always)]
pub fn write(elem: Elem, bytes: &mut [u8], i: usize, value: Scalar) {
    match (elem, value) {
        (Elem::Bool, Scalar::Bool(b)) => bytes[i] = u8::from(b),
        (Elem::Int(bits), Scalar::Int(v)) => match bits {
            16 => store(bytes, i, v as i16),
            32 => store(bytes, i, v as i32),
            64 => store(bytes, i, v),
            _ => {
                let shift = 64 - u32::from(bits);
                bytes[i] = (v << shift >> shift) as i8 as u8;
            }
        },
        (Elem::Uint(bits), Scalar::Uint(v)) => match bits {
            16 => store(bytes, i, v as u16),
            32 => store(bytes, i, v as u32),
            64 => store(bytes, i, v),
            _ => bytes[i] = (v & ((1 << bits) - 1)) as u8,
        },
        (Elem::Mini(m), Scalar::Float(v)) => bytes[i] = minifloat::from_f64(m, v),
        (Elem::BF16, Scalar::Float(v)) => store(bytes, i, scalar::bf16_from_f64(v)),
        (Elem::F16, Scalar::Float(v)) => store(bytes, i, half::f16::from_f64(v)),
        (Elem::F32, Scalar::Float(v)) => store(bytes, i, v as f32),
        (Elem::F64, Scalar::Float(v)) => store(bytes, i, v),
        (Elem::C64, Scalar::Complex(v)) => store(bytes, i, [v.re as f32, v.im as f32]),
        (Elem::C128, Scalar::Complex(v)) => store(bytes, i, [v.re, v.im]),
        (Elem::Field, Scalar::Field(v)) => store(bytes, i, v.bits()),
        (_, other) => write_converted(elem, bytes, i, other),
    }
}

/// Converts to the element type, and stores.
#[cold]
fn write_converted(elem: Elem, bytes: &mut [u8], i: usize, value: Scalar) {
    write(elem, bytes, i, value.convert(elem));
}

/// Runs a loop with the element type a constant in it for the types that nearly all tensors have, so that the
/// choice of the type is made once and not for each element.
macro_rules! with_common_elem {
    ($elem:expr, $name:ident => $body:expr) => {{
        macro_rules! as_constant {
            ($constant:expr) => {{
                const ELEM: Elem = $constant;
                let $name = ELEM;
                $body
            }};
        }
        match $elem {
            Elem::F32 => as_constant!(Elem::F32),
            Elem::BF16 => as_constant!(Elem::BF16),
            Elem::F64 => as_constant!(Elem::F64),
            Elem::Bool => as_constant!(Elem::Bool),
            Elem::Int(32) => as_constant!(Elem::Int(32)),
            Elem::Int(64) => as_constant!(Elem::Int(64)),
            Elem::Uint(32) => as_constant!(Elem::Uint(32)),
            $name => $body,
        }
    }};
}

impl Tensor {
    /// A tensor with the same element everywhere; it takes no memory.
    pub fn splat(ty: TensorType, value: Scalar) -> Tensor {
        let mut bytes = ElementBytes::default();
        write(ty.elem, &mut bytes.0, 0, value);
        Tensor { ty, data: Data::Splat(bytes) }
    }

    /// As [`Tensor::splat`], the element given by its bytes as [`Tensor::from_bytes`] takes them: a NaN keeps
    /// its bits.
    pub fn splat_from_bytes(ty: TensorType, bytes: &[u8]) -> Option<Tensor> {
        let one = Tensor::from_bytes(TensorType::scalar(ty.elem), bytes)?;
        let mut element = ElementBytes::default();
        element.0[..bytes.len()].copy_from_slice(one.element_bytes(0));
        Some(Tensor { ty, data: Data::Splat(element) })
    }

    /// A tensor without dimensions.
    pub fn scalar(elem: Elem, value: Scalar) -> Tensor {
        Tensor::splat(TensorType::scalar(elem), value)
    }

    /// A tensor whose element at each row-major index is computed.
    pub fn from_fn(ty: TensorType, mut f: impl FnMut(usize) -> Scalar) -> Tensor {
        let mut builder = TensorBuilder::new(ty);
        for i in 0..builder.len() {
            builder.set(i, f(i));
        }
        builder.finish()
    }

    /// A tensor from its row-major bytes, little-endian, whole bytes per element; nothing where the length
    /// does not fit. Patterns that a narrow type cannot hold are brought into range.
    pub fn from_bytes(ty: TensorType, bytes: &[u8]) -> Option<Tensor> {
        if bytes.len() != ty.bytes() {
            return None;
        }
        let mut buffer = Buffer::zeroed(bytes.len());
        buffer.bytes_mut().copy_from_slice(bytes);
        match ty.elem {
            Elem::Bool => buffer.bytes_mut().iter_mut().for_each(|b| *b = u8::from(*b != 0)),
            Elem::Int(bits @ (2 | 4)) => {
                let shift = 8 - bits;
                buffer.bytes_mut().iter_mut().for_each(|b| *b = ((*b as i8) << shift >> shift) as u8);
            }
            elem if elem.bits() < 8 => {
                let mask = (1 << elem.bits()) - 1;
                buffer.bytes_mut().iter_mut().for_each(|b| *b &= mask);
            }
            _ => {}
        }
        Some(Tensor { ty, data: Data::Dense(Arc::new(buffer)) })
    }

    /// A rank-1 tensor of `i64`.
    pub fn from_i64s(values: &[i64]) -> Tensor {
        Tensor::from_fn(TensorType::new(Elem::Int(64), [values.len() as i64]), |i| Scalar::Int(values[i]))
    }

    /// Type and shape.
    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// The element type.
    pub fn elem(&self) -> Elem {
        self.ty.elem
    }

    /// The sizes.
    pub fn shape(&self) -> &[i64] {
        &self.ty.shape
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.ty.count()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element that all are equal to, where the tensor is stored that way.
    pub fn as_splat(&self) -> Option<Scalar> {
        match &self.data {
            Data::Splat(bytes) => Some(read(self.ty.elem, &bytes.0, 0)),
            Data::Dense(_) => None,
        }
    }

    /// Whether the tensor is stored as one element.
    pub fn is_splat(&self) -> bool {
        matches!(self.data, Data::Splat(_))
    }

    /// The element at a row-major index.
    pub fn get(&self, index: usize) -> Scalar {
        match &self.data {
            Data::Splat(bytes) => read(self.ty.elem, &bytes.0, 0),
            Data::Dense(buffer) => read(self.ty.elem, buffer.bytes(), index),
        }
    }

    /// The elements from a row-major index on, as many as there is room for.
    pub fn read_run(&self, index: usize, room: &mut [Scalar]) {
        match &self.data {
            Data::Splat(bytes) => room.fill(read(self.ty.elem, &bytes.0, 0)),
            Data::Dense(buffer) => {
                let bytes = buffer.bytes();
                with_common_elem!(self.ty.elem, elem => {
                    for (i, slot) in room.iter_mut().enumerate() {
                        *slot = read(elem, bytes, index + i);
                    }
                });
            }
        }
    }

    /// The only element, or the first.
    pub fn item(&self) -> Scalar {
        self.get(0)
    }

    /// The elements in row-major order.
    pub fn iter(&self) -> impl Iterator<Item = Scalar> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The bytes of the element at a row-major index.
    pub fn element_bytes(&self, index: usize) -> &[u8] {
        let size = self.ty.elem.bytes();
        match &self.data {
            Data::Splat(bytes) => &bytes.0[..size],
            Data::Dense(buffer) => &buffer.bytes()[index * size..(index + 1) * size],
        }
    }

    /// The bytes of all elements, unless the tensor is a splat.
    pub fn dense_bytes(&self) -> Option<&[u8]> {
        match &self.data {
            Data::Splat(_) => None,
            Data::Dense(buffer) => Some(buffer.bytes()),
        }
    }

    /// The bytes of all elements; a splat is written out.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.data {
            Data::Splat(_) => self.element_bytes(0).repeat(self.len()),
            Data::Dense(buffer) => buffer.bytes().to_vec(),
        }
    }

    /// Bytes of memory it holds.
    pub fn memory(&self) -> usize {
        match &self.data {
            Data::Splat(_) => 0,
            Data::Dense(buffer) => buffer.len,
        }
    }

    /// The same elements in row-major order under another shape of as many elements.
    pub fn reshape(&self, shape: impl IntoIterator<Item = i64>) -> Tensor {
        let ty = TensorType::new(self.ty.elem, shape);
        assert!(self.is_splat() || ty.count() == self.len(), "reshape of {} to {ty}", self.ty);
        Tensor { ty, data: self.data.clone() }
    }

    /// The element at a row-major index everywhere in a shape, bit for bit; it takes no memory.
    pub fn repeat_element(&self, index: usize, shape: impl IntoIterator<Item = i64>) -> Tensor {
        let mut bytes = ElementBytes::default();
        let element = self.element_bytes(index);
        bytes.0[..element.len()].copy_from_slice(element);
        Tensor { ty: TensorType::new(self.ty.elem, shape), data: Data::Splat(bytes) }
    }

    /// The same bits under another element type of the same width.
    pub fn with_elem(&self, elem: Elem) -> Tensor {
        assert_eq!(elem.bytes(), self.ty.elem.bytes());
        Tensor { ty: self.ty.with_elem(elem), data: self.data.clone() }
    }

    /// Makes a mutable copy, or takes the elements where nobody else has them.
    pub fn into_builder(self) -> TensorBuilder {
        let buffer = match self.data {
            Data::Dense(buffer) => Arc::unwrap_or_clone(buffer),
            Data::Splat(bytes) => {
                let mut buffer = Buffer::zeroed(self.ty.bytes());
                repeat(&bytes.0[..self.ty.elem.bytes()], buffer.bytes_mut());
                buffer
            }
        };
        TensorBuilder { ty: self.ty, buffer }
    }

    /// The bytes of all elements, to be changed in place; nothing where others share them or the tensor is a splat.
    pub fn unshared_bytes_mut(&mut self) -> Option<&mut [u8]> {
        match &mut self.data {
            Data::Splat(_) => None,
            Data::Dense(buffer) => Arc::get_mut(buffer).map(Buffer::bytes_mut),
        }
    }

    /// The memory of a tensor that is not needed any more, for [`TensorBuilder::in_memory`]; nothing where others share it.
    pub fn into_memory(self) -> Option<Vec<u128>> {
        match self.data {
            Data::Splat(_) => None,
            Data::Dense(buffer) => {
                Arc::into_inner(buffer).map(|mut buffer| std::mem::take(&mut buffer.words))
            }
        }
    }

    /// The integers of a rank-1 tensor, such as a shape operand.
    pub fn to_i64s(&self) -> Vec<i64> {
        self.iter().map(Scalar::as_index).collect()
    }
}

/// Fills memory with copies of one element, twice as many with each step.
fn repeat(element: &[u8], to: &mut [u8]) {
    let mut done = element.len().min(to.len());
    to[..done].copy_from_slice(&element[..done]);
    while done < to.len() {
        let more = done.min(to.len() - done);
        to.copy_within(..more, done);
        done += more;
    }
}

/// Equal type, shape and bits.
impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        // Two splats of any size are compared at once.
        let count = if self.is_splat() && other.is_splat() { self.len().min(1) } else { self.len() };
        self.ty == other.ty && (0..count).all(|i| self.element_bytes(i) == other.element_bytes(i))
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} [", self.ty)?;
        for i in 0..self.len().min(16) {
            write!(f, "{}{:?}", if i > 0 { ", " } else { "" }, self.get(i))?;
        }
        f.write_str(if self.len() > 16 { ", …]" } else { "]" })
    }
}

/// A tensor being filled.
pub struct TensorBuilder {
    ty: TensorType,
    buffer: Buffer,
}

impl TensorBuilder {
    /// A tensor of zero bits.
    pub fn new(ty: TensorType) -> Self {
        let buffer = Buffer::zeroed(ty.bytes());
        TensorBuilder { ty, buffer }
    }

    /// A tensor in memory that was used before: its elements are what happened to stand there.
    pub fn in_memory(ty: TensorType, mut words: Vec<u128>) -> Self {
        let len = ty.bytes();
        words.resize(len.div_ceil(16), 0);
        TensorBuilder { ty, buffer: Buffer::new(words, len) }
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.ty.count()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Type and shape.
    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// Sets the element at a row-major index.
    pub fn set(&mut self, index: usize, value: Scalar) {
        write(self.ty.elem, self.buffer.bytes_mut(), index, value);
    }

    /// Sets consecutive elements from a row-major index on.
    pub fn write_run(&mut self, index: usize, values: &[Scalar]) {
        let bytes = self.buffer.bytes_mut();
        with_common_elem!(self.ty.elem, elem => {
            for (i, value) in values.iter().enumerate() {
                write(elem, bytes, index + i, *value);
            }
        });
    }

    /// The element at a row-major index.
    pub fn get(&self, index: usize) -> Scalar {
        read(self.ty.elem, self.buffer.bytes(), index)
    }

    /// Copies one element, bit for bit, from a tensor of the same element type.
    pub fn copy(&mut self, to: usize, from: &Tensor, index: usize) {
        let size = self.ty.elem.bytes();
        self.buffer.bytes_mut()[to * size..(to + 1) * size].copy_from_slice(from.element_bytes(index));
    }

    /// Copies consecutive elements, bit for bit, from a tensor of the same element type.
    pub fn copy_run(&mut self, to: usize, from: &Tensor, index: usize, count: usize) {
        let size = self.ty.elem.bytes();
        match from.dense_bytes() {
            Some(bytes) => self.buffer.bytes_mut()[to * size..(to + count) * size]
                .copy_from_slice(&bytes[index * size..(index + count) * size]),
            None => (0..count).for_each(|i| self.copy(to + i, from, 0)),
        }
    }

    /// The raw bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.buffer.bytes_mut()
    }

    /// The finished tensor.
    pub fn finish(self) -> Tensor {
        Tensor { ty: self.ty, data: Data::Dense(Arc::new(self.buffer)) }
    }
}

/// Row-major strides of a shape, in elements.
pub fn strides(shape: &[i64]) -> Shape {
    let mut strides: Shape = smallvec::smallvec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        // Nothing is read from an empty tensor, whose other dimensions may multiply to more than fits.
        strides[d - 1] = strides[d].wrapping_mul(shape[d].max(1));
    }
    strides
}

/// Calls `f` with each index of a shape in row-major order, with its row-major position.
pub fn for_each_index(shape: &[i64], mut f: impl FnMut(usize, &[i64])) {
    let count = if shape.contains(&0) { 0 } else { shape.iter().product::<i64>() as usize };
    let mut index: Shape = smallvec::smallvec![0; shape.len()];
    for position in 0..count {
        f(position, &index);
        for d in (0..shape.len()).rev() {
            index[d] += 1;
            if index[d] < shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
}
