//! Which nodes an app may use, in which order, and how many slots it may take on each. Source: `semantics` 1.2 to 1.4, 4.

use super::hostfile::lowered;
use super::named::{look_up, named};
use super::pool::Pool;
use super::selected::{Candidate, Named, Selected, SlotChanges};
use super::slots::SlotsSaid;
use crate::error::phrases::FullNodes;
use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::policy::{NoLocal, Oversubscribe};
use crate::table::apps::{AppId, Policy};
use crate::table::intervals::Intervals;
use crate::table::names::{NodeRange, cut_around};
use crate::table::states::{NodeState, StateId, States};
use crate::text::host_types::Hosts;
use std::borrow::Cow;
use std::sync::Arc;

/// The nodes that an app may use, and how many slots of each: neighbouring nodes of one state and one claim. Full nodes drop out.
///
/// # Errors
/// `no-such-host`, `no-nodes`, `not-enough-gpus`, `slots-exceed-max`, `nodes-full`.
pub(crate) fn select(
    pool: &mut Pool,
    hosts: &Hosts,
    app: AppId,
    policy: &Policy,
    notes: &mut Vec<Note>,
) -> Result<Selected, MapError> {
    let named = named(pool, hosts, app)?;
    let named = pool.nodes.with_gpus((hosts, app), policy, named)?;
    let mut slots = SlotChanges {
        lowered: lowered(pool, hosts, app)?,
        raised: Vec::new(),
    };
    let list = without_local(pool, app, policy, &named, notes)?;
    let mut candidates = std::mem::take(&mut pool.candidates);
    candidates.clear();
    let Pool { nodes, tables, .. } = pool;
    let runs = nodes.with(&slots.lowered);
    // If nothing is claimed, full nodes at the front drop out, and later apps need not look at them again.
    let skips = policy.oversubscribe == Oversubscribe::Refused && named.claims.is_none();
    let (from, mut full) = (if skips { nodes.full } else { 0 }, nodes.full);
    for (range, claim) in claimed(&named, &list, from) {
        for (part, state) in runs.within(range) {
            // A node that this app's own hostfile lowers may get its slots back, so it is not recorded as full.
            if part.first == full && slots.lowered.is_empty() && tables.states.get(state).is_full()
            {
                full = part.end();
            }
            let found = candidate(&mut tables.states, state, claim, policy.oversubscribe);
            let exceeding = |Exceeding { claim, max, used }| PlaceError::SlotsExceedMax {
                app: app.number(),
                node: nodes.name(part.first),
                claim,
                max,
                used,
            };
            let Some((raised, avail)) = found.map_err(exceeding)? else {
                continue;
            };
            if raised != state {
                slots.raised.push((part, raised));
            }
            candidates.push(Candidate {
                nodes: part,
                state: raised,
                avail,
            });
        }
    }
    drop(runs);
    nodes.full = full;
    if candidates.is_empty() {
        return Err(nodes_full(pool, app, &list));
    }
    Ok(Selected {
        candidates,
        slots,
        named,
    })
}

/// An app claims more slots of a node than its max_slots leave.
struct Exceeding {
    claim: u64,
    max: u32,
    used: u32,
}

/// The state that a claim gives a node, and how many slots the app may take; `None` if the node drops out.
#[inline]
fn candidate(
    states: &mut Arc<States>,
    state: StateId,
    claim: Option<SlotsSaid>,
    oversubscribe: Oversubscribe,
) -> Result<Option<(StateId, u32)>, Exceeding> {
    let row = *states.get(state);
    let left = row.left();
    let forbidden = oversubscribe == Oversubscribe::Refused;
    // A full node drops out before anything is claimed of it (4).
    if row.room() == 0 || (forbidden && row.is_full()) {
        return Ok(None);
    }
    let avail = match claim {
        None => u64::from(left),
        Some(SlotsSaid { counted, all }) => counted.saturating_add(all * u64::from(left)),
    };
    let mut raised = state;
    if forbidden && avail > u64::from(left) {
        let slots = row.claimed(avail).map_err(|max| Exceeding {
            claim: avail,
            max,
            used: row.used,
        })?;
        raised = Arc::make_mut(states).intern(NodeState { slots, ..row });
    }
    let avail = if left == 0 {
        0
    } else {
        u32::try_from(avail).unwrap_or(u32::MAX)
    };
    Ok(Some((raised, avail)))
}

/// The list from a node of the pool on, in parts of one claim each.
fn claimed<'n>(
    named: &'n Named,
    list: &'n [NodeRange],
    from: u32,
) -> impl Iterator<Item = (NodeRange, Option<SlotsSaid>)> + 'n {
    let listed = list.iter().filter_map(move |nodes| nodes.from(from));
    listed.flat_map(move |nodes| {
        let whole = named.claims.is_none().then_some((nodes, None));
        let claims = named.claims.as_deref().unwrap_or_default();
        let first = claims.partition_point(|(claimed, _)| claimed.end() <= nodes.first);
        let parts = claims[first..]
            .iter()
            .map_while(move |&(claimed, claim)| Some((claimed.overlap(nodes)?, Some(claim))));
        whole.into_iter().chain(parts)
    })
}

/// The list, without the local node under NOLOCAL.
///
/// # Errors
/// `no-nodes`.
pub(crate) fn without_local<'n>(
    pool: &Pool,
    app: AppId,
    policy: &Policy,
    named: &'n Named,
    notes: &mut Vec<Note>,
) -> Result<Cow<'n, [NodeRange]>, MapError> {
    let app = app.number();
    let no_nodes = |removed| MapError::from(PlaceError::NoNodes { app, removed });
    if named.list.iter().all(|nodes| nodes.count == 0) {
        return Err(no_nodes("its hostfile excludes them all"));
    }
    if policy.nolocal == NoLocal::No {
        return Ok(Cow::Borrowed(&named.list));
    }
    let local = pool.nodes.local.map(|node| node.number());
    let Some(local) = local.filter(|&local| named.list.iter().any(|nodes| nodes.holds(local)))
    else {
        notes.push(Note::NothingLocal { app });
        return Ok(Cow::Borrowed(&named.list));
    };
    let parts = named
        .list
        .iter()
        .flat_map(|&nodes| cut_around(nodes, local));
    let list: Vec<NodeRange> = parts.filter(|part| part.first != local).collect();
    if list.is_empty() {
        return Err(no_nodes("NOLOCAL takes the local node away"));
    }
    Ok(Cow::Owned(list))
}

/// The full nodes that an app without enough room could have used, for the refusal. Cost: the app's nodes, only when the app is
/// refused.
pub(crate) fn full_nodes(pool: &Pool, hosts: &Hosts, app: AppId, selected: &Selected) -> FullNodes {
    let Ok(named) = look_up(pool, hosts, app) else {
        return FullNodes::default();
    };
    let mut open = Intervals::default();
    for candidate in &selected.candidates {
        open.insert(candidate.nodes);
    }
    let runs = pool.nodes.with(&selected.slots.lowered);
    let left_out = named.list.iter().flat_map(|&range| open.missing(range));
    let states = left_out.flat_map(|range| runs.within(range).collect::<Vec<_>>());
    let is_full = |&(_, state): &(NodeRange, StateId)| {
        let row = pool.tables.states.get(state);
        row.used > 0 && row.left() == 0
    };
    let full: Vec<NodeRange> = states.filter(is_full).map(|(range, _)| range).collect();
    by_name(pool, &full)
}

/// The names of some nodes. Cost: the ranges.
fn by_name(pool: &Pool, full: &[NodeRange]) -> FullNodes {
    let nodes = full.iter().flat_map(|range| range.first..range.end());
    let all = full.iter().map(|range| u64::from(range.count)).sum();
    FullNodes::of(nodes.map(|node| pool.nodes.name(node)), all)
}

fn nodes_full(pool: &Pool, app: AppId, list: &[NodeRange]) -> MapError {
    let (mut slots, mut used, mut nodes) = (0, 0, 0);
    let mut full = Vec::new();
    for (part, state) in list.iter().flat_map(|&nodes| pool.nodes.runs.within(nodes)) {
        let row = pool.tables.states.get(state);
        slots += u64::from(row.slots) * u64::from(part.count);
        used += u64::from(row.used) * u64::from(part.count);
        nodes += part.count;
        full.extend(Some(part).filter(|_| row.used > 0));
    }
    PlaceError::NodesFull {
        app: app.number(),
        nodes,
        slots,
        used,
        full: by_name(pool, &full),
    }
    .into()
}
