//! The topologies of a job, and their sources.

use crate::format::Told;
use crate::format::screen::{counted, grouped, width};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::TopologyId;

/// The most topologies that have a line.
const MACHINES: usize = 2;
/// A longer source is written after the parts of the topology, not before them.
const SOURCE_COLUMNS: usize = 32;

/// The topologies of the nodes with their sources: a line each, at most two. The network, with a line for each object that is used.
#[must_use]
pub fn machines(told: &Told<'_>) -> Vec<String> {
    let mut lines = sources(told);
    lines.extend(super::network::objects(told));
    lines
}

/// As [`machines`], without the objects of the network: a picture draws them.
#[must_use]
pub fn sources(told: &Told<'_>) -> Vec<String> {
    let world = told.plan.world();
    // In the order of the nodes.
    let mut nodes: Vec<(TopologyId, u64)> = Vec::new();
    for (range, state) in world.before.iter() {
        let id = world.states.get(state).topology;
        let count = u64::from(range.count);
        match nodes.iter_mut().find(|(known, _)| *known == id) {
            Some((_, nodes)) => *nodes += count,
            None => nodes.push((id, count)),
        }
    }
    let many = nodes.len() > 1;
    let line = |&(id, count): &(TopologyId, u64)| {
        let source = told.sources.of(id).unwrap_or("a topology");
        let nodes = if many {
            format!("{}: ", counted(count, "node"))
        } else {
            String::new()
        };
        let parts = objects(told, id);
        // The parts of a topology matter more than a long path.
        if width(source) > SOURCE_COLUMNS {
            format!("machine  {nodes}{parts}  {source}")
        } else {
            format!("machine  {nodes}{source}  {parts}")
        }
    };
    let mut lines: Vec<String> = nodes.iter().take(MACHINES).map(line).collect();
    if nodes.len() > MACHINES {
        lines.truncate(MACHINES - 1);
        let rest = nodes
            .iter()
            .skip(MACHINES - 1)
            .map(|(_, count)| count)
            .sum();
        lines.push(format!(
            "machine  {} more topologies on {}",
            nodes.len() - (MACHINES - 1),
            counted(rest, "node")
        ));
    }
    lines.extend(super::network::source(told));
    lines
}

/// The number of objects of each kind, without caches that belong to a single core.
fn objects(told: &Told<'_>, topology: TopologyId) -> String {
    let topologies = &told.plan.world().topologies;
    let cores = topologies.count(topology, ObjKind::Core);
    let own =
        |kind: ObjKind, count: u32| matches!(kind, ObjKind::L1 | ObjKind::L2) && count == cores;
    let kinds = ObjKind::ALL
        .into_iter()
        .filter(|&kind| kind != ObjKind::Machine);
    let counts = kinds.map(|kind| (kind, topologies.count(topology, kind)));
    let gpus = (ObjKind::Gpu, topologies.count(topology, ObjKind::Gpu));
    let parts: Vec<String> = counts
        .chain([gpus])
        .filter(|&(kind, count)| count > 0 && !own(kind, count))
        .map(|(kind, count)| format!("{} {}", grouped(u64::from(count)), kind.word()))
        .collect();
    parts.join(" · ")
}
