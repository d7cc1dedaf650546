//! The options that say which passes run.

use partita::optimise::{self, Options, PASSES};

/// Which passes run on the program of one device.
#[derive(clap::Args)]
#[command(next_help_heading = "Passes")]
pub struct PassArgs {
    /// The passes that run on the program of one device: their names, or `all` or `none`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = name)]
    passes: Vec<String>,

    /// Passes that do not run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = name)]
    without: Vec<String>,
}

/// The names of all passes.
pub fn names() -> String {
    PASSES.iter().map(|pass| pass.name).collect::<Vec<_>>().join(", ")
}

/// The name of a pass, or of all or none.
fn name(name: &str) -> Result<String, String> {
    match name {
        "all" | "none" => Ok(name.to_string()),
        _ if optimise::pass_named(name).is_some() => Ok(name.to_string()),
        _ => Err(format!("the passes are {}", names())),
    }
}

impl PassArgs {
    /// The passes that run.
    pub fn options(&self) -> Options {
        let named =
            |list: &[String], n: usize| list.iter().any(|name| name == "all" || name == PASSES[n].name);
        let mut options = Options::default();
        for n in 0..PASSES.len() {
            if !self.passes.is_empty() {
                options = options.set(n, named(&self.passes, n));
            }
            if named(&self.without, n) {
                options = options.set(n, false);
            }
        }
        options
    }
}
