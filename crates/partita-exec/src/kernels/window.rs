//! Windows that slide along one dimension: `base · x = stride · o + dilation · k − padding`.

/// How a window slides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// From one position to the next.
    pub(crate) stride: i64,
    /// Distance of neighbouring elements of the input.
    pub(crate) base: i64,
    /// Distance of neighbouring elements of the window.
    pub(crate) dilation: i64,
    /// Padding before the input.
    pub(crate) padding: i64,
    /// Whether the window is turned round.
    pub(crate) reversed: bool,
    /// Size of the input.
    pub(crate) size: i64,
    /// Size of the window.
    pub(crate) window: i64,
    /// How many positions there are.
    pub(crate) positions: i64,
}

/// What a run of positions sees through one element of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    /// The first position that sees an element of the input.
    pub(crate) position: i64,
    /// From that to the next such position.
    pub(crate) step: i64,
    /// How many there are.
    pub(crate) count: i64,
    /// The index in the input that the first sees.
    pub(crate) index: i64,
    /// From that to the index that the next sees.
    pub(crate) further: i64,
}

impl Window {
    /// A window of one element at each of so many.
    pub(crate) fn points(size: i64) -> Window {
        Window {
            stride: 1,
            base: 1,
            dilation: 1,
            padding: 0,
            reversed: false,
            size,
            window: 1,
            positions: size,
        }
    }

    /// What positions from one on, up to another, see through the element of the window at an index.
    pub(crate) fn seen(&self, k: i64, first: i64, end: i64) -> Seen {
        let common = if self.base == 1 { 1 } else { gcd(self.stride, self.base) };
        let (step, further) = (self.base / common, self.stride / common);
        let at = |o: i64| o * self.stride + k * self.dilation - self.padding;
        // Before the input nothing is seen; and only every so many positions stand on an element.
        let before = if at(first) < 0 { (-at(first) + self.stride - 1) / self.stride } else { 0 };
        let mut o = first + before;
        let mut tries = 0;
        while at(o) % self.base != 0 && tries < step {
            o += 1;
            tries += 1;
        }
        if o >= end || at(o) % self.base != 0 {
            return Seen { position: first, step, count: 0, index: 0, further };
        }
        let x = at(o) / self.base;
        let inside = if x < self.size { (self.size - x - 1) / further + 1 } else { 0 };
        let count = ((end - o - 1) / step + 1).min(inside);
        Seen { position: o, step, count, index: x, further }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_see_what_the_definition_says() {
        for (stride, base, dilation, padding) in
            (0..81).map(|n| (1 + n % 3, 1 + n / 3 % 3, 1 + n / 9 % 3, n / 27 % 3 - 1))
        {
            let window =
                Window { stride, base, dilation, padding, reversed: false, size: 5, window: 3, positions: 7 };
            for k in 0..3 {
                let expected: Vec<(i64, i64)> = (1..6)
                    .map(|o| (o, o * stride + k * dilation - padding))
                    .filter(|(_, at)| *at >= 0 && at % base == 0 && at / base < 5)
                    .map(|(o, at)| (o, at / base))
                    .collect();
                let seen = window.seen(k, 1, 6);
                let found: Vec<(i64, i64)> = (0..seen.count)
                    .map(|n| (seen.position + n * seen.step, seen.index + n * seen.further))
                    .collect();
                assert_eq!(found, expected, "{window:?} through {k}");
            }
        }
    }
}
