//! The pipeline: from a checked program to the program that every device of a mesh runs.
//!
//! [`Compiler::compile`] is the compiler: it imports a program, completes its shardings, partitions it, and optimises the per-device program. Commands,
//! Python, the search for plans and the tests all call it, or those of its stages that they need.

mod device;
mod observer;

pub use device::{Device, Topology};
pub use observer::{Observer, Snapshot, Stage};

use crate::complete::{Choice, Completed, Decision, complete, named, replay};
use crate::diagnostic::{Diagnostic, Errors};
use crate::inline::{Inlined, inline};
use crate::ir::{FuncId, Module, Span};
use crate::ledger::{Ledger, Memory};
use crate::optimise::{Options as Passes, optimise_observed, weight_update};
use crate::partition::{Partitioned, Prices, Signature, partition_at};
use crate::propagate::Propagated;
use crate::sharding::Mesh;
use crate::sharding::apply::{Boundary, Completion, Options, prepare};
use crate::sharding::plan::Plan;
use crate::sharding::spec::{MeshSpec, ShardSpec};
use crate::text::print;
use observer::Nobody;

/// The compiler with its options.
#[derive(Clone, Default)]
pub struct Compiler {
    options: Options,
    completion: Option<Completion>,
    zero: bool,
    one_order: bool,
    device: Device,
    prices: Option<Prices>,
    passes: Passes,
}

/// A program as one function with all its shardings over one mesh.
pub struct Imported {
    /// The program.
    pub inlined: Inlined,
    /// The mesh.
    pub mesh: Mesh,
}

/// A program with a sharding for every tensor.
pub struct Sharded {
    /// The program as one function.
    pub inlined: Inlined,
    /// The shardings, with reasons.
    pub shardings: Propagated,
    /// The decision of completion by cost, where it is not propagation's answer.
    pub decision: Option<Decision>,
    /// The program was too large for completion by cost, so that propagation's answer stands.
    pub exhausted: bool,
    /// The choices that the shardings follow from, with the annotations.
    pub choices: Vec<Choice>,
    /// The program as it was partitioned for the decision.
    partitioned: Option<Partitioned>,
}

/// A program with the program of one device that came of it.
pub struct Compiled {
    /// The program with a sharding for every tensor.
    pub sharded: Sharded,
    /// The per-device program. Groups of devices are symbolic until it is [emitted](Compiled::emit).
    pub partitioned: Partitioned,
}

/// Why a program was not compiled.
#[derive(Debug)]
pub enum Stopped {
    /// It has errors.
    Errors(Errors),
    /// The observer said so.
    ByObserver,
}

impl<E: Into<Errors>> From<E> for Stopped {
    fn from(errors: E) -> Stopped {
        Stopped::Errors(errors.into())
    }
}

impl Stopped {
    /// The errors; none where the observer stopped it.
    pub fn errors(self) -> Errors {
        match self {
            Stopped::Errors(errors) => errors,
            Stopped::ByObserver => Errors::default(),
        }
    }
}

/// Options.
impl Compiler {
    /// A compiler without options: the program has all annotations and the mesh.
    pub fn new() -> Compiler {
        Compiler::default()
    }

    /// All options for mesh and shardings at once.
    pub fn options(self, options: Options) -> Compiler {
        Compiler { options, ..self }
    }

    /// The mesh, where the program has none, or in place of the sizes that it has.
    pub fn mesh(mut self, mesh: MeshSpec) -> Compiler {
        self.options.mesh = Some(mesh);
        self
    }

    /// The sharding of an argument, a result or a value.
    pub fn shard(mut self, shard: ShardSpec) -> Compiler {
        self.options.shards.push(shard);
        self
    }

    /// The treatment of arguments and results without a sharding.
    pub fn boundary(mut self, boundary: Boundary) -> Compiler {
        self.options.boundary = boundary;
        self
    }

    /// All that a plan says.
    pub fn plan(mut self, plan: &Plan) -> Result<Compiler, Diagnostic> {
        plan.add_to(&mut self.options)?;
        Ok(self)
    }

    /// The way to complete shardings where neither options nor plan name one; by cost where nothing is said.
    pub fn completion(self, completion: Completion) -> Compiler {
        Compiler { completion: Some(completion), ..self }
    }

    /// Splits optimizer state and weight update over the axes that gradients are summed over.
    pub fn zero(self, zero: bool) -> Compiler {
        Compiler { zero, ..self }
    }

    /// Refuses arguments and results on the devices in an order that the mesh does not have.
    pub fn one_order(self) -> Compiler {
        Compiler { one_order: true, ..self }
    }

    /// The devices.
    pub fn device(self, device: Device) -> Compiler {
        Compiler { device, ..self }
    }

    /// The prices of sending, where they are known: those of the device otherwise.
    pub fn prices(self, prices: Prices) -> Compiler {
        Compiler { prices: Some(prices), ..self }
    }

    /// The passes over the per-device program. The device is their target.
    pub fn passes(self, passes: Passes) -> Compiler {
        Compiler { passes, ..self }
    }
}

/// The stages.
impl Compiler {
    /// Compiles a program that was parsed and verified.
    pub fn compile(&self, program: &Module) -> Result<Compiled, Errors> {
        self.compile_observed(program, &mut Nobody).map_err(Stopped::errors)
    }

    /// Compiles a program; the observer sees it after every stage.
    pub fn compile_observed(
        &self,
        program: &Module,
        observer: &mut dyn Observer,
    ) -> Result<Compiled, Stopped> {
        let imported = self.import(program)?;
        go_on(observer, Stage::Import, Snapshot::Imported(&imported))?;
        let mut sharded = self.complete(program, imported)?;
        go_on(observer, Stage::Complete, Snapshot::Sharded(&sharded))?;
        let Sharded { inlined, shardings, partitioned, .. } = &mut sharded;
        let mut partitioned = self.partition(inlined, shardings, partitioned.take())?;
        let module = &sharded.inlined.module;
        go_on(observer, Stage::Partition, Snapshot::Partitioned(&partitioned, module))?;
        self.optimise(&mut partitioned, module, observer)?;
        Ok(Compiled { sharded, partitioned })
    }

    /// Completes the shardings of a program, and leaves it at that.
    pub fn shard_all(&self, program: &Module) -> Result<Sharded, Errors> {
        self.complete(program, self.import(program)?)
    }

    /// Partitions and optimises a program whose shardings are known, as the search does for each of its plans. What was partitioned by them already is taken as it is.
    pub fn lower(
        &self,
        program: &Inlined,
        shardings: &Propagated,
        partitioned: Option<Partitioned>,
    ) -> Result<Partitioned, Errors> {
        let mut partitioned = self.partition(program, shardings, partitioned)?;
        self.optimise(&mut partitioned, &program.module, &mut Nobody).map_err(Stopped::errors)?;
        Ok(partitioned)
    }

    /// Makes a program one function, and brings all shardings in it and all that is said besides it onto one mesh.
    pub fn import(&self, program: &Module) -> Result<Imported, Errors> {
        let entry = entry(program)?;
        let mut inlined = inline(program, entry)?;
        let mesh = prepare(program, &mut inlined, &self.options)?;
        Ok(Imported { inlined, mesh })
    }

    /// Finds a sharding for every tensor.
    fn complete(&self, program: &Module, imported: Imported) -> Result<Sharded, Errors> {
        let Imported { mut inlined, mesh } = imported;
        let method = self.options.complete.or(self.completion).unwrap_or(Completion::COST);
        let choices = &self.options.choices;
        let completed = match method {
            Completion::Propagate if !choices.is_empty() => replay(&inlined, program, mesh, choices)?,
            _ => {
                let machine = self.device.machine(&mesh)?;
                complete(&inlined, mesh, method, &machine)?
            }
        };
        let Completed { shardings, decision, exhausted, choices, partitioned } = completed;
        if self.zero {
            let shardings = weight_update::shard(&mut inlined, shardings)?;
            return Ok(Sharded { inlined, shardings, decision, exhausted, choices, partitioned: None });
        }
        Ok(Sharded { inlined, shardings, decision, exhausted, choices, partitioned })
    }

    /// Makes the per-device program.
    fn partition(
        &self,
        program: &Inlined,
        shardings: &Propagated,
        partitioned: Option<Partitioned>,
    ) -> Result<Partitioned, Errors> {
        let partitioned = match (partitioned, self.prices) {
            (Some(partitioned), _) => partitioned,
            (None, Some(prices)) => partition_at(program, shardings, prices)?,
            (None, None) => partition_at(program, shardings, self.device.prices(&shardings.mesh)?)?,
        };
        if self.one_order && partitioned.has_own_orders() {
            let message = "arguments or results lie on the devices in an order that the mesh does not have";
            return Err(Diagnostic::new("sharding", Span::default(), message)
                .fix("write all shardings over one order of the devices")
                .into());
        }
        Ok(partitioned)
    }

    /// Runs the passes over the per-device program.
    fn optimise(
        &self,
        partitioned: &mut Partitioned,
        module: &Module,
        observer: &mut dyn Observer,
    ) -> Result<(), Stopped> {
        let target = self.device.target(partitioned)?;
        let passes = self.passes.clone().on(target).within(self.device.memory);
        optimise_observed(partitioned, &passes, &mut |pass, partitioned| {
            go_on(observer, Stage::Pass(pass), Snapshot::Partitioned(partitioned, module))
        })
    }
}

impl Sharded {
    /// The plan that gives these shardings again. `program` is the one that was compiled.
    pub fn plan(&self, program: &Module) -> Plan {
        let mesh = &self.shardings.mesh;
        Plan::of(&self.inlined.module, mesh, named(&self.inlined, program, mesh, &self.choices))
    }
}

impl Compiled {
    /// Writes out the groups of devices, and the signature as attributes. Only this grows with the number of devices.
    pub fn emit(&mut self) {
        self.partitioned.expand();
        self.partitioned.annotate(&self.sharded.inlined.module);
    }

    /// The per-device program as text; what is not emitted has symbolic groups.
    pub fn text(&self) -> String {
        print(&self.partitioned.module)
    }

    /// The communication of the per-device program, with reasons.
    pub fn ledger(&self) -> Ledger {
        Ledger::new(&self.partitioned, &self.sharded.inlined)
    }

    /// The memory of a device.
    pub fn memory(&self) -> Memory {
        Memory::new(&self.partitioned.module)
    }

    /// The devices and the global arguments and results; nothing where some are no tensors.
    pub fn signature(&self) -> Option<Signature> {
        self.partitioned.signature(&self.sharded.inlined.module)
    }
}

/// The function that is the program: `@main`, or the only one.
fn entry(module: &Module) -> Result<FuncId, Diagnostic> {
    if let Some(main) = module.func_named("main") {
        return Ok(main);
    }
    let mut with_body = module.funcs.ids().filter(|f| module.funcs[*f].body.is_some());
    match (with_body.next(), with_body.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(Diagnostic::new("function", Span::default(), "the file has no function `@main`")
            .fix("name the function that is the program `@main`")),
    }
}

fn go_on(observer: &mut dyn Observer, stage: Stage, program: Snapshot<'_>) -> Result<(), Stopped> {
    if observer.after(stage, program).is_break() { Err(Stopped::ByObserver) } else { Ok(()) }
}
