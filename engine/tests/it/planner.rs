//! What a planner keeps when a plan is refused.

use std::sync::Arc;
use stowplan_engine::count::ProcCount;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::Machine;
use stowplan_engine::planner::Planner;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::{SpawnRequest, Spoken, keys};
use stowplan_engine::stage::resolve::{Context, Files, resolve};
use stowplan_engine::table::gpus::{Gpu, GpuFamily};
use stowplan_engine::table::topologies::{DraftObject, TopologyDraft};
use stowplan_engine::text::hostlist::plain;

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("{path} is not there"))
    }
}

/// One core.
fn draft(gpus: Vec<Gpu>) -> TopologyDraft {
    TopologyDraft {
        pus_os: vec![0],
        objects: [ObjKind::Machine, ObjKind::Core]
            .map(|kind| DraftObject {
                kind,
                os: Some(0),
                pus: std::iter::once(0..1).collect(),
            })
            .into(),
        gpus,
        ..TopologyDraft::default()
    }
}

/// Two processes with two GPUs each; `c` has only one.
fn planner() -> Planner {
    let mut request = SpawnRequest::new();
    let app = request.push_app(Some(ProcCount(2)), "");
    let owner = Owner::App(u32::try_from(app.row()).unwrap());
    let hosts = Value::String("a:1,b:1,c:1,d:1".to_owned());
    for (key, value) in [
        (keys::APP_DASH_HOST, hosts),
        (keys::APP_GPUS, Value::String("2".to_owned())),
    ] {
        request
            .set_attribute(owner, key, value, Scope::Global)
            .unwrap();
    }
    let context = Context {
        parent: None,
        spoken: &Spoken::default(),
        affinity: None,
        files: &NoFiles,
    };
    let resolved = resolve(request, context).unwrap();
    let gpu = |visible| Gpu {
        visible,
        name: String::new(),
        family: GpuFamily::Cuda,
        pus: std::iter::once(0..1).collect(),
    };
    let mut machine = Machine::uniform(draft(vec![gpu(0), gpu(1)])).unwrap();
    let (topologies, cpusets) = (&mut machine.topologies, &mut machine.cpusets);
    let own = Arc::make_mut(topologies).add(draft(vec![gpu(0)]), Arc::make_mut(cpusets));
    machine.assigned.push((vec![plain("c")], own.unwrap()));
    Planner::new(resolved, machine).unwrap()
}

#[test]
fn gpus_that_refuse_a_plan_leave_what_was_derived() {
    let mut planner = planner();
    let nothing = format!("{:?}", planner.derived());
    planner.plan().unwrap();
    let derived = format!("{:?}", planner.derived());
    assert_ne!(derived, nothing, "a plan derives something");
    planner.lose("a").unwrap();
    let refused = planner.plan().unwrap_err();
    assert_eq!(refused.class(), "not-enough-gpus");
    assert_eq!(format!("{:?}", planner.derived()), derived);
    planner.lose("c").unwrap();
    assert_eq!(planner.plan().unwrap().plan.ranks(), 2);
}
