//! Lines of srun, placed as three versions of Slurm placed them: a part of the recorded answers, each with its row for each rank.

use crate::console::{MadeUp, Said, root, stowplan};
use rayon::prelude::*;
use serde_json::Value;
use std::fs;

fn texts(record: &Value, key: &str) -> Vec<String> {
    let list = record[key].as_array().into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

fn answer(record: &Value) -> Said {
    let mut words = vec!["map".to_owned()];
    words.extend(texts(record, "words"));
    let files = record["files"].as_object().into_iter().flatten();
    let files = files.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.into())));
    stowplan(
        &words,
        &MadeUp {
            files: files.collect(),
        },
    )
}

/// What is wrong with an answer; `None`: nothing.
fn fault(record: &Value, said: &Said) -> Option<String> {
    let words = || texts(record, "words").join(" ");
    if let Some(classes) = record["refuse"].as_str() {
        let refused = |class: &str| said.err.starts_with(&format!("error[{class}]: "));
        let right = said.status == 2 && said.out.is_empty() && classes.split('|').any(refused);
        return (!right).then(|| format!("{}: {} instead of {classes}", words(), said.err));
    }
    let rows = said.out.lines().skip(1);
    let rows: Vec<String> = rows.map(|row| row.replace('\t', " ")).collect();
    let wanted = texts(record, "rows");
    (rows != wanted).then(|| format!("{}: {rows:?} instead of {wanted:?} {}", words(), said.err))
}

#[test]
fn srun_places_as_slurm_did() {
    let text = fs::read_to_string(root().join("tools/tests/recorded/slurm.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let faults: Vec<String> = lines
        .par_iter()
        .filter_map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            fault(&record, &answer(&record))
        })
        .collect();
    assert!(lines.len() > 250, "{} records", lines.len());
    assert!(
        faults.is_empty(),
        "{} of them:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn another_answer_than_slurms_is_found() {
    let record = serde_json::json!({"words": [], "rows": ["0 n0 0 0-3"]});
    let said = |status, out: &str, err: &str| Said {
        status,
        out: out.to_owned(),
        err: err.to_owned(),
    };
    assert_eq!(fault(&record, &said(0, "#\n0\tn0\t0\t0-3\n", "")), None);
    for row in ["0\tn0\t0\t0-2", "0\tn1\t0\t0-3", "0\tn0\t1\t0-3"] {
        let wrong = fault(&record, &said(0, &format!("#\n{row}\n"), ""));
        assert!(wrong.is_some(), "{row:?}");
    }
    assert!(fault(&record, &said(2, "", "error[would-wait]: no")).is_some());
    let record = serde_json::json!({"words": [], "refuse": "would-wait"});
    assert_eq!(fault(&record, &said(2, "", "error[would-wait]: no")), None);
    assert!(fault(&record, &said(2, "", "error[launch-fails]: no")).is_some());
    assert!(fault(&record, &said(0, "#\n", "")).is_some());
}
