//! Why the thread of a rank runs where it does, and one variable that would move it.

use super::answer::{Answer, Thread, Threads};
use super::classes::Key;
use super::job::JobThreads;
use super::process::Process;
use super::refused::Refused;
use super::runtime::Family;
use super::variables::Variables;
use super::why;
use crate::answers::explain::Word;
use crate::answers::row::{Row, Rows};
use crate::launchers::script::shell;
use serde::Serialize;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::cpusets::list_form;

/// The number of a thread: `5`, or `5.1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadName {
    /// In the outer team.
    pub outer: u32,
    /// In the inner team.
    pub inner: Option<u32>,
}

/// Why a thread runs where it does, by the rules of one runtime. As JSON: the keys of `ndjson` with all columns of threads, then
/// those below.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ThreadExplained {
    /// The row of the rank; its cpus are those of the thread.
    #[serde(flatten)]
    pub row: Row,
    /// The thread.
    pub thread: String,
    /// Its place; `None`: it is bound to none.
    pub place: Option<usize>,
    /// The cpus of the rank; `None`: unbound.
    pub mask: Option<String>,
    /// Whose rules, unless the job says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// The variables that decided, and what stands in for those that are not set.
    pub words: Vec<Word>,
    /// How these led there.
    pub why: Vec<String>,
    /// One variable that would move it.
    pub instead: Option<ThreadInstead>,
}

/// A variable that would move a thread, and where the thread would run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ThreadInstead {
    /// The variable as a word: `-x OMP_PROC_BIND=spread`.
    pub change: String,
    /// The words of the whole job; `None` for a saved plan, which does not keep them.
    pub words: Option<Vec<String>>,
    /// The rank.
    pub rank: u32,
    /// The thread.
    pub thread: String,
    /// The place that it would be at.
    pub place: Option<usize>,
    /// The node of the rank.
    pub node: String,
    /// The local rank of the rank.
    pub local_rank: u32,
    /// The cpus that the thread would have.
    pub cpus: String,
}

/// A job with a variable more or another value, in words that `map` takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    /// The option.
    pub change: String,
    /// The words of the whole job.
    pub words: Option<Vec<String>>,
}

/// Puts a variable into a job: its app, name and value. `None`: the job cannot be said with it.
pub type Putting<'f> = dyn Fn(usize, &str, &str) -> Option<Changed> + 'f;

/// Why there is no explanation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unexplained {
    /// The rank has no such thread.
    #[error("rank {rank} has no thread {thread}: its threads are {first} to {last}")]
    NoThread {
        /// The rank.
        rank: u32,
        /// What was asked for.
        thread: String,
        /// The first that there is.
        first: String,
        /// The last that there is.
        last: String,
    },
    /// There is no answer by the rules of a runtime.
    #[error("rank {rank}: {why}")]
    Refused {
        /// The rank.
        rank: u32,
        /// Why.
        why: Refused,
    },
}

impl Unexplained {
    /// Its class.
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::NoThread { .. } => "bad-value",
            Self::Refused { why, .. } => why.class(),
        }
    }
}

impl ThreadName {
    fn is(self, thread: &Thread) -> bool {
        (self.outer, self.inner) == (thread.outer, thread.inner)
    }

    fn text(self) -> String {
        match self.inner {
            None => self.outer.to_string(),
            Some(inner) => format!("{}.{inner}", self.outer),
        }
    }
}

/// Explains a thread: once, or for each runtime if they part. `None`: the plan has no such rank.
///
/// # Errors
/// `bad-value`: the rank has no such thread; else as the threads of the rank are refused.
///
/// Cost: that of the answer, and of an answer for each variable that is tried until one moves the thread.
pub fn explain_thread(
    plan: &Plan,
    threads: &mut JobThreads<'_>,
    rank: Rank,
    name: ThreadName,
    putting: &Putting<'_>,
) -> Result<Option<Vec<ThreadExplained>>, Unexplained> {
    let (Some(row), Some(place)) = (Rows::new(plan).row(rank), plan.place(rank)) else {
        return Ok(None);
    };
    let key = threads.key(&place);
    let answer = threads.answer(key);
    if let Some((_, why)) = answer.refused.first() {
        let (rank, why) = (rank.0, why.clone());
        return Err(Unexplained::Refused { rank, why });
    }
    let (machine, variables) = (
        threads.machine(key.topology),
        threads.variables(key.app).clone(),
    );
    let process = Process::uncaged(
        &machine,
        &answer.mask,
        &variables,
        plan.thread_words().levels,
    );
    let parts = parted(&answer, name);
    let mut all = Vec::new();
    for (at, (runtime, own)) in answer.told.iter().enumerate() {
        let Some(thread) = own.threads().iter().find(|thread| name.is(thread)) else {
            // The other runtime may have more threads.
            continue;
        };
        let mut why = why::sentences(&process, own, thread);
        why.extend(parts.clone());
        let tried = Trying {
            answer: own,
            at,
            thread,
            key,
            row: &row,
        };
        all.push(ThreadExplained {
            row: Row {
                cpus: Some(list_form(own.cpus(thread))),
                ..row.clone()
            },
            thread: thread.name(),
            place: thread.place,
            mask: row.cpus.clone(),
            runtime: threads.says_runtime().then(|| runtime.clone()),
            words: why::words(&process, own),
            why,
            instead: tried.instead(threads, &variables, putting),
        });
    }
    if all.is_empty() {
        let all = answer.told.first().map(|(_, own)| own.threads());
        let name_of = |thread: Option<&Thread>| thread.map_or_else(String::new, Thread::name);
        return Err(Unexplained::NoThread {
            rank: rank.0,
            thread: name.text(),
            first: name_of(all.and_then(|all| all.first())),
            last: name_of(all.and_then(|all| all.last())),
        });
    }
    Ok(Some(all))
}

/// Where the runtimes part over a thread.
fn parted(answer: &Answer, name: ThreadName) -> Option<String> {
    let [(first, one), (second, other)] = answer.told.as_slice() else {
        return None;
    };
    let of = |own: &Threads| {
        let thread = own.threads().iter().find(|thread| name.is(thread));
        thread.map_or_else(
            || "no such thread".to_owned(),
            |thread| format!("cpus {}", list_form(own.cpus(thread))),
        )
    };
    let (a, b) = (of(one), of(other));
    let about = |own: &Threads| {
        format!(
            "{} threads, {} places, bound {}",
            own.number(),
            own.places().len(),
            own.bind()
        )
    };
    Some(format!(
        "they part: {first} has {}, and {second} {}: {a} with {first}, {b} with {second}",
        about(one),
        about(other)
    ))
}

/// Variables that are tried, those that people set first. Places that are cores, or threads, come with any binding.
const TRIES: &[(&str, &str)] = &[
    ("OMP_PROC_BIND", "close"),
    ("OMP_PROC_BIND", "spread"),
    ("OMP_PLACES", "cores"),
    ("OMP_PLACES", "threads"),
    ("OMP_PLACES", "sockets"),
    ("OMP_PROC_BIND", "primary"),
    ("OMP_PROC_BIND", "false"),
    ("KMP_AFFINITY", "granularity=fine,compact"),
    ("KMP_AFFINITY", "scatter"),
    ("KMP_AFFINITY", "none"),
    ("OMP_PLACES", "numa_domains"),
    ("GOMP_CPU_AFFINITY", ""),
];

/// A thread, for which other variables are tried.
struct Trying<'a> {
    answer: &'a Threads,
    /// Its row among the runtimes that are told.
    at: usize,
    thread: &'a Thread,
    key: Key,
    row: &'a Row,
}

impl Trying<'_> {
    fn instead(
        &self,
        threads: &mut JobThreads<'_>,
        variables: &Variables,
        putting: &Putting<'_>,
    ) -> Option<ThreadInstead> {
        use stowplan_engine::id::Id as _;
        let gnu = self.answer.runtime().family() == Family::Gnu;
        let mask = threads.mask(self.key);
        // The cpus of the mask, from the last one down, are other cpus unless there is but one.
        let backwards: Vec<String> = mask.iter().rev().map(|cpu| cpu.to_string()).collect();
        let backwards = backwards.join(" ");
        for &(name, value) in TRIES {
            let value = if value.is_empty() { &backwards } else { value };
            if (gnu && name.starts_with("KMP")) || variables.get(name) == Some(value) {
                continue;
            }
            let other = threads.worked_out(self.key, &variables.with(name, Some(value)));
            let Some((place, cpus)) = self.moved(&other) else {
                continue;
            };
            let Some(changed) = putting(self.key.app.row(), name, value) else {
                continue;
            };
            return Some(ThreadInstead {
                change: changed.change,
                words: changed.words,
                rank: self.row.rank,
                thread: self.thread.name(),
                place,
                node: self.row.node.clone(),
                local_rank: self.row.local_rank,
                cpus,
            });
        }
        None
    }

    /// The place and cpus of the thread in another answer, if they are other cpus by each runtime that is told.
    fn moved(&self, other: &Answer) -> Option<(Option<usize>, String)> {
        if !other.refused.is_empty() {
            return None;
        }
        let here = self.answer.cpus(self.thread);
        let name = ThreadName {
            outer: self.thread.outer,
            inner: self.thread.inner,
        };
        let of = |own: &Threads| {
            let thread = own.threads().iter().find(|thread| name.is(thread)).copied();
            let thread = thread.filter(|thread| own.cpus(thread) != here)?;
            Some((thread.place, list_form(own.cpus(&thread))))
        };
        let all: Option<Vec<_>> = other.told.iter().map(|(_, own)| of(own)).collect();
        let all = all?;
        all.get(self.at).or(all.first()).cloned()
    }
}

impl ThreadExplained {
    /// A page for people.
    #[must_use]
    pub fn page(&self) -> Vec<String> {
        let row = &self.row;
        let or = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let whose = self.runtime.as_ref();
        let whose = whose.map_or_else(String::new, |own| format!("  runtime {own}"));
        let mut lines = vec![format!(
            "rank {}  thread {}  node {}  place {}  cpus {}{whose}",
            row.rank,
            self.thread,
            row.node,
            or(self.place.map(|place| place.to_string())),
            or(row.cpus.clone())
        )];
        let defaults = self.words.iter().filter_map(|word| {
            let rule = word.rule?;
            Some(format!(
                "  {}={}: by default, {rule}",
                word.option, word.value
            ))
        });
        let said = self.words.iter().filter(|word| word.rule.is_none());
        let said = said.map(|word| format!("  {}={}: asked", word.option, word.value));
        lines.extend(said.chain(defaults));
        lines.extend(self.why.iter().map(|sentence| format!("  {sentence}")));
        match &self.instead {
            Some(other) => {
                lines.push(format!(
                    "  instead  {}: place {}, cpus {}",
                    other.change,
                    or(other.place.map(|place| place.to_string())),
                    other.cpus
                ));
                if let Some(words) = &other.words {
                    lines.push(format!("    stowplan map {}", shell(words)));
                }
            }
            None => lines.push("  no other variable moves it".to_owned()),
        }
        lines
    }
}
