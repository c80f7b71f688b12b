//! A launcher that embeds stowplan: it takes allocation and spawn requests, maps each spawn on its candidates, ends jobs,
//! loses a node, is killed, and goes on from its journal.
//!
//! `cargo run --example launcher -- JOURNAL [EVENTS]`; twice on the same file, the second goes on. Its tests kill it.

use day::Day;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use stowplan::answers::journal_file::JournalFile;
use stowplan::session::{
    By, Config, Effects, Event, Initial, Journal, Name, State, Status, Value, candidates, judge,
};
use stowplan::{Job, Machine, Plan, Topology};

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
        let initial = Initial {
            nodes: (0..STARTUP)
                .map(|number| Name::new(&format!("node{number}")))
                .collect(),
            tools: vec![Name::new("prun")],
            scheduler: Some(Name::new("slurm")),
        };
        let (journal, state) = JournalFile::start(path, &Config::default(), &initial)?;
        Ok(Self { state, journal })
    }

    /// One event: judged, on disk, applied; only then is it answered.
    fn tell(&mut self, event: &Event<'_>) -> Result<(Status, Effects), Failure> {
        Ok(self.journal.record(&mut self.state, event)?)
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
            nodes: Value::names(nodes.iter().copied()),
            alloc_id: Value::Absent,
        };
        let (_, effects) = self.tell(&grant)?;
        Ok(effects.reply.map(|reply| reply.alloc_id.to_string()))
    }

    /// Starts a job where the engine maps it; without room it names no hosts, and the answer says what is wrong.
    fn spawn(
        &mut self,
        from: &str,
        job: &str,
        targets: &[&str],
        procs: u32,
    ) -> Result<Status, Failure> {
        let hosts = self.choose(from, targets, procs);
        let event = Event::Spawn {
            from,
            job,
            target: Value::names(targets.iter().copied()),
            hosts: Value::names(hosts.iter().flatten().map(String::as_str)),
        };
        match hosts {
            Err(_) => Ok(judge(&self.state, &event).status()),
            Ok(_) => Ok(self.tell(&event)?.0),
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
        let words = format!("-n {procs} --map-by core --bind-to core ./job");
        let job = Job::from_command_line(words.split(' '))?;
        let plan = Plan::new(&job, &machine.within(&seen, &self.state))?;
        let names = plan.procs().map(|proc| proc.node().name().to_owned());
        Ok(names.collect())
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
