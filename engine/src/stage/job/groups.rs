//! Which apps compete for nodes. Apps whose nodes overlap, directly or through other apps, are placed in order; the others need not be.
//!
//! The nodes that an app may touch depend on the lists and files that it names. They are worked out as ranges, once for each distinct
//! list or file, and one sweep finds the ranges that overlap. Nothing here loops over nodes, alone or for each app.

use crate::id::Id as _;
use crate::policy::MapBy;
use crate::stage::alloc::Pool;
use crate::stage::alloc::named::{in_files, look_up};
use crate::stage::resolve::Resolved;
use crate::table::apps::{AppId, ListingId, Numbering};
use crate::table::intervals::Intervals;
use crate::table::listings::EntryNode;
use crate::table::names::NodeRange;
use crate::text::host_types::{HostEntry, HostListId, HostfileId};
use std::collections::HashMap;

/// Apps that compete with no app outside the group, and the nodes that they may touch.
#[derive(Debug, Default)]
pub(crate) struct AppGroup {
    /// Ascending.
    pub(crate) apps: Vec<AppId>,
    /// Disjoint, ascending.
    pub(crate) nodes: Intervals,
}

/// The lists and files that decide which nodes an app touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct TouchedBy<'r> {
    list: Option<HostListId>,
    files: &'r [HostfileId],
    listing: Option<ListingId>,
}

/// The groups of apps of a job, ordered by first app. `None` if there is only one, or if an app depends on more than its nodes.
///
/// Cost: a look-up per app, and the ranges of each distinct list.
pub(crate) fn app_groups(pool: &Pool, resolved: &Resolved) -> Option<Vec<AppGroup>> {
    let named: Vec<(AppId, TouchedBy<'_>)> = resolved
        .apps
        .ids()
        .filter(|&app| resolved.apps.policy[app].is_some())
        .map(|app| Some((app, names(resolved, app)?)))
        .collect::<Option<_>>()?;
    let mut known: HashMap<TouchedBy<'_>, usize> = HashMap::new();
    let mut ranges: Vec<(NodeRange, usize)> = Vec::new();
    let mut of_app = Vec::with_capacity(named.len());
    for (app, names) in named {
        let next = known.len();
        let touch = *known.entry(names).or_insert(next);
        if touch == next {
            let nodes = touched(pool, resolved, app, names)?;
            ranges.extend(nodes.into_iter().map(|nodes| (nodes, touch)));
        }
        of_app.push((app, touch));
    }
    let first = united(known.len(), &mut ranges);
    let mut app_groups: Vec<AppGroup> = Vec::new();
    let mut rows: Vec<Option<usize>> = vec![None; known.len()];
    for (app, touch) in of_app {
        let row = *rows[first[touch]].get_or_insert_with(|| {
            app_groups.push(AppGroup::default());
            app_groups.len() - 1
        });
        app_groups[row].apps.push(app);
    }
    for (nodes, touch) in ranges {
        if let Some(row) = rows[first[touch]] {
            app_groups[row].nodes.insert(nodes);
        }
    }
    (app_groups.len() > 1).then_some(app_groups)
}

/// The lists and files that an app names. `None` if it may go anywhere, or if it depends on the counts of earlier apps.
fn names(resolved: &Resolved, app: AppId) -> Option<TouchedBy<'_>> {
    let policy = resolved.apps.policy(app)?;
    let listing = resolved.apps.listing[app];
    let names = TouchedBy {
        list: resolved.hosts.list[app],
        files: &resolved.hosts.files[app],
        listing: listing
            .map(|(id, _)| id)
            .filter(|_| policy.map == MapBy::Seq),
    };
    let own_file = listing.is_some_and(|(_, numbering)| numbering == Numbering::App);
    let alone = policy.map != MapBy::Lsf && (policy.map != MapBy::Rankfile || own_file);
    let somewhere = names.list.is_some() || !names.files.is_empty() || names.listing.is_some();
    (alone && somewhere).then_some(names)
}

/// The nodes whose states an app may see or change. `None` if that may be any node, or if a name is wrong.
fn touched(
    pool: &Pool,
    resolved: &Resolved,
    app: AppId,
    names: TouchedBy<'_>,
) -> Option<Vec<NodeRange>> {
    if let Some(listing) = names.listing {
        let listing = &resolved.apps.listings[listing];
        let by_name = listing.entries.iter().map(|entry| match entry.node {
            EntryNode::Name(name) => Some(name),
            EntryNode::Nth(_) => None,
        });
        by_name.clone().collect::<Option<Vec<_>>>()?;
        let one = |name: &String| {
            let node = pool.nodes.names.find_host(name)?;
            Some(NodeRange::one(node.number()))
        };
        return listing.names.values().iter().map(one).collect();
    }
    if names.files.is_empty() {
        let relative = |entry: &HostEntry| matches!(entry, HostEntry::Empty(_));
        if resolved.hosts.entries(app)?.iter().any(relative) {
            return None;
        }
        return Some(look_up(pool, &resolved.hosts, app).ok()?.list);
    }
    // The files lower the slots of all their nodes, even of nodes that the list does not select.
    Some(in_files(pool, &resolved.hosts, names.files).list)
}

/// Unites ranges that overlap. Returns for each touch the lowest touch that it meets, directly or through others. Sorts the ranges.
pub fn united(touches: usize, ranges: &mut [(NodeRange, usize)]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..touches).collect();
    ranges.sort_unstable_by_key(|(nodes, touch)| (nodes.first, *touch));
    let mut open: Option<(u32, usize)> = None;
    for &(nodes, touch) in ranges.iter().filter(|(nodes, _)| nodes.count > 0) {
        open = Some(match open {
            Some((end, other)) if nodes.first < end => {
                join(&mut parent, other, touch);
                (end.max(nodes.end()), touch)
            }
            _ => (nodes.end(), touch),
        });
    }
    (0..touches).map(|touch| root(&mut parent, touch)).collect()
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        // Path halving.
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

fn join(parent: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(parent, one), root(parent, other));
    parent[one.max(other)] = one.min(other);
}
