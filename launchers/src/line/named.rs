//! Rows of tables of words that have several names: MPICH's Hydra and Intel MPI's.

use stowplan_engine::text::words::nearest;

/// A word: its names without dashes, how many values it takes, what it does.
pub(crate) struct Word<D> {
    pub(crate) names: &'static [&'static str],
    pub(crate) values: usize,
    pub(crate) does: D,
}

/// A row of a table.
pub(crate) const fn word<D: Copy>(
    names: &'static [&'static str],
    values: usize,
    does: D,
) -> Word<D> {
    Word {
        names,
        values,
        does,
    }
}

/// The word with this name.
pub(crate) fn find<D>(words: &'static [Word<D>], name: &str) -> Option<&'static Word<D>> {
    words.iter().find(|word| word.names.contains(&name))
}

/// The nearest word to one that is unknown.
pub(crate) fn near<D>(words: &'static [Word<D>], name: &str) -> Option<&'static str> {
    let names = words.iter().flat_map(|word| word.names.iter().copied());
    nearest(names, name).filter(|near| *near != name)
}
