//! Failures for people and for programs.

use crate::error::Failure;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use partita::Diagnostic;
use partita::diagnostic::line_column;
use partita::ir::Span;
use serde_json::{Value, json};
use std::ops::Range;

/// A longer line is not shown: only where in it the error is.
const LONGEST_SHOWN: usize = 1 << 20;

/// The failure in words: for each error the line with the spot marked, and how to mend it.
pub fn text(failure: &Failure, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in &failure.diagnostics {
        out.push_str(&renderer.render(&[group(failure, diagnostic)]));
        out.push_str(if failure.diagnostics.len() > 1 { "\n\n" } else { "\n" });
    }
    if failure.diagnostics.len() > 1 {
        out.push_str(&format!("{} errors\n", failure.diagnostics.len()));
    }
    out
}

fn group<'a>(failure: &'a Failure, diagnostic: &'a Diagnostic) -> Group<'a> {
    let mut group = Group::with_title(Level::ERROR.primary_title(&*diagnostic.message));
    let file = failure.file.as_deref().unwrap_or("<input>");
    if let Some(place) = Place::find(&failure.text, diagnostic.span) {
        if place.line.len() > LONGEST_SHOWN {
            group = group.element(Origin::path(file).line(place.line_number).char_column(place.column));
        } else {
            let label = (!diagnostic.label.is_empty()).then_some(&*diagnostic.label);
            let mark = AnnotationKind::Primary.span(place.mark).label(label);
            let snippet = Snippet::source(place.line).path(file).line_start(place.line_number);
            group = group.element(snippet.annotation(mark));
        }
    }
    if let Some(fix) = &diagnostic.fix {
        group = group.element(Level::HELP.message(&**fix));
    }
    group
}

/// Where a span begins in the text. Only one line is ever given to the renderer, which would otherwise look
/// through the whole text.
struct Place<'t> {
    line_number: usize,
    column: usize,
    /// The line the span begins in.
    line: &'t str,
    /// The part of the span that is in the line.
    mark: Range<usize>,
}

impl<'t> Place<'t> {
    /// Nothing where the span is no place in the text.
    fn find(text: &'t str, span: Span) -> Option<Place<'t>> {
        if text.is_empty() || span == Span::default() {
            return None;
        }
        let (line_number, column) = line_column(text, span.start);
        let start = text.floor_char_boundary(span.start as usize);
        let line_start = text[..start].rfind('\n').map_or(0, |n| n + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |n| start + n);
        let end = text.ceil_char_boundary((span.end as usize).clamp(start, line_end));
        let line = text[line_start..line_end].trim_end_matches('\r');
        Some(Place { line_number, column, line, mark: start - line_start..end - line_start })
    }
}

/// The failure as one JSON object: the first error, and all of them.
pub fn json(failure: &Failure) -> Value {
    let errors: Vec<Value> = failure.diagnostics.iter().map(|d| diagnostic_json(failure, d)).collect();
    json!({ "schema": 1, "error": errors.first(), "errors": errors })
}

fn diagnostic_json(failure: &Failure, diagnostic: &Diagnostic) -> Value {
    let place = Place::find(&failure.text, diagnostic.span);
    json!({
        "code": diagnostic.code,
        "message": diagnostic.message,
        "file": failure.file,
        "line": place.as_ref().map(|p| p.line_number),
        "column": place.as_ref().map(|p| p.column),
        "value": diagnostic.value,
        "dimension": diagnostic.dimension_of_value(),
        "axis": diagnostic.axis_of_mesh(),
        "fix": diagnostic.fix,
    })
}
