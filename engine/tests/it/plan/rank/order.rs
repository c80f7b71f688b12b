//! Ranks in every order, compared with counting them one by one: the place of each rank, its inverse, and the table,
//! whole and in parts.

use std::collections::BTreeMap;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{ListedRun, Placed, PlacedRun, Plan, ProcTable, RankOrder, World};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppTable;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::patterns::{PatternId, Patterns, Place, PlaceRun, Segment};

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap()
}

/// A pattern of (processes, object) runs that repeats for ever from the first run.
pub(crate) fn pattern(patterns: &mut Patterns, runs: &[(u32, u32)]) -> PatternId {
    let runs = runs.iter().map(|&(count, object)| PlaceRun {
        count,
        place: Place {
            object: Some(object),
            cpus: None,
        },
    });
    patterns.intern(vec![Segment {
        procs: u32::MAX,
        runs: runs.collect(),
        cycle: Some(0),
        shares: Vec::new(),
    }])
}

/// Runs of (nodes, processes of each, pattern), two nodes apart.
fn runs(of: impl IntoIterator<Item = (u32, u32, PatternId)>) -> Vec<PlacedRun> {
    let mut first = 3;
    let runs = of.into_iter().map(|(count, procs, pattern)| {
        let nodes = NodeRange { first, count };
        first += count + 2;
        PlacedRun {
            nodes,
            procs,
            pattern,
            kind: Some(ObjKind::Numa),
            own_before: 5 + count,
            used_before: 70 + procs,
        }
    });
    runs.collect()
}

/// The processes of a node by object, in the order in which the pattern comes to objects.
fn by_object(patterns: &Patterns, run: &PlacedRun) -> Vec<Vec<u32>> {
    let pattern = patterns.get(run.pattern);
    let mut turns: BTreeMap<u32, usize> = BTreeMap::new();
    let mut objects: Vec<Vec<u32>> = Vec::new();
    for local in 0..run.procs {
        let object = pattern.place(local).object.unwrap();
        let turn = *turns.entry(object).or_insert(objects.len());
        objects.resize(objects.len().max(turn + 1), Vec::new());
        objects[turn].push(local);
    }
    objects
}

/// The run of each rank, its node within the run, and its process.
fn counted(order: &RankOrder, patterns: &Patterns, runs: &[PlacedRun]) -> Vec<(usize, u32, u32)> {
    if let RankOrder::Listed(listed) = order {
        return counted_lists(listed, runs);
    }
    // For each run, the processes of a node in rank order, round by round if there are rounds.
    let rounds = runs.iter().map(|run| match order {
        RankOrder::Slot | RankOrder::Listed(_) => vec![(0..run.procs).collect()],
        RankOrder::Fill => vec![by_object(patterns, run).concat()],
        RankOrder::Node => (0..run.procs).map(|local| vec![local]).collect(),
        RankOrder::Span => {
            let mut rounds: Vec<Vec<u32>> = Vec::new();
            for object in by_object(patterns, run) {
                rounds.resize(rounds.len().max(object.len()), Vec::new());
                let turns = rounds.iter_mut().zip(object);
                turns.for_each(|(round, local)| round.push(local));
            }
            rounds
        }
    });
    let rounds: Vec<Vec<Vec<u32>>> = rounds.collect();
    let mut ranks = Vec::new();
    for round in 0..rounds.iter().map(Vec::len).max().unwrap_or(0) {
        for (at, run) in runs.iter().enumerate() {
            let Some(own) = rounds[at].get(round) else {
                continue;
            };
            for node in 0..run.nodes.count {
                ranks.extend(own.iter().map(|&local| (at, node, local)));
            }
        }
    }
    ranks
}

/// The same for listed ranks: each stretch has the ranks up to the next one.
fn counted_lists(listed: &[ListedRun], runs: &[PlacedRun]) -> Vec<(usize, u32, u32)> {
    let all: u32 = runs.iter().map(|run| run.nodes.count * run.procs).sum();
    let ends = listed[1..].iter().map(|next| next.rank).chain([all]);
    let mut ranks = Vec::new();
    for (stretch, end) in listed.iter().zip(ends) {
        let holds = |run: &PlacedRun| (run.nodes.first..run.nodes.end()).contains(&stretch.node);
        let at = runs.iter().position(holds).unwrap();
        let node = stretch.node - runs[at].nodes.first;
        let locals = stretch.local..stretch.local + end - stretch.rank;
        ranks.extend(locals.map(|local| (at, node, local)));
    }
    ranks
}

/// A rank of the second app.
fn behind(rank: usize) -> Rank {
    Rank(5 + number(rank))
}

/// The columns of a table.
fn columns(table: &ProcTable) -> Vec<[u32; 4]> {
    let objects: Vec<(u32, u32)> = table.objects().collect();
    let rows = 0..table.len();
    let told = |at: usize| {
        [
            table.nodes()[at],
            table.local_ranks()[at],
            table.node_ranks()[at],
            objects[at].1,
        ]
    };
    rows.map(told).collect()
}

/// Places the runs behind an app of five ranks, in an order. Checks the answers for some ranks, and the table from some ranks
/// on.
fn agrees(order: &RankOrder, patterns: &Patterns, runs: &[PlacedRun], step: usize) {
    let few = PlacedRun {
        nodes: NodeRange { first: 1, count: 1 },
        procs: 5,
        ..runs[0]
    };
    let placed = |runs: &[PlacedRun], order: &RankOrder| Placed {
        runs: runs.to_vec(),
        order: order.clone(),
        ..Placed::default()
    };
    let placed = vec![placed(&[few], &RankOrder::Slot), placed(runs, order)];
    let (world, table) = (World::default(), AppTable::default());
    let plan = Plan::assemble(world, table, patterns.clone(), placed);
    let wanted = counted(order, patterns, runs);
    assert_eq!(plan.ranks() as usize, 5 + wanted.len());
    let rows = wanted.iter().map(|&(run, node, local)| {
        let run = &runs[run];
        let object = patterns.get(run.pattern).place(local).object;
        [
            run.nodes.first + node,
            run.own_before + local,
            run.used_before + local,
            object.unwrap(),
        ]
    });
    let rows: Vec<[u32; 4]> = rows.collect();
    let check = |rank: usize| {
        let told = plan.place(behind(rank)).unwrap();
        let (node, object) = (told.node.number(), told.object.unwrap().1);
        let told = [node, told.local_rank, told.node_rank, object];
        assert_eq!(told, rows[rank], "rank {rank} {order:?}");
        let at = plan.locate(behind(rank)).unwrap();
        let found = (at.run as usize, at.node, at.local);
        assert_eq!(found, wanted[rank], "rank {rank} {order:?}");
        assert_eq!(plan.rank_of(at), behind(rank));
    };
    (0..rows.len()).step_by(step).for_each(check);
    let walked = plan
        .rows()
        .skip(5)
        .map(|(_, at)| (at.run as usize, at.node, at.local));
    assert!(walked.eq(wanted.iter().copied()), "{order:?}");
    let all = columns(&plan.expand());
    assert!(all[5..] == rows, "{order:?}");
    let mut part = ProcTable::default();
    for first in (0..rows.len()).step_by(step) {
        for count in [1, 40, 3000] {
            let end = rows.len().min(first + count);
            let ranks = behind(first).0..behind(end).0;
            plan.expand_rows(ranks, &mut part);
            assert!(
                columns(&part) == rows[first..end],
                "{first}..{end} {order:?}"
            );
        }
    }
}

const ORDERS: [RankOrder; 4] = [
    RankOrder::Slot,
    RankOrder::Fill,
    RankOrder::Node,
    RankOrder::Span,
];

#[test]
fn many_small_nodes_have_their_turns() {
    let mut patterns = Patterns::default();
    let two = pattern(&mut patterns, &[(1, 0), (1, 1)]);
    let far = pattern(&mut patterns, &[(2, 9), (1, 4), (3, 0), (1, 4)]);
    let wide: Vec<(u32, u32)> = (0..20).map(|object| (1, object)).collect();
    let wide = pattern(&mut patterns, &wide);
    for order in ORDERS {
        // Few runs, many, rounds of more rows than are drafted at once, and nodes of more rounds or turns than others.
        for (count, most) in [(3, 9), (15, 7), (16, 7), (40, 11), (90, 5), (300, 3)] {
            let of = (0..count).map(|at: u32| {
                let pattern = [two, far][at as usize % 2];
                (1 + at % 4, 1 + at * 5 % most, pattern)
            });
            let all = runs(of.clone());
            agrees(&order, &patterns, &all, 17);
            for large in [(1, 150, two), (2, 150, far), (3, 66, wide), (30, 9, far)] {
                let half = count as usize / 2;
                let of = of.clone().take(half).chain([large]);
                agrees(
                    &order,
                    &patterns,
                    &runs(of.chain(all_again(count, two))),
                    31,
                );
            }
        }
    }
}

/// `count` runs whose nodes have four processes each.
fn all_again(count: u32, pattern: PatternId) -> impl Iterator<Item = (u32, u32, PatternId)> {
    (0..count).map(move |at| (1 + at % 2, 4, pattern))
}

#[test]
fn nodes_too_large_to_be_written_out_are_asked() {
    let mut patterns = Patterns::default();
    let far = pattern(&mut patterns, &[(2, 9), (1, 4), (3, 0), (1, 4), (1, 2)]);
    let near = pattern(&mut patterns, &[(1, 1), (1, 0)]);
    // More processes than are written out; counts that differ a little, and a lot.
    let large = [270_000, 270_002, 270_003, 270_600];
    for order in ORDERS {
        let of = large.map(|procs| (1 + procs % 2, procs, far));
        agrees(&order, &patterns, &runs(of), 60_013);
        // Among many nodes.
        let few = (0..20).map(|at| (1, 1 + at % 4, [near, far][at as usize % 2]));
        let of = few.clone().chain([(1, 270_000, far)]).chain(few);
        agrees(&order, &patterns, &runs(of), 60_013);
    }
}

#[test]
fn phases_of_thousands_of_runs_are_searched_in_blocks() {
    let mut patterns = Patterns::default();
    let one = pattern(&mut patterns, &[(1, 0)]);
    for count in [2_100, 2_950] {
        let of = (0..count).map(|at| (1, 1 + at * 7 % count, one));
        agrees(&RankOrder::Node, &patterns, &runs(of), 90_001);
    }
}

#[test]
fn listed_ranks_are_where_they_were_written() {
    let mut patterns = Patterns::default();
    let far = pattern(&mut patterns, &[(2, 9), (1, 4), (3, 0), (1, 4)]);
    let all = runs((0..12).map(|at| (1 + at % 3, 1 + at * 5 % 50, far)));
    // From the last node to the first, a third of the processes of each; then, in the same order, the rest.
    let mut listed = Vec::new();
    let mut rank = 0;
    for left in [false, true] {
        for run in all.iter().rev() {
            let half = run.procs / 3;
            let locals = if left { half..run.procs } else { 0..half };
            let nodes = (run.nodes.first..run.nodes.end()).rev();
            for node in nodes.filter(|_| !locals.is_empty()) {
                let local = locals.start;
                listed.push(ListedRun { rank, node, local });
                rank += number(locals.len());
            }
        }
    }
    agrees(&RankOrder::Listed(listed), &patterns, &all, 7);
}
