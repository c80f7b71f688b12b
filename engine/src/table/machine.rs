//! The machine: what a caller knows about the nodes before any of them is named.

use super::cpusets::Cpusets;
use super::listings::NumberRanges;
use super::names::NameRange;
use super::topologies::{DraftError, Topologies, TopologyDraft, TopologyId};
use crate::policy::CpuMode;
use roaring::RoaringBitmap;
use std::sync::Arc;

/// The hardware that a job may run on, and what its launcher says about it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Distinct topologies, shared with every plan that is made on them.
    pub topologies: Arc<Topologies>,
    /// Their cpu sets, shared likewise.
    pub cpusets: Arc<Cpusets>,
    /// The topology of nodes that no assignment names.
    pub default: Option<TopologyId>,
    /// Topologies of some nodes; later ones win.
    pub assigned: Vec<(Vec<NameRange>, TopologyId)>,
    /// The node the launcher runs on.
    pub local: Option<String>,
    /// The cpus that may be used on every node (`semantics` 1.7).
    pub cpu_list: Option<CpuList>,
    /// What inferred slots count: cores, or PUs after `--use-hwthread-cpus` (`semantics` 2.2).
    pub inferred: CpuMode,
    /// The only nodes the job may use, in order, and which sessions they come from; `None`: any.
    pub candidates: Option<Candidates>,
    /// Names in the order that nodes of the pool are to have; nodes that are not named here come last, as they were. Empty: as mentioned.
    pub order: Vec<NameRange>,
    /// Slots of some nodes, in place of those that their topologies would give; later ones win.
    pub slots: Vec<(Vec<NameRange>, u32)>,
    /// The most processes that some nodes may hold, whatever a job says; later ones win.
    pub max_slots: Vec<(Vec<NameRange>, u32)>,
    /// What others have of some nodes; later ones win.
    pub taken: Vec<(Vec<NameRange>, InUse)>,
}

impl Machine {
    /// A machine whose nodes all have one topology, without a local node and without restrictions.
    ///
    /// # Errors
    /// When the draft is no sound topology.
    ///
    /// Cost: linear in the draft.
    pub fn uniform(draft: TopologyDraft) -> Result<Self, DraftError> {
        let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
        let topology = topologies.add(draft, &mut cpusets)?;
        Ok(Self::new(topologies.into(), cpusets, Some(topology)))
    }

    /// A machine with these topologies, of which nothing else is known. `default`: the topology of nodes that are not assigned another.
    #[must_use]
    pub fn new(
        topologies: Arc<Topologies>,
        cpusets: impl Into<Arc<Cpusets>>,
        default: Option<TopologyId>,
    ) -> Self {
        Self {
            topologies,
            cpusets: cpusets.into(),
            default,
            assigned: Vec::new(),
            local: None,
            cpu_list: None,
            inferred: CpuMode::Core,
            candidates: None,
            order: Vec::new(),
            slots: Vec::new(),
            max_slots: Vec::new(),
            taken: Vec::new(),
        }
    }
}

/// What others have of a node when the job comes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InUse {
    /// Slots.
    pub slots: u32,
    /// Cpus, by OS number.
    pub cpus: RoaringBitmap,
    /// The cpus as written.
    pub text: String,
}

/// A restriction of every node's cpus: logical cores, or PUs (`hwloc_default_cpu_list`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CpuList {
    /// Inclusive ranges of logical numbers.
    pub ranges: NumberRanges,
    /// Cores, or PUs with `:HWTCPUS`.
    pub mode: CpuMode,
    /// As written.
    pub text: String,
}

/// The nodes of the sessions that a job may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidates {
    /// Their names, in node order.
    pub nodes: Vec<NameRange>,
    /// The sessions, in words for messages.
    pub sessions: String,
}
