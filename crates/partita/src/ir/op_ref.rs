//! A view of one operation in its module, with typed access to its parts.

use super::attr::{Attr, ConvDims, DotDims, EnumAttr, GatherDims, ScatterDims};
use super::ids::{OpId, RegionId, ValueId};
use super::module::{Module, Op, Region};
use super::strings::Sym;
use super::types::{TensorType, Type};
use crate::ops::{OpDef, OpKind};

/// An operation and the module it is in.
#[derive(Clone, Copy)]
pub struct OpRef<'m> {
    /// The module.
    pub module: &'m Module,
    /// The operation.
    pub id: OpId,
}

impl<'m> OpRef<'m> {
    /// The operation's own data.
    pub fn op(self) -> &'m Op {
        &self.module.ops[self.id]
    }

    /// Which op it is.
    pub fn kind(self) -> OpKind {
        self.op().kind
    }

    /// Its row of the op table.
    pub fn def(self) -> &'static OpDef {
        self.op().kind.def()
    }

    /// The operands.
    pub fn operands(self) -> &'m [ValueId] {
        self.module.operands(self.id)
    }

    /// The results.
    pub fn results(self) -> impl DoubleEndedIterator<Item = ValueId> + ExactSizeIterator {
        self.op().results.iter()
    }

    /// The type of the n-th operand.
    pub fn operand_type(self, n: usize) -> &'m Type {
        self.module.type_of(self.operands()[n])
    }

    /// The type of the n-th result.
    pub fn result_type(self, n: usize) -> &'m Type {
        self.module.type_of(self.op().results.at(n))
    }

    /// Types of all operands.
    pub fn operand_types(self) -> impl DoubleEndedIterator<Item = &'m Type> + ExactSizeIterator {
        self.operands().iter().map(move |&v| self.module.type_of(v))
    }

    /// Types of all results.
    pub fn result_types(self) -> impl DoubleEndedIterator<Item = &'m Type> + ExactSizeIterator {
        self.op().results.iter().map(move |v| self.module.type_of(v))
    }

    /// The n-th operand's tensor type. The verifier has checked that it is one; where it has not, a
    /// scalar stands in for it.
    pub fn operand_tensor(self, n: usize) -> &'m TensorType {
        tensor_or_scalar(self.operand_type(n))
    }

    /// The n-th result's tensor type, as [`OpRef::operand_tensor`].
    pub fn result_tensor(self, n: usize) -> &'m TensorType {
        tensor_or_scalar(self.result_type(n))
    }

    /// The n-th region.
    pub fn region(self, n: usize) -> &'m Region {
        &self.module.regions[self.region_id(n)]
    }

    /// The id of the n-th region.
    pub fn region_id(self, n: usize) -> RegionId {
        self.regions()[n]
    }

    /// The regions.
    pub fn regions(self) -> &'m [RegionId] {
        self.module.regions_of(self.id)
    }

    /// An attribute, as written.
    pub fn attr(self, name: Sym) -> Option<&'m Attr> {
        self.op().attrs.get(name)
    }

    /// An integer attribute.
    pub fn int(self, name: Sym) -> Option<i64> {
        self.attr(name)?.as_int()
    }

    /// A flag; false where it is absent.
    pub fn flag(self, name: Sym) -> bool {
        self.attr(name).and_then(Attr::as_bool).unwrap_or(false)
    }

    /// A list of integers; empty where it is absent.
    pub fn ints(self, name: Sym) -> &'m [i64] {
        match self.attr(name) {
            Some(Attr::I64s(list)) => list,
            _ => &[],
        }
    }

    /// A list of integers, where it is given.
    pub fn opt_ints(self, name: Sym) -> Option<&'m [i64]> {
        match self.attr(name) {
            Some(Attr::I64s(list)) => Some(list),
            _ => None,
        }
    }

    /// A list of flags, where it is given.
    pub fn opt_bools(self, name: Sym) -> Option<&'m [bool]> {
        match self.attr(name) {
            Some(Attr::Bools(list)) => Some(list),
            _ => None,
        }
    }

    /// A string attribute.
    pub fn str(self, name: Sym) -> Option<&'m str> {
        Some(&self.module.strings[self.attr(name)?.as_str()?])
    }

    /// The last part of a symbol attribute.
    pub fn symbol(self, name: Sym) -> Option<Sym> {
        match self.attr(name)? {
            Attr::Symbol(path) => path.last().copied(),
            _ => None,
        }
    }

    /// Whether it does something besides making results: as its row says, or, of a call, as it says itself.
    pub fn has_effect(self) -> bool {
        self.def().traits.effect || self.flag(super::names::HAS_SIDE_EFFECT)
    }

    /// An enumeration attribute.
    pub fn enumeration(self, name: Sym) -> Option<EnumAttr> {
        match self.attr(name)? {
            Attr::Enum(e) => Some(*e),
            _ => None,
        }
    }

    /// The dimension numbers of a contraction.
    pub fn dot_dims(self) -> Option<&'m DotDims> {
        match self.attr(super::names::DOT_DIMENSION_NUMBERS)? {
            Attr::Dot(d) => Some(d),
            _ => None,
        }
    }

    /// The dimension numbers of a convolution.
    pub fn conv_dims(self) -> Option<&'m ConvDims> {
        match self.attr(super::names::DIMENSION_NUMBERS)? {
            Attr::Conv(d) => Some(d),
            _ => None,
        }
    }

    /// The dimension numbers of a gather.
    pub fn gather_dims(self) -> Option<&'m GatherDims> {
        match self.attr(super::names::DIMENSION_NUMBERS)? {
            Attr::Gather(d) => Some(d),
            _ => None,
        }
    }

    /// The dimension numbers of a scatter.
    pub fn scatter_dims(self) -> Option<&'m ScatterDims> {
        match self.attr(super::names::SCATTER_DIMENSION_NUMBERS)? {
            Attr::Scatter(d) => Some(d),
            _ => None,
        }
    }
}

fn tensor_or_scalar(ty: &Type) -> &TensorType {
    static SCALAR: TensorType =
        TensorType { elem: super::types::Elem::F32, shape: smallvec::SmallVec::new_const() };
    ty.as_tensor().unwrap_or(&SCALAR)
}
