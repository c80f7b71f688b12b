//! How the options of one app are resolved from the job's attributes and its own.

use stowplan_engine::count::ProcCount;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::policy::{BindTo, CpuMode, MapBy, NoLocal, ObjKind, PprObject, RankBy};
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::inherit::Inherited;
use stowplan_engine::spawn::request::owner;
use stowplan_engine::spawn::{SpawnRequest, keys};
use stowplan_engine::stage::resolve::options::{JobPe, Lsf, Options, app_options, job_options};
use stowplan_engine::table::apps::{AppId, Policy};

use crate::job::resolved;

const APP: Owner = Owner::App(0);

fn job(mapping: &str) -> (SpawnRequest, AppId) {
    let mut request = SpawnRequest::new();
    let app = request.push_app(Some(ProcCount(2)), "true");
    request
        .set_mapping(Owner::Job, mapping)
        .expect("the mapping is sound");
    (request, app)
}

fn options(request: &SpawnRequest) -> (Options, Options) {
    let job = job_options(request, Inherited::default(), Lsf::Absent);
    let app = app_options(request, APP, &job, Lsf::Absent, JobPe::Offered);
    (job, app)
}

fn row(request: &SpawnRequest, app: AppId) -> Policy {
    let resolved = resolved(request).expect("it resolves");
    *resolved.apps.policy(app).expect("it is no hole")
}

fn set(request: &mut SpawnRequest, key: u16, value: Value) {
    request
        .set_attribute(APP, key, value, Scope::Global)
        .expect("the key belongs there");
}

#[test]
fn no_attributes_is_identity() {
    for mapping in [
        "slot",
        "package:span:pe=2",
        "ppr:2:numa",
        "core:hwtcpus:nolocal",
        ":oversubscribe",
    ] {
        let (mut request, _) = job(mapping);
        request
            .set_binding(Owner::Job, ":overload-allowed")
            .unwrap();
        let (job, app) = options(&request);
        assert_eq!(app, job, "{mapping}");
    }
}

#[test]
fn mapby_overrides_job() {
    let (mut request, app) = job("slot");
    request.set_ranking(Owner::Job, "node").unwrap();
    request.set_binding(Owner::Job, "none").unwrap();
    request.set_mapping(owner(app), "package").unwrap();
    let row = row(&request, app);
    assert_eq!(row.map, MapBy::Object(ObjKind::Package));
    // Defaults follow the app's own map, not the job's.
    assert_eq!(
        (row.rank, row.bind),
        (RankBy::Fill, BindTo::Object(ObjKind::Package))
    );
}

#[test]
fn nolocal_is_carried() {
    let (mut request, app) = job("slot");
    request.set_mapping(owner(app), "slot:nolocal").unwrap();
    assert_eq!(row(&request, app).nolocal, NoLocal::Yes);
    let (mut request, app) = job("slot:nolocal");
    request.set_mapping(owner(app), "slot").unwrap();
    assert_eq!(
        row(&request, app).nolocal,
        NoLocal::No,
        "an own map has its own flags only"
    );
}

#[test]
fn pes_hwt_cpuset_override() {
    let (mut request, app) = job("slot:pe=2");
    set(&mut request, keys::APP_PES_PER_PROC, Value::Uint16(3));
    set(&mut request, keys::APP_HWT_CPUS, Value::Bool(true));
    let three = row(&request, app);
    assert_eq!((three.pe, three.mode), (3, CpuMode::Hwthread));
    let (mut request, app) = job("pe-list=0-1");
    set(
        &mut request,
        keys::APP_CPUSET,
        Value::String("2-3".to_owned()),
    );
    let resolved = resolved(&request).unwrap();
    let list = resolved
        .apps
        .policy(app)
        .and_then(|policy| policy.list)
        .expect("there is a list");
    assert_eq!(resolved.apps.lists[list], [(2, 3)]);
}

#[test]
fn ppr_falls_back_to_job() {
    let (mut request, app) = job("ppr:2:package");
    request.set_ranking(owner(app), "slot").unwrap();
    let on = PprObject::Kind(ObjKind::Package);
    assert_eq!(row(&request, app).map, MapBy::Ppr { per: 2, on });
    set(
        &mut request,
        keys::APP_PPR,
        Value::String("1:node".to_owned()),
    );
    assert_eq!(
        row(&request, app).map,
        MapBy::Ppr {
            per: 1,
            on: PprObject::Node
        }
    );
}

#[test]
fn resolving_twice_is_resolving_once() {
    let (mut request, app) = job("package:pe=2");
    request.set_mapping(owner(app), ":span").unwrap();
    request.set_binding(owner(app), "core:limit=2").unwrap();
    let (job, once) = options(&request);
    let twice = app_options(&request, APP, &job, Lsf::Absent, JobPe::Offered);
    assert_eq!(once, twice);
    assert_eq!(
        job_options(&request, Inherited::default(), Lsf::Absent),
        job,
        "the job is not touched"
    );
}
