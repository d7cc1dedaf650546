//! The order of operations, so that fewer values lie in memory at once.
//!
//! Programs come in the order they were traced in: all gradients before the first weight is updated, broadcasts and gathers long before they are
//! used. Three rules give other orders. *Late*: what makes more than it is made of waits for its first use. *Soon*, besides: elementwise
//! ops that lead to nothing but what a region returns, as updates of weights do, follow what they wait for. *On demand*: everything waits for its
//! first use, which keeps micro-batches that are written side by side apart. Of each region the order that holds least is taken, and the one it was written in where none holds less. All of it is linear in the size of the program.

use super::Partitioned;
use super::cleanup::effects;
use crate::interpret::{DeviceMemory, device_memory, keeps_splats};
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::Eval;

/// Regions of fewer operations stay as they are.
const SHORT: usize = 8;

/// A way to order operations.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// What makes more than it is made of waits for its first use.
    Late,
    /// Besides, what only leads to results follows what it waits for.
    Soon,
    /// Everything waits for its first use.
    OnDemand,
}

/// The operations of some regions.
type Orders = Vec<(RegionId, Vec<OpId>)>;

/// Brings the operations of every region into an order that holds little.
pub(crate) fn schedule(partitioned: &mut Partitioned) {
    let effects = effects(partitioned);
    let module = &mut partitioned.module;
    let regions = long_regions(module);
    let mut best: Vec<(u64, Vec<OpId>)> = Vec::new();
    let written = memory(module);
    for &region in &regions {
        best.push((written.growth[region], module.regions[region].ops.clone()));
    }
    let mut places = IdVec::filled(0, module.ops.len());
    let mut ways = [Way::Late, Way::Soon, Way::OnDemand].map(|way| (way, Orders::new()));
    for &region in &regions {
        let graph = Graph::new(module, &effects, region, &mut places);
        ways.iter_mut().for_each(|(way, orders)| orders.push((region, graph.order(*way))));
    }
    for (_, orders) in ways {
        let before = put(module, orders);
        let found = memory(module);
        let after = put(module, before);
        for ((region, order), best) in after.into_iter().zip(&mut best) {
            if found.growth[region] < best.0 {
                *best = (found.growth[region], order);
            }
        }
    }
    let several = regions.len() > 1;
    let orders = regions.into_iter().zip(best).map(|(region, (_, order))| (region, order)).collect();
    let before = put(module, orders);
    // Regions were looked at with others around and in them than they have now.
    if several && memory(module).peak > written.peak {
        put(module, before);
    }
}

fn memory(module: &Module) -> DeviceMemory {
    device_memory(module, FuncId::from_index(0), device_bytes)
}

/// Changes the order of regions; gives what it was.
fn put(module: &mut Module, orders: Orders) -> Orders {
    let exchange = |(region, order)| (region, std::mem::replace(&mut module.regions[region].ops, order));
    orders.into_iter().map(exchange).collect()
}

/// The regions that are there and not short.
fn long_regions(module: &Module) -> Vec<RegionId> {
    let nested = module.reachable_ops().into_iter().flat_map(|op| module.regions_of(op).iter().copied());
    let bodies = module.funcs.iter().filter_map(|func| func.body);
    bodies.chain(nested).filter(|region| module.regions[*region].ops.len() >= SHORT).collect()
}

/// The operations of a region by their places in it.
struct Graph<'m> {
    module: &'m Module,
    ops: &'m [OpId],
    /// Whether an operation does more than give results.
    effect: Vec<bool>,
    /// The places of the operations whose results one uses, itself or inside, for all operations after one another.
    needs: Vec<u32>,
    /// Where the part of each operation ends.
    ends: Vec<u32>,
}

impl<'m> Graph<'m> {
    /// `places` is room for the place of every operation, whatever stands there.
    fn new(
        module: &'m Module,
        effects: &IdVec<OpId, bool>,
        region: RegionId,
        places: &mut IdVec<OpId, u32>,
    ) -> Graph<'m> {
        let ops = &module.regions[region].ops[..];
        ops.iter().enumerate().for_each(|(place, op)| places[*op] = place as u32);
        let (mut needs, mut ends) = (Vec::new(), Vec::new());
        for &op in ops {
            for &operand in module.within(op).flat_map(|op| module.operands(op)) {
                if let ValueDef::Result(def, _) = module.values[operand].def {
                    needs.extend(Some(places[def]).filter(|place| ops.get(*place as usize) == Some(&def)));
                }
            }
            ends.push(needs.len() as u32);
        }
        Graph { module, ops, effect: ops.iter().map(|op| effects[*op]).collect(), needs, ends }
    }

    fn needs(&self, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.needs[start as usize..self.ends[place] as usize]
    }

    /// The operations in another order.
    fn order(&self, way: Way) -> Vec<OpId> {
        let waits = |place| if way == Way::OnDemand { self.may_wait(place) } else { self.grows(place) };
        let late: Vec<bool> = (0..self.ops.len()).map(waits).collect();
        let mut order = Vec::with_capacity(self.ops.len());
        let mut done = vec![false; self.ops.len()];
        let mut pending: Vec<usize> = Vec::new();
        for first in self.sequence(way) {
            if !late[first] {
                pending.push(first);
            }
            // What waited for this use comes before it.
            while let Some(&place) = pending.last() {
                let before = pending.len();
                pending.extend(self.needs(place).iter().rev().map(|n| *n as usize).filter(|n| !done[*n]));
                if pending.len() == before {
                    pending.pop();
                    if !std::mem::replace(&mut done[place], true) {
                        order.push(self.ops[place]);
                    }
                }
            }
        }
        order
    }

    /// All places in an order in which each comes after what it needs.
    fn sequence(&self, way: Way) -> Vec<usize> {
        let count = self.ops.len();
        let mut sequence: Vec<usize> = (0..count).collect();
        if way != Way::Soon {
            return sequence;
        }
        let mut leads_elsewhere = vec![false; count];
        let mut follows = vec![false; count];
        for place in (0..count).rev() {
            let last = self.module.op(self.ops[place]).def().traits.terminator;
            follows[place] = !last && !leads_elsewhere[place] && self.is_light(place);
            if !last && !follows[place] {
                self.needs(place).iter().for_each(|n| leads_elsewhere[*n as usize] = true);
            }
        }
        let mut after = vec![0; count];
        for place in 0..count {
            let waits_for = self.needs(place).iter().map(|n| after[*n as usize]).max().unwrap_or(0);
            after[place] = if follows[place] { waits_for } else { place };
        }
        sequence.sort_by_key(|place| after[*place]);
        sequence
    }

    /// Whether an operation takes little time, and gives results and does nothing else.
    fn is_light(&self, place: usize) -> bool {
        let op = self.module.op(self.ops[place]);
        !self.effect[place] && (matches!(op.def().eval, Eval::Elementwise(_)) || keeps_splats(op))
    }

    /// Whether an operation gives results and does nothing else.
    fn may_wait(&self, place: usize) -> bool {
        !self.effect[place] && !self.module.op(self.ops[place]).def().traits.terminator
    }

    /// Whether the results of an operation take more room than what it is made of, and it may wait. Arguments are there anyway.
    fn grows(&self, place: usize) -> bool {
        let op = self.module.op(self.ops[place]);
        if !self.may_wait(place) || !op.regions().is_empty() {
            return false;
        }
        let made: u64 = op.result_types().map(device_bytes).sum();
        let is_made = |v: &&ValueId| matches!(self.module.values[**v].def, ValueDef::Result(..));
        let of: u64 =
            op.operands().iter().filter(is_made).map(|v| device_bytes(self.module.type_of(*v))).sum();
        made > of
    }
}

#[cfg(test)]
mod tests {
    use crate::inline::inline;
    use crate::ir::{FuncId, Id};
    use crate::ledger::Memory;
    use crate::propagate::propagate;
    use crate::sharding::import::module_mesh;

    /// The most that the partitioned program holds besides its arguments, in tensors of 1024 floats.
    fn held(results: &str, body: &str) -> u64 {
        let text = format!(
            "sdy.mesh @mesh = <[\"x\"=2]>
            func.func @main(%a: tensor<1024xf32>, %b: tensor<1024xf32>, %s: tensor<f32>) -> ({results}) {{
            {body}
            }}"
        );
        let module = crate::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}"));
        let mesh = module_mesh(&module).unwrap_or_else(|e| panic!("{e:?}")).unwrap_or_else(|| panic!());
        let program = inline(&module, FuncId::from_index(0)).unwrap_or_else(|e| panic!("{e:?}"));
        let shardings = propagate(&program, mesh).unwrap_or_else(|e| panic!("{e:?}"));
        let mut partitioned =
            super::super::partition(&program, &shardings).unwrap_or_else(|e| panic!("{e:?}"));
        super::schedule(&mut partitioned);
        let memory = Memory::new(&partitioned.module);
        (memory.peak - memory.arguments) / 4096
    }

    #[test]
    fn what_is_large_waits_for_its_use() {
        // All broadcasts are written first, and used one after the other.
        let mut body = String::new();
        for n in 0..6 {
            body += &format!("%c{n} = stablehlo.add %s, %s : tensor<f32>\n");
            body += &format!(
                "%w{n} = stablehlo.broadcast_in_dim %c{n}, dims = [] : (tensor<f32>) -> tensor<{}xf32>\n",
                1024 + n
            );
        }
        body += "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n";
        for n in 0..6 {
            body += &format!(
                "%r{n} = stablehlo.reduce(%w{n} init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<{}xf32>, tensor<f32>) -> tensor<f32>\n",
                1024 + n
            );
        }
        body += "%t1 = stablehlo.add %r0, %r1 : tensor<f32>\n";
        for n in 2..6 {
            body += &format!("%t{n} = stablehlo.add %t{}, %r{n} : tensor<f32>\n", n - 1);
        }
        body += "return %a, %t5 : tensor<1024xf32>, tensor<f32>";
        assert_eq!(held("tensor<1024xf32>, tensor<f32>", &body), 1);
    }

    #[test]
    fn what_leads_to_results_alone_does_not_wait() {
        // Gradients are all there before the first is used, as optimizers are traced.
        let mut body = String::new();
        for n in 0..6 {
            body += &format!("%c{n} = stablehlo.constant dense<{n}.0> : tensor<1xf32>\n");
            body += &format!(
                "%g{n} = stablehlo.dot_general %a, %c{n}, contracting_dims = [] x [] : (tensor<1024xf32>, tensor<1xf32>) -> tensor<1024x1xf32>\n"
            );
        }
        let names = |letter: &str| (0..6).map(|n| format!("%{letter}{n}")).collect::<Vec<_>>().join(", ");
        for n in 0..6 {
            body += &format!(
                "%u{n} = stablehlo.slice %g{n} [0:8, 0:1] : (tensor<1024x1xf32>) -> tensor<8x1xf32>\n"
            );
        }
        let types = ["tensor<8x1xf32>"; 6].join(", ");
        body += &format!("return {} : {types}", names("u"));
        assert_eq!(held(&types, &body), 1);
    }
}
