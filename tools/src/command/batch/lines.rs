//! Lines of an input that may never end. Gives the lines that have arrived, but no more than asked for.

use std::io::{self, Read};
use stowplan_engine::limit::REQUEST_BYTES_MAX;

/// The bytes that are read at once.
pub const CHUNK: usize = 1 << 18;

/// A line that is not empty.
pub struct Line {
    /// Its number, from 1; empty lines count.
    pub number: u64,
    /// Its text, or why it cannot be used.
    pub text: Result<String, &'static str>,
}

/// The lines of an input.
pub struct Lines<'i> {
    input: &'i mut dyn Read,
    /// The bytes read so far; lines before `from` have been given out.
    buffer: Vec<u8>,
    from: usize,
    /// The bytes after `from` that are known to have no line end.
    searched: usize,
    number: u64,
    rest: Rest,
}

/// What happens to the bytes up to the next line end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Kept,
    /// They are skipped, because the line is too long.
    Dropped,
}

impl<'i> Lines<'i> {
    pub fn of(input: &'i mut dyn Read) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            from: 0,
            searched: 0,
            number: 0,
            rest: Rest::Kept,
        }
    }

    /// The next lines, at most `most`: waits for the first, then gives those that have arrived. Empty: the input has ended.
    pub fn next(&mut self, most: usize) -> io::Result<Vec<Line>> {
        let mut lines = Vec::new();
        while lines.len() < most {
            if let Some(end) = self.line_end() {
                let text = self.buffer[self.from..end].to_vec();
                self.from = end + 1;
                self.searched = 0;
                lines.extend(self.line(text));
            } else if !lines.is_empty() {
                break;
            } else if !self.read()? {
                let text = self.buffer.split_off(self.from);
                self.buffer.clear();
                (self.from, self.searched) = (0, 0);
                if !text.is_empty() || self.rest == Rest::Dropped {
                    lines.extend(self.line(text));
                }
                break;
            }
        }
        Ok(lines)
    }

    fn line_end(&mut self) -> Option<usize> {
        let start = self.from + self.searched;
        let found = self.buffer[start..].iter().position(|&byte| byte == b'\n');
        if found.is_none() {
            self.searched = self.buffer.len() - self.from;
        }
        found.map(|at| start + at)
    }

    /// Reads more bytes. `false`: the input has ended.
    fn read(&mut self) -> io::Result<bool> {
        if self.buffer.len() - self.from > REQUEST_BYTES_MAX {
            self.rest = Rest::Dropped;
            self.from = self.buffer.len();
            self.searched = 0;
        }
        self.buffer.drain(..self.from);
        self.from = 0;
        let kept = self.buffer.len();
        self.buffer.resize(kept + CHUNK, 0);
        let read = loop {
            match self.input.read(&mut self.buffer[kept..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(kept + *read.as_ref().unwrap_or(&0));
        Ok(read? > 0)
    }

    fn line(&mut self, text: Vec<u8>) -> Option<Line> {
        self.number += 1;
        let text = match std::mem::replace(&mut self.rest, Rest::Kept) {
            Rest::Dropped => Err("this line is longer than 64 MiB"),
            Rest::Kept => String::from_utf8(text).map_err(|_| "this line is no UTF-8"),
        };
        let blank = text.as_ref().is_ok_and(|text| text.trim().is_empty());
        let number = self.number;
        (!blank).then_some(Line { number, text })
    }
}
