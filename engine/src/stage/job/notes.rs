//! What is worth a note about what was placed. Source: errors "Notes".

use crate::error::Note;
use crate::id::Id as _;
use crate::plan::Placed;
use crate::stage::job::site::Site;
use crate::stage::place::placement::Placement;
use crate::table::apps::AppId;
use crate::table::names::NodeId;

/// Cpus for each process of a node from which a binding to one cpu is called narrow.
const NARROW_FROM: u32 = 4;

/// Bindings given up, cpus shared.
pub(crate) fn of_app(placement: &Placement<'_>, notes: &mut Vec<Note>) {
    let app = placement.app_number();
    if let Some(group) = placement.dropped {
        let state = placement.trial[group.trial].state;
        let at = placement
            .groups
            .iter()
            .position(|other| other.nodes.first == group.nodes.first);
        let procs = at.map_or(0, |at| placement.groups[at].placed);
        let row = *placement.tables.states.get(state);
        let free = placement.tables.pusets.words(row.free);
        let units = placement.view(row.topology).binder.free_units(free);
        let (policy, node) = (
            placement.policy.map.word(),
            placement.nodes.name(group.nodes.first),
        );
        let cpus = units.count();
        notes.push(Note::BindingDropped {
            app,
            policy,
            node,
            cpus,
            procs,
        });
    }
    if let Some(group) = placement.sharing() {
        notes.push(Note::Overloaded {
            app,
            node: placement.nodes.name(group.nodes.first),
            procs: group.placed,
        });
    }
}

/// Nodes that hold more processes than slots.
pub(crate) fn of_job(site: &Site, notes: &mut Vec<Note>) {
    let over = || {
        site.pool.nodes.runs.iter().filter(|&(_, state)| {
            site.pool.tables.states.get(state).used > site.pool.tables.states.get(state).slots
        })
    };
    if let Some((nodes, state)) = over().next() {
        let row = site.pool.tables.states.get(state);
        notes.push(Note::Oversubscribed {
            nodes: over().map(|(nodes, _)| nodes.count).sum(),
            first: site.pool.nodes.name(nodes.first),
            procs: row.used,
            slots: row.slots,
        });
    }
}

/// One or two processes bound to a cpu each by default, on a node that has many.
pub(crate) fn narrow(site: &mut Site, app: AppId, placed: &Placed, notes: &mut Vec<Note>) {
    let Some(run) = placed.runs.first() else {
        return;
    };
    let bound = site
        .pool
        .tables
        .patterns
        .get(run.pattern)
        .place(0)
        .cpus
        .is_some();
    let state = site
        .pool
        .nodes
        .runs
        .state(NodeId::from_row(run.nodes.first as usize));
    let topology = site.pool.tables.topology_of(state);
    let mode = site
        .pool
        .tables
        .hardware(topology)
        .mode(crate::policy::CpuMode::Core);
    let cpus = site.pool.tables.hardware(topology).units(mode).len();
    if bound && cpus >= NARROW_FROM * run.procs {
        let app = crate::stage::node::units::narrow(app.row());
        notes.push(Note::BindingNarrow {
            app,
            bound: run.procs,
            allowed: cpus,
        });
    }
}
