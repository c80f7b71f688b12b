//! Lines of the page as words.

use stowplan_cli::page::line::{place, ranges, words};

#[test]
fn words_are_those_of_a_shell() {
    let line = r#"stowplan map --topo 'package:2 pu:1' -H "a b" c\ d ''"#;
    let found = words(line);
    let expected = ["--topo", "package:2 pu:1", "-H", "a b", "c d", ""];
    assert_eq!(found.as_deref(), Some(&expected.map(str::to_owned)[..]));
    assert_eq!(words("srun 'a"), None);
    assert_eq!(ranges(line).len(), 8);
}

#[test]
fn a_caret_stands_under_the_word() {
    let line = "--topo 'core:8 pu:1' -n 8 --map-by coer:pe=2 ./coer";
    assert_eq!(
        place(line, "--map-by", "coer")
            .map(|at| line[at].to_owned())
            .as_deref(),
        Some("coer")
    );
    assert_eq!(place(line, "--map-by", "coer"), Some(35..39));
    assert_eq!(place(line, "--topo", "core:8 pu:1"), Some(7..20));
    assert_eq!(place(line, "--topo", "nothing"), None);
}
