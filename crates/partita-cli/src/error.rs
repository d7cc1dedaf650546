//! Why a command failed.

use partita::Diagnostic;
use partita::ir::Span;

/// What a command gives up with.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    /// The file that is at fault, as the user named it.
    pub file: Option<String>,
    /// The text the diagnostics point into; empty where they point nowhere.
    pub text: String,
    /// What is wrong, at least one thing.
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    BadInput,
    WrongUsage,
    ClosedPipe,
    Told,
}

impl Failure {
    /// Bad input that no line of a program can be blamed for.
    pub fn new(code: &'static str, message: impl Into<String>) -> Failure {
        Failure::from(Diagnostic::new(code, Span::default(), message))
    }

    /// Errors in the text of a program.
    pub fn in_program(file: impl Into<String>, text: String, diagnostics: Vec<Diagnostic>) -> Failure {
        Failure { kind: Kind::BadInput, file: Some(file.into()), text, diagnostics }
    }

    /// Options that do not go together, or that this build does not know.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::WrongUsage, ..Failure::new("usage", message) }
    }

    /// What the parser of the command line has to say, without its layout.
    pub fn from_usage(error: &clap::Error) -> Failure {
        let text = error.render().to_string();
        let mut paragraphs = text.split("\n\n");
        let words = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = words(paragraphs.next().unwrap_or_default());
        let failure = Failure::usage(message.trim_start_matches("error: "));
        match paragraphs.map(words).find(|p| p.starts_with("tip:") || p.starts_with("Usage:")) {
            Some(hint) => failure.fix(hint.trim_start_matches("tip: ")),
            None => failure,
        }
    }

    /// Bad input that the command has told about itself.
    pub fn told(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::Told, ..Failure::new("told", message) }
    }

    /// Something the operating system refused.
    pub fn io(file: impl Into<String>, doing: &str, error: &std::io::Error) -> Failure {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure { kind: Kind::ClosedPipe, ..Failure::new("io", "the output was closed") };
        }
        let file = file.into();
        Failure::new("io", format!("cannot {doing} `{file}`: {}", reason(error))).file(file)
    }

    /// Names the file that is at fault.
    pub fn file(mut self, file: impl Into<String>) -> Failure {
        self.file = Some(file.into());
        self
    }

    /// Adds how to mend it.
    pub fn fix(mut self, fix: impl Into<String>) -> Failure {
        if let Some(first) = self.diagnostics.first_mut() {
            first.fix = Some(fix.into());
        }
        self
    }

    /// Whether the reader of our output went away, which is no fault of anyone's.
    pub fn is_closed_pipe(&self) -> bool {
        self.kind == Kind::ClosedPipe
    }

    /// Whether there is nothing left to say.
    pub fn is_told(&self) -> bool {
        self.kind == Kind::Told
    }

    /// 1 for bad input, 2 for wrong usage.
    pub fn exit_code(&self) -> i32 {
        match self.kind {
            Kind::BadInput | Kind::Told => 1,
            Kind::WrongUsage => 2,
            Kind::ClosedPipe => 0,
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure { kind: Kind::BadInput, file: None, text: String::new(), diagnostics: vec![diagnostic] }
    }
}

impl From<partita_pjrt::Error> for Failure {
    fn from(error: partita_pjrt::Error) -> Failure {
        let failure = Failure::new(error.code(), &*error.message);
        match error.fix {
            Some(fix) => failure.fix(fix),
            None => failure,
        }
    }
}

/// The system's reason in lower case and without its number, as it reads best behind a colon.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
