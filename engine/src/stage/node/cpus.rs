//! The cpus of one node while an app is placed on it: what is free, and what finds the next one without looking twice.

use super::bits::{self, Bits, narrow};
use crate::policy::Overload;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The cpus of one node while an app is placed on it.
#[derive(Clone, Debug)]
pub(crate) struct Cpus {
    /// PUs not consumed.
    pub(crate) free: Bits,
    /// Units all of whose PUs are free.
    pub(crate) units: Bits,
    /// Processes of this app bound to each target object; empty where nothing asks for them.
    pub(crate) bound: Vec<u32>,
    /// A refill happened in the last call: cpus may be as they were before.
    pub(crate) refilled: bool,
    /// Some cpus were given out again.
    pub(crate) shared: bool,
    /// Where the search of each mapped object goes on; `[0]` without objects.
    cursors: Vec<Cursor>,
    /// Refills so far: each sets searches back.
    refills: u32,
    overload: Overload,
    balance: Balance,
}

/// How far the targets of one mapped object were searched.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    /// No target before this one has what is looked for, until cpus are free again.
    pub(super) target: u32,
    /// The refills when that was so.
    refills: u32,
    /// No target has fewer processes, and those before `least` have more.
    level: u32,
    least: u32,
}

/// What changed since the app came: the same numbers where the same changed, and for others once in 2^128.
#[derive(Clone, Debug)]
struct Balance {
    /// A number of its own for each word of the free PUs, added up, less those at first. Kept where cpus may be given out
    /// twice: elsewhere none is free again.
    free: u128,
    /// A number of its own for each process bound here, added up.
    bound: u128,
    /// The same of one process on each target.
    round: u128,
    /// The fewest processes of a target, and how many targets have so few.
    fewest: (u32, u32),
}

/// A number of its own for each target.
fn weight(target: u32) -> u128 {
    digest(&[u64::from(target)])
}

fn digest(words: &[u64]) -> u128 {
    let half = |which: u8| {
        let mut hasher = DefaultHasher::new();
        (which, words).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// The fewest processes of a target, and how many targets have so few.
fn fewest(bound: &[u32]) -> (u32, u32) {
    let least = bound.iter().min().copied().unwrap_or(0);
    let targets = bound.iter().filter(|&&count| count == least).count();
    (least, narrow(targets))
}

impl Cpus {
    /// Cpus as an app finds them, or finds them again.
    pub(super) fn new(free: Bits, units: Bits, bound: Vec<u32>, overload: Overload) -> Self {
        let targets = 0..narrow(bound.len());
        Self {
            overload,
            balance: Balance {
                free: 0,
                bound: 0,
                round: targets.map(weight).fold(0, u128::wrapping_add),
                fewest: fewest(&bound),
            },
            free,
            units,
            bound,
            refilled: false,
            shared: false,
            cursors: Vec::new(),
            refills: 0,
        }
    }

    /// How far the targets of a mapped object were searched.
    pub(super) fn cursor(&mut self, at: usize) -> &mut Cursor {
        if self.cursors.len() <= at {
            self.cursors.resize(at + 1, Cursor::default());
        }
        let cursor = &mut self.cursors[at];
        if cursor.refills != self.refills {
            (cursor.target, cursor.refills) = (0, self.refills);
        }
        cursor
    }
    /// Cpus are free again: every search begins anew.
    pub(super) fn refill(&mut self) {
        self.refills += 1;
        self.refilled = true;
        self.shared = true;
    }

    /// Some PUs are consumed.
    #[inline]
    pub(super) fn take(&mut self, pus: &[(u32, u32)]) {
        self.change(pus, |free| free.remove(pus));
    }
    /// Some PUs are free as in another set.
    pub(super) fn give_back(&mut self, pus: &[(u32, u32)], from: &[u64]) {
        self.change(pus, |free| free.copy(pus, from));
    }
    #[inline]
    fn change(&mut self, pus: &[(u32, u32)], change: impl FnOnce(&mut Bits)) {
        if self.overload == Overload::Refused {
            return change(&mut self.free);
        }
        let balance = |free: &Bits| {
            let words = bits::words_of(free.words(), pus);
            let numbers = words.map(|(at, word)| digest(&[at as u64, word]));
            numbers.fold(0, u128::wrapping_add)
        };
        let before = balance(&self.free);
        change(&mut self.free);
        let now = balance(&self.free).wrapping_sub(before);
        self.balance.free = self.balance.free.wrapping_add(now);
    }

    /// One process more on a target.
    #[inline]
    pub(super) fn count(&mut self, target: u32) {
        let Some(count) = self.bound.get_mut(target as usize) else {
            return;
        };
        let before = *count;
        *count += 1;
        let balance = &mut self.balance;
        balance.bound = balance.bound.wrapping_add(weight(target));
        let (least, targets) = &mut balance.fewest;
        if before == *least {
            *targets -= 1;
            if *targets == 0 {
                balance.fewest = fewest(&self.bound);
            }
        }
    }

    /// What this moment is known by: free cpus, and how the processes of targets differ above `limit`.
    pub(super) fn moment(&self, limit: u32) -> (u128, u128) {
        let Balance {
            free,
            bound,
            round,
            fewest,
        } = self.balance;
        let above = u128::from(fewest.0.saturating_sub(limit));
        let bound = bound.wrapping_sub(round.wrapping_mul(above));
        (free, bound)
    }

    /// The target with the fewest processes among the usable ones of a mapped object, the first of equals.
    pub(super) fn least_used(
        &mut self,
        at: usize,
        targets: &[(u32, u32)],
        usable: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let Cursor { level, least, .. } = *self.cursor(at);
        let bound = |target: u32| self.bound[target as usize];
        let from = |least| bits::from(targets, least).filter(|&target| usable(target));
        let (target, level) = match from(least).find(|&target| bound(target) <= level) {
            Some(target) => (target, level),
            // All have more by now: the lowest are next.
            None => {
                let target = from(0).min_by_key(|&target| bound(target))?;
                (target, bound(target))
            }
        };
        let cursor = self.cursor(at);
        (cursor.level, cursor.least) = (level, target);
        Some(target)
    }
}
