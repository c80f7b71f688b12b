//! Files of the system by name, and the lists of numbers in them.

use std::ops::Range;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::text::cursor::whole_ranges;

/// Gives the contents of a file by its absolute path. `None` if it is not there or cannot be read.
pub type Lookup<'f> = &'f dyn Fn(&str) -> Option<String>;

/// Gives the names in a folder, by its absolute path. Empty if it is not there or cannot be read.
pub type Names<'f> = &'f dyn Fn(&str) -> Vec<String>;

/// The numbers of a list, ascending. `None` if the text is not a list of numbers below [`PUS_MAX`].
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
