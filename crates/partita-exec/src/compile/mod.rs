//! From a module to a program: blocks of steps.
//!
//! Calls are inlined first. Constants are values that are there from the start; an `iota` is one row of numbers, repeated by strides.
//! Operations that only give a value another name are no steps. The rest becomes loops (`fuse`) and single steps, in an order near
//! that of the program, and each step knows which of its operands nothing reads afterwards.

mod fuse;
mod lower;
mod ops;

use crate::array::Array;
use crate::program::{Action, Block, Operand, Program, Step};
use crate::views::View;
pub(crate) use ops::captures;

use ops::Ops;
use partita::Module;
use partita::interpret::DriverOp;
use partita::ir::{Elem, FuncId, IdVec, OpId, OpRef, RegionId, Type, ValueId, names};
use partita::ops::{Eval, OpKind};
use partita::value::{Scalar, Tensor};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Longer rows of numbers are not written out before it is known that there is memory for them.
const MAX_ROW: i64 = 1 << 30;

/// Why a program is left to the reference interpreter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported(pub String);

impl<'m> Program<'m> {
    /// Compiles a function of a module that [`partita::verify::verify`] accepts.
    pub fn compile(module: &'m Module, func: FuncId) -> Result<Program<'m>, Unsupported> {
        let unsupported = |message: String| Unsupported(message);
        let mut functions: IdVec<FuncId, String> = IdVec::new();
        module.funcs.iter().for_each(|f| {
            functions.push(module.strings[f.name].to_string());
        });
        let function = func;
        let calls = module
            .ops
            .ids()
            .any(|op| matches!(module.op(op).def().eval, Eval::Driver(DriverOp::Call | DriverOp::Composite)));
        let (module, origin, func) = if calls {
            let inlined = partita::inline::inline(module, func)
                .map_err(|error| unsupported(error.message.to_string()))?;
            let first = inlined.module.funcs.ids().next();
            let first = first.ok_or_else(|| unsupported("there is no function".into()))?;
            (Cow::Owned(inlined.module), Some(inlined.op_origin), first)
        } else {
            (Cow::Borrowed(module), None, func)
        };
        let Some(body) = module.funcs[func].body else {
            return Err(unsupported(format!("`@{}` has no body", functions[function])));
        };
        let mut compiler = Compiler {
            module: &module,
            same: module.values.ids().fold(IdVec::new(), |mut list, id| {
                list.push(id);
                list
            }),
            blocks: Vec::new(),
            regions: FxHashMap::default(),
            constants: FxHashMap::default(),
            constant_list: Vec::new(),
        };
        compiler.name_values(body)?;
        let entry = compiler.block(body)?;
        let Compiler { blocks, regions, constant_list: constants, .. } = compiler;
        Ok(Program { origin, functions, function, func, blocks, entry, regions, constants, module })
    }
}

struct Compiler<'c> {
    module: &'c Module,
    /// For each value the one that it is another name of; itself, for most.
    same: IdVec<ValueId, ValueId>,
    blocks: Vec<Block>,
    regions: FxHashMap<RegionId, usize>,
    /// Which values are constants, by their place in the list.
    constants: FxHashMap<ValueId, usize>,
    constant_list: Vec<(ValueId, Array)>,
}

impl Compiler<'_> {
    /// Finds what needs no step, in a region and those in it, and refuses what cannot be compiled.
    fn name_values(&mut self, body: RegionId) -> Result<(), Unsupported> {
        let module = self.module;
        let mut regions = vec![body];
        while let Some(region) = regions.pop() {
            for value in module.regions[region].args.iter() {
                self.check_type(value)?;
            }
            for &id in &module.regions[region].ops {
                let op = module.op(id);
                // Regions are visited after the operations before them, so that names are known in there.
                regions.extend(op.regions());
                op.results().try_for_each(|value| self.check_type(value))?;
                match op.def().eval {
                    Eval::Driver(DriverOp::Identity) => {
                        for (result, operand) in op.results().zip(op.operands()) {
                            self.same[result] = self.same[*operand];
                        }
                    }
                    Eval::Driver(driver) => check_driver(op, driver)?,
                    Eval::Kernel(kernel) if op.operands().is_empty() && !op.has_effect() => {
                        self.constant(op, kernel)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn check_type(&self, value: ValueId) -> Result<(), Unsupported> {
        match self.module.type_of(value) {
            Type::Tensor(_) => Ok(()),
            other => Err(Unsupported(format!("a value is `{other}`"))),
        }
    }

    fn constant(
        &mut self,
        op: OpRef<'_>,
        kernel: fn(OpRef<'_>, &[Tensor]) -> Result<Vec<Tensor>, partita::interpret::EvalError>,
    ) -> Result<(), Unsupported> {
        let mut arrays = Vec::new();
        if op.kind() == OpKind::Iota {
            let row = op.int(names::IOTA_DIMENSION).and_then(|d| op.result_tensor(0).shape.get(d as usize));
            if row.is_some_and(|size| *size > MAX_ROW) {
                return Err(Unsupported("an `iota` is longer than memory".into()));
            }
            arrays.push(iota(op));
        } else {
            let tensors = kernel(op, &[]).map_err(|error| Unsupported(error.message))?;
            arrays.extend(tensors.into_iter().map(Array::new));
        }
        for (value, array) in op.results().zip(arrays) {
            self.constants.insert(value, self.constant_list.len());
            self.constant_list.push((value, array));
        }
        Ok(())
    }

    /// Compiles a region.
    fn block(&mut self, region: RegionId) -> Result<usize, Unsupported> {
        let module = self.module;
        let same = std::mem::take(&mut self.same);
        let constants = std::mem::take(&mut self.constants);
        let ops = Ops::new(module, region, &same, |v| constants.contains_key(&v));
        let groups = fuse::groups(&ops);
        let mut steps = Vec::with_capacity(groups.len());
        let mut pending = Vec::new();
        for group in &groups {
            let last = group.ops.last().copied();
            let Some(op) = last else { continue };
            let mut step = if group.is_loop {
                lower::fused(&ops, module, group)
            } else {
                lower::single(&ops, module, op)
            };
            step.drops = ops.captures(op).to_vec();
            pending.push((steps.len(), op));
            steps.push(step);
        }
        let results: Vec<ValueId> = match module.regions[region].ops.last() {
            Some(&end) => ops.operands(end).collect(),
            None => Vec::new(),
        };
        let mut made: FxHashSet<ValueId> =
            groups.iter().flat_map(|g| &g.ops).flat_map(|op| ops.results(*op)).collect();
        made.extend(module.regions[region].args.iter());
        let args = module.regions[region].args.iter().map(|arg| ops.is_read(arg).then_some(arg)).collect();
        drop(ops);
        self.same = same;
        self.constants = constants;
        // Regions inside come last: they need nothing that is borrowed above.
        for (n, op) in pending {
            self.inner_blocks(op, &mut steps[n])?;
        }
        let mut block = Block {
            args,
            steps,
            results: results.into_iter().map(|value| Operand { value, dies: false }).collect(),
        };
        mark_last_uses(&mut block, &made);
        self.blocks.push(block);
        Ok(self.blocks.len() - 1)
    }

    /// Compiles the regions of an operation.
    fn inner_blocks(&mut self, id: OpId, step: &mut Step) -> Result<(), Unsupported> {
        let op = self.module.op(id);
        let Eval::Driver(driver) = op.def().eval else {
            if matches!(step.action, Action::Reference) {
                for &region in op.regions() {
                    let block = self.block(region)?;
                    self.regions.insert(region, block);
                }
            }
            return Ok(());
        };
        let mut blocks = Vec::new();
        if !matches!(driver, DriverOp::Collective(_)) {
            for &region in op.regions() {
                blocks.push(self.block(region)?);
            }
        }
        step.action = match (driver, &blocks[..]) {
            (DriverOp::While, &[test, body]) => Action::While(test, body),
            (DriverOp::If | DriverOp::Case, _) => Action::Branch(blocks),
            (DriverOp::Region, &[body]) => Action::Inline(body),
            (DriverOp::ReplicaId, _) => Action::ReplicaId,
            (DriverOp::PartitionId, _) => Action::PartitionId,
            (DriverOp::Collective(kind), _) => {
                for &region in op.regions() {
                    let block = self.block(region)?;
                    self.regions.insert(region, block);
                }
                Action::Collective(kind)
            }
            _ => {
                return Err(Unsupported(format!("`{}` is left to the reference interpreter", op.def().name)));
            }
        };
        Ok(())
    }
}

/// What the executor does itself; everything else that is no function of tensors is left to the reference interpreter.
fn check_driver(op: OpRef<'_>, driver: DriverOp) -> Result<(), Unsupported> {
    match driver {
        DriverOp::Return
        | DriverOp::While
        | DriverOp::If
        | DriverOp::Case
        | DriverOp::Region
        | DriverOp::ReplicaId
        | DriverOp::PartitionId
        | DriverOp::Collective(_) => Ok(()),
        _ => Err(Unsupported(format!("`{}` is left to the reference interpreter", op.def().name))),
    }
}

/// Indices along one dimension, repeated along the others.
fn iota(op: OpRef<'_>) -> Array {
    let ty = op.result_tensor(0);
    let dim = op.int(names::IOTA_DIMENSION).unwrap_or(0) as usize;
    let Some(&size) = ty.shape.get(dim) else {
        return Array::new(Tensor::splat(ty.clone(), Scalar::zero(ty.elem)));
    };
    let elem: Elem = ty.elem;
    let row =
        Tensor::from_fn(partita::ir::TensorType::new(elem, [size]), |i| Scalar::from_i64(elem, i as i64));
    View::Broadcast(ty.shape.clone(), [dim as i64].into_iter().collect())
        .apply(Array::new(row), &mut crate::pool::Pool::default())
}

/// Says of each operand whether it is the last use of its value, and which values die besides. Only what the block itself
/// makes can die in it.
fn mark_last_uses(block: &mut Block, made: &FxHashSet<ValueId>) {
    let mut used_later: FxHashSet<ValueId> = FxHashSet::default();
    for operand in block.results.iter_mut().rev() {
        operand.dies = made.contains(&operand.value) && used_later.insert(operand.value);
    }
    for step in block.steps.iter_mut().rev() {
        // What regions read stays until the step is done.
        step.drops.retain(|value| made.contains(value) && used_later.insert(*value));
        for operand in step.operands.iter_mut().rev() {
            operand.dies = made.contains(&operand.value) && used_later.insert(operand.value);
        }
    }
}
