//! What a command line says to a subcommand: its options, its words, and where a job begins. One reader for all of them.

use super::subcommand::{Behind, Subcommand};
use crate::report::{Refused, told};
use stowplan::job::args::{JobArgs, job_args};
use stowplan::job::granted::grants;
use stowplan::job::options::{
    Meaning, OptionOf, Row, Spelled, Takes, Times, find, spelled, written,
};
use stowplan_engine::error::SpecError;
use stowplan_engine::error::spec::OptionFault;
use stowplan_engine::text::words::nearest;

/// A command line, read by the rows of its subcommand.
#[derive(Clone, Debug)]
pub struct Given<'a> {
    pub(crate) command: &'static Subcommand,
    /// Its own options, as written and with their values, in order.
    own: Vec<(&'static Row, &'a str, &'a str)>,
    /// The options of the job, as words.
    pub of_job: Vec<String>,
    /// Words that are no options.
    pub words: Vec<&'a String>,
    /// The words of hosts behind `--onto`; `None`: it is not there.
    pub hosts: Option<Vec<String>>,
    /// What follows: a job, or a program; `None`: there is no `--`.
    pub behind: Option<&'a [String]>,
}

impl<'a> Given<'a> {
    /// Reads the words behind those that call the subcommand.
    ///
    /// # Errors
    /// `bad-option`, from left to right: an option that it does not have, that lacks its value or takes none, that is given twice.
    pub fn read(command: &'static Subcommand, args: &'a [String]) -> Result<Self, Refused> {
        let mut given = Self {
            command,
            own: Vec::new(),
            of_job: Vec::new(),
            words: Vec::new(),
            hosts: { command.of_job }.contains(&Meaning::Host).then(Vec::new),
            behind: None,
        };
        let mut rest = args;
        while let Some((word, behind)) = rest.split_first() {
            if word == "--" && command.behind != Behind::Nothing {
                given.behind = Some(behind);
                break;
            }
            if command.behind == Behind::Job && !given.is_own(word) {
                given.behind = Some(rest);
                break;
            }
            if is_plain(word) {
                if command.behind == Behind::Program && !given.words.is_empty() {
                    given.behind = Some(rest);
                    break;
                }
                given.words.push(word);
                rest = behind;
                continue;
            }
            rest = given.option(word, behind)?;
        }
        if command.behind == Behind::Words {
            given.words.extend(given.behind.take().unwrap_or_default());
        }
        Ok(given)
    }

    /// Takes an option with its values. Returns the words behind them.
    fn option(&mut self, word: &'a str, rest: &'a [String]) -> Result<&'a [String], Refused> {
        let Spelled {
            name,
            named,
            value,
            row,
            ..
        } = self.spelled(word);
        let said = &word[..named];
        let Some(row) = row else {
            return Err(self.unknown(said, name));
        };
        let refused = |fault: &OptionFault| told("bad-option", format!("{said} {fault}"));
        let lacks = match (row.takes, value) {
            (Takes::Nothing, Some(_)) => return Err(refused(&OptionFault::UnwantedValue)),
            (Takes::Maybe, None) if row.names == ["onto"] => {
                // It may be followed by the list, where the plan stands before it.
                let list = rest.first().is_some_and(|word| is_plain(word));
                usize::from(list && !self.words.is_empty())
            }
            (Takes::Nothing | Takes::Maybe, _) | (Takes::One, Some(_)) => 0,
            (Takes::One, None) | (Takes::Two, Some(_)) => 1,
            (Takes::Two, None) => 2,
        };
        let Some((values, rest)) = rest.split_at_checked(lacks) else {
            let takes = format!("{said} {}: {}", row.metavar, row.help);
            return Err(mended(format!("{said} {}", OptionFault::NoValue), takes));
        };
        if row.names == ["onto"] {
            let list = value.or(values.first().map(String::as_str));
            let hosts = list.map(|list| ["-H".to_owned(), list.to_owned()]);
            self.hosts
                .get_or_insert_default()
                .extend(hosts.into_iter().flatten());
        } else if row.of == OptionOf::Command {
            if row.times == Times::Once
                && let Some((_, first, _)) =
                    self.own.iter().find(|(own, ..)| own.names == row.names)
            {
                let sentence = format!("{said} is given twice, first as {first}");
                return Err(told("bad-option", sentence));
            }
            let value = value.or(values.first().map(String::as_str));
            self.own.push((row, said, value.unwrap_or_default()));
        } else {
            let into = match &mut self.hosts {
                Some(hosts) if grants(row.meaning) => hosts,
                Some(_) | None => &mut self.of_job,
            };
            into.push(word.to_owned());
            into.extend_from_slice(values);
        }
        Ok(rest)
    }

    /// One word of an option. Of the job's options, it has those of its rows, and those of hosts behind `--onto`.
    fn spelled(&self, word: &'a str) -> Spelled<'a> {
        let of_job = spelled(word);
        let bare = word
            .strip_prefix("--")
            .or_else(|| word.strip_prefix('-'))
            .unwrap_or(word);
        let (name, value) = match bare.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (bare, None),
        };
        if let Some(row) = { self.command.options.iter() }.find(|row| row.names.contains(&name)) {
            let named = word.len() - bare.len() + name.len();
            return Spelled {
                name,
                named,
                value,
                sign: "=",
                row: Some(row),
            };
        }
        let has = |row: &&Row| {
            self.command.of_job.contains(&row.meaning)
                || self.hosts.is_some() && grants(row.meaning)
        };
        Spelled {
            row: of_job.row.filter(has),
            ..of_job
        }
    }

    /// Whether a word is an option of its own.
    fn is_own(&self, word: &'a str) -> bool {
        let row = self.spelled(word).row;
        !is_plain(word) && row.is_some_and(|row| row.of == OptionOf::Command)
    }

    fn unknown(&self, said: &str, name: &str) -> Refused {
        let command = self.command.words;
        let sentence = format!("{command} has no option {said}");
        if self.command.behind == Behind::Jobs && find(name).is_some() {
            let sentence = format!("{sentence}; a job and its options come after --");
            return told("bad-option", sentence);
        }
        let rows = self.command.rows();
        let near = nearest(rows.flat_map(|row| row.names.iter().copied()), name);
        let remedy = match near {
            Some(near) => format!("did you mean {}?", written(near)),
            None => format!("stowplan {command} --help names its options"),
        };
        mended(sentence, remedy)
    }

    /// Whether an option of its own is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The values of an option of its own, in order.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let said = self
            .own
            .iter()
            .filter(move |(row, ..)| row.names.contains(&name));
        said.map(|(_, _, value)| *value)
    }

    /// All options of its own with their values, in order.
    pub(crate) fn options(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        self.own
            .iter()
            .map(|(row, _, value)| (row.names[0], *value))
    }

    /// The value of an option of its own; the last, if it may be said many times.
    pub(crate) fn value(&self, name: &str) -> Option<&'a str> {
        self.all(name).last()
    }

    /// The value of an option, which is one of these words.
    ///
    /// # Errors
    /// `bad-value`.
    pub(crate) fn choice<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Refused> {
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let takes = format!("one of: {}", all.join(" "));
        self.parsed(name, &takes, |value| {
            words
                .iter()
                .find(|(word, _)| word.eq_ignore_ascii_case(value))
                .map(|(_, choice)| *choice)
        })
    }

    /// The value of an option, read. `takes`: what it may be.
    ///
    /// # Errors
    /// `bad-value`.
    pub(crate) fn parsed<T>(
        &self,
        name: &str,
        takes: &str,
        read: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<Option<T>, Refused> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let refused = || {
            // A value of any length may be there.
            let shown: String = value.chars().take(SHOWN_MAX).collect();
            told(
                "bad-value",
                format!("{} {shown}: it takes {takes}", written(name)),
            )
        };
        read(value).map(Some).ok_or_else(refused)
    }

    /// The options of the job.
    ///
    /// # Errors
    /// Those of the options, without an app.
    pub(crate) fn job(&self) -> Result<JobArgs, Refused> {
        let read = job_args(&self.of_job).map(|(_, job)| job);
        read.map_err(|error| {
            let SpecError::BadOption { option, fault, .. } = &error else {
                return error.into();
            };
            told("bad-option", format!("{option} {fault}"))
        })
    }

    /// Refuses words that are no options.
    ///
    /// # Errors
    /// `bad-option`.
    pub(crate) fn no_words(&self) -> Result<(), Refused> {
        self.words
            .first()
            .map_or(Ok(()), |word| Err(misplaced(word)))
    }

    /// The only word besides options. `what`: what it is.
    ///
    /// # Errors
    /// `bad-option` for none, and for a second one.
    pub(crate) fn only(&self, what: &str) -> Result<&'a String, Refused> {
        match self.words[..] {
            [word] => Ok(word),
            [] => Err(missing(self.command, what)),
            [_, second, ..] => Err(misplaced(second)),
        }
    }
}

/// The most signs of a value in a message.
const SHOWN_MAX: usize = 64;

/// Whether a word is no option: `-` alone is standard input.
pub(crate) fn is_plain(word: &str) -> bool {
    word.len() < 2 || !word.starts_with('-')
}

/// Refuses a command line that lacks a word.
pub(crate) fn missing(command: &Subcommand, what: &str) -> Refused {
    let sentence = format!("{what} is missing: it comes after the subcommand");
    let usage = format!("stowplan {} {}", command.words, command.synopsis);
    mended(sentence, usage)
}

/// The refusal of an option or a word, with what to type instead.
fn mended(sentence: String, remedy: String) -> Refused {
    Refused::Mended {
        refused: Box::new(told("bad-option", sentence)),
        remedies: vec![remedy],
    }
}

/// Refuses a word that is one too many.
pub(crate) fn misplaced(word: &str) -> Refused {
    told("bad-option", format!("{word} {}", OptionFault::Misplaced))
}
