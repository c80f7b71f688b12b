//! The GPUs that a job has, and those that a step asks for. Source: `lines/slurm/spec.md` 1, 9; what `--gpus`, `--gres` and types do was
//! asked of Slurm 24.11.5.

use super::distribution::First;
use super::gpu_count::{GpuCount, StepGpus};
use super::job::{Dealt, Job, NodeRun};
use super::options::Options;
use super::refusals;
use super::rules::Change;
use super::shape::Gpu;
use super::site::Site;
use super::step::Step;
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::table::names::NodeRange;

/// Whether a line is a step of a job, or makes its own job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    InJob,
    Own,
}

impl Standing {
    pub(super) fn of(asked: &LineAsked<'_>) -> Self {
        let in_job = asked.alloc.is_some()
            || asked.granted.is_some()
            || asked.variable("SLURM_JOB_ID").is_some();
        match in_job {
            true => Self::InJob,
            false => Self::Own,
        }
    }

    /// What asks for the job's resources.
    pub(super) const fn asks_by(self) -> &'static str {
        match self {
            Self::InJob => "--alloc",
            Self::Own => "the line",
        }
    }
}

/// The words of one kind: those of the line, those that it inherits, those of its job.
#[derive(Clone, Copy)]
pub(super) struct Words<'o> {
    line: &'o Options,
    env: &'o Options,
    job: &'o Options,
}

impl<'o> Words<'o> {
    pub(super) fn of(line: &'o Options, env: &'o Options, job: &'o Options) -> Self {
        Self { line, env, job }
    }
}

/// GPUs of each node: `--gres` counts before `--gpus-per-node`.
fn each_node(own: &Options) -> Option<&GpuCount> {
    let gres = own.gres.as_ref().and_then(|gres| gres.gpus.as_ref());
    gres.or(own.gpus_per_node.as_ref())
}

/// What a step asks for. The job's `--gres` counts only where nothing else is said: srun does not read it, the controller does.
fn of_step(words: Words<'_>, step: &Step, standing: Standing) -> StepGpus {
    let Words { line, env, job } = words;
    let inherited = env.gpus_per_node.as_ref();
    let inherited = inherited.filter(|_| line.gpus.is_none());
    let node = each_node(line).or(inherited);
    let said = line.gpus_per_task.as_ref().or(env.gpus_per_task.as_ref());
    let task = said.filter(|own| own.total() > 0);
    let total = line.gpus.as_ref().or(env.gpus.as_ref());
    let by_job = each_node(job).filter(|_| standing == Standing::InJob);
    // A zero counts only where nothing else says a number.
    let zero = node.is_some() || total.is_some();
    let some = |own: &&GpuCount| own.total() > 0;
    match (node.filter(some), task, total.filter(some)) {
        (Some(each), ..) => StepGpus::PerNode(each.clone()),
        (None, Some(each), _) => StepGpus::PerTask(each.clone()),
        (None, None, Some(all)) => StepGpus::Total(all.clone()),
        (None, None, None) => match (by_job.filter(|_| !zero), step.tasks_per_gpu) {
            (Some(each), _) if some(&each) => StepGpus::PerNode(each.clone()),
            (_, Some(each)) => StepGpus::ByTasks(each),
            (_, None) => StepGpus::None,
        },
    }
}

/// How many GPUs of each node a job asks for, at most; `None`: its words count none.
pub(super) fn asked_of_each(words: &Options) -> Option<u64> {
    each_node(words).map(GpuCount::total)
}

/// The GPUs of a job with so many nodes; one of each node if nothing is said.
pub(super) fn of_job(words: &Options, nodes: u64) -> u64 {
    let all = words.gpus.as_ref().map(GpuCount::total);
    let each = || asked_of_each(words).unwrap_or(1);
    all.unwrap_or_else(|| each().saturating_mul(nodes))
}

/// Whether a job has its nodes alone, with all that they have.
pub(super) fn has_all(words: &Options, site: &Site) -> bool {
    words.exclusive.is_said() || site.exclusive.is_said()
}

/// Whether words ask for GPUs.
fn asks(words: &Options) -> bool {
    words.gpus_per_task.is_some() || words.tasks_per_gpu.is_some() || words.gpus.is_some()
}

/// What words on GPUs say of a step: its GPUs, more tasks, cpus of a task.
pub(super) fn settle(
    step: &mut Step,
    job: &mut Job,
    words: Words<'_>,
    site: &Site,
    standing: Standing,
) -> Result<(), LineRefused> {
    step.gpus = in_job(job, step, words, site, standing)?;
    share(step, job, words)?;
    cpus_by_gpu(step, words)
}

/// The GPUs of a step in its job, which must have them.
fn in_job(
    job: &mut Job,
    step: &Step,
    words: Words<'_>,
    site: &Site,
    standing: Standing,
) -> Result<StepGpus, LineRefused> {
    let there: Vec<u64> = job.runs.iter().map(|run| job.gpus_on(run)).collect();
    let own = of_step(words, step, standing);
    let exclusive = has_all(words.job, site);
    let by = standing.asks_by();
    let wanted = asked_of_each(words.job).filter(|&count| count > 0);
    let spoken = wanted.is_some() || asks(words.job);
    if spoken && there.iter().all(|&own| own == 0) {
        return Err(refusals::not_modelled(format!(
            "{by} asks for GPUs, and no GPU is known: --devices says where they are"
        )));
    }
    if let Some(count) = wanted {
        let least = there.iter().copied().min().unwrap_or(0);
        if count > least {
            return Err(refusals::refuses(format!(
                "Unable to allocate resources: Requested node configuration is not available: {by} asks for {count} GPUs of each node, and one has {least}"
            )));
        }
        if !job.whole && !job.knows_gpus && there.iter().any(|&own| own != count) {
            return Err(refusals::not_modelled(format!(
                "{by} asks for {count} GPUs of each node, and --granted does not say which: give it the file that scontrol show job -d prints, with its GRES=gpu:…(IDX:…)"
            )));
        }
    }
    within(job, words)?;
    checked(job, words.job, site)?;
    let typed = each_node(words.job).is_some_and(|own| own.kinds().next().is_some());
    if let Some(count) = wanted.filter(|_| job.whole && !exclusive && !job.knows_gpus && !typed) {
        job.keep_gpus(count);
    }
    if job.knows_gpus {
        // The job has what the file says, and its words, if they are known, asked for that.
        let silent = words.job.gres.is_none() && words.line.gres.is_none();
        return Ok(match own == StepGpus::None && silent {
            true => StepGpus::All,
            false => own,
        });
    }
    let has = exclusive || standing == Standing::Own || spoken;
    if own != StepGpus::None && (!has || there.contains(&0)) {
        return Err(refusals::refuses(
            "Unable to create step: Invalid generic resource (gres) specification: the job has no GPUs",
        ));
    }
    Ok(own)
}

/// Whether words that srun reads count the GPUs of a node or of all nodes.
fn is_counted(own: &Options) -> bool {
    each_node(own).is_some_and(|own| own.total() > 0)
        || own.gpus.as_ref().is_some_and(|own| own.total() > 0)
}

/// `--cpus-per-gpu` says the cpus of a task where the GPUs of tasks alone are counted.
fn cpus_by_gpu(step: &mut Step, words: Words<'_>) -> Result<(), LineRefused> {
    let Words { line, env, .. } = words;
    let Some(each) = line.cpus_per_gpu.or(env.cpus_per_gpu) else {
        return Ok(());
    };
    if line.cpus_per_task.is_some() {
        return Err(refusals::refuses(
            "srun: fatal: --cpus-per-task, --tres-per-task=cpu:#, and --cpus-per-gpu are mutually exclusive",
        ));
    }
    let by_task = match &step.gpus {
        StepGpus::PerTask(gpus) => Some(each.saturating_mul(gpus.total())),
        StepGpus::ByTasks(tasks) if each.is_multiple_of(*tasks) => Some(each / tasks),
        StepGpus::None => return Ok(()),
        StepGpus::All | StepGpus::PerNode(_) | StepGpus::Total(_) | StepGpus::ByTasks(_) => None,
    };
    let Some(cpus) = by_task.filter(|_| !is_counted(line) && !is_counted(env)) else {
        return Err(refusals::not_modelled(
            "--cpus-per-gpu: what it does to a placement is known only beside --gpus-per-task, or --ntasks-per-gpu that divides it, without other words that count GPUs",
        ));
    };
    step.cpus = Some(cpus);
    step.exact |= !step.overcommit;
    Ok(())
}

/// Refuses a job that asks for more GPUs than its nodes have.
fn within(job: &Job, words: Words<'_>) -> Result<(), LineRefused> {
    let of_run = |run| job.gpus_on(run).saturating_mul(u64::from(run.nodes.count));
    let there = job.runs.iter().map(of_run).fold(0, u64::saturating_add);
    let (own, line) = (words.job, words.line);
    let by_task = own.gpus_per_task.as_ref().zip(own.tasks);
    let by_task = by_task.map(|(each, tasks)| each.total().saturating_mul(tasks));
    let in_all = own.gpus.as_ref().map(GpuCount::total);
    let of_nodes = asked_of_each(own).map(|each| each.saturating_mul(job.count()));
    let most = of_nodes.filter(|&all| all > 0).unwrap_or(there).min(there);
    // A job of more nodes than are given here has GPUs of which nothing is known.
    let given = own.nodes.is_none_or(|nodes| nodes.min <= job.count());
    for wanted in [by_task, in_all].into_iter().flatten() {
        if given && wanted > most {
            return Err(refusals::refuses(format!(
                "Unable to allocate resources: Requested node configuration is not available: {wanted} GPUs are asked for, and {most} can be had"
            )));
        }
    }
    match line.gpus.as_ref().map(GpuCount::total) {
        Some(wanted) if wanted > there => Err(refusals::refuses(format!(
            "Unable to create step: Invalid generic resource (gres) specification: {wanted} GPUs are asked for, and the job has {there}"
        ))),
        Some(_) | None => Ok(()),
    }
}

/// What a job is refused for.
fn checked(job: &Job, words: &Options, site: &Site) -> Result<(), LineRefused> {
    if let (Some(all), Some(nodes)) = (&words.gpus, words.nodes)
        && (1..nodes.min).contains(&all.total())
    {
        return Err(refusals::refuses(format!(
            "Failed to validate job spec, --gpus < -N: {} GPUs for {} nodes",
            all.total(),
            nodes.min
        )));
    }
    if let (Some(all), Some(each), Some(tasks)) = (&words.gpus, &words.gpus_per_task, words.tasks)
        && all.total() > 0
        && each.total().saturating_mul(tasks) != all.total()
    {
        return Err(refusals::refuses(format!(
            "Failed to validate job spec. Based on --gpus and --gpus-per-task number of requested tasks differ from -n/--ntasks: {tasks} tasks with {} each, and --gpus={}",
            each.total(),
            all.total()
        )));
    }
    if words.near_alone.is_said() && words.gpus.is_some() {
        return Err(refusals::not_modelled(
            "--gres-flags=enforce-binding beside --gpus: what it does to a placement is not known here",
        ));
    }
    let Some(cpus) = words.cpus_per_gpu.filter(|_| has_all(words, site)) else {
        return Ok(());
    };
    let short = |run: &&NodeRun| cpus.saturating_mul(job.gpus_on(run)) > run.raw;
    let short = job.runs.iter().find(short);
    match short {
        Some(run) => Err(refusals::refuses(format!(
            "Unable to allocate resources: Requested node configuration is not available: a job with --exclusive has all {} GPUs of a node, {cpus} cpus for each are asked for, and it has {}",
            job.gpus_on(run),
            run.raw
        ))),
        None => Ok(()),
    }
}

/// `--ntasks-per-gpu` raises the number of tasks.
fn share(step: &mut Step, job: &Job, words: Words<'_>) -> Result<(), LineRefused> {
    let Some(each) = step.tasks_per_gpu else {
        return Ok(());
    };
    if step.gpus_per_task.is_some() {
        return Err(refusals::refuses(
            "srun: fatal: --gpus-per-task is mutually exclusive with --ntasks-per-gpu",
        ));
    }
    let by_srun = is_counted(words.line) || is_counted(words.env);
    if words.env.cpus_per_task.is_some() && step.rules.has(Change::CpusAreTres) {
        return Err(refusals::refuses(
            "srun: fatal: SLURM_TRES_PER_TASK is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU: the job's -c sets it",
        ));
    }
    if step.fits {
        if by_srun {
            return Ok(());
        }
        return Err(refusals::refuses(
            "Unable to create step: ntasks_per_tres was specified, but there was either no task count or no GPU specification to go along with it",
        ));
    }
    if !by_srun && !step.tasks.is_multiple_of(each) {
        return Err(refusals::refuses(format!(
            "Invalid generic resource (gres) specification: {} tasks are no multiple of {each} for a GPU",
            step.tasks
        )));
    }
    let all = job.first_shape().gpus.len() as u64;
    let gpus = match &step.gpus {
        StepGpus::None | StepGpus::PerTask(_) | StepGpus::ByTasks(_) => 0,
        StepGpus::All => all.saturating_mul(step.min),
        StepGpus::PerNode(count) => count.total().saturating_mul(step.min),
        StepGpus::Total(count) => count.total(),
    };
    let before = step.tasks;
    step.tasks = before.max(each.saturating_mul(gpus));
    // srun raises -n by what it reads and then chooses a distribution; the controller raises it after srun has chosen.
    let chosen = [words.line, words.env]
        .iter()
        .any(|own| own.distribution.is_some());
    if step.tasks > before && !by_srun && !chosen && before <= step.min {
        step.distribution.first = First::Cyclic;
    }
    Ok(())
}

/// The lowest numbered GPUs of each type; `None`: there are too few.
pub(super) fn pick(all: &[Gpu], count: &GpuCount) -> Option<Vec<Gpu>> {
    let mut taken = vec![false; all.len()];
    for (kind, wanted) in &count.parts {
        let mut left = *wanted;
        for (gpu, taken) in all.iter().zip(&mut taken) {
            let fits = match (kind, &gpu.kind) {
                (Some(kind), Some(own)) => kind == own,
                (Some(_), None) | (None, _) => true,
            };
            if left > 0 && fits && !*taken {
                *taken = true;
                left -= 1;
            }
        }
        if left > 0 {
            return None;
        }
    }
    let picked = all.iter().zip(taken).filter(|(_, taken)| *taken);
    Some(picked.map(|(gpu, _)| gpu.clone()).collect())
}

/// The GPUs of a step dealt over its nodes: each has one, and the first ones as many as they have.
///
/// Cost: nodes that have the same are dealt together.
pub(super) fn dealt<'a>(
    step: &Step,
    job: &Job,
    nodes: Vec<Dealt<'a>>,
) -> Result<Vec<Dealt<'a>>, LineRefused> {
    let StepGpus::Total(count) = &step.gpus else {
        return Ok(nodes);
    };
    let mut rest: u64 = nodes.iter().map(|own| u64::from(own.nodes.count)).sum();
    if rest == 1 {
        return Ok(nodes);
    }
    if count.parts.len() > 1 {
        return Err(refusals::not_modelled(format!(
            "--gpus: how {} types of GPUs are dealt over {rest} nodes is not known here",
            count.parts.len()
        )));
    }
    let mut left = count.total();
    let mut all = Vec::new();
    for own in nodes {
        let there = &job.shapes[own.run.shape].gpus;
        let there = match count.kinds().next() {
            Some(kind) => there
                .iter()
                .filter(|gpu| gpu.kind.as_deref().is_none_or(|own| own == kind))
                .count(),
            None => there.len(),
        };
        let there = there as u64;
        let mut first = own.nodes.first;
        while first < own.nodes.end() {
            let spare = left.saturating_sub(rest);
            let each = there.min((spare + 1).min(left));
            // Nodes that have all of their GPUs, or one each, are dealt at once.
            let behind = u64::from(own.nodes.end() - first);
            let same = match each {
                0 => behind,
                _ if each == there && each > 1 => (spare / (each - 1)).clamp(1, behind),
                1 => left.min(behind),
                _ => 1,
            };
            let same = u32::try_from(same).unwrap_or(u32::MAX);
            all.push(Dealt {
                nodes: NodeRange::until(first, first + same),
                gpus: Some(each),
                ..own
            });
            first += same;
            rest -= u64::from(same);
            left -= each * u64::from(same);
        }
    }
    if left > 0 {
        return Err(refusals::refuses(format!(
            "Unable to create step: Invalid generic resource (gres) specification: {} GPUs are asked for, and {left} of them its nodes do not have",
            count.total()
        )));
    }
    Ok(all)
}
