//! What becomes of nodes of one state under one policy: a pure function, so it is kept for later apps, and later plans.

use crate::define_id;
use crate::id::Column;
use crate::stage::node::capacity::Capacity;
use crate::stage::node::layout::{End, Layout};
use crate::stage::resolve::size::Size;
use crate::table::apps::PolicyId;
use crate::table::interner::ById;
use crate::table::patterns::PatternId;
use crate::table::states::StateId;
use smallvec::SmallVec;
use std::ops::{Index, IndexMut};

define_id! {
    /// How far nodes of one state have come with an app.
    #[expect(unreachable_pub, reason = "the macro makes table ids, which are public")]
    TrialId
}

/// Nodes of one state, and what is known of them under one policy: before an app came, or with some of its processes there.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// The state in which the app found the nodes, and the one in which it leaves them.
    pub(crate) found: StateId,
    pub(crate) now: StateId,
    /// Processes of the app on each node.
    pub(crate) placed: u32,
    /// What these get; `None`: nothing of the app is here yet.
    pub(crate) pattern: Option<PatternId>,
    /// Before the last pass over the nodes.
    pub(crate) from: Option<TrialId>,
    /// Processes bound to each target; empty without LIMIT.
    pub(crate) bound: Vec<u32>,
    /// The last pass gave some cpus out again.
    pub(crate) shares_cpus: bool,
    /// The first pass left processes unbound: their default binding was given up.
    pub(crate) began_unbound: bool,
    /// What there is on each node, as far as somebody asked.
    pub(crate) capacity: Option<Capacity>,
    /// How many processes fit, where that was asked.
    pub(crate) fits: Vec<Fit>,
    /// What more processes came to.
    pub(crate) steps: SmallVec<[(Step, StepOutcome); 1]>,
}

/// How many of `want` processes a layout places, and how that ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    pub(crate) layout: Layout,
    pub(crate) want: u32,
    pub(crate) procs: u32,
    pub(crate) end: End,
}

/// So many processes more, in a layout.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Step {
    pub(crate) layout: Layout,
    pub(crate) procs: u32,
    /// The most that nodes of the same trial get in it: their pattern serves the others.
    pub(crate) longest: u32,
}

/// What a step comes to: the trial behind it, or how many processes it places and why no more.
pub(crate) type StepOutcome = Result<TrialId, (u32, End)>;

impl Trial {
    /// Nothing of the app is here yet.
    pub(crate) fn root(state: StateId) -> Self {
        Self {
            found: state,
            now: state,
            placed: 0,
            pattern: None,
            from: None,
            bound: Vec::new(),
            shares_cpus: false,
            began_unbound: false,
            capacity: None,
            fits: Vec::new(),
            steps: SmallVec::new(),
        }
    }

    pub(crate) fn outcome(&self, step: Step) -> Option<StepOutcome> {
        let mut known = self.steps.iter();
        known.find_map(|&(other, outcome)| (other == step).then_some(outcome))
    }
}

/// The trials of a job's apps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    trials: Column<TrialId, Trial>,
    roots: ById<(StateId, PolicyId), TrialId>,
    /// The size of the job that settled policies, whose ids another job's of another size may have.
    size: Option<Size>,
}

impl Memo {
    /// Forgets what was found under policies that the job's size settled otherwise.
    pub(crate) fn settle(&mut self, size: Size) {
        if self.size.is_some_and(|settled| settled != size) {
            self.trials.clear();
            self.roots.clear();
        }
        self.size = Some(size);
    }

    /// Nodes of a state that an app of a policy finds.
    pub(crate) fn root(&mut self, state: StateId, policy: PolicyId) -> TrialId {
        let trials = &mut self.trials;
        let root = self.roots.entry((state, policy));
        *root.or_insert_with(|| trials.push(Trial::root(state)))
    }

    pub(crate) fn push(&mut self, trial: Trial) -> TrialId {
        self.trials.push(trial)
    }
}

impl Index<TrialId> for Memo {
    type Output = Trial;
    fn index(&self, trial: TrialId) -> &Trial {
        &self.trials[trial]
    }
}

impl IndexMut<TrialId> for Memo {
    fn index_mut(&mut self, trial: TrialId) -> &mut Trial {
        &mut self.trials[trial]
    }
}
