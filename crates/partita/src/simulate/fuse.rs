//! Ops on elements, joined with their neighbours: a chain of them reads its inputs and writes its outputs once.
//!
//! Ops are joined along values as long as nothing else has to be done in between: each has a *depth*, the most ops of other
//! kinds on any way to it, and only ops of one depth are joined, so that no chain waits for itself. An op that could run early but is
//! needed late waits for the chain that needs it, where that takes no more from memory. What is made of next to nothing (numbers in a
//! row, a small tensor repeated) is made anew wherever it is used.
//!
//! On devices that can, a product takes its operands from where they are cut out, and what it gives is added where it is computed if
//! nothing else is done with it.

use super::roofline::Roofline;
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::linear::Linear;
use crate::ops::rule::Combine;
use crate::ops::{Eval, Unit};
use rustc_hash::FxHashSet;

/// A value at least this many times larger than what it is made of is made anew wherever it is used.
const REPEATED: u64 = 8;

/// A chain of ops.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Chain(u32);

/// What ops take that are joined with others.
pub(super) struct Fused {
    /// How long each op on elements takes, as its part of its chain.
    pub(super) seconds: IdVec<OpId, f64>,
    /// Bytes that a product reads besides its operands: what its result is added to.
    pub(super) added_to: IdVec<OpId, f64>,
}

/// Joins the ops of a program.
pub(super) fn fuse(module: &Module, roofline: &Roofline<'_>) -> Fused {
    let mut joined = Joined {
        module,
        source: module.values.ids().collect(),
        depth: IdVec::filled(0, module.values.len()),
        at: IdVec::filled(None, module.ops.len()),
        chain: IdVec::filled(None, module.values.len()),
        remade: IdVec::filled(false, module.values.len()),
        stored: IdVec::filled(false, module.values.len()),
        of_op: IdVec::filled(None, module.ops.len()),
        parent: Vec::new(),
        uses: module.use_counts(),
        used_by_products: products_operands(module),
        region: IdVec::filled(None, module.ops.len()),
        fuses_products: roofline.fuses_products(),
        added_to: IdVec::filled(0.0, module.ops.len()),
    };
    if let Some(body) = module.funcs.iter().next().and_then(|f| f.body) {
        joined.order(body);
        joined.delay(body, &mut Need::new(module));
        joined.join(body);
        joined.store(body);
    }
    let seconds = joined.cost(roofline);
    Fused { seconds, added_to: joined.added_to }
}

/// How often each value is an operand of a product.
fn products_operands(module: &Module) -> IdVec<ValueId, u32> {
    let mut counts = IdVec::filled(0, module.values.len());
    for op in module.reachable_ops() {
        if module.op(op).def().unit() == Unit::Matrix {
            module.operands(op).iter().for_each(|v| counts[*v] += 1);
        }
    }
    counts
}

/// Whether an op only gives on what it gets, under other names or shapes.
fn passes_on(op: OpRef<'_>) -> bool {
    op.def().unit() == Unit::Nowhere
        && op.operands().len() == op.op().results.len()
        && !op.def().runs_regions()
}

/// Where values are needed first.
struct Need {
    /// The depth of the first chain that needs a value, and the region of all that do; none inside where something else does.
    first: IdVec<ValueId, Option<Option<(u32, RegionId)>>>,
}

impl Need {
    fn new(module: &Module) -> Need {
        Need { first: IdVec::filled(None, module.values.len()) }
    }

    /// Notes that a chain of some depth needs a value, or that something else does.
    fn note(&mut self, value: ValueId, by: Option<(u32, RegionId)>) {
        self.first[value] = Some(match (self.first[value], by) {
            (None, by) => by,
            (Some(Some((a, region))), Some((b, other))) if region == other => Some((a.min(b), region)),
            _ => None,
        });
    }

    /// The depth of the first chain that needs a value of a region, if only chains of the region do.
    fn first(&self, value: ValueId, region: RegionId) -> Option<u32> {
        self.first[value].flatten().filter(|(_, of)| *of == region).map(|(depth, _)| depth)
    }
}

struct Joined<'m> {
    module: &'m Module,
    /// The value that a value is under another name or shape: itself, for most.
    source: Vec<ValueId>,
    /// How many ops of other kinds have to run before the value is there.
    depth: IdVec<ValueId, u32>,
    /// How deep the chain of an op on elements is.
    at: IdVec<OpId, Option<u32>>,
    /// The chain that makes a value.
    chain: IdVec<ValueId, Option<Chain>>,
    /// Values that are made anew wherever they are used.
    remade: IdVec<ValueId, bool>,
    /// Values of chains that others need, so that they are written to memory.
    stored: IdVec<ValueId, bool>,
    /// The chain of an op.
    of_op: IdVec<OpId, Option<Chain>>,
    /// Chains that were joined: the one that stands for each.
    parent: Vec<u32>,
    /// How often each value is used.
    uses: IdVec<ValueId, u32>,
    /// Where each op stands that was met.
    region: IdVec<OpId, Option<RegionId>>,
    /// How often each value is used by products.
    used_by_products: IdVec<ValueId, u32>,
    /// Whether products are joined with what is around them.
    fuses_products: bool,
    /// What products read besides their operands.
    added_to: IdVec<OpId, f64>,
}

impl Joined<'_> {
    fn source(&self, value: ValueId) -> ValueId {
        self.source[value.index()]
    }

    fn find(&mut self, chain: Chain) -> Chain {
        let mut at = chain.0;
        while self.parent[at as usize] != at {
            let above = self.parent[at as usize];
            self.parent[at as usize] = self.parent[above as usize];
            at = above;
        }
        Chain(at)
    }

    fn bytes(&self, value: ValueId) -> u64 {
        device_bytes(self.module.type_of(value))
    }

    /// Finds how deep the ops of a region are. Recursion is bounded by the nesting that the parser allows.
    fn order(&mut self, region: RegionId) {
        let module = self.module;
        for &id in &module.regions[region].ops {
            let op = module.op(id);
            let unit = op.def().unit();
            self.region[id] = Some(region);
            if op.def().runs_regions() {
                op.regions().iter().for_each(|&inner| self.order(inner));
            }
            let sources: Vec<ValueId> = op.operands().iter().map(|&v| self.source(v)).collect();
            if passes_on(op) {
                for (result, &source) in op.results().zip(&sources) {
                    self.source[result.index()] = source;
                }
                continue;
            }
            let depth = sources.iter().map(|&v| self.depth[v]).max().unwrap_or(0);
            if self.adds_product(op) {
                op.results().for_each(|result| self.depth[result] = depth + 1);
                continue;
            }
            if self.cuts_operand(op) {
                op.results().for_each(|result| self.depth[result] = depth);
                continue;
            }
            self.at[id] = matches!(unit, Unit::Elements | Unit::Fold).then_some(depth);
            // What other ops make is there one step later.
            let at_once = unit == Unit::Elements || unit == Unit::Nowhere;
            let after = if at_once { depth } else { depth + 1 };
            let from = self.read_by(&sources);
            for result in op.results() {
                self.depth[result] = after;
                let repeats = from.saturating_mul(REPEATED) <= self.bytes(result);
                self.remade[result] = unit == Unit::Elements && repeats && !op.def().traits.effect;
            }
            if unit == Unit::Nowhere && sources.is_empty() {
                op.results().for_each(|result| self.remade[result] = true);
            }
        }
    }

    /// Bytes of values that have to be read from memory.
    fn read_by(&self, sources: &[ValueId]) -> u64 {
        sources.iter().filter(|v| !self.remade[**v]).map(|&v| self.bytes(v)).sum()
    }

    /// Lets ops on elements wait for the first chain that needs what they make, if only chains do. Then the result is neither
    /// written nor read again, but the operands are read later.
    fn delay(&mut self, region: RegionId, need: &mut Need) {
        let module = self.module;
        for &id in module.regions[region].ops.iter().rev() {
            let op = module.op(id);
            let inner = if op.def().runs_regions() { op.regions() } else { &[] };
            inner.iter().for_each(|&inner| self.delay(inner, need));
            if passes_on(op) {
                continue;
            }
            let sources: Vec<ValueId> = op.operands().iter().map(|&v| self.source(v)).collect();
            if self.at[id].is_some() && op.def().unit() == Unit::Elements && !op.def().traits.effect {
                let first = op.results().map(|v| need.first(v, region)).min().flatten();
                let made: u64 = op.results().map(|v| self.bytes(v)).sum();
                if let Some(first) = first.filter(|_| self.read_by(&sources) <= 2 * made) {
                    self.at[id] = Some(first);
                    op.results().for_each(|v| self.depth[v] = first);
                }
            }
            let by = self.at[id].map(|depth| (depth, region));
            sources.iter().for_each(|&source| need.note(source, by));
        }
    }

    /// Joins the ops of a region.
    fn join(&mut self, region: RegionId) {
        let module = self.module;
        let first = self.parent.len() as u32;
        for &id in &module.regions[region].ops {
            let op = module.op(id);
            if op.def().runs_regions() {
                op.regions().iter().for_each(|&inner| self.join(inner));
            }
            let Some(depth) = self.at[id] else { continue };
            let sources: Vec<ValueId> = op.operands().iter().map(|&v| self.source(v)).collect();
            let chain = self.chain_of(&sources, depth, first);
            self.of_op[id] = Some(chain);
            op.results().for_each(|result| self.chain[result] = Some(chain));
        }
    }

    /// Whether an op cuts out a part of a tensor for products alone: they read it from there.
    fn cuts_operand(&self, op: OpRef<'_>) -> bool {
        let mut results = op.results();
        let (Some(result), None) = (results.next(), results.next()) else { return false };
        let Some(&from) = op.operands().first() else { return false };
        let only_moves = !matches!(op.def().eval, Eval::Elementwise(_))
            && op.def().unit() == Unit::Elements
            && (op.def().linear)(op, Combine::Add) == Linear::Together(1);
        self.fuses_products
            && only_moves
            && self.bytes(result) <= self.bytes(from)
            && self.uses[result] > 0
            && self.uses[result] == self.used_by_products[result]
    }

    /// Whether an op adds a product that nothing else needs to something: the product is then added where it is computed.
    fn adds_product(&mut self, op: OpRef<'_>) -> bool {
        let &[left, right] = op.operands() else { return false };
        let adds = matches!(op.def().eval, Eval::Elementwise(_))
            && (op.def().linear)(op, Combine::Add) == Linear::Together(0b11);
        if !self.fuses_products || !adds {
            return false;
        }
        // Of two products the one that is computed last.
        for (product, other) in [(right, left), (left, right)] {
            let here =
                |by: &OpRef<'_>| self.region[by.id] == self.region[op.id] && self.added_to[by.id] == 0.0;
            let by = self.only_use(product).filter(|by| by.def().unit() == Unit::Matrix && here(by));
            if let Some(by) = by.map(|by| by.id) {
                self.added_to[by] = self.bytes(self.source(other)) as f64;
                return true;
            }
        }
        false
    }

    /// The op that makes a value that is used once, whatever it is called in between.
    fn only_use(&self, mut value: ValueId) -> Option<OpRef<'_>> {
        loop {
            let by = self.module.made_by(value).filter(|_| self.uses[value] == 1)?;
            if !passes_on(by) {
                return Some(by);
            }
            value = by.results().zip(by.operands()).find(|(result, _)| *result == value).map(|(_, v)| *v)?;
        }
    }

    /// The chain that goes on with an op: those of its operands that are as deep as it is, joined, or a new one.
    fn chain_of(&mut self, sources: &[ValueId], depth: u32, first: u32) -> Chain {
        let mut mine: Option<Chain> = None;
        for &source in sources {
            let Some(chain) = self.chain[source].filter(|_| self.depth[source] == depth) else { continue };
            let chain = self.find(chain);
            // Chains of regions outside are not gone on with.
            if chain.0 < first || self.remade[source] {
                continue;
            }
            if let Some(other) = mine {
                self.parent[chain.0.max(other.0) as usize] = chain.0.min(other.0);
                mine = Some(Chain(chain.0.min(other.0)));
            } else {
                mine = Some(chain);
            }
        }
        mine.unwrap_or_else(|| {
            self.parent.push(self.parent.len() as u32);
            Chain(self.parent.len() as u32 - 1)
        })
    }

    /// Finds what has to be written to memory: what is used outside of the chain that makes it.
    fn store(&mut self, region: RegionId) {
        let module = self.module;
        for &id in &module.regions[region].ops {
            let op = module.op(id);
            let user = self.of_op[id].map(|chain| self.find(chain));
            if !passes_on(op) {
                for &operand in op.operands() {
                    let source = self.source(operand);
                    let made_by = self.chain[source].map(|chain| self.find(chain));
                    let anew = self.remade[source] && user.is_some();
                    self.stored[source] |= made_by.is_some() && made_by != user && !anew;
                }
            }
            if op.def().runs_regions() {
                op.regions().iter().for_each(|&inner| self.store(inner));
            }
        }
    }

    /// What each op takes, as its part of what its chain takes.
    fn cost(&mut self, roofline: &Roofline<'_>) -> IdVec<OpId, f64> {
        let module = self.module;
        let mut own: IdVec<OpId, (f64, f64)> = IdVec::filled((0.0, 0.0), module.ops.len());
        let mut sums: Vec<(f64, f64)> = vec![(0.0, 0.0); self.parent.len()];
        let mut read: FxHashSet<(Chain, ValueId)> = FxHashSet::default();
        for (id, _) in module.ops.enumerate() {
            let Some(chain) = self.of_op[id] else { continue };
            let chain = self.find(chain);
            let op = module.op(id);
            let made: u64 = op.result_types().map(device_bytes).sum();
            let folds = op.def().unit() == Unit::Fold;
            let mut bytes = 0;
            for &operand in op.operands() {
                let source = self.source(operand);
                let made_by = self.chain[source].map(|chain| self.find(chain));
                if made_by == Some(chain) || self.remade[source] || !read.insert((chain, source)) {
                    continue;
                }
                // Of a tensor that is only cut the part that is used is read.
                let all = self.bytes(source);
                bytes += if folds { all } else { all.min(made) };
            }
            let results: Vec<ValueId> = op.results().filter(|&v| self.stored[v]).collect();
            bytes += results.iter().map(|&v| self.bytes(v)).sum::<u64>();
            own[id] = ((op.def().work)(op).flops, bytes as f64);
            let sum = &mut sums[chain.0 as usize];
            *sum = (sum.0 + own[id].0, sum.1 + own[id].1);
        }
        let mut seconds = IdVec::filled(0.0, module.ops.len());
        for (id, _) in module.ops.enumerate() {
            let Some(chain) = self.of_op[id] else { continue };
            let (flops, bytes) = sums[self.find(chain).0 as usize];
            let weight = |flops: f64, bytes: f64| roofline.weight(flops, bytes);
            let all = weight(flops, bytes);
            if all > 0.0 {
                seconds[id] = roofline.elements(flops, bytes) * weight(own[id].0, own[id].1) / all;
            }
        }
        seconds
    }
}
