//! Many different things worked out at once, results in their order: threads change nothing.

use super::facts::Terrain;
use crate::table::topologies::TopologyId;
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

impl Sharing {
    /// From how many different things on threads share them, and how many each takes at once.
    const fn sizes(self) -> (usize, usize) {
        match self {
            Self::Worthwhile => (256, 64),
            Self::Always => (2, 1),
        }
    }
}

/// Applies `work` to every item, with the terrain of its topology; in parallel where there are many, results in order.
pub(crate) fn over<'t, T: Sync, R: Send>(
    (items, sharing): (&[T], Sharing),
    topology: impl Fn(&T) -> TopologyId + Sync,
    work: impl Fn(&Terrain<'t>, &T) -> R + Sync,
    terrain: impl Fn(TopologyId) -> Terrain<'t> + Sync,
) -> Vec<R> {
    let some = |items: &[T]| -> Vec<R> {
        let mut known: Option<(TopologyId, Terrain<'t>)> = None;
        let each = items.iter().map(|item| {
            let here = topology(item);
            let fresh = known.take().filter(|(known, _)| *known == here);
            let (_, ground) = known.insert(fresh.unwrap_or_else(|| (here, terrain(here))));
            work(ground, item)
        });
        each.collect()
    };
    let (from, chunk) = sharing.sizes();
    if items.len() < from {
        return some(items);
    }
    let chunks: Vec<Vec<R>> = items.par_chunks(chunk).map(some).collect();
    chunks.into_iter().flatten().collect()
}

/// Applies `work` to every item and its place, in parallel where there are many, results in order.
pub(crate) fn each<T: Sync, R: Send>(
    (items, sharing): (&[T], Sharing),
    work: impl Fn((usize, &T)) -> R + Sync + Send,
) -> Vec<R> {
    let (from, chunk) = sharing.sizes();
    if items.len() < from {
        return items.iter().enumerate().map(work).collect();
    }
    let items = items.par_iter().enumerate();
    items.with_min_len(chunk).map(work).collect()
}
