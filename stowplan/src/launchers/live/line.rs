//! The line of one process: rank, host, cpus, devices, and the source of each, separated by tabs.

use crate::launchers::cpus::{ranges, read_list};
use roaring::RoaringBitmap;
use std::collections::HashMap;
use std::fmt;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::text::digits;
use stowplan_engine::text::printable::{disturbs, shown};

/// What one process found out about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its rank; `None`: no launcher gives one.
    pub rank: Option<u32>,
    /// Its node.
    pub host: String,
    /// The cpus it may run on.
    pub cpus: RoaringBitmap,
    /// The devices it sees, as the variable lists them; `None`: no variable is set.
    pub devices: Option<String>,
    /// The sources of rank, host, cpus and devices.
    pub sources: [&'static str; 4],
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clean = |text: &str| text.replace(disturbs, "?");
        let rank = self
            .rank
            .map_or_else(|| "-".to_owned(), |rank| rank.to_string());
        let devices = self
            .devices
            .as_deref()
            .map_or_else(|| "-".to_owned(), clean);
        let (host, cpus) = (clean(&self.host), ranges(&self.cpus, ','));
        let sources = self.sources.join(",");
        write!(f, "{rank}\t{host}\t{cpus}\t{devices}\t{sources}")
    }
}

/// Lines that cannot be compared with a plan. Class `bad-live`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadLive(pub String);

impl BadLive {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        "bad-live"
    }
}

/// One process, as rows of the tables in [`Lines`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Process {
    /// Its rank.
    pub rank: u32,
    /// Its host.
    pub host: usize,
    /// Its cpus.
    pub cpus: usize,
    /// The devices it sees.
    pub devices: usize,
}

/// What processes reported.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    /// The processes, in the order of the lines.
    pub processes: Vec<Process>,
    /// Distinct hosts.
    pub hosts: Vec<String>,
    /// Distinct sets of cpus.
    pub cpus: Vec<RoaringBitmap>,
    /// Distinct values of the variables that show devices; `-`: no variable was set.
    pub devices: Vec<String>,
    /// The number of lines that `probe` did not write.
    pub foreign: u64,
}

/// A line without the label that a launcher put before it: `2: ` of srun -l, `[1,2]<stdout>:` of mpirun --tag-output, `[2] ` of
/// Hydra's -l.
fn unlabelled(line: &str) -> &str {
    let bare = line.trim_start();
    if let Some(rest) = bare.strip_prefix('[')
        && let Some((_, rest)) = rest.split_once(']')
    {
        let rest = rest.strip_prefix("<stdout>").unwrap_or(rest);
        return rest
            .strip_prefix(':')
            .unwrap_or(rest)
            .trim_start_matches(' ');
    }
    match bare.split_once(": ") {
        Some((label, rest)) if label.bytes().all(|byte| byte.is_ascii_digit()) => {
            rest.trim_start_matches(' ')
        }
        Some(_) | None => line,
    }
}

/// Reads lines of `probe`, in any order, possibly among other lines.
///
/// # Errors
/// `bad-live`: there is no line of `probe`, or one has no rank or malformed cpus.
pub fn read(text: &[u8]) -> Result<Lines, BadLive> {
    let mut lines = Lines::default();
    let mut hosts: HashMap<String, usize> = HashMap::new();
    let mut cpus: HashMap<String, usize> = HashMap::new();
    let mut devices: HashMap<String, usize> = HashMap::new();
    for (number, line) in (1_u64..).zip(text.split(|&byte| byte == b'\n')) {
        let line = String::from_utf8_lossy(line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        if line.is_empty() {
            continue;
        }
        let line = unlabelled(line);
        let fields: Vec<&str> = line.split('\t').collect();
        let [rank, host, set, seen, sources] = *fields else {
            lines.foreign += 1;
            continue;
        };
        if sources.split(',').count() != 4 {
            lines.foreign += 1;
            continue;
        }
        let rank = digits::number(rank).ok_or_else(|| {
            BadLive(format!(
                "line {number}: the rank is {rank:?}, and a number is expected there"
            ))
        })?;
        let set = match cpus.get(set) {
            Some(&row) => row,
            None => {
                let read = read_list(set, PUS_MAX).ok_or_else(|| {
                    BadLive(format!("line {number}: the cpus of rank {rank} are {set:?}, and a list such as 0-3,8 is expected there"))
                })?;
                lines.cpus.push(read);
                cpus.insert(set.to_owned(), lines.cpus.len() - 1);
                lines.cpus.len() - 1
            }
        };
        // No name of a plan has such signs, and what is compared is shown.
        let host: String = host.chars().map(shown).collect();
        let host = *hosts.entry(host).or_insert_with_key(|host| {
            lines.hosts.push(host.clone());
            lines.hosts.len() - 1
        });
        let devices = *devices.entry(seen.to_owned()).or_insert_with(|| {
            lines.devices.push(seen.to_owned());
            lines.devices.len() - 1
        });
        lines.processes.push(Process {
            rank,
            host,
            cpus: set,
            devices,
        });
    }
    if lines.processes.is_empty() {
        let why = format!("no line of stowplan probe among {} others", lines.foreign);
        return Err(BadLive(why));
    }
    Ok(lines)
}
