//! The entries of a rankfile, sequence file or affinity file for an app: which nodes, in which order. Source: `semantics` 4.5, 4.6.

use super::app::App;
use super::refuse::no_processes;
use crate::count::ProcCount;
use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::limit::SEQUENCE_NODES_MAX;
use crate::policy::{MapBy, NoLocal};
use crate::stage::alloc::Pool;
use crate::stage::alloc::hostfile::lowered;
use crate::stage::alloc::named::named;
use crate::stage::alloc::select::without_local;
use crate::stage::alloc::selected::{Named, SlotChanges};
use crate::stage::node::units::narrow;
use crate::stage::resolve::Resolved;
use crate::table::apps::{AppId, Numbering, Policy};
use crate::table::listings::{Entry, EntryNode, Listing, SlotListId};
use crate::table::names::{NodeId, NodeRange, cut_around};
use std::sync::Arc;

/// Neighbouring entries that name the same nodes and the same cpus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryStep {
    /// The nodes, each with these entries; `None` if the app may not use the node.
    pub(crate) nodes: Option<NodeRange>,
    pub(crate) cpus: Option<SlotListId>,
    /// How many entries on each node.
    pub(crate) count: u32,
    /// The row in the listing, for messages; `None` if the step was made from hosts.
    pub(crate) entry: Option<u32>,
}

/// The entries of an app.
#[derive(Debug)]
pub(crate) struct Entries {
    /// As many entries as the app has processes, each node by itself; fewer if a rank has no entry.
    pub(crate) steps: Vec<EntryStep>,
    /// Processes of the app, and the number of its first entry.
    pub(crate) procs: u32,
    pub(crate) first: u32,
    /// Slots that the app's own hostfile lowers.
    pub(crate) slots: SlotChanges,
    /// The nodes that the app names.
    pub(crate) named: Arc<Named>,
}

/// The entries of an app.
///
/// # Errors
/// Wrong hosts or a wrong file of the app; `seq-too-few`, `job-too-large`.
pub(crate) fn entries(
    pool: &mut Pool,
    app: &App<'_>,
    notes: &mut Vec<Note>,
) -> Result<Entries, MapError> {
    if app.policy.map == MapBy::Rankfile {
        ranks(pool, app, notes)
    } else {
        in_sequence(pool, app, notes)
    }
}

/// How many entries there are if `-n` is absent; `None` if only the app's turn can tell.
///
/// # Errors
/// As [`entries`].
pub(crate) fn count(
    pool: &mut Pool,
    resolved: &Resolved,
    app: AppId,
    policy: &Policy,
) -> Result<Option<u64>, MapError> {
    if policy.map == MapBy::Rankfile {
        return Ok(Some(resolved.apps.own_listing(app).map_or(0, written)));
    }
    // From a task map of the job, or from LSF's file, the app gets what earlier apps left.
    if policy.map == MapBy::Lsf || numbering(resolved, app) == Numbering::Job {
        return Ok(None);
    }
    match sequence(pool, resolved, app, policy, 0) {
        // A missing entry is reported at the app's turn.
        Err(MapError::Place(PlaceError::BadSeqfile { .. })) => Ok(None),
        Err(MapError::Place(PlaceError::NoNodes { .. })) => Ok(Some(0)),
        steps => Ok(Some(entry_count(&steps?))),
    }
}

/// Whether an app's entries continue where earlier apps ended.
fn numbering(resolved: &Resolved, app: AppId) -> Numbering {
    resolved.apps.listing[app].map_or(Numbering::App, |(_, numbering)| numbering)
}

/// The number of an app's first entry. Lines of LSF's file are counted over the apps that it takes; ranks of a rankfile and nodes
/// of a task map are counted over the whole job.
fn first_entry(app: &App<'_>) -> u32 {
    match (numbering(app.resolved, app.id), app.policy.map) {
        (Numbering::App, _) => 0,
        (Numbering::Job, MapBy::Lsf) => app.lines_before,
        (Numbering::Job, _) => app.ranks_before,
    }
}

/// How many entries a file has.
fn written(file: &Listing) -> u64 {
    let counts = file.entries.iter().map(|entry| u64::from(entry.count));
    counts.sum()
}

fn entry_count(steps: &[EntryStep]) -> u64 {
    let entries = |step: &EntryStep| {
        let nodes = step.nodes.map_or(1, |nodes| nodes.count);
        u64::from(step.count) * u64::from(nodes)
    };
    steps.iter().map(entries).sum()
}

/// The source of an app's entries, for messages.
pub(super) fn path(app: &App<'_>) -> String {
    app.listing().map_or_else(
        || "the list of the app's hosts".to_owned(),
        |listing| listing.path.clone(),
    )
}

fn unused(app: &App<'_>, procs: u32, entries: u64) -> Note {
    Note::UnusedEntries {
        app: app.id.number(),
        path: path(app),
        procs,
        entries,
    }
}

/// The entries of a seq or lsf app, in order.
fn in_sequence(pool: &mut Pool, app: &App<'_>, notes: &mut Vec<Note>) -> Result<Entries, MapError> {
    let first = first_entry(app);
    let steps = sequence(pool, app.resolved, app.id, app.policy, first)?;
    let there = entry_count(&steps);
    let counted = ProcCount(u32::try_from(there).unwrap_or(u32::MAX));
    let ProcCount(procs) = app.procs.known().unwrap_or(counted);
    if there < u64::from(procs) || there == 0 {
        return Err(PlaceError::SeqTooFew {
            app: app.id.number(),
            asked: procs,
            entries: there,
            path: path(app),
        }
        .into());
    }
    // Before anything was placed, NOLOCAL left no entry, as `+e` chose other nodes then.
    if procs == 0 {
        return Err(no_processes(pool, app.id));
    }
    let goes_on = app.policy.map == MapBy::Seq
        && numbering(app.resolved, app.id) == Numbering::Job
        && !app.is_last();
    if there > u64::from(procs) && !goes_on {
        notes.push(unused(app, procs, there));
    }
    let named = match app.listing() {
        // The file alone says which nodes.
        Some(_) => Arc::new(Named::whole(pool.nodes.names.len())),
        None => named(pool, &app.resolved.hosts, app.id)?,
    };
    Ok(Entries {
        steps: first_steps(&steps, procs)?,
        procs,
        first,
        slots: SlotChanges::default(),
        named,
    })
}

/// The entries of a rankfile app, up to the first rank without one.
fn ranks(pool: &mut Pool, app: &App<'_>, notes: &mut Vec<Note>) -> Result<Entries, MapError> {
    let hosts = &app.resolved.hosts;
    let named = named(pool, hosts, app.id)?;
    let list = without_local(pool, app.id, app.policy, &named, notes)?;
    let lowered = lowered(pool, hosts, app.id)?;
    let file = app.listing();
    let file = file.expect("resolve refuses a rankfile map without a file");
    let first = first_entry(app);
    let ProcCount(procs) = app.procs.known().unwrap_or_default();
    let end = u64::from(first) + u64::from(procs);
    let there = written(file);
    if there > end && app.is_last() {
        notes.push(unused(app, procs, there));
    }
    let starts_behind = |entry: &Entry| entry.number + (entry.count - 1) < first;
    let start = file.entries.partition_point(starts_behind);
    let mut rank = u64::from(first);
    let without_gaps = |(_, entry): &(usize, &Entry)| {
        let number = u64::from(entry.number);
        let follows = number <= rank && number < end;
        rank = number + u64::from(entry.count);
        follows
    };
    let entries = file.entries.iter().enumerate().skip(start);
    let skip = file
        .entries
        .get(start)
        .map_or(0, |entry| first.saturating_sub(entry.number));
    let node = |entry: &Entry| match entry.node {
        EntryNode::Name(name) => {
            let node = pool.nodes.names.find_host(&file.names[name])?.number();
            list.iter().any(|nodes| nodes.holds(node)).then_some(node)
        }
        EntryNode::Nth(nth) => nth_of(&list, nth),
    };
    let steps = from_listing(entries.take_while(without_gaps), skip, node);
    Ok(Entries {
        steps: first_steps(&steps, procs)?,
        procs,
        first,
        slots: SlotChanges {
            lowered,
            raised: Vec::new(),
        },
        named,
    })
}

/// The node at a position of a list, from 0.
fn nth_of(list: &[NodeRange], nth: u32) -> Option<u32> {
    let mut left = nth;
    list.iter().find_map(|nodes| {
        let here = (left < nodes.count).then(|| nodes.first + left);
        left = left.saturating_sub(nodes.count);
        here
    })
}

/// The first entries, as many as there are processes, with each node by itself.
///
/// # Errors
/// `job-too-large` for more nodes than [`SEQUENCE_NODES_MAX`].
fn first_steps(steps: &[EntryStep], procs: u32) -> Result<Vec<EntryStep>, MapError> {
    let ranges = steps.iter().filter_map(|step| step.nodes);
    let ranges = ranges.filter(|nodes| nodes.count > 1);
    let asked: u64 = ranges.map(|nodes| u64::from(nodes.count)).sum();
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
        for node in 0..step.nodes.map_or(1, |nodes| nodes.count) {
            if left == 0 {
                return Ok(first);
            }
            let count = step.count.min(left);
            left -= count;
            first.push(EntryStep {
                nodes: step.nodes.map(|nodes| NodeRange::one(nodes.first + node)),
                count,
                ..*step
            });
        }
    }
    Ok(first)
}

/// All entries of a seq or lsf app from entry `skip` on, without the local node under NOLOCAL.
///
/// # Errors
/// `no-nodes` if NOLOCAL leaves none, `bad-seqfile` if there never was one.
fn sequence(
    pool: &mut Pool,
    resolved: &Resolved,
    app: AppId,
    policy: &Policy,
    skip: u32,
) -> Result<Vec<EntryStep>, MapError> {
    let (hosts, listing) = (&resolved.hosts, resolved.apps.own_listing(app));
    let steps = match listing {
        Some(file) => {
            let find = |name: &String| pool.nodes.names.find_host(name).map(NodeId::number);
            let nodes: Vec<Option<u32>> = file.names.values().iter().map(find).collect();
            let entries = file.entries.iter().enumerate();
            from_listing(entries, skip, |entry| match entry.node {
                EntryNode::Name(name) => nodes[name.row()],
                EntryNode::Nth(nth) => (nth < pool.nodes.names.len()).then_some(nth),
            })
        }
        None if hosts.entries(app).is_some() || !hosts.own_files(app).is_empty() => {
            let in_files = policy.map == MapBy::Seq && !hosts.hostfiles.is_empty();
            let named = named(pool, hosts, app);
            match named {
                Err(error) if in_files => return Err(not_allocated(error)),
                named => from_mentions(&*named?),
            }
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
    let kept = match pool.nodes.local {
        None => steps,
        Some(local) => without_node(steps, local.number()),
    };
    if kept.is_empty() {
        let removed = "NOLOCAL takes every entry away";
        let app = app.number();
        return Err(PlaceError::NoNodes { app, removed }.into());
    }
    Ok(kept)
}

/// Turns an unknown host of `-H` into an error of a sequence: the host is not among the nodes that the hostfiles name. An entry
/// that selects by place (`+n1`, `+e`) keeps its error, as under every policy.
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

/// The entries of a file without the first `skip`. `node`: the node of an entry.
fn from_listing<'l>(
    entries: impl Iterator<Item = (usize, &'l Entry)>,
    mut skip: u32,
    node: impl Fn(&Entry) -> Option<u32>,
) -> Vec<EntryStep> {
    let mut steps = Vec::new();
    for (row, entry) in entries {
        let gone = skip.min(entry.count);
        skip -= gone;
        if entry.count > gone {
            steps.push(EntryStep {
                nodes: node(entry).map(NodeRange::one),
                cpus: entry.cpus,
                count: entry.count - gone,
                entry: Some(narrow(row)),
            });
        }
    }
    steps
}

/// One entry for each mention (4.5).
fn from_mentions(named: &Named) -> Vec<EntryStep> {
    let one = |&nodes: &NodeRange| EntryStep {
        nodes: Some(nodes),
        cpus: None,
        count: 1,
        entry: None,
    };
    named.mentions.iter().map(one).collect()
}

/// The entries that are not on the node `gone`.
fn without_node(steps: Vec<EntryStep>, gone: u32) -> Vec<EntryStep> {
    let mut kept = Vec::with_capacity(steps.len());
    for step in steps {
        let Some(nodes) = step.nodes else {
            kept.push(step);
            continue;
        };
        let parts = cut_around(nodes, gone);
        kept.extend(
            parts
                .filter(|part| part.first != gone)
                .map(|part| EntryStep {
                    nodes: Some(part),
                    ..step
                }),
        );
    }
    kept
}
