//! The variables of a plan in a launcher's words.

use crate::launchers::job::{Job, Program};
use crate::launchers::script::{Script, Word};

/// How a launcher takes a variable that holds for all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// `--export=ALL,A=V`.
    Export,
    /// A word, then `A=V`: pals' `--env`, jsrun's `-E`.
    Pair(&'static str),
    /// A word, then the name, then the value: `-genv A V`.
    Three(&'static str),
    /// One word: `--env=A=V`.
    One(&'static str),
}

/// How a launcher takes a variable of one app.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OfApp {
    /// `-x A=V`, also if all apps have it.
    Exported,
    /// `-env A V`.
    Env,
    /// Not at all: `env A=V` before the program.
    Program,
}

/// Name and value of each variable.
pub(super) type Pairs = [(String, String)];

/// The variables that are the same for all programs, if there are any.
pub(super) fn of_all<'j>(job: &'j Job<'_>) -> Option<&'j Pairs> {
    let first = &job.programs.first()?.variables;
    let same = job
        .programs
        .iter()
        .all(|program| program.variables == *first);
    (same && !first.is_empty()).then_some(first)
}

/// The words of an app before its program: the launcher's own for one app, or `env`.
pub(super) fn of_app(job: &Job<'_>, program: &Program<'_>, own: OfApp) -> Vec<Word> {
    let pairs = program.variables.iter();
    let each = |before: &'static str| {
        pairs.clone().flat_map(move |(name, value)| {
            [Word::plain(before), Word::plain(format!("{name}={value}"))]
        })
    };
    match own {
        OfApp::Exported => each("-x").collect(),
        OfApp::Env | OfApp::Program if of_all(job).is_some() || program.variables.is_empty() => {
            Vec::new()
        }
        OfApp::Env => pairs
            .flat_map(|(name, value)| [Word::plain("-env"), Word::plain(name), Word::plain(value)])
            .collect(),
        OfApp::Program => prefix(job, program).into_iter().map(Word::Plain).collect(),
    }
}

/// `env A=V …` before a program, where apps differ and the launcher has no words for one app; else nothing.
pub(super) fn prefix(job: &Job<'_>, program: &Program<'_>) -> Vec<String> {
    if of_all(job).is_some() || program.variables.is_empty() {
        return Vec::new();
    }
    let pairs = program
        .variables
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    std::iter::once("env".to_owned()).chain(pairs).collect()
}

/// Adds the variables that hold for all: before the arguments of the script.
pub(crate) fn add(job: &Job<'_>, form: Form, script: &mut Script<'_>) {
    let Some(pairs) = of_all(job) else {
        return;
    };
    let mut words = Vec::new();
    match form {
        Form::Export => {
            let (apart, together): (Vec<_>, Vec<_>) =
                pairs.iter().partition(|(_, value)| value.contains(','));
            script.exports = apart.into_iter().cloned().collect();
            let each = together
                .iter()
                .map(|(name, value)| format!(",{name}={value}"));
            words.push(Word::plain(format!(
                "--export=ALL{}",
                each.collect::<String>()
            )));
        }
        Form::Pair(word) => {
            words.extend(pairs.iter().flat_map(|(name, value)| {
                [Word::plain(word), Word::plain(format!("{name}={value}"))]
            }))
        }
        Form::Three(word) => {
            words.extend(pairs.iter().flat_map(|(name, value)| {
                [Word::plain(word), Word::plain(name), Word::plain(value)]
            }))
        }
        Form::One(word) => words.extend(
            pairs
                .iter()
                .map(|(name, value)| Word::plain(format!("{word}={name}={value}"))),
        ),
    }
    let at = script
        .words
        .iter()
        .position(|word| *word == Word::Arguments);
    let at = at.unwrap_or(script.words.len());
    script.words.splice(at..at, words);
}
