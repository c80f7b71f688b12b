//! Plans one job again each time it loses nodes.

use crate::placing::size;
use crate::workers::Size;
use crate::{Error, Job, Machine, Plan, workers};
use std::fmt;
use stowplan_engine::map::Components;
use stowplan_engine::planner;

/// Plans one job again each time it loses nodes. Each plan reuses what earlier plans worked out.
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
#[derive(Clone)]
pub struct Planner {
    inner: planner::Planner,
    size: Size,
}

impl Planner {
    /// A planner for a job on the nodes that it names. Nothing is placed yet.
    ///
    /// # Errors
    /// As [`Plan::new`], except for the errors that placement finds.
    /// ```
    /// # use stowplan::{Job, Machine, Planner, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let planner = Planner::new(&Job::from_command_line(["-n", "6", "-H", "a:8", "./x"])?, &machine)?;
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn new(job: &Job, machine: &Machine) -> Result<Self, Error> {
        Self::by(job, machine, Components::standard())
    }

    /// The same, by these components.
    pub(crate) fn by(job: &Job, machine: &Machine, components: Components) -> Result<Self, Error> {
        let (resolved, machine) = crate::placing::resolve(job, machine)?;
        let inner = planner::Planner::with(resolved, machine, components)?;
        Ok(Self {
            inner,
            size: size(job),
        })
    }

    /// Places the job on the nodes that are left.
    ///
    /// # Errors
    /// As [`Plan::new`]. The planner stays usable.
    ///
    /// Cost: the first plan costs as much as `Plan::new`. A later plan costs only what no earlier plan worked out, and a
    /// copy of the tables that grow while an earlier plan is still kept.
    /// ```
    /// # use stowplan::{Job, Machine, Planner, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let mut planner = Planner::new(&Job::from_command_line(["-n", "3", "-H", "a:8", "./x"])?, &machine)?;
    /// let plan = planner.plan()?;
    /// assert_eq!(planner.plan()?, plan);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn plan(&mut self) -> Result<Plan, Error> {
        let inner = &mut self.inner;
        let mapped = workers::place(self.size, move || inner.plan())??;
        Ok(Plan::of(mapped))
    }

    /// Takes a node away. Later plans do not use it, and the nodes after it move up by one.
    ///
    /// # Errors
    /// `no-such-host` when the job does not have the node, or no longer has it. Nothing changes then.
    /// ```
    /// # use stowplan::{Job, Machine, Planner, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let mut planner = Planner::new(&Job::from_command_line(["-n", "2", "-H", "a:4,b:4", "./x"])?, &machine)?;
    /// planner.lose("a")?;
    /// assert_eq!(planner.lose("a").unwrap_err().class(), "no-such-host");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn lose(&mut self, node: &str) -> Result<(), Error> {
        Ok(self.inner.lose(node)?)
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Planner({} nodes)", self.inner.nodes())
    }
}
