//! Memory that is reused. Each count takes some and gives it back, so there is only as much as there are threads that count.

use std::sync::{Mutex, PoisonError};

/// The columns that one count needs.
#[derive(Default)]
pub(crate) struct Columns {
    /// The object of each rank.
    pub(crate) of_rank: Vec<u32>,
    /// The edges that leave each object.
    pub(crate) out: Vec<u64>,
}

/// The memory that is free at the moment.
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
    // A count that panicked gave nothing back, so the rest is whole.
    let lock = || free.lock().unwrap_or_else(PoisonError::into_inner);
    let mut own = lock().pop().unwrap_or_default();
    let result = work(&mut own);
    lock().push(own);
    result
}
