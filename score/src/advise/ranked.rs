//! The best of what was tried, with all figures.

use super::candidates::Tried;
use super::counting::{Counted, Counting};
use super::{Answer, Chosen, Policy, fullest, seats};
use crate::column::orders;
use crate::error::ScoreError;
use crate::limit::ANSWERS_MAX;
use crate::network::OnNetwork;
use crate::places::Places;
use crate::score::{Matrices, NoMatrices, scored};
use crate::weight::Weight;
use rayon::prelude::*;

impl Counting<'_> {
    /// The best placements, with all figures. The job as asked is among them.
    pub(super) fn ranked(
        &self,
        policies: &[Policy],
        mut tried: Vec<Counted>,
        matrices: &dyn Matrices,
    ) -> Result<Vec<Answer>, ScoreError> {
        let is_asked = |own: &Counted| own.policy == 0 && own.chosen == Chosen::Own;
        tried.sort_by_key(|own| (own.leave, own.worst, !is_asked(own)));
        // Keep more than are shown, because some will turn out to do the same.
        let mut at = 0;
        tried.retain(|own| {
            at += 1;
            at <= ANSWERS_MAX * 2 || is_asked(own)
        });
        let scored: Vec<Answer> = if self.matrix {
            let each = tried.into_iter();
            each.map(|own| self.answer(policies, own, matrices, None))
                .collect::<Result<_, _>>()?
        } else {
            let each = tried.into_par_iter();
            each.map(|own| self.answer(policies, own, &NoMatrices, None))
                .collect::<Result<_, _>>()?
        };
        let is_asked = |answer: &Answer| answer.policy == 0 && answer.chosen == Chosen::Own;
        // Of policies that do the same, only the first is shown.
        let mut answers: Vec<Answer> = Vec::new();
        for answer in scored {
            let known = answers.iter().any(|other| {
                other.score.levels == answer.score.levels
                    && matches!((&other.chosen, &answer.chosen), (Chosen::Own, Chosen::Own))
            });
            if is_asked(&answer) || !known {
                answers.push(answer);
            }
        }
        answers.sort_by_key(|answer| {
            let levels = answer.score.levels.iter();
            let figures: Vec<(Weight, Weight)> =
                levels.map(|level| (level.leave, level.worst)).collect();
            (figures, !is_asked(answer))
        });
        let asked = answers.iter().position(is_asked);
        if let Some(at) = asked.filter(|&at| at >= ANSWERS_MAX) {
            answers.swap(ANSWERS_MAX - 1, at);
        }
        answers.truncate(ANSWERS_MAX);
        Ok(answers)
    }

    /// One placement, with all figures; also above its nodes, if its network is given.
    pub(super) fn answer(
        &self,
        policies: &[Policy],
        own: Counted,
        matrices: &dyn Matrices,
        on: Option<&OnNetwork>,
    ) -> Result<Answer, ScoreError> {
        let plan = &policies[own.policy].plan;
        let places = Places::of(plan)?;
        let ranks = match &own.chosen {
            Chosen::Named(order) if own.ranks.is_empty() => {
                Tried::Named(order.clone()).ranks(plan.ranks(), fullest(plan))
            }
            Chosen::Named(_) | Chosen::Own | Chosen::Search => own.ranks.clone(),
        };
        let seating = match own.chosen {
            Chosen::Own => orders(&places),
            Chosen::Named(_) | Chosen::Search => seats(plan, &ranks),
        };
        let seated = self.seated(&places, &seating, on);
        let score = scored(seated, self.parts, self.unit, matrices)?;
        Ok(Answer {
            policy: own.policy,
            chosen: own.chosen,
            score,
            found: own.ranks,
        })
    }
}
