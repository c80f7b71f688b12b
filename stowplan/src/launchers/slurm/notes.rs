//! What an expert would say of a line of srun. Source: `lines/slurm/spec.md` 2.5, 7, 9, 12, 17.

use super::laying::Layout;
use super::node::Scene;
use super::notes_gpus::of_gpus;
use crate::launchers::line::{LaidProcs, LineAsked, LineNote};
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
) -> Vec<LineNote> {
    let mut found = scene.job.notes.clone();
    let told = of_job(asked, scene)
        .into_iter()
        .chain(of_words(scene))
        .chain(of_gpus(scene))
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
            line.constraint,
            "constraint-of-nodes",
            "--constraint says which nodes a job may have; the nodes given here are taken as those that it has",
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

/// Tasks that all have the whole step, as they match no count.
fn everywhere(scene: &Scene<'_>, layout: &Layout<'_>) -> Option<String> {
    let levels = &scene.step.levels;
    if levels.kind.is_some() || levels.level.is_some() {
        return None;
    }
    let many = layout
        .dealt
        .iter()
        .find(|own| own.tasks > 1 && scene.automatic(own).is_none() && scene.binds())?;
    Some(format!(
        "the {} tasks of {} all have the same cpus: they match neither its sockets, its cores nor its threads",
        many.tasks,
        scene.node(many)
    ))
}
