//! Reads one cache line after the other; each line names the next. This is the least time of a question that must read a line from
//! this much memory.

/// Numbers in a cache line.
const WIDE: usize = 16;

/// Lines in a circle.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The position of the next line. Shape `[lines]`, a power of two.
    next: Vec<[u32; WIDE]>,
    at: u32,
}

impl Lines {
    /// A circle of this many lines, rounded up to a power of two.
    #[must_use]
    pub fn new(lines: u32) -> Self {
        let lines = lines.max(1).next_power_of_two();
        // A generator of full period: each line comes once, and neighbouring lines do not follow each other.
        let next = |at: u32| at.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f) & (lines - 1);
        Self {
            next: (0..lines).map(|at| [next(at); WIDE]).collect(),
            at: 0,
        }
    }

    /// Reads the next line, and gives its number.
    pub fn step(&mut self) -> u32 {
        self.at = self.next[self.at as usize][0];
        self.at
    }
}
