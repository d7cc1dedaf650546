//! Kernels on whole arrays, one file per family. What has no kernel here is computed by that of its row.

pub(crate) mod convolution;
pub(crate) mod dot;
mod fourier;
pub(crate) mod indexing;
mod linalg;
pub(crate) mod matmul;
pub(crate) mod pooling;
pub(crate) mod reduce;
pub(crate) mod slices;
pub(crate) mod sort;
pub(crate) mod window;

use crate::array::Array;
use crate::pool::Pool;
use partita::Module;
use partita::ir::OpRef;
use partita::ops::OpKind;
use partita::value::Tensor;

/// An operation that was looked at when the program was compiled, and computes its results from its operands.
pub(crate) trait Compute: Send + Sync {
    /// The results. The operands are of the types of the operation.
    fn run(&self, module: &Module, operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor>;
}

/// What computes an operation, where it is of a kind that is known here.
pub(crate) fn compute(op: OpRef<'_>) -> Option<Box<dyn Compute>> {
    fn boxed<C: Compute + 'static>(found: C) -> Box<dyn Compute> {
        Box::new(found)
    }
    match op.kind() {
        OpKind::Reduce => reduce::Reduce::of(op).map(boxed),
        OpKind::ReduceWindow => pooling::ReduceWindow::of(op).map(boxed),
        OpKind::SelectAndScatter => pooling::SelectAndScatter::of(op).map(boxed),
        OpKind::Gather => indexing::Gather::of(op).map(boxed),
        OpKind::Scatter => indexing::Scatter::of(op).map(boxed),
        OpKind::Sort => sort::Sort::of(op).map(boxed),
        OpKind::Fft => fourier::Fourier::of(op).map(boxed),
        OpKind::TriangularSolve => linalg::TriangularSolve::of(op).map(boxed),
        OpKind::Cholesky => linalg::Cholesky::of(op).map(boxed),
        _ => None,
    }
}
