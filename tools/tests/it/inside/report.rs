//! Carets under words.

use stowplan_cli::report::print_place;
use stowplan_engine::error::At;
use stowplan_engine::error::at::AtText;

fn printed(value: &str, start: u32, end: u32) -> String {
    let text = AtText::Value {
        app: Some(0),
        option: "--map-by".to_owned(),
        value: value.to_owned(),
    };
    let mut out = Vec::new();
    print_place(&At { text, start, end }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_caret_stands_under_the_words() {
    assert_eq!(
        printed("slot:foo", 5, 8),
        "  --map-by slot:foo\n                ^^^\n"
    );
    assert_eq!(
        printed("slot:\tü", 5, 8),
        "  --map-by slot: ü\n                ^^\n"
    );
    assert_eq!(printed("", 0, 0), "  --map-by \n           ^\n");
}

#[test]
fn long_texts_are_shown_around_the_words() {
    let long = "a,".repeat(2000) + "x:y";
    let shown = printed(&long, 4000, 4003);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].len() < 150);
    let caret = lines[1].find('^').unwrap();
    assert_eq!(&lines[0][caret..caret + 3], "x:y");
}
