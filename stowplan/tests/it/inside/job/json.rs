//! JSON with places.

use stowplan::job::json::{Json, Kind};

#[test]
fn values_are_found_where_they_stand() {
    let text = br#" {"a" : [1, "x\u00e9\ud83d\ude00", {"b":null}] , "c":-2.5, "a":1e999} "#;
    let json = Json::judge(text).unwrap();
    let members: Vec<_> = json.members().collect();
    let bytes: Vec<_> = members.iter().map(|member| member.0.byte(text)).collect();
    assert_eq!(bytes, [2, 49, 59]);
    let elements = members[0].2.elements();
    let kinds: Vec<_> = elements.iter().map(|value| value.kind()).collect();
    assert_eq!(kinds, [Kind::Integer, Kind::String, Kind::Object]);
    assert_eq!(elements[1].string(), "x\u{e9}\u{1f600}");
    assert_eq!(elements[1].byte(text), 12);
    assert_eq!(
        members[0].2.compact(),
        r#"[1,"x\u00e9\ud83d\ude00",{"b":null}]"#
    );
    assert_eq!(members[1].2.kind(), Kind::Number);
    assert_eq!(members[1].2.raw(), "-2.5");
}

#[test]
fn what_is_no_json_is_refused_where_it_is_wrong() {
    for (text, at) in [
        ("", 0),
        ("[1,", 3),
        ("[1,]", 3),
        ("{\"a\" 1}", 5),
        ("01", 1),
        ("\"\\x\"", 2),
        ("[] x", 3),
        ("[\n\"a\nb\"]", 4),
        ("[\n\"\u{e9}\tb\"]", 5),
        ("[\n1,\n x]", 6),
        ("[\"\\\n\"]", 3),
        ("{\"\\ud800\":1, \"b\":}", 8),
        ("{\"b\":, \"\\ud800\":1}", 5),
        ("[\"\\u00\u{e9}0\"]", 6),
    ] {
        assert_eq!(Json::judge(text.as_bytes()).unwrap_err().at, at, "{text}");
    }
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(Json::judge(deep(64).as_bytes()).is_ok());
    for wrong in [
        deep(65),
        deep(100_000),
        "[".repeat(65),
        "[".repeat(65) + "x",
    ] {
        assert_eq!(Json::judge(wrong.as_bytes()).unwrap_err().at, 64);
    }
}
