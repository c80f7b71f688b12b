//! `stowplan explain RANK.THREAD`: why a thread of OpenMP runs where it does.

use super::saved::Saved;
use crate::Console;
use crate::output::Kept;
use crate::report::{self, Refused, told};
use crate::surroundings::Surroundings;
use stowplan::answers::explain::RANKS_MAX;
use stowplan::answers::json_text;
use stowplan::answers::openmp::explained::{Changed, Putting, ThreadName, explain_thread};
use stowplan::answers::openmp::job::JobThreads;
use stowplan::answers::openmp::notes::Found;
use stowplan::job::args::{Format, map_args};
use stowplan::job::error::{JobError, one_line};
use stowplan::job::our_words::in_our_words;
use stowplan::job::place::Placement;
use stowplan::job::words::CommandLine;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::text::digits::number;

/// A rank, and one of its threads.
type Asked = (u32, ThreadName);

/// The threads of `3.5,4.0`; `None`: the words name ranks alone.
///
/// # Errors
/// `bad-value`: a thread that is none.
pub(super) fn asked(list: &str) -> Result<Option<Vec<Asked>>, Refused> {
    if !list.contains('.') {
        return Ok(None);
    }
    let bad = || {
        let sentence = format!(
            "RANK {list}: expected RANK.THREAD such as 3.5, or 3.5.1 for a thread of an inner team"
        );
        told("bad-value", sentence)
    };
    let mut all = Vec::new();
    for item in list.split(',') {
        let numbers: Option<Vec<u32>> = item.split('.').map(number).collect();
        let (rank, outer, inner) = match numbers.as_deref() {
            Some(&[rank, outer]) => (rank, outer, None),
            Some(&[rank, outer, inner]) => (rank, outer, Some(inner)),
            Some(_) | None => return Err(bad()),
        };
        all.push((rank, ThreadName { outer, inner }));
    }
    if all.len() as u64 > RANKS_MAX {
        let sentence = format!(
            "{} threads are asked of, at most {RANKS_MAX} are explained at once",
            all.len()
        );
        return Err(told("bad-value", sentence));
    }
    Ok(Some(all))
}

/// Explains threads of a job.
///
/// # Errors
/// As `map` refuses the job; `bad-value` for a rank or thread that is not there.
pub(super) fn of_job(
    words: &[String],
    all: &[Asked],
    kept: Kept<'_>,
    console: &mut Console<'_>,
) -> Result<(), Refused> {
    let files = kept.read;
    let placement = placed(words, files)?;
    let putting = |app: usize, name: &str, value: &str| put(words, files, app, name, value);
    tell(&placement.mapped.plan, all, &putting, kept, console)
}

/// Explains threads of a saved plan.
///
/// # Errors
/// `bad-value` for a rank or thread that is not there.
pub(super) fn of_plan(
    saved: &Saved,
    all: &[Asked],
    kept: Kept<'_>,
    console: &mut Console<'_>,
) -> Result<(), Refused> {
    let putting = |_: usize, name: &str, value: &str| {
        let change = format!("-x {name}={value}");
        Some(Changed {
            change,
            words: None,
        })
    };
    tell(&saved.plan, all, &putting, kept, console)
}

/// A job with a variable of an app set, if it is set then: the job is planned.
fn put(
    words: &[String],
    files: &dyn Files,
    app: usize,
    name: &str,
    value: &str,
) -> Option<Changed> {
    let (change, words) = match in_our_words(words) {
        Some(words) => {
            let mut line = CommandLine::read(&words);
            line.apps.get_mut(app)?.set_variable(name, value);
            (format!("-x {name}={value}"), line.to_words())
        }
        None => {
            let option = ["--env".to_owned(), format!("{name}={value}")];
            (
                option.join(" "),
                option.iter().chain(words).cloned().collect(),
            )
        }
    };
    let plan = placed(&words, files).ok()?.mapped.plan;
    let there = plan.thread_words().of(AppId::from_row(app));
    let set = there
        .iter()
        .any(|(own, known)| own == name && known == value);
    set.then_some(Changed {
        change,
        words: Some(words),
    })
}

fn tell(
    plan: &Plan,
    all: &[Asked],
    putting: &Putting<'_>,
    kept: Kept<'_>,
    console: &mut Console<'_>,
) -> Result<(), Refused> {
    let mut threads =
        JobThreads::new(plan, None).map_err(|error| told(error.class(), error.to_string()))?;
    let format = kept.options.format;
    let json = format.is_some_and(|format| format != Format::Text);
    let mut text = String::new();
    let mut notes: Vec<Found> = Vec::new();
    for &(rank, name) in all {
        let explained = explain_thread(plan, &mut threads, Rank(rank), name, putting);
        let explained = explained.map_err(|error| told(error.class(), error.to_string()))?;
        let explained = explained.ok_or_else(|| {
            let sentence = format!(
                "rank {rank}: the ranks are 0 to {}",
                plan.ranks().saturating_sub(1)
            );
            told("bad-value", sentence)
        })?;
        for own in explained {
            if json {
                text.push_str(&json_text::text(&own));
                text.push('\n');
            } else {
                let page = own.page();
                page.iter()
                    .for_each(|line| text.push_str(&format!("{}\n", one_line(line))));
            }
        }
        if let Some(place) = plan.place(Rank(rank)) {
            let key = threads.key(&place);
            for note in threads.notes(key) {
                if notes.iter().all(|own| own.class != note.class) {
                    notes.push(note);
                }
            }
        }
    }
    kept.give(console.out, |out| out.write_all(text.as_bytes()))?;
    for note in notes {
        report::note(console.err, note.class, &note.text);
    }
    Ok(())
}

/// Places the job of a line.
///
/// # Errors
/// Those of the job.
pub(super) fn placed(words: &[String], files: &dyn Files) -> Result<Placement, JobError> {
    let asked = map_args(words)?;
    stowplan::job::place::place(asked, &Surroundings { files })
}
