//! One job planned again and again, on nodes that may be lost.

use crate::{Error, Job, Machine, Plan, workers};
use std::fmt;
use stowplan_engine::planner;

/// One job, planned again and again from what was worked out before, on nodes that may be lost.
///
/// ```
/// use stowplan::{Job, Machine, Planner, Topology};
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let job = Job::from_command_line("-n 6 -H n[0-2]:4 --map-by core ./x".split(' '))?;
/// let mut planner = Planner::new(&job, &machine)?;
/// assert_eq!(planner.plan()?.node("n0").map(|node| node.procs().len()), Some(4));
/// planner.lose("n0")?;
/// assert_eq!(planner.plan()?.node("n2").map(|node| node.procs().len()), Some(2));
/// # Ok::<(), stowplan::Error>(())
/// ```
pub struct Planner {
    inner: planner::Planner,
    last: Option<Plan>,
}

impl Planner {
    /// A job on the nodes that it names, nothing placed yet.
    ///
    /// # Errors
    /// As [`Plan::new`], but for what placing finds.
    /// ```
    /// # use stowplan::{Job, Machine, Planner, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let planner = Planner::new(&Job::from_command_line(["-n", "6", "-H", "a:8", "./x"])?, &machine)?;
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn new(job: &Job, machine: &Machine) -> Result<Self, Error> {
        let (resolved, machine) = crate::job::resolve(job, machine)?;
        let inner = workers::run(|| planner::Planner::new(resolved, machine))??;
        Ok(Self { inner, last: None })
    }

    /// The tables of the last plan are the planner's again: those themselves where nobody kept a clone of the plan.
    fn take_back(&mut self) {
        if let Some(last) = self.last.take() {
            self.inner.give_back(last.into_mapped());
        }
    }

    /// Places the job on the nodes that are left. Clone the plan to keep it beyond the next call.
    ///
    /// # Errors
    /// As [`Plan::new`]; the planner goes on.
    ///
    /// Cost: the first time that of `Plan::new`; later, what no earlier plan worked out.
    /// ```
    /// # use stowplan::{Job, Machine, Planner, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let mut planner = Planner::new(&Job::from_command_line(["-n", "3", "-H", "a:8", "./x"])?, &machine)?;
    /// let plan = planner.plan()?.clone();
    /// assert_eq!(planner.plan()?, &plan);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn plan(&mut self) -> Result<&Plan, Error> {
        self.take_back();
        let inner = &mut self.inner;
        let mapped = workers::run(move || {
            inner.plan()?;
            Ok::<_, Error>(inner.take())
        })??;
        let mapped =
            mapped.ok_or_else(|| Error::told("internal", "a plan that was made is gone"))?;
        Ok(self.last.insert(Plan::of(mapped)))
    }

    /// Takes a node away: later plans do without it, and those behind it move up.
    ///
    /// # Errors
    /// `no-such-host`: it is none of the job's, or not any longer; nothing changes then.
    /// ```
    /// # use stowplan::{Job, Machine, Planner, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let mut planner = Planner::new(&Job::from_command_line(["-n", "2", "-H", "a:4,b:4", "./x"])?, &machine)?;
    /// planner.lose("a")?;
    /// assert_eq!(planner.lose("a").unwrap_err().class(), "no-such-host");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn lose(&mut self, node: &str) -> Result<(), Error> {
        self.take_back();
        Ok(self.inner.lose(node)?)
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Planner({} nodes)", self.inner.nodes())
    }
}
