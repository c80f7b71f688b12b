//! The OpenMP variables of a rank: a place for each core of which the rank has cpus.

use roaring::RoaringBitmap;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::{Located, Plan, ProcPlace};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppId;

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

/// How many threads the map of an app gives each of its ranks (mpibind).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// The map says nothing of threads.
    Unsaid,
    /// As many for each rank.
    Same(u32),
    /// Other numbers: this rank's, where the first rank has another.
    Differs {
        /// A rank.
        rank: Rank,
        /// Its number.
        own: u32,
        /// That of the first.
        first: u32,
    },
}

/// How many threads the map of an app gives its ranks. Cost: the runs of the app, times the processes of a node.
#[must_use]
pub fn number(plan: &Plan, app: AppId) -> Number {
    let mut found = Number::Unsaid;
    for (run, own) in (0..).zip(plan.app(app).runs()) {
        let pattern = plan.patterns().get(own.pattern);
        for local in 0..own.procs {
            let threads = pattern.share(local).map_or(0, |share| share.threads);
            match found {
                _ if threads == 0 => return Number::Unsaid,
                Number::Unsaid => found = Number::Same(threads),
                Number::Same(first) if first == threads => {}
                Number::Same(first) | Number::Differs { first, .. } => {
                    let node = 0;
                    let at = Located {
                        app,
                        run,
                        node,
                        local,
                    };
                    return Number::Differs {
                        rank: plan.rank_of(at),
                        own: threads,
                        first,
                    };
                }
            }
        }
    }
    found
}
