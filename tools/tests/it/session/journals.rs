//! Journals on disk.

use super::{ours, session};
use crate::folder::Folder;
use serde_json::{Value as Json, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use stowplan::answers::journal_file::{FileError, JournalFile};
use stowplan_session::{Journal, Mode, ReplayError, Store as _, recover};

fn last(out: &str) -> Json {
    serde_json::from_str::<Json>(out.lines().last().unwrap()).unwrap()["final"].clone()
}

#[test]
fn a_run_with_a_journal_replays_to_the_same_state() {
    let folder = Folder::new("replays");
    for path in ours() {
        for every in ["1", "3", "1000"] {
            let journal = folder.file("journal");
            let _ = std::fs::remove_file(&journal);
            let words = [
                "run",
                path.to_str().unwrap(),
                "--check",
                "--journal",
                &journal,
                "--snapshot-every",
                every,
            ];
            let run = session(&words, b"");
            assert_eq!(
                (run.status, run.err.as_str()),
                (0, ""),
                "{}",
                path.display()
            );
            for words in [
                &["replay", &journal][..],
                &["replay", &journal, "--check", "--verify"],
            ] {
                let replay = session(words, b"");
                assert_eq!(
                    (replay.status, replay.err.as_str()),
                    (0, ""),
                    "{}",
                    path.display()
                );
                assert_eq!(last(&replay.out), last(&run.out));
            }
            let show = session(&["show", &journal], b"");
            assert_eq!(show.status, 0, "{}", show.err);
            let tail: Json = serde_json::from_str(show.out.lines().last().unwrap()).unwrap();
            assert_eq!(tail, json!({"tail": "clean", "discarded_bytes": 0}));
        }
    }
}

/// A journal of a few events.
fn small(folder: &Folder) -> (String, Vec<u8>) {
    let journal = folder.file("small");
    let lines = "{\"initial\":{\"nodes\":[\"a\",\"b\"],\"tools\":[\"t\"],\"scheduler\":\"s\"}}\n\
        {\"event\":\"spawn\",\"from\":\"t\",\"job\":\"j\"}\n\
        {\"event\":\"alloc\",\"from\":\"j\",\"directive\":\"PMIX_ALLOC_NEW\",\"attrs\":{\"X\":{\"y\":[1.5]}}}\n\
        {\"event\":\"grant\",\"req\":1,\"nodes\":[\"b\",\"c\"]}\n";
    let said = session(&["serve", "--journal", &journal], lines.as_bytes());
    assert_eq!(
        (said.status, said.out.lines().count()),
        (0, 4),
        "{}",
        said.err
    );
    let bytes = std::fs::read(&journal).unwrap();
    (journal, bytes)
}

#[test]
fn a_damaged_or_foreign_journal_is_refused_with_its_place() {
    let folder = Folder::new("damaged");
    let (journal, bytes) = small(&folder);
    let refused = |bytes: &[u8], told: &str| {
        std::fs::write(&journal, bytes).unwrap();
        for words in [
            &["replay", &journal][..],
            &["show", &journal],
            &["serve", "--journal", &journal],
        ] {
            let said = session(words, b"{}\n");
            assert_eq!((said.status, said.out.as_str()), (2, ""), "{words:?}");
            assert!(
                said.err.starts_with("error[journal]: ") && said.err.contains(told),
                "{words:?}: {}",
                said.err
            );
        }
    };
    let mut damaged = bytes.clone();
    damaged[40] ^= 1;
    refused(&damaged, "byte 8");
    let mut foreign = bytes.clone();
    foreign[7] = 2;
    refused(&foreign, "version");
    refused(b"{\"final\":{}}", "STOWJRN");
    std::fs::write(&journal, &damaged).unwrap();
    let said = session(&["replay", &journal, "--salvage"], b"");
    assert_eq!(
        said.status, 0,
        "the prefix before the damage is empty, and accepted"
    );
    std::fs::write(&journal, &bytes[..bytes.len() - 3]).unwrap();
    let said = session(&["replay", &journal], b"");
    assert!(said.out.contains("\"torn\"") && said.status == 0);
    assert_eq!(session(&["replay", &folder.file("none")], b"").status, 2);
    assert_eq!(
        session(&["show", folder.path().to_str().unwrap()], b"").status,
        2
    );
}

#[test]
fn a_served_journal_goes_on_after_any_cut() {
    let folder = Folder::new("goes-on");
    let (journal, bytes) = small(&folder);
    for cut in (8..bytes.len()).step_by(5) {
        std::fs::write(&journal, &bytes[..cut]).unwrap();
        let lines = "{}\n{\"event\":\"tool_attach\",\"ns\":\"late\"}\n";
        let said = session(&["serve", "--journal", &journal], lines.as_bytes());
        assert_eq!((said.status, said.err.as_str()), (0, ""), "cut at {cut}");
        let again = session(&["replay", &journal, "--check", "--verify"], b"");
        assert!(
            again.out.contains("\"clean\""),
            "the torn tail was cut off before anything was appended"
        );
        assert_eq!(last(&again.out), last(&said.out));
    }
    std::fs::write(&journal, &bytes).unwrap();
    let said = session(&["serve", "--journal", &journal], b"{\"initial\":{}}\n");
    assert_eq!(
        (said.status, said.out.as_str()),
        (2, ""),
        "a journal that is there goes on with {{}} alone"
    );
}

#[test]
fn a_malformed_line_is_answered_and_changes_nothing() {
    let folder = Folder::new("lines");
    let journal = folder.file("lines");
    let lines = "{\"initial\":{\"nodes\":[\"a\"],\"tools\":[\"t\"]}}\nnonsense\n[]\n{\"event\":\"explode\"}\n\n\
        {\"event\":\"spawn\",\"from\":\"t\",\"job\":\"j\"}";
    let said = session(&["serve", "--journal", &journal], lines.as_bytes());
    let lines: Vec<Json> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((said.status, lines.len()), (0, 6));
    assert!(lines[..4].iter().all(|line| line["error"].is_string()));
    assert_eq!(lines[4]["status"], "PMIX_SUCCESS");
    assert!(
        session(&["replay", &journal], b"")
            .out
            .contains("\"events\":1")
    );
    for first in [
        "",
        "nonsense\n",
        "[]\n",
        "{\"initial\":{\"nodes\":[\"\"]}}\n",
    ] {
        let said = session(
            &["serve", "--journal", &folder.file("first")],
            first.as_bytes(),
        );
        assert_eq!((said.status, said.out.as_str()), (2, ""));
        assert!(said.err.starts_with("error[scenario]: "), "{}", said.err);
    }
}

#[test]
fn a_journal_in_use_is_refused_to_a_second_writer_and_open_to_readers() {
    let folder = Folder::new("in-use");
    let (journal, _) = small(&folder);
    let (file, _) = JournalFile::open(journal.as_ref()).unwrap();
    let said = session(&["serve", "--journal", &journal], b"{}\n");
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    assert!(
        said.err.starts_with("error[journal]: ") && said.err.contains("in use"),
        "{}",
        said.err
    );
    assert_eq!(session(&["replay", &journal], b"").status, 0);
    drop(file);
    assert_eq!(
        session(&["serve", "--journal", &journal], b"{}\n").status,
        0
    );
    let run = session(
        &["run", ours()[0].to_str().unwrap(), "--journal", &journal],
        b"",
    );
    assert_eq!(
        (run.status, run.out.as_str()),
        (2, ""),
        "a run does not write over a journal"
    );
}

#[test]
fn a_compacted_file_stands_in_the_place_of_the_old_one() {
    let folder = Folder::new("compact");
    let (journal, _) = small(&folder);
    let (file, bytes) = JournalFile::open(journal.as_ref()).unwrap();
    let old = recover::<ReplayError>(&bytes, Mode::Fast, |_, _, _| Ok(())).unwrap();
    let compact = Journal::compact(Vec::new(), &old.initial, &old.state, old.events)
        .unwrap()
        .into_store();
    let mut file = file.replace(&compact).unwrap();
    assert!(
        matches!(JournalFile::open(journal.as_ref()), Err(FileError::InUse)),
        "the lock came along"
    );
    file.append(b"torn").unwrap();
    file.sync().unwrap();
    drop(file);
    let said = session(&["replay", &journal, "--verify"], b"");
    assert!(
        said.out.contains("\"events\":3") && said.out.contains("\"discarded_bytes\":4"),
        "{}",
        said.out
    );
}

fn serving(journal: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stowplan"));
    command.args(["session", "serve", "--journal", journal]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A server on a launcher's channel is killed without warning while it works. Each answer that it gave is on disk.
#[test]
fn a_killed_server_has_kept_every_answer() {
    let folder = Folder::new("killed");
    for answers in [1, 2, 7, 40] {
        let journal = folder.file(&format!("journal{answers}"));
        let mut child = serving(&journal);
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        writeln!(
            stdin,
            "{}",
            json!({"initial": {"nodes": ["a"], "tools": ["t"]}})
        )
        .unwrap();
        for number in 0..answers + 30 {
            writeln!(
                stdin,
                "{}",
                json!({"event": "spawn", "from": "t", "job": format!("j{number}")})
            )
            .unwrap();
        }
        for _ in 0..answers {
            assert!(lines.next().unwrap().unwrap().contains("PMIX_SUCCESS"));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let said = session(&["replay", &journal, "--check"], b"");
        assert_eq!(said.status, 0, "{}", said.err);
        let first: Json = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
        assert!(
            first["recovered"]["events"].as_u64().unwrap() >= answers,
            "{}",
            said.out
        );
    }
}

/// When the file system is full, the error is clear, and everything that was answered is on disk.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_with_an_error_and_keeps_every_answer() {
    let folder = Folder::new("full");
    let journal = folder.file("journal");
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' session serve --journal '{journal}'",
        env!("CARGO_BIN_EXE_stowplan")
    );
    let mut command = Command::new("sh");
    command
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let first = json!({"initial": {"nodes": ["a"], "tools": ["t"]}});
        let mut sent = writeln!(stdin, "{first}");
        for number in 0..2000 {
            // The server ends before it has read all of its input.
            sent = sent.and_then(|()| {
                writeln!(
                    stdin,
                    "{}",
                    json!({"event": "spawn", "from": "t", "job": format!("j{number}")})
                )
            });
        }
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.starts_with("error[journal]: "), "{err}");
    let answered = String::from_utf8(output.stdout).unwrap().lines().count() as u64;
    let said = session(&["replay", &journal, "--check"], b"");
    let first: Json = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert!(
        first["recovered"]["events"].as_u64().unwrap() >= answered,
        "{} {answered}",
        said.out
    );
}
