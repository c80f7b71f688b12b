//! Words with quotes taken off and variables put in, as a shell does it. What only a shell could tell is refused.

use super::arithmetic;
use super::quoting::Ends;
use super::variables::{Opens, Value, Variables};
use crate::job::batch::text::{Span, Text};
use stowplan_engine::error::SpecError;
use stowplan_engine::limit::{SCRIPT_DEPTH_MAX, SCRIPT_WORD_BYTES_MAX};

/// A place of a script, with the variables that are known there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here<'a> {
    pub(super) text: &'a Text<'a>,
    pub(super) variables: &'a Variables,
    /// The item of the script.
    pub(super) item: usize,
}

/// Words that are being made.
#[derive(Debug, Default)]
struct Fields {
    done: Vec<String>,
    /// The word that is being made; `None`: none has begun.
    own: Option<String>,
}

/// Whether blanks in a value part words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quoted {
    Yes,
    No,
}

impl Fields {
    fn add(&mut self, text: &str) {
        self.own.get_or_insert_default().push_str(text);
    }

    /// Puts in a value.
    fn put(&mut self, value: &str, quoted: Quoted) {
        if quoted == Quoted::Yes {
            return self.add(value);
        }
        let blank = |sign: char| matches!(sign, ' ' | '\t' | '\n');
        let mut parts = value.split(blank);
        if let Some(first) = parts.next().filter(|first| !first.is_empty()) {
            self.add(first);
        }
        for part in parts {
            self.done.extend(self.own.take());
            if !part.is_empty() {
                self.add(part);
            }
        }
    }
}

impl Here<'_> {
    /// The words that a word becomes: none or several, if a value outside quotes is empty or has blanks.
    ///
    /// # Errors
    /// `unknown-variable` at a variable or substitution whose value is not known; `bad-script` for a word that is too long.
    pub(super) fn words(self, span: Span) -> Result<Vec<String>, SpecError> {
        let mut fields = Fields::default();
        self.pieces(span, Quoted::No, 0, &mut fields)?;
        fields.done.extend(fields.own.take());
        Ok(fields.done)
    }

    /// The one word that a value becomes.
    ///
    /// # Errors
    /// As [`Self::words`].
    pub(super) fn value(self, span: Span) -> Result<String, SpecError> {
        self.quoted(span, 0)
    }

    /// Blanks of a value part no words here.
    fn quoted(self, span: Span, depth: usize) -> Result<String, SpecError> {
        let mut fields = Fields::default();
        self.pieces(span, Quoted::Yes, depth, &mut fields)?;
        Ok(fields.own.unwrap_or_default())
    }

    fn unknown(self, span: Span, what: &str, help: Vec<String>) -> SpecError {
        self.text.refused("unknown-variable", span, what, help)
    }

    /// Goes over the pieces of a word. `values`: whether values that are put in part words.
    fn pieces(
        self,
        span: Span,
        values: Quoted,
        depth: usize,
        fields: &mut Fields,
    ) -> Result<(), SpecError> {
        let (text, ends) = (self.text, Ends::new(self.text));
        if depth > SCRIPT_DEPTH_MAX {
            return Err(text.bad(span, "too many substitutions in one another"));
        }
        let mut at = span.start;
        while at < span.end {
            let rest = &text.text[at..span.end];
            let sign = rest.chars().next().unwrap_or('\0');
            let end = match sign {
                '\\' if rest.starts_with("\\\n") => at + 2,
                '\\' => {
                    let next: String = rest.chars().skip(1).take(1).collect();
                    fields.add(&next);
                    at + 1 + next.len()
                }
                '\'' => {
                    let end = rest[1..].find('\'').map_or(span.end, |end| at + end + 2);
                    self.is_text(Span { start: at, end })?;
                    fields.add(text.text[at + 1..end.max(at + 1)].trim_end_matches('\''));
                    end
                }
                '"' => {
                    let end = ends.of_quote(at)?;
                    fields.add("");
                    let inner = Span {
                        start: at + 1,
                        end: end - 1,
                    };
                    self.in_quotes(inner, depth, fields)?;
                    end
                }
                '`' => {
                    let end = ends.of_backtick(at)?;
                    return Err(self.command(Span { start: at, end }));
                }
                '$' => self.dollar(at, span.end, values, depth, fields)?,
                '{' if is_brace_list(rest) => {
                    let end = at + rest.find('}').unwrap_or(0) + 1;
                    let what = "braces with several values: they are not written out here";
                    return Err(self.unknown(Span { start: at, end }, what, Vec::new()));
                }
                _ => {
                    let plain = |sign: char| !"\\'\"`${".contains(sign);
                    let length = rest[sign.len_utf8()..]
                        .find(|sign| !plain(sign))
                        .map_or(rest.len(), |length| length + sign.len_utf8());
                    self.is_text(Span {
                        start: at,
                        end: at + length,
                    })?;
                    fields.add(&rest[..length]);
                    at + length
                }
            };
            let long = fields.own.as_ref().map_or(0, String::len);
            if long > SCRIPT_WORD_BYTES_MAX || fields.done.len() > SCRIPT_WORD_BYTES_MAX {
                let what = format!("a word of more than {SCRIPT_WORD_BYTES_MAX} bytes");
                return Err(text.bad(Span { start: at, end }, &what));
            }
            at = end;
        }
        Ok(())
    }

    /// The inside of double quotes.
    fn in_quotes(self, span: Span, depth: usize, fields: &mut Fields) -> Result<(), SpecError> {
        let (text, ends) = (self.text, Ends::new(self.text));
        let mut at = span.start;
        while at < span.end {
            let rest = &text.text[at..span.end];
            at = match rest.as_bytes()[0] {
                b'\\' if rest.len() > 1 && b"\"\\$`\n".contains(&rest.as_bytes()[1]) => {
                    fields.add(rest[1..2].trim_end_matches('\n'));
                    at + 2
                }
                b'\\' => {
                    fields.add("\\");
                    at + 1
                }
                b'`' => {
                    let end = ends.of_backtick(at)?;
                    return Err(self.command(Span { start: at, end }));
                }
                b'$' => self.dollar(at, span.end, Quoted::Yes, depth, fields)?,
                _ => {
                    let first = rest.chars().next().map_or(1, char::len_utf8);
                    let length = rest[first..]
                        .find(['\\', '`', '$'])
                        .map_or(rest.len(), |length| length + first);
                    self.is_text(Span {
                        start: at,
                        end: at + length,
                    })?;
                    fields.add(&rest[..length]);
                    at + length
                }
            };
        }
        Ok(())
    }

    /// Refuses bytes that were no UTF-8.
    fn is_text(self, span: Span) -> Result<(), SpecError> {
        match self.text.of(span).contains(char::REPLACEMENT_CHARACTER) {
            true => Err(self.text.bad(span, "this is no UTF-8")),
            false => Ok(()),
        }
    }

    fn command(self, span: Span) -> SpecError {
        let what = format!("{}: no shell is started here", short(self.text.of(span)));
        self.unknown(span, &what, vec!["say the value in its place".to_owned()])
    }

    /// What begins with a dollar; returns its end.
    fn dollar(
        self,
        at: usize,
        limit: usize,
        quoted: Quoted,
        depth: usize,
        fields: &mut Fields,
    ) -> Result<usize, SpecError> {
        let rest = &self.text.text[at..limit];
        let ends = Ends::new(self.text);
        if rest.starts_with("$((") {
            let end = ends.of_dollar(at)?;
            let whole = Span { start: at, end };
            if self.text.of(whole).ends_with("))") {
                let inner = Span {
                    start: at + 3,
                    end: end - 2,
                };
                let sum = self.sum(inner, whole, depth)?;
                fields.put(&sum.to_string(), quoted);
                return Ok(end);
            }
        }
        if rest.starts_with("$(") || rest.starts_with("$'") {
            let end = ends.of_dollar(at)?;
            return Err(self.command(Span { start: at, end }));
        }
        if rest.starts_with("${") {
            let end = ends.of_dollar(at)?;
            let value = self.braced(Span { start: at, end }, depth)?;
            fields.put(&value, quoted);
            return Ok(end);
        }
        let name = name_of(&rest[1..]);
        if name.is_empty() {
            let special = rest[1..]
                .chars()
                .next()
                .filter(|sign| "@*#?$!-0123456789".contains(*sign));
            let Some(special) = special else {
                fields.add("$");
                return Ok(at + 1);
            };
            let end = at + 1 + special.len_utf8();
            let what = format!("${special}: its value is not known before the script runs");
            return Err(self.unknown(Span { start: at, end }, &what, Vec::new()));
        }
        let end = at + 1 + name.len();
        let span = Span { start: at, end };
        fields.put(&self.known(name, span)?, quoted);
        Ok(end)
    }

    /// `${NAME…}`.
    fn braced(self, span: Span, depth: usize) -> Result<String, SpecError> {
        let inner = &self.text.text[span.start + 2..span.end - 1];
        if let Some(name) = inner.strip_prefix('#')
            && !name.is_empty()
            && name_of(name) == name
        {
            return Ok(self.known(name, span)?.chars().count().to_string());
        }
        let name = name_of(inner);
        let rest = &inner[name.len()..];
        let (sign, word) = match rest.strip_prefix(':') {
            Some(rest) => (rest.chars().next(), rest.get(1..)),
            None => (rest.chars().next(), rest.get(1..)),
        };
        let start = span.end - 1 - word.map_or(0, str::len);
        let word = Span {
            start,
            end: span.end - 1,
        };
        let value = self.variables.value(name, self.item);
        let empty_counts = !rest.starts_with(':');
        match (sign, value) {
            _ if name.is_empty() => {}
            (None, _) => return self.known(name, span),
            (Some('-' | '=' | '?' | '+'), Value::Open(_)) => return self.known(name, span),
            (Some('-' | '='), Value::Unset) => return self.quoted(word, depth + 1),
            (Some('-' | '=' | '?'), Value::Known(own)) => {
                return match own.is_empty() && !empty_counts {
                    true if sign != Some('?') => self.quoted(word, depth + 1),
                    _ => Ok(own),
                };
            }
            (Some('+'), Value::Unset) => return Ok(String::new()),
            (Some('+'), Value::Known(own)) => {
                return match own.is_empty() && !empty_counts {
                    true => Ok(String::new()),
                    false => self.quoted(word, depth + 1),
                };
            }
            (Some('?'), Value::Unset) => return self.known(name, span),
            (Some(_), _) => {}
        }
        let what = format!(
            "{}: this substitution is not made here",
            short(self.text.of(span))
        );
        Err(self.unknown(span, &what, vec!["say the value in its place".to_owned()]))
    }

    /// The value of a variable.
    fn known(self, name: &str, span: Span) -> Result<String, SpecError> {
        let mut ask = name.to_owned();
        let why = match self.variables.value(name, self.item) {
            Value::Known(value) => return Ok(value),
            Value::Open(Opens::Through(setter, root)) => {
                ask = root;
                let line = self.text.line(setter.start);
                format!(
                    "line {line}: {}: ${ask} is not known",
                    short(self.text.of(setter))
                )
            }
            Value::Unset => "nothing before it sets it".to_owned(),
            Value::Open(Opens::Outside(system)) => {
                format!("{system} sets it, and to what is not known here")
            }
            Value::Open(Opens::Here(setter, why)) if setter.end > setter.start => {
                let line = self.text.line(setter.start);
                format!("line {line}: {}: {why}", short(self.text.of(setter)))
            }
            Value::Open(Opens::Here(_, why)) => why.to_owned(),
        };
        let help = vec![format!("say its value: --env {ask}=…")];
        Err(self.unknown(span, &format!("${name} is not known: {why}"), help))
    }

    /// `$((…))`.
    fn sum(self, inner: Span, whole: Span, depth: usize) -> Result<i64, SpecError> {
        let text = self.quoted(inner, depth + 1)?;
        let number = |name: &str| -> Result<i64, String> {
            match self.variables.value(name, self.item) {
                Value::Unset => Ok(0),
                Value::Known(value) => {
                    let value = value.trim();
                    arithmetic::integer(value)
                        .ok_or_else(|| format!("{name} is no number: {value}"))
                }
                Value::Open(_) => Err(format!("{name} is not known")),
            }
        };
        if let Some(name) = arithmetic::names(&text)
            .find(|name| !matches!(self.variables.value(name, self.item), Value::Known(_)))
        {
            // An unset name counts as 0 in a shell, and is rather a value that is not known here.
            return self.known(name, whole).map(|_| 0);
        }
        arithmetic::evaluate(&text, &number).map_err(|why| {
            let what = format!("{}: {why}", short(self.text.of(whole)));
            self.unknown(whole, &what, vec!["say the value in its place".to_owned()])
        })
    }
}

/// The name that begins here; empty if none does.
pub(super) fn name_of(text: &str) -> &str {
    let first = text.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_');
    let end = text.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    match first {
        true => &text[..end.unwrap_or(text.len())],
        false => "",
    }
}

/// `{1..4}`, `{a,b}`.
fn is_brace_list(text: &str) -> bool {
    let inner = text[1..].split_once('}').map_or("", |(inner, _)| inner);
    (inner.contains(',') || inner.contains("..")) && !inner.contains(['{', '"', '\''])
}

/// A piece of a script for a sentence.
fn short(text: &str) -> String {
    let one: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one.chars().count() {
        0..=60 => one,
        _ => one.chars().take(57).chain("...".chars()).collect(),
    }
}
