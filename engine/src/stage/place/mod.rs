//! Placing one app: how many processes each node gets, on which objects and cpus, and the node states that this leaves.
//! Source: `semantics` 4.
//!
//! The way of an app by a map policy (`by_NAME.rs`):
//!
//! 1. The policy places over the nodes, by `filling` or by `rounds`; both ask it how many processes a node of each group takes
//!    (`node_takes`).
//! 2. It answers from what the node has (`ask_node`, `node/capacity`).
//! 3. Each group is given its share (`placement`: `fill` and `allot`, by the arithmetic of `share`).
//! 4. All shares are laid at once (`lay`): one node of each group gets objects and cpus (`node/layout`, `node/bind`), and the result is
//!    kept in the memo.
//! 5. What the app leaves is its `outcome`; `commit` gives it to the nodes.

// An app about to be placed.
pub(crate) mod app;
// Results for nodes of one state under one policy.
pub(crate) mod memo;
// How many processes go to each node: arithmetic.
pub(crate) mod share;
// Groups of nodes that are treated alike, and what they get.
mod group;
// An app being placed.
pub(crate) mod placement;
// The vectors that placing fills.
pub(crate) mod scratch;
// What a placement finds out about nodes.
mod ask_node;
// How shares become patterns.
mod lay;
// Refusals that several policies share.
pub(crate) mod refuse;
// What every map policy does.
pub(crate) mod map_policy;
// Each node filled before the next.
mod filling;
// One process on each node in turn.
mod rounds;
// The map policies, one file each.
mod by_mpibind;
mod by_node;
mod by_object;
mod by_pe_list;
mod by_ppr;
mod by_slot;
// Where a launcher's own component puts an app.
mod by_component;
// The nodes, tables and memos for placing apps.
pub(crate) mod workspace;
// What is worth a note to the user.
pub(crate) mod notes;
// The result of placing an app.
pub(crate) mod outcome;
// Giving the nodes their new states.
pub(crate) mod commit;
// The entries that an app lists: which nodes, in which order.
pub(crate) mod entries;
// The entries of one node.
mod listed_node;
// All entries of an app, placed.
mod listed;

use crate::count::ProcCount;
use crate::error::phrases::Counted;
use crate::error::{MapError, Note, PlaceError};
use crate::policy::{BindStrength, BindTo, MapBy, Oversubscribe};
use crate::stage::alloc::Pool;
use crate::stage::alloc::select::{self, full_nodes};
use crate::stage::alloc::selected::{Candidate, Selected};
use crate::stage::component::{ComponentPattern, Count, Functions};
use crate::stage::node::layout::Binding;
use app::App;
use by_component::ByObjects;
use entries::Entries;
use group::NodeGroup;
use map_policy::{Counting, MapPolicy};
use memo::Memo;
use outcome::Outcome;
use placement::Placement;
use refuse::{check_size, not_enough_slots};
use workspace::Workspace;

/// The nodes of an app.
pub(crate) enum AppNodes {
    /// The nodes that the app may use.
    Candidates(Selected),
    /// The entries that the app lists.
    Entries(Entries),
}

/// Selects the nodes that an app may use, or reads its listed entries.
///
/// # Errors
/// Wrong hosts of the app; no nodes, or no nodes with room.
pub(crate) fn select(
    work: &mut Workspace,
    app: &App<'_>,
    notes: &mut Vec<Note>,
) -> Result<AppNodes, MapError> {
    let engine = matches!(app.component.functions, Functions::Engine);
    if engine && app.policy.map.is_listed() {
        let entries = entries::entries(&mut work.pool, app, notes)?;
        let nodes = entries.steps.iter().filter_map(|step| step.nodes);
        work.pool.nodes.has_gpus(app.policy, nodes)?;
        return Ok(AppNodes::Entries(entries));
    }
    let hosts = &app.resolved.hosts;
    select::select(&mut work.pool, hosts, app.id, app.policy, notes).map(AppNodes::Candidates)
}

/// Decides how many processes each node gets, on which objects and cpus, and which states that leaves. Changes no node.
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
        AppNodes::Candidates(selected) => match &app.component.functions {
            Functions::Engine => by_engine(work, app, selected, notes),
            Functions::Own { count, pattern } => {
                by_component(work, app, count, pattern, selected, notes)
            }
        },
    }
}

/// Calls a function with the map policy of an app. Listed apps have no such policy.
pub(crate) fn by_policy<R>(map: MapBy, call: impl FnOnce(&mut dyn MapPolicy) -> R) -> R {
    match map {
        MapBy::Slot => call(&mut by_slot::BySlot),
        MapBy::Node => call(&mut by_node::ByNode),
        MapBy::Object(_) | MapBy::Dist | MapBy::Device(_) => call(&mut by_object::ByObject),
        MapBy::Ppr { per, on } => call(&mut by_ppr::ByPpr::new(per, on)),
        MapBy::PeList => call(&mut by_pe_list::ByPeList),
        MapBy::Mpibind(options) => call(&mut by_mpibind::ByMpibind(options)),
        MapBy::Seq | MapBy::Rankfile | MapBy::Lsf => unreachable!("listed.rs places entries"),
        MapBy::Given => unreachable!("no word asks for given masks"),
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
    // The device of an app is not part of its policy, so the results for it are not shared.
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
    let outcome = placement.outcome(app.policy_id, selected.slots, Some(selected.named));
    pool.candidates = selected.candidates;
    Ok(outcome)
}

/// Places an app by the functions of a launcher's own component.
fn by_component(
    work: &mut Workspace,
    app: &App<'_>,
    count: &Count,
    pattern: &ComponentPattern,
    selected: Selected,
    notes: &mut Vec<Note>,
) -> Result<Outcome, MapError> {
    let mut own = Memo::default();
    let Workspace { pool, scratch, .. } = work;
    let policy = by_component::laid(app.policy, pattern);
    let nodes = &selected.candidates;
    let mut placement = Placement::new(pool, &mut own, scratch, app, policy, nodes);
    let procs = by_component::share_out(&mut placement, app, count)?;
    match pattern {
        ComponentPattern::Engine(_) => {
            // The shares are exact: the engine gives each node its share and no more, whether or not the node has the slots.
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
    Ok(placement.outcome(app.policy_id, selected.slots, None))
}

/// How many processes an app has when its turn comes.
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
    check_size(procs.saturating_add(app.ranks_before.into()))?;
    Ok((ProcCount(check_size(procs)?), app.procs.counted()))
}

/// Places this many processes by the placement's policy, if its slots hold them.
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
    // With too few slots, the slots do not say how many processes a node gets: a default binding is given up.
    let unbound =
        policy.bind == BindTo::Nothing || (short && policy.strength == BindStrength::Default);
    placement.begin(procs, if unbound { Binding::Off } else { Binding::On });
    by_policy(placement.policy.map, |policy| policy.place(placement))
}
