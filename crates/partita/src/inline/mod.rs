//! Inlining: the program as one function.
//!
//! Every call is replaced by the body of the function it calls, and every composite by its decomposition, with the call
//! kept in the locations. The size is
//! counted first, so that a program that would explode is refused and not built. Recursion is refused. Tuples are taken
//! apart where they are made and taken apart again (`tuples`).

mod tuples;

use crate::diagnostic::Diagnostic;
use crate::interpret::DriverOp;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::{Eval, OpKind};
use tuples::Copied;

/// More operations than this are not made.
pub const MAX_OPS: u64 = 10_000_000;

/// A program as one function, and where its values come from.
pub struct Inlined {
    /// The module; its first function is the one asked for, and others are only those that code outside calls by their names.
    pub module: Module,
    /// For each value the one of the input it is a copy of, and the function that one stands in.
    pub origin: IdVec<ValueId, (FuncId, ValueId)>,
    /// For each operation the one of the input it is a copy of, and the function that one stands in.
    pub op_origin: IdVec<OpId, (FuncId, OpId)>,
}

impl Inlined {
    /// The name of a value in the input: `%5`, or `@f:%5` where it stands in another function.
    pub fn input_name(&self, input: &Module, value: ValueId) -> String {
        // Later steps add values of their own, under the name of the one they stand for.
        if value.index() >= self.origin.len() {
            return self.module.value_name(value);
        }
        let (func, original) = self.origin[value];
        let name = input.value_name(original);
        let main = self.module.funcs.iter().next().map(|f| &self.module.strings[f.name]);
        let func = &input.strings[input.funcs[func].name];
        if main == Some(func) { name } else { format!("@{func}:{name}") }
    }

    /// Gives values that later steps put in place of others the origin of those, and the operations they added one too. `replaced` has all values without an origin,
    /// each behind the one it stands for.
    pub(crate) fn adopt(&mut self, replaced: &[(ValueId, ValueId)]) {
        for (old, new) in replaced {
            if *new == self.origin.next_id() {
                self.origin.push(self.origin[*old]);
            }
        }
        self.fill_op_origin(None);
    }

    /// Gives a value that was added last the origin of one that it stands for, and its operation the origin of the one that makes the other.
    pub(crate) fn stand_for(&mut self, new: ValueId, old: ValueId, maker: Option<OpId>) {
        if new == self.origin.next_id() && old < new {
            self.origin.push(self.origin[old]);
        }
        self.fill_op_origin(maker);
    }

    /// Gives operations without an origin that of another, or of the first.
    fn fill_op_origin(&mut self, like: Option<OpId>) {
        let known = like.filter(|op| op.index() < self.op_origin.len()).map(|op| self.op_origin[op]);
        let Some(origin) = known.or_else(|| self.op_origin.iter().next().copied()) else { return };
        while self.op_origin.len() < self.module.ops.len() {
            self.op_origin.push(origin);
        }
    }

    /// Returns the value that the uses of a value read: the result of a constraint that was added under its name, or the value itself.
    pub fn constrained(&self, value: ValueId) -> ValueId {
        let module = &self.module;
        let stands_for = |other: &ValueId| {
            let maker = module.made_by(*other);
            maker.is_some_and(|op| op.op().kind == OpKind::SdyShardingConstraint && op.operands() == [value])
                && other.index() < self.origin.len()
                && self.origin[*other] == self.origin[value]
        };
        self.origin.ids().skip(value.index() + 1).find(stands_for).unwrap_or(value)
    }
}

/// The program that a function is, without calls.
pub fn inline(input: &Module, entry: FuncId) -> Result<Inlined, Diagnostic> {
    let size = sizes(input)?[entry];
    check_size(input, entry, size)?;
    check_parallel(input)?;
    let mut module = Module::empty_like(input);
    module.reserve(size as usize);
    module.meshes.iter_mut().for_each(|m| m.before_func = 0);
    let mut inliner = Inliner {
        input,
        module,
        origin: IdVec::with_capacity(size as usize),
        op_origin: IdVec::with_capacity(size as usize),
        map: IdVec::filled(None, input.values.len()),
        stack: Vec::new(),
        called: Vec::new(),
    };
    inliner.function(entry);
    // Code outside may call functions by their names: they stay, behind the program.
    let mut next = 0;
    while let Some(&func) = inliner.called.get(next) {
        inliner.function(func);
        next += 1;
    }
    Ok(Inlined { module: inliner.module, origin: inliner.origin, op_origin: inliner.op_origin })
}

/// How many operations each function has with all calls inlined; refuses recursion.
pub(crate) fn sizes(input: &Module) -> Result<IdVec<FuncId, u64>, Diagnostic> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done(u64),
    }
    let callees: IdVec<FuncId, Vec<FuncId>> = {
        let mut table = IdVec::new();
        for func in input.funcs.iter() {
            table.push(func.body.map(|b| calls(input, b)).unwrap_or_default());
        }
        table
    };
    let mut states = IdVec::<FuncId, State>::filled(State::New, input.funcs.len());
    let mut stack: Vec<FuncId> = input.funcs.ids().collect();
    while let Some(&func) = stack.last() {
        match states[func] {
            State::Done(_) => {
                stack.pop();
            }
            State::New => {
                states[func] = State::Open;
                for &callee in &callees[func] {
                    match states[callee] {
                        State::New => stack.push(callee),
                        State::Open => {
                            let name = &input.strings[input.funcs[callee].name];
                            let message = format!("the function `@{name}` calls itself");
                            return Err(Diagnostic::new("recursion", input.funcs[callee].span, message)
                                .fix("programs for devices have no recursion: use a loop"));
                        }
                        State::Done(_) => {}
                    }
                }
            }
            State::Open => {
                let own = input.funcs[func].body.map_or(0, |b| ops_in(input, b));
                let called = callees[func].iter().map(|c| match states[*c] {
                    State::Done(n) => n,
                    _ => 0,
                });
                states[func] = State::Done(called.fold(own, u64::saturating_add));
                stack.pop();
            }
        }
    }
    let mut sizes = IdVec::new();
    for state in states.iter() {
        sizes.push(if let State::Done(size) = state { *size } else { 0 });
    }
    Ok(sizes)
}

/// Refuses a function that would have too many operations with all calls inlined.
pub(crate) fn check_size(input: &Module, func: FuncId, size: u64) -> Result<(), Diagnostic> {
    if size <= MAX_OPS {
        return Ok(());
    }
    let name = &input.strings[input.funcs[func].name];
    let message =
        format!("with all calls inlined `@{name}` has {size} operations; at most {MAX_OPS} are taken");
    Err(Diagnostic::new("too-large", input.funcs[func].span, message))
}

/// Refuses programs that say themselves what runs where.
fn check_parallel(input: &Module) -> Result<(), Diagnostic> {
    let parallel = |op: &OpId| matches!(input.op(*op).def().eval, Eval::Driver(DriverOp::RunParallel));
    match input.ops.ids().find(parallel) {
        Some(op) => {
            let message = "`interpreter.run_parallel` runs functions on several devices itself";
            Err(Diagnostic::new("parallel", input.ops[op].span, message)
                .fix("it is made for `run`: there is nothing left to split"))
        }
        None => Ok(()),
    }
}

/// Calls `f` with every operation of a region and the regions in it.
fn walk(input: &Module, region: RegionId, mut f: impl FnMut(OpId)) {
    let mut stack = vec![region];
    while let Some(region) = stack.pop() {
        for &op in &input.regions[region].ops {
            f(op);
            stack.extend(input.regions_of(op));
        }
    }
}

fn ops_in(input: &Module, region: RegionId) -> u64 {
    let mut count = 0;
    walk(input, region, |_| count += 1);
    count
}

fn calls(input: &Module, region: RegionId) -> Vec<FuncId> {
    let mut list = Vec::new();
    walk(input, region, |op| list.extend(callee(input, op).or_else(|| decomposition(input, op))));
    list
}

/// The function that an operation calls, where it is a call of one with a body.
fn callee(input: &Module, op: OpId) -> Option<FuncId> {
    if !matches!(input.op(op).def().eval, Eval::Driver(DriverOp::Call)) {
        return None;
    }
    let func = input.func(input.op(op).symbol(names::CALLEE)?)?;
    input.funcs[func].body.map(|_| func)
}

/// The function that a composite stands for.
fn decomposition(input: &Module, op: OpId) -> Option<FuncId> {
    if !matches!(input.op(op).def().eval, Eval::Driver(DriverOp::Composite)) {
        return None;
    }
    let func = input.func(input.op(op).symbol(names::DECOMPOSITION)?)?;
    input.funcs[func].body.map(|_| func)
}

/// A region that is being copied.
struct Frame {
    func: FuncId,
    region: RegionId,
    next: usize,
    to: RegionId,
    /// The call whose body it is.
    call: Option<OpId>,
    /// Where the function was called.
    caller: Option<LocId>,
}

struct Inliner<'m> {
    input: &'m Module,
    module: Module,
    origin: IdVec<ValueId, (FuncId, ValueId)>,
    op_origin: IdVec<OpId, (FuncId, OpId)>,
    /// What each value of the input is now. A function is open at most once, so one table serves all.
    map: IdVec<ValueId, Option<Copied>>,
    stack: Vec<Frame>,
    /// The functions that code outside calls by their names.
    called: Vec<FuncId>,
}

impl Inliner<'_> {
    /// Copies a function, without calls.
    fn function(&mut self, entry: FuncId) {
        let mut func = self.input.funcs[entry].clone();
        if let Some(body) = func.body {
            let region = self.module.add_region();
            self.copy_args(entry, body, region, None);
            self.stack.push(Frame {
                func: entry,
                region: body,
                next: 0,
                to: region,
                call: None,
                caller: None,
            });
            self.run();
            func.body = Some(region);
        }
        self.module.add_func(func);
    }

    fn run(&mut self) {
        while let Some(frame) = self.stack.last_mut() {
            let Some(&op) = self.input.regions[frame.region].ops.get(frame.next) else {
                self.stack.pop();
                continue;
            };
            frame.next += 1;
            let (func, to, call, caller) = (frame.func, frame.to, frame.call, frame.caller);
            if let Some(call) = call
                && self.input.op(op).def().traits.terminator
            {
                // What the function returns is what the call gives.
                let results = self.input.ops[call].results;
                for (result, &value) in results.iter().zip(self.input.operands(op)) {
                    self.map[result] = self.map[value].clone();
                }
            } else if let Some(target) = callee(self.input, op).or_else(|| decomposition(self.input, op)) {
                self.enter(target, op, to, caller);
            } else if !self.copy_tuple(func, op, to, caller) {
                self.copy(func, op, to, caller);
            }
        }
    }

    fn enter(&mut self, target: FuncId, call: OpId, to: RegionId, caller: Option<LocId>) {
        let Some(body) = self.input.funcs[target].body else { return };
        let args = self.input.regions[body].args;
        for (arg, &operand) in args.iter().zip(self.input.operands(call)) {
            self.map[arg] = self.map[operand].clone();
        }
        let loc = self.called_from(self.input.ops[call].loc, caller);
        self.stack.push(Frame {
            func: target,
            region: body,
            next: 0,
            to,
            call: Some(call),
            caller: Some(loc),
        });
    }

    fn called_from(&mut self, callee: LocId, caller: Option<LocId>) -> LocId {
        match caller {
            Some(caller) if callee != LocTable::unknown() => {
                self.module.locs.intern(Loc::CallSite { callee, caller })
            }
            Some(caller) => caller,
            None => callee,
        }
    }

    fn copy(&mut self, func: FuncId, op: OpId, to: RegionId, caller: Option<LocId>) {
        let data = &self.input.ops[op];
        if let Some(Attr::Array(names)) = data.attrs.get(names::CALLED_COMPUTATIONS) {
            let called = names.iter().filter_map(|name| match name {
                Attr::Symbol(path) => path.last().and_then(|name| self.input.func(*name)),
                _ => None,
            });
            for func in called {
                if !self.called.contains(&func) {
                    self.called.push(func);
                }
            }
        }
        let mut new = NewOp::new(data.kind);
        new.loc = self.called_from(data.loc, caller);
        new.operands =
            self.input.operands(op).iter().filter_map(|v| self.whole(func, *v, to, new.loc)).collect();
        new.result_types = data.results.iter().map(|v| self.input.values[v].ty).collect();
        new.attrs = data.attrs.clone();
        let parts = self.split_results(op, &mut new);
        new.span = data.span;
        new.regions = self.input.regions_of(op).iter().map(|_| self.module.add_region()).collect();
        let regions = new.regions.clone();
        let copy = self.module.add_op(new);
        self.op_origin.push((func, op));
        self.module.regions[to].ops.push(copy);
        let results = self.module.ops[copy].results;
        if parts {
            self.bind_parts(func, data.results.at(0), results);
        }
        for (old, new) in data.results.iter().zip(results.iter()).filter(|_| !parts) {
            // Names of other functions would clash: they are only told through the origin.
            if caller.is_none() {
                self.module.values[new].name = self.input.values[old].name;
            }
            self.map[old] = Some(Copied::Value(new));
            self.origin.push((func, old));
        }
        for (&region, &to) in self.input.regions_of(op).iter().zip(&regions).rev() {
            self.copy_args(func, region, to, caller);
            self.stack.push(Frame { func, region, next: 0, to, call: None, caller });
        }
    }

    fn copy_args(&mut self, func: FuncId, region: RegionId, to: RegionId, caller: Option<LocId>) {
        let args = self.input.regions[region].args;
        let mut copies = Vec::with_capacity(args.len());
        for arg in args.iter() {
            let value = &self.input.values[arg];
            let name = if caller.is_none() { value.name } else { ValueName::None };
            copies.push((value.ty, name, self.called_from(value.loc, caller)));
        }
        let range = self.module.add_region_args(to, copies);
        for (old, new) in args.iter().zip(range.iter()) {
            self.map[old] = Some(Copied::Value(new));
            self.origin.push((func, old));
        }
    }
}
