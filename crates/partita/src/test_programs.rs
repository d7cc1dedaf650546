//! Programs that unit tests walk: the examples of the repository, and those of other projects where they are on this
//! machine.

use crate::inline::{Inlined, inline};
use crate::ir::Module;
use std::path::{Path, PathBuf};

/// A small generator of numbers, the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// A module from text that is known to be good.
pub(crate) fn parse(text: &str) -> Module {
    crate::text::parse(text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// A module as one function: `main`, or the first.
pub(crate) fn program(module: &Module) -> Inlined {
    let entry = module.func_named("main").unwrap_or_else(|| module.funcs.ids().next().expect("a function"));
    inline(module, entry).unwrap_or_else(|e| panic!("{e}"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The examples with the annotations of their strategies.
pub(crate) fn annotated_examples() -> Vec<(PathBuf, Module)> {
    read_examples(|name| !name.contains(".none."))
}

/// The examples without annotations.
pub(crate) fn examples() -> Vec<(PathBuf, Module)> {
    read_examples(|name| name.contains(".none."))
}

fn read_examples(wanted: impl Fn(&str) -> bool) -> Vec<(PathBuf, Module)> {
    let mut paths = files_below(root().join("../../examples/tiny"));
    paths.retain(|p| {
        let name = p.to_string_lossy();
        name.ends_with(".sdy.mlir") && wanted(&name)
    });
    assert!(!paths.is_empty());
    let read = |path: PathBuf| {
        let module = parse(&std::fs::read_to_string(&path).expect("a readable file"));
        (path, module)
    };
    paths.into_iter().map(read).collect()
}

/// The programs of other projects that can be read, where they are on this machine.
pub(crate) fn corpora() -> impl Iterator<Item = (PathBuf, Module)> {
    let default = root().join("../../../shared/corpus");
    let folder = std::env::var_os("PARTITA_CORPUS").map_or(default, PathBuf::from);
    files_below(folder).into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        let module = crate::text::parse(&text).ok()?;
        Some((path, module))
    })
}

fn files_below(folder: PathBuf) -> Vec<PathBuf> {
    let mut folders = vec![folder];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "mlir") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
