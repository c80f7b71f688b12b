//! Which nodes an app may use, in which order, and how many slots it may take on each. Source: `semantics` 1.2 to 1.4, 4.

use super::build::by_number;
use super::claim::{Candidate, Claim, Named};
use super::hostfile::{after, lowered};
use super::lines::{excluded, without};
use super::pool::Pool;
use crate::error::words::{EmptyNodes, FullNodes};
use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::policy::{NoLocal, Oversubscribe};
use crate::stage::parallel::each;
use crate::stage::parallel::emptied;
use crate::table::apps::{AppId, Policy};
use crate::table::intervals::{Intervals, add_up};
use crate::table::names::{NameRange, NodeRange, Nodes, push_joined};
use crate::table::states::{StateId, StateRuns};
use crate::text::hosts::{EntrySlots, HostEntry, HostfileId, HostfileWhat, Hosts};
use std::borrow::Cow;

/// The nodes of an app, and what taking them changes about their slots.
#[derive(Clone, Debug)]
pub(crate) struct AppCandidates {
    pub(crate) candidates: Vec<Candidate>,
    raised: Vec<(NodeRange, StateId)>,
    lowered: Vec<(NodeRange, StateId)>,
}

impl AppCandidates {
    /// Keeps the changed slots for the rest of the job.
    pub(crate) fn keep(&mut self, pool: &mut Pool) {
        pool.claim(&mut self.lowered, &mut self.raised);
    }
}

fn number(app: AppId) -> u32 {
    u32::try_from(app.row()).expect("limit.rs keeps apps below 2^32")
}

/// The nodes an app names; the pool when it names none.
///
/// # Errors
/// `no-such-host`.
pub(crate) fn named(pool: &Pool, hosts: &Hosts, app: AppId) -> Result<Named, MapError> {
    let files = hosts.files.get(app).map_or(&[][..], Vec::as_slice);
    let from_files = (!files.is_empty()).then(|| in_files(pool, hosts, files));
    let Some(entries) = hosts.entries(app) else {
        let all = NodeRange {
            first: 0,
            count: pool.nodes.names.len(),
        };
        return Ok(from_files.unwrap_or_else(|| Named {
            list: vec![all],
            mentions: vec![all],
            claims: None,
        }));
    };
    let within = from_files.map(|named| named.list);
    HostEntries {
        pool,
        app,
        entries,
        within: within.as_deref(),
    }
    .select()
}

/// The nodes of hostfiles, a union in file order.
pub(crate) fn in_files(pool: &Pool, hosts: &Hosts, files: &[HostfileId]) -> Named {
    let mut named = Named::default();
    let mut seen = Intervals::default();
    for file in files.iter().map(|&file| &hosts.hostfiles[file]) {
        let out = excluded(file);
        for line in &file.lines {
            let (HostfileWhat::Name(range) | HostfileWhat::Ranked(range)) = &line.what else {
                continue;
            };
            let kept = without(range, &out);
            for nodes in kept.iter().flat_map(|kept| pool.nodes.names.find(kept).0) {
                push_joined(&mut named.mentions, nodes);
                seen.insert(nodes)
                    .into_iter()
                    .for_each(|new| push_joined(&mut named.list, new));
            }
        }
    }
    named
}

/// Entries looked up at once: what they name waits to be joined in order.
const AT_ONCE: usize = 1 << 14;

/// An app's `-H`, being looked up.
struct HostEntries<'s> {
    pool: &'s Pool,
    app: AppId,
    entries: &'s [HostEntry],
    /// The nodes of the app's hostfile, if it has one: the entries select among these.
    within: Option<&'s [NodeRange]>,
}

impl HostEntries<'_> {
    fn select(&self) -> Result<Named, MapError> {
        let mut within = None;
        if let Some(nodes) = self.within {
            let set = within.insert(Intervals::default());
            nodes.iter().for_each(|&nodes| drop(set.insert(nodes)));
        }
        let mut seen = Intervals::default();
        let mut named = Named::default();
        let mut claims = Vec::with_capacity(self.entries.len());
        named.mentions.reserve(self.entries.len());
        for (block, entries) in self.entries.chunks(AT_ONCE).enumerate() {
            let entries = each(entries, self.pool.tables.sharing, |(at, entry)| {
                self.entry(block * AT_ONCE + at, entry, within.as_ref())
            });
            for entry in entries {
                let (chosen, claim) = entry?;
                for nodes in chosen {
                    claims.push((nodes, claim));
                    // Mentions are kept apart: a node named twice is two entries of a sequence.
                    named.mentions.push(nodes);
                    seen.insert(nodes)
                        .into_iter()
                        .for_each(|new| push_joined(&mut named.list, new));
                }
            }
        }
        named.claims = Some(add_up(claims));
        Ok(named)
    }

    fn entry(
        &self,
        at: usize,
        entry: &HostEntry,
        within: Option<&Intervals>,
    ) -> Result<(Nodes, Claim), MapError> {
        let all = Claim {
            slots: 0,
            all_left: 1,
        };
        match entry {
            HostEntry::Names(range, slots) => {
                let claim = match slots {
                    EntrySlots::One => Claim {
                        slots: 1,
                        all_left: 0,
                    },
                    EntrySlots::Count(count) => Claim {
                        slots: u64::from(*count),
                        all_left: 0,
                    },
                    EntrySlots::Infer => all,
                };
                let found = self.by_name(range)?;
                let outside = found
                    .iter()
                    .find_map(|&nodes| within?.missing(nodes).first().copied());
                match outside {
                    Some(nodes) => {
                        Err(self
                            .no_such_host(self.pool.nodes.name(nodes.first), EmptyNodes::NotAsked))
                    }
                    None => Ok((found, claim)),
                }
            }
            HostEntry::Nth(nth) => {
                let node = NodeRange {
                    first: *nth,
                    count: 1,
                };
                let there = *nth < self.pool.nodes.names.len()
                    && within.is_none_or(|set| set.missing(node).is_empty());
                if there {
                    Ok((Nodes::from_slice(&[node]), all))
                } else {
                    Err(self.no_such_host(format!("+n{nth}"), EmptyNodes::NotAsked))
                }
            }
            HostEntry::Empty(None) => Ok((self.empty(within, &self.later(at)).into(), all)),
            HostEntry::Empty(Some(count)) => {
                let mut empty = self.empty(within, &Intervals::default());
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
                Ok((empty.into(), all))
            }
        }
    }

    fn by_name(&self, range: &NameRange) -> Result<Nodes, MapError> {
        if let Some(node) = by_number(&self.pool.nodes.names, range) {
            let first = u32::try_from(node.row()).expect("a node id is a u32");
            return Ok(Nodes::from_slice(&[NodeRange { first, count: 1 }]));
        }
        match self.pool.nodes.names.find(range) {
            (found, None) => Ok(found),
            (found, Some(_)) if self.lost(range, &found) => Ok(found),
            (_, Some(missing)) => Err(self.no_such_host(missing, EmptyNodes::NotAsked)),
        }
    }

    /// Whether all nodes of a range that are missing were lost.
    fn lost(&self, range: &NameRange, found: &[NodeRange]) -> bool {
        let lost = &self.pool.nodes.lost;
        if lost.is_empty() {
            return false;
        }
        let count = |nodes: &[NodeRange]| {
            nodes
                .iter()
                .map(|nodes| u64::from(nodes.count))
                .sum::<u64>()
        };
        by_number(lost, range).is_some()
            || count(found) + count(&lost.find(range).0) == u64::from(range.count)
    }

    /// The nodes that entries behind this one name.
    fn later(&self, at: usize) -> Intervals {
        let mut later = Intervals::default();
        for entry in &self.entries[at + 1..] {
            if let HostEntry::Names(range, _) = entry {
                self.by_name(range)
                    .into_iter()
                    .flatten()
                    .for_each(|nodes| drop(later.insert(nodes)));
            }
        }
        later
    }

    /// The nodes without a process of this job, in pool order, less some.
    fn empty(&self, within: Option<&Intervals>, less: &Intervals) -> Vec<NodeRange> {
        let mut empty = Vec::new();
        let idle = self
            .pool
            .nodes
            .runs
            .iter()
            .filter(|&(_, state)| self.pool.tables.states.get(state).own == 0);
        for (nodes, _) in idle {
            let inside = within.map_or_else(|| vec![nodes], |set| set.shared(nodes));
            let left = inside.into_iter().flat_map(|nodes| less.missing(nodes));
            left.for_each(|nodes| push_joined(&mut empty, nodes));
        }
        empty
    }

    fn no_such_host(&self, asked: String, empty: EmptyNodes) -> MapError {
        let pool = self.pool.nodes.names.len();
        PlaceError::NoSuchHost {
            app: number(self.app),
            asked,
            pool,
            empty,
        }
        .into()
    }
}

/// How much of each node an app may take: neighbouring nodes of one state and one claim, in list order.
///
/// Slots are raised where a claim passes them, and lowered to what the app's own hostfile says; both are for the caller to
/// keep. Full nodes drop out.
///
/// # Errors
/// `no-nodes`, `slots-exceed-max`, `nodes-full`.
pub(crate) fn candidates(
    pool: &mut Pool,
    hosts: &Hosts,
    app: AppId,
    policy: &Policy,
    named: &Named,
    notes: &mut Vec<Note>,
) -> Result<AppCandidates, MapError> {
    let mut changes = lowered(pool, hosts, app)?;
    let list = without_local(pool, app, policy, named, notes)?;
    let forbidden = policy.oversubscribe == Oversubscribe::Refused;
    let mut candidates = emptied(&mut pool.scratch.candidates);
    let mut parts = emptied(&mut pool.scratch.parts);
    let mut raised = Vec::new();
    let runs = after(pool, &mut changes);
    let runs = runs.as_ref().unwrap_or(&pool.nodes.runs);
    // Nodes in front that are full drop out of what is not claimed: many apps need not look at them again.
    let skips = forbidden && named.claims.is_none();
    let from = if skips { pool.nodes.full } else { 0 };
    parts.reserve(named.claims.as_ref().map_or(0, Vec::len));
    claimed(runs, named, &list, from, &mut parts);
    candidates.reserve(parts.len());
    for &part in &parts {
        let (nodes, _, state) = part;
        // What this app's own hostfile lowers may come back.
        if nodes.first == pool.nodes.full
            && changes.is_empty()
            && pool.tables.states.get(state).is_full()
        {
            pool.nodes.full = nodes.end();
        }
        if let Some(candidate) = candidate(pool, app, policy.oversubscribe, part)? {
            if candidate.state != state {
                raised.push((nodes, candidate.state));
            }
            candidates.push(candidate);
        }
    }
    pool.scratch.parts = parts;
    if candidates.is_empty() {
        return Err(nodes_full(pool, app, &list));
    }
    Ok(AppCandidates {
        candidates,
        raised,
        lowered: changes,
    })
}

/// What an app may take of each of some nodes, in the state that its claim gives them; `None`: they drop out.
#[inline]
fn candidate(
    pool: &mut Pool,
    app: AppId,
    oversubscribe: Oversubscribe,
    (nodes, claim, state): ClaimedPart,
) -> Result<Option<Candidate>, MapError> {
    let was = *pool.tables.states.get(state);
    let mut row = was;
    let left = row.left();
    let avail = match claim {
        None => u64::from(left),
        Some(claim) => claim
            .slots
            .saturating_add(u64::from(claim.all_left) * u64::from(left)),
    };
    let forbidden = oversubscribe == Oversubscribe::Refused;
    // A full node drops out before anything is claimed of it (4).
    if row.room() == 0 || (forbidden && row.is_full()) {
        return Ok(None);
    }
    if forbidden && avail > u64::from(left) {
        let exceeding = |max| exceeding(pool, app, nodes, avail, max, row.used);
        row.slots = row.claimed(avail).map_err(exceeding)?;
    }
    let avail = if left == 0 {
        0
    } else {
        u32::try_from(avail).unwrap_or(u32::MAX)
    };
    let state = if row.slots == was.slots {
        state
    } else {
        pool.tables.states.intern(row)
    };
    Ok(Some(Candidate {
        nodes,
        state,
        avail,
    }))
}

/// An app claims more of a node than its max_slots leave.
fn exceeding(
    pool: &Pool,
    app: AppId,
    nodes: NodeRange,
    claim: u64,
    max: u32,
    used: u32,
) -> MapError {
    PlaceError::SlotsExceedMax {
        app: number(app),
        node: pool.nodes.name(nodes.first),
        claim,
        max,
        used,
    }
    .into()
}

/// Nodes of one claim and one state.
type ClaimedPart = (NodeRange, Option<Claim>, StateId);

/// The list in parts of one claim and one state, from a node of the pool on.
fn claimed(
    states: &StateRuns,
    named: &Named,
    list: &[NodeRange],
    from: u32,
    parts: &mut Vec<ClaimedPart>,
) {
    let mut push = |nodes: NodeRange, claim: Option<Claim>| {
        for (part, state) in states.within(nodes) {
            parts.push((part, claim, state));
        }
    };
    for nodes in list.iter().filter_map(|nodes| nodes.from(from)) {
        let Some(claims) = &named.claims else {
            push(nodes, None);
            continue;
        };
        let first = claims.partition_point(|(claimed, _)| claimed.end() <= nodes.first);
        for &(claimed, claim) in &claims[first..] {
            let end = claimed.end().min(nodes.end());
            match claimed.from(nodes.first) {
                Some(NodeRange { first, .. }) if first < end => {
                    let count = end - first;
                    push(NodeRange { first, count }, Some(claim));
                }
                Some(_) | None => break,
            }
        }
    }
}

/// The list without the local node, if the app asks for that.
pub(crate) fn without_local<'n>(
    pool: &Pool,
    app: AppId,
    policy: &Policy,
    named: &'n Named,
    notes: &mut Vec<Note>,
) -> Result<Cow<'n, [NodeRange]>, MapError> {
    if named.list.iter().all(|nodes| nodes.count == 0) {
        return Err(PlaceError::NoNodes {
            app: number(app),
            removed: "its hostfile excludes them all",
        }
        .into());
    }
    if policy.nolocal == NoLocal::No {
        return Ok(Cow::Borrowed(&named.list));
    }
    let local = pool
        .nodes
        .local
        .map(|node| u32::try_from(node.row()).expect("a node id is a u32"));
    let holds = |nodes: &NodeRange| local.is_some_and(|at| nodes.first <= at && at < nodes.end());
    if !named.list.iter().any(holds) {
        notes.push(Note::NothingLocal { app: number(app) });
        return Ok(Cow::Borrowed(&named.list));
    }
    let mut list = Vec::with_capacity(named.list.len() + 1);
    for &nodes in &named.list {
        let at = local.expect("a local node was found in the list");
        let parts = crate::table::names::cut_around(nodes, at);
        list.extend(parts.into_iter().filter(|part| part.first != at));
    }
    if list.is_empty() {
        return Err(PlaceError::NoNodes {
            app: number(app),
            removed: "NOLOCAL takes the local node away",
        }
        .into());
    }
    Ok(Cow::Owned(list))
}

/// Some nodes by name. Cost: the ranges.
pub(crate) fn by_name(pool: &Pool, full: &[NodeRange]) -> FullNodes {
    let nodes = full.iter().flat_map(|range| range.first..range.end());
    let all = full.iter().map(|range| u64::from(range.count)).sum();
    FullNodes::of(nodes.map(|node| pool.nodes.name(node)), all)
}

fn nodes_full(pool: &Pool, app: AppId, list: &[NodeRange]) -> MapError {
    let (mut slots, mut used, mut nodes) = (0, 0, 0);
    let mut full = Vec::new();
    for (part, state) in list.iter().flat_map(|&nodes| pool.nodes.runs.within(nodes)) {
        let row = pool.tables.states.get(state);
        slots += u64::from(row.slots) * u64::from(part.count);
        used += u64::from(row.used) * u64::from(part.count);
        nodes += part.count;
        full.extend(Some(part).filter(|_| row.used > 0));
    }
    PlaceError::NodesFull {
        app: number(app),
        nodes,
        slots,
        used,
        full: by_name(pool, &full),
    }
    .into()
}
