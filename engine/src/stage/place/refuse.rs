//! Refusals of the placing stages: what was asked, what there was, where. Source: `errors`.

use crate::stage::node::bind::Failure;

use super::deal::Stopped;
use super::placement::Placement;
use super::trial::NodeGroup;
use crate::error::{MapError, PlaceError};
use crate::limit::PATTERN_RUNS_MAX;
use crate::policy::{BindStrength, BindTo, IfSupported, MapBy, ObjKind, PprObject};
use crate::stage::node::capacity::{Capacity, listed_cpus, mapped_kind};
use crate::stage::node::layout::Layout;

/// Nodes that a ppr pattern passed over, and why the first of them was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    nodes: u32,
    first: Option<String>,
}

impl Skipped {
    pub(crate) fn for_slots(&mut self, placement: &Placement<'_>, group: usize, needed: u64) {
        let row = &placement.groups[group];
        let node = placement.nodes.name(row.nodes.first);
        self.note(row.nodes.count, || {
            format!(", {node} needs {needed} slots and has {}", row.avail)
        });
    }
    pub(crate) fn for_cpus(
        &mut self,
        placement: &Placement<'_>,
        group: usize,
        needed: u64,
        capacity: Capacity,
    ) {
        let row = &placement.groups[group];
        let node = placement.nodes.name(row.nodes.first);
        self.note(row.nodes.count, || {
            format!(
                ", {node} needs {needed} free cpus and has {}",
                capacity.free
            )
        });
    }
    fn note(&mut self, nodes: u32, why: impl FnOnce() -> String) {
        self.nodes = self.nodes.saturating_add(nodes);
        self.first.get_or_insert_with(why);
    }
}

fn node(placement: &Placement<'_>, group: usize) -> String {
    placement.nodes.name(placement.groups[group].nodes.first)
}

fn kind_word(placement: &Placement<'_>) -> &'static str {
    mapped_kind(placement.policy.map).map_or("node", ObjKind::word)
}

/// What each process is bound to, in words.
pub(crate) fn target(placement: &Placement<'_>) -> String {
    match (placement.policy.pe, placement.policy.bind) {
        (1, BindTo::Object(kind)) => format!("to a {}", kind.word()),
        (1, BindTo::Nothing | BindTo::BySize) => "to nothing".to_owned(),
        (pe, _) => format!("to {pe} cpus"),
    }
}

pub(crate) fn object_not_found(placement: &Placement<'_>, group: usize) -> MapError {
    let app = placement.app_number();
    if placement.policy.map == MapBy::Dist {
        return no_such_device(placement, group);
    }
    if mapped_kind(placement.policy.map) == Some(ObjKind::Gpu) {
        let node = node(placement, group);
        return PlaceError::DeviceNotFound { app, node }.into();
    }
    PlaceError::ObjectNotFound {
        app,
        kind: kind_word(placement),
        node: node(placement, group),
    }
    .into()
}

fn no_such_device(placement: &Placement<'_>, group: usize) -> MapError {
    let topology = placement.topology(placement.groups[group].trial);
    let devices = placement.tables.topologies.devices(topology);
    let there: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    let device = placement.apps.device[placement.app]
        .clone()
        .unwrap_or_default();
    let there = if there.is_empty() {
        "none".to_owned()
    } else {
        there.join(" ")
    };
    PlaceError::NoSuchDevice {
        app: placement.app_number(),
        node: node(placement, group),
        device,
        there,
    }
    .into()
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
    deal: Stopped,
    group: usize,
    failure: Failure,
) -> MapError {
    let app = placement.app_number();
    match failure {
        Failure::NoTarget(kind) => PlaceError::BindTargetNotFound {
            app,
            kind: kind.word(),
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
        Failure::SpanPackages if placement.policy.map == MapBy::PeList => {
            span_packages(placement, group, "the pe-list".to_owned())
        }
        Failure::ListedTaken(cpu) => PlaceError::PeListConflict {
            app,
            cpu,
            reason: "taken",
            node: node(placement, group),
            last: 0,
        }
        .into(),
        Failure::NoCpu | Failure::SpanPackages => full(placement, deal, group),
    }
}

pub(crate) fn span_packages(placement: &Placement<'_>, group: usize, asked: String) -> MapError {
    let view = placement.view(placement.topology(placement.groups[group].trial));
    let binder = &view.binder;
    let packages = binder.packages();
    let cpus = packages.iter().map(|package| {
        let count: u32 = binder
            .units
            .inside(package)
            .iter()
            .map(|&(first, end)| end - first)
            .sum();
        count.to_string()
    });
    let packages = cpus.collect::<Vec<_>>().join(", ");
    PlaceError::SpanPackages {
        app: placement.app_number(),
        asked,
        node: node(placement, group),
        packages,
    }
    .into()
}

pub(crate) fn pe_exceeds(placement: &Placement<'_>, group: usize, capacity: Capacity) -> MapError {
    PlaceError::PeExceedsObject {
        app: placement.app_number(),
        pe: placement.policy.pe,
        kind: kind_word(placement),
        largest: capacity.largest_object,
        node: node(placement, group),
    }
    .into()
}

pub(crate) fn pe_list_conflict(
    placement: &Placement<'_>,
    group: usize,
    cpu: u32,
    reason: &'static str,
    capacity: Capacity,
) -> MapError {
    let (app, node) = (placement.app_number(), node(placement, group));
    let last = capacity.cpus.saturating_sub(1);
    PlaceError::PeListConflict {
        app,
        cpu,
        reason,
        node,
        last,
    }
    .into()
}

pub(crate) fn ppr_too_many(
    placement: &Placement<'_>,
    deal: Stopped,
    per: u32,
    on: PprObject,
    skipped: &Skipped,
) -> MapError {
    let object = match on {
        PprObject::Node => "node",
        PprObject::Kind(kind) => kind.word(),
    };
    PlaceError::PprTooMany {
        app: placement.app_number(),
        asked: deal.asked,
        placed: u32::try_from(deal.placed).unwrap_or(u32::MAX),
        pattern: format!("ppr:{per}:{object}"),
        skipped: skipped.nodes,
        why: skipped.first.clone().unwrap_or_default(),
    }
    .into()
}

pub(crate) fn out_of_resource(placement: &Placement<'_>, deal: Stopped) -> MapError {
    let placed = deal.placed;
    PlaceError::OutOfResource {
        app: placement.app_number(),
        asked: deal.asked,
        placed,
        nodes: placement.node_count(),
    }
    .into()
}

/// Rounds ended early, each group at its cap: at max_slots everywhere, or for want of cpus.
pub(crate) fn out_of_rounds(
    placement: &mut Placement<'_>,
    deal: Stopped,
    caps: &[(usize, Layout, u32)],
) -> MapError {
    let oversubscribed = placement.policy.oversubscribe == crate::policy::Oversubscribe::Allowed;
    let limited =
        placement.groups.iter().all(|group| group.room < u32::MAX) && !cpus_bind(placement);
    if oversubscribed && limited {
        return out_of_resource(placement, deal);
    }
    let may_be_unbound = placement.policy.strength == BindStrength::Default
        || placement.policy.if_supported == IfSupported::Yes;
    // Some may take their place without cpus: only laying them tells.
    if may_be_unbound && placement.place(caps).is_ok() {
        let placed = placement.bound();
        return out_of_cpus(placement, Stopped { placed, ..deal });
    }
    out_of_cpus(placement, deal)
}

/// Whether the cpus of some node, rather than its max_slots, ended the rounds.
fn cpus_bind(placement: &mut Placement<'_>) -> bool {
    let explicit = placement.policy.strength == crate::policy::BindStrength::Explicit;
    let objects = mapped_kind(placement.policy.map).is_some();
    if placement.policy.bind == BindTo::Nothing {
        return false;
    }
    if placement.policy.overload == crate::policy::Overload::Allowed {
        // Shared cpus bind only where there are none; without objects, packages hold so many processes of several cpus.
        if objects {
            return (0..placement.groups.len())
                .any(|group| placement.capacity(group).with_cpus == 0);
        }
        if placement.policy.pe == 1 {
            return false;
        }
    }
    (0..placement.groups.len()).any(|group| {
        let capacity = placement.capacity(group);
        let room = u64::from(placement.groups[group].room);
        let cpus = match placement.policy.map {
            MapBy::Object(_) | MapBy::Dist => capacity.by_object,
            MapBy::Slot
            | MapBy::Node
            | MapBy::Ppr { .. }
            | MapBy::Seq
            | MapBy::Rankfile
            | MapBy::PeList
            | MapBy::Mpibind(_)
            | MapBy::Lsf => match (explicit, placement.policy.pe) {
                (false, _) => u64::MAX,
                (true, 1) => u64::from(capacity.free),
                (true, _) => u64::from(capacity.by_package),
            },
        };
        cpus < room
    })
}

/// Cpus, or listed cpus, ran out.
pub(crate) fn out_of_cpus(placement: &Placement<'_>, deal: Stopped) -> MapError {
    if let (MapBy::PeList, Some(list)) = (placement.policy.map, placement.policy.list) {
        let listed = u32::try_from(listed_cpus(&placement.apps.lists[list])).unwrap_or(u32::MAX);
        return PlaceError::PeListExhausted {
            app: placement.app_number(),
            asked: deal.asked,
            placed: deal.placed,
            listed,
            nodes: placement.node_count(),
        }
        .into();
    }
    let has_slots = |group: &NodeGroup| group.avail > 0;
    full(
        placement,
        deal,
        placement.groups.iter().position(has_slots).unwrap_or(0),
    )
}

/// The cpus of a group's nodes ran out.
fn full(placement: &Placement<'_>, deal: Stopped, group: usize) -> MapError {
    let Stopped { asked, placed } = deal;
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

/// No NUMA node of a group's nodes has a free cpu.
pub(super) fn no_free_memory(placement: &Placement<'_>, group: usize) -> MapError {
    let (free, cpus) = first_cpus(placement, group);
    PlaceError::NoAvailableCpus {
        app: placement.app_number(),
        target: target(placement),
        nodes: placement.node_count(),
        node: node(placement, group),
        free,
        cpus,
    }
    .into()
}

/// Free and all cpus of a group's nodes.
fn first_cpus(placement: &Placement<'_>, group: usize) -> (u32, u32) {
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
