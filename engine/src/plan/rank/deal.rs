//! Deals turns to the processes of a node: object by object, or round by round over its objects.

use super::object_index::ObjectIndex;
use crate::plan::placed::row;
use crate::plan::places::{Packed, visit};
use crate::table::patterns::Pattern;
use std::collections::BTreeMap;
use std::ops::Range;

/// Successive rounds of a node, each with the same number of turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EqualRounds {
    /// The first of these rounds, and the first round behind them.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Turns in each round: the objects that have a process in it.
    pub(crate) turns: u32,
    /// Processes of the node in the rounds before these.
    pub(crate) before: u32,
}

impl EqualRounds {
    /// `procs` rounds of one turn each.
    pub(crate) const fn of_processes(procs: u32) -> Self {
        Self {
            start: 0,
            end: procs,
            turns: 1,
            before: 0,
        }
    }

    /// The first turn of the node in one of these rounds, or in the round behind them, by its number among all turns of the
    /// node.
    #[inline]
    pub(crate) const fn first_turn(&self, round: u32) -> u32 {
        self.before + (round - self.start) * self.turns
    }
}

/// Adds the rounds up to `end`, in which `turns` objects take part, to the rounds of a node, which begin in row `first`.
fn push(rounds: &mut Vec<EqualRounds>, first: usize, end: u32, turns: u32) {
    let (start, before) = rounds[first..]
        .last()
        .map_or((0, 0), |last| (last.end, last.first_turn(last.end)));
    rounds.push(EqualRounds {
        start,
        end,
        turns,
        before,
    });
}

/// Deals turns from places that are written out. Its vectors are scratch: they hold data of the last pattern.
#[derive(Default)]
pub(crate) struct Deal {
    /// (logical index, position in the order in which the pattern comes to objects), by logical index.
    turn_of: Vec<(u32, u32)>,
    /// Processes of each object; later where its next process goes.
    counts: Vec<u32>,
    /// For each object with turns left, where its remaining processes are in `by_object`.
    live: Vec<Range<u32>>,
    by_object: Vec<u32>,
    /// The process of each turn.
    pub(crate) out: Vec<u32>,
}

impl Deal {
    /// Begins with a pattern. Objects take turns in the order in which the pattern comes to them.
    pub(crate) fn enter(&mut self, pattern: &Pattern) {
        self.turn_of.clear();
        let runs = pattern.segments().iter().flat_map(|segment| &segment.runs);
        let objects = runs.filter_map(|run| run.place.object);
        self.turn_of.extend(objects.zip(0..));
        self.turn_of.sort_unstable();
        self.turn_of.dedup_by_key(|&mut (object, _)| object);
        if !self.turn_of.is_sorted_by_key(|&(_, seen)| seen) {
            self.turn_of.sort_unstable_by_key(|&(_, seen)| seen);
        }
        for (turn, row) in (0..).zip(&mut self.turn_of) {
            row.1 = turn;
        }
        self.turn_of.sort_unstable();
    }

    fn turn(&self, packed: Packed) -> u32 {
        let logical = packed
            .object()
            .expect("rank by fill and span need an object map");
        // Objects are nearly always 0, 1, 2, …: then the logical index is the row.
        match self.turn_of.get(logical as usize) {
            Some(&(found, turn)) if found == logical => turn,
            Some(_) | None => {
                let found = self
                    .turn_of
                    .binary_search_by_key(&logical, |&(object, _)| object);
                self.turn_of[found.expect("the pattern's own object")].1
            }
        }
    }

    /// Sorts processes by object into `by_object`; puts the objects that have processes into `live`.
    fn sort(&mut self, places: &[Packed]) {
        self.counts.clear();
        self.counts.resize(self.turn_of.len(), 0);
        for &packed in places {
            let turn = self.turn(packed);
            self.counts[turn as usize] += 1;
        }
        self.live.clear();
        let mut end = 0;
        for count in &mut self.counts {
            if *count > 0 {
                self.live.push(end..end + *count);
            }
            end += std::mem::replace(count, end);
        }
        self.by_object.clear();
        self.by_object.resize(places.len(), 0);
        for (local, &packed) in (0..).zip(places) {
            let turn = self.turn(packed);
            let next = &mut self.counts[turn as usize];
            self.by_object[*next as usize] = local;
            *next += 1;
        }
    }

    /// Writes all processes to `out`, object by object. Cost: the processes, and the objects of the pattern.
    pub(crate) fn by_object(&mut self, places: &[Packed]) {
        self.sort(places);
        std::mem::swap(&mut self.out, &mut self.by_object);
    }

    /// Writes all processes to `out`, round by round, and adds the rounds to `rounds`. Cost: as above.
    pub(crate) fn by_round(&mut self, places: &[Packed], rounds: &mut Vec<EqualRounds>) {
        self.sort(places);
        self.out.clear();
        let first = rounds.len();
        let mut round = 0;
        while !self.live.is_empty() {
            let turns = self.live.len();
            let start = self.out.len();
            self.live.retain_mut(|left| {
                let next = left.next().expect("those with none left were dropped");
                self.out.push(self.by_object[next as usize]);
                left.start < left.end
            });
            round += 1;
            if self.live.len() < turns {
                let turns = row(self.out.len() - start);
                push(rounds, first, round, turns);
            }
        }
    }

    /// How many objects the pattern has.
    pub(crate) fn objects(&self) -> usize {
        self.turn_of.len()
    }
}

/// Counts how many objects have how many of the first processes of a pattern, if these are too many to be written out.
pub(crate) struct Tally<'p> {
    pattern: &'p Pattern,
    procs: u32,
    /// Processes of each object.
    counts: Vec<u32>,
    /// For each number of processes, how many objects have it.
    objects: BTreeMap<u32, u32>,
}

impl<'p> Tally<'p> {
    pub(crate) fn new(pattern: &'p Pattern, index: &ObjectIndex) -> Self {
        Self {
            pattern,
            procs: 0,
            counts: index.counts(0),
            objects: BTreeMap::new(),
        }
    }

    /// Adds the rounds of the first `procs` processes, which are at least as many as in the last call. Cost: the objects or, if
    /// fewer, the processes since that call; and the rounds.
    pub(crate) fn rounds(
        &mut self,
        index: &ObjectIndex,
        procs: u32,
        rounds: &mut Vec<EqualRounds>,
    ) {
        let more = procs - self.procs;
        if more as usize > self.counts.len() {
            self.counts = index.counts(procs);
            self.objects.clear();
            for &count in self.counts.iter().filter(|&&count| count > 0) {
                *self.objects.entry(count).or_default() += 1;
            }
        } else {
            visit(self.pattern, self.procs, more, |count, packed| {
                let Some(object) = index.object(packed) else {
                    return;
                };
                let own = &mut self.counts[object as usize];
                if let Some(alike) = self.objects.get_mut(own) {
                    *alike -= 1;
                    if *alike == 0 {
                        self.objects.remove(own);
                    }
                }
                *own += count;
                *self.objects.entry(*own).or_default() += 1;
            });
        }
        self.procs = procs;
        let first = rounds.len();
        let mut turns: u32 = self.objects.values().sum();
        for (&count, &objects) in &self.objects {
            push(rounds, first, count, turns);
            turns -= objects;
        }
    }
}
