//! Why a rank is where it is.

use crate::Rank;
use crate::answers::explain::instead::Alternatives;
use crate::answers::explain::{Explained, explain};
use std::fmt;
use stowplan_engine::count;
use stowplan_engine::plan::Plan;

/// Why a rank is where it is. `Display` writes the page of `stowplan explain`.
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

    /// The sentences of the explanation, from the map word to the cpus.
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

    /// The map, rank and bind words that decided where the rank is, each with where it came from.
    /// ```
    #[doc = include_str!("example.txt")]
    /// let why = plan.explain(stowplan::Rank::new(0)).ok_or("a rank of the plan")?;
    /// let map = why.words().next().ok_or("an app has policies")?;
    /// assert_eq!((map.option(), map.value(), map.from(), map.rule()), ("--map-by", "core", "job", None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn words(&self) -> impl ExactSizeIterator<Item = Word<'_>> {
        self.told.words.iter().map(Word::new)
    }

    /// A change of one option that puts the rank on another node or on other cpus. The job was planned with this change. `None` if
    /// no map, rank or bind word moves the rank.
    /// ```
    #[doc = include_str!("example.txt")]
    /// let why = plan.explain(stowplan::Rank::new(3)).ok_or("a rank of the plan")?;
    /// if let Some(other) = why.instead() {
    ///     assert!(other.change().starts_with("--"));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn instead(&self) -> Option<Instead<'_>> {
        let told = self.told.instead.as_ref()?;
        Some(Instead { told })
    }
}

/// A policy word that decided where the rank is.
/// ```
#[doc = include_str!("example.txt")]
/// let why = plan.explain(stowplan::Rank::new(0)).ok_or("a rank of the plan")?;
/// let options: Vec<&str> = why.words().map(|word| word.option()).collect();
/// assert_eq!(options, ["--map-by", "--rank-by", "--bind-to"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<'e> {
    told: &'e crate::answers::explain::Word,
}

impl<'e> Word<'e> {
    pub(crate) const fn new(told: &'e crate::answers::explain::Word) -> Self {
        Self { told }
    }

    /// The option: `--map-by`, `--rank-by` or `--bind-to`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// # let why = plan.explain(stowplan::Rank::new(0)).ok_or("a rank of the plan")?;
    /// assert!(why.words().all(|word| word.option().starts_with("--")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn option(self) -> &'e str {
        self.told.option
    }
    /// Its value, written out: `core:pe=2`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// # let why = plan.explain(stowplan::Rank::new(0)).ok_or("a rank of the plan")?;
    /// assert!(why.words().any(|word| word.value() == "core"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn value(self) -> &'e str {
        &self.told.value
    }
    /// Where it came from: `app`, `job`, `parent` or `default`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// # let why = plan.explain(stowplan::Rank::new(0)).ok_or("a rank of the plan")?;
    /// assert!(why.words().any(|word| word.from() == "default"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn from(self) -> &'e str {
        self.told.from
    }
    /// The rule that gave the word, if it is a default.
    /// ```
    #[doc = include_str!("example.txt")]
    /// # let why = plan.explain(stowplan::Rank::new(0)).ok_or("a rank of the plan")?;
    /// assert!(why.words().all(|word| word.rule().is_some() == (word.from() == "default")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn rule(self) -> Option<&'e str> {
        self.told.rule
    }
}

/// One option that is added or changed, and where the rank is with this change.
/// ```
#[doc = include_str!("example.txt")]
/// let why = plan.explain(stowplan::Rank::new(1)).ok_or("a rank of the plan")?;
/// let other = why.instead().ok_or("another map word moves it")?;
/// assert_eq!((other.change(), other.node(), other.local_rank()), ("--map-by node", "b", 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instead<'e> {
    told: &'e crate::answers::explain::instead::Instead,
}

impl<'e> Instead<'e> {
    /// The option with its new value: `--map-by node`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// # let why = plan.explain(stowplan::Rank::new(1)).ok_or("a rank of the plan")?;
    /// assert_eq!(why.instead().map(|other| other.change()), Some("--map-by node"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn change(self) -> &'e str {
        &self.told.change
    }
    /// The rank's node with this change.
    /// ```
    #[doc = include_str!("example.txt")]
    /// # let why = plan.explain(stowplan::Rank::new(1)).ok_or("a rank of the plan")?;
    /// assert_eq!(why.instead().map(|other| other.node()), Some("b"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn node(self) -> &'e str {
        &self.told.node
    }
    /// Its local rank with this change.
    /// ```
    #[doc = include_str!("example.txt")]
    /// # let why = plan.explain(stowplan::Rank::new(1)).ok_or("a rank of the plan")?;
    /// assert_eq!(why.instead().map(|other| other.local_rank()), Some(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn local_rank(self) -> u32 {
        self.told.local_rank
    }
    /// Its cpus with this change, as a list of OS numbers. `None` if it is unbound.
    /// ```
    #[doc = include_str!("example.txt")]
    /// # let why = plan.explain(stowplan::Rank::new(1)).ok_or("a rank of the plan")?;
    /// assert_eq!(why.instead().and_then(|other| other.cpus()), Some("0"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cpus(self) -> Option<&'e str> {
        self.told.cpus.as_deref()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told.page().join("\n"))
    }
}
