//! Lots: neighbouring nodes that fare alike while one app is placed, and how far each has come.
//!
//! Nodes in one state that get the same share one *progress*; what happens to it is worked out once, and in parallel
//! for different ones. Results are joined in order, so threads change nothing.

use super::bind::Cpus;
use super::facts::{Facts, Terrain};
use super::lay::lay;
use super::parallel::over;
use super::pattern::{End, Ground, Laid, Layout};
use super::progress::{Done, LaidId, Pass, PassId, Progress, ProgressId, cut};
use super::select::Pick;
use super::site::{Finished, Site};
use crate::id::{Column, Id as _};
use crate::policy::{BindTo, MapBy, Overload, Oversubscribe};
use crate::table::alike::ById;
use crate::table::apps::{AppId, AppTable, Policy, PolicyId};
use crate::table::names::{NodeRange, push_joined};
use crate::table::patterns::{PatternDraft, PatternId};
use crate::table::states::StateId;
use crate::table::topologies::TopologyId;
use std::ops::Range;

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

/// So many processes more, in a layout.
type Step = (ProgressId, Layout, u32);

/// What a step comes to: the progress behind it, or how many processes it places and why no more.
type Outcome = Result<ProgressId, (u32, End)>;

/// What a thread makes of a step.
struct Worked {
    laid: Laid,
    /// The pattern, where no longer step of the same layout has it.
    finished: Option<Finished>,
}

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
    pub(super) passes: Column<PassId, Pass>,
    done: Column<LaidId, Done>,
    /// What was learnt of each progress; shorter than [`Self::progress`]. Shape `[progress]`.
    facts: Vec<Option<Facts>>,
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
        let mut roots: ById<StateId, ProgressId> = ById::default();
        let mut lots: Vec<Lot> = Vec::with_capacity(picks.len());
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
        let states = progress.values().iter().map(|row: &Progress| row.state);
        site.know(
            states
                .map(|state| site.states.get(state).topology)
                .collect(),
        );
        Self {
            site,
            apps,
            app,
            policy,
            id,
            lots,
            progress,
            passes: Column::new(),
            done: Column::new(),
            facts: Vec::new(),
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
        match self.pass(progress) {
            Some(pass) => {
                let (free, bound) = (pass.free.clone(), pass.bound.clone());
                let mut cpus = terrain.binder.left(free, bound);
                cpus.shared = pass.shared;
                cpus
            }
            None => {
                let free = self.site.states.get(self.progress[progress].state).free;
                terrain.binder.cpus(self.site.pusets.words(free))
            }
        }
    }

    /// The pass that led to a progress; `None` where nothing was placed.
    pub(super) fn pass(&self, progress: ProgressId) -> Option<&Pass> {
        self.progress[progress].pass.map(|pass| &self.passes[pass])
    }

    /// What was learnt of a progress.
    pub(super) fn known_facts(&self, progress: ProgressId) -> Option<Facts> {
        self.facts.get(progress.row()).copied().flatten()
    }

    /// Works out the facts of the lots in a range of `lots`, those not yet known, in parallel where there are many.
    pub(crate) fn learn(&mut self, lots: Range<usize>) {
        self.facts.resize(self.progress.len(), None);
        let mut wanted: Vec<ProgressId> = self.lots[lots]
            .iter()
            .map(|lot| lot.progress)
            .filter(|id| self.facts[id.row()].is_none())
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|&progress| {
            let known = self.remembered_facts(progress);
            self.facts[progress.row()] = known;
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
                    this.site.pusets.words(state.allowed),
                )
            },
            |topology| this.terrain(topology),
        );
        for (progress, facts) in wanted.into_iter().zip(found) {
            self.facts[progress.row()] = Some(facts);
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
        self.site.memo.facts(row.state, id)
    }

    /// What an earlier app of equal policy found here, as a step of its own.
    fn remembered_step(&mut self, (progress, layout, procs): Step) -> Option<ProgressId> {
        let row = self.progress[progress];
        let id = self.remembered().filter(|_| row.is_root())?;
        let known = self.site.memo.placed((row.state, id), (layout, procs))?;
        let next = Progress {
            placed: procs,
            known: Some(known),
            ..Progress::at(row.state)
        };
        Some(self.progress.push(next))
    }

    /// Room for what this app will leave.
    pub(super) fn reserve(&mut self) {
        let new = self.passes.len();
        self.site.reserve(new);
    }

    pub(crate) fn topology(&self, progress: ProgressId) -> TopologyId {
        self.site.topology_of(self.progress[progress].state)
    }

    /// The facts of a lot. Cost: those of a lot never asked before.
    pub(crate) fn facts(&mut self, lot: usize) -> Facts {
        let progress = self.lots[lot].progress;
        if let Some(facts) = self.known_facts(progress) {
            return facts;
        }
        self.learn(lot..lot + 1);
        self.known_facts(progress).expect("learnt just now")
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
            snap: self.site.pusets.words(state.free),
            allowed: self.site.pusets.words(state.allowed),
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
        let (steps, step_of) = self.steps(counts);
        let outcomes = self.work_out(&steps);
        self.advance(counts, (&outcomes, &step_of))
    }

    /// The different steps among `counts`, ascending, and which of them each row is. Rows with 0 are none.
    fn steps(&self, counts: &[(usize, Layout, u32)]) -> (Vec<Step>, Vec<u32>) {
        let step = |row: u32| {
            let (lot, layout, procs) = counts[row as usize];
            (self.lots[lot].progress, layout, procs)
        };
        let rows = u32::try_from(counts.len()).expect("limit.rs keeps nodes below 2^32");
        let mut order: Vec<u32> = (0..rows).filter(|&row| step(row).2 > 0).collect();
        order.sort_unstable_by_key(|&row| step(row));
        let mut steps: Vec<Step> = Vec::with_capacity(order.len());
        let mut step_of = vec![0; counts.len()];
        for row in order {
            if steps.last() != Some(&step(row)) {
                steps.push(step(row));
            }
            let last = u32::try_from(steps.len() - 1);
            step_of[row as usize] = last.expect("there are no more steps than rows");
        }
        (steps, step_of)
    }

    /// Works out every step that no earlier app did, in parallel where there are many; results are interned in order.
    fn work_out(&mut self, steps: &[Step]) -> Vec<Outcome> {
        let known: Vec<Option<ProgressId>> = steps
            .iter()
            .map(|&step| self.remembered_step(step))
            .collect();
        let mut wanted: Vec<(Step, bool)> = Vec::with_capacity(steps.len());
        for (step, _) in steps
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none())
        {
            // The longest result serves the shorter ones as their beginning.
            if let Some((last, longest)) = wanted.last_mut() {
                *longest = (last.0, last.1) != (step.0, step.1);
            }
            wanted.push((*step, true));
        }
        let this = &*self;
        let worked = over(
            (&wanted, this.site.sharing),
            |((progress, ..), _)| this.topology(*progress),
            |terrain, &((progress, layout, want), longest)| {
                let mut laid = this.lay_on(terrain, progress, layout, want);
                let segments = std::mem::take(&mut laid.segments);
                let finish = || Finished::new(&this.site.topologies, segments);
                Worked {
                    finished: longest.then(finish),
                    laid,
                }
            },
            |topology| this.terrain(topology),
        );
        let mut worked = wanted.iter().zip(worked);
        let outcome = |known: Option<ProgressId>| {
            known.map_or_else(
                || {
                    let (&(step, _), worked) = worked.next().expect("as many as are not known");
                    self.step(step, worked)
                },
                Ok,
            )
        };
        known.into_iter().map(outcome).collect()
    }

    /// Moves the lots on to what was worked out.
    fn advance(
        &mut self,
        counts: &[(usize, Layout, u32)],
        (outcomes, step_of): (&[Outcome], &[u32]),
    ) -> Result<(), (usize, u64, End)> {
        let mut before = self.placed();
        for (&(lot, layout, procs), &step) in counts.iter().zip(step_of) {
            if procs == 0 {
                continue;
            }
            let next = outcomes[step as usize]
                .map_err(|(placed, end)| (lot, before + u64::from(placed), end))?;
            before += u64::from(procs) * u64::from(self.lots[lot].nodes.count);
            if layout.gives_up() && self.policy.bind != BindTo::Nothing && self.dropped.is_none() {
                self.dropped = Some(self.lots[lot]);
            }
            let row = &mut self.lots[lot];
            row.progress = next;
            row.placed += procs;
            row.avail = row.avail.saturating_sub(procs);
            row.room -= procs.min(row.room);
            push_joined(&mut self.touched, row.nodes);
        }
        Ok(())
    }

    /// The progress behind a step. A shorter step comes before the longest of its layout, which brings the pattern.
    fn step(&mut self, (from, layout, want): Step, worked: Worked) -> Outcome {
        let laid_id = LaidId::from_row(self.done.len());
        if let Some(finished) = worked.finished {
            let drafted = finished.drafted(self.site, self.topology(from));
            let pattern = None;
            self.done.push(Done { drafted, pattern });
        }
        let Laid {
            procs, end, cpus, ..
        } = worked.laid;
        if procs < want {
            return Err((procs, end));
        }
        let row = self.progress[from];
        let mut closed = Vec::new();
        if let Some(pass) = self.pass(from) {
            closed.extend(pass.closed.iter().cloned());
            closed.extend(cut(self.done[pass.laid].drafted.segments(), pass.procs));
        }
        let pass = self.passes.push(Pass {
            from,
            free: cpus.free,
            bound: cpus.bound,
            shared: cpus.shared,
            closed,
            laid: laid_id,
            procs: want,
            only: row.is_root().then_some(layout),
        });
        Ok(self.progress.push(Progress {
            placed: row.placed + want,
            pass: Some(pass),
            ..Progress::at(row.state)
        }))
    }

    /// The first lot on which bound processes share cpus.
    pub(crate) fn sharing(&self) -> Option<&Lot> {
        let shares = |lot: &&Lot| self.pass(lot.progress).is_some_and(|pass| pass.shared);
        self.lots.iter().find(shares)
    }

    /// The whole pattern of a progress behind a pass, interned.
    pub(super) fn pattern(&mut self, progress: ProgressId) -> PatternId {
        let pass = self
            .pass(progress)
            .expect("a lot with processes was moved on");
        let (laid, closed) = (pass.laid, pass.closed.clone());
        let done = &mut self.done[laid];
        if closed.is_empty() {
            let patterns = &mut self.site.patterns;
            return *done
                .pattern
                .get_or_insert_with(|| patterns.intern_drafted(std::mem::take(&mut done.drafted)));
        }
        let all = closed
            .into_iter()
            .chain(done.drafted.segments().iter().cloned());
        self.site.patterns.intern(all.collect::<PatternDraft>())
    }

    /// Splits a lot into parts of so many nodes each; parts of no nodes vanish. Gives the new rows.
    pub(crate) fn split(&mut self, lot: usize, parts: &[u32]) -> Range<usize> {
        let some = || parts.iter().copied().filter(|&count| count > 0);
        let rows = lot..lot + some().count();
        if rows.len() != 1 {
            let row = self.lots[lot];
            let mut first = row.nodes.first;
            let pieces = some().map(|count| {
                let nodes = NodeRange { first, count };
                first += count;
                Lot { nodes, ..row }
            });
            self.lots.splice(lot..=lot, pieces);
        }
        rows
    }
}
