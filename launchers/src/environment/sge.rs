//! Grid Engine: a file with host, slots, queue and cpus in each line.

use super::{BadEnvironment, Found, Lookup, Unused, lines, number, set};

const NAME: &str = "PE_HOSTFILE";

pub(super) fn hosts(lookup: &dyn Lookup) -> Result<Found, BadEnvironment> {
    let path = set(lookup, NAME).unwrap_or_default();
    let mut found = Found {
        source: NAME.to_owned(),
        ..Found::default()
    };
    let mut bound: Option<(String, String)> = None;
    for line in lines(lookup, NAME, &path)? {
        let mut words = line.split_whitespace();
        let (host, slots) = (words.next(), words.next());
        let (Some(host), Some(slots)) = (host, slots) else {
            let why = format!("a host and its slots must stand in the line {line:?}");
            return Err(BadEnvironment::broken(NAME, &path, &why));
        };
        let slots = number(NAME, slots).map_err(|_| {
            let why = format!("a number of slots must stand second in the line {line:?}");
            BadEnvironment::broken(NAME, &path, &why)
        })?;
        found.hosts.add(host, slots, NAME)?;
        let Some(cpus) = words.nth(1).filter(|cpus| binds(cpus)) else {
            continue;
        };
        if pairs(cpus).is_none() {
            let why = format!("socket,core:… must stand fourth in the line {line:?}");
            return Err(BadEnvironment::broken(NAME, &path, &why));
        }
        bound.get_or_insert_with(|| (host.to_owned(), cpus.to_owned()));
    }
    if let Some((host, cpus)) = bound {
        let slots = pairs(&cpus).unwrap_or_default();
        found.unused.push(Unused {
            said: format!("{NAME}={path} (column 4, {cpus} on {host})"),
            word: format!(
                "--map-by rankfile:file=F, with a line rank R={host} slot={} for each process, binds to these cores",
                slots.join(";")
            ),
        });
    }
    Ok(found)
}

/// Whether the fourth column says something: Grid Engine writes these words where it binds nothing.
fn binds(cpus: &str) -> bool {
    !["UNDEFINED", "NULL", "<NULL>", "NONE", "no_job_binding"]
        .iter()
        .any(|word| cpus.eq_ignore_ascii_case(word))
}

/// The pairs of `socket,core:socket,core`, as a rankfile writes them.
fn pairs(cpus: &str) -> Option<Vec<String>> {
    let pair = |pair: &str| {
        let (socket, core) = pair.split_once(',')?;
        let number = |text: &str| text.parse::<u32>().ok();
        Some(format!("{}:{}", number(socket)?, number(core)?))
    };
    cpus.split(':').map(pair).collect()
}
