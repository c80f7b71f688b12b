//! The best of what was tried, with all figures.

use super::counting::{Counted, Counting};
use super::{Answer, Chosen, Policy, ranks_of, seats};
use crate::score::column::orders;
use crate::score::error::ScoreError;
use crate::score::figures::{Matrices, NoMatrices, scored};
use crate::score::limit::ANSWERS_MAX;
use crate::score::network::OnNetwork;
use crate::score::places::Places;
use crate::score::weight::Weight;
use rayon::prelude::*;

/// How many of what was tried get all figures: more than are shown, because some will turn out to do the same.
const SCORED: usize = ANSWERS_MAX * 2;

impl Counting<'_> {
    /// The best placements, with all figures. The job as asked is among them.
    pub(super) fn ranked(
        &self,
        policies: &[Policy],
        mut tried: Vec<Counted>,
        matrices: &dyn Matrices,
    ) -> Result<Vec<Answer>, ScoreError> {
        tried.sort_by_key(|own| (own.leave, own.worst, !own.is_asked()));
        let answers = self.answers(policies, front(tried), matrices, |_| None)?;
        let key = |answer: &Answer| {
            let levels = answer.score.levels.iter();
            let figures: Vec<(Weight, Weight)> =
                levels.map(|level| (level.leave, level.worst)).collect();
            (figures, !answer.is_asked())
        };
        // Of policies that do the same, only the first is shown.
        let same = |other: &Answer, answer: &Answer| {
            other.score.levels == answer.score.levels
                && matches!((&other.chosen, &answer.chosen), (Chosen::Own, Chosen::Own))
        };
        Ok(shown(once(answers, key, same)))
    }

    /// All figures of placements; also above their nodes, if the network of their policy is given.
    pub(super) fn answers<'n>(
        &self,
        policies: &'n [Policy],
        tried: Vec<Counted>,
        matrices: &dyn Matrices,
        on: impl Fn(&'n Policy) -> Option<&'n OnNetwork> + Sync,
    ) -> Result<Vec<Answer>, ScoreError> {
        if self.matrix {
            let each = tried.into_iter();
            return each
                .map(|own| self.answer(&policies[own.policy], &on, own, matrices))
                .collect();
        }
        let each = tried.into_par_iter();
        each.map(|own| self.answer(&policies[own.policy], &on, own, &NoMatrices))
            .collect()
    }

    fn answer<'n>(
        &self,
        policy: &'n Policy,
        on: impl Fn(&'n Policy) -> Option<&'n OnNetwork>,
        own: Counted,
        matrices: &dyn Matrices,
    ) -> Result<Answer, ScoreError> {
        let plan = &policy.plan;
        let places = Places::of(plan)?;
        let ranks = ranks_of(&own.chosen, &own.ranks, plan);
        let seating = match own.chosen {
            Chosen::Own => orders(&places),
            Chosen::Named(_) | Chosen::Search => seats(plan, &ranks),
        };
        let seated = self.seated(&places, &seating, on(policy));
        Ok(Answer {
            policy: own.policy,
            chosen: own.chosen,
            score: scored(seated, self.parts, self.unit, matrices)?,
            found: own.ranks,
        })
    }
}

/// The first of what was tried, and the job as asked.
pub(super) fn front(mut tried: Vec<Counted>) -> Vec<Counted> {
    let mut at = 0;
    tried.retain(|own| {
        at += 1;
        at <= SCORED || own.is_asked()
    });
    tried
}

/// Answers, sorted. Of those that are the same, only the first is kept, and the job as asked.
pub(super) fn once<K: Ord>(
    mut answers: Vec<Answer>,
    key: impl Fn(&Answer) -> K,
    same: impl Fn(&Answer, &Answer) -> bool,
) -> Vec<Answer> {
    answers.sort_by_cached_key(key);
    let mut kept: Vec<Answer> = Vec::new();
    for answer in answers {
        if answer.is_asked() || !kept.iter().any(|other| same(other, &answer)) {
            kept.push(answer);
        }
    }
    kept
}

/// The answers that are shown: the first, with the job as asked among them.
pub(super) fn shown(mut answers: Vec<Answer>) -> Vec<Answer> {
    let asked = answers.iter().position(Answer::is_asked);
    if let Some(at) = asked.filter(|&at| at >= ANSWERS_MAX) {
        answers.swap(ANSWERS_MAX - 1, at);
    }
    answers.truncate(ANSWERS_MAX);
    answers
}
