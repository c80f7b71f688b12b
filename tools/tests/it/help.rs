//! Help: every line to paste works, and every option on a page is really read.

use crate::folder::Folder;
use std::path::Path;
use std::process::Command;
use stowplan_cli::command::pages::{MAP, PAGES};

fn shell(line: &str, folder: &Path) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_stowplan"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(line)
        .current_dir(folder)
        .env("PATH", path);
    command.output().unwrap()
}

/// The lines in the order of the help text, because later ones read files that earlier ones wrote.
#[test]
fn every_line_to_paste_works() {
    let folder = Folder::new("help");
    folder.write(
        "request.json",
        r#"{"apps":[{"cmd":"./a","maxprocs":4,"info":{"PMIX_HOST":"n0:4,n1:4","PMIX_MAPBY":"node"}}]}"#,
    );
    folder.write(
        "scenario.json",
        r#"{"name":"day","initial":{"nodes":["n0","n1"],"scheduler":"sched"},"steps":[]}"#,
    );
    folder.write(
        "events.jsonl",
        "{}\n{\"event\":\"node_down\",\"node\":\"n1\"}\n",
    );
    let mut ran = 0;
    for page in std::iter::once(&MAP).chain(PAGES) {
        for (line, _) in page.examples {
            let output = shell(line, folder.path());
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line}\n{told}");
            ran += 1;
        }
    }
    assert!(ran >= 15, "{ran} lines");
}

/// An option that its subcommand does not read would be refused as unknown, whatever its value.
#[test]
fn every_option_of_a_page_is_read() {
    // `page --open` would serve until it is ended.
    for page in PAGES.iter().filter(|page| page.words != "page") {
        for option in page.options {
            let mut args: Vec<String> = page.words.split(' ').map(str::to_owned).collect();
            args.push(format!("--{}", option.name));
            let (mut out, mut err) = (Vec::new(), Vec::new());
            stowplan_cli::run(&args, &mut out, &mut err);
            let told = String::from_utf8(err).unwrap();
            let unknown = told.contains("unknown") || told.contains("has no option");
            assert!(!unknown, "{args:?}: {told}");
        }
    }
}

#[test]
fn each_subcommand_says_its_options_and_lines_to_paste() {
    for page in std::iter::once(&MAP).chain(PAGES) {
        let mut args: Vec<String> = page.words.split(' ').map(str::to_owned).collect();
        args.push("--help".to_owned());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        assert_eq!(stowplan_cli::run(&args, &mut out, &mut err), 0, "{args:?}");
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with(page.about), "{args:?}: {text}");
        for option in page.options {
            assert!(text.contains(option.help), "{args:?}: {text}");
        }
        for (line, _) in page.examples {
            assert!(text.contains(line), "{args:?}: {text}");
        }
    }
}
