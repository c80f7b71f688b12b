//! Words in a file of programs.

use stowplan::launchers::dialect::multi_prog::quoted;

#[test]
fn words_are_quoted_where_they_must_be() {
    assert_eq!(quoted("./x"), "./x");
    assert_eq!(quoted("a b"), "a' b'");
    assert_eq!(quoted("it's 5%"), r"it\'s' 5'\%");
    assert_eq!(quoted(r"\"), r"\\");
    assert_eq!(quoted("#"), "'#'");
    assert_eq!(quoted(""), "''");
}
