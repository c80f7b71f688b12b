//! Lines that would start in place of one that is refused: one option left out, lowered or added, and each of them tried.

use super::cpu_bind::{CpuBind, Level};
use super::options::{Options, Reading};
use super::reading::{Read, read};
use super::rules::Rules;
use super::words::{Class, Command, Key, words};
use crate::launchers::line::{LineAsked, LineRefused};
use crate::launchers::script::quoted;
use std::ops::Range;

/// The most lines that are given.
const LINES_MAX: usize = 3;

/// Whether a line would start.
pub(super) type Starts<'s> = &'s dyn Fn(&[String]) -> bool;

/// A refused line, cut into its options.
struct Line<'w> {
    words: &'w [String],
    program: usize,
    /// The words of each option that places and stands alone in its words, with its key.
    spans: Vec<(Key, Range<usize>)>,
    options: Options,
}

/// Whether other lines may start where one was refused with this class.
#[must_use]
pub fn others_may_start(class: &str) -> bool {
    ["launcher-refuses", "launch-fails", "would-wait"].contains(&class)
}

/// Lines that would start, as one would type them.
///
/// Cost: at most fifty placements.
pub(super) fn lines(
    asked: &LineAsked<'_>,
    rules: Rules,
    refused: &LineRefused,
    starts: Starts<'_>,
) -> Vec<String> {
    if !others_may_start(refused.class) {
        return Vec::new();
    }
    let table = words(Command::Step, rules);
    let Ok(own) = read(asked.words, &table) else {
        return Vec::new();
    };
    let Some(line) = Line::of(asked, &own, rules) else {
        return Vec::new();
    };
    let mut found: Vec<Vec<String>> = Vec::new();
    let fault = refused.at.as_ref().map(|(at, _)| *at);
    let fewer = line.fewer_tasks(starts);
    let others = line.candidates(refused.class, fault);
    // Fewer tasks change the job least where counts do not fit.
    let candidates: Vec<Vec<String>> = match refused.class {
        "launch-fails" => others.into_iter().chain(fewer).collect(),
        _ => fewer.into_iter().chain(others).collect(),
    };
    for words in candidates {
        if found.len() < LINES_MAX && !found.contains(&words) && starts(&words) {
            found.push(words);
        }
    }
    let typed = |words: Vec<String>| {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        format!("{} {}", asked.command, words.join(" "))
    };
    found.into_iter().map(typed).collect()
}

impl<'w> Line<'w> {
    fn of(asked: &LineAsked<'w>, own: &Read<'w>, rules: Rules) -> Option<Self> {
        if own.program >= asked.words.len() {
            return None;
        }
        let reading = Reading {
            command: Command::Step,
            rules,
            plane: Some(1),
        };
        let dashes = own.program > 0 && asked.words[own.program - 1] == "--";
        let end = own.program - usize::from(dashes);
        let mut spans = Vec::new();
        for (place, said) in own.said.iter().enumerate() {
            let behind = own.said.get(place + 1).map_or(end, |next| next.at);
            let before = place.checked_sub(1).map(|last| own.said[last].at);
            let alone = behind > said.at && before != Some(said.at);
            if let (Class::Places(key), true) = (said.word.class, alone) {
                spans.push((key, said.at..behind));
            }
        }
        Some(Self {
            words: asked.words,
            program: end,
            spans,
            options: Options::of(&own.said, reading).unwrap_or_default(),
        })
    }

    /// The line without its options of a key, and with other words at the place of the first.
    fn with(&self, key: Key, other: &[String]) -> Vec<String> {
        let own = |at: usize| {
            self.spans
                .iter()
                .any(|(own, span)| *own == key && span.contains(&at))
        };
        let first = self.spans.iter().find(|(own, _)| *own == key);
        let place = first.map_or(self.program, |(_, span)| span.start);
        let mut words = Vec::with_capacity(self.words.len() + other.len());
        for (at, word) in self.words.iter().enumerate() {
            if at == place {
                words.extend_from_slice(other);
            }
            if !own(at) {
                words.push(word.clone());
            }
        }
        words
    }

    fn without(&self, key: Key) -> Option<Vec<String>> {
        let stands = self.spans.iter().any(|(own, _)| *own == key);
        stands.then(|| self.with(key, &[]))
    }

    /// Lines of which one option is left out or added, the likeliest first.
    fn candidates(&self, class: &str, fault: Option<usize>) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        let of_fault = |row: &&(Key, Range<usize>)| fault.is_some_and(|at| row.1.contains(&at));
        let at_fault = self.spans.iter().find(of_fault);
        all.extend(at_fault.and_then(|(key, _)| self.without(*key)));
        if let Some(names) = self
            .options
            .node_list
            .as_deref()
            .and_then(super::site::names)
        {
            let count: u64 = names.iter().map(|range| u64::from(range.count)).sum();
            all.push(self.with(Key::Nodes, &[format!("-N{count}")]));
            all.push(self.with(Key::Tasks, &[format!("-n{count}")]));
        }
        let binding = [Key::CpuBind, Key::CpusPerTask];
        let choice = [Key::NodeList, Key::Exclude, Key::Relative, Key::Nodes];
        let counts = [
            Key::CpusPerTask,
            Key::TasksPerNode,
            Key::ThreadsPerCore,
            Key::TasksPerCore,
        ];
        let first: &[Key] = match class {
            "launch-fails" => &binding,
            _ => &choice,
        };
        all.extend(
            first
                .iter()
                .chain(&counts)
                .filter_map(|&key| self.without(key)),
        );
        if self.options.overcommit.is_said() {
            return all;
        }
        all.push(self.with(Key::Overcommit, &["-O".to_owned()]));
        all
    }

    /// The most tasks below those of the line with which it starts; without `-n`, one.
    fn fewer_tasks(&self, starts: Starts<'_>) -> Option<Vec<String>> {
        let with = |tasks: u64| self.with(Key::Tasks, &[format!("-n{tasks}")]);
        let Some(tasks) = self.options.tasks else {
            return Some(with(1));
        };
        let (mut low, mut high) = (0, tasks);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if starts(&with(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low > 0).then(|| with(low))
    }
}

/// The words of a line that binds each task to cores, if its own words bind nobody apart.
pub(super) fn bound_to_cores(asked: &LineAsked<'_>, rules: Rules) -> Option<Vec<String>> {
    let own = read(asked.words, &words(Command::Step, rules)).ok()?;
    let line = Line::of(asked, &own, rules)?;
    let cores = CpuBind {
        level: Some(Level::Cores),
        ..CpuBind::default()
    };
    (line.options.cpu_bind != Some(cores))
        .then(|| line.with(Key::CpuBind, &["--cpu-bind=cores".to_owned()]))
}
