//! Lays what was allotted. Each distinct step is worked out once, many of them at once; then the groups move on to new trials.

use super::ask_node::KeptView;
use super::group::Allotment;
use super::memo::{Step, Trial, TrialId};
use super::placement::Placement;
use crate::stage::map_all::map_all;
use crate::stage::node::layout::{DraftSegment, End, Laid, Layout};
use crate::table::patterns::{PatternDraft, PatternId, Segment};
use crate::table::states::NodeState;
use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

/// How many steps are worked out before their results are kept. This bounds how many results wait.
const AT_ONCE: usize = 1024;

/// The first process, in placing order, that finds no place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// The row of its group.
    pub(crate) group: usize,
    /// How many processes of the app come before it.
    pub(crate) placed: u64,
    pub(crate) end: End,
}

impl Placement<'_> {
    /// Lays everything allotted, and moves the groups on to their new trials.
    ///
    /// # Errors
    /// The first process, in placing order, that finds no place: its group, how many of the app come before it, and why.
    pub(crate) fn lay_allotted(&mut self) -> Result<(), Stop> {
        let mut allotments = std::mem::take(&mut self.allotments);
        let unknown = self.unknown(&mut allotments);
        for some in unknown.chunks(AT_ONCE) {
            let this = &*self;
            let laid = map_all(
                some,
                this.tables.threading,
                KeptView::default,
                |kept, step| {
                    let Allotment { trial, step, .. } = *step;
                    this.lay_on(kept, trial, step.layout, step.procs)
                },
            );
            for (unknown, laid) in some.iter().zip(laid) {
                self.keep(unknown.trial, unknown.step, laid);
            }
        }
        let mut stops = false;
        for &Allotment { trial, step, group } in &allotments {
            match self.come_to(trial, step) {
                Ok(next) => self.groups[group].trial = next,
                Err(_) => stops = true,
            }
        }
        if stops {
            for allotment in &allotments {
                self.groups[allotment.group].placed -= allotment.step.procs;
            }
            return Err(self.first_stop(allotments));
        }
        allotments.clear();
        self.allotments = allotments;
        Ok(())
    }

    /// Sorts the allotments so that equal steps are neighbours. Returns each distinct step that is not yet known, once, in the order
    /// in which the groups come to the trials; the longest step of a layout comes first.
    fn unknown(&self, allotments: &mut [Allotment]) -> Vec<Allotment> {
        allotments.sort_unstable_by_key(|&Allotment { trial, step, group }| {
            (trial, step.layout, Reverse(step.procs), group)
        });
        let mut unknown: Vec<Allotment> = Vec::new();
        for same_trial in allotments.chunk_by_mut(|one, next| one.trial == next.trial) {
            let groups = same_trial.iter().map(|allotment| allotment.group);
            let first = groups.min().expect("a chunk is not empty");
            let same_layout =
                |one: &Allotment, next: &Allotment| one.step.layout == next.step.layout;
            for alike in same_trial.chunk_by_mut(same_layout) {
                let longest = alike[0].step.procs;
                alike.iter_mut().for_each(|own| own.step.longest = longest);
                for steps in alike.chunk_by(|one, next| one.step == next.step) {
                    let Allotment { trial, step, .. } = steps[0];
                    if self.memo[trial].outcome(step).is_none() {
                        let group = first;
                        unknown.push(Allotment { trial, step, group });
                    }
                }
            }
        }
        unknown.sort_by_key(|unknown| unknown.group);
        unknown
    }

    /// The outcome of a step that was worked out.
    fn come_to(&self, trial: TrialId, step: Step) -> Result<TrialId, (u32, End)> {
        let known = self.memo[trial].outcome(step);
        known.expect("every step is worked out before groups move on")
    }

    /// Keeps the outcome of a step. The longest step of a layout comes first: its pattern serves the others.
    fn keep(&mut self, from: TrialId, step: Step, laid: Laid) {
        if laid.procs < step.procs {
            let outcome = Err((laid.procs, laid.end));
            self.memo[from].steps.push((step, outcome));
            return;
        }
        let Trial {
            found,
            now,
            placed,
            began_unbound,
            ..
        } = self.memo[from];
        let state = *self.tables.states.get(now);
        let cpus = laid.cpus;
        let free = Arc::make_mut(&mut self.tables.pusets)
            .intern_words(cpus.free.words(), cpus.free.len() as usize);
        let longest = Step {
            procs: step.longest,
            ..step
        };
        let longest = self.memo[from].outcome(longest).and_then(Result::ok);
        let pattern = match longest {
            Some(longest) => self.memo[longest].pattern,
            None => Some(self.pattern(from, laid.segments)),
        };
        let next = Trial {
            now: self.tables.state(NodeState {
                free,
                used: state.used + step.procs,
                own: state.own + step.procs,
                ..state
            }),
            placed: placed + step.procs,
            pattern,
            from: Some(from),
            bound: cpus.bound,
            shares_cpus: cpus.shared,
            began_unbound: began_unbound || (placed == 0 && step.layout.gives_up()),
            ..Trial::root(found)
        };
        let next = self.memo.push(next);
        self.memo[from].steps.push((step, Ok(next)));
    }

    /// The pattern of the nodes of a trial, with these processes appended.
    fn pattern(&mut self, from: TrialId, drafts: Vec<DraftSegment>) -> PatternId {
        let Trial {
            found,
            placed,
            pattern,
            ..
        } = self.memo[from];
        let topology = self.tables.topology_of(found);
        let mut segments = PatternDraft::new();
        if let Some(pattern) = pattern {
            cut(
                self.tables.patterns.get(pattern).segments(),
                placed,
                &mut segments,
            );
        }
        segments.extend(
            drafts
                .into_iter()
                .map(|draft| self.tables.segment(topology, draft)),
        );
        self.tables.pattern(segments)
    }

    /// The first process that finds no place: node by node, but with SPAN round by round over the nodes.
    fn first_stop(&self, mut allotments: Vec<Allotment>) -> Stop {
        allotments.sort_unstable_by_key(|allotment| allotment.group);
        let in_rounds = |step: Step| matches!(step.layout, Layout::Walk(_));
        let failed = |(row, allotment): (usize, &Allotment)| {
            let &Allotment { trial, step, .. } = allotment;
            let (placed, end) = self.come_to(trial, step).err()?;
            let round = if in_rounds(step) { placed } else { 0 };
            Some((round, row, placed, end))
        };
        let all = allotments.iter().enumerate().filter_map(failed);
        let first = all.min_by_key(|&(round, row, ..)| (round, row));
        let (round, row, placed, end) = first.expect("asked where one fails");
        let nodes = |allotment: &Allotment| u64::from(self.groups[allotment.group].nodes.count);
        let mut before = self.dealt();
        for (other, allotment) in allotments.iter().enumerate() {
            let procs = allotment.step.procs;
            before -= u64::from(procs) * nodes(allotment);
            before += match (other.cmp(&row), in_rounds(allotment.step)) {
                (Ordering::Less, false) => u64::from(procs) * nodes(allotment),
                (Ordering::Less, true) => u64::from(procs.min(round + 1)) * nodes(allotment),
                (Ordering::Equal, false) => u64::from(placed),
                (Ordering::Equal | Ordering::Greater, true) => {
                    u64::from(procs.min(round)) * nodes(allotment)
                }
                (Ordering::Greater, false) => 0,
            };
        }
        Stop {
            group: allotments[row].group,
            placed: before,
            end,
        }
    }
}

/// Appends the first `procs` processes of a pattern, as a pattern that ends there.
fn cut(segments: &[Segment], procs: u32, kept: &mut PatternDraft) {
    let mut left = procs;
    for segment in segments {
        let count = left.min(segment.procs);
        left -= count;
        if count == 0 {
            break;
        }
        let mut segment = Segment {
            procs: count,
            ..segment.clone()
        };
        if segment.cycle.is_none() {
            let mut inside = count;
            segment.runs.retain_mut(|run| {
                run.count = run.count.min(inside);
                inside -= run.count;
                run.count > 0
            });
        }
        kept.push(segment);
    }
}
