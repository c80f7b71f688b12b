//! What a map policy decides: how many processes an app has, how each group of nodes takes them, what happens when slots or cpus
//! run out, and how it refuses. Each policy has a file of its own.
//!
//! `by_policy` in `mod.rs` has a line for each. Which policy an app has that says none is decided in `stage/resolve/options.rs`.

use super::group::{NodeGroup, NodeTake};
use super::lay::Stop;
use super::placement::Placement;
use super::refuse;
use crate::error::MapError;
use crate::stage::alloc::Pool;
use crate::stage::alloc::selected::Candidate;
use crate::stage::node::bind::Failure;
use crate::stage::node::capacity::Capacity;
use crate::stage::node::layout::{Binding, End};
use crate::table::apps::{AppId, AppTable, Policy};

/// When an app without `-n` is counted (3.4).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Before anything is placed.
    First,
    /// When the app's turn comes, over its nodes that are not full then.
    AtItsTurn,
}

/// A pass over the nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Slots count.
    First,
    /// The rest is shared out (4.8): only max_slots and cpus count.
    Second,
}

/// A map policy.
pub(crate) trait MapPolicy {
    fn counts(&self) -> Counts {
        Counts::First
    }

    /// How many processes an app without `-n` has: as many as its nodes have slots; with PE no more than their cpus hold.
    fn count(&self, app: &mut Counting<'_>, nodes: &[Candidate]) -> Result<u64, MapError> {
        Ok(app.by_slots(nodes))
    }

    /// Places the app on its nodes, in the order of the policy.
    fn place(&mut self, placement: &mut Placement<'_>) -> Result<(), MapError>;

    /// How each node of a group takes processes. Refuses what a node can never serve.
    fn node_takes(&mut self, view: &mut GroupView<'_, '_>) -> Result<NodeTake, MapError>;

    /// Whether the processes left over by the first pass are shared out, if OVERSUBSCRIBE allows it.
    fn has_second_pass(&self, _placement: &Placement<'_>) -> bool {
        true
    }

    /// Changes the placement when the second pass begins.
    fn begin_second_pass(&self, _placement: &mut Placement<'_>) {}

    /// The refusal of a process that must be bound and cannot be. `placed`: processes before it.
    fn unbindable(
        &self,
        placement: &Placement<'_>,
        placed: u64,
        group: usize,
        failure: Failure,
    ) -> MapError {
        refuse::unbindable(placement, placed, group, failure)
    }

    /// The refusal when cpus ran out. `placed`: processes that got theirs.
    fn out_of_cpus(&self, placement: &Placement<'_>, placed: u64) -> MapError {
        refuse::out_of_cpus(placement, placed)
    }
}

/// An app without `-n`, to be counted.
pub(crate) struct Counting<'c> {
    pub(crate) pool: &'c mut Pool,
    pub(crate) apps: &'c AppTable,
    pub(crate) app: AppId,
    pub(crate) policy: &'c Policy,
}

impl Counting<'_> {
    /// As many as the slots. With PE no more than the cpus of the nodes hold, node by node, in the cpu mode of the words.
    pub(crate) fn by_slots(&mut self, nodes: &[Candidate]) -> u64 {
        let slots = nodes
            .iter()
            .map(|of| u64::from(of.avail) * u64::from(of.nodes.count));
        let slots: u64 = slots.sum();
        if self.policy.pe <= 1 {
            return slots;
        }
        let (mode, pe) = (self.apps.count_mode[self.app], u32::from(self.policy.pe));
        let tables = &mut self.pool.tables;
        let cpus = nodes.iter().map(|of| {
            let topology = tables.topology_of(of.state);
            let each = tables.hardware(topology).units(mode).len() / pe;
            u64::from(each) * u64::from(of.nodes.count)
        });
        slots.min(cpus.sum()).max(1)
    }
}

/// A group of nodes in one pass.
pub(crate) struct GroupView<'p, 's> {
    pub(crate) placement: &'p mut Placement<'s>,
    pub(crate) group: usize,
    pub(crate) pass: Pass,
}

impl GroupView<'_, '_> {
    /// The group.
    pub(crate) fn row(&self) -> &NodeGroup {
        &self.placement.groups[self.group]
    }

    /// The capacity of each of its nodes.
    #[inline]
    pub(crate) fn capacity(&mut self) -> Capacity {
        self.placement.capacity(self.group)
    }

    /// How many processes the slots of each node take.
    #[inline]
    pub(crate) fn slots(&self) -> u32 {
        let row = self.row();
        match self.pass {
            Pass::First => row.avail().min(row.room()),
            Pass::Second => row.room(),
        }
    }

    /// Refuses an explicit target that is not there (7.6). This comes before cpus are checked.
    #[inline]
    pub(crate) fn check_target(&mut self, binding: Binding) -> Result<(), MapError> {
        let there = self.capacity().has_target;
        if binding == Binding::On && !there && self.placement.explicit() {
            return Err(refuse::no_target(self.placement, self.group));
        }
        Ok(())
    }

    /// Refuses a PE that fits no package of this node, free or taken.
    pub(crate) fn check_packages(&mut self) -> Result<(), MapError> {
        let pe = u32::from(self.placement.policy.pe);
        if pe == 1 || self.capacity().largest_package >= pe {
            return Ok(());
        }
        let at = self.placement.refused_at(self.group);
        Err(at.span_packages(format!("pe={pe}")))
    }
}

/// What each node of a group takes. If that is refused, the nodes allotted so far are laid first: their failure comes before it.
#[inline]
pub(crate) fn node_takes(
    placement: &mut Placement<'_>,
    policy: &mut dyn MapPolicy,
    group: usize,
    pass: Pass,
) -> Result<NodeTake, MapError> {
    let mut view = GroupView {
        placement,
        group,
        pass,
    };
    policy.node_takes(&mut view).or_else(|error| {
        lay_or_refuse(placement, policy)?;
        Err(error)
    })
}

/// Lays what was allotted.
///
/// # Errors
/// The first process that finds no place, refused by the policy.
pub(crate) fn lay_or_refuse(
    placement: &mut Placement<'_>,
    policy: &dyn MapPolicy,
) -> Result<(), MapError> {
    let laid = placement.lay_allotted();
    laid.map_err(|Stop { group, placed, end }| match end {
        End::Fails(failure) => policy.unbindable(placement, placed, group, failure),
        End::TooLong => refuse::too_long(),
        End::Wanted | End::Full => policy.out_of_cpus(placement, placed),
    })
}
