//! Where the test programs are.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The corpora of other projects' programs, where they are on this machine: in the folder that the variable
/// `PARTITA_CORPUS` names, or beside the repository.
pub fn corpus() -> Option<PathBuf> {
    let root = match std::env::var_os("PARTITA_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => repository().join("../shared/corpus"),
    };
    root.is_dir().then_some(root)
}

/// All programs under a folder, in order, each with its path below it and without the ending.
pub fn programs(root: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    collect(root, "", &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), found);
        } else if let Some(stem) = name.strip_suffix(".mlir") {
            found.push((format!("{prefix}{stem}"), path));
        }
    }
}
