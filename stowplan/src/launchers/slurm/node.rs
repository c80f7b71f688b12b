//! What each task of one node gets: cores of the step, cpus, GPUs. Source: `lines/slurm/spec.md` 6, 7, 9.

use super::binding::{Bound, Masks};
use super::choice::Chosen;
use super::cores::take;
use super::cpu_bind::{Kind, Level};
use super::distribution::{First, Second};
use super::gpu_bind::GpuBind;
use super::gpu_count::{GpuCount, StepGpus};
use super::gpus::{Standing, pick};
use super::job::{Dealt, Job, NodeRun};
use super::level::FREE;
use super::options::Options;
use super::refusals;
use super::rules::Change;
use super::shape::Gpu;
use super::site::{Affinity, Selects, Site};
use super::step::Step;
use super::visible::visible;
use crate::launchers::line::{LaidProcs, LineRefused};
use roaring::RoaringBitmap;
use stowplan_engine::id::Id as _;
use stowplan_engine::limit::PATTERN_RUNS_MAX;
use stowplan_engine::table::names::NodeId;

/// Everything that decides about a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    pub(super) job: &'a Job,
    pub(super) site: &'a Site,
    pub(super) step: &'a Step,
    pub(super) chosen: &'a Chosen,
    pub(super) line: &'a Options,
    /// What the line inherits.
    pub(super) env: &'a Options,
    /// The words of the job.
    pub(super) words: &'a Options,
    pub(super) standing: Standing,
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl<'a> Scene<'a> {
    /// Whether one thread of each core counts.
    fn is_one_thread(&self) -> bool {
        let units = matches!(self.site.selects, Selects::Cores | Selects::Sockets);
        let hint = self.words.hint.as_ref();
        self.chosen.threads == Some(1)
            || !self.job.whole
                && units
                && hint.is_some_and(|hint| hint.has(super::hint::HintWord::NoMultithread))
    }

    /// Tasks that a node has room for.
    pub(super) fn room(&self, run: &NodeRun) -> u64 {
        let shape = &self.job.shapes[run.shape];
        let threads = shape.threads as u64;
        let mut each = self.chosen.cpus;
        let room = if self.is_one_thread() {
            run.raw / threads / each.max(1)
        } else {
            let per_core = match self.step.rules.has(Change::StepTasksPerCore) {
                true => self.step.levels.tasks_per_core,
                false => self
                    .words
                    .tasks_per_core
                    .or(self.site.has("cr_one_task_per_core").then_some(1)),
            };
            let most = self.chosen.threads.unwrap_or(threads);
            if per_core == Some(1) && each < most {
                each = most;
            }
            run.raw / each.max(1)
        };
        let mut room = room.max(1);
        if let Some(own) = self.step.gpus_per_task {
            room = room.min(shape.gpus.len() as u64 / own);
        }
        match (self.step.tasks_per_node, self.step.distribution.first) {
            (Some(limit), First::Block | First::Cyclic | First::Arbitrary) => {
                room.min(limit.saturating_mul(each.max(1)))
            }
            _ => room,
        }
    }

    /// The GPUs of the step on a node.
    fn step_gpus(&self, own: &Dealt<'_>) -> Result<Vec<Gpu>, LineRefused> {
        let all = &self.job.shapes[own.run.shape].gpus;
        let asked = match (&self.step.gpus, own.gpus) {
            (StepGpus::None, _) => return Ok(Vec::new()),
            (StepGpus::All, _) => return Ok(all.clone()),
            (StepGpus::PerTask(each), _) => each.times(own.tasks),
            (StepGpus::ByTasks(each), _) => GpuCount::of_any(own.tasks / each),
            (StepGpus::Total(count), Some(here)) if count.parts.len() == 1 => GpuCount {
                parts: vec![(count.parts[0].0.clone(), here)],
            },
            (StepGpus::PerNode(count) | StepGpus::Total(count), _) => count.clone(),
        };
        pick(all, &asked).ok_or_else(|| {
            let kinds: Vec<&str> = asked.kinds().collect();
            let kinds = match kinds.is_empty() {
                true => String::new(),
                false => format!(" of {}", kinds.join(", ")),
            };
            refusals::refuses(format!("Unable to create step: Invalid generic resource (gres) specification: {} GPUs{kinds} of a node are asked for, and it has {}", asked.total(), all.len()))
        })
    }

    /// The cores of the step on a node.
    fn cores(&self, run: &NodeRun, tasks: u64, gpus: &[Gpu]) -> Result<Vec<bool>, LineRefused> {
        let (step, shape) = (self.step, &self.job.shapes[run.shape]);
        let granted = &self.job.cores[run.cores];
        let all = shape.all_cores() as u64;
        let rules = step.rules;
        let own_threads = self.chosen.threads;
        let unit = if self.is_one_thread() || shape.is_one() {
            1
        } else {
            own_threads.unwrap_or(shape.threads as u64)
        };
        let per_core = step.levels.tasks_per_core.filter(|&own| own != FREE);
        let sum: u64 = self
            .job
            .runs
            .iter()
            .map(|run| run.raw * u64::from(run.nodes.count))
            .sum();
        let free = !rules.has(Change::StepTasksPerCore)
            || per_core.is_none()
            || per_core == self.job.threads;
        if !step.overcommit && (self.chosen.want == sum && free || self.wants_all()) {
            return Ok(granted.clone());
        }
        let whole = !step.exact || tasks == all;
        let each = self.chosen.cpus;
        let (needed, turn) = if !rules.has(Change::CoresByTask) {
            if whole {
                return Ok(granted.clone());
            }
            let needed = needed_before(each, tasks, unit);
            if needed > run.raw {
                return Err(too_much(needed, run.raw));
            }
            (needed, needed / tasks)
        } else {
            let each = self.in_groups(each, shape.counted as u64);
            let few = tasks <= all.saturating_mul(per_core.unwrap_or(unit));
            if whole && (few || step.overcommit && !rules.has(Change::OvercommitAsksCores)) {
                if gpus.is_empty() || rules.has(Change::WholeHasCores) {
                    return Ok(granted.clone());
                }
                return Ok(self.counted_twice(run, tasks, unit, gpus));
            }
            let needed = if each > 0 {
                (tasks * each).div_ceil(unit)
            } else {
                tasks
            };
            let beyond = match rules.has(Change::CoresAgainstCpus) {
                true => needed > run.raw.div_ceil(unit),
                false => needed * unit > run.raw,
            };
            if beyond && !step.overcommit {
                return Err(too_much(needed, run.raw));
            }
            (needed, needed.div_ceil(tasks))
        };
        let mut taken = vec![false; granted.len()];
        let mut left = needed;
        for pool in self.pools(granted, gpus) {
            left = take(shape, &pool, &mut taken, left, turn, self.second());
        }
        if left > 0 && !step.overcommit {
            return Err(self.too_few(needed, needed - left));
        }
        Ok(taken)
    }

    /// Whether a line that makes its job says nothing of tasks and cpus: srun asks for every cpu of the job. Seen in Slurm 24.11.5.
    fn wants_all(&self) -> bool {
        let (line, step) = (self.line, self.step);
        let says = line.tasks.or(line.tasks_per_node).or(step.cpus);
        let says = says.or(step.tasks_per_gpu).or(step.levels.threads);
        self.standing == Standing::Own && says.is_none()
    }

    /// Cores that a step needs and its job has not; a job that takes cores near its GPUs alone is not made at all.
    fn too_few(&self, needed: u64, there: u64) -> LineRefused {
        if self.standing == Standing::Own && self.words.near_alone.is_said() {
            return refusals::refuses(format!(
                "Unable to allocate resources: Requested node configuration is not available: {needed} cores near GPUs of a node are needed, and it has {there}"
            ));
        }
        refusals::waits(format!(
            "{needed} cores of a node are needed, and the job has {there} there"
        ))
    }

    /// Cpus of a task, rounded up to whole groups of a core that several tasks share.
    fn in_groups(&self, each: u64, counted: u64) -> u64 {
        let per_core = self.step.levels.tasks_per_core.filter(|&own| own != FREE);
        let group = per_core.map_or(1, |own| self.chosen.threads.unwrap_or(counted) / own);
        if group > 1 {
            each.next_multiple_of(group)
        } else {
            each
        }
    }

    /// A whole step with GPUs up to 24.11: cores that were taken for some GPUs are counted again.
    fn counted_twice(&self, run: &NodeRun, tasks: u64, unit: u64, gpus: &[Gpu]) -> Vec<bool> {
        let shape = &self.job.shapes[run.shape];
        let mut left = run.raw.div_ceil(unit);
        let turn = left.div_ceil(tasks);
        let mut cores = vec![false; shape.all_cores()];
        let mut before = None;
        for pool in self.pools(&self.job.cores[run.cores], gpus) {
            if before.as_ref() == Some(&pool) {
                continue;
            }
            let mut taken = vec![false; cores.len()];
            left = take(shape, &pool, &mut taken, left, turn, self.second());
            cores
                .iter_mut()
                .zip(&taken)
                .for_each(|(own, more)| *own |= more);
            before = Some(pool);
        }
        cores
    }

    /// How many cores a whole step has of a node, and how many its job, where fewer are left by counting cores twice.
    pub(super) fn counted_twice_on(&self, own: &Dealt<'_>) -> Option<(usize, usize)> {
        let (run, tasks) = (own.run, own.tasks);
        let gpus = self.step_gpus(own).ok()?;
        let is_exact = self.step.exact && tasks != self.job.shapes[run.shape].all_cores() as u64;
        if gpus.is_empty() || is_exact || self.step.rules.has(Change::WholeHasCores) {
            return None;
        }
        let count = |cores: &[bool]| cores.iter().filter(|&&own| own).count();
        let has = count(&self.cores(run, tasks, &gpus).ok()?);
        let all = count(&self.job.cores[run.cores]);
        (has < all).then_some((has, all))
    }

    /// The automatic level on a node; `None`: all tasks have the whole step.
    pub(super) fn automatic(&self, own: &Dealt<'_>) -> Option<Level> {
        let (run, tasks) = (own.run, own.tasks);
        let gpus = self.step_gpus(own).ok()?;
        let cores = self.cores(run, tasks, &gpus).ok()?;
        self.bound(run, &cores, size(tasks)).automatic()
    }

    /// The name of the first of some nodes.
    pub(super) fn node(&self, dealt: &Dealt<'_>) -> String {
        self.job
            .names
            .name(NodeId::from_row(dealt.nodes.first as usize))
    }

    /// Whether the site binds tasks.
    pub(super) fn binds(&self) -> bool {
        self.site.affinity == Affinity::Binds
    }

    /// Cores near every GPU, near some, and all; the last not where the job takes near ones alone.
    fn pools(&self, granted: &[bool], gpus: &[Gpu]) -> Vec<Vec<bool>> {
        if gpus.is_empty() {
            return vec![granted.to_vec()];
        }
        let pool = |near: &dyn Fn(usize) -> bool| {
            (0..granted.len())
                .map(|core| granted[core] && near(core))
                .collect()
        };
        let mut pools = vec![
            pool(&|core| gpus.iter().all(|gpu| gpu.near.contains(&core))),
            pool(&|core| gpus.iter().any(|gpu| gpu.near.contains(&core))),
        ];
        if !self.words.near_alone.is_said() {
            pools.push(granted.to_vec());
        }
        pools
    }

    fn second(&self) -> Second {
        self.step.distribution.second.unwrap_or(Second::Cyclic)
    }

    /// What each task of a node gets.
    pub(super) fn procs(&self, own: &Dealt<'_>) -> Result<Vec<LaidProcs>, LineRefused> {
        let (run, tasks) = (own.run, own.tasks);
        let shape = &self.job.shapes[run.shape];
        let gpus = self.step_gpus(own)?;
        let cores = self.cores(run, tasks, &gpus)?;
        let is_all = cores.iter().all(|&own| own);
        let set = |cpus: &mut dyn Iterator<Item = usize>| -> RoaringBitmap {
            cpus.map(|cpu| shape.os[cpu]).collect()
        };
        let threads = shape.threads;
        let everything = set(&mut (0..shape.os.len()).filter(|cpu| cores[cpu / threads]));
        let count = size(tasks);
        self.is_written_out(tasks, &gpus)?;
        let one = |cpus: Option<RoaringBitmap>| vec![cpus; 1];
        let cpus: Vec<Option<RoaringBitmap>> = match &self.step.levels.kind {
            _ if self.site.affinity == Affinity::Absent => one(None),
            Some(Kind::None) => one((!is_all).then_some(everything)),
            Some(Kind::Masks(masks)) => {
                if let Some(mask) = masks.iter().find(|mask| !mask.is_subset(&everything)) {
                    let cpu = (mask - &everything).min().unwrap_or(0);
                    return Err(refusals::fails(format!(
                        "CPU binding outside of job step allocation: cpu {cpu} of --cpu-bind is not of the step"
                    )));
                }
                masks
                    .iter()
                    .cycle()
                    .take(count)
                    .cloned()
                    .map(Some)
                    .collect()
            }
            Some(Kind::Rank) if !is_all => {
                return Err(refusals::fails(
                    "--cpu-bind=rank: the step has a part of the node only",
                ));
            }
            Some(Kind::Rank) => (0..count.min(shape.os.len()))
                .map(|rank| Some(std::iter::once(u32::try_from(rank).unwrap_or(0)).collect()))
                .collect(),
            None => match self.bound(run, &cores, count).masks() {
                Masks::All => one(Some(everything)),
                Masks::Each(masks) => masks
                    .into_iter()
                    .map(|mask| Some(set(&mut mask.into_iter())))
                    .collect(),
                Masks::Failed if self.step.overcommit => one(Some(everything)),
                Masks::Failed => {
                    return Err(refusals::fails(
                        "failed to distribute tasks: the cpus of the step do not fit the tasks and the level of binding",
                    ));
                }
            },
        };
        let place: std::collections::BTreeMap<u32, usize> = (0..)
            .zip(&shape.os)
            .map(|(cpu, &os)| (os, cpu / threads))
            .collect();
        let seen = self.seen(&gpus, &cpus, count, &place);
        Ok(joined(&cpus, seen.as_deref(), count))
    }

    /// Whether a list of what each task has may be made.
    fn is_written_out(&self, tasks: u64, gpus: &[Gpu]) -> Result<(), LineRefused> {
        let listed = !gpus.is_empty() || matches!(self.step.levels.kind, Some(Kind::Masks(_)));
        match listed && tasks > PATTERN_RUNS_MAX as u64 {
            true => Err(refusals::not_modelled(format!(
                "{tasks} tasks of one node, each with a mask or GPUs of its own"
            ))),
            false => Ok(()),
        }
    }

    fn bound<'b>(&'b self, run: &NodeRun, cores: &'b [bool], tasks: usize) -> Bound<'b> {
        let step = self.step;
        let shape = &self.job.shapes[run.shape];
        let block = matches!(step.distribution.first, First::Plane(_))
            || step.distribution.second == Some(Second::Block)
            || step.distribution.second.is_none() && self.site.has("cr_core_default_dist_block");
        let one = step.levels.one || shape.is_one();
        let per_core = step.levels.tasks_per_core.or(self.words.tasks_per_core);
        let per_core = per_core.or(self.site.has("cr_one_task_per_core").then_some(1));
        Bound {
            shape,
            cores,
            tasks,
            cpus: size(step.cpus.unwrap_or(1)),
            level: step.levels.level,
            autobind: self.site.autobind,
            second: if block { Second::Block } else { self.second() },
            threads: step.levels.threads.or(one.then_some(1)).map(size),
            per_core: per_core.map(size),
            per_socket: self
                .line
                .tasks_per_socket
                .or(self.words.tasks_per_socket)
                .map(size),
        }
    }

    /// GPUs that each task is bound to by `--gpus-per-task`: the job's, where both it and the line have the word.
    fn bound_per_task(&self) -> Option<u64> {
        let own = self.env.gpus_per_task.as_ref();
        let own = own.map(GpuCount::total).filter(|&count| count > 0);
        own.or(self.step.gpus_per_task)
    }

    fn seen(
        &self,
        gpus: &[Gpu],
        cpus: &[Option<RoaringBitmap>],
        tasks: usize,
        place: &std::collections::BTreeMap<u32, usize>,
    ) -> Option<Vec<Vec<u32>>> {
        if gpus.is_empty() {
            return None;
        }
        let single = self.step.tasks_per_gpu.map(GpuBind::Single);
        let bind = self
            .step
            .gpu_bind
            .clone()
            .or(single)
            .or(self.bound_per_task().map(GpuBind::PerTask));
        let cores = |rank: usize| -> Option<Vec<usize>> {
            let own = cpus[rank % cpus.len()].as_ref()?;
            Some(
                own.iter()
                    .filter_map(|cpu| place.get(&cpu).copied())
                    .collect(),
            )
        };
        Some(visible(
            gpus,
            &bind.unwrap_or(GpuBind::None),
            tasks,
            &cores,
            self.step.rules,
        ))
    }
}

/// Neighbouring tasks that get the same, joined. Cpus that are fewer than tasks begin again.
fn joined(
    cpus: &[Option<RoaringBitmap>],
    gpus: Option<&[Vec<u32>]>,
    tasks: usize,
) -> Vec<LaidProcs> {
    let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let mut all: Vec<LaidProcs> = Vec::new();
    if let ([one], None) = (cpus, gpus) {
        LaidProcs::add(&mut all, narrow(tasks), one.clone(), None);
        return all;
    }
    for rank in 0..tasks {
        let own = &cpus[rank % cpus.len()];
        let seen = gpus.map(|gpus| gpus[rank].clone());
        LaidProcs::add(&mut all, 1, own.clone(), seen);
    }
    all
}

/// Cores that 22.05 needs.
fn needed_before(each: u64, tasks: u64, unit: u64) -> u64 {
    match each {
        0 => tasks,
        own if own > unit => tasks * own.div_ceil(unit),
        own => (tasks * own).div_ceil(unit),
    }
}

fn too_much(needed: u64, raw: u64) -> LineRefused {
    refusals::refuses(format!(
        "Unable to create step: More processors requested than permitted: {needed} cores of a node that has {raw} cpus"
    ))
}
