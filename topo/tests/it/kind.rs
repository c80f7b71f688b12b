//! Words for kinds of objects.

use stowplan_topo::kind::{Holds, Kind, scan};

#[test]
fn words_are_taken_as_hwloc_takes_them() {
    let cases: &[(&str, Option<Kind>)] = &[
        ("L3Cache:2", Some(Kind::Cache(3, Holds::Data))),
        ("l1i", Some(Kind::Cache(1, Holds::Instructions))),
        ("l4i", None),
        ("l6", None),
        ("L2c:3", Some(Kind::Cache(2, Holds::Data))),
        ("L2x:3", None),
        ("NUMA2 ", Some(Kind::Numa)),
        ("node:2", Some(Kind::Numa)),
        ("Socket", Some(Kind::Package)),
        ("co:2", Some(Kind::Core)),
        ("CoProc", Some(Kind::OsDevice)),
        ("Group1", Some(Kind::Group)),
        ("p", None),
        ("foo", None),
        ("", None),
    ];
    for (text, kind) in cases {
        assert_eq!(scan(text.as_bytes()), *kind, "{text}");
    }
}
