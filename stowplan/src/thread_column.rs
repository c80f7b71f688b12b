//! How many threads each rank should run.

use crate::answers::thread_count::ThreadCounts;
use crate::{Plan, Rank};
use stowplan_engine::count;

impl Plan {
    /// How many threads each rank should run: what its map says, otherwise the number of cores of which it has cpus. `None` for an
    /// unbound rank. Shape `[ranks]`. Empty for a plan from a broadcast, which does not know policies.
    ///
    /// Cost: a look-up per rank.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let words = ["-n", "2", "-H", "a:2", "--map-by", "slot:pe=2", "./x"];
    /// let plan = Plan::new(&Job::from_command_line(words)?, &machine)?;
    /// assert_eq!(plan.thread_column(), [Some(2), Some(2)]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn thread_column(&self) -> Vec<Option<u32>> {
        if self.whole().is_err() {
            return Vec::new();
        }
        let plan = self.inner();
        let mut counts = ThreadCounts::default();
        let places = (0..plan.ranks()).map(|rank| plan.place(count::Rank(rank)));
        places
            .map(|place| place.and_then(|place| counts.of(plan, &place)))
            .collect()
    }

    /// How many threads a rank should run, as in [`Plan::thread_column`].
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let words = ["-n", "2", "-H", "a:2", "--map-by", "slot:pe=2", "./x"];
    /// let plan = Plan::new(&Job::from_command_line(words)?, &machine)?;
    /// assert_eq!(plan.threads_of(1.into()), Some(2));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn threads_of(&self, rank: Rank) -> Option<u32> {
        let place = self.inner().place(count::Rank(rank.into()))?;
        self.whole().ok()?;
        ThreadCounts::default().of(self.inner(), &place)
    }

    /// Whether rows say GPUs and threads: its nodes have GPUs, or its job says something of GPUs or of threads.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:2", "./x"])?, &machine)?;
    /// assert!(!plan.has_devices_or_threads());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn has_devices_or_threads(&self) -> bool {
        let plan = self.inner();
        plan.tells_gpus() || !plan.thread_words().is_empty()
    }
}
