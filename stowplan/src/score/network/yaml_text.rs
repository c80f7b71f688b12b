//! A text in YAML as words, lists and maps, each with the line where it begins.
//!
//! A parser's events are taken one by one, so that a small text cannot become large: aliases are refused.

use super::BadNetwork;
use super::refused::{Line, in_line};
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};

/// Keys of a map.
const KEYS_MAX: usize = 256;
/// How deep lists and maps are nested.
const DEPTH_MAX: usize = 32;

/// A value, with the line where it begins.
#[derive(Clone, Debug)]
pub(super) struct Value<'t> {
    pub(super) line: Line<'t>,
    pub(super) what: What<'t>,
}

#[derive(Clone, Debug)]
pub(super) enum What<'t> {
    /// A word or a number; empty where nothing stands.
    Word(String),
    List(Vec<Value<'t>>),
    Map(Vec<(String, Value<'t>)>),
}

impl<'t> Value<'t> {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let What::Map(pairs) = &self.what else {
            return None;
        };
        pairs.iter().find(|pair| pair.0 == key).map(|pair| &pair.1)
    }

    /// The word of a key.
    pub(super) fn word(&self, key: &str) -> Option<&str> {
        match &self.get(key)?.what {
            What::Word(word) => Some(word),
            What::List(_) | What::Map(_) => None,
        }
    }

    /// The list of a key.
    pub(super) fn list(&self, key: &str) -> &[Self] {
        match self.get(key).map(|value| &value.what) {
            Some(What::List(list)) => list,
            Some(What::Word(_) | What::Map(_)) | None => &[],
        }
    }
}

/// Reads a document.
///
/// # Errors
/// Where the text is no YAML, has aliases or a key twice, or is nested too deep.
pub(super) fn read<'t>(text: &'t str, source: &'t str) -> Result<Value<'t>, BadNetwork> {
    let tabbed = |line: &str| line[..line.len() - line.trim_start().len()].contains('\t');
    if let Some(number) = text.lines().position(tabbed) {
        let number = u32::try_from(number + 1).unwrap_or(0);
        return Err(in_line(source, number).bad("a tab is in the indentation"));
    }
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        source,
    };
    let value = reader.value(0)?;
    let value = value.ok_or_else(|| in_line(source, 0).bad("there is nothing in it"))?;
    match reader.value(0)? {
        None => Ok(value),
        Some(second) => Err(second.line.bad("a second document begins here")),
    }
}

struct Reader<'t> {
    events: Parser<'t, StrInput<'t>>,
    source: &'t str,
}

impl<'t> Reader<'t> {
    /// The value that begins next. None: what is around it ends.
    fn value(&mut self, depth: usize) -> Result<Option<Value<'t>>, BadNetwork> {
        let source = self.source;
        let at = |number: usize| in_line(source, u32::try_from(number).unwrap_or(0));
        let Some(event) = self.events.next() else {
            return Ok(None);
        };
        let (event, span) = event.map_err(|wrong| at(wrong.marker().line()).bad(wrong.info()))?;
        let line = at(span.start.line());
        if depth > DEPTH_MAX {
            return Err(line.bad("it is nested too deep"));
        }
        let what = match event {
            Event::Scalar(word, ScalarStyle::Plain, ..) if word == "~" => What::Word(String::new()),
            Event::Scalar(word, ..) => What::Word(word.into_owned()),
            Event::SequenceStart(..) => {
                let mut found = Vec::new();
                while let Some(item) = self.value(depth + 1)? {
                    found.push(item);
                }
                What::List(found)
            }
            Event::MappingStart(..) => What::Map(self.pairs(depth + 1)?),
            Event::Alias(_) => return Err(line.bad("an alias (*) is not read here")),
            Event::SequenceEnd | Event::MappingEnd | Event::StreamEnd => return Ok(None),
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {
                return self.value(depth);
            }
        };
        Ok(Some(Value { line, what }))
    }

    fn pairs(&mut self, depth: usize) -> Result<Vec<(String, Value<'t>)>, BadNetwork> {
        let mut found: Vec<(String, Value<'t>)> = Vec::new();
        while let Some(Value { line, what }) = self.value(depth)? {
            let What::Word(key) = what else {
                return Err(line.bad("a key is a word"));
            };
            if found.iter().any(|pair| pair.0 == key) {
                return Err(line.bad(format!("{key} is given twice")));
            }
            if found.len() == KEYS_MAX {
                return Err(line.bad(format!("a map has at most {KEYS_MAX} keys")));
            }
            if let Some(value) = self.value(depth)? {
                found.push((key, value));
            }
        }
        Ok(found)
    }
}
