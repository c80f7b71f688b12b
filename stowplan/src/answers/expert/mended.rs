//! What would mend what a note says: one word of the job with another value. It is planned before it is printed.

use crate::answers::explain::change::{joined, put};
use crate::job::error::JobError;
use crate::job::options::Meaning;
use crate::job::our_words::in_our_words;
use crate::job::words::{AppWords, CommandLine, split_map};
use crate::launchers::script::shell;
use std::collections::BTreeSet;
use stowplan_engine::error::Note;
use stowplan_engine::error::fold::FOLD_BEYOND;
use stowplan_engine::plan::Plan;

/// Hardware threads, runs of nodes and runs of places of a job that is planned again, at most.
const TRIED_MAX: usize = 1 << 13;

/// Plans a job from its words; also gives its notes.
pub type Planning<'f> = dyn Fn(&[String]) -> Result<(Plan, Vec<Note>), JobError> + 'f;

/// Adds to each note the first change of a word that mends it and brings no other note, if there is one.
///
/// Cost: a few plans for each note. `planning` may refuse jobs when it reaches a limit; nothing is tried for jobs that take long
/// to plan.
pub fn mend(notes: &mut [Note], words: &[String], plan: &Plan, planning: &Planning<'_>) {
    // So many notes are told by class, for many apps at once.
    if notes.len() > FOLD_BEYOND || takes_long(plan) {
        return;
    }
    let ranks = plan.ranks();
    let Some(words) = in_our_words(words) else {
        return;
    };
    let line = CommandLine::read(&words);
    let had: BTreeSet<&'static str> = notes.iter().map(Note::class).collect();
    for note in notes {
        let mends = |words: &[String]| {
            planning(words).is_ok_and(|(plan, now)| {
                // A word that only asks for what is wrong mends nothing.
                let still = super::of(&plan, super::Asked::Counts);
                let gone = still.iter().all(|other| other.class() != note.class());
                gone && plan.ranks() == ranks
                    && now
                        .iter()
                        .all(|other| other.class() != note.class() && had.contains(other.class()))
            })
        };
        if let Some(option) = option(&line, note, &mends) {
            *note = Note::Advice {
                class: note.class(),
                facts: note.facts(),
                text: format!("{note}; {option} mends it"),
            };
        }
    }
}

/// Whether planning the job again would take more than some milliseconds: by what it has, as the same job has the same notes on
/// every machine.
fn takes_long(plan: &Plan) -> bool {
    let world = plan.world();
    let objects = world
        .topologies
        .ids()
        .map(|id| world.topologies.pus_os(id).len());
    let runs = plan.apps().iter().map(|app| app.runs().len());
    let patterns = plan
        .patterns()
        .iter()
        .flat_map(|(_, pattern)| pattern.segments());
    let places = patterns.map(|segment| segment.runs.len());
    objects.chain(runs).chain(places).sum::<usize>() > TRIED_MAX
}

/// The words to try, by the class of a note.
fn tries(class: &str) -> &'static [(Meaning, &'static str)] {
    const MAP: Meaning = Meaning::MapBy;
    const BIND: Meaning = Meaning::BindTo;
    match class {
        "crosses" => &[
            (MAP, "numa"),
            (MAP, "l3cache"),
            (MAP, "package"),
            (BIND, "core"),
        ],
        "cores-shared" => &[(MAP, "core"), (BIND, "core")],
        "cores-idle" => &[(BIND, "numa"), (BIND, "package"), (BIND, "none")],
        "gpus-idle" | "gpu-shared" | "gpu-far" | "no-near-gpu" => {
            &[(MAP, "gpu"), (MAP, "numa"), (MAP, "package")]
        }
        "nodes-idle" => &[(MAP, "node")],
        "one-domain" => &[(MAP, "package"), (MAP, "l3cache"), (MAP, "core")],
        "binding-dropped" => &[(BIND, "numa"), (BIND, "core"), (BIND, "package")],
        _ => &[],
    }
}

/// The first change that mends a note, as typed.
fn option(line: &CommandLine, note: &Note, mends: &dyn Fn(&[String]) -> bool) -> Option<String> {
    let app = note.facts().app.unwrap_or(0);
    let app = usize::try_from(app).ok()?;
    let own = line.apps.get(app).and_then(AppWords::map_said);
    let said = own.or_else(|| line.apps.first()?.map_said());
    let (_, mut qualifiers) = split_map(&said.unwrap_or_default());
    // Files belong to the policy that reads them, lists to theirs; cores are counted where cores are mapped by.
    qualifiers.retain(|word| {
        let word = word.to_ascii_lowercase();
        let counts = note.class() == "cores-shared" && word.starts_with("hwt");
        !word.starts_with("file=") && !counts
    });
    tries(note.class()).iter().find_map(|&(meaning, word)| {
        let value = if meaning == Meaning::MapBy {
            joined(word, &qualifiers)
        } else {
            word.to_owned()
        };
        let changed = put(line, app, meaning, &value)?;
        if !mends(&changed.words) {
            return None;
        }
        let name = changed.change.split(' ').next()?;
        let on = match app {
            0 => String::new(),
            app => format!(" on app {app}"),
        };
        Some(format!("{name} {}{on}", shell(&[value])))
    })
}
