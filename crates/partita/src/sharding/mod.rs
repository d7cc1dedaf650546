//! Shardings: how tensors are laid out over the devices of a mesh, and the notations for it.

pub mod apply;
mod atoms;
pub mod common;
mod constraints;
pub mod digits;
pub mod export;
mod export_loops;
mod export_manual;
pub mod gspmd;
pub mod import;
pub mod manual;
pub mod mesh;
pub mod mesh_split;
mod order;
mod places;
pub mod plan;
pub mod spec;
pub mod tensor;
pub mod tiles;
pub mod unify;

pub use atoms::AtomList;
pub use mesh::{Atom, AtomSet, Mesh, MeshError};
pub use tensor::{DimSharding, Sharding};
