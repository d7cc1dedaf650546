//! The options that say how a program is sharded, and the way from a file to shardings.

use crate::device::DeviceArgs;
use crate::error::Failure;
use crate::input::{self, Program};
use crate::plan;
use clap::ValueEnum;
use partita::Diagnostic;
use partita::complete::{Choice, Completed, Decision, named, replay};
use partita::inline::{Inlined, inline};
use partita::ir::{FuncId, Module, Span};
use partita::optimise::weight_update;
use partita::partition::{Partitioned, partition_at};
use partita::propagate::Propagated;
use partita::sharding::Mesh;
use partita::sharding::apply::{Boundary, Completion, Effort, Options, prepare};
use partita::sharding::plan::Plan;
use partita::sharding::spec::{MeshSpec, ShardSpec};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How a program is sharded.
#[derive(clap::Args)]
#[command(next_help_heading = "Sharding")]
pub struct ShardingArgs {
    /// The axes of the mesh, major to minor, as `data=2,model=4`
    #[arg(long, value_name = "MESH")]
    mesh: Option<String>,

    /// How a tensor is split, as `arg3=_,model`; a value, as `%42=data,_`, is constrained for all its uses; may be given several times
    #[arg(long = "shard", value_name = "TENSOR=DIMS")]
    shards: Vec<String>,

    /// Shardings for the whole program, from a JSON file
    #[arg(long, value_name = "PLAN.json")]
    plan: Option<PathBuf>,

    /// What arguments and results without a sharding are
    #[arg(long, value_enum, default_value = "open")]
    boundary: BoundaryArg,

    /// How the shardings between the annotations are found; `propagate` finds them by propagation unless told otherwise, everything else by cost
    #[arg(long, value_enum, value_name = "METHOD")]
    complete: Option<CompletionArg>,

    /// How many times the usual number of steps completion by cost may take
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=100))]
    effort: Option<u8>,
}

#[derive(Clone, Copy, ValueEnum)]
enum CompletionArg {
    /// By cost over the whole program; never more communication than propagation's answer
    Cost,
    /// By propagation alone: whoever reaches a tensor first decides
    Propagate,
}

#[derive(Clone, Copy, ValueEnum)]
enum BoundaryArg {
    /// Propagation may split them
    Open,
    /// Whole on every device
    Replicated,
}

impl ShardingArgs {
    /// Whether anything was said.
    pub fn is_given(&self) -> bool {
        self.mesh.is_some()
            || !self.shards.is_empty()
            || self.plan.is_some()
            || matches!(self.boundary, BoundaryArg::Replicated)
    }

    /// What was said, as the library takes it.
    pub fn options(&self) -> Result<Options, Failure> {
        let mut options = Options {
            mesh: self.mesh.as_deref().map(MeshSpec::parse).transpose()?,
            shards: self.shards.iter().map(|s| ShardSpec::parse(s)).collect::<Result<_, _>>()?,
            boundary: match self.boundary {
                BoundaryArg::Open => Boundary::Open,
                BoundaryArg::Replicated => Boundary::Replicated,
            },
            complete: match (self.complete, self.effort) {
                (Some(CompletionArg::Propagate), Some(_)) => {
                    return Err(Failure::usage("`--effort` is for `--complete cost`"));
                }
                (Some(CompletionArg::Propagate), None) => Some(Completion::Propagate),
                (_, Some(effort)) => Some(Completion::Cost(Effort(effort))),
                (Some(CompletionArg::Cost), None) => Some(Completion::COST),
                (None, None) => None,
            },
            choices: Vec::new(),
        };
        if let Some(path) = &self.plan {
            plan::load(path)?.add_to(&mut options)?;
        }
        Ok(options)
    }
}

/// A program as one function over one mesh.
pub struct Imported {
    /// What was read.
    pub program: Program,
    /// The program as one function.
    pub inlined: Inlined,
    /// The mesh that its shardings are over.
    mesh: Mesh,
    /// What was said besides the program.
    options: Options,
    inline_time: Duration,
    import_time: Duration,
}

/// A program with a sharding for every tensor.
pub struct Sharded {
    /// What was read.
    pub program: Program,
    /// The program as one function.
    pub inlined: Inlined,
    /// The shardings.
    pub found: Propagated,
    /// The decision of completion by cost, where it is not propagation's answer.
    pub decision: Option<Decision>,
    /// The program was too large for completion by cost, so that propagation's answer stands.
    pub exhausted: bool,
    /// The choices that the shardings follow from, with the annotations.
    choices: Vec<Choice>,
    /// The program as it was partitioned for the decision, for the device that was named.
    partitioned: Option<Partitioned>,
    /// How long inlining took.
    pub inline_time: Duration,
    /// How long bringing all shardings onto one mesh took.
    pub import_time: Duration,
    /// How long propagation took.
    pub propagate_time: Duration,
}

impl Sharded {
    /// The same with the state of the optimizer and the update of weights split over the axes that gradients are summed over.
    pub fn with_sharded_updates(mut self) -> Result<Sharded, Failure> {
        let found = weight_update::shard(&mut self.inlined, self.found);
        self.found = found.map_err(|e| self.program.fail(e))?;
        self.partitioned = None;
        Ok(self)
    }

    /// The plan that gives these shardings again.
    pub fn plan(&self) -> Plan {
        let Sharded { program, inlined, found, choices, .. } = self;
        Plan::of(&inlined.module, &found.mesh, named(inlined, &program.module, &found.mesh, choices))
    }

    /// Partitions the program at the prices of the device that its shardings were completed for.
    pub fn partition(&mut self, device: &DeviceArgs) -> Result<Partitioned, Failure> {
        if let Some(partitioned) = self.partitioned.take() {
            return Ok(partitioned);
        }
        let prices = device.prices(&self.found.mesh)?;
        partition_at(&self.inlined, &self.found, prices).map_err(|e| self.program.fail(vec![e]))
    }
}

/// Reads a program and completes its shardings, by default in this way.
pub fn complete(file: &Path, args: &ShardingArgs, default: Completion) -> Result<Sharded, Failure> {
    // Options that cannot be read are refused before the program is.
    args.options()?;
    completed(import(input::load(file)?, args)?, default, &DeviceArgs::default())
}

/// Brings all shardings of a program onto one mesh, those on the command line too.
pub fn import(program: Program, args: &ShardingArgs) -> Result<Imported, Failure> {
    import_with(program, &args.options()?)
}

/// Brings all shardings of a program onto one mesh.
pub fn import_with(program: Program, options: &Options) -> Result<Imported, Failure> {
    let start = Instant::now();
    let mut inlined = inlined(&program)?;
    let inline_time = start.elapsed();
    let start = Instant::now();
    let mesh = prepare(&program.module, &mut inlined, options).map_err(|e| program.fail(e))?;
    Ok(Imported {
        program,
        inlined,
        mesh,
        options: options.clone(),
        inline_time,
        import_time: start.elapsed(),
    })
}

/// A program as one function.
pub fn inlined(program: &Program) -> Result<Inlined, Failure> {
    let entry = entry(&program.module).map_err(|e| program.fail(vec![e]))?;
    inline(&program.module, entry).map_err(|e| program.fail(vec![e]))
}

/// Completes the shardings of a program for a device, by default in this way.
pub fn completed(imported: Imported, default: Completion, device: &DeviceArgs) -> Result<Sharded, Failure> {
    let Imported { program, inlined, mesh, options, inline_time, import_time } = imported;
    let start = Instant::now();
    let Completed { shardings: found, decision, exhausted, choices, partitioned } =
        find(&program, &inlined, mesh, &options, default, device)?;
    Ok(Sharded {
        program,
        inlined,
        found,
        decision,
        exhausted,
        choices,
        partitioned,
        inline_time,
        import_time,
        propagate_time: start.elapsed(),
    })
}

/// Finds the shardings of a program that is one function over one mesh.
fn find(
    program: &Program,
    inlined: &Inlined,
    mesh: Mesh,
    options: &Options,
    default: Completion,
    device: &DeviceArgs,
) -> Result<Completed, Failure> {
    let method = options.complete.unwrap_or(default);
    let found = match method {
        Completion::Propagate if !options.choices.is_empty() => {
            replay(inlined, &program.module, mesh, &options.choices)
        }
        _ => partita::complete::complete(inlined, mesh.clone(), method, &device.machine(&mesh)?),
    };
    found.map_err(|e| program.fail(e))
}

/// Completes the shardings of a program over another mesh than it names.
pub fn with_mesh(
    program: &Program,
    args: &ShardingArgs,
    mesh: &MeshSpec,
    device: &DeviceArgs,
) -> Result<(Inlined, Propagated), Failure> {
    let options = Options { mesh: Some(mesh.clone()), ..args.options()? };
    let mut inlined = inlined(program)?;
    let mesh = prepare(&program.module, &mut inlined, &options).map_err(|e| program.fail(e))?;
    let found = find(program, &inlined, mesh, &options, Completion::COST, device)?;
    Ok((inlined, found.shardings))
}

/// Every mesh with the axes and the number of devices that a program is sharded over, the first axis smallest first.
pub fn meshes_alike(program: &Program, args: &ShardingArgs) -> Result<Vec<MeshSpec>, Failure> {
    let entry = entry(&program.module).map_err(|e| program.fail(vec![e]))?;
    let mut inlined = inline(&program.module, entry).map_err(|e| program.fail(vec![e]))?;
    let mesh = prepare(&program.module, &mut inlined, &args.options()?).map_err(|e| program.fail(e))?;
    let names: Vec<&str> = mesh.axes().iter().map(|a| a.name.as_str()).collect();
    let mut meshes = Vec::new();
    factorizations(mesh.device_count(), names.len(), &mut Vec::new(), &mut |sizes| {
        let axes = names.iter().zip(sizes).map(|(name, size)| (name.to_string(), *size));
        meshes.push(MeshSpec { axes: axes.collect() });
    });
    Ok(meshes)
}

/// Calls with every list of so many numbers whose product is a number.
fn factorizations(product: i64, count: usize, sizes: &mut Vec<i64>, call: &mut impl FnMut(&[i64])) {
    if count == 0 {
        return if product == 1 {
            call(sizes)
        };
    }
    for size in (1..=product).filter(|size| product % size == 0 && (count > 1 || *size == product)) {
        sizes.push(size);
        factorizations(product / size, count - 1, sizes, call);
        sizes.pop();
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
