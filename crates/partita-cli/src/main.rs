//! The `partita` command: files, words and progress around the library.
//!
//! A command that succeeds exits 0. Bad input exits 1 with a diagnostic and writes nothing; wrong usage exits 2.

use clap::{Parser, Subcommand};
use partita_cli::error::Failure;
use partita_cli::{commands, output, render};

// Programs are many small things that live as long as the process: the allocator is a tenth of all time otherwise.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Reads, checks, prints, runs, shards, partitions and simulates StableHLO programs.
#[derive(Parser)]
#[command(name = "partita", version, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 bad input, 2 wrong usage. A FILE of `-` is standard input or output."
)]
struct Cli {
    /// Print one JSON object on standard output and nothing else there, errors too
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(commands::check::Args),
    Fmt(commands::fmt::Args),
    Run(commands::run::Args),
    Propagate(commands::propagate::Args),
    Partition(commands::partition::Args),
    Explain(commands::explain::Args),
    Simulate(commands::simulate::Args),
}

fn main() {
    let code = match Cli::try_parse() {
        Ok(cli) => {
            let outcome = match &cli.command {
                Command::Check(args) => commands::check::run(args, cli.json),
                Command::Fmt(args) => commands::fmt::run(args, cli.json),
                Command::Run(args) => commands::run::run(args, cli.json),
                Command::Propagate(args) => commands::propagate::run(args, cli.json),
                Command::Partition(args) => commands::partition::run(args, cli.json),
                Command::Explain(args) => commands::explain::run(args, cli.json),
                Command::Simulate(args) => commands::simulate::run(args, cli.json),
            };
            outcome.map_or_else(|failure| report(&failure, cli.json), |()| 0)
        }
        Err(error) => report_usage(&error),
    };
    std::process::exit(code)
}

/// Tells the user what went wrong, and gives the exit code.
fn report(failure: &Failure, json: bool) -> i32 {
    if failure.is_closed_pipe() {
        // Whoever read our output has seen enough.
        return 0;
    }
    if failure.is_told() {
        return failure.exit_code();
    }
    // Where even the report cannot be written, the exit code still tells.
    let _ = if json {
        output::print_json(&render::json(failure))
    } else {
        output::print_error(&render::text(failure, output::colour_on_stderr()))
    };
    failure.exit_code()
}

/// Answers `--help` and `--version`, and explains wrong usage.
fn report_usage(error: &clap::Error) -> i32 {
    let json = std::env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json");
    if json && error.use_stderr() {
        return report(&Failure::from_usage(error), true);
    }
    let _ = error.print();
    error.exit_code()
}
