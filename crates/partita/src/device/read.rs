//! Profiles from text.
//!
//! Every number is checked where it is read: one that no device can have is more likely a slip of units than a device.

use super::profile::{Asynchronous, Profile};
use super::topology::{Level, Links};
use super::windows::Windows;
use crate::diagnostic::Diagnostic;
use crate::ir::{Elem, Span};
use std::cell::RefCell;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// What rates may be, in operations or bytes per second: from a slow core to far beyond any device of today.
const RATE: (f64, f64) = (1e6, 1e18);

/// What times may be, in seconds.
const TIME: (f64, f64) = (0.0, 1.0);

/// What parts of a peak may be.
const PART: (f64, f64) = (0.01, 1.0);

/// What sizes of memory may be.
const BYTES: (f64, f64) = (1e6, 1e15);

/// Reads a profile.
pub fn read(text: &str) -> Result<Profile, Diagnostic> {
    let document = DeTable::parse(text).map_err(|error| {
        let span = error.span().map(in_text).unwrap_or_default();
        Diagnostic::new("profile", span, format!("the profile is not TOML: {}", error.message()))
    })?;
    let top = Table::new("the profile", document.get_ref(), in_text(document.span()));
    let (compute, memory, network) = (top.table("compute")?, top.table("memory")?, top.table("network")?);
    let profile = Profile {
        name: top.word("name")?.0.to_string(),
        shared: top.flag("shared")?,
        asynchronous: asynchronous(&top)?,
        combine_bytes: top.optional("combine", (0.0, BYTES.1))?.unwrap_or(0.0) as u64,
        matrix: matrix(&compute)?,
        vector: compute.number("vector", RATE)?,
        tile: tile(&compute)?,
        windows: compute.tables("windows")?.iter().map(windows).collect::<Result<_, _>>()?,
        fuses: compute.flag("fuses")?,
        compute_efficiency: compute.optional("efficiency", PART)?.unwrap_or(1.0),
        operation_start: compute.optional("start", TIME)?.unwrap_or(0.0),
        memory_size: memory.number("size", BYTES)? as u64,
        memory_bandwidth: memory.number("bandwidth", RATE)?,
        memory_turn: memory.optional("turn", RATE)?,
        memory_fresh: memory.optional("fresh", RATE)?,
        collective_start: network.optional("start", TIME)?.unwrap_or(0.0),
        network_efficiency: network.optional("efficiency", PART)?.unwrap_or(1.0),
        flat: network.flag("flat")?,
        leading: network.flag("leading")?,
        levels: levels(&network)?,
    };
    for table in [&top, &compute, &memory, &network] {
        table.nothing_else()?;
    }
    Ok(profile)
}

fn asynchronous(top: &Table<'_>) -> Result<Asynchronous, Diagnostic> {
    let Some((word, span)) = top.optional_word("asynchronous")? else { return Ok(Asynchronous::None) };
    match word {
        "all" => Ok(Asynchronous::All),
        "permutes" => Ok(Asynchronous::Permutes),
        "none" => Ok(Asynchronous::None),
        _ => Err(wrong(span, format!("`asynchronous` is \"{word}\""))
            .fix("write \"all\", \"permutes\" or \"none\"")),
    }
}

/// Peaks of the matrix unit by element type.
fn matrix(compute: &Table<'_>) -> Result<Vec<(Elem, f64)>, Diagnostic> {
    let table = compute.table("matrix")?;
    let mut peaks = Vec::new();
    for (key, _) in table.entries {
        let name: &str = key.get_ref();
        let Some(elem) = Elem::from_name(name) else {
            let fix = "write types as StableHLO does: `bf16`, `f32`, `i8`";
            return Err(wrong(in_text(key.span()), format!("`{name}` is no element type")).fix(fix));
        };
        peaks.push((elem, table.number(name, RATE)?));
    }
    if peaks.is_empty() {
        return Err(wrong(table.span, "there is no peak in `matrix`".into())
            .fix("name at least one element type: `matrix = { bf16 = 275e12 }`"));
    }
    Ok(peaks)
}

fn tile(compute: &Table<'_>) -> Result<[i64; 3], Diagnostic> {
    let Some((sizes, span)) = compute.sizes("tile")? else { return Ok([1; 3]) };
    let sizes: [i64; 3] = sizes.try_into().map_err(|sizes: Vec<i64>| {
        let message = format!("`tile` has {} sizes: it takes rows, depth and columns", sizes.len());
        wrong(span, message).fix("write `tile = [8, 128, 128]`")
    })?;
    Ok(sizes)
}

/// How fast windows are laid out.
fn windows(table: &Table<'_>) -> Result<Windows, Diagnostic> {
    let windows = Windows {
        dims: table.number("dims", (1.0, 64.0))? as usize,
        runs: table.number("runs", RATE)?,
        elements: table.number("elements", RATE)?,
    };
    table.nothing_else()?;
    Ok(windows)
}

/// The levels of the network: at least one.
fn levels(network: &Table<'_>) -> Result<Vec<Level>, Diagnostic> {
    let levels: Vec<Level> = network.tables("level")?.iter().map(level).collect::<Result<_, _>>()?;
    match levels.is_empty() {
        true => Err(network.missing("level").fix("say how devices are joined: `[[network.level]]`")),
        false => Ok(levels),
    }
}

fn level(table: &Table<'_>) -> Result<Level, Diagnostic> {
    let name = table.word("name")?.0.to_string();
    let (torus, switch) = (table.sizes("torus")?, table.optional("switch", (2.0, 1e7))?);
    let wrap = table.optional("wrap", (0.0, 1e7))?;
    let links = match (torus, switch) {
        (Some((sides, _)), None) => Links::Torus { sides, wrap: wrap.unwrap_or(0.0) as i64 },
        (None, Some(size)) if wrap.is_none() => Links::Switch { size: size as i64 },
        (None, Some(_)) => {
            return Err(wrong(
                table.span,
                format!("level \"{name}\" is a switch, which does not wrap around"),
            ));
        }
        (Some(_), Some(_)) => {
            return Err(wrong(table.span, format!("level \"{name}\" is both a torus and a switch"))
                .fix("make two levels of it"));
        }
        (None, None) => {
            return Err(wrong(table.span, format!("level \"{name}\" says not how its units are joined"))
                .fix("write `torus = [16, 16]` or `switch = 8`"));
        }
    };
    let level = Level {
        name,
        links,
        bandwidth: table.number("bandwidth", RATE)?,
        latency: table.optional("latency", TIME)?.unwrap_or(0.0),
    };
    table.nothing_else()?;
    Ok(level)
}

fn in_text(range: Range<usize>) -> Span {
    Span { start: range.start as u32, end: range.end as u32 }
}

fn wrong(span: Span, message: String) -> Diagnostic {
    Diagnostic::new("profile", span, message)
}

/// A table of the text, and which of its keys were read.
struct Table<'t> {
    name: &'t str,
    entries: &'t DeTable<'t>,
    span: Span,
    known: RefCell<Vec<String>>,
}

impl<'t> Table<'t> {
    fn new(name: &'t str, entries: &'t DeTable<'t>, span: Span) -> Self {
        Table { name, entries, span, known: RefCell::default() }
    }

    fn look_up(&self, key: &str) -> Option<(&'t DeValue<'t>, Span)> {
        self.known.borrow_mut().push(key.to_string());
        let (_, value) = self.entries.iter().find(|(k, _)| k.get_ref() == key)?;
        Some((value.get_ref(), in_text(value.span())))
    }

    fn missing(&self, key: &str) -> Diagnostic {
        wrong(self.span, format!("`{key}` is missing in {}", self.name))
    }

    fn table(&self, key: &'static str) -> Result<Table<'t>, Diagnostic> {
        match self.look_up(key) {
            Some((DeValue::Table(entries), span)) => Ok(Table::new(key, entries, span)),
            Some((other, span)) => Err(wrong(span, format!("`{key}` is {}, not a table", kind(other)))),
            None => Err(self.missing(key)),
        }
    }

    fn tables(&self, key: &'static str) -> Result<Vec<Table<'t>>, Diagnostic> {
        let Some((value, span)) = self.look_up(key) else { return Ok(Vec::new()) };
        let not_tables = || wrong(span, format!("`{key}` is {}, not a list of tables", kind(value)));
        let list = value.as_array().ok_or_else(not_tables)?;
        let table = |value: &'t toml::Spanned<DeValue<'t>>| match value.get_ref() {
            DeValue::Table(entries) => Ok(Table::new(key, entries, in_text(value.span()))),
            _ => Err(not_tables()),
        };
        list.iter().map(table).collect()
    }

    fn word(&self, key: &'static str) -> Result<(&'t str, Span), Diagnostic> {
        self.optional_word(key)?.ok_or_else(|| self.missing(key))
    }

    fn optional_word(&self, key: &'static str) -> Result<Option<(&'t str, Span)>, Diagnostic> {
        match self.look_up(key) {
            Some((DeValue::String(word), span)) => Ok(Some((word, span))),
            Some((other, span)) => Err(wrong(span, format!("`{key}` is {}, not a string", kind(other)))),
            None => Ok(None),
        }
    }

    fn flag(&self, key: &'static str) -> Result<bool, Diagnostic> {
        match self.look_up(key) {
            Some((DeValue::Boolean(flag), _)) => Ok(*flag),
            Some((other, span)) => Err(wrong(span, format!("`{key}` is {}, not true or false", kind(other)))),
            None => Ok(false),
        }
    }

    /// A number that must be there, within bounds.
    fn number(&self, key: &str, bounds: (f64, f64)) -> Result<f64, Diagnostic> {
        let (value, span) = self.look_up(key).ok_or_else(|| self.missing(key))?;
        let number =
            number(value).ok_or_else(|| wrong(span, format!("`{key}` is {}, not a number", kind(value))))?;
        within(key, number, bounds, span)
    }

    fn optional(&self, key: &'static str, bounds: (f64, f64)) -> Result<Option<f64>, Diagnostic> {
        match self.look_up(key) {
            Some(_) => self.number(key, bounds).map(Some),
            None => Ok(None),
        }
    }

    /// A list of sizes.
    fn sizes(&self, key: &'static str) -> Result<Option<(Vec<i64>, Span)>, Diagnostic> {
        let Some((value, span)) = self.look_up(key) else { return Ok(None) };
        let not_sizes = || wrong(span, format!("`{key}` is not a list of sizes such as [16, 16]"));
        let list = value.as_array().filter(|list| !list.is_empty()).ok_or_else(not_sizes)?;
        let size = |value: &toml::Spanned<DeValue<'_>>| {
            let size = number(value.get_ref()).filter(|n| n.fract() == 0.0).ok_or_else(not_sizes)?;
            Ok(within(key, size, (1.0, 1e7), in_text(value.span()))? as i64)
        };
        Ok(Some((list.iter().map(size).collect::<Result<_, _>>()?, span)))
    }

    /// Refuses keys that nothing reads: most likely one that is there is written wrong.
    fn nothing_else(&self) -> Result<(), Diagnostic> {
        let mut known = self.known.borrow_mut();
        known.sort_unstable();
        known.dedup();
        for (key, _) in self.entries {
            let name: &str = key.get_ref();
            if !known.iter().any(|k| k == name) {
                let fix = format!("known here are {}", known.join(", "));
                return Err(
                    wrong(in_text(key.span()), format!("`{name}` is not known in {}", self.name)).fix(fix)
                );
            }
        }
        Ok(())
    }
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).ok().map(|n| n as f64),
        DeValue::Float(n) => n.as_str().parse().ok(),
        _ => None,
    }
}

fn within(key: &str, number: f64, (least, most): (f64, f64), span: Span) -> Result<f64, Diagnostic> {
    if (least..=most).contains(&number) {
        return Ok(number);
    }
    Err(wrong(span, format!("`{key}` is {number:e}, which no device has"))
        .label(format!("not from {least:e} to {most:e}"))
        .fix("rates are per second, sizes in bytes, times in seconds"))
}

/// What a value is, for messages.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::built_in;
    use crate::diagnostic::line_column;

    /// What is said of a profile with one thing changed, and in which line.
    fn said(from: &str, to: &str) -> (usize, String) {
        let text = built_in("tpu-v4").unwrap();
        assert!(text.contains(from), "{from}");
        let text = text.replace(from, to);
        let error = read(&text).unwrap_err();
        (line_column(&text, error.span.start).0, error.to_string())
    }

    #[test]
    fn missing_numbers_are_named_with_their_table() {
        let (line, message) = said("bandwidth = 1.2e12\n", "");
        assert!(message.starts_with("`bandwidth` is missing in memory"), "{message}");
        assert_eq!(line, 13);
        assert!(said("tile = [8, 128, 128]", "tile = [8]").1.contains("has 1 sizes"));
        assert!(said("torus = [16, 16, 16]\nwrap = 4\n", "").1.contains("not how its units are joined"));
        assert!(said("[[network.level]]", "[other]").1.contains("`level` is missing in network"));
        assert!(said("{ bf16 = 275e12, f32 = 275e12, i8 = 275e12 }", "{}").1.contains("no peak"));
    }

    #[test]
    fn absurd_numbers_are_shown_where_they_stand() {
        let (line, message) = said("bandwidth = 50e9", "bandwidth = 50e30");
        assert!(message.starts_with("`bandwidth` is 5e31, which no device has"), "{message}");
        assert_eq!(line, 25);
        assert!(said("efficiency = 0.80", "efficiency = 80").1.contains("`efficiency` is 8e1"));
        assert!(said("size = 34_359_738_368", "size = 32").1.contains("`size` is 3.2e1"));
        assert!(said("latency = 1e-6", "latency = -1").1.contains("`latency` is -1e0"));
        assert!(said("bf16 = 275e12", "bf16 = nan").1.contains("`bf16` is NaN"));
        assert!(said("torus = [16, 16, 16]", "torus = [16, 0, 16]").1.contains("`torus` is 0e0"));
    }

    #[test]
    fn slips_in_the_text_are_found() {
        assert!(said("vector", "vektor").1.contains("`vector` is missing"));
        assert!(said("wrap = 4", "wrapp = 4").1.contains("`wrapp` is not known in level"));
        assert!(said("bf16 = 275e12", "bf17 = 275e12").1.contains("`bf17` is no element type"));
        assert!(said("\"permutes\"", "\"some\"").1.contains("`asynchronous` is \"some\""));
        assert!(said("name = \"ici\"", "name = ici").1.contains("not TOML"));
        assert!(said("vector = 8.6e12", "vector = \"8.6e12\"").1.contains("a string, not a number"));
    }
}
