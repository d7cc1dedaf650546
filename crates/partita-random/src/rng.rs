//! A small generator of random numbers: the same seed gives the same program on every machine and forever.

/// SplitMix64.
pub struct Rng(u64);

impl Rng {
    /// A generator that depends on nothing but the seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `n`; zero where `n` is zero.
    pub fn below(&mut self, n: usize) -> usize {
        (((self.bits() >> 32) * n as u64) >> 32) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    /// True so many times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several, which must not be none.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    /// One of several by weight; the weights must not all be zero.
    pub fn weighted(&mut self, weights: impl Iterator<Item = usize> + Clone) -> usize {
        let mut rest = self.below(weights.clone().sum());
        for (n, weight) in weights.enumerate() {
            if rest < weight {
                return n;
            }
            rest -= weight;
        }
        0
    }

    /// The numbers below `n` in a random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// `k` different numbers below `n`, in a random order.
    pub fn sample(&mut self, n: usize, k: usize) -> Vec<usize> {
        let mut order = self.permutation(n);
        order.truncate(k);
        order
    }
}
