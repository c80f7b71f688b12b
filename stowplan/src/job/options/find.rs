//! The option of a name, and the names that are most like a wrong one.

use super::ignored::IGNORED;
use super::table::{OPTIONS, Row, written};

/// The option with this name, given without dashes. Cost: a pass over the tables.
#[must_use]
pub fn find(name: &str) -> Option<&'static Row> {
    OPTIONS
        .iter()
        .chain(IGNORED)
        .find(|row| row.names.contains(&name))
}

/// The most similar option name, with its dashes.
#[must_use]
pub fn nearest(name: &str) -> Option<String> {
    let names = OPTIONS
        .iter()
        .chain(IGNORED)
        .flat_map(|row| row.names.iter().copied());
    stowplan_engine::text::words::nearest(names, name).map(written)
}
