//! The words of levels: `[a-z][a-z0-9_]*`, and none that hwloc has for objects inside a node.

use super::{BadNetwork, Level};

/// Words for what is inside a node, or the node.
const INSIDE: &[&str] = &[
    "machine", "node", "package", "socket", "die", "numa", "numanode", "l1cache", "l2cache",
    "l3cache", "l4cache", "l5cache", "l1", "l2", "l3", "l1icache", "l2icache", "l3icache", "core",
    "pu", "hwthread", "slot", "board", "misc", "bridge", "pci", "pcidev", "os", "osdev",
    "memcache",
];

/// Checks the word of a level.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(word: &str) -> Result<(), String> {
    let mut signs = word.bytes();
    let fine = signs.next().is_some_and(|sign| sign.is_ascii_lowercase())
        && signs.all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == b'_');
    if !fine {
        return Err(format!(
            "{word:?} is no word for a level: it takes small letters, digits and _"
        ));
    }
    if INSIDE.contains(&word) {
        return Err(format!(
            "{word} is a word for what is inside a node, and cannot be a level above it"
        ));
    }
    Ok(())
}

/// The words of the levels of a file, from the lowest up.
pub(super) fn numbered(word: &str, levels: usize) -> Vec<String> {
    let name = |level: usize| match level {
        0 => word.to_owned(),
        level => format!("{word}{level}"),
    };
    (0..levels).map(name).collect()
}

/// Gives levels other words. `levels`: from the top down; `words`: from the lowest level up, with commas.
pub(super) fn call(levels: &mut [Level], words: &str) -> Result<(), BadNetwork> {
    let bad = |why: String| BadNetwork::told(format!("--network-levels {words}: {why}"));
    let count = levels.len();
    for (at, word) in words.split(',').enumerate() {
        check(word).map_err(bad)?;
        let Some(level) = count.checked_sub(at + 1) else {
            return Err(bad(format!(
                "there is no level for {word}: the network has {count}"
            )));
        };
        levels[level].word = word.to_owned();
    }
    for (at, level) in levels.iter().enumerate() {
        if levels[..at].iter().any(|other| other.word == level.word) {
            return Err(bad(format!("two levels would be called {}", level.word)));
        }
    }
    Ok(())
}
