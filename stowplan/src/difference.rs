//! What moved between two plans.

use crate::answers::diff::{Diff, diff, words};
use crate::answers::picture;
use crate::answers::picture::setting::Setting;
use crate::{Plan, undrawn};
use std::fmt;

/// What moved between two plans, counted by rank. `Display` writes the page of `stowplan diff`.
/// ```
#[doc = include_str!("example.txt")]
/// assert_eq!(plan.diff(&plan).same(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    plans: [Plan; 2],
    counts: Diff,
}

impl Difference {
    pub(crate) fn new(a: &Plan, b: &Plan) -> Self {
        let counts = diff(a.inner(), b.inner());
        Self {
            plans: [a.clone(), b.clone()],
            counts,
        }
    }

    fn lines(&self) -> Vec<String> {
        let [a, b] = &self.plans;
        words::page(&self.counts, a.inner(), b.inner())
    }

    /// The summary of a plan that cannot be drawn.
    fn undrawn(&self) -> Option<String> {
        let plan = self.plans.iter().find(|plan| plan.whole().is_err())?;
        Some(plan.summary().to_string())
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
        let moved = &self.counts.moved;
        moved.node + moved.cpus + moved.local_rank + moved.gpus + moved.nics + moved.threads
    }
    /// Moved ranks that are on another node.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).moved_node(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn moved_node(&self) -> u32 {
        self.counts.moved.node
    }
    /// Moved ranks that are on other cpus of the same node.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).moved_cpus(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn moved_cpus(&self) -> u32 {
        self.counts.moved.cpus
    }
    /// Moved ranks for which only the local rank differs.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).moved_local_rank(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn moved_local_rank(&self) -> u32 {
        self.counts.moved.local_rank
    }
    /// Moved ranks for which only the GPUs differ.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).moved_gpus(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn moved_gpus(&self) -> u32 {
        self.counts.moved.gpus
    }
    /// Moved ranks for which only the network cards that they are mapped to differ.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).moved_nics(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn moved_nics(&self) -> u32 {
        self.counts.moved.nics
    }
    /// Moved ranks for which only the cpus of threads differ.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).moved_threads(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn moved_threads(&self) -> u32 {
        self.counts.moved.threads
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
    /// Whether both plans have the same places, with other ranks on them.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert!(!plan.diff(&plan).is_reordered());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn is_reordered(&self) -> bool {
        self.counts.reordered
    }
    /// Whether no rank moved, is gone or was added.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert!(plan.diff(&plan).is_same());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.counts.is_same()
    }
    /// The one option in which the requests differ. `None` unless they differ in exactly one option.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = |by| {
    ///     let words = ["-n", "4", "-H", "a:2,b:2", "--map-by", by, "./x"];
    ///     Plan::new(&Job::from_command_line(words)?, &machine)
    /// };
    /// let moved = plan("slot")?.diff(&plan("node")?);
    /// let cause = moved.cause().ok_or("one word differs")?;
    /// assert_eq!((cause.option(), cause.app()), ("--map-by", 0));
    /// assert_eq!((cause.before(), cause.after()), (Some("slot"), Some("node")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cause(&self) -> Option<Cause<'_>> {
        let told = self.counts.cause.as_ref()?;
        Some(Cause { told })
    }
    /// Both plans as one SVG image without script, with the ranks that moved marked.
    ///
    /// Cost: twice that of [`Plan::picture`](crate::Plan::picture).
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert!(plan.diff(&plan).picture().starts_with("<svg"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn picture(&self) -> String {
        let [a, b] = &self.plans;
        if let Some(summary) = self.undrawn() {
            return undrawn::svg(&summary);
        }
        picture::svg_diff((a.inner(), None), (b.inner(), None), &Setting::default())
    }
    /// The same image as a page for a browser, with a field to search for a rank.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert!(plan.diff(&plan).html().starts_with("<!"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn html(&self) -> String {
        let [a, b] = &self.plans;
        if let Some(summary) = self.undrawn() {
            return undrawn::html(&summary);
        }
        picture::html_diff((a.inner(), None), (b.inner(), None), &self.lines())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}

/// The one option in which two requests differ.
/// ```
#[doc = include_str!("example.txt")]
/// assert_eq!(plan.diff(&plan).cause(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause<'d> {
    told: &'d crate::answers::diff::cause::Cause,
}

impl<'d> Cause<'d> {
    /// The option, for example `--map-by`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).cause().map(|cause| cause.option().to_owned()), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn option(self) -> &'d str {
        &self.told.option
    }
    /// The number of the app that has the option.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).cause().map(|cause| cause.app()), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn app(self) -> u32 {
        u32::try_from(self.told.app).unwrap_or(u32::MAX)
    }
    /// Its value in this plan's request. `None` if it is not given there.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).cause().and_then(|cause| cause.before()), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn before(self) -> Option<&'d str> {
        self.told.a.as_deref()
    }
    /// Its value in the other plan's request. `None` if it is not given there.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.diff(&plan).cause().and_then(|cause| cause.after()), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn after(self) -> Option<&'d str> {
        self.told.b.as_deref()
    }
}

impl Plan {
    /// What moved between this plan and another one.
    ///
    /// Cost: the runs if both plans are regular and the same, otherwise one comparison per rank.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = |by| {
    ///     let words = ["-n", "4", "-H", "a:2,b:2", "--map-by", by, "./x"];
    ///     Plan::new(&Job::from_command_line(words)?, &machine)
    /// };
    /// let moved = plan("slot")?.diff(&plan("node")?);
    /// assert_eq!((moved.same(), moved.moved()), (2, 2));
    /// assert!(moved.is_reordered());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn diff(&self, other: &Self) -> Difference {
        Difference::new(self, other)
    }
}
