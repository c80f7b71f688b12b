//! Detection of per-app directives, dispatch to components, promotions, and NOLOCAL on a shared head node.

use crate::job::{machine, mapped, placed_by, places, request, resolved};
use stowplan_engine::count::ProcCount;
use stowplan_engine::error::at::Text;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::map::{Components, Mapped, map_with};
use stowplan_engine::policy::MapBy;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::intake::Intake;
use stowplan_engine::spawn::request::Label;
use stowplan_engine::spawn::set::Status;
use stowplan_engine::spawn::{SpawnRequest, Spoken, keys};
use stowplan_engine::stage::component::{
    AppIndex, Component, Functions, INTERFACE, Registry, RegistryError,
};
use stowplan_engine::stage::resolve::{Context, prepare, resolve};
use stowplan_engine::text::mapping::MapForm;

const HOSTS: &str = "node0:4,node1:4,node2:4";

#[test]
fn single_dispatch() {
    let (mut request, _) = request(HOSTS, &[2, 2]);
    request.set_job_mapping("node").unwrap();
    let mapped = mapped(&request, AppIndex::All).unwrap();
    assert_eq!(placed_by(&mapped), [("round_robin", AppIndex::All)]);
}

#[test]
fn per_app_dispatch() {
    let (mut request, apps) = request(HOSTS, &[2, 2, 2]);
    request.set_app_mapping(apps[1], "ppr:1:node").unwrap();
    let mapped = mapped(&request, AppIndex::All).unwrap();
    let calls = [("round_robin", 0), ("ppr", 1), ("round_robin", 2)];
    assert_eq!(
        placed_by(&mapped),
        calls.map(|(name, app)| (name, AppIndex::Only(app)))
    );
    // A rank or a binding of its own is enough.
    for directive in ["rank", "bind"] {
        let (mut request, apps) = crate::job::request(HOSTS, &[2, 2]);
        match directive {
            "rank" => request.set_app_ranking(apps[1], "slot").unwrap(),
            _ => request.set_app_binding(apps[1], "core").unwrap(),
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
        .set_app_mapping(apps[1], "slot:oversubscribe")
        .unwrap_err();
    assert_eq!(
        (refused.status, refused.error.class()),
        (Status::BadParam, "app-forbidden-qualifier")
    );
    // The same from a front end: the map of the whole job fails.
    let mut intake = Intake::new();
    intake.push_app(Label::default());
    let text = Text::Value {
        app: Some(0),
        option: "PMIX_MAPBY".to_owned(),
        value: "slot:oversubscribe".to_owned(),
    };
    let row = intake.text(text);
    intake
        .map(Owner::App(0), MapForm::Whole, row, None)
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
        .set_app_mapping(apps[0], "slot:nolocal")
        .expect("it is sound");
    request
        .set_app_mapping(apps[1], "slot")
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

#[test]
fn a_launcher_registers_a_component_of_its_own() {
    let mut registry = Registry::standard();
    // One process on each node, then the next node: whatever the slots.
    let mine = Component {
        name: "thin".into(),
        priority: 99,
        version: INTERFACE,
        accepts: |policy| policy.map == MapBy::Node,
        functions: Functions::Own {
            count: |_, _, rooms| Some(rooms.iter().map(|room| room.avail.min(1)).collect()),
            pattern: |_| MapBy::Slot,
        },
    };
    registry.register(mine).unwrap();
    let (mut request, _) = request(HOSTS, &[2]);
    request.set_job_mapping("node").unwrap();
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
    let busy = Component {
        name: "busy".into(),
        priority: 200,
        version: INTERFACE,
        accepts: |_| true,
        functions: Functions::Own {
            count: |_, _, _| None,
            pattern: |_| MapBy::Slot,
        },
    };
    registry.register(busy).unwrap();
    let (request, _) = request(HOSTS, &[2]);
    let components = Components {
        registry,
        index: AppIndex::All,
    };
    assert!(map_with(resolved(&request).unwrap(), machine(), components).is_err());
}

#[test]
fn the_interface_before_app_idx_is_refused() {
    let old = Component {
        name: "old".into(),
        priority: 1,
        version: (4, 0, 0),
        accepts: |_| true,
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
