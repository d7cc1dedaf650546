//! The attributes of Shardy, as they stand in the text.

use super::strings::Sym;

/// An axis of a mesh, or a part of one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AxisRef {
    /// The axis.
    pub name: Sym,
    /// `:(pre)size`: the product of the sizes before the part, and its size.
    pub part: Option<(i64, i64)>,
}

/// The sharding of one dimension.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DimSharding {
    /// Axes, major to minor.
    pub axes: Vec<AxisRef>,
    /// `?`: propagation may add axes.
    pub open: bool,
    /// `pN`: when propagation looks at it.
    pub priority: Option<i64>,
}

/// `<["x"=2, "y"=4], device_ids=[…]>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MeshAttr {
    /// Names and sizes, major to minor.
    pub axes: Vec<(Sym, i64)>,
    /// The device at each position, where it is not simply the position.
    pub device_ids: Option<Vec<i64>>,
}

/// The mesh a sharding is over.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MeshRef {
    /// `@mesh`.
    Symbol(Sym),
    /// A mesh written in place.
    Inline(Box<MeshAttr>),
}

/// `<@mesh, [{"x"}, {?}], replicated={…}, unreduced={…}>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TensorSharding {
    /// The mesh.
    pub mesh: MeshRef,
    /// One per dimension.
    pub dims: Vec<DimSharding>,
    /// Axes that propagation must not use.
    pub replicated: Vec<AxisRef>,
    /// Axes over which the value is still a partial sum.
    pub unreduced: Vec<AxisRef>,
}

/// An attribute of Shardy.
#[derive(Clone, PartialEq, Debug)]
pub enum SdyAttr {
    /// `#sdy.mesh<…>`.
    Mesh(MeshAttr),
    /// `#sdy.sharding<…>`.
    Sharding(TensorSharding),
    /// `#sdy.sharding_per_value<[…]>`.
    PerValue(Vec<TensorSharding>),
    /// `#sdy<manual_axes{…}>`.
    ManualAxes(Vec<Sym>),
    /// `#sdy.op_sharding_rule<…>`: the text of the rule.
    Rule(Box<str>),
}
