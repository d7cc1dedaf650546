//! What the values of the input are in the output, and in which layouts they are there.

use super::emit::Purpose;
use super::layout::Layout;
use super::{Partitioner, reshard};
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use smallvec::SmallVec;

/// What a value of the input is in the output.
#[derive(Clone)]
pub(super) enum Bound {
    None,
    /// A tensor, in the layouts it is there in; the first is the one it was made in.
    Laid(SmallVec<[Version; 1]>),
    /// Made of constants: written anew where it is used, as it is needed there; with what was written so far.
    Lazy(OpId, SmallVec<[Version; 1]>),
    /// No tensor.
    Other(ValueId),
}

/// A value in one layout.
#[derive(Clone)]
pub(super) struct Version {
    pub(super) layout: Layout,
    pub(super) value: ValueId,
    /// How deep in regions it was written.
    depth: usize,
}

/// More rounds than this count as so many.
const MAX_ROUNDS: u64 = 1 << 16;

/// An open region.
pub(super) struct Scope {
    /// How often it runs each time the region around it does: what does not change in a loop is better made before it.
    rounds: u64,
    /// The values that got a version in it.
    touched: Vec<ValueId>,
}

impl<'m> Partitioner<'m> {
    /// Opens a region whose arguments are shards of those of a region of the input.
    pub(super) fn open_region(&mut self, args: &[ValueId], layouts: &[Layout], rounds: u64) -> RegionId {
        let region = self.emit.module.add_region();
        let mut list = Vec::with_capacity(args.len());
        for (&arg, layout) in args.iter().zip(layouts) {
            let ty = self.local_type(arg, layout);
            let value = &self.input.values[arg];
            list.push((self.emit.module.types.intern(ty), value.name, value.loc));
        }
        let range = self.emit.module.add_region_args(region, list);
        self.emit.open(region);
        self.scopes.push(Scope { rounds, touched: Vec::new() });
        for ((&old, new), layout) in args.iter().zip(range.iter()).zip(layouts) {
            self.bind(old, layout.clone(), new);
        }
        region
    }

    /// Closes the innermost region: what was written in it is not seen outside.
    pub(super) fn close_region(&mut self) {
        self.emit.close();
        let Some(scope) = self.scopes.pop() else { return };
        let depth = self.scopes.len();
        for value in scope.touched {
            if let Bound::Laid(versions) | Bound::Lazy(_, versions) = &mut self.bound[value] {
                versions.retain(|v| v.depth <= depth);
            }
        }
    }

    /// Says what a value is, in the only layout it has.
    pub(super) fn bind(&mut self, value: ValueId, layout: Layout, new: ValueId) {
        let depth = self.scopes.len();
        self.bound[value] = match self.input.type_of(value) {
            Type::Tensor(_) => Bound::Laid(SmallVec::from_elem(Version { layout, value: new, depth }, 1)),
            _ => Bound::Other(new),
        };
    }

    /// Whether a tensor was made in the region that is open.
    pub(super) fn is_made_here(&self, value: ValueId) -> bool {
        self.versions(value).next().is_some_and(|v| v.depth == self.scopes.len())
    }

    /// The layouts a value is there in, here; none for what can be made anywhere.
    pub(super) fn versions(&self, value: ValueId) -> impl Iterator<Item = &Version> {
        let versions = match &self.bound[value] {
            Bound::Laid(versions) => &versions[..],
            _ => &[],
        };
        versions.iter().filter(|v| v.depth <= self.scopes.len())
    }

    /// A value in a layout.
    pub(super) fn request(
        &mut self,
        value: ValueId,
        layout: &Layout,
        reason: &'static str,
    ) -> Result<ValueId, Diagnostic> {
        let here = self.scopes.len();
        let known = |versions: &[Version]| {
            versions.iter().find(|v| v.layout == *layout && v.depth <= here).map(|v| v.value)
        };
        let versions = match &self.bound[value] {
            Bound::Other(new) => return Ok(*new),
            Bound::Lazy(op, versions) => {
                if let Some(known) = known(versions) {
                    return Ok(known);
                }
                let new = self.lazy(self.input.op(*op), layout)?;
                self.add_version(value, Version { layout: layout.clone(), value: new, depth: here });
                return Ok(new);
            }
            Bound::None => {
                let message = format!("`{}` has not been computed", self.input.value_name(value));
                return Err(Diagnostic::new("internal", Span::default(), message));
            }
            Bound::Laid(versions) => match known(versions) {
                Some(known) => return Ok(known),
                None => self.versions(value).cloned().collect::<SmallVec<[Version; 2]>>(),
            },
        };
        let Some(ty) = self.input.tensor_type(value) else { return Ok(versions[0].value) };
        let price = |p: &mut Self, v: &Version| p.planner.cost(ty, &v.layout, layout);
        let mut best = (price(self, &versions[0]), 0);
        for (n, version) in versions.iter().enumerate().skip(1) {
            best = best.min((price(self, version), n));
        }
        let from = &versions[best.1];
        let path = self.planner.plan(ty, &from.layout, layout);
        // What moves no data is not worth a thought.
        let making = if path.ring_bytes > 0 { self.remade_below(value, layout, best.0) } else { None };
        let depth = self.outermost(making.as_ref().map_or(from.depth, |_| versions[0].depth));
        let scopes = self.scopes.split_off(depth);
        let inner = self.emit.leave(depth);
        let new = match making {
            Some(making) => self.make(&making),
            None => {
                self.emit.purpose = Purpose { value: Some(value), cause: self.current, reason };
                Ok(reshard::apply(&mut self.emit, from.value, ty, &path))
            }
        };
        self.emit.enter(inner);
        self.scopes.extend(scopes);
        let new = new?;
        self.add_version(value, Version { layout: layout.clone(), value: new, depth });
        Ok(new)
    }

    /// The outermost region in which what was written at a depth can be moved: what does not change in a loop is moved before it.
    fn outermost(&self, from: usize) -> usize {
        let mut depth = self.scopes.len();
        while depth > from && self.scopes[depth - 1].rounds > 1 {
            depth -= 1;
        }
        depth
    }

    /// How often a region at a depth runs in all.
    fn rounds(&self, depth: usize) -> u64 {
        self.scopes[..depth].iter().fold(1, |n: u64, scope| n.saturating_mul(scope.rounds)).min(MAX_ROUNDS)
    }

    /// How often the current region runs, and how often an operand has to be moved for it.
    pub(super) fn repetitions(&self, operands: &[ValueId]) -> (u64, SmallVec<[u64; 2]>) {
        let here = self.rounds(self.scopes.len());
        let moved = |v: &ValueId| {
            let depths = self.versions(*v).map(|v| self.rounds(self.outermost(v.depth)));
            depths.min().unwrap_or(1)
        };
        (here, if here == 1 { SmallVec::new() } else { operands.iter().map(moved).collect() })
    }

    /// The versions of a value of which nothing is left to combine.
    pub(super) fn complete_versions(&self, value: ValueId) -> Vec<Version> {
        self.versions(value).filter(|v| v.layout.partial.is_none()).cloned().collect()
    }

    pub(super) fn add_version(&mut self, value: ValueId, version: Version) {
        if let Some(scope) = version.depth.checked_sub(1).and_then(|d| self.scopes.get_mut(d)) {
            scope.touched.push(value);
        }
        if let Bound::Laid(versions) | Bound::Lazy(_, versions) = &mut self.bound[value] {
            versions.push(version);
        }
    }
}
