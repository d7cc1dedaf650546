//! Shardings: how tensors are laid out over the devices of a mesh, and the notations for it.

pub mod gspmd;
pub mod mesh;

pub use mesh::{Atom, AtomSet, Mesh, MeshError};
