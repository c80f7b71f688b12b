//! What the words after `stowplan session` ask for.

use crate::command::given::Given;
use crate::report::{Refused, told};

/// The format of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Json,
    Text,
}

const FORMATS: &[(&str, Format)] = &[("json", Format::Json), ("text", Format::Text)];

/// When the journal is synced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sync {
    Each,
    None,
}

const SYNCS: &[(&str, Sync)] = &[("each", Sync::Each), ("none", Sync::None)];

/// `session run`.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) scenario: String,
    pub(super) journal: Option<String>,
    pub(super) check: bool,
    pub(super) only: Option<String>,
    pub(super) snapshot_every: Option<u64>,
    pub(super) sync: Sync,
    pub(super) format: Format,
}

/// `session serve`.
#[derive(Debug)]
pub(super) struct Serve {
    pub(super) journal: String,
    pub(super) check: bool,
}

/// The format that is asked for.
pub(super) fn format(given: &Given<'_>) -> Result<Format, Refused> {
    Ok(given.choice("format", FORMATS)?.unwrap_or(Format::Json))
}

impl Run {
    pub(super) fn of(given: &Given<'_>) -> Result<Self, Refused> {
        let from_one = |value: &str| value.parse().ok().filter(|&every| every > 0);
        Ok(Self {
            scenario: given.only("SCENARIO.json")?.clone(),
            journal: given.value("journal").map(str::to_owned),
            check: given.has("check"),
            only: given.value("only").map(str::to_owned),
            snapshot_every: given.parsed("snapshot-every", "a number from 1 on", from_one)?,
            sync: given.choice("sync", SYNCS)?.unwrap_or(Sync::Each),
            format: format(given)?,
        })
    }
}

impl Serve {
    pub(super) fn of(given: &Given<'_>) -> Result<Self, Refused> {
        given.no_words()?;
        let journal = given.value("journal").filter(|path| !path.is_empty());
        let needed = || told("bad-option", "session serve needs --journal FILE");
        Ok(Self {
            journal: journal.ok_or_else(needed)?.to_owned(),
            check: given.has("check"),
        })
    }
}
