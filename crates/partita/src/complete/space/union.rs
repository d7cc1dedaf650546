//! Sets of numbers that are only ever united.

/// Which numbers belong together.
pub(crate) struct Union {
    above: Vec<u32>,
}

impl Union {
    /// So many numbers, each alone.
    pub(crate) fn new(count: usize) -> Union {
        Union { above: (0..count as u32).collect() }
    }

    /// The least number of the set.
    pub(crate) fn find(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.above[at as usize] != at {
            let next = self.above[self.above[at as usize] as usize];
            self.above[at as usize] = next;
            at = next;
        }
        at
    }

    /// Makes two sets one.
    pub(crate) fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.above[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::Union;

    #[test]
    fn sets_are_named_by_their_least_number() {
        let mut union = Union::new(6);
        union.unite(4, 2);
        union.unite(5, 4);
        union.unite(1, 0);
        let sets: Vec<u32> = (0..6).map(|n| union.find(n)).collect();
        assert_eq!(sets, [0, 0, 2, 3, 2, 2]);
    }
}
