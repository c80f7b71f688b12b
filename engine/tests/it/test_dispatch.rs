//! How per-app directives are detected, dispatch to components, promotions, and NOLOCAL on a shared head node.

use crate::job::{machine, mapped, placed_by, places, request, resolved};
use std::sync::Arc;
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::error::at::AtText;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::{Components, Mapped, map_with};
use stowplan_engine::plan::ProcPlace;
use stowplan_engine::policy::{MapBy, ObjKind};
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::intake::{DirectiveForm, Intake};
use stowplan_engine::spawn::request::{Label, owner};
use stowplan_engine::spawn::set::SetStatus;
use stowplan_engine::spawn::{SpawnRequest, Spoken, keys};
use stowplan_engine::stage::component::{
    AppIndex, Asked, Component, ComponentPattern, Count, Declined, Functions, INTERFACE, Node,
    Objects, Registry, RegistryError, Room, Share,
};
use stowplan_engine::stage::resolve::{Context, prepare, resolve};
use stowplan_engine::table::apps::Policy;
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::text::mapping::MapForm;

const HOSTS: &str = "node0:4,node1:4,node2:4";

#[test]
fn single_dispatch() {
    let (mut request, _) = request(HOSTS, &[2, 2]);
    request.set_mapping(Owner::Job, "node").unwrap();
    let mapped = mapped(&request, AppIndex::All).unwrap();
    assert_eq!(placed_by(&mapped), [("round_robin", AppIndex::All)]);
}

#[test]
fn per_app_dispatch() {
    let (mut request, apps) = request(HOSTS, &[2, 2, 2]);
    request.set_mapping(owner(apps[1]), "ppr:1:node").unwrap();
    let mapped = mapped(&request, AppIndex::All).unwrap();
    let calls = [("round_robin", 0), ("ppr", 1), ("round_robin", 2)];
    assert_eq!(
        placed_by(&mapped),
        calls.map(|(name, app)| (name, AppIndex::Only(app)))
    );
    // An own ranking or an own binding is enough.
    for directive in ["rank", "bind"] {
        let (mut request, apps) = crate::job::request(HOSTS, &[2, 2]);
        match directive {
            "rank" => request.set_ranking(owner(apps[1]), "slot").unwrap(),
            _ => request.set_binding(owner(apps[1]), "core").unwrap(),
        }
        assert_eq!(
            placed_by(&crate::job::mapped(&request, AppIndex::All).unwrap()).len(),
            2
        );
    }
}

#[test]
fn oversubscribe_per_app_fails() {
    let (mut request, apps) = request(HOSTS, &[2, 2]);
    let refused = request
        .set_mapping(owner(apps[1]), "slot:oversubscribe")
        .unwrap_err();
    assert_eq!(
        (refused.status, refused.error.class()),
        (SetStatus::BadParam, "app-forbidden-qualifier")
    );
    // The same request through a front end: mapping the whole job fails.
    let mut intake = Intake::new();
    intake.push_app(Label::default());
    let text = AtText::Value {
        app: Some(0),
        option: "PMIX_MAPBY".to_owned(),
        value: "slot:oversubscribe".to_owned(),
    };
    let row = intake.text(text);
    intake
        .directive(
            Owner::App(0),
            DirectiveForm::Map(MapForm::Whole),
            row,
            Scope::Global,
        )
        .unwrap();
    let relayed = intake.finish().unwrap().relay().unwrap();
    let files = crate::job::files();
    let context = Context {
        parent: None,
        spoken: &relayed.spoken,
        affinity: None,
        files: &files,
    };
    assert_eq!(
        resolve(relayed.request, context).unwrap_err().class(),
        "app-forbidden-qualifier"
    );
}

#[test]
fn conflicting_inherit_fails() {
    let (mut request, _) = request(HOSTS, &[2, 2]);
    for (app, key) in [(0, keys::JOB_INHERIT), (1, keys::JOB_NOINHERIT)] {
        request
            .set_attribute(Owner::App(app), key, Value::Bool(true), Scope::Global)
            .unwrap();
    }
    assert_eq!(
        resolved(&request).unwrap_err().class(),
        "conflicting-inheritance"
    );
}

#[test]
fn display_is_promoted() {
    let (mut request, _) = request(HOSTS, &[2, 2]);
    request
        .set_attribute(
            Owner::App(1),
            keys::JOB_DISPLAY_MAP,
            Value::Bool(true),
            Scope::Global,
        )
        .unwrap();
    let prepared = prepare(request, None, &Spoken::default()).unwrap();
    assert!(
        prepared
            .request
            .attributes()
            .is_set(Owner::Job, keys::JOB_DISPLAY_MAP)
    );
}

/// App 0 keeps off the head node, app 1 does not; slots 3, 2, 2.
fn shared_head() -> Mapped {
    let (mut request, apps) = request("node0:3,node1:2,node2:2", &[4, 2]);
    request
        .set_mapping(owner(apps[0]), "slot:nolocal")
        .expect("it is sound");
    request
        .set_mapping(owner(apps[1]), "slot")
        .expect("it is sound");
    mapped(&request, AppIndex::All).expect("it is sound")
}

fn nodes_of(mapped: &Mapped, app: usize) -> Vec<String> {
    places(mapped)
        .into_iter()
        .filter(|(owner, _)| *owner == app)
        .map(|(_, node)| node)
        .collect()
}

#[test]
fn nolocal_shared_head_node() {
    let mapped = shared_head();
    assert_eq!(nodes_of(&mapped, 0), ["node1", "node1", "node2", "node2"]);
    assert_eq!(nodes_of(&mapped, 1), ["node0", "node0"]);
}

#[test]
fn nolocal_keeps_app0_off_head() {
    let nodes = nodes_of(&shared_head(), 0);
    assert_eq!(nodes.len(), 4);
    assert!(nodes.iter().all(|node| node == "node1" || node == "node2"));
}

#[test]
fn nolocal_leaves_head_for_app1() {
    assert!(nodes_of(&shared_head(), 1).contains(&"node0".to_owned()));
}

#[test]
fn nolocal_map_is_union() {
    let mut nodes: Vec<String> = places(&shared_head())
        .into_iter()
        .map(|(_, node)| node)
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes, ["node0", "node1", "node2"]);
}

#[test]
fn nolocal_head_slots_exact() {
    let mapped = shared_head();
    let world = mapped.plan.world();
    let head = world.local.expect("node0 is the head");
    let state = world.states.get(world.after.state(head));
    assert_eq!(
        (state.slots, state.used),
        (3, 2),
        "only app 1's two processes count"
    );
}

/// One process on each node, until the processes run out.
fn thin(asked: &Asked<'_>, rooms: &[Room<'_>]) -> Result<Vec<Share>, Declined> {
    let mut left = asked.procs.map_or(u32::MAX, |procs| procs.0);
    let mut shares = Vec::new();
    for room in rooms {
        let taken = room.nodes.min(left);
        left -= taken;
        shares.push(Share {
            nodes: taken,
            procs: 1,
        });
        shares.push(Share {
            nodes: room.nodes - taken,
            procs: 0,
        });
    }
    Ok(shares)
}

/// Everything on nodes with even numbers, the last of them filled first. No map of ours leaves nodes out.
fn on_even_nodes(asked: &Asked<'_>, rooms: &[Room<'_>]) -> Result<Vec<Share>, Declined> {
    let mut left = asked.procs.map_or(0, |procs| procs.0);
    let mut shares = Vec::new();
    for room in rooms.iter().rev() {
        for at in (0..room.nodes).rev() {
            let even = room.name(at).ends_with(['0', '2', '4', '6', '8']);
            let procs = if even { left.min(room.avail) } else { 0 };
            left -= procs;
            shares.push(Share { nodes: 1, procs });
        }
    }
    shares.reverse();
    if left > 0 {
        return Err(format!("{left} processes find no even node").into());
    }
    Ok(shares)
}

/// From the last free core down, alternating between the two packages.
fn down_both_packages(_: &Asked<'_>, node: &Node<'_>, procs: u32) -> Result<Vec<u32>, Declined> {
    let half = node.objects(ObjKind::Core) / 2;
    let down = (0..half).rev().flat_map(|core| [half + core, core]);
    let free = down.filter(|&core| node.free_inside(ObjKind::Core, core) > 0);
    Ok(free.take(procs as usize).collect())
}

#[test]
fn a_component_chooses_nodes_and_cores_as_none_of_ours() {
    let mut registry = Registry::standard();
    let by_node = |policy: &Policy| policy.map == MapBy::Node;
    let mine = Component::new("even", 99, by_node, on_even_nodes, |_| MapBy::Node)
        .with_objects(ObjKind::Core, down_both_packages);
    registry.register(mine).unwrap();
    let (mut request, apps) = request(HOSTS, &[1, 6, 1]);
    request.set_mapping(owner(apps[0]), "pe-list=7").unwrap();
    request.set_binding(owner(apps[0]), "core").unwrap();
    request.set_mapping(Owner::Job, "node").unwrap();
    request.set_binding(Owner::Job, "core").unwrap();
    let components = |registry| Components {
        registry,
        index: AppIndex::All,
    };
    let resolved = || resolved(&request).unwrap();
    let mapped = map_with(resolved(), machine(), components(registry.clone())).unwrap();
    let calls = [("round_robin", 0), ("even", 1), ("even", 2)];
    assert_eq!(
        placed_by(&mapped),
        calls.map(|(name, app)| (name, AppIndex::Only(app)))
    );
    assert_eq!(nodes_of(&mapped, 0), ["node0"]);
    let world = mapped.plan.world();
    let cores = |app: usize, node: &str| -> Vec<(u32, String)> {
        let ranks = (0..mapped.plan.ranks()).map(Rank);
        let at = ranks.filter_map(|rank| mapped.plan.place(rank));
        let mut here: Vec<_> = at
            .filter(|at| at.app.row() == app && world.names.name(at.node) == node)
            .collect();
        here.sort_by_key(|at| at.local_rank);
        let core = |at: &ProcPlace| {
            let cpus = at.cpus.map(|cpus| list_form(world.cpusets.get(cpus)));
            (at.object.unwrap().1, cpus.unwrap())
        };
        here.iter().map(core).collect()
    };
    let own = |cores: &[u32]| -> Vec<(u32, String)> {
        cores.iter().map(|&core| (core, core.to_string())).collect()
    };
    // App 0 has core 7 of node0; node2 is filled first, and node1 is left out.
    assert_eq!(cores(1, "node2"), own(&[7, 3, 6, 2]));
    assert_eq!(cores(1, "node0"), own(&[3, 6]));
    assert_eq!(cores(2, "node0"), own(&[2]));
    assert_eq!(cores(1, "node1"), own(&[]));
}

#[test]
fn what_a_component_chooses_is_judged() {
    let (mut request, _) = request(HOSTS, &[5]);
    request.set_mapping(Owner::Job, "node").unwrap();
    request.set_binding(Owner::Job, "core").unwrap();
    let refusal = |count: Count, objects: Objects| {
        let mut registry = Registry::standard();
        let wrong = Component {
            name: "wrong".into(),
            priority: 99,
            version: INTERFACE,
            word: None,
            accepts: Arc::new(|_| true),
            functions: Functions::Own {
                count,
                pattern: ComponentPattern::Own {
                    kind: ObjKind::Core,
                    objects,
                },
            },
        };
        registry.register(wrong).unwrap();
        let components = Components {
            registry,
            index: AppIndex::All,
        };
        let refused = map_with(resolved(&request).unwrap(), machine(), components);
        refused.unwrap_err().class().to_owned()
    };
    let right = || -> Objects { Arc::new(|_, _, procs| Ok((0..procs).collect())) };
    // Too few processes; more than the slots; other nodes; cores that do not exist; one core twice.
    assert_eq!(
        refusal(Arc::new(|_, _| Ok(Vec::new())), right()),
        "failed-map"
    );
    assert_eq!(
        refusal(
            Arc::new(|_, _| Ok(vec![Share { nodes: 3, procs: 1 }])),
            right()
        ),
        "failed-map"
    );
    let too_many: Count = Arc::new(|_, _| {
        Ok(vec![
            Share { nodes: 1, procs: 5 },
            Share { nodes: 2, procs: 0 },
        ])
    });
    assert_eq!(refusal(too_many, right()), "not-enough-slots");
    let fits: Count = Arc::new(|_, _| {
        Ok(vec![
            Share { nodes: 1, procs: 3 },
            Share { nodes: 2, procs: 1 },
        ])
    });
    assert_eq!(
        refusal(
            Arc::clone(&fits),
            Arc::new(|_, _, procs| Ok((20..20 + procs).collect()))
        ),
        "failed-map"
    );
    assert_eq!(
        refusal(fits, Arc::new(|_, _, procs| Ok(vec![0; procs as usize]))),
        "not-enough-cpus"
    );
}

#[test]
fn a_launcher_registers_a_component_of_its_own() {
    let mut registry = Registry::standard();
    // One process on each node in turn, whatever the slots are.
    let by_node = |policy: &Policy| policy.map == MapBy::Node;
    let mine = Component::new("thin", 99, by_node, thin, |_| MapBy::Slot);
    registry.register(mine).unwrap();
    let (mut request, _) = request(HOSTS, &[2]);
    request.set_mapping(Owner::Job, "node").unwrap();
    let components = Components {
        registry,
        index: AppIndex::All,
    };
    let mapped = map_with(resolved(&request).unwrap(), machine(), components).unwrap();
    assert_eq!(placed_by(&mapped), [("thin", AppIndex::All)]);
    assert_eq!(nodes_of(&mapped, 0), ["node0", "node1"]);
}

#[test]
fn nobody_who_takes_an_app_is_failed_map() {
    let (request, _) = request(HOSTS, &[2]);
    let components = Components {
        registry: Registry::empty(),
        index: AppIndex::All,
    };
    let refused = map_with(resolved(&request).unwrap(), machine(), components).unwrap_err();
    assert_eq!(refused.class(), "failed-map");
}

#[test]
fn a_busy_component_ends_the_map() {
    let mut registry = Registry::standard();
    let down = |_: &Asked<'_>, _: &[Room<'_>]| Err(Declined::from("the switch is down"));
    let busy = Component::new("busy", 200, |_| true, down, |_| MapBy::Slot);
    registry.register(busy).unwrap();
    let (request, _) = request(HOSTS, &[2]);
    let components = Components {
        registry,
        index: AppIndex::All,
    };
    let refused = map_with(resolved(&request).unwrap(), machine(), components).unwrap_err();
    assert_eq!(refused.class(), "failed-map");
    let told = refused.to_string();
    assert!(
        told.contains("busy") && told.contains("the switch is down"),
        "{told}"
    );
}

/// What a component can read of its rooms.
fn read_rooms(_: &Asked<'_>, rooms: &[Room<'_>]) -> Result<Vec<Share>, Declined> {
    let told = rooms.iter().map(|room| {
        let (first, last) = (room.name(0), room.name(room.nodes - 1));
        let free = room.node.free_pus();
        format!("{first} to {last}, from {}: {free} free", room.first)
    });
    Err(told.collect::<Vec<_>>().join("; ").into())
}

#[test]
fn rooms_tell_their_nodes_and_what_is_free_there() {
    let mut registry = Registry::standard();
    let by_node = |policy: &Policy| policy.map == MapBy::Node;
    let reader = Component::new("reader", 99, by_node, read_rooms, |_| MapBy::Slot);
    registry.register(reader).unwrap();
    let (mut request, apps) = request(HOSTS, &[1, 2]);
    request.set_mapping(owner(apps[0]), "core").unwrap();
    request.set_mapping(owner(apps[1]), "node").unwrap();
    let components = Components {
        registry,
        index: AppIndex::All,
    };
    let refused = map_with(resolved(&request).unwrap(), machine(), components).unwrap_err();
    let told = refused.to_string();
    assert!(
        told.contains("node0 to node0, from 0: 7 free; node1 to node2, from 1: 8 free"),
        "{told}"
    );
}

#[test]
fn the_interface_before_app_idx_is_refused() {
    let old = Component {
        name: "old".into(),
        priority: 1,
        version: (4, 0, 0),
        word: None,
        accepts: Arc::new(|_| true),
        functions: Functions::Engine,
    };
    let refused = Registry::standard().register(old).unwrap_err();
    assert!(
        matches!(refused, RegistryError::Version(error) if error.class() == "component-version")
    );
}

#[test]
fn ranks_run_on_from_app_to_app() {
    let mut request = SpawnRequest::new();
    for procs in [3, 2, 4] {
        request.push_app(Some(ProcCount(procs)), "true");
    }
    let hosts = Value::String(HOSTS.to_owned());
    request
        .set_attribute(Owner::App(0), keys::APP_DASH_HOST, hosts, Scope::Global)
        .unwrap();
    let mapped = mapped(&request, AppIndex::All).unwrap();
    assert_eq!(mapped.plan.bases(), [0, 3, 5, 9]);
    assert_eq!(mapped.plan.world().names.len(), 3);
}
