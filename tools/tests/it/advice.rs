//! Advice, from the question to the exported order: every kind of file gives the figure that advice claims, and pictures show it.

use crate::console::{MadeUp, Said, stowplan, words};
use crate::folder::Folder;
use serde_json::Value;
use std::fs;

const MACHINE: &str = "--topo 'package:2 core:6 pu:1' -H n[0-3]:12";

fn run(line: &str, files: &MadeUp) -> Said {
    let said = stowplan(&words(line), files);
    assert_eq!(said.status, 0, "{line}: {}", said.err);
    said
}

/// What leaves the nodes of a job, and what leaves the worst node.
fn scored(pattern: &str, job: &str, files: &MadeUp) -> (u64, u64) {
    let said = run(
        &format!("score --format json --pattern {pattern} -- {job}"),
        files,
    );
    let found: Value = serde_json::from_str(&said.out).unwrap();
    let node = &found["levels"][0];
    (
        node["leave"].as_u64().unwrap(),
        node["worst"].as_u64().unwrap(),
    )
}

/// The content of the file that an exported script writes under this name.
fn written(script: &str, name: &str) -> String {
    let start = format!("cat >\"$stowplan_dir/{name}\" <<'END_OF_FILE' || exit 1\n");
    let from = script.find(&start).unwrap() + start.len();
    let end = script[from..].find("END_OF_FILE").unwrap();
    script[from..from + end].to_owned()
}

/// Hosts with `*N` written out, one host a line.
fn each_host(hosts: &str) -> String {
    let mut all = String::new();
    for line in hosts.lines() {
        let (host, count) = line.split_once('*').unwrap_or((line, "1"));
        for _ in 0..count.parse().unwrap() {
            all += &format!("{host}\n");
        }
    }
    all
}

/// The answers of advice: their words, and the figures that they claim. A searched order is written into the folder, and its path
/// is put into the words.
fn advised(
    folder: &Folder,
    pattern: &str,
    job: &str,
    files: &mut MadeUp,
) -> Vec<(Vec<String>, (u64, u64))> {
    let path = folder.file("order");
    let line = format!("advise --format json --order {path} --pattern {pattern} -- {job}");
    let said = run(&line, files);
    let order = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    files.files.insert(path, order);
    let found: Value = serde_json::from_str(&said.out).unwrap();
    let mut answers = Vec::new();
    for answer in found["answers"].as_array().unwrap() {
        let words = answer["words"].as_array().unwrap().iter();
        let words: Vec<String> = words
            .map(|word| word.as_str().unwrap().to_owned())
            .collect();
        let figure = |key: &str| answer[key].as_u64().unwrap();
        if words.last().is_none_or(|word| word != "file:ORDER") {
            answers.push((words, (figure("leave"), figure("worst"))));
        }
    }
    answers
}

#[test]
fn every_exported_file_gives_the_figure_that_advice_claims() {
    let folder = Folder::new("advice-exported");
    for pattern in [
        "halo:6x8",
        "halo:4x4x3:periodic",
        "transpose:4x12",
        "halo:8x6:hops=2",
    ] {
        let mut files = MadeUp::default();
        let asked = format!("{MACHINE} -n 48 --map-by node --rank-by node --bind-to core");
        let answers = advised(&folder, pattern, &asked, &mut files);
        assert!(answers.len() > 3, "{pattern}");
        let mut arbitrary = 0;
        for (words, claimed) in answers {
            let job = format!("{MACHINE} -n 48 {}", words.join(" "));
            assert_eq!(scored(pattern, &job, &files), claimed, "{pattern}: {job}");
            let given = |name: &str, text: String, words: &str| {
                let mut files = files.clone();
                files.files.insert(name.to_owned(), text.into_bytes());
                let job = format!("{MACHINE} -n 48 {words}");
                assert_eq!(
                    scored(pattern, &job, &files),
                    claimed,
                    "{name} of {pattern}: {job}"
                );
            };
            let order = run(&format!("export rank-order {job}"), &files).out;
            given("order", order, "--map-by slot --rank-order file:order");
            let script = run(&format!("export prterun {job}"), &files).out;
            given(
                "ranks",
                written(&script, "ranks"),
                "--map-by rankfile:file=ranks",
            );
            // srun takes only one list of cpus for all nodes.
            let script = stowplan(
                &crate::console::words(&format!("export srun {job}")),
                &files,
            );
            if script.status == 0 && script.out.contains("-m arbitrary") {
                let hosts = each_host(&written(&script.out, "hosts"));
                given("hosts", hosts, "--map-by seq:file=hosts");
                arbitrary += 1;
            }
            let map = run(&format!("map --format taskmap {job}"), &files).out;
            given("map", map, "--taskmap @map");
        }
        assert!(arbitrary > 0, "{pattern}: srun can say some");
    }
}

#[test]
fn words_for_one_of_several_apps_place_it_as_claimed() {
    let folder = Folder::new("advice-apps");
    let mut files = MadeUp::default();
    let job = format!("{MACHINE} -n 8 ./io : -n 32 --map-by node ./ocean");
    let pattern = "1=halo:4x8";
    let answers = advised(&folder, pattern, &job, &mut files);
    assert!(
        answers
            .iter()
            .any(|answer| answer.1 < answers.last().unwrap().1)
    );
    for (words, claimed) in answers {
        let job = format!("{MACHINE} -n 8 ./io : -n 32 {} ./ocean", words.join(" "));
        assert_eq!(scored(pattern, &job, &files), claimed, "{job}");
        let map = run(&format!("map --format taskmap {job}"), &files).out;
        let mut files = MadeUp::default();
        files.files.insert("map".to_owned(), map.into_bytes());
        let again = format!("{MACHINE} --taskmap @map -n 8 ./io : -n 32 ./ocean");
        let said = stowplan(
            &crate::console::words(&format!(
                "score --format json --pattern {pattern} -- {again}"
            )),
            &files,
        );
        if said.status == 0 {
            assert_eq!(scored(pattern, &again, &files), claimed, "{again}");
        }
    }
}

#[test]
fn pictures_show_what_leaves() {
    let files = MadeUp::default();
    let job = "--topo 'package:2 core:2 pu:1' -H n[0-3]:4 -n 16 --map-by core --bind-to core";
    let svg = run(
        &format!("score --format svg --pattern halo:4x4 -- {job}"),
        &files,
    )
    .out;
    let path = |class: &str| {
        let start = svg.find(&format!("<path class=\"{class}\"")).unwrap();
        let from = start + svg[start..].find(" d=\"").unwrap() + " d=\"".len();
        let end = svg[from..].find('"').unwrap();
        svg[from..from + end].matches('M').count()
    };
    // Each line counts in both directions.
    assert_eq!((2 * path("out"), 2 * path("in")), (24, 24));
    assert_eq!(svg.matches("class=\"p a").count(), 16);
    for (command, pattern) in [
        ("score", "alltoall:5"),
        ("score", "halo:4x4"),
        ("advise", "halo:4x4"),
    ] {
        let line = format!("{command} --format html --pattern {pattern} -- {job}");
        let page = run(&line, &files).out;
        assert!(
            page.len() < 300_000 && page.starts_with("<!DOCTYPE html>"),
            "{line}"
        );
        assert!(page.contains("<figure><svg"), "{line}");
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    }
    let plot = run(
        &format!("advise --format svg --pattern halo:4x4 -- {job}"),
        &files,
    )
    .out;
    assert!(plot.contains("what you asked for"));
}

#[test]
fn a_picture_of_a_million_ranks_stays_small() {
    let job =
        "--topo 'package:2 core:64 pu:1' -H n[0-8191]:128 -n 1048576 --map-by slot --bind-to core";
    for pattern in ["halo:128x128x64:box", "alltoall", "tree:1000000", "pairs"] {
        let line = format!("score --format html --pattern {pattern} -- {job}");
        let page = run(&line, &MadeUp::default()).out;
        assert!(page.len() < 300_000, "{pattern}: {}", page.len());
    }
}
