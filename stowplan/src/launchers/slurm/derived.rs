//! What the words come to, each with the word, the variable or the rule that decided it: for the page and for `explain`.

use super::cpu_bind::Kind;
use super::laying::Layout;
use super::node::Scene;
use super::options::Options;
use super::site::Affinity;
use crate::launchers::line::Derived;
use stowplan_engine::count::counted;

/// Who said something: the line, what it inherits, or nobody.
fn origin(
    scene: &Scene<'_>,
    said: impl Fn(&Options) -> bool,
    (word, variable): (&str, &str),
    other: &str,
) -> String {
    if said(scene.line) {
        word.to_owned()
    } else if said(scene.env) {
        variable.to_owned()
    } else {
        other.to_owned()
    }
}

/// All of it, in the order in which srun and the controller decide.
pub(super) fn derived(scene: &Scene<'_>, layout: &Layout<'_>) -> Vec<Derived> {
    let step = scene.step;
    let mut all = Vec::new();
    if let Some(site) = scene.site.machine {
        all.push(Derived {
            what: format!("site {}: {}", site.name, site.settings()),
            origin: site.source.to_owned(),
        });
    }
    let mut add = |what: String, origin: String| all.push(Derived { what, origin });
    add(counted(step.tasks, "task").to_string(), tasks(scene));
    let each = scene.line.tasks_per_node.or(scene.env.tasks_per_node);
    let limit = match (step.tasks_per_node, each) {
        (Some(_), _) => "--ntasks-per-node".to_owned(),
        (None, Some(each)) => format!("--ntasks-per-node={each} is dropped"),
        (None, None) => "the room of each node".to_owned(),
    };
    add(format!("tasks per node {}", layout.counts()), limit);
    add(
        format!("distribution {}", step.distribution.text()),
        origin(
            scene,
            |own| own.distribution.is_some(),
            ("-m", "SLURM_DISTRIBUTION"),
            "default",
        ),
    );
    if let Some(cpus) = step.cpus {
        add(
            counted(cpus, "cpu").to_string() + " per task",
            origin(
                scene,
                |own| own.cpus_per_task.is_some(),
                ("-c", "SLURM_CPUS_PER_TASK"),
                "default",
            ),
        );
    }
    if let Some(threads) = step.levels.threads {
        let other = if step.levels.one {
            "--hint"
        } else {
            "-B or --hint"
        };
        add(
            counted(threads, "thread").to_string() + " per core",
            origin(
                scene,
                |own| own.threads_per_core.is_some(),
                ("--threads-per-core", "SLURM_THREADS_PER_CORE"),
                other,
            ),
        );
    }
    let (what, by) = binding(scene, layout);
    add(what, by);
    all
}

fn tasks(scene: &Scene<'_>) -> String {
    let step = scene.step;
    if step.fits {
        return "as many as fit with -c".to_owned();
    }
    let other = match (step.cpus, step.tasks_per_node) {
        (_, Some(_)) => "--ntasks-per-node on each node",
        (_, None) => "a task for each node",
    };
    let is = |own: &Options| own.tasks == Some(step.tasks);
    if step.tasks_per_gpu.is_some() && !is(scene.line) && !is(scene.env) {
        return "--ntasks-per-gpu".to_owned();
    }
    origin(scene, is, ("-n", "SLURM_NTASKS"), other)
}

/// To what tasks are bound, and why.
fn binding(scene: &Scene<'_>, layout: &Layout<'_>) -> (String, String) {
    let levels = &scene.step.levels;
    let bind = |other: &str| {
        origin(
            scene,
            |own| own.cpu_bind.is_some(),
            ("--cpu-bind", "SLURM_CPU_BIND"),
            other,
        )
    };
    if scene.site.affinity == Affinity::Absent {
        let by = "--site: TaskPlugin is without task/affinity";
        return ("binding to nothing".to_owned(), by.to_owned());
    }
    match (&levels.kind, levels.level) {
        (Some(Kind::None), _) => ("binding to nothing".to_owned(), bind("default")),
        (Some(Kind::Masks(masks)), _) => {
            let list = counted(masks.len() as u64, "cpu set");
            (format!("binding to a list of {list}"), bind("default"))
        }
        (Some(Kind::Rank), _) => ("binding to the rank's cpu".to_owned(), bind("default")),
        (None, Some(level)) => {
            let other = "the words on cores, threads and hints";
            (format!("binding to {}", level.word()), bind(other))
        }
        (None, None) => automatic(scene, layout),
    }
}

/// The automatic level of the first node.
fn automatic(scene: &Scene<'_>, layout: &Layout<'_>) -> (String, String) {
    let Some(first) = layout.dealt.iter().find(|own| own.tasks > 0) else {
        return ("binding to nothing".to_owned(), "no task".to_owned());
    };
    let each = scene.step.cpus.unwrap_or(1);
    let wanted = counted(first.tasks.saturating_mul(each), "cpu");
    match scene.automatic(first) {
        Some(level) => (
            format!("binding to {}", level.word()),
            format!(
                "automatic: its tasks want {wanted}, as many as the step has {}",
                level.word()
            ),
        ),
        None => (
            "binding to no level: each task has all cpus of the step".to_owned(),
            format!("automatic: {wanted} are neither its sockets, its cores nor its threads"),
        ),
    }
}
