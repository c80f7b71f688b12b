//! The part of YAML that topology files are written in: lists and maps by indentation, `{}` and `[]` on one line, plain and quoted words.

use super::BadNetwork;
use super::refused::Line;

/// Keys of a map.
const KEYS_MAX: usize = 256;
/// How deep lists and maps are nested.
const DEPTH_MAX: usize = 32;

/// A value, with the line where it begins.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Value {
    pub(super) line: u32,
    pub(super) what: What,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum What {
    Word(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

impl Value {
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
            _ => &[],
        }
    }
}

/// A line with its indentation.
struct Row<'t> {
    line: u32,
    indent: usize,
    text: &'t str,
}

/// Reads a document.
///
/// # Errors
/// The first line that is none of these.
pub(super) fn read(text: &str, source: &str) -> Result<Value, BadNetwork> {
    let mut rows = Vec::new();
    for (line, text) in (1_u32..).zip(text.lines()) {
        let bare = uncommented(text).trim_end();
        let inner = bare.trim_start();
        if inner.is_empty() || inner == "---" || inner == "..." {
            continue;
        }
        if bare[..bare.len() - inner.len()].contains('\t') {
            return Err(Line {
                source,
                number: line,
            }
            .bad("a tab stands in the indentation"));
        }
        rows.push(Row {
            line,
            indent: bare.len() - inner.len(),
            text: inner,
        });
    }
    let mut reader = Reader {
        rows,
        at: 0,
        source,
    };
    let Some(first) = reader.rows.first() else {
        return Err(Line { source, number: 0 }.bad("there is nothing in it"));
    };
    let value = reader.block(first.indent, 0)?;
    match reader.rows.get(reader.at) {
        None => Ok(value),
        Some(row) => Err(Line {
            source,
            number: row.line,
        }
        .bad(format!(
            "{:?} is indented in another way than what is before it",
            row.text
        ))),
    }
}

/// A line without its comment.
fn uncommented(text: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, sign) in text.char_indices() {
        match (quote, sign) {
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), _) if open == sign => quote = None,
            (None, '#') if before.is_whitespace() => return &text[..at],
            _ => {}
        }
        before = sign;
    }
    text
}

struct Reader<'t> {
    rows: Vec<Row<'t>>,
    at: usize,
    source: &'t str,
}

impl<'t> Reader<'t> {
    fn bad<T>(&self, line: u32, why: impl std::fmt::Display) -> Result<T, BadNetwork> {
        Err(Line {
            source: self.source,
            number: line,
        }
        .bad(why))
    }

    /// A list or a map whose lines have this indentation.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Value, BadNetwork> {
        let (line, text) = (self.rows[self.at].line, self.rows[self.at].text);
        if depth > DEPTH_MAX {
            return self.bad(line, "it is nested too deep");
        }
        let what = if text == "-" || text.starts_with("- ") {
            self.list(indent, depth)?
        } else if key_of(text).is_some() {
            self.map(indent, depth)?
        } else {
            self.at += 1;
            return self.inline(text, line);
        };
        Ok(Value { line, what })
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<What, BadNetwork> {
        let mut found = Vec::new();
        while let Some(row) = self
            .rows
            .get_mut(self.at)
            .filter(|row| row.indent == indent)
        {
            let Some(rest) = row
                .text
                .strip_prefix('-')
                .filter(|rest| rest.is_empty() || rest.starts_with(' '))
            else {
                break;
            };
            let inner = rest.trim_start();
            if inner.is_empty() {
                let line = row.line;
                self.at += 1;
                found.push(self.below(indent, line, depth)?);
            } else {
                // What stands behind the dash is a line of its own, indented to where it stands.
                row.indent += row.text.len() - inner.len();
                row.text = inner;
                let inside = row.indent;
                found.push(self.block(inside, depth + 1)?);
            }
        }
        Ok(What::List(found))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Result<What, BadNetwork> {
        let mut found: Vec<(String, Value)> = Vec::new();
        while let Some(row) = self.rows.get(self.at).filter(|row| row.indent == indent) {
            let (line, text) = (row.line, row.text);
            let Some((key, rest)) = key_of(text) else {
                break;
            };
            if found.iter().any(|pair| pair.0 == key) {
                return self.bad(line, format!("{key} stands there twice"));
            }
            if found.len() == KEYS_MAX {
                return self.bad(line, format!("a map has at most {KEYS_MAX} keys"));
            }
            self.at += 1;
            let value = if rest.is_empty() {
                self.below(indent, line, depth)?
            } else {
                self.inline(rest, line)?
            };
            found.push((key, value));
        }
        Ok(What::Map(found))
    }

    /// What is indented below a key or a dash. A list below a key may stand as far out as the key.
    fn below(&mut self, indent: usize, line: u32, depth: usize) -> Result<Value, BadNetwork> {
        match self.rows.get(self.at) {
            Some(row)
                if row.indent > indent || (row.indent == indent && row.text.starts_with("- ")) =>
            {
                let inside = row.indent;
                self.block(inside, depth + 1)
            }
            _ => Ok(Value {
                line,
                what: What::Word(String::new()),
            }),
        }
    }

    /// A value that stands on one line.
    fn inline(&self, text: &str, line: u32) -> Result<Value, BadNetwork> {
        let inner = |open: char, close: char| {
            text.strip_prefix(open)
                .and_then(|rest| rest.strip_suffix(close))
        };
        if let Some(inside) = inner('{', '}') {
            let mut pairs = Vec::new();
            for item in items(inside) {
                let Some((key, rest)) = item.split_once(':') else {
                    return self.bad(line, format!("{item:?} is no key: value"));
                };
                pairs.push((
                    bare(key),
                    Value {
                        line,
                        what: What::Word(bare(rest)),
                    },
                ));
            }
            return Ok(Value {
                line,
                what: What::Map(pairs),
            });
        }
        if let Some(inside) = inner('[', ']') {
            let each = items(inside).map(|item| Value {
                line,
                what: What::Word(bare(item)),
            });
            return Ok(Value {
                line,
                what: What::List(each.collect()),
            });
        }
        if text.starts_with(['{', '[', '|', '>', '&', '*']) {
            return self.bad(line, format!("{text:?} is in a form that is not read here"));
        }
        Ok(Value {
            line,
            what: What::Word(bare(text)),
        })
    }
}

/// The items between commas.
fn items(inside: &str) -> impl Iterator<Item = &str> {
    inside
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

/// A key and what stands behind its colon.
fn key_of(text: &str) -> Option<(String, &str)> {
    let (key, rest) = text.split_once(':')?;
    let fine = !key.is_empty()
        && !key.starts_with(['{', '['])
        && (rest.is_empty() || rest.starts_with(' '));
    fine.then(|| (bare(key), rest.trim()))
}

/// A word without its quotes.
fn bare(text: &str) -> String {
    let text = text.trim();
    let inner = |quote: char| {
        text.strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
    };
    inner('"')
        .or_else(|| inner('\''))
        .unwrap_or(text)
        .to_owned()
}
