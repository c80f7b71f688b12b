//! The default session through time: which of its former states jobs still use, and which nodes each of them had.
//!
//! A job that names no hosts uses all of the default session as it was at its spawn. To keep that set for each job, or
//! for each state in between, would cost a bitmap over all nodes per carving (measured: at 100,000 nodes half of the time
//! of an event, and 200 MB). So time is counted in changes of that session, a job knows when it was spawned, and a node
//! knows when it was there: since when, and in which spans before that some job still remembers.

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
    /// The last span that is over.
    past: Option<SpanId>,
    /// Time of the last coming + 1, low half first; 0 when it is not there now. Two halves, so that a node's row has 40
    /// bytes and not 48.
    since: [u32; 2],
}

impl Seen {
    /// It is there since then.
    pub(crate) fn set_since(&mut self, time: u64) {
        let key = time + 1;
        let half = |wide: u64| u32::try_from(wide & 0xffff_ffff).expect("32 bits");
        self.since = [half(key), half(key >> 32)];
    }
    /// Since when it is there, if it is there.
    #[inline]
    pub(crate) fn since(self) -> Option<u64> {
        (u64::from(self.since[1]) << 32 | u64::from(self.since[0])).checked_sub(1)
    }
}

#[derive(Clone, Copy)]
struct Span {
    from: u64,
    /// The first time at which it was no longer there.
    to: u64,
    before: Option<SpanId>,
}

/// The clock of the default session: it counts changes that some job would notice.
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
    /// Jobs use the session as it is now.
    pub(crate) fn remember(&mut self, run: RunId) {
        self.present = Some(run);
        self.runs.insert(self.now, run);
    }
    /// Jobs use the session as it was then: for tables read back.
    pub(crate) fn restore(&mut self, time: u64, run: RunId) {
        self.runs.insert(time, run);
        if time == self.now {
            self.present = Some(run);
        }
    }
    /// No job uses it any more as it was then.
    pub(crate) fn forget(&mut self, time: u64) {
        self.runs.remove(&time);
        if time == self.now {
            self.present = None;
        }
    }
    /// The session is about to change.
    pub(crate) fn pass(&mut self) {
        if self.present.take().is_some() {
            self.now += 1;
        }
    }
    /// The present time gets a new number, whoever uses it: for tables read back.
    pub(crate) fn begin_at(&mut self, now: u64) {
        self.present = None;
        self.now = now;
    }
    /// A node comes into the session. Call [`Times::pass`] before.
    pub(crate) fn come(&self, seen: &mut Seen) {
        seen.set_since(self.now);
    }
    /// The last time that jobs use.
    pub(crate) fn newest(&self) -> Option<u64> {
        self.runs.last_key_value().map(|row| *row.0)
    }
    /// A node leaves the session. Call [`Times::pass`] before; `newest` is of after that.
    ///
    /// Cost: one step, and one for each span forgotten.
    pub(crate) fn go(&mut self, seen: &mut Seen, newest: Option<u64>) {
        let Some(from) = seen.since() else {
            return;
        };
        seen.since = [0; 2];
        // All runs are of times before now.
        if newest.is_some_and(|newest| newest >= from) {
            self.prune(seen);
            self.add_span(seen, from, self.now);
        }
    }
    /// Takes away the last spans of a node that nobody remembers any more.
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
    /// Adds a span behind all others of a node.
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
    /// Whether jobs that use this time have a node of these spans.
    pub(crate) fn was_there(&self, seen: Seen, time: u64) -> bool {
        self.spans(seen).any(|(from, to)| from <= time && time < to)
    }
    /// The runs of jobs that use a time from `from` to before `to`.
    pub(crate) fn runs(&self, from: u64, to: u64) -> impl Iterator<Item = RunId> + '_ {
        self.runs.range(from..to).map(|row| *row.1)
    }
    /// All times that jobs use, ascending, with those jobs.
    pub(crate) fn used(&self) -> impl ExactSizeIterator<Item = (u64, RunId)> + '_ {
        self.runs.iter().map(|(&time, &run)| (time, run))
    }
}
