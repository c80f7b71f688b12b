//! A saved plan shown again gives the bytes that `map` wrote, in every format. Parts of a plan can be shown, too.

use crate::console::{MadeUp, Said, stowplan, words};
use crate::folder::Folder;
use std::fs;

const FORMATS: [&str; 8] = [
    "text", "map", "tsv", "ndjson", "json", "taskmap", "pmi", "raw",
];
/// Jobs whose plans keep different things: orders, rounds, several topologies, idle nodes, notes, files.
const JOBS: &[&str] = &[
    "--topo 'package:2 core:4 pu:2' -H a:8,b:8 -n 3 ./a",
    "--topo 'package:2 core:4 pu:2' -H n[0-99]:8 --map-by core --rank-by span ./a x y",
    "--topo 'package:2 core:4 pu:2' -H n[0-9]:8 -n 70 --map-by package --rank-by fill ./a",
    "--topo 'package:2 core:4 pu:2' -H n[0-9]:8 -n 7 --map-by node --bind-to none ./a : -n 20 --map-by numa ./b",
    "--topo 'package:2 core:4 pu:1' --topo c='core:2 pu:2' --topo b='core:6 pu:1' -H a:4,c:2,b:6 --map-by slot ./a",
    "--topo z='core:2 pu:2' --topo 'core:6 pu:1' -H a:4,b:6 --map-by slot ./a",
    "--topo 'core:4 pu:1' -H a:4,b:4 -n 16 --map-by slot:oversubscribe ./a",
    "--topo 'core:4 pu:1' -H a:4,b:4 -n 6 --map-by ppr:3:node --head b ./a",
    "--topo 'core:4 pu:1' -H a:4,b:4 -n 4 --map-by rankfile:file=ranks ./a",
    "--topo 'core:4 pu:1' -H a:4,b:4 -n 2 -N 1 ./a",
    "--topo 'core:4 pu:2' -H n[00-40]:4 --map-by pe-list=1,3:ordered --bind-to core -n 60 ./a",
    "--topo 'package:2 core:8 pu:2' -H n[0-99]:3,m[0-9]:5 --map-by package:pe=2 --rank-by node ./a",
];

fn run(line: &str, files: &MadeUp) -> Said {
    stowplan(&words(line), files)
}

/// The saved plan of a job, as `job.plan`, together with the files that the job reads.
fn saved(job: &str, name: &str) -> MadeUp {
    let mut files = MadeUp::default();
    let ranks = b"rank 0=a slot=0\nrank 1=b slot=1\nrank 2=a slot=2\nrank 3=b slot=3\n";
    files.files.insert("ranks".to_owned(), ranks.to_vec());
    let folder = Folder::new(name);
    let path = folder.file("job.plan");
    let said = run(&format!("map --save {path} {job}"), &files);
    assert_eq!(said.status, 0, "{job}: {}", said.err);
    let bytes = fs::read(&path).unwrap();
    files.files.insert("job.plan".to_owned(), bytes);
    files
}

#[test]
fn a_saved_plan_gives_the_bytes_that_map_wrote() {
    for (at, job) in JOBS.iter().enumerate() {
        let files = saved(job, &format!("bytes-{at}"));
        for format in FORMATS {
            let first = run(&format!("map --format {format} {job}"), &files);
            let again = run(&format!("show job.plan --format {format}"), &files);
            assert_eq!(again, first, "{format}: {job}");
        }
        let judged = run("check job.plan", &files);
        assert_eq!(judged.status, 0, "{job}: {}", judged.err);
    }
}

#[test]
fn parts_are_rows_of_the_whole() {
    let files = saved(JOBS[3], "parts");
    let all = run("show job.plan --format tsv", &files).out;
    let rows: Vec<&str> = all.lines().skip(1).collect();
    let cells = |row: &str| row.split('\t').map(str::to_owned).collect::<Vec<String>>();
    let wanted = |keep: &dyn Fn(&[String]) -> bool| -> Vec<String> {
        let kept = rows.iter().filter(|row| keep(&cells(row)));
        kept.map(|&row| row.to_owned()).collect()
    };
    let on = |node: &str| ["n2", "n4"].contains(&node);
    let cases: [(&str, Vec<String>); 4] = [
        ("--node n[2-2],n4", wanted(&|row| on(&row[3]))),
        (
            "--ranks 5,9-11",
            wanted(&|row| ["5", "9", "10", "11"].contains(&&*row[0])),
        ),
        ("--app 1", wanted(&|row| row[1] == "1")),
        (
            "--app 1 --node n2,n4",
            wanted(&|row| row[1] == "1" && on(&row[3])),
        ),
    ];
    for (parts, rows) in cases {
        assert!(!rows.is_empty());
        for (verb, behind) in [("show job.plan", ""), ("map", JOBS[3])] {
            let tsv = run(&format!("{verb} --format tsv {parts} {behind}"), &files);
            assert_eq!(tsv.status, 0, "{}", tsv.err);
            assert_eq!(tsv.out.lines().skip(1).collect::<Vec<_>>(), rows, "{parts}");
            let json = run(&format!("{verb} --format ndjson {parts} {behind}"), &files);
            assert_eq!(json.out.lines().count(), rows.len());
            let text = run(&format!("{verb} {parts} {behind}"), &files);
            let map = run(&format!("{verb} --format map {parts} {behind}"), &files);
            assert_eq!(map.out.matches("Process rank:").count(), rows.len());
            for row in &rows {
                let row = cells(row);
                let found = text.out.lines().any(|line| {
                    let line: Vec<&str> = line.split_whitespace().collect();
                    line == [&row[0], &row[3], &row[4], &row[6], &row[7]]
                });
                assert!(found, "{parts}: rank {}\n{}", row[0], text.out);
                assert!(map.out.contains(&format!("Process rank: {} ", row[0])));
            }
        }
    }
}

#[test]
fn ndjson_has_the_columns_of_tsv() {
    let files = saved(JOBS[3], "columns");
    let tsv = run("show job.plan --format tsv", &files).out;
    let json = run("show job.plan --format ndjson", &files).out;
    let keys = [
        "rank",
        "app",
        "app_rank",
        "node",
        "local_rank",
        "node_rank",
        "object",
        "cpus",
    ];
    for (row, line) in tsv.lines().skip(1).zip(json.lines()) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let places = keys.map(|key| line.find(&format!("\"{key}\":")).unwrap());
        assert!(places.is_sorted(), "the order of tsv: {line}");
        for (key, cell) in keys.iter().zip(row.split('\t')) {
            let given = match &value[*key] {
                serde_json::Value::Null => "-".to_owned(),
                serde_json::Value::String(text) => text.clone(),
                number @ (serde_json::Value::Number(_)
                | serde_json::Value::Bool(_)
                | serde_json::Value::Array(_)
                | serde_json::Value::Object(_)) => number.to_string(),
            };
            assert_eq!(given, cell, "{key} of {line}");
        }
    }
}

#[test]
fn what_has_no_parts_or_is_not_there_is_refused() {
    let files = saved(JOBS[0], "refused");
    for (line, class) in [
        (
            "show job.plan --format json --ranks 1",
            "contradicting-qualifiers",
        ),
        (
            "show job.plan --format taskmap --node a",
            "contradicting-qualifiers",
        ),
        ("show job.plan --node z", "no-such-host"),
        ("show job.plan --ranks 3", "bad-value"),
        ("show job.plan --ranks x", "bad-value"),
        ("show job.plan --app 1", "bad-value"),
        ("show job.plan --node a:3", "bad-hostlist"),
        ("show job.plan --topo builtin:frontier", "bad-option"),
        ("show job.plan --rank 3", "bad-option"),
        ("show", "bad-option"),
        ("show job.plan other.plan", "bad-option"),
        ("show nowhere.plan", "bad-plan"),
        ("show ranks", "bad-plan"),
    ] {
        let said = run(line, &files);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{line}");
        let first = said.err.lines().next().unwrap_or("");
        assert!(
            first.starts_with(&format!("error[{class}]")),
            "{line}: {first}"
        );
    }
}
