//! What a script gives to a launcher: words, variables and files. The script is read by the rules of its shell.

use std::collections::BTreeMap;

/// What a launcher is given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Given {
    pub(crate) words: Vec<String>,
    pub(crate) variables: BTreeMap<String, String>,
    /// Files by path, as the path is written in the words.
    pub(crate) files: BTreeMap<String, String>,
}

/// The word that the script itself is given.
pub(crate) const OWN: &str = "--given-to-the-script";
/// The directory of its files.
pub(crate) const DIRECTORY: &str = "./d";

pub(crate) fn read(script: &str) -> Given {
    let mut given = Given::default();
    let mut rest = script;
    assert!(
        rest.starts_with("#!/bin/sh\n# stowplan export "),
        "{script}"
    );
    while let Some(at) = rest.find("cat >\"$stowplan_dir/") {
        let head = &rest[at + "cat >\"$stowplan_dir/".len()..];
        let (name, body) = head.split_once("\" <<'END_OF_FILE' || exit 1\n").unwrap();
        let (body, behind) = body.split_once("END_OF_FILE\n").unwrap();
        given
            .files
            .insert(format!("{DIRECTORY}/{name}"), body.to_owned());
        rest = behind;
    }
    let at = rest.find("\"${STOWPLAN_LAUNCHER:-").expect("a call");
    assert_eq!(
        rest.matches("STOWPLAN_LAUNCHER").count(),
        1,
        "one call: {script}"
    );
    assert_eq!(rest.matches("\"$@\"").count(), 1, "{script}");
    let start = rest[..at].rfind('\n').map_or(0, |at| at + 1);
    let call = rest[start..]
        .strip_prefix("exec ")
        .unwrap_or(&rest[start..]);
    let mut words = shell_words(call.split(" <&3 3<&- &\n").next().unwrap());
    while let Some((name, value)) = words[0].split_once('=') {
        given.variables.insert(name.to_owned(), value.to_owned());
        words.remove(0);
    }
    words.remove(0);
    given.words = words;
    given
}

fn shell_words(text: &str) -> Vec<String> {
    let text = text
        .replace("\"$@\"", OWN)
        .replace("$stowplan_dir", DIRECTORY);
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            ' ' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let inner: String = signs.by_ref().take_while(|&end| end != sign).collect();
                word.get_or_insert_default().push_str(&inner);
            }
            '\\' => word.get_or_insert_default().extend(signs.next()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}
