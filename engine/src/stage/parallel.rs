//! Many different things worked out at once, results in their order: threads change nothing.

use super::facts::Terrain;
use crate::table::topologies::TopologyId;
use rayon::prelude::*;
use smallvec::{IntoIter, SmallVec};
use std::iter::Flatten;

/// When threads share work. What comes out is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Sharing {
    /// Where there is enough of it: waking others for little costs more (docs/scale.md).
    #[default]
    Worthwhile,
    /// Wherever it can be, for tests.
    Always,
}

/// How long an item takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Grain {
    /// Below a microsecond or two: a name is looked up, what there is on a node is counted.
    Fine,
    /// Some microseconds: processes are laid on a node.
    Coarse,
}

impl Grain {
    /// From how many items on threads share them, and how many each takes at once, at least.
    const fn sizes(self) -> (usize, usize) {
        match self {
            Self::Fine => (256, 64),
            Self::Coarse => (256, 16),
        }
    }
}

/// Items that a thread takes at once, at most: then another can help it out.
const CHUNK_MOST: usize = 64;
/// Chunks for each thread, where there are few items.
const CHUNKS_EACH: usize = 4;

impl Sharing {
    /// How many of so many items a thread takes at once; `None`: one thread takes them all.
    fn chunk(self, items: usize, grain: Grain) -> Option<usize> {
        let (from, least) = grain.sizes();
        match self {
            Self::Always => (items > 1).then_some(1),
            Self::Worthwhile => (items >= from).then(|| {
                let chunks = CHUNKS_EACH * rayon::current_num_threads();
                (items / chunks).clamp(least, CHUNK_MOST)
            }),
        }
    }
}

/// What threads made, in order.
pub(crate) type Results<R> = Flatten<IntoIter<[Vec<R>; 1]>>;

/// Applies `work` to every item, with the terrain of its topology; in parallel where there are many, results in order. They
/// stay where the threads wrote them.
pub(crate) fn over<'t, T: Sync, R: Send>(
    (items, sharing, grain): (&[T], Sharing, Grain),
    topology: impl Fn(&T) -> TopologyId + Sync,
    work: impl Fn(&Terrain<'t>, &T) -> R + Sync,
    terrain: impl Fn(TopologyId) -> Terrain<'t> + Sync,
) -> Results<R> {
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
    let chunks: SmallVec<[Vec<R>; 1]> = match sharing.chunk(items.len(), grain) {
        None => SmallVec::from_buf([some(items)]),
        Some(chunk) => {
            let chunks: Vec<Vec<R>> = items.par_chunks(chunk).map(some).collect();
            chunks.into()
        }
    };
    chunks.into_iter().flatten()
}

/// Applies `work` to every item and its place, in parallel where there are many, results in order.
pub(crate) fn each<T: Sync, R: Send>(
    (items, sharing): (&[T], Sharing),
    work: impl Fn((usize, &T)) -> R + Sync + Send,
) -> Vec<R> {
    match sharing.chunk(items.len(), Grain::Fine) {
        None => items.iter().enumerate().map(work).collect(),
        Some(chunk) => {
            let items = items.par_iter().enumerate();
            items.with_min_len(chunk).map(work).collect()
        }
    }
}
