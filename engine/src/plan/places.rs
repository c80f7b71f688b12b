//! The places of each pattern, written out side by side: one number finds the object and cpus of a process.
//!
//! A pattern is made as a list of lists. If it is short enough, its places are also written here, eight bytes each. A long
//! pattern, such as two thousand million processes on one node, is not written out; the pattern itself is asked.

use super::placed::{Placed, row};
use crate::id::Id as _;
use crate::limit::OBJECTS_MAX;
use crate::policy::ObjKind;
use crate::table::cpusets::CpusetId;
use crate::table::patterns::{Pattern, PatternId, Patterns, Place, PlaceRun};
use std::sync::Arc;

/// How many places are written out in any case, and how many more for each run of the patterns. So the places stay in
/// proportion to the patterns.
const ALWAYS: usize = 1 << 18;
const PER_RUN: usize = 8;
/// How many patterns may be missing when the places of an earlier plan are reused.
const FEW: usize = 64;
/// The places of this pattern are not written out.
const NOT_HERE: u32 = u32::MAX;

/// Bits of a packed object that hold its logical index.
pub(super) const INDEX_BITS: u32 = 28;
const _: () = assert!(
    OBJECTS_MAX < 1 << INDEX_BITS,
    "an index fits beside its kind"
);

/// An object and the row of a cpu set, each plus one; 0: none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Packed {
    object: u32,
    pub(super) cpus: u32,
}

impl Packed {
    /// The object's logical index.
    #[inline]
    pub(super) fn object(self) -> Option<u32> {
        self.object.checked_sub(1)
    }
}

impl From<Place> for Packed {
    fn from(place: Place) -> Self {
        Self {
            object: place.object.map_or(0, |object| object + 1),
            cpus: place.cpus.map_or(0, |id| row(id.row()) + 1),
        }
    }
}

impl From<Packed> for Place {
    fn from(packed: Packed) -> Self {
        let cpus = packed.cpus.checked_sub(1);
        Self {
            object: packed.object.checked_sub(1),
            cpus: cpus.map(|row| CpusetId::from_row(row as usize)),
        }
    }
}

/// The bits that a kind adds to an object's number in the explicit table. Without a kind the table holds no object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct KindBits {
    bits: u32,
    mask: u32,
}

impl KindBits {
    pub(super) const fn new(kind: Option<ObjKind>) -> Self {
        match kind {
            Some(kind) => Self {
                bits: (kind as u32 + 1) << INDEX_BITS,
                mask: u32::MAX,
            },
            None => Self { bits: 0, mask: 0 },
        }
    }
    /// The object as the table holds it: its kind in the upper bits, its logical index plus one in the lower bits. The lower
    /// bits are 0 if there is no object.
    #[inline]
    pub(super) const fn object(self, packed: Packed) -> u32 {
        (packed.object & self.mask) | self.bits
    }
}

/// Places of patterns, written out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Where the places of each pattern start in `flat`. Shape `[patterns]`.
    starts: Vec<u32>,
    flat: Vec<Packed>,
    /// Whether all places that the runs use are here.
    whole: bool,
    /// The largest number of processes that a run has used of each pattern. Shape `[patterns]`, as of the last update.
    most: Vec<u32>,
}

impl Places {
    /// Writes out the places that the placed runs use. Keeps the places that are here if an earlier plan used as many
    /// processes of the same patterns. `patterns`: those of the earlier plan, followed by new ones.
    ///
    /// Cost: the runs; if places are missing, also the patterns and the missing places; if many are missing, eight bytes for
    /// each process of each distinct pattern.
    pub(super) fn again(this: &mut Arc<Self>, placed: &[Placed], patterns: &Patterns) {
        let runs = || placed.iter().flat_map(|placed| &placed.runs);
        let here = |pattern: PatternId| this.most.get(pattern.row()).copied().unwrap_or(0);
        if runs().all(|run| run.procs <= here(run.pattern)) {
            return;
        }
        let mut most = vec![0_u32; patterns.len()];
        for run in runs() {
            let most = &mut most[run.pattern.row()];
            *most = run.procs.max(*most);
        }
        let used: usize = most.iter().map(|&procs| procs as usize).sum();
        let lacks = |at: &usize| most[*at] > this.most.get(*at).copied().unwrap_or(0);
        let missing: Vec<usize> = (0..most.len()).filter(lacks).collect();
        if !this.whole || missing.len() > FEW || this.flat.len() > 2 * used {
            *this = Arc::new(Self::new(most, patterns));
            return;
        }
        let places = Arc::make_mut(this);
        places.starts.resize(most.len(), NOT_HERE);
        places.most.resize(most.len(), 0);
        for at in missing {
            places.add(at, most[at], patterns);
        }
    }

    fn new(most: Vec<u32>, patterns: &Patterns) -> Self {
        let mut places = Self {
            starts: vec![NOT_HERE; most.len()],
            flat: Vec::new(),
            whole: true,
            most: vec![0; most.len()],
        };
        let mut room = ALWAYS;
        for ((at, (_, pattern)), &procs) in patterns.iter().enumerate().zip(&most) {
            let runs = pattern.segments().iter().map(|segment| segment.runs.len());
            room += runs.sum::<usize>() * PER_RUN;
            match room.checked_sub(procs as usize) {
                Some(left) if procs > 0 => {
                    room = left;
                    places.add(at, procs, patterns);
                }
                Some(_) => {}
                None => places.whole = false,
            }
        }
        places.most = most;
        places
    }

    /// Writes the places of a pattern behind the others.
    fn add(&mut self, at: usize, procs: u32, patterns: &Patterns) {
        let start = self.flat.len();
        self.flat.resize(start + procs as usize, Packed::default());
        write(
            patterns.get(PatternId::from_row(at)),
            &mut self.flat[start..],
        );
        (self.starts[at], self.most[at]) = (row(start), procs);
    }

    /// Where the places of a pattern start; `None`: they are not here.
    #[inline]
    pub(super) fn start(&self, pattern: PatternId) -> Option<u32> {
        let start = self.starts.get(pattern.row()).copied();
        start.filter(|&start| start != NOT_HERE)
    }

    /// All places.
    pub(super) fn all(&self) -> &[Packed] {
        &self.flat
    }

    /// The places of a pattern from its first process on, if they are here; the places of other patterns follow.
    #[inline]
    pub(super) fn of(&self, pattern: PatternId) -> Option<&[Packed]> {
        self.start(pattern)
            .map(|start| &self.flat[start as usize..])
    }

    /// The object and cpus of a process.
    #[inline]
    pub(super) fn packed(&self, pattern: PatternId, local: u32, patterns: &Patterns) -> Packed {
        match self.of(pattern) {
            Some(places) => places[local as usize],
            None => patterns.get(pattern).place(local).into(),
        }
    }
}

/// Writes the places of the first processes of a pattern, as many as `out` holds.
pub fn write(pattern: &Pattern, out: &mut [Packed]) {
    let mut left = out;
    for segment in pattern.segments() {
        let take = left.len().min(segment.procs as usize);
        let (own, behind) = left.split_at_mut(take);
        let lead = segment
            .cycle
            .map_or(segment.runs.len(), |cycle| cycle as usize);
        let mut at = fill(&segment.runs, own, 0);
        // The first round was written above; later rounds are copies of it.
        let before: u64 = segment.runs[..lead]
            .iter()
            .map(|run| u64::from(run.count))
            .sum();
        while at < own.len() && at as u64 > before {
            let before = usize::try_from(before).expect("a round was written behind it");
            let again = (at - before).min(own.len() - at);
            own.copy_within(before..before + again, at);
            at += again;
        }
        left = behind;
    }
    debug_assert!(
        left.is_empty(),
        "a pattern serves every process of its runs"
    );
}

/// Writes each run once, from `at` on; returns where the last one ended.
fn fill(runs: &[PlaceRun], out: &mut [Packed], mut at: usize) -> usize {
    for run in runs {
        let end = out.len().min(at.saturating_add(run.count as usize));
        out[at..end].fill(run.place.into());
        at = end;
        if at == out.len() {
            break;
        }
    }
    at
}

/// Passes the places of `procs` processes of a long pattern, from process `from` on, to `show` as runs: (how many, what each
/// gets).
pub fn visit(pattern: &Pattern, from: u32, procs: u32, mut show: impl FnMut(u32, Packed)) {
    let (mut at, mut left) = (from, procs);
    for (row, segment) in pattern.segments().iter().enumerate() {
        let inside = at - pattern.start(row);
        if inside >= segment.procs {
            continue;
        }
        let mut own = left.min(segment.procs - inside);
        left -= own;
        at += own;
        let (first, before) = pattern.run(row, inside);
        let mut skip = u64::from(inside) - before;
        let again = segment
            .cycle
            .map_or(segment.runs.len(), |cycle| cycle as usize);
        for run in segment.runs[first..]
            .iter()
            .chain(segment.runs[again..].iter().cycle())
        {
            let count = u32::try_from(u64::from(run.count) - skip)
                .unwrap_or(u32::MAX)
                .min(own);
            skip = 0;
            show(count, run.place.into());
            own -= count;
            if own == 0 {
                break;
            }
        }
        if left == 0 {
            break;
        }
    }
}
