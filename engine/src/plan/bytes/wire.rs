//! How plans are encoded: variable-length numbers, columns as groups of steps.

use super::edition::{Edition, FrameKind};
use super::frame::{BadPlan, open, seal};
use crate::limit::{PLAN_VALUES_FREE, PLAN_VALUES_GRANTED, PLAN_VALUES_MAX};

/// How many values a group of a column may have: so no byte read makes more than 128 values.
const GROUP_MAX: usize = 256;
/// The same behind the values that are free: a group takes at least two bytes, which grant as many values.
const GROUP_GRANTED: usize = 2 * PLAN_VALUES_GRANTED;
/// From this many equal steps on, the step is written once.
const WORTH: usize = 3;
/// Writes numbers, texts and columns.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    /// The values of the current column.
    scratch: Vec<u32>,
    /// The values of all columns so far.
    values: usize,
}

impl Writer {
    /// Seven bits in a byte, the low ones first.
    pub fn number(&mut self, value: impl Into<u64>) {
        let mut value = value.into();
        while value >= 0x80 {
            self.bytes.push(low_byte(value) | 0x80);
            value >>= 7;
        }
        self.bytes.push(low_byte(value));
    }
    /// As a number.
    pub fn size(&mut self, size: usize) {
        self.number(size as u64);
    }
    /// Writes a number that may be absent: 0, or the number plus one.
    pub fn maybe(&mut self, value: Option<u32>) {
        self.number(value.map_or(0, |value| u64::from(value) + 1));
    }
    fn signed(&mut self, value: i64) {
        self.number(value.unsigned_abs() << 1 | u64::from(value < 0));
    }
    pub(crate) fn text(&mut self, text: &str) {
        self.blob(text.as_bytes());
    }
    pub(crate) fn blob(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }
    /// Writes the number of rows, then the rows as columns.
    pub fn table<const N: usize>(&mut self, rows: impl IntoIterator<Item = [u32; N]>) {
        let rows: Vec<[u32; N]> = rows.into_iter().collect();
        self.size(rows.len());
        for column in 0..N {
            self.column(rows.iter().map(|row| row[column]));
        }
    }
    /// Writes a column, without its length: how far each value is above the one before it, and the first above 0.
    pub fn column(&mut self, values: impl IntoIterator<Item = u32>) {
        let mut all = std::mem::take(&mut self.scratch);
        all.clear();
        all.push(0);
        all.extend(values);
        let step = |at: usize| i64::from(all[at + 1]) - i64::from(all[at]);
        let steps = all.len() - 1;
        self.values = self.values.saturating_add(steps);
        let group = match self.values {
            ..=PLAN_VALUES_FREE => GROUP_MAX,
            _ => GROUP_GRANTED,
        };
        // How many steps from `at` on are equal, up to `most`.
        let equal_ahead = |at: usize, most: usize| {
            let first = step(at);
            let mut ahead = at + 1..steps.min(at + most);
            ahead.find(|&at| step(at) != first).unwrap_or(ahead.end) - at
        };
        let mut at = 0;
        while at < steps {
            let same = equal_ahead(at, group);
            if same >= WORTH {
                self.number((same as u64) << 1 | 1);
                self.signed(step(at));
                at += same;
                continue;
            }
            let mut end = at + same;
            while end < steps && end - at < GROUP_MAX && equal_ahead(end, WORTH) < WORTH {
                end += 1;
            }
            self.number(((end - at) as u64) << 1);
            (at..end).for_each(|at| self.signed(step(at)));
            at = end;
        }
        self.scratch = all;
    }
    /// Seals the bytes.
    pub fn seal(self, kind: FrameKind, edition: Edition) -> Vec<u8> {
        seal(&self.bytes, kind, edition)
    }
    /// How many bytes were written so far.
    pub const fn written(&self) -> usize {
        self.bytes.len()
    }
    pub(crate) fn append(&mut self, other: &Self) {
        self.bytes.extend_from_slice(&other.bytes);
        self.values = self.values.saturating_add(other.values);
    }
}

fn low_byte(value: u64) -> u8 {
    value.to_le_bytes()[0] & 0x7f
}

/// A value of a column that may be absent: 0, or the value plus one, at most the largest `u32`. Read with `checked_sub(1)`.
pub(crate) fn or_zero(value: Option<u32>) -> u32 {
    value.map_or(0, |value| value.saturating_add(1))
}

/// Reads bytes without trusting them. It allocates no list and no table that the bytes left could not fill; all tables together have
/// at most [`PLAN_VALUES_MAX`] values.
#[derive(Debug)]
pub struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The offset of these bytes in the frame.
    base: usize,
    /// How many values the tables behind this byte may have.
    values: usize,
    /// Whether the bytes have GPUs.
    pub(crate) edition: Edition,
}

impl<'b> Reader<'b> {
    /// Opens a sealed frame.
    pub fn open(bytes: &'b [u8], kind: FrameKind) -> Result<Self, BadPlan> {
        let (held, base, edition) = open(bytes, kind)?;
        Ok(Self {
            bytes: held,
            at: 0,
            base,
            values: (PLAN_VALUES_FREE + held.len().saturating_mul(PLAN_VALUES_GRANTED))
                .min(PLAN_VALUES_MAX),
            edition,
        })
    }

    /// An error at this byte.
    pub(crate) const fn bad(&self, expected: &'static str) -> BadPlan {
        BadPlan {
            offset: (self.base + self.at) as u64,
            expected,
        }
    }
    /// Returns an error unless something holds.
    pub(crate) fn ensure(
        &self,
        holds: impl FnOnce() -> bool,
        expected: &'static str,
    ) -> Result<(), BadPlan> {
        self.require(holds().then_some(()), expected)
    }
    /// Returns an error unless something is there.
    pub(crate) fn require<T>(
        &self,
        there: Option<T>,
        expected: &'static str,
    ) -> Result<T, BadPlan> {
        there.ok_or_else(|| self.bad(expected))
    }
    pub(crate) const fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
    /// An error unless all bytes are read.
    pub fn end(&self) -> Result<(), BadPlan> {
        self.ensure(|| self.left() == 0, "the end")
    }
    pub(crate) fn long(&mut self) -> Result<u64, BadPlan> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err(self.bad("a number"));
            };
            let part = u64::from(byte & 0x7f);
            if part
                .checked_shl(shift)
                .is_none_or(|moved| moved >> shift != part)
            {
                return Err(self.bad("a number of 64 bits"));
            }
            value |= part << shift;
            self.at += 1;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.bad("a number of 64 bits"))
    }
    /// Reads a number as what it stands for. If it stands for nothing, the error is at its start.
    fn read<T>(
        &mut self,
        expected: &'static str,
        stands_for: impl FnOnce(&Self, u64) -> Option<T>,
    ) -> Result<T, BadPlan> {
        let start = self.at;
        let value = self.long()?;
        let found = stands_for(self, value);
        if found.is_none() {
            self.at = start;
        }
        self.require(found, expected)
    }
    /// Reads a number up to `most`.
    pub fn number(&mut self, most: u32, expected: &'static str) -> Result<u32, BadPlan> {
        self.read(expected, |_, value| {
            u32::try_from(value).ok().filter(|&value| value <= most)
        })
    }
    pub(crate) fn maybe(&mut self, expected: &'static str) -> Result<Option<u32>, BadPlan> {
        self.read(expected, |_, value| {
            let value = value.checked_sub(1).map(u32::try_from);
            value.transpose().ok()
        })
    }
    fn signed(&mut self) -> Result<i64, BadPlan> {
        let value = self.long()?;
        let size = i64::try_from(value >> 1).map_err(|_| self.bad("a step"))?;
        Ok(if value & 1 == 1 { -size } else { size })
    }
    /// Reads how many items follow; each takes at least one byte.
    pub(crate) fn count(&mut self, expected: &'static str) -> Result<usize, BadPlan> {
        self.size(1, expected)
    }
    /// Reads how many values follow; a byte can make `values` of them.
    fn size(&mut self, values: usize, expected: &'static str) -> Result<usize, BadPlan> {
        self.read(expected, |reader, value| {
            let most = reader.left().saturating_mul(values);
            usize::try_from(value).ok().filter(|&size| size <= most)
        })
    }
    /// Reads the number of items, then the items; each takes at least one byte.
    pub(crate) fn list<T>(
        &mut self,
        expected: &'static str,
        item: impl FnMut(&mut Self) -> Result<T, BadPlan>,
    ) -> Result<Vec<T>, BadPlan> {
        let count = self.count(expected)?;
        self.items(count, item)
    }
    /// Reads `count` items. Memory grows as they are read.
    pub(crate) fn items<T>(
        &mut self,
        count: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, BadPlan>,
    ) -> Result<Vec<T>, BadPlan> {
        (0..count).map(|_| item(self)).collect()
    }
    pub(crate) fn blob(&mut self) -> Result<&'b [u8], BadPlan> {
        let size = self.size(1, "a length within the bytes left")?;
        let blob = &self.bytes[self.at..self.at + size];
        self.at += size;
        Ok(blob)
    }
    pub(crate) fn text(&mut self) -> Result<&'b str, BadPlan> {
        let blob = self.blob()?;
        std::str::from_utf8(blob).map_err(|_| self.bad("text before this byte"))
    }
    /// Reads how many values each of the next columns has; a byte of a column makes at most 128 values.
    pub(crate) fn rows(&mut self) -> Result<usize, BadPlan> {
        self.size(GROUP_MAX / 2, "a length that the bytes left can fill")
    }
    /// The same, where there are at most so many.
    pub(crate) fn rows_up_to(
        &mut self,
        most: usize,
        expected: &'static str,
    ) -> Result<usize, BadPlan> {
        let rows = self.rows()?;
        self.require((rows <= most).then_some(rows), expected)
    }
    /// Reads the number of rows, then the rows as columns.
    pub(crate) fn table<const N: usize>(&mut self) -> Result<Vec<[u32; N]>, BadPlan> {
        let rows = self.rows()?;
        self.columns(rows)
    }
    /// Reads a column of `rows` values.
    pub fn column(&mut self, rows: usize) -> Result<Vec<u32>, BadPlan> {
        self.columns::<1>(rows).map(Vec::into_flattened)
    }
    /// Reads rows as columns, without their number.
    pub fn columns<const N: usize>(&mut self, rows: usize) -> Result<Vec<[u32; N]>, BadPlan> {
        let values = rows.saturating_mul(N);
        let most = self.left().saturating_mul(GROUP_MAX / 2);
        self.ensure(|| values <= most, "columns that the bytes left can fill")?;
        let left = self.values.checked_sub(values);
        self.values = self.require(left, "fewer values: 2^24, and four for each byte")?;
        let mut table = vec![[0; N]; rows];
        for column in 0..N {
            let (mut last, mut left) = (0_i64, table.iter_mut());
            while left.len() > 0 {
                let head = self.long()?;
                let many = usize::try_from(head >> 1).unwrap_or(usize::MAX);
                if many == 0 || many > GROUP_MAX || many > left.len() {
                    return Err(self.bad("a group of 1 to 256 values within its column"));
                }
                let mut step = 0;
                for (at, row) in (0..many).zip(&mut left) {
                    if at == 0 || head & 1 == 0 {
                        step = self.signed()?;
                    }
                    last = last.saturating_add(step);
                    let value = u32::try_from(last).map_err(|_| self.bad("a value of 32 bits"))?;
                    row[column] = value;
                }
            }
        }
        Ok(table)
    }
}
