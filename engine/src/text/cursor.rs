//! A position in a text, from which numbers and lists are read. Nothing is allocated beyond what the text holds.

/// The most ranges that steps in a list may make.
const STEPS_MAX: u64 = 1 << 20;

/// A position in a text.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of a text.
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
    /// Bytes read so far.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }
    /// What is left.
    #[must_use]
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }
    /// Whether nothing is left.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }
    /// The next character, unread.
    #[must_use]
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    /// Reads `text` if it comes next.
    pub(crate) fn eat(&mut self, text: &str) -> Option<&'a str> {
        let found = self.rest().get(..text.len()).filter(|head| *head == text)?;
        self.at += text.len();
        Some(found)
    }
    /// Reads characters as long as `fits` holds.
    pub fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
    /// Skips spaces, tabs and carriage returns.
    pub(crate) fn skip_blanks(&mut self) {
        self.take_while(|c| c == ' ' || c == '\t' || c == '\r');
    }
    /// Reads digits as a number. Without digits or beyond `u32` it gives `None` and reads nothing.
    pub fn number(&mut self) -> Option<u32> {
        let before = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        let number = digits.parse().ok();
        if number.is_none() {
            self.at = before;
        }
        number
    }
    /// Reads `INT` or `INT-INT`; `None` when neither is here or the second number is below the first.
    pub fn range(&mut self) -> Option<(u32, u32)> {
        let first = self.number()?;
        if self.eat("-").is_none() {
            return Some((first, first));
        }
        let last = self.number()?;
        (first <= last).then_some((first, last))
    }
    /// Reads ranges separated by commas, also with steps: `0-127/4`, and `0-31:2/4` for the first 2 of every 4. A range with steps
    /// becomes ranges without, at most `STEPS_MAX` in all.
    pub fn ranges(&mut self) -> Option<Vec<(u32, u32)>> {
        let mut ranges = Vec::new();
        self.stepped(&mut ranges)?;
        while self.eat(",").is_some() {
            self.stepped(&mut ranges)?;
        }
        Some(ranges)
    }
    /// Reads a range and its steps.
    fn stepped(&mut self, ranges: &mut Vec<(u32, u32)>) -> Option<()> {
        let (first, last) = self.range()?;
        let taken = match self.eat(":") {
            Some(_) => Some(self.number()?),
            None => None,
        };
        let step = match (self.eat("/"), taken) {
            (Some(_), _) => self.number()?,
            (None, Some(_)) => return None,
            (None, None) => {
                ranges.push((first, last));
                return Some(());
            }
        };
        let taken = taken.unwrap_or(1);
        let groups = (u64::from(last - first) + 1).div_ceil(u64::from(step.max(1)));
        let fits = (1..=step).contains(&taken) && ranges.len() as u64 + groups <= STEPS_MAX;
        if !fits {
            return None;
        }
        let mut at = Some(first);
        while let Some(start) = at.filter(|&start| start <= last) {
            ranges.push((start, last.min(start.saturating_add(taken - 1))));
            at = start.checked_add(step);
        }
        Some(())
    }
}

/// The whole text as a list such as `0-3,7`, `0-127/4` or `0-31:2/4`; `None` when it is not one.
///
/// ```
/// use stowplan_engine::text::cursor::whole_ranges;
/// assert_eq!(whole_ranges("0-3,7"), Some(vec![(0, 3), (7, 7)]));
/// assert_eq!(whole_ranges("0-7/4,9"), Some(vec![(0, 0), (4, 4), (9, 9)]));
/// assert_eq!(whole_ranges("0-9:2/4"), Some(vec![(0, 1), (4, 5), (8, 9)]));
/// assert_eq!(whole_ranges("3-1"), None);
/// assert_eq!(whole_ranges("0-7/0"), None);
/// ```
#[must_use]
pub fn whole_ranges(text: &str) -> Option<Vec<(u32, u32)>> {
    let mut cursor = Cursor::new(text);
    cursor.ranges().filter(|_| cursor.is_done())
}

/// Whether two of these ranges share a number. Cost: a sort.
#[must_use]
pub fn overlap(ranges: &[(u32, u32)]) -> bool {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[1].0 <= pair[0].1)
}

/// Ranges as text, `0-3,7`, in the order given.
#[must_use]
pub(crate) fn ranges_text(ranges: &[(u32, u32)]) -> String {
    let mut text = String::new();
    for &(first, last) in ranges {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&first.to_string());
        if last != first {
            text.push('-');
            text.push_str(&last.to_string());
        }
    }
    text
}
