//! Output that is either whole or not there.

use crate::error::Failure;
use crate::input::is_standard;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Writes to a file, or to standard output where the path is `-`.
///
/// A file is written beside its place and moved there at the end, so a failure leaves nothing behind and an
/// older file untouched.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    if is_standard(path) {
        return print_with(fill);
    }
    write_file(path, fill).map_err(|error| Failure::io(path.display().to_string(), "write", &error))
}

fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|m| m.is_dir()) {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if existing.as_ref().is_some_and(|m| !m.is_file()) {
        // A device or a pipe cannot be replaced; it is written as it is.
        return fill_file(File::options().write(true).open(path)?, fill);
    }
    // A link stays a link: what it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temporary = temporary_beside(&target)?;
    let finish = || {
        fill_file(File::create_new(&temporary)?, fill)?;
        if let Some(metadata) = existing {
            fs::set_permissions(&temporary, metadata.permissions())?;
        }
        fs::rename(&temporary, &target)
    };
    finish().inspect_err(|_| {
        // The error that is reported is the first one.
        let _ = fs::remove_file(&temporary);
    })
}

fn fill_file(file: File, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    fill(&mut writer)?;
    writer.flush()
}

fn temporary_beside(target: &Path) -> io::Result<PathBuf> {
    let Some(name) = target.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.partial", std::process::id()));
    Ok(target.with_file_name(hidden))
}

/// Prints on standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// Prints one JSON object on standard output.
pub fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print_with(|out| {
        serde_json::to_writer(&mut *out, value)?;
        out.write_all(b"\n")
    })
}

fn print_with(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    fill(&mut out).and_then(|()| out.flush()).map_err(|error| Failure::io("<stdout>", "write", &error))
}

/// Prints a message on standard error.
pub fn print_error(text: &str) -> Result<(), Failure> {
    io::stderr().write_all(text.as_bytes()).map_err(|error| Failure::io("<stderr>", "write", &error))
}

/// Whether messages on standard error may have colours.
pub fn colour_on_stderr() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    io::stderr().is_terminal() && !refused && !dumb
}
