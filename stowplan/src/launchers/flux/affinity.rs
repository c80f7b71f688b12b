//! `cpu-affinity` and `gpu-affinity`: what each task of a node may use. Source: `lines/flux/spec.md` 8.

use super::schedule::Got;
use super::sets;
use super::tree::{self, Core};
use super::words::{Line, setting};
use crate::launchers::line::{LineAsked, LineRefused};
use roaring::RoaringBitmap;
use stowplan_engine::limit::PATTERN_RUNS_MAX;

/// How the tasks of a node get cpus or GPUs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Affinity {
    /// All of the job's, for every task.
    Shared,
    /// None is set.
    Off,
    /// Only what would be done is printed.
    DryRun,
    /// Its part of them for each.
    PerTask,
    /// By local task, as listed.
    Map(String),
}

/// Neighbouring tasks with the same set; `None`: it is not set.
pub(super) type Sets = Vec<(u32, Option<RoaringBitmap>)>;

impl Affinity {
    /// What `-o cpu-affinity` says.
    pub(super) fn of_cpus(line: &Line) -> Self {
        let mut text = setting(line, "cpu-affinity")
            .and_then(|(_, value)| value)
            .unwrap_or("on");
        let mut dry = None;
        loop {
            let rest = match (text.strip_prefix("dry-run"), text.strip_prefix("verbose")) {
                (Some(rest), _) => {
                    dry = Some(Self::DryRun);
                    rest
                }
                (None, Some(rest)) => rest,
                (None, None) => break,
            };
            text = rest.strip_prefix(',').unwrap_or(rest);
        }
        dry.unwrap_or_else(|| Self::of_word(text))
    }

    /// What `-o gpu-affinity` says.
    pub(super) fn of_gpus(line: &Line) -> Self {
        let said = setting(line, "gpu-affinity").and_then(|(_, value)| value);
        Self::of_word(said.unwrap_or("on"))
    }

    fn of_word(word: &str) -> Self {
        match word {
            "off" => Self::Off,
            "per-task" => Self::PerTask,
            _ => match word.strip_prefix("map:") {
                Some(list) => Self::Map(list.to_owned()),
                None => Self::Shared,
            },
        }
    }

    /// Its word, for the page.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Shared => "on",
            Self::Off => "off",
            Self::DryRun => "dry-run",
            Self::PerTask => "per-task",
            Self::Map(_) => "map",
        }
    }
}

/// The cpus of each task of a node.
///
/// # Errors
/// `launch-fails` for a list that the shell cannot use.
///
/// Cost: the topology; the entries of a list for each task.
pub(super) fn cpus(
    asked: &LineAsked<'_>,
    affinity: &Affinity,
    got: &Got,
    tasks: u32,
) -> Result<Sets, LineRefused> {
    Ok(match affinity {
        Affinity::Off | Affinity::DryRun => vec![(tasks, None)],
        Affinity::Shared => vec![(tasks, Some(tree::cpus(asked, got)))],
        Affinity::PerTask => per_task(&tree::cores(asked, got), tasks),
        Affinity::Map(list) => listed(asked, "cpu-affinity", list, tasks)?,
    })
}

/// The GPUs of each task of a node; `None`: Flux leaves them alone.
///
/// # Errors
/// As [`cpus`].
pub(super) fn gpus(
    asked: &LineAsked<'_>,
    affinity: &Affinity,
    got: &Got,
    tasks: u32,
) -> Result<Sets, LineRefused> {
    Ok(match affinity {
        Affinity::Off | Affinity::DryRun => vec![(tasks, None)],
        Affinity::Shared => vec![(tasks, Some(got.gpus.clone()))],
        Affinity::PerTask => {
            let each = got.gpus.len() / u64::from(tasks.max(1));
            if each == 0 {
                return Ok(vec![(tasks, Some(RoaringBitmap::new()))]);
            }
            let mut left = got.gpus.iter();
            let each = usize::try_from(each).unwrap_or(usize::MAX);
            let own = |_| (1, Some(left.by_ref().take(each).collect()));
            (0..tasks).map(own).collect()
        }
        Affinity::Map(list) => listed(asked, "gpu-affinity", list, tasks)?,
    })
}

fn listed(
    asked: &LineAsked<'_>,
    option: &str,
    list: &str,
    tasks: u32,
) -> Result<Sets, LineRefused> {
    let refused = |class, why: String| asked.refused(class, format_args!("-o {option}: {why}"));
    let sets = sets::read(list, tasks).map_err(|why| refused("launch-fails", why))?;
    if let [only] = sets.as_slice() {
        return Ok(vec![(tasks, Some(only.clone()))]);
    }
    if tasks as usize > PATTERN_RUNS_MAX {
        let why = format!("{tasks} tasks of a node are more than are listed one by one");
        return Err(refused("job-too-large", why));
    }
    let own = sets.iter().cycle().take(tasks as usize);
    Ok(own.map(|set| (1, Some(set.clone()))).collect())
}

/// Deals cores to tasks, weighted by hwthreads. A core that begins no task joins the last one.
fn per_task(cores: &[Core], tasks: u32) -> Sets {
    let all: u64 = cores.iter().map(|core| core.cpus.len()).sum();
    let begun = |weight: u64| (weight * u64::from(tasks)).div_ceil(all.max(1));
    let mut sets: Sets = Vec::new();
    let mut before = 0;
    for core in cores {
        let after = before + core.cpus.len();
        let begins = u32::try_from(begun(after) - begun(before)).unwrap_or(tasks);
        before = after;
        if begins > 0 {
            sets.push((begins, Some(core.cpus.clone())));
            continue;
        }
        let Some((count, last)) = sets.last_mut() else {
            continue;
        };
        let joined = last.as_ref().map(|last| last | &core.cpus);
        if *count == 1 {
            *last = joined;
        } else {
            *count -= 1;
            sets.push((1, joined));
        }
    }
    sets
}
