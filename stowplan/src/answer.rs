//! Answers for people: why a rank is where it is, and what moved between two plans.

use crate::Rank;
use std::fmt;
use stowplan_answers::diff::{Diff, diff, words};
use stowplan_answers::explain::instead::Alternatives;
use stowplan_answers::explain::{Explained, explain};
use stowplan_engine::count;
use stowplan_engine::plan::Plan;

/// Why a rank is where it is. As text: the page of `stowplan explain`.
/// ```
#[doc = include_str!("example.txt")]
/// let why = plan.explain(stowplan::Rank::new(5)).ok_or("a rank of the plan")?;
/// assert!(!why.to_string().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// ```
    #[doc = include_str!("example.txt")]
    /// let why = plan.explain(stowplan::Rank::new(0)).ok_or("a rank of the plan")?;
    /// assert!(!why.why().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn why(&self) -> &[String] {
        &self.told.why
    }

    /// A change of one option that puts the rank elsewhere, `--map-by node`; it was planned. `None`: no word was found.
    /// ```
    #[doc = include_str!("example.txt")]
    /// let why = plan.explain(stowplan::Rank::new(3)).ok_or("a rank of the plan")?;
    /// if let Some(change) = why.instead() {
    ///     assert!(change.starts_with("--"));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
/// ```
#[doc = include_str!("example.txt")]
/// assert_eq!(plan.diff(&plan).same(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).same(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn same(&self) -> u32 {
        self.counts.same
    }
    /// Ranks on another node, on other cpus of the same node, or with another local rank.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).moved(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn moved(&self) -> u32 {
        self.counts.moved.node + self.counts.moved.cpus + self.counts.moved.local_rank
    }
    /// Ranks that the other plan does not have.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).gone(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn gone(&self) -> u32 {
        self.counts.gone
    }
    /// Ranks that this plan does not have.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).added(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn added(&self) -> u32 {
        self.counts.new
    }
    /// Whether the places are the same, with other ranks on them.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert!(!plan.diff(&plan).is_reordered());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
