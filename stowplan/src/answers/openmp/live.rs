//! Whether the threads of a running job are where they were planned.

use super::answer::{Answer, Threads};
use super::job::JobThreads;
use super::witness::{Says, Witness};
use crate::launchers::live::same_host;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::names::NodeId;

/// The most threads that are named of a kind.
const NAMED: usize = 64;

/// A thread that runs where it was not planned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outside {
    /// `rank.thread`.
    pub thread: String,
    /// What was planned.
    pub planned: String,
    /// What a line says.
    pub real: String,
}

/// Threads as planned, and as their lines say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    /// Whose rules fit best, if the plan does not say whose hold.
    pub runtime: Option<String>,
    /// How many have the planned cpus.
    pub equal: u64,
    /// How many were seen on one of them.
    pub inside: u64,
    /// How many have other cpus, or were seen elsewhere.
    pub outside: u64,
    /// The first of these.
    pub first: Option<Outside>,
    /// Threads that no line tells of, `rank.thread`, the first ones.
    pub missing: Vec<String>,
    /// How many these are.
    pub missing_count: u64,
    /// Threads that two lines tell of.
    pub twice: Vec<String>,
}

impl Compared {
    /// Whether all is as planned.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.outside == 0 && self.missing_count == 0 && self.twice.is_empty()
    }

    fn faults(&self) -> u64 {
        self.outside + self.missing_count
    }
}

/// Compares lines of threads with a plan.
///
/// # Errors
/// Class and sentence: the threads of a rank cannot be told.
///
/// Cost: a search in the plan for each process, the lines, and the planned threads of all ranks.
pub fn compare<'p>(
    plan: &'p Plan,
    threads: &mut JobThreads<'p>,
    witnesses: &[Witness],
) -> Result<Compared, (&'static str, String)> {
    let processes = Processes::of(plan, witnesses);
    let mut best: Option<Compared> = None;
    for runtime in 0..threads.runtimes().len() {
        let mut planned = Planned {
            plan,
            threads: &mut *threads,
            runtime,
            whose: None,
        };
        let found = processes.compared(&mut planned)?;
        if best
            .as_ref()
            .is_none_or(|own| found.faults() < own.faults())
        {
            best = Some(found);
        }
    }
    Ok(best.unwrap_or_default())
}

/// The planned threads of ranks, by the rules of one runtime.
struct Planned<'a, 'p> {
    plan: &'p Plan,
    threads: &'a mut JobThreads<'p>,
    runtime: usize,
    /// Whose rules, if they are not the only ones.
    whose: Option<String>,
}

impl Planned<'_, '_> {
    fn of(&mut self, rank: u32) -> Result<Option<OfRank>, (&'static str, String)> {
        let Some(place) = self.plan.place(Rank(rank)) else {
            return Ok(None);
        };
        let key = self.threads.key(&place);
        let answer = self.threads.answer(key);
        if let Some((_, why)) = answer.refused.first() {
            return Err((why.class(), format!("rank {rank}: {why}")));
        }
        let row = self.runtime.min(answer.told.len().saturating_sub(1));
        if let [(_, _), (_, _), ..] = answer.told.as_slice() {
            self.whose = Some(answer.told[row].0.clone());
        }
        Ok(Some(OfRank { answer, row }))
    }
}

/// The threads of a rank: a row of what is told of it.
struct OfRank {
    answer: Rc<Answer>,
    row: usize,
}

impl OfRank {
    fn threads(&self) -> Option<&Threads> {
        self.answer.told.get(self.row).map(|(_, own)| own)
    }
}

/// The lines of one process: thread by thread, the first line of each.
struct Process<'w> {
    number: u64,
    host: &'w str,
    lines: BTreeMap<&'w str, &'w Witness>,
    twice: Vec<&'w str>,
}

/// What the numbers of processes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbers {
    Ranks,
    Pids,
}

struct Processes<'w> {
    numbers: Numbers,
    all: Vec<Process<'w>>,
    /// The ranks of each host that a line names; shape `[processes]`, for process numbers.
    ranks: HashMap<&'w str, Vec<u32>>,
}

impl<'w> Processes<'w> {
    fn of(plan: &Plan, witnesses: &'w [Witness]) -> Self {
        let mut hosts: HashMap<u64, &str> = HashMap::new();
        let ranks = witnesses.iter().all(|own| {
            let host = *hosts.entry(own.process).or_insert(&own.host);
            own.process < u64::from(plan.ranks()) && same_host(host, &own.host)
        });
        let numbers = if ranks { Numbers::Ranks } else { Numbers::Pids };
        let mut rows: HashMap<(u64, &str), usize> = HashMap::new();
        let mut all: Vec<Process<'w>> = Vec::new();
        for own in witnesses {
            let host = if numbers == Numbers::Ranks {
                ""
            } else {
                &own.host
            };
            let row = *rows.entry((own.process, host)).or_insert(all.len());
            if row == all.len() {
                all.push(Process {
                    number: own.process,
                    host: &own.host,
                    lines: BTreeMap::new(),
                    twice: Vec::new(),
                });
            }
            let known = all[row].lines.get(own.thread.as_str());
            if known.is_some_and(|known| known.says == own.says) {
                all[row].twice.push(&own.thread);
            } else if known.is_none_or(|known| known.says == Says::Moment) {
                all[row].lines.insert(&own.thread, own);
            }
        }
        let ranks = match numbers {
            Numbers::Ranks => HashMap::new(),
            Numbers::Pids => ranks_of(plan, witnesses),
        };
        Self {
            numbers,
            all,
            ranks,
        }
    }

    fn compared(&self, planned: &mut Planned<'_, '_>) -> Result<Compared, (&'static str, String)> {
        let mut found = Compared::default();
        let mut taken = RoaringBitmap::new();
        let mut wrong: Vec<(&Process<'_>, Option<u32>)> = Vec::new();
        for process in &self.all {
            let rank = match self.numbers {
                Numbers::Ranks => u32::try_from(process.number).ok(),
                Numbers::Pids => self.fitting(process, &taken, planned)?,
            };
            match rank {
                Some(rank) if taken.insert(rank) => of_process(process, rank, planned, &mut found)?,
                Some(_) | None => wrong.push((process, None)),
            }
        }
        // A process that is like no rank of its node is compared with the first rank that is left there.
        for (process, rank) in &mut wrong {
            let left = self.ranks.get(process.host).into_iter().flatten();
            *rank = left.copied().find(|rank| !taken.contains(*rank));
            match *rank {
                Some(rank) => {
                    taken.insert(rank);
                    of_process(process, rank, planned, &mut found)?;
                }
                None => stranger(process, &mut found),
            }
        }
        for rank in (0..planned.plan.ranks()).filter(|rank| !taken.contains(*rank)) {
            let own = planned.of(rank)?;
            let own = own.as_ref().and_then(OfRank::threads);
            for thread in own.into_iter().flat_map(Threads::threads) {
                missed(rank, &thread.name(), &mut found);
            }
        }
        found.runtime = planned.whose.take();
        Ok(found)
    }

    /// A rank of its node that is not yet taken and has these threads.
    fn fitting(
        &self,
        process: &Process<'_>,
        taken: &RoaringBitmap,
        planned: &mut Planned<'_, '_>,
    ) -> Result<Option<u32>, (&'static str, String)> {
        let ranks = self.ranks.get(process.host).into_iter().flatten();
        for rank in ranks.filter(|rank| !taken.contains(**rank)) {
            let mut trial = Compared::default();
            of_process(process, *rank, planned, &mut trial)?;
            if trial.faults() == 0 {
                return Ok(Some(*rank));
            }
        }
        Ok(None)
    }
}

/// The ranks of the hosts that lines name, ascending.
fn ranks_of<'w>(plan: &Plan, witnesses: &'w [Witness]) -> HashMap<&'w str, Vec<u32>> {
    let hosts: BTreeSet<&str> = witnesses.iter().map(|own| own.host.as_str()).collect();
    let names = &plan.world().names;
    let mut shorts: Option<HashMap<String, NodeId>> = None;
    let mut of_short = |short: &str| {
        let all = shorts.get_or_insert_with(|| {
            let nodes = (0..names.len()).map(|row| NodeId::from_row(row as usize));
            let each = nodes.map(|node| (names.name(node), node));
            // The first of equal short names counts.
            let each = each.map(|(name, node)| (short_of(&name).to_owned(), node));
            each.rev().collect()
        });
        all.get(short).copied()
    };
    let mut of = |host: &str| {
        let node = names.find_name(host);
        let node = node.or_else(|| of_short(short_of(host)));
        let own = node.filter(|node| same_host(&names.name(*node), host));
        let mut ranks: Vec<u32> = own.map_or_else(Vec::new, |node| {
            plan.procs_on(node).map(|place| place.rank.0).collect()
        });
        ranks.sort_unstable();
        ranks
    };
    hosts.into_iter().map(|host| (host, of(host))).collect()
}

/// A name up to its first dot.
fn short_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Compares the lines of a process with a rank.
fn of_process(
    process: &Process<'_>,
    rank: u32,
    planned: &mut Planned<'_, '_>,
    found: &mut Compared,
) -> Result<(), (&'static str, String)> {
    let own = planned.of(rank)?;
    let Some(own) = own.as_ref().and_then(OfRank::threads) else {
        stranger(process, found);
        return Ok(());
    };
    let node = planned.plan.place(Rank(rank)).map(|place| place.node);
    let name = node.map_or_else(String::new, |node| planned.plan.world().names.name(node));
    let here = same_host(&name, process.host);
    found.twice.extend(
        process
            .twice
            .iter()
            .map(|thread| format!("{rank}.{thread}")),
    );
    let mut met = 0;
    for thread in own.threads() {
        let text = thread.name();
        let Some(line) = process.lines.get(text.as_str()) else {
            missed(rank, &text, found);
            continue;
        };
        met += 1;
        let cpus = own.cpus(thread);
        match line.says {
            Says::Mask if here && line.cpus == *cpus => found.equal += 1,
            Says::Moment if here && line.cpus.is_subset(cpus) => found.inside += 1,
            Says::Mask | Says::Moment => {
                let planned = format!("{} of {name}", list_form(cpus));
                outside(&format!("{rank}.{text}"), planned, line, found);
            }
        }
    }
    if met == process.lines.len() {
        return Ok(());
    }
    let known: BTreeSet<String> = own.threads().iter().map(|own| own.name()).collect();
    let more = process
        .lines
        .values()
        .filter(|line| !known.contains(&line.thread));
    for line in more {
        let planned = "no such thread".to_owned();
        outside(&format!("{rank}.{}", line.thread), planned, line, found);
    }
    Ok(())
}

/// A process that is no rank of the plan.
fn stranger(process: &Process<'_>, found: &mut Compared) {
    for line in process.lines.values() {
        let thread = format!("{}.{}", process.number, line.thread);
        outside(&thread, "no such process".to_owned(), line, found);
    }
}

fn missed(rank: u32, thread: &str, found: &mut Compared) {
    found.missing_count += 1;
    if found.missing.len() < NAMED {
        found.missing.push(format!("{rank}.{thread}"));
    }
}

fn outside(thread: &str, planned: String, line: &Witness, found: &mut Compared) {
    found.outside += 1;
    found.first.get_or_insert_with(|| Outside {
        thread: thread.to_owned(),
        planned,
        real: format!("{} of {}", list_form(&line.cpus), line.host),
    });
}
