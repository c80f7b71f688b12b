//! Answers for people: why a rank is where it is, and what moved between two plans.

use crate::Rank;
use std::fmt;
use stowplan_answers::diff::{Diff, diff, words};
use stowplan_answers::explain::instead::Alternatives;
use stowplan_answers::explain::{Explained, explain};
use stowplan_engine::count;
use stowplan_engine::plan::Plan;

/// Why a rank is where it is. As text: the page of `stowplan explain`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    told: Explained,
}

impl Explanation {
    pub(crate) fn new(plan: &Plan, rank: Rank) -> Option<Self> {
        let others = Alternatives::of_plan(plan);
        let told = explain(plan, count::Rank(u32::from(rank)), &others)?;
        Some(Self { told })
    }

    /// The sentences, from the map word to the cpus.
    #[must_use]
    pub fn why(&self) -> &[String] {
        &self.told.why
    }

    /// A change of one option that puts the rank elsewhere, `--map-by node`; it was planned. `None`: no word was found.
    #[must_use]
    pub fn instead(&self) -> Option<&str> {
        Some(self.told.instead.as_ref()?.change.as_str())
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told.page().join("\n"))
    }
}

/// What moved between two plans, counted by rank. As text: the page of `stowplan diff`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    counts: Diff,
    page: Vec<String>,
}

impl Difference {
    pub(crate) fn new(a: &Plan, b: &Plan) -> Self {
        let counts = diff(a, b);
        let page = words::page(&counts, a, b);
        Self { counts, page }
    }

    /// Ranks with the same node, local rank and cpus.
    #[must_use]
    pub const fn same(&self) -> u32 {
        self.counts.same
    }
    /// Ranks on another node, on other cpus of the same node, or with another local rank.
    #[must_use]
    pub const fn moved(&self) -> u32 {
        self.counts.moved.node + self.counts.moved.cpus + self.counts.moved.local_rank
    }
    /// Ranks that the other plan does not have.
    #[must_use]
    pub const fn gone(&self) -> u32 {
        self.counts.gone
    }
    /// Ranks that this plan does not have.
    #[must_use]
    pub const fn added(&self) -> u32 {
        self.counts.new
    }
    /// Whether the places are the same, with other ranks on them.
    #[must_use]
    pub const fn is_reordered(&self) -> bool {
        self.counts.reordered
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.page.join("\n"))
    }
}
