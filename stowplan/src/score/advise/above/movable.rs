//! Vertices that may still move, and the one whose move gains most.

/// The best of this many neighbouring vertices is known.
const BLOCK: usize = 16;
/// The gain of a vertex that may not move.
const NONE: i64 = i64::MIN;

/// The vertices of one part of a graph that may move.
#[derive(Debug)]
pub(super) struct Movable {
    /// Shape `[vertices]`.
    gains: Vec<i64>,
    /// The best gain of each block, and the last vertex that has it. Shape `[blocks]`.
    tops: Vec<(i64, usize)>,
}

impl Movable {
    /// The gain of each vertex; `None`: it may not move.
    pub(super) fn new(gains: impl Iterator<Item = Option<i64>>) -> Self {
        let gains: Vec<i64> = gains.map(|gain| gain.unwrap_or(NONE)).collect();
        let blocks = (0..gains.len()).step_by(BLOCK);
        Self {
            tops: blocks.map(|first| top(&gains, first)).collect(),
            gains,
        }
    }

    /// What the move of a vertex gains, if it may move.
    pub(super) fn gain(&self, vertex: usize) -> Option<i64> {
        Some(self.gains[vertex]).filter(|&gain| gain != NONE)
    }

    /// The most that a move gains, and the last vertex that gains it. Cost: the blocks.
    pub(super) fn best(&self) -> Option<(i64, usize)> {
        let best = self.tops.iter().max().copied();
        best.filter(|best| best.0 != NONE)
    }

    /// Gives a vertex another gain; `None`: it may no longer move. Cost: at most a block.
    pub(super) fn set(&mut self, vertex: usize, gain: Option<i64>) {
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

#[cfg(test)]
mod tests {
    use super::Movable;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
    use std::collections::BTreeSet;

    #[test]
    fn the_best_is_that_of_an_ordered_set() {
        let mut dice = ChaCha8Rng::seed_from_u64(7);
        let mut below = |end: usize| usize::try_from(dice.next_u32()).unwrap() % end;
        for count in 1..70 {
            let gain = |number: usize| (number > 0).then(|| i64::try_from(number).unwrap() - 5);
            let first: Vec<Option<i64>> = (0..count).map(|_| gain(below(9))).collect();
            let known = first.iter().zip(0..);
            let mut known: BTreeSet<(i64, usize)> = known
                .filter_map(|(gain, at)| gain.map(|gain| (gain, at)))
                .collect();
            let mut movable = Movable::new(first.into_iter());
            for _ in 0..200 {
                assert_eq!(movable.best(), known.last().copied());
                let (at, gain) = (below(count), gain(below(9)));
                if let Some(old) = movable.gain(at) {
                    assert!(known.remove(&(old, at)));
                }
                movable.set(at, gain);
                known.extend(gain.map(|gain| (gain, at)));
            }
        }
    }
}
