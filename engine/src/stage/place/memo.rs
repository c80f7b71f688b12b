//! Results for nodes of one state under one policy. They depend on nothing else, so they are kept for later apps and later plans.

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
    /// How far nodes of one state have come with an app: a row of [`Memo`].
    #[expect(unreachable_pub, reason = "the macro makes table ids, which are public")]
    TrialId
}

/// What is known about nodes of one state under one policy, before an app comes or with some of its processes on them.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// The state in which the app found the nodes, and their state with its processes.
    pub(crate) found: StateId,
    pub(crate) now: StateId,
    /// Processes of the app on each node.
    pub(crate) placed: u32,
    /// The pattern of these processes; `None` if there are none.
    pub(crate) pattern: Option<PatternId>,
    /// The trial before the last pass over the nodes.
    pub(crate) from: Option<TrialId>,
    /// Processes bound to each target; empty if nothing needs the counts.
    pub(crate) bound: Vec<u32>,
    /// Whether some cpus were given out again.
    pub(crate) shares_cpus: bool,
    /// Whether the first pass gave up a default binding and left processes unbound.
    pub(crate) began_unbound: bool,
    /// The capacity of each node, if it was asked for.
    pub(crate) capacity: Option<Capacity>,
    /// How many processes fit, for each layout asked for.
    pub(crate) fits: Vec<Fit>,
    /// The outcomes of placing more processes.
    pub(crate) steps: SmallVec<[(Step, StepOutcome); 1]>,
}

/// How many of `want` processes a layout places, and how it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    pub(crate) layout: Layout,
    pub(crate) want: u32,
    pub(crate) procs: u32,
    pub(crate) end: End,
}

/// This many more processes, in a layout.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Step {
    pub(crate) layout: Layout,
    pub(crate) procs: u32,
    /// The most processes that nodes of the same trial get in this layout. Their pattern serves the others.
    pub(crate) longest: u32,
}

/// The outcome of a step: the next trial, or how many processes it places and why no more.
pub(crate) type StepOutcome = Result<TrialId, (u32, End)>;

impl Trial {
    /// A trial with no process of the app.
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
    /// The job size that decided bindings. The same policy id may mean another policy at another size.
    size: Option<Size>,
}

impl Memo {
    /// Clears the memo if an earlier job size decided bindings in another way.
    pub(crate) fn settle(&mut self, size: Size) {
        if self.size.is_some_and(|settled| settled != size) {
            self.trials.clear();
            self.roots.clear();
        }
        self.size = Some(size);
    }

    /// The trial of nodes of a state before an app of a policy comes.
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
