//! Sets of the PUs, or of the cpus, of one node as words, asked a stretch at a time. These questions are most of what a process
//! costs: slices of `bitvec` take two to three times as long for them.

use smallvec::SmallVec;
use std::borrow::Borrow;

/// Bits of a word.
const WORD: u32 = u64::BITS;

/// Stretches of logical numbers, as (first, end).
pub(crate) type Stretches = SmallVec<[(u32, u32); 2]>;

/// A set of small numbers. Bits at and behind `len` are 0, so that equal sets have equal words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Bits {
    words: SmallVec<[u64; 4]>,
    len: u32,
}

impl Bits {
    /// An empty set of numbers below `len`.
    pub(crate) fn none(len: u32) -> Self {
        let words = SmallVec::from_elem(0, len.div_ceil(WORD) as usize);
        Self { words, len }
    }
    /// The set with these words.
    pub(crate) fn of(words: &[u64], len: u32) -> Self {
        debug_assert_eq!(words.len(), len.div_ceil(WORD) as usize, "a bit each");
        let words = SmallVec::from_slice(words);
        Self { words, len }
    }
    /// Its words.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
    /// How many numbers there could be.
    pub(crate) const fn len(&self) -> u32 {
        self.len
    }
    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }
    /// No number.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
    /// Adds some stretches.
    #[inline]
    pub(crate) fn add(&mut self, stretches: &[(u32, u32)]) {
        self.change(stretches, |word, _, mask| word | mask);
    }
    /// Takes some stretches out.
    #[inline]
    pub(crate) fn remove(&mut self, stretches: &[(u32, u32)]) {
        self.change(stretches, |word, _, mask| word & !mask);
    }
    /// Takes some stretches over from another set.
    #[inline]
    pub(crate) fn copy(&mut self, stretches: &[(u32, u32)], from: &[u64]) {
        self.change(stretches, |word, at, mask| {
            (word & !mask) | (from[at] & mask)
        });
    }
    /// Makes other words of those that some stretches touch, each given with its place and the bits of the stretch.
    #[inline]
    fn change(&mut self, stretches: &[(u32, u32)], to: impl Fn(u64, usize, u64) -> u64) {
        for &stretch in stretches {
            for (at, mask) in masks_of(stretch) {
                self.words[at] = to(self.words[at], at, mask);
            }
        }
    }
    /// Keeps what another set has, too.
    pub(crate) fn intersect(&mut self, with: &[u64]) {
        for (own, other) in self.words.iter_mut().zip(with) {
            *own &= other;
        }
    }
    /// Removes what another set has.
    pub(crate) fn subtract(&mut self, less: &[u64]) {
        for (own, other) in self.words.iter_mut().zip(less) {
            *own &= !other;
        }
    }
}

/// The words that stretches touch, one stretch after the other, each with the bits of the stretch in it.
#[inline]
fn masks(
    stretches: impl IntoIterator<Item: Borrow<(u32, u32)>>,
) -> impl Iterator<Item = (usize, u64)> {
    let stretches = stretches.into_iter();
    stretches.flat_map(|stretch| masks_of(*stretch.borrow()))
}

/// The same, of one stretch.
#[inline]
fn masks_of((first, end): (u32, u32)) -> impl Iterator<Item = (usize, u64)> {
    let words = first / WORD..end.div_ceil(WORD);
    words.map(move |word| {
        let (from, to) = (first.max(word * WORD), end.min((word + 1) * WORD));
        (word as usize, mask(from, to))
    })
}

/// The bits of a stretch that lies in one word.
#[inline]
const fn mask(first: u32, end: u32) -> u64 {
    match end.saturating_sub(first) {
        0 => 0,
        count => u64::MAX >> (WORD - count) << (first % WORD),
    }
}

/// The first that `of` finds in the words of a stretch, which nearly always are one.
#[inline]
fn find<R>((first, end): (u32, u32), mut of: impl FnMut(usize, u64) -> Option<R>) -> Option<R> {
    let word = first / WORD;
    if end <= (word + 1) * WORD {
        return of(word as usize, mask(first, end));
    }
    masks_of((first, end)).find_map(|(at, mask)| of(at, mask))
}

/// The words of a set that ascending stretches touch, each once, with its place.
#[inline]
pub(crate) fn words_of(
    set: &[u64],
    stretches: &[(u32, u32)],
) -> impl Iterator<Item = (usize, u64)> {
    let mut last = None;
    let places = masks(stretches).map(|(at, _)| at);
    let places = places.filter(move |&at| last.replace(at) != Some(at));
    places.map(|at| (at, set[at]))
}

/// All numbers of some stretches from one on.
pub(crate) fn from(stretches: &[(u32, u32)], least: u32) -> impl Iterator<Item = u32> {
    let ahead = move |&(first, end): &(u32, u32)| first.max(least)..end;
    stretches.iter().flat_map(ahead)
}

/// Whether a number is in a set.
#[inline]
pub(crate) fn has(set: &[u64], at: u32) -> bool {
    set[(at / WORD) as usize] >> (at % WORD) & 1 == 1
}

/// Whether all of some stretches are in a set.
#[inline]
pub(crate) fn has_all(set: &[u64], stretches: &[(u32, u32)]) -> bool {
    let missing = |at: usize, mask| (mask & !set[at] != 0).then_some(());
    let mut stretches = stretches.iter();
    stretches.all(|&stretch| find(stretch, missing).is_none())
}

/// How many of some stretches are in a set.
#[inline]
pub(crate) fn count_of(set: &[u64], stretches: impl IntoIterator<Item: Borrow<(u32, u32)>>) -> u32 {
    let mut count = 0;
    for stretch in stretches {
        let _: Option<()> = find(*stretch.borrow(), |at, mask| {
            count += (set[at] & mask).count_ones();
            None
        });
    }
    count
}

/// All of some stretches that are in a set, in their order.
#[inline]
pub(crate) fn ones(
    set: &[u64],
    stretches: impl IntoIterator<Item: Borrow<(u32, u32)>>,
) -> impl Iterator<Item = u32> {
    masks(stretches).flat_map(|(at, mask)| ones_of(narrow(at), set[at] & mask))
}

/// The first of some stretches that is in a set.
#[inline]
pub(crate) fn first_of(
    set: &[u64],
    stretches: impl IntoIterator<Item: Borrow<(u32, u32)>>,
) -> Option<u32> {
    for stretch in stretches {
        let found = find(*stretch.borrow(), |at, mask| {
            let found = set[at] & mask;
            (found != 0).then(|| narrow(at) * WORD + found.trailing_zeros())
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The numbers that a word stands for, ascending.
fn ones_of(word: u32, bits: u64) -> impl Iterator<Item = u32> {
    let mut left = bits;
    std::iter::from_fn(move || {
        let bit = (left != 0).then(|| left.trailing_zeros())?;
        left &= left - 1;
        Some(word * WORD + bit)
    })
}

/// The stretches that two ascending lists share.
#[inline]
pub(crate) fn shared(a: &[(u32, u32)], b: &[(u32, u32)]) -> Stretches {
    let mut found = Stretches::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (first, end) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        if first < end {
            found.push((first, end));
        }
        if a[i].1 < b[j].1 { i += 1 } else { j += 1 }
    }
    found
}

/// Whether some stretches, at least one, lie in others.
#[inline]
pub(crate) fn lie_in(stretches: &[(u32, u32)], others: &[(u32, u32)]) -> bool {
    let inside = |&(first, end): &(u32, u32)| others.iter().any(|&(a, b)| a <= first && end <= b);
    !stretches.is_empty() && stretches.iter().all(inside)
}

pub(crate) fn narrow(count: usize) -> u32 {
    u32::try_from(count).expect("limit.rs keeps PUs and objects below 2^32")
}

/// The cpus of one process: the words that have any of its PUs, each with its number, ascending. Equal sets have equal words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Window(SmallVec<[(u32, u64); 2]>);

impl Window {
    /// All of a set. Cost: its words.
    pub(crate) fn of(set: &Bits) -> Self {
        Self::part(set.words(), &[(0, set.len)])
    }

    /// What ascending stretches have in common with a set. Cost: their words.
    pub(crate) fn part(set: &[u64], stretches: &[(u32, u32)]) -> Self {
        let mut words: SmallVec<[(u32, u64); 2]> = SmallVec::new();
        for (at, mask) in masks(stretches).filter(|(at, mask)| set[*at] & mask != 0) {
            match words.last_mut() {
                Some((last, bits)) if *last as usize == at => *bits |= set[at] & mask,
                _ => words.push((narrow(at), set[at] & mask)),
            }
        }
        Self(words)
    }

    /// What tells one set from another.
    pub(crate) fn key(&self) -> impl Iterator<Item = u64> {
        let words = self.0.iter();
        words.flat_map(|&(at, bits)| [u64::from(at), bits])
    }

    /// The PUs, ascending.
    pub(crate) fn ones(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|&(at, bits)| ones_of(at, bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_across_words_are_seen_whole() {
        let mut set = Bits::none(200);
        set.add(&[(60, 130)]);
        set.remove(&[(64, 65)]);
        assert_eq!(set.count(), 69);
        assert_eq!(count_of(set.words(), [(0, 61), (64, 66), (129, 200)]), 3);
        assert_eq!(first_of(set.words(), [(61, 61)]), None);
        assert_eq!(first_of(set.words(), [(0, 60), (64, 200)]), Some(65));
        assert!(has_all(set.words(), &[(65, 130)]) && !has_all(set.words(), &[(63, 66)]));
        assert!(
            has_all(set.words(), &[(128, 128)]),
            "of nothing, all is there"
        );
        let found: Vec<u32> = ones(set.words(), &[(0, 62), (63, 66)]).collect();
        assert_eq!(found, [60, 61, 63, 65]);
        let mut other = Bits::none(200);
        other.copy(&[(62, 63), (65, 68)], set.words());
        let found: Vec<u32> = ones(other.words(), &[(0, 200)]).collect();
        assert_eq!(found, [62, 65, 66, 67]);
        other.intersect(&[u64::MAX, 0, 0, 0]);
        assert_eq!(other.count(), 1);
        set.remove(&[(0, 61), (66, 200)]);
        assert_eq!(
            ones(set.words(), &[(0, 200)]).collect::<Vec<_>>(),
            [61, 62, 63, 65]
        );
    }

    #[test]
    fn a_window_is_the_same_however_it_is_cut() {
        let mut set = Bits::none(1000);
        set.add(&[(130, 200), (400, 401)]);
        let whole = Window::of(&set);
        assert_eq!(Window::part(set.words(), &[(70, 180), (180, 500)]), whole);
        let part = Window::part(set.words(), &[(70, 180), (190, 500)]);
        assert_eq!(part.ones().count(), 61);
        let expected: Vec<u32> = (130..200).chain([400]).collect();
        assert_eq!(whole.ones().collect::<Vec<_>>(), expected);
        assert_eq!(Window::part(set.words(), &[(201, 400)]), Window::default());
    }

    #[test]
    fn what_two_lists_share_is_what_is_in_both() {
        // Sets of six as lists of stretches.
        let list = |set: u32| -> Vec<(u32, u32)> {
            let starts =
                (0..6).filter(|pu| set >> pu & 1 == 1 && (*pu == 0 || set >> (pu - 1) & 1 == 0));
            starts
                .map(|first| (first, first + (set >> first).trailing_ones()))
                .collect()
        };
        for (a, b) in (0..64).flat_map(|a| (0..64).map(move |b| (a, b))) {
            assert_eq!(shared(&list(a), &list(b)).to_vec(), list(a & b));
        }
    }
}
