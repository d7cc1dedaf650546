//! Philox-4x32 with ten rounds, as the paper of Salmon and others has it ("Parallel random numbers: as easy as
//! 1, 2, 3", 2011).

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// The high and the low word of a product.
fn wide_multiply(a: u32, b: u32) -> (u32, u32) {
    let product = u64::from(a) * u64::from(b);
    ((product >> 32) as u32, product as u32)
}

/// Four random words from a key and a counter of 128 bits, low words first.
pub(super) fn philox(mut key: [u32; 2], counter: u128) -> [u32; 4] {
    let mut x: [u32; 4] = std::array::from_fn(|i| (counter >> (32 * i)) as u32);
    for _ in 0..ROUNDS {
        let (high0, low0) = wide_multiply(x[0], MULTIPLIERS[0]);
        let (high1, low1) = wide_multiply(x[2], MULTIPLIERS[1]);
        x = [high1 ^ x[1] ^ key[0], low1, high0 ^ x[3] ^ key[1], low0];
        key = [key[0].wrapping_add(KEY_STEPS[0]), key[1].wrapping_add(KEY_STEPS[1])];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_agree_with_the_reference_vectors_of_the_paper() {
        assert_eq!(philox([0, 0], 0), [0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8]);
        assert_eq!(philox([!0, !0], u128::MAX), [0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD]);
    }
}
