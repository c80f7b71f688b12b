//! Rows of states and their sets of cpus, alone in tables of their own: those that some runs use, and no others.

use super::topologies::MovingTopologies;
use crate::id::Id as _;
use crate::table::cpusets::Cpusets;
use crate::table::pusets::{PuSetId, PuSets};
use crate::table::states::{NodeState, StateId, StateRuns, States};
use crate::table::topologies::{Topologies, TopologyId};
use std::sync::Arc;

/// States, and the sets of PUs that they name.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) states: Arc<States>,
    pub(super) pusets: Arc<PuSets>,
}

/// Rows that go from one table to another, each once.
pub(super) struct Moving<'t> {
    from: (&'t States, &'t PuSets),
    states: Vec<Option<StateId>>,
    pusets: Vec<Option<PuSetId>>,
}

impl<'t> Moving<'t> {
    pub(super) fn from(states: &'t States, pusets: &'t PuSets) -> Self {
        Self {
            from: (states, pusets),
            states: vec![None; states.len()],
            pusets: vec![None; pusets.len()],
        }
    }

    /// The state of the other table, in this one.
    pub(super) fn state(&mut self, into: &mut Rows, state: StateId) -> StateId {
        if let Some(known) = self.states[state.row()] {
            return known;
        }
        let row = *self.from.0.get(state);
        let row = NodeState {
            allowed: self.set(into, row.allowed),
            free: self.set(into, row.free),
            ..row
        };
        *self.states[state.row()].insert(into.intern(row))
    }

    fn set(&mut self, into: &mut Rows, set: PuSetId) -> PuSetId {
        let bits = self.from.1.get(set);
        *self.pusets[set.row()].get_or_insert_with(|| {
            Arc::make_mut(&mut into.pusets).intern_words(self.from.1.words(set), bits.len())
        })
    }

    /// Runs of the other table, in this one.
    pub(super) fn runs(&mut self, into: &mut Rows, runs: &StateRuns) -> StateRuns {
        let mut moved = StateRuns::default();
        for (nodes, state) in runs.iter() {
            moved.push(nodes.count, self.state(into, state));
        }
        moved
    }
}

impl Rows {
    /// The row of a state.
    pub(super) fn intern(&mut self, state: NodeState) -> StateId {
        Arc::make_mut(&mut self.states).intern(state)
    }

    /// How many states and sets there are.
    pub(super) fn len(&self) -> (usize, usize) {
        (self.states.len(), self.pusets.len())
    }

    /// The rows that some runs use, and these runs. Cost: the runs, and the rows of this table.
    pub(super) fn own<const N: usize>(&self, runs: [&StateRuns; N]) -> (Self, [StateRuns; N]) {
        let mut own = Self::default();
        let mut moving = Moving::from(&self.states, &self.pusets);
        let runs = runs.map(|runs| moving.runs(&mut own, runs));
        (own, runs)
    }

    /// The topologies that the states name, in a table of their own. The states get its rows and keep their numbers.
    /// Cost: the states, and the objects of these topologies.
    pub(super) fn own_topologies(
        &mut self,
        topologies: &Topologies,
        cpusets: &mut Cpusets,
    ) -> Topologies {
        let mut own = Topologies::default();
        let mut moving = MovingTopologies::from(topologies);
        self.rename_topologies(|id| moving.topology(&mut own, cpusets, id));
        own
    }

    /// Gives each topology another number. Distinct topologies stay distinct, so the states keep their numbers.
    pub(super) fn rename_topologies(&mut self, mut rename: impl FnMut(TopologyId) -> TopologyId) {
        let mut states = States::default();
        for (_, &row) in self.states.iter() {
            let topology = rename(row.topology);
            states.intern(NodeState { topology, ..row });
        }
        self.states = states.into();
    }
}
