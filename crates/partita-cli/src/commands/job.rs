//! What `partita run` runs: a program as it was written, or one for all devices of a mesh.

use crate::error::Failure;
use crate::input::Program;
use partita::interpret::DriverOp;
use partita::ir::{Module, OpRef, Span, names};
use partita::ops::{Eval, Spread};
use partita::partition::Signature;
use partita::{Compiler, Diagnostic};
use std::mem::ManuallyDrop;

/// A program that is ready to run.
pub struct Job {
    /// What was read; its module has been taken out.
    pub program: Program,
    /// What runs.
    pub module: ManuallyDrop<Module>,
    /// For a per-device program: its devices and global arrays.
    pub signature: Option<Signature>,
}

impl Job {
    /// The program as it is, or, where a compiler is given, partitioned.
    pub fn new(mut program: Program, compiler: Option<&Compiler>) -> Result<Job, Failure> {
        let signature = Signature::read(&program.module).map_err(|e| program.fail(e))?;
        let Some(compiler) = compiler else {
            if signature.is_none()
                && let Some(op) = per_device(&program.module)
            {
                return Err(program.fail(vec![foreign(op)]));
            }
            let module = std::mem::take(&mut program.module);
            return Ok(Job { program, module, signature });
        };
        if signature.is_some() {
            return Err(Failure::usage("the program is partitioned already, so `--spmd` has nothing to do")
                .file(&*program.file)
                .fix("leave out `--spmd`: it runs on its devices as it is"));
        }
        let mut compiled = compiler.compile(&program.module).map_err(|e| program.fail(e))?;
        compiled.emit();
        let Some(signature) = compiled.signature() else {
            let message = "arguments and results of a partitioned program must be tensors";
            return Err(Failure::new("argument", message).file(&*program.file));
        };
        let module = ManuallyDrop::new(compiled.partitioned.module);
        Ok(Job { program, module, signature: Some(signature) })
    }
}

/// An op that only means something on one of several partitions, in a program that says nothing of shardings.
fn per_device(module: &Module) -> Option<OpRef<'_>> {
    // Without `@main` it is a test of StableHLO's, which starts devices of its own.
    if !module.meshes.is_empty() || module.func_named("main").is_none() {
        return None;
    }
    let partitions = module.attrs.get(names::MHLO_NUM_PARTITIONS).and_then(|a| a.as_int());
    let ops = || module.ops.ids().map(|id| module.op(id));
    // Regions that are written for one device, in a program that is not.
    let manual =
        |op: OpRef<'_>| matches!(op.def().spread, Spread::Manual) || op.attr(names::MHLO_SHARDING).is_some();
    if ops().any(manual) {
        return None;
    }
    ops().find(|op| match op.def().eval {
        Eval::Driver(DriverOp::PartitionId) => partitions.is_none_or(|n| n > 1),
        Eval::Driver(DriverOp::Collective(_)) => partitions.is_some_and(|n| n > 1),
        _ => false,
    })
}

fn foreign(op: OpRef<'_>) -> Diagnostic {
    let span: Span = op.op().span;
    let message = "this is the program of one device among several, but it does not say how its arguments and results lie on them";
    Diagnostic::new("per-device", span, message)
        .label("means something on one of several devices only")
        .fix("it lacks `partita.mesh` on the module, and `partita.global_type` and `partita.sharding` on arguments and results, as `partita partition` writes them")
}
