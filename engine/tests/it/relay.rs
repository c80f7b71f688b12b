//! The relay trusts no payload: payloads that no setter makes, behind valid headers; and requests that must survive.

use crate::job::{mapped, procs};
use stowplan_engine::count::ProcCount;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::request::{Label, Unknown};
use stowplan_engine::spawn::{Intake, SpawnRequest, keys};
use stowplan_engine::stage::component::AppIndex;

/// A payload behind a header that fits it.
fn framed(payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"STOWREQ\x01".to_vec();
    bytes.extend(
        u32::try_from(payload.len())
            .expect("it is small")
            .to_le_bytes(),
    );
    bytes.extend(crc32fast::hash(payload).to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// The error for a payload.
fn refusal(payload: &[u8]) -> String {
    let error = SpawnRequest::unpack(&framed(payload)).expect_err("no setter makes it");
    assert_eq!(error.class(), "bad-request");
    error.to_string()
}

/// No policies, one app of two processes without a label, then attributes, then unknown keys.
fn with_attributes(rows: &[&[u8]]) -> Vec<u8> {
    let mut payload = vec![0, 0, 0, 1, 3, 0];
    payload.push(u8::try_from(rows.len()).expect("it is small"));
    payload.extend(rows.concat());
    payload.push(0);
    payload
}

/// PRTE_APP_PES_PER_PROC = 2 on app 0, by its own name.
const PES: &[u8] = &[1, 24, 0, 1, 2];

#[test]
fn a_payload_that_no_setter_makes_is_refused() {
    let sound = with_attributes(&[PES]);
    let request = SpawnRequest::unpack(&framed(&sound)).unwrap();
    assert_eq!(
        request
            .attributes()
            .number(Owner::App(0), keys::APP_PES_PER_PROC),
        Some(2)
    );
    assert_eq!(request.pack().unwrap(), framed(&sound));
    for (rows, why) in [
        (vec![PES, PES], "twice"),
        (vec![&[1, 25, 0, 3, 3, b'1', b':', b'x'][..]], "cannot be"),
        (vec![&[1, 24, 0, 3, 1, b'2'][..]], "cannot be"),
        (vec![&[1, 24, 0, 1, 0][..]], "cannot be"),
        (vec![&[0, 24, 0, 1, 2][..]], "cannot be"),
        (vec![&[2, 24, 0, 1, 2][..]], "too large"),
        (vec![&[1, 101, 0, 1, 2][..]], "cannot be"),
        (vec![&[1, 24, 4, 1, 2][..]], "source"),
        (vec![&[1, 24, 0, 4, 2][..]], "type"),
        (vec![&[1, 26, 0, 1, 1][..]], "cannot be"),
    ] {
        let told = refusal(&with_attributes(&rows));
        assert!(told.contains(why), "{rows:?}: {told}");
    }
    // A hole holds nothing; nothing may follow the last part; a number has one form only.
    assert!(refusal(&[0, 0, 0, 1, 0, 0, 1, 1, 24, 0, 1, 2, 0]).contains("hole"));
    assert!(refusal(&[&sound[..], &[0]].concat()).contains("follow"));
    assert!(refusal(&[0x80, 0, 0, 0, 0, 0, 0]).contains("number"));
}

/// The bytes that [`one_of_each`] has for other processes, of this release or another. They are written out here, so that a change
/// in how requests are packed fails a test.
const ONE_OF_EACH: &[&[u8]] = &[
    b"\x84\x8c\x01\x85\x20\x84\xc2\x01",
    // Apps: one without a count, a hole, one with 300 processes, one without a count.
    b"\x04\x01\x00\xad\x02\x01",
    b"\x02\x00\x05ocean\x02\x07--steps\x0212\x01\x03A=1\x04/tmp",
    b"\x02\x01x\x00\x00\x00",
    // Attributes of the job, then those of each app.
    b"\x10\x00\x94\x02\x01\x00\x01\x00\x95\x02\x01\x01\x02\x00\xbb\x02\x03\x01\x03",
    b"\x01\x03\x00\x03\x0aa:2,b[0-3]\x01\x19\x01\x03\x062:numa\x01\x1a\x01\x01\x97\x82\x01",
    b"\x03\x1a\x01\x01\x8b\xa0\x01\x03\x1b\x02\x01\x81\x20\x03\x1c\x03\x01\x87\xa0\x01",
    b"\x03\x1f\x01\x00\x01\x03\x21\x01\x03\x050-3,7\x03\x28\x00\x02\xf0\xa2\x04",
    b"\x04\x1a\x01\x01\x8d\x80\x01\x04\x23\x00\x03\x05split\x04\x24\x01\x03\x12threads=4:greedy=0",
    b"\x04\x88\x02\x00\x00\x01",
    b"\x01\x01\x08site.tag\x06string\x01v",
];

/// A request with everything that travels, and with things that do not travel.
fn one_of_each() -> SpawnRequest {
    let mut intake = Intake::new();
    intake.push_app(Label {
        cmd: "ocean".to_owned(),
        argv: vec!["--steps".to_owned(), "12".to_owned()],
        env: vec!["A=1".to_owned()],
        cwd: "/tmp".to_owned(),
    });
    let mut request = intake.finish().expect("it is sound").request;
    request.push_hole();
    request.push_app(Some(ProcCount(300)), "x");
    request.push_app(None, "");
    let [job, first, third, last] = [Owner::Job, Owner::App(0), Owner::App(2), Owner::App(3)];
    for (owner, map) in [
        (job, "package:pe=2:inherit:nooversubscribe"),
        (first, "ppr:2:numa:nolocal"),
        (third, "pe-list=0-3,7:ordered:hwtcpus"),
        (last, "mpibind:threads=4:greedy=0"),
    ] {
        request.set_mapping(owner, map).expect("it is sound");
    }
    request.set_ranking(job, "span").expect("it is sound");
    request.set_ranking(third, "node").expect("it is sound");
    let bind = "numa:overload-allowed:limit=3";
    request.set_binding(job, bind).expect("it is sound");
    request
        .set_binding(third, "core:if-supported")
        .expect("it is sound");
    let text = |text: &str| Value::String(text.to_owned());
    for (owner, key, value, scope) in [
        (
            first,
            keys::APP_DASH_HOST,
            text("a:2,b[0-3]"),
            Scope::Global,
        ),
        (third, 40, Value::Uint32(70_000), Scope::Global),
        (last, keys::APP_GPUS, text("split"), Scope::Global),
        (
            last,
            keys::APP_BINDING_LIMIT,
            Value::Uint16(5),
            Scope::Local,
        ),
        (
            last,
            keys::JOB_DISPLAY_MAP,
            Value::Bool(true),
            Scope::Global,
        ),
    ] {
        request
            .set_attribute(owner, key, value, scope)
            .expect("it is sound");
    }
    for (owner, name, scope) in [
        (first, "site.tag", Scope::Global),
        (last, "site.here", Scope::Local),
    ] {
        request.push_unknown(Unknown {
            owner,
            name: name.to_owned(),
            ty: "string".to_owned(),
            value: "v".to_owned(),
            scope,
        });
    }
    request
}

#[test]
fn other_releases_pack_and_read_the_same_bytes() {
    let bytes = framed(&ONE_OF_EACH.concat());
    assert_eq!(one_of_each().pack().unwrap(), bytes);
    assert_eq!(SpawnRequest::unpack(&bytes).unwrap().pack().unwrap(), bytes);
}

#[test]
fn lengths_are_judged_before_anything_is_allocated() {
    let mut bytes = framed(&[0; 7]);
    bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    let told = SpawnRequest::unpack(&bytes).unwrap_err().to_string();
    assert!(told.contains("64 MiB"), "{told}");
    // Four thousand million apps, labels or attributes in a handful of bytes.
    let many = [0xff, 0xff, 0xff, 0xff, 0x0f];
    refusal(&[&[0, 0, 0][..], &many].concat());
    refusal(&[&[0, 0, 0, 0][..], &many].concat());
    refusal(&[&[0, 0, 0, 0, 0][..], &many].concat());
    // A request above the limit is not packed.
    let mut request = SpawnRequest::new();
    let app = request.push_app(Some(ProcCount(1)), &"x".repeat(64 << 20));
    assert_eq!(request.pack().unwrap_err().class(), "bad-request");
    assert_eq!(
        request.label(app).map(|label| label.cmd.len()),
        Some(64 << 20)
    );
}

#[test]
fn unknown_keys_and_holes_survive() {
    let mut request = SpawnRequest::new();
    request.push_hole();
    request.push_app(Some(ProcCount(1)), "");
    request.push_hole();
    for (name, scope) in [
        ("site.tag", Scope::Global),
        ("site.tag", Scope::Global),
        ("here", Scope::Local),
    ] {
        request.push_unknown(Unknown {
            owner: Owner::App(1),
            name: name.to_owned(),
            ty: "number".to_owned(),
            value: "7".to_owned(),
            scope,
        });
    }
    let relayed = SpawnRequest::unpack(&request.pack().unwrap()).unwrap();
    assert_eq!(relayed.unknown(), &request.unknown()[..2]);
    assert_eq!(relayed.apps().len(), 3);
    assert_eq!(procs(&mapped(&request, AppIndex::All).unwrap()), [0, 1, 0]);
}

#[test]
fn an_app_of_no_processes_is_refused_not_counted() {
    let mut request = SpawnRequest::new();
    request.push_app(Some(ProcCount(2)), "");
    request.push_app(Some(ProcCount(0)), "");
    let refused = request.pack().unwrap_err();
    assert_eq!(refused.class(), "bad-value");
    assert!(refused.to_string().contains('0'), "{refused}");
    // The relay is not the only check: mapping without it gives the same error.
    let context = stowplan_engine::stage::resolve::Context {
        parent: None,
        spoken: &stowplan_engine::spawn::Spoken::default(),
        affinity: None,
        files: &stowplan_engine::stage::resolve::NoFiles,
    };
    let refused = stowplan_engine::stage::resolve::resolve(request, context).unwrap_err();
    assert_eq!(refused.class(), "bad-value");
}

#[test]
fn attributes_in_any_order_are_one_table() {
    let mut forth = SpawnRequest::new();
    let mut back = SpawnRequest::new();
    for request in [&mut forth, &mut back] {
        for _ in 0..50 {
            request.push_app(Some(ProcCount(1)), "");
        }
    }
    let set = |request: &mut SpawnRequest, app: u32, key, text: &str| {
        let value = Value::String(text.to_owned());
        request
            .set_attribute(Owner::App(app), key, value, Scope::Global)
            .unwrap();
    };
    for app in 0..50 {
        set(&mut forth, app, keys::APP_DASH_HOST, "node0");
        set(&mut forth, app, keys::APP_MAP_FILE, "f");
        set(&mut back, 49 - app, keys::APP_MAP_FILE, "f");
    }
    (0..50).for_each(|app| set(&mut back, app, keys::APP_DASH_HOST, "node0"));
    assert_eq!(forth.pack().unwrap(), back.pack().unwrap());
}
