//! A list for each entity, all of them in one vector: who uses a value, which nodes touch a slot.

use super::ids::Id;
use std::marker::PhantomData;

/// A list of items for each entity of one kind.
#[derive(Clone)]
pub struct Lists<I, T> {
    /// Where each list begins in all of them, and where the last ends.
    starts: Vec<u32>,
    items: Vec<T>,
    id: PhantomData<I>,
}

impl<I: Id, T: Copy> Lists<I, T> {
    /// The lists of so many entities. `each` tells every item with the entity it belongs to; it is asked twice, and items stay in its order.
    pub fn new(count: usize, each: impl Fn(&mut dyn FnMut(I, T))) -> Self {
        // Counted two places on, so that once the items are in, every list begins where the one before ends.
        let mut starts = vec![0u32; count + 2];
        let mut any = None;
        each(&mut |id, item| {
            starts[id.index() + 2] += 1;
            any = Some(item);
        });
        for n in 2..starts.len() {
            starts[n] += starts[n - 1];
        }
        let mut items: Vec<T> = any.map_or_else(Vec::new, |item| vec![item; starts[count + 1] as usize]);
        each(&mut |id, item| {
            let next = &mut starts[id.index() + 1];
            items[*next as usize] = item;
            *next += 1;
        });
        starts.pop();
        Lists { starts, items, id: PhantomData }
    }

    /// The list of an entity.
    pub fn of(&self, id: I) -> &[T] {
        &self.items[self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize]
    }
}

impl<I: Id, T: Copy> Default for Lists<I, T> {
    fn default() -> Self {
        Lists::new(0, |_| {})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::ValueId;

    #[test]
    fn items_are_found_by_entity_in_the_order_they_came() {
        let value = ValueId::from_index;
        let lists = Lists::new(4, |tell| {
            for (n, item) in [(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd'), (2, 'a')] {
                tell(value(n), item);
            }
        });
        let all: Vec<String> = (0..4).map(|n| lists.of(value(n)).iter().collect()).collect();
        assert_eq!(all, ["b", "", "aca", "d"]);
    }
}
