//! The words after `stowplan session`.

use super::Failure;

/// A subcommand with its options.
#[derive(Debug)]
pub(super) enum Wanted {
    Run(Run),
    Replay(Replay),
    Show(Show),
    Serve(Serve),
}

/// Whether invariants are checked after every event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Check {
    #[default]
    No,
    Every,
}

/// The format of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Format {
    #[default]
    Json,
    Text,
}

/// When the journal is synced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Sync {
    #[default]
    Each,
    None,
}

/// How a journal is read back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Verify {
    #[default]
    No,
    Snapshots,
}

/// What happens if a journal is damaged in the middle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Damage {
    #[default]
    Refuse,
    Salvage,
}

#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) scenario: String,
    pub(super) journal: Option<String>,
    pub(super) check: Check,
    pub(super) only: Option<String>,
    pub(super) snapshot_every: Option<u64>,
    pub(super) sync: Sync,
    pub(super) format: Format,
}

#[derive(Debug, Default)]
pub(super) struct Replay {
    pub(super) journal: String,
    pub(super) check: Check,
    pub(super) verify: Verify,
    pub(super) damage: Damage,
    pub(super) format: Format,
}

#[derive(Debug, Default)]
pub(super) struct Show {
    pub(super) journal: String,
    pub(super) format: Format,
}

#[derive(Debug, Default)]
pub(super) struct Serve {
    pub(super) journal: String,
    pub(super) check: Check,
}

/// The remaining words, and the options so far.
struct Words<'a> {
    sub: &'a str,
    rest: std::slice::Iter<'a, String>,
}

impl<'a> Words<'a> {
    /// The value of an option: the text after its `=`, or the next word.
    fn value(&mut self, option: &str, glued: Option<&'a str>) -> Result<&'a str, Failure> {
        let next = || self.rest.next().map(String::as_str);
        glued.or_else(next).ok_or_else(|| {
            bad(
                "bad-option",
                format!("session {}: {option} needs a value", self.sub),
            )
        })
    }
}

fn bad(class: &'static str, sentence: String) -> Failure {
    Failure::Words { class, sentence }
}

/// Reads the words after `session`.
pub(super) fn read(args: &[String]) -> Result<Wanted, Failure> {
    let Some((sub, rest)) = args.split_first() else {
        let sentence = "session needs a subcommand: run, replay, show or serve";
        return Err(bad("bad-option", sentence.to_owned()));
    };
    let words = Words {
        sub,
        rest: rest.iter(),
    };
    match sub.as_str() {
        "run" => run(words).map(Wanted::Run),
        "replay" => replay(words).map(Wanted::Replay),
        "show" => show(words).map(Wanted::Show),
        "serve" => serve(words).map(Wanted::Serve),
        other => {
            let sentence = format!(
                "session has no subcommand {other:?}; there are run, replay, show and serve"
            );
            Err(bad("bad-option", sentence))
        }
    }
}

/// An option and the text after its `=`; `None` if the word is not an option.
fn option(word: &str) -> Option<(&str, Option<&str>)> {
    if !word.starts_with("--") {
        return None;
    }
    Some(
        word.split_once('=')
            .map_or((word, None), |(option, value)| (option, Some(value))),
    )
}

fn place(words: &Words<'_>, slot: &mut String, word: &str) -> Result<(), Failure> {
    if word.is_empty() || !slot.is_empty() {
        return Err(bad(
            "bad-option",
            format!("session {}: {word:?} is one word too many", words.sub),
        ));
    }
    word.clone_into(slot);
    Ok(())
}

fn unknown(words: &Words<'_>, word: &str) -> Failure {
    let command = format!("session {}", words.sub);
    let sentence = format!("{command} has no option {word}; see stowplan {command} --help");
    let near = crate::command::nearest_option(&command, word);
    match near {
        Some(near) => Failure::Mended {
            sentence,
            help: format!("did you mean {near}?"),
        },
        None => bad("bad-option", sentence),
    }
}

fn needed(words: &Words<'_>, slot: &str, what: &str) -> Result<(), Failure> {
    if slot.is_empty() {
        Err(bad(
            "bad-option",
            format!("session {} needs {what}", words.sub),
        ))
    } else {
        Ok(())
    }
}

fn format(words: &mut Words<'_>, glued: Option<&str>) -> Result<Format, Failure> {
    let word = match glued {
        Some(word) => word,
        None => words.value("--format", None)?,
    };
    match word {
        "json" => Ok(Format::Json),
        "text" => Ok(Format::Text),
        other => Err(bad("bad-value", format!("--format {other}: json or text"))),
    }
}

fn run(mut words: Words<'_>) -> Result<Run, Failure> {
    let mut run = Run::default();
    while let Some(word) = words.rest.next() {
        let Some((name, glued)) = option(word) else {
            place(&words, &mut run.scenario, word)?;
            continue;
        };
        match name {
            "--journal" => run.journal = Some(words.value(name, glued)?.to_owned()),
            "--check" => run.check = Check::Every,
            "--only" => run.only = Some(words.value(name, glued)?.to_owned()),
            "--snapshot-every" => {
                let value = words.value(name, glued)?;
                let every = value.parse().ok().filter(|&every: &u64| every > 0);
                let sentence = || format!("{name} {value}: a number from 1 on");
                run.snapshot_every = Some(every.ok_or_else(|| bad("bad-value", sentence()))?);
            }
            "--sync" => {
                run.sync = match words.value(name, glued)? {
                    "each" => Sync::Each,
                    "none" => Sync::None,
                    other => return Err(bad("bad-value", format!("--sync {other}: each or none"))),
                };
            }
            "--format" => run.format = format(&mut words, glued)?,
            _ => return Err(unknown(&words, word)),
        }
    }
    needed(&words, &run.scenario, "a scenario file")?;
    Ok(run)
}

fn replay(mut words: Words<'_>) -> Result<Replay, Failure> {
    let mut replay = Replay::default();
    while let Some(word) = words.rest.next() {
        let Some((name, glued)) = option(word) else {
            place(&words, &mut replay.journal, word)?;
            continue;
        };
        match name {
            "--check" => replay.check = Check::Every,
            "--verify" => replay.verify = Verify::Snapshots,
            "--salvage" => replay.damage = Damage::Salvage,
            "--format" => replay.format = format(&mut words, glued)?,
            _ => return Err(unknown(&words, word)),
        }
    }
    needed(&words, &replay.journal, "a journal")?;
    Ok(replay)
}

fn show(mut words: Words<'_>) -> Result<Show, Failure> {
    let mut show = Show::default();
    while let Some(word) = words.rest.next() {
        let Some((name, glued)) = option(word) else {
            place(&words, &mut show.journal, word)?;
            continue;
        };
        match name {
            "--format" => show.format = format(&mut words, glued)?,
            _ => return Err(unknown(&words, word)),
        }
    }
    needed(&words, &show.journal, "a journal")?;
    Ok(show)
}

fn serve(mut words: Words<'_>) -> Result<Serve, Failure> {
    let mut serve = Serve::default();
    while let Some(word) = words.rest.next() {
        match option(word) {
            Some(("--journal", glued)) => words
                .value("--journal", glued)?
                .clone_into(&mut serve.journal),
            Some(("--check", _)) => serve.check = Check::Every,
            Some(_) => return Err(unknown(&words, word)),
            None => {
                return Err(bad(
                    "bad-option",
                    format!("session serve: {word:?} is one word too many"),
                ));
            }
        }
    }
    needed(&words, &serve.journal, "--journal FILE")?;
    Ok(serve)
}
