//! The hardware of the nodes, and what a launcher says about them.

// What is said of some nodes.
mod nodes;

use crate::job::args::JobArgs;
use crate::job::hardware::Hardware;
use crate::job::machine::cpu_list;
use crate::job::named_nodes::hosts;
use crate::{Error, Topology};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use stowplan_engine::map::{self, CpuList, InUse};
use stowplan_engine::table::names::NameRange;
use stowplan_engine::text::hostlist::plain;
use stowplan_session::{Name, SessionCandidates as Candidates, State};

/// The hardware on which jobs are placed, and what the launcher says about it. The jobs say which nodes there are.
///
/// ```
/// use stowplan::{Machine, Topology};
/// let mut machine = Machine::uniform(Topology::parse("package:2 core:8 pu:2")?);
/// machine.set_topology("g[0-3]", Topology::parse("builtin:frontier")?)?;
/// machine.set_head("login1")?;
/// machine.set_cpus("g[0-3]", "0-7")?;
/// machine.set_slots("g[0-3]", 8)?;
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    hardware: Arc<Hardware>,
    known: Known,
    /// All of it in the engine's tables, once somebody asked.
    inner: OnceLock<map::Machine>,
    /// Topologies that are named machines', as text.
    named: Vec<(Option<String>, String)>,
}

/// What is known of the nodes besides their hardware.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Known {
    local: Option<String>,
    cpu_list: Option<CpuList>,
    slots: Vec<(Vec<NameRange>, u32)>,
    max_slots: Vec<(Vec<NameRange>, u32)>,
    taken: Vec<(Vec<NameRange>, InUse)>,
    candidates: Option<map::Candidates>,
}

/// Machines of which the same was said are equal.
impl PartialEq for Machine {
    fn eq(&self, other: &Self) -> bool {
        let said = (&self.known, &self.named);
        said == (&other.known, &other.named) && self.hardware == other.hardware
    }
}

impl Eq for Machine {}

impl Machine {
    /// A machine whose nodes all have this topology.
    /// ```
    /// # use stowplan::{Machine, Topology};
    /// let machine = Machine::uniform(Topology::parse("builtin:perlmutter-cpu")?);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a machine has its topology, as the contract says"
    )]
    pub fn uniform(topology: Topology) -> Self {
        let named = topology.named().map(|text| (None, text.to_owned()));
        let mut hardware = Hardware::default();
        hardware.assign(None, topology.shared(), String::new());
        Self {
            hardware: Arc::new(hardware),
            known: Known::default(),
            inner: OnceLock::new(),
            named: named.into_iter().collect(),
        }
    }

    /// Gives the nodes of a host list another topology. If a node was named before, the later topology wins.
    ///
    /// # Errors
    /// `bad-hostlist`. Nothing changes then.
    /// ```
    /// # use stowplan::{Machine, Topology};
    /// let mut machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// machine.set_topology("fat[0-7]", Topology::parse("core:64 pu:1")?)?;
    /// let refused = machine.set_topology("fat[0-", Topology::parse("core:64 pu:1")?).unwrap_err();
    /// assert_eq!(refused.class(), "bad-hostlist");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a machine has its topologies, as the contract says"
    )]
    pub fn set_topology(&mut self, nodes: &str, topology: Topology) -> Result<(), Error> {
        let names = hosts(nodes)?;
        self.hardware_mut()
            .assign(Some(names), topology.shared(), String::new());
        let named = topology.named();
        self.named
            .extend(named.map(|text| (Some(nodes.to_owned()), text.to_owned())));
        Ok(())
    }

    /// Says on which node the launcher runs. `nolocal` keeps jobs off this node, and a job without hosts runs on it.
    ///
    /// # Errors
    /// `bad-hostlist` for what is not the name of one node. Nothing changes then.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let mut machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// machine.set_head("a")?;
    /// assert_eq!(machine.set_head("bad name\n").unwrap_err().class(), "bad-hostlist");
    /// let job = Job::from_command_line(["-n", "1", "-H", "a:4,b:4", "--map-by", "slot:nolocal", "./x"])?;
    /// let plan = Plan::new(&job, &machine)?;
    /// assert_eq!(plan.procs().next().unwrap().node().name(), "b");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn set_head(&mut self, name: &str) -> Result<(), Error> {
        let one = !name.is_empty()
            && !name.contains([',', ':', '['])
            && hosts(name).is_ok_and(|names| names.len() == 1);
        if !one {
            let sentence = format!("the head {name:?} is not the name of a node");
            return Err(Error::told("bad-hostlist", &sentence));
        }
        self.known_mut().local = Some(name.to_owned());
        Ok(())
    }

    /// Restricts every node to these logical cores (`0-3,7`) or hardware threads (`0-3,7:HWTCPUS`). PRRTE calls this list
    /// `hwloc_default_cpu_list`. [`Machine::set_cpus`] restricts some nodes.
    ///
    /// # Errors
    /// `bad-cpu-list`. Nothing changes then.
    /// ```
    /// # use stowplan::{Machine, Topology};
    /// let mut machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// machine.set_cpu_list("0-2")?;
    /// assert_eq!(machine.set_cpu_list("0-").unwrap_err().class(), "bad-cpu-list");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn set_cpu_list(&mut self, list: &str) -> Result<(), Error> {
        self.known_mut().cpu_list = Some(cpus(list)?);
        Ok(())
    }

    /// The same machine, for a job that may use only the nodes that its sessions let it see.
    /// ```
    /// use stowplan::session::{By, Config, Initial, Name, State, candidates};
    /// use stowplan::{Job, Machine, Plan, Topology};
    ///
    /// let nodes = ["n0", "n1"].map(Name::new).to_vec();
    /// let state = State::new(Config::default(), &Initial { nodes, ..Initial::default() })?;
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let seen = machine.within(&candidates(&state, By::Scheduler, &[])?, &state);
    /// let job = Job::from_command_line(["-n", "5", "--map-by", "core", "./x"])?;
    /// assert_eq!(Plan::new(&job, &seen)?.nodes().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn within(&self, candidates: &Candidates, state: &State) -> Self {
        let mut seen = self.clone();
        seen.known_mut().candidates = Some(self::candidates(candidates, state));
        seen
    }

    /// The named machines among its topologies, as `--topo` takes them.
    pub(crate) fn named(&self) -> &[(Option<String>, String)] {
        &self.named
    }

    /// The machine as the options of a job change it; most jobs change nothing.
    pub(crate) fn changed_by(&self, job: &JobArgs) -> Result<Cow<'_, Self>, Error> {
        if !job.says_nodes() {
            return Ok(Cow::Borrowed(self));
        }
        let mut changed = self.clone();
        let list = job.change(changed.hardware_mut())?;
        if list.is_some() {
            changed.known_mut().cpu_list = list;
        }
        Ok(Cow::Owned(changed))
    }

    fn hardware_mut(&mut self) -> &mut Hardware {
        self.inner = OnceLock::new();
        Arc::make_mut(&mut self.hardware)
    }

    fn known_mut(&mut self) -> &mut Known {
        self.inner = OnceLock::new();
        &mut self.known
    }

    /// The machine in the engine's tables. Cost: its objects, when it is first asked for after a change.
    pub(crate) fn inner(&self) -> &map::Machine {
        self.inner.get_or_init(|| {
            let hardware = self.hardware.machine();
            let known = self.known.clone();
            map::Machine {
                local: known.local,
                cpu_list: known.cpu_list,
                slots: known.slots,
                max_slots: known.max_slots,
                taken: known.taken,
                candidates: known.candidates,
                ..hardware.expect("a topology is sound since it was parsed")
            }
        })
    }
}

/// A list of logical cores or hardware threads.
fn cpus(list: &str) -> Result<CpuList, Error> {
    cpu_list(list).map_err(|_| {
        let sentence = format!(
            "cpus {list:?}: this is no list of logical cores such as 0-3,7 (or of hardware threads, with :HWTCPUS)"
        );
        Error::told("bad-cpu-list", &sentence)
    })
}

/// The nodes that sessions let a job see, as the engine takes them.
pub(crate) fn candidates(candidates: &Candidates, state: &State) -> map::Candidates {
    let quoted = |name: &Name| format!("{:?}", name.as_str());
    let sessions: Vec<String> = candidates.sessions.iter().map(quoted).collect();
    map::Candidates {
        nodes: candidates.names(state).map(plain).collect(),
        sessions: sessions.join(", "),
    }
}
