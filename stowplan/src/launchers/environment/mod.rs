//! What launchers and batch systems put into the environment: the hosts and slots of a job, the rank of a process.
//!
//! Pure functions over variables and files. The caller looks these up.

// Slurm's lists of hosts and counts.
mod slurm_lists;
// One file for each system.
mod flux;
mod lsf;
mod nodefile;
mod pals;
mod sge;
mod slurm;
// R of Flux, for jobs and for instances.
pub(crate) mod r;
// The GPUs that programs see.
mod visible;
// The rank of a process and its node.
pub mod rank;

use std::collections::HashMap;
use std::fmt::Write as _;
use stowplan_engine::count::counted;
use stowplan_engine::text::digits;

/// The most hosts that an environment may name.
pub const HOSTS_MAX: usize = 1 << 20;
/// The most slots that a host may have.
pub const SLOTS_MAX: u64 = 1 << 30;

/// Looks up variables and files.
pub trait Lookup {
    /// An environment variable; `None`: it is not set.
    fn variable(&self, name: &str) -> Option<String>;
    /// The bytes of a file.
    ///
    /// # Errors
    /// The system's reason.
    fn file(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// An error in the environment. Class `bad-environment`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadEnvironment(pub String);

impl BadEnvironment {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        "bad-environment"
    }
    /// A variable with a value that cannot be used.
    pub(crate) fn broken(name: &str, text: &str, why: &str) -> Self {
        let shown: String = text.chars().take(200).collect();
        let dots = if shown.len() < text.len() { "..." } else { "" };
        Self(format!("{name}={shown}{dots}: {why}"))
    }
}

/// A batch system or launcher that gives a job its hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum System {
    /// Flux.
    Flux,
    /// HPE Cray PALS.
    Pals,
    /// Slurm.
    Slurm,
    /// IBM Spectrum LSF.
    Lsf,
    /// PBS.
    Pbs,
    /// Cobalt.
    Cobalt,
    /// OAR.
    Oar,
    /// Grid Engine.
    Sge,
}

impl System {
    /// All systems. If two are nested, the inner one comes first.
    pub const ALL: [Self; 8] = [
        Self::Flux,
        Self::Pals,
        Self::Slurm,
        Self::Lsf,
        Self::Pbs,
        Self::Cobalt,
        Self::Oar,
        Self::Sge,
    ];

    /// Its word on the command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Flux => "flux",
            Self::Pals => "pals",
            Self::Slurm => "slurm",
            Self::Lsf => "lsf",
            Self::Pbs => "pbs",
            Self::Cobalt => "cobalt",
            Self::Oar => "oar",
            Self::Sge => "sge",
        }
    }

    /// The variables that show that the system is there: any of them is enough.
    const fn signs(self) -> &'static [&'static str] {
        match self {
            Self::Flux => &["FLUX_JOB_ID"],
            Self::Pals => &["PALS_HOSTLIST", "PALS_HOSTFILE"],
            Self::Slurm => &["SLURM_JOB_NODELIST", "SLURM_HET_SIZE"],
            Self::Lsf => &[
                "LSB_AFFINITY_HOSTFILE",
                "LSB_DJOB_RANKFILE",
                "LSB_DJOB_HOSTFILE",
                "LSB_MCPU_HOSTS",
            ],
            Self::Pbs => &["PBS_NODEFILE"],
            Self::Cobalt => &["COBALT_NODEFILE"],
            Self::Oar => &["OAR_NODEFILE"],
            Self::Sge => &["PE_HOSTFILE"],
        }
    }
}

/// Where hosts are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Here {
    /// Whichever system is there; if two are nested, the inner one.
    Any,
    /// This system.
    System(System),
    /// Flux's R on standard input.
    Resources,
}

impl Here {
    /// Reads the value after `--here=`.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        match word {
            "" => Some(Self::Any),
            "-" => Some(Self::Resources),
            _ => {
                let mut all = System::ALL.into_iter();
                all.find(|system| system.word() == word).map(Self::System)
            }
        }
    }
}

/// Hosts with slots, in the order of first mention.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hosts {
    hosts: Vec<(String, u64)>,
    known: HashMap<String, usize>,
}

/// The hosts that were found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Hosts and their slots.
    pub hosts: Hosts,
    /// The variable or file that named them, and what else counted.
    pub source: String,
    /// The logical cores that may be used, in the form of `hwloc_default_cpu_list`: `LIST` if all hosts have the same, else
    /// `HOSTS=LIST` for each kind of host; or as `0:1;1:3`, package and core. Empty: all cores.
    pub cores: Vec<String>,
    /// Who says each of `cores`, in the source's own words: `rank 2 of R_lite`. Empty: nothing beside the source is known.
    pub cores_of: Vec<String>,
    /// The GPUs that exist for the job, in the form of `--devices`: `HOSTS=gpu=only:2,3`. Empty: nothing is said of GPUs.
    pub devices: Vec<String>,
    /// Cpus that the job has of its hosts, if they are said beside the slots: one host of each count.
    pub cpus: Vec<(String, u64)>,
    /// LSF's affinity file, if it has cpus: its processes, hosts and cpus are the job.
    pub affinity: Option<String>,
    /// The variable that says which GPUs a node shows.
    pub seen: Option<String>,
    /// What the same source says beside hosts and slots, and is not used.
    pub unused: Vec<Unused>,
    /// The first host, if it was left out because it only launches the job.
    pub launch_node: Option<String>,
}

/// A fact about placement that is not used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unused {
    /// The variable, with its value.
    pub said: String,
    /// The word that would use it, or why there is none.
    pub word: String,
}

impl Hosts {
    /// Adds slots to a host. The name must be a valid host name.
    fn add(&mut self, name: &str, slots: u64, source: &str) -> Result<(), BadEnvironment> {
        let plain = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if name.is_empty() || name.starts_with('-') || !plain {
            let why = "this is no name of a host";
            return Err(BadEnvironment::broken(source, name, why));
        }
        if slots == 0 || slots > SLOTS_MAX {
            let why = format!(
                "{} on {name}: it takes 1 to {SLOTS_MAX}",
                counted(slots, "slot")
            );
            return Err(BadEnvironment(format!("{source}: {why}")));
        }
        if let Some(&at) = self.known.get(name) {
            self.hosts[at].1 = self.hosts[at].1.saturating_add(slots);
            return Ok(());
        }
        if self.hosts.len() == HOSTS_MAX {
            let why = format!("more than {HOSTS_MAX} hosts");
            return Err(BadEnvironment(format!("{source}: {why}")));
        }
        self.known.insert(name.to_owned(), self.hosts.len());
        self.hosts.push((name.to_owned(), slots));
        Ok(())
    }
    /// The number of hosts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hosts.len()
    }
    /// Whether there are no hosts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }
    /// Their names, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(|(name, _)| name.as_str())
    }
    /// The hosts as `--host` takes them: `a:4,b:4`.
    #[must_use]
    pub fn to_list(&self) -> String {
        let mut text = String::new();
        for (name, slots) in &self.hosts {
            let comma = if text.is_empty() { "" } else { "," };
            write!(text, "{comma}{name}:{slots}").expect("a String takes it");
        }
        text
    }
}

/// The hosts of the job that this process is in.
///
/// # Errors
/// `bad-environment`: there is no system, or its values cannot be used.
///
/// Cost: the text of the variables and files.
pub fn hosts(here: Here, lookup: &dyn Lookup) -> Result<Found, BadEnvironment> {
    let there = |system: &System| {
        let mut signs = system.signs().iter();
        signs.any(|name| lookup.variable(name).is_some_and(|text| !text.is_empty()))
    };
    let system = match here {
        Here::Resources => {
            let text = lookup
                .file("-")
                .map_err(|why| BadEnvironment(format!("standard input: {why}")))?;
            return flux::resources(&text);
        }
        Here::System(system) if there(&system) => system,
        Here::System(system) => {
            return Err(BadEnvironment(format!(
                "--here={}: it is not here: none of {} is set",
                system.word(),
                system.signs().join(" ")
            )));
        }
        Here::Any => System::ALL.into_iter().find(there).ok_or_else(|| {
            let signs = System::ALL.iter().map(|system| system.signs().join(" "));
            let signs: Vec<String> = signs.collect();
            BadEnvironment(format!(
                "--here: no batch system is here: none of {} is set",
                signs.join(" ")
            ))
        })?,
    };
    let mut found = match system {
        System::Flux => Err(flux::wants_resources(lookup)),
        System::Pals => pals::hosts(lookup),
        System::Slurm => slurm::hosts(lookup),
        System::Lsf => lsf::hosts(lookup),
        System::Pbs => nodefile::hosts("PBS_NODEFILE", lookup),
        System::Cobalt => nodefile::hosts("COBALT_NODEFILE", lookup),
        System::Oar => nodefile::hosts("OAR_NODEFILE", lookup),
        System::Sge => sge::hosts(lookup),
    }?;
    if found.hosts.is_empty() {
        return Err(BadEnvironment(format!(
            "{}: it names no host",
            found.source
        )));
    }
    visible::gpus(lookup, &mut found);
    Ok(found)
}

/// The value of a variable that is set and not empty.
fn set(lookup: &dyn Lookup, name: &str) -> Option<String> {
    lookup.variable(name).filter(|text| !text.is_empty())
}

/// Reads a number in a variable, at least 1.
fn number(name: &str, text: &str) -> Result<u64, BadEnvironment> {
    digits::number(text)
        .filter(|&number| number > 0 && number <= SLOTS_MAX)
        .ok_or_else(|| BadEnvironment::broken(name, text, "a number from 1 on is expected here"))
}

/// The lines of the file that a variable names, without blank lines and comments.
fn lines(lookup: &dyn Lookup, name: &str, path: &str) -> Result<Vec<String>, BadEnvironment> {
    let bytes = lookup
        .file(path)
        .map_err(|why| BadEnvironment::broken(name, path, &why))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| BadEnvironment::broken(name, path, "the file is no text"))?;
    let lines = text.lines().map(str::trim);
    let some = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(some.map(str::to_owned).collect())
}

/// The names that a line of hosts stands for; `None`: it is no list of hosts.
pub(crate) fn host_names(text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Vec::new());
    }
    slurm_lists::hosts("", text).ok()
}
