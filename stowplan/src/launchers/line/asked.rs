//! What is asked with a launcher's line: the line itself, and everything that stands before it.

use super::refused::LineRefused;
use std::fmt;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::table::topologies::{Topologies, TopologyId};

/// Whose rules hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Launcher {
    /// PRRTE and Open MPI 5.
    Prte,
    /// MPICH's Hydra.
    Hydra,
    /// Intel MPI.
    Intel,
    /// Slurm's srun.
    Slurm,
    /// Flux.
    Flux,
    /// HPE PALS.
    Pals,
    /// Cray ALPS.
    Aprun,
    /// IBM JSM.
    Jsrun,
}

impl Launcher {
    /// All of them, in the order of listings.
    pub const ALL: [Self; 8] = [
        Self::Prte,
        Self::Hydra,
        Self::Intel,
        Self::Slurm,
        Self::Flux,
        Self::Pals,
        Self::Aprun,
        Self::Jsrun,
    ];

    /// Its name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prte => "PRRTE, Open MPI",
            Self::Hydra => "MPICH",
            Self::Intel => "Intel MPI",
            Self::Slurm => "Slurm",
            Self::Flux => "Flux",
            Self::Pals => "PALS",
            Self::Aprun => "ALPS",
            Self::Jsrun => "JSM",
        }
    }

    /// Versions whose rules differ, one of each of the newest kinds, the newest first: a page names the first that was not used.
    #[must_use]
    pub const fn versions(self) -> &'static [&'static str] {
        match self {
            Self::Slurm => &["26.05", "24.11"],
            Self::Hydra => &["5.0.2", "4.3.2"],
            Self::Intel => &["2021.19", "2021.18"],
            Self::Prte | Self::Flux | Self::Pals | Self::Aprun | Self::Jsrun => &[],
        }
    }

    /// Its word in `--as`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Prte => "prte",
            Self::Hydra => "hydra",
            Self::Intel => "intel",
            Self::Slurm => "slurm",
            Self::Flux => "flux",
            Self::Pals => "pals",
            Self::Aprun => "aprun",
            Self::Jsrun => "jsrun",
        }
    }
}

/// A host that our own words before the launcher name: a part of the allocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OurHost {
    /// One name, or names with neighbouring numbers.
    pub names: NameRange,
    /// Slots of each, if they were given.
    pub slots: Option<u32>,
}

/// The hosts of our own words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OurHosts {
    /// None were named: the line's own words are all there is.
    Unsaid,
    /// The allocation, in order.
    Said(Vec<OurHost>),
}

/// The names of a range, one by one.
pub fn names_of(range: &NameRange) -> impl Iterator<Item = String> + '_ {
    let width = usize::from(range.width);
    (0..u64::from(range.count)).map(move |at| match width {
        0 => format!("{}{}", range.prefix, range.suffix),
        _ => format!(
            "{}{:0width$}{}",
            range.prefix,
            range.first + at,
            range.suffix
        ),
    })
}

/// The hardware of the nodes.
pub trait Hardware {
    /// The topology of each node of a range of names: counts that add up to the range's, in its order.
    fn of_names(&self, names: &NameRange) -> Vec<(u32, TopologyId)>;
    /// The distinct topologies.
    fn topologies(&self) -> &Topologies;
    /// Their cpu sets, by OS numbers.
    fn cpusets(&self) -> &Cpusets;
}

/// What is told of a line that is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Refusals {
    /// Why, and lines that would start: they are searched for by placing them.
    #[default]
    Helped,
    /// Why. For those who place many lines, or read help later.
    Bare,
}

/// A launcher's line with all that it stands in. Texts are as they were typed.
#[derive(Clone, Copy)]
pub struct LineAsked<'a> {
    /// The launcher's word as typed, without its folder: `srun`, `mpiexec.hydra`, `flux run`.
    pub command: &'a str,
    /// The version of `--as L@VERSION`; `None`: the one that the specification means.
    pub version: Option<&'a str>,
    /// The words behind the launcher's word, to the end of the program's arguments.
    pub words: &'a [String],
    /// The variables that the launcher would see (`--env`, `--env-file`, `--env-here`), in order; the last of a name holds.
    pub variables: &'a [(String, String)],
    /// The words of `--alloc`.
    pub alloc: Option<&'a str>,
    /// The value of `--granted`: cpus by node, or the name of a file.
    pub granted: Option<&'a str>,
    /// The value of `--site`: settings, or the name of a file.
    pub site: Option<&'a str>,
    /// The topology that a named machine brings, as `builtin:NAME`; its site settings hold unless `--site` says otherwise.
    pub machine: Option<&'a str>,
    /// `--head`: the node on which the line is typed.
    pub head: Option<&'a str>,
    /// Our own hosts.
    pub hosts: &'a OurHosts,
    /// The hardware of the nodes.
    pub hardware: &'a dyn Hardware,
    /// The files that the line names.
    pub files: &'a dyn Files,
    /// What is told if it is refused.
    pub refusals: Refusals,
}

impl<'a> LineAsked<'a> {
    /// The value of a variable; `None`: it is not set.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&'a str> {
        let mut last = self.variables.iter().rev();
        last.find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }

    /// A refusal of the line as a whole: the launcher's word, and why.
    #[must_use]
    pub fn refused(&self, class: &'static str, why: impl fmt::Display) -> LineRefused {
        LineRefused::new(class, format!("{}: {why}", self.command))
    }

    /// The names of our own hosts; `None`: none were named.
    #[must_use]
    pub fn our_names(&self) -> Option<Vec<NameRange>> {
        match self.hosts {
            OurHosts::Said(hosts) => Some(hosts.iter().map(|host| host.names.clone()).collect()),
            OurHosts::Unsaid => None,
        }
    }
}
