//! Steps: so many processes more on the nodes of a lot. Each different one is worked out once, many of them at once.

use super::lots::Work;
use super::parallel::over;
use super::pattern::{End, Laid, Layout};
use super::progress::{Done, LaidId, Pass, Progress, ProgressId, cut};
use super::site::Finished;
use super::spare::emptied;
use crate::id::Id as _;
use crate::policy::BindTo;
use crate::table::names::push_joined;
use std::cmp::Ordering;

/// So many processes more, in a layout.
pub(super) type Step = (ProgressId, Layout, u32);

/// Whether an app wants one number of processes of a layout on a progress. Where it wants several, the longest serves the
/// shorter ones: that is not remembered, as what an app gets must not hang on what earlier ones wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alone {
    Yes,
    No,
}

/// Whether a step is the only one of its progress and layout. `steps` ascend.
fn is_alone(steps: &[Step], at: usize) -> Alone {
    let like = |other: Option<&Step>| {
        other.is_some_and(|other| (other.0, other.1) == (steps[at].0, steps[at].1))
    };
    let before = at.checked_sub(1).and_then(|at| steps.get(at));
    if like(before) || like(steps.get(at + 1)) {
        Alone::No
    } else {
        Alone::Yes
    }
}

/// What a step comes to: the progress behind it, or how many processes it places and why no more.
pub(super) type Outcome = Result<ProgressId, (u32, End)>;

/// What a thread makes of a step.
struct Worked {
    laid: Laid,
    /// The pattern, where no longer step of the same layout has it.
    finished: Option<Finished>,
}

impl Work<'_> {
    /// Places `counts` (lot, layout, processes) and moves the lots on. Lots with 0 stay.
    ///
    /// # Errors
    /// The first process, in placing order, that does not find its place: its lot, how many of the app did, and why.
    pub(crate) fn place(
        &mut self,
        counts: &[(usize, Layout, u32)],
    ) -> Result<(), (usize, u64, End)> {
        let (steps, step_of) = self.steps(counts);
        let outcomes = self.work_out(&steps);
        let moved = match self.first_stop(counts, (&outcomes, &step_of)) {
            Some(stop) => Err(stop),
            None => {
                self.advance(counts, (&outcomes, &step_of));
                Ok(())
            }
        };
        let spare = &mut self.site.spare;
        (spare.steps, spare.step_of, spare.outcomes) = (steps, step_of, outcomes);
        moved
    }

    /// The different steps among `counts`, ascending, and which of them each row is. Rows with 0 are none.
    fn steps(&mut self, counts: &[(usize, Layout, u32)]) -> (Vec<Step>, Vec<u32>) {
        let spare = &mut self.site.spare;
        let mut order = emptied(&mut spare.order);
        let mut steps = emptied(&mut spare.steps);
        let mut step_of = emptied(&mut spare.step_of);
        let lots = &self.lots;
        let step = |row: u32| {
            let (lot, layout, procs) = counts[row as usize];
            (lots[lot].progress, layout, procs)
        };
        let rows = u32::try_from(counts.len()).expect("limit.rs keeps nodes below 2^32");
        order.extend((0..rows).filter(|&row| step(row).2 > 0));
        order.sort_unstable_by_key(|&row| step(row));
        step_of.resize(counts.len(), 0);
        for &row in &order {
            if steps.last() != Some(&step(row)) {
                steps.push(step(row));
            }
            let last = u32::try_from(steps.len() - 1);
            step_of[row as usize] = last.expect("there are no more steps than rows");
        }
        spare.order = order;
        (steps, step_of)
    }

    /// Works out every step that no earlier app did, in parallel where there are many; results are interned in order.
    fn work_out(&mut self, steps: &[Step]) -> Vec<Outcome> {
        let mut known = emptied(&mut self.site.spare.remembered);
        known.extend((0..steps.len()).map(|at| self.remembered_step(steps, at)));
        let mut wanted = emptied(&mut self.site.spare.fresh);
        let mut outcomes = emptied(&mut self.site.spare.outcomes);
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
        let outcome = |(at, known): (usize, Option<ProgressId>)| {
            known.map_or_else(
                || {
                    let (&(step, _), worked) = worked.next().expect("as many as are not known");
                    self.step(step, worked, is_alone(steps, at))
                },
                Ok,
            )
        };
        outcomes.extend(known.iter().copied().enumerate().map(outcome));
        self.site.spare.remembered = known;
        self.site.spare.fresh = wanted;
        outcomes
    }

    /// The first process that does not find its place: node after node, with SPAN round after round over the nodes.
    fn first_stop(
        &self,
        counts: &[(usize, Layout, u32)],
        (outcomes, step_of): (&[Outcome], &[u32]),
    ) -> Option<(usize, u64, End)> {
        if outcomes.iter().all(Result::is_ok) {
            return None;
        }
        let in_rounds = |layout| matches!(layout, Layout::Walk(_));
        let failed =
            |(row, (&(_, layout, procs), &step)): (usize, (&(usize, Layout, u32), &u32))| {
                let outcome = outcomes.get(step as usize).filter(|_| procs > 0)?;
                let (placed, end) = outcome.err()?;
                let round = if in_rounds(layout) { placed } else { 0 };
                Some((round, row, placed, end))
            };
        let rows = counts.iter().zip(step_of).enumerate();
        let (round, row, placed, end) = rows
            .filter_map(failed)
            .min_by_key(|&(round, row, ..)| (round, row))?;
        let nodes = |lot: usize| u64::from(self.lots[lot].nodes.count);
        let mut before = self.placed();
        for (other, &(lot, layout, procs)) in counts.iter().enumerate() {
            before += match (other.cmp(&row), in_rounds(layout)) {
                (Ordering::Less, false) => u64::from(procs) * nodes(lot),
                (Ordering::Less, true) => u64::from(procs.min(round + 1)) * nodes(lot),
                (Ordering::Equal, false) => u64::from(placed),
                (Ordering::Equal | Ordering::Greater, true) => {
                    u64::from(procs.min(round)) * nodes(lot)
                }
                (Ordering::Greater, false) => 0,
            };
        }
        Some((counts[row].0, before, end))
    }

    /// Moves the lots on to what was worked out.
    fn advance(
        &mut self,
        counts: &[(usize, Layout, u32)],
        (outcomes, step_of): (&[Outcome], &[u32]),
    ) {
        for (&(lot, layout, procs), &step) in counts.iter().zip(step_of) {
            if procs == 0 {
                continue;
            }
            let Ok(next) = outcomes[step as usize] else {
                continue;
            };
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
    }

    /// The progress behind a step. A shorter step comes before the longest of its layout, which brings the pattern.
    fn step(&mut self, (from, layout, want): Step, worked: Worked, alone: Alone) -> Outcome {
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
            only: (row.is_root() && alone == Alone::Yes).then_some(layout),
        });
        Ok(self.progress.push(Progress {
            placed: row.placed + want,
            pass: Some(pass),
            ..Progress::at(row.state)
        }))
    }

    /// What an earlier app of equal policy found here, as a step of its own.
    fn remembered_step(&mut self, steps: &[Step], at: usize) -> Option<ProgressId> {
        let (progress, layout, procs) = steps[at];
        if is_alone(steps, at) == Alone::No {
            return None;
        }
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
}
