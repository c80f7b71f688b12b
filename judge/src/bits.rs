//! Sets of PUs of one node: one bit per PU, read and changed by stretches.

use bitvec::slice::BitSlice;
use smallvec::SmallVec;
use std::ops::Deref;
use std::sync::Arc;
use stowplan_engine::table::pusets::PuBits;

/// The cpus of a process by logical number: ascending stretches (first, end) with gaps between them.
///
/// A copy costs nothing: most masks are one stretch, and long ones are shared.
#[derive(Clone, Debug)]
pub(super) enum Mask {
    One([(u32, u32); 1]),
    Several(Arc<[(u32, u32)]>),
}

impl From<&[(u32, u32)]> for Mask {
    fn from(stretches: &[(u32, u32)]) -> Self {
        match *stretches {
            [only] => Self::One([only]),
            _ => Self::Several(Arc::from(stretches)),
        }
    }
}

impl Deref for Mask {
    type Target = [(u32, u32)];

    fn deref(&self) -> &Self::Target {
        match self {
            Self::One(only) => only,
            Self::Several(stretches) => stretches,
        }
    }
}

impl PartialEq for Mask {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// PUs by logical number: ascending disjoint (first, end).
pub(super) type Ranges = SmallVec<[(u32, u32); 2]>;

/// One bit per logical PU.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Bits(PuBits);

impl Bits {
    pub(super) fn from_slice(bits: &BitSlice<u64>) -> Self {
        let mut own = PuBits::from_bitslice(bits);
        own.force_align();
        Self(own)
    }

    pub(super) fn empty(pus: usize) -> Self {
        Self(PuBits::repeat(false, pus))
    }

    pub(super) fn as_slice(&self) -> &BitSlice<u64> {
        &self.0
    }

    pub(super) fn has_all(&self, ranges: &[(u32, u32)]) -> bool {
        let words = self.0.as_raw_slice();
        let mut meant = ranges.iter().flat_map(|&stretch| within(stretch));
        meant.all(|(at, meant)| words[at as usize] & meant == meant)
    }

    pub(super) fn count(&self, ranges: &[(u32, u32)]) -> u64 {
        let words = self.0.as_raw_slice();
        let meant = ranges.iter().flat_map(|&stretch| within(stretch));
        meant
            .map(|(at, meant)| u64::from((words[at as usize] & meant).count_ones()))
            .sum()
    }

    pub(super) fn first(&self, ranges: &[(u32, u32)]) -> Option<u32> {
        let words = self.0.as_raw_slice();
        let mut meant = ranges.iter().flat_map(|&stretch| within(stretch));
        meant.find_map(|(at, meant)| lowest(at, words[at as usize] & meant))
    }

    pub(super) fn add(&mut self, ranges: &[(u32, u32)]) {
        let words = self.0.as_raw_mut_slice();
        for (at, meant) in ranges.iter().flat_map(|&stretch| within(stretch)) {
            words[at as usize] |= meant;
        }
    }

    pub(super) fn remove(&mut self, ranges: &[(u32, u32)]) {
        let words = self.0.as_raw_mut_slice();
        for (at, meant) in ranges.iter().flat_map(|&stretch| within(stretch)) {
            words[at as usize] &= !meant;
        }
    }

    /// The part of this set that lies in the ranges.
    pub(super) fn within(&self, ranges: &[(u32, u32)]) -> Self {
        let mut part = Self::empty(self.0.len());
        part.add(ranges);
        part.keep(self);
        part
    }

    /// The part of this set that lies in the ranges, as stretches with gaps between them.
    pub(super) fn part(&self, ranges: &[(u32, u32)]) -> Mask {
        let mut part = Ranges::new();
        for &(first, end) in ranges {
            let mut from = first;
            while let Some(start) = self.first(&[(from, end)]) {
                let stop = self.first_without((start, end)).unwrap_or(end);
                match part.last_mut() {
                    Some(last) if last.1 == start => last.1 = stop,
                    Some(_) | None => part.push((start, stop)),
                }
                from = stop;
            }
        }
        Mask::from(part.as_slice())
    }

    fn first_without(&self, stretch: (u32, u32)) -> Option<u32> {
        let words = self.0.as_raw_slice();
        within(stretch).find_map(|(at, meant)| lowest(at, !words[at as usize] & meant))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.not_any()
    }

    /// Keeps only the PUs that are also in the other set.
    pub(super) fn keep(&mut self, other: &Self) {
        let theirs = other.0.as_raw_slice();
        for (mine, theirs) in self.0.as_raw_mut_slice().iter_mut().zip(theirs) {
            *mine &= theirs;
        }
    }

    pub(super) fn set(&mut self, pu: u32) {
        self.0.set(pu as usize, true);
    }

    /// PUs in the set, ascending.
    pub(super) fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter_ones()
    }
}

/// The 64-bit words that a stretch of PUs lies in, each with a mask of the stretch's bits.
fn within((first, end): (u32, u32)) -> impl Iterator<Item = (u32, u64)> {
    let words = first / 64..end.div_ceil(64);
    words.map(move |word| {
        let low = first.saturating_sub(word * 64);
        let high = (end - word * 64).min(64);
        (word, (u64::MAX << low) & (u64::MAX >> (64 - high)))
    })
}

/// The PU of the lowest bit of a word.
fn lowest(at: u32, word: u64) -> Option<u32> {
    (word != 0).then(|| at * 64 + word.trailing_zeros())
}
