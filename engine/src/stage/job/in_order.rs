//! Places apps one after the other, each on what the earlier apps left.

use super::{Before, Choice, JobOutcome, choose, processes};
use crate::count::ProcCount;
use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::plan::Placed;
use crate::policy::MapBy;
use crate::spawn::request::owner;
use crate::stage::component::Components;
use crate::stage::place::app::{App, Procs};
use crate::stage::place::commit::commit;
use crate::stage::place::refuse::{check_size, no_processes};
use crate::stage::place::workspace::Workspace;
use crate::stage::place::{place, select};
use crate::stage::resolve::Resolved;
use crate::table::apps::AppId;

/// Places the apps one after the other.
///
/// # Errors
/// The error of the first app that is refused.
pub(super) fn in_order(
    work: &mut Workspace,
    resolved: &mut Resolved,
    components: &Components,
    total: u64,
    outcome: &mut JobOutcome,
) -> Result<(), MapError> {
    let mut before = Before::default();
    for id in resolved.apps.ids() {
        let choices = &mut outcome.choices;
        let Some(mut choice) = choose(resolved, components, total, id, choices)? else {
            continue;
        };
        let job = (components, total);
        loop {
            match place_chosen(work, resolved, job, (id, &choice), &mut before, outcome) {
                // The component looked at the nodes and passed.
                Err(MapError::Place(PlaceError::TakeNextOption(_))) => {
                    choice.pass(id, resolved, components)?;
                }
                placed => break placed?,
            }
        }
        choice.log(id, resolved, components, &mut outcome.calls);
    }
    Ok(())
}

/// Places an app by the component that was chosen for it.
pub(crate) fn place_chosen(
    work: &mut Workspace,
    resolved: &mut Resolved,
    (components, total): (&Components, u64),
    (id, choice): (AppId, &Choice),
    before: &mut Before,
    outcome: &mut JobOutcome,
) -> Result<(), MapError> {
    if let Some((_, error)) = resolved.deferred.iter().find(|(late, _)| *late == id) {
        return Err(error.clone().into());
    }
    let procs = outcome.counts[id.row()];
    // The vector that an earlier placement without a plan had for this app.
    work.scratch.runs = std::mem::take(&mut outcome.placed[id.row()].runs);
    let said = outcome.notes.len();
    let notes = &mut outcome.notes;
    let app = choice.app(id, resolved, components, procs, *before);
    let mut placed = place_app(work, &app, notes);
    // Objects may be too small for a PE of the job: then the app is placed without it (`semantics` 5.1).
    if let Err(MapError::Place(PlaceError::PeExceedsObject { .. })) = placed
        && let Some(without) = choice.without_pe(id, resolved, total)
    {
        notes.truncate(said);
        notes.push(Note::NoEffect {
            word: "the job's pe".to_owned(),
            owner: owner(id),
            why: "no object that the app is mapped to has as many cpus",
        });
        let procs = procs.without_pe();
        if procs == Procs::Counted(ProcCount(0)) {
            return Err(no_processes(&work.pool, id));
        }
        let app = without.app(id, resolved, components, procs, *before);
        placed = place_app(work, &app, notes);
    }
    if placed.is_err() {
        notes.truncate(said);
    }
    let placed = placed?;
    let origins = resolved.apps.origins[id];
    choice.note_bindings(&mut work.pool, (id, origins), &placed, said, notes);
    let ranks = check_size(u64::from(before.ranks) + processes(&placed))?;
    if choice.policy.map == MapBy::Lsf {
        before.lines += ranks - before.ranks;
    }
    before.ranks = ranks;
    outcome.placed[id.row()] = placed;
    Ok(())
}

/// Places one app: the stages that run for every app.
pub(super) fn place_app(
    work: &mut Workspace,
    app: &App<'_>,
    notes: &mut Vec<Note>,
) -> Result<Placed, MapError> {
    // Which nodes it may use, or the nodes that a file lists for it.
    let nodes = select(work, app, notes)?;
    // How many processes go to each node, on which objects and cpus, and what is left.
    let outcome = place(work, app, nodes, notes)?;
    // The nodes get the states that the app leaves.
    Ok(commit(work, outcome))
}
