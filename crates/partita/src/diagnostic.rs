//! Errors for people: what is wrong, where, and how to mend it.

use crate::ir::Span;

/// One error in the input.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// A short stable name of the kind of error, such as `syntax` or `type-mismatch`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where in the text; empty where the error has no place in it.
    pub span: Span,
    /// What stands beside the mark in the text.
    pub label: Box<str>,
    /// How to mend it.
    pub fix: Option<String>,
    /// The value concerned, as `%3`.
    pub value: Option<String>,
    /// The part of a sharding concerned, where it is about one.
    pub sharding: Option<Box<ShardingPlace>>,
}

/// A part of a sharding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShardingPlace {
    /// The dimension of the tensor.
    pub dimension: Option<usize>,
    /// The axis of the mesh.
    pub axis: Option<String>,
}

impl Diagnostic {
    /// An error at a place in the text.
    pub fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            message: message.into(),
            span,
            label: Box::default(),
            fix: None,
            value: None,
            sharding: None,
        }
    }

    /// Adds what stands beside the mark.
    pub fn label(mut self, label: impl Into<Box<str>>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds how to mend it.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Names the value concerned.
    pub fn value(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// Names the dimension concerned.
    pub fn dimension(mut self, dimension: usize) -> Self {
        self.sharding.get_or_insert_default().dimension = Some(dimension);
        self
    }

    /// The dimension concerned.
    pub fn dimension_of_value(&self) -> Option<usize> {
        self.sharding.as_ref()?.dimension
    }

    /// The axis concerned.
    pub fn axis_of_mesh(&self) -> Option<&str> {
        self.sharding.as_ref()?.axis.as_deref()
    }

    /// Names the axis concerned.
    pub fn axis(mut self, axis: impl Into<String>) -> Self {
        self.sharding.get_or_insert_default().axis = Some(axis.into());
        self
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if let Some(fix) = &self.fix {
            write!(f, " ({fix})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// All errors of a program.
#[derive(Clone, Debug, Default)]
pub struct Errors(pub Vec<Diagnostic>);

impl From<Diagnostic> for Errors {
    fn from(error: Diagnostic) -> Errors {
        Errors(vec![error])
    }
}

impl From<Vec<Diagnostic>> for Errors {
    fn from(errors: Vec<Diagnostic>) -> Errors {
        Errors(errors)
    }
}

impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if n > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// Line and column, both from one and in characters, of a byte position.
pub fn line_column(text: &str, position: u32) -> (usize, usize) {
    let position = (position as usize).min(text.len());
    let before = &text.as_bytes()[..position];
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let column = before[line_start..].iter().filter(|&&b| b & 0xC0 != 0x80).count() + 1;
    (line, column)
}
