//! Failures as Python's exceptions.

use partita_cli::error::Failure;
use partita_cli::render;
use pyo3::prelude::*;

/// The exception `partita.Error`, with the text that the command line shows, the code of the first error, and all of them as JSON.
pub fn exception(py: Python<'_>, failure: &Failure) -> PyErr {
    let raise = || -> PyResult<PyErr> {
        let class = py.import("partita.errors")?.getattr("Error")?;
        let code = failure.diagnostics.first().map_or("", |first| first.code);
        let text = render::text(failure, false);
        let details = render::json(failure).to_string();
        Ok(PyErr::from_value(class.call1((text.trim_end(), code, details))?))
    };
    raise().unwrap_or_else(|error| error)
}
