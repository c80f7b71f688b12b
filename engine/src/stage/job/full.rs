//! The nodes of an app that were full before it started: a refusal for want of room names them.

use crate::error::words::FullNodes;
use crate::error::{MapError, PlaceError};
use crate::stage::alloc::claim::Candidate;
use crate::stage::alloc::select;
use crate::stage::job::site::Site;
use crate::table::apps::AppId;
use crate::table::intervals::Intervals;
use crate::table::names::NodeRange;
use crate::text::hosts::Hosts;

/// An app that was refused, and the hosts of its job.
#[derive(Clone, Copy)]
pub(super) struct Asking<'r> {
    pub(super) hosts: &'r Hosts,
    pub(super) app: AppId,
}

/// The refusal, with the app's full nodes by name. Cost: the app's nodes; on the way out alone.
pub(super) fn named(
    mut error: MapError,
    site: &Site,
    asking: Asking<'_>,
    candidates: &[Candidate],
) -> MapError {
    if let MapError::Place(
        PlaceError::PprTooMany { full, .. } | PlaceError::NotEnoughSlots { full, .. },
    ) = &mut error
    {
        *full = full_nodes(site, asking, candidates);
    }
    error
}

fn full_nodes(site: &Site, asking: Asking<'_>, candidates: &[Candidate]) -> FullNodes {
    let Ok(named) = select::named(&site.pool, asking.hosts, asking.app) else {
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
    select::by_name(&site.pool, &full)
}
