//! The OpenMP variables of a rank: a place for each core of which the rank has cpus.

use roaring::RoaringBitmap;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::policy::ObjKind;

/// The cpus of a rank, core by core; `None`: the rank is unbound.
///
/// Cost: the cores of its node.
#[must_use]
pub fn places(plan: &Plan, place: &ProcPlace) -> Option<Vec<RoaringBitmap>> {
    let world = plan.world();
    let own = world.cpusets.get(place.cpus?);
    let topology = world.states.get(world.before.state(place.node)).topology;
    let mut left = own.clone();
    let mut places = Vec::new();
    for core in world.topologies.objects(topology, ObjKind::Core) {
        let cpus = world.cpusets.get(world.topologies.cpuset(core)) & own;
        if !cpus.is_empty() {
            left -= &cpus;
            places.push(cpus);
        }
    }
    // Each cpu that belongs to no core is a place of its own.
    places.extend(left.iter().map(|cpu| RoaringBitmap::from_iter([cpu])));
    Some(places)
}

/// Places as `OMP_PLACES` takes them.
#[must_use]
pub fn listed(places: &[RoaringBitmap]) -> String {
    let each = places.iter().map(|cpus| {
        let cpus: Vec<String> = cpus.iter().map(|cpu| cpu.to_string()).collect();
        format!("{{{}}}", cpus.join(","))
    });
    each.collect::<Vec<String>>().join(",")
}
