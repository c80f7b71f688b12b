//! How far nodes of one state have come while an app is placed.

use super::bind::Cpus;
use super::pattern::Layout;
use crate::define_id;
use crate::table::patterns::{PatternId, Segment};
use crate::table::states::StateId;

define_id! {
    /// How far nodes of one state have come.
    #[expect(unreachable_pub, reason = "the macro makes table ids, which are public")]
    ProgressId
}

/// How far the nodes of one state have come with this app.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    pub(crate) state: StateId,
    /// Processes of the app on the node.
    pub(crate) placed: u32,
    /// The cpus now; `None`: as the app found them.
    pub(super) cpus: Option<Cpus>,
    /// The passes before the last, each cut to its processes.
    pub(super) closed: Vec<Segment>,
    /// The last pass: which result, and how many of its processes.
    pub(super) open: Option<(usize, u32)>,
    /// The layout of the only pass so far.
    pub(crate) only: Option<Layout>,
    /// What an earlier app with the same policy found here.
    pub(crate) known: Option<(PatternId, StateId)>,
}

impl Progress {
    /// Nothing of the app is here yet.
    pub(super) const fn is_root(&self) -> bool {
        self.placed == 0
    }

    pub(super) const fn at(state: StateId) -> Self {
        Self {
            state,
            placed: 0,
            cpus: None,
            closed: Vec::new(),
            open: None,
            only: None,
            known: None,
        }
    }
}

/// The first `procs` processes of a pattern, as a pattern that ends there.
pub(super) fn cut(segments: &[Segment], procs: u32) -> Vec<Segment> {
    let mut left = procs;
    let mut kept = Vec::new();
    for segment in segments {
        let count = left.min(segment.procs);
        left -= count;
        if count == 0 {
            break;
        }
        let mut segment = Segment {
            procs: count,
            ..segment.clone()
        };
        if segment.cycle.is_none() {
            let mut inside = count;
            segment.runs.retain_mut(|run| {
                run.count = run.count.min(inside);
                inside -= run.count;
                run.count > 0
            });
        }
        kept.push(segment);
    }
    kept
}
