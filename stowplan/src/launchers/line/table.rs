//! Lines that are read by a table of words: PALS, ALPS, JSM.

use super::asked::LineAsked;
use super::refused::LineRefused;
use stowplan_engine::text::digits::number;
use stowplan_engine::text::words::nearest;

/// How many values a word takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// None.
    Zero,
    /// One.
    One,
    /// Two; one, if it stands behind `=` or holds one.
    Two,
}

/// A word: its spelling without dashes, its values, its meaning.
pub type Row<M> = (&'static str, Values, M);

/// How a launcher's words are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// `-word V`, `--word V`, `--word=V`.
    Words,
    /// `-n4` as well: a value may follow its word without a blank.
    Stuck,
}

/// What ends a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// `:`: another program follows.
    Colon,
    /// The end of the line.
    Line,
}

/// An option as it was said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said<M> {
    /// Its meaning.
    pub means: M,
    /// Its spelling, with dashes.
    pub name: String,
    /// Its value; of two the second, empty for a flag.
    pub value: String,
    /// Its place in the line.
    pub word: usize,
}

impl<M> Said<M> {
    /// A refusal that points at this option.
    #[must_use]
    pub fn refused(&self, asked: &LineAsked<'_>, class: &'static str, why: &str) -> LineRefused {
        let blank = if self.value.is_empty() { "" } else { " " };
        let sentence = format!(
            "{}: {}{blank}{}: {why}",
            asked.command, self.name, self.value
        );
        at(asked, self.word, class, sentence)
    }

    /// Its value as a number.
    ///
    /// # Errors
    /// `launcher-refuses`.
    pub fn number(&self, asked: &LineAsked<'_>) -> Result<u32, LineRefused> {
        number(&self.value)
            .ok_or_else(|| self.refused(asked, "launcher-refuses", "a number is expected here"))
    }
}

/// A program of a line, with the options before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part<M> {
    /// The options.
    pub said: Vec<Said<M>>,
    /// The program and its arguments; empty: there is none.
    pub program: Vec<String>,
}

impl<M: Copy + PartialEq> Part<M> {
    /// The last option of a meaning.
    pub fn last(&self, means: M) -> Option<&Said<M>> {
        self.said.iter().rev().find(|said| said.means == means)
    }

    /// The number of the last option of a meaning.
    ///
    /// # Errors
    /// `launcher-refuses` where no number stands.
    pub fn number(&self, asked: &LineAsked<'_>, means: M) -> Result<Option<u32>, LineRefused> {
        self.last(means).map(|said| said.number(asked)).transpose()
    }

    /// As [`Self::number`], from 1 on.
    ///
    /// # Errors
    /// `launcher-refuses`, also for 0.
    pub fn positive(&self, asked: &LineAsked<'_>, means: M) -> Result<Option<u32>, LineRefused> {
        let zero =
            |said: &Said<M>| said.refused(asked, "launcher-refuses", "at least 1 is expected here");
        match (self.number(asked, means)?, self.last(means)) {
            (Some(0), Some(said)) => Err(zero(said)),
            (number, _) => Ok(number),
        }
    }

    /// Checks that a program is named, and that no word stands before it that does what is not known.
    ///
    /// # Errors
    /// `not-modelled`, `launcher-refuses`.
    pub fn known(&self, asked: &LineAsked<'_>, unknown: M) -> Result<(), LineRefused> {
        if let Some(said) = self.last(unknown) {
            return Err(said.refused(asked, "not-modelled", "what it does is not known here"));
        }
        self.named(asked)
    }

    /// Checks that a program is named.
    ///
    /// # Errors
    /// `launcher-refuses`.
    pub fn named(&self, asked: &LineAsked<'_>) -> Result<(), LineRefused> {
        match self.program.is_empty() {
            true => Err(asked.refused("launcher-refuses", "no program is named")),
            false => Ok(()),
        }
    }
}

/// A refusal at a word.
#[must_use]
pub fn at(
    asked: &LineAsked<'_>,
    word: usize,
    class: &'static str,
    sentence: String,
) -> LineRefused {
    let length = asked.words.get(word).map_or(0, String::len);
    LineRefused::new(class, sentence).at(word, 0..length)
}

/// Reads a line by a table of words.
///
/// # Errors
/// `bad-option` for a word that is not in the table; `launcher-refuses` for a missing value.
pub fn read<M: Copy>(
    asked: &LineAsked<'_>,
    rows: &[Row<M>],
    style: Style,
    ends: Ends,
) -> Result<Vec<Part<M>>, LineRefused> {
    let mut parts = Vec::new();
    let mut place = 0;
    loop {
        let mut part = Part {
            said: Vec::new(),
            program: Vec::new(),
        };
        while let Some(word) = asked.words.get(place) {
            if word.len() < 2 || !word.starts_with('-') {
                break;
            }
            place += option(asked, rows, style, place, &mut part)?;
        }
        while let Some(word) = asked.words.get(place) {
            if ends == Ends::Colon && word == ":" {
                break;
            }
            part.program.push(word.clone());
            place += 1;
        }
        parts.push(part);
        if place >= asked.words.len() {
            return Ok(parts);
        }
        place += 1;
    }
}

/// A word as the table has it, and the value that stands in it.
type Found<'r, 'w, M> = (&'r Row<M>, Option<&'w str>);

fn find<'r, 'w, M>(rows: &'r [Row<M>], style: Style, word: &'w str) -> Option<Found<'r, 'w, M>> {
    let bare = word.trim_start_matches('-');
    let named = |name: &str| rows.iter().find(|row| row.0 == name);
    if let Some(row) = named(bare) {
        return Some((row, None));
    }
    if let Some((name, value)) = bare.split_once('=')
        && let Some(row) = named(name)
    {
        return Some((row, Some(value)));
    }
    if style == Style::Words || word.starts_with("--") {
        return None;
    }
    let begins = rows
        .iter()
        .filter(|row| row.1 != Values::Zero && bare.starts_with(row.0));
    let longest = begins.max_by_key(|row| row.0.len())?;
    // Long words stand alone.
    let is_short = longest.0.len() <= 2;
    is_short.then(|| (longest, Some(&bare[longest.0.len()..])))
}

/// Reads one option; returns how many words it takes.
fn option<M: Copy>(
    asked: &LineAsked<'_>,
    rows: &[Row<M>],
    style: Style,
    place: usize,
    part: &mut Part<M>,
) -> Result<usize, LineRefused> {
    let word = &asked.words[place];
    let Some((row, inline)) = find(rows, style, word) else {
        let name = word.split('=').next().unwrap_or(word);
        let sentence = format!("{}: {name} is no option of its", asked.command);
        let near = nearest(rows.iter().map(|row| row.0), name.trim_start_matches('-'));
        let refused = at(asked, place, "bad-option", sentence);
        return Err(refused.help(near.map(|near| format!("did you mean --{near}?"))));
    };
    let behind = |many: usize| asked.words.get(place + many).cloned();
    let (value, taken) = match (row.1, inline) {
        (Values::Zero, _) => (Some(String::new()), 1),
        (Values::One | Values::Two, Some(value)) => (Some(value.to_owned()), 1),
        (Values::One, None) => (behind(1), 2),
        (Values::Two, None) => match behind(1) {
            Some(both) if both.contains('=') => (Some(both), 2),
            Some(_) | None => (behind(2), 3),
        },
    };
    let dashes = if row.0.len() > 2 { "--" } else { "-" };
    let name = format!("{dashes}{}", row.0);
    let Some(value) = value else {
        let sentence = format!("{}: {name} needs a value", asked.command);
        return Err(at(asked, place, "launcher-refuses", sentence));
    };
    part.said.push(Said {
        means: row.2,
        name,
        value,
        word: place,
    });
    Ok(taken)
}
