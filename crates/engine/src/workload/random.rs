//! Random numbers as functions of (seed, number), so that any worker can form any of them.

/// A number in [0, 1) with 53 random bits, the same for the same `seed` and `k`.
///
/// # Source
/// The output function of `SplitMix64` (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014) over a counter.
#[must_use]
pub fn unit_interval(seed: u64, k: u64) -> f64 {
    let bits = mix(mix(seed).wrapping_add(k.wrapping_mul(GOLDEN_GAMMA)));
    #[allow(clippy::cast_precision_loss, reason = "53 bits are exact in an f64")]
    let numerator = (bits >> 11) as f64;
    numerator * (1.0 / 9_007_199_254_740_992.0)
}

/// A well-mixed 64-bit function of a 64-bit number.
#[must_use]
pub(crate) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(GOLDEN_GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
