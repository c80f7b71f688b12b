//! Checks that each rank is there once, in the promised order (`semantics` 6). The sums of that section are taken over runs
//! of equal nodes and compared with the plan: for some places, in a small job for all of them.

use super::fault::{Faults, Promise, Seen, Where};
use super::hardware::number;
use super::listed::{Entries, place};
use std::collections::{BTreeMap, HashMap};
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Located, PlacedRun, Plan, RankOrder};
use stowplan_engine::policy::{MapBy, RankBy};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::names::NodeId;

/// In jobs of up to this many ranks, every rank is checked.
const SMALL: u32 = 4096;
/// How many runs of an app are checked at most, spread evenly.
const ASKED_RUNS: usize = 128;
/// How many rounds have their sums kept for the next rank.
const KEPT_ROUNDS: usize = 8;
/// If a node has more processes of an app than this, the sums for ranks by fill and by span are not taken.
const COUNTED: u32 = 1 << 16;

/// The first rank of an app is the sum of the processes before it.
pub(super) fn bases(plan: &Plan, faults: &mut Faults) {
    let mut sum = 0_u64;
    for app in plan.resolved_apps().ids() {
        let own = plan.app(app);
        let at = || Where {
            app: Some(number(app.row())),
            ..Where::default()
        };
        faults.equal(Promise::Base, at, u64::from(own.base().0), sum);
        let dealt = own
            .runs()
            .iter()
            .map(|run| u64::from(run.procs) * u64::from(run.nodes.count));
        let dealt: u64 = dealt.sum();
        faults.equal(Promise::Procs, at, u64::from(own.procs().0), dealt);
        sum += dealt;
    }
    faults.equal(Promise::Base, Where::default, u64::from(plan.ranks()), sum);
}

/// Nodes are in the order in which they first received a process, over the whole job.
pub(super) fn node_order(plan: &Plan, faults: &mut Faults) {
    let mut policies = plan.resolved_apps().policies.values().iter();
    // A launcher's own rules have an order of their own.
    if policies.any(|policy| policy.map == MapBy::Given) {
        return;
    }
    // The length of each stretch of nodes and its position in that order, by first node.
    let mut order: BTreeMap<u32, (u32, u64)> = BTreeMap::new();
    let mut next = 0_u64;
    for app in plan.resolved_apps().ids() {
        let mut last: Option<u64> = None;
        let mut fresh = Vec::new();
        for run in plan.app(app).runs() {
            let mut at = run.nodes.first;
            while at < run.nodes.end() {
                let known = order
                    .range(..=at)
                    .next_back()
                    .map(|(&first, &(count, place))| (first, count, place))
                    .filter(|&(first, count, _)| first + count > at);
                let (end, place) = match known {
                    Some((first, count, place)) => (
                        (first + count).min(run.nodes.end()),
                        place + u64::from(at - first),
                    ),
                    None => {
                        let following = order.range(at..).next().map(|(&first, _)| first);
                        let end = following.unwrap_or(u32::MAX).min(run.nodes.end());
                        let place = next;
                        next += u64::from(end - at);
                        fresh.push((at, (end - at, place)));
                        (end, place)
                    }
                };
                if last.is_some_and(|last| place <= last) {
                    let names = &plan.world().names;
                    let node =
                        (at < names.len()).then(|| names.name(NodeId::from_row(at as usize)));
                    let at = Where {
                        app: Some(number(app.row())),
                        node,
                        ..Where::default()
                    };
                    let promised = Seen::AtMost(last.unwrap_or(0));
                    faults.add(Promise::NodeOrder, at, Seen::Number(place), promised);
                    return;
                }
                last = Some(place + u64::from(end - at) - 1);
                at = end;
            }
        }
        order.extend(fresh);
    }
}

/// How many processes of a node each object has, by ascending object. Objects without processes are left out.
type ObjectCounts = Vec<(Option<u32>, u64)>;

/// One app's sums.
struct Sums<'p> {
    plan: &'p Plan,
    app: AppId,
    runs: &'p [PlacedRun],
    /// Processes before each run.
    before: Vec<u64>,
    /// Object counts of each run, for span. Shape `[runs]`, or empty.
    objects: Vec<usize>,
    distinct: Vec<ObjectCounts>,
    /// The ranks before each run, by round, for the rounds that were asked for. Shape `[runs]`.
    starts: HashMap<u64, Vec<u64>>,
}

/// The ranks of one app.
pub(super) fn app(plan: &Plan, app: AppId, faults: &mut Faults) {
    let own = plan.app(app);
    let Some(policy) = own.policy().map(|id| &plan.resolved_apps().policies[id]) else {
        return;
    };
    let stated = match own.order() {
        RankOrder::Slot => RankBy::Slot,
        RankOrder::Fill => RankBy::Fill,
        RankOrder::Node => RankBy::Node,
        RankOrder::Span => RankBy::Span,
        RankOrder::Listed(_) => RankBy::Listed,
    };
    if stated != policy.rank {
        let at = Where {
            app: Some(number(app.row())),
            ..Where::default()
        };
        let name = |rank: RankBy| Seen::Name(rank.word().to_owned());
        faults.add(Promise::RankOrder, at, name(stated), name(policy.rank));
        return;
    }
    if let RankOrder::Listed(_) = own.order() {
        listed(plan, app, faults);
    }
    let by_object = match policy.rank {
        RankBy::Fill | RankBy::Span => true,
        RankBy::Slot | RankBy::Node | RankBy::Listed => false,
    };
    let large = own.runs().iter().any(|run| run.procs > COUNTED);
    // Domains by distance, devices by address and objects that a component chose have an order of their own, so only the inverse is checked.
    let own_order =
        policy.map == MapBy::Dist || policy.map.devices().is_some() || own.claimed().by_component();
    let order = if by_object && (large || own_order) {
        RankBy::Listed
    } else {
        policy.rank
    };
    let mut sums = Sums::new(plan, app, order);
    let rows = own.runs().len();
    let (step, all) = if plan.ranks() <= SMALL {
        (1, true)
    } else {
        (rows.div_ceil(ASKED_RUNS).max(1), false)
    };
    for row in (0..rows).step_by(step) {
        let run = &own.runs()[row];
        let some = |count: u32| -> Vec<u32> {
            if all {
                return (0..count).collect();
            }
            let mut some = vec![0, count / 3, count / 2, count - 1];
            some.dedup();
            some
        };
        for node in some(run.nodes.count) {
            for local in some(run.procs) {
                if faults.full() {
                    return;
                }
                sums.ask(row, node, local, order, faults);
            }
        }
    }
}

impl<'p> Sums<'p> {
    fn new(plan: &'p Plan, app: AppId, order: RankBy) -> Self {
        let runs = plan.app(app).runs();
        let mut sum = 0;
        let before = runs.iter().map(|run| {
            let here = sum;
            sum += u64::from(run.procs) * u64::from(run.nodes.count);
            here
        });
        let before = before.collect();
        let mut distinct: Vec<ObjectCounts> = Vec::new();
        let mut ids = HashMap::new();
        let objects = match order {
            RankBy::Slot | RankBy::Fill | RankBy::Node | RankBy::Listed => Vec::new(),
            RankBy::Span => {
                let rows = runs.iter().map(|run| {
                    *ids.entry((run.pattern, run.procs)).or_insert_with(|| {
                        let mut counts = BTreeMap::new();
                        for places in plan.patterns().get(run.pattern).runs(run.procs) {
                            *counts.entry(places.place.object).or_insert(0) +=
                                u64::from(places.count);
                        }
                        distinct.push(counts.into_iter().collect());
                        distinct.len() - 1
                    })
                });
                rows.collect()
            }
        };
        Self {
            plan,
            app,
            runs,
            before,
            objects,
            distinct,
            starts: HashMap::new(),
        }
    }

    /// Checks one place: its rank, and that the rank leads back to the place.
    fn ask(&mut self, row: usize, node: u32, local: u32, order: RankBy, faults: &mut Faults) {
        let at = Located {
            app: self.app,
            run: number(row),
            node,
            local,
        };
        let found = self.plan.rank_of(at);
        let promised = match order {
            RankBy::Slot => Some(self.first(row, node) + u64::from(local)),
            RankBy::Fill => {
                let (before, turn) = self.turn(row, local);
                Some(self.first(row, node) + before + turn)
            }
            RankBy::Node => Some(self.rounds(row, node, u64::from(local))),
            RankBy::Span => Some(self.pair_rounds(row, node, local)),
            RankBy::Listed => None,
        };
        let place = || Where {
            app: Some(number(self.app.row())),
            node: {
                let row = self.runs[row].nodes.first + node;
                Some(self.plan.world().names.name(NodeId::from_row(row as usize)))
            },
            local: Some(local),
            rank: Some(found.0),
        };
        let base = u64::from(self.plan.app(self.app).base().0);
        if let Some(promised) = promised {
            faults.equal(
                Promise::RankOrder,
                place,
                u64::from(found.0),
                base + promised,
            );
        }
        let back = self.plan.locate(Rank(found.0));
        if back != Some(at) {
            let seen = back.map_or(Seen::Nothing, |back| Seen::Number(u64::from(back.local)));
            faults.add(
                Promise::RankInverse,
                place(),
                seen,
                Seen::Number(u64::from(local)),
            );
        }
    }

    fn first(&self, row: usize, node: u32) -> u64 {
        self.before[row] + u64::from(node) * u64::from(self.runs[row].procs)
    }

    /// How many processes of the node are on objects before this process's object, and how many are before it on the same one.
    fn turn(&self, row: usize, local: u32) -> (u64, u64) {
        let run = &self.runs[row];
        let pattern = self.plan.patterns().get(run.pattern);
        let own = pattern.place(local).object;
        let (mut before, mut turn, mut seen) = (0, 0, 0_u64);
        for places in pattern.runs(run.procs) {
            let count = u64::from(places.count);
            if places.place.object < own {
                before += count;
            } else if places.place.object == own {
                turn += count.min(u64::from(local).saturating_sub(seen));
            }
            seen += count;
        }
        (before, turn)
    }

    /// Rank by node: the processes of earlier rounds, then the earlier nodes that take part in this round.
    fn rounds(&self, row: usize, node: u32, round: u64) -> u64 {
        let full = self
            .runs
            .iter()
            .map(|run| u64::from(run.nodes.count) * u64::from(run.procs).min(round));
        let before = self.runs[..row]
            .iter()
            .filter(|run| u64::from(run.procs) > round);
        let before: u64 = before.map(|run| u64::from(run.nodes.count)).sum();
        full.sum::<u64>() + before + u64::from(node)
    }

    /// Rank by span: the same over pairs of node and object.
    fn pair_rounds(&mut self, row: usize, node: u32, local: u32) -> u64 {
        let (_, round) = self.turn(row, local);
        let pattern = self.plan.patterns().get(self.runs[row].pattern);
        let own = pattern.place(local).object;
        let taking = |counts: &ObjectCounts| -> u64 {
            let taking = counts.iter().filter(|&&(_, count)| count > round);
            taking.count() as u64
        };
        let full = |counts: &ObjectCounts| -> u64 {
            counts.iter().map(|&(_, count)| count.min(round)).sum()
        };
        let Self {
            runs,
            objects,
            distinct,
            starts,
            ..
        } = self;
        if starts.len() >= KEPT_ROUNDS && !starts.contains_key(&round) {
            starts.clear();
        }
        let starts = starts.entry(round).or_insert_with(|| {
            let full: Vec<u64> = distinct.iter().map(full).collect();
            let taking: Vec<u64> = distinct.iter().map(taking).collect();
            let of_runs = || runs.iter().zip(&*objects);
            let all = of_runs().map(|(run, &of)| u64::from(run.nodes.count) * full[of]);
            let before = all.sum::<u64>();
            let starts = of_runs().scan(before, |start, (run, &of)| {
                let here = *start;
                *start += u64::from(run.nodes.count) * taking[of];
                Some(here)
            });
            starts.collect()
        });
        let here = &distinct[objects[row]];
        let ahead = here
            .iter()
            .filter(|&&(object, count)| object < own && count > round);
        starts[row] + u64::from(node) * taking(here) + ahead.count() as u64
    }
}

/// Checks listed ranks: every rank is there once, on the node of its entry, and the ranks of a node are in placement order.
fn listed(plan: &Plan, app: AppId, faults: &mut Faults) {
    let own = plan.app(app);
    let RankOrder::Listed(runs) = own.order() else {
        return;
    };
    let entries = Entries::of(plan, app);
    let names = &plan.world().names;
    // Whether the ranks of each node must be in placement order. If an order of ranks was given, they need not.
    let written = plan
        .resolved_apps()
        .policy(app)
        .is_some_and(|policy| policy.map.is_listed());
    let mut dealt: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(runs.len());
    let mut next_local: HashMap<u32, u32> = HashMap::new();
    let mut rank = 0;
    for (row, run) in runs.iter().enumerate() {
        let end = runs.get(row + 1).map_or(own.procs().0, |next| next.rank);
        let at = |rank: u32| Where {
            app: Some(number(app.row())),
            node: (run.node < names.len()).then(|| names.name(NodeId::from_row(run.node as usize))),
            local: Some(run.local),
            rank: Some(own.base().0.saturating_add(rank)),
        };
        if run.rank != rank || end <= run.rank {
            faults.equal(
                Promise::RankOrder,
                || at(run.rank),
                u64::from(run.rank),
                u64::from(rank),
            );
            return;
        }
        let local = next_local.entry(run.node).or_insert(0);
        if written {
            faults.equal(
                Promise::LocalRank,
                || at(rank),
                u64::from(run.local),
                u64::from(*local),
            );
        } else {
            dealt.push((run.node, run.local, end - rank, rank));
        }
        *local = local.saturating_add(end - rank);
        if let Some(entries) = &entries {
            named(entries, plan, run.node, rank..end, &at, faults);
        }
        rank = end;
        if faults.full() {
            return;
        }
    }
    permuted(&mut dealt, plan, app, faults);
    for run in own.runs() {
        for node in run.nodes.first..run.nodes.end() {
            let dealt = next_local.get(&node).copied().unwrap_or(0);
            let place = || Where {
                app: Some(number(app.row())),
                ..Where::default()
            };
            faults.equal(
                Promise::RankOrder,
                place,
                u64::from(dealt),
                u64::from(run.procs),
            );
        }
    }
}

/// Checks an order of ranks: each process of each node has one rank. `dealt`: node, first process, how many, first rank.
fn permuted(dealt: &mut [(u32, u32, u32, u32)], plan: &Plan, app: AppId, faults: &mut Faults) {
    dealt.sort_unstable();
    let names = &plan.world().names;
    let base = plan.app(app).base().0;
    for node in dealt.chunk_by(|a, b| a.0 == b.0) {
        let mut next = 0_u32;
        for &(node, local, count, rank) in node {
            let at = || Where {
                app: Some(number(app.row())),
                node: (node < names.len()).then(|| names.name(NodeId::from_row(node as usize))),
                local: Some(local),
                rank: Some(base.saturating_add(rank)),
            };
            faults.equal(Promise::LocalRank, at, u64::from(local), u64::from(next));
            next = local.saturating_add(count);
            if faults.full() {
                return;
            }
        }
    }
}

/// Checks that the entries of some ranks name the node on which the plan has them.
fn named(
    entries: &Entries<'_>,
    plan: &Plan,
    node: u32,
    ranks: std::ops::Range<u32>,
    at: &impl Fn(u32) -> Where,
    faults: &mut Faults,
) {
    let mut rank = ranks.start;
    while rank < ranks.end {
        let Some(entry) = entries.entry(rank) else {
            faults.add(Promise::Entry, at(rank), Seen::Some, Seen::Nothing);
            return;
        };
        if let Some(promised) = entries.node(entry, &plan.world().names)
            && place(promised) != node
        {
            let promised = plan.world().names.name(promised);
            let found = at(rank).node.map_or(Seen::Nothing, Seen::Name);
            faults.add(Promise::Entry, at(rank), found, Seen::Name(promised));
            return;
        }
        // The other ranks of the same entry need no second check.
        let ahead = entries.left_at(rank);
        rank = rank.saturating_add(ahead.max(1));
    }
}
