//! A matrix file, line by line: Matrix Market, or lines `from,to,bytes`. Memory: one line.

use crate::score::error::{ScoreError, bad_pattern};
use crate::score::limit::LINE_BYTES_MAX;
use crate::score::weight::Weight;
use std::io::BufRead;
use stowplan_engine::count::counted;
use stowplan_engine::text::digits::number;

/// What the weights of edges count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// Edges: all weights are 1.
    Edges,
    /// Bytes.
    Bytes,
}

impl Unit {
    /// The word of answers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Edges => "edges",
            Self::Bytes => "bytes",
        }
    }
}

/// An entry of a matrix: the row's rank talks to the column's rank. Ranks are from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// How much.
    pub weight: Weight,
}

/// The form of a file, by its first line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Lines,
    Market(Unit, Symmetry),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symmetry {
    General,
    Symmetric,
}

/// About how many entries are read at once.
pub const FILLED: usize = 1 << 13;

/// A matrix file, open.
pub struct Matrix<'m> {
    word: &'m str,
    procs: u32,
    lines: Lines<'m>,
    form: Form,
    /// The first line, if it is no banner.
    first: Option<Vec<u8>>,
    /// Entries so far.
    seen: u64,
    /// Memory for a line that is read by itself.
    line: Vec<u8>,
}

impl<'m> Matrix<'m> {
    /// Reads the first line of the matrix of a pattern, for an app of this many processes.
    ///
    /// # Errors
    /// `bad-pattern`.
    pub fn open(
        word: &'m str,
        procs: u32,
        text: Box<dyn BufRead + Send + 'm>,
    ) -> Result<Self, ScoreError> {
        let mut lines = Lines::new(word, text);
        let mut first = None;
        let mut form = Form::Lines;
        let mut line = Vec::new();
        if lines.next(&mut line)? {
            if line.starts_with(b"%%") {
                form = lines.market(&line)?;
                lines.size(procs, &mut line)?;
            } else {
                first = Some(line);
            }
        }
        Ok(Self {
            word,
            procs,
            lines,
            form,
            first,
            seen: 0,
            line: Vec::new(),
        })
    }

    /// What its weights count.
    #[must_use]
    pub const fn unit(&self) -> Unit {
        match self.form {
            Form::Lines => Unit::Bytes,
            Form::Market(unit, _) => unit,
        }
    }

    /// Shows every entry between two ranks; for a symmetric matrix, both ways.
    ///
    /// # Errors
    /// `bad-pattern` with the line.
    pub fn each(mut self, visit: &mut impl FnMut(Entry)) -> Result<(), ScoreError> {
        let mut entries = Vec::new();
        while self.fill(&mut entries)? {
            entries.drain(..).for_each(&mut *visit);
        }
        Ok(())
    }

    /// Reads the next entries between two ranks, about [`FILLED`] of them; for a symmetric matrix, both ways. `false`: there
    /// are no more.
    ///
    /// # Errors
    /// `bad-pattern` with the line.
    pub fn fill(&mut self, entries: &mut Vec<Entry>) -> Result<bool, ScoreError> {
        entries.clear();
        let symmetric = matches!(self.form, Form::Market(_, Symmetry::Symmetric));
        let mut take = |entry: Entry| {
            if entry.from != entry.to {
                entries.push(entry);
                if symmetric {
                    entries.push(Entry {
                        from: entry.to,
                        to: entry.from,
                        weight: entry.weight,
                    });
                }
            }
            entries.len() < FILLED
        };
        let mut room = true;
        while room {
            if let Some(first) = self.first.take() {
                self.line = first;
            } else if !self.lines.next(&mut self.line)? {
                self.whole()?;
                return Ok(!entries.is_empty());
            }
            let text = self.line.trim_ascii();
            let comment = self.form != Form::Lines && text.starts_with(b"%");
            if !text.is_empty()
                && !comment
                && let Some(entry) = self.entry(text)?
            {
                room = take(entry);
                self.seen += 1;
            }
            // Lines as programs write them are read in place, all others one by one.
            let plain = Plain {
                form: self.form,
                procs: self.procs,
            };
            if room {
                let seen;
                (seen, room) = self.lines.plain(&plain, &mut take);
                self.seen += seen;
            }
        }
        Ok(true)
    }

    /// Refuses a matrix that has more or fewer entries than it says.
    fn whole(&self) -> Result<(), ScoreError> {
        let (seen, entries) = (self.seen, self.lines.entries);
        if matches!(self.form, Form::Market(..)) && entries != seen {
            let why = format!(
                "it has {}, and says that it has {entries}",
                counted(seen, "entry")
            );
            return bad_pattern(self.word, why);
        }
        Ok(())
    }

    /// The entry of a line. `None`: the line is a heading above the numbers.
    fn entry(&self, line: &[u8]) -> Result<Option<Entry>, ScoreError> {
        let Ok(text) = std::str::from_utf8(line) else {
            return self.lines.refuse("this is no text");
        };
        let (from, to, weight, least) = match self.form {
            Form::Lines => {
                let mut fields = text.split(',').map(str::trim);
                let entry = (fields.next(), fields.next(), fields.next(), fields.next());
                let (Some(from), Some(to), Some(weight), None) = entry else {
                    if self.lines.number == 1
                        && !text.starts_with(|sign: char| sign.is_ascii_digit())
                    {
                        return Ok(None);
                    }
                    return self.lines.refuse("a line is from,to,bytes");
                };
                if self.lines.number == 1 && number::<u64>(from).is_none() {
                    return Ok(None);
                }
                (from, to, Some(weight), 0)
            }
            Form::Market(unit, _) => {
                let mut fields = text.split_ascii_whitespace();
                let entry = (fields.next(), fields.next(), fields.next(), fields.next());
                match (unit, entry) {
                    (Unit::Bytes, (Some(from), Some(to), Some(weight), None)) => {
                        (from, to, Some(weight), 1)
                    }
                    (Unit::Edges, (Some(from), Some(to), None, None)) => (from, to, None, 1),
                    (Unit::Bytes, _) => {
                        return self.lines.refuse("an entry is row, column, weight");
                    }
                    (Unit::Edges, _) => return self.lines.refuse("an entry is row and column"),
                }
            }
        };
        let procs = self.procs;
        let rank = |text: &str| match number::<u64>(text).and_then(|rank| rank.checked_sub(least)) {
            Some(rank) if rank < u64::from(procs) => {
                Ok(u32::try_from(rank).expect("below the processes of an app"))
            }
            _ => {
                let last = u64::from(procs) + least - 1;
                self.lines.refuse(&format!(
                    "{text:?} is no rank: they go from {least} to {last}"
                ))
            }
        };
        let (from, to) = (rank(from)?, rank(to)?);
        let weight = match weight.map(|text| (Weight::read(text), text)) {
            None => Weight::ONE,
            Some((Some(weight), _)) => weight,
            Some((None, text)) => {
                let why = format!("{text:?} is no weight: they are at least 0 and below 2^53");
                return self.lines.refuse(&why);
            }
        };
        Ok(Some(Entry { from, to, weight }))
    }
}

/// How programs write entries: numbers of few digits, one sign between them, and the end of the line.
struct Plain {
    form: Form,
    procs: u32,
}

impl Plain {
    /// The entry of the first line, and the text after it. `None`: the line is written in another way, or is wrong.
    #[inline]
    fn entry<'t>(&self, text: &'t [u8]) -> Option<(Entry, &'t [u8])> {
        let (apart, least, weighted) = match self.form {
            Form::Lines => (b',', 0, true),
            Form::Market(unit, _) => (b' ', 1, unit == Unit::Bytes),
        };
        let (from, behind) = digits(text)?;
        let (to, mut behind) = digits(behind.strip_prefix(&[apart])?)?;
        let mut weight = Weight::ONE;
        if weighted {
            let count;
            (count, behind) = digits(behind.strip_prefix(&[apart])?)?;
            weight = Weight::whole(count);
        }
        let behind = behind.strip_prefix(b"\n")?;
        let rank = |number: u64| {
            let rank = u32::try_from(number).ok()?.checked_sub(least)?;
            (rank < self.procs).then_some(rank)
        };
        let (from, to) = (rank(from)?, rank(to)?);
        Some((Entry { from, to, weight }, behind))
    }
}

/// How many digits a plain number has at most, so that it is below 2^53.
const DIGITS: usize = 15;

/// The number at the start of a text, and the text after it.
#[inline]
fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (at, sign) in text.iter().enumerate() {
        let digit = sign.wrapping_sub(b'0');
        if digit > 9 {
            return (at > 0).then_some((number, &text[at..]));
        }
        if at == DIGITS {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    // The number may continue after the bytes that were read.
    None
}

/// The lines of a text, counted, none longer than a bound.
struct Lines<'m> {
    word: &'m str,
    text: Box<dyn BufRead + Send + 'm>,
    /// The line at hand, from 1.
    number: u64,
    /// How many entries there are by the size line.
    entries: u64,
}

impl<'m> Lines<'m> {
    fn new(word: &'m str, text: Box<dyn BufRead + Send + 'm>) -> Self {
        Self {
            word,
            text,
            number: 0,
            entries: 0,
        }
    }

    fn refuse<T>(&self, why: &str) -> Result<T, ScoreError> {
        bad_pattern(self.word, format!("line {}: {why}", self.number))
    }

    /// Takes the entries of the lines at hand, up to the first line that is not plain. Gives how many, and whether there is
    /// room for more.
    fn plain(&mut self, plain: &Plain, take: &mut impl FnMut(Entry) -> bool) -> (u64, bool) {
        let (mut lines, mut room) = (0, true);
        loop {
            // The next read of a line reports what is wrong.
            let Ok(read) = self.text.fill_buf() else {
                return (lines, room);
            };
            let mut rest = read;
            let before = lines;
            while room && let Some((entry, behind)) = plain.entry(rest) {
                room = take(entry);
                rest = behind;
                lines += 1;
            }
            let (used, left) = (read.len() - rest.len(), rest.len());
            self.text.consume(used);
            self.number += lines - before;
            if used == 0 || left > 0 || !room {
                return (lines, room);
            }
        }
    }

    /// The next line, without its end. `false`: there is none.
    fn next(&mut self, line: &mut Vec<u8>) -> Result<bool, ScoreError> {
        line.clear();
        self.number += 1;
        loop {
            let read = match self.text.fill_buf() {
                Ok(read) => read,
                Err(error) => {
                    let why = format!("it cannot be read: {error}");
                    return self.refuse(&why);
                }
            };
            if read.is_empty() {
                return Ok(!line.is_empty());
            }
            let end = read.iter().position(|&byte| byte == b'\n');
            let taken = &read[..end.unwrap_or(read.len())];
            let long = line.len() + taken.len() > LINE_BYTES_MAX;
            if !long {
                line.extend_from_slice(taken);
            }
            let used = end.map_or(read.len(), |end| end + 1);
            self.text.consume(used);
            if long {
                return self.refuse(&format!("it has more than {LINE_BYTES_MAX} bytes"));
            }
            if end.is_some() {
                // An empty line counts as a line.
                if line.is_empty() {
                    line.push(b' ');
                }
                return Ok(true);
            }
        }
    }

    /// Reads the banner of a Matrix Market file.
    fn market(&self, line: &[u8]) -> Result<Form, ScoreError> {
        let text = String::from_utf8_lossy(line).to_ascii_lowercase();
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let ["%%matrixmarket", "matrix", "coordinate", field, symmetry] = words[..] else {
            return self.refuse(
                "a Matrix Market file begins with: %%MatrixMarket matrix coordinate FIELD SYMMETRY",
            );
        };
        let unit = match field {
            "integer" | "real" => Unit::Bytes,
            "pattern" => Unit::Edges,
            _ => return self.refuse(&format!("{field:?} is none of: integer real pattern")),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            _ => return self.refuse(&format!("{symmetry:?} is none of: general symmetric")),
        };
        Ok(Form::Market(unit, symmetry))
    }

    /// Reads the size line of a Matrix Market file.
    fn size(&mut self, procs: u32, line: &mut Vec<u8>) -> Result<(), ScoreError> {
        while self.next(line)? {
            let text = line.trim_ascii();
            if text.is_empty() || text.starts_with(b"%") {
                continue;
            }
            let text = String::from_utf8_lossy(text).into_owned();
            let numbers: Option<Vec<u64>> = text.split_ascii_whitespace().map(number).collect();
            let Some([rows, columns, entries]) = numbers.as_deref() else {
                return self.refuse("rows, columns and entries are expected");
            };
            if rows != columns || *rows != u64::from(procs) {
                let why = format!(
                    "it is {rows} by {columns}, and the app has {}",
                    counted(procs, "process")
                );
                return self.refuse(&why);
            }
            self.entries = *entries;
            return Ok(());
        }
        self.refuse("rows, columns and entries are expected, and the file ends")
    }
}
