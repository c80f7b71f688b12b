//! `stowplan check`: judges a saved plan again. Given a job, it also checks that the plan is the one for this job.

// Comparison with the running job.
mod live;
// Threads of the running job.
mod threads;

use crate::command::carry::{self, ONTO};
use crate::command::given::Given;
use crate::command::saved::Saved;
use crate::command::subcommand::{Behind, Many, Once, One, Subcommand, own, subcommand};
use crate::command::{here, map};
use crate::report::{Refused, print_notes, told};
use crate::{Console, output};
use live::Live;
use stowplan::answers::verify::{Unsound, verify};
use stowplan::job::error::one_line;
use stowplan_engine::count::counted;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::MapBy;
use stowplan_judge::{Fault, check_job};

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[
        own(&["live"], One, "FILE", Once, "lines of probe, in any order, - for standard input: exit 1 where they differ"),
        own(&["format"], One, "F", Many, "with --live: text or json [default: text]"),
        own(&["omp"], One, "R", Many, "with --live: whose rules put threads on cpus, as for threads"),
        ONTO,
    ],
    behind: Behind::Jobs,
    status: &[
        ("0", "the plan is sound; with a job, it answers that job; with --live, the job runs as planned"),
        ("1", "it is not, and what is wrong is said"),
        ("2", "refused: nothing on standard output, error[CLASS] on standard error"),
    ],
    examples: &[
        ("stowplan check job.plan", "every promise of the plan, from its bytes alone"),
        ("stowplan check job.plan -- --topo 'core:8 pu:1' -H a:8,b:8 -n 16 ./app", "and that it is the plan of this job"),
    ],
    ..subcommand("check", "PLAN [-- options and apps as for map] | PLAN --live FILE [--format text|json]", "Judges a saved plan again; with a job, also that it answers that job; with lines of probe, whether it runs as planned", run)
};

fn run(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    match judge(args, console) {
        Ok(Sound::Compared(status)) => Ok(status),
        Ok(Sound::Said(sentence)) => {
            let sentence = one_line(&sentence);
            output::give(None, console.out, |out| writeln!(out, "{sentence}")).map(|()| 0)
        }
        Err(Verdict::Refused(refused)) => Err(*refused),
        Err(Verdict::Faults(faults)) => {
            let mut status = 2;
            for fault in faults {
                status = told(fault.class(), fault.to_string()).print(console.err);
            }
            Ok(status)
        }
    }
}

/// A plan that breaks no promise.
enum Sound {
    /// The sentence to print about it.
    Said(String),
    /// It was compared with the running job; this is the exit status.
    Compared(u8),
}

/// Why a plan is not sound.
enum Verdict {
    /// It cannot be judged.
    Refused(Box<Refused>),
    /// It breaks promises.
    Faults(Vec<Fault>),
}

impl From<Refused> for Verdict {
    fn from(refused: Refused) -> Self {
        Self::Refused(Box::new(refused))
    }
}

fn judge(args: &[String], console: &mut Console<'_>) -> Result<Sound, Verdict> {
    let given = Given::read(&COMMAND, args)?;
    if let [first, second, ..] = given.words[..] {
        let sentence = format!(
            "check judges one plan, and {second} is a second one: stowplan diff {first} {second} compares two; a job comes after --"
        );
        return Err(told("bad-option", sentence).into());
    }
    let path = given.only("PLAN")?;
    let live = Live::of(&given)?;
    // The words are read before any file, so that a wrong option is reported first.
    let asked = match given.behind {
        None => None,
        Some(words) => Some(here::words(words, console)?),
    };
    let saved = Saved::read(path, console.files)?;
    let saved = carry::carry_if(saved, given.hosts.as_deref(), console)?;
    if given.hosts.is_some() {
        carry::print_carried(&saved.notes, console);
    }
    let plan = saved.plan;
    verify(&plan).map_err(|unsound| match unsound {
        Unsound::Faults(faults) => Verdict::Faults(faults),
        other @ (Unsound::Refused(_) | Unsound::Incoherent | Unsound::Untold) => {
            told(other.class(), format!("{path}: {other}")).into()
        }
    })?;
    if let Some(live) = live {
        return Ok(Sound::Compared(live::answer(&plan, &live, console)?));
    }
    let Some(asked) = asked else {
        let sentence = format!("{path}: {}, no fault{}", size(&plan), unjudged(&plan));
        return Ok(Sound::Said(sentence));
    };
    print_notes(&asked.notes, console.err);
    let answer = map::place_from(asked, console.files)?;
    check_job(&plan, &answer.mapped.plan).map_err(Verdict::Faults)?;
    let answers = answers(&plan, &answer.mapped.plan);
    Ok(Sound::Said(format!(
        "{path}: {}, no fault, and {answers}",
        size(&plan)
    )))
}

/// The rules that a plan alone does not show: those by which another launcher placed it.
fn unjudged(plan: &Plan) -> &'static str {
    let mut policies = plan.resolved_apps().policies.iter();
    match policies.any(|(_, policy)| policy.map == MapBy::Given) {
        true => {
            "; not judged: which nodes, cpus and GPUs its launcher's rules give (check PLAN -- LINE places the line again)"
        }
        false => "",
    }
}

/// How a plan answers a job that has the same places.
fn answers(plan: &Plan, answer: &Plan) -> String {
    let other = otherwise(plan, answer);
    if other.is_empty() {
        return "it answers this job".to_owned();
    }
    format!(
        "it places alike as this job does, which has other {}",
        other.join(", other ")
    )
}

/// In what a plan and a job differ that have the same places.
fn otherwise(plan: &Plan, answer: &Plan) -> Vec<&'static str> {
    let mut other = Vec::new();
    let nodes = |plan: &Plan| -> Vec<_> {
        let world = plan.world();
        let runs = world.before.iter().map(|(nodes, state)| {
            let state = world.states.get(state);
            (nodes, state.slots, world.topologies.draft(state.topology))
        });
        runs.collect()
    };
    let (mine, theirs) = (nodes(plan), nodes(answer));
    let (mut slots, mut hardware) = (false, false);
    for (nodes, own_slots, own) in &mine {
        for (others, other_slots, other) in &theirs {
            if nodes.overlap(*others).is_some() {
                slots |= own_slots != other_slots;
                hardware |= own != other;
            }
        }
    }
    if hardware {
        other.push("hardware");
    }
    if slots {
        other.push("slots");
    }
    let programs = |plan: &Plan| {
        let table = plan.resolved_apps();
        let of = |app| (table.label[app].clone(), table.arguments(app).to_vec());
        table.ids().map(of).collect::<Vec<_>>()
    };
    if programs(plan) != programs(answer) {
        other.push("programs");
    }
    if plan.thread_words() != answer.thread_words() {
        other.push("words for threads");
    }
    other
}

/// The number of ranks and nodes, in words.
fn size(plan: &Plan) -> String {
    let nodes = plan.world().names.len();
    format!(
        "{} on {}",
        counted(plan.ranks(), "rank"),
        counted(nodes, "node")
    )
}
