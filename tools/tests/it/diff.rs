//! Two plans compared: the result equals a line by line comparison of their tables.

use crate::console::{MadeUp, Said, stowplan, words};
use crate::folder::Folder;
use crate::random_jobs::{job, long};
use serde_json::Value;

fn run(line: &str) -> Said {
    stowplan(&words(line), &MadeUp::default())
}

const MACHINE: &str = "--topo 'package:2 core:4 pu:2'";
const JOBS: &[&str] = &[
    "-H n[0-9]:8 -n 40 --map-by slot ./a",
    "-H n[0-9]:8 -n 40 --map-by node ./a",
    "-H n[0-9]:8 -n 40 --map-by core ./a",
    "-H n[0-9]:8 -n 40 --map-by core --rank-by node ./a",
    "-H n[0-9]:8 -n 40 --map-by core --rank-by span ./a",
    "-H n[0-9]:8 -n 40 --map-by package --rank-by fill ./a",
    "-H n[0-9]:8 -n 40 --map-by core --bind-to none ./a",
    "-H n[0-9]:8 -n 33 --map-by core ./a",
    "-H n[3-9]:8,m[0-3]:8 -n 40 --map-by core ./a",
    "-H n[0-9]:8 -n 20 --map-by core ./a : -n 20 --map-by numa ./b",
    "-H n[0-9]:8 -n 20 --map-by core ./a : -n 20 --map-by package ./b",
];

fn table(job: &str) -> Vec<Vec<String>> {
    let said = run(&format!("map --format tsv {job}"));
    assert_eq!(said.status, 0, "{job}: {}", said.err);
    rows(&said)
}

fn rows(said: &Said) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    said.out.lines().skip(1).map(cells).collect()
}

/// The kind of change, and three cells of each side.
fn naive(a: Option<&Vec<String>>, b: Option<&Vec<String>>) -> Option<String> {
    let place = |row: Option<&Vec<String>>| {
        row.map_or(["-", "-", "-"].map(str::to_owned), |row| {
            [row[3].clone(), row[4].clone(), row[7].clone()]
        })
    };
    let (ours, theirs) = (place(a), place(b));
    let change = match (a, b) {
        (Some(_), None) => "gone",
        (None, Some(_)) => "new",
        _ if ours[0] != theirs[0] => "node",
        _ if ours[2] != theirs[2] => "cpus",
        _ if ours[1] != theirs[1] => "local_rank",
        _ => return None,
    };
    Some(format!(
        "{change}\t{}\t{}",
        ours.join("\t"),
        theirs.join("\t")
    ))
}

/// Checks that the comparison of two jobs equals the comparison of their tables. Gives whether they differ.
fn differ_as_tables_do(jobs: [&str; 2], tables: [&[Vec<String>]; 2]) -> bool {
    let ([a, b], [ours, theirs]) = (jobs, tables);
    let rows = 0..ours.len().max(theirs.len());
    let lines: Vec<String> = rows
        .filter_map(|rank| {
            let line = naive(ours.get(rank), theirs.get(rank))?;
            Some(format!("{rank}\t{line}"))
        })
        .collect();
    let line = |format| run(&format!("diff --format {format} -- {a} -- {b}"));
    let tsv = line("tsv");
    assert_eq!(
        tsv.out.lines().skip(1).collect::<Vec<_>>(),
        lines,
        "{a} | {b}"
    );
    let json = line("json");
    let status = u8::from(!lines.is_empty());
    assert_eq!((tsv.status, json.status), (status, status), "{a} | {b}");
    let told: Value = serde_json::from_str(&json.out).unwrap();
    let count = |word: &str| {
        let is = |line: &&String| line.split('\t').nth(1) == Some(word);
        lines.iter().filter(is).count()
    };
    for (word, given) in [
        ("node", &told["moved"]["node"]),
        ("cpus", &told["moved"]["cpus"]),
        ("local_rank", &told["moved"]["local_rank"]),
        ("gone", &told["gone"]),
        ("new", &told["new"]),
    ] {
        assert_eq!(
            given.as_u64(),
            Some(count(word) as u64),
            "{word}: {a} | {b}"
        );
    }
    let both = ours.len().min(theirs.len());
    let moved = count("node") + count("cpus") + count("local_rank");
    assert_eq!(told["same"].as_u64(), Some((both - moved) as u64));
    let places = |rows: &[Vec<String>]| {
        let mut places: Vec<[String; 3]> = rows
            .iter()
            .map(|row| [row[3].clone(), row[4].clone(), row[7].clone()])
            .collect();
        places.sort();
        places
    };
    let reordered = !lines.is_empty() && places(ours) == places(theirs);
    assert_eq!(told["reordered"], Value::Bool(reordered), "{a} | {b}");
    let text = line("text");
    assert!(text.out.lines().count() <= 24, "{}", text.out);
    !lines.is_empty()
}

#[test]
fn every_pair_differs_as_its_tables_do() {
    let jobs: Vec<String> = JOBS.iter().map(|job| format!("{MACHINE} {job}")).collect();
    for a in &jobs {
        for b in &jobs {
            differ_as_tables_do([a, b], [&table(a), &table(b)]);
        }
    }
}

#[test]
fn jobs_at_random_differ_as_their_tables_do() {
    let pairs = if long() { 20_000 } else { 700 };
    let (mut seed, mut different) = (11_u64, 0);
    let mut placed = || loop {
        let job = job(&mut seed);
        let said = run(&format!("map --format tsv {job}"));
        if said.status == 0 {
            return (job, rows(&said));
        }
    };
    let mut before = placed();
    for _ in 0..pairs {
        let next = placed();
        let (jobs, tables) = ([&*before.0, &*next.0], [&*before.1, &*next.1]);
        different += usize::from(differ_as_tables_do(jobs, tables));
        before = next;
    }
    println!("{pairs} pairs, {different} of them differ");
    assert!(different * 2 > pairs, "{different}");
}

#[test]
fn plans_and_jobs_are_the_same_by_either_way_and_the_word_is_named() {
    let folder = Folder::new("diff");
    let plan = folder.file("job.plan");
    let (a, b) = (JOBS[2], JOBS[3]);
    assert_eq!(run(&format!("map {MACHINE} --save {plan} {a}")).status, 0);
    let same = run(&format!("diff {plan} -- {MACHINE} {a}"));
    assert_eq!((same.status, same.err.as_str()), (0, ""), "{}", same.out);
    for line in [
        format!("diff --format json {plan} -- {MACHINE} {b}"),
        format!("diff --format json -- {MACHINE} {a} -- {MACHINE} {b}"),
    ] {
        let said = run(&line);
        assert_eq!(said.status, 1, "{}", said.err);
        let told: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(told["reordered"], Value::Bool(true));
        let cause = serde_json::json!({"option": "--rank-by", "app": 0, "a": null, "b": "node"});
        assert_eq!(told["cause"], cause);
    }
    for (line, class) in [
        ("diff", "bad-option"),
        ("diff a.plan", "bad-option"),
        ("diff -- -n 2 ./a", "bad-option"),
        ("diff nowhere.plan nowhere.plan", "bad-plan"),
        ("diff --format raw -- -n 1 -- -n 2", "bad-value"),
        ("diff --topo x -- -n 1 -- -n 2", "bad-option"),
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
