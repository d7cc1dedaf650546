//! Many devices on a few threads.
//!
//! A device runs until it needs others, then the thread takes the next device that can run; no device has a thread of its own, so
//! that any number of them works on any number of cores. A thread that finds no device to run helps the others. Whoever arrives last in a group does what the group does together. Which
//! thread that is changes no result: groups combine in the order of their devices.

use crate::alike::Alike;
use crate::collectives::{Meeting, meet};
use crate::crew::{Crew, Scratch};
use crate::log::Log;
use crate::machine::{Machine, Pause, Wait};
use crate::pool::Pool;
use crate::program::Program;
use partita::interpret::{
    CollectiveOp, Event, Failure, GridSize, Groups, RunError, RunErrorKind, channel, outside, process_groups,
};
use partita::ir::OpId;
use partita::value::Tensor;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Room for kernels that call regions that call kernels.
const STACK: usize = 64 << 20;

/// How far a device is.
enum State<'p> {
    Ready(Box<Machine<'p>>),
    /// A thread runs it.
    Running,
    Waiting(Box<Machine<'p>>, Wait),
    Done(Box<Machine<'p>>, Vec<Tensor>),
}

/// What the threads share.
struct Shared<'p> {
    states: Vec<State<'p>>,
    /// Devices that can run, in the order in which they could.
    ready: VecDeque<usize>,
    /// How many devices threads are busy with.
    busy: usize,
    groups: FxHashMap<OpId, Arc<Groups>>,
    /// What went wrong, by device.
    errors: Vec<(usize, RunError)>,
    stalled: bool,
}

struct Scheduler<'p> {
    program: &'p Program<'p>,
    size: GridSize,
    shared: Mutex<Shared<'p>>,
    crew: Arc<Crew>,
    alike: Option<&'p Alike>,
}

/// Runs a program on all devices of a grid, each with its own arguments, on so many threads, and gives what each returns.
pub(crate) fn run(
    program: &Program<'_>,
    size: GridSize,
    args: Vec<Vec<Tensor>>,
    threads: usize,
    stop: Option<&AtomicBool>,
    observe: &mut dyn FnMut(OpId),
    trace: Option<&mut dyn FnMut(Event)>,
) -> Result<Vec<Vec<Tensor>>, RunError> {
    let began = Instant::now();
    let named = args.len() > 1;
    let crew: Arc<Crew> = Arc::default();
    let alike = Alike::new(program, size, &args);
    let alike = alike.as_ref();
    // Devices that share much hold less than so many that do not; what is left is for memory that waits for values of its size.
    let expected = if alike.is_some() { program.memory().saturating_mul(args.len() as u64) } else { 0 };
    program.memory.begin(args.iter().flatten(), expected);
    let machine = |(n, args)| {
        let pool = Pool::new(crew.clone(), program.memory.clone());
        let mut machine = Machine::new(program, size.device(n), named, stop, args, pool, (n, alike));
        machine.log = trace.is_some().then(|| Log::new(n, began));
        State::Ready(Box::new(machine))
    };
    let states: Vec<State<'_>> = args.into_iter().enumerate().map(machine).collect();
    let ready = (0..states.len()).collect();
    // Helpers are there for large values only: to start a thread takes longer than a small program.
    let threads = if program.has_large_values() { threads } else { threads.min(states.len()) };
    let scheduler = Scheduler {
        program,
        size,
        shared: Mutex::new(Shared {
            states,
            ready,
            busy: 0,
            groups: FxHashMap::default(),
            errors: Vec::new(),
            stalled: false,
        }),
        crew,
        alike,
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system has no thread to give, the others do its work.
            let _ = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || scheduler.work(&mut |_| {}));
        }
        scheduler.work(observe);
    });
    scheduler.finish(trace)
}

/// Tells the others that a thread leaves; where it panics, they leave as well.
struct End<'a, 'p>(&'a Scheduler<'p>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().stalled = true;
        }
        self.0.crew.announce();
    }
}

impl<'p> Scheduler<'p> {
    fn lock(&self) -> MutexGuard<'_, Shared<'p>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs devices until none is left.
    fn work(&self, observe: &mut dyn FnMut(OpId)) {
        let _end = End(self);
        let mut scratch = Scratch::new();
        loop {
            // Asked for before anything is looked at, so that nothing that happens from here on is missed.
            let news = self.crew.news();
            let mut shared = self.lock();
            if shared.stalled || !shared.errors.is_empty() {
                break;
            }
            if let (true, Some(alike)) = (shared.ready.is_empty(), self.alike) {
                shared.ready.extend(alike.board.released());
            }
            let Some(number) = shared.ready.pop_front() else {
                if shared.busy > 0 {
                    drop(shared);
                    self.crew.wait(news, &mut scratch);
                    continue;
                }
                shared.stalled = true;
                break;
            };
            let state = std::mem::replace(&mut shared.states[number], State::Running);
            let State::Ready(mut machine) = state else {
                shared.states[number] = state;
                continue;
            };
            shared.busy += 1;
            drop(shared);
            let pause = machine.run(observe);
            shared = self.lock();
            match pause {
                Ok(Pause::Done(results)) => shared.states[number] = State::Done(machine, results),
                Ok(Pause::Wait(wait)) => {
                    shared.states[number] = State::Waiting(machine, wait);
                    shared = self.arrive(shared, number, observe);
                }
                Ok(Pause::Later(key)) => {
                    shared.states[number] = State::Ready(machine);
                    if !self.alike.is_some_and(|alike| alike.board.wait(key, number)) {
                        shared.ready.push_back(number);
                    }
                }
                Err(error) => shared.errors.push((number, error)),
            }
            shared.busy -= 1;
            drop(shared);
            self.crew.announce();
        }
    }

    /// A device has come to a collective: the last of its group does it for all.
    fn arrive<'s>(
        &'s self,
        mut shared: MutexGuard<'s, Shared<'p>>,
        number: usize,
        observe: &mut dyn FnMut(OpId),
    ) -> MutexGuard<'s, Shared<'p>> {
        let (op, kind) = match &shared.states[number] {
            State::Waiting(_, wait) => (wait.op, wait.kind),
            _ => return shared,
        };
        let groups = match self.groups(&mut shared, op, kind) {
            Ok(groups) => groups,
            Err(message) => {
                self.fail(&mut shared, number, op, message);
                return shared;
            }
        };
        let Some(group) = groups.of(number) else {
            self.leave_out(&mut shared, number, op, kind);
            return shared;
        };
        if !group.iter().all(|member| self.meets(&mut shared, *member, op, kind, group)) {
            return shared;
        }
        let mut members = Vec::with_capacity(group.len());
        for &member in group {
            match std::mem::replace(&mut shared.states[member], State::Running) {
                State::Waiting(machine, wait) => members.push((machine, wait.operands)),
                other => shared.states[member] = other,
            }
        }
        drop(shared);
        let came = Instant::now();
        let (mut machines, operands): (Vec<_>, Vec<_>) = members.into_iter().unzip();
        let meeting = Meeting { op: self.program.module.op(op), kind, size: self.size, group };
        let results = meet(&meeting, operands, &mut machines[0], observe);
        let mut shared = self.lock();
        match results {
            Ok(results) => {
                for ((mut machine, results), &member) in machines.into_iter().zip(results).zip(group) {
                    machine.resume(results, came);
                    shared.states[member] = State::Ready(machine);
                    shared.ready.push_back(member);
                }
            }
            Err(error) => shared.errors.push((group[0], error)),
        }
        shared
    }

    /// Whether a device waits in a collective, or in one of another branch that is the same.
    fn meets(
        &self,
        shared: &mut MutexGuard<'_, Shared<'p>>,
        member: usize,
        op: OpId,
        kind: CollectiveOp,
        group: &[usize],
    ) -> bool {
        let other = match &shared.states[member] {
            State::Waiting(_, wait) if wait.kind == kind => wait.op,
            _ => return false,
        };
        let module = &self.program.module;
        other == op
            || (channel(module.op(op)) == channel(module.op(other))
                && self.groups(shared, other, kind).is_ok_and(|groups| groups.of(member) == Some(group)))
    }

    fn groups(&self, shared: &mut Shared<'p>, op: OpId, kind: CollectiveOp) -> Result<Arc<Groups>, String> {
        if let Some(groups) = shared.groups.get(&op) {
            return Ok(groups.clone());
        }
        let groups = Arc::new(process_groups(self.program.module.op(op), kind, self.size)?);
        shared.groups.insert(op, groups.clone());
        Ok(groups)
    }

    /// A device that is in no group of a collective.
    fn leave_out(&self, shared: &mut Shared<'p>, number: usize, op: OpId, kind: CollectiveOp) {
        if !matches!(kind, CollectiveOp::Broadcast | CollectiveOp::Reduce | CollectiveOp::Permute) {
            self.fail(shared, number, op, "this device is in none of the replica groups".into());
            return;
        }
        match std::mem::replace(&mut shared.states[number], State::Running) {
            State::Waiting(mut machine, _) => {
                machine.resume(outside(self.program.module.op(op)), Instant::now());
                shared.states[number] = State::Ready(machine);
                shared.ready.push_back(number);
            }
            other => shared.states[number] = other,
        }
    }

    fn fail(&self, shared: &mut Shared<'p>, number: usize, op: OpId, message: String) {
        let device = (shared.states.len() > 1).then(|| self.size.device(number));
        let failure = self.program.failure(op, message, device);
        shared.errors.push((number, RunError { kind: RunErrorKind::Program, failures: vec![failure] }));
    }

    /// What came of the run.
    fn finish(self, trace: Option<&mut dyn FnMut(Event)>) -> Result<Vec<Vec<Tensor>>, RunError> {
        let mut shared = self.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        shared.errors.sort_by_key(|(number, _)| *number);
        if !shared.errors.is_empty() {
            return Err(shared.errors.swap_remove(0).1);
        }
        if shared.states.iter().any(|state| !matches!(state, State::Done(..))) {
            return Err(deadlock(self.program, self.size, &shared));
        }
        let mut failures = Vec::new();
        let mut results = Vec::with_capacity(shared.states.len());
        let mut events = Vec::new();
        for state in shared.states {
            if let State::Done(mut machine, values) = state {
                events.extend(machine.log.take().map(|log| log.events).into_iter().flatten());
                failures.append(&mut machine.failures);
                results.push(values);
            }
        }
        if let Some(trace) = trace {
            events
                .into_iter()
                .for_each(|event| trace(Event { op: self.program.original(event.op), ..event }));
        }
        if failures.is_empty() { Ok(results) } else { Err(RunError { kind: RunErrorKind::Checks, failures }) }
    }
}

/// Nobody can go on: says who waits for whom.
fn deadlock(program: &Program<'_>, size: GridSize, shared: &Shared<'_>) -> RunError {
    const SHOWN: usize = 8;
    let mut waits = Vec::new();
    let mut first = None;
    for (number, state) in shared.states.iter().enumerate() {
        let State::Waiting(_, wait) = state else { continue };
        first.get_or_insert(wait.op);
        let name = program.module.op(wait.op).def().name;
        let group = shared.groups.get(&wait.op).and_then(|groups| groups.of(number)).unwrap_or(&[]);
        let missing = group.iter().find(|&&member| match &shared.states[member] {
            State::Waiting(_, other) => other.op != wait.op,
            _ => true,
        });
        let whom = missing.map_or_else(|| "others".into(), |member| size.device(*member).to_string());
        waits.push(format!("{} waits for {whom} in `{name}`", size.device(number)));
    }
    let more =
        if waits.len() > SHOWN { format!(", and {} more wait", waits.len() - SHOWN) } else { String::new() };
    waits.truncate(SHOWN);
    let message = format!("no device can go on: {}{more}", waits.join(", "));
    let mut failure = Failure { message, op: None, span: Default::default(), function: None, device: None };
    if let Some(op) = first {
        failure =
            Failure { message: failure.message, device: None, ..program.failure(op, String::new(), None) };
        failure.function = None;
    }
    RunError { kind: RunErrorKind::Deadlock, failures: vec![failure] }
}
