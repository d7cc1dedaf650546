//! Attributes: what an operation knows at compile time.

use super::sdy::{AxisRef, MeshRef, SdyAttr};
use super::strings::Sym;
use super::types::{Elem, Type};
use crate::value::{Scalar, Tensor};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A compile-time value.
#[derive(Clone, PartialEq, Debug)]
pub enum Attr {
    /// `unit`, or a name without a value.
    Unit,
    /// `true` or `false`.
    Bool(bool),
    /// An integer with its type; the bits of an unsigned one.
    Int(i64, IntType),
    /// A float: the bits in its own format.
    Float(u64, Elem),
    /// A string.
    Str(Sym),
    /// A string that is not UTF-8.
    Bytes(Box<[u8]>),
    /// A type.
    Type(Box<Type>),
    /// `@f` or `@f::@g`.
    Symbol(Box<[Sym]>),
    /// `[…]`.
    Array(Box<[Attr]>),
    /// `{…}`.
    Dict(Box<Attrs>),
    /// `array<i64: …>`.
    I64s(Box<[i64]>),
    /// `array<i1: …>`.
    Bools(Box<[bool]>),
    /// `array<T: …>` of any other type.
    DenseArray(Box<Tensor>),
    /// `dense<…> : tensor<…>`.
    Elements(Box<Tensor>),
    /// One of the enumerations of StableHLO.
    Enum(EnumAttr),
    /// `#stablehlo.dot<…>`.
    Dot(Box<DotDims>),
    /// `#stablehlo.dot_algorithm<…>`.
    DotAlgorithm(Box<DotAlgorithm>),
    /// `#stablehlo.conv<…>`.
    Conv(Box<ConvDims>),
    /// `#stablehlo.gather<…>`.
    Gather(Box<GatherDims>),
    /// `#stablehlo.scatter<…>`.
    Scatter(Box<ScatterDims>),
    /// `#stablehlo.channel_handle<…>`.
    Channel(Box<ChannelHandle>),
    /// `#chlo.ragged_dot<…>`.
    RaggedDot(Box<RaggedDotDims>),
    /// `#stablehlo.replica_group_mesh_axes<…>`.
    MeshAxes(Box<MeshAxes>),
    /// An attribute of Shardy.
    Sdy(Box<SdyAttr>),
    /// `loc(…)`.
    Loc(super::ids::LocId),
    /// An attribute of another dialect, kept as it was written.
    Opaque(Box<str>),
}

/// The type of an integer attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntType {
    /// `index`.
    Index,
    /// An integer element type.
    Elem(Elem),
}

impl IntType {
    /// `i32`.
    pub const I32: IntType = IntType::Elem(Elem::Int(32));
    /// `i64`.
    pub const I64: IntType = IntType::Elem(Elem::Int(64));
}

impl Attr {
    /// An `i64` integer.
    pub fn i64(value: i64) -> Attr {
        Attr::Int(value, IntType::I64)
    }

    /// An `array<i64: …>`.
    pub fn i64s(values: impl IntoIterator<Item = i64>) -> Attr {
        Attr::I64s(values.into_iter().collect())
    }

    /// A float of a type.
    pub fn float(elem: Elem, value: Scalar) -> Attr {
        let tensor = Tensor::scalar(elem, value);
        let source = tensor.element_bytes(0);
        let mut bytes = [0; 8];
        let len = source.len().min(8);
        bytes[..len].copy_from_slice(&source[..len]);
        Attr::Float(u64::from_le_bytes(bytes), elem)
    }

    /// Hashes an attribute of a small kind; nothing for any other.
    fn hash_small(&self, hasher: &mut impl Hasher) -> Option<()> {
        std::mem::discriminant(self).hash(hasher);
        match self {
            Attr::Unit => {}
            Attr::Bool(flag) => flag.hash(hasher),
            Attr::Int(value, _) => value.hash(hasher),
            Attr::Str(text) => text.hash(hasher),
            Attr::I64s(list) => list.hash(hasher),
            Attr::Bools(list) => list.hash(hasher),
            Attr::Enum(value) => value.hash(hasher),
            Attr::Dot(dims) => dims.hash(hasher),
            Attr::Conv(dims) => dims.hash(hasher),
            Attr::Gather(dims) => dims.hash(hasher),
            Attr::Scatter(dims) => dims.hash(hasher),
            Attr::Array(list) => list.iter().try_for_each(|attr| attr.hash_small(hasher))?,
            _ => return None,
        }
        Some(())
    }

    /// The integer, where it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Attr::Int(v, _) => Some(*v),
            _ => None,
        }
    }

    /// The flag; a unit attribute is true.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Attr::Bool(b) => Some(*b),
            Attr::Unit => Some(true),
            _ => None,
        }
    }

    /// The number, where it is a float.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Attr::Float(bits, elem) => {
                let bytes = bits.to_le_bytes();
                let ty = super::types::TensorType::scalar(*elem);
                Some(Tensor::from_bytes(ty, bytes.get(..elem.bytes())?)?.item().real())
            }
            _ => None,
        }
    }

    /// The string, where it is one.
    pub fn as_str(&self) -> Option<Sym> {
        match self {
            Attr::Str(s) => Some(*s),
            _ => None,
        }
    }
}

/// Named attributes in the order they were written. Cloning shares them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Attrs(Arc<[(Sym, Attr)]>);

impl Attrs {
    /// The attribute with this name.
    pub fn get(&self, name: Sym) -> Option<&Attr> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, a)| a)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Names and attributes in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Sym, Attr)> {
        self.0.iter()
    }

    /// Adds an attribute, or replaces the one with this name.
    pub fn set(&mut self, name: Sym, attr: Attr) {
        let mut list = self.0.to_vec();
        match list.iter_mut().find(|(n, _)| *n == name) {
            Some(slot) => slot.1 = attr,
            None => list.push((name, attr)),
        }
        self.0 = list.into();
    }

    /// Takes an attribute out.
    pub fn remove(&mut self, name: Sym) -> Option<Attr> {
        let position = self.0.iter().position(|(n, _)| *n == name)?;
        let mut list = self.0.to_vec();
        let (_, attr) = list.remove(position);
        self.0 = list.into();
        Some(attr)
    }

    /// A number that equal lists have in common, where all attributes are of the small kinds that programs repeat.
    pub(crate) fn share_key(&self) -> Option<u64> {
        let mut hasher = rustc_hash::FxHasher::default();
        for (name, attr) in self.0.iter() {
            name.hash(&mut hasher);
            attr.hash_small(&mut hasher)?;
        }
        Some(hasher.finish())
    }
}

impl FromIterator<(Sym, Attr)> for Attrs {
    fn from_iter<T: IntoIterator<Item = (Sym, Attr)>>(iter: T) -> Self {
        Attrs(iter.into_iter().collect())
    }
}

impl From<Vec<(Sym, Attr)>> for Attrs {
    fn from(list: Vec<(Sym, Attr)>) -> Self {
        Attrs(list.into())
    }
}

/// The dimension numbers of `dot_general`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "named as in the specification")]
pub struct DotDims {
    pub lhs_batch: Vec<i64>,
    pub rhs_batch: Vec<i64>,
    pub lhs_contracting: Vec<i64>,
    pub rhs_contracting: Vec<i64>,
}

/// How `dot_general` is asked to compute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "named as in the specification")]
pub struct DotAlgorithm {
    pub lhs_precision_type: PrecisionType,
    pub rhs_precision_type: PrecisionType,
    pub accumulation_type: PrecisionType,
    pub lhs_component_count: i64,
    pub rhs_component_count: i64,
    pub num_primitive_operations: i64,
    pub allow_imprecise_accumulation: bool,
}

/// A format that a contraction computes in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrecisionType {
    /// TensorFloat-32: no tensor has it, only algorithms do.
    Tf32,
    /// An element type.
    Elem(Elem),
}

impl PrecisionType {
    /// The format with this name in the text.
    pub fn from_name(name: &str) -> Option<PrecisionType> {
        match name {
            "tf32" => Some(PrecisionType::Tf32),
            _ => Elem::from_name(name).map(PrecisionType::Elem),
        }
    }

    /// The name in the text.
    pub fn name(self) -> &'static str {
        match self {
            PrecisionType::Tf32 => "tf32",
            PrecisionType::Elem(elem) => elem.name(),
        }
    }

    /// Whether it is a format of real floating-point numbers.
    pub fn is_float(self) -> bool {
        match self {
            PrecisionType::Tf32 => true,
            PrecisionType::Elem(elem) => elem.is_float(),
        }
    }
}

/// The dimension numbers of `chlo.ragged_dot`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "named as in the specification")]
pub struct RaggedDotDims {
    pub dot: DotDims,
    pub lhs_ragged: Vec<i64>,
    pub rhs_group: Vec<i64>,
}

/// The dimension numbers of `convolution`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "named as in the specification")]
pub struct ConvDims {
    pub input_batch: i64,
    pub input_feature: i64,
    pub input_spatial: Vec<i64>,
    pub kernel_input_feature: i64,
    pub kernel_output_feature: i64,
    pub kernel_spatial: Vec<i64>,
    pub output_batch: i64,
    pub output_feature: i64,
    pub output_spatial: Vec<i64>,
}

/// The dimension numbers of `gather`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "named as in the specification")]
pub struct GatherDims {
    pub offset_dims: Vec<i64>,
    pub collapsed_slice_dims: Vec<i64>,
    pub operand_batching_dims: Vec<i64>,
    pub start_indices_batching_dims: Vec<i64>,
    pub start_index_map: Vec<i64>,
    pub index_vector_dim: i64,
}

/// The dimension numbers of `scatter`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "named as in the specification")]
pub struct ScatterDims {
    pub update_window_dims: Vec<i64>,
    pub inserted_window_dims: Vec<i64>,
    pub input_batching_dims: Vec<i64>,
    pub scatter_indices_batching_dims: Vec<i64>,
    pub scatter_dims_to_operand_dims: Vec<i64>,
    pub index_vector_dim: i64,
}

/// The channel of a collective.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "named as in the specification")]
pub struct ChannelHandle {
    pub handle: i64,
    pub kind: i64,
}

/// Groups of devices as axes of a mesh.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MeshAxes {
    /// The mesh.
    pub mesh: MeshRef,
    /// The axes along which the devices of a group differ, major to minor.
    pub axes: Vec<AxisRef>,
}

macro_rules! enums {
    ($($(#[$doc:meta])* $ty:ident $dialect:literal $name:literal { $($variant:ident = $text:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
            #[allow(missing_docs, reason = "named as in the specification")]
            pub enum $ty { $($variant,)* }

            impl $ty {
                /// The value with this name in the text.
                pub fn from_name(name: &str) -> Option<$ty> {
                    match name {
                        $($text => Some($ty::$variant),)*
                        _ => None,
                    }
                }
                /// The name in the text.
                pub fn name(self) -> &'static str {
                    match self {
                        $($ty::$variant => $text,)*
                    }
                }
            }

            impl From<$ty> for Attr {
                fn from(value: $ty) -> Attr {
                    Attr::Enum(EnumAttr::$ty(value))
                }
            }
        )*

        /// A value of one of StableHLO's enumerations, written `#stablehlo<name VALUE>`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "named as in the specification")]
        pub enum EnumAttr { $($ty($ty),)* }

        impl EnumAttr {
            /// `#dialect<kind VALUE>`: the attribute, or nothing where dialect, kind or value is unknown.
            pub fn from_names(dialect: &str, kind: &str, value: &str) -> Option<EnumAttr> {
                $(if dialect == $dialect && kind == $name {
                    return $ty::from_name(value).map(EnumAttr::$ty);
                })*
                None
            }
            /// The dialect that owns the enumeration.
            pub fn dialect(self) -> &'static str {
                match self { $(EnumAttr::$ty(_) => $dialect,)* }
            }
            /// The name of the enumeration.
            pub fn kind(self) -> &'static str {
                match self { $(EnumAttr::$ty(_) => $name,)* }
            }
            /// The name of the value.
            pub fn value(self) -> &'static str {
                match self { $(EnumAttr::$ty(v) => v.name(),)* }
            }
        }

        /// Which enumeration an attribute of an op belongs to.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs, reason = "named as in the specification")]
        pub enum EnumKind { $($ty,)* }

        impl EnumKind {
            /// The value with this name.
            pub fn parse(self, value: &str) -> Option<EnumAttr> {
                match self { $(EnumKind::$ty => $ty::from_name(value).map(EnumAttr::$ty),)* }
            }
            /// Whether an attribute belongs to this enumeration.
            pub fn holds(self, attr: EnumAttr) -> bool {
                match self { $(EnumKind::$ty => matches!(attr, EnumAttr::$ty(_)),)* }
            }
            /// All names, for messages.
            pub fn names(self) -> &'static [&'static str] {
                match self { $(EnumKind::$ty => &[$($text,)*],)* }
            }
        }
    };
}

enums! {
    /// How `compare` compares.
    Comparison "stablehlo" "comparison_direction" {
        Eq = "EQ", Ne = "NE", Ge = "GE", Gt = "GT", Le = "LE", Lt = "LT",
    }
    /// In which order `compare` compares.
    CompareType "stablehlo" "comparison_type" {
        NoType = "NOTYPE", Float = "FLOAT", TotalOrder = "TOTALORDER", Signed = "SIGNED", Unsigned = "UNSIGNED",
    }
    /// Precision of one operand of a contraction.
    Precision "stablehlo" "precision" { Default = "DEFAULT", High = "HIGH", Highest = "HIGHEST", }
    /// Which form of the matrix `triangular_solve` uses.
    Transpose "stablehlo" "transpose" {
        Invalid = "TRANSPOSE_INVALID", No = "NO_TRANSPOSE", Transpose = "TRANSPOSE", Adjoint = "ADJOINT",
    }
    /// The kind of Fourier transform.
    FftType "stablehlo" "fft_type" { Fft = "FFT", Ifft = "IFFT", Rfft = "RFFT", Irfft = "IRFFT", }
    /// The distribution of `rng`.
    RngDistribution "stablehlo" "rng_distribution" { Uniform = "UNIFORM", Normal = "NORMAL", }
    /// The algorithm of `rng_bit_generator`.
    RngAlgorithm "stablehlo" "rng_algorithm" { Default = "DEFAULT", ThreeFry = "THREE_FRY", Philox = "PHILOX", }
    /// How `chlo.broadcast_compare` compares.
    ChloComparison "chlo" "comparison_direction" {
        Eq = "EQ", Ne = "NE", Ge = "GE", Gt = "GT", Le = "LE", Lt = "LT",
    }
    /// In which order `chlo.broadcast_compare` compares.
    ChloCompareType "chlo" "comparison_type" {
        NoType = "NOTYPE", Float = "FLOAT", TotalOrder = "TOTALORDER", Signed = "SIGNED", Unsigned = "UNSIGNED",
    }
    /// Precision of one operand of `chlo.ragged_dot`.
    ChloPrecision "chlo" "precision" { Default = "DEFAULT", High = "HIGH", Highest = "HIGHEST", }
}
