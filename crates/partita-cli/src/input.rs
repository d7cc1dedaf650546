//! Programs from files and from standard input.

use crate::error::Failure;
use partita::ir::{Module, Span};
use partita::{Diagnostic, Errors, text, verify};
use std::fs::File;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::time::{Duration, Instant};

/// MLIR bytecode begins with these bytes.
const BYTECODE_MAGIC: &[u8] = b"ML\xEFR";

/// A program that was read and is sound.
pub struct Program {
    /// The file, as the user named it.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The program. It is never freed: the process ends soon after, and taking a large module apart piece by
    /// piece takes longer than printing it.
    pub module: ManuallyDrop<Module>,
    /// How long reading the text took.
    pub parse_time: Duration,
    /// How long checking it took.
    pub verify_time: Duration,
}

impl Program {
    /// Errors of the program, shown in its text.
    pub fn fail(&self, errors: impl Into<Errors>) -> Failure {
        Failure::in_program(self.file.clone(), self.text.clone(), errors.into().0)
    }
}

/// Reads and verifies the program in a file.
pub fn load(path: &Path) -> Result<Program, Failure> {
    read(name(path), read_text(path)?)
}

/// Reads and verifies a program; `file` is where messages say it comes from.
pub fn read(file: String, text: String) -> Result<Program, Failure> {
    let start = Instant::now();
    let module = match text::parse(&text) {
        Ok(module) => ManuallyDrop::new(module),
        Err(errors) => return Err(Failure::in_program(file, text, errors)),
    };
    let parsed = Instant::now();
    if let Err(errors) = verify::verify(&module) {
        return Err(Failure::in_program(file, text, errors));
    }
    Ok(Program { file, text, module, parse_time: parsed - start, verify_time: parsed.elapsed() })
}

/// A path as messages show it.
pub fn name(path: &Path) -> String {
    if is_standard(path) { "<stdin>".to_string() } else { path.display().to_string() }
}

/// Whether a path means standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file for reading and gives its length; directories are refused.
pub fn open(path: &Path) -> Result<(File, u64), Failure> {
    let failed = |error: std::io::Error| Failure::io(name(path), "read", &error);
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        let message = format!("`{}` is a directory", name(path));
        return Err(Failure::new("io", message).file(name(path)).fix("name a file in it"));
    }
    Ok((file, metadata.len()))
}

/// All bytes of a file, or of standard input; nothing where there are more than `limit`.
pub fn read_bytes(path: &Path, limit: usize) -> Result<Option<Vec<u8>>, Failure> {
    let failed = |error: std::io::Error| Failure::io(name(path), "read", &error);
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large from one that just fits.
    let most = limit as u64 + 1;
    if is_standard(path) {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        let (file, length) = open(path)?;
        if length > limit as u64 {
            return Ok(None);
        }
        // Reserved exactly, so that a large file is never copied while it grows.
        bytes.reserve_exact(length as usize + 1);
        file.take(most).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok((bytes.len() <= limit).then_some(bytes))
}

fn read_text(path: &Path) -> Result<String, Failure> {
    let Some(bytes) = read_bytes(path, text::parse::MAX_TEXT)? else {
        let limit = crate::format::bytes(text::parse::MAX_TEXT as u64);
        let message = format!("`{}` is larger than {limit}, the most that is read", name(path));
        return Err(Failure::new("too-large", message).file(name(path)));
    };
    String::from_utf8(bytes).map_err(|error| not_utf8(path, error))
}

/// Points at the first byte that is not UTF-8, in the readable part of its line.
fn not_utf8(path: &Path, error: std::string::FromUtf8Error) -> Failure {
    let position = error.utf8_error().valid_up_to();
    let mut bytes = error.into_bytes();
    if bytes.starts_with(BYTECODE_MAGIC) {
        return Failure::new(
            "bytecode",
            format!("`{}` is MLIR bytecode, but a program is read as text", name(path)),
        )
        .file(name(path))
        .fix("save the program as text: in JAX, `lowered.as_text()` or `exported.mlir_module()`");
    }
    let message = format!("the text is not UTF-8: byte {position} is 0x{:02x}", bytes[position]);
    let line_end = bytes[position..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| position + n);
    bytes.truncate(line_end);
    // Everything before the bad byte stays as it is, so its position holds in the new text.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let span =
        Span { start: position as u32, end: (position + char::REPLACEMENT_CHARACTER.len_utf8()) as u32 };
    let diagnostic = Diagnostic::new("not-utf8", span, message)
        .label("not UTF-8")
        .fix("save the file as UTF-8; bytes in strings are written `\\FF`");
    Failure::in_program(name(path), text, vec![diagnostic])
}
