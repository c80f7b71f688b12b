//! The tables that nodes, patterns and plans point into. Rows are added, but never changed or removed.

use crate::id::{Column, Id as _};
use crate::stage::map_all::{Threading, map_all};
use crate::stage::node::bind::Mask;
use crate::stage::node::layout::DraftSegment;
use crate::stage::node::units::Hardware;
use crate::stage::node::window::Window;
use crate::table::cpusets::{CpusetId, Cpusets};
use crate::table::interner::{Interner, START, mix};
use crate::table::patterns::{PatternDraft, PatternId, Patterns, Place, PlaceRun, Segment};
use crate::table::pusets::PuSets;
use crate::table::states::{NodeState, StateId, States};
use crate::table::topologies::{Topologies, TopologyId};
use std::sync::Arc;

/// The tables of a job while its apps are placed. Plans share them: a table that grows while a plan is kept is copied first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub(crate) topologies: Arc<Topologies>,
    pub(crate) cpusets: Arc<Cpusets>,
    /// How many sets come before those of `cpusets`: a branch continues the numbers of the tables from which it was copied.
    pub(crate) cpusets_before: usize,
    pub(crate) pusets: Arc<PuSets>,
    pub(crate) states: Arc<States>,
    pub(crate) patterns: Arc<Patterns>,
    /// Each topology as the inner loops see it, made when a topology is first used.
    pub(crate) hardware: Column<TopologyId, Option<Arc<Hardware>>>,
    masks: Masks,
    /// When threads share the work of filling them.
    pub(crate) threading: Threading,
}

/// Masks by logical number, each with its cpu set by OS number.
#[derive(Clone, Debug, Default)]
struct Masks {
    rows: Vec<(TopologyId, Window, CpusetId)>,
    ids: Interner<usize>,
    /// The PUs of the present mask.
    scratch: Vec<u32>,
}

impl Tables {
    /// The tables of a machine or a world, with nothing worked out.
    pub(crate) fn new(topologies: Arc<Topologies>, cpusets: Arc<Cpusets>) -> Self {
        Self {
            hardware: topologies.ids().map(|_| None).collect(),
            topologies,
            cpusets,
            ..Self::default()
        }
    }

    /// A copy that finds cpu sets and patterns by itself. Cost: none; states are copied when the first is added.
    pub(crate) fn branch(&self) -> Self {
        Self {
            cpusets_before: self.cpusets_before + self.cpusets.len(),
            pusets: Arc::clone(&self.pusets),
            states: Arc::clone(&self.states),
            threading: self.threading,
            ..Self::new(Arc::clone(&self.topologies), Arc::default())
        }
    }

    /// A topology as the inner loops see it.
    pub(crate) fn hardware(&mut self, topology: TopologyId) -> &Hardware {
        let topologies = &*self.topologies;
        self.hardware[topology].get_or_insert_with(|| Arc::new(Hardware::new(topologies, topology)))
    }

    /// The same for a topology that was prepared.
    pub(crate) fn prepared(&self, topology: TopologyId) -> &Hardware {
        let hardware = self.hardware[topology].as_ref();
        hardware.expect("the topologies of an app's nodes are prepared before it is placed")
    }

    /// Prepares topologies for the inner loops, in parallel if there are many.
    pub(crate) fn prepare(&mut self, mut wanted: Vec<TopologyId>) {
        wanted.sort_unstable();
        wanted.dedup();
        let topologies = &self.topologies;
        let make =
            |(): &mut (), &topology: &TopologyId| Arc::new(Hardware::new(topologies, topology));
        let made = map_all(&wanted, self.threading, || (), make);
        for (topology, hardware) in wanted.into_iter().zip(made) {
            self.hardware[topology] = Some(hardware);
        }
    }

    /// The topology of a state.
    pub(crate) fn topology_of(&self, state: StateId) -> TopologyId {
        self.states.get(state).topology
    }

    /// The OS numbers of a mask, interned.
    pub(crate) fn cpuset(&mut self, topology: TopologyId, mask: Mask) -> CpusetId {
        let window = match mask {
            Mask::Whole(object) => return self.topologies.cpuset(object),
            Mask::Some(window) => *window,
        };
        let Masks { rows, ids, scratch } = &mut self.masks;
        let digest = mix(START, topology.row() as u64);
        let digest = window.key().fold(digest, mix);
        let is = |row: usize| rows[row].0 == topology && rows[row].1 == window;
        if let Some(row) = ids.find(digest, is) {
            return rows[row].2;
        }
        let os = self.topologies.pus_os(topology);
        let pus = window.ones().map(|pu| os[pu as usize]);
        scratch.clear();
        scratch.extend(pus);
        let id = behind(
            Arc::make_mut(&mut self.cpusets).intern_pus(scratch),
            self.cpusets_before,
        );
        ids.keep(digest, rows.len());
        rows.push((topology, window, id));
        id
    }

    /// A state, interned.
    pub(crate) fn state(&mut self, state: NodeState) -> StateId {
        Arc::make_mut(&mut self.states).intern(state)
    }

    /// A pattern, interned.
    pub(crate) fn pattern(&mut self, segments: PatternDraft) -> PatternId {
        Arc::make_mut(&mut self.patterns).intern(segments)
    }

    /// A stretch of a pattern, with its masks interned.
    pub(crate) fn segment(&mut self, topology: TopologyId, draft: DraftSegment) -> Segment {
        let runs = draft.runs.into_iter().map(|run| PlaceRun {
            count: run.count,
            place: Place {
                object: run.object,
                cpus: run.mask.map(|mask| self.cpuset(topology, mask)),
            },
        });
        // Collected into a new vector: the draft's runs are larger, and its vector has room for more of them.
        let mut gathered = Vec::with_capacity(runs.len());
        gathered.extend(runs);
        Segment {
            procs: draft.procs,
            runs: gathered,
            cycle: draft.cycle,
            shares: draft.shares,
        }
    }
}

/// The id of a row in a table that continues after `before` rows of another.
fn behind<I: crate::id::Id>(row: I, before: usize) -> I {
    I::from_row(row.row() + before)
}
