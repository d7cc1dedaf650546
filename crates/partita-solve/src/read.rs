//! Problems from JSON, plain or compressed with gzip.
//!
//! ```json
//! {"problem": {"name": "…", "nodes": {"intervals": [[0, 3]], "costs": [[5, 7]], "usages": [[2, 1]]},
//!              "edges": {"nodes": [[0, 1]], "costs": [[0, 1, 1, 0]]}, "usage_limit": 10}}
//! ```
//!
//! Files are up to 100 MB of mostly numbers, and reading is part of the time limit: the numbers go straight into
//! their place.

use crate::json::{Fault, Reader};
use crate::problem::{Edge, Malformed, Node, Problem};
use std::fmt;

/// More than this is not unpacked: a small file can claim to hold anything.
const LARGEST_UNPACKED: usize = 4 << 30;

/// Why bytes are no problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The JSON is broken or not as expected; the position is in the unpacked text.
    Json {
        /// What is wrong.
        message: String,
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
    },
    /// The compressed data is broken.
    Gzip(String),
    /// The numbers do not fit together.
    Malformed(Malformed),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Json { message, line, column } => {
                write!(f, "{message} (line {line}, column {column})")
            }
            Unreadable::Gzip(message) => write!(f, "the compressed data cannot be unpacked: {message}"),
            Unreadable::Malformed(malformed) => malformed.fmt(f),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Reads a problem from the bytes of a file.
pub fn read(bytes: &[u8]) -> Result<Problem, Unreadable> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return parse(&unpack(bytes).map_err(Unreadable::Gzip)?);
    }
    parse(bytes)
}

fn parse(text: &[u8]) -> Result<Problem, Unreadable> {
    let mut parts = Parts::default();
    let mut reader = Reader::new(text);
    let outcome = read_file(&mut reader, &mut parts);
    match outcome.and_then(|()| parts.assemble()) {
        Ok(problem) => problem.map_err(Unreadable::Malformed),
        Err(Fault { message, position }) => {
            let before = &text[..position.min(text.len())];
            let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
            let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
            Err(Unreadable::Json { message, line, column: before.len() - line_start + 1 })
        }
    }
}

/// The fields of the file, in whatever order they come.
#[derive(Default)]
struct Parts {
    intervals: Option<Vec<[i64; 2]>>,
    node_costs: Option<Vec<Vec<i64>>>,
    usages: Option<Vec<Vec<i64>>>,
    ends: Option<Vec<[i64; 2]>>,
    edge_costs: Option<Vec<Vec<i64>>>,
    usage_limit: Option<i64>,
}

fn read_file(reader: &mut Reader, parts: &mut Parts) -> Result<(), Fault> {
    let mut seen = false;
    reader.object(|reader, key| {
        if key != b"problem" {
            return reader.skip();
        }
        seen = true;
        reader.object(|reader, key| match key {
            b"nodes" => reader.object(|reader, key| match key {
                b"intervals" => pairs(reader).map(|v| parts.intervals = Some(v)),
                b"costs" => rows(reader).map(|v| parts.node_costs = Some(v)),
                b"usages" => rows(reader).map(|v| parts.usages = Some(v)),
                _ => reader.skip(),
            }),
            b"edges" => reader.object(|reader, key| match key {
                b"nodes" => pairs(reader).map(|v| parts.ends = Some(v)),
                b"costs" => rows(reader).map(|v| parts.edge_costs = Some(v)),
                _ => reader.skip(),
            }),
            b"usage_limit" => reader.integer().map(|v| parts.usage_limit = Some(v)),
            _ => reader.skip(),
        })
    })?;
    reader.end()?;
    if seen { Ok(()) } else { Err(Fault::new("the file has no `problem`", 0)) }
}

fn rows(reader: &mut Reader) -> Result<Vec<Vec<i64>>, Fault> {
    let mut rows = Vec::new();
    reader.array(|reader| {
        let mut row = Vec::new();
        reader.array(|reader| reader.integer().map(|v| row.push(v)))?;
        row.shrink_to_fit();
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}

fn pairs(reader: &mut Reader) -> Result<Vec<[i64; 2]>, Fault> {
    let mut pairs = Vec::new();
    reader.array(|reader| {
        let start = reader.position();
        let mut pair = [0; 2];
        let mut count = 0;
        reader.array(|reader| {
            let value = reader.integer()?;
            if let Some(place) = pair.get_mut(count) {
                *place = value;
            }
            count += 1;
            Ok(())
        })?;
        if count != 2 {
            return Err(Fault::new(format!("two numbers are expected here, not {count}"), start));
        }
        pairs.push(pair);
        Ok(())
    })?;
    Ok(pairs)
}

impl Parts {
    fn assemble(self) -> Result<Result<Problem, Malformed>, Fault> {
        fn present<T>(part: Option<T>, name: &str) -> Result<T, Fault> {
            part.ok_or_else(|| Fault::new(format!("the problem has no `{name}`"), 0))
        }
        let intervals = present(self.intervals, "nodes.intervals")?;
        let node_costs = present(self.node_costs, "nodes.costs")?;
        let usages = present(self.usages, "nodes.usages")?;
        let ends = present(self.ends, "edges.nodes")?;
        let edge_costs = present(self.edge_costs, "edges.costs")?;
        let usage_limit = present(self.usage_limit, "usage_limit")?;
        let differ = |what: &str, [a, b]: [usize; 2]| Malformed {
            message: format!("{what} are lists of different lengths: {a} and {b}"),
            fix: "give one entry for each".to_string(),
        };
        if intervals.len() != node_costs.len() {
            let lengths = [intervals.len(), node_costs.len()];
            return Ok(Err(differ("`nodes.intervals` and `nodes.costs`", lengths)));
        }
        if usages.len() != node_costs.len() {
            return Ok(Err(differ("`nodes.usages` and `nodes.costs`", [usages.len(), node_costs.len()])));
        }
        if ends.len() != edge_costs.len() {
            return Ok(Err(differ("`edges.nodes` and `edges.costs`", [ends.len(), edge_costs.len()])));
        }
        let fits = |what: &str, index: usize, [a, b]: [i64; 2]| match (u32::try_from(a), u32::try_from(b)) {
            (Ok(a), Ok(b)) => Ok((a, b)),
            _ => Err(Malformed {
                message: format!("{what} {index} has [{a}, {b}]"),
                fix: format!("numbers from 0 to {} are expected there", u32::MAX),
            }),
        };
        let nodes = intervals.into_iter().zip(node_costs).zip(usages).enumerate();
        let nodes = nodes.map(|(index, ((interval, costs), usages))| {
            Ok(Node { interval: fits("node", index, interval)?, costs, usages })
        });
        let edges = ends.into_iter().zip(edge_costs).enumerate();
        let edges = edges.map(|(index, (ends, costs))| Ok(Edge { nodes: fits("edge", index, ends)?, costs }));
        Ok(nodes
            .collect::<Result<_, Malformed>>()
            .and_then(|nodes| Problem::new(nodes, edges.collect::<Result<_, Malformed>>()?, usage_limit)))
    }
}

/// Unpacks a gzip file.
fn unpack(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let body = gzip_body(bytes).ok_or("its header is cut short")?;
    let size = bytes.last_chunk::<4>().map_or(0, |size| u32::from_le_bytes(*size) as usize);
    let compressed = body.get(..body.len().saturating_sub(8)).unwrap_or_default();
    // The size stands at the end, modulo 2^32; deflate cannot shrink below a thousandth.
    let expected = size.min(bytes.len() * 1100).min(LARGEST_UNPACKED);
    let unpacked = miniz_oxide::inflate::decompress_to_vec_with_limit(compressed, expected)
        .map_err(|error| error.to_string().to_lowercase())?;
    if unpacked.len() as u32 as usize == size { Ok(unpacked) } else { Err("it is cut short".to_string()) }
}

/// What stands behind the header of a gzip file.
fn gzip_body(bytes: &[u8]) -> Option<&[u8]> {
    let flags = *bytes.get(3)?;
    let mut rest = bytes.get(10..)?;
    if flags & 4 != 0 {
        let (length, after) = rest.split_first_chunk::<2>()?;
        rest = after.get(u16::from_le_bytes(*length) as usize..)?;
    }
    // A name and a comment, each up to a zero byte.
    for flag in [8, 16] {
        if flags & flag != 0 {
            rest = rest.get(rest.iter().position(|&b| b == 0)? + 1..)?;
        }
    }
    if flags & 2 != 0 { rest.get(2..) } else { Some(rest) }
}
