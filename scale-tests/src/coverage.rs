//! Counts what the compared jobs asked for and how they ended: one count for each cell and outcome.

use crate::cell::{BINDINGS, CELLS, Cell, POLICIES, QUALIFIERS, RANKINGS};
use crate::compare::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A choice besides the policy: its name, its words, its row in a cell.
type Dimension = (&'static str, &'static [&'static str], fn(&Cell) -> usize);

const DIMENSIONS: [Dimension; 3] = [
    ("qualifier", &QUALIFIERS, |cell| cell.qualifier),
    ("ranking", &RANKINGS, |cell| cell.ranking),
    ("binding", &BINDINGS, |cell| cell.binding),
];

/// Counts of jobs.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    jobs: u64,
    mapped: u64,
    words: u64,
    refused: u64,
    processes: u64,
    /// Jobs by the cell of their first app: placed, refused.
    cells: BTreeMap<Cell, [u64; 2]>,
    /// Jobs by class of refusal.
    classes: BTreeMap<&'static str, u64>,
}

impl Coverage {
    /// Counts a job of this number and its verdict.
    pub fn count(&mut self, number: u64, verdict: &Verdict) {
        self.jobs += 1;
        let cell = self.cells.entry(Cell::numbered(number)).or_default();
        match verdict {
            Verdict::Mapped(processes) => {
                cell[0] += 1;
                self.mapped += 1;
                self.processes += *processes as u64;
            }
            Verdict::Words(class) => {
                cell[1] += 1;
                self.words += 1;
                *self.classes.entry(class).or_default() += 1;
            }
            Verdict::Refused(class) => {
                cell[1] += 1;
                self.refused += 1;
                *self.classes.entry(class).or_default() += 1;
            }
            Verdict::Differs(_) => {}
        }
    }
    /// Adds the counts of another.
    pub fn add(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.mapped += other.mapped;
        self.words += other.words;
        self.refused += other.refused;
        self.processes += other.processes;
        for (cell, [mapped, refused]) in &other.cells {
            let sum = self.cells.entry(*cell).or_default();
            *sum = [sum[0] + mapped, sum[1] + refused];
        }
        for (class, count) in &other.classes {
            *self.classes.entry(class).or_default() += count;
        }
    }
    /// Jobs counted.
    #[must_use]
    pub const fn jobs(&self) -> u64 {
        self.jobs
    }
    /// Jobs refused with this class.
    #[must_use]
    pub fn class(&self, class: &str) -> u64 {
        self.classes.get(class).copied().unwrap_or(0)
    }
    /// Cells that can be placed, but never were.
    #[must_use]
    pub fn never_placed(&self) -> Vec<Cell> {
        let empty = |cell: &Cell| self.cells.get(cell).is_none_or(|[mapped, _]| *mapped == 0);
        Cell::all()
            .filter(|cell| cell.may_be_placed() && empty(cell))
            .collect()
    }
    /// Pairs of a policy and another choice: some cell with both can be placed, but none ever was.
    #[must_use]
    pub fn pairs_never_placed(&self) -> Vec<(&'static str, &'static str)> {
        let mut empty = Vec::new();
        for (words, of) in DIMENSIONS.iter().map(|(_, words, of)| (words, of)) {
            for (policy, name) in POLICIES.iter().enumerate() {
                for (row, word) in words.iter().enumerate() {
                    let here = |cell: &Cell| cell.policy == policy && of(cell) == row;
                    let possible = Cell::all().any(|cell| here(&cell) && cell.may_be_placed());
                    let placed = self
                        .cells
                        .iter()
                        .any(|(cell, [mapped, _])| here(cell) && *mapped > 0);
                    if possible && !placed {
                        empty.push((*name, *word));
                    }
                }
            }
        }
        empty
    }
    /// Cells that were never refused.
    #[must_use]
    pub fn never_refused(&self) -> Vec<Cell> {
        let empty = |cell: &Cell| {
            self.cells
                .get(cell)
                .is_none_or(|[_, refused]| *refused == 0)
        };
        Cell::all().filter(empty).collect()
    }

    /// How the jobs ended, in one line.
    #[must_use]
    pub fn line(&self) -> String {
        let share = |count: u64| count * 100 / self.jobs.max(1);
        let mut line = format!(
            "{} % placed ({} processes), {} % refused by both, {} % for their words; of {CELLS} cells {} were never placed that can be, {} never refused",
            share(self.mapped),
            self.processes,
            share(self.refused),
            share(self.words),
            self.never_placed().len(),
            self.never_refused().len(),
        );
        for (class, count) in &self.classes {
            let _ = write!(line, "\n  {class} {count}");
        }
        line
    }

    /// Policies against qualifiers, then against rankings and bindings: jobs placed and refused.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (name, words, of) in DIMENSIONS {
            let _ = writeln!(text, "policy × {name}: placed/refused");
            for (policy, word) in POLICIES.iter().enumerate() {
                let _ = write!(
                    text,
                    "  {:<12}",
                    if word.is_empty() { "(default)" } else { word }
                );
                for (row, word) in words.iter().enumerate() {
                    let mut sum = [0, 0];
                    for (_, [mapped, refused]) in self
                        .cells
                        .iter()
                        .filter(|(cell, _)| cell.policy == policy && of(cell) == row)
                    {
                        sum = [sum[0] + mapped, sum[1] + refused];
                    }
                    let word = if word.is_empty() { "(none)" } else { word };
                    let _ = write!(text, " {word} {}/{}", sum[0], sum[1]);
                }
                text.push('\n');
            }
        }
        text
    }
}
