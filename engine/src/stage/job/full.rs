//! The nodes of an app that were full before it started: a refusal for want of room names them.

use super::app::AppJob;
use crate::error::words::FullNodes;
use crate::error::{MapError, PlaceError};
use crate::stage::alloc::claim::Candidate;
use crate::stage::alloc::select;
use crate::stage::job::site::Site;
use crate::table::intervals::Intervals;
use crate::table::names::NodeRange;

/// Nodes that are written out; more are counted.
const SHOWN: usize = 8;

/// The refusal, with the app's full nodes by name. Cost: the app's nodes; on the way out alone.
pub(super) fn named(
    mut error: MapError,
    site: &Site,
    job_of_app: AppJob<'_>,
    candidates: &[Candidate],
) -> MapError {
    if let MapError::Place(
        PlaceError::PprTooMany { full, .. } | PlaceError::NotEnoughSlots { full, .. },
    ) = &mut error
    {
        *full = full_nodes(site, job_of_app, candidates);
    }
    error
}

fn full_nodes(site: &Site, job_of_app: AppJob<'_>, candidates: &[Candidate]) -> FullNodes {
    let (hosts, app) = (&job_of_app.resolved.hosts, job_of_app.app);
    let Ok(named) = select::named(&site.pool, hosts, app) else {
        return FullNodes::default();
    };
    let mut open = Intervals::default();
    for candidate in candidates {
        open.insert(candidate.nodes);
    }
    let nodes = &site.pool.nodes;
    let is_full = |&(_, state): &(NodeRange, _)| {
        let row = site.pool.tables.states.get(state);
        row.used > 0 && row.left() == 0
    };
    let left_out = named.list.iter().flat_map(|&range| open.missing(range));
    let states = left_out.flat_map(|range| nodes.runs.within(range));
    let full: Vec<NodeRange> = states.filter(is_full).map(|(range, _)| range).collect();
    let all: u64 = full.iter().map(|range| u64::from(range.count)).sum();
    let shown = full.iter().flat_map(|range| range.first..range.end());
    let mut text: Vec<String> = shown.take(SHOWN).map(|node| nodes.name(node)).collect();
    let more = all.saturating_sub(SHOWN as u64);
    if more > 0 {
        text.push(format!("and {more} more"));
    }
    FullNodes(text.join(" "))
}
