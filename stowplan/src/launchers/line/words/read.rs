//! Reads a line by its launcher's table.

use super::{Case, Class, ReadWords, Reading, SaidWord, Takes, Word, WordTable, is_letter};
use crate::launchers::line::LineRefused;
use stowplan_engine::text::words::nearest;

/// What a word of the line turned out to be.
enum Spelled<'a> {
    /// This word; its name ends at the byte; its value, if it is in the same word, begins at the byte.
    Known(&'static Word, usize, Option<(usize, &'a str)>),
    /// The name fits several words.
    Several(Vec<&'static str>),
    /// No word.
    Unknown,
}

impl WordTable {
    /// Reads the options of one program, from the word at `from` to the program, or to `:` where the launcher's programs are parted so.
    ///
    /// # Errors
    /// `bad-option` for an unknown word, with the nearest of this launcher's; `launcher-refuses` for a word without its value, with one
    /// that it does not take, or that ends the launcher; `not-modelled`. An unknown word comes first: the launcher itself
    /// looks at its words before it does anything.
    ///
    /// Cost: words × the table.
    pub fn read<'a>(&self, line: &'a [String], from: usize) -> Result<ReadWords<'a>, LineRefused> {
        let mut read = ReadWords {
            said: Vec::new(),
            program: from,
        };
        while let Some(word) = line.get(read.program) {
            if word == "--" && !matches!(self.reading, Reading::AnyDash(_)) {
                read.program += 1;
                break;
            }
            if word.len() < 2 || !word.starts_with('-') {
                break;
            }
            self.option(line, &mut read)?;
        }
        for said in &read.said {
            self.refuse_class(said)?;
        }
        Ok(read)
    }

    fn refuse_class(&self, said: &SaidWord<'_>) -> Result<(), LineRefused> {
        let (name, meaning) = (said.name(), said.word.meaning);
        let (class, sentence) = match said.word.class {
            Class::Placing | Class::Harmless => return Ok(()),
            Class::NotModelled => (
                "not-modelled",
                format!("{} {name}: {meaning}", self.command),
            ),
            Class::Ends => (
                "launcher-refuses",
                format!(
                    "{} {name}: {meaning}: it prints and ends, and starts nothing",
                    self.command
                ),
            ),
        };
        let (word, bytes) = said.at.clone();
        Err(LineRefused::new(class, sentence).at(word, bytes))
    }

    /// Reads one word of the line: an option, or several letters.
    fn option<'a>(&self, line: &'a [String], read: &mut ReadWords<'a>) -> Result<(), LineRefused> {
        let at = read.program;
        let text = line[at].as_str();
        read.program += 1;
        // Letters that stand together are read one by one; `begin` is where the next one is.
        let mut begin = 1;
        loop {
            let (word, end, inline) = match self.spelled(text, begin) {
                Spelled::Known(word, end, inline) => (word, end, inline),
                Spelled::Several(names) => return Err(self.cut_too_short(text, at, &names)),
                Spelled::Unknown => return Err(self.unknown(text, at)),
            };
            let name_at = if begin == 1 { 0..end } else { begin..end };
            let bundled = !text.starts_with("--")
                && self.reads_letters()
                && is_letter_of(word, &text[begin..end]);
            let mut said = SaidWord {
                word,
                value: "",
                second: "",
                has_value: false,
                value_at: (at, name_at.clone()),
                at: (at, name_at),
            };
            let more = match (word.takes, inline) {
                (Takes::Nothing, Some((start, _)))
                    if bundled && text.as_bytes()[start - 1] != b'=' =>
                {
                    begin = start;
                    true
                }
                (Takes::Nothing, Some((_, value))) => {
                    let sentence = format!(
                        "{} {}: it takes no value, not {value:?}",
                        self.command,
                        said.name()
                    );
                    return Err(said.refused("launcher-refuses", sentence));
                }
                (Takes::Nothing | Takes::Maybe, None) => false,
                (Takes::Value | Takes::Maybe | Takes::Pair, Some((start, value))) => {
                    said.value = value;
                    said.has_value = true;
                    said.value_at = (at, start..text.len());
                    false
                }
                (Takes::Value | Takes::Pair, None) => {
                    self.value_apart(line, read, &mut said)?;
                    false
                }
            };
            read.said.push(said);
            if !more {
                return Ok(());
            }
        }
    }

    /// The value of an option in the words behind it.
    fn value_apart<'a>(
        &self,
        line: &'a [String],
        read: &mut ReadWords<'a>,
        said: &mut SaidWord<'a>,
    ) -> Result<(), LineRefused> {
        let next = |read: &mut ReadWords<'a>| {
            let value = line.get(read.program)?;
            if self.reading == Reading::Argparse && looks_like_an_option(value) {
                return None;
            }
            read.program += 1;
            Some(value.as_str())
        };
        let lacks = |said: &SaidWord<'a>| {
            let sentence = format!("{} {}: it lacks its value", self.command, said.name());
            said.refused("launcher-refuses", sentence)
        };
        let Some(value) = next(read) else {
            return Err(lacks(said));
        };
        said.value = value;
        said.has_value = true;
        said.value_at = (read.program - 1, 0..value.len());
        if said.word.takes == Takes::Pair {
            match value.split_once('=') {
                Some((name, value)) => (said.value, said.second) = (name, value),
                None => match next(read) {
                    Some(second) => said.second = second,
                    None => return Err(lacks(said)),
                },
            }
        }
        Ok(())
    }

    const fn reads_letters(&self) -> bool {
        matches!(
            self.reading,
            Reading::Getopt | Reading::Argparse | Reading::LongFirst
        )
    }

    /// What the word is; `begin`: the byte of the next letter of several that stand together.
    fn spelled<'a>(&self, text: &'a str, begin: usize) -> Spelled<'a> {
        let value = |start: usize| Some((start, &text[start..]));
        let equals = text.find('=');
        let named = equals.unwrap_or(text.len());
        let inline = equals.and_then(|at| value(at + 1));
        let name = &text[..named];
        match self.reading {
            Reading::AnyDash(case) => {
                let bare = name.trim_start_matches('-');
                let fits = |own: &&str| {
                    let own = own.trim_start_matches('-');
                    own == bare || case == Case::Any && own.eq_ignore_ascii_case(bare)
                };
                match self.find(fits) {
                    Some(word) => Spelled::Known(word, named, inline),
                    None => Spelled::Unknown,
                }
            }
            Reading::Getopt | Reading::Argparse if text.starts_with("--") => {
                if let Some(word) = self.find(|own| *own == name) {
                    return Spelled::Known(word, named, inline);
                }
                if self.reading == Reading::Argparse {
                    return Spelled::Unknown;
                }
                self.cut_word(name, named, inline)
            }
            Reading::LongFirst
                if begin == 1
                    && let Some(word) = self.find(|own| *own == name && named > 2) =>
            {
                Spelled::Known(word, named, inline)
            }
            Reading::Getopt | Reading::Argparse | Reading::LongFirst => {
                let Some(letter) = text[begin..].chars().next() else {
                    return Spelled::Unknown;
                };
                let end = begin + letter.len_utf8();
                let fits = |own: &&str| is_letter(own) && own[1..].starts_with(letter);
                let Some(word) = self.find(fits) else {
                    return Spelled::Unknown;
                };
                let rest = match (self.reading, text[end..].strip_prefix('=')) {
                    (_, _) if end == text.len() => None,
                    (Reading::Argparse, Some(_)) => value(end + 1),
                    (_, _) => value(end),
                };
                Spelled::Known(word, end, rest)
            }
        }
    }

    /// A long word that is cut: one that begins so, unless several do.
    fn cut_word<'a>(
        &self,
        name: &str,
        named: usize,
        inline: Option<(usize, &'a str)>,
    ) -> Spelled<'a> {
        let begins = |word: &&'static Word| word.names.iter().any(|own| own.starts_with(name));
        let fits: Vec<&'static Word> = self.words.iter().filter(begins).collect();
        match fits.as_slice() {
            [] => Spelled::Unknown,
            [word] => Spelled::Known(word, named, inline),
            several => Spelled::Several(several.iter().map(|word| word.name()).collect()),
        }
    }

    fn find(&self, fits: impl Fn(&&'static str) -> bool) -> Option<&'static Word> {
        self.words.iter().find(|word| word.names.iter().any(&fits))
    }

    fn unknown(&self, text: &str, at: usize) -> LineRefused {
        let named = text.find('=').unwrap_or(text.len());
        let mut refused = LineRefused::new(
            "bad-option",
            format!("{} has no word {}", self.command, &text[..named]),
        )
        .at(at, 0..named);
        let names = self
            .words
            .iter()
            .flat_map(|word| word.names.iter().copied());
        let bare = |name: &'static str| name.trim_start_matches('-');
        let long = names.clone().filter(|name| !is_letter(name)).map(bare);
        let near = nearest(long, text[..named].trim_start_matches('-'));
        if let Some(near) = near.and_then(|near| names.clone().find(|name| bare(name) == near)) {
            refused
                .sentence
                .push_str(&format!(", the nearest is {near}"));
        }
        refused
    }

    fn cut_too_short(&self, text: &str, at: usize, names: &[&'static str]) -> LineRefused {
        let named = text.find('=').unwrap_or(text.len());
        let sentence = format!(
            "{} {}: it may be cut short for {}",
            self.command,
            &text[..named],
            names.join(", ")
        );
        LineRefused::new("bad-option", sentence).at(at, 0..named)
    }
}

fn is_letter_of(word: &Word, letter: &str) -> bool {
    let fits = |name: &&str| is_letter(name) && name[1..] == *letter;
    word.names.iter().any(fits)
}

/// Whether argparse takes a word for an option: it begins with a dash, stands for something, and is no negative number.
fn looks_like_an_option(word: &str) -> bool {
    let digits = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    word.len() > 1 && word.strip_prefix('-').is_some_and(|rest| !digits(rest))
}
