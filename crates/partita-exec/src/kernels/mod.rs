//! Kernels on whole arrays, one file per family. What has no kernel here is computed by that of its row.

pub(crate) mod convolution;
pub(crate) mod dot;
pub(crate) mod matmul;
pub(crate) mod slices;
pub(crate) mod sort;
