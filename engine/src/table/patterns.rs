//! Patterns: which object and which cpus each process of an app gets on a node.
//!
//! One pattern serves every number of processes k: they get its first k places. A pattern is a list of *segments*; a segment is
//! a list of *runs* of processes that get the same place. A segment may repeat: then its runs from `cycle` on repeat for ever.
//! So two thousand million unbound processes on one node are one run, and processes that share cpus by turns are one round of
//! runs.

use super::cpusets::CpusetId;
use super::interner::{Distinct, START, mix, mix_pair};
use crate::define_id;
use crate::id::Id as _;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

define_id! {
    /// A row of [`Patterns`].
    PatternId
}

/// What one process gets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// Logical index of the object it was mapped to, of the app's kind; `None`: mapped to no object.
    pub object: Option<u32>,
    /// The cpus it is bound to; `None`: unbound.
    pub cpus: Option<CpusetId>,
}

/// Neighbouring processes that get the same place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct PlaceRun {
    /// How many, at least 1.
    pub count: u32,
    /// The place of each.
    pub place: Place,
}

/// A stretch of a pattern.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Segment {
    /// Processes in it; [`u32::MAX`] for the last segment if it repeats for ever.
    pub procs: u32,
    /// Its runs.
    pub runs: Vec<PlaceRun>,
    /// The run at which the repeated part begins; `None`: the segment does not repeat.
    pub cycle: Option<u32>,
    /// Threads and GPUs of the processes, if the map says them (mpibind); else empty. A saved plan has them beside the runs.
    #[serde(skip)]
    pub shares: Vec<ShareRun>,
}

/// Neighbouring processes that shall run the same number of threads and were given the same GPUs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ShareRun {
    /// How many, at least 1.
    pub count: u32,
    /// Threads of each.
    pub threads: u32,
    /// Logical numbers of the GPUs of each, ascending.
    pub gpus: Vec<u32>,
}

/// A pattern before it is interned.
pub type PatternDraft = SmallVec<[Segment; 1]>;

/// Interned patterns.
pub type Patterns = Distinct<PatternId, Pattern>;

/// A pattern, with data that makes questions fast.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    segments: PatternDraft,
    /// First process of each segment. Shape `[segments]`.
    starts: SmallVec<[u32; 1]>,
    /// Processes before the end of each run, within its segment. Shape `[segments][runs]`; empty for a `single` pattern.
    ends: Vec<Vec<u64>>,
    /// Where each run of shares ends, its segment, and its row in the segment. Shape `[shares]`.
    share_ends: Vec<(u64, u32, u32)>,
    /// Whether it is one segment with runs of one process each: then a place is found by index.
    single: bool,
    /// Whether its objects never descend and no segment repeats.
    ascends: bool,
}

impl Pattern {
    fn new(segments: PatternDraft) -> Self {
        let runs = || segments.iter().flat_map(|segment| &segment.runs);
        let rounds = segments.iter().any(|segment| segment.cycle.is_some());
        let single = segments.len() == 1 && runs().all(|run| run.count == 1);
        let starts = segments.iter().scan(0_u32, |next, segment| {
            let start = *next;
            *next = start.saturating_add(segment.procs);
            Some(start)
        });
        let ends = |segment: &Segment| {
            let ends = segment.runs.iter().scan(0, |end, run| {
                *end += u64::from(run.count);
                Some(*end)
            });
            ends.collect()
        };
        let ends = match single {
            true => Vec::new(),
            false => segments.iter().map(ends).collect(),
        };
        let mut share_ends: Vec<(u64, u32, u32)> = Vec::new();
        for (segment, of) in (0..).zip(&segments) {
            for (at, run) in (0..).zip(&of.shares) {
                let end = share_ends.last().map_or(0, |last| last.0);
                share_ends.push((end + u64::from(run.count), segment, at));
            }
        }
        Self {
            starts: starts.collect(),
            ends,
            share_ends,
            single,
            ascends: !rounds && runs().is_sorted_by_key(|run| run.place.object),
            segments,
        }
    }

    /// Threads and GPUs of process `at`, if the map says them. Cost: a search.
    #[must_use]
    pub fn share(&self, at: u32) -> Option<&ShareRun> {
        self.share_from(at).map(|(share, _)| share)
    }

    /// The same, and how many processes from `at` on have this share.
    pub(crate) fn share_from(&self, at: u32) -> Option<(&ShareRun, u32)> {
        let ends = &self.share_ends;
        let found = ends.partition_point(|&(end, ..)| end <= u64::from(at));
        let &(end, segment, row) = ends.get(found)?;
        let share = &self.segments[segment as usize].shares[row as usize];
        let left = u32::try_from(end - u64::from(at)).unwrap_or(u32::MAX);
        Some((share, left))
    }

    /// Whether its processes are in the order of their objects, however many there are.
    #[must_use]
    pub const fn ascends(&self) -> bool {
        self.ascends
    }

    /// Its segments.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }
    /// First process of a segment.
    #[must_use]
    pub fn start(&self, segment: usize) -> u32 {
        self.starts[segment]
    }

    /// What process `at` (from 0, in placement order) gets. Cost: two searches, or an index.
    ///
    /// # Panics
    /// When the pattern has fewer processes: a plan never asks beyond a node's count.
    #[must_use]
    pub fn place(&self, at: u32) -> Place {
        if self.single
            && let Some(run) = self.segments[0].runs.get(at as usize)
        {
            return run.place;
        }
        let segment = self.starts.partition_point(|&start| start <= at);
        let segment = segment.saturating_sub(1);
        let (run, _) = self.run(segment, at - self.start(segment));
        self.segments[segment].runs[run].place
    }

    /// Processes before the end of a run, within its segment.
    fn end(&self, segment: usize, run: usize) -> u64 {
        if self.single {
            run as u64 + 1
        } else {
            self.ends[segment][run]
        }
    }

    /// The run of process `at` of a segment, and how many processes of the segment come before the beginning of that run in
    /// this round.
    #[must_use]
    pub fn run(&self, segment: usize, at: u32) -> (usize, u64) {
        let runs = self.segments[segment].runs.len();
        let all = runs
            .checked_sub(1)
            .map_or(0, |last| self.end(segment, last));
        let mut at = u64::from(at);
        let mut skipped = 0;
        if let (true, Some(cycle)) = (at >= all, self.segments[segment].cycle) {
            let lead = if cycle == 0 {
                0
            } else {
                self.end(segment, cycle as usize - 1)
            };
            let turn = (at - lead) / (all - lead);
            skipped = turn * (all - lead);
            at -= skipped;
        }
        let run = if self.single {
            usize::try_from(at).map_or(runs, |at| at.min(runs))
        } else {
            self.ends[segment].partition_point(|&end| end <= at)
        };
        let before = run.checked_sub(1).map_or(0, |last| self.end(segment, last));
        (run, before + skipped)
    }

    /// How many of the first `procs` processes are bound. Cost: the runs.
    pub(crate) fn bound(&self, procs: u32) -> u64 {
        let mut left = procs;
        let each = self.segments.iter().map(|segment| {
            let take = left.min(segment.procs);
            left -= take;
            segment_bound(segment, take)
        });
        each.sum()
    }

    /// The first `procs` places as runs, in placement order. Cost: the runs, with rounds written out.
    pub fn runs(&self, procs: u32) -> impl Iterator<Item = PlaceRun> + '_ {
        let mut left = procs;
        self.segments.iter().flat_map(move |segment| {
            let take = left.min(segment.procs);
            left -= take;
            segment_runs(segment, take)
        })
    }
}

/// How many of the first `procs` processes of a segment are bound: whole rounds are counted once.
fn segment_bound(segment: &Segment, procs: u32) -> u64 {
    let cycle = segment.cycle.map_or(segment.runs.len(), |at| at as usize);
    let (lead, round) = segment.runs.split_at(cycle);
    let procs_of = |runs: &[PlaceRun]| {
        let counts = runs.iter().map(|run| run.count);
        counts.fold(0, u32::saturating_add)
    };
    let each = procs_of(round);
    let rounds = procs.saturating_sub(procs_of(lead)).checked_div(each);
    let rounds = rounds.unwrap_or(0);
    let bound = |run: PlaceRun| match run.place.cpus {
        Some(_) => u64::from(run.count),
        None => 0,
    };
    let in_round: u64 = round.iter().copied().map(bound).sum();
    let in_rest: u64 = segment_runs(segment, procs - rounds * each)
        .map(bound)
        .sum();
    u64::from(rounds) * in_round + in_rest
}

/// The first `procs` places of a segment, with rounds written out.
fn segment_runs(segment: &Segment, procs: u32) -> impl Iterator<Item = PlaceRun> + '_ {
    let cycle = segment.cycle.map_or(segment.runs.len(), |at| at as usize);
    // If a round is one run, all rounds together are one run.
    let most = match segment.runs.len() - cycle {
        1 => u32::MAX,
        _ => 0,
    };
    let rounds = segment.runs[cycle..].iter().cycle();
    let mut left = procs;
    segment.runs[..cycle]
        .iter()
        .map(|run| (run, run.count))
        .chain(rounds.map(move |run| (run, run.count.max(most))))
        .map_while(move |(run, count)| {
            let count = left.min(count);
            left -= count;
            (count > 0).then_some(PlaceRun {
                count,
                place: run.place,
            })
        })
}

/// A number that equal drafts share. The pattern of every node is digested once, so this takes only two multiplications per
/// run.
fn digest(segments: &[Segment]) -> u64 {
    let plus_one = |value: Option<u32>| value.map_or(0, |value| value.wrapping_add(1));
    let mut digest = START;
    for segment in segments {
        digest = mix_pair(digest, segment.procs, plus_one(segment.cycle));
        for run in &segment.runs {
            let cpus = run.place.cpus.map(|id| id.row() as u64 + 1);
            digest = mix_pair(digest, run.count, plus_one(run.place.object));
            digest = mix(digest, cpus.unwrap_or(0));
        }
    }
    digest
}

impl Patterns {
    /// The id of this pattern, new or known.
    ///
    /// Cost: one pass over the runs; one more if a pattern with this digest is known.
    pub fn intern(&mut self, segments: impl Into<PatternDraft>) -> PatternId {
        let segments = segments.into();
        let digest = digest(&segments);
        self.find_by(digest, |known| known.segments == segments)
            .unwrap_or_else(|| self.add(digest, Pattern::new(segments)))
    }
}
