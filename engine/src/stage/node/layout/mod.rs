//! Patterns: the order in which the processes of an app go onto one node, and what each gets. Source: `semantics` 4.
//!
//! A layout runs on one node *state*, up to the most processes that any node of that state could take. What a process gets does
//! not depend on how many come after it, so the beginning of the result serves every smaller number.

// How many more processes each object takes.
mod rooms;
// Processes going onto a node, one after the other.
pub(crate) mod builder;
// The same for a list of cpus.
pub(crate) mod pe_list;
// The same for the rule of mpibind.
pub(crate) mod mpibind;
// One node, in the order of a policy.
pub(crate) mod on_node;

use crate::stage::node::bind::{Binder, Failure, Mask};
use crate::stage::node::cpus::Cpus;
use crate::stage::node::sets::NodeSets;
use crate::stage::node::units::Targets;
use crate::table::patterns::ShareRun;

/// Whether a pass binds processes or has given up their default binding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Binding {
    On,
    Off,
}

/// The order in which processes go onto one node in one pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Layout {
    /// No objects (slot, node).
    Plain(Binding),
    /// No objects; this many processes at the start are unbound (by node, 4.2).
    HalfBound(u32),
    /// One process per object and sweep, while the object has room (4.3).
    Sweep(Binding),
    /// Each process on the next object that has room (4.3, SPAN).
    Walk(Binding),
    /// This many processes on each object before the next (4.4).
    Blocks(u32, Binding),
    /// The cpus of a pe-list (4.7).
    List(Binding),
    /// The objects that a launcher's component lists; the number says which of its lists.
    Chosen(u32, Binding),
    /// This many processes, dealt over memory: what one gets depends on how many there are.
    Mpibind(u32),
}

impl Layout {
    /// Whether processes stay unbound although the policy binds.
    pub(crate) const fn gives_up(self) -> bool {
        match self {
            Self::HalfBound(_) => true,
            Self::Mpibind(_) => false,
            Self::Plain(binding)
            | Self::Sweep(binding)
            | Self::Walk(binding)
            | Self::Blocks(_, binding)
            | Self::List(binding)
            | Self::Chosen(_, binding) => matches!(binding, Binding::Off),
        }
    }
}

/// What some neighbouring processes get, with masks not yet interned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DraftRun {
    pub(crate) count: u32,
    pub(crate) object: Option<u32>,
    pub(crate) mask: Option<Mask>,
}

/// A stretch of a pattern, with masks not yet interned.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct DraftSegment {
    pub(crate) procs: u32,
    pub(crate) runs: Vec<DraftRun>,
    pub(crate) cycle: Option<u32>,
    /// Threads and GPUs, if the map decides them.
    pub(crate) shares: Vec<ShareRun>,
}

/// How a layout ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// All processes wanted were laid.
    Wanted,
    /// The node holds no more.
    Full,
    /// The next process must be bound, and cannot be.
    Fails(Failure),
    /// The node would have more different processes than a pattern may have.
    TooLong,
}

/// The result of a layout.
#[derive(Clone, Debug)]
pub(crate) struct Laid {
    pub(crate) segments: Vec<DraftSegment>,
    /// Processes laid, at most as many as wanted.
    pub(crate) procs: u32,
    pub(crate) end: End,
    /// The node's cpus after all of them, also if the last ones repeat a cycle.
    pub(crate) cpus: Cpus,
}

/// Where a layout runs: an app's objects on one state of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayoutView<'g> {
    pub(crate) binder: &'g Binder<'g>,
    /// The mapped objects, in the order of placing.
    pub(crate) objects: &'g Targets<'g>,
    pub(crate) sets: NodeSets<'g>,
    /// The units of a pe-list on this topology.
    pub(crate) pe_list: &'g [u32],
    /// Rows of `objects`, one for each process, if a component lists them.
    pub(crate) chosen: &'g [usize],
}

impl LayoutView<'_> {
    /// Logical index of one of the mapped objects.
    #[inline]
    pub(crate) fn logical(&self, at: u32) -> u32 {
        match self.objects {
            Targets::Kind { .. } => at,
            Targets::Devices(groups) => {
                let topology = self.binder.hardware.topology;
                let first = groups[at as usize].devices[0];
                self.binder.topologies.logical(topology, first)
            }
            Targets::Domains(_) | Targets::Near(_) => {
                let Binder {
                    topologies,
                    hardware,
                    ..
                } = self.binder;
                topologies.logical(hardware.topology, self.objects.get(at))
            }
        }
    }
}
