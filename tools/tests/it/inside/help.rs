//! The manual and completions name everything.

use stowplan::job::options::OPTIONS;
use stowplan_cli::command::COMMANDS;
use stowplan_cli::command::help::command;

/// What `stowplan` prints.
fn told(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = stowplan_cli::run(&words, &mut out, &mut err);
    assert_eq!((status, err.is_empty()), (0, true), "{words:?}");
    String::from_utf8(out).unwrap()
}

#[test]
fn the_table_makes_a_sound_command() {
    command().debug_assert();
}

#[test]
fn every_subcommand_has_a_page() {
    for page in COMMANDS {
        let words: Vec<&str> = page.words.split(' ').collect();
        let text = told(&[&["man"], &words[..]].concat());
        for heading in ["EXIT STATUS", "FORMATS", "EXAMPLES"] {
            assert!(
                text.contains(&format!(".SH \"{heading}\"")),
                "{}",
                page.words
            );
        }
    }
}

#[test]
fn completions_offer_values() {
    for shell in ["bash", "zsh", "fish"] {
        let text = told(&["completions", shell]);
        for word in [
            "pe-list",
            "oversubscribe",
            "frontier",
            "ndjson",
            "if-supported",
        ] {
            assert!(text.contains(word), "{word} is not offered by {shell}");
        }
    }
}

#[test]
fn the_manual_names_every_option() {
    let text = told(&["man"]).replace('\\', "");
    for row in OPTIONS {
        assert!(
            text.contains(&row.written()),
            "{} is not in it",
            row.written()
        );
    }
}
