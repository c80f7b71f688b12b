//! What each policy does with one node: in which layout, and how many processes at most. Source: `semantics` 4.1 to 4.7.

use super::deal::Deal;
use super::facts::{Facts, listed_cpus};
use super::lots::Work;
use super::pattern::{Binding, Layout};
use super::refuse;
use crate::error::MapError;
use crate::policy::{IfSupported, Ordered, Oversubscribe};

/// How a lot takes processes in one pass: in which layout, and how many each node at most.
pub(super) type Choice = (Layout, u32);

/// Which pass.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Slots count.
    First,
    /// Sharing what is too much (4.8): only max_slots and cpus count.
    Sharing,
}

/// An explicit target must be there (7.6); checked before cpus.
pub(super) fn check_target(
    deal: &Deal,
    work: &Work<'_>,
    lot: usize,
    facts: Facts,
    binding: Binding,
) -> Result<(), MapError> {
    let missing = binding == Binding::On && !facts.has_target && Deal::explicit(work);
    if missing {
        Err(refuse::unbindable(
            work,
            deal.stopped(0),
            lot,
            refuse::no_target(work, lot),
        ))
    } else {
        Ok(())
    }
}

/// PE must fit a package of this node, taken or not.
pub(super) fn check_packages(work: &Work<'_>, lot: usize, facts: Facts) -> Result<(), MapError> {
    let pe = u32::from(work.policy.pe);
    let fits = pe == 1 || facts.largest_package >= pe;
    if fits {
        Ok(())
    } else {
        Err(refuse::span_packages(work, lot, format!("pe={pe}")))
    }
}

/// PE must fit a mapped object of this node, taken or not.
pub(super) fn check_objects(work: &Work<'_>, lot: usize, facts: Facts) -> Result<(), MapError> {
    let fits = work.policy.pe == 1 || facts.largest_object >= u32::from(work.policy.pe);
    if fits {
        Ok(())
    } else {
        Err(refuse::pe_exceeds(work, lot, facts))
    }
}

fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// By slot (4.1).
pub(super) fn slot_layout(
    deal: &Deal,
    work: &mut Work<'_>,
    lot: usize,
    facts: Facts,
    pass: Pass,
) -> Result<Choice, MapError> {
    let row = work.lots[lot];
    let slots = if pass == Pass::First {
        row.avail.min(row.room)
    } else {
        row.room
    };
    let given_up = row.avail > facts.free && !Deal::explicit(work) && pass == Pass::First;
    if deal.binding == Binding::Off || given_up {
        return Ok((Layout::Plain(Binding::Off), slots));
    }
    if slots > 0 {
        check_target(deal, work, lot, facts, Binding::On)?;
        check_packages(work, lot, facts)?;
    }
    let cpus = match (work.policy.pe, Deal::overload(work)) {
        (1, true) => u32::MAX,
        (1, false) => facts.free,
        (_, true) if pass == Pass::Sharing => u32::MAX,
        (_, _) => facts.by_package,
    };
    Ok((Layout::Plain(Binding::On), slots.min(cpus)))
}

/// By the cpus of a list (4.7).
pub(super) fn list_layout(
    deal: &Deal,
    work: &mut Work<'_>,
    lot: usize,
    facts: Facts,
    pass: Pass,
) -> Result<Choice, MapError> {
    let row = work.lots[lot];
    if let Some((cpu, reason)) = facts.listed_closed {
        return Err(refuse::pe_list_conflict(work, lot, cpu, reason, facts));
    }
    let list = work
        .policy
        .list
        .map_or(0, |list| narrow(listed_cpus(&work.apps.lists[list])));
    let overload = Deal::overload(work);
    let oversubscribed = work.policy.oversubscribe == Oversubscribe::Allowed;
    let cap = match pass {
        Pass::Sharing => row.room,
        Pass::First => {
            let own = if overload && work.policy.ordered == Ordered::No {
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
        cap.min(facts.listed_free)
    };
    Ok((Layout::List(deal.binding), cap))
}

/// By objects, node after node (4.3).
pub(super) fn sweep_layout(
    deal: &Deal,
    work: &mut Work<'_>,
    lot: usize,
    facts: Facts,
    pass: Pass,
) -> Result<Choice, MapError> {
    let row = work.lots[lot];
    let slots = if pass == Pass::First {
        row.avail.min(row.room)
    } else {
        row.room
    };
    let layout = Layout::Sweep(deal.binding);
    let cap = object_cap(deal, work, lot, facts, (layout, slots))?;
    Ok((layout, cap))
}

/// By objects over all nodes (4.3, SPAN).
pub(super) fn walk_layout(
    deal: &Deal,
    work: &mut Work<'_>,
    lot: usize,
    facts: Facts,
    _: Pass,
) -> Result<Choice, MapError> {
    let row = work.lots[lot];
    let forbidden = work.policy.oversubscribe == Oversubscribe::Refused;
    let slots = if forbidden {
        row.avail.min(row.room)
    } else {
        row.room
    };
    let layout = Layout::Walk(deal.binding);
    let cap = object_cap(deal, work, lot, facts, (layout, slots))?;
    Ok((layout, cap))
}

/// Processes that the objects of a node take, at most `slots`.
fn object_cap(
    deal: &Deal,
    work: &Work<'_>,
    lot: usize,
    facts: Facts,
    (layout, slots): Choice,
) -> Result<u32, MapError> {
    if facts.objects == 0 {
        return Err(refuse::object_not_found(work, lot));
    }
    if deal.binding == Binding::Off || slots == 0 {
        return Ok(slots);
    }
    check_target(deal, work, lot, facts, deal.binding)?;
    check_objects(work, lot, facts)?;
    if Deal::overload(work) {
        return Ok(if facts.with_cpus == 0 { 0 } else { slots });
    }
    let certain = Deal::explicit(work) && work.policy.if_supported == IfSupported::No;
    if certain || (!Deal::explicit(work) && facts.has_target && work.policy.limit.is_none()) {
        return Ok(slots.min(narrow(facts.by_object)));
    }
    // What the binder leaves unbound uses up no room: only laying them tells.
    Ok(work.capacity(lot, layout, slots.min(deal.asked)))
}

/// By node (4.2).
pub(super) fn node_layout(
    deal: &Deal,
    work: &mut Work<'_>,
    lot: usize,
    facts: Facts,
    _: Pass,
) -> Result<Choice, MapError> {
    let row = work.lots[lot];
    let oversubscribed = work.policy.oversubscribe == Oversubscribe::Allowed;
    let slots = if oversubscribed {
        row.room
    } else {
        row.avail.min(row.room)
    };
    if deal.binding == Binding::Off {
        return Ok((Layout::Plain(Binding::Off), slots));
    }
    if Deal::explicit(work) {
        check_target(deal, work, lot, facts, Binding::On)?;
        check_packages(work, lot, facts)?;
        let cpus = match (work.policy.pe, Deal::overload(work)) {
            (1, true) => u32::MAX,
            (1, false) => facts.free,
            (_, _) => facts.by_package,
        };
        return Ok((Layout::Plain(Binding::On), slots.min(cpus)));
    }
    let each = (deal.asked / work.nodes()).max(1);
    let given_up = if oversubscribed {
        facts.free < each && each <= row.avail
    } else {
        facts.free < each.min(row.avail)
    };
    let layout = if given_up {
        Layout::HalfBound(each)
    } else {
        Layout::Plain(Binding::On)
    };
    Ok((layout, slots))
}
