//! What is known of a program before it runs: where each value is used for the last time.
//!
//! One pass over the module, linear in its size, whatever the nesting.

use crate::ir::{Attr, FuncId, IdVec, Module, OpId, RegionId, Sym, ValueId, names};
use crate::ops::OpKind;

/// The last use of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LastUse {
    /// Nothing uses it.
    Never,
    /// An operand, by its place in the pool of operands: the operation may take the value.
    Operand(u32),
    /// Something in a region of an operation of the value's own region: it stays until that is done.
    Captured(OpId),
}

/// When the values of a program die.
#[derive(Debug)]
pub(super) struct Plan {
    /// For each place in the pool of operands: whether no use of the value follows.
    dies: Vec<bool>,
    /// Whether anything uses a value.
    used: IdVec<ValueId, bool>,
    /// Start and length of each operation's part of `drops`.
    drop_ranges: IdVec<OpId, (u32, u32)>,
    /// Values that die when an operation with regions is done.
    drops: Vec<ValueId>,
}

impl Plan {
    /// Looks at all functions of a module.
    pub(super) fn new(module: &Module) -> Plan {
        let last_uses = last_uses(module);
        let pool = module.ops.iter().map(|op| op.operands.0 + op.operands.1).max().unwrap_or(0);
        let mut plan = Plan {
            dies: vec![false; pool as usize],
            used: IdVec::filled(false, module.values.len()),
            drop_ranges: IdVec::filled((0, 0), module.ops.len()),
            drops: Vec::new(),
        };
        let mut captured = Vec::new();
        for (value, last) in last_uses.enumerate() {
            plan.used[value] = *last != LastUse::Never;
            match *last {
                LastUse::Never => {}
                LastUse::Operand(place) => plan.dies[place as usize] = true,
                LastUse::Captured(op) => captured.push((op, value)),
            }
        }
        captured.sort_unstable();
        for (op, value) in captured {
            let range = &mut plan.drop_ranges[op];
            if range.1 == 0 {
                range.0 = plan.drops.len() as u32;
            }
            range.1 += 1;
            plan.drops.push(value);
        }
        plan
    }

    /// Whether the n-th operand of an operation is the last use of its value.
    pub(super) fn dies(&self, module: &Module, op: OpId, n: usize) -> bool {
        self.dies[module.ops[op].operands.0 as usize + n]
    }

    /// Whether anything uses a value.
    pub(super) fn is_used(&self, value: ValueId) -> bool {
        self.used[value]
    }

    /// The values that die when an operation is done, besides its operands.
    pub(super) fn drops(&self, op: OpId) -> &[ValueId] {
        let (start, len) = self.drop_ranges[op];
        &self.drops[start as usize..(start + len) as usize]
    }
}

/// A region that is being walked.
struct Open {
    region: RegionId,
    /// The operation it stands at.
    position: usize,
    /// How many regions of that operation have been walked.
    entered: usize,
}

fn last_uses(module: &Module) -> IdVec<ValueId, LastUse> {
    let mut last = IdVec::filled(LastUse::Never, module.values.len());
    let mut depth_of: IdVec<ValueId, u32> = IdVec::filled(0, module.values.len());
    let mut stack: Vec<Open> = Vec::new();
    for body in module.funcs.iter().filter_map(|func| func.body) {
        stack.push(Open { region: body, position: 0, entered: 0 });
        while let Some(&Open { region, position, entered }) = stack.last() {
            let depth = stack.len() - 1;
            let Some(&op) = module.regions[region].ops.get(position) else {
                stack.pop();
                continue;
            };
            if entered == 0 {
                let first = module.ops[op].operands.0;
                for (n, &value) in module.operands(op).iter().enumerate() {
                    let home = depth_of[value] as usize;
                    last[value] = if home == depth {
                        LastUse::Operand(first + n as u32)
                    } else {
                        let outer = &stack[home];
                        LastUse::Captured(module.regions[outer.region].ops[outer.position])
                    };
                }
                module.ops[op].results.iter().for_each(|value| depth_of[value] = depth as u32);
            }
            match module.regions_of(op).get(entered) {
                Some(&inner) => {
                    stack[depth].entered += 1;
                    let args = module.regions[inner].args;
                    args.iter().for_each(|value| depth_of[value] = depth as u32 + 1);
                    stack.push(Open { region: inner, position: 0, entered: 0 });
                }
                None => {
                    stack[depth].position += 1;
                    stack[depth].entered = 0;
                }
            }
        }
    }
    last
}

/// The functions that an operation runs.
pub(super) fn callees(module: &Module, op: OpId) -> Vec<Sym> {
    let op = module.op(op);
    match op.kind() {
        OpKind::FuncCall => op.symbol(names::CALLEE).into_iter().collect(),
        OpKind::Composite => op.symbol(names::DECOMPOSITION).into_iter().collect(),
        OpKind::InterpreterRunParallel => {
            let mut list = Vec::new();
            for attr in [names::PROGRAMS, names::INFEED].iter().filter_map(|name| op.attr(*name)) {
                symbols_in(attr, &mut list);
            }
            list
        }
        _ => Vec::new(),
    }
}

/// All symbols in lists of lists.
fn symbols_in(attr: &Attr, list: &mut Vec<Sym>) {
    match attr {
        Attr::Symbol(path) => list.extend(path.last()),
        Attr::Array(items) => items.iter().for_each(|item| symbols_in(item, list)),
        _ => {}
    }
}

/// The functions that run when these run, each after all that it calls. An error where one calls itself,
/// directly or not, or where one has no body.
pub(super) fn call_order(module: &Module, roots: &[FuncId]) -> Result<Vec<FuncId>, String> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let name = |func: FuncId| &module.strings[module.funcs[func].name];
    let mut state: IdVec<FuncId, State> = IdVec::filled(State::New, module.funcs.len());
    let mut order = Vec::new();
    // Each function with the functions it calls that have not been looked at.
    let mut stack: Vec<(FuncId, Vec<FuncId>)> = Vec::new();
    let mut roots = roots.iter().rev().copied().collect::<Vec<_>>();
    loop {
        let next = match stack.last_mut() {
            Some((_, calls)) => calls.pop(),
            None => match roots.pop() {
                Some(root) => Some(root),
                None => return Ok(order),
            },
        };
        match next {
            Some(func) if state[func] == State::New => {
                state[func] = State::Open;
                let Some(body) = module.funcs[func].body else {
                    return Err(format!("`@{}` has no body to run", name(func)));
                };
                stack.push((func, calls_of(module, body)));
            }
            Some(func) if state[func] == State::Open => {
                return Err(format!(
                    "`@{}` calls itself; functions of StableHLO programs do not recurse",
                    name(func)
                ));
            }
            Some(_) => {}
            None => {
                if let Some((func, _)) = stack.pop() {
                    state[func] = State::Done;
                    order.push(func);
                }
            }
        }
    }
}

/// The functions called in a region and the regions in it, each once.
fn calls_of(module: &Module, body: RegionId) -> Vec<FuncId> {
    let ops = module.regions[body].ops.iter().flat_map(|op| module.within(*op));
    let mut calls: Vec<FuncId> =
        ops.flat_map(|op| callees(module, op)).filter_map(|name| module.func(name)).collect();
    calls.sort_unstable();
    calls.dedup();
    calls
}
