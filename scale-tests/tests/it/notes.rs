//! Every remedy runs as it is typed, and every note holds: random jobs are refused or placed, what is printed below them is pasted
//! into the job, and what the notes say is counted again on the plain mapper's rows, one process at a time.

use crate::plain_notes::Plain;
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use stowplan::answers::expert;
use stowplan::answers::expert::mended::{Planning, mend};
use stowplan::answers::explain::remedies::remedies;
use stowplan::job::args::map_args;
use stowplan::job::error::JobError;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place_on;
use stowplan_engine::error::Note;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::{Machine, Mapped};
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::BindTo;
use stowplan_engine::table::apps::AppId;
use stowplan_reference::Row;
use stowplan_scale_tests::arbitrary;
use stowplan_scale_tests::compare::Lab;
use stowplan_scale_tests::job::{Held, Job};
use stowplan_scale_tests::size;

/// Refused jobs whose remedies are run: 20,000 in the long check. Two of three jobs that are drawn are refused.
fn refused_jobs() -> u64 {
    if size::is_long() { 20_000 } else { 6_000 }
}
/// Jobs that are drawn for notes. About a third of them can be placed.
const JOBS: u64 = 12_000;

thread_local! {
    static LAB: Lab = Lab::new();
}

fn words(apps: &[Vec<String>]) -> Vec<String> {
    let mut words = Vec::new();
    for (number, app) in apps.iter().enumerate() {
        if number > 0 {
            words.push(":".to_owned());
        }
        words.extend(app.iter().cloned());
        words.push("./x".to_owned());
    }
    words
}

/// The words of each app.
fn apps(job: &Job) -> Vec<Vec<String>> {
    let options = job.apps.iter().map(|app| {
        let pairs = app.options().into_iter();
        pairs
            .flat_map(|(option, value)| [option.to_owned(), value])
            .collect()
    });
    options.collect()
}

fn placed(machine: &Machine, job: &Job, words: &[String]) -> Result<Mapped, JobError> {
    let files = Held(&job.files);
    place_on(machine, map_args(words)?, &FilesAlone(&files))
}

fn planned(machine: &Machine, job: &Job, words: &[String]) -> Result<(Plan, Vec<Note>), JobError> {
    let mapped = placed(machine, job, words)?;
    let mut notes = mapped.notes;
    notes.extend(expert::notes(&mapped.plan));
    Ok((mapped.plan, notes))
}

/// Words as a shell reads them.
fn shell(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for sign in text.chars() {
        match sign {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(sign),
        }
    }
    words.push(word);
    words
}

/// The job with the words of a remedy typed into it: in place of the same option, or in front.
fn pasted(apps: &[Vec<String>], remedy: &str) -> Vec<Vec<String>> {
    let start = remedy.rfind(": ").map_or(0, |at| at + 2);
    let (typed, app) = match remedy[start..].rsplit_once(" on app ") {
        Some((typed, app)) => (typed, app.parse().unwrap()),
        None => (&remedy[start..], 0),
    };
    let mut apps = apps.to_vec();
    let own: &mut Vec<String> = &mut apps[app];
    for pair in shell(typed).chunks(2) {
        match own.iter().position(|word| *word == pair[0]) {
            Some(at) => own[at + 1].clone_from(&pair[1]),
            None => drop(own.splice(0..0, pair.iter().cloned())),
        }
    }
    apps
}

#[test]
fn every_remedy_of_a_refused_job_runs_as_it_is_typed() {
    let (refused, offered) = (AtomicU64::new(0), AtomicU64::new(0));
    let wanted = refused_jobs();
    (0..wanted * 157 / 100).into_par_iter().for_each(|number| {
        let job = arbitrary::job(7, number);
        LAB.with(|lab| {
            let machine = lab.machine(&job);
            // Words that were planned once are not planned again.
            let (apps, runs) = (apps(&job), RefCell::new(BTreeSet::new()));
            let planning = |words: &[String]| {
                let plan = placed(&machine, &job, words)?.plan;
                runs.borrow_mut().insert(words.to_vec());
                Ok(plan)
            };
            let Err(error) = planning(&words(&apps)) else {
                return;
            };
            let found = remedies(&words(&apps), &error, &planning);
            refused.fetch_add(1, Ordering::Relaxed);
            offered.fetch_add(found.len() as u64, Ordering::Relaxed);
            for remedy in found {
                let now = pasted(&apps, &remedy.to_string());
                let typed = words(&now);
                let known = runs.borrow().contains(&typed);
                if !known && let Err(why) = planning(&typed) {
                    panic!(
                        "job {number}: {remedy}: {}\n{:?}",
                        why.message(),
                        words(&apps)
                    );
                }
                kept(number, &apps, &remedy.to_string(), &now);
            }
        });
    });
    let (refused, offered) = (refused.into_inner(), offered.into_inner());
    println!("{refused} refused jobs, {offered} remedies");
    assert!(
        refused >= wanted && offered > wanted / 2,
        "{refused} {offered}"
    );
}

/// What a remedy leaves of a value that it changes: every qualifier but those that its label names.
fn kept(number: u64, apps: &[Vec<String>], remedy: &str, now: &[Vec<String>]) {
    for (own, new) in apps.iter().zip(now) {
        let Some(at) = own.iter().position(|word| word == "--map-by") else {
            continue;
        };
        let Some(then) = new.iter().position(|word| word == "--map-by") else {
            panic!("job {number}: {remedy} loses the map");
        };
        let (old, new) = (
            own[at + 1].to_ascii_lowercase(),
            new[then + 1].to_ascii_lowercase(),
        );
        let named = |word: &str| match word {
            word if word.starts_with("file=") || word.starts_with("nooversub") => true,
            word if word.starts_with("pe=") => remedy.contains("cpus"),
            word if word.starts_with("core") => remedy.contains("hardware thread"),
            _ => false,
        };
        if old.starts_with("ppr") || old.starts_with("pe-list") {
            continue;
        }
        for word in old.split(':').skip(1).filter(|word| !named(word)) {
            assert!(
                new.split(':').any(|own| own == word),
                "job {number}: {remedy} loses {word} of {old}: {new}"
            );
        }
    }
}

#[test]
fn every_note_holds_and_none_is_missing() {
    let (placed, given, mended) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    (0..JOBS).into_par_iter().for_each(|number| {
        let job = match number % 4 {
            0 => arbitrary::job_with_devices(8, number),
            _ => arbitrary::job(8, number),
        };
        LAB.with(|lab| {
            let Ok((resolved, _)) = job.resolve() else {
                return;
            };
            let Ok(rows) = lab.reference(&job, &resolved) else {
                return;
            };
            let machine = lab.machine(&job);
            let apps = apps(&job);
            let Ok((plan, mut notes)) = planned(&machine, &job, &words(&apps)) else {
                return;
            };
            placed.fetch_add(1, Ordering::Relaxed);
            let told = expert::notes(&plan);
            given.fetch_add(told.len(), Ordering::Relaxed);
            let told: BTreeMap<(String, Option<u32>), u64> = told
                .iter()
                .map(|note| {
                    (
                        (note.class().to_owned(), note.facts().app),
                        note.facts().count,
                    )
                })
                .collect();
            let wanted = Plain::of(&plan, &rows).notes();
            assert_eq!(told, wanted, "job {number}: {:?}", words(&apps));
            let dropped = notes
                .iter()
                .filter(|note| note.class() == "binding-dropped");
            let dropped: BTreeSet<Option<u32>> = dropped.map(|note| note.facts().app).collect();
            assert_eq!(
                dropped,
                unbound(&plan, &rows),
                "job {number}: {:?}",
                words(&apps)
            );
            if number % 16 > 0 {
                return;
            }
            let planning = |words: &[String]| planned(&machine, &job, words);
            let all = mends(&plan, &mut notes, &apps, &planning);
            mended.fetch_add(all, Ordering::Relaxed);
        });
    });
    println!("{placed:?} placed jobs, {given:?} notes, {mended:?} mended");
    assert!(placed.into_inner() > 1000 && given.into_inner() > 1000 && mended.into_inner() > 20);
}

/// Pastes what mends the notes of a job, and looks whether it does. Returns how many are mended.
fn mends(plan: &Plan, notes: &mut [Note], apps: &[Vec<String>], planning: &Planning<'_>) -> usize {
    let classes: Vec<&str> = notes.iter().map(Note::class).collect();
    mend(notes, &words(apps), plan, planning);
    let mut mended = 0;
    for (note, class) in notes.iter().zip(classes) {
        let text = note.to_string();
        let told = text.strip_suffix(" mends it");
        let Some((_, option)) = told.and_then(|text| text.rsplit_once("; ")) else {
            continue;
        };
        mended += 1;
        let after = planning(&words(&pasted(apps, option)));
        let (_, after) = after.unwrap_or_else(|why| panic!("{text}: {}", why.message()));
        assert!(
            after.iter().all(|note| note.class() != class),
            "{text}: {apps:?}"
        );
    }
    mended
}

/// The apps that keep a binding of which some process found none.
fn unbound(plan: &Plan, rows: &[Row]) -> BTreeSet<Option<u32>> {
    let left = rows.iter().filter(|row| {
        let settled = plan.app(AppId::from_row(row.app)).policy().unwrap();
        let policy = plan.resolved_apps().policies[settled];
        // An entry of a file without cpus asks for none.
        row.cpus.is_none() && matches!(policy.bind, BindTo::Object(_)) && !policy.map.is_listed()
    });
    left.map(|row| u32::try_from(row.app).ok()).collect()
}
