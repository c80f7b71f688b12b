//! The words of `flux run` and `flux submit`, read as Python's argparse reads them. Source: `lines/flux/spec.md` 4.

use crate::launchers::line::{LineAsked, LineRefused, table};
use stowplan_engine::text::words::nearest;

/// What a word means to us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Means {
    /// A count of something.
    Count(Count),
    /// `-x`.
    Exclusive,
    /// `--taskmap`.
    TaskMap,
    /// `--requires`.
    Requires,
    /// `-o`.
    Setting,
    /// It places nothing.
    Harmless,
    /// It means several jobs, which are no plan.
    Several,
}

/// Counts of `flux run`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Count {
    Nodes,
    Tasks,
    CoresPerTask,
    GpusPerTask,
    Cores,
    TasksPerNode,
    TasksPerCore,
    GpusPerNode,
}

/// How many values a word takes, and which command has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Value,
    Flag,
    /// Words of `flux submit` alone.
    SubmitValue,
    SubmitFlag,
    /// Words of `flux alloc` and `flux batch` alone.
    AllocValue,
    AllocFlag,
}

/// A word: its long spelling, its letter, how it is written, what it means.
type Row = (&'static str, Option<char>, Shape, Means);

#[rustfmt::skip]
const WORDS: &[Row] = {
    use Means::{Exclusive, Harmless, Requires, Setting, Several, TaskMap};
    use Shape::{AllocFlag, AllocValue, Flag, SubmitFlag, SubmitValue, Value};
    &[
        ("nodes", Some('N'), Value, Means::Count(Count::Nodes)),
        ("ntasks", Some('n'), Value, Means::Count(Count::Tasks)),
        ("cores-per-task", Some('c'), Value, Means::Count(Count::CoresPerTask)),
        ("gpus-per-task", Some('g'), Value, Means::Count(Count::GpusPerTask)),
        ("cores", None, Value, Means::Count(Count::Cores)),
        ("tasks-per-node", None, Value, Means::Count(Count::TasksPerNode)),
        ("tasks-per-core", None, Value, Means::Count(Count::TasksPerCore)),
        ("gpus-per-node", None, Value, Means::Count(Count::GpusPerNode)),
        ("exclusive", Some('x'), Flag, Exclusive),
        ("taskmap", None, Value, TaskMap),
        ("requires", None, Value, Requires),
        ("setopt", Some('o'), Value, Setting),
        ("time-limit", Some('t'), Value, Harmless),
        ("queue", Some('q'), Value, Harmless),
        ("bank", Some('B'), Value, Harmless),
        ("urgency", None, Value, Harmless),
        ("job-name", None, Value, Harmless),
        ("env", None, Value, Harmless),
        ("env-remove", None, Value, Harmless),
        ("env-file", None, Value, Harmless),
        ("rlimit", None, Value, Harmless),
        ("input", None, Value, Harmless),
        ("output", None, Value, Harmless),
        ("error", None, Value, Harmless),
        ("cwd", None, Value, Harmless),
        ("flags", None, Value, Harmless),
        ("signal", None, Value, Harmless),
        ("dependency", None, Value, Harmless),
        ("begin-time", None, Value, Harmless),
        ("add-file", None, Value, Harmless),
        ("setattr", Some('S'), Value, Harmless),
        ("wait-event", None, Value, Harmless),
        ("conf", None, Value, Harmless),
        ("unbuffered", Some('u'), Flag, Harmless),
        ("label-io", Some('l'), Flag, Harmless),
        ("verbose", Some('v'), Flag, Harmless),
        ("quiet", None, Flag, Harmless),
        ("dry-run", None, Flag, Harmless),
        ("cc", None, SubmitValue, Several),
        ("bcc", None, SubmitValue, Several),
        ("wait", None, SubmitFlag, Harmless),
        ("watch", None, SubmitFlag, Harmless),
        ("log", None, SubmitValue, Harmless),
        ("log-stderr", None, SubmitValue, Harmless),
        ("progress", None, SubmitFlag, Harmless),
        ("jps", None, SubmitFlag, Harmless),
        ("bg", None, AllocFlag, Harmless),
        ("broker-opts", None, AllocValue, Harmless),
        ("dump", None, AllocFlag, Harmless),
        ("wrap", None, AllocFlag, Harmless),
    ]
};

/// An option as it was said, by its letter if it has one.
pub(super) type Said = table::Said<Means>;

/// A line cut into options and the program.
pub(super) type Line = table::Part<Means>;

impl Said {
    /// A refusal that points at this option; its value is said also where it is empty.
    pub(super) fn refuses(
        &self,
        asked: &LineAsked<'_>,
        class: &'static str,
        why: &str,
    ) -> LineRefused {
        let sentence = format!("{}: {} {}: {why}", asked.command, self.name, self.value);
        table::at(asked, self.word, class, sentence)
    }
}

/// Reads the words behind `flux run`.
///
/// # Errors
/// `bad-option` for words that Flux has not; `launcher-refuses` for a missing value or program; `not-modelled` for several jobs.
pub(super) fn read(asked: &LineAsked<'_>) -> Result<Line, LineRefused> {
    let line = read_options(asked)?;
    if line.program.is_empty() {
        return Err(asked.refused("launcher-refuses", "job command and arguments are missing"));
    }
    Ok(line)
}

/// As [`read`], for a line that needs no program.
///
/// # Errors
/// As [`read`].
pub(super) fn read_options(asked: &LineAsked<'_>) -> Result<Line, LineRefused> {
    let mut line = Line {
        said: Vec::new(),
        program: Vec::new(),
    };
    let mut at = 0;
    while let Some(word) = asked.words.get(at) {
        if word == "--" {
            at += 1;
            break;
        }
        if word.len() < 2 || !word.starts_with('-') {
            break;
        }
        at += match word.strip_prefix("--") {
            Some(long) => read_long(asked, at, long, &mut line)?,
            None => read_letters(asked, at, &mut line)?,
        };
    }
    line.program = asked.words[at..].to_vec();
    if let Some(several) = line.last(Means::Several) {
        let why = "it starts several jobs, and a plan is of one";
        return Err(several.refuses(asked, "not-modelled", why));
    }
    Ok(line)
}

/// Whether a command has a word, and whether the word takes a value.
fn takes(asked: &LineAsked<'_>, row: &Row) -> Option<TakesValue> {
    let submits = asked.command.ends_with("submit");
    let allots = asked.command.ends_with("alloc");
    match row.2 {
        Shape::Value => Some(TakesValue::Yes),
        Shape::Flag => Some(TakesValue::No),
        Shape::SubmitValue => submits.then_some(TakesValue::Yes),
        Shape::SubmitFlag => submits.then_some(TakesValue::No),
        Shape::AllocValue => allots.then_some(TakesValue::Yes),
        Shape::AllocFlag => allots.then_some(TakesValue::No),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TakesValue {
    Yes,
    No,
}

/// Reads a long option; returns how many words it takes.
fn read_long(
    asked: &LineAsked<'_>,
    at: usize,
    long: &str,
    line: &mut Line,
) -> Result<usize, LineRefused> {
    let (name, inline) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let row = WORDS.iter().find(|row| row.0 == name);
    let found = row.and_then(|row| Some((row, takes(asked, row)?)));
    let Some((row, takes)) = found else {
        return Err(unknown(asked, at, &format!("--{name}")));
    };
    match (takes, inline) {
        (TakesValue::No, None) => {
            push(line, row, String::new(), at);
            Ok(1)
        }
        (TakesValue::No, Some(value)) => {
            let sentence = format!("{}: --{name} takes no value: {value}", asked.command);
            Err(table::at(asked, at, "launcher-refuses", sentence))
        }
        (TakesValue::Yes, Some(value)) => {
            push(line, row, value.to_owned(), at);
            Ok(1)
        }
        (TakesValue::Yes, None) => {
            push(line, row, next(asked, at, &format!("--{name}"))?, at);
            Ok(2)
        }
    }
}

/// Reads the letters of one word, as `-xN2`; returns how many words they take.
fn read_letters(asked: &LineAsked<'_>, at: usize, line: &mut Line) -> Result<usize, LineRefused> {
    let mut letters = asked.words[at][1..].chars();
    while let Some(letter) = letters.next() {
        let row = WORDS.iter().find(|row| row.1 == Some(letter));
        let found = row.and_then(|row| Some((row, takes(asked, row)?)));
        let Some((row, takes)) = found else {
            return Err(unknown(asked, at, &format!("-{letter}")));
        };
        if takes == TakesValue::No {
            push(line, row, String::new(), at);
            continue;
        }
        let rest = letters.as_str();
        if rest.is_empty() {
            push(line, row, next(asked, at, &format!("-{letter}"))?, at);
            return Ok(2);
        }
        push(
            line,
            row,
            rest.strip_prefix('=').unwrap_or(rest).to_owned(),
            at,
        );
        return Ok(1);
    }
    Ok(1)
}

fn push(line: &mut Line, row: &Row, value: String, word: usize) {
    line.said.push(Said {
        means: row.3,
        name: match row.1 {
            Some(letter) => format!("-{letter}"),
            None => format!("--{}", row.0),
        },
        value,
        word,
    });
}

/// The value in the next word. Like argparse, takes no word that looks like an option; numbers below 0 do not.
fn next(asked: &LineAsked<'_>, at: usize, name: &str) -> Result<String, LineRefused> {
    let value = asked.words.get(at + 1).filter(|value| {
        let dashed = value.len() > 1 && value.starts_with('-');
        !dashed || value.contains(' ') || value[1..].parse::<f64>().is_ok()
    });
    value.cloned().ok_or_else(|| {
        let sentence = format!("{}: {name}: expected one argument", asked.command);
        table::at(asked, at, "launcher-refuses", sentence)
    })
}

fn unknown(asked: &LineAsked<'_>, at: usize, name: &str) -> LineRefused {
    let bare = name.trim_start_matches('-');
    let sentence = format!("{}: {name} is no option of its", asked.command);
    let mut refused = table::at(asked, at, "bad-option", sentence);
    let known = WORDS.iter().filter(|row| takes(asked, row).is_some());
    // A shortened word is refused, and the word that it begins is the nearest.
    let begun = known
        .clone()
        .find(|row| bare.len() > 1 && row.0.starts_with(bare));
    let near = begun.map(|row| row.0);
    if let Some(near) = near.or_else(|| nearest(known.map(|row| row.0), bare)) {
        refused.help.push(format!("did you mean --{near}?"));
    }
    refused
}

/// The settings of `-o`: name and value, in order; a later one of a name counts.
pub(super) fn settings(line: &Line) -> impl Iterator<Item = (&Said, &str, Option<&str>)> {
    let said = line.said.iter().filter(|said| said.means == Means::Setting);
    said.map(|said| match said.value.split_once('=') {
        Some((name, value)) => (said, name, Some(value)),
        None => (said, said.value.as_str(), None),
    })
}

/// The last setting of a name, with its value.
pub(super) fn setting<'l>(line: &'l Line, name: &str) -> Option<(&'l Said, Option<&'l str>)> {
    let last = settings(line).filter(|(_, own, _)| *own == name).last();
    last.map(|(said, _, value)| (said, value))
}
