//! Nodes filled by slots alone, for `--map-by mpibind`: what a process gets hangs on how many a node has in all.

use super::placement::Placement;
use super::policy::{GroupView, PlacePolicy, lay};
use super::refuse;
use super::share::{RunShare, even, fill};
use super::trial::{Allotment, Limit};
use crate::error::at::{At, AtText};
use crate::error::{MapError, PlaceError, SpecError};
use crate::policy::{MapBy, ObjKind, Oversubscribe};
use crate::stage::node::bits;
use crate::stage::node::layout::Layout;
use crate::stage::node::units::narrow;

/// `--map-by mpibind`.
struct ByMpibind;

/// What each node of a group gets, and the round in which it got its first process: nodes stand in that order.
#[derive(Clone, Copy)]
struct Given {
    procs: u32,
    round: u32,
    /// Whether the group still takes part in even shares: until a pass finds it at `max_slots`.
    stays: bool,
}

/// Fills nodes by slots, then by even shares where that is allowed, then lays each node once.
pub(crate) fn place(placement: &mut Placement<'_>) -> Result<(), MapError> {
    let mut given: Vec<Given> = Vec::with_capacity(placement.groups.len());
    let mut group = 0;
    while group < placement.groups.len() {
        let row = placement.groups[group];
        let share = RunShare {
            nodes: row.nodes.count,
            cap: row.avail.min(row.room),
        };
        let parts = fill(share, placement.left);
        let rows = placement.split(group, &parts.map(|(nodes, _)| nodes));
        for &(nodes, procs) in parts.iter().filter(|(nodes, _)| *nodes > 0) {
            placement.left -= nodes * procs;
            let round = u32::from(procs == 0);
            given.push(Given {
                procs,
                round,
                stays: true,
            });
        }
        group += rows.len().max(1);
    }
    while placement.left > 0 {
        let may = placement.policy.oversubscribe == Oversubscribe::Allowed;
        if !may || !share_out(placement, &mut given) {
            return Err(refuse::out_of_resource(placement));
        }
    }
    let mut order: Vec<usize> = (0..given.len())
        .filter(|&group| given[group].procs > 0)
        .collect();
    order.sort_by_key(|&group| given[group].round);
    let mut allotments = Vec::new();
    for group in order {
        check(placement, group)?;
        let procs = given[group].procs;
        allotments.push(Allotment {
            group,
            layout: Layout::Mpibind(procs),
            procs,
        });
    }
    lay(placement, &ByMpibind, &allotments)
}

/// One round of even shares (4.8): a node at `max_slots` is counted once more, and leaves. Gives whether anything changed.
fn share_out(placement: &mut Placement<'_>, given: &mut Vec<Given>) -> bool {
    let open = |placement: &Placement<'_>, given: &[Given], group: usize| {
        placement.groups[group].room > given[group].procs
    };
    let all: u64 = (0..placement.groups.len())
        .filter(|&group| given[group].stays)
        .map(|group| u64::from(placement.groups[group].nodes.count))
        .sum();
    let (share, mut at, mut group) = (placement.left, 0_u64, 0);
    let mut lost = false;
    while group < placement.groups.len() {
        let row = placement.groups[group];
        if !given[group].stays || !open(placement, given, group) {
            if given[group].stays {
                at += u64::from(row.nodes.count);
                given[group].stays = false;
                lost = true;
            }
            group += 1;
            continue;
        }
        let parts = even(row.nodes.count, at, all, share);
        at += u64::from(row.nodes.count);
        let before = given[group];
        let rows = placement.split(group, &parts.map(|(nodes, _)| nodes));
        if rows.len() > 1 {
            given.insert(group, before);
        }
        let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
        for (part, &(nodes, procs)) in rows.clone().zip(taking) {
            let procs = procs.min(placement.groups[part].room - before.procs);
            placement.left -= nodes * procs;
            given[part].procs += procs;
        }
        group += rows.len();
    }
    // Who still has none gets its first process in a later round.
    for own in given.iter_mut().filter(|own| own.procs == 0) {
        own.round += 1;
    }
    placement.left < share || lost
}

impl PlacePolicy for ByMpibind {
    /// What a process gets hangs on how many a node has in all: `place` says how many.
    fn limit(&self, view: &GroupView<'_, '_>) -> Result<Limit, MapError> {
        check(view.placement, view.group)?;
        let procs = view.slots();
        Ok(Limit {
            layout: Layout::Mpibind(procs),
            procs,
        })
    }
}

/// Whether the nodes of a group can be dealt out: cpus with memory, and cores as wide as `smt=` says.
fn check(placement: &Placement<'_>, group: usize) -> Result<(), MapError> {
    let topology = placement.topology(placement.groups[group].trial);
    let topologies = &placement.tables.topologies;
    let MapBy::Mpibind(options) = placement.policy.map else {
        return Ok(());
    };
    if let Some(smt) = options.smt {
        let cores = topologies.objects(topology, ObjKind::Core);
        let wide = |core| -> u32 { topologies.ranges(core).iter().map(|(a, b)| b - a).sum() };
        let widest = cores.map(wide).max().unwrap_or(1);
        if u32::from(smt) > widest {
            let value = format!("smt={smt}");
            return Err(SpecError::BadValue {
                at: At {
                    start: 0,
                    end: narrow(value.len()),
                    text: AtText::Value {
                        app: Some(placement.app_number()),
                        option: "map-by".to_owned(),
                        value,
                    },
                },
                asked: smt.to_string(),
                range: "number of hwthreads that a core of the node has",
            }
            .into());
        }
    }
    let state = placement
        .tables
        .states
        .get(placement.trial[placement.groups[group].trial].state);
    let free = placement.tables.pusets.words(state.free);
    let mut memory = topologies.objects(topology, ObjKind::Numa);
    if memory.any(|node| bits::count_of(free, topologies.ranges(node)) > 0) {
        return Ok(());
    }
    Err(no_free_memory(placement, group))
}

/// No NUMA node of a group's nodes has a free cpu.
fn no_free_memory(placement: &Placement<'_>, group: usize) -> MapError {
    let (free, cpus) = refuse::first_cpus(placement, group);
    PlaceError::NoAvailableCpus {
        app: placement.app_number(),
        target: refuse::target(placement),
        nodes: placement.node_count(),
        node: refuse::node(placement, group),
        free,
        cpus,
    }
    .into()
}
