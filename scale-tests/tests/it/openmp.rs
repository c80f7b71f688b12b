//! Threads of OpenMP, against the plain model; the plain model against what the runtimes answered.

use serde_json::Value;
use std::path::Path;
use stowplan_reference::threads::Told;
use stowplan_scale_tests::choices::Choices;
use stowplan_scale_tests::input::openmp::words;
use stowplan_scale_tests::size::is_long;
use stowplan_scale_tests::threads::recorded::{case, fault, machines};
use stowplan_scale_tests::threads::{difference, differences, differences_with};

/// A change of an answer that a comparison must find.
type Fault<'f> = &'f dyn Fn(&mut Told);

#[test]
fn threads_land_where_the_plain_model_puts_them() {
    let found = differences(5_000, 11);
    let shown: Vec<&str> = found.iter().take(12).map(String::as_str).collect();
    assert!(
        found.is_empty(),
        "{} differ\n{}",
        found.len(),
        shown.join("\n")
    );
}

#[test]
fn planted_faults_are_found() {
    let faults: [(&str, Fault<'_>); 6] = [
        ("one thread less", &|told| drop(told.threads.pop())),
        ("two threads exchanged", &|told| {
            let last = told.threads.len() - 1;
            let (first, behind) = (told.threads[0].2.clone(), told.threads[last].2.clone());
            (told.threads[0].2, told.threads[last].2) = (behind, first);
        }),
        ("another place", &|told| {
            for own in &mut told.threads {
                own.1 = own.1.map(|place| place + 1);
            }
        }),
        ("places backwards", &|told| told.places.reverse()),
        ("a cpu more", &|told| {
            told.threads[0].2.insert(999);
        }),
        ("another number", &|told| told.number += 1),
    ];
    for (name, fault) in faults {
        assert!(!differences_with(300, 7, fault).is_empty(), "{name}");
    }
}

/// Pieces of which values are made that nobody writes.
const PIECES: [&str; 32] = [
    "OMP_NUM_THREADS=",
    "OMP_PLACES=",
    "OMP_PROC_BIND=",
    "GOMP_CPU_AFFINITY=",
    "KMP_AFFINITY=",
    "KMP_HW_SUBSET=",
    "OMP_THREAD_LIMIT=",
    "\n",
    "\n",
    "\n",
    "{",
    "}",
    "{0:",
    ":",
    ",",
    "-",
    "!",
    "(",
    ")",
    " ",
    "0",
    "3",
    "65535",
    "4294967295",
    "99999999999999999999",
    "cores",
    "spread",
    "close",
    "explicit,proclist=[",
    "]",
    "1s,2c@1",
    "\u{fffd}",
];

#[test]
fn any_words_are_answered_or_refused() {
    let lists = if is_long() { 4_000 } else { 1_000 };
    for number in 0..lists {
        let mut choices = Choices::seeded(number);
        let mut bytes = vec![u8::try_from(choices.below(256)).unwrap(), 0];
        for _ in 0..choices.within(1, 30) {
            bytes.extend(choices.pick(&PIECES).as_bytes());
        }
        words(&bytes);
    }
}

/// The lines of a file, if it is there.
fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[test]
fn both_agree_with_what_the_runtimes_answered() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/threads");
    let shared = std::env::var_os("STOWPLAN_SHARED").map(std::path::PathBuf::from);
    let shared =
        shared.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let mut folders = vec![own];
    if shared.join("threads/corpus.jsonl").exists() {
        folders.push(shared.join("threads"));
    } else {
        println!("skipped: the recorded answers of the contract's folder are not there");
    }
    for folder in folders {
        let machines = machines(&read(&folder.join("machines.json")).unwrap());
        let corpus = read(&folder.join("corpus.jsonl")).unwrap();
        let (mut wrong, mut count) = (Vec::new(), 0);
        for line in corpus.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let known = &machines[record["machine"].as_str().unwrap()];
            count += 1;
            if let Some(fault) = fault(known, &record) {
                wrong.push(format!("{} {}: {fault}", record["id"], record["runtime"]));
            }
            if let Some(fault) = difference(known, &case(&record), &|_| {}) {
                wrong.push(format!("{}: ours: {fault}", record["id"]));
            }
        }
        assert!(
            count > 0 && wrong.is_empty(),
            "{} of {count}\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}
