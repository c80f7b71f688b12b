//! Control characters and marks of direction in programs, their words and variables: no format and no script shows them raw, and
//! scripts start the program with the words that were given.

use crate::console::{MadeUp, stowplan};
use crate::folder::Folder;
use std::process::Command;
use stowplan_engine::text::printable::disturbs;

/// Characters that a terminal would act on, and a quote for good measure.
const BAD: &str = "\u{1b}]0;x\u{7}\u{202e}\u{2066}\u{85}'\t\n\u{feff}";

fn line(words: &[&str]) -> crate::console::Said {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    stowplan(&words, &MadeUp::default())
}

/// Saves plans of one program and of two, with words that disturb.
fn plans(folder: &Folder) -> [String; 3] {
    let (word, variable) = (format!("w{BAD}"), format!("OMP_PLACES=x{BAD}"));
    let program = format!("./x{BAD}");
    let job = [
        "map",
        "--topo",
        "package:2 core:2 pu:1",
        "-H",
        "a:4,b:4",
        "--format",
        "taskmap",
    ];
    let plan = |name: &str, more: &[&str]| {
        let path = folder.file(name);
        let said = line(&[&job[..], &["--save", &path], more].concat());
        assert_eq!(said.status, 0, "{}", said.err);
        path
    };
    [
        plan("one", &["-n", "4", "-x", &variable, &program, &word]),
        plan(
            "by-node",
            &[
                "-n",
                "4",
                "--map-by",
                "node",
                "--bind-to",
                "core",
                &program,
                &word,
            ],
        ),
        plan(
            "two",
            &[
                "-n",
                "4",
                "./a",
                &word,
                ":",
                "-n",
                "2",
                &program,
                &word.replace('\n', ""),
            ],
        ),
    ]
}

#[test]
fn no_format_and_no_script_shows_them() {
    let folder = Folder::new("raw");
    let plans = plans(&folder);
    let formats = [
        "text", "map", "tsv", "ndjson", "json", "html", "svg", "taskmap", "pmi", "raw",
    ];
    let dialects = [
        "srun",
        "prterun",
        "hydra",
        "intel",
        "flux",
        "pals",
        "jsrun",
        "rank-order",
        "hostfile",
        "rankfile",
        "coords",
    ];
    let mut answers = 0;
    for plan in &plans {
        let shown = formats.map(|format| vec!["show", plan, "--format", format]);
        let written = dialects.map(|dialect| vec!["export", dialect, plan]);
        let more = [
            vec!["explain", "0", plan, "--format", "json"],
            vec!["diff", plan, &plans[0]],
            vec!["export", plan],
            vec!["onto", plan, "-H", "q,r"],
            vec!["export", "srun", plan, "--dir", BAD],
        ];
        for words in shown.into_iter().chain(written).chain(more) {
            let said = line(&words);
            answers += usize::from(said.status == 0);
            for text in [&said.out, &said.err] {
                // The lines of scripts and tables have tabs of their own.
                let raw = text
                    .chars()
                    .find(|&sign| !"\n\t".contains(sign) && disturbs(sign));
                assert_eq!(raw, None, "{words:?}");
            }
        }
    }
    assert!(answers > 40, "{answers} answers");
}

/// A launcher that does what these lines say.
fn launcher(folder: &Folder, lines: &str) -> String {
    folder.write("launcher", &format!("#!/bin/sh\n{lines}\n"));
    let path = folder.file("launcher");
    let made = Command::new("chmod").args(["+x", &path]).status().unwrap();
    assert!(made.success());
    path
}

/// What a script's launcher prints.
fn printed(folder: &Folder, script: &str, launcher: &str) -> Vec<u8> {
    folder.write("run.sh", script);
    let mut run = Command::new("sh");
    run.arg(folder.file("run.sh"))
        .env("STOWPLAN_LAUNCHER", launcher)
        .current_dir(folder.path());
    run.output().unwrap().stdout
}

#[test]
fn scripts_start_the_program_with_its_words() {
    let folder = Folder::new("raw-words");
    let [one, by_node, _] = plans(&folder);
    let launcher = launcher(&folder, "printf '%s\\0' \"$@\"");
    let mut started = 0;
    for plan in [&one, &by_node] {
        for dialect in ["srun", "prterun", "hydra", "intel", "flux", "pals", "jsrun"] {
            let said = line(&["export", dialect, plan]);
            if said.status != 0 {
                continue;
            }
            let words = String::from_utf8(printed(&folder, &said.out, &launcher)).unwrap();
            let expected = format!("\0./x{BAD}\0w{BAD}\0");
            assert!(words.ends_with(&expected), "{dialect}: {words:?}");
            started += 1;
        }
    }
    assert!(started > 8, "{started} scripts");
}

#[test]
fn lines_of_programs_in_a_script_are_those_of_the_file_beside_it() {
    let folder = Folder::new("raw-lines");
    let launcher = launcher(&folder, "for last; do :; done\ncat \"$last\"");
    let program = format!("./x{}", BAD.replace('\n', ""));
    let job = [
        "--topo",
        "core:4 pu:1",
        "-H",
        "a:4",
        "-n",
        "1",
        "./a",
        ":",
        "-n",
        "1",
        &program,
    ];
    for dialect in ["srun", "flux"] {
        let inside = line(&[&["export", dialect][..], &job].concat());
        assert_eq!(inside.status, 0, "{}", inside.err);
        assert!(!inside.out.contains('\u{1b}'));
        let beside = folder.file(dialect);
        let said = line(&[&["export", dialect, "--dir", &beside][..], &job].concat());
        assert_eq!(said.status, 0, "{}", said.err);
        let file = std::fs::read(folder.path().join(dialect).join("programs")).unwrap();
        assert!(file.contains(&0x1b));
        assert_eq!(printed(&folder, &inside.out, &launcher), file, "{dialect}");
    }
}
