//! Decisions of a generator: from a seed, or from the bytes of a fuzzer. The same seed gives the same decisions on every machine.

/// A source of decisions.
#[derive(Clone, Debug)]
pub struct Choices<'b> {
    /// State of the sequence of numbers (splitmix64).
    state: u64,
    /// The bytes to use up first; `None`: the seed alone decides.
    bytes: Option<&'b [u8]>,
}

impl<'b> Choices<'b> {
    /// Decisions that follow from a seed.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self {
            state: seed,
            bytes: None,
        }
    }
    /// Decisions that follow from bytes: one or two bytes each. When they are used up, each decision is its first possibility.
    #[must_use]
    pub const fn from_bytes(bytes: &'b [u8]) -> Self {
        Self {
            state: 0,
            bytes: Some(bytes),
        }
    }
    /// The next number of the sequence.
    const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `bound`; 0 when `bound` is 0 or 1.
    pub fn below(&mut self, bound: u32) -> u32 {
        let bound = u64::from(bound.max(1));
        let drawn = match &mut self.bytes {
            None => self.next() >> 32,
            Some(bytes) => {
                let wide = if bound > 256 { 2 } else { 1 };
                let (now, later) = bytes.split_at(wide.min(bytes.len()));
                *bytes = later;
                return now.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte))
                    % u32::try_from(bound).unwrap_or(u32::MAX);
            }
        };
        // Multiply and shift: no bias that matters, no loop.
        u32::try_from((drawn * bound) >> 32).unwrap_or(0)
    }
    /// A number from `first` to `last`.
    pub fn within(&mut self, first: u32, last: u32) -> u32 {
        first + self.below(last - first + 1)
    }
    /// True once in `of` times.
    pub fn once_in(&mut self, of: u32) -> bool {
        // The first possibility is "no": a fuzzer's empty input is the plainest job.
        self.below(of) + 1 == of
    }
    /// One of these, chosen.
    ///
    /// # Panics
    /// When there are none.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        let len = u32::try_from(of.len()).unwrap_or(u32::MAX);
        &of[self.below(len) as usize]
    }
}
