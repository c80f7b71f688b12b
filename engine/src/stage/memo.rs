//! What policies made of node states: a pure function, so it is kept for later apps, and later plans.

use super::count::Size;
use super::facts::Facts;
use super::pattern::Layout;
use crate::table::alike::ById;
use crate::table::apps::PolicyId;
use crate::table::patterns::PatternId;
use crate::table::states::StateId;
use smallvec::SmallVec;

/// What apps found: the same policy on the same state finds the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    found: ById<(StateId, PolicyId), Found>,
    /// Of so many processes, how many a layout can place.
    capacities: ById<(StateId, PolicyId), SmallVec<[Capacity; 1]>>,
    /// The size of the job that settled policies, whose ids another job's of another size may have.
    size: Option<Size>,
}

/// A layout, the processes wanted, and those that it can place.
type Capacity = (Layout, u32, u32);

/// So many processes in a layout, and the most that nodes of this state got in it: their pattern serves the others.
type Went = (Layout, u32, u32);

/// What that came to: a pattern and a next state.
type Came = (Went, (PatternId, StateId));

/// What an app found on a state, and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) facts: Option<Facts>,
    placed: SmallVec<[Came; 1]>,
}

impl Memo {
    /// Forgets what was found under policies that the job's size settled otherwise.
    pub(crate) fn settle(&mut self, size: Size) {
        if self.size.is_some_and(|settled| settled != size) {
            self.found.clear();
            self.capacities.clear();
        }
        self.size = Some(size);
    }
    /// What there was on a state.
    pub(crate) fn facts(&self, key: (StateId, PolicyId)) -> Option<Facts> {
        self.found.get(&key)?.facts
    }
    /// What so many processes came to.
    pub(crate) fn placed(
        &self,
        (state, policy): (StateId, PolicyId),
        went: Went,
    ) -> Option<(PatternId, StateId)> {
        let found = self.found.get(&(state, policy))?;
        let same = |placed: &&Came| placed.0 == went;
        found.placed.iter().find(same).map(|placed| placed.1)
    }
    /// Keeps what was found.
    pub(crate) fn keep(&mut self, key: (StateId, PolicyId), facts: Option<Facts>, placed: Came) {
        let found = self.found(key, facts);
        if !found.placed.contains(&placed) {
            found.placed.push(placed);
        }
    }
    /// Keeps what there was on a state.
    pub(crate) fn keep_facts(&mut self, key: (StateId, PolicyId), facts: Facts) {
        self.found(key, Some(facts));
    }
    fn found(&mut self, key: (StateId, PolicyId), facts: Option<Facts>) -> &mut Found {
        let found = self.found.entry(key).or_insert_with(|| Found {
            facts,
            placed: SmallVec::new(),
        });
        found.facts = found.facts.or(facts);
        found
    }
    /// How many of so many processes a layout can place.
    pub(crate) fn capacity(
        &self,
        key: (StateId, PolicyId),
        (layout, want): (Layout, u32),
    ) -> Option<u32> {
        let known = self.capacities.get(&key)?.iter();
        let mut same = known.filter(|known| (known.0, known.1) == (layout, want));
        same.next().map(|known| known.2)
    }
    /// Keeps that.
    pub(crate) fn keep_capacity(
        &mut self,
        key: (StateId, PolicyId),
        (layout, want): (Layout, u32),
        procs: u32,
    ) {
        let known = self.capacities.entry(key).or_default();
        known.push((layout, want, procs));
    }
    /// Makes room for so many states more.
    pub(crate) fn reserve(&mut self, states: usize) {
        self.found.reserve(states);
    }
}
