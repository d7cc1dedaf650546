//! Observation of a program while it is compiled.

use super::{Imported, Sharded};
use crate::ir::Module;
use crate::partition::Partitioned;
use crate::sharding::export;
use crate::text::print;
use std::ops::ControlFlow;

/// A stage of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// One function, all shardings over one mesh.
    Import,
    /// A sharding for every tensor, optimizer state and weight update split where that was asked for.
    Complete,
    /// The per-device program.
    Partition,
    /// The per-device program after a pass, by its number in [`PASSES`](crate::optimise::PASSES), or after its turn where it does not run.
    Pass(usize),
}

/// A program as it is after a stage.
#[derive(Clone, Copy)]
pub enum Snapshot<'a> {
    /// After [`Stage::Import`].
    Imported(&'a Imported),
    /// After [`Stage::Complete`].
    Sharded(&'a Sharded),
    /// After [`Stage::Partition`] and every pass: the per-device program, and what it was made of.
    Partitioned(&'a Partitioned, &'a Module),
}

impl Snapshot<'_> {
    /// The program as text.
    pub fn text(&self) -> String {
        match self {
            Snapshot::Imported(imported) => print(&imported.inlined.module),
            Snapshot::Sharded(sharded) => {
                let mut module = sharded.inlined.module.clone();
                export::complete(&mut module, &sharded.shardings);
                print(&module)
            }
            Snapshot::Partitioned(partitioned, module) => {
                let mut partitioned = (*partitioned).clone();
                partitioned.expand();
                partitioned.annotate(module);
                print(&partitioned.module)
            }
        }
    }
}

/// Sees a program after every stage, and says whether to go on: for dumps, timing, progress and cancellation.
pub trait Observer {
    /// Called after a stage.
    fn after(&mut self, stage: Stage, program: Snapshot<'_>) -> ControlFlow<()>;
}

impl<F: FnMut(Stage, Snapshot<'_>) -> ControlFlow<()>> Observer for F {
    fn after(&mut self, stage: Stage, program: Snapshot<'_>) -> ControlFlow<()> {
        self(stage, program)
    }
}

/// Sees nothing and never stops.
pub(super) struct Nobody;

impl Observer for Nobody {
    fn after(&mut self, _: Stage, _: Snapshot<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
