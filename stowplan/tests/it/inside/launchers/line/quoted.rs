//! Words in quotes.

use stowplan::launchers::line::quoted_words;

#[test]
fn blanks_in_quotes_part_nothing() {
    let words = |text| quoted_words(text).unwrap();
    assert_eq!(
        words("-N 2 --comment=\"two nodes\" -J 'a b' x\\ y # -N 4"),
        ["-N", "2", "--comment=two nodes", "-J", "a b", "x y"]
    );
    assert_eq!(
        words(r#"--comment="x \"y\" \z" '' a\ b"#),
        [r#"--comment=x "y" \z"#, "", "a b"]
    );
    assert!(words("").is_empty());
    assert!(quoted_words("-J 'a").is_err());
    assert!(quoted_words("-J a\\").is_err());
}
