//! Decisions and plans of a search, for people and for programs.

use crate::format;
use partita::ir::Module;
use partita_auto::{ClassId, Event, Judged, Lesson, Role, Space, Store, Subject, argument_names};
use serde_json::{Value, json};

/// What names are taken from.
pub(super) struct Names<'a, 'p> {
    pub(super) subject: &'a Subject<'p>,
    pub(super) space: &'a Space,
    /// The program before inlining, whose names users know.
    pub(super) input: &'a Module,
}

/// So many arguments stand for all of a class.
const SHOWN: usize = 3;

impl Names<'_, '_> {
    /// A class by an argument that has it, or a value: `params['w1'] dim 1`.
    fn class(&self, id: ClassId, names: &[String]) -> String {
        let class = self.space.class(id);
        // Data and parameters say more than the state that follows them.
        let telling = |n: &usize| match self.space.roles[*n] {
            Role::Data => 0,
            Role::Parameter => 1,
            _ => 2,
        };
        let first = class.arguments.iter().min_by_key(|(n, _)| telling(n));
        match (first, class.example) {
            (Some((n, dim)), _) => format!("{} dim {dim}", names[self.subject.argument_number(*n)]),
            (None, Some((value, dim))) => {
                format!("{} dim {dim}", self.subject.program.input_name(self.input, value))
            }
            (None, None) => format!("class {}", id.0),
        }
    }

    /// The decisions of a plan, in words.
    fn decisions(&self, plan: &Judged) -> Vec<String> {
        let names = argument_names(self.subject);
        let axis = |n: usize| &self.subject.mesh.axes()[n].name;
        let split = plan
            .assignment
            .split
            .iter()
            .map(|(class, a)| format!("{} over {}", self.class(*class, &names), axis(usize::from(*a))));
        let store = plan.assignment.store.iter().enumerate().filter_map(|(n, store)| match store {
            Store::Whole => None,
            Store::State => Some(format!("optimizer state over {}", axis(n))),
            Store::Parameters => Some(format!("parameters and optimizer state over {}", axis(n))),
        });
        let chosen = plan.choices.len();
        // Completion starts from a plan by tensors too.
        let is_by_tensor = plan.by_tensor || chosen > 0 && plan.assignment.split.is_empty();
        let shardings = if is_by_tensor { self.shardings(plan, &names) } else { Vec::new() };
        let chosen =
            (chosen > 0).then(|| format!("completed by cost, {} chosen", format::counted(chosen, "value")));
        split.chain(store).chain(shardings).chain(chosen).collect()
    }

    /// How arguments lie, in words: those that are alike by one of them.
    fn shardings(&self, plan: &Judged, names: &[String]) -> Vec<String> {
        let mut alike: Vec<(String, &str, usize)> = Vec::new();
        for (n, sharding) in &plan.arguments {
            let text = partita_auto::text(&self.subject.mesh, sharding);
            match alike.iter_mut().find(|(known, ..)| *known == text) {
                Some((_, _, count)) => *count += 1,
                None => alike.push((text, &names[*n], 1)),
            }
        }
        alike.retain(|(text, ..)| text.chars().any(|c| c != '_' && c != ','));
        let say = |(text, name, count): (String, &str, usize)| match count {
            1 => format!("{name} as {text}"),
            _ => format!("{name} and {} more as {text}", count - 1),
        };
        alike.into_iter().map(say).collect()
    }

    /// A plan on one line.
    pub(super) fn words(&self, plan: &Judged) -> String {
        let decisions = self.decisions(plan);
        let cost = &plan.cost;
        format!(
            "{:.3} ms a step ({:.3} computing, {:.3} sending {} in {} collectives), {} per device: {}",
            cost.seconds * 1e3,
            cost.compute * 1e3,
            cost.communication * 1e3,
            format::bytes(cost.ring_bytes),
            cost.executions,
            format::bytes(cost.memory),
            if decisions.is_empty() { "nothing is split".to_string() } else { decisions.join("; ") }
        )
    }

    /// A plan as JSON.
    pub(super) fn alternative(&self, plan: &Judged) -> Value {
        json!({
            "decisions": self.decisions(plan),
            "cost": plan.cost.seconds,
            "compute_seconds": plan.cost.compute,
            "communication_seconds": plan.cost.communication,
            "ring_bytes": plan.cost.ring_bytes,
            "executions": plan.cost.executions,
            "peak_memory": plan.cost.memory,
            "lines": lines(plan),
        })
    }

    /// The decision space as JSON.
    pub(super) fn space_json(&self) -> Value {
        let names = argument_names(self.subject);
        let decisions = self.space.decisions();
        let one = |&id: &ClassId| {
            let class = self.space.class(id);
            let example = class.example.map(|(value, dim)| {
                let module = self.subject.module();
                json!({
                    "value": self.subject.program.input_name(self.input, value),
                    "type": module.type_of(value).to_string(),
                    "dimension": dim,
                    "location": module.source_line(module.values[value].loc),
                })
            });
            let arguments: Vec<Value> = class.arguments.iter().map(|(n, d)| json!([names[*n], d])).collect();
            json!({
                "id": id.0,
                "groups": class.groups,
                "size": class.size,
                "tensors": class.tensors,
                "bytes": class.bytes,
                "work_share": class.share,
                "arguments": arguments,
                "example": example,
                "conflicts": decisions.iter().filter(|d| self.space.conflict(id, **d)).map(|d| d.0).collect::<Vec<_>>(),
            })
        };
        json!({
            "schema": 1,
            "groups": self.space.groups,
            "classes": self.space.classes.len(),
            "decisions": decisions.iter().map(one).collect::<Vec<_>>(),
        })
    }

    /// The decision space in words.
    pub(super) fn space_words(&self) -> String {
        let names = argument_names(self.subject);
        let decisions = self.space.decisions();
        let mut text = format!(
            "{} of dimensions, {} of them; {} left to take\n",
            format::counted(self.space.groups, "group"),
            format::counted(self.space.classes.len(), "kind"),
            format::counted(decisions.len(), "decision")
        );
        for &id in &decisions {
            let class = self.space.class(id);
            text.push_str(&format!(
                "\n{}: size {}, {}, {} tensors, {}, in {:.0} % of the work\n",
                id.0,
                class.size,
                format::counted(class.groups, "group"),
                format::count(class.tensors),
                format::bytes(class.bytes),
                class.share * 100.0
            ));
            let mut arguments: Vec<String> =
                class.arguments.iter().take(SHOWN).map(|(n, d)| format!("{} dim {d}", names[*n])).collect();
            if class.arguments.len() > SHOWN {
                arguments.push(format!("… ({} in all)", class.arguments.len()));
            }
            if !arguments.is_empty() {
                text.push_str(&format!("  arguments: {}\n", arguments.join(", ")));
            }
            if let Some((value, dim)) = class.example {
                let module = self.subject.module();
                let line = module.source_line(module.values[value].loc).map(|l| format!(" at {l}"));
                text.push_str(&format!(
                    "  largest: {} : {} dim {dim}{}\n",
                    self.subject.program.input_name(self.input, value),
                    module.type_of(value),
                    line.unwrap_or_default()
                ));
            }
            let meets = decisions.iter().filter(|d| self.space.conflict(id, **d));
            let meets: Vec<String> =
                meets.map(|d| if *d == id { "itself".into() } else { d.0.to_string() }).collect();
            if !meets.is_empty() {
                text.push_str(&format!("  meets {}\n", meets.join(", ")));
            }
        }
        text
    }
}

/// The lines of the user's program that send the most, with bytes.
pub(super) fn lines(plan: &Judged) -> Value {
    plan.lines.iter().map(|(line, bytes)| json!([line, bytes])).collect()
}

/// What a plan costs beside another, and where it sends more.
pub(super) fn compared(best: &Judged, other: &Judged) -> String {
    let more = |own: f64, other: f64| format!("{:+.3} ms", (other - own) * 1e3);
    let mut text = format!(
        "that is {} a step: {} computing, {} sending\n",
        more(best.cost.seconds, other.cost.seconds),
        more(best.cost.compute, other.cost.compute),
        more(best.cost.communication, other.cost.communication)
    );
    for (line, bytes) in &other.lines {
        let own = best.lines.iter().find(|(known, _)| known == line).map_or(0, |(_, bytes)| *bytes);
        if *bytes > own {
            text.push_str(&format!(
                "  {line} sends {}, {} by the plan found\n",
                format::bytes(*bytes),
                format::bytes(own)
            ));
        }
    }
    text
}

/// A line of the record.
pub(super) fn record(event: &Event<'_>) -> Value {
    match event {
        Event::Estimated { number, estimate, best } => json!({
            "estimated": number,
            "seconds": estimate.compute + estimate.communication,
            "memory": estimate.memory,
            "best": best,
        }),
        Event::Judged { number, estimate, judged } => json!({
            "judged": number,
            "by_tensor": judged.by_tensor,
            "split": judged.assignment.split.iter().map(|(class, axis)| json!([class.0, axis])).collect::<Vec<_>>(),
            "store": judged.assignment.store.iter().map(|store| *store as u8).collect::<Vec<_>>(),
            "estimate": estimate,
            "seconds": judged.cost.seconds,
            "memory": judged.cost.memory,
            "ring_bytes": judged.cost.ring_bytes,
        }),
        Event::Learned(lessons) => json!({
            "edges": lessons.edges.iter().map(|e| json!([e.from, e.to, e.bytes, e.work])).collect::<Vec<_>>(),
            "lessons": lessons.plans.iter().map(lesson).collect::<Vec<_>>(),
        }),
    }
}

/// What a ranker sees of a plan, and what became of its decisions: a cost for each, none where no plan was looked at.
fn lesson(lesson: &Lesson) -> Value {
    let moves = lesson.scene.moves.iter().zip(&lesson.least);
    json!({
        "classes": lesson.scene.classes.iter().map(|c| c.to_vec()).collect::<Vec<_>>(),
        "moves": moves.map(|((class, f), least)| json!([class, f.to_vec(), least])).collect::<Vec<_>>(),
        "cost": lesson.cost,
        "leads": lesson.leads,
    })
}

/// What happens, on one line.
pub(super) fn progress(event: &Event<'_>) -> String {
    match event {
        Event::Estimated { number, best, .. } => {
            format!(
                "{} looked at, the best takes about {:.3} ms",
                format::counted(*number, "plan"),
                best * 1e3
            )
        }
        Event::Judged { number, judged, .. } => {
            let plans = format::counted(*number, "plan");
            format!("{plans} looked at in full, the last takes {:.3} ms", judged.cost.seconds * 1e3)
        }
        Event::Learned(lessons) => {
            format!("{} to learn from", format::counted(lessons.plans.len(), "plan"))
        }
    }
}
