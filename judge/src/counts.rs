//! Sums and capacities: what each node had at first, what each app added, what is left. One step per run of equal nodes.

use super::bits::{Bits, Mask};
use super::fault::{Faults, Promise, Seen, Where};
use super::hardware::{Hardware, number};
use super::listed::Entries;
use super::outcomes::{Outcomes, Part, Placing, Sight};
use super::passes;
use std::collections::BTreeMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Located, Plan};
use stowplan_engine::policy::{BindTo, CpuMode, MapBy, NoLocal, ObjKind, Overload};
use stowplan_engine::table::apps::{AppId, Policy, PolicyId};
use stowplan_engine::table::names::{NodeId, NodeRange};
use stowplan_engine::table::states::NodeState;

/// The books of the job, kept app by app.
pub(super) struct Ledger<'p, 'f> {
    pub(super) plan: &'p Plan,
    pub(super) faults: &'f mut Faults,
    pub(super) parts: BTreeMap<u32, Part>,
    pub(super) outcomes: Outcomes<'p>,
}

impl<'p, 'f> Ledger<'p, 'f> {
    pub(super) fn open(plan: &'p Plan, faults: &'f mut Faults) -> Self {
        let before = plan.world().before.iter();
        let parts = before.map(|(nodes, state)| {
            let part = Part {
                count: nodes.count,
                state: *plan.world().states.get(state),
                sight: Sight::Known,
            };
            (nodes.first, part)
        });
        Self {
            plan,
            faults,
            parts: parts.collect(),
            outcomes: Outcomes::new(plan),
        }
    }

    /// Enters one app into the books.
    pub(super) fn app(&mut self, app: AppId) {
        let plan = self.plan.app(app);
        self.asked(app);
        let Some(id) = plan.policy() else {
            return;
        };
        self.target(app, id);
        if self.overlaps(app) {
            return;
        }
        self.outcomes.given_up = passes::gives_up(self.plan, app, id);
        let mut placings = Vec::new();
        for row in 0..plan.runs().len() {
            if self.faults.full() {
                return;
            }
            self.run(app, id, row, &mut placings);
        }
        self.outcomes.walk_ahead(app, id, &placings);
        for placing in placings {
            self.place(app, id, placing);
        }
    }

    fn at(&self, app: AppId, node: Option<u32>, local: Option<u32>) -> Where {
        let names = &self.plan.world().names;
        let known = node.filter(|&node| node < names.len());
        Where {
            app: Some(number(app.row())),
            node: known.map(|node| names.name(NodeId::from_row(node as usize))),
            local,
            rank: None,
        }
    }

    /// Checks that the app has the processes it asked for, or those that its list or pattern gives.
    fn asked(&mut self, app: AppId) {
        let table = self.plan.resolved_apps();
        let procs = u64::from(self.plan.app(app).procs().0);
        let at = self.at(app, None, None);
        let Some(policy) = table.policy(app) else {
            self.faults.equal(Promise::Procs, || at, procs, 0);
            return;
        };
        if let Some(asked) = table.np[app] {
            self.faults
                .equal(Promise::Procs, || at, procs, u64::from(asked.0));
            return;
        }
        if let (MapBy::PeList, Some(list)) = (policy.map, policy.list) {
            let cpus = table.lists[list].iter();
            let promised = cpus.map(|&(first, last)| u64::from(last - first) + 1).sum();
            self.faults.equal(Promise::Procs, || at, procs, promised);
        } else if procs == 0 {
            self.faults
                .add(Promise::Procs, at, Seen::Number(0), Seen::Some);
        }
    }

    /// Checks that the policy is the resolved one, with the default bind target decided by the size of the job (3.6).
    fn target(&mut self, app: AppId, settled: PolicyId) {
        let table = self.plan.resolved_apps();
        let Some(promised) = table.policy(app) else {
            return;
        };
        let found = &table.policies[settled];
        let promised = self.by_size(*promised);
        // If the app's objects are too small for the job's PE, the policy without PE applies (5.1).
        let without_pe = table.without_pe[app].map(|id| self.by_size(table.policies[id]));
        if without_pe.as_ref() == Some(found) {
            return;
        }
        if *found != promised {
            let seen = |policy: &Policy| match policy.bind {
                BindTo::Object(kind) => Seen::Kind(kind),
                BindTo::Nothing | BindTo::BySize => Seen::Nothing,
            };
            let at = self.at(app, None, None);
            self.faults
                .add(Promise::DefaultTarget, at, seen(found), seen(&promised));
        }
    }

    /// A policy with the default bind target decided by the size of the job.
    fn by_size(&self, mut promised: Policy) -> Policy {
        if promised.bind == BindTo::BySize {
            let kind = if self.total() > 2 {
                ObjKind::Numa
            } else if promised.mode == CpuMode::Hwthread {
                ObjKind::Hwthread
            } else {
                ObjKind::Core
            };
            promised.bind = BindTo::Object(kind);
        }
        promised
    }

    /// The processes of the job as 3.6 counts them.
    fn total(&self) -> u64 {
        let table = self.plan.resolved_apps();
        let counts = table.ids().filter_map(|app| {
            let policy = table.policy(app)?;
            match table.np[app] {
                Some(asked) => Some(u64::from(asked.0)),
                None if counts_itself(policy.map) => None,
                None => Some(u64::from(self.plan.app(app).procs().0)),
            }
        });
        counts.sum()
    }

    /// Whether an app is on a node twice, or on a node outside the pool.
    fn overlaps(&mut self, app: AppId) -> bool {
        let mut runs: Vec<NodeRange> = self
            .plan
            .app(app)
            .runs()
            .iter()
            .map(|run| run.nodes)
            .collect();
        runs.sort_unstable();
        let twice = runs
            .windows(2)
            .find(|pair| pair[1].first < pair[0].first + pair[0].count)
            .map(|pair| pair[1].first);
        if let Some(node) = twice {
            let at = self.at(app, Some(node), None);
            self.faults
                .add(Promise::NodeOnce, at, Seen::Number(2), Seen::Number(1));
        }
        let pool = self.plan.world().before.nodes();
        let beyond = runs.last().filter(|last| last.end() > pool);
        if let Some(last) = beyond {
            let at = self.at(app, None, None);
            let promised = Seen::AtMost(u64::from(pool));
            let found = Seen::Number(u64::from(last.end()));
            self.faults.add(Promise::NodeKnown, at, found, promised);
        }
        twice.is_some() || beyond.is_some()
    }

    fn run(&mut self, app: AppId, id: PolicyId, row: usize, placings: &mut Vec<Placing>) {
        let run = self.plan.app(app).runs()[row];
        let policy = &self.plan.resolved_apps().policies[id];
        if policy.nolocal == NoLocal::Yes
            && let Some(local) = self.plan.world().local.map(|node| number(node.row()))
            && run.nodes.first <= local
            && local < run.nodes.end()
        {
            let at = self.at(app, Some(local), None);
            let found = Seen::Number(u64::from(run.procs));
            self.faults
                .add(Promise::NoLocal, at, found, Seen::Number(0));
        }
        let entries = Entries::of(self.plan, app);
        let exact = entries.filter(Entries::writes_cpus);
        for bound in passes::bounds(self.plan.app(app).passes(), run.nodes) {
            self.split(bound);
        }
        for (nodes, part) in self.cut(run.nodes) {
            let at = |this: &Self| this.at(app, Some(nodes.first), None);
            let (own, used) = (u64::from(part.state.own), u64::from(part.state.used));
            let place = at(self);
            self.faults
                .equal(Promise::LocalRank, || place, u64::from(run.own_before), own);
            let place = at(self);
            self.faults.equal(
                Promise::NodeRank,
                || place,
                u64::from(run.used_before),
                used,
            );
            if let Some(entries) = &exact {
                for node in nodes.first..nodes.end() {
                    let single = NodeRange {
                        first: node,
                        count: 1,
                    };
                    let exact = self.masks(app, row, node - run.nodes.first, entries, &part.state);
                    placings.push(Placing {
                        run,
                        nodes: single,
                        part,
                        exact,
                    });
                }
            } else {
                placings.push(Placing {
                    run,
                    nodes,
                    part,
                    exact: Vec::new(),
                });
            }
        }
    }

    /// The cpus that entries name for the processes of an app on a node.
    fn masks(
        &self,
        app: AppId,
        row: usize,
        node: u32,
        entries: &Entries<'_>,
        state: &NodeState,
    ) -> Vec<Option<Mask>> {
        let policy = self.plan.app(app).policy();
        let Some(policy) = policy.map(|id| &self.plan.resolved_apps().policies[id]) else {
            return Vec::new();
        };
        // With an unbound rankfile slot lists do not count, unless cpus may be shared (4.6).
        let left_out = policy.map == MapBy::Rankfile
            && policy.bind == BindTo::Nothing
            && policy.overload == Overload::Refused;
        if left_out {
            return Vec::new();
        }
        let hardware = Hardware::new(&self.plan.world().topologies, state.topology);
        let allowed = Bits::from_slice(self.outcomes.sets.get(state.allowed));
        let run = &self.plan.app(app).runs()[row];
        let base = self.plan.app(app).base().0;
        (0..run.procs)
            .map(|local| {
                let rank = self.plan.rank_of(Located {
                    app,
                    run: number(row),
                    node,
                    local,
                });
                let list = entries.entry(rank.0 - base)?.cpus?;
                let cpus = entries.cpus(list, hardware, policy.mode, &allowed);
                Some(cpus.part(&hardware.machine()))
            })
            .collect()
    }

    fn place(&mut self, app: AppId, id: PolicyId, placing: Placing) {
        let (run, nodes) = (placing.run, placing.nodes);
        let mut part = placing.part;
        if part.sight == Sight::Known {
            match self.outcomes.of(app, id, placing) {
                Ok(Some(free)) => part.state.free = free,
                Ok(None) => part.sight = Sight::Lost,
                Err(broken) => {
                    let at = self.at(app, Some(nodes.first), Some(broken.local));
                    self.faults
                        .add(broken.promise, at, broken.found, broken.promised);
                    part.sight = Sight::Lost;
                }
            }
        }
        part.state.used = part.state.used.saturating_add(run.procs);
        part.state.own = part.state.own.saturating_add(run.procs);
        part.count = nodes.count;
        self.parts.insert(nodes.first, part);
    }

    /// Cuts parts at both ends of a range, takes out the parts inside and gives them.
    fn cut(&mut self, nodes: NodeRange) -> Vec<(NodeRange, Part)> {
        self.split(nodes.first);
        self.split(nodes.end());
        let inside: Vec<u32> = self
            .parts
            .range(nodes.first..nodes.end())
            .map(|(&first, _)| first)
            .collect();
        let taken = inside.into_iter().filter_map(|first| {
            let part = self.parts.remove(&first)?;
            let nodes = NodeRange {
                first,
                count: part.count,
            };
            Some((nodes, part))
        });
        taken.collect()
    }

    fn split(&mut self, at: u32) {
        let Some((&first, &part)) = self.parts.range(..at).next_back() else {
            return;
        };
        let end = first + part.count;
        if end > at {
            let head = Part {
                count: at - first,
                ..part
            };
            let tail = Part {
                count: end - at,
                ..part
            };
            self.parts.insert(first, head);
            self.parts.insert(at, tail);
        }
    }
}

/// Whether an app without `-n` has as many processes as the mapper finds places (`semantics` 3.6).
fn counts_itself(map: MapBy) -> bool {
    matches!(map, MapBy::Ppr { .. }) || map.is_listed()
}
