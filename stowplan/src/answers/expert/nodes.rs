//! Nodes without ranks, and ranks that lie in one object of several.

use super::Fact;
use super::cores::{Node, cpus_of, meet, objects};
use super::kinds::Kind;
use stowplan_engine::error::Note;
use stowplan_engine::error::note::Facts;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::{MapBy, NoLocal, ObjKind};
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::topologies::ObjectId;

/// Nodes of the job that have slots and no rank.
pub(super) fn idle(plan: &Plan) -> Option<Note> {
    let world = plan.world();
    let placed = plan.nodes_with_processes();
    let mut gaps: Vec<NodeRange> = Vec::new();
    let mut next = 0;
    for nodes in placed
        .iter()
        .copied()
        .chain([NodeRange::until(world.names.len(), world.names.len())])
    {
        if nodes.first > next {
            gaps.push(NodeRange::until(next, nodes.first));
        }
        next = next.max(nodes.end());
    }
    let slots = gaps.iter().flat_map(|gap| world.before.within(*gap));
    let with_slots = slots.filter(|(_, state)| world.states.get(*state).slots > 0);
    let mut idle: Vec<NodeRange> = with_slots.map(|(nodes, _)| nodes).collect();
    if let Some(local) = world.local.filter(|_| leaves_local(plan)) {
        let row = local.number();
        idle = { idle.into_iter() }
            .flat_map(|nodes| {
                let holds = nodes.first <= row && row < nodes.end();
                let (end, first) = if holds {
                    (row, row + 1)
                } else {
                    (nodes.end(), nodes.end())
                };
                [
                    NodeRange::until(nodes.first, end),
                    NodeRange::until(first, nodes.end()),
                ]
            })
            .filter(|nodes| nodes.count > 0)
            .collect();
    }
    let count: u64 = idle.iter().map(|nodes| u64::from(nodes.count)).sum();
    if count == 0 || placed.is_empty() {
        return None;
    }
    let (few, all) = (
        super::names(plan, &idle, super::NAMES_MAX),
        super::names(plan, &idle, usize::MAX),
    );
    let verb = match (count, world.names.len()) {
        (1, all) => format!("{all} nodes has"),
        (_, all) => format!("{all} nodes have"),
    };
    Some(Note::Advice {
        class: "nodes-idle",
        facts: Facts {
            app: None,
            nodes: all,
            count,
            ranks: String::new(),
        },
        text: format!("{count} of {verb} no rank: {few}"),
    })
}

/// Whether every app asks for no process on the local node.
fn leaves_local(plan: &Plan) -> bool {
    let table = plan.resolved_apps();
    let mut apps = table.ids().filter_map(|app| table.policy(app));
    apps.all(|policy| policy.nolocal == NoLocal::Yes)
}

/// All ranks of an app on a node lie in one of several objects of the mapped kind.
pub(super) fn one_domain(plan: &Plan, kind: &Kind) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (row, guest) in kind.guests.iter().enumerate() {
        let policy = plan.resolved_apps().policy(guest.app);
        let Some(MapBy::Object(of)) = policy.map(|policy| policy.map) else {
            continue;
        };
        let is_domain = (ObjKind::Package..=ObjKind::L3).contains(&of);
        let mut objects = guest.places.iter().map(|run| run.place.object);
        let first = objects.next().flatten();
        if !is_domain || guest.run.procs < 2 || !objects.all(|object| object == first) {
            continue;
        }
        let (Some(first), several) = (first, domains(plan, kind, of)) else {
            continue;
        };
        if several < 2 {
            continue;
        }
        let mut fact = Fact {
            class: "one-domain",
            app: Some(guest.app),
            count: u64::from(guest.run.procs),
            procs: Vec::new(),
            ranks: 0,
            what: format!("all lie in {}:{first}, one of {several}", of.word()),
        };
        fact.hold(row, 0, guest.run.procs);
        facts.push(fact);
    }
    facts
}

/// How many objects of a kind have cpus that may be used. Memory behind memory does not count (`semantics` 1.1).
fn domains(plan: &Plan, kind: &Kind, of: ObjKind) -> usize {
    let (world, node) = (plan.world(), Node::of(plan, kind));
    let topology = world.states.get(kind.state).topology;
    let objects = objects(plan, topology, of);
    let some = |object: &&ObjectId| meet(&cpus_of(plan, **object), &node.allowed);
    objects.iter().filter(some).count()
}
