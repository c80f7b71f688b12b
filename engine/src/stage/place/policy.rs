//! What each policy does with one node: in which layout, and how many processes at most. Source: `semantics` 4.1 to 4.7.

use super::deal::Deal;
use super::placement::Placement;
use super::refuse;
use super::trial::{Choice, NodeGroup};
use crate::error::MapError;
use crate::policy::{IfSupported, ObjKind, Ordered, Oversubscribe};
use crate::stage::node::bind::Failure;
use crate::stage::node::capacity::{Capacity, listed_cpus};
use crate::stage::node::layout::{Binding, End, Layout};

/// Which pass.
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

    /// Processes that each node of a group has slots for.
    #[inline]
    fn slots(self, group: &NodeGroup) -> u32 {
        match self {
            Self::First => group.avail.min(group.room),
            Self::Sharing => group.room,
        }
    }
}

/// A group at hand.
#[derive(Clone, Copy)]
pub(crate) struct Case<'w, 's> {
    pub(crate) deal: &'w Deal,
    pub(crate) placement: &'w Placement<'s>,
    pub(crate) group: usize,
    pub(crate) capacity: Capacity,
    pub(crate) pass: Pass,
}

impl Case<'_, '_> {
    fn row(&self) -> &NodeGroup {
        &self.placement.groups[self.group]
    }

    /// Processes that its slots take.
    fn slots(&self) -> u32 {
        self.pass.slots(self.row())
    }

    /// An explicit target must be there (7.6); checked before cpus.
    #[inline]
    pub(crate) fn check_target(&self, binding: Binding) -> Result<(), MapError> {
        let Self {
            deal,
            placement,
            group,
            capacity,
            ..
        } = *self;
        if binding == Binding::On && !capacity.has_target && Deal::explicit(placement) {
            let failure = refuse::no_target(placement, group);
            return Err(refuse::unbindable(
                placement,
                deal.stopped(0),
                group,
                failure,
            ));
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

    /// PE must fit a mapped object of this node, taken or not.
    #[inline]
    pub(crate) fn check_objects(&self) -> Result<(), MapError> {
        let pe = self.placement.policy.pe;
        if pe == 1 || self.capacity.largest_object >= u32::from(pe) {
            return Ok(());
        }
        Err(refuse::pe_exceeds(
            self.placement,
            self.group,
            self.capacity,
        ))
    }
}

fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// By slot (4.1).
pub(crate) fn slot_layout(case: &Case<'_, '_>) -> Result<Choice, MapError> {
    let Case {
        deal,
        placement,
        capacity,
        ..
    } = *case;
    let slots = case.slots();
    let given_up =
        case.row().avail > capacity.free && !Deal::explicit(placement) && case.pass == Pass::First;
    if deal.binding == Binding::Off || given_up {
        return Ok((Layout::Plain(Binding::Off), slots));
    }
    if slots > 0 {
        case.check_target(Binding::On)?;
        case.check_packages()?;
    }
    let cpus = match (placement.policy.pe, Deal::overload(placement)) {
        (1, true) => u32::MAX,
        (1, false) => capacity.free,
        (_, true) if case.pass == Pass::Sharing => u32::MAX,
        (_, _) => capacity.by_package,
    };
    Ok((Layout::Plain(Binding::On), slots.min(cpus)))
}

/// By the cpus of a list (4.7).
pub(crate) fn list_layout(case: &Case<'_, '_>) -> Result<Choice, MapError> {
    let Case {
        deal,
        placement,
        group,
        capacity,
        pass,
    } = *case;
    let row = case.row();
    if let Some((cpu, reason)) = capacity.listed_closed {
        return Err(refuse::pe_list_conflict(
            placement, group, cpu, reason, capacity,
        ));
    }
    let list = placement
        .policy
        .list
        .map_or(0, |list| narrow(listed_cpus(&placement.apps.lists[list])));
    let overload = Deal::overload(placement);
    let oversubscribed = placement.policy.oversubscribe == Oversubscribe::Allowed;
    let cap = match pass {
        Pass::Sharing => row.room,
        Pass::First => {
            let own = if overload && placement.policy.ordered == Ordered::No {
                row.avail
            } else {
                list
            };
            let own = if oversubscribed {
                own
            } else {
                own.min(row.avail)
            };
            own.min(row.room)
        }
    };
    let cap = if overload || deal.binding == Binding::Off {
        cap
    } else {
        cap.min(capacity.listed_free)
    };
    Ok((Layout::List(deal.binding), cap))
}

/// By objects, node after node (4.3).
pub(crate) fn sweep_layout(case: &Case<'_, '_>) -> Result<Choice, MapError> {
    let layout = Layout::Sweep(case.deal.binding);
    Ok((layout, object_cap(case, layout)?))
}

/// By objects over all nodes (4.3, SPAN).
pub(crate) fn walk_layout(case: &Case<'_, '_>) -> Result<Choice, MapError> {
    let layout = Layout::Walk(case.deal.binding);
    Ok((layout, object_cap(case, layout)?))
}

/// Processes that the objects of a node take, at most its slots.
#[inline]
fn object_cap(case: &Case<'_, '_>, layout: Layout) -> Result<u32, MapError> {
    let Case {
        deal,
        placement,
        group,
        capacity,
        ..
    } = *case;
    let slots = case.slots();
    if capacity.objects == 0 {
        return Err(refuse::object_not_found(placement, group));
    }
    if deal.binding == Binding::Off || slots == 0 {
        return Ok(slots);
    }
    case.check_target(deal.binding)?;
    case.check_objects()?;
    if Deal::overload(placement) {
        return Ok(if capacity.with_cpus == 0 { 0 } else { slots });
    }
    if placement.policy.map.object_kind() == Some(ObjKind::Gpu) {
        // Cpus near several GPUs count once: only laying them tells.
        let want = slots.min(deal.asked);
        let cap = placement.fit(group, layout, want);
        if cap < want
            && let End::Fails(failure @ Failure::NoTarget(_)) =
                placement.ending(group, layout, want)
        {
            return Err(refuse::unbindable(
                placement,
                deal.stopped(0),
                group,
                failure,
            ));
        }
        return Ok(cap);
    }
    let certain = Deal::explicit(placement) && placement.policy.if_supported == IfSupported::No;
    if certain
        || (!Deal::explicit(placement) && capacity.has_target && placement.policy.limit.is_none())
    {
        return Ok(slots.min(narrow(capacity.by_object)));
    }
    // What the binder leaves unbound uses up no room: only laying them tells.
    Ok(placement.fit(group, layout, slots.min(deal.asked)))
}

/// By node (4.2).
pub(crate) fn node_layout(case: &Case<'_, '_>) -> Result<Choice, MapError> {
    let Case {
        deal,
        placement,
        capacity,
        ..
    } = *case;
    let (row, slots) = (case.row(), case.slots());
    if deal.binding == Binding::Off {
        return Ok((Layout::Plain(Binding::Off), slots));
    }
    if Deal::explicit(placement) {
        case.check_target(Binding::On)?;
        case.check_packages()?;
        let cpus = match (placement.policy.pe, Deal::overload(placement)) {
            (1, true) => u32::MAX,
            (1, false) => capacity.free,
            (_, _) => capacity.by_package,
        };
        return Ok((Layout::Plain(Binding::On), slots.min(cpus)));
    }
    let each = (deal.asked / placement.node_count()).max(1);
    let given_up = if case.pass == Pass::Sharing {
        capacity.free < each && each <= row.avail
    } else {
        capacity.free < each.min(row.avail)
    };
    let layout = if given_up {
        Layout::HalfBound(each)
    } else {
        Layout::Plain(Binding::On)
    };
    Ok((layout, slots))
}
