//! What is assumed of GPUs, and how to say what is true. Source: `lines/slurm/spec.md` 9, 12; Slurm 24.11.5.

use super::gpu_count::{GpuCount, StepGpus};
use super::gpus::{Standing, asked_of_each, has_all};
use super::node::Scene;
use super::options::Options;
use super::version::Version;

/// A note's class and its sentence.
type Told = (&'static str, String);

/// The version that was asked.
const SEEN: Version = Version::V24_11;

/// All of them.
pub(super) fn of_gpus(scene: &Scene<'_>) -> Vec<Told> {
    let found = [
        assumed(scene),
        too_many_nodes(scene),
        types(scene),
        not_asked(scene),
        of_version(scene),
        others(scene),
    ];
    found.into_iter().flatten().collect()
}

/// Words that ask for GPUs, of the line or of the job.
fn counts<'a>(scene: &Scene<'a>) -> Vec<&'a GpuCount> {
    let of = |own: &'a Options| {
        let gres = own.gres.as_ref().and_then(|gres| gres.gpus.as_ref());
        let others = [&own.gpus, &own.gpus_per_node, &own.gpus_per_task];
        gres.into_iter()
            .chain(others.into_iter().flatten())
            .collect::<Vec<_>>()
    };
    [scene.line, scene.env, scene.words]
        .into_iter()
        .flat_map(of)
        .collect()
}

/// A job that shares its nodes has other GPUs than one that has its nodes alone.
fn assumed(scene: &Scene<'_>) -> Option<Told> {
    let (job, words) = (scene.job, scene.words);
    let alone = has_all(words, scene.site);
    let most = job.gpus_before.unwrap_or_else(|| job.most_gpus());
    let part = match &scene.step.gpus {
        StepGpus::None | StepGpus::All => false,
        StepGpus::PerNode(count) => count.total() < most,
        StepGpus::PerTask(_) | StepGpus::ByTasks(_) => asked_of_each(words) != Some(most),
        StepGpus::Total(count) => count.total() < most.saturating_mul(job.count()),
    };
    if alone || job.knows_gpus || !(part || job.gpus_before.is_some()) {
        return None;
    }
    let by = scene.standing.asks_by();
    let gpus = match most {
        1 => "GPUs".to_owned(),
        most => format!("the {most} GPUs"),
    };
    Some((
        "gpus-assumed",
        format!(
            "{by} is without --exclusive: which of {gpus} of a node the job has is not known, and the lowest numbered are taken, as in a job with whole nodes; --granted FILE with what scontrol show job -d prints (GRES=gpu:…(IDX:…)) says it"
        ),
    ))
}

/// A job of fewer GPUs than nodes.
fn too_many_nodes(scene: &Scene<'_>) -> Option<Told> {
    let (gpus, nodes) = (scene.words.gpus.as_ref()?.total(), scene.job.count());
    (1..nodes).contains(&gpus).then(|| {
        (
            "fewer-gpus-than-nodes",
            format!(
                "--gpus={gpus}: Slurm gives a job at most as many nodes, and {nodes} are taken as given; -H with those that it has places it as it would be"
            ),
        )
    })
}

/// Types that nothing says of the GPUs.
fn types(scene: &Scene<'_>) -> Option<Told> {
    let mut kinds: Vec<&str> = counts(scene).iter().flat_map(|own| own.kinds()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let gpus = scene.job.shapes.iter().flat_map(|shape| &shape.gpus);
    let bare = gpus.into_iter().any(|gpu| gpu.kind.is_none());
    (bare && !kinds.is_empty()).then(|| {
        (
            "gpu-types-unknown",
            format!(
                "--devices has no types: every GPU is taken as of type {}; lines Name=gpu Type=… of gres.conf in --site FILE say them",
                kinds.join(" and ")
            ),
        )
    })
}

/// GPUs that no word asks for.
fn not_asked(scene: &Scene<'_>) -> Option<Told> {
    let there = scene.job.shapes.iter().any(|shape| !shape.gpus.is_empty());
    let none = scene.step.gpus == StepGpus::None && counts(scene).is_empty();
    let zero = scene.line.gres.is_some() || scene.words.gres.is_some();
    (there && none && !zero).then(|| {
        let by = match scene.standing {
            Standing::InJob => "neither --alloc nor the line asks",
            Standing::Own => "the line does not ask",
        };
        (
            "gpus-not-asked",
            format!(
                "{by} for GPUs, so the step has none, even in a job with --exclusive; --gpus-per-node=N asks for N of each node"
            ),
        )
    })
}

/// Rules that were seen in another version.
fn of_version(scene: &Scene<'_>) -> Option<Told> {
    let (step, rules) = (scene.step, scene.step.rules);
    let speaks = step.gpus_per_task.is_some()
        || step.tasks_per_gpu.is_some()
        || step.gpu_bind.is_some()
        || !counts(scene).is_empty();
    let version = rules.version;
    if speaks && version < SEEN {
        return Some((
            "gpus-of-old-version",
            format!(
                "the rules of GPUs were seen in Slurm 24.11 and 26.05; {} is placed by those of 24.11",
                version.text()
            ),
        ));
    }
    let line = scene.line;
    let new = line.gpus.is_some()
        || line.gres.is_some()
        || line.cpus_per_gpu.is_some()
        || scene.env.gpus.is_some()
        || scene.env.gpus_per_node.is_some()
        || scene.env.cpus_per_gpu.is_some();
    (new && version > SEEN).then(|| {
        (
            "gpus-of-new-version",
            format!(
                "what --gpus, --gres of a step, --cpus-per-gpu and inherited --gpus-per-node do was seen in Slurm 24.11; {} is placed by that",
                version.text()
            ),
        )
    })
}

/// Resources that are no GPUs.
fn others(scene: &Scene<'_>) -> Option<Told> {
    let gres = [&scene.line.gres, &scene.words.gres];
    let mut names: Vec<&str> = gres
        .into_iter()
        .flatten()
        .flat_map(|gres| &gres.others)
        .map(String::as_str)
        .collect();
    names.dedup();
    (!names.is_empty()).then(|| {
        (
            "gres-without-cores",
            format!(
                "--gres: {} is taken to be near no cores, so that it places nothing",
                names.join(", ")
            ),
        )
    })
}
