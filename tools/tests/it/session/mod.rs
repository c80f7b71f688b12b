//! `stowplan session` as people and launchers use it.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in its helpers too"
)]

// Scenario files: ours, the contract's, and files that are not scenarios.
mod scenarios;
// Journals on disk: locks, limits, damage, kills.
mod journals;
mod last_line;
// Compaction, and the files around a journal.
#[cfg(unix)]
mod compaction;
// Hosts within sessions.
mod hosts;
// The tests named in the table of clauses, decisions and invariants exist.
mod clauses;
// The schema of lines and answers.
mod schema;

use crate::console::on_console;
use std::path::{Path, PathBuf};

/// The output of a run of the command.
struct Said {
    status: u8,
    out: String,
    err: String,
}

/// Runs `stowplan session`.
fn session(words: &[&str], stdin: &[u8]) -> Said {
    let args: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = on_console(&mut out, &mut err, |console| match args.split_first() {
        Some((word, rest)) if word == "serve" => {
            stowplan_cli::command::session::serve(rest, &mut &*stdin, console)
        }
        _ => {
            let args: Vec<String> = [vec!["session".to_owned()], args].concat();
            stowplan_cli::command::run(&args, console)
        }
    });
    Said {
        status,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Our scenario files, by name.
fn ours() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("cases/sessions")).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files
}
