//! Finds stretches of nodes with the same apps, and deals the GPUs of each kind of node.

use super::deal::deal;
use super::given::{GivenGpus, Lack, Lacks, NodeKind};
use super::near::NearGpus;
use crate::error::PlaceError;
use crate::id::Id as _;
use crate::limit::PATTERN_RUNS_MAX;
use crate::plan::Plan;
use crate::plan::placed::{PlacedRun, row};
use crate::policy::{DeviceMap, Devices, GpuShare, MapBy, ObjKind};
use crate::table::apps::{AppId, Policy};
use crate::table::interner::KeyRows;
use crate::table::names::{NodeId, NodeRange};
use crate::table::patterns::{PatternId, PlaceRun};
use crate::table::topologies::{Topologies, TopologyId};
use std::collections::HashMap;

/// One app on nodes that are alike.
#[derive(Clone, Copy)]
pub(super) struct GpuApp<'p> {
    pub(super) app: AppId,
    pub(super) run: &'p PlacedRun,
    pub(super) policy: &'p Policy,
}

/// What makes nodes alike: the topology, and for each app its pattern, processes, kind, words, devices and first local rank.
type NodeKey = (
    TopologyId,
    Vec<(
        PatternId,
        u32,
        Option<ObjKind>,
        Words,
        Option<DeviceMap>,
        u32,
    )>,
);

/// How an app's processes get GPUs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Words {
    /// The map says which.
    Mapped,
    /// The map names this GPU, by logical number.
    Named(u32),
    /// Dealt among the GPUs near them.
    Dealt(GpuShare),
}

impl Words {
    pub(super) fn of(policy: &Policy) -> Self {
        let by_gpu = policy.map.object_kind() == Some(ObjKind::Gpu);
        let mapped = by_gpu || matches!(policy.map, MapBy::Mpibind(_) | MapBy::Given);
        match policy.gpus {
            Some(GpuShare::None) => Self::Dealt(GpuShare::None),
            _ if mapped => Self::Mapped,
            other => Self::Dealt(other.unwrap_or(GpuShare::Split)),
        }
    }

    /// The same on a topology, which tells whether a device that the map names is a GPU.
    pub(super) fn on(policy: &Policy, topologies: &Topologies, topology: TopologyId) -> Self {
        let devices = policy.map.devices().map(|options| options.of);
        if let (None, Some(Devices::Named(name))) = (policy.gpus, devices) {
            let mut gpus = (0..).zip(topologies.gpus(topology));
            if let Some((gpu, _)) = gpus.find(|(_, gpu)| gpu.name == name.text()) {
                return Self::Named(gpu);
            }
        }
        Self::of(policy)
    }
}

/// Neighbouring processes that get GPUs in the same way.
pub(super) struct GpuRun {
    /// The row of their app on the node.
    guest: usize,
    pub(super) count: u32,
    pub(super) grant: GpuGrant,
}

/// What some neighbouring processes get.
pub(super) enum GpuGrant {
    /// These GPUs, by logical number.
    These(Vec<u32>),
    /// Their share of the GPUs near their group.
    Dealt {
        group: Group,
        /// The number of the first of these processes in its group.
        first: u32,
    },
}

/// Processes with equal words and the same GPUs near: the words, and the row of the set of these GPUs.
pub(super) type Group = (GpuShare, u32);

/// Deals GPUs node by node.
pub(super) struct Dealer<'p> {
    pub(super) plan: &'p Plan,
    /// Distinct sets of visible numbers, the empty one first.
    sets: KeyRows<Vec<u32>>,
    given: GivenGpus,
    /// For each kind of node its row among the kinds, and how many processes of each app have no GPU near.
    kinds: HashMap<NodeKey, (u32, Vec<u64>)>,
}

impl<'p> Dealer<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        let mut sets = KeyRows::default();
        sets.push(Vec::new());
        let lacks = Lacks {
            few: None,
            apps: vec![Lack::default(); plan.apps.len()],
        };
        Self {
            plan,
            sets,
            given: GivenGpus {
                lacks,
                ..GivenGpus::default()
            },
            kinds: HashMap::new(),
        }
    }

    /// The GPUs that were dealt.
    pub(super) fn given(self) -> GivenGpus {
        GivenGpus {
            sets: self.sets.keys().to_vec(),
            ..self.given
        }
    }

    /// Deals the GPUs of one node alone.
    pub(super) fn one(&mut self, node: NodeId) {
        let here = self.guests_on(node);
        let nodes = NodeRange {
            first: row(node.row()),
            count: 1,
        };
        if !here.is_empty() {
            self.stretch(nodes, &here);
        }
    }

    /// The apps on a node, by local rank.
    pub(super) fn guests_on(&self, node: NodeId) -> Vec<GpuApp<'p>> {
        let plan = self.plan;
        let guests = plan.on_node(node).filter_map(|on| {
            Some(GpuApp {
                app: on.app,
                run: on.run,
                policy: plan.policy_of(plan.app(on.app))?,
            })
        });
        let mut here: Vec<GpuApp<'p>> = guests.collect();
        here.sort_by_key(|guest| guest.run.own_before);
        here
    }

    /// Deals the GPUs of all nodes, in stretches cut where placed runs begin or end and where node states change.
    pub(super) fn all(&mut self) {
        let plan = self.plan;
        let mut starts: Vec<GpuApp<'p>> = Vec::new();
        let states = plan.world.before.iter();
        let mut edges: Vec<u32> = states.map(|(nodes, _)| nodes.first).collect();
        for (app, of) in plan.table.ids().zip(&plan.apps) {
            let Some(policy) = plan.policy_of(of) else {
                continue;
            };
            for run in of.runs() {
                starts.push(GpuApp { app, run, policy });
                edges.extend([run.nodes.first, run.nodes.end()]);
            }
        }
        starts.sort_by_key(|guest| guest.run.nodes.first);
        edges.sort_unstable();
        edges.dedup();
        let mut starts = starts.into_iter().peekable();
        let mut here: Vec<GpuApp<'p>> = Vec::new();
        for pair in edges.windows(2) {
            let nodes = NodeRange::until(pair[0], pair[1]);
            here.retain(|guest| guest.run.nodes.end() > nodes.first);
            while let Some(guest) = starts.next_if(|guest| guest.run.nodes.first <= nodes.first) {
                here.push(guest);
            }
            if !here.is_empty() {
                here.sort_by_key(|guest| guest.run.own_before);
                self.stretch(nodes, &here);
            }
        }
    }

    fn stretch(&mut self, nodes: NodeRange, here: &[GpuApp<'p>]) {
        let topology = self
            .plan
            .topology_of(NodeId::from_row(nodes.first as usize));
        let has_gpus = !self.plan.world.topologies.gpus(topology).is_empty();
        let of = |guest: &GpuApp<'_>| {
            let GpuApp { run, policy, .. } = guest;
            (
                run.pattern,
                run.procs,
                run.kind,
                Words::of(policy),
                policy.map.devices(),
                run.own_before,
            )
        };
        let key: NodeKey = (topology, here.iter().map(of).collect());
        let (kind, lacking) = match self.kinds.get(&key) {
            Some(known) => known.clone(),
            None => {
                let made = self.node(topology, here, nodes.first);
                self.kinds.insert(key, made.clone());
                made
            }
        };
        for (guest, procs) in here.iter().zip(lacking) {
            let lack = &mut self.given.lacks.apps[guest.app.row()];
            lack.some |= has_gpus;
            if has_gpus && procs > 0 {
                lack.procs += procs * u64::from(nodes.count);
                lack.node = Some(lack.node.map_or(nodes.first, |node| node.min(nodes.first)));
            }
        }
        match self.given.nodes.last_mut() {
            Some((last, of)) if *of == kind && last.end() == nodes.first => {
                last.count += nodes.count
            }
            Some(_) | None => self.given.nodes.push((nodes, kind)),
        }
    }

    /// Deals one kind of node; returns its row among the kinds, and how many processes of each app have no GPU near.
    fn node(&mut self, topology: TopologyId, here: &[GpuApp<'p>], node: u32) -> (u32, Vec<u64>) {
        let mut near = NearGpus::new(self.plan, topology);
        let mut lacking = vec![0; here.len()];
        let mut dealt = NodeKind::default();
        if let Some((runs, sizes)) = self.gather(here, &mut near) {
            dealt.first = here.first().map_or(0, |guest| guest.run.own_before);
            let visible = self.visible(topology);
            for GpuRun {
                guest,
                count,
                grant,
            } in runs
            {
                let wants = Words::of(here[guest].policy) != Words::Dealt(GpuShare::None);
                let mut give = |count: u32, turns: &[Vec<u32>]| {
                    let rows = turns
                        .iter()
                        .map(|gpus| self.sets.meet(shown(gpus, &visible)));
                    let rows: Vec<u32> = rows.collect();
                    if wants && rows[..] == [0] {
                        lacking[guest] += u64::from(count);
                    }
                    dealt.push(count, &rows);
                };
                let (group, first) = match grant {
                    GpuGrant::These(gpus) => {
                        give(count, &[gpus]);
                        continue;
                    }
                    GpuGrant::Dealt { group, first } => (group, first),
                };
                let (share, set) = group;
                let gpus = &near.sets.keys()[set as usize];
                let mut at = first;
                while at < first + count {
                    let (turns, until) = deal(share, gpus, sizes[&group], at);
                    let until = until.min(first + count);
                    give(until - at, &turns);
                    at = until;
                }
                if let GpuShare::PerRank(each) = share
                    && (1..usize::from(each)).contains(&gpus.len())
                {
                    self.too_few(here[guest].app, node, each, row(gpus.len()));
                }
            }
        } else if let Some(guest) = here.first() {
            // There are too many runs to deal: no process is given a GPU.
            self.too_few(guest.app, node, 1, 0);
        }
        self.given.kinds.push(dealt);
        (row(self.given.kinds.len() - 1), lacking)
    }

    /// The runs of neighbouring processes, in placement order, and the size of each group; `None`: there are too many runs to
    /// deal.
    pub(super) fn gather(
        &self,
        here: &[GpuApp<'p>],
        near: &mut NearGpus<'p>,
    ) -> Option<(Vec<GpuRun>, HashMap<Group, u32>)> {
        let mut sizes = HashMap::new();
        let mut runs: Vec<GpuRun> = Vec::new();
        let topologies = &self.plan.world.topologies;
        for (guest, of) in here.iter().enumerate() {
            let pattern = self.plan.patterns.get(of.run.pattern);
            let words = Words::on(of.policy, topologies, near.topology);
            let several = near.several(of.policy);
            let devices = of.policy.map.devices();
            let mut local = 0;
            for PlaceRun { count, place } in pattern.runs(of.run.procs) {
                let end = local + count;
                while local < end {
                    let mut count = end - local;
                    let grant = match (words, place.object) {
                        (Words::Mapped, Some(gpu)) => {
                            let own = several.get(&gpu).cloned();
                            GpuGrant::These(own.unwrap_or_else(|| vec![gpu]))
                        }
                        (Words::Named(gpu), _) => GpuGrant::These(vec![gpu]),
                        (Words::Mapped, None) => match pattern.share_from(local) {
                            Some((share, left)) => {
                                count = count.min(left);
                                GpuGrant::These(share.gpus.clone())
                            }
                            None => GpuGrant::These(Vec::new()),
                        },
                        (Words::Dealt(GpuShare::None), _) => GpuGrant::These(Vec::new()),
                        (Words::Dealt(share), _) => {
                            let group = (share, near.of(place, of.run.kind, devices));
                            let size = sizes.entry(group).or_insert(0);
                            let first = *size;
                            *size += count;
                            GpuGrant::Dealt { group, first }
                        }
                    };
                    local += count;
                    runs.push(GpuRun {
                        guest,
                        count,
                        grant,
                    });
                    if runs.len() > PATTERN_RUNS_MAX {
                        return None;
                    }
                }
            }
        }
        Some((runs, sizes))
    }

    fn too_few(&mut self, app: AppId, node: u32, asked: u16, near: u32) {
        let names = &self.plan.world.names;
        let few = || PlaceError::NotEnoughDevices {
            app: row(app.row()),
            asked: (asked, Devices::Gpus),
            node: names.name(NodeId::from_row(node as usize)),
            near,
        };
        self.given.lacks.few.get_or_insert_with(few);
    }

    /// Visible numbers of the GPUs of a topology, by logical number.
    pub(super) fn visible(&self, topology: TopologyId) -> Vec<u32> {
        let gpus = self.plan.world.topologies.gpus(topology);
        gpus.iter().map(|gpu| gpu.visible).collect()
    }
}

/// The visible numbers of GPUs, ascending.
fn shown(gpus: &[u32], visible: &[u32]) -> Vec<u32> {
    let shown = gpus
        .iter()
        .filter_map(|&gpu| visible.get(gpu as usize).copied());
    let mut numbers: Vec<u32> = shown.collect();
    numbers.sort_unstable();
    numbers
}
