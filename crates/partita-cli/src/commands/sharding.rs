//! The options that say how a program is sharded, and the way from a file to shardings.

use crate::device::DeviceArgs;
use crate::error::Failure;
use crate::input::Program;
use crate::plan;
use clap::ValueEnum;
use partita::compiler::{self, Compiled, Compiler};
use partita::partition::Partitioned;
use partita::sharding::apply::{Boundary, Completion, Effort, Options};
use partita::sharding::plan::Plan;
use partita::sharding::spec::{MeshSpec, ShardSpec};
use std::path::PathBuf;

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

    /// The steps of completion by cost, as a multiple of the usual number
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

    /// A compiler of which this and a device are said.
    pub fn compiler(&self, device: &DeviceArgs) -> Result<Compiler, Failure> {
        Ok(Compiler::new().options(self.options()?).device(device.device()?))
    }
}

/// A program with a sharding for every tensor.
pub struct Sharded {
    /// What was read.
    pub program: Program,
    /// The program with all shardings.
    pub of: compiler::Sharded,
}

impl Sharded {
    /// The plan that gives these shardings again.
    pub fn plan(&self) -> Plan {
        self.of.plan(&self.program.module)
    }
}

/// Completes the shardings of a program.
pub fn completed(program: Program, compiler: &Compiler) -> Result<Sharded, Failure> {
    let of = compiler.shard_all(&program.module).map_err(|e| program.fail(e))?;
    Ok(Sharded { program, of })
}

/// Compiles a program.
pub fn compiled(program: Program, compiler: &Compiler) -> Result<(Sharded, Partitioned), Failure> {
    let Compiled { sharded, partitioned } = compiler.compile(&program.module).map_err(|e| program.fail(e))?;
    Ok((Sharded { program, of: sharded }, partitioned))
}

/// Every mesh with the axes and the number of devices that a program is sharded over, the first axis smallest first.
pub fn meshes_alike(program: &Program, compiler: &Compiler) -> Result<Vec<MeshSpec>, Failure> {
    let mesh = compiler.import(&program.module).map_err(|e| program.fail(e))?.mesh;
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
