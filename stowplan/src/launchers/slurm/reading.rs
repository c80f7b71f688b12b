//! A line read as getopt_long reads it: bundled letters, cut words, values.

use super::refusals;
use super::words::{Takes, Word};
use crate::launchers::line::LineRefused;
use stowplan_engine::text::words::nearest;

/// An option that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said<'w> {
    pub(super) word: Word,
    /// The value; empty where the word has none.
    pub(super) value: &'w str,
    /// Whether there was a value, for words that may have one.
    pub(super) valued: Valued,
    /// The word of the line in which it stands.
    pub(super) at: usize,
}

/// Whether a value was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Valued {
    Yes,
    No,
}

/// The options of a line, and where the program begins.
#[derive(Debug)]
pub(super) struct Read<'w> {
    pub(super) said: Vec<Said<'w>>,
    pub(super) program: usize,
}

/// Reads up to the first word that is no option.
pub(super) fn read<'w>(words: &'w [String], table: &[Word]) -> Result<Read<'w>, LineRefused> {
    let mut reader = Reader {
        words,
        table,
        at: 0,
        said: Vec::new(),
    };
    while let Some(word) = words.get(reader.at) {
        if word == "--" {
            reader.at += 1;
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            reader.long(long)?;
        } else if word.len() > 1 && word.starts_with('-') {
            reader.letters(&word[1..])?;
        } else {
            break;
        }
        reader.at += 1;
    }
    Ok(Read {
        said: reader.said,
        program: reader.at.min(words.len()),
    })
}

struct Reader<'w, 't> {
    words: &'w [String],
    table: &'t [Word],
    at: usize,
    said: Vec<Said<'w>>,
}

impl<'w> Reader<'w, '_> {
    fn refused(&self, refused: LineRefused) -> LineRefused {
        let at = self.at.min(self.words.len().saturating_sub(1));
        let length = self.words.get(at).map_or(0, String::len);
        refused.at(at, 0..length)
    }

    fn long(&mut self, text: &'w str) -> Result<(), LineRefused> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let word = self.find(name)?;
        let at = self.at;
        let value = match (word.takes, value) {
            (Takes::Nothing, Some(_)) => {
                let sentence = format!("--{name} has no value");
                return Err(self.refused(refusals::option(sentence)));
            }
            (Takes::Value, None) => Some(self.next_word(&word)?),
            (_, value) => value,
        };
        self.push(word, value, at);
        Ok(())
    }

    fn letters(&mut self, letters: &'w str) -> Result<(), LineRefused> {
        let at = self.at;
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            let found = self.table.iter().find(|word| word.short == Some(letter));
            let Some(word) = found.copied() else {
                let sentence = format!("srun: invalid option -- '{letter}'");
                return Err(self.refused(refusals::option(sentence)));
            };
            match word.takes {
                Takes::Nothing => self.push(word, None, at),
                Takes::Maybe => {
                    self.push(word, Some(rest).filter(|rest| !rest.is_empty()), at);
                    return Ok(());
                }
                Takes::Value => {
                    let value = match rest {
                        "" => self.next_word(&word)?,
                        rest => rest,
                    };
                    self.push(word, Some(value), at);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, word: Word, value: Option<&'w str>, at: usize) {
        self.said.push(Said {
            word,
            value: value.unwrap_or(""),
            valued: if value.is_some() {
                Valued::Yes
            } else {
                Valued::No
            },
            at,
        });
    }

    fn next_word(&mut self, word: &Word) -> Result<&'w str, LineRefused> {
        let Some(value) = self.words.get(self.at + 1) else {
            let sentence = format!("srun: {} requires an argument", word.name());
            return Err(self.refused(refusals::option(sentence)));
        };
        self.at += 1;
        Ok(value)
    }

    /// The word of a spelling, which may be cut while one word begins so.
    fn find(&self, name: &str) -> Result<Word, LineRefused> {
        let spellings = || {
            self.table
                .iter()
                .flat_map(|word| word.long.iter().map(move |long| (*long, word)))
        };
        if let Some((_, word)) = spellings().find(|(long, _)| *long == name) {
            return Ok(*word);
        }
        let begun: Vec<_> = spellings()
            .filter(|(long, _)| long.starts_with(name))
            .collect();
        let Some((_, first)) = begun.first().filter(|_| !name.is_empty()) else {
            let refused = refusals::option(format!("srun: unrecognized option '--{name}'"));
            let near = nearest(spellings().map(|(long, _)| long), name);
            let near = near.map(|near| format!("did you mean --{near}?"));
            return Err(self.refused(refused.help(near)));
        };
        if begun.iter().all(|(_, word)| word.long == first.long) {
            return Ok(**first);
        }
        let all: Vec<String> = begun.iter().map(|(long, _)| format!("--{long}")).collect();
        let sentence = format!(
            "srun: option '--{name}' is ambiguous; possibilities: {}",
            all.join(" ")
        );
        Err(self.refused(refusals::option(sentence)))
    }
}
