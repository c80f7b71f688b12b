//! Counts the entries of a matrix at all levels as they are read. While some are counted, the next are read.

use crate::above::Counter;
use crate::column::Order;
use crate::error::ScoreError;
use crate::level::LEVELS;
use crate::matrix::{Entry, FILLED, Matrix};
use crate::weight::Weight;

/// The objects of a rank at all levels, side by side, so that an entry needs two look-ups. Levels that do not exist have 0.
type Objects = [u32; LEVELS];

/// The weights that were read, summed over the objects that they leave.
pub(crate) struct Streamed<'s, 'n> {
    /// Shape `[ranks]`.
    objects: Vec<Objects>,
    /// Shape `[levels][objects]`.
    pub(crate) out: Vec<Vec<Weight>>,
    /// Senders of the entries at hand, each with the levels that it leaves.
    senders: Vec<(Objects, [bool; LEVELS])>,
    /// What counts the same above the nodes.
    above: Option<&'s mut Counter<'n>>,
}

impl<'s, 'n> Streamed<'s, 'n> {
    /// For this many ranks and levels.
    pub(crate) fn new(ranks: usize, levels: usize, above: Option<&'s mut Counter<'n>>) -> Self {
        Self {
            objects: vec![[0; LEVELS]; ranks],
            out: vec![Vec::new(); levels],
            senders: Vec::with_capacity(FILLED),
            above,
        }
    }

    /// Readies the levels above the nodes.
    pub(crate) fn ready(&mut self, orders: &[Order<'_>]) {
        if let Some(above) = &mut self.above {
            above.ready(orders);
        }
    }

    /// Sets up a level: the object of each rank, and the edges that leave each object without matrices.
    pub(crate) fn level(&mut self, at: usize, of_rank: &[u32], named: &[u64]) {
        for (objects, &object) in self.objects.iter_mut().zip(of_rank) {
            objects[at] = object;
        }
        self.out[at] = named.iter().copied().map(Weight::whole).collect();
    }

    /// Adds a matrix of the app whose first rank is given. Gives the sum of the weights.
    ///
    /// Cost: reading it, or counting it on another thread at the same time, whichever takes longer.
    pub(crate) fn add(
        &mut self,
        mut matrix: Matrix<'_>,
        first: usize,
    ) -> Result<Weight, ScoreError> {
        let mut sum = Weight::default();
        let (mut now, mut next) = (Vec::new(), Vec::new());
        let mut more = matrix.fill(&mut now)?;
        while more {
            if now.len() < FILLED {
                // Mostly the last entries: not worth another thread.
                sum += self.count(&now, first);
                more = matrix.fill(&mut now)?;
                continue;
            }
            let (read, counted) =
                rayon::join(|| matrix.fill(&mut next), || self.count(&now, first));
            sum += counted;
            more = read?;
            std::mem::swap(&mut now, &mut next);
        }
        Ok(sum)
    }

    /// First looks up all that is far apart in memory, then adds it, so that neither waits for the other.
    fn count(&mut self, entries: &[Entry], first: usize) -> Weight {
        let of = |rank: u32| &self.objects[first + rank as usize];
        self.senders.clear();
        self.senders.extend(entries.iter().map(|entry| {
            let (from, to) = (of(entry.from), of(entry.to));
            let mut leaves = [false; LEVELS];
            for (leaves, (a, b)) in leaves.iter_mut().zip(from.iter().zip(to)) {
                *leaves = a != b;
            }
            (*from, leaves)
        }));
        for (level, out) in self.out.iter_mut().enumerate() {
            for (entry, (objects, leaves)) in entries.iter().zip(&self.senders) {
                if leaves[level] {
                    out[objects[level] as usize] += entry.weight;
                }
            }
        }
        if let Some(above) = &mut self.above {
            above.entries(entries, first);
        }
        entries.iter().map(|entry| entry.weight).sum()
    }
}
