//! What goes wrong, said for people.

use std::fmt;

/// What went wrong with a plug-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind.
    pub kind: ErrorKind,
    /// What happened.
    pub message: String,
    /// What to do about it, where that is known.
    pub fix: Option<String>,
}

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no plug-in, or it cannot be loaded.
    Plugin,
    /// The plug-in is of a version that cannot be used.
    Version,
    /// Too few devices.
    Devices,
    /// The plug-in refuses the program.
    Compile,
    /// The plug-in failed while it ran, or moved data.
    Run,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), fix: None }
    }

    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Error {
        self.fix = Some(fix.into());
        self
    }

    /// A short word for scripts.
    pub fn code(&self) -> &'static str {
        match self.kind {
            ErrorKind::Plugin => "plugin",
            ErrorKind::Version => "plugin-version",
            ErrorKind::Devices => "devices",
            ErrorKind::Compile => "engine-compile",
            ErrorKind::Run => "engine-run",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.fix {
            Some(fix) => write!(f, " ({fix})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
