//! Whether a plan answers a job: the same apps, on the same nodes, in the same places, with the same ranks.

use super::alike::write_objects;
use super::fault::{Faults, Promise, Seen, Where};
use super::hardware::{Hardware, number};
use std::collections::HashMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{PlacedRun, Plan};
use stowplan_engine::policy::{GpuShare, RankBy};
use stowplan_engine::table::apps::{AppId, Policy};
use stowplan_engine::table::names::{NodeId, NodeRange};
use stowplan_engine::table::patterns::{PatternId, PlaceRun};
use stowplan_engine::table::topologies::TopologyId;

/// Compares a plan with the answer that a job gets. Cost: the runs and distinct patterns of both.
pub(super) fn compare(plan: &Plan, answer: &Plan, faults: &mut Faults) {
    let job = Where::default;
    let counts = |plan: &Plan| (plan.resolved_apps().len() as u64, u64::from(plan.ranks()));
    let ((apps, ranks), (apps_promised, ranks_promised)) = (counts(plan), counts(answer));
    faults.equal(Promise::SameJob, job, apps, apps_promised);
    faults.equal(Promise::SameJob, job, ranks, ranks_promised);
    names(plan, answer, faults);
    hardware(plan, answer, faults);
    if !faults.list.is_empty() {
        return;
    }
    let mut known = HashMap::new();
    for app in plan.resolved_apps().ids() {
        let at = Where {
            app: Some(number(app.row())),
            ..Where::default()
        };
        let policies = [plan, answer].map(|plan| plan.resolved_apps().policy(app).copied());
        let lists = [plan, answer].map(|plan| {
            let list = plan
                .resolved_apps()
                .policy(app)
                .and_then(|policy| policy.list);
            list.map(|list| plan.resolved_apps().lists[list].to_vec())
        });
        let bare = policies.map(|policy| {
            policy.map(|mut policy| {
                policy.list = None;
                policy
            })
        });
        if bare[0] != bare[1] || lists[0] != lists[1] {
            let [found, promised] = [[0, 1], [1, 0]].map(|[own, other]| {
                policies[own].map_or(Seen::Nothing, |policy| {
                    Seen::Name(told(&policy, policies[other].as_ref()))
                })
            });
            faults.add(Promise::SameJob, at, found, promised);
            return;
        }
        let asked =
            [plan, answer].map(|plan| plan.resolved_apps().np[app].map_or(0, |np| u64::from(np.0)));
        faults.equal(Promise::SameJob, || at.clone(), asked[0], asked[1]);
        runs(
            Promise::SameJob,
            [plan, answer],
            app,
            &at,
            &mut known,
            faults,
        );
    }
}

/// Compares the places and ranks of a plan with those that the rules give its job. Both have the same apps and nodes.
///
/// Cost: the runs and distinct patterns of both.
pub(super) fn compare_places(plan: &Plan, answer: &Plan, faults: &mut Faults) {
    let mut known = HashMap::new();
    for app in plan.resolved_apps().ids() {
        let at = Where {
            app: Some(number(app.row())),
            ..Where::default()
        };
        let procs = [plan, answer].map(|plan| u64::from(plan.app(app).procs().0));
        faults.equal(Promise::Procs, || at.clone(), procs[0], procs[1]);
        if !faults.list.is_empty() {
            return;
        }
        runs(Promise::Again, [plan, answer], app, &at, &mut known, faults);
    }
}

/// A policy in words: map, rank and bind, and of its qualifiers those that the other policy does not have.
fn told(policy: &Policy, other: Option<&Policy>) -> String {
    let mut text = format!(
        "map by {}, rank by {}, bind to {}",
        policy.map.word(),
        policy.rank.word(),
        policy.bind.word()
    );
    let gpus = |policy: &Policy| match policy.gpus {
        None => "nothing said of GPUs".to_owned(),
        Some(GpuShare::Split) => "GPUs split".to_owned(),
        Some(GpuShare::Share) => "GPUs shared".to_owned(),
        Some(GpuShare::None) => "no GPUs".to_owned(),
        Some(GpuShare::PerRank(each)) => format!("{each} GPUs a rank"),
    };
    let facts: [fn(&Policy) -> String; 9] = [
        |policy| format!("pe {}", policy.pe),
        |policy| format!("cpus are {:?}s", policy.mode).to_lowercase(),
        |policy| format!("span {:?}", policy.span).to_lowercase(),
        |policy| format!("ordered {:?}", policy.ordered).to_lowercase(),
        |policy| format!("nolocal {:?}", policy.nolocal).to_lowercase(),
        |policy| format!("oversubscribe {:?}", policy.oversubscribe).to_lowercase(),
        |policy| format!("overload {:?}", policy.overload).to_lowercase(),
        |policy| format!("if-supported {:?}", policy.if_supported).to_lowercase(),
        |policy| {
            policy
                .limit
                .map_or_else(|| "no limit".to_owned(), |limit| format!("limit {limit}"))
        },
    ];
    let Some(other) = other else {
        return text;
    };
    let mut add = |own: String, others: String| {
        if own != others {
            text += ", ";
            text += &own;
        }
    };
    for fact in facts {
        add(fact(policy), fact(other));
    }
    add(gpus(policy), gpus(other));
    text
}

/// Compares the hardware of the nodes: objects and OS numbers. Cost: the runs of states, and each distinct pair of topologies.
fn hardware(plan: &Plan, answer: &Plan, faults: &mut Faults) {
    let form = |plan: &Plan, topology: TopologyId| {
        let topologies = &plan.world().topologies;
        let mut form = Vec::new();
        write_objects(Hardware::new(topologies, topology), &mut form);
        (form, topologies.pus_os(topology).to_vec())
    };
    let runs = |plan: &Plan| -> Vec<(u32, TopologyId)> {
        let world = plan.world();
        let topology = |state| world.states.get(state).topology;
        let before = world.before.iter();
        before
            .map(|(nodes, state)| (nodes.end(), topology(state)))
            .collect()
    };
    let mut known: HashMap<[TopologyId; 2], bool> = HashMap::new();
    let (mine, theirs) = (runs(plan), runs(answer));
    let (mut a, mut b, mut node) = (0, 0, 0);
    while let (Some(&(end, own)), Some(&(other_end, other))) = (mine.get(a), theirs.get(b)) {
        let same = *known
            .entry([own, other])
            .or_insert_with(|| form(plan, own) == form(answer, other));
        if !same {
            let at = Where {
                node: Some(plan.world().names.name(NodeId::from_row(node as usize))),
                ..Where::default()
            };
            let found = Seen::Name("other hardware".to_owned());
            let promised = Seen::Name("the hardware of the job".to_owned());
            faults.add(Promise::SameJob, at, found, promised);
            return;
        }
        node = end.min(other_end);
        a += usize::from(end == node);
        b += usize::from(other_end == node);
    }
}

fn names(plan: &Plan, answer: &Plan, faults: &mut Faults) {
    let count = |plan: &Plan| u64::from(plan.world().names.len());
    faults.equal(Promise::SameJob, Where::default, count(plan), count(answer));
    // Ranges of names may be cut differently, so their ends are compared by name.
    let ends = |plan: &Plan| -> Vec<u32> {
        let ranges = plan.world().names.ranges();
        ranges
            .flat_map(|(nodes, _)| [nodes.first, nodes.end() - 1])
            .collect()
    };
    let common = plan.world().names.len().min(answer.world().names.len());
    for node in ends(plan)
        .into_iter()
        .chain(ends(answer))
        .filter(|&node| node < common)
    {
        let name = |plan: &Plan| plan.world().names.name(NodeId::from_row(node as usize));
        let (found, promised) = (name(plan), name(answer));
        if found != promised {
            faults.add(
                Promise::SameJob,
                Where::default(),
                Seen::Name(found),
                Seen::Name(promised),
            );
            return;
        }
    }
}

/// Whether two patterns give the same places. Key: pattern of the plan, pattern of the answer, processes compared.
type Known = HashMap<(PatternId, PatternId, u32), bool>;

fn runs(
    promise: Promise,
    [plan, answer]: [&Plan; 2],
    app: AppId,
    at: &Where,
    known: &mut Known,
    faults: &mut Faults,
) {
    let (own, promised) = (plan.app(app), answer.app(app));
    // An order of ranks that was given afterwards is kept beside places that no file lists.
    let listed = |plan: &Plan| {
        let policy = plan.resolved_apps().policy(app);
        policy.is_some_and(|policy| policy.rank == RankBy::Listed && !policy.map.is_listed())
    };
    let reordered = listed(plan) && !listed(answer);
    if own.order() != promised.order() && !reordered {
        faults.add(promise, at.clone(), Seen::Some, Seen::Nothing);
        return;
    }
    let (mut mine, mut theirs) = (own.runs().iter(), promised.runs().iter());
    let (mut a, mut b) = (mine.next().copied(), theirs.next().copied());
    while let (Some(run), Some(other)) = (a, b) {
        let node = plan
            .world()
            .names
            .name(NodeId::from_row(run.nodes.first as usize));
        let here = || Where {
            node: Some(node.clone()),
            ..at.clone()
        };
        let numbers =
            |run: &PlacedRun| [run.nodes.first, run.procs, run.own_before, run.used_before];
        for (found, promised) in numbers(&run).into_iter().zip(numbers(&other)) {
            faults.equal(promise, here, u64::from(found), u64::from(promised));
        }
        // Only equal numbers of processes have places to compare.
        if !faults.list.is_empty() {
            return;
        }
        let same = run.kind == other.kind
            && *known
                .entry((run.pattern, other.pattern, run.procs))
                .or_insert_with(|| same_places(plan, &run, answer, &other));
        if !same {
            faults.add(promise, here(), Seen::Some, Seen::Nothing);
        }
        if !faults.list.is_empty() {
            return;
        }
        let both = run.nodes.count.min(other.nodes.count);
        a = behind(run, both).or_else(|| mine.next().copied());
        b = behind(other, both).or_else(|| theirs.next().copied());
    }
    let left = |run: Option<PlacedRun>| run.map_or(0, |run| u64::from(run.nodes.count));
    faults.equal(promise, || at.clone(), left(a), left(b));
}

/// The rest of a run after its first nodes.
fn behind(run: PlacedRun, nodes: u32) -> Option<PlacedRun> {
    let rest = NodeRange {
        first: run.nodes.first + nodes,
        count: run.nodes.count - nodes,
    };
    (rest.count > 0).then_some(PlacedRun { nodes: rest, ..run })
}

fn same_places(plan: &Plan, run: &PlacedRun, answer: &Plan, other: &PlacedRun) -> bool {
    // Patterns of the same shape are compared run by run.
    let said = |plan: &Plan, place: PlaceRun| {
        let set = place
            .place
            .cpus
            .map(|id| plan.world().cpusets.get(id).clone());
        (place.place.object, set)
    };
    let (mine, theirs) = (
        plan.patterns().get(run.pattern),
        answer.patterns().get(other.pattern),
    );
    let shape =
        |segments: &[stowplan_engine::table::patterns::Segment]| -> Vec<(u32, Option<u32>, usize)> {
            segments
                .iter()
                .map(|segment| (segment.procs, segment.cycle, segment.runs.len()))
                .collect()
        };
    if shape(mine.segments()) == shape(theirs.segments()) {
        let flat = |segments: &[stowplan_engine::table::patterns::Segment]| -> Vec<PlaceRun> {
            segments
                .iter()
                .flat_map(|segment| segment.runs.clone())
                .collect()
        };
        let (a, b) = (flat(mine.segments()), flat(theirs.segments()));
        return a
            .iter()
            .zip(&b)
            .all(|(a, b)| a.count == b.count && said(plan, *a) == said(answer, *b));
    }
    // Other runs may give the same places: compare process by process, up to as many as a node can tell apart.
    const ASKED: u32 = 1 << 16;
    (0..run.procs.min(ASKED)).all(|local| {
        let one = |place| PlaceRun { count: 1, place };
        said(plan, one(mine.place(local))) == said(answer, one(theirs.place(local)))
    })
}
