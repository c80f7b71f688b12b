//! Words in tables: what a launcher's words are, and how a line of them is read.
//!
//! A launcher has one [`WordTable`]: rows of [`Word`], and the [`Reading`] by which its own parser reads a line. [`WordTable::read`] gives
//! the words that were said, in order, and where the program begins. Help, hints and `docs/coming-from.md` are made from the rows.
//!
//! ```
//! use stowplan::launchers::line::words::{Class, Reading, Takes, Word, WordTable};
//!
//! const WORDS: WordTable = WordTable {
//!     command: "srun",
//!     reading: Reading::Getopt,
//!     words: &[
//!         Word::new(&["-n", "--ntasks"], Takes::Value, Class::Placing, "how many tasks"),
//!         Word::new(&["-l", "--label"], Takes::Nothing, Class::Harmless, "lines of output say their task"),
//!     ],
//! };
//!
//! let line = ["-ln4", "--nta=8", "./a", "-n", "9"].map(str::to_owned);
//! let read = WORDS.read(&line, 0)?;
//! let said: Vec<_> = read.said.iter().map(|said| (said.name(), said.value)).collect();
//! assert_eq!(said, [("--label", ""), ("--ntasks", "4"), ("--ntasks", "8")]);
//! assert_eq!(read.program, 2);
//!
//! let refused = WORDS.read(&["--ntaks=4".to_owned()], 0).unwrap_err();
//! assert_eq!((refused.class, refused.at), ("bad-option", Some((0, 0..7))));
//! assert_eq!(refused.sentence, "srun has no word --ntaks, the nearest is --ntasks");
//! # Ok::<(), stowplan::launchers::line::LineRefused>(())
//! ```

// A line read by its launcher's table.
mod read;

use super::LineRefused;
use std::ops::Range;

/// What a word is to us.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// It is obeyed.
    Placing,
    /// It places nothing: accepted in silence.
    Harmless,
    /// It places, but it is not known how; its meaning says what is not known.
    NotModelled,
    /// The launcher prints something and ends without a job.
    Ends,
}

/// Which values follow a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Takes {
    /// None.
    Nothing,
    /// One.
    Value,
    /// One or none: only in the same word, behind `=` or right behind a letter.
    Maybe,
    /// A name and a value: `N V`, or `N=V` as one word.
    Pair,
}

/// A word of a launcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    /// Its spellings with their dashes, as the launcher's help has them: a letter first, then long ones.
    pub names: &'static [&'static str],
    /// Which values follow it.
    pub takes: Takes,
    /// What it is to us.
    pub class: Class,
    /// What it means, in a few words; for [`Class::NotModelled`] what is not known.
    pub meaning: &'static str,
}

impl Word {
    /// A row of a table.
    #[must_use]
    pub const fn new(
        names: &'static [&'static str],
        takes: Takes,
        class: Class,
        meaning: &'static str,
    ) -> Self {
        Self {
            names,
            takes,
            class,
            meaning,
        }
    }

    /// Its name in sentences and in a launcher's code: the last spelling that is a long one, `--ntasks`, else its letter.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let mut long = self.names.iter().filter(|name| !is_letter(name));
        long.next().or(self.names.first()).copied().unwrap_or("")
    }
}

/// How a launcher's own parser reads its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// As `getopt_long` does (srun, jsrun): letters may stand together and have their value attached, long words may be cut while
    /// one word begins so, `--` ends the options.
    Getopt,
    /// As Python's argparse does where it allows no cut words (Flux): as [`Self::Getopt`], but a value that begins with a dash is none,
    /// and `-N=2` is `-N 2`.
    Argparse,
    /// One dash or two are the same, also before long words; nothing is attached or cut; `-word=value` where one value follows
    /// (Hydra in any case, Intel MPI and PALS in exact case).
    AnyDash(Case),
    /// A word with one dash is a long one if the table has it, else a letter with an attached value (aprun).
    LongFirst,
}

/// Whether names are compared in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    /// As they are written.
    Exact,
    /// In any case.
    Any,
}

/// The words of a launcher.
#[derive(Clone, Copy, Debug)]
pub struct WordTable {
    /// The launcher's word, for sentences: `srun`.
    pub command: &'static str,
    /// How it reads them.
    pub reading: Reading,
    /// The words.
    pub words: &'static [Word],
}

/// A word that was said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SaidWord<'a> {
    /// Its row.
    pub word: &'static Word,
    /// Its value, or the name of a pair; empty if it has none.
    pub value: &'a str,
    /// The value of a pair.
    pub second: &'a str,
    /// Whether a value was given, though it may be empty.
    pub has_value: bool,
    /// Its place in the line, and the bytes of its name there.
    pub at: (usize, Range<usize>),
    /// Where its value is; the place of its name if it has none.
    pub value_at: (usize, Range<usize>),
}

impl SaidWord<'_> {
    /// [`Word::name`].
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.word.name()
    }

    /// A refusal that points at the value.
    #[must_use]
    pub fn refused(&self, class: &'static str, sentence: impl Into<String>) -> LineRefused {
        let (word, bytes) = self.value_at.clone();
        LineRefused::new(class, sentence).at(word, bytes)
    }
}

/// The words of one program, as they were said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadWords<'a> {
    /// The options, in order.
    pub said: Vec<SaidWord<'a>>,
    /// The place of the first word that is no option; the length of the line if there is none.
    pub program: usize,
}

impl<'a> ReadWords<'a> {
    /// The last time that a word was said, by its [`Word::name`].
    #[must_use]
    pub fn last(&self, name: &str) -> Option<&SaidWord<'a>> {
        self.said.iter().rev().find(|said| said.name() == name)
    }
}

/// Whether a spelling is a letter behind one dash.
fn is_letter(name: &str) -> bool {
    !name.starts_with("--") && name.len() == 2
}
