//! Places all apps of a job: side by side where that pays off, else in order.

use super::JobOutcome;
use super::count::{count, total};
use super::in_order::in_order;
use super::side_by_side::side_by_side;
use crate::error::MapError;
use crate::stage::component::Components;
use crate::stage::map_all::Threading;
use crate::stage::place::notes;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::stage::resolve::size::Size;

/// Decides where the processes of every app go. Apps go in order, each on what the earlier apps left; apps that do not compete for nodes are
/// placed side by side. Afterwards the nodes have the states that the apps leave.
pub(crate) fn place_apps(
    work: &mut Workspace,
    resolved: &mut Resolved,
    components: &Components,
    outcome: &mut JobOutcome,
) -> Result<(), MapError> {
    let total = counted(work, resolved, outcome)?;
    if side_by_side(work, resolved, components, total, outcome).is_none() {
        in_order(work, resolved, components, total, outcome)?;
    }
    finish_job(work, outcome);
    Ok(())
}

/// What comes after the last app.
pub(crate) fn finish_job(work: &mut Workspace, outcome: &mut JobOutcome) {
    notes::of_job(&work.pool, &mut outcome.notes);
    // Slots that hosts lowered were lowered for this job alone.
    let states = &mut work.pool.tables.states;
    work.pool.nodes.restore_slots(states);
}

/// As [`place_apps`], without any side by side.
pub(crate) fn place_in_order(
    work: &mut Workspace,
    resolved: &mut Resolved,
    components: &Components,
    outcome: &mut JobOutcome,
) -> Result<(), MapError> {
    let total = counted(work, resolved, outcome)?;
    in_order(work, resolved, components, total, outcome)
}

/// How many processes each app has. Their sum, which is returned, settles the bindings that nobody asked for, in `choose`.
pub(crate) fn counted(
    work: &mut Workspace,
    resolved: &mut Resolved,
    outcome: &mut JobOutcome,
) -> Result<u64, MapError> {
    if resolved.threading != Threading::default() {
        work.pool.tables.threading = resolved.threading;
    }
    count(&mut work.pool, resolved, &mut outcome.counts)?;
    let total = total(resolved, &outcome.counts);
    work.memo.settle(Size::of(total));
    outcome.start(resolved);
    Ok(total)
}
