//! The answer of `threads` in its formats.

use super::asked::Form;
use roaring::RoaringBitmap;
use serde::Serialize;
use std::fmt::Write as _;
use stowplan::answers::json_text;
use stowplan::answers::openmp::Threads;
use stowplan_engine::table::cpusets::list_form;

/// An answer, and whose it is: a runtime, or `any`.
pub(super) struct Told<'a> {
    pub(super) runtime: String,
    pub(super) threads: &'a Threads,
}

/// The most lines of threads that people are shown.
const LINES: usize = 64;

/// Whether rows say whose they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whose {
    /// In a last column.
    Said,
    /// The command line says it.
    Known,
}

/// All answers.
pub(super) fn written(told: &[Told<'_>], form: Form, whose: Whose) -> String {
    let mut out = String::new();
    match (form, whose) {
        (Form::Tsv, Whose::Said) => out.push_str("#thread\tplace\tcpus\truntime\n"),
        (Form::Tsv, Whose::Known) => out.push_str("#thread\tplace\tcpus\n"),
        (Form::Text | Form::Ndjson | Form::Json, _) => {}
    }
    for own in told {
        match form {
            Form::Text => text(own, &mut out),
            Form::Tsv => tsv(own, whose, &mut out),
            Form::Ndjson => ndjson(own, whose, &mut out),
            Form::Json => {
                let _ = writeln!(out, "{}", document(own));
            }
        }
    }
    out
}

fn rows(threads: &Threads) -> impl Iterator<Item = (String, Option<usize>, String)> {
    // A place is written once, however many threads it has.
    let sets: Vec<String> = threads.sets().iter().map(list).collect();
    let each = threads.threads().iter();
    each.map(move |thread| (thread.name(), thread.place, sets[thread.cpus].clone()))
}

fn tsv(told: &Told<'_>, whose: Whose, out: &mut String) {
    for (thread, place, cpus) in rows(told.threads) {
        let place = place.map_or_else(|| "-".to_owned(), |place| place.to_string());
        let _ = write!(out, "{thread}\t{place}\t{cpus}");
        if whose == Whose::Said {
            let _ = write!(out, "\t{}", told.runtime);
        }
        out.push('\n');
    }
}

fn ndjson(told: &Told<'_>, whose: Whose, out: &mut String) {
    for (thread, place, cpus) in rows(told.threads) {
        let runtime = (whose == Whose::Said).then(|| told.runtime.clone());
        let row = Row {
            thread,
            place,
            cpus,
            runtime,
        };
        let _ = writeln!(out, "{}", json_text::text(&row));
    }
}

/// A document of the answer, in the order of its keys.
#[derive(Serialize)]
struct Document {
    version: u32,
    runtime: String,
    number: u32,
    bind: &'static str,
    start: String,
    places: Vec<String>,
    threads: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    thread: String,
    place: Option<usize>,
    cpus: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    runtime: Option<String>,
}

fn document(told: &Told<'_>) -> String {
    let threads = told.threads;
    let document = Document {
        version: 1,
        runtime: told.runtime.clone(),
        number: threads.number(),
        bind: threads.bind(),
        start: list(threads.start()),
        places: threads.places().iter().map(list).collect(),
        threads: rows(threads)
            .map(|(thread, place, cpus)| Row {
                thread,
                place,
                cpus,
                runtime: None,
            })
            .collect(),
    };
    json_text::text(&document)
}

/// A list of cpus; nothing for no cpu.
fn list(set: &RoaringBitmap) -> String {
    if set.is_empty() {
        String::new()
    } else {
        list_form(set)
    }
}

fn text(told: &Told<'_>, out: &mut String) {
    let threads = told.threads;
    let count = threads.len();
    let noun = if count == 1 { "thread" } else { "threads" };
    let places = match threads.places().len() {
        0 => "no places".to_owned(),
        1 => "1 place".to_owned(),
        places => format!("{places} places"),
    };
    let _ = writeln!(
        out,
        "{}: {count} {noun}, {places}, bound {}; it starts on {}",
        told.runtime,
        threads.bind(),
        list_form(threads.start())
    );
    for (thread, place, cpus) in rows(threads).take(LINES) {
        let place = place.map_or_else(|| "-".to_owned(), |place| place.to_string());
        let _ = writeln!(out, "  thread {thread:<5} place {place:<5} cpus {cpus}");
    }
    if count > LINES {
        let _ = writeln!(out, "  {} more; --format tsv has all", count - LINES);
    }
}
