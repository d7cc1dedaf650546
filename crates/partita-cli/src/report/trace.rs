//! What happens when, as Perfetto and `chrome://tracing` read it.

use super::simulation::short;
use partita::device::Profile;
use partita::simulate::{Lane, Program, Simulation};
use partita::text::print::printed_names;
use serde_json::{Value, json};

/// Lanes above those of the network.
const CONTROL: u64 = 0;
const COMPUTE: u64 = 1;
const NETWORK: u64 = 2;

/// The events of a simulation: one lane that computes, and one for each side of the network. Times are in microseconds.
pub fn json(program: &Program<'_>, profile: &Profile, simulation: &Simulation) -> Value {
    let lane = |id: u64, name: String| json!({"ph": "M", "pid": 0, "tid": id, "name": "thread_name", "args": {"name": name}});
    let mut events = vec![lane(CONTROL, "loops".into()), lane(COMPUTE, "compute".into())];
    for (n, side) in profile.sides().iter().enumerate() {
        events.push(lane(NETWORK + n as u64, format!("{} {n}", profile.levels[side.level].name)));
    }
    let name = printed_names(program.module);
    for event in &simulation.events {
        let op = program.module.op(event.op);
        let lanes: Vec<u64> = match event.lane {
            Lane::Control => vec![CONTROL],
            Lane::Compute => vec![COMPUTE],
            Lane::Network(sides) => (0..64).filter(|n| sides >> n & 1 == 1).map(|n| NETWORK + n).collect(),
        };
        for tid in lanes {
            events.push(json!({
                "ph": "X", "pid": 0, "tid": tid, "name": short(op),
                "ts": event.start * 1e6, "dur": event.seconds * 1e6,
                "args": {
                    "value": op.results().next().map(&name),
                    "source": program.module.source_line(op.op().loc),
                },
            }));
        }
    }
    json!({"displayTimeUnit": "ms", "traceEvents": events})
}
