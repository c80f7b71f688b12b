//! Many different things worked out at once, results in their order: threads change nothing.

use super::facts::Terrain;
use crate::table::topologies::TopologyId;
use rayon::prelude::*;

/// Below this many different things to work out, one thread does it: waking others costs more (docs/scale.md).
const PARALLEL_FROM: usize = 256;

/// Applies `work` to every item, with the terrain of its topology; in parallel where there are many, results in order.
pub(crate) fn over<'t, T: Sync, R: Send>(
    items: &[T],
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
    if items.len() < PARALLEL_FROM {
        return some(items);
    }
    let chunks: Vec<Vec<R>> = items.par_chunks(64).map(some).collect();
    chunks.into_iter().flatten().collect()
}
