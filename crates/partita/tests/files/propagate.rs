//! `tests/propagate`: programs whose shardings are completed.
//!
//! A file holds cases separated by lines `// -----`. Comment lines at the top of a case give the options of the
//! command line: `// mesh: data=2`, `// shard: arg0=_,data`, `// boundary: replicated`, `// notation: mhlo`. A line
//! `// error: TEXT` says that the case is refused with an error that contains TEXT (message and fix); otherwise the
//! completed program must be what the file with the ending `.out` beside it says. With `PARTITA_UPDATE=1` that file
//! is written.

use libtest_mimic::Failed;
use partita::compiler::Sharded;
use partita::sharding::apply::{Boundary, Completion, Options};
use partita::sharding::export;
use partita::sharding::spec::{MeshSpec, ShardSpec};
use partita::text::{PrintOptions, print_with};
use partita::{Compiler, Diagnostic};
use std::path::Path;

const SEPARATOR: &str = "// -----\n";

pub fn test(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let mut output = String::new();
    for case in text.split(SEPARATOR) {
        let expected: Vec<&str> = header(case, "error").collect();
        match (complete(case), &expected[..]) {
            (Ok(program), []) => {
                if !output.is_empty() {
                    output.push_str(SEPARATOR);
                }
                output.push_str(&program);
            }
            (Ok(_), _) => return Err(format!("accepted, though expected: {}", expected.join(", ")).into()),
            (Err(errors), []) => return Err(crate::describe(case, &errors)),
            (Err(errors), _) => {
                let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
                for text in expected {
                    if !told.iter().any(|t| t.contains(text)) {
                        return Err(format!("expected: {text}\ntold: {}", told.join("\n")).into());
                    }
                }
            }
        }
    }
    if output.is_empty() {
        return Ok(());
    }
    let beside = path.with_extension("out");
    if std::env::var_os("PARTITA_UPDATE").is_some() {
        std::fs::write(beside, output)?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(beside)?;
    if expected == output { Ok(()) } else { Err(crate::print::first_difference(&expected, &output).into()) }
}

/// What the comment lines with a key say.
fn header<'t>(case: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    case.lines().filter_map(move |line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
}

fn complete(case: &str) -> Result<String, Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    let options = Options {
        mesh: header(case, "mesh").next().map(MeshSpec::parse).transpose().map_err(one)?,
        shards: header(case, "shard").map(ShardSpec::parse).collect::<Result<_, _>>().map_err(one)?,
        boundary: match header(case, "boundary").next() {
            Some("replicated") => Boundary::Replicated,
            _ => Boundary::Open,
        },
        ..Options::default()
    };
    let module = crate::read(case)?;
    if module.func_named("main").is_none() {
        return Ok(String::new());
    }
    let compiler = Compiler::new().options(options).completion(Completion::Propagate);
    let Sharded { inlined: mut program, shardings: found, .. } =
        compiler.shard_all(&module).map_err(|errors| errors.0)?;
    export::complete(&mut program.module, &found);
    if header(case, "notation").next() == Some("mhlo") {
        export::to_tiles(&mut program.module, &found.mesh)?;
    }
    let options = PrintOptions { no_locations: true, ..PrintOptions::default() };
    let printed = print_with(&program.module, options);
    // What was printed is a program, and completing it again changes nothing.
    let again = crate::read(&printed)?;
    assert_eq!(print_with(&again, options), printed);
    Ok(printed)
}
