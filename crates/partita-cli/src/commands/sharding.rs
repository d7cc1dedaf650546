//! The options that say how a program is sharded, and the way from a file to shardings.

use crate::error::Failure;
use crate::input::{self, Program};
use crate::plan;
use clap::ValueEnum;
use partita::Diagnostic;
use partita::inline::{Inlined, inline};
use partita::ir::{FuncId, Module, Span};
use partita::propagate::{Propagated, propagate};
use partita::sharding::Mesh;
use partita::sharding::apply::{Boundary, Options, prepare};
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

    /// How a tensor is split, as `arg3=_,model`; may be given several times
    #[arg(long = "shard", value_name = "TENSOR=DIMS")]
    shards: Vec<String>,

    /// Shardings for the whole program, from a JSON file
    #[arg(long, value_name = "PLAN.json")]
    plan: Option<PathBuf>,

    /// What arguments and results without a sharding are
    #[arg(long, value_enum, default_value = "open")]
    boundary: BoundaryArg,
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

    fn options(&self) -> Result<Options, Failure> {
        let mut options = Options {
            mesh: self.mesh.as_deref().map(MeshSpec::parse).transpose()?,
            shards: self.shards.iter().map(|s| ShardSpec::parse(s)).collect::<Result<_, _>>()?,
            boundary: match self.boundary {
                BoundaryArg::Open => Boundary::Open,
                BoundaryArg::Replicated => Boundary::Replicated,
            },
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
    /// How long inlining took.
    pub inline_time: Duration,
    /// How long bringing all shardings onto one mesh took.
    pub import_time: Duration,
    /// How long propagation took.
    pub propagate_time: Duration,
}

/// Reads a program and completes its shardings.
pub fn complete(file: &Path, args: &ShardingArgs) -> Result<Sharded, Failure> {
    // Options that cannot be read are refused before the program is.
    args.options()?;
    propagated(import(input::load(file)?, args)?)
}

/// Brings all shardings of a program onto one mesh, those on the command line too.
pub fn import(program: Program, args: &ShardingArgs) -> Result<Imported, Failure> {
    import_with(program, &args.options()?)
}

/// Brings all shardings of a program onto one mesh.
pub fn import_with(program: Program, options: &Options) -> Result<Imported, Failure> {
    let start = Instant::now();
    let entry = entry(&program.module).map_err(|e| program.fail(vec![e]))?;
    let mut inlined = inline(&program.module, entry).map_err(|e| program.fail(vec![e]))?;
    let inline_time = start.elapsed();
    let start = Instant::now();
    let mesh = prepare(&program.module, &mut inlined, options).map_err(|e| program.fail(e))?;
    Ok(Imported { program, inlined, mesh, inline_time, import_time: start.elapsed() })
}

/// Completes the shardings of a program.
pub fn propagated(imported: Imported) -> Result<Sharded, Failure> {
    let Imported { program, inlined, mesh, inline_time, import_time } = imported;
    let start = Instant::now();
    let found = propagate(&inlined, mesh).map_err(|e| program.fail(e))?;
    Ok(Sharded { program, inlined, found, inline_time, import_time, propagate_time: start.elapsed() })
}

/// Completes the shardings of a program over another mesh than it names.
pub fn with_mesh(
    program: &Program,
    args: &ShardingArgs,
    mesh: &MeshSpec,
) -> Result<(Inlined, Propagated), Failure> {
    let options = Options { mesh: Some(mesh.clone()), ..args.options()? };
    let entry = entry(&program.module).map_err(|e| program.fail(vec![e]))?;
    let mut inlined = inline(&program.module, entry).map_err(|e| program.fail(vec![e]))?;
    let mesh = prepare(&program.module, &mut inlined, &options).map_err(|e| program.fail(e))?;
    let found = propagate(&inlined, mesh).map_err(|e| program.fail(e))?;
    Ok((inlined, found))
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
