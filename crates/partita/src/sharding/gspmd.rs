//! The tile notation of GSPMD, as it stands in `mhlo.sharding`:
//! `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`, `{replicated}`, `{maximal device=3}`, tuples of them, and
//! the newer form with a mesh, `{mesh['x'=2,'y'=4], [{'x'}, {'y'}]}`.

use std::fmt;

/// A sharding in the tile notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TileSharding {
    /// One sharding per element of a tuple.
    Tuple(Vec<TileSharding>),
    /// The sharding of one array.
    Array(ArraySharding),
}

/// The sharding of one array, with what rides along.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArraySharding {
    /// How it is split.
    pub kind: TileKind,
    /// `shard_as 1` or `shard_like 1`.
    pub group: Option<(GroupKind, i64)>,
    /// The text inside `metadata={…}`.
    pub metadata: Option<String>,
}

/// How strongly a group ties its members together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupKind {
    /// All members have one sharding.
    As,
    /// The members should be alike.
    Like,
}

/// How an array is split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TileKind {
    /// All devices hold all of it.
    Replicated,
    /// It is already in the shape of a shard.
    Manual,
    /// Nothing is known yet.
    Unknown,
    /// All devices hold a partial sum of it.
    Unreduced,
    /// One device holds it.
    Maximal(i64),
    /// Devices in a grid of tiles.
    Tiled(Tiles),
    /// Axes of a mesh, by name.
    Named(Box<NamedSharding>),
}

/// `devices=[2,1,4]<=[8] last_tile_dim_replicate`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tiles {
    /// The grid: one size per dimension of the array, then one per subgroup.
    pub grid: Vec<i64>,
    /// Which device holds each tile.
    pub devices: Devices,
    /// What the devices of each trailing dimension of the grid have in common.
    pub subgroups: Vec<Subgroup>,
}

/// The devices of a grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Devices {
    /// `<=[2,4]T(1,0)`: 0, 1, 2, … in this shape, transposed.
    Iota {
        /// The shape.
        shape: Vec<i64>,
        /// The transposition; the identity where it is left out.
        permutation: Vec<usize>,
    },
    /// Each by its number.
    List(Vec<i64>),
}

impl Devices {
    /// How many they are.
    pub fn count(&self) -> i64 {
        match self {
            Devices::Iota { shape, .. } => shape.iter().product(),
            Devices::List(list) => list.len() as i64,
        }
    }
}

/// What the devices along a trailing dimension of the grid have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subgroup {
    /// They hold the same data.
    Replicated,
    /// The dimension is manual: the array is already a shard along it.
    Manual,
    /// They hold partial sums.
    Unreduced,
}

/// `mesh['x'=2,'y'=4], [{'x'}, {'y', ?}], replicated={…}, unreduced={…}, manual={…}`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NamedSharding {
    /// Names and sizes.
    pub axes: Vec<(String, i64)>,
    /// `device_ids=(3,1,…)`.
    pub device_ids: Option<Vec<i64>>,
    /// Per dimension the axes, and whether it is open.
    pub dims: Vec<(Vec<NamedAxis>, bool)>,
    /// Axes that are replicated explicitly.
    pub replicated: Vec<NamedAxis>,
    /// Axes over which the array is a partial sum.
    pub unreduced: Vec<NamedAxis>,
    /// Manual axes.
    pub manual: Vec<NamedAxis>,
}

/// An axis or a part of one: name and `(pre, size)`.
pub type NamedAxis = (String, Option<(i64, i64)>);

/// Where and why the text is not a sharding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TileError {
    /// The byte in the text of the sharding.
    pub position: usize,
    /// What was expected.
    pub message: String,
}

impl fmt::Display for TileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at position {}", self.message, self.position)
    }
}

impl std::error::Error for TileError {}

/// Reads a sharding.
pub fn parse(text: &str) -> Result<TileSharding, TileError> {
    let mut reader = Reader { text, at: 0 };
    let sharding = reader.sharding(0)?;
    reader.spaces();
    if reader.at < text.len() {
        return Err(reader.error("nothing behind the sharding was expected"));
    }
    Ok(sharding)
}

/// Tuples nest no deeper.
const MAX_DEPTH: usize = 64;

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn error(&self, message: impl Into<String>) -> TileError {
        TileError { position: self.at, message: message.into() }
    }

    fn spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.spaces();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn at_token(&mut self, token: &str) -> bool {
        self.spaces();
        self.text[self.at..].starts_with(token)
    }

    fn expect(&mut self, token: &str) -> Result<(), TileError> {
        if self.eat(token) { Ok(()) } else { Err(self.error(format!("expected `{token}`"))) }
    }

    fn number(&mut self) -> Result<i64, TileError> {
        self.spaces();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let value = rest[..end].parse().map_err(|_| self.error("expected a number"))?;
        self.at += end;
        Ok(value)
    }

    /// `1,2,3` up to a closing token, which is taken.
    fn numbers(&mut self, close: &str) -> Result<Vec<i64>, TileError> {
        let mut list = Vec::new();
        if self.eat(close) {
            return Ok(list);
        }
        loop {
            list.push(self.number()?);
            if self.eat(close) {
                return Ok(list);
            }
            self.expect(",")?;
        }
    }

    fn sharding(&mut self, depth: usize) -> Result<TileSharding, TileError> {
        if depth > MAX_DEPTH {
            return Err(self.error("tuples are nested too deep"));
        }
        self.expect("{")?;
        if self.at_token("{") || self.at_token("}") {
            let mut parts = Vec::new();
            if self.eat("}") {
                return Ok(TileSharding::Tuple(parts));
            }
            loop {
                parts.push(self.sharding(depth + 1)?);
                if self.eat("}") {
                    return Ok(TileSharding::Tuple(parts));
                }
                self.expect(",")?;
            }
        }
        let kind = self.kind()?;
        let mut sharding = ArraySharding { kind, group: None, metadata: None };
        loop {
            if self.eat("}") {
                return Ok(TileSharding::Array(sharding));
            }
            self.eat(",");
            if self.eat("shard_as") {
                sharding.group = Some((GroupKind::As, self.number()?));
            } else if self.eat("shard_like") {
                sharding.group = Some((GroupKind::Like, self.number()?));
            } else if self.eat("metadata=") {
                sharding.metadata = Some(self.braces()?.to_string());
            } else {
                return Err(self.error("expected `}`"));
            }
        }
    }

    /// The text inside `{…}`.
    fn braces(&mut self) -> Result<&'t str, TileError> {
        self.expect("{")?;
        let (start, mut depth) = (self.at, 1);
        for (i, c) in self.text[start..].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at = start + i + 1;
                return Ok(&self.text[start..start + i]);
            }
        }
        Err(self.error("expected `}`"))
    }

    fn kind(&mut self) -> Result<TileKind, TileError> {
        if self.eat("replicated") {
            Ok(TileKind::Replicated)
        } else if self.eat("manual") {
            Ok(TileKind::Manual)
        } else if self.eat("unknown") {
            Ok(TileKind::Unknown)
        } else if self.eat("unreduced") {
            Ok(TileKind::Unreduced)
        } else if self.eat("maximal_mesh[") {
            self.expect("device_id=")?;
            let device = self.number()?;
            self.expect("]")?;
            Ok(TileKind::Maximal(device))
        } else if self.eat("maximal") {
            self.expect("device=")?;
            Ok(TileKind::Maximal(self.number()?))
        } else if self.eat("devices=[") {
            Ok(TileKind::Tiled(self.tiles()?))
        } else if self.eat("mesh[") {
            Ok(TileKind::Named(Box::new(self.named()?)))
        } else {
            Err(self.error("expected `replicated`, `manual`, `unknown`, `maximal`, `devices=[` or `mesh[`"))
        }
    }

    fn tiles(&mut self) -> Result<Tiles, TileError> {
        let start = self.at;
        let grid = self.numbers("]")?;
        let count = grid.iter().try_fold(1i64, |n, &d| n.checked_mul(d)).filter(|n| *n > 0);
        let Some(count) = count else {
            return Err(TileError { position: start, message: "the grid has no tiles".into() });
        };
        let devices = if self.eat("<=[") {
            let shape = self.numbers("]")?;
            let mut permutation: Vec<usize> = (0..shape.len()).collect();
            if self.eat("T(") {
                permutation = self.numbers(")")?.into_iter().map(|d| d as usize).collect();
                let mut sorted = permutation.clone();
                sorted.sort_unstable();
                if sorted.iter().enumerate().any(|(i, d)| i != *d) || sorted.len() != shape.len() {
                    return Err(self.error("the transposition must name each dimension once"));
                }
            }
            if shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d)) != Some(count) {
                return Err(
                    self.error(format!("the grid has {count} tiles, the devices are of another number"))
                );
            }
            Devices::Iota { shape, permutation }
        } else {
            let mut list = vec![self.number()?];
            // The list ends at the first thing that is not a number.
            while self.text[self.at..].starts_with(',')
                && self.text[self.at + 1..].starts_with(|c: char| c.is_ascii_digit())
            {
                self.at += 1;
                list.push(self.number()?);
            }
            if list.len() as i64 != count {
                return Err(
                    self.error(format!("the grid has {count} tiles, but {} devices are listed", list.len()))
                );
            }
            Devices::List(list)
        };
        let mut subgroups = Vec::new();
        if self.eat("last_tile_dim_replicate") {
            subgroups.push(Subgroup::Replicated);
        } else if self.eat("last_tile_dims={") {
            while !self.eat("}") {
                subgroups.push(if self.eat("replicated") {
                    Subgroup::Replicated
                } else if self.eat("manual") {
                    Subgroup::Manual
                } else if self.eat("unreduced") {
                    Subgroup::Unreduced
                } else {
                    return Err(self.error("expected `replicated`, `manual` or `unreduced`"));
                });
                self.eat(",");
            }
        }
        if subgroups.len() > grid.len() {
            return Err(self.error("there are more subgroups than dimensions of the grid"));
        }
        Ok(Tiles { grid, devices, subgroups })
    }

    fn named(&mut self) -> Result<NamedSharding, TileError> {
        let mut named = NamedSharding::default();
        while !self.eat("]") {
            let name = self.quoted()?;
            self.expect("=")?;
            named.axes.push((name, self.number()?));
            self.eat(",");
        }
        if self.eat(", device_ids=(") {
            named.device_ids = Some(self.numbers(")")?);
        }
        self.expect(",")?;
        self.expect("[")?;
        while !self.eat("]") {
            self.expect("{")?;
            let (axes, open) = self.named_axes()?;
            named.dims.push((axes, open));
            self.eat(",");
        }
        for (word, which) in [("replicated={", 0), ("unreduced={", 1), ("manual={", 2)] {
            let back = self.at;
            if self.eat(",") && self.eat(word) {
                let (axes, _) = self.named_axes()?;
                match which {
                    0 => named.replicated = axes,
                    1 => named.unreduced = axes,
                    _ => named.manual = axes,
                }
            } else {
                self.at = back;
            }
        }
        Ok(named)
    }

    /// `'x', 'y':(1)2, ?}`.
    fn named_axes(&mut self) -> Result<(Vec<NamedAxis>, bool), TileError> {
        let (mut axes, mut open) = (Vec::new(), false);
        while !self.eat("}") {
            if self.eat("?") {
                open = true;
            } else {
                let name = self.quoted()?;
                let mut part = None;
                if self.eat(":(") {
                    let pre = self.number()?;
                    self.expect(")")?;
                    part = Some((pre, self.number()?));
                }
                axes.push((name, part));
            }
            self.eat(",");
        }
        Ok((axes, open))
    }

    fn quoted(&mut self) -> Result<String, TileError> {
        self.expect("'")?;
        let Some(end) = self.text[self.at..].find('\'') else { return Err(self.error("expected `'`")) };
        let name = self.text[self.at..self.at + end].to_string();
        self.at += end + 1;
        Ok(name)
    }
}

fn joined<T: fmt::Display>(f: &mut fmt::Formatter<'_>, list: &[T], separator: &str) -> fmt::Result {
    for (i, item) in list.iter().enumerate() {
        write!(f, "{}{item}", if i > 0 { separator } else { "" })?;
    }
    Ok(())
}

impl fmt::Display for TileSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TileSharding::Tuple(parts) => {
                f.write_str("{")?;
                joined(f, parts, ", ")?;
                f.write_str("}")
            }
            TileSharding::Array(array) => array.fmt(f),
        }
    }
}

impl fmt::Display for ArraySharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}", self.kind)?;
        match self.group {
            Some((GroupKind::As, id)) => write!(f, " shard_as {id}")?,
            Some((GroupKind::Like, id)) => write!(f, " shard_like {id}")?,
            None => {}
        }
        if let Some(metadata) = &self.metadata {
            let separator = if matches!(self.kind, TileKind::Named(_)) { ", " } else { " " };
            write!(f, "{separator}metadata={{{metadata}}}")?;
        }
        f.write_str("}")
    }
}

impl fmt::Display for TileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TileKind::Replicated => f.write_str("replicated"),
            TileKind::Manual => f.write_str("manual"),
            TileKind::Unknown => f.write_str("unknown"),
            TileKind::Unreduced => f.write_str("unreduced"),
            TileKind::Maximal(device) => write!(f, "maximal device={device}"),
            TileKind::Tiled(tiles) => tiles.fmt(f),
            TileKind::Named(named) => named.fmt(f),
        }
    }
}

impl fmt::Display for Tiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("devices=[")?;
        joined(f, &self.grid, ",")?;
        f.write_str("]")?;
        match &self.devices {
            Devices::Iota { shape, permutation } => {
                f.write_str("<=[")?;
                joined(f, shape, ",")?;
                f.write_str("]")?;
                if permutation.iter().enumerate().any(|(i, d)| i != *d) {
                    f.write_str("T(")?;
                    joined(f, permutation, ",")?;
                    f.write_str(")")?;
                }
            }
            Devices::List(list) => joined(f, list, ",")?,
        }
        match &self.subgroups[..] {
            [] => Ok(()),
            [Subgroup::Replicated] => f.write_str(" last_tile_dim_replicate"),
            groups => {
                f.write_str(" last_tile_dims={")?;
                let name = |g: &Subgroup| match g {
                    Subgroup::Replicated => "replicated",
                    Subgroup::Manual => "manual",
                    Subgroup::Unreduced => "unreduced",
                };
                joined(f, &groups.iter().map(name).collect::<Vec<_>>(), ", ")?;
                f.write_str("}")
            }
        }
    }
}

impl fmt::Display for NamedSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |(name, part): &NamedAxis| match part {
            Some((pre, size)) => format!("'{name}':({pre}){size}"),
            None => format!("'{name}'"),
        };
        f.write_str("mesh[")?;
        joined(f, &self.axes.iter().map(|(n, s)| format!("'{n}'={s}")).collect::<Vec<_>>(), ",")?;
        f.write_str("]")?;
        if let Some(ids) = &self.device_ids {
            f.write_str(", device_ids=(")?;
            joined(f, ids, ",")?;
            f.write_str(")")?;
        }
        f.write_str(", [")?;
        let dims: Vec<String> = self
            .dims
            .iter()
            .map(|(axes, open)| {
                let mut parts: Vec<String> = axes.iter().map(axis).collect();
                if *open {
                    parts.push("?".into());
                }
                format!("{{{}}}", parts.join(", "))
            })
            .collect();
        joined(f, &dims, ", ")?;
        f.write_str("]")?;
        for (word, axes) in
            [("replicated", &self.replicated), ("unreduced", &self.unreduced), ("manual", &self.manual)]
        {
            if !axes.is_empty() {
                write!(f, ", {word}={{")?;
                joined(f, &axes.iter().map(axis).collect::<Vec<_>>(), ", ")?;
                f.write_str("}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_printed_as_it_was_read() {
        for text in [
            "{replicated}",
            "{manual}",
            "{unknown shard_as 1}",
            "{unknown shard_like 7}",
            "{maximal device=3}",
            "{devices=[2,4]<=[8]}",
            "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
            "{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}",
            "{devices=[2,2]0,2,1,3}",
            "{devices=[2,2]0,2,1,3 metadata={op_name=\"a\"}}",
            "{{replicated}, {devices=[2]<=[2]}}",
            "{}",
            "{mesh['x'=8], [{'x':(1)2}, {'x':(2)4, ?}], replicated={'y'}}",
            "{mesh['x'=2,'y'=2], device_ids=(0,2,1,3), [{'x'}, {}], unreduced={'y'}, manual={'x'}}",
        ] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused_with_its_place() {
        for (text, position) in [
            ("", 0),
            ("{devices=[2,4]<=[9]}", 19),
            ("{devices=[2,4]0,1,2}", 19),
            ("{devices=[0]<=[0]}", 10),
            ("{devices=[2,2]<=[2,2]T(0,0)}", 27),
            ("{replicated} x", 13),
            ("{sharded}", 1),
            ("{mesh['x=2], []}", 7),
        ] {
            assert_eq!(parse(text).unwrap_err().position, position, "{text}");
        }
    }
}
