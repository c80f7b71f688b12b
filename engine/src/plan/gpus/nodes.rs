//! Stretches of nodes with the same apps, and what each kind of node comes to.

use super::deal::{GpuGrant, deal, mapped};
use super::given::{GivenGpus, Lack, Lacks, NodeKind};
use super::near::NearGpus;
use crate::error::PlaceError;
use crate::id::Id as _;
use crate::limit::PATTERN_RUNS_MAX;
use crate::plan::Plan;
use crate::plan::placed::{PlacedRun, row};
use crate::policy::MapBy;
use crate::policy::{GpuShare, ObjKind};
use crate::table::apps::{AppId, Policy};
use crate::table::names::{NodeId, NodeRange};
use crate::table::patterns::PatternId;
use crate::table::topologies::TopologyId;
use std::collections::HashMap;

/// One app on nodes that are alike.
#[derive(Clone, Copy)]
pub(super) struct GpuApp<'p> {
    pub(super) app: AppId,
    pub(super) run: &'p PlacedRun,
    pub(super) policy: &'p Policy,
}

/// What makes nodes alike: the topology, and of each app its pattern, processes, kind, words and first local rank.
type NodeKey = (
    TopologyId,
    Vec<(PatternId, u32, Option<ObjKind>, Words, u32)>,
);

/// How an app's processes get GPUs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Words {
    /// The map says it.
    Mapped,
    /// Dealt among those near.
    Dealt(GpuShare),
}

impl Words {
    pub(super) fn of(policy: &Policy) -> Self {
        let by_gpu = policy.map.object_kind() == Some(ObjKind::Gpu);
        let mapped = by_gpu || matches!(policy.map, MapBy::Mpibind(_));
        match policy.gpus {
            Some(GpuShare::None) => Self::Dealt(GpuShare::None),
            _ if mapped => Self::Mapped,
            other => Self::Dealt(other.unwrap_or(GpuShare::Split)),
        }
    }
}

/// Neighbours that get alike: the row of their app, how many, what they get.
pub(super) type GpuRun = (usize, u32, GpuGrant);

/// Processes of each group: of equal words, with the same GPUs near.
pub(super) type Groups = HashMap<(GpuShare, u32), u32>;

/// Deals node by node.
pub(super) struct Dealer<'p> {
    pub(super) plan: &'p Plan,
    pub(super) given: GivenGpus,
    pub(super) sets: HashMap<Vec<u32>, u32>,
    pub(super) kinds: HashMap<NodeKey, (u32, Vec<u64>)>,
}

impl<'p> Dealer<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        let lacks = Lacks {
            few: None,
            apps: vec![Lack::default(); plan.apps.len()],
        };
        Self {
            plan,
            given: GivenGpus {
                sets: vec![Vec::new()],
                lacks,
                ..GivenGpus::default()
            },
            sets: HashMap::from([(Vec::new(), 0)]),
            kinds: HashMap::new(),
        }
    }

    /// One node alone.
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
        let mut here: Vec<GpuApp<'p>> = Vec::new();
        for on in plan.on_node(node) {
            let policy = plan.app(on.app).policy();
            if let Some(policy) = policy.and_then(|id| plan.table.policies.get(id)) {
                let (app, run) = (on.app, on.run);
                here.push(GpuApp { app, run, policy });
            }
        }
        here.sort_by_key(|guest| guest.run.own_before);
        here
    }

    /// Every stretch of nodes between the ends of placed runs, cut where topologies change.
    pub(super) fn all(&mut self) {
        let plan = self.plan;
        let mut starts: Vec<(u32, GpuApp<'p>)> = Vec::new();
        let mut edges: Vec<u32> = Vec::new();
        for (app, of) in plan.table.ids().zip(&plan.apps) {
            let policy = of.policy().and_then(|id| plan.table.policies.get(id));
            let Some(policy) = policy else { continue };
            for run in of.runs() {
                starts.push((run.nodes.first, GpuApp { app, run, policy }));
                edges.extend([run.nodes.first, run.nodes.end()]);
            }
        }
        for (nodes, _) in plan.world.before.iter() {
            edges.push(nodes.first);
        }
        starts.sort_by_key(|(first, _)| *first);
        edges.sort_unstable();
        edges.dedup();
        let mut starts = starts.into_iter().peekable();
        let mut here: Vec<GpuApp<'p>> = Vec::new();
        for pair in edges.windows(2) {
            here.retain(|guest| guest.run.nodes.end() > pair[0]);
            while let Some((_, guest)) = starts.next_if(|(first, _)| *first <= pair[0]) {
                here.push(guest);
            }
            if here.is_empty() {
                continue;
            }
            here.sort_by_key(|guest| guest.run.own_before);
            let nodes = NodeRange {
                first: pair[0],
                count: pair[1] - pair[0],
            };
            self.stretch(nodes, &here);
        }
    }

    fn stretch(&mut self, nodes: NodeRange, here: &[GpuApp<'p>]) {
        let world = &self.plan.world;
        let state = world.before.state(NodeId::from_row(nodes.first as usize));
        let topology = world.states.get(state).topology;
        let has_gpus = world.topologies.count(topology, ObjKind::Gpu) > 0;
        let of = |guest: &GpuApp<'_>| {
            let GpuApp { run, policy, .. } = guest;
            (
                run.pattern,
                run.procs,
                run.kind,
                Words::of(policy),
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

    /// One kind of node: a row of the kinds, and how many processes of each app have no GPU near.
    fn node(&mut self, topology: TopologyId, here: &[GpuApp<'p>], node: u32) -> (u32, Vec<u64>) {
        let mut near = NearGpus::new(self.plan, topology);
        let Some((runs, groups)) = self.gather(here, &mut near) else {
            // Nothing to deal among so many: nobody is given any.
            let app = here.first().map_or(0, |guest| row(guest.app.row()));
            let few = self.few(app, node, 1, 0);
            self.given.lacks.few.get_or_insert(few);
            return (self.kind(NodeKind::default()), vec![0; here.len()]);
        };
        let mut lacking = vec![0; here.len()];
        let mut dealt = NodeKind {
            first: here.first().map_or(0, |guest| guest.run.own_before),
            ..NodeKind::default()
        };
        let visible: Vec<u32> = self.visible(topology);
        for (guest, count, got) in runs {
            let mut parts: Vec<(u32, Vec<Vec<u32>>)> = Vec::new();
            match got {
                GpuGrant::Nothing => parts.push((count, vec![Vec::new()])),
                GpuGrant::These(gpus) => parts.push((count, vec![gpus])),
                GpuGrant::Dealt(share, set, first) => {
                    let gpus = &near.sets[set as usize];
                    if let GpuShare::PerRank(each) = share
                        && !gpus.is_empty()
                        && usize::from(each) > gpus.len()
                    {
                        let app = row(here[guest].app.row());
                        let few = self.few(app, node, each, row(gpus.len()));
                        self.given.lacks.few.get_or_insert(few);
                    }
                    let (size, end) = (groups[&(share, set)], first + count);
                    let mut at = first;
                    while at < end {
                        let (own, until) = deal(share, gpus, size, at);
                        let until = until.min(end);
                        parts.push((until - at, own));
                        at = until;
                    }
                }
            }
            let wants = Words::of(here[guest].policy) != Words::Dealt(GpuShare::None);
            for (count, turns) in parts {
                let rows: Vec<u32> = turns.iter().map(|gpus| self.set(gpus, &visible)).collect();
                if wants && rows[..] == [0] {
                    lacking[guest] += u64::from(count);
                }
                dealt.push(count, &rows);
            }
        }
        (self.kind(dealt), lacking)
    }

    /// The runs of neighbours as they are placed, each with its app, and the sizes of the groups that they are in; `None`:
    /// too many to be dealt.
    pub(super) fn gather(
        &self,
        here: &[GpuApp<'p>],
        near: &mut NearGpus<'p>,
    ) -> Option<(Vec<GpuRun>, Groups)> {
        let mut groups = Groups::new();
        let mut runs: Vec<GpuRun> = Vec::new();
        for (guest, of) in here.iter().enumerate() {
            let pattern = self.plan.patterns.get(of.run.pattern);
            let words = Words::of(of.policy);
            let mut local = 0;
            for run in pattern.runs(of.run.procs) {
                let (object, count) = (run.place.object, run.count);
                let got = match (words, object) {
                    (Words::Mapped, Some(gpu)) => GpuGrant::These(vec![gpu]),
                    (Words::Mapped, None) => {
                        mapped(pattern, local, count, guest, &mut runs);
                        local += count;
                        continue;
                    }
                    (Words::Dealt(GpuShare::None), _) => GpuGrant::Nothing,
                    (Words::Dealt(share), _) => {
                        let set = near.of(run.place, of.run.kind);
                        let size = groups.entry((share, set)).or_insert(0);
                        let first = *size;
                        *size += count;
                        GpuGrant::Dealt(share, set, first)
                    }
                };
                local += count;
                runs.push((guest, count, got));
                if runs.len() > PATTERN_RUNS_MAX {
                    return None;
                }
            }
        }
        Some((runs, groups))
    }

    fn few(&self, app: u32, node: u32, asked: u16, near: u32) -> PlaceError {
        PlaceError::NotEnoughGpus {
            app,
            asked,
            node: self.plan.world.names.name(NodeId::from_row(node as usize)),
            near,
        }
    }

    fn kind(&mut self, kind: NodeKind) -> u32 {
        self.given.kinds.push(kind);
        row(self.given.kinds.len() - 1)
    }

    pub(super) fn visible(&self, topology: TopologyId) -> Vec<u32> {
        let gpus = self.plan.world.topologies.gpus(topology);
        gpus.iter().map(|gpu| gpu.visible).collect()
    }

    /// The row of a set of GPUs, by logical number.
    fn set(&mut self, gpus: &[u32], visible: &[u32]) -> u32 {
        let shown = gpus
            .iter()
            .filter_map(|&gpu| visible.get(gpu as usize).copied());
        let mut numbers: Vec<u32> = shown.collect();
        numbers.sort_unstable();
        if let Some(&row) = self.sets.get(&numbers) {
            return row;
        }
        let row = row(self.given.sets.len());
        self.given.sets.push(numbers.clone());
        self.sets.insert(numbers, row);
        row
    }
}
