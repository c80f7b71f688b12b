//! The words of a line or of an allocation, with their values.

use super::cpu_bind::CpuBind;
use super::distribution::Distribution;
use super::gpu_bind::GpuBind;
use super::hint::Hint;
use super::numbers::{number, positive};
use super::reading::{Said, Valued};
use super::refusals;
use super::rules::{Change, Rules};
use super::words::{Class, Command, Key};
use crate::line::LineRefused;

/// `-N`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeCounts {
    pub(super) min: u64,
    pub(super) max: u64,
}

/// `-B sockets:cores:threads`; `None`: any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ExtraNodeInfo {
    pub(super) sockets: Option<u64>,
    pub(super) cores: Option<u64>,
    pub(super) threads: Option<u64>,
    /// How many parts were given.
    pub(super) parts: usize,
}

/// GPUs of each node that an allocation asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JobGpus {
    /// So many.
    Some(u64),
    /// Words ask for none.
    None,
}

/// A word that is there or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Flag {
    #[default]
    Unsaid,
    Said,
}

impl Flag {
    pub(super) fn is_said(self) -> bool {
        self == Self::Said
    }
}

/// All words that place.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Options {
    pub(super) tasks: Option<u64>,
    pub(super) nodes: Option<NodeCounts>,
    pub(super) cpus_per_task: Option<u64>,
    pub(super) tasks_per_node: Option<u64>,
    pub(super) tasks_per_core: Option<u64>,
    pub(super) tasks_per_socket: Option<u64>,
    pub(super) threads_per_core: Option<u64>,
    pub(super) extra: Option<ExtraNodeInfo>,
    pub(super) distribution: Option<Distribution>,
    pub(super) cpu_bind: Option<CpuBind>,
    pub(super) hint: Option<Hint>,
    pub(super) node_list: Option<String>,
    pub(super) exclude: Option<String>,
    pub(super) relative: Option<u64>,
    pub(super) gpus_per_task: Option<u64>,
    pub(super) gpus_per_node: Option<u64>,
    pub(super) tasks_per_gpu: Option<u64>,
    pub(super) gpu_bind: Option<GpuBind>,
    pub(super) gres: Option<JobGpus>,
    pub(super) core_spec: Option<u64>,
    pub(super) overcommit: Flag,
    pub(super) exact: Flag,
    /// `--exclusive` without a value.
    pub(super) exclusive: Flag,
    pub(super) overlap: Flag,
    pub(super) whole: Flag,
    pub(super) memory: Flag,
    /// `--sockets-per-node`, `--cores-per-socket`.
    pub(super) shape: Flag,
    pub(super) export_none: Flag,
}

/// Words as they are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) command: Command,
    pub(super) rules: Rules,
    /// `SLURM_DIST_PLANESIZE`.
    pub(super) plane: Option<u64>,
}

impl Options {
    /// Words in their order; the last of each counts.
    pub(super) fn of(said: &[Said<'_>], reading: Reading) -> Result<Self, LineRefused> {
        let mut own = Self::default();
        for word in said {
            own.take(word, reading)
                .map_err(|refused| match reading.command {
                    Command::Step => refused.at(word.at, 0..0),
                    Command::Job => LineRefused {
                        sentence: format!("--alloc: {}", refused.sentence),
                        ..refused
                    },
                })?;
        }
        if own.whole.is_said()
            && (own.exact.is_said() || own.exclusive.is_said())
            && reading.command == Command::Step
        {
            return Err(refusals::refuses(
                "srun: --exact and --whole are mutually exclusive",
            ));
        }
        Ok(own)
    }

    fn take(&mut self, said: &Said<'_>, reading: Reading) -> Result<(), LineRefused> {
        let name = said.word.name();
        match said.word.class {
            Class::Harmless => Ok(()),
            Class::Prints => Err(refusals::refuses(format!(
                "{name}: srun prints and ends, it places nothing"
            ))),
            Class::NotModelled => Err(refusals::not_modelled(format!(
                "{name}: what it does to a placement is not known here"
            ))),
            Class::Places(key) => self.put(key, said, reading),
        }
    }

    fn put(&mut self, key: Key, said: &Said<'_>, reading: Reading) -> Result<(), LineRefused> {
        let text = said.value;
        let count = || count(&said.word.name(), text);
        match key {
            Key::Tasks => self.tasks = Some(count()?),
            Key::CpusPerTask => self.cpus_per_task = Some(count()?),
            Key::TasksPerNode => self.tasks_per_node = Some(count()?),
            Key::TasksPerCore => self.tasks_per_core = Some(count()?),
            Key::TasksPerSocket => self.tasks_per_socket = Some(count()?),
            Key::ThreadsPerCore => self.threads_per_core = Some(count()?),
            Key::GpusPerTask => self.gpus_per_task = Some(count_of_gpus(said)?),
            Key::GpusPerNode => self.gpus_per_node = Some(count_of_gpus(said)?),
            Key::TasksPerGpu => self.tasks_per_gpu = Some(count()?),
            Key::SocketsPerNode => {
                self.extra.get_or_insert_default().sockets = Some(count()?);
                self.shape = Flag::Said;
            }
            Key::CoresPerSocket => {
                self.extra.get_or_insert_default().cores = Some(count()?);
                self.shape = Flag::Said;
            }
            Key::Relative | Key::CoreSpec => {
                let number = number(text).ok_or_else(|| bad_number(&said.word.name(), text))?;
                match key == Key::Relative {
                    true => self.relative = Some(number),
                    false if reading.command == Command::Job => self.core_spec = Some(number),
                    false => {
                        return Err(refusals::not_modelled(
                            "--core-spec: what it does to a step is not known here",
                        ));
                    }
                }
            }
            Key::Nodes => self.nodes = node_counts(text)?,
            Key::ExtraNodeInfo => self.extra = Some(extra(text)?),
            Key::TresPerTask => self.cpus_per_task = Some(tres(text, reading.rules)?),
            Key::Distribution => {
                let read = Distribution::read(text, reading.plane).map_err(|why| {
                    refusals::refuses(format!(
                        "-m {text}: Invalid --distribution specification: {why}"
                    ))
                })?;
                self.distribution = Some(read);
            }
            Key::CpuBind => self.cpu_bind = Some(CpuBind::read(text, reading.rules)?),
            Key::GpuBind => self.gpu_bind = Some(GpuBind::read(text)?),
            Key::Hint => self.hint = Some(Hint::read(text)?),
            Key::NodeList => self.node_list = Some(text.to_owned()),
            Key::Exclude => self.exclude = Some(text.to_owned()),
            Key::Gres => self.gres = Some(gres(text)?),
            Key::Overcommit => self.overcommit = Flag::Said,
            Key::Exact => self.exact = Flag::Said,
            Key::Overlap => self.overlap = Flag::Said,
            Key::Whole => self.whole = Flag::Said,
            Key::Memory => self.memory = Flag::Said,
            Key::Exclusive if said.valued == Valued::No => self.exclusive = Flag::Said,
            Key::Export if text.eq_ignore_ascii_case("none") => self.export_none = Flag::Said,
            Key::Mpibind if text != "off" => {
                return Err(LineRefused {
                    help: vec!["--map-by mpibind places as it does".to_owned()],
                    ..refusals::not_modelled(
                        "--mpibind: a plug-in that maps and binds in srun's place",
                    )
                });
            }
            Key::Exclusive | Key::Export | Key::Mpibind => {}
        }
        Ok(())
    }
}

fn bad_number(name: &str, text: &str) -> LineRefused {
    refusals::refuses(format!("Invalid numeric value {text:?} for {name}."))
}

/// A number from 1.
pub(super) fn count(name: &str, text: &str) -> Result<u64, LineRefused> {
    positive(text).ok_or_else(|| bad_number(name, text))
}

/// `[type:]count` of GPUs.
fn count_of_gpus(said: &Said<'_>) -> Result<u64, LineRefused> {
    let name = said.word.name();
    match said.value.split_once(':') {
        Some((kind, _)) => Err(refusals::not_modelled(format!(
            "{name}={}: types of GPUs, as {kind}, are not known here",
            said.value
        ))),
        None => count(&name, said.value),
    }
}

/// `k` or `a-b`; 0 is as if it were not said.
pub(super) fn node_counts(text: &str) -> Result<Option<NodeCounts>, LineRefused> {
    let (min, max) = text.split_once('-').unwrap_or((text, text));
    match (number(min), number(max)) {
        (Some(0), Some(0)) => Ok(None),
        (Some(min), Some(max)) if min <= max => Ok(Some(NodeCounts {
            min: min.max(1),
            max,
        })),
        _ => Err(refusals::refuses(format!(
            "-N {text}: invalid number of nodes, k or min-max are asked for"
        ))),
    }
}

fn extra(text: &str) -> Result<ExtraNodeInfo, LineRefused> {
    let parts: Vec<&str> = text.split(':').collect();
    let part = |at: usize| match parts.get(at) {
        None | Some(&"*") => Ok(None),
        Some(part) => count("-B", part).map(Some),
    };
    if parts.len() > 3 {
        return Err(refusals::refuses(format!(
            "-B {text}: sockets[:cores[:threads]] are asked for"
        )));
    }
    Ok(ExtraNodeInfo {
        sockets: part(0)?,
        cores: part(1)?,
        threads: part(2)?,
        parts: parts.len(),
    })
}

/// `cpu=K`, or `cpu:K` in old versions.
fn tres(text: &str, rules: Rules) -> Result<u64, LineRefused> {
    let sign = if !rules.has(Change::TresByEquals) {
        "cpu:"
    } else {
        "cpu="
    };
    match text.strip_prefix(sign) {
        Some(count_of) if !count_of.contains(',') => count("--tres-per-task", count_of),
        _ if text.contains("gres") || text.contains(',') => Err(refusals::not_modelled(format!(
            "--tres-per-task={text}: only cpus are known here"
        ))),
        _ => Err(refusals::refuses(format!(
            "--tres-per-task={text}: {sign}K is asked for in this version"
        ))),
    }
}

/// `--gres`: `none`, or the GPUs of each node, of a job.
fn gres(text: &str) -> Result<JobGpus, LineRefused> {
    let small = text.to_ascii_lowercase();
    let gpus = small
        .strip_prefix("gpu")
        .map(|rest| match rest.strip_prefix(':') {
            Some(count) => positive(count),
            None => Some(1).filter(|_| rest.is_empty()),
        });
    match (small.as_str(), gpus.flatten()) {
        ("none", _) => Ok(JobGpus::None),
        (_, Some(gpus)) => Ok(JobGpus::Some(gpus)),
        _ => Err(refusals::not_modelled(format!(
            "--gres={text}: what it does to a placement is not known here"
        ))),
    }
}
