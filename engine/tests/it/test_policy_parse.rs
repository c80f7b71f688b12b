//! The three setters for an app: what they store, and the status with which they refuse.

use stowplan_engine::count::ProcCount;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::policy::{BindTo, MapBy, ObjKind, RankBy};
use stowplan_engine::spawn::attributes::{Attribute, Scope, Value};
use stowplan_engine::spawn::policy::{BindPolicy, Flags, MapPolicy, RankPolicy};
use stowplan_engine::spawn::request::owner;
use stowplan_engine::spawn::set::{SetError, SetStatus};
use stowplan_engine::spawn::{SpawnRequest, keys};
use stowplan_engine::table::apps::AppId;

const APP: Owner = Owner::App(0);

fn one_app() -> (SpawnRequest, AppId) {
    let mut request = SpawnRequest::new();
    let app = request.push_app(Some(ProcCount(2)), "true");
    (request, app)
}

fn mapping(text: &str) -> Result<SpawnRequest, SetError> {
    let (mut request, app) = one_app();
    request.set_mapping(owner(app), text)?;
    Ok(request)
}

fn binding(text: &str) -> Result<SpawnRequest, SetError> {
    let (mut request, app) = one_app();
    request.set_binding(owner(app), text)?;
    Ok(request)
}

fn stored_map(request: &SpawnRequest) -> MapPolicy {
    request
        .attributes()
        .number(APP, keys::APP_MAPBY)
        .and_then(MapPolicy::of_bits)
        .expect("26 is there")
}

fn stored_bind(request: &SpawnRequest) -> BindPolicy {
    request
        .attributes()
        .number(APP, keys::APP_BINDTO)
        .and_then(BindPolicy::of_bits)
        .expect("28 is there")
}

/// Everything that an app carries survives the relay, no matter which setter stored it.
fn survives_the_relay(request: &SpawnRequest) {
    let relayed = SpawnRequest::unpack(&request.pack().expect("it is small and sound"))
        .expect("it is small and sound");
    let rows = |request: &SpawnRequest| {
        request
            .attributes()
            .iter()
            .cloned()
            .collect::<Vec<Attribute>>()
    };
    assert_eq!(rows(&relayed), rows(request));
    assert!(rows(request).iter().all(|row| row.scope == Scope::Global));
    assert_eq!(
        relayed.pack().expect("it is small and sound"),
        request.pack().expect("it is small and sound")
    );
}

#[test]
fn mapping_words_are_stored() {
    let words = [
        ("core", MapBy::Object(ObjKind::Core), 7),
        ("node", MapBy::Node, 1),
        ("slot", MapBy::Slot, 9),
        ("hwthread", MapBy::Object(ObjKind::Hwthread), 8),
        ("numa", MapBy::Object(ObjKind::Numa), 2),
        ("PACKAGE", MapBy::Object(ObjKind::Package), 3),
        ("l1", MapBy::Object(ObjKind::L1), 6),
        ("seq", MapBy::Seq, 20),
        ("rankfile", MapBy::Rankfile, 22),
        ("ppr:2:core", MapBy::PPR, 23),
        ("pe-list=0-3", MapBy::PeList, 11),
        ("dist:mlx5_0", MapBy::Dist, 10),
    ];
    for (text, kind, number) in words {
        let request = mapping(text).expect(text);
        let policy = stored_map(&request);
        assert_eq!(
            (policy.map, policy.flags),
            (Some(kind), Flags::GIVEN),
            "{text}"
        );
        assert_eq!(policy.bits(), number | 0x4000, "{text}");
        survives_the_relay(&request);
    }
    assert_eq!(
        mapping("ppr:02:SKT")
            .unwrap()
            .attributes()
            .string(APP, keys::APP_PPR),
        Some("2:package")
    );
}

#[test]
fn mapping_modifiers_are_stored() {
    let request = mapping("slot:NOLOCAL:pe=3:ORDERED:file=f").unwrap();
    let flags = stored_map(&request).flags;
    assert_eq!(
        flags,
        Flags::GIVEN.with(Flags::NOLOCAL).with(Flags::ORDERED)
    );
    let attributes = request.attributes();
    assert_eq!(attributes.number(APP, keys::APP_PES_PER_PROC), Some(3));
    assert_eq!(attributes.string(APP, keys::APP_MAP_FILE), Some("f"));
    assert!(
        mapping("core:hwtcpus")
            .unwrap()
            .attributes()
            .is_set(APP, keys::APP_HWT_CPUS)
    );
    assert!(
        mapping("core:corecpus")
            .unwrap()
            .attributes()
            .is_set(APP, keys::APP_CORE_CPUS)
    );
    let alone = stored_map(&mapping(":span").unwrap());
    assert_eq!(
        (alone.map, alone.flags),
        (None, Flags::SPAN),
        "GIVEN only with a policy"
    );
    survives_the_relay(&request);
    // Setting again replaces what the earlier directive stored.
    let (mut request, app) = one_app();
    request.set_mapping(owner(app), "seq:file=f").unwrap();
    request.set_mapping(owner(app), "slot").unwrap();
    assert_eq!(request.attributes().string(APP, keys::APP_MAP_FILE), None);
}

#[test]
fn mapping_forbidden_modifiers() {
    for text in [
        "slot:oversubscribe",
        "slot:nooversubscribe",
        "core:inherit",
        ":noinherit",
    ] {
        let refused = mapping(text).expect_err(text);
        assert_eq!(
            (refused.status, refused.error.class()),
            (SetStatus::BadParam, "app-forbidden-qualifier"),
            "{text}"
        );
    }
}

#[test]
fn mapping_malformed() {
    let cases = [
        ("", "bad-directive"),
        ("foo", "bad-directive"),
        ("corexyz", "bad-directive"),
        ("s", "bad-directive"),
        ("ppr:2", "bad-directive"),
        ("ppr:0:core", "bad-value"),
        ("slot=3", "bad-directive"),
        ("slot:pe=", "bad-qualifier"),
        ("slot:pe", "bad-qualifier"),
        ("slot:pe=0", "bad-value"),
        ("slot:foo", "bad-qualifier"),
        ("slot:file=", "bad-qualifier"),
        ("pe-list=3-1", "bad-value"),
        ("pe-list=1,1", "bad-value"),
        ("dist::span", "bad-directive"),
        ("core:hwtcpus:corecpus", "contradicting-qualifiers"),
        ("slot:pe=2:pe=3", "contradicting-qualifiers"),
    ];
    for (text, class) in cases {
        let refused = mapping(text).expect_err(text);
        assert_eq!(
            (refused.status, refused.error.class()),
            (SetStatus::BadParam, class),
            "{text}"
        );
    }
    let (mut request, app) = one_app();
    request.set_mapping(owner(app), "package:span").unwrap();
    let before: Vec<Attribute> = request.attributes().iter().cloned().collect();
    request.set_mapping(owner(app), "slot:foo").unwrap_err();
    assert_eq!(
        request.attributes().iter().cloned().collect::<Vec<_>>(),
        before,
        "nothing changed"
    );
}

#[test]
fn ranking_words_are_stored() {
    for (text, word) in [
        ("slot", RankBy::Slot),
        ("node", RankBy::Node),
        ("FILL", RankBy::Fill),
        ("span", RankBy::Span),
    ] {
        let (mut request, app) = one_app();
        request.set_ranking(owner(app), text).expect(text);
        let bits = request.attributes().number(APP, keys::APP_RANKBY).unwrap();
        assert_eq!(
            RankPolicy::of_bits(bits),
            Some(RankPolicy { rank: word }),
            "{text}"
        );
        assert_eq!(bits & 0x1000, 0x1000, "GIVEN");
        survives_the_relay(&request);
    }
}

#[test]
fn ranking_unknown_changes_nothing() {
    for text in ["core", "", "s", "slot:x", "slot=1"] {
        let (mut request, app) = one_app();
        let refused = request.set_ranking(owner(app), text).expect_err(text);
        assert_eq!(refused.status, SetStatus::Silent, "{text}");
        assert!(request.attributes().is_empty(), "{text}");
    }
}

#[test]
fn binding_words_are_stored() {
    let words = [
        ("none", BindTo::Nothing, 1),
        ("hwthread", BindTo::Object(ObjKind::Hwthread), 8),
        ("core", BindTo::Object(ObjKind::Core), 7),
        ("l1cache", BindTo::Object(ObjKind::L1), 6),
        ("l2cache", BindTo::Object(ObjKind::L2), 5),
        ("l3cache", BindTo::Object(ObjKind::L3), 4),
        ("numa", BindTo::Object(ObjKind::Numa), 3),
        ("package", BindTo::Object(ObjKind::Package), 2),
        ("socket", BindTo::Object(ObjKind::Package), 2),
    ];
    for (text, word, number) in words {
        let request = binding(text).expect(text);
        let policy = stored_bind(&request);
        assert_eq!(
            (policy.bind, policy.bits()),
            (Some(word), number | 0x4000),
            "{text}"
        );
        survives_the_relay(&request);
    }
}

#[test]
fn binding_modifiers_set_bits() {
    let flags = |text: &str| stored_bind(&binding(text).expect(text)).flags;
    assert_eq!(
        flags("core:if-supported"),
        Flags::GIVEN.with(Flags::IF_SUPPORTED)
    );
    let allowed = Flags::ALLOW_OVERLOAD.with(Flags::OVERLOAD_GIVEN);
    assert_eq!(flags("core:overload-allowed"), Flags::GIVEN.with(allowed));
    assert_eq!(
        flags("core:no-overload"),
        Flags::GIVEN.with(Flags::OVERLOAD_GIVEN)
    );
    assert_eq!(flags(":ov"), allowed, "no policy, no GIVEN");
}

#[test]
fn binding_limit() {
    let request = binding("package:limit=7").unwrap();
    assert_eq!(
        request.attributes().number(APP, keys::APP_BINDING_LIMIT),
        Some(7)
    );
    survives_the_relay(&request);
    for (text, class) in [
        ("core:limit=x", "bad-value"),
        ("core:limit=0", "bad-value"),
        ("core:limit", "bad-qualifier"),
    ] {
        let refused = binding(text).expect_err(text);
        assert_eq!(
            (refused.status, refused.error.class()),
            (SetStatus::Silent, class),
            "{text}"
        );
    }
}

#[test]
fn binding_unknown() {
    let cases = [
        ("board", "bad-directive"),
        ("", "bad-directive"),
        ("core:foo", "bad-qualifier"),
        ("core:report", "app-forbidden-qualifier"),
        (
            "core:overload-allowed:no-overload",
            "contradicting-qualifiers",
        ),
    ];
    for (text, class) in cases {
        let refused = binding(text).expect_err(text);
        assert_eq!(
            (refused.status, refused.error.class()),
            (SetStatus::BadParam, class),
            "{text}"
        );
    }
}

#[test]
fn what_is_local_does_not_travel() {
    let (mut request, _) = one_app();
    let set = request.set_attribute(APP, keys::APP_PES_PER_PROC, Value::Uint16(2), Scope::Local);
    set.unwrap();
    assert_eq!(request.local_notes()[0].class(), "local-attribute");
    let relayed = SpawnRequest::unpack(&request.pack().unwrap()).unwrap();
    assert!(relayed.attributes().is_empty());
}

#[test]
fn a_wrong_type_or_place_is_an_error() {
    let (mut request, _) = one_app();
    for (owner, key, value) in [
        (APP, keys::APP_PES_PER_PROC, Value::String("2".to_owned())),
        (APP, keys::APP_MAPBY, Value::Uint16(9)),
        (APP, keys::JOB_PPR, Value::String("1:node".to_owned())),
        (
            Owner::Job,
            keys::APP_PPR,
            Value::String("1:node".to_owned()),
        ),
        (APP, 101, Value::Bool(true)),
    ] {
        let refused = request
            .set_attribute(owner, key, value, Scope::Global)
            .unwrap_err();
        assert_eq!(refused.class(), "bad-attribute", "{key}");
    }
    request
        .set_attribute(APP, 77, Value::Bool(true), Scope::Global)
        .expect("an unknown app key is kept");
    survives_the_relay(&request);
}
