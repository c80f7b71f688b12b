//! Help: every line to paste works, and every option on a page is really read.

use crate::folder::Folder;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use stowplan::job::options::{Row, Takes};
use stowplan_cli::command::COMMANDS;
use stowplan_cli::command::subcommand::Subcommand;

/// What a subcommand says to these words.
fn refused(page: &Subcommand, words: &[String]) -> String {
    let called = page.words.split(' ').map(str::to_owned);
    let args: Vec<String> = called.chain(words.iter().cloned()).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    stowplan_cli::run(&args, &mut out, &mut err);
    String::from_utf8(err).unwrap()
}

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
    for page in COMMANDS {
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
    for page in COMMANDS.iter().filter(|page| page.words != "page") {
        for option in page.rows() {
            let told = refused(page, &[option.written()]);
            let unknown = told.contains("is no option") || told.contains("has no option");
            assert!(!unknown, "{} {}: {told}", page.words, option.written());
        }
    }
}

#[test]
fn each_subcommand_says_its_options_and_lines_to_paste() {
    for page in COMMANDS {
        let mut args: Vec<String> = page.words.split(' ').map(str::to_owned).collect();
        args.push("--help".to_owned());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        assert_eq!(stowplan_cli::run(&args, &mut out, &mut err), 0, "{args:?}");
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with(page.about), "{args:?}: {text}");
        for option in page.rows() {
            assert!(text.contains(option.help), "{args:?}: {text}");
            assert!(text.contains(&option.written()), "{args:?}: {text}");
        }
        for (line, _) in page.examples {
            assert!(text.contains(line), "{args:?}: {text}");
        }
    }
}

/// The words that an option takes are those that its refusal names, and its line of help has each.
#[test]
fn each_choice_is_in_the_help() {
    let mut found = BTreeSet::new();
    let takes_one = |row: &&Row| row.takes == Takes::One;
    for page in COMMANDS {
        for option in page.rows().filter(takes_one) {
            let mut words = vec!["x".to_owned(), option.written(), "nosuch".to_owned()];
            if page.words == "threads" {
                words[0] = "--topo=pu:1".to_owned();
                words.push("--cpus=0".to_owned());
            }
            let told = refused(page, &words);
            let first = told.lines().next().unwrap_or_default();
            let list = [": it takes one of: ", " is no word of: "];
            let Some((_, list)) = list.iter().find_map(|sign| first.split_once(sign)) else {
                continue;
            };
            for word in list.split(' ') {
                let has = option
                    .help
                    .split([' ', ',', ':', ';'])
                    .any(|own| own == word);
                assert!(
                    has,
                    "{} {}: {word} is not told: {}",
                    page.words,
                    option.written(),
                    option.help
                );
            }
            found.insert(format!("{} {}", page.words, option.written()));
        }
    }
    assert!(found.len() >= 12, "{found:?}");
}

/// A missing value, a second one, a slip: one sentence for each, whatever the subcommand.
#[test]
fn refusals_of_options_are_the_same_everywhere() {
    for page in COMMANDS
        .iter()
        .filter(|page| !["map", "export"].contains(&page.words))
    {
        // A slip in a short name is near to many.
        let long = |row: &&Row| row.takes == Takes::One && row.names[0].len() > 3;
        let Some(row) = page.options.iter().find(long) else {
            continue;
        };
        let name = row.written();
        let lacks = format!(
            "error[bad-option]: {name} lacks its value\nhelp: {name} {}: {}\n",
            row.metavar, row.help
        );
        assert_eq!(
            refused(page, std::slice::from_ref(&name)),
            lacks,
            "{}",
            page.words
        );
        let slip = format!("{name}q");
        let told = refused(page, std::slice::from_ref(&slip));
        let unknown = format!(
            "error[bad-option]: {} has no option {slip}\nhelp: did you mean {name}?\n",
            page.words
        );
        assert_eq!(told, unknown);
    }
}
