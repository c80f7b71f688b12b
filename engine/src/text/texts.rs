//! The texts that words were said in. Equal strings are kept once: a hundred thousand apps may say the same.

use crate::error::at::{At, AtText};
use std::collections::HashMap;
use std::sync::Arc;

/// Where a word stands: which of the texts, which bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextPlace {
    /// Row of [`Texts`].
    pub text: u32,
    /// First byte.
    pub start: u32,
    /// One behind the last byte.
    pub end: u32,
}

/// The texts that words were said in. They are not relayed: they serve messages alone.
#[derive(Clone, Default, Debug)]
pub struct Texts {
    rows: Vec<TextRow>,
    strings: Vec<Arc<str>>,
    known: HashMap<Arc<str>, u32>,
}

/// One text, its strings by number.
#[derive(Clone, Copy, Debug)]
struct TextRow {
    kind: Kind,
    app: Option<u32>,
    /// The option or key; a file's path.
    name: u32,
    /// What the byte range of an [`At`] counts in.
    content: u32,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Value,
    Request { file: u32, line: u32, column: u32 },
    File { line: u32 },
}

impl Texts {
    /// Adds a text.
    pub fn push(&mut self, text: AtText) -> u32 {
        let number = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let row = match text {
            AtText::Value { app, option, value } => TextRow {
                kind: Kind::Value,
                app,
                name: self.intern(option),
                content: self.intern(value),
            },
            AtText::Request {
                app,
                file,
                line,
                column,
                key,
                value,
            } => TextRow {
                kind: Kind::Request {
                    file: self.intern(file),
                    line,
                    column,
                },
                app,
                name: self.intern(key),
                content: self.intern(value),
            },
            AtText::File { path, line, text } => TextRow {
                kind: Kind::File { line },
                app: None,
                name: self.intern(path),
                content: self.intern(text),
            },
        };
        self.rows.push(row);
        number
    }

    fn intern(&mut self, text: String) -> u32 {
        if let Some(&number) = self.known.get(text.as_str()) {
            return number;
        }
        let number = u32::try_from(self.strings.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = text.into();
        self.strings.push(Arc::clone(&text));
        self.known.insert(text, number);
        number
    }

    fn string(&self, number: u32) -> String {
        self.strings
            .get(number as usize)
            .map(|text| text.as_ref().to_owned())
            .unwrap_or_default()
    }

    /// What the words of a text stand in; empty where there is no such text.
    pub(crate) fn content(&self, row: u32) -> Arc<str> {
        self.rows
            .get(row as usize)
            .and_then(|row| self.strings.get(row.content as usize))
            .map_or_else(|| "".into(), Arc::clone)
    }

    /// Texts so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// No texts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A place with its text, `None` when there is no such text.
    #[must_use]
    pub fn at(&self, place: TextPlace) -> Option<At> {
        let row = *self.rows.get(place.text as usize)?;
        let (name, content) = (self.string(row.name), self.string(row.content));
        let text = match row.kind {
            Kind::Value => AtText::Value {
                app: row.app,
                option: name,
                value: content,
            },
            Kind::Request { file, line, column } => AtText::Request {
                app: row.app,
                file: self.string(file),
                line,
                column,
                key: name,
                value: content,
            },
            Kind::File { line } => AtText::File {
                path: name,
                line,
                text: content,
            },
        };
        Some(At {
            text,
            start: place.start,
            end: place.end,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_as_it_was_and_is_kept_once() {
        let mut texts = Texts::default();
        let made = [
            AtText::Value {
                app: Some(3),
                option: "--map-by".to_owned(),
                value: "slot".to_owned(),
            },
            AtText::Request {
                app: None,
                file: "r.json".to_owned(),
                line: 2,
                column: 9,
                key: "--map-by".to_owned(),
                value: "slot".to_owned(),
            },
            AtText::File {
                path: "r.json".to_owned(),
                line: 7,
                text: "slot".to_owned(),
            },
        ];
        for text in &made {
            let row = texts.push(text.clone());
            let place = TextPlace {
                text: row,
                start: 0,
                end: 4,
            };
            assert_eq!(texts.at(place).unwrap().text, *text);
            assert_eq!(&*texts.content(row), "slot");
        }
        assert_eq!(texts.strings.len(), 3);
    }
}
