//! How far nodes have come while an app is placed: neighbours that fare alike, and what happened to them.

use super::cache::{FindingId, KeptOutcome};
use crate::define_id;
use crate::stage::node::bits::Bits;
use crate::stage::node::layout::{End, Layout};
use crate::table::names::NodeRange;
use crate::table::patterns::{Pattern, PatternId, Segment};
use crate::table::states::StateId;

define_id! {
    /// How far nodes of one state have come.
    #[expect(unreachable_pub, reason = "the macro makes table ids, which are public")]
    TrialId
}

define_id! {
    /// A pass over nodes of one trial.
    #[expect(unreachable_pub, reason = "the macro makes table ids, which are public")]
    PassId
}

define_id! {
    /// What a pass laid.
    #[expect(unreachable_pub, reason = "the macro makes table ids, which are public")]
    DraftId
}

/// Neighbouring nodes that fare alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeGroup {
    pub(crate) nodes: NodeRange,
    /// Slots the app may still take on each.
    pub(crate) avail: u32,
    /// Processes each may still hold under max_slots.
    pub(crate) room: u32,
    /// Processes of the app on each.
    pub(crate) placed: u32,
    pub(crate) trial: TrialId,
}

/// How each node of a group takes processes in one pass: in which layout, and how many at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) layout: Layout,
    pub(crate) procs: u32,
}

/// So many processes for each node of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allotment {
    /// Row of the group.
    pub(crate) group: usize,
    pub(crate) layout: Layout,
    pub(crate) procs: u32,
}

/// The first process, in placing order, that does not find its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// Row of its group.
    pub(crate) group: usize,
    /// Processes of the app before it.
    pub(crate) placed: u64,
    pub(crate) end: End,
}

/// So many processes more, in a layout.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Step {
    pub(crate) trial: TrialId,
    pub(crate) layout: Layout,
    pub(crate) procs: u32,
}

/// A step that is not known, and the most processes that a step of its trial and layout wants: what a step comes to hangs
/// on both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnknownStep {
    pub(crate) step: Step,
    pub(crate) longest: u32,
}

/// What a step comes to: the trial behind it, or how many processes it places and why no more.
pub(crate) type StepOutcome = Result<TrialId, (u32, End)>;

/// How far the nodes of one state have come with this app.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub(crate) state: StateId,
    /// Processes of the app on the node.
    pub(crate) placed: u32,
    /// What led here; `None`: nothing of the app is here yet, or an earlier app found it out.
    pub(crate) pass: Option<PassId>,
    /// Where nothing is placed yet: what earlier apps with the same policy found on this state.
    pub(crate) found: Option<FindingId>,
    /// What an earlier app with the same policy came to.
    pub(crate) known: Option<KeptOutcome>,
    /// Its first pass came after the binding was given up.
    pub(crate) began_unbound: bool,
}

/// The last pass that led to a trial, and what is left behind it.
#[derive(Clone, Debug)]
pub(crate) struct TrialPass {
    /// Where the nodes were before.
    pub(crate) from: TrialId,
    /// PUs that are free now.
    pub(crate) free: Bits,
    /// Processes bound to each target; empty without LIMIT.
    pub(crate) bound: Vec<u32>,
    /// Some cpus were given out again.
    pub(crate) shared: bool,
    /// The passes before this one, each cut to its processes.
    pub(crate) closed: Vec<Segment>,
    /// What this pass laid, and how many processes of it.
    pub(crate) laid: DraftId,
    pub(crate) procs: u32,
    /// Where this is the first pass: the layout, and the most processes that any nodes of that trial got in it.
    pub(crate) only: Option<(Layout, u32)>,
}

/// What a pass laid, as far as any node went with it.
#[derive(Clone, Debug)]
pub(crate) struct TrialDraft {
    pub(crate) ready: Pattern,
    /// The pattern, once it is one; the draft went there.
    pub(crate) pattern: Option<PatternId>,
}

impl Trial {
    /// Nothing of the app is here yet.
    pub(crate) const fn is_root(&self) -> bool {
        self.placed == 0
    }

    pub(crate) const fn at(state: StateId) -> Self {
        Self {
            state,
            placed: 0,
            pass: None,
            found: None,
            known: None,
            began_unbound: false,
        }
    }
}

/// The first `procs` processes of a pattern, as a pattern that ends there.
pub(crate) fn cut(segments: &[Segment], procs: u32) -> Vec<Segment> {
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
