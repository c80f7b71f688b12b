//! Memory that is filled again and again: whoever counts takes some and gives it back, so there is as much as threads count.

use std::sync::{Mutex, PoisonError};

/// Columns of one who counts.
#[derive(Default)]
pub(crate) struct Columns {
    /// Objects of ranks, where their numbers are narrow.
    pub(crate) narrow: Vec<u16>,
    /// Where they are not.
    pub(crate) wide: Vec<u32>,
    /// What leaves each object.
    pub(crate) out: Vec<u64>,
}

/// What nobody has at the moment.
#[derive(Default)]
pub(crate) struct Memory {
    columns: Mutex<Vec<Columns>>,
    ranks: Mutex<Vec<Vec<u32>>>,
}

impl Memory {
    /// Counts with some columns.
    pub(crate) fn with_columns<R>(&self, count: impl FnOnce(&mut Columns) -> R) -> R {
        lent(&self.columns, count)
    }

    /// The same with ranks.
    pub(crate) fn with_ranks<R>(&self, count: impl FnOnce(&mut Vec<u32>) -> R) -> R {
        lent(&self.ranks, count)
    }
}

fn lent<T: Default, R>(free: &Mutex<Vec<T>>, work: impl FnOnce(&mut T) -> R) -> R {
    // Whoever failed gave nothing back: the rest is whole.
    let lock = || free.lock().unwrap_or_else(PoisonError::into_inner);
    let mut own = lock().pop().unwrap_or_default();
    let result = work(&mut own);
    lock().push(own);
    result
}
