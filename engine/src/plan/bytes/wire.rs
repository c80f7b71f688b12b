//! The letters that plans are written in: variable-length numbers, columns as groups of equal steps, sealed frames.

use crc32fast::Hasher;

/// Values that one group of a column stands for at most: so no byte read makes more than 128 values.
const GROUP_MAX: usize = 256;
/// Equal steps from which on they are told once.
const WORTH: usize = 3;
/// What every sealed frame starts with.
const MAGIC: &[u8; 7] = b"stowpln";
/// The version of the form.
pub const VERSION: u8 = 1;
/// The version of plans that tell GPUs. Another one is refused.
pub const VERSION_WITH_GPUS: u8 = 2;
/// Bytes of a frame around what it holds: magic, kind, version, length, and the checksum behind.
const FRAME_BYTES: usize = MAGIC.len() + 2 + 8 + 4;

/// Whether bytes tell GPUs: those that do not are what they were before there were any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edition {
    /// Version 1.
    Plain,
    /// Version 2: the same, with GPUs.
    Gpus,
}

impl Edition {
    const fn version(self) -> u8 {
        match self {
            Self::Plain => VERSION,
            Self::Gpus => VERSION_WITH_GPUS,
        }
    }
}

/// What a sealed frame holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameKind {
    /// A whole plan, judgeable alone.
    Whole,
    /// What every daemon of a job needs.
    Broadcast,
    /// What one node's daemon needs.
    Slice,
}

impl FrameKind {
    const fn letter(self) -> u8 {
        match self {
            Self::Whole => b'w',
            Self::Broadcast => b'b',
            Self::Slice => b's',
        }
    }
    const fn words(self) -> &'static str {
        match self {
            Self::Whole => "a whole plan",
            Self::Broadcast => "a plan as it is broadcast",
            Self::Slice => "a node's slice of a plan",
        }
    }
}

/// Bytes that are no plan. Class `bad-plan`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at byte {offset}: expected {expected}")]
pub struct BadPlan {
    /// Where, from 0.
    pub offset: u64,
    /// What was expected there.
    pub expected: &'static str,
}

impl BadPlan {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        "bad-plan"
    }
}

/// Writes.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn number(&mut self, value: impl Into<u64>) {
        let mut value = value.into();
        while value >= 0x80 {
            self.bytes.push(low_byte(value) | 0x80);
            value >>= 7;
        }
        self.bytes.push(low_byte(value));
    }
    pub(crate) fn size(&mut self, size: usize) {
        self.number(size as u64);
    }
    /// A number that may be absent: 0, or the number and one.
    pub(crate) fn maybe(&mut self, value: Option<u32>) {
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
    /// A column, without its length: its steps, equal ones told once.
    pub(crate) fn column(&mut self, values: &[u32]) {
        self.column_of(values.len(), |at| values[at]);
    }
    /// As `column`, each value worked out where it is looked at: a few times.
    pub(crate) fn column_of(&mut self, rows: usize, value: impl Fn(usize) -> u32) {
        // How far a value is above the one before it; the first, above 0.
        let step = |at: usize| {
            let before = at.checked_sub(1).map_or(0, &value);
            i64::from(value(at)) - i64::from(before)
        };
        // How many steps from `at` on are equal, up to `most`.
        let equal_ahead = |at: usize, most: usize| {
            let first = step(at);
            let mut ahead = at + 1..rows.min(at + most);
            ahead.find(|&at| step(at) != first).unwrap_or(ahead.end) - at
        };
        let mut at = 0;
        while at < rows {
            let same = equal_ahead(at, GROUP_MAX);
            if same >= WORTH {
                self.number((same as u64) << 1 | 1);
                self.signed(step(at));
                at += same;
                continue;
            }
            let mut end = at + same;
            while end < rows && end - at < GROUP_MAX && equal_ahead(end, WORTH) < WORTH {
                end += 1;
            }
            self.number(((end - at) as u64) << 1);
            for at in at..end {
                self.signed(step(at));
            }
            at = end;
        }
    }
    /// The bytes, sealed: what, which version, how long, and a checksum over all before it.
    pub(crate) fn seal(self, kind: FrameKind, edition: Edition) -> Vec<u8> {
        let mut sealed = Vec::with_capacity(self.bytes.len() + FRAME_BYTES);
        sealed.extend_from_slice(MAGIC);
        sealed.push(kind.letter());
        sealed.push(edition.version());
        sealed.extend_from_slice(&(self.bytes.len() as u64).to_le_bytes());
        sealed.extend_from_slice(&self.bytes);
        let sum = checksum(&sealed);
        sealed.extend_from_slice(&sum.to_le_bytes());
        sealed
    }
    /// Bytes so far.
    pub(crate) const fn written(&self) -> usize {
        self.bytes.len()
    }
    pub(crate) fn append(&mut self, other: &Self) {
        self.bytes.extend_from_slice(&other.bytes);
    }
}

fn low_byte(value: u64) -> u8 {
    value.to_le_bytes()[0] & 0x7f
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(bytes);
    hasher.finalize()
}

/// Reads, with suspicion: nothing is allocated that the bytes left could not fill.
#[derive(Debug)]
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Where these bytes stand in the frame.
    base: usize,
    /// Whether they tell GPUs.
    pub(crate) edition: Edition,
}

impl<'b> Reader<'b> {
    /// Opens a sealed frame.
    pub(crate) fn open(bytes: &'b [u8], kind: FrameKind) -> Result<Self, BadPlan> {
        let bad = |offset: usize, expected| BadPlan {
            offset: offset as u64,
            expected,
        };
        let head = MAGIC.len();
        if !bytes.starts_with(MAGIC) {
            let same = bytes.iter().zip(MAGIC).take_while(|(a, b)| a == b).count();
            return Err(bad(same, "a saved plan (\"stowpln\")"));
        }
        if bytes.get(head) != Some(&kind.letter()) {
            return Err(bad(head, kind.words()));
        }
        let edition = match bytes.get(head + 1) {
            Some(&VERSION) => Edition::Plain,
            Some(&VERSION_WITH_GPUS) => Edition::Gpus,
            Some(_) | None => return Err(bad(head + 1, "version 1 or 2")),
        };
        let start = head + 2 + 8;
        let length = bytes
            .get(head + 2..start)
            .and_then(|length| <[u8; 8]>::try_from(length).ok())
            .ok_or_else(|| bad(bytes.len(), "the length"))?;
        let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
        let end = start
            .checked_add(length)
            .filter(|end| end.checked_add(4) == Some(bytes.len()));
        let Some(end) = end else {
            return Err(bad(bytes.len(), "as many bytes as the length says"));
        };
        let sum = bytes
            .get(end..)
            .and_then(|sum| <[u8; 4]>::try_from(sum).ok());
        if sum.map(u32::from_le_bytes) != Some(checksum(&bytes[..end])) {
            return Err(bad(end, "the checksum of what stands before it"));
        }
        Ok(Self {
            bytes: &bytes[start..end],
            at: 0,
            base: start,
            edition,
        })
    }

    /// An error here.
    pub(crate) const fn bad(&self, expected: &'static str) -> BadPlan {
        BadPlan {
            offset: (self.base + self.at) as u64,
            expected,
        }
    }
    /// That something holds.
    pub(crate) fn ensure(
        &self,
        holds: impl FnOnce() -> bool,
        expected: &'static str,
    ) -> Result<(), BadPlan> {
        if holds() {
            Ok(())
        } else {
            Err(self.bad(expected))
        }
    }
    pub(crate) const fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
    pub(crate) fn end(&self) -> Result<(), BadPlan> {
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
    /// A number up to `most`.
    pub(crate) fn number(&mut self, most: u32, expected: &'static str) -> Result<u32, BadPlan> {
        let start = self.at;
        let value = self.long()?;
        match u32::try_from(value) {
            Ok(value) if value <= most => Ok(value),
            _ => {
                self.at = start;
                Err(self.bad(expected))
            }
        }
    }
    pub(crate) fn maybe(&mut self, expected: &'static str) -> Result<Option<u32>, BadPlan> {
        let start = self.at;
        let value = self.long()?;
        match value.checked_sub(1).map(u32::try_from) {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(_)) => {
                self.at = start;
                Err(self.bad(expected))
            }
        }
    }
    fn signed(&mut self) -> Result<i64, BadPlan> {
        let value = self.long()?;
        let size = i64::try_from(value >> 1).map_err(|_| self.bad("a step"))?;
        Ok(if value & 1 == 1 { -size } else { size })
    }
    /// How many of something follow, `values` of which a byte can make.
    pub(crate) fn size(&mut self, values: usize, expected: &'static str) -> Result<usize, BadPlan> {
        let start = self.at;
        let size = self.long()?;
        let most = self.left().saturating_mul(values);
        match usize::try_from(size) {
            Ok(size) if size <= most => Ok(size),
            _ => {
                self.at = start;
                Err(self.bad(expected))
            }
        }
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
    /// How many values the columns that follow have: each byte of one makes at most 128.
    pub(crate) fn rows(&mut self) -> Result<usize, BadPlan> {
        self.size(GROUP_MAX / 2, "a length that the bytes left can fill")
    }
    /// Columns of equal length, as rows.
    pub(crate) fn table<const N: usize>(&mut self, rows: usize) -> Result<Vec<[u32; N]>, BadPlan> {
        self.ensure(|| self.has_column(rows), "a table")?;
        let mut table = vec![[0; N]; rows];
        for column in 0..N {
            self.column_into(&mut table, |row| &mut row[column])?;
        }
        Ok(table)
    }
    pub(crate) fn column(&mut self, rows: usize) -> Result<Vec<u32>, BadPlan> {
        self.ensure(|| self.has_column(rows), "a column")?;
        let mut values = vec![0; rows];
        self.column_into(&mut values, |value| value)?;
        Ok(values)
    }

    /// Whether there are bytes enough for a column of so many rows.
    fn has_column(&self, rows: usize) -> bool {
        rows <= self.left().saturating_mul(GROUP_MAX / 2)
    }
    /// A column, each value put where its row has it.
    pub(crate) fn column_into<T>(
        &mut self,
        rows: &mut [T],
        mut value_of: impl FnMut(&mut T) -> &mut u32,
    ) -> Result<(), BadPlan> {
        let mut last = 0_i64;
        let mut left = rows.iter_mut();
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
                *value_of(row) = value;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_come_back(values in prop::collection::vec(prop_oneof![Just(7_u32), 0_u32..4, any::<u32>()], 0..900)) {
            let mut writer = Writer::default();
            writer.column(&values);
            let sealed = writer.seal(FrameKind::Slice, Edition::Plain);
            let mut reader = Reader::open(&sealed, FrameKind::Slice).unwrap();
            prop_assert_eq!(reader.column(values.len()).unwrap(), values);
            prop_assert!(reader.end().is_ok());
        }

        #[test]
        fn damage_is_seen(values in prop::collection::vec(any::<u32>(), 1..40), at in any::<prop::sample::Index>(), bit in 0_u8..8) {
            let mut writer = Writer::default();
            writer.column(&values);
            let mut sealed = writer.seal(FrameKind::Whole, Edition::Plain);
            let at = at.index(sealed.len());
            sealed[at] ^= 1 << bit;
            prop_assert!(Reader::open(&sealed, FrameKind::Whole).is_err());
        }
    }

    #[test]
    fn equal_steps_cost_nothing() {
        let mut writer = Writer::default();
        writer.column(&(0..16_384).map(|row| row * 3).collect::<Vec<_>>());
        assert!(writer.bytes.len() < 256);
    }
}
