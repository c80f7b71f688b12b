//! Networks in all forms, compared with a loop over the edges of small jobs; figures of advice, compared with the score of its words.

use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use stowplan_cli::Console;
use stowplan_cli::format::screen::Screen;
use stowplan_cli::progress::Audience;
use stowplan_engine::stage::resolve::Files;
use stowplan_scale_tests::choices::Choices;
use stowplan_scale_tests::networks::jobs::{self, Job, Pattern};
use stowplan_scale_tests::networks::plain::{Figures, Leaving, figures};
use stowplan_scale_tests::networks::{Drawn, draw};
use stowplan_scale_tests::size::is_long;

/// Files of a case, by name.
#[derive(Default)]
struct Held(BTreeMap<&'static str, String>);

impl Files for Held {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.0.get(path) {
            Some(text) => Ok(text.clone().into_bytes()),
            None => stowplan_cli::disk::Disk.read(path),
        }
    }
}

/// What the command answers; nothing may be refused.
fn told(files: &Held, words: &[&[String]]) -> String {
    let words = words.concat();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console {
        out: &mut out,
        err: &mut err,
        files,
        screen: Screen::page(),
        audience: Audience::Nobody,
    };
    let status = stowplan_cli::run_on(&words, &mut console);
    let err = String::from_utf8_lossy(&err);
    assert_eq!(status, 0, "{words:?}\n{:?}\n{err}", files.0);
    String::from_utf8(out).unwrap()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// The node of each rank, as `map` has it.
fn places(files: &Held, drawn: &Drawn, job: &Job) -> Vec<usize> {
    let map = words("map --format tsv --columns rank,node");
    let rows = told(files, &[&map, &drawn.words(), &job.words]);
    let rows = rows.lines().filter(|row| !row.starts_with('#'));
    let node = |row: &str| {
        let (_, name) = row.split_once('\t').unwrap();
        drawn.nodes.iter().position(|node| node == name).unwrap()
    };
    rows.map(node).collect()
}

/// What an answer says of a level.
fn level(wanted: &Leaving) -> Value {
    json!({
        "level": wanted.level, "leave": wanted.leave, "worst": wanted.worst, "worst_of": wanted.worst_of,
        "objects": wanted.objects, "nodes": wanted.nodes, "pair": wanted.pair, "pair_of": wanted.pair_of,
    })
}

fn compare(drawn: &Drawn, told: &Value, wanted: &Figures, what: &str) {
    let levels = told["levels"].as_array().unwrap();
    for (wanted, found) in wanted.levels.iter().map(level).zip(levels) {
        for (key, value) in wanted.as_object().unwrap() {
            assert_eq!(&found[key], value, "{key}: {what}");
        }
    }
    let node = &levels[wanted.levels.len()];
    let (leave, worst, worst_of) = &wanted.node;
    assert_eq!(node["level"], "node", "{what}");
    assert_eq!(
        json!([node["leave"], node["worst"], node["worst_of"]]),
        json!([leave, worst, worst_of]),
        "{what}"
    );
    let network = json!({
        "kind": drawn.kind, "hops": wanted.hops, "far": wanted.far, "apart": wanted.apart, "J": wanted.j,
    });
    for (key, value) in network.as_object().unwrap() {
        assert_eq!(&told["network"][key], value, "{key}: {what}");
    }
}

#[test]
fn scores_on_networks_of_all_forms_agree_with_a_loop() {
    let counted = AtomicUsize::new(0);
    (0..4000).into_par_iter().for_each(|number| {
        let mut choices = Choices::seeded(number ^ 0x6e65_7477);
        let mut drawn = draw(&mut choices);
        if choices.once_in(4) {
            drawn.rename(&mut choices);
        }
        let job = jobs::job(&mut choices, &drawn, 4);
        let pattern = jobs::pattern(&mut choices, job.ranks);
        let mut distances = vec![0];
        for _ in 0..=drawn.levels.len() {
            let next = distances.last().unwrap() + u64::from(choices.below(9));
            distances.push(next);
        }
        let files = Held(
            [
                ("net", drawn.file.clone()),
                ("matrix", pattern.matrix.clone()),
            ]
            .into(),
        );
        let nodes = places(&files, &drawn, &job);
        let wanted = figures(&drawn, &nodes, &pattern.edges, &distances);
        let distances: Vec<String> = distances.iter().map(u64::to_string).collect();
        let line = format!(
            "score --format json --pattern {} --distances {}",
            pattern.word,
            distances.join(":")
        );
        let line = [words(&line), drawn.words(), words("--"), job.words].concat();
        let told: Value = serde_json::from_str(&told(&files, &[&line])).unwrap();
        let what = format!("{number}: {line:?}\n{}", drawn.file);
        compare(&drawn, &told, &wanted, &what);
        counted.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(counted.into_inner(), 4000);
}

/// What an answer claims, level by level to the node.
fn claimed(answer: &Value) -> Vec<Value> {
    let levels = answer["levels"].as_array().unwrap().iter();
    levels
        .map(|level| {
            json!([
                level["level"],
                level["leave"],
                level["worst"],
                level["pair"]
            ])
        })
        .collect()
}

/// The same from a score of the answer's words, and from a loop over the edges of the ranks as `map` places them.
fn found_again(
    files: &Held,
    drawn: &Drawn,
    pattern: &Pattern,
    job: &Job,
) -> (Vec<Value>, Vec<Value>) {
    let line = words(&format!("score --format json --pattern {}", pattern.word));
    let score = told(files, &[&line, &drawn.words(), &words("--"), &job.words]);
    let score: Value = serde_json::from_str(&score).unwrap();
    let nodes = places(files, drawn, job);
    let plain = figures(drawn, &nodes, &pattern.edges, &[]);
    let mut scored = Vec::new();
    for level in score["levels"].as_array().unwrap() {
        scored.push(json!([
            level["level"],
            level["leave"],
            level["worst"],
            level["pair"]
        ]));
        if level["level"] == "node" {
            break;
        }
    }
    let levels = plain.levels.iter();
    let mut looped: Vec<Value> = levels
        .map(|own| json!([own.level, own.leave, own.worst, own.pair]))
        .collect();
    looped.push(json!(["node", plain.node.0, plain.node.1, null]));
    (scored, looped)
}

/// The job with the words of an answer in place of its own.
fn with_words(job: &Job, own: Vec<String>) -> Job {
    let map = job.words.iter().position(|word| word == "--map-by");
    let map = map.unwrap();
    let kept = [&job.words[..map], &job.words[map + 2..]].concat();
    let ordered = own.iter().any(|word| word == "--node-order");
    let kept: Vec<String> = kept
        .into_iter()
        .filter(|word| !ordered || (word != "--node-order" && word != "network"))
        .collect();
    Job {
        words: [kept, own].concat(),
        ranks: job.ranks,
    }
}

/// A job in pieces of a network, its advice, and all that the advice claims. Gives the number of answers.
fn judge_advice(number: u64) -> usize {
    let mut choices = Choices::seeded(number ^ 0x6164_7669);
    let drawn = draw(&mut choices);
    let job = jobs::job(&mut choices, &drawn, 3);
    let pattern = if choices.once_in(4) {
        jobs::matrix(&mut choices, job.ranks)
    } else {
        jobs::grid(&mut choices, job.ranks)
    };
    let mut files = Held(
        [
            ("net", drawn.file.clone()),
            ("matrix", pattern.matrix.clone()),
        ]
        .into(),
    );
    let by = *choices.pick(&["", "", "sum", "pair"]);
    let mut line = words(&format!("advise --format json --pattern {}", pattern.word));
    if by == "sum" || by == "pair" {
        line.extend(["--by", by].map(str::to_owned));
    }
    let advise = |files: &Held, more: &[String]| {
        let all = [&line, more, &drawn.words(), &words("--"), &job.words];
        serde_json::from_str::<Value>(&told(files, &all)).unwrap()
    };
    let advice = advise(&files, &[]);
    let answers = advice["answers"].as_array().unwrap();
    let path = std::env::temp_dir().join(format!("stowplan-{}-{number}", std::process::id()));
    let mut found = 0;
    for (at, answer) in (1..).zip(answers) {
        let mut own: Vec<String> = serde_json::from_value(answer["words"].clone()).unwrap();
        let what = format!(
            "{number}, answer {at}: {line:?} {:?} {job:?}\n{}",
            drawn.word, drawn.file
        );
        if own.last().is_some_and(|word| word == "file:ORDER") {
            // Of orders without a name, the first is written and scored: each costs advice again.
            found += 1;
            if found > 1 {
                continue;
            }
            let file = path.display().to_string();
            let order = ["--order", &file, "--answer", &at.to_string()].map(str::to_owned);
            let again = advise(&files, &order);
            assert_eq!(
                again["answers"].as_array().unwrap().len(),
                answers.len(),
                "{what}"
            );
            files
                .0
                .insert("order", std::fs::read_to_string(&path).unwrap());
            own.pop();
            own.push("file:order".to_owned());
            std::fs::remove_file(&path).unwrap();
        }
        let again = with_words(&job, own);
        let (scored, looped) = found_again(&files, &drawn, &pattern, &again);
        assert_eq!(claimed(answer), scored, "scored: {what}");
        assert_eq!(scored, looped, "counted: {what}");
        let sum: u64 = looped.iter().map(|own| own[1].as_u64().unwrap()).sum();
        assert_eq!(answer["sum"], sum, "{what}");
    }
    answers.len()
}

#[test]
fn advice_on_pieces_of_networks_claims_what_its_words_give() {
    let (jobs, least) = match is_long() {
        true => (300, 1_000),
        false => (100, 300),
    };
    let answers: usize = (0..jobs).into_par_iter().map(judge_advice).sum();
    assert!(answers > least, "{answers} answers of {jobs} jobs");
}
