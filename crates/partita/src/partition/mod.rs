//! Partitioning: one program for all devices, from a program and a sharding for every tensor.
//!
//! Every value lies on the devices in a [`Layout`]. An op is run on shards where its rule allows it: operands are brought
//! to the layouts that the chosen split of its factors asks for, partial results are combined, and the result is brought to
//! the layout that propagation gave it. An op that cannot be split runs whole on every device, which is always right;
//! such ops are listed.

mod boundary;
mod choose;
mod emit;
mod fetch;
#[cfg(test)]
mod harness;
mod layout;
mod ops;
mod pattern;
mod price;
mod record;
mod reshard;
mod run;
mod signature;

pub use boundary::{join, shard};
pub use layout::{DimLayout, Layout, Partial};
pub use pattern::{Pattern, Positions};
pub use price::{all_reduce_bytes, payload_bytes, ring_bytes, tensor_payload};
pub use record::Collective;
pub use signature::{Global, Signature};

use crate::diagnostic::Diagnostic;
use crate::inline::Inlined;
use crate::ir::attr::IntType;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::{Flow, Spread};
use crate::propagate::{Propagated, SlotId};
use crate::sharding::Mesh;
use emit::Emit;
use reshard::{Planner, reshard};
use smallvec::SmallVec;

/// A program for every device of a mesh.
pub struct Partitioned {
    /// The module; its only function takes and gives shards.
    pub module: Module,
    /// How the arguments lie.
    pub arguments: Vec<Layout>,
    /// How the results lie.
    pub results: Vec<Layout>,
    /// The mesh.
    pub mesh: Mesh,
    /// Every collective of the module, in the order they were written.
    pub collectives: Vec<Collective>,
    /// Operations of the input that run whole on every device though a result of theirs is split, and why.
    pub replicated: Vec<(OpId, String)>,
}

/// Partitions a program whose shardings are complete.
pub fn partition(program: &Inlined, shardings: &Propagated) -> Result<Partitioned, Diagnostic> {
    let input = &program.module;
    let mut module = Module::new();
    module.name = input.name;
    module.strings = input.strings.clone();
    module.types = input.types.clone();
    module.locs = input.locs.clone();
    module.loc = input.loc;
    let mut attrs = Attrs::default();
    attrs.set(names::MHLO_NUM_PARTITIONS, Attr::Int(shardings.mesh.device_count(), IntType::I32));
    attrs.set(names::MHLO_NUM_REPLICAS, Attr::Int(1, IntType::I32));
    module.attrs = attrs;
    let mut partitioner = Partitioner {
        input,
        mesh: &shardings.mesh,
        shardings,
        emit: Emit::new(module, &shardings.mesh),
        planner: Planner::new(&shardings.mesh),
        bound: IdVec::filled(Bound::None, input.values.len()),
        moved: Vec::new(),
        gathered: Vec::new(),
    };
    let (arguments, results) = partitioner.function()?;
    let Partitioner { emit, gathered, .. } = partitioner;
    Ok(Partitioned {
        module: emit.module,
        mesh: shardings.mesh.clone(),
        collectives: emit.collectives,
        arguments,
        results,
        replicated: gathered,
    })
}

/// What a value of the input is in the output.
#[derive(Clone)]
enum Bound {
    None,
    /// A tensor in a layout.
    Laid(Layout, ValueId),
    /// Made of constants: written anew where it is used, as it is needed there.
    Lazy(OpId),
    /// No tensor.
    Other(ValueId),
}

impl Partitioned {
    /// Writes the groups and pairs of devices of all collectives out: after this the module is complete. It is the only
    /// step whose time grows with the number of devices.
    pub fn expand(&mut self) {
        record::expand(&mut self.module, &self.mesh, &self.collectives);
    }
}

struct Partitioner<'m> {
    input: &'m Module,
    mesh: &'m Mesh,
    shardings: &'m Propagated,
    emit: Emit<'m>,
    planner: Planner<'m>,
    bound: IdVec<ValueId, Bound>,
    /// Values in other layouts than their own, for each open region.
    moved: Vec<Vec<(ValueId, Layout, ValueId)>>,
    /// Ops that run whole on every device, and why.
    gathered: Vec<(OpId, String)>,
}

impl<'m> Partitioner<'m> {
    fn function(&mut self) -> Result<(Vec<Layout>, Vec<Layout>), Diagnostic> {
        let Some(func) = self.input.funcs.iter().next() else {
            return Err(Diagnostic::new("no-function", Span::default(), "there is no function to partition"));
        };
        let Some(body) = func.body else {
            return Err(Diagnostic::new("no-function", func.span, "the function has no body"));
        };
        let args = self.input.regions[body].args;
        let arguments: Vec<Layout> = args.iter().map(|arg| self.wanted(arg)).collect();
        let region = self.open_region(args, &arguments);
        self.region_ops(body)?;
        let slots = self.shardings.graph.result_slots().to_vec();
        let results: Vec<Layout> = self
            .returned(body)
            .iter()
            .enumerate()
            .map(|(n, value)| match slots.get(n).copied().flatten() {
                Some(slot) => self.layout(slot, *value),
                None => self.replicated(*value),
            })
            .collect();
        self.return_from(body, &results)?;
        self.close_region();
        let mut out = func.clone();
        out.body = Some(region);
        out.inputs =
            self.emit.module.regions[region].args.iter().map(|v| self.emit.module.values[v].ty).collect();
        out.results = match self.emit.module.regions[region].ops.last() {
            Some(&last) => {
                self.emit.module.operands(last).iter().map(|v| self.emit.module.values[*v].ty).collect()
            }
            None => Vec::new(),
        };
        let strip = |attrs: &mut Attrs| {
            attrs.remove(names::SDY_SHARDING);
            attrs.remove(names::MHLO_SHARDING);
        };
        out.arg_attrs.iter_mut().chain(&mut out.result_attrs).for_each(strip);
        self.emit.module.add_func(out);
        Ok((arguments, results))
    }

    fn rank(&self, value: ValueId) -> usize {
        self.input.tensor_type(value).map_or(0, TensorType::rank)
    }

    /// The layout that propagation gave a value.
    fn wanted(&self, value: ValueId) -> Layout {
        match self.shardings.graph.value_slot(value) {
            Some(slot) => self.layout(slot, value),
            None => self.replicated(value),
        }
    }

    /// The layout of a slot that a value belongs to.
    fn layout(&self, slot: SlotId, value: ValueId) -> Layout {
        Layout::of(self.mesh, self.shape(value), &self.shardings.sharding(slot))
    }

    /// A value whole on every device.
    fn replicated(&self, value: ValueId) -> Layout {
        Layout::replicated(self.shape(value))
    }

    fn shape(&self, value: ValueId) -> &'m [i64] {
        self.input.tensor_type(value).map_or(&[], |ty| &ty.shape)
    }

    /// The type of one shard of a value.
    fn local_type(&self, value: ValueId, layout: &Layout) -> Type {
        match self.input.type_of(value) {
            Type::Tensor(ty) => Type::Tensor(layout.local(ty)),
            other => other.clone(),
        }
    }

    /// Opens a region whose arguments are shards of those of a region of the input.
    fn open_region(&mut self, args: IdRange<ValueId>, layouts: &[Layout]) -> RegionId {
        let region = self.emit.module.add_region();
        let mut list = Vec::with_capacity(args.len());
        for (arg, layout) in args.iter().zip(layouts) {
            let ty = self.local_type(arg, layout);
            let value = &self.input.values[arg];
            list.push((self.emit.module.types.intern(ty), value.name, value.loc));
        }
        let range = self.emit.module.add_region_args(region, list);
        for ((old, new), layout) in args.iter().zip(range.iter()).zip(layouts) {
            self.bind(old, layout.clone(), new);
        }
        self.emit.regions.push(region);
        self.moved.push(Vec::new());
        region
    }

    fn close_region(&mut self) {
        self.emit.regions.pop();
        self.moved.pop();
    }

    fn bind(&mut self, value: ValueId, layout: Layout, new: ValueId) {
        self.bound[value] = match self.input.type_of(value) {
            Type::Tensor(_) => Bound::Laid(layout, new),
            _ => Bound::Other(new),
        };
    }

    fn region_ops(&mut self, region: RegionId) -> Result<(), Diagnostic> {
        let input = self.input;
        for &op in &input.regions[region].ops {
            let op = input.op(op);
            if !op.def().traits.terminator {
                self.emit.loc = op.op().loc;
                self.op(op)?;
            }
        }
        Ok(())
    }

    /// What a region of the input returns.
    fn returned(&self, region: RegionId) -> &'m [ValueId] {
        let input = self.input;
        input.regions[region].ops.last().map_or(&[], |op| input.operands(*op))
    }

    /// Ends the innermost region with what a region of the input returns, in layouts.
    fn return_from(&mut self, region: RegionId, layouts: &[Layout]) -> Result<(), Diagnostic> {
        let input = self.input;
        let Some(&last) = input.regions[region].ops.last() else { return Ok(()) };
        let mut new = NewOp::new(input.ops[last].kind);
        for (&value, layout) in input.operands(last).iter().zip(layouts) {
            new.operands.push(self.request(value, layout)?);
        }
        new.loc = input.ops[last].loc;
        self.emit.add(new);
        Ok(())
    }

    /// A value in a layout.
    fn request(&mut self, value: ValueId, layout: &Layout) -> Result<ValueId, Diagnostic> {
        let known = self.moved.iter().rev().flatten().find(|(v, l, _)| *v == value && l == layout);
        if let Some((_, _, new)) = known {
            return Ok(*new);
        }
        let new = match self.bound[value].clone() {
            Bound::Other(new) => return Ok(new),
            Bound::Laid(from, new) if from == *layout => return Ok(new),
            Bound::Laid(from, new) => {
                let Some(ty) = self.input.tensor_type(value) else { return Ok(new) };
                reshard(&mut self.emit, &mut self.planner, new, ty, &from, layout)
            }
            Bound::Lazy(op) => self.lazy(self.input.op(op), layout)?,
            Bound::None => {
                let message = format!("`{}` has not been computed", self.input.value_name(value));
                return Err(Diagnostic::new("internal", Span::default(), message));
            }
        };
        if let Some(moved) = self.moved.last_mut() {
            moved.push((value, layout.clone(), new));
        }
        Ok(new)
    }

    fn op(&mut self, op: OpRef<'m>) -> Result<(), Diagnostic> {
        if self.is_lazy(op) {
            for result in op.results() {
                self.bound[result] = Bound::Lazy(op.id);
            }
            return Ok(());
        }
        match op.def().spread {
            Spread::Rule(rule, flow) => {
                let rule = rule(op).map_err(|e| {
                    Diagnostic::new("rule", op.op().span, format!("`{}`: {}", op.def().name, e.message))
                })?;
                self.rule_op(op, &rule, flow)
            }
            Spread::Constraint | Spread::Barrier | Spread::Pairs => {
                for (&operand, result) in op.operands().iter().zip(op.results()) {
                    let layout = self.wanted(result);
                    let value = self.request(operand, &layout)?;
                    self.bind(result, layout, value);
                }
                Ok(())
            }
            Spread::Loop => self.control(op, true),
            Spread::Branches => self.control(op, false),
            Spread::Group => Ok(()),
            Spread::Constant | Spread::Nothing => self.whole(op, "it has no rule"),
            Spread::Region | Spread::Manual => {
                let message = format!("`{}` cannot be partitioned yet", op.def().name);
                Err(Diagnostic::new("unsupported", op.op().span, message))
            }
        }
    }

    /// Whether an op is made of constants alone, so that each use of it can be written where it is needed.
    fn is_lazy(&self, op: OpRef<'m>) -> bool {
        if op.attr(names::SDY_SHARDING).is_some() {
            return false;
        }
        let lazy = |v: &ValueId| matches!(self.bound[*v], Bound::Lazy(_));
        match op.def().spread {
            Spread::Constant => true,
            Spread::Rule(_, Flow::Broadcast) => op.operands().iter().all(|v| lazy(v) || self.rank(*v) == 0),
            Spread::Rule(_, Flow::Elementwise | Flow::PassThrough) => op.operands().iter().all(lazy),
            _ => false,
        }
    }

    /// Loops and branches: results, carries and what regions return lie alike, place by place.
    fn control(&mut self, op: OpRef<'m>, carries: bool) -> Result<(), Diagnostic> {
        let layouts: Vec<Layout> = op.results().map(|v| self.wanted(v)).collect();
        let mut new = NewOp::new(op.kind());
        for (n, &operand) in op.operands().iter().enumerate() {
            let layout = if carries { layouts[n].clone() } else { self.replicated(operand) };
            new.operands.push(self.request(operand, &layout)?);
        }
        new.attrs = op.op().attrs.clone();
        new.attrs.remove(names::SDY_SHARDING);
        new.loc = op.op().loc;
        for (n, &region) in op.regions().iter().enumerate() {
            let arguments: SmallVec<[Layout; 4]> = match carries {
                true => layouts.iter().cloned().collect(),
                false => SmallVec::new(),
            };
            let opened = self.open_region(self.input.regions[region].args, &arguments);
            self.region_ops(region)?;
            // The condition of a loop returns a scalar.
            if carries && n == 0 {
                self.return_from(region, &[Layout::replicated(&[])])?;
            } else {
                self.return_from(region, &layouts)?;
            }
            self.close_region();
            new.regions.push(opened);
        }
        for (result, layout) in op.results().zip(&layouts) {
            let ty = self.local_type(result, layout);
            new.result_types.push(self.emit.module.types.intern(ty));
        }
        let id = self.emit.add(new);
        let results = self.emit.module.ops[id].results;
        for ((old, new), layout) in op.results().zip(results.iter()).zip(layouts) {
            self.bind(old, layout, new);
        }
        Ok(())
    }
}
