//! An order of the devices in which explicit lists of them are plain.
//!
//! A dimension of a grid sorts the devices into as many classes as it has tiles. Two dimensions that sort them
//! independently of each other can be two axes of a mesh, whatever the numbers of the devices: the devices are put in
//! the order of their classes along such dimensions, and of their numbers within the last classes.

use super::digits::{list_digits, list_of};
use super::gspmd::Devices;
use super::mesh::prime_factors;

/// The order of the devices that grids of tiles suggest; nothing where their numbers are as good as any. Whether all
/// grids agree with it is for the caller to see.
pub(super) fn common_order(count: i64, tiles: &[(&Devices, &[i64])]) -> Option<Vec<i64>> {
    let count = usize::try_from(count).ok()?;
    // Only where a list has that many numbers is it worth as much memory.
    let odd = |devices: &Devices| match devices {
        Devices::List(list) => list.len() == count && list_digits(list).is_none(),
        Devices::Iota { .. } => false,
    };
    if !tiles.iter().any(|(devices, _)| odd(devices)) || tiles.iter().any(|(d, _)| d.count() != count as i64)
    {
        return None;
    }
    let mut classes = Classes { of: vec![0; count], number: 1 };
    for (devices, grid) in tiles {
        let list = list_of(devices);
        if list.len() != count || !is_permutation(&list) {
            return None;
        }
        // How many positions one step along the dimension is.
        let mut step = count;
        for &size in *grid {
            for factor in prime_factors(size) {
                let factor = usize::try_from(factor).ok()?;
                if !step.is_multiple_of(factor) {
                    return None;
                }
                step /= factor;
                let mut digit = vec![0; count];
                list.iter().enumerate().for_each(|(at, id)| digit[*id as usize] = at / step % factor);
                classes.refine(&digit, factor);
            }
        }
    }
    let mut order: Vec<i64> = (0..count as i64).collect();
    order.sort_by_key(|id| classes.of[*id as usize]);
    Some(order)
}

/// Whether a list has every number below its length once.
pub(super) fn is_permutation(list: &[i64]) -> bool {
    let mut seen = vec![false; list.len()];
    let mut fresh = |id: &i64| {
        let slot = usize::try_from(*id).ok().and_then(|id| seen.get_mut(id));
        slot.is_some_and(|slot| !std::mem::replace(slot, true))
    };
    list.iter().all(&mut fresh)
}

/// Devices sorted into classes of equal size.
struct Classes {
    of: Vec<usize>,
    number: usize,
}

impl Classes {
    /// Sorts each class by a digit, where that parts all of them evenly.
    fn refine(&mut self, digit: &[usize], size: usize) {
        let number = self.number * size;
        if !digit.len().is_multiple_of(number) {
            return;
        }
        let finer: Vec<usize> =
            self.of.iter().zip(digit).map(|(class, digit)| class * size + digit).collect();
        let mut members = vec![0; number];
        finer.iter().for_each(|class| members[*class] += 1);
        if members.iter().all(|m| *m == digit.len() / number) {
            *self = Classes { of: finer, number };
        }
    }
}
