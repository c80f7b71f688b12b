//! A launcher that embeds stowplan: it takes allocation and spawn requests, maps each spawn on its candidates, ends jobs,
//! loses a node, is killed, and goes on from its journal.
//!
//! `cargo run --example launcher -- JOURNAL [EVENTS]`; run it twice on the same file: the second goes on.
//! `cargo test --example launcher` kills it at every few events and compares.

use day::Day;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use stowplan::session::{
    By, Config, Effects, Event, Initial, Journal, Mode, Name, ReplayError, State, Status, Value,
    candidates, judge, recover,
};
use stowplan::{App, Job, Machine, Plan, Topology};
use stowplan_cli::journal_file::JournalFile;

// What happens to it, for show and for tests.
mod day;
#[cfg(test)]
mod tests;

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

    /// Starts a job: the engine maps it on what its sessions let it see, and the answer is what it uses. Without room, or without
    /// the right to these sessions, it names no hosts, and the engine says what is wrong.
    fn spawn(
        &mut self,
        from: &str,
        job: &str,
        targets: &[&str],
        procs: u32,
    ) -> Result<Status, Failure> {
        let hosts = self.choose(from, targets, procs).ok();
        let event = Event::Spawn {
            from,
            job,
            target: match targets {
                [] => Value::Absent,
                _ => Value::Texts(targets.to_vec()),
            },
            hosts: match &hosts {
                None => Value::Absent,
                Some(hosts) => Value::Texts(hosts.iter().map(String::as_str).collect()),
            },
        };
        match hosts {
            None => Ok(judge(&self.state, &event).status()),
            Some(_) => Ok(self.tell(&event)?.0),
        }
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
