//! What PRRTE's people find: the loop of `map_job`, components with state that look and pass, attributes they read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use stowplan::component::{self, Answer, AppIndex, Component, Declined, Registry, Share};
use stowplan::prte::{Dispatch, MapJob, Owner, Request, Scope, Value, keys};
use stowplan::{App, Cluster, Error, Job, Machine, ObjKind, Plan, Planner, Rank, Topology};

fn machine() -> Machine {
    Machine::uniform(Topology::parse("package:2 core:4 pu:1").expect("a topology"))
}

fn nodes(plan: &Plan) -> Vec<u32> {
    plan.table().node().to_vec()
}

/// `prte_rmaps_base_map_job` of seed 000: per app, resolve its options, ask the components by priority, then number the ranks.
fn map_job(request: &Request, machine: &Machine, registry: &Registry) -> Result<Plan, Error> {
    let mut map = MapJob::new(&request.job()?, machine, registry)?;
    let components = registry.names().len();
    let apps: Vec<AppIndex> = match map.dispatch() {
        Dispatch::Single => vec![AppIndex::All],
        Dispatch::PerApp => map.apps().into_iter().map(AppIndex::Only).collect(),
    };
    for app in apps {
        if let AppIndex::Only(number) = app {
            let options = map.options(number).expect("an app has options");
            assert!(!options.map_word().is_empty() && options.pe() >= 1);
        }
        let mut did_map = false;
        for component in 0..components {
            match map.ask(app, component)? {
                Answer::Success => {
                    did_map = true;
                    break;
                }
                Answer::ResourceBusy => return Err(map.why().expect("a busy component says why")),
                Answer::TakeNextOption => {}
            }
        }
        assert!(did_map, "failed-map");
    }
    map.finish()
}

#[test]
fn the_loop_of_map_job_gives_the_plan_of_the_engine() {
    let mut request = Request::new();
    for program in ["./ocean", "./ice", "./io"] {
        request.push_app(program, Some(4)).unwrap();
    }
    let hosts = Value::from("a:4,b:4,c:4");
    request
        .set_attribute(Owner::App(0), keys::APP_DASH_HOST, hosts, Scope::Global)
        .unwrap();
    let registry = Registry::standard();
    let whole = |request: &Request| Plan::new(&request.job().unwrap(), &machine()).unwrap();
    let single = map_job(&request, &machine(), &registry).unwrap();
    assert_eq!(single, whole(&request));
    request.set_app_mapping_policy(1, "node").unwrap();
    request.set_app_ranking_policy(1, "slot").unwrap();
    request.set_app_binding_policy(2, "package").unwrap();
    let per_app = map_job(&request, &machine(), &registry).unwrap();
    assert_eq!(per_app, whole(&request));
    assert_ne!(nodes(&single), nodes(&per_app));
    assert!(per_app.check().is_ok());
}

/// Takes an app only where two neighbouring nodes have room, counts how often it was asked, and reads key 40.
fn pairs(asked: &Arc<AtomicU32>) -> Component {
    let asked = Arc::clone(asked);
    Component::new("pairs", 99).count(move |app, rooms| {
        asked.fetch_add(1, Ordering::Relaxed);
        let procs = app.procs().unwrap_or(2);
        let per = match app.attribute(40).map(|own| own.value()) {
            Some(Value::Uint32(per)) => per,
            Some(_) | None => procs / 2,
        };
        let Some(first) = rooms
            .iter()
            .find(|room| room.nodes() > 1 && room.avail() >= per)
        else {
            return Err(Declined::TakeNextOption);
        };
        let mut shares = Vec::new();
        for room in rooms {
            let taken = if room.first() == first.first() { 2 } else { 0 };
            shares.push(Share {
                nodes: taken,
                procs: per,
            });
            shares.push(Share {
                nodes: room.nodes() - taken,
                procs: 0,
            });
        }
        Ok(shares)
    })
}

#[test]
fn a_component_looks_at_the_nodes_and_then_passes() {
    let asked = Arc::new(AtomicU32::new(0));
    let mut registry = Registry::standard();
    registry.register(pairs(&asked)).unwrap();
    let job = |hosts: &str| {
        let app = App::new("./x").procs(4).hosts(hosts);
        Job::builder().app(app).build().unwrap()
    };
    let pair = component::place(&job("n[0-1]:2,n2:4"), &machine(), &registry).unwrap();
    assert_eq!(nodes(&pair), [0, 0, 1, 1]);
    assert_eq!(pair.calls_of_job(), ["pairs"]);
    // No two neighbours are alike: it passes, and the engine's own component takes the app.
    let passed = component::place(&job("a:1,b:4"), &machine(), &registry).unwrap();
    assert_eq!(nodes(&passed), [0, 1, 1, 1]);
    let calls: Vec<_> = component::calls(&passed)
        .iter()
        .map(|call| (&*call.component, call.answer))
        .collect();
    assert!(calls.contains(&("pairs", Answer::TakeNextOption)));
    assert_eq!(calls.last(), Some(&("round_robin", Answer::Success)));
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    // The same in a cluster and in a planner, and the state goes on.
    let mut cluster = Cluster::new(machine());
    let placed = cluster
        .place_with(&job("n[0-1]:2,n2:4"), &registry)
        .unwrap();
    assert_eq!(nodes(&placed), [0, 0, 1, 1]);
    let mut planner = Planner::with(&job("n[0-1]:2,n2:4"), &machine(), &registry).unwrap();
    assert_eq!(nodes(&planner.plan().unwrap()), [0, 0, 1, 1]);
    planner.lose("n0").unwrap();
    assert_eq!(
        nodes(&planner.plan().unwrap()),
        [0, 0, 1, 1],
        "n1 and n2: it passes"
    );
    assert_eq!(asked.load(Ordering::Relaxed), 5);
}

#[test]
fn a_component_reads_the_attributes_that_nobody_knows() {
    let asked = Arc::new(AtomicU32::new(0));
    let mut registry = Registry::standard();
    registry.register(pairs(&asked)).unwrap();
    let mut request = Request::new();
    request.push_app("./x", Some(2)).unwrap();
    let app = Owner::App(0);
    request
        .set_attribute(
            app,
            keys::APP_DASH_HOST,
            Value::from("n[0-1]:4"),
            Scope::Global,
        )
        .unwrap();
    request
        .set_attribute(app, 40, Value::from(1_u32), Scope::Global)
        .unwrap();
    // Relayed on the way.
    let request = Request::from_bytes(&request.to_bytes().unwrap()).unwrap();
    let plan = component::place(&request.job().unwrap(), &machine(), &registry).unwrap();
    assert_eq!(
        asked.load(Ordering::Relaxed),
        1,
        "{:?}",
        component::calls(&plan)
    );
    assert_eq!(nodes(&plan), [0, 1]);
    assert_eq!(map_job(&request, &machine(), &registry).unwrap(), plan);
}

#[test]
fn what_the_relay_would_refuse_is_not_set() {
    let mut request = Request::new();
    request.push_app("./x", Some(2)).unwrap();
    let app = Owner::App(0);
    let texts = [
        (keys::APP_GPUS, "croe"),
        (keys::APP_DASH_HOST, "n["),
        (keys::APP_PPR, "x"),
        (keys::APP_CPUSET, "0-"),
        (keys::APP_MPIBIND, "x"),
    ];
    for (key, text) in texts {
        let set = request.set_attribute(app, key, Value::from(text), Scope::Global);
        assert_eq!(set.unwrap_err().class(), "bad-attribute", "{key} {text}");
        assert_eq!(request.attribute(app, key), None);
    }
    Request::from_bytes(&request.to_bytes().unwrap()).unwrap();
}

#[test]
fn wrong_answers_are_named() {
    let told = |component: Component| {
        let mut registry = Registry::standard();
        registry.register(component).unwrap();
        let app = App::new("./x").procs(3).hosts("a:4,b:4");
        let job = Job::builder().app(app).build().unwrap();
        let error = component::place(&job, &machine(), &registry).unwrap_err();
        assert_eq!((error.class(), error.app()), ("failed-map", Some(0)));
        error.message().to_owned()
    };
    let shares = |shares: &'static [(u32, u32)]| {
        Component::new("mine", 99).count(move |_, _| {
            Ok(shares
                .iter()
                .map(|&(nodes, procs)| Share { nodes, procs })
                .collect())
        })
    };
    assert!(told(shares(&[(1, 3)])).contains("its shares cover 1 node, the app has 2 nodes"));
    assert!(told(shares(&[(2, 1)])).contains("its shares hold 2 processes, the app has 3"));
    let objects = |chosen: &'static [u32]| {
        shares(&[(1, 3), (1, 0)]).objects(ObjKind::Core, move |_, _, _| Ok(chosen.to_vec()))
    };
    assert!(told(objects(&[0, 1])).contains("names 2 objects for 3 processes on a"));
    assert!(told(objects(&[0, 1, 9])).contains("core:9 on a, which has 8 core"));
    let busy = Component::new("mine", 99).count(|_, _| Err(Declined::from("the switch is down")));
    assert!(told(busy).contains("the switch is down"));
}

#[test]
fn a_plan_whose_objects_a_component_chose_is_sound() {
    let kinds = [ObjKind::Core, ObjKind::Package];
    let maps = ["slot", "node", "core", "package", "ppr:2:node"];
    let binds = ["", "--bind-to core", "--bind-to none"];
    for (kind, map) in kinds
        .into_iter()
        .flat_map(|kind| maps.map(|map| (kind, map)))
    {
        let last_first = Component::new("last-first", 99)
            .count(|_, rooms| {
                let of = |room: &component::Room<'_>| Share {
                    nodes: room.nodes(),
                    procs: 2,
                };
                Ok(rooms.iter().map(of).collect())
            })
            .objects(kind, move |_, node, procs| {
                Ok((0..node.objects(kind))
                    .rev()
                    .cycle()
                    .take(procs as usize)
                    .collect())
            });
        let mut registry = Registry::standard();
        registry.register(last_first).expect("it is new");
        for bind in binds {
            let words = format!("-n 4 -H a:4,b:4 --map-by {map} {bind} ./x");
            let job =
                Job::from_command_line(words.split_whitespace()).expect("its words are right");
            let plan = component::place(&job, &machine(), &registry).expect("there is room");
            let first = plan
                .proc(Rank(0))
                .and_then(|proc| proc.object())
                .expect("an object");
            assert_eq!(
                first.index(),
                if kind == ObjKind::Core { 7 } else { 1 },
                "{words}"
            );
            assert_eq!(plan.check(), Ok(()), "{kind:?} {words}");
            let saved = Plan::from_bytes(&plan.to_bytes()).expect("it was saved");
            assert_eq!(saved.check(), Ok(()), "{kind:?} {words}, saved");
        }
    }
}

#[test]
fn a_component_has_a_word_of_its_own() {
    let mut registry = Registry::standard();
    let spread = Component::new("spread", 5)
        .word("spread")
        .count(|app, rooms| {
            let procs = app.procs().unwrap_or(1);
            let nodes: u32 = rooms.iter().map(|room| room.nodes()).sum();
            let shares = (0..nodes).map(|at| Share {
                nodes: 1,
                procs: procs / nodes + u32::from(at < procs % nodes),
            });
            Ok(shares.collect())
        });
    registry.register(spread).unwrap();
    let words = "-n 3 -H a:4,b:4 --map-by Spread ./x : -n 1 --map-by slot ./y";
    let job = registry.job(words.split(' ')).unwrap();
    let plan = component::place(&job, &machine(), &registry).unwrap();
    assert_eq!(nodes(&plan), [0, 0, 1, 0]);
    assert_eq!(plan.calls_of(0), ["spread"]);
    // It travels, and is refused where the component is not there.
    let there = Job::from_bytes(&job.to_bytes()).unwrap();
    assert_eq!(
        component::place(&there, &machine(), &registry).unwrap(),
        plan
    );
    let without = Plan::new(&there, &machine()).unwrap_err();
    assert_eq!(without.class(), "failed-map");
    assert!(
        without.message().contains("spread"),
        "{}",
        without.message()
    );
}

/// The names of the components that took an app.
trait CallsOf {
    fn calls_of_job(&self) -> Vec<String>;
    fn calls_of(&self, app: u32) -> Vec<String>;
}

impl CallsOf for Plan {
    fn calls_of_job(&self) -> Vec<String> {
        let took = component::calls(self).iter();
        let took = took.filter(|call| call.answer == Answer::Success && call.app == AppIndex::All);
        took.map(|call| call.component.to_string()).collect()
    }
    fn calls_of(&self, app: u32) -> Vec<String> {
        let took = component::calls(self)
            .iter()
            .filter(|call| call.answer == Answer::Success && call.app == AppIndex::Only(app));
        took.map(|call| call.component.to_string()).collect()
    }
}
