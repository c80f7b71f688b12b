//! What goes from object to object, summed.

use crate::score::weight::Weight;
use std::collections::HashMap;

/// Up to so many objects, sums are kept in a square.
const SQUARE: usize = 1 << 8;
/// Sums over ordered pairs of objects, and over the objects that they leave.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    /// Shape `[objects]`.
    pub(crate) out: Vec<Weight>,
    pairs: Pairs,
}

#[derive(Clone, Debug)]
enum Pairs {
    /// They are not kept.
    None,
    Square(Vec<Weight>),
    Sparse(HashMap<(u32, u32), Weight>),
}

impl Sums {
    /// For so many objects.
    pub(crate) fn new(objects: usize) -> Self {
        let pairs = if objects <= SQUARE {
            Pairs::Square(vec![Weight::default(); objects * objects])
        } else {
            Pairs::Sparse(HashMap::new())
        };
        Self {
            out: vec![Weight::default(); objects],
            pairs,
        }
    }

    /// The same, without pairs.
    pub(crate) fn alone(objects: usize) -> Self {
        Self {
            out: vec![Weight::default(); objects],
            pairs: Pairs::None,
        }
    }

    /// Adds what goes from `a` to `b`.
    pub(crate) fn add(&mut self, a: u32, b: u32, weight: Weight) {
        self.out[a as usize] += weight;
        match &mut self.pairs {
            Pairs::None => {}
            Pairs::Square(square) => square[a as usize * self.out.len() + b as usize] += weight,
            Pairs::Sparse(many) => *many.entry((a, b)).or_default() += weight,
        }
    }

    /// All that leaves.
    pub(crate) fn leave(&self) -> Weight {
        self.out.iter().copied().sum()
    }

    /// The most that leaves one object, and the first such object.
    pub(crate) fn worst(&self) -> (Weight, Option<u32>) {
        let most = self.out.iter().max().copied().unwrap_or_default();
        let at = self
            .out
            .iter()
            .position(|&own| own == most)
            .filter(|_| most > Weight::default());
        (most, at.and_then(|at| u32::try_from(at).ok()))
    }

    /// The most that goes from one object to another, and the first such pair.
    pub(crate) fn busiest(&self) -> (Weight, Option<(u32, u32)>) {
        let mut best: (Weight, Option<(u32, u32)>) = (Weight::default(), None);
        let mut see = |pair: (u32, u32), weight: Weight| {
            let ahead =
                weight > best.0 || (weight == best.0 && best.1.is_some_and(|known| pair < known));
            if ahead && weight > Weight::default() {
                best = (weight, Some(pair));
            }
        };
        match &self.pairs {
            Pairs::None => {}
            Pairs::Square(square) => {
                let side = self.out.len();
                for (at, &weight) in square
                    .iter()
                    .enumerate()
                    .filter(|own| *own.1 > Weight::default())
                {
                    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                    see((number(at / side), number(at % side)), weight);
                }
            }
            Pairs::Sparse(many) =>
            {
                #[expect(
                    clippy::iter_over_hash_type,
                    reason = "the first of the largest does not depend on the order"
                )]
                for (&pair, &weight) in many {
                    see(pair, weight);
                }
            }
        }
        best
    }
}
