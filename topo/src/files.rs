//! Files of the system by name, and the lists of numbers that stand in them.

use std::ops::Range;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::text::cursor::whole_ranges;

/// A file by its absolute path: its contents, or `None` where it is not there or cannot be read.
pub type Lookup<'f> = &'f dyn Fn(&str) -> Option<String>;

/// The names in a folder, by its absolute path; empty where it is not there or cannot be read.
pub type Names<'f> = &'f dyn Fn(&str) -> Vec<String>;

/// Ascending numbers below [`PUS_MAX`]; `None` where the text is no list of these.
pub(crate) fn numbers(text: &str) -> Option<Vec<u32>> {
    let ranges = whole_ranges(text.trim())?;
    let mut numbers = Vec::new();
    for (first, last) in ranges {
        if last >= PUS_MAX {
            return None;
        }
        numbers.extend(first..=last);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

/// Sorted numbers as half-open ranges.
pub(crate) fn ranges(sorted: &[u32]) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for &number in sorted {
        match ranges.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            Some(_) | None => ranges.push(number..number + 1),
        }
    }
    ranges
}
