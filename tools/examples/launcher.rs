//! A launcher that embeds stowplan: it takes allocation and spawn requests, maps each spawn on its candidates, ends jobs,
//! loses a node, is killed, and goes on from its journal.
//!
//! `cargo run --example launcher -- JOURNAL [EVENTS]`; run it twice on the same file: the second goes on.
//! `cargo test --example launcher` kills it at every few events and compares.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use stowplan::session::{
    By, Config, Effects, Event, Initial, Journal, Mode, Name, ReplayError, State, Status, Value,
    candidates, judge, recover,
};
use stowplan::{App, Job, Machine, Plan, Topology};
use stowplan_cli::journal_file::JournalFile;

type Failure = Box<dyn std::error::Error>;

/// The nodes of our machine: six at startup, the scheduler has more.
const STARTUP: usize = 6;

/// A launcher: a state, and the journal it is kept in.
struct Launcher {
    state: State,
    journal: Journal<JournalFile>,
}

impl Launcher {
    /// Goes on from a journal, or begins one: the only thing a launcher does differently after it was killed.
    fn open(path: &Path) -> Result<Self, Failure> {
        let (mut file, bytes) = JournalFile::open(path)?;
        let recovered = recover::<ReplayError>(&bytes, Mode::Fast, |_, _, _| Ok(()))?;
        file.cut(recovered.end)?;
        if recovered.next_seq > 0 {
            return Ok(Self {
                journal: Journal::resume(file, &recovered),
                state: recovered.state,
            });
        }
        let initial = Initial {
            nodes: (0..STARTUP)
                .map(|number| Name::new(&format!("node{number}")))
                .collect(),
            tools: vec![Name::new("prun")],
            scheduler: Some(Name::new("slurm")),
        };
        let state = State::new(Config::default(), &initial)?;
        Ok(Self {
            journal: Journal::begin(file, &Config::default(), &initial)?,
            state,
        })
    }

    /// One event: judged, on disk, applied; only then is it answered.
    fn tell(&mut self, event: &Event<'_>) -> Result<(Status, Effects), Failure> {
        let outcome = self.journal.submit(&mut self.state, event)?;
        self.journal.commit()?;
        Ok(outcome)
    }

    /// Asks for nodes on a job's behalf and plays the scheduler: gives the id of the allocation.
    fn allocate(&mut self, from: &str, nodes: &[&str]) -> Result<Option<String>, Failure> {
        let ask = Event::Alloc {
            from,
            directive: Value::Text("PMIX_ALLOC_NEW"),
            attrs: vec![("PMIX_ALLOC_INHERITANCE", Value::Text("CHILD"))],
        };
        let (_, effects) = self.tell(&ask)?;
        let Some(req) = effects.request else {
            return Ok(None);
        };
        let grant = Event::Grant {
            req,
            nodes: Value::Texts(nodes.to_vec()),
            alloc_id: Value::Absent,
        };
        let (_, effects) = self.tell(&grant)?;
        Ok(effects.reply.map(|reply| reply.alloc_id.to_string()))
    }

    /// Starts a job: the engine maps it on what its sessions let it see, and the answer is what it uses.
    fn spawn(
        &mut self,
        from: &str,
        job: &str,
        targets: &[&str],
        procs: u32,
    ) -> Result<Status, Failure> {
        let Ok(hosts) = self.choose(from, targets, procs) else {
            // No room, or no right to these sessions: the engine says which.
            let target = if targets.is_empty() {
                Value::Absent
            } else {
                Value::Texts(targets.to_vec())
            };
            let refused = Event::Spawn {
                from,
                job,
                target,
                hosts: Value::Absent,
            };
            return Ok(judge(&self.state, &refused).status());
        };
        let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
        let target = if targets.is_empty() {
            Value::Absent
        } else {
            Value::Texts(targets.to_vec())
        };
        let (status, _) = self.tell(&Event::Spawn {
            from,
            job,
            target,
            hosts: Value::Texts(hosts),
        })?;
        Ok(status)
    }

    /// The choice of nodes: a job of `procs` processes, core by core, mapped on the candidates.
    fn choose(
        &self,
        from: &str,
        targets: &[&str],
        procs: u32,
    ) -> Result<BTreeSet<String>, Failure> {
        let seen = candidates(&self.state, By::Namespace(from), targets)?;
        let machine = Machine::uniform(Topology::parse("package:2 core:4 pu:1")?);
        let app = App::new("./job")
            .procs(procs)
            .map_by("core")
            .bind_to("core");
        let plan = Plan::new(
            &Job::builder().app(app).build()?,
            &machine.within(&seen, &self.state),
        )?;
        Ok(plan
            .procs()
            .map(|proc| proc.node().name().to_owned())
            .collect())
    }
}

/// What happens to the launcher, event by event; the same numbers give the same day.
struct Day(u64);

impl Day {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    /// One thing that happens.
    fn happen(&mut self, launcher: &mut Launcher, number: usize) -> Result<(), Failure> {
        let job = format!("job{number}");
        let parent = format!("job{}", number.saturating_sub(1 + self.roll(6)));
        let fresh = format!("cloud{}", self.roll(8));
        match self.roll(10) {
            0..4 => {
                let procs = u32::try_from(1 + self.roll(20))?;
                launcher.spawn("prun", &job, &[], procs)?;
            }
            4 | 5 => {
                // A job that grows: nodes of its own, and a child on them.
                if let Some(id) = launcher.allocate(&parent, &[&fresh])? {
                    launcher.spawn(&parent, &job, &[&id], 4)?;
                    launcher.spawn("prun", &format!("{job}b"), &[&id], 4)?;
                }
            }
            6 | 7 => {
                launcher.tell(&Event::JobEnd { ns: &parent })?;
            }
            8 => {
                let node = format!("node{}", self.roll(STARTUP));
                launcher.tell(&Event::NodeDown { node: &node })?;
                launcher.tell(&Event::NodeUp { node: &node })?;
            }
            _ => {
                let tool = By::Namespace("prun");
                let seen =
                    candidates(&launcher.state, tool, &[]).map_or(0, |found| found.nodes.len());
                if seen < 2 {
                    launcher.tell(&Event::JobEnd { ns: &parent })?;
                }
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let path = words.first().ok_or("usage: launcher JOURNAL [EVENTS]")?;
    let events = words.get(1).map_or(Ok(50), |word| word.parse())?;
    let mut launcher = Launcher::open(Path::new(path))?;
    let before = usize::try_from(launcher.journal.events())?;
    let mut day = Day(before as u64 + 1);
    for number in before..before + events {
        day.happen(&mut launcher, number)?;
    }
    let (state, mut out) = (&launcher.state, std::io::stdout());
    writeln!(
        out,
        "{} events, {} nodes, {} allocations, {} namespaces",
        launcher.journal.events(),
        state.nodes().len(),
        state.allocation_count(),
        state.namespace_count()
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::print_stdout,
        reason = "a child tells its parent how far it is"
    )]

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
}
