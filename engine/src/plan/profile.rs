//! Patterns seen from their objects: which local process is the r-th on an object. Needed for rank by fill and span.

use crate::table::patterns::{Pattern, PatternId, Patterns};
use std::collections::HashMap;

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
    /// Processes of the segment before the cycle, and in one round of it; `round` 0: it does not come round.
    lead: u64,
    round: u64,
    /// Shape `[objects]`; objects the segment does not use have no runs.
    turns: Vec<Turns>,
}

/// A pattern by object.
#[derive(Clone, Debug, Default)]
pub(super) struct ObjectIndex {
    segments: Vec<SegmentTurns>,
    objects: u32,
    /// (logical index, which object in turn it is), by logical index.
    turn_of: Vec<(u32, u32)>,
}

impl ObjectIndex {
    fn new(pattern: &Pattern) -> Self {
        // Objects rank in the order in which a pattern comes to them: logical order, but for `dist` the nearest first.
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
            let mut turns = vec![Turns::default(); objects as usize];
            let cycle = segment
                .cycle
                .map_or(segment.runs.len(), |cycle| cycle as usize);
            let mut place = 0_u64;
            let mut lead = 0;
            for (row, run) in segment.runs.iter().enumerate() {
                if row == cycle {
                    lead = place;
                }
                if let Some(object) = run.place.object {
                    let own = &mut turns[turn(object) as usize];
                    own.runs.push((place, own.lead + own.round));
                    *(if row < cycle {
                        &mut own.lead
                    } else {
                        &mut own.round
                    }) += u64::from(run.count);
                }
                place += u64::from(run.count);
            }
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

    /// Which object in turn a logical index is: what the questions below go by.
    pub(super) fn turn(&self, logical: u32) -> u32 {
        // Nearly always objects are 0, 1, 2, …: then a row is an index.
        if let Some(&(found, turn)) = self.turn_of.get(logical as usize)
            && found == logical
        {
            return turn;
        }
        let at = self.turn_of.partition_point(|&(other, _)| other < logical);
        self.turn_of[at].1
    }

    /// How many of the first `procs` processes are on `object`.
    pub(super) fn count(&self, object: u32, procs: u32) -> u32 {
        let mut count = 0;
        for segment in &self.segments {
            let inside = procs.saturating_sub(segment.start).min(segment.procs);
            count += segment.count(object, u64::from(inside));
        }
        u32::try_from(count).expect("an object holds at most the processes of its node")
    }

    /// The `r`-th process (from 0) on `object`.
    pub(super) fn nth(&self, object: u32, r: u32) -> u32 {
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

    /// (object, how many of the first `procs` are on it), by ascending object, those with none left out.
    fn counts(&self, procs: u32) -> Vec<(u32, u32)> {
        (0..self.objects)
            .map(|object| (object, self.count(object, procs)))
            .filter(|&(_, count)| count > 0)
            .collect()
    }
}

impl SegmentTurns {
    fn count(&self, object: u32, procs: u64) -> u64 {
        let turns = &self.turns[object as usize];
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
        let turns = &self.turns[object as usize];
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

/// What one node holds of each object: a distinct (pattern, number of processes).
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// Row in [`Profiles::indexes`].
    pub(super) index: u32,
    /// (object, processes on it), by ascending object.
    pub(super) counts: Vec<(u32, u32)>,
    /// Processes on the objects before each. Shape of `counts`.
    pub(super) before: Vec<u32>,
}

/// Distinct profiles, and the pattern indexes they share.
#[derive(Clone, Debug, Default)]
pub(super) struct Profiles {
    pub(super) rows: Vec<Profile>,
    pub(super) indexes: Vec<ObjectIndex>,
    ids: HashMap<(PatternId, u32), u32>,
    index_ids: HashMap<PatternId, u32>,
}

impl Profiles {
    /// The profile of the first `procs` processes of a pattern.
    pub(super) fn intern(&mut self, pattern: PatternId, procs: u32, patterns: &Patterns) -> u32 {
        if let Some(&id) = self.ids.get(&(pattern, procs)) {
            return id;
        }
        let index = *self.index_ids.entry(pattern).or_insert_with(|| {
            self.indexes.push(ObjectIndex::new(patterns.get(pattern)));
            row(self.indexes.len() - 1)
        });
        let counts = self.indexes[index as usize].counts(procs);
        let mut sum = 0;
        let before = counts
            .iter()
            .map(|&(_, count)| {
                let before = sum;
                sum += count;
                before
            })
            .collect();
        self.rows.push(Profile {
            index,
            counts,
            before,
        });
        let id = row(self.rows.len() - 1);
        self.ids.insert((pattern, procs), id);
        id
    }
    /// The index behind a profile.
    pub(super) fn index(&self, profile: u32) -> &ObjectIndex {
        &self.indexes[self.rows[profile as usize].index as usize]
    }
}

pub(super) fn row(at: usize) -> u32 {
    u32::try_from(at).expect("limit.rs keeps tables below 2^32 rows")
}

/// Whether the first `procs` processes of a pattern stand in the order of their objects: then fill is slot.
pub(super) fn ascends(pattern: &Pattern, procs: u32) -> bool {
    if pattern.ascends() {
        return true;
    }
    let mut last = None;
    let mut seen = 0_usize;
    for run in pattern.runs(procs) {
        if run.place.object < last {
            return false;
        }
        // A round that comes again descends, or it has one object only.
        seen += 1;
        if seen
            > pattern
                .segments()
                .iter()
                .map(|segment| segment.runs.len())
                .sum::<usize>()
        {
            return pattern
                .segments()
                .iter()
                .flat_map(|segment| &segment.runs)
                .all(|run| run.place.object == last);
        }
        last = run.place.object;
    }
    true
}
