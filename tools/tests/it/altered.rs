//! Plans whose rows were changed and sealed again: a plan that the judge accepts has the rows of a fresh plan.

use std::sync::Arc;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::{Placed, Plan, RankOrder};
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::patterns::{Place, PlaceRun, Segment};
use stowplan_judge::check;

/// The files of the jobs below.
struct Written;

impl Files for Written {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Ok(match path {
            "ranks" => {
                b"rank 0=b slot=2\nrank 1=a slot=1\nrank 2=b slot=0\nrank 3=a slot=3\n".to_vec()
            }
            "devices" => include_bytes!("../../../cases/machines/devices.xml").to_vec(),
            "lsf" => b"a 1,9\nb 2\nb 3,4\na 5\n".to_vec(),
            "hosts" => b"a slots=2 max_slots=5\nb slots=2 max_slots=6\nc slots=3\n".to_vec(),
            _ => b"a\nb\nb\na\nb\n".to_vec(),
        })
    }
}

const BOX: &str = "package:2 core:4 pu:2";

/// The policies that place processes, each with the qualifiers that it takes.
pub(crate) const MAPS: &[(&str, &str, &[&str])] = &[
    ("slot", "-n 5", &["", ":oversubscribe", ":pe=2", ":hwtcpus"]),
    ("node", "-n 5", &["", ":oversubscribe", ":pe=2"]),
    (
        "core",
        "-n 5",
        &[
            "",
            ":oversubscribe",
            ":span",
            ":span:oversubscribe",
            ":hwtcpus:oversubscribe",
        ],
    ),
    ("package", "-n 6", &["", ":oversubscribe", ":span", ":pe=2"]),
    ("numa", "-n 5", &["", ":oversubscribe"]),
    ("hwthread", "-n 7", &["", ":oversubscribe"]),
    ("ppr:2:package", "", &["", ":oversubscribe"]),
    ("ppr:3:node", "", &["", ":oversubscribe"]),
    (
        "pe-list=0-3",
        "-n 6",
        &["", ":oversubscribe", ":ordered", ":ordered:oversubscribe"],
    ),
    ("seq:file=seq", "-n 5", &["", ":oversubscribe"]),
    ("rankfile:file=ranks", "-n 4", &["", ":oversubscribe"]),
    (
        "mpibind",
        "-n 5 --devices gpu=package:2",
        &["", ":oversubscribe", ":threads=1", ":smt=2", ":gpu=0"],
    ),
    (
        "mpibind",
        "-n 3 --topo devices",
        &["", ":greedy=0", ":threads=2", ":smt=1:greedy=0"],
    ),
    (
        "gpu",
        "-n 5 --devices gpu=package:2",
        &["", ":oversubscribe", ":span", ":pe=2"],
    ),
    (
        "ppr:2:gpu",
        "--devices gpu=package:2",
        &["", ":oversubscribe"],
    ),
    (
        "dist:mlx5_0",
        "-n 5 --topo devices",
        &["", ":oversubscribe", ":span", ":pe=2"],
    ),
];

pub(crate) const HOSTS: &[&str] = &[
    "-H a:4,b:4",
    "-H a:2,b:2",
    "-H a:4,b:1 --hostfile hosts",
    "--hostfile hosts",
];

pub(crate) const BINDS: &[&str] = &[
    "",
    "--bind-to none",
    "--bind-to core",
    "--bind-to core:overload-allowed",
    "--bind-to core:overload-allowed:limit=1",
    "--bind-to package:limit=2:if-supported",
    "--bind-to hwthread:if-supported",
];

pub(crate) const RANKS: &[&str] = &["", "--rank-by node", "--rank-by fill", "--rank-by span"];

pub(crate) fn plan(words: &str) -> Option<Plan> {
    let mut argv = vec!["--topo".to_owned(), BOX.to_owned()];
    argv.extend(words.split_whitespace().map(str::to_owned));
    let asked = map_args(&argv).ok()?;
    Some(place(asked, &FilesAlone(&Written)).ok()?.mapped.plan)
}

/// Numbers that look random and are the same in every run.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }
}

pub(crate) fn placed(plan: &Plan) -> Vec<Placed> {
    let apps = plan.apps().iter().map(|app| Placed {
        policy: app.policy(),
        runs: app.runs().to_vec(),
        order: app.order().clone(),
        passes: app.passes().map(<[_]>::to_vec),
        claimed: app.claimed().clone(),
    });
    apps.collect()
}

/// Sets of PUs that the rows of a plan have, and some that they do not have.
fn sets(plan: &Plan, world: &mut stowplan_engine::plan::World) -> Vec<Option<CpusetId>> {
    let mut sets: Vec<Option<CpusetId>> = (0..plan.ranks())
        .map(|rank| plan.place(Rank(rank)).unwrap().cpus)
        .collect();
    for cpus in [
        &[0, 1][..],
        &[2, 3],
        &[8, 9],
        &[0],
        &[0, 1, 2, 3, 4, 5, 6, 7],
        &[0, 2, 4, 6],
    ] {
        sets.push(Some(
            Arc::make_mut(&mut world.cpusets).intern_pus(&mut cpus.to_vec()),
        ));
    }
    sets.push(None);
    sets
}

/// Places one after the other.
fn segment(places: &[Place]) -> Segment {
    let row = |&place: &Place| PlaceRun { count: 1, place };
    Segment {
        procs: u32::try_from(places.len()).unwrap(),
        runs: places.iter().map(row).collect(),
        cycle: None,
        shares: Vec::new(),
    }
}

/// A plan with other rows, sealed.
fn altered(plan: &Plan, chance: &mut Chance) -> Option<Plan> {
    let (mut world, mut patterns, mut apps) =
        (plan.world().clone(), plan.patterns().clone(), placed(plan));
    let app = chance.below(apps.len());
    if apps[app].runs.is_empty() {
        return None;
    }
    let kind = chance.below(9);
    if kind == 8 {
        // Moves one process to another node.
        let runs = &mut apps[app].runs;
        let (from, to) = (chance.below(runs.len()), chance.below(runs.len()));
        if from == to || runs[from].procs == 1 || runs[from].nodes.count + runs[to].nodes.count > 2
        {
            return None;
        }
        runs[from].procs -= 1;
        runs[to].procs += 1;
        let pattern = patterns.get(runs[to].pattern);
        let mut places: Vec<Place> = (0..runs[to].procs - 1)
            .map(|at| pattern.place(at))
            .collect();
        places.push(patterns.get(runs[from].pattern).place(0));
        runs[to].pattern = patterns.intern(vec![segment(&places)]);
    } else if kind == 7 {
        apps[app].order = match chance.below(3) {
            0 => RankOrder::Slot,
            1 => RankOrder::Node,
            _ if apps[app].runs.iter().all(|run| run.kind.is_some()) => RankOrder::Span,
            _ => return None,
        };
    } else {
        let sets = sets(plan, &mut world);
        let row = chance.below(apps[app].runs.len());
        let run = &mut apps[app].runs[row];
        let pattern = patterns.get(run.pattern);
        let mut rows: Vec<Place> = (0..run.procs).map(|local| pattern.place(local)).collect();
        let (at, other) = (chance.below(rows.len()), chance.below(rows.len()));
        match kind {
            0 => rows.swap(at, other),
            1 => rows[at] = rows[other],
            2 => rows[at].cpus = sets[chance.below(sets.len())],
            3 => {
                rows[at].object = rows[at]
                    .object
                    .map(|_| u32::try_from(chance.below(8)).unwrap())
            }
            4 => rows[at..].reverse(),
            5 => {
                let begin = rows[0];
                rows[at] = begin;
            }
            _ => {
                // From here on, the rows have other objects and other cpus.
                for row in &mut rows[at..] {
                    row.object = row.object.map(|object| (object + 1) % 4);
                    row.cpus = sets[chance.below(sets.len())];
                }
            }
        }
        let shares = pattern.segments()[0].shares.clone();
        let segment = Segment {
            shares,
            ..segment(&rows)
        };
        run.pattern = patterns.intern(vec![segment]);
    }
    let other = Plan::assemble(world, plan.resolved_apps().clone(), patterns, apps);
    // A list that names a process of another node is refused when it is read.
    Plan::from_bytes(&other.to_bytes()).ok()
}

fn rows(plan: &Plan) -> Vec<String> {
    let row = |rank| {
        let place = plan.place(Rank(rank)).unwrap();
        let cpus = place.cpus.map(|id| plan.world().cpusets.get(id));
        format!(
            "{:?} {} {} {:?} {cpus:?}",
            place.node, place.local_rank, place.node_rank, place.object
        )
    };
    (0..plan.ranks()).map(row).collect()
}

#[test]
fn what_the_judge_accepts_has_the_rows_of_a_fresh_plan() {
    let long = std::env::var_os("STOWPLAN_LONG").is_some();
    let (step, tries) = if long { (1, 60) } else { (5, 12) };
    let mut chance = Chance(24);
    let mut jobs = Vec::new();
    for (map, count, more) in MAPS {
        for more in *more {
            for (hosts, bind) in HOSTS
                .iter()
                .flat_map(|hosts| BINDS.iter().map(move |bind| (hosts, bind)))
            {
                for rank in RANKS {
                    jobs.push(format!(
                        "{hosts} {count} --map-by {map}{more} {bind} {rank}"
                    ));
                    jobs.push(format!(
                        "{hosts} -n 2 --map-by {map}{more} {bind} {rank} : {hosts} {count}"
                    ));
                }
            }
        }
    }
    for hosts in HOSTS {
        jobs.push(format!("{hosts} --topo devices --lsf-affinity lsf"));
        jobs.push(format!(
            "{hosts} --topo devices --lsf-affinity lsf -n 3 --bind-to core"
        ));
    }
    let (mut plans, mut mutants, mut accepted, mut wrong) = (0, 0, 0, Vec::new());
    let mut begin = 0;
    while begin < jobs.len() {
        let job = &jobs[begin];
        begin += if long { 1 } else { 1 + chance.below(2 * step) };
        let Some(fresh) = plan(job) else { continue };
        plans += 1;
        if let Err(faults) = check(&fresh) {
            wrong.push(format!("{job}: a sound plan: {}", faults[0]));
        }
        let sound = rows(&fresh);
        for _ in 0..tries {
            let Some(other) = altered(&fresh, &mut chance) else {
                continue;
            };
            let told = rows(&other);
            if told == sound {
                continue;
            }
            mutants += 1;
            if check(&other).is_ok() {
                accepted += 1;
                if wrong.len() < 40 {
                    let rows = sound.iter().zip(&told);
                    let rows: Vec<_> = rows.filter(|(sound, told)| sound != told).collect();
                    wrong.push(format!("{job}:\n  {rows:#?}"));
                }
                break;
            }
        }
    }
    println!("{plans} plans, {mutants} with other rows, {accepted} of them accepted");
    assert!(
        wrong.is_empty(),
        "{plans} plans, {mutants} mutants, {accepted} accepted\n{}",
        wrong.join("\n")
    );
}

#[test]
fn plans_from_before_the_passes_were_told_are_read_and_judged() {
    let fresh = plan("-H a:4,b:4 -n 11 --map-by package:oversubscribe").unwrap();
    let mut apps = placed(&fresh);
    assert!(apps.iter().any(|app| app.passes.is_some()), "it tells them");
    for app in &mut apps {
        app.passes = None;
    }
    let (world, patterns) = (fresh.world().clone(), fresh.patterns().clone());
    let before = Plan::assemble(world, fresh.resolved_apps().clone(), patterns, apps);
    assert!(before.to_bytes().len() < fresh.to_bytes().len());
    let read = Plan::from_bytes(&before.to_bytes()).unwrap();
    assert_eq!(rows(&read), rows(&fresh));
    assert!(check(&read).is_ok());
}
