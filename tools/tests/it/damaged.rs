//! The judge gets plans with one wrong column each, and must name the broken promise.

use std::sync::Arc;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::count::ProcCount;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Placed, Plan, RankOrder, World};
use stowplan_engine::policy::{BindTo, ObjKind};
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::apps::{AppId, AppTable};
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::patterns::{Patterns, Place, PlaceRun, Segment};
use stowplan_engine::table::states::{NodeState, StateRuns};
use stowplan_judge::{Promise, check, check_job};

/// The rankfile of the jobs below.
struct Rankfile;

impl Files for Rankfile {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(b"rank 0=b slot=2\nrank 1=a slot=1\nrank 2=b slot=0\n".to_vec())
    }
}

fn plan(words: &str) -> Plan {
    let words = format!("--topo package:2;core:4;pu:1 -H {words}");
    let words = words.split(' ').map(|word| word.replace(';', " "));
    let asked = map_args(&words.collect::<Vec<_>>()).unwrap();
    place(asked, &FilesAlone(&Rankfile)).unwrap().mapped.plan
}

/// The parts of a plan.
struct Parts {
    world: World,
    table: AppTable,
    patterns: Patterns,
    placed: Vec<Placed>,
}

impl Parts {
    fn of(plan: &Plan) -> Self {
        let placed = plan.apps().iter().map(|app| Placed {
            policy: app.policy(),
            runs: app.runs().to_vec(),
            order: app.order().clone(),
            passes: app.passes().map(<[_]>::to_vec),
            claimed: app.claimed().clone(),
        });
        Self {
            world: plan.world().clone(),
            table: plan.resolved_apps().clone(),
            patterns: plan.patterns().clone(),
            placed: placed.collect(),
        }
    }

    fn plan(self) -> Plan {
        Plan::assemble(self.world, self.table, self.patterns, self.placed)
    }

    /// Changes the pattern of the last app's first run.
    fn pattern(&mut self, change: impl FnOnce(&mut Vec<Segment>)) {
        let run = &mut self.placed.last_mut().unwrap().runs[0];
        let mut segments = self.patterns.get(run.pattern).segments().to_vec();
        change(&mut segments);
        run.pattern = self.patterns.intern(segments);
    }

    /// Changes the place of one process of that pattern.
    fn place(&mut self, at: usize, change: impl FnOnce(&mut Place)) {
        self.pattern(|segments| change(&mut segments[0].runs[at].place));
    }

    /// The same, with cpus by OS number.
    fn cpus(&mut self, at: usize, cpus: &[u32]) {
        let set = Arc::make_mut(&mut self.world.cpusets).intern_pus(&mut cpus.to_vec());
        self.place(at, |place| place.cpus = Some(set));
    }

    fn changed(&mut self, runs: &StateRuns, change: impl Fn(&mut NodeState)) -> StateRuns {
        let mut changed = StateRuns::default();
        for (nodes, id) in runs.iter() {
            let mut state = *self.world.states.get(id);
            change(&mut state);
            changed.push(
                nodes.count,
                Arc::make_mut(&mut self.world.states).intern(state),
            );
        }
        changed
    }

    /// Changes the state in which the job found every node.
    fn before(&mut self, change: impl Fn(&mut NodeState)) {
        let runs = self.world.before.clone();
        self.world.before = self.changed(&runs, change);
    }

    /// Changes the state in which the job leaves the nodes.
    fn after(&mut self, change: impl Fn(&mut NodeState)) {
        let runs = self.world.after.clone();
        self.world.after = self.changed(&runs, change);
    }
}

/// A job, the damage to its plan, and the promise that this breaks.
type Damage = (Promise, &'static str, &'static str, fn(&mut Parts));

const CORES: &str = "a:4,b:4 -n 6 --map-by core";
const UNBOUND: &str = "a:4,b:4 -n 6 --map-by slot --bind-to none";
const TWO: &str = "a:4,b:4 -n 2 --map-by slot --bind-to none : -n 5 --map-by node --bind-to none";
const FILE: &str = "a:4,b:4 --map-by rankfile:file=f";

const DAMAGES: &[Damage] = &[
    (
        Promise::Procs,
        "one process more is asked for",
        CORES,
        |parts| {
            parts.table.np[AppId::from_row(0)] = Some(ProcCount(7));
        },
    ),
    (
        Promise::Procs,
        "a node's last process is gone",
        UNBOUND,
        |parts| {
            parts.placed[0].runs[1].procs -= 1;
        },
    ),
    (
        Promise::NodeOnce,
        "the second run is on the first node",
        CORES,
        |parts| {
            parts.placed[0].runs[1].nodes = parts.placed[0].runs[0].nodes;
        },
    ),
    (
        Promise::NodeKnown,
        "a run is behind the pool",
        CORES,
        |parts| {
            parts.placed[0].runs[1].nodes.first = 2;
        },
    ),
    (Promise::Slots, "nodes had a slot less", UNBOUND, |parts| {
        parts.before(|state| state.slots = 3);
        parts.after(|state| state.slots = 3);
    }),
    (Promise::MaxSlots, "nodes had a limit", UNBOUND, |parts| {
        parts.before(|state| state.max_slots = Some(3));
        parts.after(|state| state.max_slots = Some(3));
    }),
    (
        Promise::LocalRank,
        "local ranks begin at 1",
        CORES,
        |parts| {
            parts.placed[0].runs[0].own_before = 1;
        },
    ),
    (
        Promise::LocalRank,
        "the second app forgets the first",
        TWO,
        |parts| {
            parts.placed[1].runs[0].own_before = 0;
        },
    ),
    (Promise::NodeRank, "node ranks begin at 1", CORES, |parts| {
        parts.placed[0].runs[0].used_before = 1;
    }),
    (
        Promise::StateAfter,
        "a process is not left behind",
        CORES,
        |parts| {
            parts.after(|state| state.used -= 1);
        },
    ),
    (
        Promise::StateAfter,
        "all cpus are left free",
        CORES,
        |parts| {
            let state = *parts
                .world
                .states
                .get(parts.world.before.state(NodeId::from_row(0)));
            parts.world.after =
                parts.changed(&parts.world.after.clone(), |after| after.free = state.free);
        },
    ),
    (
        Promise::StateAfter,
        "the job's processes are no longer its own",
        CORES,
        |parts| {
            parts.after(|state| state.own = 0);
        },
    ),
    (
        Promise::NoLocal,
        "the launcher runs on the first node",
        "a:4,b:4 -n 6 --head z --map-by slot:nolocal",
        |parts| {
            parts.world.local = Some(NodeId::from_row(0));
        },
    ),
    (
        Promise::PatternLength,
        "a pattern ends early",
        "a:300000 -n 300000 --map-by slot --bind-to none",
        |parts| {
            parts.pattern(|segments| segments[0].procs = 100);
        },
    ),
    (
        Promise::Object,
        "the first pass goes on behind the slots",
        "a:2,b:2 -n 7 --map-by core:oversubscribe --bind-to none",
        |parts| {
            parts.pattern(|segments| {
                let place = |object| PlaceRun {
                    count: 1,
                    place: Place {
                        object: Some(object),
                        cpus: None,
                    },
                };
                *segments = vec![Segment {
                    procs: 4,
                    runs: (0..4).map(place).collect(),
                    ..Segment::default()
                }];
            });
        },
    ),
    (
        Promise::Cpus,
        "an overloaded list begins again before its pass ends",
        "a:4,b:4 -n 4 --map-by pe-list=0,1:ordered --bind-to core:overload-allowed:limit=1",
        |parts| parts.cpus(1, &[0]),
    ),
    (
        Promise::Cpus,
        "the whole of an overloaded list while some of it is free",
        "a:1 -n 1 --map-by pe-list=0 : -H a:3 -n 3 --map-by pe-list=0,1 --bind-to core:overload-allowed:limit=1",
        |parts| parts.cpus(0, &[0, 1]),
    ),
    (
        Promise::ObjectKind,
        "cores are called packages",
        CORES,
        |parts| {
            parts.placed[0].runs[0].kind = Some(ObjKind::Package);
        },
    ),
    (Promise::ObjectKind, "mapped to nothing", CORES, |parts| {
        parts.placed[0].runs[0].kind = None;
    }),
    (
        Promise::Object,
        "the second process is on the fourth core",
        "a:4 -n 4 --map-by core --bind-to none",
        |parts| {
            parts.place(1, |place| place.object = Some(3));
        },
    ),
    (
        Promise::Object,
        "an object that is not there",
        "a:4 -n 4 --map-by core --bind-to none",
        |parts| {
            parts.place(1, |place| place.object = Some(9));
        },
    ),
    (
        Promise::Object,
        "the pattern begins at the second package",
        "a:4 --map-by ppr:2:package",
        |parts| {
            parts.place(0, |place| place.object = Some(1));
        },
    ),
    (
        Promise::CpusAllowed,
        "a cpu that the node has not",
        CORES,
        |parts| parts.cpus(0, &[9]),
    ),
    (Promise::Cpus, "the next core's cpu", CORES, |parts| {
        parts.cpus(0, &[1])
    }),
    (Promise::Cpus, "a cpu too many", CORES, |parts| {
        parts.cpus(0, &[0, 1])
    }),
    (
        Promise::Cpus,
        "one cpu of two",
        "a:4 -n 2 --map-by package:pe=2",
        |parts| parts.cpus(0, &[0]),
    ),
    (
        Promise::Cpus,
        "half of a list",
        "a:4 -n 2 --map-by pe-list=0,1",
        |parts| parts.cpus(0, &[0]),
    ),
    (
        Promise::Bound,
        "a process is unbound",
        "a:4 -n 4 --map-by core --bind-to core",
        |parts| {
            parts.place(0, |place| place.cpus = None);
        },
    ),
    (Promise::Unbound, "a process is bound", UNBOUND, |parts| {
        parts.cpus(0, &[0])
    }),
    (
        Promise::DefaultTarget,
        "six processes are bound to cores",
        "a:4,b:4 -n 6 --map-by slot",
        |parts| {
            let policy = parts.placed[0].policy.unwrap();
            parts.table.policies[policy].bind = BindTo::Object(ObjKind::Core);
        },
    ),
    (
        Promise::Entry,
        "two entries have each other's node",
        FILE,
        |parts| {
            let RankOrder::Listed(listed) = &mut parts.placed[0].order else {
                panic!("a rankfile lists its ranks");
            };
            (listed[0].node, listed[1].node) = (listed[1].node, listed[0].node);
        },
    ),
    (
        Promise::Entry,
        "an entry has another's cpu",
        FILE,
        |parts| parts.cpus(0, &[5]),
    ),
    (
        Promise::NodeOrder,
        "the second app's nodes are turned round",
        TWO,
        |parts| {
            parts.placed[1].runs.reverse();
            parts.placed[1].order = RankOrder::Slot;
        },
    ),
    (
        Promise::RankOrder,
        "ranked by node instead of by slot",
        UNBOUND,
        |parts| {
            parts.placed[0].order = RankOrder::Node;
        },
    ),
    (
        Promise::RankOrder,
        "ranked node by node instead of object by object",
        "a:4,b:4 -n 6 --map-by package",
        |parts| parts.placed[0].order = RankOrder::Slot,
    ),
];

#[test]
fn the_judge_names_the_promise_that_was_broken() {
    let mut wrong = Vec::new();
    for (promise, what, words, damage) in DAMAGES {
        let good = plan(words);
        assert_eq!(check(&good), Ok(()), "{words}");
        let mut parts = Parts::of(&good);
        damage(&mut parts);
        let damaged =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&parts.plan())));
        match damaged {
            Ok(Err(faults)) if faults[0].promise == *promise => {}
            Ok(Err(faults)) => {
                wrong.push(format!("{what}: {promise:?} broken, {} said", faults[0]))
            }
            Ok(Ok(())) => wrong.push(format!("{what}: {promise:?} broken, nothing said")),
            Err(_) => wrong.push(format!("{what}: no such plan can be made")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let other = check_job(&plan("a:4,b:4 -n 5 --map-by core"), &plan(CORES)).unwrap_err();
    assert_eq!(other[0].promise, Promise::SameJob);
}
