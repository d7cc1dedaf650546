//! The native part of the Python package `partita`: a program with its shardings in, the per-device program and what there is to tell
//! about it out, and the search for its shardings. Everything that knows JAX is in Python.

mod failure;
mod found;
mod interrupt;
mod partitioned;
mod said;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
#[pyo3(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(partitioned::partition, module)?)?;
    module.add_function(wrap_pyfunction!(found::find, module)?)?;
    module.add_class::<found::FoundPlans>()?;
    module.add_class::<partitioned::PartitionedProgram>()
}
