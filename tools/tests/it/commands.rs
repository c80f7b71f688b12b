//! Commands that README and ARCHITECTURE show: each runs, and those that show an answer give that answer.

use crate::console::{MadeUp, root, stowplan, words};
use std::fs;

/// The fenced blocks of a document: the word behind the fence, and the lines.
fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks: Vec<(String, Vec<String>)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(word) if !open => {
                blocks.push((word.to_owned(), Vec::new()));
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let (_, lines) = blocks.last_mut().expect("an open block");
                lines.push(line.to_owned());
            }
            None => {}
        }
    }
    blocks
}

/// The commands of a block with the answers shown, if any: `$ stowplan …` and what follows it.
fn shown(lines: &[String]) -> Vec<(Vec<String>, String)> {
    let mut shown: Vec<(Vec<String>, String)> = Vec::new();
    for line in lines {
        if let Some(command) = line.strip_prefix("$ stowplan ") {
            shown.push((words(command), String::new()));
        } else if let Some((_, answer)) = shown.last_mut() {
            *answer += line;
            answer.push('\n');
        }
    }
    shown
}

#[test]
fn commands_of_the_documents_run() {
    let mut ran = 0;
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(document)).expect("the document is there");
        for (word, lines) in blocks(&text) {
            for (args, answer) in shown(&lines) {
                let said = stowplan(&args, &MadeUp::default());
                let given = if said.status == 0 { said.out } else { said.err };
                assert_eq!(given, answer, "{document}: stowplan {}", args.join(" "));
                ran += 1;
            }
            let runs = lines.iter().filter(|_| word == "sh");
            for command in runs.filter_map(|line| line.strip_prefix("stowplan ")) {
                let said = stowplan(&words(command), &MadeUp::default());
                assert_eq!(
                    said.status, 0,
                    "{document}: stowplan {command}\n{}",
                    said.err
                );
                ran += 1;
            }
        }
    }
    assert!(ran >= 4, "the documents show what the command does");
}

#[test]
fn programs_that_the_readme_names_are_there() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README is there");
    for program in ["tools/quickstart", "tools/check"] {
        assert!(readme.contains(program), "the README names {program}");
        let about = fs::metadata(root().join(program)).expect("it is there");
        assert!(about.is_file());
    }
    let job = fs::read_to_string(root().join("tools/quickstart")).expect("it can be read");
    assert!(
        job.contains("nid[000000-008191]:128"),
        "quickstart places the README's job"
    );
}
