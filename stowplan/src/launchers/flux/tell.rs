//! What the page says of a line of Flux: what was derived, and what an expert would note.

use super::affinity::Affinity;
use super::asks::{Tasks, Whole};
use super::place::Job;
use super::site::Policy;
use super::words::{Count, Means};
use crate::launchers::line::{Derived, Laid, LineNote};
use stowplan_engine::count::counted;

/// Says what was derived, in the order in which it was decided.
pub(super) fn derived(laid: &mut Laid, job: &Job<'_>, policy: Policy, said: Option<Policy>) {
    let ask = job.ask;
    let mut tell = |what: String, origin: &str| {
        let origin = origin.to_owned();
        laid.derived.push(Derived { what, origin });
    };
    let origin = match said {
        Some(_) => "--site",
        None => "assumed",
    };
    tell(format!("scheduler {}", policy.scheduler()), origin);
    let slot = ask.slot();
    let slots = counted(ask.slots, "slot");
    match ask.nodes {
        Some(nodes) => tell(
            format!("{} × {slots} of {slot}", counted(u64::from(nodes), "node")),
            "-N",
        ),
        None => tell(format!("{slots} of {slot}"), "-n"),
    }
    let is_said = job.line.last(Means::Exclusive).is_some();
    match (ask.whole, policy) {
        (Whole::Yes, _) if is_said => tell("whole nodes".to_owned(), "-x"),
        (Whole::Yes, _) => tell("whole nodes".to_owned(), "-N alone"),
        (Whole::No, Policy::Lonodex) => tell("whole nodes".to_owned(), "policy=lonodex"),
        (Whole::No, Policy::Simple | Policy::First) => {
            tell("only the cores of the slots".to_owned(), "no -x");
        }
    }
    match ask.tasks {
        Tasks::InAll(tasks) => tell(counted(tasks, "task").to_string(), "-n"),
        Tasks::PerNode(each) => tell(
            format!("{} a node", counted(each, "task")),
            "--tasks-per-node",
        ),
        Tasks::PerCore(each) => tell(
            format!("{} a core", counted(each, "task")),
            "--tasks-per-core",
        ),
    }
    let cpus = Affinity::of_cpus(job.line);
    let is_set = super::words::setting(job.line, "cpu-affinity").is_some();
    let origin = match is_set {
        true => "-o cpu-affinity",
        false => "default",
    };
    tell(format!("cpu-affinity {}", cpus.word()), origin);
    laid.notes.extend(shared(job, laid, &cpus));
    if cpus == Affinity::DryRun {
        laid.notes.push(LineNote {
            class: "unbound",
            text: "cpu-affinity=dry-run prints what it would do: no task is bound".to_owned(),
        });
    }
}

/// `-c` alone separates nothing.
fn shared(job: &Job<'_>, laid: &Laid, cpus: &Affinity) -> Option<LineNote> {
    let is_said = |count| job.line.last(Means::Count(count)).is_some();
    let several = laid.patterns.iter().flatten().any(|procs| procs.count > 1);
    let shares = *cpus == Affinity::Shared && several && is_said(Count::CoresPerTask);
    shares.then(|| LineNote {
        class: "same-cpus",
        text: "the tasks of a node may use all cores of the job there: -c alone separates nothing; -o cpu-affinity=per-task does".to_owned(),
    })
}

/// Notes that the scheduler was assumed, where another would place otherwise.
pub(super) fn assumed(laid: &mut Laid, job: &Job<'_>) {
    let others = [
        (
            Policy::Lonodex,
            "policy=lonodex where whole nodes are given out",
        ),
        (Policy::First, "policy=first for Fluxion's own default"),
    ];
    let mut differ = Vec::new();
    for (policy, words) in others {
        let what = match job.lay(policy) {
            Ok(other) => difference(laid, &other),
            Err(refused) if refused.class == "not-modelled" => None,
            Err(_) => Some("refused"),
        };
        if let Some(what) = what {
            differ.push(format!("--site {words} ({what})"));
        }
    }
    if !differ.is_empty() {
        laid.notes.push(LineNote {
            class: "scheduler-assumed",
            text: format!("scheduler: simple, assumed; {}", differ.join("; ")),
        });
    }
}

/// In what two schedulers differ; `None`: in nothing.
fn difference(one: &Laid, other: &Laid) -> Option<&'static str> {
    let nodes = |laid: &Laid| -> Vec<(u32, u32)> {
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for run in laid.apps.iter().flat_map(|app| &app.runs) {
            match joined.last_mut() {
                Some(last) if last.1 == run.nodes.first => last.1 = run.nodes.end(),
                Some(_) | None => joined.push((run.nodes.first, run.nodes.end())),
            }
        }
        joined
    };
    let got = |laid: &Laid| -> Vec<_> {
        let runs = laid.apps.iter().flat_map(|app| &app.runs);
        runs.map(|run| (run.nodes, laid.patterns[run.pattern].clone()))
            .collect()
    };
    if nodes(one) != nodes(other) {
        Some("other nodes")
    } else if got(one) != got(other) {
        Some("other cores")
    } else {
        None
    }
}
