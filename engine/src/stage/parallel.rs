//! Many different things worked out at once, results in their order: threads change nothing.

use rayon::prelude::*;

/// When threads share work. What comes out is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Sharing {
    /// Where there is enough of it: waking others for little costs more (docs/scale.md).
    #[default]
    Worthwhile,
    /// Wherever it can be, for tests.
    Always,
}

/// From how many items on threads share them, each of some microseconds.
const ITEMS_FROM: usize = 256;
/// How many of them a thread takes at once, at least.
const CHUNK: usize = 16;

/// What `work` makes of every item, in order; by several threads where there are many. `start`: what a thread keeps from
/// item to item.
pub(crate) fn map_all<T: Sync, S, R: Send>(
    items: &[T],
    sharing: Sharing,
    start: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &T) -> R + Sync + Send,
) -> Vec<R> {
    let chunk = match sharing {
        Sharing::Worthwhile if items.len() < ITEMS_FROM => {
            let mut kept = start();
            return items.iter().map(|item| work(&mut kept, item)).collect();
        }
        Sharing::Worthwhile => CHUNK,
        Sharing::Always => 1,
    };
    let items = items.par_iter().with_min_len(chunk);
    items.map_init(start, work).collect()
}
