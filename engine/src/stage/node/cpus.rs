//! The cpus of one node while an app is placed on it: which are free, and where the next search for one starts.

use super::bits::Bits;
use super::units::narrow;
use crate::policy::Overload;
use crate::table::interner::{START, mix};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The cpus of one node while an app is placed on it.
#[derive(Clone, Debug)]
pub(crate) struct Cpus {
    /// PUs not consumed.
    pub(crate) free: Bits,
    /// Units all of whose PUs are free.
    pub(crate) units: Bits,
    /// Processes of this app bound to each target object; empty if nothing needs the counts.
    pub(crate) bound: Vec<u32>,
    /// Whether the last call refilled cpus: a cycle may begin here.
    pub(crate) refilled: bool,
    /// Whether some cpus were given out again.
    pub(crate) shared: bool,
    /// Where the search for targets of each mapped object continues; `[0]` without objects.
    targets: Cursors,
    /// The first cpu of each mapped object that may be free.
    pub(super) firsts: Cursors,
    /// Refills so far. Each one resets all cursors.
    refills: u32,
    /// The targets of each mapped object, least used on top. Built on first use.
    least: Vec<Option<TargetHeap>>,
    /// Sums that identify the present moment; `None` if no moment can come again.
    marks: Option<Box<Marks>>,
}

/// (processes when last looked at, target).
type TargetHeap = BinaryHeap<Reverse<(u32, u32)>>;

/// Positions up to which lists were searched. Each is valid until cpus are free again.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursors(Vec<(u32, u32)>);

impl Cursors {
    fn get(&self, at: usize, refills: u32) -> u32 {
        let known = self.0.get(at).filter(|(of, _)| *of == refills);
        known.map_or(0, |&(_, place)| place)
    }
    fn set(&mut self, at: usize, refills: u32, place: u32) {
        if self.0.len() <= at {
            self.0.resize(at + 1, (0, 0));
        }
        self.0[at] = (refills, place);
    }
}

/// Sums that identify a moment of a node. Equal moments have equal sums; different ones have equal sums once in 2^128.
#[derive(Clone, Debug)]
struct Marks {
    /// Of the free PUs, as the change since the start.
    free: u128,
    /// Of the processes bound to each target.
    bound: u128,
    /// Of one process on each target.
    round: u128,
    /// The fewest processes on a target, and how many targets have that few.
    least: (u32, u32),
}

/// A different number for each PU or target.
fn weight(of: u32) -> u128 {
    let low = mix(mix(START, u64::from(of)), 1);
    let high = mix(mix(START ^ u64::MAX, u64::from(of)), 2);
    u128::from(high) << 64 | u128::from(low)
}

impl Marks {
    fn of(bound: &[u32]) -> Self {
        let mut marks = Self {
            free: 0,
            bound: 0,
            round: 0,
            least: (0, 0),
        };
        for (target, &count) in (0..).zip(bound) {
            let weight = weight(target);
            marks.round = marks.round.wrapping_add(weight);
            let own = weight.wrapping_mul(u128::from(count));
            marks.bound = marks.bound.wrapping_add(own);
        }
        marks.least = fewest(bound);
        marks
    }
}

/// The fewest processes on a target, and how many targets have that few.
fn fewest(bound: &[u32]) -> (u32, u32) {
    let least = bound.iter().min().copied().unwrap_or(0);
    let targets = bound.iter().filter(|&&count| count == least).count();
    (least, narrow(targets))
}

impl Cpus {
    /// The cpus of a node when an app starts on it, or comes back to it. Moments can come again only if cpus may be given out twice.
    pub(super) fn new(free: Bits, units: Bits, bound: Vec<u32>, overload: Overload) -> Self {
        let marked = overload == Overload::Allowed;
        Self {
            marks: marked.then(|| Box::new(Marks::of(&bound))),
            free,
            units,
            bound,
            refilled: false,
            shared: false,
            targets: Cursors::default(),
            firsts: Cursors::default(),
            refills: 0,
            least: Vec::new(),
        }
    }

    /// The first target of a mapped object that a search must check.
    pub(super) fn target(&self, at: usize) -> u32 {
        self.targets.get(at, self.refills)
    }
    /// Records that no target before this one will be found until cpus are free again.
    pub(super) fn set_target(&mut self, at: usize, target: u32) {
        self.targets.set(at, self.refills, target);
    }
    /// The first cpu of a mapped object that a search must check.
    pub(super) fn first(&self, at: usize) -> u32 {
        self.firsts.get(at, self.refills)
    }
    /// Records that no cpu before this one is free until cpus are free again.
    pub(super) fn set_first(&mut self, at: usize, cpu: u32) {
        self.firsts.set(at, self.refills, cpu);
    }

    /// Records that cpus are free again: every search starts over.
    pub(super) fn refill(&mut self) {
        self.refills += 1;
        self.refilled = true;
        self.shared = true;
    }

    /// Whether anything needs moments.
    pub(super) const fn is_marked(&self) -> bool {
        self.marks.is_some()
    }
    /// Records that a PU is free again.
    pub(super) fn mark_freed(&mut self, pu: u32) {
        if let Some(marks) = &mut self.marks {
            marks.free = marks.free.wrapping_add(weight(pu));
        }
    }
    /// Records that a PU is no longer free.
    pub(super) fn mark_taken(&mut self, pu: u32) {
        if let Some(marks) = &mut self.marks {
            marks.free = marks.free.wrapping_sub(weight(pu));
        }
    }

    /// Counts one more process on a target.
    pub(super) fn count(&mut self, target: u32) {
        let Some(count) = self.bound.get_mut(target as usize) else {
            return;
        };
        let before = *count;
        *count += 1;
        let Some(marks) = &mut self.marks else {
            return;
        };
        marks.bound = marks.bound.wrapping_add(weight(target));
        if before == marks.least.0 {
            marks.least.1 -= 1;
            if marks.least.1 == 0 {
                marks.least = fewest(&self.bound);
            }
        }
    }

    /// What identifies this moment: the free cpus, and the processes of targets. Once all targets have `limit`, only differences count.
    pub(super) fn moment(&self, limit: u32) -> (u128, u128) {
        let Some(marks) = &self.marks else {
            return (0, 0);
        };
        let above = marks.least.0.saturating_sub(limit);
        let less = marks.round.wrapping_mul(u128::from(above));
        (marks.free, marks.bound.wrapping_sub(less))
    }

    /// The target of a mapped object with the fewest processes, the first among equals. `targets`: all targets of the object.
    pub(super) fn least_used<I: Iterator<Item = u32>>(
        &mut self,
        at: usize,
        targets: impl FnOnce() -> I,
    ) -> Option<u32> {
        if self.least.len() <= at {
            self.least.resize(at + 1, None);
        }
        let bound = &self.bound;
        let heap = self.least[at].get_or_insert_with(|| {
            let rows = targets().map(|target| Reverse((bound[target as usize], target)));
            rows.collect()
        });
        loop {
            let mut top = heap.peek_mut()?;
            let Reverse((count, target)) = *top;
            let now = bound[target as usize];
            if now == count {
                return Some(target);
            }
            // Dropping the guard moves the target down to its new place.
            *top = Reverse((now, target));
            drop(top);
        }
    }
}
