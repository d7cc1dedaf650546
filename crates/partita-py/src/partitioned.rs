//! Programs that are partitioned.

use crate::failure::exception;
use crate::interrupt::interruptible;
use crate::said::{self, Said};
use partita::compiler::{Compiled, Compiler, Snapshot};
use partita::partition::{DimLayout, Layout, Partitioned};
use partita::sharding::Mesh;
use partita::sharding::apply::Options;
use partita::sharding::mesh::AxisPart;
use partita_cli::commands::explain::explain;
use partita_cli::commands::partition::verify;
use partita_cli::commands::sharding::Sharded;
use partita_cli::device::DeviceArgs;
use partita_cli::error::Failure;
use partita_cli::report::Report;
use partita_cli::{input, memory, plan};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How a dimension lies: parts of axes as name, product of the sizes before, and size; and the size of a block.
type Placed = (Vec<(String, i64, i64)>, i64);

/// A program with a sharding for every tensor, and the program of one device that it became.
#[pyclass(frozen, module = "partita._native")]
pub struct PartitionedProgram {
    /// What runs on other threads keeps it alive.
    inner: Arc<Inner>,
}

struct Inner {
    sharded: Sharded,
    partitioned: Partitioned,
    text: String,
}

/// Completes the shardings of a program and partitions it for a device. `plan` is one in JSON; what is said of single tensors comes
/// on top of it. With `zero`, optimizer state and weight update are sharded over the data-parallel axes.
#[pyfunction]
#[pyo3(signature = (text, file, mesh, arguments, results, plan = None, device = None, memory = None, zero = false))]
#[allow(clippy::too_many_arguments, reason = "one call for all that Python says")]
pub fn partition(
    py: Python<'_>,
    text: String,
    file: String,
    mesh: Vec<(String, i64)>,
    arguments: Vec<Said>,
    results: Vec<Said>,
    plan: Option<String>,
    device: Option<String>,
    memory: Option<u64>,
    zero: bool,
) -> PyResult<PartitionedProgram> {
    let mut options = said::options(mesh, arguments, results);
    let device = DeviceArgs { device, memory, ..DeviceArgs::default() };
    let work = move |_: &AtomicBool| {
        if let Some(plan) = plan {
            plan::read("plan", plan.as_bytes())?.add_to(&mut options)?;
        }
        Inner::new(file, text, &options, &device, zero)
    };
    let inner = interruptible(py, work)?;
    let inner = inner.map_err(|failure| exception(py, &failure))?;
    Ok(PartitionedProgram { inner: Arc::new(inner) })
}

impl Inner {
    fn new(
        file: String,
        text: String,
        options: &Options,
        device: &DeviceArgs,
        zero: bool,
    ) -> Result<Inner, Failure> {
        let program = input::read(file, text)?;
        let compiler =
            Compiler::new().options(options.clone()).device(device.device()?).zero(zero).one_order();
        let mut compiled = compiler.compile(&program.module).map_err(|e| program.fail(e))?;
        compiled.emit();
        let text = compiled.text();
        let Compiled { sharded, partitioned } = compiled;
        Ok(Inner { sharded: Sharded { program, of: sharded }, partitioned, text })
    }

    fn report(&self) -> Report<'_> {
        Report::new(&self.sharded, &self.partitioned)
    }

    fn placed(&self, layouts: &[Layout]) -> Vec<Vec<Placed>> {
        layouts.iter().map(|layout| placed(&self.partitioned.mesh, layout)).collect()
    }
}

fn placed(mesh: &Mesh, layout: &Layout) -> Vec<Placed> {
    let dim = |dim: &DimLayout| {
        let part = |part: AxisPart| {
            let axis = &mesh.axes()[part.axis];
            let (pre, size) = part.part.unwrap_or((1, axis.size));
            (axis.name.clone(), pre, size)
        };
        (mesh.parts(&dim.atoms).into_iter().map(part).collect(), dim.block)
    };
    layout.dims.iter().map(dim).collect()
}

#[pymethods]
impl PartitionedProgram {
    /// The program of one device, as StableHLO text.
    #[getter]
    fn text(&self) -> &str {
        &self.inner.text
    }

    /// The program for one device with a sharding for every tensor, as StableHLO text.
    fn annotated(&self) -> String {
        Snapshot::Sharded(&self.inner.sharded.of).text()
    }

    /// How the arguments lie, dimension by dimension.
    #[getter]
    fn arguments(&self) -> Vec<Vec<Placed>> {
        self.inner.placed(&self.inner.partitioned.arguments)
    }

    /// How the results lie, dimension by dimension.
    #[getter]
    fn results(&self) -> Vec<Vec<Placed>> {
        self.inner.placed(&self.inner.partitioned.results)
    }

    /// Collectives, memory, shardings and what runs whole, as the JSON of `partita partition`.
    fn report_json(&self) -> String {
        self.inner.report().json().to_string()
    }

    /// The same in words.
    fn report_words(&self) -> String {
        self.inner.report().words()
    }

    /// Why a value is sharded as it is: JSON, and words.
    fn explain(&self, py: Python<'_>, value: &str) -> PyResult<(String, String)> {
        let explained = explain(&self.inner.sharded, value).map_err(|failure| exception(py, &failure))?;
        Ok((explained.json().to_string(), explained.words()))
    }

    /// Runs the program on one device and on all, on inputs made from a seed: the verdict as JSON.
    #[pyo3(signature = (seed = 0, memory_limit = None))]
    fn verify(&self, py: Python<'_>, seed: u64, memory_limit: Option<u64>) -> PyResult<String> {
        let limit = memory_limit.unwrap_or_else(memory::to_spare);
        let inner = Arc::clone(&self.inner);
        let run =
            move |stop: &AtomicBool| verify(&inner.sharded, &inner.partitioned, seed, limit, Some(stop));
        let verdict = interruptible(py, run)?;
        let mut report = self.inner.report();
        report.verdict = Some(verdict.map_err(|failure| exception(py, &failure))?);
        Ok(report.json()["verify"].to_string())
    }
}
