//! `docs/ops.md`: op by op what can be split, what that costs, and what stays whole and why, as the rows of the op table have it.
//!
//! Rules depend on shapes and attributes, so each op is looked at as it stands in the programs of `tests/print` and `tests/run`. The test fails where the page is not what
//! the table says; with `PARTITA_UPDATE=1` it is rewritten.

use super::common;
use libtest_mimic::{Failed, Trial};
use partita::ir::OpRef;
use partita::ops::edge::Edge;
use partita::ops::linear::Linear;
use partita::ops::ordered::Ordered;
use partita::ops::rule::{Access, Combine, Kind, Rule};
use partita::ops::{Flow, OpKind, Spread};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const FOLDERS: [&str; 2] = ["print", "run"];

const HEAD: &str = "# Op by op: what can be split

Written from the op table by `cargo test -p partita --test files docs/`, with `PARTITA_UPDATE=1`; do not edit it.

A rule names the factors of an op and says for each dimension of its operands and results, in this order, which factors it runs over. What splitting a factor takes:

- *freely*: nothing is sent; every device computes its shard.
- *windows*: shards fetch what their windows reach of their neighbours' shards, by permutes, and no more than that.
- *partial, by f*: every device has a part, and the parts are combined by `f`: a reduce-scatter where what follows is split, else an all-reduce. A sum stays partial through ops that say
  *linear*, and is combined once. By the op's own region: the parts are gathered and combined on every device.
- *lookup*: indices that come from data are moved into the whole dimension, and masked on each device; what is found is added up, what is written stays with its shard.
- *running*: each device does its shard, and one total per shard is exchanged; *ranked*: the best of each shard are gathered and ranked once more.
- *in stages*: along one dimension after the other, with an all-to-all between them.
- *whole*: such a dimension is not split. Where it comes split, it is exchanged for another dimension of the op by an all-to-all, or gathered, whichever is cheaper.

All other communication brings operands and results from where they are to where this is done, by the cheapest path.

";

pub fn add(tests: &mut Vec<Trial>) {
    tests.push(Trial::test("docs/ops", test));
}

fn test() -> Result<(), Failed> {
    let mut seen: BTreeMap<&'static str, Seen> = BTreeMap::new();
    for folder in FOLDERS {
        for (_, path) in common::programs(&common::repository().join("tests").join(folder)) {
            let text = std::fs::read_to_string(path)?;
            // Tests of errors are no programs.
            let Ok(module) = super::read(&text) else { continue };
            for id in module.ops.ids() {
                seen.entry(module.op(id).def().name).or_default().add(module.op(id));
            }
        }
    }
    let page = page(&seen)?;
    let path = common::repository().join("docs/ops.md");
    if std::env::var_os("PARTITA_UPDATE").is_some() {
        std::fs::write(&path, &page)?;
    }
    let kept = std::fs::read_to_string(&path)?;
    if kept == page {
        return Ok(());
    }
    let line = kept.lines().zip(page.lines()).position(|(kept, found)| kept != found);
    Err(format!(
        "docs/ops.md is stale from line {} on; PARTITA_UPDATE=1 rewrites it",
        line.map_or(0, |n| n + 1)
    )
    .into())
}

/// What was seen of an op.
#[derive(Default)]
struct Seen {
    takes: BTreeSet<String>,
    example: Option<String>,
    /// How many factors the example has, as far as that matters.
    factors: usize,
}

impl Seen {
    fn add(&mut self, op: OpRef<'_>) {
        let Spread::Rule(rule, _) = op.def().spread else { return };
        let Ok(rule) = rule(op) else { return };
        self.takes.extend(rule.factors.iter().enumerate().filter_map(|(n, _)| takes(op, &rule, n)));
        if (op.def().linear)(op, Combine::Add) != Linear::No {
            self.takes.insert("linear".to_string());
        }
        if !(op.def().stages)(op).is_empty() {
            self.takes.insert("in stages".to_string());
        }
        let text = rule.to_string();
        // The first that says something, so that new tests rarely change the page.
        let factors = rule.factors.len().min(2);
        if factors > self.factors && text.len() < 200 {
            (self.example, self.factors) = (Some(text), factors);
        }
    }
}

/// What splitting a factor of an op takes, in words.
fn takes(op: OpRef<'_>, rule: &Rule, factor: usize) -> Option<String> {
    let is_factor = |id: partita::ops::rule::FactorId| usize::from(id.0) == factor;
    let affine =
        |dim: &partita::ops::rule::DimMap| matches!(dim.access, Access::Affine(a) if is_factor(a.outer));
    let reached = rule.tensors().flatten().any(affine);
    let words = match rule.factors[factor].kind {
        _ if rule.factors[factor].size == 1 => return None,
        Kind::Parallel if reached && matches!(op.def().edge, Edge::Unknown) => {
            "whole: windows that read beside the ends".to_string()
        }
        Kind::Parallel if reached => "windows".to_string(),
        Kind::Parallel => "freely".to_string(),
        Kind::Reduce(Combine::Region) => "partial, by its region".to_string(),
        Kind::Reduce(combine) => format!("partial, by {}", combine.name()),
        Kind::Lookup => "lookup".to_string(),
        Kind::Scan => match (op.def().ordered)(op) {
            Ordered::Unknown => "whole: order matters along it".to_string(),
            Ordered::Running { .. } => "running".to_string(),
            Ordered::Ranked { .. } | Ordered::RankedTogether => "ranked".to_string(),
        },
        Kind::Whole => "whole".to_string(),
    };
    Some(words)
}

fn page(seen: &BTreeMap<&'static str, Seen>) -> Result<String, Failed> {
    let mut page = HEAD.to_string();
    let mut dialect = "";
    for kind in OpKind::all() {
        let def = kind.def();
        let own = def.name.split('.').next().unwrap_or("");
        if own != dialect {
            dialect = own;
            write!(
                page,
                "\n## {dialect}\n\n| op | splitting takes | a rule, for example |\n|---|---|---|\n"
            )?;
        }
        let nothing = Seen::default();
        let seen = seen.get(def.name).unwrap_or(&nothing);
        let example =
            seen.example.as_ref().map_or(String::new(), |rule| format!("`{}`", rule.replace('|', "\\|")));
        writeln!(page, "| `{}` | {} | {example} |", def.name, words(def.spread, seen))?;
    }
    Ok(page)
}

/// What splitting an op takes.
fn words(spread: Spread, seen: &Seen) -> String {
    match spread {
        Spread::Rule(_, Flow::Elementwise) if seen.takes.is_empty() => "freely".to_string(),
        Spread::Rule(..) if seen.takes.is_empty() => "by its rule".to_string(),
        Spread::Rule(..) => seen.takes.iter().cloned().collect::<Vec<_>>().join("; "),
        Spread::Whole(reason) => format!("whole: {reason}"),
        Spread::Constant => "freely: each use is made where it is needed".to_string(),
        Spread::Pairs => "freely: each result lies as the operand at its place".to_string(),
        Spread::Loop => {
            "what it carries lies alike before, in and after it; what does not change is moved before it"
                .to_string()
        }
        Spread::Branches => {
            "what branches return lies alike in all; all devices take the same one".to_string()
        }
        Spread::Region => "as what stands in it".to_string(),
        Spread::Manual => "as it is written: its inside is for one device".to_string(),
        Spread::Constraint => "the value is brought to the sharding it names".to_string(),
        Spread::Group => "members lie alike".to_string(),
        Spread::Barrier => "freely".to_string(),
        Spread::Nothing => "nothing to split".to_string(),
    }
}
