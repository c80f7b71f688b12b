//! An app about to be placed.

use crate::count::ProcCount;
use crate::error::phrases::Counted;
use crate::id::Id as _;
use crate::stage::component::Component;
use crate::stage::resolve::Resolved;
use crate::table::apps::{AppId, Policy, PolicyId};
use crate::table::listings::Listing;

/// How many processes an app has, as far as that is known before anything is placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Procs {
    /// A hole.
    Hole,
    /// Given by `-n`.
    Given(ProcCount),
    /// Counted by the engine.
    Counted(ProcCount),
    /// Counted with the job's PE, and counted by slots in case the app turns out not to use it.
    ByPe { with: ProcCount, without: ProcCount },
    /// Counted at the app's turn: ppr over its nodes that are not full, lsf over the entries that earlier apps left.
    AtItsTurn,
}

impl Procs {
    /// How many, if that is known.
    pub(crate) const fn known(self) -> Option<ProcCount> {
        match self {
            Self::Given(procs) | Self::Counted(procs) | Self::ByPe { with: procs, .. } => {
                Some(procs)
            }
            Self::Hole | Self::AtItsTurn => None,
        }
    }

    /// Whether the number was given or counted.
    pub(crate) const fn counted(self) -> Counted {
        match self {
            Self::Given(_) => Counted::Given,
            Self::Hole | Self::Counted(_) | Self::ByPe { .. } | Self::AtItsTurn => Counted::Counted,
        }
    }

    /// The processes of an app that does not use the job's PE.
    pub(crate) const fn without_pe(self) -> Self {
        match self {
            Self::ByPe { without, .. } => Self::Counted(without),
            Self::Hole | Self::Given(_) | Self::Counted(_) | Self::AtItsTurn => self,
        }
    }
}

/// An app about to be placed.
#[derive(Clone, Copy)]
pub(crate) struct App<'r> {
    pub(crate) resolved: &'r Resolved,
    pub(crate) id: AppId,
    /// The policy, with its binding decided.
    pub(crate) policy: &'r Policy,
    pub(crate) policy_id: PolicyId,
    pub(crate) procs: Procs,
    /// Processes of the apps before this one.
    pub(crate) ranks_before: u32,
    /// Entries of the affinity file that earlier apps took.
    pub(crate) lines_before: u32,
    /// The component that takes the app.
    pub(crate) component: &'r Component,
}

impl<'r> App<'r> {
    /// The file that lists the app's processes.
    pub(crate) fn listing(&self) -> Option<&'r Listing> {
        self.resolved.apps.own_listing(self.id)
    }

    /// Whether this is the last app.
    pub(crate) fn is_last(&self) -> bool {
        self.id.row() + 1 == self.resolved.apps.len()
    }
}
