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
    let mut notes = scene.job.notes.clone();
    let mut add = |class: &'static str, text: String| notes.push(LineNote { class, text });
    let (line, words) = (scene.line, scene.words);
    let alone =
        asked.granted.is_none() && !words.exclusive.is_said() && !scene.site.exclusive.is_said();
    if asked.alloc.is_some() && alone {
        add(
            "whole-nodes-assumed",
            "--alloc is without --exclusive: which cores of its nodes the job has is not known, and whole nodes are taken; --granted with what scontrol show job -d prints says it".to_owned(),
        );
    }
    if let (Some((kept, whole)), Some(said)) = (
        scene.site.machine.and_then(|own| own.reserved),
        words.core_spec,
    ) && said != kept
    {
        add(
            "cores-reserved",
            format!(
                "-S {said}: the named topology is without the {kept} cores that its site reserves; --topo '{whole}' has all of them"
            ),
        );
    }
    if line.memory.is_said() {
        add(
            "memory-unknown",
            "--mem: memory may leave fewer cpus usable, and how much the nodes have is not known"
                .to_owned(),
        );
    }
    if line.shape.is_said() {
        add(
            "shape-as-extra",
            "--sockets-per-node, --cores-per-socket: they are taken as -B; what they do without -n is not known".to_owned(),
        );
    }
    if line.export_none.is_said() {
        add(
            "export-none",
            "--export=NONE is taken to concern the program's variables alone, not those that srun reads".to_owned(),
        );
    }
    let gpus = scene.step.gpus_per_task.is_some()
        || scene.step.gpus_per_node.is_some()
        || scene.step.tasks_per_gpu.is_some()
        || scene.step.gpu_bind.is_some();
    if gpus && scene.step.rules.version < Version::V24_11 {
        add(
            "gpus-of-old-version",
            format!(
                "the rules of GPUs were seen in Slurm 24.11 and 26.05; {} is placed by those of 24.11",
                scene.step.rules.version.text()
            ),
        );
    }
    let by_job = [
        (
            scene.env.gpus_per_task.is_some() && line.gpus_per_task.is_none(),
            "--gpus-per-task",
        ),
        (
            scene.env.tasks_per_gpu.is_some() && line.tasks_per_gpu.is_none(),
            "--ntasks-per-gpu",
        ),
        (
            scene.env.gpu_bind.is_some() && line.gpu_bind.is_none(),
            "--gpu-bind",
        ),
    ];
    let inherited: Vec<&str> = by_job.iter().filter(|row| row.0).map(|row| row.1).collect();
    if standing == Standing::InJob && !inherited.is_empty() {
        add(
            "gpus-inherited",
            format!(
                "{} of the job is taken as a word of the line, as srun's manual has it; this was not run",
                inherited.join(", ")
            ),
        );
    }
    if let Some(text) = everywhere(scene, layout) {
        add(SAME_CPUS, text);
    }
    notes
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
