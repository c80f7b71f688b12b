//! The topologies of a job, and where they came from.

use crate::format::Told;
use crate::format::screen::{counted, grouped, width};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::TopologyId;

/// Topologies that have a line.
const MACHINES: usize = 2;
/// Columns up to which a topology's source stands before what it is made of.
const SOURCE_COLUMNS: usize = 32;

/// The topologies that the nodes have, and where they came from: a line each, two at most.
#[must_use]
pub fn machines(told: &Told<'_>) -> Vec<String> {
    let world = told.plan.world();
    // In the order in which nodes have them.
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
        // What it is made of matters more than a long path.
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
    lines
}

/// How many objects of each kind; caches that each core has for itself are left out.
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
