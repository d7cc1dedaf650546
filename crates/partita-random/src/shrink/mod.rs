//! Small programs from large ones that fail.
//!
//! A program is changed in one place at a time: an op becomes an argument or gives way to an operand, a loop to its body;
//! results, shardings and axes of the mesh go; numbers become smaller. A change stays if the program still fails in the same
//! way. It works on any program, not only on random ones.

mod structure;
mod tidy;
mod words;

use crate::check::{Failure, check_well};
use partita::compiler::{Imported, Sharded};
use partita::sharding::apply::Completion;
use partita::{Compiler, Module};

/// So many programs are tried at most.
const MAX_TRIALS: usize = 4000;

/// The smallest program found that fails as this one does.
pub fn shrink(text: &str, failure: &Failure) -> String {
    let header: String = text
        .lines()
        .take_while(|line| line.starts_with("// arithmetic:"))
        .map(|l| format!("{l}\n"))
        .collect();
    let mut shrinker = Shrinker { header, failure, text: text.to_string(), trials: 0 };
    shrinker.unfold(text);
    while shrinker.structure() | shrinker.words() {}
    let tidied = parsed(&shrinker.text).map(tidy::tidied);
    if let Some(module) = tidied {
        shrinker.try_module(&module);
    }
    shrinker.text
}

struct Shrinker<'f> {
    /// The comment that says how results compare.
    header: String,
    failure: &'f Failure,
    /// The smallest program so far.
    text: String,
    trials: usize,
}

impl Shrinker<'_> {
    /// Takes a program over if it fails in the same way.
    fn try_text(&mut self, text: String) -> bool {
        if self.trials >= MAX_TRIALS || text == self.text {
            return false;
        }
        self.trials += 1;
        let fails = check_well(&text).err().is_some_and(|failure| failure.is_like(self.failure));
        if fails {
            self.text = text;
        }
        fails
    }

    fn try_module(&mut self, module: &Module) -> bool {
        self.try_text(format!("{}{}", self.header, partita::text::print(module)))
    }

    /// Inlines calls, and writes the shardings that propagation found onto every op: so an op keeps its shardings when
    /// those around it go.
    fn unfold(&mut self, text: &str) {
        let Some(module) = parsed(text) else { return };
        let compiler = Compiler::new().completion(Completion::Propagate);
        let Ok(Imported { inlined, .. }) = compiler.import(&module) else { return };
        self.try_module(&inlined.module);
        let Ok(Sharded { inlined: mut program, shardings, .. }) = compiler.shard_all(&module) else { return };
        partita::sharding::export::complete(&mut program.module, &shardings);
        self.try_module(&program.module);
    }

    /// Tries every change of the structure. Whether one was of use.
    fn structure(&mut self) -> bool {
        let mut changed = false;
        let mut next = 0;
        while let Some(module) = parsed(&self.text) {
            // From the end: what is near the results stands in the way of everything before it.
            let Some(edit) = structure::edits(&module).into_iter().rev().nth(next) else { break };
            // Only what makes the program smaller, or changes would take turns for ever.
            let size = structure::size(&module);
            let taken = structure::apply(&module, &edit)
                .filter(|edited| structure::size(edited) < size)
                .is_some_and(|edited| self.try_module(&edited));
            // The changes that follow have moved up to this place.
            next = if taken { next } else { next + 1 };
            changed |= taken;
            if self.trials >= MAX_TRIALS {
                break;
            }
        }
        changed
    }

    /// Tries every change of words and numbers. Whether one was of use.
    fn words(&mut self) -> bool {
        let mut changed = false;
        let mut next = 0;
        while let Some(edited) = words::edits(&self.text).into_iter().nth(next) {
            let taken = self.try_text(edited);
            next = if taken { next } else { next + 1 };
            changed |= taken;
            if self.trials >= MAX_TRIALS {
                break;
            }
        }
        changed
    }
}

fn parsed(text: &str) -> Option<Module> {
    partita::text::parse::parse(text).ok()
}
