//! What an expert would say of a line of srun. Source: `lines/slurm/spec.md` 2.5, 7, 9, 12, 17.

use super::gpus::Standing;
use super::laying::Layout;
use super::node::Scene;
use super::version::Version;
use crate::line::{LaidProcs, LineAsked, LineNote};
use roaring::RoaringBitmap;

/// Tasks of a node all have the same cpus.
pub(super) const SAME_CPUS: &str = "same-cpus";

/// Whether no two tasks of a node have a cpu in common.
pub(super) fn are_apart(patterns: &[Vec<LaidProcs>]) -> bool {
    patterns.iter().all(|pattern| {
        let mut used = RoaringBitmap::new();
        pattern.iter().all(|procs| {
            let Some(cpus) = procs.cpus.as_ref().filter(|_| procs.count == 1) else {
                return false;
            };
            let apart = used.is_disjoint(cpus);
            used |= cpus;
            apart
        })
    })
}

/// All notes of a placed line.
pub(super) fn notes(
    asked: &LineAsked<'_>,
    scene: &Scene<'_>,
    layout: &Layout<'_>,
    standing: Standing,
) -> Vec<LineNote> {
    let mut found = scene.job.notes.clone();
    let told = of_job(asked, scene)
        .into_iter()
        .chain(of_words(scene))
        .chain(of_gpus(scene, standing))
        .chain(everywhere(scene, layout).map(|text| (SAME_CPUS, text)));
    found.extend(told.map(|(class, text)| LineNote { class, text }));
    found
}

/// A note's class and its sentence.
type Told = (&'static str, String);

/// What is not known of the job.
fn of_job(asked: &LineAsked<'_>, scene: &Scene<'_>) -> Vec<Told> {
    let words = scene.words;
    let mut told = Vec::new();
    let alone =
        asked.granted.is_none() && !words.exclusive.is_said() && !scene.site.exclusive.is_said();
    if asked.alloc.is_some() && alone {
        told.push((
            "whole-nodes-assumed",
            "--alloc is without --exclusive: which cores of its nodes the job has is not known, and whole nodes are taken; --granted with what scontrol show job -d prints says it".to_owned(),
        ));
    }
    let reserved = scene.site.machine.and_then(|own| own.reserved);
    if let (Some((kept, whole)), Some(said)) = (reserved, words.core_spec)
        && said != kept
    {
        told.push((
            "cores-reserved",
            format!(
                "-S {said}: the named topology is without the {kept} cores that its site reserves; --topo '{whole}' has all of them"
            ),
        ));
    }
    told
}

/// Words whose effect is known in part.
fn of_words(scene: &Scene<'_>) -> Vec<Told> {
    let line = scene.line;
    let known = [
        (
            line.memory,
            "memory-unknown",
            "--mem: memory may leave fewer cpus usable, and how much the nodes have is not known",
        ),
        (
            line.shape,
            "shape-as-extra",
            "--sockets-per-node, --cores-per-socket: they are taken as -B; what they do without -n is not known",
        ),
        (
            line.export_none,
            "export-none",
            "--export=NONE is taken to concern the program's variables alone, not those that srun reads",
        ),
    ];
    let said = known.into_iter().filter(|row| row.0.is_said());
    said.map(|(_, class, text)| (class, text.to_owned()))
        .collect()
}

/// Words on GPUs that were not run.
fn of_gpus(scene: &Scene<'_>, standing: Standing) -> Vec<Told> {
    let (step, line, env) = (scene.step, scene.line, scene.env);
    let mut told = Vec::new();
    let speaks = step.gpus_per_task.is_some()
        || step.gpus_per_node.is_some()
        || step.tasks_per_gpu.is_some()
        || step.gpu_bind.is_some();
    if speaks && step.rules.version < Version::V24_11 {
        told.push((
            "gpus-of-old-version",
            format!(
                "the rules of GPUs were seen in Slurm 24.11 and 26.05; {} is placed by those of 24.11",
                step.rules.version.text()
            ),
        ));
    }
    let by_job = [
        (
            env.gpus_per_task.is_some() && line.gpus_per_task.is_none(),
            "--gpus-per-task",
        ),
        (
            env.tasks_per_gpu.is_some() && line.tasks_per_gpu.is_none(),
            "--ntasks-per-gpu",
        ),
        (
            env.gpu_bind.is_some() && line.gpu_bind.is_none(),
            "--gpu-bind",
        ),
    ];
    let inherited: Vec<&str> = by_job.iter().filter(|row| row.0).map(|row| row.1).collect();
    if standing == Standing::InJob && !inherited.is_empty() {
        told.push((
            "gpus-inherited",
            format!(
                "{} of the job is taken as a word of the line, as srun's manual has it; this was not run",
                inherited.join(", ")
            ),
        ));
    }
    told
}

/// Tasks that all have the whole step, as they match no count.
fn everywhere(scene: &Scene<'_>, layout: &Layout<'_>) -> Option<String> {
    let levels = &scene.step.levels;
    if levels.kind.is_some() || levels.level.is_some() {
        return None;
    }
    let many = layout.dealt.iter().find(|own| {
        own.tasks > 1 && scene.automatic(own.run, own.tasks).is_none() && scene.binds()
    })?;
    Some(format!(
        "the {} tasks of {} all have the same cpus: they match neither its sockets, its cores nor its threads",
        many.tasks,
        scene.node(many)
    ))
}
