//! What notes say of a job, counted one process at a time on the plain mapper's rows.

use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::{MapBy, NoLocal, ObjKind};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::origins::Origin;
use stowplan_reference::Row;

/// A job as rows, and what notes say of it, counted one process at a time.
pub(crate) struct Plain<'p> {
    plan: &'p Plan,
    /// The rows of each node.
    nodes: BTreeMap<usize, Vec<&'p Row>>,
}

pub(crate) type Counts = BTreeMap<(String, Option<u32>), u64>;

impl<'p> Plain<'p> {
    pub(crate) fn of(plan: &'p Plan, rows: &'p [Row]) -> Self {
        let mut nodes: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
        rows.iter()
            .for_each(|row| nodes.entry(row.node).or_default().push(row));
        Self { plan, nodes }
    }

    pub(crate) fn notes(&self) -> Counts {
        let mut counts = Counts::new();
        let mut add = |class: &str, app: Option<u32>, count: u64| {
            if count > 0 {
                *counts.entry((class.to_owned(), app)).or_insert(0) += count;
            }
        };
        add("nodes-idle", None, self.idle_nodes());
        for (&node, rows) in &self.nodes {
            for (app, count) in self.crossing(node, rows) {
                add("crosses", Some(app), count);
            }
            for (app, count) in self.one_domain(node, rows) {
                add("one-domain", Some(app), count);
            }
            add("cores-idle", None, self.idle_cores(node, rows));
            let sharing = self.sharing(node, rows);
            let apps: BTreeSet<u32> = sharing.iter().copied().collect();
            let app = (apps.len() == 1).then(|| sharing[0]);
            add("cores-shared", app, sharing.len() as u64);
            for (class, app, count) in self.gpus(node, rows) {
                add(class, app, count);
            }
        }
        counts
    }

    fn allowed(&self, node: usize) -> RoaringBitmap {
        let world = self.plan.world();
        let state = world.states.get(world.before.state(NodeId::from_row(node)));
        let os = world.topologies.pus_os(state.topology);
        world
            .pusets
            .get(state.allowed)
            .iter_ones()
            .map(|pu| os[pu])
            .collect()
    }

    fn objects(&self, node: usize, kind: ObjKind) -> Vec<RoaringBitmap> {
        let world = self.plan.world();
        let topology = world
            .states
            .get(world.before.state(NodeId::from_row(node)))
            .topology;
        let all: Vec<_> = if kind == ObjKind::Numa {
            world.topologies.domains(topology).to_vec()
        } else {
            world.topologies.objects(topology, kind).collect()
        };
        let allowed = self.allowed(node);
        let sets = all
            .into_iter()
            .map(|object| world.cpusets.get(world.topologies.cpuset(object)) & &allowed);
        sets.collect()
    }

    fn idle_nodes(&self) -> u64 {
        let world = self.plan.world();
        let table = self.plan.resolved_apps();
        let nolocal = table
            .ids()
            .filter_map(|app| table.policy(app))
            .all(|policy| policy.nolocal == NoLocal::Yes);
        let idle = (0..world.names.len() as usize).filter(|node| {
            let id = NodeId::from_row(*node);
            let slots = world.states.get(world.before.state(id)).slots;
            !self.nodes.contains_key(node) && slots > 0 && !(nolocal && world.local == Some(id))
        });
        idle.count() as u64
    }

    fn crossing(&self, node: usize, rows: &[&Row]) -> BTreeMap<u32, u64> {
        let kinds =
            [ObjKind::Package, ObjKind::Numa, ObjKind::L3].map(|kind| self.objects(node, kind));
        let mut found = BTreeMap::new();
        for row in rows {
            let Some(cpus) = mask(row) else { continue };
            let crosses = kinds.iter().any(|sets| {
                let met = sets.iter().filter(|set| !set.is_disjoint(&cpus)).count();
                met > 1 && sets.iter().any(|set| set.len() >= cpus.len())
            });
            *found.entry(u32::try_from(row.app).unwrap()).or_insert(0) += u64::from(crosses);
        }
        found
    }

    fn one_domain(&self, node: usize, rows: &[&Row]) -> BTreeMap<u32, u64> {
        let mut found = BTreeMap::new();
        let apps: BTreeSet<usize> = rows.iter().map(|row| row.app).collect();
        for app in apps {
            let policy = self.plan.resolved_apps().policy(AppId::from_row(app));
            let Some(MapBy::Object(kind)) = policy.map(|policy| policy.map) else {
                continue;
            };
            let domain = matches!(
                kind,
                ObjKind::Package
                    | ObjKind::Die
                    | ObjKind::Numa
                    | ObjKind::L5
                    | ObjKind::L4
                    | ObjKind::L3
            );
            let own: Vec<&&Row> = rows.iter().filter(|row| row.app == app).collect();
            let objects: BTreeSet<_> = own.iter().map(|row| row.object).collect();
            let several = self
                .objects(node, kind)
                .iter()
                .filter(|set| !set.is_empty())
                .count();
            if domain
                && own.len() > 1
                && objects.len() == 1
                && !objects.contains(&None)
                && several > 1
            {
                found.insert(u32::try_from(app).unwrap(), own.len() as u64);
            }
        }
        found
    }

    /// The cores that no mask meets; `None`: some process is unbound.
    fn free(&self, node: usize, rows: &[&Row]) -> Option<(u64, Vec<RoaringBitmap>)> {
        let cores: Vec<_> = self
            .objects(node, ObjKind::Core)
            .into_iter()
            .filter(|core| !core.is_empty())
            .collect();
        let masks: Option<Vec<_>> = rows.iter().map(|row| mask(row)).collect();
        let masks = masks?;
        let free = cores
            .iter()
            .filter(|core| masks.iter().all(|mask| mask.is_disjoint(core)));
        Some((free.count() as u64, cores))
    }

    fn idle_cores(&self, node: usize, rows: &[&Row]) -> u64 {
        let Some((free, cores)) = self.free(node, rows) else {
            return 0;
        };
        let asked = rows.iter().any(|row| {
            let table = self.plan.resolved_apps();
            let app = AppId::from_row(row.app);
            let policy = table.policy(app).unwrap();
            let listed = matches!(
                policy.map,
                MapBy::Ppr { .. }
                    | MapBy::Rankfile
                    | MapBy::PeList
                    | MapBy::Lsf
                    | MapBy::Mpibind(_)
            );
            let bound = matches!(table.origins[app].unwrap().bind, Origin::App | Origin::Job);
            listed || bound || policy.pe > 1
        });
        if 2 * free > cores.len() as u64 && !asked {
            free
        } else {
            0
        }
    }

    /// The apps of the ranks that have different hardware threads of a core, each as often as it has such ranks.
    fn sharing(&self, node: usize, rows: &[&Row]) -> Vec<u32> {
        let Some((free, cores)) = self.free(node, rows).filter(|(free, _)| *free > 0) else {
            return Vec::new();
        };
        assert!(free > 0);
        let mut sharing = Vec::new();
        for row in rows {
            let own = mask(row).unwrap();
            let shares = cores.iter().any(|core| {
                let part = &own & core;
                let split = || {
                    rows.iter()
                        .map(|other| &mask(other).unwrap() & core)
                        .filter(|part| !part.is_empty() && part.len() < core.len())
                };
                let apart = split().any(|one| split().any(|other| one.is_disjoint(&other)));
                !part.is_empty() && part.len() < core.len() && apart
            });
            if shares {
                sharing.push(u32::try_from(row.app).unwrap());
            }
        }
        sharing
    }

    fn gpus(&self, node: usize, rows: &[&Row]) -> Vec<(&'static str, Option<u32>, u64)> {
        if !self.plan.asks_for_gpus() && rows.iter().all(|row| row.gpus.is_empty())
            || !asked_gpus(self.plan)
        {
            return Vec::new();
        }
        let world = self.plan.world();
        let topology = world
            .states
            .get(world.before.state(NodeId::from_row(node)))
            .topology;
        let near = self.objects(node, ObjKind::Gpu);
        let visible: Vec<u32> = world
            .topologies
            .gpus(topology)
            .iter()
            .map(|gpu| gpu.visible)
            .collect();
        let users = |gpu: &u32| rows.iter().filter(|row| row.gpus.contains(gpu)).count();
        let idle = visible.iter().filter(|gpu| users(gpu) == 0).count() as u64;
        let shared = visible.iter().filter(|gpu| users(gpu) > 1).count() as u64;
        let mut found = Vec::new();
        if idle > 0 && shared > 0 {
            found.push(("gpus-idle", None, idle));
            found.push(("gpu-shared", None, shared));
        }
        for row in rows {
            let cpus = mask(row).unwrap_or_else(|| self.allowed(node));
            let far = row.gpus.iter().any(|gpu| {
                let at = visible.iter().position(|own| own == gpu);
                at.is_some_and(|at| near[at].is_disjoint(&cpus))
            });
            found.push((
                "gpu-far",
                Some(u32::try_from(row.app).unwrap()),
                u64::from(far),
            ));
        }
        found
    }
}

fn asked_gpus(plan: &Plan) -> bool {
    let shares = |run: &stowplan_engine::plan::PlacedRun| {
        let mut segments = plan.patterns().get(run.pattern).segments().iter();
        segments.any(|segment| !segment.shares.is_empty())
    };
    plan.asks_for_gpus() || plan.apps().iter().any(|app| app.runs().iter().any(shares))
}

fn mask(row: &Row) -> Option<RoaringBitmap> {
    row.cpus.as_ref().map(|cpus| cpus.iter().collect())
}
