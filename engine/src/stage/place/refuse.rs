//! Refusals of the placing stages: what was asked, what there was, and where. Their sentences are in `error/place.rs`. Whether
//! slots are enough is checked in `mod.rs` (`place_by_policy`), for components in `by_component.rs`. Source: `errors`.

use super::group::NodeGroup;
use super::placement::Placement;
use crate::error::phrases::{Counted, FullNodes, Kinds};
use crate::error::{MapError, PlaceError, SpecError};
use crate::id::Id as _;
use crate::limit::{PATTERN_RUNS_MAX, RANKS_MAX};
use crate::policy::{BindTo, Devices, ObjKind};
use crate::stage::alloc::{Pool, Tables};
use crate::stage::node::bind::{Binder, Failure};
use crate::stage::node::bits;
use crate::table::apps::{AppId, Policy};
use crate::table::states::NodeState;
use crate::table::topologies::{Topologies, TopologyId};
use crate::table::uncovered::Uncovered;

/// Packages whose free cpus are told, at most.
const PACKAGES_TOLD: usize = 16;

/// An app asks for more processes than the slots left on its nodes. Callers that know the full nodes add them.
pub(crate) fn not_enough_slots(
    app: AppId,
    asked: u64,
    counted: Counted,
    left: u64,
    nodes: u32,
) -> MapError {
    PlaceError::NotEnoughSlots {
        app: app.number(),
        asked,
        counted,
        left,
        nodes,
        full: FullNodes::default(),
    }
    .into()
}

/// A node at which an app is refused.
pub(crate) struct RefusedAt<'p> {
    pub(crate) tables: &'p Tables,
    pub(crate) app: AppId,
    pub(crate) policy: &'p Policy,
    /// The node's state when the app finds it.
    pub(crate) state: &'p NodeState,
    pub(crate) node: String,
}

impl RefusedAt<'_> {
    fn binder(&self) -> Binder<'_> {
        let hardware = self.tables.prepared(self.state.topology);
        Binder::new(&self.tables.topologies, hardware, self.policy)
    }

    /// The node has no object to bind to. `inside`: where the object was looked for.
    pub(crate) fn no_target(self, kind: ObjKind, inside: &'static str) -> MapError {
        PlaceError::BindTargetNotFound {
            app: self.app.number(),
            kind: kind.word(),
            inside,
            there: kinds(&self.tables.topologies, self.state.topology),
            node: self.node,
        }
        .into()
    }

    /// The objects to bind to are larger than what is near a device.
    fn above_device(self, kind: ObjKind) -> MapError {
        SpecError::BindAboveMap {
            app: self.app.number(),
            map: self
                .policy
                .map
                .object_kind()
                .map_or("device", ObjKind::word),
            bind: kind.word(),
            at: None,
        }
        .into()
    }

    /// What of the node lies outside the objects that its processes are mapped or bound to, in words.
    pub(crate) fn left_out(&self) -> Option<String> {
        let bound = match self.policy.bind {
            BindTo::Object(kind) => Some(kind),
            BindTo::Nothing | BindTo::BySize => None,
        };
        let kinds = self.policy.map.object_kind().into_iter().chain(bound);
        let allowed = self.tables.pusets.get(self.state.allowed);
        kinds.filter(|kind| !kind.is_device()).find_map(|kind| {
            let topologies = &self.tables.topologies;
            Uncovered::new(topologies, self.state.topology, allowed, kind).reason()
        })
    }

    /// The free cpus of each package, for processes that get several: `its packages have 1, 3 free cpus`.
    pub(crate) fn by_package(&self) -> Option<String> {
        let binder = self.binder();
        let free = binder.free_units(self.tables.pusets.words(self.state.free));
        let packages = binder.packages();
        if self.policy.pe < 2 || packages.len() < 2 {
            return None;
        }
        let each = packages.iter();
        let each = each.map(|package| binder.count_free(free.words(), package).to_string());
        let each: Vec<String> = each.take(PACKAGES_TOLD + 1).collect();
        let more = if each.len() > PACKAGES_TOLD {
            ", …"
        } else {
            ""
        };
        let told = each[..each.len().min(PACKAGES_TOLD)].join(", ");
        Some(format!("its packages have {told}{more} free cpus"))
    }

    pub(crate) fn bind_limit(self) -> MapError {
        PlaceError::BindLimit {
            app: self.app.number(),
            limit: self.policy.limit.unwrap_or(0),
            kind: match self.policy.bind {
                BindTo::Object(kind) => kind.word(),
                BindTo::Nothing | BindTo::BySize => "object",
            },
            node: self.node,
        }
        .into()
    }

    /// No package has as many cpus as `asked` says.
    pub(crate) fn span_packages(self, asked: String) -> MapError {
        let binder = self.binder();
        let may = binder.free_units(self.tables.pusets.words(self.state.allowed));
        let packages = binder.packages().into_iter();
        let cpus = packages.map(|package| binder.count_free(may.words(), &package).to_string());
        PlaceError::SpanPackages {
            app: self.app.number(),
            asked,
            packages: cpus.collect::<Vec<_>>().join(", "),
            node: self.node,
        }
        .into()
    }

    /// Not one process got cpus.
    pub(crate) fn no_available_cpus(self, target: String, nodes: u32) -> MapError {
        let binder = self.binder();
        let count = |set| binder.free_units(self.tables.pusets.words(set)).count();
        let (free, cpus) = (count(self.state.free), count(self.state.allowed));
        let why = self.left_out().or_else(|| self.by_package());
        PlaceError::NoAvailableCpus {
            app: self.app.number(),
            target,
            nodes,
            free,
            cpus,
            why: why.map_or_else(String::new, |why| format!(": {why}")),
            node: self.node,
        }
        .into()
    }

    /// Only some processes got cpus.
    pub(crate) fn not_enough_cpus(self, asked: u32, placed: u64, target: String) -> MapError {
        let why = match self.policy.map.one_each() {
            true => Some("one process on each of its devices, which :shared changes".to_owned()),
            false => self.left_out().or_else(|| self.by_package()),
        };
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        PlaceError::NotEnoughCpus {
            why,
            app: self.app.number(),
            asked,
            placed,
            target,
            node: self.node,
        }
        .into()
    }

    /// The cpus of the node that may be used: `cpus 0-3,8`.
    pub(crate) fn cpus_there(&self) -> String {
        let allowed = self.tables.pusets.words(self.state.allowed);
        let may = self.binder().free_units(allowed);
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
}

impl Placement<'_> {
    /// The first node of a group, to refuse the app there.
    pub(crate) fn refused_at(&self, group: usize) -> RefusedAt<'_> {
        RefusedAt {
            tables: self.tables,
            app: self.app,
            policy: &self.policy,
            state: self.found(group),
            node: node(self, group),
        }
    }
}

/// The name of the first node of a group.
pub(crate) fn node(placement: &Placement<'_>, group: usize) -> String {
    placement.nodes.name(placement.groups[group].nodes.first)
}

/// What each process is bound to, in words.
fn target(placement: &Placement<'_>) -> String {
    match (placement.policy.pe, placement.policy.bind) {
        (1, BindTo::Object(kind)) => format!("to a {}", kind.word()),
        (1, BindTo::Nothing | BindTo::BySize) => "to nothing".to_owned(),
        (pe, _) => format!("to {pe} cpus"),
    }
}

/// The kinds of objects of a topology, without the machine.
pub(crate) fn kinds(topologies: &Topologies, topology: TopologyId) -> Kinds {
    let there = ObjKind::ALL.into_iter().skip(1);
    let there = there.filter(|&kind| topologies.count(topology, kind) > 0);
    Kinds(there.map(ObjKind::word).collect())
}

/// The nodes of a group have no object to bind to.
pub(crate) fn no_target(placement: &Placement<'_>, group: usize) -> MapError {
    let kind = match placement.policy.bind {
        BindTo::Object(kind) => kind,
        BindTo::Nothing | BindTo::BySize => ObjKind::Machine,
    };
    let hardware = placement.tables.prepared(placement.found(group).topology);
    let failure = Failure::NoTarget(hardware.kind(kind));
    unbindable(placement, 0, group, failure)
}

/// A process must be bound and cannot be.
pub(crate) fn unbindable(
    placement: &Placement<'_>,
    placed: u64,
    group: usize,
    failure: Failure,
) -> MapError {
    let at = placement.refused_at(group);
    let topologies = &placement.tables.topologies;
    let topology = placement.found(group).topology;
    let by_device = placement.policy.map.devices().is_some();
    match failure {
        Failure::NoTarget(kind) if by_device && topologies.count(topology, kind) > 0 => {
            at.above_device(kind)
        }
        Failure::NoTarget(kind) if by_device => {
            at.no_target(kind, " inside the cpus near a device")
        }
        Failure::NoTarget(kind) if placement.policy.map.object_kind() == Some(ObjKind::Gpu) => {
            at.no_target(kind, " inside the cpus near a gpu")
        }
        Failure::NoTarget(kind) => at.no_target(kind, ""),
        Failure::Limit => at.bind_limit(),
        Failure::NoCpu | Failure::SpanPackages | Failure::ListedTaken(_) => {
            full(placement, placed, group)
        }
    }
}

/// A node lacks the devices that an app is mapped to.
pub(crate) fn no_device(
    topologies: &Topologies,
    topology: TopologyId,
    of: Devices,
    app: u32,
    node: String,
) -> MapError {
    match of {
        Devices::Named(name) => no_such_device(topologies, topology, name.text(), app, node),
        Devices::Gpus | Devices::Networks | Devices::Blocks => {
            PlaceError::DeviceNotFound { app, of, node }.into()
        }
    }
}

/// A node lacks a device, which has a name.
pub(crate) fn no_such_device(
    topologies: &Topologies,
    topology: TopologyId,
    device: &str,
    app: u32,
    node: String,
) -> MapError {
    let mut there: Vec<&str> = topologies.device_names(topology).collect();
    there.dedup();
    let there = match there.is_empty() {
        true => "none".to_owned(),
        false => there.join(" "),
    };
    let device = device.to_owned();
    PlaceError::NoSuchDevice {
        app,
        device,
        node,
        there,
    }
    .into()
}

/// The policy gives no processes, although nodes are left.
pub(crate) fn no_processes(pool: &Pool, app: AppId) -> MapError {
    let states = &pool.tables.states;
    let slots = pool
        .nodes
        .runs
        .iter()
        .map(|(nodes, state)| u64::from(states.get(state).slots) * u64::from(nodes.count));
    PlaceError::NoProcesses {
        app: app.number(),
        nodes: pool.nodes.names.len(),
        slots: slots.sum(),
    }
    .into()
}

/// # Errors
/// `job-too-large` if ranks cannot number the processes.
pub(crate) fn check_size(procs: u64) -> Result<u32, MapError> {
    let limit = u64::from(RANKS_MAX);
    match u32::try_from(procs) {
        Ok(procs) if procs <= RANKS_MAX => Ok(procs),
        _ => Err(PlaceError::JobTooLarge {
            what: "processes",
            asked: procs,
            limit,
        }
        .into()),
    }
}

pub(crate) fn out_of_resource(placement: &Placement<'_>) -> MapError {
    PlaceError::OutOfResource {
        app: placement.app.number(),
        asked: placement.asked,
        placed: placement.dealt(),
        nodes: placement.node_count(),
    }
    .into()
}

/// Cpus ran out after `placed` processes.
pub(crate) fn out_of_cpus(placement: &Placement<'_>, placed: u64) -> MapError {
    let has_slots = |group: &NodeGroup| group.avail() > 0;
    let group = placement.groups.iter().position(has_slots);
    full(placement, placed, group.unwrap_or(0))
}

/// Every device has its one process.
pub(crate) fn too_few_devices(placement: &Placement<'_>) -> MapError {
    let at = placement.refused_at(0);
    at.not_enough_cpus(placement.asked, placement.dealt(), target(placement))
}

/// The cpus of a group's nodes ran out.
fn full(placement: &Placement<'_>, placed: u64, group: usize) -> MapError {
    if placed == 0 {
        return no_cpus(placement, group);
    }
    let (asked, target) = (placement.asked, target(placement));
    let at = placement.refused_at(group);
    at.not_enough_cpus(asked, placed, target)
}

/// Not one process got cpus.
pub(crate) fn no_cpus(placement: &Placement<'_>, group: usize) -> MapError {
    let (target, nodes) = (target(placement), placement.node_count());
    placement.refused_at(group).no_available_cpus(target, nodes)
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
