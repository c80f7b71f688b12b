//! Host lists of RFC 29: `prefix[idlist]suffix`, comma after comma, and how many names they stand for.

use crate::limit::{HOST_ENTRIES_MAX, TEXT_BYTES_MAX};
use std::fmt::Write;

/// Names in the order in which they were listed, repeated ones too. Shape: `[names]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostNames {
    /// All names, one after the other.
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

/// What is wrong with a host list, and where. Offset in bytes.
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
        self.ends.iter().enumerate().map(|(at, &end)| {
            let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.text[start..end]
        })
    }

    /// Appends the names of a host list. Source: RFC 29.
    pub(super) fn append(&mut self, list: &[u8]) -> Result<(), HostNamesFault> {
        let mut at = 0;
        while at < list.len() {
            let prefix = word(list, &mut at)?;
            if list.get(at) == Some(&b'[') {
                let open = at;
                let close = list[at..].iter().position(|&byte| byte == b']');
                let close = at
                    + close.ok_or(HostNamesFault {
                        at: open,
                        why: "`[` without `]`",
                    })?;
                at = close + 1;
                let suffix = word(list, &mut at)?;
                self.ids(prefix, &list[open + 1..close], suffix, open + 1)?;
            } else if !prefix.is_empty() {
                self.push(prefix, None, "", at)?;
            }
            match list.get(at) {
                None => {}
                Some(b',') => at += 1,
                Some(_) => {
                    return Err(HostNamesFault {
                        at,
                        why: "a bracket where none belongs",
                    });
                }
            }
        }
        Ok(())
    }

    /// Appends `prefix5suffix` for the ids of `5,4,11-13`. The first id's leading zeros hold for all.
    fn ids(
        &mut self,
        prefix: &str,
        ids: &[u8],
        suffix: &str,
        start: usize,
    ) -> Result<(), HostNamesFault> {
        let mut at = 0;
        let mut width = None;
        loop {
            let first = id(ids, &mut at, start)?;
            let zeros = if first.digits.len() > 1 && first.digits[0] == b'0' {
                first.digits.len()
            } else {
                0
            };
            let width = *width.get_or_insert(zeros);
            let mut last = first.value;
            if ids.get(at) == Some(&b'-') {
                at += 1;
                let from = at;
                last = id(ids, &mut at, start)?.value;
                if last < first.value {
                    return Err(HostNamesFault {
                        at: start + from,
                        why: "a range that goes down",
                    });
                }
            }
            for value in first.value..=last {
                self.push(prefix, Some((value, width)), suffix, start + at)?;
            }
            match ids.get(at) {
                None => return Ok(()),
                Some(b',') => at += 1,
                Some(_) => {
                    return Err(HostNamesFault {
                        at: start + at,
                        why: "something that is no id",
                    });
                }
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
            return Err(HostNamesFault {
                at,
                why: "more hosts than fit",
            });
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

/// Steps over the characters of a name; there may be none.
fn word<'a>(list: &'a [u8], at: &mut usize) -> Result<&'a str, HostNamesFault> {
    let rest = &list[*at..];
    let len = rest
        .iter()
        .position(|byte| matches!(byte, b'[' | b']' | b','))
        .unwrap_or(rest.len());
    if let Some(odd) = rest[..len].iter().position(|byte| !byte.is_ascii_graphic()) {
        return Err(HostNamesFault {
            at: *at + odd,
            why: "a character that no host name has",
        });
    }
    *at += len;
    std::str::from_utf8(&rest[..len]).map_err(|_| HostNamesFault {
        at: *at,
        why: "not UTF-8",
    })
}

struct HostId<'a> {
    digits: &'a [u8],
    value: u64,
}

fn id<'a>(ids: &'a [u8], at: &mut usize, start: usize) -> Result<HostId<'a>, HostNamesFault> {
    let rest = &ids[*at..];
    let len = rest
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(rest.len());
    let digits = &rest[..len];
    if digits.is_empty() {
        return Err(HostNamesFault {
            at: start + *at,
            why: "no id where one belongs",
        });
    }
    let value = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok());
    let value = value
        .filter(|&value| value < u64::MAX)
        .ok_or(HostNamesFault {
            at: start + *at,
            why: "an id that is too large",
        })?;
    *at += len;
    Ok(HostId { digits, value })
}
