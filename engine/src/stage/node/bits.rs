//! Sets of the PUs or cpus of one node, as words. The inner loops ask about one stretch at a time.

use smallvec::SmallVec;

/// Bits of a word.
pub(super) const WORD: u32 = u64::BITS;

/// A set of small numbers. Bits from `len` on are 0, so that equal sets have equal words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bits {
    words: SmallVec<[u64; 4]>,
    len: u32,
}

impl Bits {
    /// An empty set of numbers below `len`.
    pub fn none(len: u32) -> Self {
        let words = len.div_ceil(WORD) as usize;
        Self {
            words: SmallVec::from_elem(0, words),
            len,
        }
    }
    /// The set with these words.
    pub fn of(words: &[u64], len: u32) -> Self {
        debug_assert_eq!(words.len(), len.div_ceil(WORD) as usize, "a bit each");
        Self {
            words: SmallVec::from_slice(words),
            len,
        }
    }
    /// Its words.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
    /// All numbers are below this one.
    pub(crate) const fn len(&self) -> u32 {
        self.len
    }
    /// How many numbers are in the set.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }
    /// Whether no number is in the set.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
    /// Adds or removes one number.
    #[inline]
    pub fn put(&mut self, at: u32, there: There) {
        let bit = 1 << (at % WORD);
        match there {
            There::Yes => self.words[(at / WORD) as usize] |= bit,
            There::No => self.words[(at / WORD) as usize] &= !bit,
        }
    }
    /// Adds or removes a stretch.
    #[inline]
    pub fn fill(&mut self, stretch: (u32, u32), there: There) {
        for (at, mask) in masks(stretch) {
            match there {
                There::Yes => self.words[at] |= mask,
                There::No => self.words[at] &= !mask,
            }
        }
    }
    /// Copies a stretch from another set.
    #[inline]
    pub fn copy(&mut self, stretch: (u32, u32), from: &[u64]) {
        for (at, mask) in masks(stretch) {
            self.words[at] = (self.words[at] & !mask) | (from[at] & mask);
        }
    }
    /// Keeps only the numbers that another set has too.
    pub fn intersect(&mut self, with: &[u64]) {
        for (own, other) in self.words.iter_mut().zip(with) {
            *own &= other;
        }
    }
    /// Removes the numbers that another set has.
    pub(crate) fn subtract(&mut self, less: &[u64]) {
        for (own, other) in self.words.iter_mut().zip(less) {
            *own &= !other;
        }
    }
}

/// Whether a number is in a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum There {
    /// It is.
    Yes,
    /// It is not.
    No,
}

/// The words that a stretch touches, each with the stretch's bits in it.
#[inline]
pub(super) fn masks((first, end): (u32, u32)) -> impl Iterator<Item = (usize, u64)> {
    let (from, to) = (first / WORD, end.div_ceil(WORD));
    (from..to).map(move |word| {
        let low = if word == from {
            u64::MAX << (first % WORD)
        } else {
            u64::MAX
        };
        let high = if word + 1 == to && end % WORD > 0 {
            u64::MAX >> (WORD - end % WORD)
        } else {
            u64::MAX
        };
        (word as usize, low & high)
    })
}

/// The word that a stretch touches and its bits there, if it is only one word. It nearly always is.
#[inline]
const fn one_mask((first, end): (u32, u32)) -> Option<(usize, u64)> {
    if first >= end || first / WORD != (end - 1) / WORD {
        return None;
    }
    let mask = u64::MAX >> (WORD - (end - first)) << (first % WORD);
    Some(((first / WORD) as usize, mask))
}

/// Whether a number is in a set.
#[inline]
pub(crate) fn has(set: &[u64], at: u32) -> bool {
    set[(at / WORD) as usize] >> (at % WORD) & 1 == 1
}

/// Whether all of a stretch is in a set.
#[inline]
pub fn has_all(set: &[u64], stretch: (u32, u32)) -> bool {
    match one_mask(stretch) {
        Some((at, mask)) => set[at] & mask == mask,
        None => masks(stretch).all(|(at, mask)| set[at] & mask == mask),
    }
}

/// How many numbers of a stretch are in a set.
#[inline]
pub(crate) fn count(set: &[u64], stretch: (u32, u32)) -> u32 {
    match one_mask(stretch) {
        Some((at, mask)) => (set[at] & mask).count_ones(),
        None => masks(stretch)
            .map(|(at, mask)| (set[at] & mask).count_ones())
            .sum(),
    }
}

/// How many numbers of some stretches are in a set.
#[inline]
pub fn count_of(set: &[u64], stretches: &[(u32, u32)]) -> u32 {
    stretches.iter().map(|&stretch| count(set, stretch)).sum()
}

/// The first number of a stretch that is in a set.
#[inline]
pub fn first(set: &[u64], stretch: (u32, u32)) -> Option<u32> {
    let of = |(at, mask): (usize, u64)| {
        let found = set[at] & mask;
        let word = u32::try_from(at).expect("limit.rs keeps PUs below 2^32");
        (found != 0).then(|| word * WORD + found.trailing_zeros())
    };
    match one_mask(stretch) {
        Some(only) => of(only),
        None => masks(stretch).find_map(of),
    }
}

/// The first number of some stretches that is in a set.
#[inline]
pub fn first_of(set: &[u64], stretches: &[(u32, u32)]) -> Option<u32> {
    stretches.iter().find_map(|&stretch| first(set, stretch))
}

/// All numbers of some stretches that are in a set, ascending.
pub fn ones(set: &[u64], stretches: &[(u32, u32)]) -> impl Iterator<Item = u32> {
    stretches.iter().flat_map(move |&stretch| {
        masks(stretch).flat_map(move |(at, mask)| {
            let word = u32::try_from(at).expect("limit.rs keeps PUs below 2^32");
            ones_of_word(word, set[at] & mask)
        })
    })
}

/// The numbers whose bits are set in a word, ascending.
pub(super) fn ones_of_word(word: u32, bits: u64) -> impl Iterator<Item = u32> {
    let mut left = bits;
    std::iter::from_fn(move || {
        let bit = (left != 0).then(|| left.trailing_zeros())?;
        left &= left - 1;
        Some(word * WORD + bit)
    })
}
