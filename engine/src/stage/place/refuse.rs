//! Refusals of the placing stages: what was asked, what there was, where. Source: `errors`.

use crate::stage::node::bind::Failure;

use super::deal::Stopped;
use super::placement::Work;
use super::progress::NodeGroup;
use crate::error::{MapError, PlaceError};
use crate::limit::PATTERN_RUNS_MAX;
use crate::policy::{BindStrength, BindTo, IfSupported, MapBy, ObjKind, PprObject};
use crate::stage::node::capacity::{Facts, listed_cpus, mapped_kind};
use crate::stage::node::layout::Layout;

/// Nodes that a ppr pattern passed over, and why the first of them was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    nodes: u32,
    first: Option<String>,
}

impl Skipped {
    pub(crate) fn for_slots(&mut self, work: &Work<'_>, group: usize, needed: u64) {
        let row = &work.groups[group];
        let node = work.nodes.name(row.nodes.first);
        self.note(row.nodes.count, || {
            format!(", {node} needs {needed} slots and has {}", row.avail)
        });
    }
    pub(crate) fn for_cpus(&mut self, work: &Work<'_>, group: usize, needed: u64, facts: Facts) {
        let row = &work.groups[group];
        let node = work.nodes.name(row.nodes.first);
        self.note(row.nodes.count, || {
            format!(", {node} needs {needed} free cpus and has {}", facts.free)
        });
    }
    fn note(&mut self, nodes: u32, why: impl FnOnce() -> String) {
        self.nodes = self.nodes.saturating_add(nodes);
        self.first.get_or_insert_with(why);
    }
}

fn node(work: &Work<'_>, group: usize) -> String {
    work.nodes.name(work.groups[group].nodes.first)
}

fn kind_word(work: &Work<'_>) -> &'static str {
    mapped_kind(work.policy.map).map_or("node", ObjKind::word)
}

/// What each process is bound to, in words.
pub(crate) fn target(work: &Work<'_>) -> String {
    match (work.policy.pe, work.policy.bind) {
        (1, BindTo::Object(kind)) => format!("to a {}", kind.word()),
        (1, BindTo::Nothing | BindTo::BySize) => "to nothing".to_owned(),
        (pe, _) => format!("to {pe} cpus"),
    }
}

pub(crate) fn object_not_found(work: &Work<'_>, group: usize) -> MapError {
    let app = work.app_number();
    if work.policy.map == MapBy::Dist {
        return no_such_device(work, group);
    }
    if mapped_kind(work.policy.map) == Some(ObjKind::Gpu) {
        let node = node(work, group);
        return PlaceError::DeviceNotFound { app, node }.into();
    }
    PlaceError::ObjectNotFound {
        app,
        kind: kind_word(work),
        node: node(work, group),
    }
    .into()
}

fn no_such_device(work: &Work<'_>, group: usize) -> MapError {
    let topology = work.topology(work.groups[group].progress);
    let devices = work.tables.topologies.devices(topology);
    let there: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    let device = work.apps.device[work.app].clone().unwrap_or_default();
    let there = if there.is_empty() {
        "none".to_owned()
    } else {
        there.join(" ")
    };
    PlaceError::NoSuchDevice {
        app: work.app_number(),
        node: node(work, group),
        device,
        there,
    }
    .into()
}

pub(crate) fn no_target(work: &Work<'_>, group: usize) -> Failure {
    let topology = work.topology(work.groups[group].progress);
    let kind = match work.policy.bind {
        BindTo::Object(kind) => kind,
        BindTo::Nothing | BindTo::BySize => ObjKind::Machine,
    };
    let hardware = work.tables.hardware[topology].as_ref();
    Failure::NoTarget(hardware.map_or(kind, |hardware| hardware.kind(kind)))
}

/// A process that must be bound and cannot be.
pub(crate) fn unbindable(work: &Work<'_>, deal: Stopped, group: usize, failure: Failure) -> MapError {
    let app = work.app_number();
    match failure {
        Failure::NoTarget(kind) => PlaceError::BindTargetNotFound {
            app,
            kind: kind.word(),
            node: node(work, group),
        }
        .into(),
        Failure::Limit => {
            let kind = match work.policy.bind {
                BindTo::Object(kind) => kind.word(),
                BindTo::Nothing | BindTo::BySize => "object",
            };
            let limit = work.policy.limit.unwrap_or(0);
            PlaceError::BindLimit {
                app,
                limit,
                kind,
                node: node(work, group),
            }
            .into()
        }
        Failure::SpanPackages if work.policy.map == MapBy::PeList => {
            span_packages(work, group, "the pe-list".to_owned())
        }
        Failure::ListedTaken(cpu) => PlaceError::PeListConflict {
            app,
            cpu,
            reason: "taken",
            node: node(work, group),
            last: 0,
        }
        .into(),
        Failure::NoCpu | Failure::SpanPackages => full(work, deal, group),
    }
}

pub(crate) fn span_packages(work: &Work<'_>, group: usize, asked: String) -> MapError {
    let terrain = work.terrain(work.topology(work.groups[group].progress));
    let binder = &terrain.binder;
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
        app: work.app_number(),
        asked,
        node: node(work, group),
        packages,
    }
    .into()
}

pub(crate) fn pe_exceeds(work: &Work<'_>, group: usize, facts: Facts) -> MapError {
    PlaceError::PeExceedsObject {
        app: work.app_number(),
        pe: work.policy.pe,
        kind: kind_word(work),
        largest: facts.largest_object,
        node: node(work, group),
    }
    .into()
}

pub(crate) fn pe_list_conflict(
    work: &Work<'_>,
    group: usize,
    cpu: u32,
    reason: &'static str,
    facts: Facts,
) -> MapError {
    let (app, node) = (work.app_number(), node(work, group));
    let last = facts.cpus.saturating_sub(1);
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
    work: &Work<'_>,
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
        app: work.app_number(),
        asked: deal.asked,
        placed: u32::try_from(deal.placed).unwrap_or(u32::MAX),
        pattern: format!("ppr:{per}:{object}"),
        skipped: skipped.nodes,
        why: skipped.first.clone().unwrap_or_default(),
    }
    .into()
}

pub(crate) fn out_of_resource(work: &Work<'_>, deal: Stopped) -> MapError {
    let placed = deal.placed;
    PlaceError::OutOfResource {
        app: work.app_number(),
        asked: deal.asked,
        placed,
        nodes: work.node_count(),
    }
    .into()
}

/// Rounds ended early, each group at its cap: at max_slots everywhere, or for want of cpus.
pub(crate) fn out_of_rounds(
    work: &mut Work<'_>,
    deal: Stopped,
    caps: &[(usize, Layout, u32)],
) -> MapError {
    let oversubscribed = work.policy.oversubscribe == crate::policy::Oversubscribe::Allowed;
    let limited = work.groups.iter().all(|group| group.room < u32::MAX) && !cpus_bind(work);
    if oversubscribed && limited {
        return out_of_resource(work, deal);
    }
    let may_be_unbound = work.policy.strength == BindStrength::Default
        || work.policy.if_supported == IfSupported::Yes;
    // Some may take their place without cpus: only laying them tells.
    if may_be_unbound && work.place(caps).is_ok() {
        let placed = work.bound();
        return out_of_cpus(work, Stopped { placed, ..deal });
    }
    out_of_cpus(work, deal)
}

/// Whether the cpus of some node, rather than its max_slots, ended the rounds.
fn cpus_bind(work: &mut Work<'_>) -> bool {
    let explicit = work.policy.strength == crate::policy::BindStrength::Explicit;
    let objects = mapped_kind(work.policy.map).is_some();
    if work.policy.bind == BindTo::Nothing {
        return false;
    }
    if work.policy.overload == crate::policy::Overload::Allowed {
        // Shared cpus bind only where there are none; without objects, packages hold so many processes of several cpus.
        if objects {
            return (0..work.groups.len()).any(|group| work.facts(group).with_cpus == 0);
        }
        if work.policy.pe == 1 {
            return false;
        }
    }
    (0..work.groups.len()).any(|group| {
        let facts = work.facts(group);
        let room = u64::from(work.groups[group].room);
        let cpus = match work.policy.map {
            MapBy::Object(_) | MapBy::Dist => facts.by_object,
            MapBy::Slot
            | MapBy::Node
            | MapBy::Ppr { .. }
            | MapBy::Seq
            | MapBy::Rankfile
            | MapBy::PeList
            | MapBy::Mpibind(_)
            | MapBy::Lsf => match (explicit, work.policy.pe) {
                (false, _) => u64::MAX,
                (true, 1) => u64::from(facts.free),
                (true, _) => u64::from(facts.by_package),
            },
        };
        cpus < room
    })
}

/// Cpus, or listed cpus, ran out.
pub(crate) fn out_of_cpus(work: &Work<'_>, deal: Stopped) -> MapError {
    if let (MapBy::PeList, Some(list)) = (work.policy.map, work.policy.list) {
        let listed = u32::try_from(listed_cpus(&work.apps.lists[list])).unwrap_or(u32::MAX);
        return PlaceError::PeListExhausted {
            app: work.app_number(),
            asked: deal.asked,
            placed: deal.placed,
            listed,
            nodes: work.node_count(),
        }
        .into();
    }
    let has_slots = |group: &NodeGroup| group.avail > 0;
    full(
        work,
        deal,
        work.groups.iter().position(has_slots).unwrap_or(0),
    )
}

/// The cpus of a group's nodes ran out.
fn full(work: &Work<'_>, deal: Stopped, group: usize) -> MapError {
    let Stopped { asked, placed } = deal;
    let (app, at) = (work.app_number(), node(work, group));
    if placed > 0 {
        return PlaceError::NotEnoughCpus {
            app,
            asked,
            placed,
            target: target(work),
            node: at,
        }
        .into();
    }
    let (free, cpus) = first_cpus(work, group);
    PlaceError::NoAvailableCpus {
        app,
        target: target(work),
        nodes: work.node_count(),
        node: at,
        free,
        cpus,
    }
    .into()
}

/// No NUMA node of a group's nodes has a free cpu.
pub(super) fn no_free_memory(work: &Work<'_>, group: usize) -> MapError {
    let (free, cpus) = first_cpus(work, group);
    PlaceError::NoAvailableCpus {
        app: work.app_number(),
        target: target(work),
        nodes: work.node_count(),
        node: node(work, group),
        free,
        cpus,
    }
    .into()
}

/// Free and all cpus of a group's nodes.
fn first_cpus(work: &Work<'_>, group: usize) -> (u32, u32) {
    let Some(row) = work.groups.get(group) else {
        return (0, 0);
    };
    let terrain = work.terrain(work.topology(row.progress));
    let state = work.tables.states.get(work.progress[row.progress].state);
    let count = |set| {
        let units = terrain.binder.free_units(work.tables.pusets.words(set));
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
