//! Counts of GPUs: in words, `4`, `a100:2`, `a100:1,l4:2`, and of a step. What each form means was asked of Slurm 24.11.

use super::numbers::{number, positive};
use super::refusals;
use crate::launchers::line::LineRefused;

/// So many GPUs, some of a type.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GpuCount {
    /// Types, `None` for any, with how many of each.
    pub parts: Vec<(Option<String>, u64)>,
}

impl GpuCount {
    /// So many of any type.
    pub fn of_any(count: u64) -> Self {
        Self {
            parts: vec![(None, count)],
        }
    }

    pub fn total(&self) -> u64 {
        self.parts
            .iter()
            .fold(0, |sum, part| sum.saturating_add(part.1))
    }

    /// As many for each of some tasks.
    pub(super) fn times(&self, tasks: u64) -> Self {
        let parts = self.parts.iter();
        let parts = parts.map(|(kind, count)| (kind.clone(), count.saturating_mul(tasks)));
        Self {
            parts: parts.collect(),
        }
    }

    /// The types that are named.
    pub(super) fn kinds(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| part.0.as_deref())
    }

    /// `[type:]count`, or a type for one of it; several apart by commas.
    pub fn read(name: &str, text: &str) -> Result<Self, LineRefused> {
        let parts = text.split(',').map(|part| {
            one(part).ok_or_else(|| {
                refusals::refuses(format!("Invalid numeric value {text:?} for {name}."))
            })
        });
        Ok(Self {
            parts: parts.collect::<Result<_, _>>()?,
        })
    }
}

/// The GPUs of its nodes that a step has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum StepGpus {
    /// None: neither the line nor the job asks for any.
    None,
    /// All that the job has.
    All,
    /// So many of each node.
    PerNode(GpuCount),
    /// So many for each of its tasks there.
    PerTask(GpuCount),
    /// So many of all nodes together.
    Total(GpuCount),
    /// One for so many of its tasks there.
    ByTasks(u64),
}

/// `[type:]count`, or a type.
fn one(text: &str) -> Option<(Option<String>, u64)> {
    let is_kind = |text: &str| text.starts_with(|sign: char| sign.is_ascii_alphanumeric());
    if text.starts_with(|sign: char| sign.is_ascii_digit()) && !text.contains(['.', ':']) {
        return number(text).map(|count| (None, count));
    }
    let (kind, count) = match text.rsplit_once(':') {
        Some((kind, count)) => (kind, number(count)?),
        None => (text, 1),
    };
    (is_kind(kind) && !kind.contains(':')).then(|| (Some(kind.to_owned()), count))
}

/// What `--gres` asks for of each node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Gres {
    /// GPUs; `None` where none are spoken of.
    pub gpus: Option<GpuCount>,
    /// The names of other resources.
    pub others: Vec<String>,
}

impl Gres {
    /// `none`, or `gpu[:type][:count]` and other resources, apart by commas.
    pub fn read(text: &str) -> Result<Self, LineRefused> {
        let mut own = Self::default();
        if text.eq_ignore_ascii_case("none") {
            own.gpus = Some(GpuCount::default());
            return Ok(own);
        }
        let bad = || {
            refusals::refuses(format!(
                "--gres={text}: Invalid generic resource (gres) specification: name[:type][:count] is asked for"
            ))
        };
        for part in text.split(',') {
            let bare = part.strip_prefix("gres:").or(part.strip_prefix("gres/"));
            let part = bare.unwrap_or(part);
            let (name, rest) = part.split_once(':').unwrap_or((part, "1"));
            match name {
                "" => return Err(bad()),
                "gpu" => {
                    let count = one(rest).ok_or_else(bad)?;
                    own.gpus.get_or_insert_default().parts.push(count);
                }
                // They are parts of GPUs.
                "shard" | "mps" => {
                    return Err(refusals::not_modelled(format!(
                        "--gres={text}: which GPU {name} is a part of is not known here"
                    )));
                }
                other => own.others.push(other.to_owned()),
            }
        }
        Ok(own)
    }
}

/// What `--tres-per-task` asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tres {
    pub cpus: Option<u64>,
    pub gpus: Option<GpuCount>,
}

impl Tres {
    /// `cpu=K` (`sign` is its spelling in this version) and `gres/gpu[:type][:=]count`, apart by commas.
    pub fn read(text: &str, sign: &str) -> Result<Self, LineRefused> {
        let mut own = Self::default();
        for part in text.split(',') {
            if let Some(count) = part.strip_prefix(sign) {
                let count = positive(count);
                own.cpus = Some(count.ok_or_else(|| {
                    refusals::refuses(format!(
                        "Invalid numeric value {part:?} for --tres-per-task."
                    ))
                })?);
                continue;
            }
            let gpus = ["gres/gpu", "gres:gpu"]
                .iter()
                .find_map(|name| part.strip_prefix(name));
            let count = gpus.and_then(|rest| match rest.strip_prefix([':', '=']) {
                Some(rest) => one(&rest.replace('=', ":")),
                None => rest.is_empty().then_some((None, 1)),
            });
            match count {
                Some(count) => own.gpus.get_or_insert_default().parts.push(count),
                None if part.contains("gres") => {
                    return Err(refusals::not_modelled(format!(
                        "--tres-per-task={text}: of {part} it is not known where it is; only cpus and GPUs are"
                    )));
                }
                None => {
                    return Err(refusals::refuses(format!(
                        "--tres-per-task={text}: {sign}K is asked for in this version"
                    )));
                }
            }
        }
        Ok(own)
    }
}
