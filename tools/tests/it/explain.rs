//! Why a rank is where it is: each number is the plan's, and each other job that is mentioned was really planned.

use crate::console::{MadeUp, Said, stowplan, words};
use crate::folder::Folder;
use crate::random_jobs::{job, long};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

fn run(line: &str) -> Said {
    stowplan(&words(line), &MadeUp::default())
}

fn quoted(words: &Value) -> Vec<String> {
    let words = words.as_array().expect("a job keeps its words").iter();
    words
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

fn map(words: &[String]) -> Said {
    let mut line = vec!["map".to_owned(), "--format".to_owned(), "tsv".to_owned()];
    line.extend_from_slice(words);
    stowplan(&line, &MadeUp::default())
}

fn rows(said: &Said) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    said.out.lines().skip(1).map(cells).collect()
}

/// The number after these words.
fn after(text: &str, words: &str) -> Option<u64> {
    let digits: String = text
        .split(words)
        .nth(1)?
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

/// What the rows of a job say about an app. The sentences must agree with this.
struct OfApp<'r> {
    rows: Vec<&'r Vec<String>>,
}

impl<'r> OfApp<'r> {
    fn of(rows: &'r [Vec<String>], app: &str) -> Self {
        let own = rows.iter().filter(|row| row[1] == app);
        Self {
            rows: own.collect(),
        }
    }

    fn on(&self, node: &str) -> Vec<u64> {
        let own = self.rows.iter().filter(|row| row[3] == node);
        own.map(|row| row[0].parse().unwrap()).collect()
    }

    fn nodes(&self) -> usize {
        self.rows
            .iter()
            .map(|row| &row[3])
            .collect::<HashSet<_>>()
            .len()
    }
}

/// Checks each number of the sentences against the table.
fn sentences_hold(all: &str, row: &[String], app: &OfApp<'_>) {
    let (node, rank) = (&row[3], row[0].parse::<u64>().unwrap());
    let here = app.on(node);
    let nodes = app.nodes();
    let count = if nodes == 1 {
        "1 node".to_owned()
    } else {
        format!("{nodes} nodes")
    };
    assert!(all.contains(&format!("{node} is number")), "{all}");
    assert!(
        all.contains(&format!("of the {count} that app {} is on", row[1])),
        "{all}"
    );
    let all_of = match app.rows.len() {
        1 => "1 process".to_owned(),
        procs => format!("{procs} processes"),
    };
    let holds = format!("holds {} of its {all_of}", here.len());
    assert!(all.contains(&holds), "{holds}: {all}");
    assert!(
        after(all, &format!("{node} is number ")).unwrap() < nodes as u64,
        "{all}"
    );
    assert!(all.contains(&format!("local rank {} ", row[4])), "{all}");
    assert!(
        row[6] == "-" || all.contains(&format!("gets {} of", row[6])),
        "{all}"
    );
    assert!(
        row[7] == "-" || all.contains(&format!("cpus {} (OS", row[7])),
        "{all}"
    );
    if let Some(before) = all
        .split(", the node before, holds ")
        .next()
        .filter(|text| text.len() < all.len())
    {
        let name = before.rsplit([' ', '|']).next().unwrap();
        let held = after(all, ", the node before, holds ").unwrap();
        assert_eq!(held, app.on(name).len() as u64, "{all}");
    }
    if let Some(base) = after(all, "begins with rank ") {
        let first = app.rows[0][0].parse::<u64>().unwrap();
        assert_eq!(base, first, "{all}");
    }
    if all.contains("ranks go node by node") {
        let first = after(all, &format!("so {node} begins with rank ")).unwrap();
        let inside = after(all, &format!("and rank {rank} is number ")).unwrap();
        assert_eq!((first, first + inside), (here[0], rank), "{all}");
    }
    if let Some(number) = after(all, "and this is number ") {
        assert_eq!(number.to_string(), row[2], "{all}");
    }
    let sum = all
        .split(": ")
        .find(|part| part.contains(" = ") && part.contains(" + "));
    if let Some(sum) = sum {
        let numbers: Vec<u64> = sum
            .split(|sign: char| !sign.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .collect();
        assert_eq!(numbers[0] + numbers[1] + numbers[2], numbers[3], "{all}");
        assert_eq!(numbers[3], rank, "{all}");
    }
}

#[test]
fn every_sentence_follows_the_plan_and_every_other_job_moves_the_rank() {
    let jobs = if long() { 20_000 } else { 700 };
    let (mut seed, mut placed, mut explained, mut moved, mut nothing) = (1_u64, 0, 0, 0, 0);
    while placed < jobs {
        let job = job(&mut seed);
        let table = run(&format!("map --format tsv {job}"));
        if table.status != 0 {
            continue;
        }
        placed += 1;
        let own = rows(&table);
        let said = run(&format!(
            "explain --format json 0-{} -- {job}",
            own.len() - 1
        ));
        assert_eq!(said.status, 0, "{job}: {}", said.err);
        assert_eq!(said.out.lines().count(), own.len(), "{job}");
        let mut others: HashMap<String, Vec<Vec<String>>> = HashMap::new();
        for (row, line) in own.iter().zip(said.out.lines()) {
            let told: Value = serde_json::from_str(line).unwrap();
            let why: Vec<&str> = told["why"]
                .as_array()
                .unwrap()
                .iter()
                .map(|s| s.as_str().unwrap())
                .collect();
            assert_eq!(told["rank"].to_string(), row[0]);
            assert_eq!(told["node"].as_str(), Some(row[3].as_str()));
            assert_eq!(told["local_rank"].to_string(), row[4]);
            assert_eq!(told["cpus"].as_str().unwrap_or("-"), row[7]);
            assert_eq!(told["object"].as_str().unwrap_or("-"), row[6]);
            sentences_hold(&why.join(" | "), row, &OfApp::of(&own, &row[1]));
            explained += 1;
            let instead = &told["instead"];
            if instead.is_null() {
                nothing += 1;
                continue;
            }
            let other = others
                .entry(instead["words"].to_string())
                .or_insert_with(|| {
                    let other = map(&quoted(&instead["words"]));
                    assert_eq!(other.status, 0, "{job}: {}", other.err);
                    rows(&other)
                });
            let there = &other[row[0].parse::<usize>().unwrap()];
            assert!(
                (&there[3], &there[7]) != (&row[3], &row[7]),
                "{job}: rank {}",
                row[0]
            );
            assert_eq!(instead["node"].as_str(), Some(there[3].as_str()));
            assert_eq!(instead["cpus"].as_str().unwrap_or("-"), there[7]);
            assert_eq!(instead["local_rank"].to_string(), there[4]);
            moved += 1;
        }
    }
    println!(
        "{placed} jobs, {explained} ranks explained, {moved} with other words, {nothing} without"
    );
    assert!(explained > 3 * jobs && moved * 10 > explained * 9);
}

#[test]
fn a_saved_plan_is_explained_without_its_words() {
    let folder = Folder::new("explain");
    let plan = folder.file("job.plan");
    let jobs = if long() { 5_000 } else { 400 };
    let (mut seed, mut moved, mut asked) = (7_u64, 0, 0);
    for _ in 0..jobs {
        let job = job(&mut seed);
        if run(&format!("map --save {plan} {job}")).status != 0 {
            continue;
        }
        let of_job: Value =
            serde_json::from_str(&run(&format!("explain --format json 0 -- {job}")).out).unwrap();
        let said = run(&format!("explain --format json 0 {plan}"));
        assert_eq!(said.status, 0, "{}", said.err);
        let of_plan: Value = serde_json::from_str(&said.out).unwrap();
        for key in [
            "rank",
            "node",
            "local_rank",
            "object",
            "cpus",
            "words",
            "why",
        ] {
            assert_eq!(of_plan[key], of_job[key], "{job}");
        }
        asked += usize::from(!of_job["instead"].is_null());
        if !of_plan["instead"].is_null() {
            assert!(of_plan["instead"]["words"].is_null());
            moved += 1;
        } else if !of_job["instead"].is_null() {
            println!("none from the plan: {job}");
        }
    }
    println!("{moved} of {asked} saved plans have other words");
    assert!(moved * 10 >= asked * 9, "{moved} of {asked}");
}

#[test]
fn a_refusal_comes_with_jobs_that_fit() {
    for (job, class) in [
        ("-H a:2,b:2 -n 5 ./a", "not-enough-slots"),
        ("-H nid[001-004] -n 64 ./a", "not-enough-slots"),
        ("-H a:4 -n 4 ./a : -n 1 ./b", "nodes-full"),
        (
            "-H a:8 -n 8 --map-by core:pe=2 --bind-to core ./a",
            "pe-exceeds-object",
        ),
        (
            "-H a:16 -n 9 --map-by core --bind-to core ./a",
            "not-enough-cpus",
        ),
        ("-H a:9 -n 3 --map-by package:pe=3 ./a", "not-enough-cpus"),
        (
            "-H a:4,b:4 -n 20 --map-by ppr:1:core:oversubscribe ./a",
            "ppr-too-many",
        ),
        ("-H a:4 -n 3 --map-by pe-list=0,1 ./a", "pe-list-exhausted"),
        ("-H a:4 -n 2 --map-by l3cache ./a", "object-not-found"),
        (
            "-H a:4 -n 2 --map-by package --bind-to l3cache ./a",
            "bind-target-not-found",
        ),
        (
            "-H a:9 -n 3 --map-by package --bind-to package:limit=1 ./a",
            "bind-limit",
        ),
        ("-H a:4 -n 2 --map-by slot:pe=5 ./a", "span-packages"),
    ] {
        let job = format!("--topo 'package:2 core:4 pu:1' {job}");
        let refused = run(&format!("map {job}"));
        assert!(
            refused.err.starts_with(&format!("error[{class}]")),
            "{job}: {}",
            refused.err
        );
        let said = run(&format!("explain --format json 0 -- {job}"));
        assert_eq!(said.status, 0, "{job}: {}", said.err);
        assert_eq!(said.out.lines().count(), 1);
        let told: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(told["refused"]["class"].as_str(), Some(class));
        assert!(told["missing"]["what"].is_string());
        let nearest = told["nearest"].as_array().unwrap();
        assert!(!nearest.is_empty(), "{job}");
        for near in nearest {
            assert_eq!(map(&quoted(&near["words"])).status, 0, "{job}: {near}");
        }
        assert_eq!(run(&format!("explain 0 -- {job}")).status, 0);
    }
}

#[test]
fn nodes_and_cpus_are_explained_and_other_refusals_stay() {
    let job = "--topo 'package:2 core:4 pu:1' -H a:4,b:4,c:4 -n 6 --map-by core ./a";
    let said = run(&format!("explain --format json --node b -- {job}"));
    assert_eq!(said.out.lines().count(), 2, "{}", said.out);
    let said = run(&format!("explain --format json --cpus 1 -- {job}"));
    assert_eq!(said.out.lines().count(), 2, "{}", said.out);
    assert!(
        run(&format!("explain --node c -- {job}"))
            .out
            .contains("no process")
    );
    for (line, class) in [
        ("explain 0 -- --map-by foo ./a", "bad-directive"),
        (&*format!("explain 6 -- {job}"), "bad-value"),
        (&*format!("explain x -- {job}"), "bad-value"),
        (&*format!("explain --node z -- {job}"), "no-such-host"),
        (&*format!("explain --cpus 99 -- {job}"), "bad-value"),
        ("explain", "bad-option"),
        ("explain 0", "bad-option"),
        ("explain 0 nowhere.plan", "bad-plan"),
        ("explain --format raw 0 nowhere.plan", "bad-value"),
    ] {
        let said = run(line);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{line}");
        assert!(
            said.err.starts_with(&format!("error[{class}]")),
            "{line}: {}",
            said.err
        );
    }
}
