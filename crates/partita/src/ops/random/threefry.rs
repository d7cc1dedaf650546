//! Threefry-2x32 with twenty rounds, as the paper of Salmon and others has it ("Parallel random numbers: as
//! easy as 1, 2, 3", 2011).

/// How far each round rotates; the list repeats.
const ROTATIONS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];

/// The constant that the key's words are joined with.
const PARITY: u32 = 0x1BD1_1BDA;

/// Two random words from a key and a counter.
pub(super) fn threefry(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    let schedule = [key[0], key[1], PARITY ^ key[0] ^ key[1]];
    let mut x = [counter[0].wrapping_add(key[0]), counter[1].wrapping_add(key[1])];
    for group in 0..5 {
        for rotation in &ROTATIONS[group % 2 * 4..][..4] {
            x[0] = x[0].wrapping_add(x[1]);
            x[1] = x[1].rotate_left(*rotation) ^ x[0];
        }
        // After every fourth round the next part of the key comes in.
        x[0] = x[0].wrapping_add(schedule[(group + 1) % 3]);
        x[1] = x[1].wrapping_add(schedule[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_agree_with_the_reference_vectors_of_the_paper() {
        assert_eq!(threefry([0, 0], [0, 0]), [0x6B20_0159, 0x99BA_4EFE]);
        assert_eq!(threefry([!0, !0], [!0, !0]), [0x1CB9_96FC, 0xBB00_2BE7]);
        assert_eq!(
            threefry([0x1319_8A2E, 0x0370_7344], [0x243F_6A88, 0x85A3_08D3]),
            [0xC492_3A9C, 0x483D_F7A0]
        );
    }
}
