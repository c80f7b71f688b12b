//! Compares placements made by prterun with what our rules give. Our part of them is always compared, all of them when the
//! contract's folder is present.

use crate::console::{MadeUp, Said, root, shared, stowplan};
use rayon::prelude::*;
use serde_json::Value;
use std::fs;

/// What a case must give.
enum Expected {
    Rows(Vec<String>),
    Error(String),
}

/// What is wrong with an answer; `None` when nothing is.
fn fault(said: &Said, expected: &Expected) -> Option<String> {
    let first = said.err.lines().next().unwrap_or_default();
    match expected {
        Expected::Rows(_) if said.status != 0 => Some(format!("refused: {first}")),
        Expected::Rows(rows) => {
            let given: Vec<&str> = said.out.lines().skip(1).collect();
            let differs = rows.iter().map(String::as_str).ne(given.iter().copied());
            differs.then(|| format!("rows: {given:?} instead of {rows:?}"))
        }
        Expected::Error(class) if said.status != 2 => {
            Some(format!("accepted, {class} is expected"))
        }
        Expected::Error(_) if !said.out.is_empty() => {
            Some("something on standard output".to_owned())
        }
        Expected::Error(class) => {
            let right = first.starts_with(&format!("error[{class}]: "));
            (!right).then(|| format!("{first:?} instead of {class}"))
        }
    }
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().expect("a list of strings");
    list.iter()
        .map(|word| word.as_str().expect("a string").to_owned())
        .collect()
}

fn made_up(files: &Value) -> MadeUp {
    let mut made = MadeUp::default();
    for (name, text) in files.as_object().into_iter().flatten() {
        let text = text.as_str().expect("the text of a file");
        made.files.insert(name.clone(), text.as_bytes().to_vec());
    }
    made
}

fn map(topology: &str, argv: Vec<String>, files: &MadeUp) -> Said {
    let fixed = [
        "map", "--topo", topology, "--head", "headnode", "--format", "tsv",
    ];
    let args: Vec<String> = fixed.map(str::to_owned).into_iter().chain(argv).collect();
    stowplan(&args, files)
}

/// Faults by case, and the number of cases.
fn run(text: &str, one: impl Fn(&Value) -> Option<String> + Sync) -> (Vec<String>, usize) {
    let lines: Vec<&str> = text.lines().collect();
    let faults = lines.par_iter().filter_map(|line| {
        let case: Value = serde_json::from_str(line).expect("a case a line");
        Some(format!("case {}: {}", case["id"], one(&case)?))
    });
    (faults.collect(), lines.len())
}

/// Whether a line maps by devices: the corpus is older than these words, and says that there are none.
fn by_device(args: &[String]) -> bool {
    args.iter().any(|word| word.starts_with("device="))
}

#[test]
fn our_slice_of_the_corpus_holds() {
    let folder = root().join("cases/corpus");
    let text = fs::read_to_string(folder.join("placements.jsonl"))
        .expect("the slice is part of the project");
    let machines = fs::read_to_string(folder.join("machines.tsv")).expect("its machines too");
    let strings_of = |name: &str| {
        let mut lines = machines.lines().filter_map(|line| line.split_once('\t'));
        lines
            .find(|(own, _)| *own == name)
            .expect("a machine of the slice")
            .1
            .to_owned()
    };
    let (faults, cases) = run(&text, |case| {
        let topology = strings_of(case["machine"].as_str().expect("a name"));
        let said = map(&topology, strings(&case["args"]), &made_up(&case["files"]));
        let expected = match case["error"].as_str() {
            Some(class) => Expected::Error(class.to_owned()),
            None => Expected::Rows(strings(&case["rows"])),
        };
        fault(&said, &expected).filter(|_| !by_device(&strings(&case["args"])))
    });
    assert!(cases >= 600, "{cases} cases are less than was promised");
    assert!(
        faults.is_empty(),
        "{} of {cases}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// The rows of a case in the column order of the TSV. In `result` the node comes before the app rank.
fn rows(procs: &Value, order: [usize; 8]) -> Vec<String> {
    let word = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let rows = procs.as_array().expect("rows");
    let row = |row: &Value| order.map(|at| word(&row[at])).join("\t");
    rows.iter().map(row).collect()
}

fn expected(case: &Value) -> Option<Expected> {
    let (want, order) = if case["expect"] == "as-reference" {
        (&case["result"], [0, 1, 3, 2, 4, 5, 6, 7])
    } else {
        (&case["expect"], [0, 1, 2, 3, 4, 5, 6, 7])
    };
    if let Some(class) = want["error"].as_str() {
        return Some(Expected::Error(class.to_owned()));
    }
    // Cases with very many ranks have only a digest; the script beside the corpus checks those.
    want.get("procs")
        .map(|procs| Expected::Rows(rows(procs, order)))
}

#[test]
fn the_whole_corpus_holds() {
    let Ok(text) = fs::read_to_string(shared("corpus/placement.jsonl")) else {
        return skipped("the whole corpus");
    };
    let (faults, cases) = run(&text, |case| {
        let name = case["topology"].as_str().expect("a name");
        let path = shared(&format!("corpus/topo/{name}.xml"));
        let path = fs::canonicalize(path).expect("the corpus has its topologies");
        let mut files = made_up(&case["files"]);
        if let Some(hostfile) = case["hostfile"].as_str() {
            files
                .files
                .insert("hostfile".to_owned(), hostfile.as_bytes().to_vec());
        }
        let said = map(&path.to_string_lossy(), strings(&case["argv"]), &files);
        let fault = expected(case).and_then(|expected| fault(&said, &expected));
        fault.filter(|_| !by_device(&strings(&case["argv"])))
    });
    assert!(
        faults.is_empty(),
        "{} of {cases}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[expect(
    clippy::print_stderr,
    reason = "a test that was not run must not look as if it was"
)]
fn skipped(what: &str) {
    eprintln!("skipped: {what}: STOWPLAN_SHARED names no folder that has it");
}
