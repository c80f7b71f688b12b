//! What a screen can show.

use stowplan_cli::format::screen::{Screen, Signs, counted, grouped};

#[test]
fn lines_keep_to_the_width_and_the_signs() {
    let narrow = Screen {
        columns: 8,
        ..Screen::page()
    };
    assert_eq!(narrow.line("12345678"), "12345678");
    assert_eq!(narrow.line("123456789"), "1234567…");
    let typewriter = Screen {
        columns: 8,
        signs: Signs::Ascii,
        ..Screen::page()
    };
    assert_eq!(typewriter.line("a · b – c d"), "a - b -.".replace('.', ">"));
    assert_eq!(grouped(1_048_576), "1,048,576");
    assert_eq!(counted(1, "node"), "1 node");
}
