//! Parts of messages that several errors use.
//!
//! The nearest spelling of a misspelled word is found in `text/words.rs`.

use crate::count::counted;
use std::fmt;

/// Whether the number of processes was given, or counted because `-n` was absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// By `-n`.
    Given,
    /// By policy and slots.
    Counted,
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given => "",
            Self::Counted => " (no -n was given: counted)",
        })
    }
}

/// How many nodes were empty, if `+e` asked for empty nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EmptyNodes {
    /// Not asked.
    NotAsked,
    /// So many.
    Empty(u32),
}

impl fmt::Display for EmptyNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked => Ok(()),
            Self::Empty(count) => write!(f, " (empty: {count})"),
        }
    }
}

/// `1 slot is`, `2 slots are`.
pub(super) fn are(number: u64, noun: &'static str) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(number, noun))
}

/// `its only node`, `all its 2 nodes`.
pub(super) fn all_of(nodes: u32) -> String {
    match nodes {
        1 => "its only node".to_owned(),
        nodes => format!("all its {nodes} nodes"),
    }
}

/// Nodes that have room for some processes of a pattern, but not for all.
pub(super) fn passed_over(nodes: u32) -> String {
    match nodes {
        0 => String::new(),
        1 => "; 1 node has too little room".to_owned(),
        nodes => format!("; {nodes} nodes have too little room"),
    }
}

/// The nodes of an app that are full before it starts, as a host list. Empty if there are none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FullNodes(pub String);

impl FullNodes {
    /// How many names are written out. The nodes beyond them are only counted.
    const SHOWN: usize = 8;

    /// The nodes with these names. `all`: how many full nodes there are.
    pub(crate) fn of(names: impl Iterator<Item = String>, all: u64) -> Self {
        let mut text: Vec<String> = names.take(Self::SHOWN).collect();
        let more = all.saturating_sub(Self::SHOWN as u64);
        if more > 0 {
            text.push(format!("and {more} more"));
        }
        Self(text.join(" "))
    }

    /// In brackets, as it follows the word `full`.
    pub(super) fn in_brackets(&self) -> String {
        match self.0.as_str() {
            "" => String::new(),
            nodes => format!(" ({nodes})"),
        }
    }
}

impl fmt::Display for FullNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_str() {
            "" => Ok(()),
            nodes => write!(f, "; full before it starts: {nodes}"),
        }
    }
}

/// The kinds of objects that a node has, outermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kinds(pub Vec<&'static str>);

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, "; it has {}", self.0.join(" "))
    }
}
