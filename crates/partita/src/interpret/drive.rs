//! Ops that are not functions of tensors: control flow, tuples, tokens, communication, tests.

use super::env::{Env, Stop, fail};
use super::grid::{Grid, run_parallel};
use super::machine::{Flow, Machine, Then, WaitKind};
use super::{DriverOp, EvalError, Output, Value, checks};
use crate::ir::{Elem, OpRef, Sym, names};
use crate::value::{Scalar, Tensor};

impl Machine {
    /// Evaluates an operation that is not a function of tensors.
    pub(super) fn drive(
        &mut self,
        env: &mut Env<'_, '_, '_>,
        grid: &mut Grid,
        op: OpRef<'_>,
        driver: DriverOp,
    ) -> Result<Flow, Stop> {
        let id = op.id;
        let results = match driver {
            DriverOp::Return => return self.leave_region(env, id),
            DriverOp::Call => return self.call(env, op, names::CALLEE),
            DriverOp::Composite => return self.call(env, op, names::DECOMPOSITION),
            DriverOp::While => {
                let values = self.operands(env, op)?;
                return self.test(env, id, values);
            }
            DriverOp::If => {
                let pred = self.scalar_operand(env, op)?.is_true();
                return self.branch(env, op, usize::from(!pred), Vec::new(), Then::Results(id));
            }
            DriverOp::Case => {
                let index = self.scalar_operand(env, op)?.as_i64();
                let last = op.regions().len().saturating_sub(1);
                let branch = usize::try_from(index).map_or(last, |index| index.min(last));
                return self.branch(env, op, branch, Vec::new(), Then::Results(id));
            }
            DriverOp::Region => {
                let args = self.operands(env, op)?;
                return self.branch(env, op, 0, args, Then::Results(id));
            }
            DriverOp::ManualRegion => return self.manual(env, grid, op),
            DriverOp::AsyncStart => {
                let mut args = self.operands(env, op)?;
                // The body may use the operands of the operation directly, and then takes no arguments.
                if op.region(0).args.is_empty() {
                    args.clear();
                }
                return self.branch(env, op, 0, args, Then::Future(id));
            }
            DriverOp::AsyncDone => match self.operands(env, op)?.pop() {
                Some(Value::Future(values)) => values,
                _ => return Err(fail("the operand is not a future")),
            },
            DriverOp::Identity => self.operands(env, op)?,
            DriverOp::Tuple => vec![Value::Tuple(self.operands(env, op)?)],
            DriverOp::GetTupleElement => {
                let index = op.int(names::INDEX).and_then(|index| usize::try_from(index).ok());
                match (self.operands(env, op)?.pop(), index) {
                    (Some(Value::Tuple(mut parts)), Some(index)) if index < parts.len() => {
                        vec![parts.swap_remove(index)]
                    }
                    _ => return Err(fail("the operand is not a tuple with such an element")),
                }
            }
            DriverOp::Token => {
                self.operands(env, op)?;
                vec![Value::Token]
            }
            DriverOp::ReplicaId => vec![device_id(self.device.replica)],
            DriverOp::PartitionId => vec![device_id(self.device.partition)],
            DriverOp::Collective(kind) => {
                let operands = self.tensors(env, op)?;
                env.check_results(op, &operands)?;
                return Ok(Flow::Wait(WaitKind::Collective(kind, operands)));
            }
            DriverOp::Send => {
                let values = self.tensors_and_token(env, op)?;
                grid.send(op, self.device, values)?;
                vec![Value::Token]
            }
            DriverOp::Receive => {
                self.operands(env, op)?;
                let message = grid.message(op, self.device)?;
                return Ok(Flow::Wait(WaitKind::Receive(message)));
            }
            DriverOp::Infeed => {
                self.operands(env, op)?;
                let Some(tensors) = grid.infeed.pop_front() else {
                    return Err(fail("nothing is left in the infeed"));
                };
                tensors.into_iter().map(Value::Tensor).chain([Value::Token]).collect()
            }
            DriverOp::Outfeed => {
                let tensors = self.tensors_and_token(env, op)?;
                env.emit(Output::Outfeed { device: self.device, tensors: &tensors });
                vec![Value::Token]
            }
            DriverOp::Print => {
                let tensors = self.tensors(env, op)?;
                let name = env.module.value_name(op.operands()[0]);
                for tensor in &tensors {
                    env.emit(Output::Print { name: name.clone(), tensor });
                }
                Vec::new()
            }
            DriverOp::Probe => {
                let tensors = self.tensors(env, op)?;
                if let (Some(id), [tensor]) = (probe_id(op), &tensors[..]) {
                    let kept = env.probes.entry(id).or_default();
                    let iteration = kept.len() as u32;
                    kept.push(tensor.clone());
                    let id = &op.module.strings[id];
                    env.emit(Output::Probe { id, iteration, tensor });
                }
                tensors.into_iter().map(Value::Tensor).collect()
            }
            DriverOp::ExpectProbe => {
                let tensors = self.tensors(env, op)?;
                if let Err(error) = expect_probe(env, op, &tensors) {
                    self.note_failed_check(env, id, error.message)?;
                }
                Vec::new()
            }
            DriverOp::RunParallel => {
                let inputs = self.operands(env, op)?;
                env.nested(|env| run_parallel(env, op, inputs))?
            }
        };
        self.complete(env, id, results)?;
        Ok(Flow::Next)
    }
}

fn device_id(id: u32) -> Value {
    Value::Tensor(Tensor::scalar(Elem::Uint(32), Scalar::Uint(u64::from(id))))
}

fn probe_id(op: OpRef<'_>) -> Option<Sym> {
    op.attr(names::PROBE_ID)?.as_str()
}

/// Compares with what a probe saw.
fn expect_probe(env: &Env<'_, '_, '_>, op: OpRef<'_>, tensors: &[Tensor]) -> Result<(), EvalError> {
    let iteration = op.int(names::ITERATION).unwrap_or(0);
    let kept = probe_id(op).and_then(|id| env.probes.get(&id)).map_or(&[][..], |kept| kept);
    let Some(seen) = usize::try_from(iteration).ok().and_then(|n| kept.get(n)) else {
        let message = format!("the probe was passed {} times, not {}", kept.len(), iteration + 1);
        return Err(EvalError::failed_check(message));
    };
    tensors.iter().try_for_each(|expected| checks::expect_equal(seen, expected))
}
