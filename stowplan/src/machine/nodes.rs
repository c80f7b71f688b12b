//! What is said of some nodes of a machine. Of one kind, what is said later holds.

use super::{Machine, cpus};
use crate::Error;
use crate::job::error::JobError;
use crate::job::named_nodes::hosts;
use crate::topology::os_cpus;
use roaring::RoaringBitmap;
use stowplan_engine::map::InUse;
use stowplan_topo::TopoError;

impl Machine {
    /// Limits some nodes to these logical cores (`0-3,7`) or hardware threads (`0-3,7:HWTCPUS`), as
    /// `--prtemca hwloc_default_cpu_list NODES=LIST` does: their other cpus are not there. Said again, it limits what was left.
    ///
    /// # Errors
    /// `bad-hostlist`, `bad-cpu-list` for what is no list, or for a number that one of the nodes does not have. Nothing changes then.
    ///
    /// Cost: the kinds of nodes times the ranges of names, and a topology for each kind that is limited.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let mut machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// machine.set_cpus("n0", "0-1")?;
    /// let plan = Plan::new(&Job::from_command_line(["-n", "6", "-H", "n0:*,n1:*", "./x"])?, &machine)?;
    /// assert_eq!(plan.node("n0").map(|node| node.procs().len()), Some(2));
    /// assert_eq!(machine.set_cpus("n1", "0-4").unwrap_err().class(), "bad-cpu-list");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn set_cpus(&mut self, nodes: &str, list: &str) -> Result<(), Error> {
        let (names, cpus) = (hosts(nodes)?, cpus(list)?);
        let limited = self.hardware_mut().limit(names, &cpus);
        limited
            .map_err(|why| Error::told("bad-cpu-list", &format!("cpus {list} of {nodes}: {why}")))
    }

    /// Limits some nodes to these hardware threads by OS number, as hwloc restricts a topology to a cpu set: other threads, and
    /// objects that lose all of theirs, are not there.
    ///
    /// # Errors
    /// `bad-hostlist`, `bad-cpu-list` for what is no list, or for a number that one of the nodes does not have. Nothing changes then.
    ///
    /// Cost: as [`Machine::set_cpus`].
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let mut machine = Machine::uniform(Topology::parse("package:2 core:4 pu:2")?);
    /// machine.restrict("n[0-1]", "8-15")?;
    /// let job = Job::from_command_line("-n 2 -H n0:2 --map-by core --bind-to core ./x".split(' '))?;
    /// let plan = Plan::new(&job, &machine)?;
    /// assert_eq!(plan.procs().next().map(|proc| proc.cpus().to_string()).as_deref(), Some("8-9"));
    /// assert_eq!(machine.restrict("n0", "0").unwrap_err().class(), "bad-cpu-list");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn restrict(&mut self, nodes: &str, cpus: &str) -> Result<(), Error> {
        let (names, kept) = (hosts(nodes)?, os_cpus(cpus)?);
        let restricted = self.hardware_mut().restrict(names, &kept);
        restricted
            .map_err(|why| Error::told("bad-cpu-list", &format!("cpus {cpus} of {nodes}: {why}")))
    }

    /// Says which devices some nodes have, in place of those of their topologies: `gpu=l3:4,5,2,3`, `gpu=numa:2`, `nic=none`, as
    /// `--devices` takes them (`docs/gpus.md`).
    ///
    /// # Errors
    /// `bad-hostlist`, `bad-devices`. Nothing changes then.
    ///
    /// Cost: as [`Machine::set_cpus`].
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let mut machine = Machine::uniform(Topology::parse("numa:2 core:4 pu:1")?);
    /// machine.set_devices("n[0-3]", "gpu=numa:2")?;
    /// let job = Job::from_command_line(["-n", "4", "-H", "n0:8", "--map-by", "device=gpu", "./x"])?;
    /// assert_eq!(Plan::new(&job, &machine)?.procs().len(), 4);
    /// assert_eq!(machine.set_devices("n0", "gpu").unwrap_err().class(), "bad-devices");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn set_devices(&mut self, nodes: &str, devices: &str) -> Result<(), Error> {
        hosts(nodes)?;
        let mut hardware = (*self.hardware).clone();
        let given = hardware.give_devices(&[format!("{nodes}={devices}")]);
        given.map_err(|error| match error {
            JobError::Topo(TopoError::Devices { fault, .. }) => {
                let sentence = format!("devices {devices} of {nodes}: {fault}");
                Error::told("bad-devices", &sentence)
            }
            error @ (JobError::Map(_) | JobError::Topo(_) | JobError::Told { .. }) => error.into(),
        })?;
        *self.hardware_mut() = hardware;
        Ok(())
    }

    /// Says how many slots some nodes have: those of `-H n0:*`, of a host file's line without a count, of a job without hosts. `-H n0:2`
    /// asks for two of them. Without it they have as many as their topologies have cores, or as a job's `-H` says.
    ///
    /// # Errors
    /// `bad-hostlist`. Nothing changes then.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let mut machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// machine.set_slots("n[0-1]", 3)?;
    /// let plan = Plan::new(&Job::from_command_line(["-H", "n[0-2]:*", "--map-by", "slot", "./x"])?, &machine)?;
    /// assert_eq!(plan.procs().len(), 3 + 3 + 4);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn set_slots(&mut self, nodes: &str, slots: u32) -> Result<(), Error> {
        let names = hosts(nodes)?;
        self.known_mut().slots.push((names, slots));
        Ok(())
    }

    /// Says how many processes some nodes may hold at most, whatever a job says, as `max_slots=` in a host file does. A job that
    /// asks for more is refused.
    ///
    /// # Errors
    /// `bad-hostlist`. Nothing changes then.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let mut machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// machine.set_max_slots("n0", 2)?;
    /// let job = Job::from_command_line("-n 3 -H n0:2 --map-by slot:oversubscribe ./x".split(' '))?;
    /// assert!(Plan::new(&job, &machine).is_err());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn set_max_slots(&mut self, nodes: &str, max: u32) -> Result<(), Error> {
        let names = hosts(nodes)?;
        self.known_mut().max_slots.push((names, max));
        Ok(())
    }

    /// Says what others have of some nodes: so many slots of each, and these cpus by OS number (`0-3,7`, or empty for none). A job
    /// gets what is left of them; where nobody said how many slots a node has, `-H n0:2` asks for two more. [`Cluster`](crate::Cluster) keeps this account itself.
    ///
    /// # Errors
    /// `bad-hostlist`, `bad-cpu-list`. Nothing changes then. A cpu that a node does not have is found when a job names the node.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let mut machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// machine.set_taken("n0", 1, "0-1")?;
    /// let job = Job::from_command_line("-n 2 -H n0:*,n1:* --map-by core --bind-to core ./x".split(' '))?;
    /// let plan = Plan::new(&job, &machine)?;
    /// assert_eq!(plan.procs().next().map(|proc| proc.cpus().to_string()).as_deref(), Some("2"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn set_taken(&mut self, nodes: &str, slots: u32, cpus: &str) -> Result<(), Error> {
        let names = hosts(nodes)?;
        let taken = InUse {
            slots,
            cpus: match cpus {
                "" => RoaringBitmap::new(),
                list => os_cpus(list)?,
            },
            text: cpus.to_owned(),
        };
        self.known_mut().taken.push((names, taken));
        Ok(())
    }
}
