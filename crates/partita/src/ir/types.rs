//! Types of values: tensors, tuples, tokens and functions.

use super::ids::{Id, IdVec, TypeId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Sizes of a tensor's dimensions.
pub type Shape = SmallVec<[i64; 4]>;

/// The floating-point formats below 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the formats")]
pub enum Mini {
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3B11FNUZ,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
}

/// What a tensor is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Elem {
    /// `i1`.
    Bool,
    /// A signed (in MLIR: signless) integer of 2, 4, 8, 16, 32 or 64 bits.
    Int(u8),
    /// An unsigned integer of 2, 4, 8, 16, 32 or 64 bits.
    Uint(u8),
    /// A float of fewer than 16 bits.
    Mini(Mini),
    /// bfloat16.
    BF16,
    /// IEEE half precision.
    F16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// Two `f32`.
    C64,
    /// Two `f64`.
    C128,
    /// An element of a prime field, which stands for a float where a program is run to be compared exactly. No text has it.
    Field,
}

/// Every element type with its name in the text.
const ELEM_NAMES: &[(&str, Elem)] = &[
    ("i1", Elem::Bool),
    ("i2", Elem::Int(2)),
    ("i4", Elem::Int(4)),
    ("i8", Elem::Int(8)),
    ("i16", Elem::Int(16)),
    ("i32", Elem::Int(32)),
    ("i64", Elem::Int(64)),
    ("ui2", Elem::Uint(2)),
    ("ui4", Elem::Uint(4)),
    ("ui8", Elem::Uint(8)),
    ("ui16", Elem::Uint(16)),
    ("ui32", Elem::Uint(32)),
    ("ui64", Elem::Uint(64)),
    ("f4E2M1FN", Elem::Mini(Mini::F4E2M1FN)),
    ("f6E2M3FN", Elem::Mini(Mini::F6E2M3FN)),
    ("f6E3M2FN", Elem::Mini(Mini::F6E3M2FN)),
    ("f8E3M4", Elem::Mini(Mini::F8E3M4)),
    ("f8E4M3", Elem::Mini(Mini::F8E4M3)),
    ("f8E4M3B11FNUZ", Elem::Mini(Mini::F8E4M3B11FNUZ)),
    ("f8E4M3FN", Elem::Mini(Mini::F8E4M3FN)),
    ("f8E4M3FNUZ", Elem::Mini(Mini::F8E4M3FNUZ)),
    ("f8E5M2", Elem::Mini(Mini::F8E5M2)),
    ("f8E5M2FNUZ", Elem::Mini(Mini::F8E5M2FNUZ)),
    ("f8E8M0FNU", Elem::Mini(Mini::F8E8M0FNU)),
    ("bf16", Elem::BF16),
    ("f16", Elem::F16),
    ("f32", Elem::F32),
    ("f64", Elem::F64),
    ("complex<f32>", Elem::C64),
    ("complex<f64>", Elem::C128),
];

impl Elem {
    /// All element types.
    pub fn all() -> impl Iterator<Item = Elem> {
        ELEM_NAMES.iter().map(|(_, e)| *e)
    }

    /// The type with this name in the text.
    pub fn from_name(name: &str) -> Option<Elem> {
        // Nearly every tensor is one of these.
        match name {
            "f32" => return Some(Elem::F32),
            "i32" => return Some(Elem::Int(32)),
            "bf16" => return Some(Elem::BF16),
            _ => {}
        }
        ELEM_NAMES.iter().find(|(n, _)| *n == name).map(|(_, e)| *e)
    }

    /// The name in the text.
    pub fn name(self) -> &'static str {
        ELEM_NAMES.iter().find(|(_, e)| *e == self).map_or("field", |(n, _)| n)
    }

    /// Bits of one element as the specification counts them.
    pub fn bits(self) -> u32 {
        match self {
            Elem::Bool => 1,
            Elem::Int(b) | Elem::Uint(b) => u32::from(b),
            Elem::Mini(Mini::F4E2M1FN) => 4,
            Elem::Mini(Mini::F6E2M3FN | Mini::F6E3M2FN) => 6,
            Elem::Mini(_) => 8,
            Elem::BF16 | Elem::F16 => 16,
            Elem::F32 => 32,
            Elem::F64 | Elem::C64 | Elem::Field => 64,
            Elem::C128 => 128,
        }
    }

    /// Bytes of one element in memory: whole bytes, so `i1` and `i4` take one.
    pub fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Whether it is a real floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Elem::Mini(_) | Elem::BF16 | Elem::F16 | Elem::F32 | Elem::F64)
    }

    /// Whether it is a signed or unsigned integer (`i1` is not).
    pub fn is_int(self) -> bool {
        matches!(self, Elem::Int(_) | Elem::Uint(_))
    }

    /// Whether it is complex.
    pub fn is_complex(self) -> bool {
        matches!(self, Elem::C64 | Elem::C128)
    }

    /// The type of the real part; the type itself where it is not complex.
    pub fn real(self) -> Elem {
        match self {
            Elem::C64 => Elem::F32,
            Elem::C128 => Elem::F64,
            e => e,
        }
    }
}

impl std::fmt::Display for Elem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Element type and shape of a tensor.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct TensorType {
    /// The element type.
    pub elem: Elem,
    /// The sizes, outermost first.
    pub shape: Shape,
}

impl Clone for TensorType {
    /// The sizes are copied as memory, not one by one.
    fn clone(&self) -> Self {
        TensorType { elem: self.elem, shape: Shape::from_slice(&self.shape) }
    }
}

impl TensorType {
    /// A tensor type.
    pub fn new(elem: Elem, shape: impl IntoIterator<Item = i64>) -> Self {
        TensorType { elem, shape: shape.into_iter().collect() }
    }

    /// A tensor without dimensions.
    pub fn scalar(elem: Elem) -> Self {
        TensorType { elem, shape: Shape::new() }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// How many elements; the parser refuses types where this does not fit.
    pub fn count(&self) -> usize {
        // The other dimensions of an empty tensor may multiply to more than fits.
        if self.shape.contains(&0) { 0 } else { self.shape.iter().product::<i64>() as usize }
    }

    /// How many elements, or nothing where the number or its bytes overflow.
    pub fn checked_count(&self) -> Option<usize> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        let count = self.shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
        count.checked_mul(16)?;
        usize::try_from(count).ok()
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.count() * self.elem.bytes()
    }

    /// The same shape with another element type.
    pub fn with_elem(&self, elem: Elem) -> Self {
        TensorType { elem, shape: self.shape.clone() }
    }
}

impl std::fmt::Display for TensorType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("tensor<")?;
        for d in &self.shape {
            write!(f, "{d}x")?;
        }
        write!(f, "{}>", self.elem)
    }
}

/// The type of a value or of an attribute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `tensor<2x3xf32>`.
    Tensor(TensorType),
    /// `tuple<…>`.
    Tuple(Vec<Type>),
    /// `!stablehlo.token`.
    Token,
    /// `!stablehlo.future<…>`: the result of an asynchronous collective.
    Future(Vec<Type>),
    /// `(…) -> (…)`.
    Function(Vec<Type>, Vec<Type>),
    /// A bare element type: the type of a number in an attribute.
    Scalar(Elem),
    /// `index`, which only attributes have.
    Index,
    /// `none`.
    None,
    /// A type of another dialect, kept as it was written; only attributes may have it.
    Opaque(Box<str>),
}

impl Type {
    /// The tensor type, where it is one.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Type::Tensor(t) => Some(t),
            _ => None,
        }
    }

    /// Replaces the element types of all tensors in it.
    fn replace_elements(&mut self, elem: &impl Fn(Elem) -> Elem) {
        match self {
            Type::Tensor(ty) => ty.elem = elem(ty.elem),
            Type::Tuple(types) | Type::Future(types) => {
                types.iter_mut().for_each(|ty| ty.replace_elements(elem));
            }
            _ => {}
        }
    }

    /// Bytes in memory of all tensors in it; as many as a `usize` can count where there are more.
    pub fn bytes(&self) -> usize {
        match self {
            Type::Tensor(t) => t.bytes(),
            Type::Tuple(ts) | Type::Future(ts) => ts.iter().map(Type::bytes).fold(0, usize::saturating_add),
            _ => 0,
        }
    }
}

impl From<TensorType> for Type {
    fn from(t: TensorType) -> Self {
        Type::Tensor(t)
    }
}

fn list(f: &mut std::fmt::Formatter<'_>, types: &[Type]) -> std::fmt::Result {
    for (i, t) in types.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{t}")?;
    }
    Ok(())
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Tensor(t) => write!(f, "{t}"),
            Type::Tuple(ts) => {
                f.write_str("tuple<")?;
                list(f, ts)?;
                f.write_str(">")
            }
            Type::Token => f.write_str("!stablehlo.token"),
            Type::Future(ts) => {
                f.write_str("!stablehlo.future<")?;
                list(f, ts)?;
                f.write_str(">")
            }
            Type::Function(inputs, results) => {
                f.write_str("(")?;
                list(f, inputs)?;
                f.write_str(") -> ")?;
                if let [result] = &results[..]
                    && !matches!(result, Type::Function(..))
                {
                    write!(f, "{result}")
                } else {
                    f.write_str("(")?;
                    list(f, results)?;
                    f.write_str(")")
                }
            }
            Type::Scalar(e) => write!(f, "{e}"),
            Type::Index => f.write_str("index"),
            Type::None => f.write_str("none"),
            Type::Opaque(text) => f.write_str(text),
        }
    }
}

/// The distinct types of a module.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    types: IdVec<TypeId, Type>,
    ids: FxHashMap<Type, TypeId>,
}

impl TypeTable {
    /// The id of a type, new or known.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// Replaces the element types of all tensor types. Two types that become the same keep their ids.
    pub fn replace_elements(&mut self, elem: &impl Fn(Elem) -> Elem) {
        self.ids.clear();
        let ids: Vec<TypeId> = self.types.ids().collect();
        for id in ids {
            self.types[id].replace_elements(elem);
            self.ids.entry(self.types[id].clone()).or_insert(id);
        }
    }

    /// How many distinct types.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }
}

impl std::ops::Index<TypeId> for TypeTable {
    type Output = Type;
    fn index(&self, id: TypeId) -> &Type {
        debug_assert!(id.index() < self.types.len());
        &self.types[id]
    }
}
