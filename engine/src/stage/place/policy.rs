//! What a map policy says: how each group of nodes takes processes, when cpus end, how it refuses. Each has a file of its own.

use super::placement::Placement;
use super::refuse;
use super::trial::{Allotment, Limit, NodeGroup, Stop};
use crate::error::MapError;
use crate::policy::Oversubscribe;
use crate::stage::node::bind::Failure;
use crate::stage::node::capacity::Capacity;
use crate::stage::node::layout::{Binding, End};

/// Which pass over the nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Slots count.
    First,
    /// Sharing what is too much (4.8): only max_slots and cpus count.
    Sharing,
}

impl Pass {
    /// The only pass of a policy that deals round by round: it shares from the start, where it may.
    pub(crate) const fn of_rounds(placement: &Placement<'_>) -> Self {
        match placement.policy.oversubscribe {
            Oversubscribe::Refused => Self::First,
            Oversubscribe::Allowed => Self::Sharing,
        }
    }
}

/// A map policy.
pub(crate) trait PlacePolicy {
    /// How each node of a group takes processes. What a node can never serve is refused here.
    fn limit(&self, view: &GroupView<'_, '_>) -> Result<Limit, MapError>;

    /// Whether what the first pass left over is shared out, where OVERSUBSCRIBE allows it.
    fn shares(&self, _placement: &Placement<'_>) -> bool {
        true
    }

    /// What changes when sharing begins.
    fn begin_sharing(&self, _placement: &mut Placement<'_>) {}

    /// Whether the first pass gave up a default binding on a group: it stays given up.
    fn gave_up(&self, _placement: &Placement<'_>, _group: usize) -> bool {
        false
    }

    /// A process that must be bound and cannot be.
    fn unbindable(
        &self,
        placement: &Placement<'_>,
        placed: u64,
        group: usize,
        failure: Failure,
    ) -> MapError {
        refuse::unbindable(placement, placed, group, failure)
    }

    /// Cpus ran out.
    fn out_of_cpus(&self, placement: &Placement<'_>, placed: u64) -> MapError {
        refuse::out_of_cpus(placement, placed)
    }
}

/// A group of nodes at hand, and what there is on each.
#[derive(Clone, Copy)]
pub(crate) struct GroupView<'p, 's> {
    pub(crate) placement: &'p Placement<'s>,
    pub(crate) group: usize,
    pub(crate) capacity: Capacity,
    pub(crate) pass: Pass,
}

impl<'p, 's> GroupView<'p, 's> {
    pub(crate) fn new(placement: &'p mut Placement<'s>, group: usize, pass: Pass) -> Self {
        Self {
            capacity: placement.capacity(group),
            placement,
            group,
            pass,
        }
    }

    /// The group.
    pub(crate) fn row(&self) -> &NodeGroup {
        &self.placement.groups[self.group]
    }

    /// Processes that the slots of each node take.
    #[inline]
    pub(crate) fn slots(&self) -> u32 {
        let row = self.row();
        match self.pass {
            Pass::First => row.avail.min(row.room),
            Pass::Sharing => row.room,
        }
    }

    /// An explicit target must be there (7.6); checked before cpus.
    #[inline]
    pub(crate) fn check_target(&self, binding: Binding) -> Result<(), MapError> {
        let Self {
            placement, group, ..
        } = *self;
        if binding == Binding::On && !self.capacity.has_target && placement.explicit() {
            let failure = refuse::no_target(placement, group);
            return Err(refuse::unbindable(placement, 0, group, failure));
        }
        Ok(())
    }

    /// PE must fit a package of this node, taken or not.
    pub(crate) fn check_packages(&self) -> Result<(), MapError> {
        let pe = u32::from(self.placement.policy.pe);
        if pe == 1 || self.capacity.largest_package >= pe {
            return Ok(());
        }
        let asked = format!("pe={pe}");
        Err(refuse::span_packages(self.placement, self.group, asked))
    }
}

/// What a group takes. Node by node: what fails on an earlier one, of those that `allotments` tell of, is said first.
#[inline]
pub(crate) fn limit(
    placement: &mut Placement<'_>,
    policy: &impl PlacePolicy,
    group: usize,
    pass: Pass,
    allotments: &[Allotment],
) -> Result<Limit, MapError> {
    let limit = policy.limit(&GroupView::new(placement, group, pass));
    limit.or_else(|error| {
        lay(placement, policy, allotments)?;
        Err(error)
    })
}

/// Lays processes on the groups that they were allotted to.
///
/// # Errors
/// The first process that does not find its place, in the words of the policy.
pub(crate) fn lay(
    placement: &mut Placement<'_>,
    policy: &impl PlacePolicy,
    allotments: &[Allotment],
) -> Result<(), MapError> {
    placement
        .place(allotments)
        .map_err(|Stop { group, placed, end }| match end {
            End::Fails(failure) => policy.unbindable(placement, placed, group, failure),
            End::TooLong => refuse::too_long(),
            End::Wanted | End::Full => policy.out_of_cpus(placement, placed),
        })
}
