//! A plan on the hosts that were granted.

use crate::answers::onto::onto;
use crate::job::error::JobError;
use crate::job::granted::{Granted, granted, granted_on};
use crate::job::outside::FilesAlone;
use crate::{Error, Machine, Plan, workers};
use stowplan_engine::error::Note;
use stowplan_engine::map::Mapped;
use stowplan_engine::plan::bytes::Remark;
use stowplan_engine::stage::resolve::NoFiles;

impl Plan {
    /// The same plan on other hosts, in order: node i is host i. Each item is a name or a range of names, with slots or without, as
    /// `-H` has them. The hosts are taken to have the hardware of the plan; hosts beyond those that are needed are left.
    ///
    /// # Errors
    /// `does-not-fit` with counts if there are too few hosts or too few slots; `bad-hostlist`; `bad-plan` for a plan from a broadcast.
    ///
    /// Cost: the nodes and the placed runs; nothing per rank.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Rank, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "8", "-H", "n[0-1]:4", "./x"])?, &machine)?;
    /// let there = plan.onto(["g7", "g12"])?;
    /// assert_eq!(there.proc(Rank::new(4)).map(|proc| proc.node().name().to_owned()), Some("g12".to_owned()));
    /// assert_eq!(there.check(), Ok(()));
    /// assert_eq!(plan.onto(["g7"]).unwrap_err().class(), "does-not-fit");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn onto<H: AsRef<str>>(&self, hosts: impl IntoIterator<Item = H>) -> Result<Self, Error> {
        let words = words(hosts);
        self.carried(|| granted(&words, None, self.inner(), &FilesAlone(&NoFiles)))
    }

    /// The same on hosts whose hardware is known. If the plan has nodes of several topologies, the nodes of each take, in order, the
    /// hosts that have it. A note says when hardware differs, and what placing the job there anew would change.
    ///
    /// # Errors
    /// As [`Plan::onto`], also if a host lacks cpus to which the plan binds; `bad-topology` if the machine says nothing of a host.
    ///
    /// Cost: as [`Plan::onto`]; if hardware differs, also that of placing the job.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Rank, Topology};
    /// let small = Topology::parse("core:4 pu:1")?;
    /// # let machine = Machine::uniform(small.clone());
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "n0:4", "./x"])?, &machine)?;
    /// let mut granted = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// granted.set_topology("g1", small)?;
    /// let there = plan.onto_machine(["g0", "g1"], &granted)?;
    /// assert_eq!(there.proc(Rank::new(0)).map(|proc| proc.node().name().to_owned()), Some("g1".to_owned()));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn onto_machine<H: AsRef<str>>(
        &self,
        hosts: impl IntoIterator<Item = H>,
        machine: &Machine,
    ) -> Result<Self, Error> {
        let words = words(hosts);
        self.carried(|| granted_on(machine.inner(), &words, &FilesAlone(&NoFiles)))
    }

    fn carried(
        &self,
        granted: impl FnOnce() -> Result<Granted, JobError> + Send,
    ) -> Result<Self, Error> {
        if !self.is_whole() {
            return Err(Error::told(
                "bad-plan",
                "the plan was read from a broadcast, which has no hardware to carry it by",
            ));
        }
        let carried = workers::share(|| {
            let granted = granted().map_err(Error::from)?;
            onto(self.inner(), &granted)
                .map_err(|misfit| Error::told(misfit.class(), &misfit.to_string()))
        })??;
        let mapped = Mapped {
            plan: carried.plan,
            notes: carried.notes.into_iter().map(note).collect(),
            calls: Vec::new(),
        };
        Ok(self.read_alike(mapped))
    }
}

/// The hosts as words of a job.
fn words<H: AsRef<str>>(hosts: impl IntoIterator<Item = H>) -> Vec<String> {
    let hosts: Vec<String> = hosts
        .into_iter()
        .map(|host| host.as_ref().to_owned())
        .collect();
    vec!["-H".to_owned(), hosts.join(",")]
}

fn note(remark: Remark) -> Note {
    let class = match &*remark.class {
        "topology-differs" => "topology-differs",
        "topology-assumed" => "topology-assumed",
        _ => "nodes-idle",
    };
    Note::OfLine {
        class,
        text: remark.text,
    }
}
