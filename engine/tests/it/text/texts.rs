//! The texts that hold the words.

use stowplan_engine::error::at::AtText;
use stowplan_engine::text::said::{TextPlace, Texts};

#[test]
fn a_text_comes_back_as_it_was_and_is_kept_once() {
    let mut texts = Texts::default();
    let made = [
        AtText::Value {
            app: Some(3),
            option: "--map-by".to_owned(),
            value: "slot".to_owned(),
        },
        AtText::Request {
            app: None,
            file: "r.json".to_owned(),
            line: 2,
            column: 9,
            key: "--map-by".to_owned(),
            value: "slot".to_owned(),
        },
        AtText::File {
            path: "r.json".to_owned(),
            line: 7,
            text: "slot".to_owned(),
        },
    ];
    for text in &made {
        let row = texts.push(text.clone());
        let place = TextPlace {
            text: row,
            start: 0,
            end: 4,
        };
        assert_eq!(texts.at(place).text, *text);
        assert_eq!(&*texts.content(row), "slot");
    }
    assert_eq!(texts.strings().len(), 3);
}
