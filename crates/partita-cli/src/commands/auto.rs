//! `partita auto`.

mod describe;
mod find;
mod measure;
mod meshes;
mod promising;

pub use find::{Outcome, Question};
pub use meshes::find;
pub use promising::promising;

use super::sharding::{self, ShardingArgs};
use crate::device::DeviceArgs;
use crate::error::Failure;
use crate::input::{self, Program};
use crate::progress::Spinner;
use crate::report::Report;
use crate::{format, output};
use describe::Names;
use partita::compiler::{Compiler, Imported};
use partita::device::Profile;
use partita::sharding::apply::Options;
use partita::text::print::print;
use partita_auto::{Event, Limits, Space, Subject, Tactic};
use partita_pjrt::{Plugin, find_plugin};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Find how a program is best split over a mesh
///
/// What the program, `--shard` and `--plan` say is kept; the search decides the rest. Every plan it looks at is a correct program.
#[derive(clap::Args)]
pub struct Args {
    /// The program, as StableHLO text
    file: PathBuf,

    /// Where to write the program with the shardings that were found
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Where to write the plan, as JSON that `--plan` reads
    #[arg(long, value_name = "PLAN.json")]
    save_plan: Option<PathBuf>,

    /// How many devices there are, in place of `--mesh`: meshes of one to three axes are tried
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1 << 20), conflicts_with = "mesh")]
    devices: Option<i64>,

    /// Seconds that the search may take
    #[arg(long, value_name = "SEC", default_value_t = 60.0)]
    time_limit: f64,

    /// What ties are broken by
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// What it is worth to have none of the collectives of the fastest plan, as a part of its time; to have half of them is worth half of it
    #[arg(long, value_name = "PART", default_value_t = Limits::default().margin)]
    margin: f64,

    /// Plans that the quick judge looks at, at most
    #[arg(long, value_name = "N", default_value_t = Limits::default().estimates)]
    estimates: usize,

    /// Plans that are partitioned and simulated, at most; as many as the size of the program allows where nothing is said
    #[arg(long, value_name = "N")]
    judgements: Option<usize>,

    /// Try decisions in the order of the work that they split, not in that of the learned ranker
    #[arg(long)]
    no_ranker: bool,

    /// Go on from plans of which nothing good can come, too
    #[arg(long)]
    no_bounds: bool,

    /// Take a decision for each group of dimensions, not one for those that are alike
    #[arg(long)]
    no_grouping: bool,

    /// Say why an argument, a result or a value lies as it does: what the best plan costs in which it lies otherwise, and where
    #[arg(long, value_name = "NAME")]
    explain: Vec<String>,

    /// Print the decisions that are left, and stop
    #[arg(long)]
    space: bool,

    /// Print a line of JSON on standard error for each plan that is looked at
    #[arg(long)]
    record: bool,

    /// Add to the record what a ranker can learn from so many of the plans, and look at one plan in full
    #[arg(long, value_name = "N", default_value_t = 0, requires = "record")]
    lessons: usize,

    /// What to do first, as `data:x`: data, megatron, zero1, zero2, zero3, fsdp, sequence, expert, spatial or pipeline, over an axis; in this order
    #[arg(long = "tactic", value_name = "TACTIC:AXIS")]
    tactics: Vec<String>,

    /// Time so many of the best plans on devices, and give the fastest: besides the time of the search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    measure: Option<u16>,

    /// The PJRT plug-in for `--measure`, a shared library
    ///
    /// Where none is named: `PARTITA_PJRT_PLUGIN`, then the one for CPUs that `scripts/plugin` installs.
    #[arg(long, value_name = "SO", requires = "measure")]
    plugin: Option<PathBuf>,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    sharding: ShardingArgs,
}

/// What the search takes the devices for where nothing is said of them: cores of 16 GiB on a torus.
const DEFAULT_DEVICE: &str = partita::device::BUILT_IN[0].1;

/// The devices that a plan is for.
pub fn profile(device: &DeviceArgs) -> Result<Profile, Failure> {
    Ok(match device.profile()? {
        Some(profile) => profile,
        None => partita::device::read(DEFAULT_DEVICE)?,
    })
}

/// Finds a plan for a program.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    refuse_impossible(args, json)?;
    let options = args.sharding.options()?;
    let tactics: Vec<Tactic> = args.tactics.iter().map(|t| Tactic::parse(t)).collect::<Result<_, _>>()?;
    let profile = profile(&args.device)?;
    let program = input::load(&args.file)?;
    if args.space {
        return print_space(args, &program, &options, json);
    }
    // A plug-in that is not there is told before the search.
    let plugin = || Ok::<_, Failure>(Plugin::load(&find_plugin(args.plugin.as_deref())?)?);
    let measured = args.measure.map(|count| Ok::<_, Failure>((usize::from(count), plugin()?))).transpose()?;
    // Where the handler cannot be set, Ctrl-C ends the command.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let mut line = Spinner::new();
    let mut watch = |event: Event<'_>| {
        line.say(|| describe::progress(&event));
        if args.record {
            // A record that cannot be written is no reason to end the search.
            let _ = output::print_error(&format!("{}\n", describe::record(&event)));
        }
        !INTERRUPTED.load(Ordering::Relaxed) && !matches!(event, Event::Learned(_))
    };
    let time = Duration::try_from_secs_f64(args.time_limit).unwrap_or(Duration::MAX);
    let limits = Limits {
        estimates: args.estimates,
        judgements: args.judgements,
        time,
        seed: args.seed,
        margin: args.margin,
        ranker: !args.no_ranker,
        bounds: !args.no_bounds,
        lessons: args.lessons,
    };
    let question = Question {
        program: &program,
        options: &options,
        profile: &profile,
        memory: args.device.memory,
        tactics: &tactics,
        grouping: !args.no_grouping,
        limits,
    };
    let meshes = args.devices.map_or_else(|| vec![options.mesh.clone()], meshes::of);
    let found = meshes::search(&question, &meshes, &mut watch)?;
    let best = match measured {
        None => found.best(&question)?,
        Some((plans, plugin)) => {
            let mut tell = |words: String| {
                line.say(|| words);
                !INTERRUPTED.load(Ordering::Relaxed)
            };
            measure::fastest(found, &question, plans, &plugin, &mut tell)?
        }
    };
    drop(line);
    finish(args, json, program, (&options, &profile), &best)
}

fn refuse_impossible(args: &Args, json: bool) -> Result<(), Failure> {
    if !args.time_limit.is_finite() || args.time_limit < 0.0 {
        return Err(
            Failure::usage("`--time-limit` is no number of seconds").fix("write it as `--time-limit 60`")
        );
    }
    if !args.margin.is_finite() || args.margin < 0.0 {
        return Err(Failure::usage("`--margin` is no part of a time").fix("write it as `--margin 0.25`"));
    }
    if json && args.output.as_deref().is_some_and(input::is_standard) {
        return Err(Failure::usage("`--json` takes standard output, so the program cannot be written there")
            .fix("name a file: `-o OUT`"));
    }
    Ok(())
}

/// Ctrl-C ends the search, not the command.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// So many alternatives are printed.
const ALTERNATIVES: usize = 8;

/// Writes what was asked for.
fn finish(
    args: &Args,
    json: bool,
    program: Program,
    (options, profile): (&Options, &Profile),
    best: &Outcome,
) -> Result<(), Failure> {
    if let Some(path) = &args.save_plan {
        let text = format!("{:#}\n", best.plan_json());
        output::write(path, |out| out.write_all(text.as_bytes()))?;
    }
    if let Some(path) = &args.output {
        let text = print(&best.annotated(&program, options)?);
        output::write(path, |out| out.write_all(text.as_bytes()))?;
    }
    let explained = args.explain.iter().map(|name| Ok((name.as_str(), best.explain(name)?)));
    let explained: Vec<(&str, String)> = explained.collect::<Result<_, Failure>>()?;
    if json {
        let mut report = reported(program, options, profile, best)?;
        if !explained.is_empty() {
            report["explained"] = explained.into_iter().collect();
        }
        return output::print_json(&report);
    }
    let mut text = format!("{}\n", best.words[0]);
    for (n, other) in best.words.iter().enumerate().skip(1).take(ALTERNATIVES) {
        text.push_str(&format!("alternative {n}: {other}\n"));
    }
    for measured in &best.measured {
        text.push_str(&format!("{}\n", measured.words()));
    }
    text.push_str(&format!(
        "{} looked at, {} in full, in {} ({})\n",
        format::counted(best.found.estimates, "plan"),
        format::count(best.found.judged),
        format::duration(best.found.time),
        best.found.stop.name()
    ));
    for (_, words) in explained {
        text.push_str(&format!("\n{words}"));
    }
    if args.output.as_deref().is_some_and(input::is_standard) {
        return output::print_error(&text);
    }
    output::print(&text)
}

/// What was found, besides what `partition --json` says of the program that comes of it.
fn reported(
    program: Program,
    options: &Options,
    profile: &Profile,
    best: &Outcome,
) -> Result<Value, Failure> {
    let (sharded, partitioned) = sharding::compiled(program, &best.compiler(options, profile)?)?;
    let mut object = Report::new(&sharded, &partitioned).json();
    if let (Value::Object(all), Value::Object(found)) = (&mut object, best.json()) {
        all.extend(found);
    }
    Ok(object)
}

fn print_space(args: &Args, program: &Program, options: &Options, json: bool) -> Result<(), Failure> {
    let imported = Compiler::new().options(options.clone()).import(&program.module);
    let Imported { inlined, mesh } = imported.map_err(|e| program.fail(e))?;
    let subject = Subject::new(&inlined, mesh).map_err(|e| program.fail(e))?;
    let space = Space::new(&subject, !args.no_grouping);
    let names = Names { subject: &subject, space: &space, input: &program.module };
    if json {
        return output::print_json(&names.space_json());
    }
    output::print(&names.space_words())
}
