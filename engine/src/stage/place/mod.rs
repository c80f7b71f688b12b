//! Placing one app: which nodes, how many processes on each, on which objects and cpus, what that leaves. Source:
//! `semantics` 4.

// An app about to be placed.
pub(crate) mod app;
// What becomes of nodes of one state under one policy.
pub(crate) mod memo;
// How many go to each node: arithmetic.
pub(crate) mod share;
// Nodes that fare alike, and what they are given.
mod group;
// An app being placed.
pub(crate) mod placement;
// The vectors that this fills.
pub(crate) mod scratch;
// What it asks of nodes.
mod learn;
// How what was allotted is laid.
mod lay;
// Refusals of several policies.
pub(crate) mod refuse;
// What a map policy says.
pub(crate) mod policy;
// Each node filled before the next.
mod filling;
// One process to each node in turn.
mod rounds;
// The policies, a file each.
mod mpibind;
mod node;
mod object;
mod pe_list;
mod ppr;
mod slot;
// Where a component of the launcher's own puts an app.
mod custom;
// What nodes, tables and memos apps are placed on.
pub(crate) mod workspace;
// What is worth a note.
pub(crate) mod notes;
// What an app comes to.
pub(crate) mod outcome;
// Giving the nodes their new states.
pub(crate) mod commit;
// What an app wrote out: which nodes, in which order.
pub(crate) mod entries;
// The entries of one node.
mod listed_node;
// What all entries come to.
mod listed;

use crate::count::ProcCount;
use crate::error::words::Counted;
use crate::error::{MapError, Note, PlaceError};
use crate::policy::{BindStrength, BindTo, MapBy, Oversubscribe};
use crate::stage::alloc::Pool;
use crate::stage::alloc::select::{self, full_nodes};
use crate::stage::alloc::selected::{Candidate, Selected};
use crate::stage::component::{ComponentPattern, Count, Functions};
use crate::stage::node::layout::Binding;
use app::App;
use custom::ByObjects;
use entries::Entries;
use group::NodeGroup;
use memo::Memo;
use outcome::Outcome;
use placement::Placement;
use policy::{Counting, MapPolicy};
use refuse::{judge_size, not_enough_slots};
use workspace::Workspace;

/// The nodes of an app.
pub(crate) enum AppNodes {
    /// All that it may use.
    Candidates(Selected),
    /// Those that were written out, entry by entry.
    Entries(Entries),
}

/// Which nodes an app may use, or those that were written out for it.
///
/// # Errors
/// What the app's hosts get wrong, that there are no nodes, or none with room.
pub(crate) fn select(
    work: &mut Workspace,
    app: &App<'_>,
    notes: &mut Vec<Note>,
) -> Result<AppNodes, MapError> {
    let engine = matches!(app.component.functions, Functions::Engine);
    if engine && app.policy.map.is_listed() {
        return entries::entries(&mut work.pool, app, notes).map(AppNodes::Entries);
    }
    let hosts = &app.resolved.hosts;
    select::select(&mut work.pool, hosts, app.id, app.policy, notes).map(AppNodes::Candidates)
}

/// How many processes go to each node, on which objects and cpus, and what that leaves. Changes no node.
///
/// # Errors
/// The classes of errors "Room" and "Objects and cpus".
pub(crate) fn place(
    work: &mut Workspace,
    app: &App<'_>,
    nodes: AppNodes,
    notes: &mut Vec<Note>,
) -> Result<Outcome, MapError> {
    match nodes {
        AppNodes::Entries(entries) => listed::place(work, app, entries),
        AppNodes::Candidates(selected) => match app.component.functions {
            Functions::Engine => by_engine(work, app, selected, notes),
            Functions::Own { count, pattern } => {
                by_component(work, app, count, pattern, selected, notes)
            }
        },
    }
}

/// Calls something with the map policy of an app. Entries that were written out have none.
pub(crate) fn by_policy<R>(map: MapBy, call: impl FnOnce(&mut dyn MapPolicy) -> R) -> R {
    match map {
        MapBy::Slot => call(&mut slot::BySlot),
        MapBy::Node => call(&mut node::ByNode),
        MapBy::Object(_) | MapBy::Dist => call(&mut object::ByObject),
        MapBy::Ppr { per, on } => call(&mut ppr::ByPpr::new(per, on)),
        MapBy::PeList => call(&mut pe_list::ByPeList),
        MapBy::Mpibind(options) => call(&mut mpibind::ByMpibind(options)),
        MapBy::Seq | MapBy::Rankfile | MapBy::Lsf => unreachable!("listed.rs places entries"),
    }
}

/// Places an app by the engine's own policies.
fn by_engine(
    work: &mut Workspace,
    app: &App<'_>,
    selected: Selected,
    notes: &mut Vec<Note>,
) -> Result<Outcome, MapError> {
    let Workspace {
        pool,
        memo,
        scratch,
    } = work;
    let (procs, counted) = procs(pool, app, &selected.candidates)?;
    // What is near a device is only this app's.
    let mut own = Memo::default();
    let memo = if app.policy.map == MapBy::Dist {
        &mut own
    } else {
        memo
    };
    let nodes = &selected.candidates;
    let mut placement = Placement::new(pool, memo, scratch, app, *app.policy, nodes);
    if let Err(mut error) = place_by_policy(&mut placement, procs, counted) {
        drop(placement);
        if let MapError::Place(
            PlaceError::PprTooMany { full, .. } | PlaceError::NotEnoughSlots { full, .. },
        ) = &mut error
        {
            *full = full_nodes(pool, &app.resolved.hosts, app.id, &selected);
        }
        return Err(error);
    }
    notes::of_app(&placement, notes);
    let outcome = placement.outcome(app.policy_id, selected.slots);
    pool.candidates = selected.candidates;
    Ok(outcome)
}

/// Places an app by the functions of a launcher's component.
fn by_component(
    work: &mut Workspace,
    app: &App<'_>,
    count: Count,
    pattern: ComponentPattern,
    selected: Selected,
    notes: &mut Vec<Note>,
) -> Result<Outcome, MapError> {
    let mut own = Memo::default();
    let Workspace { pool, scratch, .. } = work;
    let policy = custom::laid(app.policy, pattern);
    let nodes = &selected.candidates;
    let mut placement = Placement::new(pool, &mut own, scratch, app, policy, nodes);
    let procs = custom::share_out(&mut placement, app, count)?;
    match pattern {
        ComponentPattern::Engine(_) => {
            // The shares are exact: more than slots or not, the engine fills each and no more.
            placement.policy.oversubscribe = Oversubscribe::Refused;
            place_by_policy(&mut placement, procs, Counted::Given)?;
        }
        ComponentPattern::Own { objects, .. } => {
            let mut chosen = ByObjects {
                app,
                procs,
                objects,
            };
            chosen.place(&mut placement)?;
        }
    }
    notes::of_app(&placement, notes);
    Ok(placement.outcome(app.policy_id, selected.slots))
}

/// Processes of an app whose turn has come.
fn procs(
    pool: &mut Pool,
    app: &App<'_>,
    nodes: &[Candidate],
) -> Result<(ProcCount, Counted), MapError> {
    if let Some(procs) = app.procs.known() {
        return Ok((procs, app.procs.counted()));
    }
    let mut counting = Counting {
        pool,
        apps: &app.resolved.apps,
        app: app.id,
        policy: app.policy,
    };
    let procs = by_policy(app.policy.map, |policy| policy.count(&mut counting, nodes))?;
    if procs == 0 {
        return Err(refuse::no_processes(pool, app.id));
    }
    judge_size(procs.saturating_add(app.ranks_before.into()))?;
    Ok((ProcCount(judge_size(procs)?), app.procs.counted()))
}

/// Places so many processes by the placement's policy, if its slots hold them.
fn place_by_policy(
    placement: &mut Placement<'_>,
    procs: ProcCount,
    counted: Counted,
) -> Result<(), MapError> {
    let slots = |group: &NodeGroup| u64::from(group.slots) * u64::from(group.nodes.count);
    let avail: u64 = placement.groups.iter().map(slots).sum();
    let short = u64::from(procs.0) > avail;
    let policy = &placement.policy;
    if short && policy.oversubscribe == Oversubscribe::Refused {
        let (asked, nodes) = (u64::from(procs.0), placement.node_count());
        return Err(not_enough_slots(
            placement.app,
            asked,
            counted,
            avail,
            nodes,
        ));
    }
    // A default binding is given up where slots do not tell how many come to a node.
    let unbound =
        policy.bind == BindTo::Nothing || (short && policy.strength == BindStrength::Default);
    placement.begin(procs, if unbound { Binding::Off } else { Binding::On });
    by_policy(placement.policy.map, |policy| policy.place(placement))
}
