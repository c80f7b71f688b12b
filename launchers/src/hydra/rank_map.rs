//! `-rankmap`. Source: `lines/hydra/spec.md` 5.

use super::refusal::fails;
use crate::line::LineRefused;

/// The most ranks that a map is written out for.
const RANKS_MAX: usize = 1 << 24;

/// The node of each of `ranks` ranks, as a place in the node list of `nodes` nodes.
///
/// # Errors
/// `launch-fails` for broken text, a number beyond the list, and a map that cannot go on; `job-too-large`.
pub(crate) fn nodes_of(text: &str, ranks: u32, nodes: usize) -> Result<Vec<u32>, LineRefused> {
    let ranks = usize::try_from(ranks).unwrap_or(usize::MAX);
    if ranks > RANKS_MAX {
        return Err(LineRefused::new(
            "job-too-large",
            format!(
                "-rankmap: {ranks} ranks are more than the {RANKS_MAX} that a map is written out for"
            ),
        ));
    }
    let mut read = Reader {
        bytes: text.as_bytes(),
        at: 0,
        nodes,
        most: ranks,
        found: Vec::new(),
        again: None,
        counted: false,
    };
    read.map().ok_or_else(|| broken(text, read.at))?;
    let Reader {
        mut found, again, ..
    } = read;
    if found.len() < ranks {
        let from = again.ok_or_else(|| {
            fails(&format!(
                "-rankmap {text}: it ends before rank {} and cannot go on",
                found.len()
            ))
        })?;
        let part = found[from..].to_vec();
        if part.is_empty() {
            return Err(broken(text, 0));
        }
        let missing = ranks - found.len();
        found.extend(part.iter().copied().cycle().take(missing));
    }
    found.truncate(ranks);
    Ok(found)
}

fn broken(text: &str, at: usize) -> LineRefused {
    fails(&format!(
        "-rankmap {text}: the map is broken at byte {at}, or names a node that is not listed"
    ))
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    nodes: usize,
    most: usize,
    found: Vec<u32>,
    /// Where a map that is too short begins again.
    again: Option<usize>,
    /// Whether a count was read.
    counted: bool,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// The whole map: `(vector,…)` around it all, or its items.
    fn map(&mut self) -> Option<()> {
        let start = self.at;
        if self.take(b'(') && self.word() == b"vector" {
            self.take(b',');
            self.items(b')')?;
            if !self.take(b')') {
                return None;
            }
        } else {
            self.at = start;
            self.items(0)?;
        }
        self.peek().is_none().then_some(())
    }

    fn word(&mut self) -> &[u8] {
        self.peek();
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        self.at += length;
        &rest[..length]
    }

    /// Items up to `end` or the end of the text.
    fn items(&mut self, end: u8) -> Option<()> {
        loop {
            match self.peek() {
                None => return Some(()),
                Some(byte) if byte == end => return Some(()),
                Some(b',') => self.at += 1,
                Some(b'[') => self.bracket()?,
                Some(b'(') => self.block()?,
                Some(_) => self.node()?,
            }
            if self.found.len() >= self.most {
                // The rest is not read.
                self.at = self.bytes.len() - usize::from(end != 0);
                if end != 0 {
                    self.at = self.bytes.iter().rposition(|byte| *byte == end)?;
                }
                return Some(());
            }
        }
    }

    /// `[…]xK`
    fn bracket(&mut self) -> Option<()> {
        self.at += 1;
        let from = self.found.len();
        self.again = Some(from);
        self.items(b']')?;
        if !self.take(b']') || !self.take(b'x') {
            return None;
        }
        let times = self.number()?;
        let part = self.found[from..].to_vec();
        // The second count of a map runs once more.
        let times = times + usize::from(self.counted);
        self.counted = true;
        for _ in 1..times {
            if self.found.len() >= self.most {
                break;
            }
            self.found.extend_from_slice(&part);
        }
        Some(())
    }

    /// `(F,N,K)`
    fn block(&mut self) -> Option<()> {
        self.at += 1;
        let first = self.number()?;
        self.take(b',').then_some(())?;
        let nodes = self.number()?;
        self.take(b',').then_some(())?;
        let each = self.number()?;
        self.take(b')').then_some(())?;
        if first == 0 && self.again.is_none() {
            self.again = Some(self.found.len());
        }
        for node in first..first.checked_add(nodes)? {
            if node >= self.nodes || self.found.len() >= self.most {
                return (self.found.len() >= self.most).then_some(());
            }
            let node = u32::try_from(node).ok()?;
            let left = self.most.saturating_sub(self.found.len()) + 1;
            self.found.extend(std::iter::repeat_n(node, each.min(left)));
        }
        Some(())
    }

    fn node(&mut self) -> Option<()> {
        let node = self.number()?;
        if node >= self.nodes {
            return None;
        }
        if node == 0 && self.again.is_none() {
            self.again = Some(self.found.len());
        }
        self.found.push(u32::try_from(node).ok()?);
        Some(())
    }

    /// A number as C reads it: `0x10`, `010`, `10`.
    fn number(&mut self) -> Option<usize> {
        self.peek();
        let rest = &self.bytes[self.at..];
        let (skipped, radix) = match rest {
            [b'0', b'x' | b'X', next, ..] if next.is_ascii_hexdigit() => (2, 16),
            [b'0', next, ..] if next.is_ascii_digit() => (1, 8),
            _ => (0, 10),
        };
        let digits = &rest[skipped..];
        let length = digits
            .iter()
            .take_while(|byte| char::from(**byte).is_digit(radix))
            .count();
        let text = std::str::from_utf8(&digits[..length]).ok()?;
        self.at += skipped + length;
        usize::from_str_radix(text, radix).ok()
    }
}
