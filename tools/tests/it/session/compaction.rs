//! Compaction, and other files around a journal: the other files stay as they are, and one history is kept.

use super::session;
use crate::folder::Folder;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use stowplan::answers::journal_file::{FileError, JournalFile};
use stowplan_session::{Config, Event, Initial, Journal, Name, State, ToolRole};

/// The size in bytes from which `serve` compacts a journal.
const COMPACTED: usize = 64 << 20;

fn node(at: u32) -> String {
    format!("node-with-a-long-name-{at}")
}

/// Two journals that are made of snapshots: one with fewer bytes than are compacted, and one with more.
static JOURNALS: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let config = Config::default();
    let initial = Initial {
        nodes: (0..40_000).map(|at| Name::new(&node(at))).collect(),
        tools: vec![Name::new("t")],
        scheduler: None,
    };
    let mut state = State::new(config, &initial).unwrap();
    let mut journal = Journal::begin(Vec::new(), &config, &initial).unwrap();
    let event = Event::ToolAttach {
        ns: "late",
        role: ToolRole::Tool,
    };
    journal.submit(&mut state, &event).unwrap();
    let mut larger_than = |bytes: usize| {
        while journal.store().len() <= bytes {
            journal.snapshot(&state).unwrap();
            journal.flush().unwrap();
        }
        journal.store().clone()
    };
    [larger_than(COMPACTED - (4 << 20)), larger_than(COMPACTED)]
});

/// The contents of a folder: each name, with its bytes or the target of a link.
fn standing(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let bytes = match std::fs::read_link(entry.path()) {
                Ok(to) => to.into_os_string().into_encoded_bytes(),
                Err(_) => std::fs::read(entry.path()).unwrap(),
            };
            (name, bytes)
        })
        .collect();
    all.sort();
    all
}

/// Puts other files beside a journal: a precious file, and a journal that is in use.
fn put_others(folder: &std::path::Path, journal: &[u8]) {
    std::fs::write(folder.join("precious"), b"precious").unwrap();
    std::fs::write(folder.join("J.compact"), journal).unwrap();
}

/// Removes the links to the precious file. Gives how many there were.
fn take_links(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap();
    let links: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| std::fs::read_link(path).is_ok_and(|to| to == Path::new("precious")))
        .collect();
    for link in &links {
        std::fs::remove_file(link).unwrap();
    }
    links.len()
}

/// Other files are in the way in every possible manner: nothing but the journal changes, and it keeps one history.
#[test]
fn a_compaction_touches_its_journal_and_nothing_else() {
    let [_, bytes] = &*JOURNALS;
    for way in ["plain", "link", "link to a link", "full disk"] {
        let (folder, elsewhere) = (Folder::new("link"), Folder::new("journal"));
        let other = elsewhere.path();
        let real = other.join("J");
        std::fs::write(&real, bytes).unwrap();
        put_others(other, &bytes[..200]);
        std::fs::write(folder.file("J.compact"), b"of another server").unwrap();
        let journal = match way {
            "link" => {
                symlink(&real, folder.file("J")).unwrap();
                folder.file("J")
            }
            "link to a link" => {
                symlink(&real, folder.file("K")).unwrap();
                symlink("K", folder.file("J")).unwrap();
                folder.file("J")
            }
            _ => real.to_str().unwrap().to_owned(),
        };
        let (before, aside) = (standing(other), standing(folder.path()));
        let full = way == "full disk";
        let limit = if full { "1024" } else { "unlimited" };
        // There are links to the precious file under the names of the process's first drafts.
        let script = format!(
            "for n in 0 1 2; do ln -s precious '{}'/.stowplan-$$-$n.part; done; ulimit -f {limit}; exec '{}' session serve --journal '{journal}' <<'EOF'\n{{}}\nEOF",
            other.display(),
            env!("CARGO_BIN_EXE_stowplan")
        );
        let said = Command::new("sh").args(["-c", &script]).output().unwrap();
        let err = String::from_utf8(said.stderr).unwrap();
        assert_eq!(take_links(other), 3, "{way}: others' links stay");
        assert_eq!(
            standing(folder.path()),
            aside,
            "{way}: nothing around the link changes"
        );
        if full {
            assert_eq!(
                (said.status.code(), said.stdout.len()),
                (Some(2), 0),
                "{err}"
            );
            assert!(err.starts_with("error[journal]: "), "{err}");
            assert!(standing(other) == before, "the journal is what it was");
            continue;
        }
        assert_eq!((said.status.code(), err.as_str()), (Some(0), ""), "{way}");
        let after = standing(other);
        let changed: Vec<&String> = before
            .iter()
            .zip(&after)
            .filter(|(before, after)| before != after)
            .map(|(before, _)| &before.0)
            .collect();
        assert_eq!(
            (changed, before.len()),
            (vec![&"J".to_owned()], after.len()),
            "{way}"
        );
        assert!(
            std::fs::metadata(&real).unwrap().len() < 4 << 20,
            "{way}: it was compacted"
        );
        let replayed = session(&["replay", &journal, "--verify"], b"");
        assert!(
            replayed.out.contains("\"events\":1"),
            "{way}: {}",
            replayed.err
        );
    }
}

/// A server also compacts what it writes, so that a journal never becomes too large to be read again.
#[test]
fn a_journal_that_grows_is_compacted_while_it_is_served() {
    let folder = Folder::new("compaction-served");
    let journal = folder.file("J");
    let [bytes, _] = &*JOURNALS;
    assert!(bytes.len() < COMPACTED, "not yet");
    std::fs::write(&journal, bytes).unwrap();
    let hosts: Vec<String> = (0..40_000).map(node).collect();
    let hosts = serde_json::to_string(&hosts).unwrap();
    let mut lines = "{}\n".to_owned();
    for job in 0..8 {
        lines += &format!(
            "{{\"event\":\"spawn\",\"from\":\"t\",\"job\":\"j{job}\",\"hosts\":{hosts}}}\n"
        );
    }
    let served = session(&["serve", "--journal", &journal], lines.as_bytes());
    assert_eq!(served.err, "");
    let answers = served.out.lines().filter(|line| line.contains("\"step\""));
    assert!(
        answers
            .clone()
            .all(|line| line.contains("\"status\":\"PMIX_SUCCESS\""))
    );
    assert_eq!(answers.count(), 8);
    let left = std::fs::metadata(&journal).unwrap().len();
    assert!(left < 16 << 20, "{left} bytes are left");
    let replayed = session(&["replay", &journal, "--verify"], b"");
    assert!(
        replayed.out.contains("\"events\":9"),
        "{}{}",
        replayed.out.lines().next().unwrap_or_default(),
        replayed.err
    );
}

/// The lock is on the file itself. It holds through every name that leads to the file, before and after a compaction.
#[test]
fn every_name_of_a_compacted_journal_is_in_use() {
    let folder = Folder::new("one-history");
    let (real, link) = (folder.file("real"), folder.file("link"));
    symlink("real", &link).unwrap();
    let (mut file, _) = JournalFile::open(link.as_ref()).unwrap();
    for _ in 0..3 {
        for name in [&real, &link] {
            let second = JournalFile::open(name.as_ref());
            assert!(matches!(second, Err(FileError::InUse)), "{name}");
        }
        file = file.replace(b"").unwrap();
        assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("real"));
    }
    // Another process put a file there: it is not replaced.
    std::fs::remove_file(&real).unwrap();
    std::fs::write(&real, b"theirs").unwrap();
    assert!(matches!(file.replace(b"ours"), Err(FileError::InUse)));
    assert_eq!(std::fs::read(&real).unwrap(), b"theirs");
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        2,
        "no draft is left"
    );
}
