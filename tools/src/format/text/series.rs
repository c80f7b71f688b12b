//! Numbers and cpu sets of a row, written as runs: `0-63`, `0-350:50`, or `0-31|32-63` (in turn).

use std::fmt::Write as _;
use std::rc::Rc;

/// The most turns that are tried: no machine has more packages, NUMA nodes or L3 caches that are worth reading as turns.
const TURNS_MAX: usize = 64;
/// The most runs that are written; the rest is `…`.
const RUNS_MAX: usize = 64;

/// An item of a row that may equal another one shifted by a constant.
pub(super) trait Item: PartialEq {
    /// The shift from this item to `later`, if `later` is this item shifted.
    fn step_to(&self, later: &Self) -> Option<i64>;
}

impl Item for u32 {
    fn step_to(&self, later: &Self) -> Option<i64> {
        Some(i64::from(*later) - i64::from(*self))
    }
}

/// The cpus that a process is bound to: OS numbers, ascending; empty: unbound. Processes with the same set share it.
pub type CpuList = Rc<[u32]>;

impl Item for CpuList {
    fn step_to(&self, later: &Self) -> Option<i64> {
        if Rc::ptr_eq(self, later) {
            return Some(0);
        }
        let step = match (self.first(), later.first()) {
            (Some(first), Some(other)) => first.step_to(other)?,
            (None, None) => return Some(0),
            (Some(_), None) | (None, Some(_)) => return None,
        };
        let moved = |(one, other): (&u32, &u32)| one.step_to(other) == Some(step);
        (self.len() == later.len() && self.iter().zip(&**later).all(moved)).then_some(step)
    }
}

/// A run of items. Each item after the first `turns` is the item `turns` places before it, shifted by `step`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    /// The place of the first item.
    start: usize,
    /// The number of items.
    len: usize,
    /// The number of items after which the run repeats, at least 1.
    turns: usize,
    /// The shift from one repetition to the next.
    step: i64,
}

/// The whole row as runs. Cost: the items; where they are irregular, times the turns tried.
fn runs<T: Item>(items: &[T]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start < items.len() {
        let run = longest(items, start);
        start += run.len;
        runs.push(run);
    }
    runs
}

/// The run from `start` that covers the most items with the fewest turns.
fn longest<T: Item>(items: &[T], start: usize) -> Run {
    let left = items.len() - start;
    let mut best = Run {
        start,
        len: 1,
        turns: 1,
        step: 0,
    };
    for turns in 1..=TURNS_MAX.min(left.saturating_sub(1)) {
        let Some(step) = items[start].step_to(&items[start + turns]) else {
            continue;
        };
        let same = |&at: &usize| items[at].step_to(&items[at + turns]) == Some(step);
        let len = turns + (start..items.len() - turns).take_while(same).count();
        // Turns are harder to read. Use them only if each turn has at least two items, and more than it would have without.
        if len >= 2 * turns && len / turns > best.len / best.turns && len > best.len {
            best = Run {
                start,
                len,
                turns,
                step,
            };
        }
        if len == left {
            break;
        }
    }
    best
}

/// Numbers in order: `0-7`, `0-350:50`, `5,9`, `0-31|32-63`.
pub fn numbers(row: &[u32]) -> String {
    let mut parts = Vec::new();
    for run in runs(row) {
        if parts.len() == RUNS_MAX {
            parts.push("…".to_owned());
            break;
        }
        let items = &row[run.start..run.start + run.len];
        let even = run.len.is_multiple_of(run.turns) && run.step > 0;
        if even && (run.len > 2 * run.turns || run.step == 1) {
            let part = |turn: usize| {
                let last = items[run.len - run.turns + turn];
                range(items[turn], last, run.step)
            };
            parts.push((0..run.turns).map(part).collect::<Vec<_>>().join("|"));
        } else {
            parts.extend(items.iter().map(u32::to_string));
        }
    }
    parts.join(",")
}

fn range(first: u32, last: u32, step: i64) -> String {
    match step {
        _ if first == last => first.to_string(),
        1 => format!("{first}-{last}"),
        _ => format!("{first}-{last}:{step}"),
    }
}

/// The cpu sets of the places in a row: `0-63: 0,64 +1 · 64: 0-7`. `first` is the number of the first place.
pub fn sets(first: u32, row: &[CpuList]) -> String {
    let mut parts = Vec::new();
    let mut start = first;
    for run in runs(row) {
        if parts.len() == RUNS_MAX {
            parts.push("…".to_owned());
            break;
        }
        let places = u32::try_from(run.len).unwrap_or(u32::MAX);
        let mut text = range(start, start + (places - 1), 1) + ": ";
        let turns = &row[run.start..run.start + run.turns];
        text += &turns
            .iter()
            .map(|set| set_text(set))
            .collect::<Vec<_>>()
            .join("|");
        if run.step != 0 && run.len > run.turns {
            write!(text, " {:+}", run.step).expect("a String takes every character");
        }
        parts.push(text);
        start = start.saturating_add(places);
    }
    parts.join(" · ")
}

/// A set in list form; `unbound` for an empty set.
fn set_text(set: &[u32]) -> String {
    if set.is_empty() {
        return "unbound".to_owned();
    }
    let parts: Vec<String> = set
        .chunk_by(|one, next| one + 1 == *next)
        .map(|part| match part {
            [first, .., last] => format!("{first}-{last}"),
            [one] => one.to_string(),
            [] => String::new(),
        })
        .collect();
    parts.join(",")
}
