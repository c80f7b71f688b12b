//! The nodes that an app names, and how many of their slots it claims. Source: `semantics` 1.2 to 1.4.
//!
//! `+nK` and `+e` of `-H` are resolved here; relative nodes of rankfiles and sequence files in `place/entries.rs`.

use super::hostfile::kept_names;
use super::nodes::ListOrder;
use super::pool::Pool;
use super::selected::Named;
use super::slots::SlotsSaid;
use crate::error::phrases::EmptyNodes;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::plan::claimed::Fixed;
use crate::table::apps::AppId;
use crate::table::intervals::{Intervals, add_up};
use crate::table::names::{NameRange, Names, NodeId, NodeRange, Nodes, push_joined};
use crate::text::host_types::{HostEntry, HostfileId, Hosts};
use std::sync::Arc;

/// The nodes that an app names, or the pool if it names none. They are kept, unless they depend on where processes are.
///
/// # Errors
/// `no-such-host`.
pub(crate) fn named(pool: &mut Pool, hosts: &Hosts, app: AppId) -> Result<Arc<Named>, MapError> {
    let list = hosts.list.get(app).copied().flatten();
    let key = (list, hosts.own_files(app).into());
    if let Some(known) = pool.nodes.named.get(&key) {
        return Ok(Arc::clone(known));
    }
    let mut named = look_up(pool, hosts, app)?;
    if pool.nodes.lists == ListOrder::Pool {
        named.list.sort_unstable();
        let sorted = std::mem::take(&mut named.list);
        sorted
            .into_iter()
            .for_each(|nodes| push_joined(&mut named.list, nodes));
    }
    let relative = |entry: &HostEntry| matches!(entry, HostEntry::Empty(_) | HostEntry::Nth(_));
    if hosts.entries(app).unwrap_or_default().iter().any(relative) {
        named.fixed = Fixed::AtItsTurn;
        return Ok(Arc::new(named));
    }
    let named = Arc::new(named);
    pool.nodes.named.insert(key, Arc::clone(&named));
    Ok(named)
}

/// The same, always looked up again.
///
/// # Errors
/// `no-such-host`.
pub(crate) fn look_up(pool: &Pool, hosts: &Hosts, app: AppId) -> Result<Named, MapError> {
    let files = hosts.own_files(app);
    let in_files = (!files.is_empty()).then(|| in_files(pool, hosts, files));
    let Some(entries) = hosts.entries(app) else {
        let nodes = pool.nodes.names.len();
        return Ok(in_files.unwrap_or_else(|| Named::whole(nodes)));
    };
    let within = in_files.map(|named| {
        let mut within = Intervals::default();
        named.list.iter().for_each(|&nodes| {
            within.insert(nodes);
        });
        within
    });
    HostEntries {
        pool,
        app,
        entries,
        within,
    }
    .select()
}

/// The nodes of hostfiles: their union, in file order.
pub(crate) fn in_files(pool: &Pool, hosts: &Hosts, files: &[HostfileId]) -> Named {
    let mut named = Named::default();
    let mut seen = Intervals::default();
    for file in files.iter().map(|&file| &hosts.hostfiles[file]) {
        for (_, range) in kept_names(file, &pool.nodes.names) {
            for nodes in pool.nodes.names.find(&range).0 {
                push_joined(&mut named.mentions, nodes);
                named.add(&mut seen, nodes);
            }
        }
    }
    named
}

/// The node whose name ends in the number of an all-digit entry, if that entry is no name itself.
pub(crate) fn by_number(names: &Names, range: &NameRange) -> Option<NodeId> {
    let digits = range.width == 0
        && range.prefix.len() <= 18
        && range.prefix.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || names.find_name(&range.prefix).is_some() {
        return None;
    }
    names.find_ending(range.prefix.parse().ok()?)
}

/// The `-H` entries of an app, while they are looked up.
struct HostEntries<'s> {
    pool: &'s Pool,
    app: AppId,
    entries: &'s [HostEntry],
    /// The nodes of the app's hostfile, if it has one: the entries select among these.
    within: Option<Intervals>,
}

impl HostEntries<'_> {
    fn select(&self) -> Result<Named, MapError> {
        let mut seen = Intervals::default();
        let mut named = Named::default();
        let mut claims = Vec::with_capacity(self.entries.len());
        named.mentions.reserve(self.entries.len());
        for (at, entry) in self.entries.iter().enumerate() {
            let (chosen, claim) = self.entry(at, entry)?;
            for nodes in chosen {
                claims.push((nodes, claim));
                // Mentions are not joined: a node named twice is two entries of a sequence.
                named.mentions.push(nodes);
                named.add(&mut seen, nodes);
            }
        }
        named.claims = Some(add_up(claims));
        Ok(named)
    }

    fn entry(&self, at: usize, entry: &HostEntry) -> Result<(Nodes, SlotsSaid), MapError> {
        match entry {
            HostEntry::Names(range, slots) => {
                let found = self.by_name(range)?;
                match found.iter().find_map(|&nodes| self.first_outside(nodes)) {
                    Some(node) => {
                        Err(self.no_such_host(self.pool.nodes.name(node), EmptyNodes::NotAsked))
                    }
                    None => Ok((found, (*slots).into())),
                }
            }
            HostEntry::Nth(nth) => {
                let node = NodeRange::one(*nth);
                if *nth < self.pool.nodes.names.len() && self.first_outside(node).is_none() {
                    Ok((Nodes::from_slice(&[node]), SlotsSaid::ALL))
                } else {
                    Err(self.no_such_host(format!("+n{nth}"), EmptyNodes::NotAsked))
                }
            }
            HostEntry::Empty(None) => Ok((self.empty(&self.later(at)).into(), SlotsSaid::ALL)),
            HostEntry::Empty(Some(count)) => {
                let mut empty = self.empty(&Intervals::default());
                let have: u32 = empty.iter().map(|nodes| nodes.count).sum();
                if have < *count {
                    return Err(self.no_such_host(format!("+e:{count}"), EmptyNodes::Empty(have)));
                }
                let mut left = *count;
                empty.retain_mut(|nodes| {
                    nodes.count = nodes.count.min(left);
                    left -= nodes.count;
                    nodes.count > 0
                });
                Ok((empty.into(), SlotsSaid::ALL))
            }
        }
    }

    /// The first of some nodes that the app's hostfile does not name.
    fn first_outside(&self, nodes: NodeRange) -> Option<u32> {
        let outside = self.within.as_ref()?.missing(nodes);
        outside.first().map(|nodes| nodes.first)
    }

    fn by_name(&self, range: &NameRange) -> Result<Nodes, MapError> {
        let names = &self.pool.nodes.names;
        if let Some(node) = by_number(names, range) {
            return Ok(Nodes::from_slice(&[NodeRange::one(node.number())]));
        }
        match names.find_hosts(range) {
            (found, None) => Ok(found),
            (found, Some(_)) if self.lost(range, &found) => Ok(found),
            (_, Some(missing)) => Err(self.no_such_host(missing, EmptyNodes::NotAsked)),
        }
    }

    /// Whether all missing nodes of a range were lost.
    fn lost(&self, range: &NameRange, found: &[NodeRange]) -> bool {
        let lost = &self.pool.nodes.lost;
        let count =
            |nodes: &[NodeRange]| -> u64 { nodes.iter().map(|nodes| u64::from(nodes.count)).sum() };
        by_number(lost, range).is_some()
            || count(found) + count(&lost.find(range).0) == u64::from(range.count)
    }

    /// The nodes that later entries name.
    fn later(&self, at: usize) -> Intervals {
        let mut later = Intervals::default();
        for entry in &self.entries[at + 1..] {
            if let HostEntry::Names(range, _) = entry {
                for nodes in self.by_name(range).into_iter().flatten() {
                    later.insert(nodes);
                }
            }
        }
        later
    }

    /// The nodes without a process of this job, in pool order, without those in `less`.
    fn empty(&self, less: &Intervals) -> Vec<NodeRange> {
        let Pool { nodes, tables, .. } = self.pool;
        let mut empty = Vec::new();
        let idle = nodes
            .runs
            .iter()
            .filter(|&(_, state)| tables.states.get(state).own == 0);
        for (nodes, _) in idle {
            let inside = match &self.within {
                Some(within) => within.shared(nodes),
                None => vec![nodes],
            };
            let left = inside.into_iter().flat_map(|nodes| less.missing(nodes));
            left.for_each(|nodes| push_joined(&mut empty, nodes));
        }
        empty
    }

    fn no_such_host(&self, asked: String, empty: EmptyNodes) -> MapError {
        PlaceError::NoSuchHost {
            app: self.app.number(),
            asked,
            pool: self.pool.nodes.names.len(),
            empty,
        }
        .into()
    }
}
