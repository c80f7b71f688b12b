//! The simulator: nodes that PRRTE makes up (`ras_simulator_num_nodes 4,2`). Source: `lines/prte/spec.md` 1.1.

use super::{Effect, find};
use crate::job::error::bad_words;
use stowplan_engine::error::SpecError;
use stowplan_engine::text::digits::number;

/// The most nodes that are made.
const NODES_MAX: u64 = 1 << 22;

/// A group of nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// How many.
    nodes: u64,
    /// Its letter.
    letter: char,
    /// Slots of each; `None`: as many as there are cpus.
    slots: Option<u64>,
    /// The most slots of each; `None`: no limit.
    max_slots: Option<u64>,
    /// The file of its topology.
    pub(crate) topology: Option<String>,
}

/// The groups that parameters ask for; none without `ras_simulator_num_nodes`.
///
/// # Errors
/// `bad-value`, with the parameter.
pub fn groups(parameters: &[(String, String)]) -> Result<Vec<Group>, SpecError> {
    let value = |effect| {
        let mut last = parameters.iter().rev();
        let own = last.find(|(key, _)| find(key) == Some(effect));
        own.filter(|(_, value)| !value.trim().is_empty())
    };
    let Some((key, counts)) = value(Effect::Nodes) else {
        return Ok(Vec::new());
    };
    let counts = numbers(key, counts)?;
    let list = |effect| value(effect).map_or(Ok(Vec::new()), |(key, text)| numbers(key, text));
    let (slots, most) = (list(Effect::Slots)?, list(Effect::MaxSlots)?);
    let files: Vec<&str> = value(Effect::Topologies).map_or(Vec::new(), |(_, text)| {
        text.split(',').map(str::trim).collect()
    });
    let all: u64 = counts
        .iter()
        .fold(0, |all, &count| all.saturating_add(count));
    if counts.len() > 26 || all > NODES_MAX || counts.contains(&0) {
        return Err(bad(key, &format!("{all} nodes in {} groups", counts.len())));
    }
    let groups = ('A'..='Z').zip(&counts).enumerate();
    Ok(groups
        .map(|(at, (letter, &nodes))| Group {
            nodes,
            letter,
            slots: of_group(&slots, at).copied(),
            max_slots: of_group(&most, at).copied().filter(|&most| most > 0),
            topology: of_group(&files, at).map(|file| (*file).to_owned()),
        })
        .collect())
}

/// The value of a group: its own, or the last one.
fn of_group<T>(values: &[T], group: usize) -> Option<&T> {
    values.get(group).or(values.last())
}

impl Group {
    /// The digits of its nodes' numbers: as many as its count has.
    fn digits(&self) -> usize {
        self.nodes.to_string().len()
    }

    /// Its nodes as a host list.
    pub fn hosts(&self) -> String {
        let (letter, digits, last) = (self.letter, self.digits(), self.nodes - 1);
        format!("node{letter}[{:0digits$}-{last:0digits$}]", 0)
    }

    /// Its nodes as lines of a hostfile.
    pub fn write(&self, lines: &mut String) {
        let digits = self.digits();
        let mut behind = String::new();
        if let Some(slots) = self.slots {
            behind += &format!(" slots={slots}");
        }
        if let Some(most) = self.max_slots {
            behind += &format!(" max_slots={most}");
        }
        for number in 0..self.nodes {
            *lines += &format!("node{}{number:0digits$}{behind}\n", self.letter);
        }
    }
}

fn numbers(key: &str, text: &str) -> Result<Vec<u64>, SpecError> {
    let own = |part: &str| {
        let short = Some(part.trim()).filter(|part| part.len() < 10);
        short.and_then(number).ok_or_else(|| bad(key, text))
    };
    text.split(',').map(own).collect()
}

fn bad(key: &str, there: &str) -> SpecError {
    bad_words(
        "bad-value",
        format!(
            "{key} {there}: it takes numbers apart by commas, one for each of at most 26 groups with together at most {NODES_MAX} nodes"
        ),
        Vec::new(),
    )
}
