//! The words of a line or of an allocation, with their values.

use super::cpu_bind::CpuBind;
use super::distribution::Distribution;
use super::gpu_bind::GpuBind;
use super::gpu_count::{GpuCount, Gres, Tres};
use super::hint::Hint;
use super::numbers::{number, positive};
use super::reading::{Said, Valued};
use super::refusals;
use super::rules::{Change, Rules};
use super::words::{Class, Command, GpuKey, Key};
use crate::launchers::line::LineRefused;

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
    /// Those of `--tres-per-task`, until all words are read.
    tres_cpus: Option<u64>,
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
    /// GPUs of all nodes together.
    pub(super) gpus: Option<GpuCount>,
    pub(super) gpus_per_task: Option<GpuCount>,
    pub(super) gpus_per_node: Option<GpuCount>,
    pub(super) cpus_per_gpu: Option<u64>,
    pub(super) tasks_per_gpu: Option<u64>,
    pub(super) gpu_bind: Option<GpuBind>,
    pub(super) gres: Option<Gres>,
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
    pub(super) constraint: Flag,
    /// `--gres-flags=enforce-binding`: cores that are near no GPU are not taken.
    pub(super) near_alone: Flag,
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
                    Command::Job => refused.of(format_args!("--alloc")),
                })?;
        }
        if own.tres_cpus.is_some() && own.cpus_per_task.is_some() {
            return Err(refusals::refuses(
                "fatal: You can not have --tres-per-task=cpu= and --cpus-per-task please use one or the other",
            ));
        }
        own.cpus_per_task = own.cpus_per_task.or(own.tres_cpus.take());
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
            Key::Constraint => self.constraint = Flag::Said,
            Key::OfGpus(key) => self.put_gpus(key, said, reading)?,
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
            Key::Distribution => self.distribution = Some(distribution(text, reading.plane)?),
            Key::CpuBind => self.cpu_bind = Some(CpuBind::read(text, reading.rules)?),
            Key::Hint => self.hint = Some(Hint::read(text)?),
            Key::NodeList => self.node_list = Some(text.to_owned()),
            Key::Exclude => self.exclude = Some(text.to_owned()),
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

    /// Words on GPUs and on resources that are counted like them.
    fn put_gpus(
        &mut self,
        key: GpuKey,
        said: &Said<'_>,
        reading: Reading,
    ) -> Result<(), LineRefused> {
        let (name, text) = (said.word.name(), said.value);
        let gpus = || GpuCount::read(&name, text).map(Some);
        match key {
            GpuKey::Gpus => self.gpus = gpus()?,
            GpuKey::PerTask => self.gpus_per_task = gpus()?,
            GpuKey::PerNode => self.gpus_per_node = gpus()?,
            GpuKey::TasksEach => self.tasks_per_gpu = Some(count(&name, text)?),
            GpuKey::CpusEach => self.cpus_per_gpu = Some(count(&name, text)?),
            GpuKey::Bind => self.gpu_bind = Some(GpuBind::read(text)?),
            GpuKey::Gres => self.gres = Some(Gres::read(text)?),
            GpuKey::GresFlags => self.near_alone = gres_flags(text)?,
            GpuKey::Tres => {
                let equals = reading.rules.has(Change::TresByEquals);
                let tres = Tres::read(text, if equals { "cpu=" } else { "cpu:" })?;
                self.tres_cpus = tres.cpus;
                self.gpus_per_task = tres.gpus.or(self.gpus_per_task.take());
            }
        }
        Ok(())
    }
}

fn distribution(text: &str, plane: Option<u64>) -> Result<Distribution, LineRefused> {
    Distribution::read(text, plane).map_err(|why| {
        refusals::refuses(format!(
            "-m {text}: Invalid --distribution specification: {why}"
        ))
    })
}

fn bad_number(name: &str, text: &str) -> LineRefused {
    refusals::refuses(format!("Invalid numeric value {text:?} for {name}."))
}

/// A number from 1.
pub(super) fn count(name: &str, text: &str) -> Result<u64, LineRefused> {
    positive(text).ok_or_else(|| bad_number(name, text))
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

/// `--gres-flags`: whether only cores near GPUs are taken.
fn gres_flags(text: &str) -> Result<Flag, LineRefused> {
    match text.to_ascii_lowercase().as_str() {
        "enforce-binding" => Ok(Flag::Said),
        "disable-binding" => Ok(Flag::Unsaid),
        _ => Err(refusals::not_modelled(format!(
            "--gres-flags={text}: what it does to a placement is not known here"
        ))),
    }
}
