//! Which devices are alike in which value.
//!
//! Arguments are alike where devices share their memory. A result is alike on devices that are alike in all that it is made of and in how they
//! came there: inside of a loop or a branch, in what decided it. After a collective devices are alike whose groups bring alike operands.

use super::likeness::{Likeness, Likenesses};
use crate::compile::captures;
use crate::program::{Action, Operand, Program, Step};
use partita::interpret::{CollectiveOp, GridSize, process_groups};
use partita::ir::{Id, OpRef, ValueId};
use partita::value::Tensor;
use rustc_hash::FxHashMap;

/// What has so few elements is computed faster than found.
const WORTH: usize = 1 << 12;

/// Arguments of so many bytes are compared, larger ones only by where they stand.
const COMPARED: usize = 1 << 12;

/// The steps that are worth doing once, by block and step: a number for each, and who is alike.
pub(super) type Steps = FxHashMap<(usize, usize), (u32, Likeness)>;

/// Finds the steps that devices do alike.
pub(super) fn analyse(program: &Program<'_>, size: GridSize, args: &[Vec<Tensor>]) -> (Likenesses, Steps) {
    let mut likenesses = Likenesses::new(args.len());
    let count = args.first().map_or(0, Vec::len);
    let given = (0..count).map(|n| likenesses.by(|device| identity(&args[device][n]))).collect();
    let none = likenesses.none();
    let mut analysis = Analysis {
        program,
        size,
        values: vec![Likeness::ALL; program.module.values.len()],
        likenesses,
        none,
        steps: FxHashMap::default(),
    };
    analysis.block(program.entry, given, Likeness::ALL);
    let Analysis { likenesses, mut steps, .. } = analysis;
    steps.retain(|_, (_, likeness)| likenesses.any(*likeness));
    steps.values_mut().enumerate().for_each(|(n, (number, _))| *number = n as u32);
    (likenesses, steps)
}

/// What two arguments have in common only where their elements are equal.
#[derive(PartialEq, Eq, Hash)]
enum Identity<'a> {
    Bytes(&'a [u8]),
    Memory(*const u8),
}

fn identity(tensor: &Tensor) -> Identity<'_> {
    match tensor.dense_bytes() {
        Some(bytes) if bytes.len() > COMPARED => Identity::Memory(bytes.as_ptr()),
        Some(bytes) => Identity::Bytes(bytes),
        None => Identity::Bytes(tensor.element_bytes(0)),
    }
}

struct Analysis<'p> {
    program: &'p Program<'p>,
    size: GridSize,
    likenesses: Likenesses,
    /// No devices are alike.
    none: Likeness,
    values: Vec<Likeness>,
    steps: Steps,
}

impl Analysis<'_> {
    fn of(&self, operand: &Operand) -> Likeness {
        self.values[operand.value.index()]
    }

    /// Devices that are alike in all of these.
    fn all(&mut self, start: Likeness, list: impl IntoIterator<Item = Likeness>) -> Likeness {
        list.into_iter().fold(start, |all, next| self.likenesses.both(all, next))
    }

    /// Goes through a block, given who is alike in its arguments and in coming here; says who is alike in its results.
    fn block(&mut self, number: usize, args: Vec<Likeness>, coming: Likeness) -> Vec<Likeness> {
        let program = self.program;
        let block = &program.blocks[number];
        for (arg, likeness) in block.args.iter().zip(args) {
            self.set(*arg, likeness);
        }
        for (n, step) in block.steps.iter().enumerate() {
            self.step((number, n), step, coming);
        }
        let results: Vec<Likeness> = block.results.iter().map(|operand| self.of(operand)).collect();
        results.into_iter().map(|result| self.likenesses.both(result, coming)).collect()
    }

    fn set(&mut self, value: Option<ValueId>, likeness: Likeness) {
        if let Some(value) = value {
            self.values[value.index()] = likeness;
        }
    }

    fn step(&mut self, at: (usize, usize), step: &Step, coming: Likeness) {
        let operands: Vec<Likeness> = step.operands.iter().map(|operand| self.of(operand)).collect();
        let read = self.all(coming, operands.iter().copied());
        let op = self.program.module.op(step.op);
        let results = match &step.action {
            Action::While(test, body) => self.repeat(*test, *body, operands, coming),
            Action::Branch(blocks) => {
                let mut results: Vec<Likeness> = vec![read; step.results.len()];
                for block in blocks {
                    let other = self.block(*block, Vec::new(), read);
                    for (result, other) in results.iter_mut().zip(other) {
                        *result = self.likenesses.both(*result, other);
                    }
                }
                results
            }
            Action::Inline(block) => self.block(*block, operands, coming),
            Action::ReplicaId => {
                let size = self.size;
                vec![self.likenesses.by(|n| size.device(n).replica)]
            }
            Action::PartitionId => {
                let size = self.size;
                vec![self.likenesses.by(|n| size.device(n).partition)]
            }
            Action::Collective(kind) => {
                let result = self.collective(op, *kind, read, coming);
                vec![result; step.results.len()]
            }
            action => {
                // What regions read from outside of them is known by other names.
                let sees_more = !captures(&self.program.module, op, |value| value).is_empty();
                let read = if op.has_effect() || sees_more { self.none } else { read };
                if is_shareable(action) && self.is_worth_it(step) {
                    self.steps.insert(at, (0, read));
                }
                vec![read; step.results.len()]
            }
        };
        for (value, likeness) in step.results.iter().zip(results) {
            self.set(*value, likeness);
        }
    }

    /// A loop: who is alike in what it carries, after any number of rounds.
    fn repeat(
        &mut self,
        test: usize,
        body: usize,
        mut carried: Vec<Likeness>,
        mut coming: Likeness,
    ) -> Vec<Likeness> {
        loop {
            let again = self.block(test, carried.clone(), coming);
            let inside = self.all(coming, again);
            let after = self.block(body, carried.clone(), inside);
            let next: Vec<Likeness> = carried
                .iter()
                .zip(after)
                .map(|(before, after)| self.likenesses.both(*before, after))
                .collect();
            // Each time round there are more classes, or it is done.
            if next == carried && inside == coming {
                return next.into_iter().map(|result| self.likenesses.both(result, coming)).collect();
            }
            (carried, coming) = (next, inside);
        }
    }

    /// What devices get from each other.
    fn collective(
        &mut self,
        op: OpRef<'_>,
        kind: CollectiveOp,
        read: Likeness,
        coming: Likeness,
    ) -> Likeness {
        // Devices that came on different ways may meet in different operations.
        if coming != Likeness::ALL {
            return self.none;
        }
        let Ok(groups) = process_groups(op, kind, self.size) else { return self.none };
        let firsts = self.likenesses.firsts(read).to_vec();
        let brought = |device: usize| -> Option<Vec<u32>> {
            Some(groups.of(device)?.iter().map(|member| firsts[*member]).collect())
        };
        match kind {
            CollectiveOp::AllReduce | CollectiveOp::AllGather => self.likenesses.by(brought),
            CollectiveOp::ReduceScatter | CollectiveOp::AllToAll => self.likenesses.by(|device| {
                let place = groups.of(device).and_then(|group| group.iter().position(|m| *m == device));
                (brought(device), place)
            }),
            // Who gets what from whom depends on the devices themselves.
            CollectiveOp::Broadcast | CollectiveOp::Reduce | CollectiveOp::Permute => self.none,
        }
    }

    fn is_worth_it(&self, step: &Step) -> bool {
        let module = &self.program.module;
        let results = step.results.iter().flatten().copied();
        let mut values = step.operands.iter().map(|operand| operand.value).chain(results);
        values.any(|value| module.tensor_type(value).is_some_and(|ty| ty.count() >= WORTH))
    }
}

/// Whether what a step gives is its own. Views cost nothing, and updates write over their operand where only one device has it.
fn is_shareable(action: &Action) -> bool {
    matches!(
        action,
        Action::Loop(_)
            | Action::Dot(_)
            | Action::Convolution(_)
            | Action::Concatenate(_)
            | Action::Pad
            | Action::Compute(_)
            | Action::Reference
    )
}
