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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_one_option() {
        let mut names: Vec<_> = OPTIONS
            .iter()
            .chain(IGNORED)
            .flat_map(|row| row.names)
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn a_slip_is_answered_with_the_option_meant() {
        assert_eq!(nearest("map-bi").as_deref(), Some("--map-by"));
        assert_eq!(nearest("hotsfile").as_deref(), Some("--hostfile"));
    }
}
