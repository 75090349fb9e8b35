//! Made-up series whose truth is known.

/// A generator of random numbers, SplitMix64: the same seed, the same numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // Apart, so that neighbouring seeds share no stretch.
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform, above 0 and below 1.
    fn uniform(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Exponential with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// Standard normal (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A stationary AR(1) series of variance 1: each value is `phi` times the one before, plus
    /// chance.
    pub(crate) fn autoregressive(&mut self, phi: f64, count: usize) -> Vec<f64> {
        let mut value = self.normal();
        let news = (1.0 - phi * phi).sqrt();
        std::iter::repeat_with(|| {
            let now = value;
            value = phi * value + news * self.normal();
            now
        })
        .take(count)
        .collect()
    }
}
