//! Lines in which running threads say where they are: those of the runtimes themselves, of hello_jobstep and of xthi.

use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::text::cursor::whole_ranges;
use stowplan_engine::text::digits::number as digits;

/// What a line says of the cpus of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    /// All cpus on which it may run.
    Mask,
    /// The cpu on which it was at one moment.
    Moment,
}

/// A line of a running thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The line, from 1.
    pub line: u64,
    /// The rank, or a process number.
    pub process: u64,
    /// The host.
    pub host: String,
    /// The thread, as it is written: `5`, or `5.1`.
    pub thread: String,
    /// Its cpus.
    pub cpus: RoaringBitmap,
    /// What these are.
    pub says: Says,
}

/// Lines of threads, and the text without them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// The lines of threads.
    pub witnesses: Vec<Witness>,
    /// Everything else, line by line.
    pub rest: Vec<u8>,
}

/// Takes the lines of threads out of a text.
///
/// # Errors
/// The line and what is wrong with it, where a line begins as that of a thread does and does not go on so.
///
/// Cost: linear in the text.
pub fn take(text: &[u8]) -> Result<Taken, String> {
    let mut taken = Taken::default();
    for (number, bytes) in (1_u64..).zip(text.split(|&byte| byte == b'\n')) {
        let line = String::from_utf8_lossy(bytes);
        let found = of_line(number, line.trim_end_matches('\r'))
            .map_err(|why| format!("line {number}: {why}"))?;
        match found {
            Some(witness) => taken.witnesses.push(witness),
            None => {
                if number > 1 && !taken.rest.is_empty() {
                    taken.rest.push(b'\n');
                }
                taken.rest.extend_from_slice(bytes);
            }
        }
    }
    Ok(taken)
}

fn of_line(number: u64, line: &str) -> Result<Option<Witness>, String> {
    if let Some(own) = behind_label(line, "stow ") {
        return stow(number, own).map(Some);
    }
    if let Some(own) = behind_label(line, "MPI ") {
        return Ok(hello(number, own));
    }
    match behind_label(line, "Hello from rank ") {
        Some(own) => Ok(xthi(number, own)),
        None => Ok(None),
    }
}

/// What stands behind these words, if they begin the line or stand behind the label of a launcher alone: `2: `, `[1,2]<stdout>:`, `[2] `.
fn behind_label<'l>(line: &'l str, words: &str) -> Option<&'l str> {
    let at = line.find(words)?;
    let label = line[..at].trim();
    let ends = [':', ']'].iter().any(|sign| label.ends_with(*sign));
    let begins = label.starts_with(|sign: char| sign == '[' || sign.is_ascii_alphanumeric());
    let one = !label.contains([' ', '\t']);
    (label.is_empty() || (ends && begins && one)).then(|| &line[at + words.len()..])
}

/// `stow R HOST THREAD CPUS`.
fn stow(number: u64, own: &str) -> Result<Witness, String> {
    let words: Vec<&str> = own.split_whitespace().collect();
    let [process, host, thread, cpus] = *words else {
        return Err(format!(
            "stow {own}: stow RANK HOST THREAD CPUS is expected there"
        ));
    };
    let process = digits(process).ok_or_else(|| {
        format!("stow: the rank or process number is {process:?}, and a number is expected there")
    })?;
    let named = thread.split('.').all(|part| digits::<u64>(part).is_some());
    if !named || thread.split('.').count() > 2 {
        return Err(format!(
            "stow: the thread is {thread:?}, and a number is expected there"
        ));
    }
    let cpus = set(cpus).ok_or_else(|| {
        format!("stow: the cpus are {cpus:?}, and a list such as 1,65 is expected there")
    })?;
    Ok(Witness {
        line: number,
        process,
        host: host.to_owned(),
        thread: plain(thread),
        cpus,
        says: Says::Mask,
    })
}

/// `MPI 003 - OMP 005 - HWT 006 - Node n1 - …`, behind its first word.
fn hello(number: u64, own: &str) -> Option<Witness> {
    let mut parts = own.split(" - ").map(str::trim);
    let process = digits(parts.next()?)?;
    let (mut thread, mut cpu, mut host) = (None, None, None);
    for part in parts {
        match part.split_once(' ') {
            Some(("OMP", value)) => thread = digits::<u64>(value.trim()),
            Some(("HWT", value)) => cpu = set(value.trim()),
            Some(("Node", value)) => host = value.split_whitespace().next(),
            Some(_) | None => {}
        }
    }
    Some(Witness {
        line: number,
        process,
        host: host?.to_owned(),
        thread: thread?.to_string(),
        cpus: cpu?,
        says: Says::Moment,
    })
}

/// `Hello from rank 3, thread 5, on n1. (core affinity = 6,70)`, behind its first words.
fn xthi(number: u64, own: &str) -> Option<Witness> {
    let (process, rest) = own.split_once(", thread ")?;
    let (thread, rest) = rest.split_once(", on ")?;
    let (host, rest) = rest.split_once(". (core affinity = ")?;
    let (cpus, _) = rest.split_once(')')?;
    Some(Witness {
        line: number,
        process: digits(process.trim())?,
        host: host.trim().to_owned(),
        thread: digits::<u64>(thread.trim())?.to_string(),
        cpus: set(cpus.trim())?,
        says: Says::Mask,
    })
}

/// The number of a thread without zeros before it.
fn plain(text: &str) -> String {
    let parts: Vec<String> = text
        .split('.')
        .filter_map(digits::<u64>)
        .map(|part| part.to_string())
        .collect();
    parts.join(".")
}

/// A list of cpus, zeros before its numbers or not.
fn set(text: &str) -> Option<RoaringBitmap> {
    let part = |part: &str| match part.split_once('-') {
        Some((first, last)) => Some(format!(
            "{}-{}",
            digits::<u64>(first)?,
            digits::<u64>(last)?
        )),
        None => digits::<u64>(part).map(|number| number.to_string()),
    };
    let parts: Option<Vec<String>> = text.split(',').map(part).collect();
    let ranges = whole_ranges(&parts?.join(","))?;
    let mut set = RoaringBitmap::new();
    for (first, last) in ranges {
        if last >= PUS_MAX {
            return None;
        }
        set.insert_range(first..=last);
    }
    Some(set)
}
