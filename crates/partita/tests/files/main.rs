//! File tests: one test per program.
//!
//! * `tests/verify`, `tests/print`, `tests/run`, `tests/partition`, `tests/propagate`, `tests/complete` and `tests/optimise` at the root of the repository; see the modules.
//! * `docs/ops.md`, which is written from the op table.
//! * The tiny examples, partitioned with each of their annotations.
//! * Every program of the corpora, where they are present, is read, checked, printed and read again; those with
//!   checks of their own are run.
//!
//! `cargo test -p partita --test files verify/` runs a part. With `PARTITA_UPDATE=1` print tests are rewritten to
//! what is printed.

#[path = "../common/mod.rs"]
mod common;
mod complete;
mod corpus;
mod examples;
mod notation;
mod ops_page;
mod optimise;
mod partition;
mod print;
mod propagate;
mod run;
mod verify;

use libtest_mimic::{Arguments, Failed, Trial};
use partita::{Compiled, Compiler, Diagnostic, Module};
use std::path::Path;

fn main() {
    let mut tests = Vec::new();
    let root = common::repository().join("tests");
    let mut add = |folder: &str, test: fn(&Path) -> Result<(), Failed>| {
        for (name, path) in common::programs(&root.join(folder)) {
            tests.push(Trial::test(format!("{folder}/{name}"), move || test(&path)));
        }
    };
    add("verify", verify::test);
    add("print", print::test);
    add("run", run::test);
    add("partition", partition::test);
    add("propagate", propagate::test);
    add("complete", complete::test);
    add("optimise", optimise::test);
    corpus::add(&mut tests);
    examples::add(&mut tests);
    notation::add(&mut tests);
    ops_page::add(&mut tests);
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

/// Reads and verifies a program.
fn read(text: &str) -> Result<Module, Vec<Diagnostic>> {
    let module = partita::text::parse::parse(text)?;
    partita::verify::verify(&module)?;
    Ok(module)
}

/// A program over a mesh of its own.
struct Annotated {
    text: String,
    module: Module,
}

/// Reads the program of a file that names a mesh.
fn read_annotated(path: &Path) -> Result<Annotated, Failed> {
    let text = std::fs::read_to_string(path)?;
    let module = read(&text).map_err(|errors| describe(&text, &errors))?;
    partita::sharding::import::module_mesh(&module)?.ok_or("there is no mesh")?;
    Ok(Annotated { text, module })
}

impl Annotated {
    /// Compiles the program.
    fn compile(&self, compiler: &Compiler) -> Result<Compiled, Failed> {
        compiler.compile(&self.module).map_err(|errors| describe(&self.text, &errors.0))
    }
}

/// Diagnostics with their lines, as the reason of a failed test.
fn describe(text: &str, errors: &[Diagnostic]) -> Failed {
    let lines = errors.iter().map(|e| {
        let (line, column) = partita::diagnostic::line_column(text, e.span.start);
        let source = text.lines().nth(line - 1).unwrap_or("");
        format!("{line}:{column}: [{}] {e}\n    {source}", e.code)
    });
    lines.collect::<Vec<_>>().join("\n").into()
}
