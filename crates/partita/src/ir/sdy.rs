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

/// One move of an all-to-all, `{"x"}: 0->2`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AxesMove {
    /// The axes that move.
    pub axes: Vec<AxisRef>,
    /// The dimension they leave.
    pub from: i64,
    /// The dimension they go to.
    pub to: i64,
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
    /// `#sdy<axis_ref_list{…}>`.
    Axes(Vec<AxisRef>),
    /// `#sdy<list_of_axis_ref_lists[{…}, {…}]>`: axes per dimension.
    AxesPerDim(Vec<Vec<AxisRef>>),
    /// `#sdy<all_to_all_param_list[…]>`.
    Moves(Vec<AxesMove>),
    /// `#sdy.op_sharding_rule<…>`: the text of the rule.
    Rule(Box<str>),
}

/// Which attribute of Shardy an op takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "named as the variants of `SdyAttr`")]
pub enum SdyKind {
    Sharding,
    PerValue,
    ManualAxes,
    Axes,
    AxesPerDim,
    Moves,
}

impl SdyKind {
    /// Whether an attribute is of this kind.
    pub fn holds(self, attr: &SdyAttr) -> bool {
        match self {
            SdyKind::Sharding => matches!(attr, SdyAttr::Sharding(_)),
            SdyKind::PerValue => matches!(attr, SdyAttr::PerValue(_)),
            SdyKind::ManualAxes => matches!(attr, SdyAttr::ManualAxes(_)),
            SdyKind::Axes => matches!(attr, SdyAttr::Axes(_)),
            SdyKind::AxesPerDim => matches!(attr, SdyAttr::AxesPerDim(_)),
            SdyKind::Moves => matches!(attr, SdyAttr::Moves(_)),
        }
    }

    /// What it is, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            SdyKind::Sharding => "`#sdy.sharding<…>`",
            SdyKind::PerValue => "`#sdy.sharding_per_value<[…]>`",
            SdyKind::ManualAxes => "`#sdy<manual_axes{…}>`",
            SdyKind::Axes => "`#sdy<axis_ref_list{…}>`",
            SdyKind::AxesPerDim => "`#sdy<list_of_axis_ref_lists[{…}, …]>`",
            SdyKind::Moves => "`#sdy<all_to_all_param_list[{…}: 0->1, …]>`",
        }
    }
}
