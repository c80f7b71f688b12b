//! `stowplan taskmap` compared with the vectors of the contract, and the output for people.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in its helpers too"
)]

use crate::console::on_console;
use crate::folder::Folder;
use serde_json::Value;
use std::path::PathBuf;
use stowplan_engine::taskmap::{Block, TaskMap};

/// The folder of the contract's files; see CONTRIBUTING.
fn shared(name: &str) -> PathBuf {
    let folder = std::env::var_os("STOWPLAN_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    folder.join(name)
}

struct Said {
    status: u8,
    out: String,
    err: String,
}

fn taskmap(args: &[String], stdin: &[u8]) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = on_console(&mut out, &mut err, |console| {
        stowplan_cli::command::taskmap::run(args, &mut &*stdin, console)
    });
    Said {
        status,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
    }
}

fn map_text(vector: &Value) -> Vec<u8> {
    if let Some(hex) = vector["in_hex"].as_str() {
        return (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect();
    }
    if let Some(pieces) = vector["in_repeat"].as_array() {
        let piece = |piece: &Value| {
            piece[0]
                .as_str()
                .unwrap()
                .repeat(usize::try_from(piece[1].as_u64().unwrap()).unwrap())
        };
        return pieces.iter().map(piece).collect::<String>().into_bytes();
    }
    vector["in"].as_str().unwrap().as_bytes().to_vec()
}

/// What is wrong with an answer; `None` when nothing is.
fn fault(vector: &Value, said: &Said) -> Option<String> {
    let Said { status, out, err } = said;
    let want = &vector["want"];
    if let Some(classes) = want["error"].as_array() {
        let class = err
            .strip_prefix("error[")
            .and_then(|rest| rest.split_once("]: "))
            .map(|(class, _)| class);
        let known = classes.iter().any(|known| known.as_str() == class);
        return (*status != 2 || !known || !out.is_empty())
            .then(|| format!("{status}, {out:.80?}, {err:.160?}"));
    }
    if *status != 0 {
        return Some(format!("{status}, {err:.160?}"));
    }
    if let Some(wanted) = want["out"].as_str() {
        let check = vector["args"]
            .as_array()
            .unwrap()
            .iter()
            .any(|arg| arg == "--check");
        let wanted = if check {
            String::new()
        } else {
            format!("{wanted}\n")
        };
        return (*out != wanted).then(|| format!("{out:.200?}"));
    }
    let equals = want["equals"].as_str().unwrap();
    let read = |text: &str| stowplan_engine::taskmap::TaskMap::read(text.as_bytes());
    let blocks = want["blocks"]
        .as_u64()
        .or(want["pmi_blocks"].as_u64())
        .unwrap();
    // Each block of a list but the first has a comma and an opening bracket before it.
    let written = out
        .matches(",[")
        .count()
        .max(out.matches(",(").count().saturating_sub(1))
        + 1;
    let right = read(out) == read(equals) && read(out).is_ok() && written as u64 == blocks;
    (!right).then(|| {
        format!("{out:.200?} of {written} blocks, wanted {blocks} equal to {equals:.200?}")
    })
}

#[test]
fn every_vector_of_the_contract_is_answered_as_argument_and_on_standard_input() {
    let path = shared("taskmap-vectors.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        // Without the contract's files, the rest of a checkout can still be tested.
        let mut err = std::io::stderr();
        let told = format!(
            "skipped: {} cannot be read, set STOWPLAN_SHARED\n",
            path.display()
        );
        std::io::Write::write_all(&mut err, told.as_bytes()).unwrap();
        return;
    };
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let folder = Folder::new("taskmap");
    let mut faults = Vec::new();
    for vector in vectors["vectors"].as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        let file = folder.path().join(name);
        if let Some(text) = vector["file"].as_str() {
            std::fs::write(&file, text).unwrap();
        }
        let arg = |arg: &Value| {
            arg.as_str()
                .unwrap()
                .replace("@FILE@", file.to_str().unwrap())
        };
        let args: Vec<String> = vector["args"].as_array().unwrap().iter().map(arg).collect();
        let map = map_text(vector);
        faults.extend(
            fault(vector, &taskmap(&args, &map))
                .map(|fault| format!("{name}, standard input: {fault}")),
        );
        if let Ok(map) = String::from_utf8(map)
            && map != "-"
        {
            let args: Vec<String> = args.into_iter().chain(["--".to_owned(), map]).collect();
            faults.extend(
                fault(vector, &taskmap(&args, b""))
                    .map(|fault| format!("{name}, argument: {fault}")),
            );
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn the_unknown_map_is_described_as_such() {
    let args = ["--describe", "[]"].map(str::to_owned);
    assert_eq!(
        taskmap(&args, b"").out,
        "The mapping is unknown: no nodes, no tasks.\n"
    );
}

#[test]
fn the_largest_maps_are_described_at_once() {
    for map in [
        "[[0,65536,1,32767]]",
        "[[0,2147483647,1,1]]",
        "[[0,1,2147483647,1]]",
        "[[2147483646,1,1,1]]",
    ] {
        let said = taskmap(&["--describe".to_owned(), map.to_owned()], b"");
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{map}");
        assert!(
            said.out.lines().all(|line| line.chars().count() <= 100),
            "{}",
            said.out
        );
    }
}

#[test]
fn a_reader_that_leaves_early_ends_us_quietly() {
    struct Gone;
    impl std::io::Write for Gone {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut err = Vec::new();
    let args = ["--to", "raw", "[[0,4096,1,256]]"].map(str::to_owned);
    let status = on_console(&mut Gone, &mut err, |console| {
        stowplan_cli::command::taskmap::run(&args, &mut &b""[..], console)
    });
    assert_eq!(status, 0);
    assert!(err.is_empty());
}

/// A second opinion on a JSON text by another reader: the blocks, if the text is a list of blocks within the limits.
fn second_opinion(text: &str) -> Option<Vec<Block>> {
    let read = |value: &Value, least: u64, most: u64| {
        let number = value
            .as_u64()
            .filter(|number| (least..=most).contains(number))?;
        u32::try_from(number).ok()
    };
    let value: Value = serde_json::from_str(text).ok()?;
    let list = match &value {
        Value::Object(keys) if keys.get("version") == Some(&Value::from(1)) => {
            keys.get("map")?.as_array()?
        }
        Value::Array(list) => list,
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return None;
        }
    };
    let block = |block: &Value| {
        let [first, nodes, ppn, repeat] = block.as_array()?.as_slice() else {
            return None;
        };
        let most = u64::from(u32::MAX >> 1);
        Some(Block {
            first: read(first, 0, most - 1)?,
            nodes: read(nodes, 1, most)?,
            ppn: read(ppn, 1, most)?,
            repeat: read(repeat, 1, most)?,
        })
    };
    list.iter().map(block).collect()
}

/// Our reader accepts what the other reader accepts and reads it alike, and refuses what the other refuses.
fn opinions_agree(text: &str) {
    if text.contains("-0") {
        // The number is an integer for us and for RFC 8259, but a float for the other reader.
        return;
    }
    let ours = TaskMap::read(text.as_bytes());
    match second_opinion(text).map(TaskMap::from_blocks) {
        Some(Ok(theirs)) => assert_eq!(ours, Ok(theirs), "{text}"),
        // Sums beyond the limits, and texts that are not a map.
        Some(Err(_)) | None => assert!(ours.is_err(), "{text}: {ours:?}"),
    }
}

proptest::proptest! {
    #[test]
    fn another_reader_of_json_agrees(
        numbers in "(\\[-?[0-9]{1,2},[0-9]{1,3},[1-9](\\.0|e1|E\\+2)?,[1-9]\\],? ?){0,4}",
        note in "[ -~é]{0,12}",
        at in 0_usize..200,
        other in "[\\[\\]{},:\"\\\\0-9eu.+ tn-]{0,2}",
    ) {
        let list = format!("[{}]", numbers.trim_end_matches([',', ' ']));
        let wrapped = format!("{{\"note\": \"{note}\", \"x\":[null,{{}},-0.5], \"version\":1 ,\"map\":{list}}}");
        for text in [list, wrapped] {
            opinions_agree(&text);
            // And with a few characters replaced somewhere.
            let mut changed: Vec<char> = text.chars().collect();
            let start = at % changed.len();
            changed.splice(start..(start + other.len()).min(changed.len()), other.chars());
            let changed: String = changed.into_iter().collect();
            if changed.starts_with(['[', '{']) && changed.matches("\"map\"").count() < 2 {
                opinions_agree(&changed);
            }
        }
    }
}
