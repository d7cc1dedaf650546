//! Many devices in one process: each runs until it waits for others, then the next one does.
//!
//! Which device runs when does not change any result: devices meet only in collectives, which combine in the
//! order of the group, and in messages, which keep the order they were sent in.

use super::collective::{collective, outside};
use super::env::{Env, Stop, too_much_memory};
use super::groups::{GridSize, Groups, channel, process_groups, source_target_pairs};
use super::machine::{Machine, Pause, Wait, WaitKind, into_tensors};
use super::manual::ManualRegion;
use super::{
    CollectiveOp, Device, Failure, Output, Program, RunError, RunErrorKind, RunOptions, Value, memory, plan,
};
use crate::ir::{Attr, FuncId, Module, OpId, OpRef, Sym, names};
use crate::value::Tensor;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// A message on its way: the channel, and from whom to whom where the program says it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Message {
    channel: i64,
    route: Option<(usize, usize)>,
}

/// What the devices of a grid share.
pub(super) struct Grid {
    size: GridSize,
    /// What `infeed` reads.
    pub(super) infeed: VecDeque<Vec<Tensor>>,
    mail: FxHashMap<Message, VecDeque<Vec<Tensor>>>,
    groups: FxHashMap<OpId, Rc<Groups>>,
}

impl Grid {
    pub(super) fn new(size: GridSize, infeed: VecDeque<Vec<Tensor>>) -> Grid {
        Grid { size, infeed, mail: FxHashMap::default(), groups: FxHashMap::default() }
    }

    /// How many devices there are.
    pub(super) fn size(&self) -> GridSize {
        self.size
    }

    /// Puts a message on its way.
    pub(super) fn send(&mut self, op: OpRef<'_>, from: Device, tensors: Vec<Tensor>) -> Result<(), Stop> {
        let channel = channel(op);
        if is_host_transfer(op) {
            self.mail.entry(Message { channel, route: None }).or_default().push_back(tensors);
            return Ok(());
        }
        let from = self.size.number(from);
        for (source, target) in source_target_pairs(op, self.size)? {
            if source == from {
                let message = Message { channel, route: Some((source, target)) };
                self.mail.entry(message).or_default().push_back(tensors.clone());
            }
        }
        Ok(())
    }

    /// The message that an operation receives.
    pub(super) fn message(&self, op: OpRef<'_>, to: Device) -> Result<Message, Stop> {
        let channel = channel(op);
        if is_host_transfer(op) {
            return Ok(Message { channel, route: None });
        }
        let to_number = self.size.number(to);
        let pair = source_target_pairs(op, self.size)?.into_iter().find(|(_, target)| *target == to_number);
        match pair {
            Some(route) => Ok(Message { channel, route: Some(route) }),
            None => Err(format!("no pair of channel {channel} has {to} as its target").into()),
        }
    }

    fn groups(&mut self, op: OpRef<'_>, kind: CollectiveOp) -> Result<Rc<Groups>, Stop> {
        if let Some(groups) = self.groups.get(&op.id) {
            return Ok(groups.clone());
        }
        let groups = Rc::new(process_groups(op, kind, self.size)?);
        self.groups.insert(op.id, groups.clone());
        Ok(groups)
    }
}

/// Messages without pairs go over the host.
fn is_host_transfer(op: OpRef<'_>) -> bool {
    op.flag(names::IS_HOST_TRANSFER) || op.attr(names::SOURCE_TARGET_PAIRS).is_none()
}

/// Runs a grid from outside.
pub(super) fn run_all(
    module: &Module,
    programs: Vec<Vec<Program>>,
    options: &mut RunOptions<'_>,
) -> Result<Vec<Vec<Vec<Value>>>, RunError> {
    let partitions = programs.first().map_or(0, Vec::len);
    if partitions == 0 || programs.iter().any(|replica| replica.len() != partitions) {
        return Err(RunError::refused(
            "the grid must have as many partitions in each replica, and one at least",
        ));
    }
    let size = GridSize { replicas: programs.len(), partitions };
    let programs: Vec<Program> = programs.into_iter().flatten().collect();
    let roots: Vec<FuncId> = programs.iter().map(|(func, _)| *func).collect();
    plan::call_order(module, &roots).map_err(RunError::refused)?;
    check_estimate(module, &roots, options)?;
    let infeed = std::mem::take(&mut options.infeed);
    let argument_bytes = programs.iter().flat_map(|(_, args)| args).map(Value::memory).sum();
    let mut env = Env::new(module, options, argument_bytes);
    let results = run_devices(&mut env, &mut Grid::new(size, infeed), programs)?;
    if !env.failures.is_empty() {
        return Err(RunError { kind: RunErrorKind::Checks, failures: env.failures });
    }
    let mut results = results.into_iter();
    Ok((0..size.replicas).map(|_| results.by_ref().take(partitions).collect()).collect())
}

/// That the devices' programs will fit in memory, as far as can be told before they run.
fn check_estimate(module: &Module, roots: &[FuncId], options: &RunOptions<'_>) -> Result<(), RunError> {
    let Some(limit) = options.memory_limit else { return Ok(()) };
    let mut known: FxHashMap<FuncId, u64> = FxHashMap::default();
    let mut needed = 0u64;
    for &func in roots {
        let estimate = *known.entry(func).or_insert_with(|| memory::estimate_memory(module, func));
        needed = needed.saturating_add(estimate);
    }
    match too_much_memory(needed, limit) {
        Stop::Here(kind, message) if needed > limit => Err(RunError::new(kind, Failure::new(message))),
        _ => Ok(()),
    }
}

/// `interpreter.run_parallel`: a grid of its own, with its own queue of inputs.
pub(super) fn run_parallel(
    env: &mut Env<'_, '_, '_>,
    op: OpRef<'_>,
    inputs: Vec<Value>,
) -> Result<Vec<Value>, Stop> {
    let module = op.module;
    let find = |symbol: &Attr| match symbol {
        Attr::Symbol(path) => path.last().and_then(|name: &Sym| module.func(*name)),
        _ => None,
    };
    let mut infeed = VecDeque::new();
    if let Some(Attr::Array(list)) = op.attr(names::INFEED) {
        for func in list.iter().filter_map(find) {
            let size = GridSize { replicas: 1, partitions: 1 };
            let mut grid = Grid::new(size, VecDeque::new());
            let results = run_devices(env, &mut grid, vec![(func, Vec::new())]).map_err(placed)?;
            infeed.push_back(into_tensors(results.into_iter().flatten().collect())?);
        }
    }
    let Some(Attr::Array(rows)) = op.attr(names::PROGRAMS) else {
        return Err(String::from("it has no programs").into());
    };
    let mut funcs = Vec::new();
    for row in rows.iter() {
        if let Attr::Array(row) = row {
            funcs.extend(row.iter().filter_map(find));
        }
    }
    if rows.is_empty() || funcs.is_empty() || funcs.len() % rows.len() != 0 {
        return Err(String::from("its programs are not a grid").into());
    }
    let size = GridSize { replicas: rows.len(), partitions: funcs.len() / rows.len() };
    let mut inputs = inputs.into_iter();
    let programs = funcs
        .into_iter()
        .map(|func| (func, inputs.by_ref().take(module.funcs[func].inputs.len()).collect()))
        .collect();
    let results = run_devices(env, &mut Grid::new(size, infeed), programs).map_err(placed)?;
    Ok(results.into_iter().flatten().collect())
}

fn placed(error: RunError) -> Stop {
    Stop::Placed(Box::new(error))
}

/// How far a device is.
enum State {
    Ready,
    Waiting(Wait),
    Done(Vec<Value>),
}

/// Runs all devices to their ends.
fn run_devices(
    env: &mut Env<'_, '_, '_>,
    grid: &mut Grid,
    programs: Vec<Program>,
) -> Result<Vec<Vec<Value>>, RunError> {
    let count = programs.len();
    let mut machines = Vec::with_capacity(count);
    for (number, (func, args)) in programs.into_iter().enumerate() {
        machines.push(Machine::new(env, grid.size.device(number), count > 1, func, args)?);
    }
    run_machines(env, grid, machines)
}

/// Runs all devices of a grid to their ends.
pub(super) fn run_machines(
    env: &mut Env<'_, '_, '_>,
    grid: &mut Grid,
    mut machines: Vec<Machine>,
) -> Result<Vec<Vec<Value>>, RunError> {
    let count = machines.len();
    let mut states: Vec<State> = (0..count).map(|_| State::Ready).collect();
    loop {
        for (machine, state) in machines.iter_mut().zip(&mut states) {
            if matches!(state, State::Ready) {
                *state = match machine.run(env, grid)? {
                    Pause::Done(results) => State::Done(results),
                    Pause::Wait(wait) => State::Waiting(wait),
                };
            }
        }
        if states.iter().all(|state| matches!(state, State::Done(_))) {
            break;
        }
        let mut moved = false;
        for number in 0..count {
            moved |= deliver(env, grid, &mut machines, &mut states, number)?;
        }
        if !moved {
            return Err(deadlock(env.module, grid, &states));
        }
    }
    drop(machines);
    send_to_host(env, grid);
    Ok(states
        .into_iter()
        .map(|state| if let State::Done(results) = state { results } else { Vec::new() })
        .collect())
}

/// Lets a device go on that waits, where what it waits for is there.
fn deliver(
    env: &mut Env<'_, '_, '_>,
    grid: &mut Grid,
    machines: &mut [Machine],
    states: &mut [State],
    number: usize,
) -> Result<bool, RunError> {
    let State::Waiting(Wait { op, kind }) = &states[number] else { return Ok(false) };
    let op = *op;
    let kind = match kind {
        WaitKind::Receive(message) => {
            let Some(tensors) = grid.mail.get_mut(message).and_then(VecDeque::pop_front) else {
                return Ok(false);
            };
            let results = tensors.into_iter().map(Value::Tensor).chain([Value::Token]).collect();
            machines[number].resume(env, op, results)?;
            states[number] = State::Ready;
            return Ok(true);
        }
        WaitKind::Assemble(region, _) => {
            let region = *region;
            return assemble(env, machines, states, number, region);
        }
        WaitKind::Collective(kind, _) => *kind,
    };
    let groups =
        grid.groups(env.module.op(op), kind).map_err(|stop| machines[number].place(env, op, stop))?;
    let Some(group) = groups.of(number) else {
        return leave_out(env, &mut machines[number], &mut states[number], op, kind);
    };
    for &member in group {
        match &states[member] {
            State::Waiting(Wait { op: other, kind: WaitKind::Collective(theirs, _) }) => {
                // Devices may come to it on different ways, others first.
                if *theirs != kind {
                    return Ok(false);
                }
                if *other != op {
                    // Programs that differ meet where channel and group are the same.
                    let (own_channel, their_channel) =
                        (channel(env.module.op(op)), channel(env.module.op(*other)));
                    let same_group = grid
                        .groups(env.module.op(*other), kind)
                        .is_ok_and(|groups| groups.of(member) == Some(group));
                    if own_channel != their_channel || !same_group {
                        return Ok(false);
                    }
                }
            }
            _ => return Ok(false),
        }
    }
    meet(env, grid, machines, states, op, kind, group)?;
    Ok(true)
}

/// Puts the results of a manual region together, where all that have a shard of them have arrived at its end.
fn assemble(
    env: &mut Env<'_, '_, '_>,
    machines: &mut [Machine],
    states: &mut [State],
    number: usize,
    op: OpId,
) -> Result<bool, RunError> {
    let region = ManualRegion::of(env.module.op(op));
    let region = region.map_err(|message| machines[number].place(env, op, message.into()))?;
    let Some(region) = region else { return Ok(false) };
    let group = region.group(number);
    let arrived = |member: &usize| {
        matches!(&states[*member],
            State::Waiting(Wait { kind: WaitKind::Assemble(other, _), .. }) if *other == op)
    };
    if !group.iter().all(arrived) {
        return Ok(false);
    }
    let mut shards = Vec::with_capacity(group.len());
    for member in group {
        if let State::Waiting(Wait { kind: WaitKind::Assemble(_, values), .. }) =
            std::mem::replace(&mut states[member], State::Ready)
        {
            shards.push((member, values));
        }
    }
    let results = region.join(&shards);
    for (member, _) in shards {
        machines[member].resume(env, op, results.clone())?;
    }
    Ok(true)
}

/// A collective whose whole group has arrived.
fn meet(
    env: &mut Env<'_, '_, '_>,
    grid: &mut Grid,
    machines: &mut [Machine],
    states: &mut [State],
    op: OpId,
    kind: CollectiveOp,
    group: &[usize],
) -> Result<(), RunError> {
    let mut operands = Vec::with_capacity(group.len());
    let mut ops = Vec::with_capacity(group.len());
    for &member in group {
        if let State::Waiting(Wait { op, kind: WaitKind::Collective(_, tensors) }) =
            std::mem::replace(&mut states[member], State::Ready)
        {
            ops.push(op);
            operands.push(tensors);
        }
    }
    let op_ref = env.module.op(op);
    let size = grid.size;
    let leader = &mut machines[group[0]];
    let results = leader
        .with_regions(env, grid, |caller| collective(op_ref, kind, size, group, &operands, caller))
        .and_then(|results| Ok(results?))
        .map_err(|stop| leader.place(env, op, stop))?;
    drop(operands);
    for ((&member, op), results) in group.iter().zip(ops).zip(results) {
        machines[member].resume(env, op, results.into_iter().map(Value::Tensor).collect())?;
    }
    Ok(())
}

/// A device that is in no group of a collective.
fn leave_out(
    env: &mut Env<'_, '_, '_>,
    machine: &mut Machine,
    state: &mut State,
    op: OpId,
    kind: CollectiveOp,
) -> Result<bool, RunError> {
    if !matches!(kind, CollectiveOp::Broadcast | CollectiveOp::Reduce | CollectiveOp::Permute) {
        let message = String::from("this device is in none of the replica groups");
        return Err(machine.place(env, op, message.into()));
    }
    let results = outside(env.module.op(op)).into_iter().map(Value::Tensor).collect();
    machine.resume(env, op, results)?;
    *state = State::Ready;
    Ok(true)
}

/// Messages to the host that no device took.
fn send_to_host(env: &mut Env<'_, '_, '_>, grid: &mut Grid) {
    let mut left: Vec<(Message, VecDeque<Vec<Tensor>>)> =
        std::mem::take(&mut grid.mail).into_iter().collect();
    left.sort_by_key(|(message, _)| *message);
    for (message, queue) in left.into_iter().filter(|(message, _)| message.route.is_none()) {
        for tensors in queue {
            env.emit(Output::HostSend { channel: message.channel, tensors: &tensors });
        }
    }
}

/// Nobody can go on: says who waits for what.
fn deadlock(module: &Module, grid: &Grid, states: &[State]) -> RunError {
    const SHOWN: usize = 8;
    let mut waits = Vec::new();
    let mut first = None;
    for (number, state) in states.iter().enumerate() {
        let State::Waiting(wait) = state else { continue };
        first.get_or_insert(wait.op);
        let op = module.op(wait.op);
        let device = grid.size.device(number);
        let what = match &wait.kind {
            WaitKind::Receive(message) => match message.route {
                Some((source, _)) => {
                    format!("a message of {} on channel {}", grid.size.device(source), message.channel)
                }
                None => format!("a message of the host on channel {}", message.channel),
            },
            WaitKind::Assemble(..) => String::from("others at the end of a manual region"),
            WaitKind::Collective(..) => {
                let group = grid.groups.get(&wait.op).and_then(|groups| groups.of(number)).unwrap_or(&[]);
                let missing = group.iter().find(|&&member| match &states[member] {
                    State::Waiting(other) => other.op != wait.op,
                    _ => true,
                });
                match missing {
                    Some(&member) => format!("{} in `{}`", grid.size.device(member), op.def().name),
                    None => format!("others in `{}`", op.def().name),
                }
            }
        };
        waits.push(format!("{device} waits for {what}"));
    }
    let more =
        if waits.len() > SHOWN { format!(", and {} more wait", waits.len() - SHOWN) } else { String::new() };
    waits.truncate(SHOWN);
    let mut failure = Failure::new(format!("no device can go on: {}{more}", waits.join(", ")));
    if let Some(op) = first {
        failure.op = Some(op);
        failure.span = module.ops[op].span;
    }
    RunError::new(RunErrorKind::Deadlock, failure)
}
