//! Device numbers in mixed radix.
//!
//! A grid of devices, whether of tiles or of a mesh, says which device stands at each position. Where the numbers
//! are those of a reshaped and transposed `0, 1, 2, …`, each dimension of the grid is made of *digits* of the device
//! number, and two grids are compared by comparing digits instead of devices.

use super::gspmd::Devices;

/// A digit of a device number: `size` values that are `stride` apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Digit {
    /// How many values it has.
    pub size: i64,
    /// The difference between neighbouring values.
    pub stride: i64,
}

impl Digit {
    /// The product of this digit and all digits below it.
    pub fn end(self) -> i64 {
        self.stride * self.size
    }
}

/// The digits that a list of devices runs through, major to minor; nothing where it is no transposed iota.
pub fn digits_of(devices: &Devices) -> Option<Vec<Digit>> {
    match devices {
        Devices::Iota { shape, permutation } => Some(iota_digits(shape, permutation)),
        Devices::List(list) => list_digits(list),
    }
}

fn iota_digits(shape: &[i64], permutation: &[usize]) -> Vec<Digit> {
    let mut stride = 1;
    let mut digits: Vec<Digit> = Vec::with_capacity(shape.len());
    for &size in shape.iter().rev() {
        digits.push(Digit { size, stride });
        stride *= size;
    }
    digits.reverse();
    merged(permutation.iter().map(|&d| digits[d]))
}

/// The digits of a list of device numbers. A run of numbers at one distance is a digit; the next digit runs through
/// the first numbers of the runs.
pub fn list_digits(list: &[i64]) -> Option<Vec<Digit>> {
    if list.first().is_some_and(|&first| first != 0) {
        return None;
    }
    let mut digits = Vec::new();
    let mut step = 1;
    while step < list.len() {
        let firsts = || list.iter().step_by(step);
        let stride = *firsts().nth(1)?;
        let size = firsts().enumerate().take_while(|(i, id)| **id == *i as i64 * stride).count();
        if stride < 1 || !list.len().is_multiple_of(step * size) {
            return None;
        }
        digits.push(Digit { size: size as i64, stride });
        step *= size;
    }
    digits.reverse();
    let digits = merged(digits);
    // Only the first numbers were looked at.
    let same = expand(&digits).iter().eq(list);
    (same && is_complete(&digits)).then_some(digits)
}

/// Whether digits tell all devices apart: sorted, each begins where the one below ends.
fn is_complete(digits: &[Digit]) -> bool {
    let mut sorted = digits.to_vec();
    sorted.sort_by_key(|d| d.stride);
    let mut end = 1;
    sorted.iter().all(|d| std::mem::replace(&mut end, d.end()) == d.stride)
}

/// The device numbers that digits run through, major to minor.
pub fn expand(digits: &[Digit]) -> Vec<i64> {
    let mut list = vec![0];
    for digit in digits {
        list = list.iter().flat_map(|base| (0..digit.size).map(move |i| base + i * digit.stride)).collect();
    }
    list
}

/// The device at each position.
pub fn list_of(devices: &Devices) -> Vec<i64> {
    match devices {
        Devices::List(list) => list.clone(),
        Devices::Iota { shape, permutation } => expand(&iota_digits(shape, permutation)),
    }
}

/// Digits without those of one value, and with neighbours joined that count on as one.
pub fn merged(digits: impl IntoIterator<Item = Digit>) -> Vec<Digit> {
    let mut list: Vec<Digit> = Vec::new();
    for digit in digits.into_iter().filter(|d| d.size > 1) {
        match list.last_mut() {
            Some(last) if last.stride == digit.end() => {
                *last = Digit { size: last.size * digit.size, stride: digit.stride };
            }
            _ => list.push(digit),
        }
    }
    list
}

/// Deals digits out to the dimensions of a grid; nothing where a dimension would end inside a digit in a way that
/// does not divide it.
pub fn deal(digits: &[Digit], grid: &[i64]) -> Option<Vec<Vec<Digit>>> {
    let mut rest = digits.to_vec();
    let mut dims = Vec::with_capacity(grid.len());
    for &size in grid.iter().rev() {
        let mut need = size;
        let mut own = Vec::new();
        while need > 1 {
            let digit = rest.pop()?;
            if need % digit.size == 0 {
                own.push(digit);
                need /= digit.size;
            } else if digit.size % need == 0 {
                own.push(Digit { size: need, stride: digit.stride });
                rest.push(Digit { size: digit.size / need, stride: digit.stride * need });
                need = 1;
            } else {
                return None;
            }
        }
        own.reverse();
        dims.push(merged(own));
    }
    dims.reverse();
    rest.is_empty().then_some(dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digit(size: i64, stride: i64) -> Digit {
        Digit { size, stride }
    }

    #[test]
    fn an_iota_has_one_digit_and_a_transposed_one_several() {
        assert_eq!(iota_digits(&[2, 4], &[0, 1]), [digit(8, 1)]);
        assert_eq!(iota_digits(&[2, 4], &[1, 0]), [digit(4, 1), digit(2, 4)]);
        assert_eq!(iota_digits(&[2, 1, 2, 2], &[2, 1, 0, 3]), [digit(2, 2), digit(2, 4), digit(2, 1)]);
    }

    #[test]
    fn lists_are_recognised_as_transposed_iotas() {
        for (shape, permutation) in [
            (vec![8], vec![0]),
            (vec![2, 4], vec![1, 0]),
            (vec![2, 3, 4], vec![2, 0, 1]),
            (vec![3, 5], vec![1, 0]),
        ] {
            let digits = iota_digits(&shape, &permutation);
            assert_eq!(list_digits(&expand(&digits)), Some(digits));
        }
        for list in [&[1, 0][..], &[0, 1, 3, 2], &[0, 2, 4, 6], &[0, 0], &[0, 1, 2, 4], &[0, -1]] {
            assert_eq!(list_digits(list), None, "{list:?}");
        }
        assert_eq!(list_digits(&[0]), Some(vec![]));
    }

    #[test]
    fn dimensions_of_a_grid_take_digits_from_the_minor_end() {
        assert_eq!(
            deal(&[digit(8, 1)], &[2, 1, 4]),
            Some(vec![vec![digit(2, 4)], vec![], vec![digit(4, 1)]])
        );
        assert_eq!(deal(&[digit(4, 1), digit(2, 4)], &[8]), Some(vec![vec![digit(4, 1), digit(2, 4)]]));
        assert_eq!(deal(&[digit(2, 1), digit(3, 2)], &[3, 2]), None);
        assert_eq!(deal(&[digit(6, 1)], &[3, 2]), Some(vec![vec![digit(3, 2)], vec![digit(2, 1)]]));
    }
}
