//! It is killed, and goes on.

#![expect(
    clippy::print_stdout,
    reason = "a child tells its parent how far it is"
)]

use super::day::Day;
use super::*;
use stowplan::session::check;

fn journal(name: &str) -> std::path::PathBuf {
    let path =
        std::env::temp_dir().join(format!("stowplan-launcher-{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// A process that is being started holds for a moment what we have open, the lock of a journal too: who opens a journal
/// again and who starts a process take turns.
static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// A kill leaves what was committed, and perhaps a part of a frame.
#[test]
fn a_killed_launcher_goes_on_where_it_was() {
    let _turn = ONE_AT_A_TIME.lock().unwrap();
    let path = journal("killed");
    let mut launcher = Launcher::open(&path).unwrap();
    let mut day = Day(8);
    for number in 0..120 {
        day.happen(&mut launcher, number).unwrap();
        check(&launcher.state).unwrap();
        if number % 7 == 3 {
            let before = launcher.state.canonical();
            drop(launcher);
            let mut bytes = std::fs::read(&path).unwrap();
            let torn = vec![0xa5; day.roll(30)];
            bytes.extend_from_slice(&torn);
            std::fs::write(&path, bytes).unwrap();
            launcher = Launcher::open(&path).unwrap();
            assert_eq!(launcher.state.canonical(), before, "after event {number}");
        }
    }
    assert!(launcher.journal.events() > 100);
    std::fs::remove_file(&path).unwrap();
}

/// Where the child keeps its journal.
const JOURNAL: &str = "STOWPLAN_LAUNCHER_JOURNAL";

/// Not a promise: the body of the child, which works until it is killed; without a journal it does nothing.
#[test]
fn works_until_killed() {
    let Some(path) = std::env::var_os(JOURNAL) else {
        return;
    };
    let mut launcher = Launcher::open(Path::new(&path)).unwrap();
    let before = usize::try_from(launcher.journal.events()).unwrap();
    let mut day = Day(before as u64 + 1);
    // More than it will be given time for; the next number is one that no job had.
    for number in before.. {
        day.happen(&mut launcher, number).unwrap();
        println!("answered {}", launcher.journal.events());
    }
}

/// A real process, really killed, wherever it was: it goes on, and nothing that was answered is lost.
#[test]
fn a_launcher_killed_at_any_moment_has_kept_every_answer() {
    let _turn = ONE_AT_A_TIME.lock().unwrap();
    use std::io::BufRead as _;
    let path = journal("any-moment");
    let (mut dice, mut known) = (Day(3), 0);
    for _ in 0..12 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::works_until_killed", "--nocapture"])
            .env(JOURNAL, &path)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        let answers = lines.filter_map(|line| {
            let line = line.unwrap();
            line.rsplit_once("answered ")?.1.parse::<u64>().ok()
        });
        let answered = answers.take(1 + dice.roll(25)).last().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let launcher = Launcher::open(&path).unwrap();
        check(&launcher.state).unwrap();
        assert!(launcher.journal.events() >= answered && answered >= known);
        known = launcher.journal.events();
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_job_is_mapped_on_what_its_sessions_let_it_see() {
    let path = journal("mapped");
    let mut launcher = Launcher::open(&path).unwrap();
    assert_eq!(
        launcher.spawn("prun", "first", &[], 10).unwrap(),
        Status::Success
    );
    let id = launcher
        .allocate("first", &["cloud0", "node5"])
        .unwrap()
        .unwrap();
    let seen = launcher.choose("first", &[&id], 16).unwrap();
    assert_eq!(
        seen,
        BTreeSet::from(["cloud0".to_owned(), "node5".to_owned()])
    );
    assert!(
        launcher.choose("first", &[&id], 17).is_err(),
        "two nodes have sixteen cores"
    );
    assert_eq!(
        launcher.spawn("prun", "other", &[&id], 1).unwrap(),
        Status::NoPermissions
    );
    let everybody = launcher.choose("prun", &[], 40).unwrap();
    assert!(!everybody.contains("node5") && everybody.len() == STARTUP - 1);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_journal_in_use_is_refused() {
    let _turn = ONE_AT_A_TIME.lock().unwrap();
    let path = journal("in-use");
    let launcher = Launcher::open(&path).unwrap();
    assert!(Launcher::open(&path).is_err());
    drop(launcher);
    assert!(Launcher::open(&path).is_ok());
    std::fs::remove_file(&path).unwrap();
}
