//! Small facts that messages put into words.

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

/// How many nodes were empty, where `+e` asked for some.
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
            Self::Empty(count) => write!(f, " ({count} were empty)"),
        }
    }
}
