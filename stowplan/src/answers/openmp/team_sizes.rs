//! How many threads a team has, by the variables that say it; without one, as many as `process.rs` and `llvm.rs` find available.

use super::refused::Refused;
use super::runtime::{Family, Runtime};
use super::variables::Variables;

/// The most threads of one process that are worked out.
pub const THREADS_MAX: u64 = 1 << 16;

/// What the variables say about the sizes of teams.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Said {
    /// `OMP_NUM_THREADS`; empty: not set.
    pub(super) numbers: Vec<u32>,
    limit: Option<u32>,
    /// How many levels may have more than one thread; `None`: any number.
    depth: Option<u32>,
}

/// How many threads the teams have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sizes {
    pub(super) outer: u32,
    /// Of each inner team, if there is a second level.
    pub(super) inner: Option<u32>,
}

/// The numbers of `OMP_NUM_THREADS`.
///
/// # Errors
/// `bad-value` unless it is a list of numbers of at least 1.
pub(super) fn numbers(variables: &Variables) -> Result<Vec<u32>, Refused> {
    let Some(value) = variables.get("OMP_NUM_THREADS") else {
        return Ok(Vec::new());
    };
    list(value).ok_or_else(|| Refused::BadValue {
        name: "OMP_NUM_THREADS",
        value: value.to_owned(),
        wanted: "a number of threads, or one for each level: 7 or 7,2; runtimes differ in what they make of anything else",
    })
}

/// The numbers of a list of numbers of at least 1.
///
/// ```
/// use stowplan::answers::openmp::team_sizes::list;
/// assert_eq!(list(" 7 , 2"), Some(vec![7, 2]));
/// assert!(["", "0", "4,", "4 2", "-1", "4.5"].iter().all(|text| list(text).is_none()));
/// ```
#[must_use]
pub fn list(text: &str) -> Option<Vec<u32>> {
    let number = |part: &str| {
        let part = part.trim_matches([' ', '\t']);
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| part.parse::<u64>().unwrap_or(u64::MAX));
        let number = number.filter(|&number| number > 0)?;
        // More than that many are never worked out, so it does not matter how many more.
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    };
    text.split(',').map(number).collect()
}

/// Reads the variables. `bind_entries`: how many entries `OMP_PROC_BIND` has.
pub(super) fn said(
    variables: &Variables,
    runtime: Runtime,
    bind_entries: usize,
) -> Result<Said, Refused> {
    let numbers = numbers(variables)?;
    let limit = match variables.get("OMP_THREAD_LIMIT").and_then(whole) {
        Some(limit) if limit < 1 => {
            return Err(Refused::BadValue {
                name: "OMP_THREAD_LIMIT",
                value: limit.to_string(),
                wanted: "at least one thread",
            });
        }
        limit => limit.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)),
    };
    let levels = variables.get("OMP_MAX_ACTIVE_LEVELS");
    let levels = levels.map(|value| {
        whole(value).ok_or_else(|| Refused::BadValue {
            name: "OMP_MAX_ACTIVE_LEVELS",
            value: value.to_owned(),
            wanted: "a number of levels",
        })
    });
    // A negative number is ignored.
    let levels = levels
        .transpose()?
        .and_then(|levels| u32::try_from(levels).ok());
    let nested = variables
        .get("OMP_NESTED")
        .is_some_and(|value| is_true(value, runtime));
    let depth = match levels {
        Some(levels) => Some(levels),
        None if nested || numbers.len() > 1 || bind_entries > 1 => None,
        None => Some(1),
    };
    Ok(Said {
        numbers,
        limit,
        depth,
    })
}

/// A whole number with or without a sign, and blanks around it.
fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let sound = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = digits.parse::<i64>().unwrap_or(i64::MAX);
    sound.then_some(if text.starts_with('-') { -value } else { value })
}

/// Whether a runtime reads a value as true.
fn is_true(value: &str, runtime: Runtime) -> bool {
    let value = value.trim().to_ascii_lowercase();
    let llvm = ["1", "on", "yes", "enabled", ".true.", ".t.", "t", "y"];
    value == "true" || (runtime.family() != Family::Gnu && llvm.contains(&value.as_str()))
}

impl Said {
    /// The sizes of the teams. `available`: how many threads a team has if nobody says it.
    pub(super) fn sizes(
        &self,
        runtime: Runtime,
        levels: u32,
        available: u32,
    ) -> Result<Sizes, Refused> {
        let limit = self.limit.unwrap_or(u32::MAX);
        let off = runtime.family() == Family::Gnu && self.depth == Some(0);
        let asked = self.numbers.first().copied().unwrap_or(available);
        let outer = if off { 1 } else { asked.min(limit) };
        let inner = (levels > 1)
            .then(|| self.inner(outer, available))
            .transpose()?;
        let all = u64::from(outer) * u64::from(inner.unwrap_or(1));
        if all > THREADS_MAX {
            return Err(Refused::unknown(
                format!("{all} threads"),
                "at most 65536 of a process are worked out",
            ));
        }
        Ok(Sizes { outer, inner })
    }

    fn inner(&self, outer: u32, available: u32) -> Result<u32, Refused> {
        let active = u32::from(outer > 1);
        if self.depth.is_some_and(|depth| active >= depth) {
            return Ok(1);
        }
        let wanted = match self.numbers.as_slice() {
            [] => available,
            [one] => *one,
            [_, second, ..] => *second,
        };
        let Some(limit) = self.limit else {
            return Ok(wanted);
        };
        if outer < limit && u64::from(limit) < u64::from(outer) * u64::from(wanted) {
            return Err(Refused::unknown(
                format!("OMP_THREAD_LIMIT={limit} with {outer} teams of {wanted}"),
                "the teams race for the threads that are left",
            ));
        }
        Ok(wanted.min(limit - outer + 1).max(1))
    }
}
