//! Runs eight by eight, in a cache line each: on which of them a turn of a round is.

use super::PlacedRun;
use super::deal::Step;

/// Runs that are looked at together, and numbers of a word, of 16 bits, the highest of which is kept free.
const RUNS: usize = 8;
const LANES: usize = RUNS / 2;
const BITS: usize = 16;
const MAX: u64 = (1 << (BITS - 1)) - 1;
/// One in each number of a word: times it, a number stands in each, and each becomes the sum of those up to it.
const EACH: u64 = 0x0001_0001_0001_0001;
/// The bit that is kept free, of each number.
const FREE: u64 = EACH << (BITS - 1);
/// Different counts of turns that the rounds of a node have here.
const STEPS: usize = 2;

/// Eight runs, four to a word: so that all is arithmetic, without a branch that a processor could guess wrongly.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(64))]
struct Eight {
    /// By step and run: the first round behind, and by how many turns the run has fewer from there on.
    ends: [[u64; 2]; STEPS],
    falls: [[u64; 2]; STEPS],
}

/// The runs of an app whose nodes have few counts of turns, and few turns.
#[derive(Clone, Debug)]
pub(super) struct Eights(Vec<Eight>);

impl Eights {
    /// `None`: some count does not fit. `steps`: of each kind. `kinds`: of each run. Cost: the runs.
    pub(super) fn new(runs: &[PlacedRun], kinds: &[u32], steps: &[&[Step]]) -> Option<Self> {
        let mut eights = Vec::with_capacity(runs.len().div_ceil(RUNS));
        for (runs, kinds) in runs.chunks(RUNS).zip(kinds.chunks(RUNS)) {
            let mut eight = Eight::default();
            let mut all = 0_u64;
            for (at, (run, &kind)) in runs.iter().zip(kinds).enumerate() {
                let steps = steps[kind as usize];
                for (row, step) in steps.iter().enumerate() {
                    let next = steps.get(row + 1).map_or(0, |next| next.pairs);
                    let fall = u64::from(step.pairs - next) * u64::from(run.nodes.count);
                    let end = u64::from(step.end);
                    if row >= STEPS || end > MAX || fall > MAX {
                        return None;
                    }
                    eight.ends[row][at / LANES] |= end << (at % LANES * BITS);
                    eight.falls[row][at / LANES] |= fall << (at % LANES * BITS);
                }
                let most = steps.first().map_or(0, |step| u64::from(step.pairs));
                all += most * u64::from(run.nodes.count);
            }
            if all > MAX {
                return None;
            }
            eights.push(eight);
        }
        Some(Self(eights))
    }

    /// On which run the turn `place`, counted from run `first` on, is, and which of the run's turns. `first`: of eight.
    #[inline]
    pub(super) fn find(&self, round: u32, first: u32, place: u32) -> (u32, u32) {
        let (mut run, mut place) = (first, place);
        for eight in &self.0[first as usize / RUNS..] {
            let (passed, turns) = eight.pass(round, place);
            run += passed;
            place -= turns;
            if (passed as usize) < RUNS {
                break;
            }
        }
        (run, place)
    }
}

/// The free bit of each number that is at least the one in its place.
#[inline]
const fn at_least(numbers: u64, others: u64) -> u64 {
    ((numbers | FREE) - others) & FREE
}

impl Eight {
    /// How many runs end before a turn, and how many turns they have.
    #[inline]
    fn pass(&self, round: u32, place: u32) -> (u32, u32) {
        // No number here is larger, and a round is looked for only where it is smaller.
        let [next, place] = [u64::from(round) + 1, u64::from(place)].map(|all| all.min(MAX) * EACH);
        let own = |word: usize| {
            let still = |step: usize| {
                let live = at_least(self.ends[step][word], next) >> (BITS - 1);
                self.falls[step][word] & (live * u64::from(u16::MAX))
            };
            (still(0) + still(1)).wrapping_mul(EACH)
        };
        let low = own(0);
        let high = own(1) + (low >> (BITS * (LANES - 1))) * EACH;
        let passed = (at_least(place, low) >> (BITS - 1)) + (at_least(place, high) >> (BITS - 1));
        let passed = passed.wrapping_mul(EACH) >> (BITS * (LANES - 1));
        // What stands before each run, and behind the last.
        let top = BITS * (LANES - 1);
        let before = [low << BITS, (high << BITS) | (low >> top), high >> top, 0];
        let word = before[passed as usize / LANES % before.len()];
        let turns = word >> (passed as usize % LANES * BITS);
        [passed, turns]
            .map(|number| u32::try_from(number & MAX).unwrap_or(0))
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id as _;
    use crate::table::names::NodeRange;
    use crate::table::patterns::PatternId;

    #[test]
    fn a_turn_is_on_the_run_that_counting_finds() {
        let step = |start, end, pairs, before| Step {
            start,
            end,
            pairs,
            before,
        };
        let steps = [
            vec![step(0, 3, 1, 0)],
            vec![step(0, 2, 5, 0), step(2, 7, 2, 10)],
            vec![step(0, 1, 1000, 0)],
            vec![],
        ];
        let steps: Vec<&[Step]> = steps.iter().map(|steps| &steps[..]).collect();
        let kinds: Vec<u32> = (0..27).map(|at| at * at % 11 % 4).collect();
        let run = |at: u32| PlacedRun {
            nodes: NodeRange {
                first: at * 4,
                count: 1 + at % 3,
            },
            procs: 1,
            pattern: PatternId::from_row(0),
            kind: None,
            own_before: 0,
            used_before: 0,
        };
        let runs: Vec<PlacedRun> = (0..27).map(run).collect();
        let eights = Eights::new(&runs, &kinds, &steps).expect("few turns");
        for round in 0..7 {
            let turns = |at: usize| {
                let mut steps = steps[kinds[at] as usize].iter();
                let step = steps.find(|step| (step.start..step.end).contains(&round));
                step.map_or(0, |step| step.pairs) * runs[at].nodes.count
            };
            for first in [0, 8, 16, 24] {
                let mut places = 0..;
                for (run, at) in (0..).zip(0..runs.len()).skip(first as usize) {
                    for (turn, place) in (0..turns(at)).zip(&mut places) {
                        assert_eq!(eights.find(round, first, place), (run, turn));
                    }
                }
            }
        }
        let long = [step(0, 40_000, 1, 0)];
        assert!(Eights::new(&runs[..1], &[0], &[&long]).is_none());
    }
}
