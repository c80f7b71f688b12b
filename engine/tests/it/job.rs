//! Jobs and machines for the tests of per-app policies: three nodes of two packages with four cores each.

use std::collections::HashMap;
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::error::MapError;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::{Components, Machine, Mapped, map_with};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::{SpawnRequest, Spoken, keys};
use stowplan_engine::stage::component::{Answer, AppIndex, Registry};
use stowplan_engine::stage::resolve::{Context, Files, Resolved, resolve};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::topologies::{DraftObject, TopologyDraft};

/// Files by name.
pub(crate) struct Given(HashMap<&'static str, &'static str>);

impl Files for Given {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = self.0.get(path).ok_or("No such file or directory")?;
        Ok(text.as_bytes().to_vec())
    }
}

/// A sequence file and a rankfile.
pub(crate) fn files() -> Given {
    Given(HashMap::from([
        ("seq", "node0\nnode1\nnode2\nnode0\n"),
        (
            "ranks",
            "rank 0=node0 slot=0\nrank 1=node1 slot=1\nrank 2=node2 slot=2\nrank 3=node0 slot=3\n",
        ),
    ]))
}

/// Every node has two packages of four cores with one PU each; the launcher runs on node0.
pub(crate) fn machine() -> Machine {
    machine_of(
        8,
        &[
            (ObjKind::Package, 2),
            (ObjKind::Numa, 2),
            (ObjKind::Core, 8),
        ],
    )
}

/// Nodes with this many PUs and this many objects of each kind, spread evenly over the PUs; the launcher runs on node0.
pub(crate) fn machine_of(pus: u32, kinds: &[(ObjKind, u32)]) -> Machine {
    let objects = |&(kind, many): &(ObjKind, u32)| {
        let wide = pus / many;
        (0..many).map(move |at| DraftObject {
            kind,
            os: Some(at * wide),
            pus: std::iter::once(at * wide..(at + 1) * wide).collect(),
        })
    };
    let kinds = std::iter::once(&(ObjKind::Machine, 1)).chain(kinds);
    let draft = TopologyDraft {
        pus_os: (0..pus).collect(),
        objects: kinds.flat_map(objects).collect(),
        ..TopologyDraft::default()
    };
    Machine {
        local: Some("node0".to_owned()),
        ..Machine::uniform(draft).expect("the draft is sound")
    }
}

/// A request with these hosts on its first app.
pub(crate) fn request(hosts: &str, procs: &[u32]) -> (SpawnRequest, Vec<AppId>) {
    let mut request = SpawnRequest::new();
    let apps = procs
        .iter()
        .map(|&procs| request.push_app(Some(ProcCount(procs)), "true"))
        .collect();
    let hosts = Value::String(hosts.to_owned());
    let set = request.set_attribute(Owner::App(0), keys::APP_DASH_HOST, hosts, Scope::Global);
    set.expect("hosts stand on apps");
    (request, apps)
}

/// The request after the relay, resolved.
pub(crate) fn resolved(request: &SpawnRequest) -> Result<Resolved, MapError> {
    let relayed = SpawnRequest::unpack(&request.pack().expect("it is small"))?;
    let context = Context {
        parent: None,
        spoken: &Spoken::default(),
        affinity: None,
        files: &files(),
    };
    resolve(relayed, context)
}

/// The request mapped by the engine's components.
pub(crate) fn mapped(request: &SpawnRequest, index: AppIndex) -> Result<Mapped, MapError> {
    map_with(
        resolved(request)?,
        machine(),
        Components {
            registry: Registry::standard(),
            index,
        },
    )
}

/// (app, node) of each rank.
pub(crate) fn places(mapped: &Mapped) -> Vec<(usize, String)> {
    let plan = &mapped.plan;
    let place = |rank| {
        let place = plan.place(Rank(rank)).expect("ranks are contiguous");
        (place.app.row(), plan.world().names.name(place.node))
    };
    (0..plan.ranks()).map(place).collect()
}

/// Processes of each app.
pub(crate) fn procs(mapped: &Mapped) -> Vec<u32> {
    mapped
        .plan
        .bases()
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .collect()
}

/// The component that placed each part, and what it was called for.
pub(crate) fn placed_by(mapped: &Mapped) -> Vec<(&str, AppIndex)> {
    let done = mapped
        .calls
        .iter()
        .filter(|call| call.answer == Answer::Success);
    done.map(|call| (&*call.component, call.app)).collect()
}

/// A job of two apps with a hole between them, all with one mapping, for the tests of `app_idx`.
pub(crate) fn with_hole(mapping: &str) -> SpawnRequest {
    let mut request = SpawnRequest::new();
    for procs in [Some(2), None, Some(2)] {
        match procs {
            Some(procs) => _ = request.push_app(Some(ProcCount(procs)), "true"),
            None => _ = request.push_hole(),
        }
    }
    let hosts = Value::String("node0:4,node1:4,node2:4".to_owned());
    request
        .set_attribute(Owner::App(0), keys::APP_DASH_HOST, hosts, Scope::Global)
        .expect("hosts stand on apps");
    request
        .set_mapping(Owner::Job, mapping)
        .expect("the mapping is sound");
    request
}
