//! Whose turn each place of a round is, written out: one number finds the run of a place, without a search.
//!
//! A band has the seats of the one before but those of the runs that have had all their processes: what lies between these is
//! copied.

use super::placed::row;

/// Bits of a seat that hold its run; those above hold which of the run's turns it is.
const RUN_BITS: u32 = 24;
/// Runs, and turns of a run in a round, that a seat can tell apart.
const RUNS: usize = 1 << RUN_BITS;
const TURNS: u32 = 1 << (u32::BITS - RUN_BITS);
/// Seats that are written out in any case, and how many more for each run.
const ALWAYS: usize = 1 << 22;
const PER_RUN: usize = 64;
/// Runs up to which they are looked through rather than seated, and turns of a run in a round, in the mean, up to which they are
/// seated: where runs have more, a search over them takes less room.
const FEW: usize = 64;
const MEAN: usize = 16;
/// Runs that a process's own is looked for among.
const EIGHT: usize = 8;

/// The turns of a round, band by band. Four bytes for each turn of one round of each band.
#[derive(Clone, Debug, Default)]
pub(super) struct Seats {
    /// Where the seats of each band start. Shape `[bands]`.
    starts: Vec<u32>,
    /// A run, and which of its turns. Shape `[turns of a round]`, band by band.
    seats: Vec<u32>,
    /// Turns of a round before each eight runs. Shape `[bands][eights]`.
    before: Vec<u32>,
    eights: usize,
}

/// What seats are made from, one band after the other.
#[derive(Default)]
pub(super) struct Scratch {
    /// Turns of each run in the round at hand. Shape `[runs]`.
    turns: Vec<u32>,
    /// The same of each eight runs. Shape `[eights]`.
    weights: Vec<u32>,
    /// Runs that have fewer turns in the next band, as bits, and how many fewer; that is of no meaning for others.
    falling: Vec<u64>,
    fewer: Vec<u32>,
}

impl Scratch {
    /// Takes up the runs of an app, each with its turns in the first round.
    fn begin(&mut self, turns: impl Iterator<Item = u32>) {
        self.turns.clear();
        self.turns.extend(turns);
        let eights = self
            .turns
            .chunks(EIGHT)
            .map(|eight| eight.iter().sum::<u32>());
        self.weights.clear();
        self.weights.extend(eights);
        self.falling.clear();
        self.falling.resize(self.turns.len().div_ceil(64), 0);
        self.fewer.resize(self.turns.len(), 0);
    }

    /// Some run has so many turns fewer in the next band.
    pub(super) fn fall(&mut self, run: u32, fewer: u32) {
        let run = run as usize;
        self.falling[run / 64] |= 1 << (run % 64);
        self.fewer[run] = fewer;
    }
}

impl Seats {
    /// Seats of the first band; `None`: the runs are few, or have too many turns, or all bands together have. `widths`: turns of a
    /// round of each band; `turns`: of each run in the first one. Cost: they.
    pub(super) fn first(
        (runs, widths): (usize, &[u32]),
        turns: impl Iterator<Item = u32>,
        scratch: &mut Scratch,
    ) -> Option<Self> {
        let width = *widths.first()? as usize;
        if runs <= FEW || runs > RUNS || width > runs.saturating_mul(MEAN) {
            return None;
        }
        let room = ALWAYS.max(runs.saturating_mul(PER_RUN));
        let all: u64 = widths.iter().map(|&width| u64::from(width)).sum();
        let eights = runs.div_ceil(EIGHT);
        let before = eights.saturating_mul(widths.len());
        if all > room as u64 || before > room {
            return None;
        }
        scratch.begin(turns);
        if scratch.turns.iter().any(|&turns| turns > TURNS) {
            return None;
        }
        let mut first = Self {
            starts: Vec::with_capacity(widths.len()),
            seats: Vec::with_capacity(usize::try_from(all).ok()?),
            before: Vec::with_capacity(before),
            eights,
        };
        first.starts.push(0);
        first.count(scratch);
        for (run, &turns) in (0..).zip(&scratch.turns) {
            let seat = |turn| run | turn << RUN_BITS;
            if turns == 1 {
                first.seats.push(seat(0));
            } else {
                first.seats.extend((0..turns).map(seat));
            }
        }
        Some(first)
    }

    /// Adds a band. Cost: the runs that fall, a word for each 64 runs, and a copy of the band.
    pub(super) fn next(&mut self, scratch: &mut Scratch) {
        let Scratch {
            turns,
            weights,
            falling,
            fewer,
        } = &mut *scratch;
        let end = self.seats.len();
        let start = *self.starts.last().expect("the first band is there") as usize;
        let before = &self.before[self.before.len() - self.eights..];
        let mut from = start;
        // The eight at hand, and how many of its turns went.
        let (mut here, mut gone) = (0, 0);
        for (word, bits) in falling.iter_mut().enumerate() {
            while *bits != 0 {
                let run = word * 64 + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                let eight = run / EIGHT;
                if eight != here {
                    (here, gone) = (eight, 0);
                }
                let others: u32 = turns[eight * EIGHT..run].iter().sum();
                turns[run] -= fewer[run];
                let stay = start + (before[eight] + gone + others + turns[run]) as usize;
                gone += fewer[run];
                weights[eight] -= fewer[run];
                self.seats.extend_from_within(from..stay);
                from = stay + fewer[run] as usize;
            }
        }
        self.seats.extend_from_within(from..end);
        self.starts.push(row(end));
        self.count(scratch);
    }

    /// Writes what stands before each eight runs in the round at hand.
    fn count(&mut self, scratch: &Scratch) {
        let mut all = 0;
        self.before.extend(scratch.weights.iter().map(|weight| {
            let before = all;
            all += weight;
            before
        }));
    }

    /// The run that has a place in a round of a band, and which of its turns that is.
    #[inline]
    pub(super) fn at(&self, band: usize, place: u32) -> (u32, u32) {
        parts(self.seats[(self.starts[band] + place) as usize])
    }

    /// The place of a run's first turn: the inverse of [`Self::at`]. Cost: at most the turns of seven runs.
    pub(super) fn place(&self, band: usize, run: u32) -> u32 {
        let before = self.before[band * self.eights + run as usize / EIGHT];
        let seats = &self.seats[(self.starts[band] + before) as usize..];
        let others = seats.iter().take_while(|&&seat| parts(seat).0 < run);
        before + row(others.count())
    }
}

/// A seat's run, and which of its turns.
#[inline]
const fn parts(seat: u32) -> (u32, u32) {
    (seat & ((1 << RUN_BITS) - 1), seat >> RUN_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_the_run_that_counting_finds() {
        let mut turns: Vec<u32> = (0..150).map(|run| run * run % 7).collect();
        let mut scratch = Scratch::default();
        let bands = [turns.iter().sum(); 6];
        let first = Seats::first((turns.len(), &bands), turns.iter().copied(), &mut scratch);
        let mut seats = first.expect("many runs of few turns");
        for band in 0..bands.len() {
            let counted = (0..).zip(&turns);
            let counted = counted.flat_map(|(run, &turns)| (0..turns).map(move |at| (run, at)));
            for ((run, turn), place) in counted.zip(0..) {
                assert_eq!(seats.at(band, place), (run, turn), "band {band}");
                assert_eq!(seats.place(band, run), place - turn, "band {band}");
            }
            for (run, turns) in (0..).zip(&mut turns) {
                let fewer = (*turns).min(run % 4);
                if fewer > 0 {
                    scratch.fall(run, fewer);
                    *turns -= fewer;
                }
            }
            seats.next(&mut scratch);
        }
    }

    #[test]
    fn few_runs_and_long_ones_have_no_seats() {
        let seated = |turns: &[u32], widths: &[u32]| {
            let turns = turns.iter().copied();
            Seats::first((turns.len(), widths), turns, &mut Scratch::default()).is_some()
        };
        assert!(!seated(&[1; FEW], &[1]) && seated(&[1; FEW + 1], &[1]));
        assert!(seated(&[1; 100], &[1600]) && !seated(&[1; 100], &[1601]));
        assert!(seated(&[1; 100], &[1600; 2621]) && !seated(&[1; 100], &[1600; 2622]));
        let many_bands = vec![1; ALWAYS / 13];
        assert!(seated(&[1; 100], &many_bands) && !seated(&[1; 105], &many_bands));
        let mut one_long = [1; 100];
        one_long[7] = TURNS + 1;
        assert!(!seated(&one_long, &[400]));
    }
}
