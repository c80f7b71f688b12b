//! Works out many different items at once, with the results in the order of the items: the number of threads changes no result.

use rayon::prelude::*;

/// When threads share work. The results are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Threading {
    /// When there is enough work: waking threads for little work costs more than it saves (docs/scale.md).
    #[default]
    Worthwhile,
    /// Whenever possible, for tests.
    Always,
    /// When there is enough work, and only with the threads of the pool that the call runs on. On any other thread nothing is shared.
    Within,
}

impl Threading {
    /// On how many threads work may be done.
    pub(crate) fn threads(self) -> usize {
        match self {
            Self::Within if rayon::current_thread_index().is_none() => 1,
            Self::Within | Self::Worthwhile | Self::Always => rayon::current_num_threads(),
        }
    }
}

/// Threads share the work from this many items on. An item takes some microseconds.
const ITEMS_FROM: usize = 256;
/// How many items a thread takes at once, at least.
const CHUNK: usize = 16;

/// The results of `work` for all items, in order; threads share the work when there are many items. `start` makes the value
/// that a thread keeps from item to item.
pub(crate) fn map_all<T: Sync, S, R: Send>(
    items: &[T],
    threading: Threading,
    start: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &T) -> R + Sync + Send,
) -> Vec<R> {
    let chunk = match threading {
        Threading::Worthwhile | Threading::Within
            if items.len() < ITEMS_FROM || threading.threads() == 1 =>
        {
            let mut kept = start();
            return items.iter().map(|item| work(&mut kept, item)).collect();
        }
        Threading::Worthwhile | Threading::Within => CHUNK,
        Threading::Always => 1,
    };
    let items = items.par_iter().with_min_len(chunk);
    items.map_init(start, work).collect()
}
