//! Lots: neighbouring nodes that fare alike while one app is placed, and how far each has come.
//!
//! Nodes in one state that get the same share one *progress*; what happens to it is worked out once, and in parallel
//! for different ones. Results are joined in order, so threads change nothing.

use super::bind::Cpus;
use super::facts::{Facts, Terrain};
use super::lay::lay;
use super::parallel::over;
use super::pattern::{End, Ground, Laid, Layout};
use super::progress::{Progress, ProgressId, cut};
use super::select::Pick;
use super::site::Site;
use crate::id::{Column, Id as _};
use crate::policy::{BindTo, MapBy, Overload, Oversubscribe};
use crate::table::apps::{AppId, AppTable, Policy, PolicyId};
use crate::table::names::NodeRange;
use crate::table::patterns::Segment;
use crate::table::states::StateId;
use crate::table::topologies::TopologyId;
use std::collections::HashMap;

/// Neighbouring nodes that fare alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lot {
    pub(crate) nodes: NodeRange,
    /// Slots the app may still take on each.
    pub(crate) avail: u32,
    /// Processes each may still hold under max_slots.
    pub(crate) room: u32,
    /// Processes of the app on each.
    pub(crate) placed: u32,
    pub(crate) progress: ProgressId,
}

/// Something to lay: on which progress, how, and the numbers of processes wanted (ascending).
type Wish = (ProgressId, Layout, Vec<u32>);

/// So many processes more, in a layout.
type Step = (ProgressId, Layout, u32);

/// One app being placed.
pub(crate) struct Work<'s> {
    pub(crate) site: &'s mut Site,
    pub(crate) apps: &'s AppTable,
    pub(crate) app: AppId,
    pub(crate) policy: Policy,
    /// The policy by id, where later apps may have an equal one.
    pub(crate) id: Option<PolicyId>,
    pub(crate) lots: Vec<Lot>,
    pub(crate) progress: Column<ProgressId, Progress>,
    done: Vec<Vec<Segment>>,
    steps: HashMap<Step, ProgressId>,
    facts: HashMap<ProgressId, Facts>,
    /// Nodes in the order in which they first received a process of the app; nodes may repeat.
    pub(crate) touched: Vec<NodeRange>,
    /// The first lot whose default binding was given up.
    pub(crate) dropped: Option<Lot>,
}

impl<'s> Work<'s> {
    pub(crate) fn new(
        site: &'s mut Site,
        apps: &'s AppTable,
        (app, policy, id): (AppId, Policy, Option<PolicyId>),
        picks: &[Pick],
    ) -> Self {
        let mut progress = Column::new();
        let mut roots: HashMap<StateId, ProgressId> = HashMap::new();
        let mut lots = Vec::with_capacity(picks.len());
        for pick in picks {
            let id = *roots
                .entry(pick.state)
                .or_insert_with(|| progress.push(Progress::at(pick.state)));
            let room = site.states.get(pick.state).room();
            lots.push(Lot {
                nodes: pick.nodes,
                avail: pick.avail,
                room,
                placed: 0,
                progress: id,
            });
        }
        let used: Vec<TopologyId> = roots.keys().map(|&state| site.topology_of(state)).collect();
        for topology in used {
            site.hardware(topology);
        }
        let (done, steps, facts) = (Vec::new(), HashMap::new(), HashMap::new());
        Self {
            site,
            apps,
            app,
            policy,
            id,
            lots,
            progress,
            done,
            steps,
            facts,
            touched: Vec::new(),
            dropped: None,
        }
    }

    pub(crate) fn app_number(&self) -> u32 {
        u32::try_from(self.app.row()).expect("limit.rs keeps apps below 2^32")
    }

    /// Nodes of the app's list.
    pub(crate) fn nodes(&self) -> u32 {
        self.lots.iter().map(|lot| lot.nodes.count).sum()
    }

    /// Processes of the app placed so far.
    pub(crate) fn placed(&self) -> u64 {
        self.lots
            .iter()
            .map(|lot| u64::from(lot.placed) * u64::from(lot.nodes.count))
            .sum()
    }

    /// The topology of a progress, under this policy.
    pub(crate) fn terrain(&self, topology: TopologyId) -> Terrain<'_> {
        let hardware = self.site.hardware[topology]
            .as_ref()
            .expect("hardware of every picked state is known");
        let device = self
            .apps
            .device
            .get(self.app)
            .and_then(|device| device.as_deref());
        Terrain::new(
            &self.site.topologies,
            hardware,
            &self.policy,
            self.apps,
            device,
        )
    }

    fn cpus(&self, terrain: &Terrain<'_>, progress: ProgressId) -> Cpus {
        let row = &self.progress[progress];
        row.cpus.clone().unwrap_or_else(|| {
            let free = self.site.states.get(row.state).free;
            terrain.binder.cpus(self.site.pusets.get(free))
        })
    }

    /// Works out the facts of the lots in a range of `lots`, those not yet known, in parallel where there are many.
    pub(crate) fn learn(&mut self, lots: std::ops::Range<usize>) {
        let mut wanted: Vec<ProgressId> = self.lots[lots]
            .iter()
            .map(|lot| lot.progress)
            .filter(|id| !self.facts.contains_key(id))
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|&progress| {
            let known = self.remembered_facts(progress);
            self.facts.extend(known.map(|facts| (progress, facts)));
            known.is_none()
        });
        let this = &*self;
        let found = over(
            (&wanted, this.site.sharing),
            |progress| this.topology(*progress),
            |terrain, &progress| {
                let state = this.site.states.get(this.progress[progress].state);
                terrain.facts(
                    &this.cpus(terrain, progress),
                    this.site.pusets.get(state.allowed),
                )
            },
            |topology| this.terrain(topology),
        );
        for (progress, facts) in wanted.into_iter().zip(found) {
            let row = &self.progress[progress];
            if let Some(id) = self.remembered().filter(|_| row.is_root()) {
                self.site.memo.facts.insert((row.state, id), facts);
            }
            self.facts.insert(progress, facts);
        }
    }

    /// The policy, where what this app finds on a state holds for later apps of equal policy: not where a device, turns of
    /// shared cpus or further passes come into it.
    pub(crate) fn remembered(&self) -> Option<PolicyId> {
        let alike = self.policy.map != MapBy::Dist
            && self.policy.overload == Overload::Refused
            && self.policy.oversubscribe == Oversubscribe::Refused;
        self.id.filter(|_| alike)
    }

    fn remembered_facts(&self, progress: ProgressId) -> Option<Facts> {
        let row = &self.progress[progress];
        let id = self.remembered().filter(|_| row.is_root())?;
        self.site.memo.facts.get(&(row.state, id)).copied()
    }

    /// What an earlier app of equal policy found here, as a step of its own.
    fn remembered_step(
        &mut self,
        progress: ProgressId,
        layout: Layout,
        procs: u32,
    ) -> Option<ProgressId> {
        let row = &self.progress[progress];
        let (id, state) = (self.remembered().filter(|_| row.is_root())?, row.state);
        let known = *self.site.memo.placed.get(&(state, id, layout, procs))?;
        let next = Progress {
            placed: procs,
            only: Some(layout),
            known: Some(known),
            ..Progress::at(state)
        };
        Some(self.progress.push(next))
    }

    pub(crate) fn topology(&self, progress: ProgressId) -> TopologyId {
        self.site.topology_of(self.progress[progress].state)
    }

    /// The facts of a lot. Cost: those of a lot never asked before.
    pub(crate) fn facts(&mut self, lot: usize) -> Facts {
        let progress = self.lots[lot].progress;
        if let Some(&facts) = self.facts.get(&progress) {
            return facts;
        }
        self.learn(lot..lot + 1);
        self.facts[&progress]
    }

    /// How many of `want` processes a layout would place on a lot, and why no more.
    pub(crate) fn capacity(&self, lot: usize, layout: Layout, want: u32) -> u32 {
        let lot = &self.lots[lot];
        let terrain = self.terrain(self.topology(lot.progress));
        self.lay_on(&terrain, lot.progress, layout, want).procs
    }

    /// How a layout of `want` processes would end on a lot.
    pub(crate) fn ending(&self, lot: usize, layout: Layout, want: u32) -> End {
        let lot = &self.lots[lot];
        let terrain = self.terrain(self.topology(lot.progress));
        self.lay_on(&terrain, lot.progress, layout, want).end
    }

    fn lay_on(
        &self,
        terrain: &Terrain<'_>,
        progress: ProgressId,
        layout: Layout,
        want: u32,
    ) -> Laid {
        let row = &self.progress[progress];
        let state = self.site.states.get(row.state);
        let ground = Ground {
            binder: &terrain.binder,
            objects: &terrain.objects,
            snap: self.site.pusets.get(state.free),
            allowed: self.site.pusets.get(state.allowed),
            listed: &terrain.listed,
        };
        lay(
            &ground,
            layout,
            self.cpus(terrain, progress),
            row.placed,
            want,
        )
    }

    /// Places `counts` (lot, layout, processes) and moves the lots on. Lots with 0 stay.
    ///
    /// # Errors
    /// The first, in the order given, whose processes do not all find their place: the lot, how many of the app did, and why.
    pub(crate) fn place(
        &mut self,
        counts: &[(usize, Layout, u32)],
    ) -> Result<(), (usize, u64, End)> {
        let wishes = self.wishes(counts);
        let failed = self.work_out(wishes);
        self.advance(counts, &failed)
    }

    /// What of `counts` nobody has worked out yet.
    fn wishes(&mut self, counts: &[(usize, Layout, u32)]) -> Vec<Wish> {
        let mut rows: HashMap<(ProgressId, Layout), usize> = HashMap::new();
        let mut list: Vec<Wish> = Vec::new();
        for &(lot, layout, procs) in counts.iter().filter(|(_, _, procs)| *procs > 0) {
            let progress = self.lots[lot].progress;
            if self.steps.contains_key(&(progress, layout, procs)) {
                continue;
            }
            if let Some(next) = self.remembered_step(progress, layout, procs) {
                self.steps.insert((progress, layout, procs), next);
                continue;
            }
            let at = *rows.entry((progress, layout)).or_insert_with(|| {
                list.push((progress, layout, Vec::new()));
                list.len() - 1
            });
            if let Err(place) = list[at].2.binary_search(&procs) {
                list[at].2.insert(place, procs);
            }
        }
        list
    }

    /// Lays every wish, in parallel where there are many, and interns the results in order. Gives those that fail.
    fn work_out(&mut self, list: Vec<Wish>) -> HashMap<Step, (u32, End)> {
        let this = &*self;
        let laid = over(
            (&list, this.site.sharing),
            |wish| this.topology(wish.0),
            |terrain, (progress, layout, wants)| {
                wants
                    .iter()
                    .map(|&want| this.lay_on(terrain, *progress, *layout, want))
                    .collect::<Vec<Laid>>()
            },
            |topology| this.terrain(topology),
        );
        let mut failed = HashMap::new();
        for ((progress, layout, wants), mut results) in list.into_iter().zip(laid) {
            let topology = self.topology(progress);
            // The longest result serves the shorter ones as their beginning.
            let longest = results
                .last_mut()
                .map(|last| std::mem::take(&mut last.segments));
            let drafts = longest.unwrap_or_default().into_iter();
            let segments = drafts
                .map(|draft| self.site.segment(topology, draft))
                .collect();
            self.done.push(segments);
            for (want, result) in wants.into_iter().zip(results) {
                if result.procs < want {
                    failed.insert((progress, layout, want), (result.procs, result.end));
                } else {
                    let next = self.step(progress, layout, want, result.cpus);
                    self.steps.insert((progress, layout, want), next);
                }
            }
        }
        failed
    }

    /// Moves the lots on to what was worked out.
    fn advance(
        &mut self,
        counts: &[(usize, Layout, u32)],
        failed: &HashMap<Step, (u32, End)>,
    ) -> Result<(), (usize, u64, End)> {
        let mut before = self.placed();
        for &(lot, layout, procs) in counts.iter().filter(|(_, _, procs)| *procs > 0) {
            let key = (self.lots[lot].progress, layout, procs);
            if let Some(&(placed, end)) = failed.get(&key) {
                return Err((lot, before + u64::from(placed), end));
            }
            before += u64::from(procs) * u64::from(self.lots[lot].nodes.count);
            let next = self.steps[&key];
            if layout.gives_up() && self.policy.bind != BindTo::Nothing && self.dropped.is_none() {
                self.dropped = Some(self.lots[lot]);
            }
            let row = &mut self.lots[lot];
            row.progress = next;
            row.placed += procs;
            row.avail = row.avail.saturating_sub(procs);
            row.room -= procs.min(row.room);
            self.touched.push(row.nodes);
        }
        Ok(())
    }

    /// The progress behind `procs` more processes of the last result.
    fn step(&mut self, from: ProgressId, layout: Layout, procs: u32, cpus: Cpus) -> ProgressId {
        let row = &self.progress[from];
        let mut closed = row.closed.clone();
        if let Some((done, count)) = row.open {
            closed.extend(cut(&self.done[done], count));
        }
        let open = Some((self.done.len() - 1, procs));
        let (state, placed) = (row.state, row.placed + procs);
        let only = row.is_root().then_some(layout);
        self.progress.push(Progress {
            placed,
            cpus: Some(cpus),
            closed,
            open,
            only,
            ..Progress::at(state)
        })
    }

    /// The first lot on which bound processes share cpus.
    pub(crate) fn sharing(&self) -> Option<&Lot> {
        let shares = |lot: &&Lot| {
            self.free_after(lot.progress)
                .is_some_and(|cpus| cpus.shared)
        };
        self.lots.iter().find(shares)
    }

    /// The cpus free after what was placed, or `None` when nothing was.
    pub(crate) fn free_after(&self, progress: ProgressId) -> Option<&Cpus> {
        self.progress[progress].cpus.as_ref()
    }

    /// The whole pattern of a progress.
    pub(crate) fn segments(&self, progress: ProgressId) -> Vec<Segment> {
        let row = &self.progress[progress];
        let mut segments = row.closed.clone();
        if let Some((done, _)) = row.open {
            segments.extend(self.done[done].iter().cloned());
        }
        segments
    }

    /// Splits a lot into parts of so many nodes each; parts of no nodes vanish. Gives the new rows.
    pub(crate) fn split(&mut self, lot: usize, parts: &[u32]) -> Vec<usize> {
        let row = self.lots[lot];
        let mut first = row.nodes.first;
        let pieces: Vec<Lot> = parts
            .iter()
            .filter(|&&count| count > 0)
            .map(|&count| {
                let nodes = NodeRange { first, count };
                first += count;
                Lot { nodes, ..row }
            })
            .collect();
        let rows = (lot..lot + pieces.len()).collect();
        if pieces.len() != 1 {
            self.lots.splice(lot..=lot, pieces);
        }
        rows
    }
}
