//! The vertex whose move gains most.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use std::collections::BTreeSet;
use stowplan::score::advise::above::movable::Movable;

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
