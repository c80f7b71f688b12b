//! Host lists of RFC 29: `prefix[idlist]suffix`, separated by commas, and the names that they stand for.

use super::cursor::Cursor;
use crate::limit::{HOST_ENTRIES_MAX, TEXT_BYTES_MAX};
use std::fmt::Write;

/// Names in the order in which they were listed, including repeated ones. Shape: `[names]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostNames {
    /// All names, one after the other.
    text: String,
    /// Where each name ends in `text`.
    ends: Vec<usize>,
}

/// What is wrong with a host list, and at which byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HostNamesFault {
    pub(super) at: usize,
    pub(super) why: &'static str,
}

impl HostNames {
    /// Names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// No names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// All names, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let name = &self.text[start..end];
            start = end;
            name
        })
    }

    /// Appends the names of a host list. Source: RFC 29.
    pub(super) fn append(&mut self, list: &[u8]) -> Result<(), HostNamesFault> {
        let mut cursor = Cursor { text: list, at: 0 };
        while cursor.peek().is_some() {
            let prefix = word(&mut cursor)?;
            if cursor.take(b'[') {
                let open = cursor.at - 1;
                let close = cursor.rest().iter().position(|&byte| byte == b']');
                let close = cursor.at + close.ok_or(fault(open, "`[` without `]`"))?;
                let ids = Cursor {
                    text: &list[..close],
                    ..cursor
                };
                cursor.at = close + 1;
                self.ids(prefix, ids, word(&mut cursor)?)?;
            } else if !prefix.is_empty() {
                self.push(prefix, None, "", cursor.at)?;
            }
            if cursor.peek().is_some() && !cursor.take(b',') {
                return Err(fault(cursor.at, "a bracket where none belongs"));
            }
        }
        Ok(())
    }

    /// Appends `prefix5suffix` for the ids of `5,4,11-13`. The leading zeros of the first id apply to all ids.
    fn ids(
        &mut self,
        prefix: &str,
        mut ids: Cursor<'_>,
        suffix: &str,
    ) -> Result<(), HostNamesFault> {
        let mut width = None;
        loop {
            let start = ids.at;
            let first = id(&mut ids)?;
            let is_padded = ids.text[start] == b'0';
            let width = *width.get_or_insert(if is_padded { ids.at - start } else { 0 });
            let mut last = first;
            if ids.take(b'-') {
                let at = ids.at;
                last = id(&mut ids)?;
                if last < first {
                    return Err(fault(at, "a range that goes down"));
                }
            }
            for value in first..=last {
                self.push(prefix, Some((value, width)), suffix, ids.at)?;
            }
            if ids.peek().is_none() {
                return Ok(());
            }
            if !ids.take(b',') {
                return Err(fault(ids.at, "something that is no id"));
            }
        }
    }

    fn push(
        &mut self,
        prefix: &str,
        id: Option<(u64, usize)>,
        suffix: &str,
        at: usize,
    ) -> Result<(), HostNamesFault> {
        let more = prefix.len() + suffix.len() + id.map_or(0, |(_, width)| width.max(20));
        if self.ends.len() >= HOST_ENTRIES_MAX || self.text.len() + more > TEXT_BYTES_MAX {
            return Err(fault(at, "more hosts than fit"));
        }
        self.text.push_str(prefix);
        if let Some((value, width)) = id {
            write!(self.text, "{value:0width$}").expect("a string takes all");
        }
        self.text.push_str(suffix);
        self.ends.push(self.text.len());
        Ok(())
    }
}

const fn fault(at: usize, why: &'static str) -> HostNamesFault {
    HostNamesFault { at, why }
}

/// Steps over the characters of a name; there may be none.
fn word<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, HostNamesFault> {
    let rest = cursor.rest();
    let ends = |byte: &u8| matches!(byte, b'[' | b']' | b',');
    let len = rest.iter().position(ends).unwrap_or(rest.len());
    let name = &rest[..len];
    if let Some(odd) = name.iter().position(|byte| !byte.is_ascii_graphic()) {
        return Err(fault(cursor.at + odd, "a character that no host name has"));
    }
    cursor.at += len;
    Ok(std::str::from_utf8(name).expect("ASCII is UTF-8"))
}

/// Reads an id, which may have leading zeros.
fn id(ids: &mut Cursor<'_>) -> Result<u64, HostNamesFault> {
    let at = ids.at;
    let digits = ids.digits();
    if digits.is_empty() {
        return Err(fault(at, "no id where one belongs"));
    }
    let value = digits.parse().ok().filter(|&value| value < u64::MAX);
    value.ok_or(fault(at, "an id that is too large"))
}
