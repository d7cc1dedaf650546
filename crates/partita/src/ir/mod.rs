//! The intermediate representation: StableHLO as plain data.
//!
//! A [`Module`] owns everything in dense arenas; entities are named by typed ids and looked at through
//! [`OpRef`]. The IR knows the shape of programs and nothing of what operations mean: that is [`crate::ops`].

pub mod attr;
pub mod ids;
pub mod lists;
pub mod loc;
pub mod module;
pub mod op_ref;
pub mod sdy;
pub mod strings;
pub mod types;

pub use attr::{Attr, Attrs, EnumAttr, EnumKind};
pub use ids::{FuncId, Id, IdRange, IdVec, LocId, OpId, RegionId, TypeId, ValueId};
pub use lists::Lists;
pub use loc::{Loc, LocTable};
pub use module::{Func, MeshDecl, Module, Op, Region, Span, Value, ValueDef, ValueName, Visibility};
pub use op_ref::OpRef;
pub use strings::{Strings, Sym, names};
pub use types::{Elem, Mini, Shape, TensorType, Type, TypeTable};
