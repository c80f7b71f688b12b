//! Runs the commands in the documents. A command that is shown with an answer must give that answer.
//!
//! In a fenced block, a line `$ stowplan …` is a command. The lines after it are its whole answer; for a refused command, its
//! messages. `$ cat FILE` shows a file that later commands may read. A block of `sh` has only commands.
//! `UPDATE=1 cargo test -p stowplan-cli documents` rewrites the answers; check the difference before you keep it.

use crate::console::{MadeUp, root, stowplan, words};
use std::fs;
use std::path::PathBuf;

/// README and the pages beside it, and all of `docs/`.
fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .map(|name| root().join(name))
        .into();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).expect("the documents are there");
        for path in entries.map(|entry| entry.expect("a folder that can be read").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A document while its commands run.
#[derive(Default)]
struct Run {
    /// The text, with the answers that the commands gave.
    text: String,
    files: MadeUp,
    /// How many commands ran.
    ran: usize,
    faults: Vec<String>,
}

impl Run {
    /// Runs the commands of a block that shows answers.
    fn block(&mut self, lines: &[&str]) {
        let mut rest = lines;
        while let Some((line, behind)) = rest.split_first() {
            let own = behind
                .iter()
                .take_while(|line| !line.starts_with("$ "))
                .count();
            let (shown, next) = behind.split_at(own);
            rest = next;
            self.text += &format!("{line}\n");
            let shown: String = shown.iter().map(|line| format!("{line}\n")).collect();
            if let Some(file) = line.strip_prefix("$ cat ") {
                self.files
                    .files
                    .insert(file.to_owned(), shown.clone().into_bytes());
            } else if let Some(command) = line.strip_prefix("$ stowplan ") {
                let said = stowplan(&words(command), &self.files);
                // Status 1: `diff` found a difference.
                let given = if said.status < 2 { said.out } else { said.err };
                if given != shown {
                    self.faults.push(format!(
                        "$ stowplan {command}\n--- shown\n{shown}--- given\n{given}"
                    ));
                }
                self.ran += 1;
                self.text += &given;
                continue;
            }
            self.text += &shown;
        }
    }

    /// Runs the commands of a block without answers.
    fn script(&mut self, lines: &[&str]) {
        for command in lines
            .iter()
            .filter_map(|line| line.strip_prefix("stowplan "))
        {
            let said = stowplan(&words(command), &self.files);
            if said.status != 0 {
                self.faults
                    .push(format!("stowplan {command}\n{}", said.err));
            }
            self.ran += 1;
        }
        lines
            .iter()
            .for_each(|line| self.text += &format!("{line}\n"));
    }
}

/// Runs a document. Blocks that end in `not-run` show other programs, pipes, or output that depends on the machine.
fn run(text: &str) -> Run {
    let mut run = Run::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        run.text += &format!("{line}\n");
        let Some(word) = line.strip_prefix("```") else {
            continue;
        };
        let mut block = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("```")) {
            block.push(line);
        }
        match word {
            "sh" => run.script(&block),
            word if word.ends_with("not-run") => block
                .iter()
                .for_each(|line| run.text += &format!("{line}\n")),
            _ => run.block(&block),
        }
        if let Some(line) = lines.next() {
            run.text += &format!("{line}\n");
        }
    }
    run
}

#[test]
fn commands_of_the_documents_run() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    assert!(
        !(update && std::env::var_os("CI").is_some()),
        "answers are not rewritten where CI is set"
    );
    let (mut ran, mut faults) = (0, Vec::new());
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document is UTF-8");
        let run = run(&text);
        ran += run.ran;
        if update && run.text != text {
            fs::write(&path, run.text).expect("a document can be written");
            continue;
        }
        let name = path
            .strip_prefix(root())
            .unwrap_or(&path)
            .display()
            .to_string();
        faults.extend(
            run.faults
                .into_iter()
                .map(|fault| format!("{name}: {fault}")),
        );
    }
    assert!(ran >= 4, "the documents show what the command does");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
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
