//! A pattern by object: how many of its first processes are on an object, and which process is the r-th there. Used if a
//! pattern is too long to be written out.

use crate::plan::placed::row;
use crate::plan::places::Packed;
use crate::table::patterns::Pattern;
use std::collections::HashMap;
use std::ops::Range;

/// The turns of one object in one segment of a pattern.
#[derive(Clone, Debug, Default)]
struct Turns {
    /// (first process of the run in its segment, processes of the object before it), ascending.
    runs: Vec<(u64, u64)>,
    /// Processes of the object in the runs before the cycle, and in one round of it.
    lead: u64,
    round: u64,
}

/// One segment, by object.
#[derive(Clone, Debug, Default)]
struct SegmentTurns {
    start: u32,
    procs: u32,
    /// Processes of the segment before the cycle, and in one round of it; `round` 0: the segment does not repeat.
    lead: u64,
    round: u64,
    /// (object, its turns) for the objects that the segment uses, by ascending object.
    turns: Vec<(u32, Turns)>,
}

/// A pattern by object.
#[derive(Clone, Debug, Default)]
pub struct ObjectIndex {
    segments: Vec<SegmentTurns>,
    objects: u32,
    /// (logical index, position in the order in which the pattern comes to objects), by logical index.
    turn_of: Vec<(u32, u32)>,
}

impl ObjectIndex {
    /// Cost: a sort of the runs of each segment.
    pub fn new(pattern: &Pattern) -> Self {
        // Objects are ordered as the pattern comes to them: in logical order, but for `dist` the nearest first.
        let mut seen: HashMap<u32, u32> = HashMap::new();
        for object in pattern
            .segments()
            .iter()
            .flat_map(|segment| &segment.runs)
            .filter_map(|run| run.place.object)
        {
            let next = row(seen.len());
            seen.entry(object).or_insert(next);
        }
        let objects = row(seen.len());
        let turn = |object: u32| seen[&object];
        let segments = pattern.segments().iter().enumerate().map(|(at, segment)| {
            let mut rows: HashMap<u32, usize> = HashMap::new();
            let mut turns: Vec<(u32, Turns)> = Vec::new();
            let cycle = segment
                .cycle
                .map_or(segment.runs.len(), |cycle| cycle as usize);
            let mut place = 0_u64;
            let mut lead = 0;
            for (row, run) in segment.runs.iter().enumerate() {
                if row == cycle {
                    lead = place;
                }
                if let Some(object) = run.place.object.map(turn) {
                    let own = *rows.entry(object).or_insert_with(|| {
                        turns.push((object, Turns::default()));
                        turns.len() - 1
                    });
                    let own = &mut turns[own].1;
                    own.runs.push((place, own.lead + own.round));
                    *(if row < cycle {
                        &mut own.lead
                    } else {
                        &mut own.round
                    }) += u64::from(run.count);
                }
                place += u64::from(run.count);
            }
            turns.sort_unstable_by_key(|&(object, _)| object);
            let (lead, round) = if segment.cycle.is_some() {
                (lead, place - lead)
            } else {
                (place, 0)
            };
            SegmentTurns {
                start: pattern.start(at),
                procs: segment.procs,
                lead,
                round,
                turns,
            }
        });
        let segments = segments.collect();
        let mut turn_of: Vec<(u32, u32)> = seen.into_iter().collect();
        turn_of.sort_unstable();
        Self {
            segments,
            objects,
            turn_of,
        }
    }

    /// The position of an object in the pattern's order. [`Self::count`] and [`Self::nth`] take this position.
    fn turn(&self, logical: u32) -> u32 {
        // Objects are nearly always 0, 1, 2, …: then the logical index is the row.
        if let Some(&(found, turn)) = self.turn_of.get(logical as usize)
            && found == logical
        {
            return turn;
        }
        let at = self.turn_of.partition_point(|&(other, _)| other < logical);
        self.turn_of[at].1
    }

    /// How many of the first `procs` processes are on `object`.
    fn count(&self, object: u32, procs: u32) -> u32 {
        let mut count = 0;
        for segment in &self.segments {
            let inside = procs.saturating_sub(segment.start).min(segment.procs);
            count += segment.count(object, u64::from(inside));
        }
        u32::try_from(count).expect("an object holds at most the processes of its node")
    }

    /// The `r`-th process (from 0) on `object`.
    fn nth(&self, object: u32, r: u32) -> u32 {
        let mut r = u64::from(r);
        for segment in &self.segments {
            let inside = segment.count(object, u64::from(segment.procs));
            if r < inside {
                let at = segment.nth(object, r);
                return segment.start
                    + u32::try_from(at).expect("a process stands inside its segment");
            }
            r -= inside;
        }
        unreachable!("an object's processes are counted from the same runs")
    }

    /// How many of the first `procs` processes are on each object, in the order of the objects. Cost: the runs.
    pub fn counts(&self, procs: u32) -> Vec<u32> {
        let mut counts = vec![0; self.objects as usize];
        for segment in &self.segments {
            let inside = procs.saturating_sub(segment.start).min(segment.procs);
            for (object, turns) in &segment.turns {
                let count = segment.count_of(turns, u64::from(inside));
                counts[*object as usize] += u32::try_from(count)
                    .expect("an object holds at most the processes of its node");
            }
        }
        counts
    }

    /// The turn of a process if turns go object by object. `logical`: the logical index of its object.
    pub fn turn_by_object(&self, procs: u32, local: u32, logical: u32) -> u32 {
        let object = self.turn(logical);
        let before: u32 = self.counts(procs)[..object as usize].iter().sum();
        before + self.count(object, local)
    }

    /// The round of a process, and its turn in that round, if turns go round by round.
    pub fn turn_by_round(&self, procs: u32, local: u32, logical: u32) -> (u32, u32) {
        let object = self.turn(logical);
        let round = self.count(object, local);
        let counts = self.counts(procs);
        let before = counts[..object as usize]
            .iter()
            .filter(|&&count| count > round);
        (round, row(before.count()))
    }

    /// Appends the processes that have some turns of a round; without a round, some of all turns object by object.
    pub fn turns(&self, procs: u32, round: Option<u32>, turns: Range<u32>, out: &mut Vec<u32>) {
        let mut before = 0;
        for (object, count) in (0..).zip(self.counts(procs)) {
            let own = round.map_or(0..count, |round| round..count.min(round.saturating_add(1)));
            if own.is_empty() {
                continue;
            }
            let end = before + (own.end - own.start);
            let from = turns.start.clamp(before, end) - before;
            let upto = turns.end.clamp(before, end) - before;
            out.extend((own.start + from..own.start + upto).map(|turn| self.nth(object, turn)));
            before = end;
            if before >= turns.end {
                break;
            }
        }
    }

    /// The position of a place's object in the pattern's order; `None`: the place has no object.
    pub(crate) fn object(&self, packed: Packed) -> Option<u32> {
        packed.object().map(|logical| self.turn(logical))
    }
}

impl SegmentTurns {
    fn turns(&self, object: u32) -> Option<&Turns> {
        // A segment nearly always uses all objects: then the object's position is the row.
        if let Some((found, turns)) = self.turns.get(object as usize)
            && *found == object
        {
            return Some(turns);
        }
        let at = self
            .turns
            .binary_search_by_key(&object, |&(other, _)| other);
        at.ok().map(|at| &self.turns[at].1)
    }

    fn count(&self, object: u32, procs: u64) -> u64 {
        self.turns(object)
            .map_or(0, |turns| self.count_of(turns, procs))
    }

    fn count_of(&self, turns: &Turns, procs: u64) -> u64 {
        let (rounds, rest) = match procs.checked_sub(self.lead) {
            Some(behind) if self.round > 0 => {
                (behind / self.round, self.lead + behind % self.round)
            }
            _ => (0, procs),
        };
        let at = turns.runs.partition_point(|&(start, _)| start < rest);
        let Some(&(start, before)) = at.checked_sub(1).and_then(|at| turns.runs.get(at)) else {
            return rounds * turns.round;
        };
        let next = turns
            .runs
            .get(at)
            .map_or(turns.lead + turns.round, |&(_, before)| before);
        rounds * turns.round + before + (rest - start).min(next - before)
    }

    fn nth(&self, object: u32, r: u64) -> u64 {
        let turns = self
            .turns(object)
            .expect("an object with processes here has its turns");
        let (rounds, r) = match r.checked_sub(turns.lead) {
            Some(behind) if turns.round > 0 => {
                (behind / turns.round, turns.lead + behind % turns.round)
            }
            _ => (0, r),
        };
        let at = turns.runs.partition_point(|&(_, before)| before <= r) - 1;
        let (start, before) = turns.runs[at];
        rounds * self.round + start + (r - before)
    }
}
