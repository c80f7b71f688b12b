//! The entries of an app that wrote its places out: which nodes, in which order. Source: `semantics` 4.5, 4.6.

use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::limit::SEQUENCE_NODES_MAX;
use crate::policy::{MapBy, NoLocal};
use crate::stage::alloc::Pool;
use crate::stage::alloc::claim::Named;
use crate::stage::alloc::select::{named, without_local};
use crate::stage::resolve::Resolved;
use crate::table::apps::{AppId, Numbering, Policy};
use crate::table::listings::{Entry, EntryNode, Listing, SlotListId};
use crate::table::names::NodeRange;

/// Neighbouring entries that name one node, and the same cpus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EntryStep {
    /// Its place in the pool; `None`: not one of the nodes the app may use.
    pub(crate) node: Option<u32>,
    /// So many nodes from there on, each with these entries.
    pub(crate) span: u32,
    pub(crate) cpus: Option<SlotListId>,
    /// How many entries on each node.
    pub(crate) count: u32,
    /// Row in the listing, for messages; `None`: made from hosts.
    pub(crate) entry: Option<u32>,
}

impl EntryStep {
    /// What is left before and behind a node.
    fn without(self, gone: u32) -> [Option<Self>; 2] {
        let Some(node) = self.node else {
            return [Some(self), None];
        };
        let Some(before) = gone.checked_sub(node).filter(|&at| at < self.span) else {
            return [Some(self), None];
        };
        let part = |first: u32, span: u32| Self {
            node: Some(first),
            span,
            ..self
        };
        [
            (before > 0).then(|| part(node, before)),
            (before + 1 < self.span).then(|| part(gone + 1, self.span - before - 1)),
        ]
    }
}

/// The first entries of a sequence, as many as there are processes, each node by itself.
///
/// # Errors
/// `job-too-large` for more nodes than [`SEQUENCE_NODES_MAX`].
pub(crate) fn first_steps(steps: &[EntryStep], procs: u32) -> Result<Vec<EntryStep>, MapError> {
    let ranges = steps.iter().filter(|step| step.span > 1);
    let asked: u64 = ranges.map(|step| u64::from(step.span)).sum();
    let asked = asked.min(u64::from(procs));
    if asked > SEQUENCE_NODES_MAX {
        return Err(PlaceError::JobTooLarge {
            what: "entries of a sequence",
            asked,
            limit: SEQUENCE_NODES_MAX,
        }
        .into());
    }
    let mut left = procs;
    let mut first = Vec::new();
    for step in steps {
        for node in 0..step.span {
            if left == 0 {
                return Ok(first);
            }
            let count = step.count.min(left);
            left -= count;
            first.push(EntryStep {
                node: step.node.map(|start| start + node),
                span: 1,
                count,
                ..*step
            });
        }
    }
    Ok(first)
}

fn number(app: AppId) -> u32 {
    u32::try_from(app.row()).expect("limit.rs keeps apps below 2^32")
}

/// All entries of a seq or lsf app, the local node's left out under NOLOCAL; from entry `skip` on.
///
/// # Errors
/// `no-nodes` when none is left, `bad-seqfile` when there never was one.
pub(crate) fn sequence(
    pool: &Pool,
    resolved: &Resolved,
    app: AppId,
    policy: &Policy,
    skip: u32,
) -> Result<Vec<EntryStep>, MapError> {
    let listing = resolved.apps.listing[app].map(|(id, _)| &resolved.apps.listings[id]);
    let steps = match listing {
        Some(listing) => from_listing(pool, listing, skip),
        None if has_hosts(resolved, app) => {
            let named = named(pool, &resolved.hosts, app);
            let in_files = policy.map == MapBy::Seq && !resolved.hosts.hostfiles.is_empty();
            from_mentions(&if in_files {
                named.map_err(not_allocated)?
            } else {
                named?
            })
        }
        None => Vec::new(),
    };
    if steps.is_empty() && policy.map == MapBy::Seq {
        let path =
            listing.map_or_else(|| "--map-by seq".to_owned(), |listing| listing.path.clone());
        let reason =
            "there is no entry: neither FILE, nor -H, nor a hostfile names a node".to_owned();
        return Err(PlaceError::BadSeqfile {
            path,
            line: 0,
            reason,
        }
        .into());
    }
    if policy.nolocal == NoLocal::No {
        return Ok(steps);
    }
    let local = pool
        .nodes
        .local
        .map(|node| u32::try_from(node.row()).expect("a node id is a u32"));
    let kept: Vec<EntryStep> = match local {
        None => steps,
        Some(local) => steps
            .into_iter()
            .flat_map(|step| step.without(local))
            .flatten()
            .collect(),
    };
    if kept.is_empty() {
        let removed = "NOLOCAL takes every entry away";
        return Err(PlaceError::NoNodes {
            app: number(app),
            removed,
        }
        .into());
    }
    Ok(kept)
}

/// A host of `-H` is an entry of a sequence: it is not among the nodes that the hostfiles name. What selects by place
/// (`+n1`, `+e`) selects nothing, as everywhere.
fn not_allocated(error: MapError) -> MapError {
    let MapError::Place(PlaceError::NoSuchHost { asked, pool, .. }) = &error else {
        return error;
    };
    if asked.starts_with('+') {
        return error;
    }
    let (asked, pool) = (asked.clone(), *pool);
    PlaceError::SeqHost {
        path: "-H".to_owned(),
        line: 1,
        name: asked,
        pool,
    }
    .into()
}

fn has_hosts(resolved: &Resolved, app: AppId) -> bool {
    resolved.hosts.entries(app).is_some()
        || resolved
            .hosts
            .files
            .get(app)
            .is_some_and(|files| !files.is_empty())
}

fn from_listing(pool: &Pool, listing: &Listing, skip: u32) -> Vec<EntryStep> {
    let nodes: Vec<Option<u32>> = listing
        .names
        .values()
        .iter()
        .map(|name| {
            pool.nodes
                .names
                .find_name(name)
                .map(|node| u32::try_from(node.row()).expect("a node id is a u32"))
        })
        .collect();
    let mut skip = skip;
    let mut steps = Vec::with_capacity(listing.entries.len());
    for (at, entry) in (0..).zip(&listing.entries) {
        let gone = skip.min(entry.count);
        skip -= gone;
        if entry.count > gone {
            let node = match entry.node {
                EntryNode::Name(name) => nodes[name.row()],
                EntryNode::Nth(nth) => (nth < pool.nodes.names.len()).then_some(nth),
            };
            steps.push(EntryStep {
                node,
                span: 1,
                cpus: entry.cpus,
                count: entry.count - gone,
                entry: Some(at),
            });
        }
    }
    steps
}

/// One entry per mention (4.5).
fn from_mentions(named: &Named) -> Vec<EntryStep> {
    let one = |nodes: &NodeRange| EntryStep {
        node: Some(nodes.first),
        span: nodes.count,
        cpus: None,
        count: 1,
        entry: None,
    };
    named.mentions.iter().map(one).collect()
}

/// The nodes that a rankfile app may use, in list order, full ones included.
pub(crate) fn allowed(
    pool: &Pool,
    resolved: &Resolved,
    app: AppId,
    policy: &Policy,
    notes: &mut Vec<Note>,
) -> Result<Vec<NodeRange>, MapError> {
    let named = named(pool, &resolved.hosts, app)?;
    Ok(without_local(pool, app, policy, &named, notes)?.into_owned())
}

/// The entries of `procs` ranks of a rankfile, from rank `first` on.
///
/// # Errors
/// `rankfile-missing-rank` stays with the rank that has none: such steps end the list, and the caller says so when it
/// gets there.
pub(crate) fn ranks(
    pool: &Pool,
    listing: &Listing,
    list: &[NodeRange],
    first: u32,
    procs: u32,
) -> Vec<EntryStep> {
    let mut steps = Vec::new();
    let start = listing
        .entries
        .partition_point(|entry| entry.number + (entry.count - 1) < first);
    let mut rank = first;
    for (at, entry) in (0..).zip(&listing.entries).skip(start) {
        if rank - first >= procs || entry.number > rank {
            break;
        }
        let inside = rank - entry.number;
        let count = (entry.count - inside).min(procs - (rank - first));
        let node = rank_node(pool, listing, list, entry);
        steps.push(EntryStep {
            node,
            span: 1,
            cpus: entry.cpus,
            count,
            entry: Some(at),
        });
        rank += count;
    }
    steps
}

fn rank_node(pool: &Pool, listing: &Listing, list: &[NodeRange], entry: &Entry) -> Option<u32> {
    match entry.node {
        EntryNode::Name(name) => {
            let node = pool.nodes.names.find_name(&listing.names[name])?;
            let row = u32::try_from(node.row()).expect("a node id is a u32");
            list.iter()
                .any(|nodes| nodes.first <= row && row < nodes.end())
                .then_some(row)
        }
        EntryNode::Nth(nth) => {
            let mut left = nth;
            for nodes in list {
                if left < nodes.count {
                    return Some(nodes.first + left);
                }
                left -= nodes.count;
            }
            None
        }
    }
}

/// How many entries a listing app has when `-n` is absent.
pub(crate) fn entry_count(steps: &[EntryStep]) -> u64 {
    let entries = |step: &EntryStep| u64::from(step.count) * u64::from(step.span);
    steps.iter().map(entries).sum()
}

/// Which entry an app begins with: a job's rankfile numbers the job's ranks, lsf's lines go on from app to app.
pub(crate) fn first_entry(numbering: Numbering, before: u32) -> u32 {
    match numbering {
        Numbering::App => 0,
        Numbering::Job => before,
    }
}
