//! Placing an app whose places were written out, entry by entry. Source: `semantics` 4.5, 4.6.

use super::entries::EntryStep;
use super::listed::{self, Asked, Items, StepsByNode, Stuck, by_node, on_node};
use super::outcome::Outcome;
use super::placement::On;
use super::refuse::kinds_of;
use crate::error::words::Kinds;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::plan::{ListedRun, PlacedRun, RankOrder};
use crate::policy::{BindTo, MapBy, ObjKind};
use crate::stage::node::bind::Failure;
use crate::stage::node::capacity::TopologyView;
use crate::stage::node::layout::DraftSegment;
use crate::stage::node::sets::NodeSets;
use crate::table::apps::{AppId, AppTable, Policy, PolicyId};
use crate::table::listings::{EntryNode, Listing};
use crate::table::names::NodeRange;
use crate::table::patterns::PatternId;
use crate::table::states::{NodeState, StateId};
use std::collections::HashMap;

/// A listed app: its policy and its file.
#[derive(Clone, Copy)]
pub(crate) struct Listed<'s> {
    pub(crate) apps: &'s AppTable,
    pub(crate) app: AppId,
    pub(crate) policy: &'s Policy,
    pub(crate) id: PolicyId,
    pub(crate) listing: Option<&'s Listing>,
    pub(crate) asked: Asked,
    /// Processes of the app, and the number of its first entry.
    pub(crate) procs: u32,
    pub(crate) first: u32,
}

/// What equal nodes come to.
#[derive(Clone)]
struct Settled {
    outcome: listed::ListedOutcome,
    pattern: Option<PatternId>,
    next: Option<StateId>,
}

/// Places `steps`, whose processes are exactly those of the app.
///
/// # Errors
/// The first entry that cannot be placed, with its class.
pub(crate) fn place(
    on: &mut On<'_>,
    listed: Listed<'_>,
    steps: &[EntryStep],
) -> Result<Outcome, MapError> {
    let outside = steps.iter().position(|step| step.node.is_none());
    let good = &steps[..outside.unwrap_or(steps.len())];
    let StepsByNode { nodes, starts } = by_node(good);
    let mut known: HashMap<(StateId, Items), Settled> = HashMap::new();
    let mut runs = on.scratch.room_for_runs(nodes.len());
    let mut changes = Vec::with_capacity(nodes.len());
    let mut stuck: HashMap<u32, (u32, Stuck)> = HashMap::new();
    let mut loose: HashMap<u32, Vec<DraftSegment>> = HashMap::new();
    for (node, items) in nodes {
        let state = on.nodes.runs.state(crate::id::Id::from_row(node as usize));
        let procs: u32 = items.iter().map(|&(_, count)| count).sum();
        let settled = settle(on, listed, &mut known, state, items);
        if let Some(why) = &settled.outcome.stuck {
            stuck.insert(node, why.clone());
        }
        if settled.outcome.leaves_some_unbound() {
            loose.insert(node, settled.outcome.segments);
        }
        let (Some(pattern), Some(next)) = (settled.pattern, settled.next) else {
            continue;
        };
        let nodes = NodeRange {
            first: node,
            count: 1,
        };
        let row = on.tables.states.get(state);
        runs.push(PlacedRun {
            nodes,
            procs,
            pattern,
            kind: None,
            own_before: row.own,
            used_before: row.used,
        });
        changes.push((nodes, next));
    }
    if let Some(error) = first_stuck(on, listed, good, &starts, &stuck, &loose) {
        return Err(error);
    }
    if let Some(at) = outside {
        return Err(not_allowed(on, listed, &steps[at]));
    }
    let placed: u32 = steps.iter().map(|step| step.count).sum();
    if placed < listed.procs {
        let path = path(listed);
        let rank = listed.first + placed;
        return Err(PlaceError::RankfileMissingRank {
            path,
            rank,
            procs: listed.procs,
        }
        .into());
    }
    Ok(Outcome {
        policy: listed.id,
        touched: runs.iter().map(|run| run.nodes).collect(),
        runs,
        order: RankOrder::Listed(ranks(good, &starts)),
        passes: None,
        changes,
    })
}

fn ranks(steps: &[EntryStep], starts: &[(u32, u32)]) -> Vec<ListedRun> {
    let mut rank = 0;
    let mut runs: Vec<ListedRun> = Vec::new();
    for (step, &(node, local)) in steps.iter().zip(starts) {
        let continues = runs
            .last()
            .is_some_and(|last| last.node == node && last.local + (rank - last.rank) == local);
        if !continues {
            runs.push(ListedRun { rank, node, local });
        }
        rank += step.count;
    }
    runs
}

fn settle(
    on: &mut On<'_>,
    listed: Listed<'_>,
    known: &mut HashMap<(StateId, Items), Settled>,
    state: StateId,
    items: Items,
) -> Settled {
    let key = (state, items);
    if let Some(settled) = known.get(&key) {
        return settled.clone();
    }
    let row = *on.tables.states.get(state);
    on.tables.hardware(row.topology);
    let hardware = on.tables.hardware[row.topology]
        .as_ref()
        .expect("asked for just now");
    let view = TopologyView::new(
        &on.tables.topologies,
        hardware,
        listed.policy,
        listed.apps,
        None,
    );
    let sets = NodeSets {
        free_at_start: on.tables.pusets.words(row.free),
        allowed: on.tables.pusets.words(row.allowed),
    };
    let mut outcome = on_node(&view, &row, sets, &key.1, listed.listing, listed.asked);
    let mut settled = Settled {
        outcome: outcome.clone(),
        pattern: None,
        next: None,
    };
    if outcome.stuck.is_none() {
        let drafts = std::mem::take(&mut outcome.segments);
        let segments = drafts
            .into_iter()
            .map(|draft| on.tables.segment(row.topology, draft))
            .collect();
        settled.pattern = Some(on.tables.pattern(segments));
        let procs: u32 = key.1.iter().map(|&(_, count)| count).sum();
        let free = &outcome.cpus.free;
        let free = on
            .tables
            .pusets
            .intern_words(free.words(), free.len() as usize);
        let next = NodeState {
            free,
            used: row.used + procs,
            own: row.own + procs,
            ..row
        };
        settled.next = Some(on.tables.states.intern(next));
    }
    known.insert(key, settled.clone());
    settled
}

fn path(listed: Listed<'_>) -> String {
    listed.listing.map_or_else(
        || "the list of the app's hosts".to_owned(),
        |listing| listing.path.clone(),
    )
}

/// The first entry, in entry order, whose process is stuck on its node.
fn first_stuck(
    on: &On<'_>,
    listed: Listed<'_>,
    steps: &[EntryStep],
    starts: &[(u32, u32)],
    stuck: &HashMap<u32, (u32, Stuck)>,
    loose: &HashMap<u32, Vec<DraftSegment>>,
) -> Option<MapError> {
    let mut unbound = 0;
    let mut rank = listed.first;
    for (step, &(node, local)) in steps.iter().zip(starts) {
        if let Some((at, why)) = stuck.get(&node)
            && *at < local + step.count
        {
            let ahead = at.saturating_sub(local);
            unbound += unbound_among(loose.get(&node), local, local + ahead);
            let found = rank + ahead - listed.first - unbound;
            return Some(refuse(on, listed, step, node, rank + ahead, found, why));
        }
        unbound += unbound_among(loose.get(&node), local, local + step.count);
        rank += step.count;
    }
    None
}

/// Processes of a node that found no cpus, from one of its processes on up to another.
fn unbound_among(segments: Option<&Vec<DraftSegment>>, first: u32, end: u32) -> u32 {
    let up_to = |procs: u32| {
        let mut left = procs;
        let segments = segments.into_iter().flatten();
        segments
            .map(|segment| {
                let unbound = segment.unbound(left);
                left = left.saturating_sub(segment.procs);
                unbound
            })
            .sum::<u32>()
    };
    up_to(end) - up_to(first)
}

/// `rank`: whose process it is, and how many before it found their cpus.
fn refuse(
    on: &On<'_>,
    listed: Listed<'_>,
    step: &EntryStep,
    node: u32,
    rank: u32,
    found: u32,
    why: &Stuck,
) -> MapError {
    let entry = step
        .entry
        .and_then(|at| listed.listing.map(|listing| &listing.entries[at as usize]));
    let line = entry.map_or(0, |entry| entry.line);
    let asked = entry
        .and_then(|entry| entry.cpus)
        .and_then(|id| listed.listing.map(|listing| listing.slot_texts[id].clone()));
    let asked = asked.unwrap_or_else(|| "a cpu".to_owned());
    let (path, name) = (path(listed), on.nodes.name(node));
    let state = on
        .tables
        .states
        .get(on.nodes.runs.state(crate::id::Id::from_row(node as usize)));
    match (why, listed.policy.map) {
        (Stuck::Full, _) => {
            let slots = state.most();
            PlaceError::EntryFull {
                path,
                line,
                rank,
                node: name,
                slots,
                used: slots,
            }
        }
        (Stuck::Lacking(what), MapBy::Rankfile) => PlaceError::BadRankfile {
            path,
            line,
            reason: format!("{name} has no {what}"),
        },
        (Stuck::Lacking(what), MapBy::Lsf) => PlaceError::BadAffinityfile {
            path,
            line,
            reason: format!("{name} has no {what}"),
        },
        (Stuck::Lacking(what), _) => PlaceError::BadSeqfile {
            path,
            line,
            reason: format!("{name} has no {what}"),
        },
        (Stuck::Taken | Stuck::NoCpu | Stuck::Unbindable(_), MapBy::Rankfile) => {
            PlaceError::RankfileCpuTaken {
                path,
                line,
                rank,
                asked,
                node: name,
            }
        }
        (Stuck::Taken, _) => PlaceError::SeqCpuTaken {
            path,
            line,
            rank,
            asked,
            node: name,
        },
        (Stuck::Unbindable(Failure::NoTarget(kind)), _) => {
            let there = kinds_of(&on.tables.topologies, state.topology);
            no_target(listed, *kind, there, name)
        }
        (Stuck::Unbindable(Failure::SpanPackages), _) => spans(on, listed, state, name),
        (Stuck::Unbindable(Failure::Limit), _) => limit_reached(listed, name),
        (Stuck::NoCpu | Stuck::Unbindable(_), _) => no_cpu(listed, name, found),
    }
    .into()
}

/// The node has nothing to bind to.
fn no_target(listed: Listed<'_>, kind: ObjKind, there: Kinds, node: String) -> PlaceError {
    PlaceError::BindTargetNotFound {
        app: u32::try_from(listed.app.row()).expect("limit.rs keeps apps below 2^32"),
        kind: kind.word(),
        inside: "",
        there,
        node,
    }
}

/// No package of the node has as many cpus as PE.
fn spans(on: &On<'_>, listed: Listed<'_>, state: &NodeState, node: String) -> PlaceError {
    let topology = state.topology;
    let app = u32::try_from(listed.app.row()).expect("limit.rs keeps apps below 2^32");
    let packages = on.tables.hardware[topology]
        .as_ref()
        .map_or_else(Vec::new, |hardware| {
            let units = hardware.units(listed.policy.mode);
            let packages = on.tables.topologies.objects(topology, ObjKind::Package);
            let may = units.within(on.tables.pusets.words(state.allowed), hardware.pus);
            let count = |package| {
                units
                    .count_inside(may.words(), on.tables.topologies.ranges(package))
                    .to_string()
            };
            packages.map(count).collect()
        });
    PlaceError::SpanPackages {
        app,
        asked: format!("pe={}", listed.policy.pe),
        node,
        packages: packages.join(", "),
    }
}

fn limit_reached(listed: Listed<'_>, node: String) -> PlaceError {
    let app = u32::try_from(listed.app.row()).expect("limit.rs keeps apps below 2^32");
    let kind = match listed.policy.bind {
        BindTo::Object(kind) => kind.word(),
        BindTo::Nothing | BindTo::BySize => "object",
    };
    PlaceError::BindLimit {
        app,
        limit: listed.policy.limit.unwrap_or(0),
        kind,
        node,
    }
}

fn no_cpu(listed: Listed<'_>, node: String, found: u32) -> PlaceError {
    let app = u32::try_from(listed.app.row()).expect("limit.rs keeps apps below 2^32");
    let target = match listed.policy.bind {
        BindTo::Object(kind) => format!("to a {}", kind.word()),
        BindTo::Nothing | BindTo::BySize => "to a cpu".to_owned(),
    };
    if found > 0 {
        PlaceError::NotEnoughCpus {
            app,
            asked: listed.procs,
            placed: u64::from(found),
            target,
            node,
        }
    } else {
        PlaceError::NoAvailableCpus {
            app,
            target,
            nodes: 1,
            node,
            free: 0,
            cpus: 0,
        }
    }
}

fn not_allowed(on: &On<'_>, listed: Listed<'_>, step: &EntryStep) -> MapError {
    let entry = step.entry.and_then(|at| {
        listed
            .listing
            .map(|listing| (listing, &listing.entries[at as usize]))
    });
    let Some((listing, entry)) = entry else {
        unreachable!("steps made from hosts name nodes of the pool")
    };
    let (path, line) = (listing.path.clone(), entry.line);
    let app = u32::try_from(listed.app.row()).expect("limit.rs keeps apps below 2^32");
    let name = match entry.node {
        EntryNode::Name(name) => listing.names[name].clone(),
        EntryNode::Nth(nth) => format!("+n{nth}"),
    };
    match (listed.policy.map, entry.node) {
        (MapBy::Rankfile, EntryNode::Nth(_)) => PlaceError::BadRankfile {
            path,
            line,
            reason: format!("{name} is beyond the app's nodes"),
        },
        (MapBy::Rankfile, EntryNode::Name(_)) => PlaceError::RankfileHost {
            app,
            path,
            line,
            name,
        },
        _ => PlaceError::SeqHost {
            path,
            line,
            name,
            pool: on.nodes.names.len(),
        },
    }
    .into()
}
