//! What is refused, and which place the message points to.

use crate::score::random::{Written, plan};
use stowplan::score::figures::score;
use stowplan::score::pattern::Part;

fn refusal(pattern: &str, text: &str) -> String {
    let part = match Part::read(pattern) {
        Ok(part) => part,
        Err(error) => {
            assert_eq!(error.class(), "bad-pattern");
            return error.to_string();
        }
    };
    let plan = plan(&["--topo", "core:4 pu:1", "-H", "a:4,b:4", "-n", "6"]).unwrap();
    let error = score(&plan, &[part], &Written(text.to_owned())).unwrap_err();
    assert_eq!(error.class(), "bad-pattern");
    error.to_string()
}

#[test]
fn patterns_that_are_none_are_refused() {
    for word in [
        "",
        "hallo:2x3",
        "halo",
        "halo:",
        "halo:2x",
        "halo:0x6",
        "halo:2x3:perodic",
        "halo:6:hops=0",
        "halo:6:hops=x",
        "halo:6:box:box",
        "halo:1x1x1x1x1x1x1x1x6",
        "ring:6",
        "alltoall:0",
        "alltoall:x",
        "transpose:6",
        "transpose:1x2x3",
        "tree",
        "tree:0",
        "file:",
        "between:0,0:all",
        "between:0:all",
        "between:0,1:none",
        "1=ring",
        "0=between:0,1:all",
        "halo:2x4",
        "transpose:2x2",
        "halo:4294967295x4294967295x4294967295",
        "99999999999=ring",
        "between:0,1:all",
    ] {
        refusal(word, "");
    }
    assert_eq!(
        refusal("halo:2x4", ""),
        "halo:2x4: a grid of 2x4 has 8 places, app 0 has 6 processes"
    );
}

#[test]
fn a_matrix_is_refused_with_its_line() {
    let head = "%%MatrixMarket matrix coordinate integer general\n";
    for (text, line) in [
        ("0,1,5\n0,6,1\n".to_owned(), 2),
        ("0,1,-5\n".to_owned(), 1),
        ("0,1,5\n\n2,1,nan\n".to_owned(), 3),
        ("0,1\n".to_owned(), 1),
        ("a,b,c\nd,e,f\n".to_owned(), 2),
        ("0,1,9007199254740992\n".to_owned(), 1),
        ("%%MatrixMarket matrix array real general\n".to_owned(), 1),
        (format!("{head}% c\n6 5 0\n"), 3),
        (format!("{head}7 7 0\n"), 2),
        (format!("{head}6 6 1\n0 1 1\n"), 3),
        (format!("{head}6 6 1\n1 2\n"), 3),
        (format!("{head}6 6 1\n1 7 2\n"), 3),
        (head.to_owned(), 2),
    ] {
        let said = refusal("file:m", &text);
        assert!(said.contains(&format!("line {line}: ")), "{said}");
    }
    assert!(refusal("file:m", &format!("{head}6 6 2\n1 2 3\n")).contains("1 entry"));
    assert!(refusal("file:m", &format!("0,1,{}", "1".repeat(1 << 17))).contains("line 1"));
}
