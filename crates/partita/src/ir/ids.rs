//! Typed ids: every entity of a module lives in a dense vector and is named by a `u32`.
//!
//! Dense ids make side tables plain vectors (`IdVec`), keep the IR compact, and let passes be linear.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense `u32` index into one kind of arena.
pub trait Id: Copy + Eq + std::hash::Hash + std::fmt::Debug {
    /// The id with this index.
    fn from_index(index: usize) -> Self;
    /// The position in the arena.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl Id for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("more than four billion entities"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// An operation.
    OpId = "op";
    /// An SSA value: a result of an operation or an argument of a region.
    ValueId = "v";
    /// A region: one block with arguments and operations.
    RegionId = "region";
    /// A function of the module.
    FuncId = "func";
    /// An interned type.
    TypeId = "type";
    /// An interned location.
    LocId = "loc";
}

/// A vector indexed by a typed id: an arena, or a side table beside one.
#[derive(Clone)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        IdVec { items: Vec::new(), id: PhantomData }
    }

    /// An empty vector with room for so many: what is not used of it costs nothing.
    pub fn with_capacity(count: usize) -> Self {
        IdVec { items: Vec::with_capacity(count), id: PhantomData }
    }

    /// A side table with the same value for each of `len` entities.
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        IdVec { items: vec![value; len], id: PhantomData }
    }

    /// Adds an entity and gives its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// How many entities there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The id the next `push` gives.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All entities in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All entities with their ids.
    pub fn enumerate(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }

    /// Makes room for so many more items.
    pub fn reserve(&mut self, count: usize) {
        self.items.reserve(count);
    }

    /// Gives back memory that growing reserved.
    pub fn shrink_to_fit(&mut self) {
        self.items.shrink_to_fit();
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        let mut all = IdVec::new();
        items.into_iter().for_each(|item| {
            all.push(item);
        });
        all
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        IdVec::new()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T: std::fmt::Debug> std::fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.items.fmt(f)
    }
}

/// A run of consecutive ids, such as the results of one operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdRange<I> {
    start: I,
    len: u32,
}

impl<I: Id> IdRange<I> {
    /// The `len` ids from `start` on.
    pub fn new(start: I, len: usize) -> Self {
        IdRange { start, len: len as u32 }
    }

    /// How many ids.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The id at a position, which must be in range.
    pub fn at(self, position: usize) -> I {
        assert!(position < self.len as usize, "position {position} of {} ids", self.len);
        I::from_index(self.start.index() + position)
    }

    /// The ids in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I> {
        (self.start.index()..self.start.index() + self.len as usize).map(I::from_index)
    }
}
