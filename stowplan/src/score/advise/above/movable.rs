//! Vertices that may still move, and the one whose move gains most.

/// The best of this many neighbouring vertices is known.
const BLOCK: usize = 16;
/// The gain of a vertex that may not move.
const NONE: i64 = i64::MIN;

/// The vertices of one part of a graph that may move.
#[derive(Debug)]
pub struct Movable {
    /// Shape `[vertices]`.
    gains: Vec<i64>,
    /// The best gain of each block, and the last vertex that has it. Shape `[blocks]`.
    tops: Vec<(i64, usize)>,
}

impl Movable {
    /// The gain of each vertex; `None`: it may not move.
    pub fn new(gains: impl Iterator<Item = Option<i64>>) -> Self {
        let gains: Vec<i64> = gains.map(|gain| gain.unwrap_or(NONE)).collect();
        let blocks = (0..gains.len()).step_by(BLOCK);
        Self {
            tops: blocks.map(|first| top(&gains, first)).collect(),
            gains,
        }
    }

    /// What the move of a vertex gains, if it may move.
    pub fn gain(&self, vertex: usize) -> Option<i64> {
        Some(self.gains[vertex]).filter(|&gain| gain != NONE)
    }

    /// The most that a move gains, and the last vertex that gains it. Cost: the blocks.
    pub fn best(&self) -> Option<(i64, usize)> {
        let best = self.tops.iter().max().copied();
        best.filter(|best| best.0 != NONE)
    }

    /// Gives a vertex another gain; `None`: it may no longer move. Cost: at most a block.
    pub fn set(&mut self, vertex: usize, gain: Option<i64>) {
        let gain = gain.unwrap_or(NONE);
        self.gains[vertex] = gain;
        let best = &mut self.tops[vertex / BLOCK];
        if (gain, vertex) >= *best {
            *best = (gain, vertex);
        } else if best.1 == vertex {
            *best = top(&self.gains, vertex / BLOCK * BLOCK);
        }
    }
}

/// The best gain of the block from this vertex on, and the last vertex that has it.
fn top(gains: &[i64], first: usize) -> (i64, usize) {
    let own = &gains[first..gains.len().min(first + BLOCK)];
    // Two plain walks are faster than one that carries the vertex along.
    let best = own.iter().copied().fold(NONE, i64::max);
    let at = own.iter().rposition(|&gain| gain == best);
    (best, first + at.unwrap_or(0))
}
