//! Steps: so many processes more on the nodes of a group. Each different one is worked out once, many of them at once.

use super::cache::Want;
use super::placement::Placement;
use super::trial::{
    Allotment, DraftId, Step, StepOutcome, Stop, Trial, TrialDraft, TrialId, TrialPass,
    UnknownStep, cut,
};
use crate::id::Id as _;
use crate::policy::BindTo;
use crate::stage::alloc::LaidPattern;
use crate::stage::node::bits::Bits;
use crate::stage::node::layout::{DraftSegment, End, Laid, Layout};
use crate::stage::parallel::emptied;
use crate::stage::parallel::{Grain, over};
use crate::table::names::push_joined;
use std::cmp::Ordering;

/// How many of the first of some steps, which ascend, are of one trial and layout, and the most processes that one of
/// them wants.
#[inline]
fn alike(steps: &[Step]) -> (usize, u32) {
    let first = steps[0];
    let mut longest = first.procs;
    let mut alike = 1;
    while let Some(step) = steps.get(alike)
        && step.trial == first.trial
        && step.layout == first.layout
    {
        longest = step.procs;
        alike += 1;
    }
    (alike, longest)
}

/// What a thread makes of a step.
struct LaidStep {
    procs: u32,
    end: End,
    /// PUs that are free behind it.
    free: Bits,
    bound: Vec<u32>,
    shared: bool,
    /// The pattern, where no longer step of the same layout has it.
    pattern: Option<LaidPattern>,
}

impl LaidStep {
    fn new(laid: Laid, finish: impl FnOnce(Vec<DraftSegment>) -> Option<LaidPattern>) -> Self {
        Self {
            procs: laid.procs,
            end: laid.end,
            free: laid.cpus.free,
            bound: laid.cpus.bound,
            shared: laid.cpus.shared,
            pattern: finish(laid.segments),
        }
    }
}

impl Placement<'_> {
    /// Places `allotments` and moves the groups on. Groups with 0 stay.
    ///
    /// # Errors
    /// The first process, in placing order, that does not find its place: its group, how many of the app did, and why.
    pub(crate) fn place(&mut self, allotments: &[Allotment]) -> Result<(), Stop> {
        let (steps, step_of) = self.steps(allotments);
        let outcomes = self.work_out(&steps);
        let moved = match self.first_stop(allotments, &outcomes, &step_of) {
            Some(stop) => Err(stop),
            None => {
                self.advance(allotments, &outcomes, &step_of);
                Ok(())
            }
        };
        let scratch = &mut *self.scratch;
        (scratch.steps, scratch.step_of, scratch.outcomes) = (steps, step_of, outcomes);
        moved
    }

    /// The different steps among `allotments`, ascending, and which of them each row is. Rows with 0 are none.
    fn steps(&mut self, allotments: &[Allotment]) -> (Vec<Step>, Vec<u32>) {
        let scratch = &mut *self.scratch;
        let mut order = emptied(&mut scratch.order);
        let mut steps = emptied(&mut scratch.steps);
        let mut step_of = emptied(&mut scratch.step_of);
        let rows = (0_u32..)
            .zip(allotments)
            .filter(|(_, allotment)| allotment.procs > 0);
        order.extend(rows.map(|(row, allotment)| {
            let step = Step {
                trial: self.groups[allotment.group].trial,
                layout: allotment.layout,
                procs: allotment.procs,
            };
            (step, row)
        }));
        // Nodes mostly come in the order in which their states were met.
        if !order.is_sorted() {
            order.sort_unstable();
        }
        step_of.resize(allotments.len(), 0);
        let mut last = 0;
        for &(step, row) in &order {
            if steps.last() != Some(&step) {
                last = u32::try_from(steps.len()).expect("limit.rs keeps nodes below 2^32");
                steps.push(step);
            }
            step_of[row as usize] = last;
        }
        scratch.order = order;
        (steps, step_of)
    }

    /// Works out every step that no earlier app did, in parallel where there are many; results are interned in order.
    fn work_out(&mut self, steps: &[Step]) -> Vec<StepOutcome> {
        let mut known = emptied(&mut self.scratch.remembered);
        let mut wanted = emptied(&mut self.scratch.fresh);
        let mut outcomes = emptied(&mut self.scratch.outcomes);
        known.reserve(steps.len());
        self.trial.reserve(steps.len());
        let mut from = 0;
        while from < steps.len() {
            // The longest result serves the shorter ones as their beginning: all are known, or none is taken for known.
            let (alike, longest) = alike(&steps[from..]);
            let steps = &steps[from..from + alike];
            known.extend(
                steps
                    .iter()
                    .map(|&step| self.remembered_step(step, longest)),
            );
            if known[from..].contains(&None) {
                known[from..].fill(None);
                wanted.extend(steps.iter().map(|&step| UnknownStep { step, longest }));
            }
            from += alike;
        }
        let mut laid = Vec::new();
        let this = &*self;
        over(
            &wanted,
            this.tables.sharing,
            Grain::Coarse,
            |unknown| this.topology(unknown.step.trial),
            |view, &UnknownStep { step, longest }| {
                let laid = this.lay_on(view, step.trial, step.layout, step.procs);
                LaidStep::new(laid, |segments| {
                    (step.procs == longest)
                        .then(|| LaidPattern::new(&this.tables.topologies, segments))
                })
            },
            |topology| this.view(topology),
            &mut laid,
        );
        self.drafts.reserve(wanted.len());
        self.passes.reserve(wanted.len());
        self.trial.reserve(wanted.len());
        outcomes.reserve(steps.len());
        let mut laid = wanted.iter().zip(laid);
        let outcome = |known: Option<TrialId>| {
            known.map_or_else(
                || {
                    let (&UnknownStep { step, longest }, laid) =
                        laid.next().expect("as many as are unknown");
                    self.step(step, laid, longest)
                },
                Ok,
            )
        };
        outcomes.extend(known.iter().copied().map(outcome));
        self.scratch.remembered = known;
        self.scratch.fresh = wanted;
        outcomes
    }

    /// The first process that does not find its place: node after node, with SPAN round after round over the nodes.
    fn first_stop(
        &self,
        allotments: &[Allotment],
        outcomes: &[StepOutcome],
        step_of: &[u32],
    ) -> Option<Stop> {
        if outcomes.iter().all(Result::is_ok) {
            return None;
        }
        let in_rounds = |layout| matches!(layout, Layout::Walk(_));
        let failed = |(row, (allotment, &step)): (usize, (&Allotment, &u32))| {
            let &Allotment { layout, procs, .. } = allotment;
            let outcome = outcomes.get(step as usize).filter(|_| procs > 0)?;
            let (placed, end) = outcome.err()?;
            let round = if in_rounds(layout) { placed } else { 0 };
            Some((round, row, placed, end))
        };
        let rows = allotments.iter().zip(step_of).enumerate();
        let (round, row, placed, end) = rows
            .filter_map(failed)
            .min_by_key(|&(round, row, ..)| (round, row))?;
        let nodes = |group: usize| u64::from(self.groups[group].nodes.count);
        let mut before = self.placed();
        for (other, allotment) in allotments.iter().enumerate() {
            let &Allotment {
                group,
                layout,
                procs,
            } = allotment;
            before += match (other.cmp(&row), in_rounds(layout)) {
                (Ordering::Less, false) => u64::from(procs) * nodes(group),
                (Ordering::Less, true) => u64::from(procs.min(round + 1)) * nodes(group),
                (Ordering::Equal, false) => u64::from(placed),
                (Ordering::Equal | Ordering::Greater, true) => {
                    u64::from(procs.min(round)) * nodes(group)
                }
                (Ordering::Greater, false) => 0,
            };
        }
        Some(Stop {
            group: allotments[row].group,
            placed: before,
            end,
        })
    }

    /// Moves the groups on to what was worked out.
    fn advance(&mut self, allotments: &[Allotment], outcomes: &[StepOutcome], step_of: &[u32]) {
        for (allotment, &step) in allotments.iter().zip(step_of) {
            let &Allotment {
                group,
                layout,
                procs,
            } = allotment;
            if procs == 0 {
                continue;
            }
            let Ok(next) = outcomes[step as usize] else {
                continue;
            };
            if layout.gives_up() && self.policy.bind != BindTo::Nothing && self.dropped.is_none() {
                self.dropped = Some(self.groups[group]);
            }
            let row = &mut self.groups[group];
            row.trial = next;
            row.placed += procs;
            row.avail = row.avail.saturating_sub(procs);
            row.room -= procs.min(row.room);
            push_joined(&mut self.touched, row.nodes);
        }
    }

    /// The trial behind a step. A shorter step comes before the longest of its layout, which brings the pattern.
    fn step(&mut self, step: Step, laid: LaidStep, longest: u32) -> StepOutcome {
        let Step {
            trial: from,
            layout,
            procs: want,
        } = step;
        let laid_id = DraftId::from_row(self.drafts.len());
        if let Some(laid) = laid.pattern {
            let topology = self.topology(from);
            let ready = laid.ready(self.tables, topology);
            let pattern = None;
            self.drafts.push(TrialDraft { ready, pattern });
        }
        if laid.procs < want {
            return Err((laid.procs, laid.end));
        }
        let row = self.trial[from];
        let mut closed = Vec::new();
        if let Some(pass) = self.pass(from) {
            closed.extend(pass.closed.iter().cloned());
            closed.extend(cut(self.drafts[pass.laid].ready.segments(), pass.procs));
        }
        let pass = self.passes.push(TrialPass {
            from,
            free: laid.free,
            bound: laid.bound,
            shared: laid.shared,
            closed,
            laid: laid_id,
            procs: want,
            only: row.is_root().then_some((layout, longest)),
        });
        Ok(self.trial.push(Trial {
            placed: row.placed + want,
            pass: Some(pass),
            began_unbound: row.began_unbound || row.is_root() && layout.gives_up(),
            ..Trial::at(row.state)
        }))
    }

    /// What an earlier app of equal policy found here, whose longest step was as long.
    #[inline]
    fn remembered_step(&mut self, step: Step, longest: u32) -> Option<TrialId> {
        let Step {
            trial,
            layout,
            procs,
        } = step;
        let Trial { state, found, .. } = self.trial[trial];
        let want = Want {
            layout,
            procs,
            longest,
        };
        let known = self.cache.placed(found?, want)?;
        let next = Trial {
            placed: procs,
            known: Some(known),
            began_unbound: layout.gives_up(),
            ..Trial::at(state)
        };
        Some(self.trial.push(next))
    }
}
