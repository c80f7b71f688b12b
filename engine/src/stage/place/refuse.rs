//! Refusals of the placing stages: what was asked, what there was, where. Source: `errors`.

use crate::stage::node::bind::Failure;
use crate::stage::node::bits;

use super::placement::Placement;
use super::trial::NodeGroup;
use crate::error::words::Kinds;
use crate::error::{MapError, PlaceError};
use crate::limit::PATTERN_RUNS_MAX;
use crate::policy::{BindTo, ObjKind};
use crate::table::topologies::{Topologies, TopologyId};

/// The name of the first node of a group.
pub(crate) fn node(placement: &Placement<'_>, group: usize) -> String {
    placement.nodes.name(placement.groups[group].nodes.first)
}

/// What each process is bound to, in words.
pub(crate) fn target(placement: &Placement<'_>) -> String {
    match (placement.policy.pe, placement.policy.bind) {
        (1, BindTo::Object(kind)) => format!("to a {}", kind.word()),
        (1, BindTo::Nothing | BindTo::BySize) => "to nothing".to_owned(),
        (pe, _) => format!("to {pe} cpus"),
    }
}

/// The kinds of objects that a group's nodes have, but for the machine.
pub(crate) fn kinds(placement: &Placement<'_>, group: usize) -> Kinds {
    let topology = placement.topology(placement.groups[group].trial);
    kinds_of(&placement.tables.topologies, topology)
}

/// The kinds of objects of a topology, but for the machine.
pub(super) fn kinds_of(topologies: &Topologies, topology: TopologyId) -> Kinds {
    let there = ObjKind::ALL.into_iter().skip(1);
    let there = there.filter(|&kind| topologies.count(topology, kind) > 0);
    Kinds(there.map(ObjKind::word).collect())
}

pub(crate) fn no_target(placement: &Placement<'_>, group: usize) -> Failure {
    let topology = placement.topology(placement.groups[group].trial);
    let kind = match placement.policy.bind {
        BindTo::Object(kind) => kind,
        BindTo::Nothing | BindTo::BySize => ObjKind::Machine,
    };
    let hardware = placement.tables.hardware[topology].as_ref();
    Failure::NoTarget(hardware.map_or(kind, |hardware| hardware.kind(kind)))
}

/// A process that must be bound and cannot be.
pub(crate) fn unbindable(
    placement: &Placement<'_>,
    placed: u64,
    group: usize,
    failure: Failure,
) -> MapError {
    let app = placement.app_number();
    match failure {
        Failure::NoTarget(kind) => PlaceError::BindTargetNotFound {
            app,
            kind: kind.word(),
            inside: if placement.policy.map.object_kind() == Some(ObjKind::Gpu) {
                " inside the cpus near a gpu"
            } else {
                ""
            },
            there: kinds(placement, group),
            node: node(placement, group),
        }
        .into(),
        Failure::Limit => {
            let kind = match placement.policy.bind {
                BindTo::Object(kind) => kind.word(),
                BindTo::Nothing | BindTo::BySize => "object",
            };
            let limit = placement.policy.limit.unwrap_or(0);
            PlaceError::BindLimit {
                app,
                limit,
                kind,
                node: node(placement, group),
            }
            .into()
        }
        Failure::NoCpu | Failure::SpanPackages | Failure::ListedTaken(_) => {
            full(placement, placed, group)
        }
    }
}

/// The cpus of a group's nodes that may be used: `cpus 0-3,8`.
pub(crate) fn cpus_there(placement: &Placement<'_>, group: usize) -> String {
    let trial = placement.groups[group].trial;
    let view = placement.view(placement.topology(trial));
    let state = placement.tables.states.get(placement.trial[trial].state);
    let may = { view.binder }.free_units(placement.tables.pusets.words(state.allowed));
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for cpu in bits::ones(may.words(), &[(0, may.len())]) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => runs.push((cpu, cpu)),
        }
    }
    let words = runs.iter().map(|&(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    });
    match runs.len() {
        0 => "none that may be used".to_owned(),
        _ => format!("cpus {}", words.collect::<Vec<_>>().join(",")),
    }
}

pub(crate) fn span_packages(placement: &Placement<'_>, group: usize, asked: String) -> MapError {
    let trial = placement.groups[group].trial;
    let view = placement.view(placement.topology(trial));
    let binder = &view.binder;
    let state = placement.tables.states.get(placement.trial[trial].state);
    let may = binder.free_units(placement.tables.pusets.words(state.allowed));
    let packages = binder.packages();
    let cpus = packages
        .iter()
        .map(|package| binder.count_free(may.words(), package).to_string());
    let packages = cpus.collect::<Vec<_>>().join(", ");
    PlaceError::SpanPackages {
        app: placement.app_number(),
        asked,
        node: node(placement, group),
        packages,
    }
    .into()
}

pub(crate) fn out_of_resource(placement: &Placement<'_>) -> MapError {
    PlaceError::OutOfResource {
        app: placement.app_number(),
        asked: placement.asked,
        placed: placement.dealt(),
        nodes: placement.node_count(),
    }
    .into()
}

/// Cpus ran out behind so many processes.
pub(crate) fn out_of_cpus(placement: &Placement<'_>, placed: u64) -> MapError {
    let has_slots = |group: &NodeGroup| group.avail > 0;
    let group = placement.groups.iter().position(has_slots);
    full(placement, placed, group.unwrap_or(0))
}

/// The cpus of a group's nodes ran out.
fn full(placement: &Placement<'_>, placed: u64, group: usize) -> MapError {
    let asked = placement.asked;
    let (app, at) = (placement.app_number(), node(placement, group));
    if placed > 0 {
        return PlaceError::NotEnoughCpus {
            app,
            asked,
            placed,
            target: target(placement),
            node: at,
        }
        .into();
    }
    let (free, cpus) = first_cpus(placement, group);
    PlaceError::NoAvailableCpus {
        app,
        target: target(placement),
        nodes: placement.node_count(),
        node: at,
        free,
        cpus,
    }
    .into()
}

/// Free and all cpus of a group's nodes.
pub(crate) fn first_cpus(placement: &Placement<'_>, group: usize) -> (u32, u32) {
    let Some(row) = placement.groups.get(group) else {
        return (0, 0);
    };
    let view = placement.view(placement.topology(row.trial));
    let state = placement
        .tables
        .states
        .get(placement.trial[row.trial].state);
    let count = |set| {
        let units = view.binder.free_units(placement.tables.pusets.words(set));
        units.count()
    };
    (count(state.free), count(state.allowed))
}

pub(crate) fn too_long() -> MapError {
    let limit = PATTERN_RUNS_MAX as u64;
    PlaceError::JobTooLarge {
        what: "different processes on one node",
        asked: limit + 1,
        limit,
    }
    .into()
}
