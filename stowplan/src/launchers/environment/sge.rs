//! Grid Engine: a file with host, slots, queue and cpus in each line.

use super::slurm_lists::folded;
use super::{BadEnvironment, Found, Lookup, lines, number, set};
use std::collections::{BTreeMap, BTreeSet};

const NAME: &str = "PE_HOSTFILE";

/// Packages and cores, as pairs of logical numbers.
type Cores = BTreeSet<(u32, u32)>;

pub(super) fn hosts(lookup: &dyn Lookup) -> Result<Found, BadEnvironment> {
    let path = set(lookup, NAME).unwrap_or_default();
    let mut found = Found {
        source: NAME.to_owned(),
        ..Found::default()
    };
    let mut of_host: BTreeMap<String, Option<Cores>> = BTreeMap::new();
    for line in lines(lookup, NAME, &path)? {
        let wrong = |why: &str| {
            let why = format!("{why} in the line {line:?}");
            BadEnvironment::broken(NAME, &path, &why)
        };
        let mut words = line.split_whitespace();
        let (host, slots) = (words.next(), words.next());
        let (Some(host), Some(slots)) = (host, slots) else {
            return Err(wrong("a host and its slots are expected"));
        };
        let slots =
            number(NAME, slots).map_err(|_| wrong("a number of slots is expected second"))?;
        found.hosts.add(host, slots, NAME)?;
        let cores = match words.nth(1).filter(|cpus| binds(cpus)) {
            Some(cpus) => {
                Some(pairs(cpus).ok_or_else(|| wrong("socket,core:… is expected fourth"))?)
            }
            None => None,
        };
        // Queues may give cores of one host in a line each.
        match (of_host.get_mut(host), cores) {
            (None, cores) => drop(of_host.insert(host.to_owned(), cores)),
            (Some(Some(own)), Some(more)) => own.extend(more),
            (Some(None), None) => {}
            (Some(Some(_)), None) | (Some(None), Some(_)) => {
                return Err(wrong(
                    "a host has cores in one of its lines, and none is said",
                ));
            }
        }
    }
    let mut kinds: BTreeMap<Cores, Vec<&str>> = BTreeMap::new();
    for (host, cores) in &of_host {
        if let Some(cores) = cores {
            kinds.entry(cores.clone()).or_default().push(host);
        }
    }
    let kinds = kinds.iter();
    let kinds = kinds.map(|(cores, hosts)| format!("{}={}", folded(hosts), written(cores)));
    found.cores = kinds.collect();
    Ok(found)
}

/// Whether the fourth column says something: Grid Engine writes these words where it binds nothing.
fn binds(cpus: &str) -> bool {
    !["UNDEFINED", "NULL", "<NULL>", "NONE", "no_job_binding"]
        .iter()
        .any(|word| cpus.eq_ignore_ascii_case(word))
}

/// The pairs of `socket,core:socket,core`.
fn pairs(cpus: &str) -> Option<Cores> {
    let pair = |pair: &str| {
        let (socket, core) = pair.split_once(',')?;
        Some((socket.parse().ok()?, core.parse().ok()?))
    };
    cpus.split(':').map(pair).collect()
}

/// The cores as a rankfile writes them.
fn written(cores: &Cores) -> String {
    let pair = |&(socket, core): &(u32, u32)| format!("{socket}:{core}");
    cores.iter().map(pair).collect::<Vec<_>>().join(";")
}
