//! The nodes of a cluster: added and removed, up and down, and what is free of them.

use super::{Cluster, JobId};
use crate::job::named_nodes::{hosts, pool};
use crate::{Error, Machine, Topology};
use std::fmt;
pub use stowplan_engine::cluster::Standing;
use stowplan_engine::cluster::{NoNode, NodeNow};
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::names::NodeRange;

/// A node of a cluster, as it is now.
///
/// ```
/// use stowplan::{Cluster, Machine, Standing, Topology};
/// let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
/// cluster.add_nodes("n[0-1]:4")?;
/// cluster.drain("n1")?;
/// let nodes: Vec<(String, Standing)> = cluster.nodes().map(|node| (node.name(), node.standing())).collect();
/// assert_eq!(nodes, [("n0".to_owned(), Standing::Up), ("n1".to_owned(), Standing::Drained)]);
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct ClusterNode<'c> {
    now: NodeNow<'c>,
}

impl ClusterNode<'_> {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> String {
        self.now.name()
    }
    /// How it stands.
    #[must_use]
    pub const fn standing(&self) -> Standing {
        self.now.standing
    }
    /// Its slots, taken ones too.
    #[must_use]
    pub const fn slots(&self) -> u32 {
        self.now.state.slots
    }
    /// How many processes it may hold at most, if that is limited.
    #[must_use]
    pub const fn max_slots(&self) -> Option<u32> {
        self.now.state.max_slots
    }
    /// Slots that no process has.
    #[must_use]
    pub const fn free_slots(&self) -> u32 {
        self.now.state.slots.saturating_sub(self.now.state.used)
    }
    /// Processes on it, of all jobs.
    #[must_use]
    pub const fn procs(&self) -> u32 {
        self.now.state.used
    }
    /// Its cpus by OS number that no process took, ascending.
    #[must_use]
    pub fn free_cpus(&self) -> Vec<u32> {
        self.now.free_cpus().iter().collect()
    }
    /// Its GPUs that no job holds, ascending, by the numbers that `CUDA_VISIBLE_DEVICES` and similar variables take.
    #[must_use]
    pub fn free_gpus(&self) -> Vec<u32> {
        self.now.free_gpus()
    }
    /// Its hardware. Cost: linear in its objects.
    #[must_use]
    pub fn topology(&self) -> Topology {
        Topology::of_table(self.now.topologies(), self.now.hardware)
    }
}

impl fmt::Debug for ClusterNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = list_form(&self.now.free_cpus());
        write!(
            f,
            "ClusterNode({:?}, {:?}, {} of {} slots free, cpus {free} free)",
            self.name(),
            self.standing(),
            self.free_slots(),
            self.slots()
        )
    }
}

fn unknown(error: &NoNode) -> Error {
    Error::told("no-such-host", &error.to_string())
}

impl Cluster {
    /// Adds nodes: a host list with their slots, `n[0-127]:16,m:4`. A name without a count has as many slots as its topology has
    /// cores. They have the topologies that the cluster's machine gives them, and are up.
    ///
    /// # Errors
    /// `bad-hostlist`, also for a node that is there already. Nothing changes then.
    /// ```
    /// # use stowplan::{Cluster, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.add_nodes("n[0-1]:2,m")?;
    /// assert_eq!((cluster.free_slots("n1")?, cluster.free_slots("m")?), (2, 4));
    /// assert_eq!(cluster.add_nodes("m:2").unwrap_err().class(), "bad-hostlist");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn add_nodes(&mut self, list: &str) -> Result<(), Error> {
        let machine = self.machine.clone();
        self.add_nodes_of(list, &machine)
    }

    /// Adds nodes of another machine: their topologies are its.
    ///
    /// # Errors
    /// As [`Cluster::add_nodes`].
    /// ```
    /// # use stowplan::{Cluster, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.add_nodes_of("g[0-3]", &Machine::uniform(Topology::parse("builtin:frontier")?))?;
    /// assert_eq!(cluster.free_slots("g0")?, 56);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn add_nodes_of(&mut self, list: &str, machine: &Machine) -> Result<(), Error> {
        let (names, entries) = pool(list)?;
        if let Some(there) = names.iter().find_map(|range| self.first_known(range)) {
            let sentence = format!("{list}: {there} is a node of this cluster already");
            return Err(Error::told("bad-hostlist", &sentence));
        }
        Ok(self.nodes.add(entries, machine.inner())?)
    }

    fn first_known(&self, range: &stowplan_engine::table::names::NameRange) -> Option<String> {
        let row = self.nodes.first_of(range)?;
        Some(self.nodes.node(row)?.name())
    }

    fn find(&self, list: &str) -> Result<Vec<NodeRange>, Error> {
        let found = self.nodes.find(&hosts(list)?);
        found.map_err(|error| unknown(&error))
    }

    fn stand(&mut self, list: &str, standing: Standing) -> Result<(), Error> {
        let found = self.find(list)?;
        self.nodes.set_standing(&found, standing);
        Ok(())
    }

    /// Says that nodes failed: no job starts on them. Jobs that run there keep what they took until they are released.
    ///
    /// # Errors
    /// `bad-hostlist`, `no-such-host`. Nothing changes then.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.add_nodes("n[0-3]:4")?;
    /// cluster.down("n[0-2]")?;
    /// let plan = cluster.place(&Job::from_command_line(["-n", "4", "./x"])?)?;
    /// assert_eq!(plan.node("n3").map(|node| node.procs().len()), Some(4));
    /// let named = Job::from_command_line(["-n", "1", "-H", "n0", "./x"])?;
    /// assert_eq!(cluster.place(&named).unwrap_err().class(), "node-closed");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn down(&mut self, nodes: &str) -> Result<(), Error> {
        self.stand(nodes, Standing::Down)
    }

    /// Says that no job starts on these nodes any more. Jobs that run there go on.
    ///
    /// # Errors
    /// As [`Cluster::down`].
    /// ```
    /// # use stowplan::{Cluster, Machine, Standing, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.add_nodes("n[0-3]:4")?;
    /// cluster.drain("n2")?;
    /// assert_eq!(cluster.node("n2").map(|node| node.standing()), Some(Standing::Drained));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn drain(&mut self, nodes: &str) -> Result<(), Error> {
        self.stand(nodes, Standing::Drained)
    }

    /// Says that jobs may start on these nodes again.
    ///
    /// # Errors
    /// As [`Cluster::down`].
    /// ```
    /// # use stowplan::{Cluster, Machine, Standing, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.add_nodes("n[0-3]:4")?;
    /// cluster.down("n2")?;
    /// cluster.up("n2")?;
    /// assert_eq!(cluster.node("n2").map(|node| node.standing()), Some(Standing::Up));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn up(&mut self, nodes: &str) -> Result<(), Error> {
        self.stand(nodes, Standing::Up)
    }

    /// Says that a node failed, as [`Cluster::down`] does, and which jobs that hits, by number. They are not released.
    ///
    /// # Errors
    /// As [`Cluster::down`].
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// let hit = cluster.place(&Job::from_command_line(["-n", "4", "-H", "a:4", "./x"])?)?;
    /// let other = cluster.place(&Job::from_command_line(["-n", "4", "-H", "b:4", "./y"])?)?;
    /// assert_eq!(cluster.lose("a")?, [cluster.job_of(&hit).unwrap()]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn lose(&mut self, node: &str) -> Result<Vec<JobId>, Error> {
        let jobs = self.jobs_on(node)?;
        self.down(node)?;
        Ok(jobs)
    }

    /// Removes nodes. The nodes after them move up.
    ///
    /// # Errors
    /// As [`Cluster::down`]; `node-busy` when a job has processes there. Nothing changes then.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// let plan = cluster.place(&Job::from_command_line(["-n", "4", "-H", "a:4,b:4", "./x"])?)?;
    /// cluster.remove("b")?;
    /// assert_eq!(cluster.remove("a").unwrap_err().class(), "node-busy");
    /// cluster.release(&plan)?;
    /// cluster.remove("a")?;
    /// assert_eq!(cluster.nodes().len(), 0);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn remove(&mut self, nodes: &str) -> Result<(), Error> {
        let found = self.find(nodes)?;
        let rows = found.iter().flat_map(|range| range.first..range.end());
        let busy = rows.filter_map(|row| self.nodes.node(row).filter(|node| node.state.used > 0));
        for node in busy {
            let name = node.name();
            if let Some(job) = self.jobs_on(&name)?.first() {
                let sentence = format!("job {job} has processes on {name}: release it first");
                return Err(Error::told("node-busy", &sentence));
            }
        }
        self.nodes.remove(&found);
        Ok(())
    }

    /// The nodes, in the order of first mention.
    /// ```
    /// # use stowplan::{Cluster, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.add_nodes("n[0-1]:4,m:2")?;
    /// assert_eq!(cluster.nodes().map(|node| node.name()).collect::<Vec<_>>(), ["n0", "n1", "m"]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = ClusterNode<'_>> {
        let all = 0..self.nodes.len();
        all.map(|row| ClusterNode {
            now: self.nodes.node(row).expect("the row is below their number"),
        })
    }

    /// A node by its name.
    /// ```
    /// # use stowplan::{Cluster, Machine, Topology};
    /// # let cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// assert!(cluster.node("n0").is_none());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn node(&self, name: &str) -> Option<ClusterNode<'_>> {
        let now = self.nodes.node_named(name)?;
        Some(ClusterNode { now })
    }

    fn known(&self, name: &str) -> Result<ClusterNode<'_>, Error> {
        self.node(name).ok_or_else(|| {
            let name = name.to_owned();
            unknown(&NoNode { name })
        })
    }

    /// Slots of a node that no process has.
    ///
    /// # Errors
    /// `no-such-host`.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.place(&Job::from_command_line(["-n", "3", "-H", "a:4", "./x"])?)?;
    /// assert_eq!(cluster.free_slots("a")?, 1);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn free_slots(&self, node: &str) -> Result<u32, Error> {
        Ok(self.known(node)?.free_slots())
    }

    /// Cpus of a node by OS number that no process took, ascending.
    ///
    /// # Errors
    /// `no-such-host`.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.place(&Job::from_command_line("-n 3 -H a:4 --map-by core --bind-to core ./x".split(' '))?)?;
    /// assert_eq!(cluster.free_cpus("a")?, [3]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn free_cpus(&self, node: &str) -> Result<Vec<u32>, Error> {
        Ok(self.known(node)?.free_cpus())
    }

    /// GPUs of a node that no job holds, ascending, by the numbers that `CUDA_VISIBLE_DEVICES` and similar variables take. A job
    /// holds the GPUs that its processes are given ([`Proc::gpus`](crate::Proc::gpus)); with `--gpus none` it holds none.
    ///
    /// # Errors
    /// `no-such-host`.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("builtin:perlmutter-gpu")?));
    /// cluster.add_nodes("a:64")?;
    /// let job = Job::from_command_line("-n 3 --map-by gpu ./x".split(' '))?;
    /// let plan = cluster.place(&job)?;
    /// assert_eq!(cluster.free_gpus("a")?, [0]);
    /// cluster.release(&plan)?;
    /// assert_eq!(cluster.free_gpus("a")?, [0, 1, 2, 3]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn free_gpus(&self, node: &str) -> Result<Vec<u32>, Error> {
        Ok(self.known(node)?.free_gpus())
    }

    /// The jobs that have processes on a node, by number. Cost: a search in the plan of each job that runs.
    ///
    /// # Errors
    /// `no-such-host`.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// let plan = cluster.place(&Job::from_command_line(["-n", "3", "-H", "a:4", "./x"])?)?;
    /// assert_eq!(cluster.jobs_on("a")?, [cluster.job_of(&plan).unwrap()]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn jobs_on(&self, node: &str) -> Result<Vec<JobId>, Error> {
        let name = self.known(node)?.name();
        let mut jobs = self.jobs().collect::<Vec<_>>();
        jobs.retain(|(_, plan)| plan.node(&name).is_some_and(|node| node.procs().len() > 0));
        Ok(jobs.into_iter().map(|(job, _)| job).collect())
    }
}
