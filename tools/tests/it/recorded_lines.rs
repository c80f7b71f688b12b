//! Lines of launchers, placed as the real programs placed them: a part of the recorded answers always, all of them where the
//! contract's folder is present.

use crate::console::{MadeUp, Said, root, shared, skipped, stowplan};
use rayon::prelude::*;
use roaring::RoaringBitmap;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A launcher, and the version that is meant where none is said.
struct Judged {
    launcher: &'static str,
    version: &'static str,
}

const JUDGED: &[Judged] = &[
    Judged {
        launcher: "hydra",
        version: "5.0.2",
    },
    Judged {
        launcher: "intel",
        version: "2021.18.1",
    },
    Judged {
        launcher: "flux",
        version: "0.88",
    },
];

fn text<'v>(record: &'v Value, key: &str) -> &'v str {
    record[key].as_str().unwrap_or_default()
}

fn texts<'v>(record: &'v Value, key: &str) -> Vec<&'v str> {
    let list = record[key].as_array();
    list.map_or_else(Vec::new, |list| {
        list.iter().filter_map(Value::as_str).collect()
    })
}

fn pairs<'v>(record: &'v Value, key: &str) -> Vec<(&'v str, &'v str)> {
    let map = record[key].as_object();
    map.map_or_else(Vec::new, |map| {
        let pair = |(name, value): (&'v String, &'v Value)| Some((name.as_str(), value.as_str()?));
        map.iter().filter_map(pair).collect()
    })
}

/// What we say to a record. `machines`: the folder of its topologies.
fn answer(record: &Value, judged: &Judged, machines: &Path) -> Said {
    let topology = machines.join(format!("{}.xml", text(record, "topo")));
    let mut words: Vec<String> = ["map", "--format", "tsv", "--columns"]
        .map(str::to_owned)
        .into();
    words.push("rank,app,node,local_rank,cpus".to_owned());
    words.push("--topo".to_owned());
    words.push(topology.to_string_lossy().into_owned());
    let (line, environment) = (texts(record, "line"), pairs(record, "env"));
    let names = line
        .iter()
        .copied()
        .chain(environment.iter().map(|own| own.0));
    let sure = names.into_iter().any(|name| name.starts_with("I_MPI_"));
    let version = text(record, "version");
    if version != judged.version {
        words.extend(["--as".to_owned(), format!("{}@{version}", judged.launcher)]);
    } else if judged.launcher == "intel" && !sure {
        words.extend(["--as".to_owned(), "intel".to_owned()]);
    }
    for (name, value) in environment {
        words.extend(["--env".to_owned(), format!("{name}={value}")]);
    }
    if let Some(site) = record["site"].as_str() {
        words.extend(["--site".to_owned(), site.to_owned()]);
    }
    let files = pairs(record, "files").into_iter();
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let mut files: Vec<(String, Vec<u8>)> = files.collect();
    if record["granted"].is_object() {
        words.extend(["--granted", "granted.json"].map(str::to_owned));
        files.push((
            "granted.json".to_owned(),
            record["granted"].to_string().into(),
        ));
    }
    words.extend(line.into_iter().map(str::to_owned));
    let files = files.into_iter().collect();
    stowplan(&words, &MadeUp { files })
}

/// The cpus of a list; `None`: unbound.
fn cpus(list: &str) -> Option<RoaringBitmap> {
    let mut cpus = RoaringBitmap::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        cpus.insert_range(first.parse::<u32>().ok()?..=last.parse::<u32>().ok()?);
    }
    Some(cpus)
}

/// Whether a row is the recorded one: `NODE LOCAL CPUS APP`.
fn is_row(rank: usize, row: &str, recorded: &str) -> bool {
    let own: Vec<&str> = row.split('\t').collect();
    let ours = own.as_slice();
    let theirs: Vec<&str> = recorded.split(' ').collect();
    let ([number, app, node, local, list], [name, place, wanted, program, ..]) = (ours, &*theirs)
    else {
        return false;
    };
    let placed = (*number, *node, *local, *app) == (&*rank.to_string(), *name, *place, *program);
    placed && (*wanted == "?" || cpus(list) == cpus(wanted))
}

/// What is wrong with an answer; `None`: nothing.
fn fault(record: &Value, said: &Said) -> Option<String> {
    let first = said.err.lines().find(|line| line.starts_with("error["));
    let class = first.and_then(|line| line["error[".len()..].split(']').next());
    if said.status == 2 {
        let refused = class.unwrap_or_default();
        if !said.out.is_empty() {
            return Some("refused, with a table".to_owned());
        }
        if !record["unsure"].is_null() && refused == "not-modelled" {
            return None;
        }
        let wanted = text(record, "refuse");
        let named = said.err.contains(text(record, "word"));
        let right = wanted.split('|').any(|wanted| wanted == refused) && named;
        return (!right).then(|| format!("{} instead of {wanted:?}", said.err));
    }
    if !record["refuse"].is_null() {
        return Some(format!("placed instead of {}", record["refuse"]));
    }
    let rows: Vec<&str> = said.out.lines().skip(1).collect();
    let wanted = texts(record, "rows");
    if rows.len() != wanted.len() {
        return Some(format!("{} ranks instead of {}", rows.len(), wanted.len()));
    }
    let mut both = rows.iter().zip(wanted).enumerate();
    both.find(|(rank, (row, wanted))| !is_row(*rank, row, wanted))
        .map(|(_, (row, wanted))| format!("{row:?} instead of {wanted:?}"))
}

/// Compares all records of a file. Gives how many there were.
fn compare(path: &Path, judged: &Judged, machines: &Path) -> usize {
    let lines = fs::read_to_string(path).unwrap();
    let records: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let faults: Vec<String> = records
        .par_iter()
        .filter_map(|record| {
            let fault = fault(record, &answer(record, judged, machines))?;
            Some(format!("{}: {fault}", text(record, "id")))
        })
        .collect();
    let shown = faults.len().min(5);
    assert!(
        faults.is_empty(),
        "{} of {}:\n{}",
        faults.len(),
        records.len(),
        faults[..shown].join("\n")
    );
    records.len()
}

#[test]
fn lines_are_placed_as_the_programs_placed_them() {
    for judged in JUDGED {
        let file = format!("tools/tests/recorded/{}.jsonl", judged.launcher);
        let machines = root().join("cases/machines");
        let records = compare(&root().join(file), judged, &machines);
        assert!(records > 25, "{}: {records} records", judged.launcher);
    }
}

#[test]
fn all_recorded_lines_are_placed_as_the_programs_placed_them() {
    for judged in JUDGED {
        let path = shared(&format!("lines/{}/answers.jsonl", judged.launcher));
        if !path.exists() {
            skipped(&format!("the recorded lines of {}", judged.launcher));
            continue;
        }
        compare(&path, judged, &shared("corpus/topo"));
    }
}

#[test]
fn wrong_answers_are_found() {
    let record = serde_json::json!({"rows": ["a 0 0-1 0"]});
    let said = |status, out: &str, err: &str| Said {
        status,
        out: out.to_owned(),
        err: err.to_owned(),
    };
    let row = |row: &str| said(0, &format!("#\n{row}\n"), "");
    assert_eq!(fault(&record, &row("0\t0\ta\t0\t0,1")), None);
    for wrong in [
        "0\t0\tb\t0\t0,1",
        "0\t0\ta\t1\t0,1",
        "0\t0\ta\t0\t0",
        "0\t0\ta\t0\t-",
        "0\t1\ta\t0\t0,1",
    ] {
        assert!(fault(&record, &row(wrong)).is_some(), "{wrong:?}");
    }
    let refused = said(2, "", "error[launch-fails]: no core");
    assert!(fault(&record, &refused).is_some());
    let record = serde_json::json!({"refuse": "launch-fails", "word": "core"});
    assert_eq!(fault(&record, &refused), None);
    assert!(fault(&record, &said(2, "", "error[launch-fails]: no")).is_some());
    assert!(fault(&record, &said(2, "", "error[bad-option]: core")).is_some());
    assert!(fault(&record, &row("0\t0\ta\t0\t0,1")).is_some());
}
