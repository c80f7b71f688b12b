//! What is worth a note about placed apps. Which app gets `binding-narrow` is decided in `stage/job/mod.rs`. Source: errors "Notes".

use super::placement::Placement;
use crate::error::Note;
use crate::id::Id as _;
use crate::plan::{Placed, PlacedRun};
use crate::policy::{BindTo, CpuMode, ObjKind};
use crate::stage::alloc::Pool;
use crate::table::apps::{AppId, Policy};
use crate::table::names::NodeId;
use crate::table::uncovered::Uncovered;

/// A binding to one cpu is called narrow from this many cpus for each process of the node.
const NARROW_FROM: u32 = 4;

/// Notes on bindings that were given up, and on cpus that are shared.
pub(crate) fn of_app(placement: &Placement<'_>, notes: &mut Vec<Note>) {
    let (app, groups) = (placement.app.number(), &placement.groups);
    let first = |node: u32| groups.iter().position(|group| group.nodes.first == node);
    if let Some(group) = placement.dropped.and_then(first) {
        let state = placement.found(group);
        let free = placement.tables.pusets.words(state.free);
        let view = placement.view(state.topology);
        notes.push(Note::BindingDropped {
            app,
            policy: placement.policy.map.word(),
            node: placement.nodes.name(groups[group].nodes.first),
            cpus: view.binder.free_units(free).count(),
            procs: groups[group].placed,
            unbound: 0,
        });
    }
    let mut sharing = groups
        .iter()
        .filter(|group| placement.memo[group.trial].shares_cpus);
    if let Some(group) = sharing.next() {
        notes.push(Note::Overloaded {
            app,
            node: placement.nodes.name(group.nodes.first),
            procs: group.placed,
        });
    }
}

/// Notes nodes that hold more processes than slots, and names that are alike.
pub(crate) fn of_job(pool: &Pool, notes: &mut Vec<Note>) {
    if let Some([one, other]) = &pool.alike {
        notes.push(Note::OfLine {
            class: "names-alike",
            text: format!(
                "{one} and {other} are two nodes: full names that share their first label are compared whole"
            ),
        });
    }
    let state = |state| pool.tables.states.get(state);
    let over = || {
        pool.nodes
            .runs
            .iter()
            .filter(|&(_, of)| state(of).used > state(of).slots)
    };
    if let Some((nodes, of)) = over().next() {
        notes.push(Note::Oversubscribed {
            nodes: over().map(|(nodes, _)| nodes.count).sum(),
            first: pool.nodes.name(nodes.first),
            procs: state(of).used,
            slots: state(of).slots,
        });
    }
}

/// Notes processes that a default left unbound although the app kept its binding, and memory that does not count. `own`: the row of
/// the app's first note.
pub(crate) fn by_objects(
    pool: &Pool,
    (app, policy): (AppId, &Policy),
    placed: &Placed,
    own: usize,
    notes: &mut Vec<Note>,
) {
    let tables = &pool.tables;
    let state_of = |node: u32| {
        let state = pool.nodes.runs.state(NodeId::from_row(node as usize));
        *tables.states.get(state)
    };
    let look = |node: u32, kind: ObjKind| {
        let state = state_of(node);
        let allowed = tables.pusets.get(state.allowed);
        Uncovered::new(&tables.topologies, state.topology, allowed, kind)
    };
    let bound = match policy.bind {
        BindTo::Object(kind) => Some(kind),
        BindTo::Nothing | BindTo::BySize => None,
    };
    let by_numa = policy.map.object_kind() == Some(ObjKind::Numa) || bound == Some(ObjKind::Numa);
    let memory_behind = |run: &&PlacedRun| {
        let topology = state_of(run.nodes.first).topology;
        let counted = tables.topologies.domains(topology).len();
        tables.topologies.count(topology, ObjKind::Numa) as usize > counted
    };
    if let Some(run) = placed
        .runs
        .first()
        .filter(|_| by_numa)
        .filter(memory_behind)
    {
        let seen = look(run.nodes.first, ObjKind::Numa);
        if seen.left_out() > 0 {
            notes.push(Note::OneDomain {
                app: app.number(),
                left_out: seen.left_out(),
                objects: seen.objects,
                counted: seen.counted,
                node: pool.nodes.name(run.nodes.first),
            });
        }
    }
    let unbound = |run: &PlacedRun| {
        let bound = tables.patterns.get(run.pattern).bound(run.procs);
        (u64::from(run.procs) - bound) * u64::from(run.nodes.count)
    };
    let left: u64 = placed.runs.iter().map(unbound).sum();
    if is_given_up(left, own, notes) {
        return;
    }
    let Some(kind) = bound.filter(|_| !policy.map.is_listed()) else {
        return;
    };
    let first = placed.runs.iter().find(|run| unbound(run) > 0);
    if let Some(run) = first {
        let why = look(run.nodes.first, kind).reason();
        notes.push(Note::Unbound {
            app: app.number(),
            procs: left,
            node: pool.nodes.name(run.nodes.first),
            why: why.unwrap_or_else(|| format!("no cpu of a {} is free for them", kind.word())),
        });
    }
}

/// Whether the default binding of an app was given up: its note learns how many processes that left unbound. If none is, as they
/// share a list of cpus, the note is dropped. The notes from row `own` on are the app's; those of other apps are not looked at.
fn is_given_up(left: u64, own: usize, notes: &mut Vec<Note>) -> bool {
    let said = |note: &Note| matches!(note, Note::BindingDropped { .. });
    let Some(at) = notes[own..].iter().position(said) else {
        return false;
    };
    if left == 0 {
        notes.remove(own + at);
        return false;
    }
    if let Note::BindingDropped { unbound, .. } = &mut notes[own + at] {
        *unbound = left;
    }
    true
}

/// Notes one or two processes that a default binds to one cpu each, on a node with many cpus.
pub(crate) fn narrow(pool: &mut Pool, app: AppId, placed: &Placed, notes: &mut Vec<Note>) {
    let Some(run) = placed.runs.first() else {
        return;
    };
    let first = NodeId::from_row(run.nodes.first as usize);
    let tables = &mut pool.tables;
    let bound = tables.patterns.get(run.pattern).place(0).cpus.is_some();
    let topology = tables.topology_of(pool.nodes.runs.state(first));
    let hardware = tables.hardware(topology);
    let cpus = hardware.units(hardware.mode(CpuMode::Core)).len();
    if bound && cpus >= NARROW_FROM * run.procs {
        notes.push(Note::BindingNarrow {
            app: app.number(),
            bound: run.procs,
            allowed: cpus,
            procs: placed
                .runs
                .iter()
                .map(|run| u64::from(run.procs) * u64::from(run.nodes.count))
                .sum(),
        });
    }
}
