//! Many different things worked out at once, results in their order: threads change nothing.

use crate::stage::node::capacity::TopologyView;
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

/// Appends what `work` makes of every item, with the terrain of its topology; in parallel where there are many, results in
/// order. Threads write them where they stay.
pub(crate) fn over<'t, T: Sync, R: Send>(
    items: &[T],
    sharing: Sharing,
    grain: Grain,
    topology: impl Fn(&T) -> TopologyId + Sync,
    work: impl Fn(&TopologyView<'t>, &T) -> R + Sync,
    view: impl Fn(TopologyId) -> TopologyView<'t> + Sync,
    results: &mut Vec<R>,
) {
    let one = |known: &mut Option<(TopologyId, TopologyView<'t>)>, item: &T| {
        let here = topology(item);
        let fresh = known.take().filter(|(known, _)| *known == here);
        let (_, node) = known.insert(fresh.unwrap_or_else(|| (here, view(here))));
        work(node, item)
    };
    match sharing.chunk(items.len(), grain) {
        None => {
            let mut known = None;
            results.extend(items.iter().map(|item| one(&mut known, item)));
        }
        Some(chunk) => {
            let items = items.par_iter().with_min_len(chunk).with_max_len(chunk);
            results.par_extend(items.map_init(|| None, one));
        }
    }
}

/// Applies `work` to every item and its place, in parallel where there are many, results in order.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    sharing: Sharing,
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

/// Does two things for as many items, at once where these are many.
pub(crate) fn both<A: Send, B: Send>(
    items: usize,
    sharing: Sharing,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    match sharing.chunk(items, Grain::Fine) {
        None => (one(), other()),
        Some(_) => rayon::join(one, other),
    }
}

/// A vector to fill: the one kept, emptied.
pub(crate) fn emptied<T>(kept: &mut Vec<T>) -> Vec<T> {
    let mut vector = std::mem::take(kept);
    vector.clear();
    vector
}
