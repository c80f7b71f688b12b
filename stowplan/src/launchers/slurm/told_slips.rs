//! Slips of Slurm's own that decide a placement: they are reproduced, and said. Source: `lines/slurm/spec.md` 4.1, 5, 6, 9, 17.

use super::distribution::First;
use super::gpu_count::StepGpus;
use super::laying::Layout;
use super::node::Scene;
use super::rules::Change;
use super::site::Selects;
use crate::launchers::line::Derived;

/// The slips that had a part in this placement.
pub(super) fn slips(scene: &Scene<'_>, layout: &Layout<'_>) -> Vec<Derived> {
    let found = [
        counted_twice(scene, layout),
        wrong_nodes(scene),
        limit_in_cpus(scene),
        lone_rank(scene, layout),
        forgotten(scene),
        third(scene),
    ];
    let version = scene.step.rules.version.text();
    let told = found.into_iter().flatten();
    told.map(|what| Derived {
        what: format!("Slurm {version} {what}"),
        origin: "a slip of Slurm's own".to_owned(),
    })
    .collect()
}

/// A whole step with some GPUs has fewer cores than its job.
fn counted_twice(scene: &Scene<'_>, layout: &Layout<'_>) -> Option<String> {
    layout.dealt.iter().filter(|own| own.tasks > 0).find_map(|own| {
        let (has, all) = scene.counted_twice_on(own)?;
        let node = scene.node(own);
        Some(format!(
            "counts these cores twice: those near the step's GPUs are taken first and counted again in the next pass, so the step has {has} of the {all} cores that the job has on {node}"
        ))
    })
}

/// Threads per core of the job on unequal nodes.
fn wrong_nodes(scene: &Scene<'_>) -> Option<String> {
    let job = scene.job;
    let threads = job
        .threads
        .filter(|_| job.whole && scene.site.selects == Selects::Cores)?;
    let counted = |run: &super::job::NodeRun| job.shapes[run.shape].counted as u64;
    let mut all: Vec<u64> = job.runs.iter().map(counted).collect();
    all.dedup();
    (all.len() > 1 && all.iter().any(|&own| own != threads)).then(|| {
        "counts cpus at the wrong nodes: with --threads-per-core each node that has other threads multiplies the next entry of the list, not its own".to_owned()
    })
}

/// `--ntasks-per-node` is compared in cpus.
fn limit_in_cpus(scene: &Scene<'_>) -> Option<String> {
    let step = scene.step;
    let limit = step.tasks_per_node?;
    let matters = !matches!(step.distribution.first, First::Plane(_))
        && scene.chosen.cpus > 1
        && scene.chosen.nodes.len() > 1;
    let equal = scene
        .job
        .runs
        .windows(2)
        .all(|two| two[0].raw == two[1].raw);
    (matters && (step.pack || !equal)).then(|| {
        format!(
            "compares --ntasks-per-node={limit} with cpus and not with tasks: a node may take up to {} tasks",
            limit.saturating_mul(scene.chosen.cpus)
        )
    })
}

/// The only rank of a node.
fn lone_rank(scene: &Scene<'_>, layout: &Layout<'_>) -> Option<String> {
    let binds = scene.step.gpu_bind.is_some()
        || scene.step.tasks_per_gpu.is_some()
        || scene.step.gpus_per_task.is_some();
    let lone = layout.dealt.iter().any(|own| own.tasks == 1);
    let slips = !scene.step.rules.has(Change::LoneRankBound) && scene.step.gpus != StepGpus::None;
    (binds && lone && slips).then(|| {
        "shows the only rank of a node all GPUs of the step, whatever --gpu-bind says".to_owned()
    })
}

/// The job's `-c`.
fn forgotten(scene: &Scene<'_>) -> Option<String> {
    let cpus = scene.words.cpus_per_task?;
    let forgets = !scene.step.rules.has(Change::InheritsCpus) && scene.step.cpus.is_none();
    forgets.then(|| {
        format!("forgets the job's -c {cpus}: srun reads SRUN_CPUS_PER_TASK, which nobody sets")
    })
}

/// The third part of `-m`.
fn third(scene: &Scene<'_>) -> Option<String> {
    scene
        .step
        .distribution
        .third
        .then(|| "reads the third part of -m and does nothing with it".to_owned())
}
