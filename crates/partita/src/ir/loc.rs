//! Source locations, as the framework that wrote the program recorded them.

use super::ids::{IdVec, LocId};
use super::strings::Sym;
use rustc_hash::FxHashMap;

/// Where a value comes from in the user's own program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Loc {
    /// Nothing is known.
    Unknown,
    /// A position in a file, or a range where the end is given: (line, column, end line, end column).
    File(Sym, u32, u32, Option<(u32, u32)>),
    /// A name given by the framework, around another location.
    Name(Sym, LocId),
    /// `callee` inlined at `caller`.
    CallSite {
        /// Where the code stands.
        callee: LocId,
        /// Where it was called.
        caller: LocId,
    },
    /// Several locations, with the text of metadata where there is any.
    Fused(Option<Box<str>>, Box<[LocId]>),
}

/// The distinct locations of a module. The first is always [`Loc::Unknown`].
#[derive(Clone, Debug)]
pub struct LocTable {
    locs: IdVec<LocId, Loc>,
    ids: FxHashMap<Loc, LocId>,
}

impl LocTable {
    /// The id of a location, new or known.
    pub fn intern(&mut self, loc: Loc) -> LocId {
        if let Some(&id) = self.ids.get(&loc) {
            return id;
        }
        let id = self.locs.push(loc.clone());
        self.ids.insert(loc, id);
        id
    }

    /// The id of the unknown location.
    pub fn unknown() -> LocId {
        super::ids::Id::from_index(0)
    }

    /// Whether any location is known.
    pub fn any_known(&self) -> bool {
        self.locs.len() > 1
    }

    /// All locations with their ids.
    pub fn enumerate(&self) -> impl Iterator<Item = (LocId, &Loc)> {
        self.locs.enumerate()
    }

    /// The innermost file position: (file, line, column).
    pub fn file_position(&self, id: LocId) -> Option<(Sym, u32, u32)> {
        // Locations are interned children first, so following them ends.
        let mut id = id;
        loop {
            id = match &self.locs[id] {
                Loc::Unknown => return None,
                Loc::File(file, line, column, _) => return Some((*file, *line, *column)),
                Loc::Name(_, child) => *child,
                Loc::CallSite { callee, .. } => *callee,
                Loc::Fused(_, parts) => return parts.iter().find_map(|&part| self.file_position(part)),
            }
        }
    }

    /// The outermost name, as JAX gives one to each argument.
    pub fn name(&self, id: LocId) -> Option<Sym> {
        match &self.locs[id] {
            Loc::Name(name, _) => Some(*name),
            _ => None,
        }
    }
}

impl Default for LocTable {
    fn default() -> Self {
        let mut table = LocTable { locs: IdVec::new(), ids: FxHashMap::default() };
        table.intern(Loc::Unknown);
        table
    }
}

impl std::ops::Index<LocId> for LocTable {
    type Output = Loc;
    fn index(&self, id: LocId) -> &Loc {
        &self.locs[id]
    }
}
