//! The default session through time: which of its former states jobs still use, and which nodes each state had.
//!
//! A job that names no hosts uses the whole default session as it was when the job was spawned. To keep that set for each
//! job, or for each state in between, would cost a bitmap over all nodes per carving (measured: at 100,000 nodes half of
//! the time of an event, and 200 MB). Instead, time is counted in changes of the session. A job knows the time of its
//! spawn. A node knows when it was in the session: since when, and in which earlier spans that some job still uses.

use super::ids::RunId;
use std::collections::BTreeMap;
use stowplan_engine::define_id;
use stowplan_engine::id::Column;

define_id! {
    /// A span of time in which a node was in the default session.
    SpanId
}

/// When a node was in the default session and up.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    /// The last span that has ended.
    past: Option<SpanId>,
    /// The time when the node last entered the session + 1, low half first; 0 if it is not in the session now. Two halves,
    /// so that a node's row has 40 bytes and not 48.
    since: [u32; 2],
}

impl Seen {
    /// Sets the time since which the node is in the session.
    pub(crate) fn set_since(&mut self, time: u64) {
        let key = time + 1;
        let half = |wide: u64| u32::try_from(wide & 0xffff_ffff).expect("32 bits");
        self.since = [half(key), half(key >> 32)];
    }
    /// The time since which the node is in the session, if it is.
    #[inline]
    pub(crate) fn since(self) -> Option<u64> {
        (u64::from(self.since[1]) << 32 | u64::from(self.since[0])).checked_sub(1)
    }
}

#[derive(Clone, Copy)]
struct Span {
    from: u64,
    /// The first time at which the node was no longer in the session.
    to: u64,
    before: Option<SpanId>,
}

/// The clock of the default session: it counts the changes that some job would notice.
#[derive(Clone, Default)]
pub(crate) struct Times {
    now: u64,
    /// The jobs that use the session as it is now.
    present: Option<RunId>,
    /// Jobs by the time whose nodes they use.
    runs: BTreeMap<u64, RunId>,
    spans: Column<SpanId, Span>,
    free: Vec<SpanId>,
}

impl Times {
    /// The present time.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }
    /// The jobs that use the session as it is now.
    pub(crate) fn present(&self) -> Option<RunId> {
        self.present
    }
    /// Notes that jobs use the session as it is or was at a time.
    pub(crate) fn remember(&mut self, time: u64, run: RunId) {
        self.runs.insert(time, run);
        if time == self.now {
            self.present = Some(run);
        }
    }
    /// Notes that no job uses the session as it was at a time any more.
    pub(crate) fn forget(&mut self, time: u64) {
        self.runs.remove(&time);
        if time == self.now {
            self.present = None;
        }
    }
    /// The session is about to change: if jobs use it as it is now, a new time begins.
    pub(crate) fn pass(&mut self) {
        if self.present.take().is_some() {
            self.now += 1;
        }
    }
    /// Sets the present time, without jobs that use it: for tables that are read back.
    pub(crate) fn begin_at(&mut self, now: u64) {
        self.present = None;
        self.now = now;
    }
    /// A node enters the session. Call [`Times::pass`] first.
    pub(crate) fn come(&self, seen: &mut Seen) {
        seen.set_since(self.now);
    }
    /// The last time that jobs use.
    pub(crate) fn newest(&self) -> Option<u64> {
        self.runs.last_key_value().map(|row| *row.0)
    }
    /// A node leaves the session. Call [`Times::pass`] first; `newest`: the result of [`Times::newest`] after that.
    ///
    /// Cost: one step, and one for each span forgotten.
    pub(crate) fn go(&mut self, seen: &mut Seen, newest: Option<u64>) {
        let Some(from) = seen.since() else {
            return;
        };
        seen.since = [0; 2];
        // The times of all runs are before now.
        if newest.is_some_and(|newest| newest >= from) {
            self.prune(seen);
            self.add_span(seen, from, self.now);
        }
    }
    /// Removes the last spans of a node, up to one with a time that jobs still use.
    fn prune(&mut self, seen: &mut Seen) {
        while let Some(id) = seen.past {
            let last = self.spans[id];
            if self.runs.range(last.from..last.to).next().is_some() {
                return;
            }
            seen.past = last.before;
            self.free.push(id);
        }
    }
    /// Adds a span after all others of a node.
    pub(crate) fn add_span(&mut self, seen: &mut Seen, from: u64, to: u64) {
        let span = Span {
            from,
            to,
            before: seen.past,
        };
        seen.past = Some(if let Some(id) = self.free.pop() {
            self.spans[id] = span;
            id
        } else {
            self.spans.push_tight(span)
        });
    }
    /// A node is gone for good.
    pub(crate) fn bury(&mut self, seen: Seen) {
        let mut next = seen.past;
        while let Some(id) = next {
            next = self.spans[id].before;
            self.free.push(id);
        }
    }
    /// The spans of a node, the last one first: from, and the first time at which it was not there.
    pub(crate) fn spans(&self, seen: Seen) -> impl Iterator<Item = (u64, u64)> + '_ {
        let now = seen.since().map(|from| (from, u64::MAX));
        let mut next = seen.past;
        let past = std::iter::from_fn(move || {
            let span = self.spans[next?];
            next = span.before;
            Some((span.from, span.to))
        });
        now.into_iter().chain(past)
    }
    /// Whether a node with these spans was in the session at this time.
    pub(crate) fn was_there(&self, seen: Seen, time: u64) -> bool {
        self.spans(seen).any(|(from, to)| from <= time && time < to)
    }
    /// The runs of jobs that use a time from `from` to before `to`.
    pub(crate) fn runs(&self, from: u64, to: u64) -> impl Iterator<Item = RunId> + '_ {
        self.runs.range(from..to).map(|row| *row.1)
    }
    /// All times that jobs use, ascending, each with the run of these jobs.
    pub(crate) fn used(&self) -> impl ExactSizeIterator<Item = (u64, RunId)> + '_ {
        self.runs.iter().map(|(&time, &run)| (time, run))
    }
}
