//! Partitioning: one program for all devices, from a program and a sharding for every tensor.
//!
//! Every value lies on the devices in a [`Layout`], perhaps in several. For each op the cheapest way to split it is chosen
//! (`choose`); operands are brought to the layouts that asks for (`reshard`), and the op runs on shards (`ops`). Partial
//! results are combined where that is cheapest (`unreduced`). An op that cannot be split runs whole on every device, which is
//! always right; such ops are listed.

mod boundary;
mod choose;
mod cleanup;
mod contributions;
mod control;
mod deliver;
#[cfg(test)]
mod deliver_tests;
mod destination;
mod donation;
mod emit;
mod exchange;
mod fetch;
#[cfg(test)]
mod fetch_tests;
#[cfg(test)]
mod harness;
mod layout;
mod lookup;
mod manual;
mod ops;
mod order;
mod ordered;
mod pattern;
mod price;
mod record;
mod remake;
mod reshard;
mod run;
mod schedule;
mod share;
mod shift;
mod signature;
mod split;
mod stages;
mod unreduced;
mod uses;
mod values;
mod windows;

pub use boundary::{join, join_shards, shard, spoiled_shard};
pub(crate) use cleanup::{effects, remove_unused};
pub(crate) use emit::{Emit, Purpose};
pub use layout::{DimLayout, Layout, Partial};
pub use pattern::{Pattern, Positions};
pub use price::{Prices, all_reduce_bytes, payload_bytes, ring_bytes, tensor_payload};
pub use record::Collective;
pub use reshard::PathCache;
pub use run::Cut;
pub(crate) use schedule::schedule;
pub use signature::{Global, Signature};
pub(crate) use unreduced::could_be_partial;

use crate::diagnostic::Diagnostic;
use crate::inline::Inlined;
use crate::ir::attr::IntType;
use crate::ir::*;
use crate::ops::Spread;
use crate::propagate::{Propagated, SlotId};
use crate::sharding::Mesh;
use choose::{Choice, Question};
use ops::reasons;
use reshard::Planner;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use unreduced::Unreduced;
use uses::Uses;
use values::{Bound, Scope};

/// A program for every device of a mesh.
#[derive(Clone)]
pub struct Partitioned {
    /// The module; its first function takes and gives shards, and others are those that code outside calls.
    pub module: Module,
    /// How the arguments lie.
    pub arguments: Vec<Layout>,
    /// How the results lie.
    pub results: Vec<Layout>,
    /// The mesh.
    pub mesh: Mesh,
    /// Every collective of the module, in the order they were written.
    pub collectives: Vec<Collective>,
    /// Operations of the input that run whole on every device though an operand or a result of theirs is split, and why.
    pub replicated: Vec<(OpId, String)>,
}

/// Partitions a program whose shardings are complete, for no device in particular. Operations come in the order of the program;
/// [`crate::optimise`] finds a better one.
pub fn partition(program: &Inlined, shardings: &Propagated) -> Result<Partitioned, Diagnostic> {
    partition_at(program, shardings, Prices::default())
}

/// Partitions a program whose shardings are complete, where moving and computing have these prices.
pub fn partition_at(
    program: &Inlined,
    shardings: &Propagated,
    prices: Prices,
) -> Result<Partitioned, Diagnostic> {
    partition_with(program, shardings, &PathCache::new(shardings.mesh.clone(), prices))
}

/// Partitions a program whose shardings are complete over the mesh of a cache, at its prices and with the paths that it knows.
pub fn partition_with(
    program: &Inlined,
    shardings: &Propagated,
    paths: &PathCache,
) -> Result<Partitioned, Diagnostic> {
    debug_assert_eq!(&shardings.mesh, paths.mesh());
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
    let mut planner = Planner::new(paths);
    let uses = Uses::in_program(input);
    let unreduced = Unreduced::find(input, shardings, &uses, &mut planner);
    let mut partitioner = Partitioner {
        input,
        mesh: &shardings.mesh,
        shardings,
        uses,
        larger: FxHashMap::default(),
        done: FxHashSet::default(),
        unreduced,
        planner,
        emit: Emit::new(module, &shardings.mesh, exchange::last_message_channel(input)),
        bound: IdVec::filled(Bound::None, input.values.len()),
        whole: IdVec::filled(0, input.values.len()),
        scopes: Vec::new(),
        choices: FxHashMap::default(),
        current: None,
        gathered: Vec::new(),
    };
    let (arguments, results) = partitioner.function()?;
    partitioner.called_functions()?;
    let Partitioner { emit, gathered, .. } = partitioner;
    let mut partitioned = Partitioned {
        module: emit.module,
        mesh: shardings.mesh.clone(),
        collectives: emit.collectives,
        arguments,
        results,
        replicated: gathered,
    };
    cleanup::remove_unused(&mut partitioned);
    Ok(partitioned)
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
    /// Who uses each value of the input.
    uses: Uses,
    /// Values that are larger than what they are made of, with what it costs to gather that and make them whole.
    larger: FxHashMap<ValueId, u64>,
    /// Ops that are done already, together with the one before them.
    done: FxHashSet<OpId>,
    /// Which values stay partial.
    unreduced: Unreduced,
    planner: Planner<'m>,
    emit: Emit<'m>,
    bound: IdVec<ValueId, Bound>,
    /// How many ops have to run for a value to be made whole on every device without anything being moved; none where it
    /// cannot be.
    whole: IdVec<ValueId, u8>,
    /// The regions that are open, innermost last.
    scopes: Vec<Scope>,
    /// Ops that are alike are split alike.
    choices: FxHashMap<Question, Rc<Choice>>,
    /// The op of the input that is being partitioned.
    current: Option<OpId>,
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
        let args: Vec<ValueId> = self.input.regions[body].args.iter().collect();
        let arguments: Vec<Layout> = args.iter().map(|arg| self.home(*arg)).collect();
        let region = self.open_region(&args, &arguments, 1);
        for (n, (&arg, layout)) in args.iter().zip(&arguments).enumerate() {
            let shard = self.request(arg, layout, reasons::DEVICES)?;
            let passed = self.pass_on(arg, (shard, layout), func.arg_attrs.get(n), true)?;
            if passed != shard {
                self.bind(arg, layout.clone(), passed);
            }
        }
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
        self.current = self.input.regions[body].ops.last().copied();
        let mut shards = Vec::with_capacity(results.len());
        for (n, (&value, layout)) in self.returned(body).iter().zip(&results).enumerate() {
            let shard = self.request(value, layout, reasons::RETURN)?;
            shards.push(self.pass_on(value, (shard, layout), func.result_attrs.get(n), false)?);
        }
        self.end_region(body, &shards);
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
        donation::keep_what_fits(&mut out);
        self.emit.module.add_func(out);
        Ok((arguments, results))
    }

    /// The functions behind the first, which code outside calls by their names, as they are.
    fn called_functions(&mut self) -> Result<(), Diagnostic> {
        for func in self.input.funcs.iter().skip(1) {
            let mut copy = func.clone();
            copy.body = func.body.map(|body| self.copy_region(body)).transpose()?;
            self.emit.module.add_func(copy);
        }
        Ok(())
    }

    /// The layout that propagation gave a value.
    fn home(&self, value: ValueId) -> Layout {
        match self.shardings.graph.value_slot(value) {
            Some(slot) => self.layout(slot, value),
            None => self.replicated(value),
        }
    }

    /// The layout of a slot that a value belongs to.
    fn layout(&self, slot: SlotId, value: ValueId) -> Layout {
        Layout::of(self.mesh, self.shape(value), self.shardings.graph.dimensions(slot))
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

    fn op(&mut self, op: OpRef<'m>) -> Result<(), Diagnostic> {
        if self.done.contains(&op.id) {
            return Ok(());
        }
        if self.is_lazy(op) {
            for result in op.results() {
                self.bound[result] = Bound::Lazy(op.id, smallvec::SmallVec::new());
            }
            return Ok(());
        }
        match op.def().spread {
            Spread::Rule(..) => match self.question(op, |v| (self.home(v), self.destination(v))) {
                Some((subject, question)) => self.rule_op(&subject, question),
                None => self.whole(op, "no rule is known for its operands"),
            },
            Spread::Whole(reason) => self.whole(op, reason),
            Spread::Constraint | Spread::Barrier => {
                for (&operand, result) in op.operands().iter().zip(op.results()) {
                    if self.is_narrowed(result) && !self.is_partial(operand) {
                        self.bound[result] = self.bound[operand].clone();
                        continue;
                    }
                    let layout = self.home(result);
                    let value = self.request(operand, &layout, reasons::ANNOTATION)?;
                    // A barrier keeps shardings apart: the value itself goes through as it is.
                    let others = match op.def().spread {
                        Spread::Barrier => self.complete_versions(operand),
                        _ => Vec::new(),
                    };
                    self.bind(result, layout, value);
                    others.into_iter().for_each(|v| self.add_version(result, v));
                }
                Ok(())
            }
            Spread::Pairs => self.pairs(op),
            Spread::Loop => self.loop_op(op),
            Spread::Branches => self.branches(op),
            Spread::Region => self.inlined_region(op),
            Spread::Group => Ok(()),
            Spread::Constant | Spread::Nothing => self.whole(op, "it has no rule"),
            Spread::Manual => self.manual_region(op),
        }
    }
}
