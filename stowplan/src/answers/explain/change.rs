//! Adds or changes one option of a command line.

use crate::job::options::{Meaning, Old};
use crate::job::words::CommandLine;
pub(super) use crate::job::words::split_map;

/// A job with one option added or changed.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Changed {
    /// The option with its new value: `--map-by node`.
    pub change: String,
    /// The whole job.
    pub words: Vec<String>,
    /// What it gives up of what was asked, if it does not say so itself; ends in `: `.
    #[serde(skip)]
    pub gives_up: Option<&'static str>,
}

/// Adds an option to an app, or changes it. Removes old spellings of the same option.
#[must_use]
pub fn put(line: &CommandLine, app: usize, meaning: Meaning, value: &str) -> Option<Changed> {
    let mut line = line.clone();
    let words = line.apps.get_mut(app)?;
    let name = name(meaning);
    let at = words
        .options
        .iter()
        .position(|option| option.meaning.is_some_and(|own| replaces(meaning, own)));
    let old = |own: Meaning| own != meaning && replaces(meaning, own);
    words
        .options
        .retain(|option| !option.meaning.is_some_and(old));
    words.set(meaning, name, Some(value));
    if let Some(at) = at
        && let Some(now) = words
            .options
            .iter()
            .position(|option| option.meaning == Some(meaning))
        && at < now
    {
        let option = words.options.remove(now);
        words.options.insert(at, option);
    }
    let on = match app {
        0 => String::new(),
        app => format!(" on app {app}"),
    };
    Some(Changed {
        change: format!("{name} {value}{on}"),
        words: line.to_words(),
        gives_up: None,
    })
}

/// The name of an option as we write it.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "five options are changed, this is the last"
)]
pub(super) const fn name(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Np => "-n",
        Meaning::Host => "-H",
        Meaning::RankBy => "--rank-by",
        Meaning::BindTo => "--bind-to",
        _ => "--map-by",
    }
}

/// Whether option `own` sets the same thing as option `meaning`.
const fn replaces(meaning: Meaning, own: Meaning) -> bool {
    match (meaning, own) {
        (Meaning::MapBy, Meaning::MapBy)
        | (Meaning::RankBy, Meaning::RankBy)
        | (Meaning::BindTo, Meaning::BindTo)
        | (Meaning::Np, Meaning::Np)
        | (Meaning::Host, Meaning::Host) => true,
        (Meaning::BindTo, Meaning::Old(old)) => {
            matches!(old, Old::BindToCore | Old::BindToPackage)
        }
        // A new mapping spells out what the old words stood for, but for those that also mean something else or stand alone.
        (Meaning::MapBy, Meaning::Old(old)) => !matches!(
            old,
            Old::BindToCore | Old::BindToPackage | Old::HwtCpus | Old::NoLocal
        ),
        _ => false,
    }
}

/// Joins a policy and its qualifiers.
#[must_use]
pub fn joined(head: &str, qualifiers: &[String]) -> String {
    crate::answers::policy::joined(head, qualifiers)
}
