//! The texts that hold the words. Equal strings are kept once: a hundred thousand apps may say the same.

use crate::error::at::{At, AtText};
use std::collections::HashMap;
use std::sync::Arc;

/// The place of a word: which text, which bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextPlace {
    /// Row of [`Texts`].
    pub text: u32,
    /// First byte.
    pub start: u32,
    /// One behind the last byte.
    pub end: u32,
}

impl TextPlace {
    /// These bytes of a text.
    pub(crate) fn of(text: u32, start: usize, end: usize) -> Self {
        let [start, end] = [start, end].map(number_of);
        Self { text, start, end }
    }
}

/// The texts that hold the words. They are not relayed: they serve only messages.
#[derive(Clone, Default, Debug)]
pub struct Texts {
    /// Their strings by number.
    rows: Vec<AtText<u32>>,
    strings: Vec<Arc<str>>,
    known: HashMap<Arc<str>, u32>,
}

impl Texts {
    /// Adds a text. Returns its row.
    pub fn push(&mut self, text: AtText) -> u32 {
        let row = text.map(|string| self.intern(string));
        self.rows.push(row);
        number_of(self.rows.len() - 1)
    }

    fn intern(&mut self, text: String) -> u32 {
        if let Some(&number) = self.known.get(text.as_str()) {
            return number;
        }
        let number = number_of(self.strings.len());
        let text: Arc<str> = text.into();
        self.strings.push(Arc::clone(&text));
        self.known.insert(text, number);
        number
    }

    /// Each string once.
    #[doc(hidden)]
    #[must_use]
    pub fn strings(&self) -> &[Arc<str>] {
        &self.strings
    }

    /// The string of a text that holds its words; empty if there is no such text.
    #[doc(hidden)]
    pub fn content(&self, row: u32) -> Arc<str> {
        match self.rows.get(row as usize) {
            Some(row) => Arc::clone(&self.strings[*row.content() as usize]),
            None => "".into(),
        }
    }

    /// The whole of a text as a place.
    pub(crate) fn whole(&self, row: u32) -> TextPlace {
        TextPlace::of(row, 0, self.content(row).len())
    }

    /// A place with its text. If there is no such text, it is a place in a file without a name.
    #[must_use]
    pub fn at(&self, place: TextPlace) -> At {
        let string = |number: u32| self.strings[number as usize].as_ref().to_owned();
        let nowhere = || AtText::File {
            path: String::new(),
            line: 0,
            text: String::new(),
        };
        let row = self.rows.get(place.text as usize);
        At {
            text: row.map_or_else(nowhere, |row| row.map(string)),
            start: place.start,
            end: place.end,
        }
    }
}

fn number_of(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}
